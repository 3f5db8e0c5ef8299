// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Gives the nodes of a random world CPUs with numbers; some of its tasks are guaranteed, or
// align with zones.
//
//   ClusterSpec world = RandomWorld(seed);
//   AddCpus(rng, &world);
#ifndef MUSTER_TESTS_SUPPORT_RANDOM_CPUS_H_
#define MUSTER_TESTS_SUPPORT_RANDOM_CPUS_H_

#include "lib/base/rng.h"
#include "muster/cluster.h"

namespace muster::testing {

// Few kinds of machines, of up to three zones and two sockets, some with a GPU: numbers of cores
// that count in the machine or in their socket, some CPUs that are sick, some cpu kept for the
// system. Tasks of whole CPUs, parts of them and none, in one or more containers; some that request
// GPUs, or for CPUs as devices. What tasks hold they can hold.
void AddCpus(Rng& rng, ClusterSpec* world);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_RANDOM_CPUS_H_
