// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's memory of tasks that found no node, kept for the whole cycle.
//
//   FitErrors& errors = context.memory<FitErrors>();
//   errors.NoteNoNode(task, Want::kNow, refused);   // the task found no node
//   if (errors.Has(job, group)) ...                 // nor will another of its role
//
// Once a task of a role found no node, no later allocate tries another task of that role. preempt
// and reclaim pass over the nodes where no eviction would have helped the task when it was last
// refused, whatever has changed since.
//
// Cost. O(1) a note where the search finds by itself which nodes are hopeless, else O(nodes) time
// and memory.
#ifndef MUSTER_PEER_VOLCANO_ACTION_FIT_ERRORS_H_
#define MUSTER_PEER_VOLCANO_ACTION_FIT_ERRORS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/part/context.h"

namespace muster {

class FitErrors : public CycleMemory {
 public:
  explicit FitErrors(ActionContext& context) : context_(context) {}

  // Notes that the task found no node. `refused`: the nodes that its role's memory passed over or
  // added (role_memory.h); null: it has no memory, and all nodes are searched with `want`.
  void NoteNoNode(TaskIndex task, Want want, const std::vector<uint8_t>* refused);
  // Notes that the task was not tried, because another of its role found no node.
  void NoteUntried(TaskIndex task) { Note(task, nullptr); }
  // Notes that another attempt begins for the task, of a job that is placed domain by domain.
  void Forget(TaskIndex task) { hopeless_.erase(task); }

  // Returns the roles of the job, the unnamed one among them, of which a task found no node.
  std::span<const GroupIndex> groups(JobIndex job) const;
  bool Has(JobIndex job, GroupIndex group) const;
  // Returns a value per node, not 0 where no eviction would help the task. Null: there is no such
  // node, or the search decides by the class.
  const std::vector<uint8_t>* hopeless(TaskIndex task) const {
    const auto it = hopeless_.find(task);
    return it == hopeless_.end() ? nullptr : it->second.get();
  }

  // Returns whether tasks of the role have a name in common and are not all of one class.
  bool IsMixed(JobIndex job, GroupIndex group);

 private:
  using Nodes = std::shared_ptr<const std::vector<uint8_t>>;
  void Note(TaskIndex task, Nodes hopeless);

  ActionContext& context_;
  HashMap<JobIndex, std::vector<GroupIndex>> groups_;
  HashMap<TaskIndex, Nodes> hopeless_;
  HashMap<JobIndex, std::vector<uint8_t>> mixed_;  // by role
};

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_ACTION_FIT_ERRORS_H_
