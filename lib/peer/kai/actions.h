// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The actions of KAI Scheduler on a world.
//
//   KaiCycle cycle{.world = &world, .listener = &listener, .cut = [] { return false; }};
//   RunKaiAllocate(cycle, {});
//   RunKaiReclaim(cycle, {.depth = 100});
//
// Each action tries jobs in the order of the queues, one after the other. kai.h has the rules.
#ifndef MUSTER_PEER_KAI_ACTIONS_H_
#define MUSTER_PEER_KAI_ACTIONS_H_

#include <cstdint>
#include <functional>

#include "lib/peer/kai/job_queue.h"
#include "lib/peer/kai/world.h"

namespace muster {

struct KaiCycle {
  KaiWorld* world;
  KaiListener* listener;
  // Asked before each job: true ends the action. Called with the work done since.
  std::function<bool()> cut;
  std::function<void()> spend = [] {};
};

struct KaiActionRules {
  int64_t depth = -1;  // jobs of a queue that are tried; -1: all
};

void RunKaiAllocate(const KaiCycle& cycle, const KaiActionRules& rules);
void RunKaiConsolidation(const KaiCycle& cycle, const KaiActionRules& rules);
void RunKaiReclaim(const KaiCycle& cycle, const KaiActionRules& rules);
void RunKaiPreempt(const KaiCycle& cycle, const KaiActionRules& rules);
void RunKaiStaleGangEviction(const KaiCycle& cycle);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_ACTIONS_H_
