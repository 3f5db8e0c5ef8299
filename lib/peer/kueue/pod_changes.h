// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What action admit leaves for action schedule behind it: what Kueue adds to pods when they start.
//
//   PodChanges& changes = context.memory<PodChanges>();
//   changes.admitted[job] = assignment;                // of a job that was admitted in this cycle
//   changes.KeepAt(task, {{"rack", "r1"}});            // a place of its admission
#ifndef MUSTER_PEER_KUEUE_POD_CHANGES_H_
#define MUSTER_PEER_KUEUE_POD_CHANGES_H_

#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/part/context.h"
#include "muster/plan.h"
#include "muster/shape.h"

namespace muster::kueue {

class PodChanges : public CycleMemory {
 public:
  explicit PodChanges(const ActionContext&) {}

  void KeepAt(TaskIndex task, Labels labels) { places_[task] = std::move(labels); }
  // No place of its admission is left for the task.
  void KeepBack(TaskIndex task) { kept_back_.insert(task); }
  bool IsKeptBack(TaskIndex task) const { return kept_back_.contains(task); }
  // Returns the labels of the node that the task is to run on by its place; null: it has no place.
  const Labels* PlaceOf(TaskIndex task) const {
    const auto found = places_.find(task);
    return found == places_.end() ? nullptr : &found->second;
  }

  HashMap<JobIndex, std::vector<GroupAssignment>> admitted;  // in this cycle

 private:
  HashMap<TaskIndex, Labels> places_;
  HashSet<TaskIndex> kept_back_;
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_POD_CHANGES_H_
