// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Worlds of which one part grows.
//
//   for (const Dimension& dimension : Dimensions()) {
//     const Scenario world = dimension.make(2 * dimension.size);
//   }
//
// A world of size n has O(n) rows and O(n) text, unless its line in docs/growth.md states more. It
// is chosen to hurt: rows that differ in what could be shared, requests that fit nowhere, rules
// that match everything.
#ifndef MUSTER_TESTS_GROWTH_WORLDS_H_
#define MUSTER_TESTS_GROWTH_WORLDS_H_

#include <span>
#include <string_view>

#include "lib/scenario/scenario.h"

namespace muster::testing {

struct Dimension {
  std::string_view name;  // as docs/growth.md has it
  int size;               // the n of n, 2n and 4n
  Scenario (*make)(int n);
};

std::span<const Dimension> Dimensions();

}  // namespace muster::testing

#endif  // MUSTER_TESTS_GROWTH_WORLDS_H_
