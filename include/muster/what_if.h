// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Computes what queues would get if the cluster were different: from shares alone, without a cycle.
//
//   std::vector<muster::WhatIfChange> changes = {
//       {.queue = muster::QueueEdit{.name = "vision", .weight = 3}},
//       {.remove_nodes = muster::RemovedNodes{.labels = {{"pool", "b"}}}}};
//   absl::StatusOr<muster::Outlook> outlook = muster::WhatIf(snapshot, "muster", changes);
//   for (const muster::QueueOutlook& q : outlook->queues)
//     std::cout << q.name << ": " << q.share_before << " -> " << q.share_after << "\n";
//
// Promise. The numbers are what the policies of the profile compute, by the same code as in a
// cycle: `before` equals, to the bit, the shares of a plan at the opening of a cycle, and `after`
// those of a cluster in which the changes were made. No task is placed or evicted. A profile with
// policies that publish no shares has no deserved amounts, and shares of 0, here as in its plans;
// Outlook::divides is then false. Its actions may divide the cluster by books of their own all the
// same: only plans show that.
// Failure. Changes are made in their order. The first that is refused fails the call, with its
// place and the rule: `changes[1]: queue "visoin" does not exist, did you mean "vision"?`.
// - InvalidArgument: a profile that does not resolve, or one of which only a cycle has the shares;
//   a change with no member or two; an edit of a job or of nodes that sets nothing; a value that a
//   cluster would refuse; a dimension that neither the cluster nor nodes added before have; sums
//   beyond int64;
// - NotFound: no such queue, node, job, task or domain, or no node with these labels;
// - AlreadyExists: a job of that name;
// - InvalidArgument: a change of tasks or of nodes that stay (`job`, `nodes`, `remove_task`,
//   `add_task`), which needs plans. Rehearse (rehearsal.h) makes them.
// Ownership. Arguments are read during the call and never changed. The outlook holds copies.
// Threads. As Schedule: any number of threads may call it on one snapshot, and one thread at a time
// on a cluster.
// Cost. Of a snapshot O(nodes + tasks) once, to add up what queues hold. Of a living cluster what
// changed since the last cycle or question of the profile, and O(queues * dimensions + what the
// changes name): nodes that leave with their tasks, jobs that leave with theirs. A choice by labels
// reads every node, and so does a profile under which overfull nodes do not count (kube-batch).
#ifndef MUSTER_WHAT_IF_H_
#define MUSTER_WHAT_IF_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/cluster.h"
#include "muster/export.h"
#include "muster/queue_rules.h"
#include "muster/shape.h"
#include "muster/snapshot.h"
#include "muster/spec.h"
#include "muster/types.h"

namespace muster {

struct Extensions;

// New values of a queue. Unset fields keep their values. A list that is set replaces the queue's
// list: a dimension that it does not name is absent from then on.
struct QueueEdit {
  // Of a queue of the cluster.
  std::string name = {};
  std::optional<int64_t> weight = {};
  std::optional<Resources> guaranteed = {}, deserved = {}, limit = {};
  // In place of SpendingRules::limit and hourly_limit. A queue without prices has no use for them.
  std::optional<Quantity> spending_limit = {}, hourly_limit = {};
  // In place of QueueRules::groups: the quota by flavor.
  std::optional<std::vector<ResourceGroup>> quota = {};
  // Whether the queue takes new tasks.
  std::optional<QueueState> state = {};
};

// Nodes that leave: the one of that name, or all that have these labels. Exactly one of the two is
// set.
struct RemovedNodes {
  std::string name = {};
  Labels labels = {};
};

// Nodes that join, all alike.
struct NewNodes {
  int64_t count = 1;
  // Its name is ignored.
  NodeSpec node = {};
};

// New values of a job and of its pending tasks. Unset fields keep their values.
struct JobEdit {
  // Of a job of the cluster, or of a task without a job; such a task has no queue and no minimum.
  std::string name = {};
  // Of the job.
  std::optional<std::string> queue = {};
  // Of the job and of its pending tasks.
  std::optional<int32_t> priority = {};
  // Of the job as a whole. Minima of its groups that are larger are lowered to it.
  std::optional<int64_t> min_available = {};
  // Added to those of its pending tasks.
  std::vector<Toleration> tolerations = {};
  // What each of its pending tasks requests from now on. A dimension that is not listed keeps its
  // amount. If it is not empty, a task of several containers becomes one without: what containers
  // requested, and the traits of its pod, need not fit the whole any more.
  Resources request = {};
  // What each of its pending tasks requests at most from now on: larger amounts become these, with
  // the effect of `request`. Tasks that request no more stay as they are. Not with `request`.
  Resources request_at_most = {};
  // In place of the scheduling gates of its pending tasks. An empty list takes all of them off.
  std::optional<std::vector<std::string>> gates = {};
  // Set in the labels, and in the node selectors, of its pending tasks. Other keys stay.
  Labels labels = {}, node_selector = {};
  // Keys of node labels that its pending tasks require no more: their entries leave the node
  // selector and the terms of the required node affinity. A term that is left without a requirement
  // matches any node.
  std::vector<std::string> drop_node_labels = {};
};

// New values of nodes: of the one of that name, or of all that have these labels. Exactly one of
// the two is set.
struct NodeEdit {
  std::string name = {};
  Labels labels = {};
  // True: only tasks that tolerate the mark go there from now on. False also takes off the taint
  // node.kubernetes.io/unschedulable, which Kubernetes adds to the mark. Absent: as it is.
  std::optional<bool> unschedulable = {};
  // Added to their taints.
  std::vector<Taint> taints = {};
  // Keys of taints that leave them.
  std::vector<std::string> remove_taints = {};
  // Set in their labels; other keys stay. JSON: "set_labels".
  Labels set_labels = {};
  // Keys of labels that leave them.
  std::vector<std::string> remove_labels = {};
  // What they have of these dimensions from now on, and what tasks may hold of it. Others stay.
  Resources capacity = {};
  // Whether their agents report that they are ready. True also takes off the taints
  // node.kubernetes.io/not-ready and node.kubernetes.io/unreachable. Absent: as it is.
  std::optional<bool> ready = {};
};

// One change. Exactly one member is set.
struct WhatIfChange {
  std::optional<QueueEdit> queue = {};
  // Tasks of these nodes that count for their queues become pending; all others are gone.
  std::optional<RemovedNodes> remove_nodes = {};
  std::optional<NewNodes> add_nodes = {};
  // A job with the tasks of its groups, all pending. Its queue must exist.
  std::optional<JobSpec> add_job = {};
  // A job of the cluster, by name, with its tasks.
  std::optional<std::string> remove_job = {};
  // A task of the cluster, by name, with a job or without. Refused by WhatIf.
  std::optional<std::string> remove_task = {};
  // Refused by WhatIf.
  std::optional<JobEdit> job = {};
  // Refused by WhatIf.
  std::optional<NodeEdit> nodes = {};
  // A task, of a job of the cluster or without a job. Refused by WhatIf.
  std::optional<TaskSpec> add_task = {};
};

// What one queue holds, waits for and deserves, before and after the changes.
//
// Lists have one cell for each dimension of Outlook::dimensions, in the units of types.h. They are
// of the queue's own jobs, as in QueueShare, without queues below it.
struct QueueOutlook {
  QueueIndex queue = kNone;
  std::string name = {};
  // What its tasks hold.
  std::vector<int64_t> allocated_before = {}, allocated_after = {};
  // What its pending tasks request.
  std::vector<int64_t> pending_before = {}, pending_after = {};
  // What it deserves. Empty: the profile has no such amounts.
  std::vector<double> deserved_before = {}, deserved_after = {};
  // Its share, as the profile's policy computes it.
  double share_before = 0, share_after = 0;
};

// The answer.
struct Outlook {
  // Names: the cluster's dimensions, then those that new nodes bring.
  std::vector<std::string> dimensions;
  // All queues, in the order of their insertion.
  std::vector<QueueOutlook> queues;
  // True: the profile publishes the share of at least one queue.
  bool divides = false;
};

// Returns what queues would get if the changes were made to the snapshot. The spec string may name
// policies of `extensions` (policy.h); null: there are none.
MUSTER_EXPORT absl::StatusOr<Outlook> WhatIf(const Snapshot& snapshot, std::string_view profile,
                                             std::span<const WhatIfChange> changes,
                                             std::shared_ptr<const Extensions> extensions = {});
// Returns the same from the books that the cluster keeps for the profile. The cluster's rows do not
// change; what it keeps between cycles is brought up to date.
MUSTER_EXPORT absl::StatusOr<Outlook> WhatIf(Cluster& cluster, std::string_view profile,
                                             std::span<const WhatIfChange> changes,
                                             std::shared_ptr<const Extensions> extensions = {});

}  // namespace muster

#endif  // MUSTER_WHAT_IF_H_
