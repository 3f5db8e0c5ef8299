# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Two checks that need the compiler: every public header compiles alone, and nothing but the public
# API is exported. The checks that only read files are *_test.py in this folder.

# One source for each public header, which includes it twice and nothing else. That they compile is
# the test. Built by name (./test --full): each reads Abseil's headers anew.
file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_SOURCE_DIR}/include/muster/*.h)
set(header_sources)
foreach(header IN LISTS public_headers)
  string(MAKE_C_IDENTIFIER ${header} stem)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${stem}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
  list(APPEND header_sources ${source})
endforeach()
add_library(muster_header_check OBJECT EXCLUDE_FROM_ALL ${header_sources})
# Not muster_internal: a consumer has include/ only, and none of its warnings is silenced.
target_link_libraries(muster_header_check PRIVATE muster)
target_compile_options(muster_header_check PRIVATE -Wall -Wextra -Werror)

# The libraries once more as shared objects, for symbols_test.py to ask the linker what they let
# out. Nothing may be left undefined: the scheduler is linked without replays and zlib. Sanitizers
# add symbols of their own.
set(house_environment)
if(NOT MUSTER_SANITIZE)
  add_library(muster_symbol_check SHARED ${muster_objects})
  target_link_libraries(muster_symbol_check PRIVATE muster)
  add_library(muster_replay_symbol_check SHARED
    ${muster_objects} ${muster_replay_objects})
  target_link_libraries(muster_replay_symbol_check PRIVATE muster_replay)
  foreach(check muster_symbol_check muster_replay_symbol_check)
    set_target_properties(${check} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_options(${check} PRIVATE -Wl,--no-undefined)
  endforeach()
  set(house_environment
    MUSTER_SHARED_CHECK=$<TARGET_FILE:muster_symbol_check>
    MUSTER_ARCHIVE_CHECK=$<TARGET_FILE:muster>
    MUSTER_REPLAY_SHARED_CHECK=$<TARGET_FILE:muster_replay_symbol_check>
    MUSTER_REPLAY_ARCHIVE_CHECK=$<TARGET_FILE:muster_replay>)
endif()
