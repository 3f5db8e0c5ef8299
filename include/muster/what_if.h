// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What would queues get if: answered from the shares alone, without a cycle.
//
//   std::vector<muster::WhatIfChange> changes = {
//       {.queue = muster::QueueEdit{.name = "vision", .weight = 3}},
//       {.remove_nodes = muster::RemovedNodes{.labels = {{"pool", "b"}}}}};
//   absl::StatusOr<muster::Outlook> outlook = muster::WhatIf(snapshot, "muster", changes);
//   for (const muster::QueueOutlook& q : outlook->queues)
//     std::cout << q.name << ": " << q.share_before << " -> " << q.share_after << "\n";
//
// Promise. The numbers are what the policies of the profile say, asked by the same code as in a cycle: `before`
// equals, to the bit, the shares of a plan as a cycle would open, and `after` those of a cluster in which the changes
// were really made. Nobody is placed or evicted for it. A profile whose policies divide nothing has no deserved
// amounts, and shares of 0, here as in its plans.
// Changes are made in their order. The first that is refused ends the question with its place and rule; nothing that
// was passed in is ever changed:
//   what-if[1]: queue "visoin" does not exist, did you mean "vision"?
// Cost. Of a snapshot O(nodes + tasks) once, to add up what queues hold. Of a living cluster what changed since the
// last cycle or question of the profile, and O(queues x dimensions + what the changes name): nodes that leave with
// their tasks, jobs that leave with theirs; a choice by labels looks at every node, and so does a profile under which
// nodes that hold too much do not count (kube-batch).
#ifndef MUSTER_WHAT_IF_H_
#define MUSTER_WHAT_IF_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/cluster.h"
#include "muster/export.h"
#include "muster/snapshot.h"
#include "muster/spec.h"
#include "muster/types.h"

namespace muster {

// What is not said stays. A list that is said replaces the queue's: a dimension it leaves out is no longer named.
struct QueueEdit {
  std::string name = {};
  std::optional<int64_t> weight = {};
  std::optional<Resources> guaranteed = {}, deserved = {}, limit = {};
};

// The node of that name, or all that have these labels: one of the two is said.
struct RemovedNodes {
  std::string name = {};
  Labels labels = {};
};

struct NewNodes {
  int64_t count = 1;
  NodeSpec node = {};  // its name is nobody's
};

// Exactly one member is said.
struct WhatIfChange {
  std::optional<QueueEdit> queue = {};
  // Tasks there that count for their queues wait again; others are gone.
  std::optional<RemovedNodes> remove_nodes = {};
  std::optional<NewNodes> add_nodes = {};
  std::optional<JobSpec> add_job = {};         // with the tasks of its groups, all waiting
  std::optional<std::string> remove_job = {};  // of the cluster, with its tasks
};

// Of each queue alone, as QueueShare has it, one cell per dimension.
struct QueueOutlook {
  QueueIndex queue = kNone;
  std::string name = {};
  std::vector<int64_t> allocated_before = {}, allocated_after = {};
  std::vector<int64_t> pending_before = {}, pending_after = {};   // asked for by tasks that wait
  std::vector<double> deserved_before = {}, deserved_after = {};  // empty: the profile has none
  double share_before = 0, share_after = 0;
};

struct Outlook {
  std::vector<std::string> dimensions;  // the cluster's, then those that new nodes bring
  std::vector<QueueOutlook> queues;     // in their order
};

// Errors. InvalidArgument: a profile that does not resolve, a change that says nothing or two things, a value that a
// cluster would refuse, a dimension that neither the cluster nor nodes added before have, sums beyond int64. NotFound:
// no such queue, node or job, or no node with these labels. AlreadyExists: a job of that name.
MUSTER_EXPORT absl::StatusOr<Outlook> WhatIf(const Snapshot& snapshot, std::string_view profile,
                                             std::span<const WhatIfChange> changes);
// The same on the books that the cluster keeps for the profile; as with Schedule, one thread at a time.
MUSTER_EXPORT absl::StatusOr<Outlook> WhatIf(Cluster& cluster, std::string_view profile,
                                             std::span<const WhatIfChange> changes);

}  // namespace muster

#endif  // MUSTER_WHAT_IF_H_
