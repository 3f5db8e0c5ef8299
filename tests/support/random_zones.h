// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Gives the nodes of a random world NUMA zones; some of its tasks are guaranteed, or say what their
// containers request.
//
//   ClusterSpec world = RandomWorld(seed);
//   AddZones(rng, &world);
#ifndef MUSTER_TESTS_SUPPORT_RANDOM_ZONES_H_
#define MUSTER_TESTS_SUPPORT_RANDOM_ZONES_H_

#include "lib/base/rng.h"
#include "muster/cluster.h"

namespace muster::testing {

// Up to four zones a node, with and without a report and the time of it, near and far; some
// resources in no zone, or in some; all alignments, most often the one that refuses.
void AddZones(Rng& rng, ClusterSpec* world);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_RANDOM_ZONES_H_
