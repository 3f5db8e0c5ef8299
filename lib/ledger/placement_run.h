// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Pending tasks of a gang, placed one after the other.
//
//   PlacementRun run(ledger);
//   for (const TaskIndex task : tasks) {
//     if (!run.Add(task)) break;
//   }
//   for (size_t i = 0; i < run.size(); ++i) run.Place(i, NextNode());
//   run.End();   // the books are as after ledger.Move(task, TaskStatus::kPlaced, node) of each
//
// A gang is mostly tasks of one class, or of a few. Moving them one by one charges the same job and
// the same queues as often as there are tasks, and works out for each of them what a node's row
// gains. A run works that out once for all tasks that are charged alike (a kind) and adds it to the
// row of each node. What the job and its queues gain is charged when the run ends, all at once.
// Until then their accounts and their stamps lag behind, and no policy that reads them may be
// asked. Nodes, statuses, the log and the journals of nodes and of the view are brought up to date
// with each placement.
// Failure. While an exception passes, its handler discards the books.
// Cost. O(cells of a node's row) a placement, in one loop; O(dimensions x depth of the queue) for
// each kind.
#ifndef MUSTER_LEDGER_PLACEMENT_RUN_H_
#define MUSTER_LEDGER_PLACEMENT_RUN_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/ledger/ledger.h"

namespace muster {

class PlacementRun {
 public:
  static constexpr size_t kMostKinds = 4;  // a gang of more is placed task by task

  explicit PlacementRun(Ledger& ledger) : ledger_(ledger) {}
  PlacementRun(const PlacementRun&) = delete;
  PlacementRun& operator=(const PlacementRun&) = delete;

  // Adds the task behind the others. Returns false, and adds nothing, if it cannot be in the run:
  // it is not pending, is of no job or another one, is watched by a book, or of one kind too many,
  // or some task has a promise.
  bool Add(TaskIndex task);
  size_t size() const { return tasks_.size(); }
  TaskIndex task(size_t i) const { return tasks_[i].task; }
  size_t kind(size_t i) const { return tasks_[i].kind; }

  size_t kinds() const { return kinds_.size(); }
  TaskIndex first(size_t kind) const { return kinds_[kind].first; }
  // What a placement of the kind adds to the row of its node (Ledger::node_row).
  std::span<const int64_t> change(size_t kind) const { return kinds_[kind].change; }

  // Moves the i-th task to the node. REQUIRES: it was not moved.
  void Place(size_t i, NodeIndex node);
  // Charges job and queues for all that was placed since the last call.
  void End();

 private:
  struct Task {
    TaskIndex task;
    uint32_t kind;
  };
  struct Kind {
    TaskIndex first;
    int evictable;
    int placed;
    std::vector<int64_t> change;
  };
  bool Serves(TaskIndex task) const;
  bool Alike(TaskIndex a, TaskIndex b) const;
  void AddKind(TaskIndex first);

  Ledger& ledger_;
  std::vector<Task> tasks_;
  std::vector<Kind> kinds_;
};

}  // namespace muster

#endif  // MUSTER_LEDGER_PLACEMENT_RUN_H_
