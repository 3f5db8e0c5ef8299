// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Muster decides which task runs where. One include for most of it; read in this order:
//   shape.h     what a task requests and where it may run
//   spec.h      nodes, queues, jobs and tasks, as the caller describes them
//   cluster.h   the living tables they go into
//   schedule.h  from a snapshot to a plan
//   plan.h      what was decided, and why not more
//   what_if.h   what queues would get if the cluster were different
// Not included: policy.h and action.h (rules of your own), and experimental.h (traces, replays and
// their statistics), which needs the library muster_replay.
//
//   #include "muster/muster.h"
//
//   muster::Cluster cluster;
//   cluster.AddNodes(2, {.name = "n", .capacity = {{"cpu", "4"}, {"memory", "8Gi"}}});
//   cluster.AddJob({.name = "hello", .min_available = 2,
//                   .groups = {{.name = "w", .count = 2, .shape = {.request = {{"cpu", "3"}}}}}});
//   absl::StatusOr<muster::Plan> plan = cluster.Schedule("muster");
//   if (plan.ok()) std::cout << plan->ToText();
//
// Every call that can be refused returns a status, and the compiler warns where it is dropped.
// Examples in these headers leave the checks out; examples/first_plan.cc has them.
//
// The library has no globals, prints nothing, never aborts and throws no exception. It starts no
// threads but those of MakeThreads (executor.h), and uses none but those that a call is handed.
#ifndef MUSTER_MUSTER_H_
#define MUSTER_MUSTER_H_

#include "muster/cluster.h"
#include "muster/cycle_metrics.h"
#include "muster/event.h"
#include "muster/executor.h"
#include "muster/memory.h"
#include "muster/plan.h"
#include "muster/quantity.h"
#include "muster/rehearsal.h"
#include "muster/remedy.h"
#include "muster/schedule.h"
#include "muster/shape.h"
#include "muster/snapshot.h"
#include "muster/spec.h"
#include "muster/turn.h"
#include "muster/types.h"
#include "muster/upkeep.h"
#include "muster/version.h"
#include "muster/what_if.h"

#endif  // MUSTER_MUSTER_H_
