# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# find_package(muster) gives muster::muster (C++), muster::c (C, shared) and muster::c_static with
# muster::import, which it needs; pkg-config has muster and muster-c. find_package(muster
# COMPONENTS replay) looks for zlib and also gives muster::replay, muster::replay_c and
# muster::replay_c_static; pkg-config has muster-replay and muster-replay-c. The command line, the
# public headers and those of C go with them. What is not listed here is private; lib/ is never
# installed.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/muster)
install(TARGETS muster muster_import muster_c muster_c_static EXPORT musterTargets)
if(TARGET muster_replay)
  install(TARGETS muster_replay muster_replay_c muster_replay_c_static EXPORT musterReplayTargets)
  install(EXPORT musterReplayTargets NAMESPACE muster:: DESTINATION ${package_dir})
endif()
if(TARGET muster_cli)
  install(TARGETS muster_cli)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/muster DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/capi/muster DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET muster_cli)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/muster.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  set(completion ${PROJECT_SOURCE_DIR}/tools/completion)
  install(FILES ${completion}/muster.bash RENAME muster
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${completion}/_muster DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${completion}/muster.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(EXPORT musterTargets NAMESPACE muster:: DESTINATION ${package_dir})

file(WRITE ${PROJECT_BINARY_DIR}/musterConfig.cmake "\
include(CMakeFindDependencyMacro)
find_dependency(absl)
include(\${CMAKE_CURRENT_LIST_DIR}/musterTargets.cmake)
foreach(component IN LISTS muster_FIND_COMPONENTS)
  if(component STREQUAL replay AND EXISTS \${CMAKE_CURRENT_LIST_DIR}/musterReplayTargets.cmake)
    find_dependency(ZLIB)
    include(\${CMAKE_CURRENT_LIST_DIR}/musterReplayTargets.cmake)
    set(muster_replay_FOUND TRUE)
  elseif(muster_FIND_REQUIRED_\${component})
    set(muster_FOUND FALSE)
    set(muster_NOT_FOUND_MESSAGE \"component \${component} is not installed; known is replay\")
  endif()
endforeach()
")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/musterConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/musterConfig.cmake
  ${PROJECT_BINARY_DIR}/musterConfigVersion.cmake
  DESTINATION ${package_dir})

# The bill of materials: what this build found, as it is when everything is built.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  set(muster_bill ${PROJECT_BINARY_DIR}/muster.cdx.json)
  add_custom_command(OUTPUT ${muster_bill}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/sbom.py
      ${CMAKE_BINARY_DIR} ${muster_bill}
    DEPENDS ${PROJECT_SOURCE_DIR}/tools/sbom.py ${PROJECT_SOURCE_DIR}/include/muster/version.h
      ${CMAKE_BINARY_DIR}/CMakeCache.txt
    COMMENT "Writing muster.cdx.json" VERBATIM)
  add_custom_target(muster_sbom ALL DEPENDS ${muster_bill})
  install(FILES ${muster_bill} DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

# The modules of Abseil that the public headers, and with a static library all of it, need.
get_target_property(muster_interface muster INTERFACE_LINK_LIBRARIES)
set(muster_absl_modules)
foreach(library IN LISTS muster_interface)
  if(library MATCHES "^absl::(.*)$")
    list(APPEND muster_absl_modules absl_${CMAKE_MATCH_1})
  endif()
endforeach()
string(REPLACE ";" " " muster_absl_modules "${muster_absl_modules}")
# From where the .pc files are to the prefix: an install may be moved, and --prefix be given late.
file(RELATIVE_PATH muster_up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" muster_up "${muster_up}")
set(modules muster muster-c muster-runtime)
if(TARGET muster_replay)
  list(APPEND modules muster-replay muster-replay-c)
  get_target_property(replay_kind muster_replay TYPE)
  # A static libmuster_replay leaves decompression to the program that links it.
  if(replay_kind STREQUAL "STATIC_LIBRARY")
    set(muster_static_needs " -lz")
  endif()
endif()
foreach(module IN LISTS modules)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${module}.pc.in
    ${PROJECT_BINARY_DIR}/${module}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${module}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
