# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# muster_internal: how everything in this repository is compiled, and nothing that consumers inherit.
# The library, the tests, the tools and the benchmark link it; it is never installed.
add_library(muster_internal INTERFACE)

# Private headers are named by their room: #include "lib/base/heap.h".
target_include_directories(muster_internal INTERFACE ${PROJECT_SOURCE_DIR})

if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(muster_internal INTERFACE
    # A fused multiply-add rounds once instead of twice: decisions would depend on the instruction set.
    -ffp-contract=off
    -Wall -Wextra
    # Policies override questions without needing every argument; specs are filled by designated initializers.
    -Wno-unused-parameter -Wno-missing-field-initializers
    # GCC 12 sees overlaps in inlined std::string operations that cannot be.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    $<$<BOOL:${MUSTER_WERROR}>:-Werror>)
endif()

# Bounds checks of the standard library wherever speed is not the point.
target_compile_definitions(muster_internal INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

if(MUSTER_SANITIZE)
  string(REPLACE "undefined" "undefined,float-cast-overflow" sanitizers "${MUSTER_SANITIZE}")
  target_compile_options(muster_internal INTERFACE
    -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(muster_internal INTERFACE -fsanitize=${sanitizers})
endif()
