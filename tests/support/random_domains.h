// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Puts the nodes of a random world into domains, and makes its jobs wish for some.
//
//   ClusterSpec world = RandomWorld(seed);
//   AddDomains(rng, &world);
#ifndef MUSTER_TESTS_SUPPORT_RANDOM_DOMAINS_H_
#define MUSTER_TESTS_SUPPORT_RANDOM_DOMAINS_H_

#include "lib/base/rng.h"
#include "muster/cluster.h"

namespace muster::testing {

// Up to four tiers, ragged, some nodes outside or right below a higher tier; hard and soft wishes
// by number, by name and without either; sub-groups with and without minimums and wishes of their
// own.
void AddDomains(Rng& rng, ClusterSpec* world);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_RANDOM_DOMAINS_H_
