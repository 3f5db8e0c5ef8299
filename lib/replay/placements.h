// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Stays of tasks on nodes: opened when a task begins to hold its node, and closed when it leaves.
#ifndef MUSTER_REPLAY_PLACEMENTS_H_
#define MUSTER_REPLAY_PLACEMENTS_H_

#include <cstdint>

#include "lib/base/hash_map.h"
#include "muster/replay.h"

namespace muster {

class PlacementLog {
 public:
  explicit PlacementLog(bool records) : records_(records) {}

  void Begin(uint32_t job, uint32_t task, uint32_t node, int64_t now) {
    if (!records_) return;
    open_[Key(job, task)] = stays_.job.size();
    stays_.job.push_back(job);
    stays_.task.push_back(task);
    stays_.node.push_back(node);
    stays_.from.push_back(now);
    stays_.to.push_back(kAbsent);
  }
  void End(uint32_t job, uint32_t task, int64_t now) {
    if (!records_) return;
    const auto at = open_.find(Key(job, task));
    stays_.to[at->second] = now;
    open_.erase(at);
  }
  ReplayPlacements Take() { return std::move(stays_); }

 private:
  static uint64_t Key(uint32_t job, uint32_t task) { return uint64_t{job} << 32 | task; }

  const bool records_;
  ReplayPlacements stays_;
  HashMap<uint64_t, size_t> open_;  // by job and task
};

}  // namespace muster

#endif  // MUSTER_REPLAY_PLACEMENTS_H_
