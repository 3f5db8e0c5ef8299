// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A living cluster against clusters that are built from what it holds.
#ifndef MUSTER_TESTS_LONG_LIFE_CHECKS_H_
#define MUSTER_TESTS_LONG_LIFE_CHECKS_H_

#include <cstdint>
#include <string>

#include "tests/long_life/life.h"

namespace muster::long_life {

// Returns what differs, or an empty text. The next plans are equal, by digest, of
// - the living cluster,
// - a snapshot of it,
// - a cluster that loads its saved state.
// A cluster that is rebuilt from its scenario makes the same plan in words, where rows go by name
// and not by number. Numbers the rows anew.
std::string Drift(Life* life);

// Returns the bytes of memory that the process has.
int64_t ResidentBytes();

}  // namespace muster::long_life

#endif  // MUSTER_TESTS_LONG_LIFE_CHECKS_H_
