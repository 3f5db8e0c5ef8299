// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tree of sub-groups of a KAI Scheduler job: what it tries to place next, and what it gives up.
//
//   KaiSubGroups tree;                                  // entry 0 is the root
//   const uint32_t workers = tree.AddPodSet(0, "workers", /*min_available=*/4);
//   tree.AddTask(workers, task, KaiStatus::kPending);   // in task order
//   tree.TasksToAllocate({.status = status, .is_virtual = is_virtual}, /*real=*/true, &chunk);
//
// Idea. Leaves are pod sets with a minimum of tasks; an inner group needs K of its children, by
// default all. Placing has two phases. While a group lacks children, the K first ones hand out what
// they lack. Afterwards the first child that has a task hands out one step: a task, or what it
// lacks. Giving up goes the other way round: one task of a pod set above its minimum; else a whole
// child that a group has beyond its K; else everything.
// Children are ordered by what they have: those below their minimum first, then by allocated /
// minimum, then optional ones (minimum 0) by the number they have, then by name.
//
// Peer. In the first phase a group turns to its K first children in this order even if later ones
// have tasks and the first ones have none; the chunk is then short. A child that is satisfied is
// skipped but still counts toward K. Recursion into a satisfied child's surplus happens only in the
// second phase.
//
// Ties. By name; pod sets that are emptied together go in the order of their names. Tasks are kept
// in the order of `task_order.h`, which both directions follow.
//
// Cost. O(children log children + tasks of the pod sets that hand out) a call.
#ifndef MUSTER_PEER_KAI_SUB_GROUPS_H_
#define MUSTER_PEER_KAI_SUB_GROUPS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/peer/kai/statuses.h"

namespace muster {

// States of tasks, by the ids that AddTask got.
struct KaiTaskStates {
  std::span<const KaiStatus> status;
  std::span<const uint8_t> is_virtual;  // the status was set by a running simulation
  // Returns whether a task may be placed: it is pending, or was evicted by this very simulation.
  bool MayAllocate(uint32_t task, bool real) const {
    return status[task] == KaiStatus::kPending ||
           (!real && status[task] == KaiStatus::kReleasing && is_virtual[task] != 0);
  }
};

class KaiSubGroups {
 public:
  static constexpr int32_t kAll = -1;

  struct Entry {
    std::string name;
    uint32_t parent = 0;
    bool is_pod_set = false;
    int32_t minimum = kAll;               // tasks of a pod set; children of a group, or kAll
    std::vector<uint32_t> children = {};  // groups, then pod sets, as they were added
    std::vector<uint32_t> tasks = {};     // of a pod set, in task order
    // Of a pod set; kept by AddTask and Move.
    int32_t active_allocated = 0, active_used = 0, alive = 0, gated = 0, pending = 0;
  };

  KaiSubGroups() : entries_(1) {}

  uint32_t AddGroup(uint32_t parent, std::string name, int32_t minimum = kAll);
  uint32_t AddPodSet(uint32_t parent, std::string name, int32_t min_available);
  // Tasks of one pod set are added in task order.
  void AddTask(uint32_t pod_set, uint32_t task, KaiStatus status);
  // Counts a change of status of a task of this pod set.
  void Move(uint32_t pod_set, KaiStatus from, KaiStatus to);
  void SetRootMinimum(int32_t minimum) { entries_[0].minimum = minimum; }
  void SetName(uint32_t entry, std::string name) { entries_[entry].name = std::move(name); }

  std::span<const Entry> entries() const { return entries_; }
  const Entry& at(uint32_t entry) const { return entries_[entry]; }
  // Pod sets in ascending order of their names; of equal names below one root, the last.
  const std::vector<uint32_t>& pod_sets() const { return pod_sets_; }
  // The pod set of this name, or kKaiNoEntry.
  uint32_t FindPodSet(const std::string& name) const;
  static constexpr uint32_t kNoEntry = ~uint32_t{0};

  // How many children of a group are satisfied, and how many it needs; of a pod set, tasks.
  int32_t satisfied(uint32_t entry) const;
  int32_t needed(uint32_t entry) const;
  bool is_satisfied(uint32_t entry) const { return satisfied(entry) >= needed(entry); }

  // Of the whole job.
  bool IsReady() const;             // enough tasks are alive and not gated
  bool IsGangSatisfied() const;     // each pod set uses as many tasks as its minimum
  bool IsElastic() const;           // a pod set has more tasks than its minimum
  int32_t ActiveAllocated() const;  // tasks

  // Appends the next tasks to place, or to give up.
  void TasksToAllocate(const KaiTaskStates& states, bool real, std::vector<uint32_t>* out) const;
  // Returns whether the job keeps active tasks after it gave these up.
  bool TasksToEvict(const KaiTaskStates& states, std::vector<uint32_t>* out) const;

 private:
  std::vector<uint32_t> Ordered(uint32_t group, bool reversed) const;
  void Collect(uint32_t entry, const KaiTaskStates& states, bool real,
               std::vector<uint32_t>* out) const;
  bool GiveSurplus(uint32_t entry, const KaiTaskStates& states, std::vector<uint32_t>* out) const;
  void GiveAll(uint32_t entry, const KaiTaskStates& states, std::vector<uint32_t>* out) const;
  bool HasSurplus(uint32_t entry) const;

  std::vector<Entry> entries_;
  std::vector<uint32_t> pod_sets_;
};

// How many members are satisfied, of how many that are needed.
struct KaiMemberCount {
  int64_t count = 0, threshold = 0;
};
// -1: the left member goes first; 1: the right one; 0: its name decides.
int CompareKaiMembers(const KaiMemberCount& left, const KaiMemberCount& right);

// -1: the left job goes first, because it is below its minimum, or at it where the other is above.
int CompareKaiElastic(const KaiSubGroups& left, const KaiSubGroups& right);

// Splits victims of one job: of each pod set, the first ones up to its minimum are core tasks,
// which leave together; the others leave one by one. `pod_set` holds the pod set of each victim, an
// index of `minimum`. Results are positions in `pod_set`, pod set by pod set in ascending order.
struct KaiSplit {
  std::vector<uint32_t> elastic, core;
};
KaiSplit SplitKaiVictims(std::span<const uint32_t> pod_set, std::span<const int32_t> minimum);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_SUB_GROUPS_H_
