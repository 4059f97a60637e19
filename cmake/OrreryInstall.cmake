# The program, its data in the source tree's layout under share/orrery, and the libraries that other
# projects may build on: find_package(orrery) gives orrery::core, orrery::models, orrery::traces and the
# simulators.
include(CMakePackageConfigHelpers)

install(TARGETS orrery RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS
  orrery_options orrery_core orrery_models orrery_models_proto orrery_scenario_proto orrery_scenarios
  orrery_traces orrery_serving orrery_sim
  EXPORT orrery-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT orrery-targets NAMESPACE orrery:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/orrery)

install(DIRECTORY models traces scenarios sim
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/orrery FILES_MATCHING PATTERN "*.hpp")
foreach(folder IN ITEMS models/devices models scenarios)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/${folder}/"
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/orrery/${folder} FILES_MATCHING PATTERN "*.pb.h"
    PATTERN "CMakeFiles" EXCLUDE)
endforeach()

set(data ${CMAKE_INSTALL_DATADIR}/orrery)
install(FILES models/devices/catalogue.textproto DESTINATION ${data}/models/devices)
install(DIRECTORY models/architecture/configs DESTINATION ${data}/models/architecture)
install(DIRECTORY calibration/profiles DESTINATION ${data}/calibration)
install(DIRECTORY traces/samples DESTINATION ${data}/traces)
install(DIRECTORY scenarios/examples DESTINATION ${data}/scenarios)
install(FILES scenarios/scenario.schema.json DESTINATION ${data}/scenarios)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/orrery-config.cmake.in
  "${PROJECT_BINARY_DIR}/orrery-config.cmake"
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/orrery)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/orrery-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/orrery-config.cmake" "${PROJECT_BINARY_DIR}/orrery-config-version.cmake"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/orrery)

if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME orrery)
  set(CPACK_PACKAGE_VENDOR Orrery)
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Orrery developers")
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  include(CPack)
endif()
