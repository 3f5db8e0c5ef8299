// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/policy/history_slots.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "muster/types.h"

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
  known_ = std::exchange(kept_, false) && kept() <= kMostKept &&
           slots.Recall(kHistorySlot.slot).rows().SharesAllWith(history_.rows()) &&
           slots.Recall(kRecentSlot.slot).rows().SharesAllWith(recent_.rows());
}

// To compare rows costs less than to copy them, and most cycles change few of them.
void RecentRuns::Close(const MemorySlots& slots) {
  const auto keep = [&](const MemoryDecl& decl, MemorySlot* slot) {
    const MemorySlot& now = slots.Recall(decl.slot);
    if (!now.rows().SharesAllWith(slot->rows())) *slot = now;
  };
  keep(kHistorySlot, &history_);
  keep(kRecentSlot, &recent_);
  kept_ = known_;
}

uint32_t RecentRuns::NumberOf(std::string_view user) {
  if (user.empty()) return kNone;
  const auto found = users_.find(user);
  if (found != users_.end()) return found->second;
  const auto number = static_cast<uint32_t>(users_.size());
  users_.try_emplace(std::string(user), number);
  return number;
}

RunSums HistorySlots::SumsOf(const std::string& key) const {
  const MemoryRow* row = slots_.Recall(kHistorySlot.slot).Find(key);
  if (row == nullptr) return {};
  return {.count = RealAt(*row, 0), .run = RealAt(*row, 1), .inverse = RealAt(*row, 2)};
}

const RunSums& HistorySlots::AllOf(uint32_t level, const Kind& kind, const RunKind& known) const {
  const RunKey key = RunKeyOf(level, known);
  const auto [at, added] = recent_.sums_.try_emplace(key);
  if (!added) return at->second;
  at->second = SumsOf(RowOf(level, kind));
  for (const RecentRuns::Run& other : recent_.runs_) {
    if (level < RunKeysOf(other.kind) && RunKeyOf(level, other.kind) == key) {
      at->second.Add(level, other.run);
    }
  }
  return at->second;
}

void HistorySlots::ReadRecent() const {
  if (std::exchange(recent_.known_, true)) return;
  recent_.runs_.clear();
  recent_.sums_.clear();
  recent_.users_.clear();
  for (const auto& [name, row] : slots_.Recall(kRecentSlot.slot).rows()) {
    Append(name, KindAt(row), IntegerAt(row, 0));
  }
}

void HistorySlots::Append(std::string_view name, const Kind& kind, int64_t run) const {
  const RunKind known{recent_.NumberOf(kind.user), kind.estimate, kind.size};
  for (uint32_t level = 0; level < RunKeysOf(known); ++level) {
    const auto sums = recent_.sums_.find(RunKeyOf(level, known));
    if (sums != recent_.sums_.end()) sums->second.Add(level, run);
  }
  recent_.last_name_ = name;
  recent_.runs_.push_back({run, known});
}

double HistorySlots::Length(const Kind& kind) const {
  ReadRecent();
  const RunKind known{recent_.NumberOf(kind.user), kind.estimate, kind.size};
  RunGuess guess(kind.estimate);
  for (uint32_t level = 0; level < RunKeysOf(known); ++level) {
    const RunSums& sums = AllOf(level, kind, known);
    if (sums.count > 0) guess.Pull(level, sums);
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
  bool finite = true;
  for (const auto& [key, all] : grown) {
    finite &= std::isfinite(all.count) && std::isfinite(all.run) && std::isfinite(all.inverse);
    sums.Set(key, {all.count, all.run, all.inverse});
  }
  recent = MemorySlot();
  if (!finite) recent_.known_ = false;  // rows hold other numbers in their place
  recent_.runs_.clear();
  recent_.last_name_.clear();
}

}  // namespace muster
