// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What only some rows have, drawn over a world: flavors, partitions, reservations, rules of queues,
// users, lifetimes, measured and past usage. Everything is valid.
//
//   ClusterSpec world = RandomWorld(seed);
//   AddRandomRules(rng, &world);
//
// No profile reads these yet, so the plan is that of the world without them. Jobs by count, which
// profiles refuse, come only where `counts` is set.
#ifndef MUSTER_TESTS_SUPPORT_RANDOM_RULES_H_
#define MUSTER_TESTS_SUPPORT_RANDOM_RULES_H_

#include "lib/base/rng.h"
#include "muster/cluster.h"

namespace muster::testing {

void AddRandomRules(Rng& rng, ClusterSpec* world, bool counts = false);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_RANDOM_RULES_H_
