// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Gives the nodes of a random world devices; some of its tasks request some, and those that run may
// hold some.
//
//   ClusterSpec world = RandomWorld(seed);
//   AddDevices(rng, &world);
#ifndef MUSTER_TESTS_SUPPORT_RANDOM_DEVICES_H_
#define MUSTER_TESTS_SUPPORT_RANDOM_DEVICES_H_

#include "lib/base/rng.h"
#include "muster/cluster.h"

namespace muster::testing {

// Few kinds of machines, of up to five devices of two kinds: two models, two zones, overlapping
// links, with and without memory, some sick, some that are shared out less than whole. What tasks
// hold they can hold.
void AddDevices(Rng& rng, ClusterSpec* world);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_RANDOM_DEVICES_H_
