# What `cmake --install` puts where:
#   include/lanescope/, lib/cmake/lanescope/   the memory model, for find_package(lanescope) (component memory_model)
#   bin/lanescope                              the tool (component tool)
#   lib/lanescope/                             the runtime libraries that it loads into programs (component tool)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/lanescope)

install(FILES include/lanescope/memory_model.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lanescope
  COMPONENT memory_model)
install(TARGETS lanescope_memory_model EXPORT lanescope COMPONENT memory_model)
install(EXPORT lanescope NAMESPACE lanescope:: FILE lanescopeTargets.cmake DESTINATION ${package_folder}
  COMPONENT memory_model)
configure_package_config_file(cmake/lanescopeConfig.cmake.in lanescopeConfig.cmake
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(lanescopeConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/lanescopeConfig.cmake ${PROJECT_BINARY_DIR}/lanescopeConfigVersion.cmake
  DESTINATION ${package_folder} COMPONENT memory_model)

if(TARGET lanescope)
  install(TARGETS lanescope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
endif()
foreach(library cudart12 cudart13)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/lanescope COMPONENT tool)
  endif()
endforeach()
