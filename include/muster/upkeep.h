// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Two questions about the upkeep of a cluster: where the tasks of drained nodes go, and how many
// nodes are missing until all that waits is placed.
//
//   absl::StatusOr<muster::DrainReport> drain = muster::Drain(cluster, "muster", {{"n1", "n2"}});
//   for (const muster::DrainStep& step : drain->steps) Show(step);
//
//   std::vector<muster::NodeOffer> offers = {{.node = big, .price = 4.0}, {.node = small}};
//   absl::StatusOr<muster::NodesNeeded> needed = muster::NeedNodes(cluster, "muster", offers);
//
// Promise. Answers come from cycles over clones; the cluster does not change. Equal arguments give
// equal answers.
// Failure. NotFound for a node that does not exist; InvalidArgument for a node listed twice, for a
// spec that a cluster would refuse, for a price below 0 or no number, for options out of range, and
// for a drain under a profile that places no tasks; a profile that does not resolve fails as in
// Schedule.
// Ownership. Arguments are read during the call; answers hold copies.
// Threads. As Cluster::Schedule: one thread at a time on one cluster. With
// NeedOptions::executor, trials run at once on its threads.
// Cost. Drain clones the cluster once and runs a cycle for each node. NeedNodes runs
// O(offers * log(most)) cycles, each on a clone, and O(types * 8 * log(most)^2) more for a mix
// of so many types, 8 at most; one of more types costs none of these.
#ifndef MUSTER_UPKEEP_H_
#define MUSTER_UPKEEP_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/cluster.h"
#include "muster/executor.h"
#include "muster/export.h"
#include "muster/schedule.h"
#include "muster/spec.h"

namespace muster {

// One task of a drained node.
struct DrainedTask {
  // Its name.
  std::string task = {};
  // The node that it starts on. Empty: it waits, or ends.
  std::string to = {};
  // Why it waits, in words; or why it ends, if it may run on this node alone, as the tasks of a
  // daemon set. Empty: it has a node, or ends for another reason.
  std::string reason = {};
  // True: it ends and is not placed again. It has no job, was leaving already, or may run on no
  // other node.
  bool ends = false;
};

// What happens when one node is emptied.
struct DrainStep {
  // Its name.
  std::string node = {};
  // All tasks that were on the node, in the order of the table.
  std::vector<DrainedTask> tasks = {};
  // Disruption budgets that allow fewer evictions than this step makes, as "namespace/name". Tasks
  // that were evicted before and still wait have used up theirs.
  std::vector<std::string> broken_budgets = {};
  // Jobs that run fewer tasks after the step than their gang needs.
  std::vector<std::string> broken_gangs = {};
};

// The answer.
struct DrainReport {
  // In the order that is proposed: the node with the fewest tasks first. None of the nodes takes
  // tasks from the first step on; tasks that tolerate closed nodes stay away from them, too.
  std::vector<DrainStep> steps = {};
  // How many tasks find a node, and how many wait. Those that end are in neither.
  int64_t moved = 0, waiting = 0;
};

// Returns where the tasks of the nodes would go. Each step starts from the end of the one before
// it, and tasks that found a node run there. The nodes need not be emptied in one go: the step of
// the first node depends on the others only in that they take no tasks.
MUSTER_EXPORT absl::StatusOr<DrainReport> Drain(const Cluster& cluster, std::string_view profile,
                                                std::span<const std::string> nodes,
                                                const ScheduleOptions& options = {});

// A type of nodes that can be had.
struct NodeOffer {
  // Its name stands for the type in the answer.
  NodeSpec node = {};
  // Of one node; 0 or more, in any unit.
  double price = 1;
  // The most nodes of this type that can be had: 0 or more. Absent: NeedOptions::most.
  std::optional<int64_t> most = {};
};

// How many nodes of one type.
struct NodeCount {
  // The name of the offer's node.
  std::string type = {};
  // 0 or more.
  int64_t count = 0;
  // In NodesNeeded::alone: the first task that waits with so many nodes, and why, in words. Empty:
  // none does.
  std::string waits = {};
  // In NodesNeeded::alone: how many tasks wait then.
  int64_t waiting = 0;
};

// The answer.
struct NodesNeeded {
  // Tasks that wait as the cluster is, and with the nodes below.
  int64_t waiting_before = 0, waiting_after = 0;
  // For each offer, in their order: the smallest number found of nodes of this type alone that
  // place as much as the most nodes that could be of use: NeedOptions::most, or one for each task
  // that waits or starts. 0: they help nothing.
  std::vector<NodeCount> alone = {};
  // What leaves the fewest tasks waiting at the lowest price that was found: one type, or two of
  // the eight that do best alone; or, if several types together place more than any one alone, as
  // many of the 32 that do best alone as that takes. Without any one node of such a mix more tasks
  // wait, if fewer nodes never help. No price is a proven minimum. Empty: no offers help, or
  // nothing waits.
  std::vector<NodeCount> cheapest = {};
  // Of `cheapest` together; 0 if that is empty.
  double price = 0;
  // What the profile's own autoscaler would start, by its rule: for profile ray, Ray's packing of
  // demands into node types. For profiles without such a rule: as `cheapest`.
  std::vector<NodeCount> wanted = {};
  // Of `wanted` together, and how many tasks wait with these nodes, by a cycle of the profile.
  double wanted_price = 0;
  int64_t wanted_waiting = 0;
};

// The options of NeedNodes.
struct NeedOptions {
  // Of each cycle.
  ScheduleOptions schedule = {};
  // The most nodes of one type, 1 or more.
  int64_t most = 1024;
  // Where trials run at once (executor.h). The answer does not depend on it. Default: null, one
  // after another. It is not used with `schedule.extensions` or `schedule.metrics`, which are of
  // one thread. ScheduleOptions::should_stop is then called on several threads at once.
  Executor* executor = nullptr;
};

// Returns how many nodes of the offered types place what waits. Nodes join as in a what-if: each
// gets a name of its own. Tasks that wait for another reason than room, such as a gate or a limit
// of their queue, go on waiting and are counted in waiting_after.
//
// Without offers, each kind of node that the cluster has is one, at the price 1. Nodes that differ
// in their names alone, or in labels that name them, are of one kind, and the oldest names it.
MUSTER_EXPORT absl::StatusOr<NodesNeeded> NeedNodes(const Cluster& cluster,
                                                    std::string_view profile,
                                                    std::span<const NodeOffer> offers,
                                                    const NeedOptions& options = {});

}  // namespace muster

#endif  // MUSTER_UPKEEP_H_
