// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The capacity scheduler's configuration, as options of actions and settings of queues.
//
//   absl::StatusOr<CapacityTree> tree = ReadCapacitySettings(tables, options, "heartbeat");
//   if (!tree.ok()) return tree.status();   // `queue "a", setting "yarn-capacity/capacity": ...`
//   const std::string& path = tree->settings.queues[tree->queue_of_job[job]].path;
//
// Settings have the names of the peer's properties, without "yarn.scheduler.capacity.<path>.", and
// "yarn-capacity/" before them:
//
//   capacity                    "40": percent of the parent's; "3w": a weight;
//                               "[memory=4096,vcores=4]": amounts, of memory in MiB.
//                               Default: a weight, the queue's own
//   maximum-capacity            percent, or amounts. Default: all of the parent's
//   minimum-user-limit-percent  default: UserRules::least_percent, else 100
//   user-limit-factor           -1: none. Default: UserRules::factor, else 1
//   ordering-policy             of a leaf fifo or fair, of others utilization or
//                               priority-utilization
//   ordering-policy.fair.enable-size-based-weight
//                               of a fair leaf, true: of two applications the one that requests
//                               more may use more
//   maximum-applications        default: by the queue's part of the cluster
//   max-parallel-apps           default: no limit
//   maximum-am-resource-percent part of what the queue may hold for masters of active
//                               applications, 0 to 1; each counts as the least allocation.
//                               Default: 0.1
//   accessible-node-labels      labels between commas, of those of the parent; "*": all. Default:
//                               the parent's; of the root all
//   accessible-node-labels.LABEL.capacity, .maximum-capacity, .maximum-am-resource-percent
//                               the same of nodes with the label. Default of the capacity: 0
//   disable_preemption          true: no task of the queue is evicted for another queue
//   intra-queue-preemption.disable_preemption
//                               true: nor for another application of the queue. Defaults: the
//                               parent's, else false
//
// capacity_check.h has how capacities must fit together. Those of the root are 100. Queues are the
// rows of queue_paths.h. `weight` of a UserLimit is the user's weight, and `max_jobs` of one of the
// root how many applications of the user run at once, in all queues. partitions.h has the settings
// of nodes and jobs, and queue_placement.h those of queue mappings and of queues that are made for
// jobs.
#ifndef MUSTER_PEER_YARN_CAPACITY_SETTINGS_H_
#define MUSTER_PEER_YARN_CAPACITY_SETTINGS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/model/tables.h"
#include "lib/peer/yarn/capacity/config.h"
#include "lib/peer/yarn/partitions.h"
#include "lib/peer/yarn/queue_placement.h"
#include "muster/policy/options.h"

namespace muster::yarn {

struct CapacityTree {
  CapacitySettings settings;
  std::vector<uint32_t> queue_of_job;  // row in settings.queues; kNoRow: it is refused
  HashMap<JobIndex, std::string> refusals;
  // By row of settings.queues: the queue of the cluster, or the one that it was made below.
  std::vector<muster::QueueIndex> home_of;
  Partitions partitions;
};

std::span<const OptionDecl> CapacityOptionDecls();
// Reads the options that action heartbeat alone has.
void ReadHeartbeatOptions(const Options& options, CapacitySettings* settings);

// Reads options calculator, min_memory, min_vcores, max_memory, max_vcores and shared_labels of the
// action. Costs O(rows + queues x labels).
absl::StatusOr<CapacityTree> ReadCapacitySettings(const Tables& tables, const Options& options,
                                                  std::string_view action);

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_CAPACITY_SETTINGS_H_
