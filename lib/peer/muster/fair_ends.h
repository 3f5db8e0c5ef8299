// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// When the tasks that hold places should end, by time. A living cluster keeps the list from cycle
// to cycle.
//
//   FairEnds ends;
//   for (const auto& [end, task] : ends.Known(context)) ...   // on the books as they are
//
// A task should end at its `expected_end`; else `estimate` or `max_runtime` seconds after its
// start, whichever is less; and just after now if that has passed. One with none of these ends at
// FairEnds::kUnknown.
//
// The list has two sources. The ledger's journal of tasks names those that may have got or left a
// place since the list was last brought up to date: they are read again from the tables, which have
// the books as the cycle opened. Then tasks that the cycle itself moved are listed as the books
// have them. An end that has passed, or that of a task that has not started, moves with the time
// and is worked out in each list.
//
// Guarantee. The list is what sorting the ends of all tasks anew gives.
// Cost. O(tasks with an end), with a sort of those alone that changed since the last list. The
// first list: O(tasks), and a sort of those with an end.
#ifndef MUSTER_PEER_MUSTER_FAIR_ENDS_H_
#define MUSTER_PEER_MUSTER_FAIR_ENDS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "lib/part/context.h"

namespace muster {

// Returns the lifetime of the task, or else of its job; null: neither has one.
const Lifetime* LifetimeOf(const Tables& tables, TaskIndex task);
// Returns the seconds that the tasks of a job run, by what is known of all of them; kAbsent: it is
// not known.
int64_t RunOf(const JobSpec& job);

class FairEnds {
 public:
  static constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();
  using End = std::pair<int64_t, TaskIndex>;

  // Returns the ends that are known of all tasks that hold a place, ascending; valid until the next
  // call.
  std::span<const End> Known(const ActionContext& context);
  // Returns those of all other tasks that hold a place, each at kUnknown. O(tasks).
  static std::vector<End> Unknown(const ActionContext& context);
  // Returns the end of a task.
  static int64_t Of(const ActionContext& context, TaskIndex task);

 private:
  // Returns when the task should end if it had all its time, and starts at `start` unless it has.
  static int64_t TimeOf(const ActionContext& context, TaskIndex task, int64_t start);
  void Follow(const ActionContext& context);
  void Add(const ActionContext& context, TaskIndex task);

  // Of tasks that held a place when the cycle opened: when they should end, in order; and those
  // that had not started.
  std::vector<End> ends_, unstarted_;
  std::vector<uint8_t> listed_;  // by task: it is in one of these
  // Of the ledger's journal of tasks, and how far it was read. 0: what is known is not whole.
  uint64_t birth_ = 0;
  size_t position_ = 0;
  std::vector<End> list_;
};

}  // namespace muster

#endif  // MUSTER_PEER_MUSTER_FAIR_ENDS_H_
