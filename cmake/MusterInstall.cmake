# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# find_package(muster): the library, the public headers and the command line. What is not listed here is
# private; lib/ is never installed.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/muster)
install(TARGETS muster EXPORT musterTargets)
if(TARGET muster_cli)
  install(TARGETS muster_cli)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/muster DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT musterTargets NAMESPACE muster:: DESTINATION ${package_dir})

file(WRITE ${PROJECT_BINARY_DIR}/musterConfig.cmake "\
include(CMakeFindDependencyMacro)
find_dependency(absl)
find_dependency(ZLIB)
include(\${CMAKE_CURRENT_LIST_DIR}/musterTargets.cmake)
")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/musterConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/musterConfig.cmake ${PROJECT_BINARY_DIR}/musterConfigVersion.cmake
  DESTINATION ${package_dir})
