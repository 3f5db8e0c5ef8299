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

# GCC collects its garbage whenever the heap has grown by a third: up to a tenth of its time.
# Without it one compiler needs 1,400 MB at most.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(muster_internal INTERFACE --param=ggc-min-heapsize=1048576)
endif()

# Bounds checks of the standard library wherever speed is not the point.
target_compile_definitions(muster_internal INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

if(MUSTER_SANITIZE)
  string(REPLACE "undefined" "undefined,float-cast-overflow" sanitizers "${MUSTER_SANITIZE}")
  target_compile_options(muster_internal INTERFACE
    -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(muster_internal INTERFACE -fsanitize=${sanitizers})
endif()

# The fuzzer is told which branches an input took, in all of the library and in nothing else.
if(MUSTER_FUZZ)
  target_compile_options(muster_internal INTERFACE -fsanitize=fuzzer-no-link)
endif()

# What most files read first, compiled once for all of them. Only headers of others: a change of
# ours then compiles again what includes it and nothing else. Each file still names what it uses:
# -DMUSTER_PRECOMPILE=OFF -DMUSTER_UNITE=OFF shows whether it does.
set(muster_common_headers
  <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map>
  <memory> <optional> <set> <span> <string>
  <string_view> <tuple> <utility> <variant> <vector>
  <absl/container/btree_map.h> <absl/container/inlined_vector.h> <absl/status/statusor.h>
  <absl/strings/str_cat.h>)

# Hot targets loop over columns: no floating-point traps and no errno are looked at, so that
# comparisons become masks. The values stay those of IEEE arithmetic. Cold ones read, print and
# convert: -O1 takes two thirds of the time of -O3.
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  set(muster_hot_options -fno-trapping-math -fno-math-errno)
endif()
set(muster_cold_options ${muster_hot_options} $<$<CONFIG:Release>:-O1>)

# muster_set_options(TARGET hot|cold): options alone. Programs are compiled as shared libraries are:
# precompiled headers serve only what is compiled in their way.
function(muster_set_options target kind)
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${target} PRIVATE ${muster_${kind}_options})
  get_target_property(type ${target} TYPE)
  if(EMSCRIPTEN)
    # One module holds all of it.
  elseif(type STREQUAL "EXECUTABLE")
    target_compile_options(${target} PRIVATE -fPIC)
  else()
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()

# muster_compile(TARGET hot|cold [HEADER...]): the target's options. Its precompiled headers are
# those of all hot or all cold targets, or of its own if it names more headers.
function(muster_compile target kind)
  muster_set_options(${target} ${kind})
  muster_unite(${target})
  if(NOT MUSTER_PRECOMPILE)
    return()
  endif()
  if(ARGN)
    target_precompile_headers(${target} PRIVATE ${muster_common_headers} ${ARGN})
    return()
  endif()
  set(headers muster_${kind}_headers)
  if(NOT TARGET ${headers})
    set(file ${PROJECT_BINARY_DIR}/${headers}.cc)
    file(CONFIGURE OUTPUT ${file}
      CONTENT "// A library must have a file; the headers are what matters.\n")
    add_library(${headers} OBJECT ${file})
    target_compile_features(${headers} PRIVATE cxx_std_20)
    muster_set_options(${headers} ${kind})
    target_link_libraries(${headers} PRIVATE
      absl::btree absl::flat_hash_map absl::flat_hash_set absl::inlined_vector absl::statusor
      absl::strings muster_internal)
    target_precompile_headers(${headers} PRIVATE ${muster_common_headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# muster_move_sources(FROM TO REGEX): the files of list FROM that match become list TO.
macro(muster_move_sources from to regex)
  set(${to} ${${from}})
  list(FILTER ${to} INCLUDE REGEX "${regex}")
  list(FILTER ${from} EXCLUDE REGEX "${regex}")
endmacro()

# muster_unite(TARGET): the target's sources are compiled in groups of about twelve, room by room,
# so that what they all include is read once: less time from nothing, more after a change. Those of
# the library, its C interface, the command line and the probe are compiled by the sixteen. The
# folders of a peer are one room. The preset debug compiles every file by itself.
function(muster_unite target)
  if(NOT MUSTER_UNITE)
    return()
  endif()
  set(usual 12)
  if(target MATCHES "^muster(_cold|_import|_replay|_traces|_waiting|_c_objects|_cli|_probe)?$")
    set(usual 16)
  endif()
  get_target_property(sources ${target} SOURCES)
  set(rooms)
  foreach(source IN LISTS sources)
    get_filename_component(file "${source}" ABSOLUTE)
    file(RELATIVE_PATH file ${PROJECT_SOURCE_DIR} "${file}")
    if(NOT file MATCHES "\\.cc$")
      continue()
    endif()
    get_filename_component(room ${file} DIRECTORY)
    string(REGEX REPLACE "^(lib/peer/[^/]+)/.*" "\\1" room ${room})
    string(MAKE_C_IDENTIFIER "${room}" room)
    list(APPEND rooms ${room})
    list(APPEND files_${room} ${source})
  endforeach()
  list(REMOVE_DUPLICATES rooms)
  foreach(room IN LISTS rooms)
    list(LENGTH files_${room} count)
    math(EXPR groups "(${count} + ${usual} / 2) / ${usual}")
    if(groups EQUAL 0)
      set(groups 1)
    endif()
    set(place 0)
    foreach(source IN LISTS files_${room})
      math(EXPR group "${place} * ${groups} / ${count}")
      math(EXPR place "${place} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room}_${group})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A class that holds what is private to its file: GCC takes the file for a header here.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
