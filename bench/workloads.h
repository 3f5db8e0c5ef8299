// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The clusters that the benchmarks schedule, each described to the last bit.
#ifndef MUSTER_BENCH_WORKLOADS_H_
#define MUSTER_BENCH_WORKLOADS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "muster/cluster.h"
#include "muster/plan.h"
#include "muster/schedule.h"

namespace muster::bench {

// Nodes of 64 cpu, 256Gi, 256 pods; gangs of 20 tasks over `queues` queues of weight 1.
struct Allocation {
  int64_t nodes = 1000;
  int64_t tasks = 10000;
  int64_t queues = 100;
  // 0: requests as in the peers' workload: cpu {500m, 1, 2, 4}, memory {1, 2, 4, 8}Gi by
  // SplitMix64(1 + gang). Else: this many different requests, each gang's 20 tasks of one class
  // (two where there are more classes than gangs), sized so that ten tasks fit a node.
  int64_t classes = 0;
};
// What a policy reads beyond that: called with each node and job and its number before it enters
// the cluster. Empty: nothing.
struct Dress {
  std::function<void(int64_t, NodeSpec*)> node = {};
  std::function<void(int64_t, JobSpec*)> job = {};
};
Cluster MakeAllocation(const Allocation& workload, const Dress& dress = {});

// MakeAllocation with classes 0, the queues being `queues` leaves of ten by ten: "root/d0/l0" ...
// by their share paths, of weights 1 + SplitMix64(1001 + i) % 3 and 1 + SplitMix64(2001 + 10 i + j)
// % 3.
Cluster MakeSharePaths(int64_t nodes, int64_t tasks);

// A tree of queues: "root", ten below it, `leaves` below these, each deserving its even part of the
// cluster. Empty nodes and the tasks of MakeAllocation with 100 classes; or `full`: every other
// leaf holds twice what it deserves, in 16 tasks of (4 cpu, 16Gi) a node, and the others have 50
// gangs of 20 such tasks.
Cluster MakeCapacity(int64_t nodes, int64_t leaves, bool full);

// A full cluster - 16 running tasks of (4 cpu, 16Gi) a node in jobs of 20, priority 10 - and 100
// gangs of 10 such tasks of priority 1000 in the same queue.
Cluster MakePreemption(int64_t nodes);

// The same fill in queue qa (weight 2); qb (weight 1) has 50 gangs of 20 tasks of (22 cpu, 88Gi).
Cluster MakeReclaim(int64_t nodes);

// 10 running tasks on each node in gangs of 20, of 100 classes.
Cluster MakeRunning(int64_t nodes, const Dress& dress = {});

// Such nodes in domains of three tiers - `rack` nodes of tier 1, `racks` of these in one of tier 2,
// `blocks` of those in one of tier 3 - and gangs of 8 cpu, 32Gi a task that must be within one of
// tier 1.
struct Topology {
  int64_t nodes = 1000, rack = 20, racks = 5, blocks = 5;
  int64_t gangs = 200, size = 16;
};
Cluster MakeTopology(const Topology& workload);

// Such nodes with eight GPUs each, and jobs of 1,000 tasks that request 30, 50, 70, 90 or 120
// thousandths of one: with 100 tasks a node nine tenths of all GPUs.
Cluster MakeGpuShares(int64_t nodes, int64_t tasks);
// Nodes with a GPU of each of two models, and one gang for all of them, of which half the tasks
// need the first model: one after another they do not find their places.
Cluster MakeGpuGang(int64_t nodes);

// A plan of a profile that is known to be good: anything else is a defect of the benchmark itself,
// and ends it.
Plan MustSchedule(const Snapshot& snapshot, const std::string& profile);

extern const char kAllocProfile[];
extern const char kTopologyProfile[];
extern const char kPreemptProfile[];
extern const char kReclaimProfile[];
extern const char kSharePathsProfile[];

}  // namespace muster::bench

#endif  // MUSTER_BENCH_WORKLOADS_H_
