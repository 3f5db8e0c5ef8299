// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/policy/history_slots.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

using SlotKind = HistorySlots::Kind;

uint32_t KeysOf(const SlotKind& kind) { return kind.user.empty() ? kRunKeysWithoutUser : kRunKeys; }

// The user stands last, because a name may hold spaces.
std::string RowOf(uint32_t level, const SlotKind& kind) {
  switch (level) {
    case 0:
      return "0";
    case 1:
      return absl::StrCat("1 ", RunMagnitude(kind.estimate), " ", RunMagnitude(kind.size));
    case 2:
      return absl::StrCat("2 ", ToAbsl(kind.user));
    case 3:
      return absl::StrCat("3 ", kind.estimate, " ", ToAbsl(kind.user));
    default:
      return absl::StrCat("4 ", kind.estimate, " ", kind.size, " ", ToAbsl(kind.user));
  }
}

int64_t IntegerAt(const MemoryRow& row, size_t cell) {
  const int64_t* value = cell < row.size() ? std::get_if<int64_t>(&row[cell]) : nullptr;
  return value == nullptr ? 0 : *value;
}

double RealAt(const MemoryRow& row, size_t cell) {
  const double* value = cell < row.size() ? std::get_if<double>(&row[cell]) : nullptr;
  return value == nullptr ? 0 : *value;
}

SlotKind KindAt(const MemoryRow& row) {
  const std::string* user = row.size() > 3 ? std::get_if<std::string>(&row[3]) : nullptr;
  return {.user = user == nullptr ? std::string_view() : *user,
          .estimate = IntegerAt(row, 1),
          .size = IntegerAt(row, 2)};
}

}  // namespace

void RecentRuns::Open(const MemorySlots& slots) {
  known_ = std::exchange(kept_, false) &&
           slots.Recall(kHistorySlot.slot).rows().SharesAllWith(history_.rows()) &&
           slots.Recall(kRecentSlot.slot).rows().SharesAllWith(recent_.rows());
}

void RecentRuns::Close(const MemorySlots& slots) {
  history_ = slots.Recall(kHistorySlot.slot);
  recent_ = slots.Recall(kRecentSlot.slot);
  kept_ = known_;
}

RunSums HistorySlots::SumsOf(const std::string& key) const {
  const MemoryRow* row = slots_.Recall(kHistorySlot.slot).Find(key);
  if (row == nullptr) return {};
  return {.count = RealAt(*row, 0), .run = RealAt(*row, 1), .inverse = RealAt(*row, 2)};
}

void HistorySlots::ReadRecent() const {
  if (std::exchange(recent_.known_, true)) return;
  recent_.runs_.clear();
  recent_.all_ = SumsOf(RowOf(0, {}));
  for (const auto& [name, row] : slots_.Recall(kRecentSlot.slot).rows()) {
    Append(name, KindAt(row), IntegerAt(row, 0));
  }
}

void HistorySlots::Append(std::string_view name, const Kind& kind, int64_t run) const {
  recent_.all_.Add(0, run);
  recent_.last_name_ = name;
  recent_.runs_.push_back({run, kind.estimate, kind.size, RunMagnitude(kind.estimate),
                           RunMagnitude(kind.size), std::string(kind.user)});
}

double HistorySlots::Length(const Kind& kind) const {
  ReadRecent();
  const uint32_t levels = KeysOf(kind);
  std::array<RunSums, kRunKeys> sums;
  sums[0] = recent_.all_;
  for (uint32_t level = 1; level < levels; ++level) sums[level] = SumsOf(RowOf(level, kind));
  const int64_t estimate = RunMagnitude(kind.estimate), size = RunMagnitude(kind.size);
  for (const RecentRuns::Run& other : recent_.runs_) {
    if (other.estimate_magnitude == estimate && other.size_magnitude == size) {
      sums[1].Add(1, other.run);
    }
    // Each key from here on has all that the one before it has.
    if (levels <= kRunKeysWithoutUser || other.user != kind.user) continue;
    sums[2].Add(2, other.run);
    if (other.estimate != kind.estimate) continue;
    sums[3].Add(3, other.run);
    if (other.size == kind.size) sums[4].Add(4, other.run);
  }
  RunGuess guess(kind.estimate);
  for (uint32_t level = 0; level < levels; ++level) {
    if (sums[level].count > 0) guess.Pull(level, sums[level]);
  }
  return guess.Length();
}

void HistorySlots::Learn(const Kind& kind, int64_t run) {
  ReadRecent();
  MemorySlot& recent = slots_.Remember(kRecentSlot.slot);
  const std::string name = absl::StrFormat("%03d", recent.rows().size());
  // Rows that others wrote may have any names.
  const bool is_last = recent_.runs_.empty() || recent_.last_name_ < name;
  recent.Set(name, {run, kind.estimate, kind.size, std::string(kind.user)});
  if (is_last) {
    Append(name, kind, run);
  } else {
    recent_.known_ = false;
  }
  if (recent.rows().size() >= kMostRecent) Fold();
}

// Each sum takes its jobs in their order, and its row is written once.
void HistorySlots::Fold() {
  MemorySlot& sums = slots_.Remember(kHistorySlot.slot);
  MemorySlot& recent = slots_.Remember(kRecentSlot.slot);
  HashMap<std::string, RunSums> grown;
  for (const auto& [number, row] : recent.rows()) {
    const Kind kind = KindAt(row);
    for (uint32_t level = 0; level < KeysOf(kind); ++level) {
      const auto [at, added] = grown.try_emplace(RowOf(level, kind));
      if (added) at->second = SumsOf(at->first);
      at->second.Add(level, IntegerAt(row, 0));
    }
  }
  for (const auto& [key, all] : grown) sums.Set(key, {all.count, all.run, all.inverse});
  recent = MemorySlot();
  recent_.known_ = false;
}

}  // namespace muster
