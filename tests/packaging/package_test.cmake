# Installs into an empty prefix, moves the prefix, runs the installed program, and builds a project against
# the package. Called as a script with BUILD, SOURCE, WORK and COMPILER.
function(check)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status}): ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
check(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME "${WORK}/first" "${WORK}/prefix")

check(${WORK}/prefix/bin/orrery run scheduler-vllm --no-db --json --set workload.limit=50)
if(NOT output MATCHES "\"requests.completed\": ?50")
  message(FATAL_ERROR "the installed program did not complete 50 requests:\n${output}")
endif()

check(${CMAKE_COMMAND} -S ${SOURCE}/tests/packaging/consumer -B ${WORK}/consumer -G Ninja
  -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Debug)
check(${CMAKE_COMMAND} --build ${WORK}/consumer)
set(ENV{ORRERY_DATA} "${WORK}/prefix/share/orrery")
check(${WORK}/consumer/consumer)
if(NOT output MATCHES "8030261248")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()
