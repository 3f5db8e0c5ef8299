// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Counts the work of the library.
//
//   const uint64_t work = CountWork([&] { plan = cluster.Schedule("muster", {}); });
//
// Idea. A clock measures the machine, so the same build gives another number every time. A counter
// in the engine sees only the loops that it was written for. Here the compiler counts: tests/growth
// links the library compiled with -fsanitize-coverage=trace-pc, so every basic block of it calls a
// function of work.cc. Each turn of each loop is a block, in templates and inlined functions, too.
// The library that others link has no such calls.
//
// What is counted:
// - each basic block of the library that is entered: 1;
// - each call of memcpy, memmove, memset and memcmp by the library: 1 for every 32 bytes;
// - each allocation by the C++ heap: 1, and 1 for every 32 bytes, which covers the strings that the
//   standard library copies.
// Code of other libraries that is no template is counted by what it allocates alone.
//
// Promise. One build gives equal counts for equal arguments. Other compilers give other counts, and
// nearly equal exponents.
#ifndef MUSTER_TESTS_GROWTH_WORK_H_
#define MUSTER_TESTS_GROWTH_WORK_H_

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace muster::testing {

uint64_t CountWork(absl::FunctionRef<void()> run);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_GROWTH_WORK_H_
