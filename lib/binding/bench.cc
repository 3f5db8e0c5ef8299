// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/binding/bench.h"

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/validate.h"

namespace muster::binding {
namespace {

template <class Id, class Alive>
absl::StatusOr<Id> Row(std::string_view kind, int64_t row, size_t count, const Alive& alive) {
  if (row < 0 || static_cast<size_t>(row) >= count || !alive(Id(row))) {
    return absl::OutOfRangeError(absl::StrCat("there is no ", ToAbsl(kind), " ", row));
  }
  return Id(row);
}

}  // namespace

absl::StatusOr<TaskIndex> Bench::Task(int64_t row) const {
  const Cycle& cycle = workbench_.cycle();
  return Row<TaskIndex>("task", row, cycle.task_count(),
                        [&](TaskIndex t) { return cycle.task_alive(t); });
}

absl::StatusOr<NodeIndex> Bench::Node(int64_t row) const {
  const Cycle& cycle = workbench_.cycle();
  return Row<NodeIndex>("node", row, cycle.node_count(),
                        [&](NodeIndex n) { return cycle.node_alive(n); });
}

absl::StatusOr<JobIndex> Bench::Job(int64_t row) const {
  const Cycle& cycle = workbench_.cycle();
  return Row<JobIndex>("job", row, cycle.job_count(),
                       [&](JobIndex j) { return cycle.job_alive(j); });
}

absl::StatusOr<NodeIndex> Bench::Reserve(TaskIndex task, std::optional<int64_t> until,
                                         std::string_view waiting_group) {
  Checker check("task", workbench_.cycle().task_name(task));
  CheckWait(until, waiting_group, check);
  if (!check.ok()) return check.status();
  return workbench_.Reserve(task, until.value_or(kAbsent), waiting_group);
}

absl::StatusOr<QueueIndex> Bench::Queue(int64_t row) const {
  const Cycle& cycle = workbench_.cycle();
  return Row<QueueIndex>("queue", row, cycle.queue_count(),
                         [&](QueueIndex q) { return cycle.queue_alive(q); });
}

int64_t Bench::Save() {
  saved_.push_back({next_, workbench_.Save()});
  return next_++;
}

absl::StatusOr<size_t> Bench::Find(int64_t savepoint) const {
  for (size_t i = saved_.size(); i-- > 0;) {
    if (saved_[i].handle == savepoint) return i;
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "savepoint ", savepoint,
      " is over; must be one that no commit and no rollback to an earlier one has followed"));
}

absl::Status Bench::Commit(int64_t savepoint) {
  const absl::StatusOr<size_t> place = Find(savepoint);
  if (!place.ok()) return place.status();
  workbench_.Commit(saved_[*place].savepoint);
  saved_.clear();
  return absl::OkStatus();
}

absl::Status Bench::Rollback(int64_t savepoint) {
  const absl::StatusOr<size_t> place = Find(savepoint);
  if (!place.ok()) return place.status();
  workbench_.Rollback(saved_[*place].savepoint);
  saved_.resize(*place + 1);
  return absl::OkStatus();
}

}  // namespace muster::binding
