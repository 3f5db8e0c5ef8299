// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the peer requires of capacities of queues that lie together.
//
//   if (absl::Status s = CheckCapacities(rows, queues, labels, settings); !s.ok()) return s;
//
// For each partition, among queues with access to it: queues of one parent have capacities of one
// kind, but for those that are 0. Then, by kind:
//
//   percents  add up to 100, within 0.05. They may all be 0 where the parent's is no percentage, or
//             0, or of a label; and must be where it is 0. The root's is 100
//   amounts   lie below a parent with amounts, or the root; together they stay within the parent's.
//             An amount stays within its queue's maximum, and that within the parent's maximum, by
//             the calculator, without a total
//
// A percentage may be above its queue's maximum, as in the peer: such a queue does not get all of
// its guarantee.
#ifndef MUSTER_PEER_YARN_CAPACITY_CHECK_H_
#define MUSTER_PEER_YARN_CAPACITY_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/model/tables.h"
#include "lib/peer/yarn/capacity/config.h"
#include "lib/peer/yarn/queue_paths.h"

namespace muster::yarn {

// Fails with InvalidArgument, naming a queue and the rule. `settings` has a queue for each row, and
// `labels` a name for each partition. Costs O(queues x labels).
absl::Status CheckCapacities(const std::vector<QueuePath>& rows, const QueueTable& queues,
                             const std::vector<std::string>& labels,
                             const CapacitySettings& settings);

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_CAPACITY_CHECK_H_
