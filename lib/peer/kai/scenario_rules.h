// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which scenarios of KAI Scheduler are valid, and which jobs are safe.
//
//   if (!KaiIsFair(world, scenario) || !KaiKeepsSafe(world, scenario, KaiIsSafeFromReclaim)) ...
//
// Idea. A scenario is judged after its simulation: tasks that were placed again do not count as
// taken where reclaim may consolidate. Rules between queues are those of reclaim_rules.h, rules of
// time those of min_runtime.h; here they get what they need from a world.
//
// Cost. O(victims + chunks * depth).
#ifndef MUSTER_PEER_KAI_SCENARIO_RULES_H_
#define MUSTER_PEER_KAI_SCENARIO_RULES_H_

#include "lib/peer/kai/reclaim_rules.h"
#include "lib/peer/kai/scenario.h"

namespace muster {

KaiReclaimer KaiReclaimerOf(const KaiJob& job);

// Returns whether the victims of the scenario may be taken by reclaim.
bool KaiIsFair(const KaiWorld& world, const KaiScenario& scenario);

// Returns how long jobs of the queue are safe from being reclaimed for the job, in nanoseconds.
int64_t KaiReclaimMinRuntimeOf(const KaiWorld& world, const KaiJob& asks, uint32_t queue);

// Return whether the victim runs for less than its minimum time.
bool KaiIsSafeFromReclaim(const KaiWorld& world, const KaiJob& asks, const KaiJob& victim);
bool KaiIsSafeFromPreempt(const KaiWorld& world, const KaiJob& asks, const KaiJob& victim);

// Returns whether elastic victims that are safe keep their minimum.
bool KaiKeepsSafe(const KaiWorld& world, const KaiScenario& scenario,
                  bool (*is_safe)(const KaiWorld&, const KaiJob&, const KaiJob&));

// Returns whether no victim is left without a place.
bool KaiAllPlacedAgain(const KaiWorld& world, const KaiScenario& scenario);

// Returns whether the cluster has as many free GPUs, and as much of their memory, as the next tasks
// of the job request.
bool KaiHasGpusFor(const KaiWorld& world, const KaiJob& job);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_SCENARIO_RULES_H_
