// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Members of a KAI Scheduler job's sub-groups: their order, and which victims leave together.
//
//   CompareKaiMembers({satisfied, needed}, {other_satisfied, other_needed});
//   const KaiSplit split = SplitKaiVictims(pod_set, minimum);
//
// Idea. Members are ordered by what they have: those below their minimum first, then by allocated /
// minimum, then optional ones (minimum 0) by the number they have. next_tasks.cc walks the tree in
// this order.
//
// Ties. The caller's, by name.
//
// Cost. O(1) a comparison; a split O(victims * pod sets).
#ifndef MUSTER_PEER_KAI_SUB_GROUPS_H_
#define MUSTER_PEER_KAI_SUB_GROUPS_H_

#include <cstdint>
#include <span>
#include <vector>

namespace muster {

// How many members are satisfied, of how many that are needed.
struct KaiMemberCount {
  int64_t count = 0, threshold = 0;
};
// -1: the left member goes first; 1: the right one; 0: its name decides.
int CompareKaiMembers(const KaiMemberCount& left, const KaiMemberCount& right);

// Splits victims of one job: of each pod set, the first ones up to its minimum are core tasks,
// which leave together; the others leave one by one. `pod_set` holds the pod set of each victim, an
// index of `minimum`. Results are positions in `pod_set`, pod set by pod set in ascending order.
struct KaiSplit {
  std::vector<uint32_t> elastic, core;
};
KaiSplit SplitKaiVictims(std::span<const uint32_t> pod_set, std::span<const int32_t> minimum);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_SUB_GROUPS_H_
