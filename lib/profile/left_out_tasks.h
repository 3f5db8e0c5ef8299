// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tasks of a living cluster that wait and have no job, which some profiles leave out.
//
//   LeftOutTasks tasks;
//   LeftOutNames names = tasks.Update(cluster_tables);   // what Plan::Explain tells of them
//
// Cost. Update follows the log of changes: O(changes since the last one), and O(such tasks) where
// one of them came, left or changed. The first one, and one after the log was cut, is O(tasks).
#ifndef MUSTER_PROFILE_LEFT_OUT_TASKS_H_
#define MUSTER_PROFILE_LEFT_OUT_TASKS_H_

#include <cstdint>

#include "lib/base/hash_map.h"
#include "lib/model/tables.h"
#include "lib/plan/cycle_names.h"

namespace muster {

class LeftOutTasks {
 public:
  // Returns the names as of these tables. Null: there are none.
  LeftOutNames Update(const Tables& tables);

 private:
  void TakeAll(const Tables& tables);
  // Returns whether the names may have changed.
  bool Follow(const Tables& tables);

  HashSet<TaskIndex> rows_;
  LeftOutNames names_;
  uint64_t layout_ = 0, position_ = 0;  // of the tables that were seen; 0: none
};

}  // namespace muster

#endif  // MUSTER_PROFILE_LEFT_OUT_TASKS_H_
