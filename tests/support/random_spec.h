// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random profiles, for tests that compare two ways to one answer.
//
//   Rng rng(seed);
//   Schedule(snapshot, RandomVolcanoSpec(rng));
#ifndef MUSTER_TESTS_SUPPORT_RANDOM_SPEC_H_
#define MUSTER_TESTS_SUPPORT_RANDOM_SPEC_H_

#include <string>

#include "lib/base/rng.h"

namespace muster::testing {

// A volcano spec string: any order of actions, any tiers, switches and options.
std::string RandomVolcanoSpec(Rng& rng);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_RANDOM_SPEC_H_
