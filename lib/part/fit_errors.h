// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's memory of tasks that found no node, which lives for the whole cycle: once a task of a role found none, no
// later allocate tries another task of that role, and preempt and reclaim pass over the nodes where no eviction would
// have helped the task when it was last refused, whatever has changed since.
//
//   errors.Note(job, group, task, hopeless);   // the task found no node
//   if (errors.Has(job, group)) ...            // nor will another of its role
#ifndef MUSTER_PART_FIT_ERRORS_H_
#define MUSTER_PART_FIT_ERRORS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/model/tables.h"

namespace muster {

class FitErrors {
 public:
  // Per node, not 0 where no eviction would help; null: nowhere, or the class itself tells.
  using Nodes = std::shared_ptr<const std::vector<uint8_t>>;

  void Note(JobIndex job, GroupIndex group, TaskIndex task, Nodes hopeless) {
    std::vector<GroupIndex>& failed = groups_[job];
    if (std::find(failed.begin(), failed.end(), group) == failed.end()) failed.push_back(group);
    hopeless_[task] = std::move(hopeless);
  }

  // Another attempt begins for the task, of a job that is placed domain by domain.
  void Forget(TaskIndex task) { hopeless_.erase(task); }

  // Roles of the job, the unnamed one among them, of which a task found no node.
  std::span<const GroupIndex> groups(JobIndex job) const {
    const auto it = groups_.find(job);
    if (it == groups_.end()) return {};
    return it->second;
  }
  bool Has(JobIndex job, GroupIndex group) const {
    const std::span<const GroupIndex> failed = groups(job);
    return std::find(failed.begin(), failed.end(), group) != failed.end();
  }
  const std::vector<uint8_t>* hopeless(TaskIndex task) const {
    const auto it = hopeless_.find(task);
    return it == hopeless_.end() ? nullptr : it->second.get();
  }

 private:
  HashMap<JobIndex, std::vector<GroupIndex>> groups_;
  HashMap<TaskIndex, Nodes> hopeless_;
};

}  // namespace muster

#endif  // MUSTER_PART_FIT_ERRORS_H_
