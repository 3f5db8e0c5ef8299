// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How a scheduler is brought to where another one was.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "lib/peer/yarn/fair/scheduler.h"

namespace muster::yarn::fair {

ContainerName FairScheduler::Recover(AppIndex app, const Container& container) {
  const ContainerIndex index = MakeContainer(cluster_, app, container);
  AddUsage(cluster_, app, container.size);
  cluster_.nodes[container.node].Hold(index, &cluster_.containers);
  if (container.is_master) StartMaster(cluster_, app, container.size);
  NoteAvailable(cluster_);
  return {app, cluster_.containers[index].id.number};
}

void FairScheduler::RecoverReservation(AppIndex app, NodeIndex node, const Resource& size,
                                       int32_t priority) {
  if (cluster_.nodes[node].reserved != kNone) return;
  MakeReservation(cluster_, app, node, size, priority);
}

void FairScheduler::SetLevel(AppIndex app, const LocalityLevel& level) {
  std::vector<LocalityLevel>& levels = cluster_.apps[app].levels;
  const auto known = std::ranges::find(levels, level.priority, &LocalityLevel::priority);
  if (known == levels.end()) {
    levels.push_back(level);
  } else {
    *known = level;
  }
}

void FairScheduler::RecoverStarvation(AppIndex index, const Starvation& starvation) {
  App& app = cluster_.apps[index];
  app.last_at_fair_share = starvation.last_at_fair_share;
  app.next_starvation_check = starvation.next_check;
  app.fair_share_starvation = starvation.of_fair_share;
  app.min_share_starvation = starvation.of_min_share;
}

void FairScheduler::RecoverMinShareTime(QueueIndex leaf, int64_t time) {
  cluster_.queues[leaf].last_at_min_share = time;
}

void FairScheduler::RecoverMark(ContainerName name, AppIndex starved, int64_t time) {
  Container& container = cluster_.containers[FindContainer(cluster_, name)];
  container.is_to_preempt = true;
  cluster_.apps[name.app].to_preempt += container.size;
  cluster_.kills.push_back({.time = time, .starved = starved, .containers = {name}});
}

void FairScheduler::RecoverPromise(AppIndex app, NodeIndex node, const Resource& amount) {
  Promise(cluster_, app, node, amount);
}

void FairScheduler::DelayCheck(AppIndex index, int64_t wait) {
  App& app = cluster_.apps[index];
  app.next_starvation_check = std::max(app.next_starvation_check, cluster_.now + wait);
}

}  // namespace muster::yarn::fair
