// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The fair scheduler's configuration, as options of the action and settings of queues.
//
//   absl::StatusOr<FairTree> tree = ReadFairSettings(tables, options, "heartbeat");
//   if (!tree.ok()) return tree.status();   // `queue "a", setting "yarn-fair/weight": ...`
//
// Settings have the names of the allocation file:
//
//   yarn-fair/weight            default: the queue's own weight
//   yarn-fair/minResources      "4096 mb, 4 vcores", or one of the two; default: nothing
//   yarn-fair/maxResources      the same, or parts of the cluster: "40%", "50% mb, 4 vcores";
//                               default: no limit
//   yarn-fair/maxRunningApps    default: no limit
//   yarn-fair/maxAMShare        of a leaf: part of its fair share for masters, 0 to 1; -1: no
//                               limit. Default: 0.5
//   yarn-fair/minSharePreemptionTimeout, yarn-fair/fairSharePreemptionTimeout
//                               seconds; default: those of the parent, of the root never
//   yarn-fair/fairSharePreemptionThreshold
//                               part of its fair share that an application is starved below, 0 to
//                               1; default: that of the parent, of the root 0.5
//   yarn-fair/allowPreemptionFrom
//                               false: no task of the queue or below is evicted; default: true
//   yarn-fair/schedulingPolicy  fair, drf or fifo (leaves alone); default: option policy
//
//   yarn-fair/userMaxAppsDefault
//                               of the root: applications of a user that run at once. Default: no
//                               limit
//
// Queues are the rows of queue_paths.h. UserLimit::max_jobs of the root's `users` is how many
// applications of that user run at once. Setting yarn-fair/master of a job is the group of its
// master (rows.h); default: the job is without one. Nodes have no settings of this profile.
//
// Not read: placement rules, access control.
#ifndef MUSTER_PEER_YARN_FAIR_SETTINGS_H_
#define MUSTER_PEER_YARN_FAIR_SETTINGS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/model/tables.h"
#include "lib/peer/yarn/fair/config.h"
#include "lib/peer/yarn/fair_amounts.h"
#include "muster/policy/options.h"

namespace muster::yarn {

// A maximum in percent of what the cluster has.
struct MaximumInPercent {
  size_t queue;  // row of FairTree::queues
  AmountInPercent part;
};

struct FairTree {
  fair::Options options;
  std::vector<fair::QueueConfig> queues;
  std::vector<MaximumInPercent> in_percent;
  fair::UserLimits user_limits;
  std::vector<uint32_t> queue_of;  // by queue of the cluster: its row in `queues`
  std::vector<std::optional<GroupIndex>> master_of_job;
};

std::span<const OptionDecl> FairOptionDecls();

// Reads the options that actions share: policy, allocations, increments and size_based_weight.
// Costs O(queues + jobs).
absl::StatusOr<FairTree> ReadFairSettings(const Tables& tables, const Options& options,
                                          std::string_view action);
// Sets the maxima that are in percent, for a cluster of this size.
void ResolveMaxima(const Resource& total, FairTree* tree);
// Reads the options that action heartbeat alone has.
void ReadFairHeartbeatOptions(const Options& options, fair::Options* core);

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_FAIR_SETTINGS_H_
