// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The scheduling strategy of a job's single tasks, and the domain of a group, as the job's settings
// have it.
//
//   "settings": {"ray/strategy": "node", "ray/node": "gpu-3", "ray/soft": "true"}
//
// | key | words | meaning |
// |---|---|---|
// | `ray/strategy` | `default`, `spread`, `random`, `node`, `labels` | how nodes are chosen |
// | `ray/node` | a name | strategy node: the node |
// | `ray/soft` | `true`, `false` | strategy node: other nodes serve if that one could never |
// | `ray/unavailable` | `wait`, `spill`, `fail` | strategy node: if that one has no room now |
// | `ray/domain` | a label | a job with a bundle_strategy: its nodes have one value of the label |
//
// - default: the hybrid policy (node_choice.h).
// - spread: each node in turn, from where the last task went, in earlier cycles, too.
// - random: the first node with room from a drawn one on.
// - node: that node alone. Soft, the hybrid policy decides where the node is gone, or too small;
//   with spill also where it has no room now. With wait and fail the task waits for it.
// - labels: a drawn node of those that the required node affinity and the selector allow, of those
//   that all terms of the preferred node affinity match if one of these has room.
//
// Draws are of a generator with the seed of the cycle (ScheduleOptions::seed).
#ifndef MUSTER_PEER_RAY_TASK_STRATEGY_H_
#define MUSTER_PEER_RAY_TASK_STRATEGY_H_

#include <string_view>

#include "absl/status/status.h"
#include "lib/model/tables.h"
#include "muster/policy.h"

namespace muster {

struct RayStrategy {
  enum class Kind : uint8_t { kDefault, kSpread, kRandom, kNode, kLabels };
  Kind kind = Kind::kDefault;
  std::string_view node = {};  // valid as long as the spec
  bool soft = false, spills = false, fails = false;
  std::string_view domain = {};  // a label; valid as long as the spec
};

// Sets `*strategy`. Fails with InvalidArgument for settings that are no strategy.
absl::Status ReadRayStrategy(const JobSpec& job, RayStrategy* strategy);

// Fails for the first node, queue or job with settings that the profile does not read.
absl::Status CheckRaySettings(const Tables& tables, const Options& options);

}  // namespace muster

#endif  // MUSTER_PEER_RAY_TASK_STRATEGY_H_
