// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Scores by kinds of resources within the cycles of the profile: each kind by its own strategy, and
// scarce kinds avoided.
//
//   KindScores scores(settings);
//   scores.Open(&world);
//   if (scores.has_strategies()) raw = scores.ByStrategies(task, feasible);
//
// The rules are those of scores/resource_scores.h. A container that names no cpu counts with 100
// milli-cores, one that names no memory with 200 MiB. A kind is asked for if a container of the
// task requests some of it. A node has the kinds that it lists, pods among them.
//
// Cost. O(pods of these nodes x kinds) a pod, with requests kept by class; O(dimensions) a node for
// scarce kinds.
#ifndef MUSTER_PEER_KOORDINATOR_PROFILE_KIND_SCORES_H_
#define MUSTER_PEER_KOORDINATOR_PROFILE_KIND_SCORES_H_

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/koordinator/profile/plugin_settings.h"
#include "lib/peer/kube_scheduler/world.h"

namespace muster::koordinator {

class KindScores {
 public:
  // `settings` must outlive this.
  explicit KindScores(const KindSettings& settings) : settings_(settings) {}

  void Open(kube::World* world);
  bool has_strategies() const {
    return !settings_.strategies.empty() && settings_.strategy_weight > 0;
  }
  bool has_scarce() const { return !settings_.scarce.empty() && settings_.scarce_weight > 0; }

  // Return scores from 0 to 100.
  std::vector<int64_t> ByStrategies(TaskIndex t, std::span<const NodeIndex> feasible);
  std::vector<int64_t> WithoutScarce(TaskIndex t, std::span<const NodeIndex> feasible) const;

 private:
  int64_t RequestOf(ClassIndex c, size_t kind);
  bool Asks(TaskIndex t, DimensionIndex d) const;

  const KindSettings& settings_;
  kube::World* world_ = nullptr;
  const Tables* tables_ = nullptr;
  std::vector<DimensionIndex> dimension_of_;  // by kind with a strategy; kNone: no row has it
  std::vector<uint8_t> is_scarce_;            // by dimension
  HashMap<std::pair<ClassIndex, size_t>, int64_t> requests_;
};

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_PROFILE_KIND_SCORES_H_
