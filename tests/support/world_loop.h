// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The loop over random worlds: how many, from which seed on, and what is said of one on which
// engine and twin differ.
//
//   ExpectAgreement(WorldCount(3000), [](uint64_t seed) { return ComparedWorld{RandomWorld(seed), "volcano"}; });
//
//   MUSTER_WORLDS=100000 MUSTER_SEED=7 muster_worlds --gtest_filter='Worlds.*'
//
// A difference is shrunk and printed with its seed and the scenario that shows it;
// MUSTER_DIFFERENCES sets how many to look for.
#ifndef MUSTER_TESTS_SUPPORT_WORLD_LOOP_H_
#define MUSTER_TESTS_SUPPORT_WORLD_LOOP_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "muster/cluster.h"

namespace muster::testing {

// The value in the environment, or `usual` where it is unset.
uint64_t WorldCount(uint64_t usual);  // MUSTER_WORLDS
uint64_t FirstSeed(uint64_t usual);   // MUSTER_SEED

struct ComparedWorld {
  ClusterSpec world;
  std::string profile;
};

// The engine and its slow twin agree on so many worlds. `make` is given ascending seeds, from
// FirstSeed(1) on.
void ExpectAgreement(uint64_t worlds, absl::FunctionRef<ComparedWorld(uint64_t seed)> make);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_WORLD_LOOP_H_
