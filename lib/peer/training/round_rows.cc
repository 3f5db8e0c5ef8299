// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/training/round_rows.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/extension/cycle.h"
#include "lib/peer/training/service_rows.h"

namespace muster {
namespace {

constexpr std::string_view kRoundRow = "round", kJobStart = "job/";
constexpr size_t kFirstType = 3, kCellsOfType = 4;  // cells of a job's row
constexpr int64_t kMostSeconds = int64_t{1} << 40;

std::string RowOf(std::string_view job) { return absl::StrCat(ToAbsl(kJobStart), ToAbsl(job)); }

}  // namespace

RoundRows::RoundRows(const Cycle& cycle, const GpuTypes& types)
    : cycle_(cycle),
      types_(types),
      tables_(internal::DataOf(cycle).tables),
      ledger_(internal::DataOf(cycle).ledger),
      slot_(cycle.Remember(kRoundsSlot.slot)) {
  is_first_ = slot_.Find(kRoundRow) == nullptr;
  number_ = slot_.Integer(kRoundRow, 0);
  last_reset_ = slot_.Integer(kRoundRow, 1, cycle.now());
  changed_ = slot_.Integer(kRoundRow, 2) != 0;
  const JobTable& jobs = tables_.jobs;
  slot_.EraseIf([&](std::string_view key) {
    if (!key.starts_with(kJobStart)) return key != kRoundRow;
    const std::optional<JobIndex> job = jobs.names.Find(key.substr(kJobStart.size()));
    if (job && jobs.alive[*job]) return false;
    changed_ = true;
    return true;
  });
  WriteRound();
}

bool RoundRows::Begins(int64_t round) {
  const int64_t now = cycle_.now();
  const int64_t number = now / round - (now % round < 0);
  const bool begins = is_first_ || number != number_;
  number_ = number;
  WriteRound();
  return begins;
}

RoundJob RoundRows::Read(JobIndex job) const {
  RoundJob row;
  row.had.assign(types_.size(), 0);
  row.owed = row.due = row.had;
  row.type = types_.size();
  const std::string key = RowOf(tables_.jobs.names.name(job));
  const MemoryRow* cells = slot_.Find(key);
  if (cells == nullptr) return row;
  row.noted = true;
  if (slot_.Integer(key, 1) != 0) row.type = types_.Find(slot_.Text(key, 2));
  for (size_t cell = kFirstType; cell + kCellsOfType <= cells->size(); cell += kCellsOfType) {
    const size_t type = types_.Find(slot_.Text(key, cell));
    if (type == types_.size()) continue;
    row.had[type] = std::clamp<int64_t>(slot_.Integer(key, cell + 1), 0, kMostSeconds);
    row.owed[type] = slot_.Integer(key, cell + 2);
    row.due[type] = std::clamp<int64_t>(slot_.Integer(key, cell + 3), 0, kDueParts);
  }
  Count(job, slot_.Integer(key, 0, cycle_.now()), &row);
  return row;
}

void RoundRows::Count(JobIndex job, int64_t seen, RoundJob* row) const {
  const int64_t now = cycle_.now(), passed = SecondsBetween(seen, now);
  std::vector<int64_t> longest(types_.size(), 0);
  for (const TaskIndex task : tables_.jobs.tasks[job]) {
    const TaskStatus status = ledger_.status(task);
    if (!IsAllocated(status) && status != TaskStatus::kReleasing) continue;
    const size_t type = types_.of_node(ledger_.node_of(task));
    if (type == types_.size()) continue;
    const int64_t started = tables_.tasks.started[task];
    const int64_t from = started == kAbsent ? seen : std::max(seen, started);
    longest[type] = std::max(longest[type], SecondsBetween(from, now));
  }
  for (size_t type = 0; type < longest.size(); ++type) {
    row->had[type] = std::min(SatAdd(row->had[type], longest[type]), kMostSeconds);
    const int64_t due = SatMul(row->due[type], passed);
    row->owed[type] = SatAdd(row->owed[type], SatAdd(due, -SatMul(longest[type], kDueParts)));
  }
}

void RoundRows::Write(JobIndex job, const RoundJob& row) {
  const bool has_type = row.type < types_.size();
  MemoryRow cells = {cycle_.now(), int64_t{has_type},
                     has_type ? types_.name(row.type) : std::string()};
  for (size_t type = 0; type < types_.size(); ++type) {
    if (row.had[type] == 0 && row.owed[type] == 0 && row.due[type] == 0) continue;
    cells.insert(cells.end(), {types_.name(type), row.had[type], row.owed[type], row.due[type]});
  }
  slot_.Set(RowOf(tables_.jobs.names.name(job)), std::move(cells));
}

bool RoundRows::Reset(int64_t least) {
  const bool resets = is_first_ || (changed_ && SecondsBetween(last_reset_, cycle_.now()) >= least);
  if (resets) {
    last_reset_ = cycle_.now();
    changed_ = false;
  }
  WriteRound();
  return resets;
}

void RoundRows::WriteRound() { slot_.Set(kRoundRow, {number_, last_reset_, int64_t{changed_}}); }

}  // namespace muster
