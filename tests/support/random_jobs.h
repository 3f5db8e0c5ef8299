// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Gives the jobs of a random world what only some profiles read.
//
//   ClusterSpec world = RandomWorld(seed);
//   AddEstimates(rng, &world);         // for conservative
//   AddBundleStrategies(rng, &world);  // for ray
#ifndef MUSTER_TESTS_SUPPORT_RANDOM_JOBS_H_
#define MUSTER_TESTS_SUPPORT_RANDOM_JOBS_H_

#include "lib/base/rng.h"
#include "muster/cluster.h"

namespace muster::testing {

// Sets estimates of run time and start times that collide: few values, some of them past already.
void AddEstimates(Rng& rng, ClusterSpec* world);

// Makes most jobs elastic, with bounds of their own or without, and their gangs small.
void AddElasticSizes(Rng& rng, ClusterSpec* world);

// Gives some queues prices, limits of what they may spend, and money spent.
void AddSpending(Rng& rng, ClusterSpec* world);

// Gives jobs without bundles strategies of single tasks: a node in turn, or a certain one.
void AddTaskStrategies(Rng& rng, ClusterSpec* world);

// Gives most nodes one of two values of a label, and most groups that label as their domain.
void AddBundleDomains(Rng& rng, ClusterSpec* world);

// Sets the placement strategy of every job's bundles; one of five is none.
void AddBundleStrategies(Rng& rng, ClusterSpec* world);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_RANDOM_JOBS_H_
