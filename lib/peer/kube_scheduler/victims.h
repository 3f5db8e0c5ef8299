// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What preemption may evict: pods, or groups of pods that are evicted whole.
//
//   std::vector<Victim> victims = VictimsOn(world, groups, {node});
//   std::sort(victims.begin(), victims.end(), MoreImportant);
//   CountViolations(&turns, &victims);
#ifndef MUSTER_PEER_KUBE_SCHEDULER_VICTIMS_H_
#define MUSTER_PEER_KUBE_SCHEDULER_VICTIMS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/kube/budget_index.h"
#include "lib/peer/kube_scheduler/world.h"

namespace muster::kube {

struct Victim {
  absl::InlinedVector<TaskIndex, 1> pods;  // by name
  int32_t priority = 0;                    // of the group, for its members
  bool of_group = false;
  int64_t started = 0;     // the earliest of its pods
  int64_t violations = 0;  // pods that a budget does not allow
};

// Returns the group of the pod, kNone if it is in none or groups are not read.
JobIndex GroupOf(const World& world, bool groups, TaskIndex t);

// Returns all pods on the nodes, groups that are evicted whole with their pods on all nodes.
// `now` is the start of pods without one.
std::vector<Victim> VictimsOn(const World& world, bool groups, std::span<const NodeIndex> nodes,
                              int64_t now);
// Orders by priority, then groups first, then more pods, then the earlier start.
bool MoreImportant(const Victim& a, const Victim& b);

// Sets `violations` of each victim. A budget permits as many pods as it has left; a pod without
// labels violates none. REQUIRES: the victims are sorted by importance.
void CountViolations(BudgetTurns* turns, std::vector<Victim>* victims);

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_VICTIMS_H_
