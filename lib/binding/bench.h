// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A Workbench for callers that may pass anything: rows are numbers that are checked, savepoints are
// handles.
//
//   Bench bench(workbench);
//   const absl::StatusOr<int64_t> before = bench.Save();
//   const absl::StatusOr<TaskIndex> task = bench.Task(number);
//   if (task.ok() && workbench.Place(*task) != kNone) return bench.Commit(*before);
//
// A savepoint is over once the action has rolled back to an earlier one, or committed anything:
// moves that were committed are not taken back.
#ifndef MUSTER_BINDING_BENCH_H_
#define MUSTER_BINDING_BENCH_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "muster/action.h"

namespace muster::binding {

class Bench {
 public:
  explicit Bench(Workbench& workbench) : workbench_(workbench) {}

  Workbench& workbench() const { return workbench_; }

  // Return the row of that number. Fail with OutOfRange if there is none, or it was removed.
  absl::StatusOr<TaskIndex> Task(int64_t row) const;
  absl::StatusOr<NodeIndex> Node(int64_t row) const;
  absl::StatusOr<JobIndex> Job(int64_t row) const;
  absl::StatusOr<QueueIndex> Queue(int64_t row) const;

  // As Workbench::Reserve. Fails with InvalidArgument for a deadline or a group that no task may
  // have.
  absl::StatusOr<NodeIndex> Reserve(TaskIndex task, std::optional<int64_t> until,
                                    std::string_view waiting_group);

  // Workbench::Save, Commit and Rollback, by handles. Commit and Rollback fail with
  // FailedPrecondition for a savepoint that is over or was never made.
  int64_t Save();
  absl::Status Commit(int64_t savepoint);
  absl::Status Rollback(int64_t savepoint);

 private:
  struct Saved {
    int64_t handle;
    Workbench::Savepoint savepoint;
  };
  // Returns the place in saved_.
  absl::StatusOr<size_t> Find(int64_t savepoint) const;

  Workbench& workbench_;
  int64_t next_ = 0;          // handles are never used twice
  std::vector<Saved> saved_;  // those that are not over, in their order
};

}  // namespace muster::binding

#endif  // MUSTER_BINDING_BENCH_H_
