// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Options of action `rebalance`: the descheduler's arguments, with the peer's defaults.
//
//   absl::StatusOr<RebalanceRules> rules = ReadRebalanceRules(options);
//
// Numbers and flags are checked by their declarations. Texts have these forms:
//   amounts     cpu:50;memory:60          the last colon counts: a resource may have some, too
//   selector    tier=gold;zone=a+b;!old   all must hold: a label is the value or one of several,
//                                         is none of them (tier!=a+b), is there (tier=*) or not
//   choice      tier=gold|app=web         selectors by `|`, of which one must hold
//   pools       select:tier=gold&high:cpu:70|select:tier=silver
//               pools by `|`, fields by `&`. Fields: select, low, high, production_low,
//               production_high, weights, distance, abnormal, normal, timeout. What a pool does not
//               set is as the option of that name. A pool without `select` has all nodes. Of option
//               weights, cpu, memory and what low and high name weigh 1 at least; those of a pool
//               are as they stand, and what they leave out weighs nothing.
//   levels      dear:tier=gold|cheap:tier=silver    name and selector, in the order in which nodes
//                                                   should become empty
//   names       team-a;team-b
//   portion     3, or 10%
//
// Peer. Defaults are those of LowNodeLoadArgs, MigrationControllerArgs and FragmentationAwareArgs.
// The peer has no default thresholds; those here are the ones of its manual. Messages are the
// peer's where it has one.
//
// Cost. O(length of the texts).
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_REBALANCE_OPTIONS_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_REBALANCE_OPTIONS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/peer/koordinator/rebalance/arbitration.h"
#include "lib/peer/koordinator/rebalance/evictable.h"
#include "lib/peer/koordinator/rebalance/fragmentation.h"
#include "lib/peer/koordinator/rebalance/level_drain.h"
#include "lib/peer/koordinator/rebalance/low_node_load.h"
#include "muster/policy.h"

namespace muster::koordinator {

struct RebalanceRules {
  // Which rules choose tasks.
  bool by_load = true, by_fragmentation = false, by_duplicates = false, by_node_affinity = false,
       by_taints = false, by_anti_affinity = false;
  LowNodeLoadRules load = {};
  int64_t expiration = 180;  // seconds; 0: never
  FragmentationRules fragmentation = {};
  std::vector<DrainLevel> levels = {};  // empty: none are drained
  bool whole_nodes = false;
  // Which tasks may leave.
  EvictableRules evictable = {};
  TaskChoice choice = {};
  // How they leave.
  bool reserves = true;
  MigrationLimits limits = {};
  int64_t ttl = 300;   // seconds; 0: no end
  int64_t pace = 300;  // seconds in which a workload moves its portion; 0: any number
};

std::span<const OptionDecl> RebalanceOptions();

// Fails with InvalidArgument: `action rebalance: option "low": ...`.
absl::StatusOr<RebalanceRules> ReadRebalanceRules(const Options& options);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_REBALANCE_OPTIONS_H_
