# Compiler settings shared by every target, as one interface target instead of global flags.
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(PROJECT_IS_TOP_LEVEL)
  find_program(ORRERY_CCACHE ccache)
  if(ORRERY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${ORRERY_CCACHE}")
  endif()
  find_program(ORRERY_MOLD mold)
endif()

add_library(orrery_options INTERFACE)
add_library(orrery::options ALIAS orrery_options)
set_target_properties(orrery_options PROPERTIES EXPORT_NAME options)
target_compile_features(orrery_options INTERFACE cxx_std_20)
target_include_directories(orrery_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>
  $<INSTALL_INTERFACE:include/orrery>)
# Rows must be equal across compilers: no contraction of multiply-add, no fast-math.
target_compile_options(orrery_options INTERFACE -ffp-contract=off)

# Warnings are for our own code, not for projects that link to the installed package.
add_library(orrery_warnings INTERFACE)
target_compile_options(orrery_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  $<$<BOOL:${ORRERY_WERROR}>:-Werror>)

if(ORRERY_MOLD)
  target_link_options(orrery_options INTERFACE $<BUILD_INTERFACE:-fuse-ld=mold>)
endif()
if(ORRERY_SANITIZE)
  string(REPLACE "," ";" _sanitizers "${ORRERY_SANITIZE}")
  foreach(_s IN LISTS _sanitizers)
    target_compile_options(orrery_options INTERFACE $<BUILD_INTERFACE:-fsanitize=${_s}>)
    target_link_options(orrery_options INTERFACE $<BUILD_INTERFACE:-fsanitize=${_s}>)
  endforeach()
  target_compile_options(orrery_options INTERFACE
    $<BUILD_INTERFACE:-fno-omit-frame-pointer> $<BUILD_INTERFACE:-fno-sanitize-recover=all>)
endif()
if(ORRERY_FUZZ)
  target_compile_options(orrery_options INTERFACE $<BUILD_INTERFACE:-fsanitize=fuzzer-no-link>)
endif()
if(ORRERY_COVERAGE)
  target_compile_options(orrery_options INTERFACE $<BUILD_INTERFACE:--coverage>)
  target_link_options(orrery_options INTERFACE $<BUILD_INTERFACE:--coverage>)
endif()

# orrery_library(NAME SOURCES... ): one static library a folder, alias orrery::NAME.
function(orrery_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(orrery_${name} STATIC ${arg_SOURCES})
  add_library(orrery::${name} ALIAS orrery_${name})
  set_target_properties(orrery_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(orrery_${name}
    PUBLIC orrery::options ${arg_PUBLIC}
    PRIVATE $<BUILD_INTERFACE:orrery_warnings> ${arg_PRIVATE})
endfunction()

# orrery_proto_library(NAME FILE...): generated Protobuf code in a target of its own (slow to
# compile, no warnings). FILEs are relative to the source root and included from there.
function(orrery_proto_library name)
  add_library(orrery_${name} STATIC)
  add_library(orrery::${name} ALIAS orrery_${name})
  set_target_properties(orrery_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  foreach(proto IN LISTS ARGN)
    string(REGEX REPLACE "\\.proto$" ".pb" base "${proto}")
    get_filename_component(dir "${proto}" DIRECTORY)
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/${dir}")
    add_custom_command(
      OUTPUT "${PROJECT_BINARY_DIR}/${base}.cc" "${PROJECT_BINARY_DIR}/${base}.h"
      COMMAND protobuf::protoc --cpp_out=${PROJECT_BINARY_DIR} -I ${PROJECT_SOURCE_DIR}
              -I ${Protobuf_INCLUDE_DIRS} ${PROJECT_SOURCE_DIR}/${proto}
      DEPENDS "${PROJECT_SOURCE_DIR}/${proto}" VERBATIM)
    target_sources(orrery_${name} PRIVATE "${PROJECT_BINARY_DIR}/${base}.cc")
    list(APPEND headers "${PROJECT_BINARY_DIR}/${base}.h")
  endforeach()
  add_custom_target(orrery_${name}_headers DEPENDS ${headers})
  add_dependencies(orrery_${name} orrery_${name}_headers)
  target_include_directories(orrery_${name} SYSTEM PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>)
  target_link_libraries(orrery_${name} PUBLIC orrery::options protobuf::libprotobuf)
endfunction()
