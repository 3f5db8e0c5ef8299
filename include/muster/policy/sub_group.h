// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A sub-group of a job, as policies and actions refer to it.
//
//   muster::SubGroup second{job, /*index=*/1};
//   muster::SubGroup rest{.job = job};             // the tasks of the job that are in no sub-group
//   size_t slot = rest.slot();                     // 0
//   second == muster::SubGroup::AtSlot(job, 2);    // true
//
// Promise. A plain value; two that name one sub-group are equal.
// Failure. None. REQUIRES: indices are below the number of the job's sub-groups, or kNone.
// Ownership, threads, cost. A value of two integers.
#ifndef MUSTER_POLICY_SUB_GROUP_H_
#define MUSTER_POLICY_SUB_GROUP_H_

#include <cstddef>
#include <cstdint>

#include "muster/types.h"

namespace muster {

// A job and the place of one sub-group in JobSpec::sub_groups.
struct SubGroup {
  JobIndex job = kNone;
  SubGroupIndex index = kNone;  // in JobSpec::sub_groups; kNone: the job's tasks that are in none
  // Slots number a job's sub-groups in lists: slot 0 stands for the tasks that are in none, slot
  // i + 1 for sub-group i. They are no slots of a memory.
  static SubGroup AtSlot(JobIndex job, size_t slot) {
    return {job, slot == 0 ? kNone : SubGroupIndex(slot - 1)};
  }
  static size_t SlotOf(SubGroupIndex index) { return index == kNone ? 0 : size_t{index} + 1; }
  // Returns the slot of this sub-group.
  size_t slot() const { return SlotOf(index); }
  friend bool operator==(const SubGroup&, const SubGroup&) = default;
};

}  // namespace muster

#endif  // MUSTER_POLICY_SUB_GROUP_H_
