// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cluster's tables as brokers and bundles.
//
//   Books& books = context.memory<Books>();     // read once a cycle
//   shedder.Shed(books.cluster);
//
// What the rows stand for:
// - A node is a broker. One that is not ready or unschedulable is none. Its usage in percent is cpu
//   and memory; `measured` is the time of its report, and a node without usage has not reported.
// - A job is a namespace, and its tasks are bundles: pending ones have no broker yet, running and
//   bound ones are owned by their node. A task that is not preemptable never leaves it. What a
//   task's shape requires of nodes is the namespace's isolation policy.
// - `usage.amounts` of a task are a sample: bytes_in and bytes_out a second, rate_in and rate_out
//   in messages a second; and topics, consumers, producers and cache. bundle_averages.h has the
//   averages over few and many samples.
// - A task without usage was never seen. It counts as the peer's default of such bundles, and its
//   broker has not reported it yet: no shedder moves it.
//
// Settings:
//   node   pulsar/cpu, memory, direct_memory, bandwidth_in, bandwidth_out   USED/LIMIT, any unit
//          pulsar/bytes_in, bytes_out, rate_in, rate_out   of the broker; else its bundles' sums
//          pulsar/failure_domain
//   job    pulsar/anti_affinity_group, pulsar/excluded (from shedding), pulsar/isolated (the
//          namespace has a policy, so the extensible manager leaves it alone)
//
// Order. Brokers and bundles are in the order of their rows.
// Cost. O(rows), once a cycle.
#ifndef MUSTER_PEER_PULSAR_READ_WORLD_H_
#define MUSTER_PEER_PULSAR_READ_WORLD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/part/context.h"
#include "lib/peer/pulsar/bundle_averages.h"
#include "lib/peer/pulsar/bundles.h"
#include "lib/peer/pulsar/load.h"

namespace muster::pulsar {

// What a namespace sets.
struct NamespaceRules {
  std::string group;  // of anti-affinity; empty: none
  bool excluded = false, isolated = false;
};

struct Books : CycleMemory {
  explicit Books(ActionContext& context);

  // Notes that the task goes to the node, until that reports it.
  void Preallocate(TaskIndex task, NodeIndex node);
  std::string NamespaceOf(TaskIndex task) const;
  // A bundle with its averages.
  Bundle BundleOf(TaskIndex task) const { return averages.Read(tables, task); }

  const Tables& tables;
  const BundleAverages averages;
  Cluster cluster;
  std::vector<NodeIndex> node_of;                  // by broker
  HashMap<NodeIndex, size_t> broker_of;            // places in cluster.brokers
  std::vector<TaskIndex> task_of;                  // by bundle of the cluster
  std::vector<BundleStats> stats;                  // the same bundles
  std::vector<std::vector<size_t>> bundles_of;     // by broker: bundles of the cluster
  std::vector<std::vector<Traffic>> preallocated;  // by broker: over many samples
  std::vector<Traffic> long_traffic;               // by broker: of what it has reported
  HashMap<std::string, int64_t> topics;            // by broker, with what is preallocated
  HashMap<JobIndex, NamespaceRules> rules;         // of jobs that set some
  // Bundles of each job, by broker, with what is preallocated.
  HashMap<JobIndex, HashMap<std::string, int64_t>> counts;
  HashMap<std::string, std::string> domains;  // failure domains by broker
};

// A bundle as the task's last sample has it.
BundleStats ReadStats(const Tables& tables, TaskIndex task);

absl::Status CheckTables(const Tables& tables, const Options& options);

}  // namespace muster::pulsar

#endif  // MUSTER_PEER_PULSAR_READ_WORLD_H_
