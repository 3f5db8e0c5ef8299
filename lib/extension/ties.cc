// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/extension/ties.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/rng.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

std::vector<uint32_t> Living(const std::vector<uint8_t>& alive) {
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < alive.size(); ++i) {
    if (alive[i]) rows.push_back(i);
  }
  return rows;
}

uint64_t HashOf(std::string_view name, uint64_t seed) {
  uint64_t hash = SplitMix64(seed ^ name.size());
  for (const char byte : name) hash = SplitMix64(hash ^ static_cast<uint8_t>(byte));
  return hash;
}

}  // namespace

std::string_view TieRuleName(TieRule rule) {
  static constexpr std::string_view kNames[kTieRuleCount] = {"insertion", "name", "seed",
                                                             "least-recent"};
  return kNames[static_cast<int>(rule)];
}

void TieRanks::Open(TieRule rule, std::string_view kind, const NameTable& names,
                    const std::vector<uint8_t>& alive, const Cycle& cycle) {
  kind_ = kind;
  names_ = &names;
  cycle_ = &cycle;
  places_.clear();
  recent_ = rule == TieRule::kLeastRecent;
  pruned_ = false;
  if (rule == TieRule::kInsertion) return;
  places_.assign(alive.size(), 0);
  if (rule == TieRule::kName) ByName(alive);
  if (rule == TieRule::kSeed) BySeed(alive, cycle.seed());
  if (recent_) ByUse(alive);
}

void TieRanks::ByName(const std::vector<uint8_t>& alive) {
  std::vector<uint32_t> rows = Living(alive);
  std::sort(rows.begin(), rows.end(),
            [&](uint32_t a, uint32_t b) { return names_->name(a) < names_->name(b); });
  for (uint32_t i = 0; i < rows.size(); ++i) places_[rows[i]] = i;
}

void TieRanks::BySeed(const std::vector<uint8_t>& alive, uint64_t seed) {
  std::vector<std::pair<uint64_t, uint32_t>> rows;
  for (const uint32_t row : Living(alive)) rows.emplace_back(HashOf(names_->name(row), seed), row);
  std::sort(rows.begin(), rows.end());
  for (uint32_t i = 0; i < rows.size(); ++i) places_[rows[i].second] = i;
}

void TieRanks::ByUse(const std::vector<uint8_t>& alive) {
  const MemorySlot& slot = cycle_->Recall(kTieSlot);
  std::vector<std::pair<int64_t, uint32_t>> used;
  for (const uint32_t row : Living(alive)) {
    if (const int64_t use = slot.Integer(KeyOf(row)); use > 0) used.emplace_back(use, row);
  }
  std::sort(used.begin(), used.end());
  for (uint32_t i = 0; i < used.size(); ++i) places_[used[i].second] = i + 1;
  next_place_ = static_cast<uint32_t>(used.size()) + 1;
  next_use_ = used.empty() ? 1 : used.back().first + 1;
}

std::string TieRanks::KeyOf(uint32_t row) const {
  return absl::StrCat(ToAbsl(kind_), "/", ToAbsl(names_->name(row)));
}

void TieRanks::Remember(uint32_t row) {
  MemorySlot& slot = cycle_->Remember(kTieSlot);
  if (!pruned_) {
    // Erases the rows that were removed.
    const std::string prefix = absl::StrCat(ToAbsl(kind_), "/");
    slot.EraseIf([&](std::string_view key) {
      return key.starts_with(prefix) && !names_->Find(key.substr(prefix.size()));
    });
    pruned_ = true;
  }
  places_[row] = next_place_++;
  slot.Set(KeyOf(row), {next_use_++});
}

}  // namespace muster
