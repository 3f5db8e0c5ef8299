// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Records, and tasks that are counts. A record names other rows and is not linked to them, so it
// may come before them and stay behind them.
#include <algorithm>
#include <limits>
#include <utility>

#include "lib/model/editor.h"

namespace muster {

template <class Spec>
void Editor::Put(RecordTable<Spec> Tables::*table, const Spec& spec) {
  RecordTable<Spec>& records = Change().*table;
  const std::optional<uint32_t> known = records.names.Find(spec.name);
  const uint32_t row = known.has_value() ? *known : records.names.Intern(spec.name);
  if (!known.has_value()) {
    records.alive.push_back(1);
    records.spec.emplace_back();
    ++living_;
  }
  records.spec[row] = spec;
  Log(Change::Table::kOther, row);
}

template <class Spec>
bool Editor::Erase(RecordTable<Spec> Tables::*table, std::string_view name) {
  if (!(tables_.get()->*table).names.Find(name)) return false;
  RecordTable<Spec>& records = Change().*table;
  const uint32_t row = *records.names.Erase(name);
  records.alive[row] = 0;
  records.spec[row] = {};
  --living_;
  Log(Change::Table::kOther, row);
  return true;
}

void Editor::PutRecord(const FlavorSpec& spec) { Put(&Tables::flavors, spec); }
void Editor::PutRecord(const PartitionSpec& spec) { Put(&Tables::partitions, spec); }
void Editor::PutRecord(const ReservationSpec& spec) { Put(&Tables::reservations, spec); }

bool Editor::EraseRecord(RowKind kind, std::string_view name) {
  switch (kind) {
    case RowKind::kFlavor:
      return Erase(&Tables::flavors, name);
    case RowKind::kPartition:
      return Erase(&Tables::partitions, name);
    case RowKind::kReservation:
      return Erase(&Tables::reservations, name);
    default:
      return false;
  }
}

bool HasCounts(const JobSpec& spec) {
  return std::ranges::any_of(spec.groups,
                             [](const GroupSpec& group) { return group.by_count.has_value(); });
}

void Editor::SuspendCounts(JobIndex job) {
  if (!HasCounts(tables().jobs.spec[job])) return;
  for (GroupSpec& group : Change().jobs.spec[job].groups) {
    if (group.by_count) group.by_count->admitted = group.by_count->running = 0;
  }
  Log(Change::Table::kJob, job);
}

Editor::Rank Editor::RankOf(TaskIndex task) const {
  const TaskTable& tasks = tables_->tasks;
  return {tasks.group[task], tasks.ordinal[task], task};
}

absl::btree_set<Editor::Rank>* Editor::RanksOf(JobIndex job) {
  const auto known = job_numbers_.find(job);
  return known == job_numbers_.end() || !known->second.ranks ? nullptr : &*known->second.ranks;
}

int64_t Editor::NextOrdinal(JobIndex job, GroupIndex group) {
  if (RanksOf(job) == nullptr) {
    absl::btree_set<Rank> all;
    for (const TaskIndex task : tables_->jobs.tasks[job]) {
      if (tables_->tasks.ordinal[task] != kAbsent) all.insert(RankOf(task));
    }
    job_numbers_[job].ranks = std::move(all);
  }
  const absl::btree_set<Rank>& ranks = *RanksOf(job);
  auto last = ranks.lower_bound({.group = GroupIndex(group + 1), .ordinal = 0, .task = 0});
  if (last == ranks.begin() || (--last)->group != group) return 0;
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
  return last->ordinal == kLast ? kLast : last->ordinal + 1;
}

void Editor::MakeTasks(JobIndex job, size_t group, int64_t first, int64_t count,
                       const CheckedShape& shape) {
  Tables& t = Change();
  GroupSpec& spec = t.jobs.spec[job].groups[group];
  TaskRow row = RowOfGroup(job, spec, shape);
  for (row.ordinal = first; row.ordinal < first + count; ++row.ordinal) {
    PutRow(kNone, GroupTaskName(t.jobs.spec[job].name, spec.name, row.ordinal), row);
  }
  ByCount& left = *spec.by_count;
  left.count -= count;
  left.admitted = std::min(left.admitted, left.count);
  left.running = std::min(left.running, left.admitted);
  if (left.min_count) left.min_count = std::min(*left.min_count, left.count);
  if (left.count == 0) {
    spec.by_count.reset();
    t.jobs.by_count -= !HasCounts(t.jobs.spec[job]);
  }
  Log(Change::Table::kJob, job);
}

}  // namespace muster
