// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Pending tasks that are charged alike, placed one after the other.
//
//   {
//     AlikeRun run(ledger, tasks[0], TaskStatus::kPlaced);
//     for (const TaskIndex task : tasks) {
//       if (run.Takes(task)) run.Place(task, NextNode());
//     }
//   }   // the books are as after ledger.Move(task, TaskStatus::kPlaced, node) of each
//
// A gang is mostly tasks of one class, job, group and sub-group. Moving them one by one charges the
// same job and the same queues as often as there are tasks, and works out for each of them what a
// node's row gains. A run works that out once (`change`) and adds it to the row of each node. What
// the job and its queues gain is charged when the run ends, all at once. Until then their accounts
// and their stamps lag behind, and nobody may ask a policy that reads them. Nodes, statuses, the
// log and the journals of nodes and of the view are brought up to date with each placement.
// Failure. While an exception passes, its handler discards the books.
// Cost. O(cells of a node's row) a placement, in one loop; O(dimensions x depth of the queue) a
// run.
#ifndef MUSTER_LEDGER_ALIKE_RUN_H_
#define MUSTER_LEDGER_ALIKE_RUN_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lib/ledger/ledger.h"

namespace muster {

class AlikeRun {
 public:
  // Returns whether the task can be the first of a run: it is pending, has a job, and no book
  // watches its moves.
  static bool Serves(const Ledger& ledger, TaskIndex task);

  // `to`: kPlaced or kNominated. REQUIRES: Serves(ledger, first).
  AlikeRun(Ledger& ledger, TaskIndex first, TaskStatus to);
  AlikeRun(const AlikeRun&) = delete;
  AlikeRun& operator=(const AlikeRun&) = delete;
  ~AlikeRun() { ledger_.ChargeRun(first_, to_, count_); }

  // Returns whether the task, in its place, would be charged as the first was.
  bool Takes(TaskIndex task) const;
  // Moves the task to the node. REQUIRES: Takes(task).
  void Place(TaskIndex task, NodeIndex node);

  // What a placement adds to the row of its node (Ledger::node_row).
  std::span<const int64_t> change() const { return change_; }
  int count() const { return count_; }  // of placements

 private:
  Ledger& ledger_;
  const TaskIndex first_;
  const TaskStatus to_;
  const bool in_view_;
  const StatusRow effect_;
  std::vector<int64_t> change_;
  int count_ = 0;
};

}  // namespace muster

#endif  // MUSTER_LEDGER_ALIKE_RUN_H_
