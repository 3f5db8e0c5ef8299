// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Four doubles side by side, which both compilers keep in the registers of the machine.
//
//   Lanes four;
//   std::memcpy(&four, column + i, sizeof four);   // a column need not be aligned
//   four = four > best ? four : best;
#ifndef MUSTER_SEARCH_LANES_H_
#define MUSTER_SEARCH_LANES_H_

#include <cstddef>
#include <cstdint>

namespace muster {

using Lanes = double __attribute__((vector_size(32)));
using LaneBits = uint64_t __attribute__((vector_size(32)));
inline constexpr size_t kLanes = 4;

}  // namespace muster

#endif  // MUSTER_SEARCH_LANES_H_
