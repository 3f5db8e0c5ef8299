# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# muster_internal: how everything in this repository is compiled, and nothing that consumers
# inherit. The library, the tests, the tools and the benchmark link it; it is never installed.
add_library(muster_internal INTERFACE)

# Private headers are named by their room: #include "lib/base/heap.h".
target_include_directories(muster_internal INTERFACE ${PROJECT_SOURCE_DIR})

if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(muster_internal INTERFACE
    # A fused multiply-add rounds once instead of twice: decisions would depend on the instruction
    # set.
    -ffp-contract=off
    -Wall -Wextra
    # Policies override questions without needing every argument; specs are filled by designated
    # initializers.
    -Wno-unused-parameter -Wno-missing-field-initializers
    # GCC 12 sees overlaps in inlined std::string operations that cannot be.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    $<$<BOOL:${MUSTER_WERROR}>:-Werror>)
endif()

# GCC collects its garbage whenever the heap has grown by a third: up to a tenth of its time. One
# compiler needs 600 MB at most.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(muster_internal INTERFACE --param=ggc-min-heapsize=524288)
endif()

# Bounds checks of the standard library wherever speed is not the point.
target_compile_definitions(muster_internal INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

if(MUSTER_SANITIZE)
  string(REPLACE "undefined" "undefined,float-cast-overflow" sanitizers "${MUSTER_SANITIZE}")
  target_compile_options(muster_internal INTERFACE
    -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(muster_internal INTERFACE -fsanitize=${sanitizers})
endif()

# muster_precompile(TARGET [HEADER...]): what most files of the target read first, compiled once for
# all of them. Only headers of others: a change of ours then compiles again what includes it and
# nothing else. Each file still names what it uses: -DMUSTER_PRECOMPILE=OFF -DMUSTER_UNITE=OFF shows
# whether it does.
function(muster_precompile target)
  if(MUSTER_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <optional> <set> <span> <string>
      <string_view> <tuple> <utility> <variant> <vector>
      <absl/container/btree_map.h> <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h>
      <absl/container/inlined_vector.h> <absl/status/statusor.h> <absl/strings/str_cat.h>
      ${ARGN})
  endif()
endfunction()

# muster_compile_cold(TARGET): the target reads, prints and converts; its loops are the library's.
# The preset release compiles it with -O1, which takes two thirds of the time of -O3.
function(muster_compile_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# muster_unite(TARGET): the target's sources are compiled by the eight, folder by folder, so that
# what they all include is read once: less time from nothing, more after a change. The preset debug
# compiles every file by itself.
function(muster_unite target)
  if(NOT MUSTER_UNITE)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(file "${source}" ABSOLUTE)
    file(RELATIVE_PATH file ${PROJECT_SOURCE_DIR} "${file}")
    if(NOT file MATCHES "\\.cc$")
      continue()
    endif()
    get_filename_component(room ${file} DIRECTORY)
    string(MAKE_C_IDENTIFIER "${room}" room)
    if(NOT DEFINED count_${room})
      set(count_${room} 0)
    endif()
    math(EXPR group "${count_${room}} / 8")
    math(EXPR count_${room} "${count_${room}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room}_${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A class that holds what is private to its file: GCC takes the file for a header here.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
