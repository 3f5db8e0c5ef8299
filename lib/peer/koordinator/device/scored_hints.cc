// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/device/scored_hints.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster {
namespace {

constexpr uint64_t kMostCombinations = uint64_t{1} << 24;

// The result of a part of a combination.
struct HintPart {
  uint64_t common;
  bool named = false;  // by any hint
  uint64_t first = 0;  // if so: the first set
  int widest = 0;
  bool preferred = true, unsatisfied = false;
};

class Merger {
 public:
  Merger(uint64_t zones, std::span<const ZoneState> alone) : alone_(alone), zones_(zones) {
    best_.zones = zones;
  }

  std::vector<std::vector<ScoredHint>>& lists() { return lists_; }

  const ScoredHint& Run() {
    chosen_.resize(lists_.size());
    Visit(0, {.common = zones_});
    return best_;
  }

 private:
  void Visit(size_t i, const HintPart& so_far) {
    if (so_far.common == 0) return;
    if (i == lists_.size()) {
      Consider(so_far);
      return;
    }
    for (const ScoredHint& hint : lists_[i]) {
      chosen_[i] = &hint;
      HintPart part = so_far;
      if (hint.zones.has_value()) {
        part.common &= *hint.zones;
        if (!part.named) part.first = *hint.zones;
        part.named = true;
        if (part.first != *hint.zones) part.preferred = false;
        part.widest = std::max(part.widest, std::popcount(*hint.zones));
      }
      if (!hint.preferred) part.preferred = false;
      if (hint.unsatisfied) part.unsatisfied = true;
      Visit(i + 1, part);
    }
  }

  void Consider(const HintPart& part) {
    const int count = std::popcount(part.common);
    ScoredHint hint{.zones = part.common, .preferred = part.preferred && MayBeAlone(part.common)};
    hint.unsatisfied = part.unsatisfied || (part.named && part.widest != count);
    for (const ScoredHint* one : chosen_) {
      if (one->zones == hint.zones) hint.score += one->score;
    }
    if (hint.preferred != best_.preferred) {
      if (hint.preferred) best_ = hint;
      return;
    }
    const int best_count = std::popcount(*best_.zones);
    const bool better = count != best_count
                            ? count < best_count
                            : *hint.zones < *best_.zones || hint.score > best_.score;
    if (better) best_ = hint;
  }

  bool MayBeAlone(uint64_t zones) const {
    const ZoneState refused = std::popcount(zones) > 1 ? ZoneState::kSingle : ZoneState::kShared;
    for (size_t zone = 0; zone < alone_.size() && zone < 64; ++zone) {
      if ((zones >> zone & 1) != 0 && alone_[zone] == refused) return false;
    }
    return true;
  }

  std::span<const ZoneState> alone_;
  uint64_t zones_;
  std::vector<std::vector<ScoredHint>> lists_;
  absl::InlinedVector<const ScoredHint*, 8> chosen_;
  ScoredHint best_;
};

bool IsOfOneZone(const ScoredHint& hint) {
  return hint.preferred && (!hint.zones.has_value() || std::popcount(*hint.zones) == 1);
}

}  // namespace

absl::StatusOr<ScoredChoice> MergeScoredHints(NumaPolicy policy, uint64_t zones,
                                              std::span<const ScoredHints> resources,
                                              std::span<const ZoneState> alone) {
  if (policy == NumaPolicy::kNone) return ScoredChoice{.hint = {}, .admitted = true};
  Merger merger(zones, alone);
  uint64_t combinations = 1;
  for (const ScoredHints& hints : resources) {
    if (!hints.has_value()) {
      merger.lists().push_back({{.preferred = true}});
      continue;
    }
    if (hints->empty() && policy == NumaPolicy::kRestricted) {
      return ScoredChoice{.hint = {.zones = zones}, .admitted = false};
    }
    if (hints->empty() && policy == NumaPolicy::kSingleZone) return ScoredChoice{};
    std::vector<ScoredHint>& list = merger.lists().emplace_back(*hints);
    if (list.empty()) list.push_back({.unsatisfied = true});
    if (policy == NumaPolicy::kSingleZone) {
      std::erase_if(list, [](const ScoredHint& hint) { return !IsOfOneZone(hint); });
    }
    combinations *= list.size();
    if (combinations > kMostCombinations) {
      return absl::InvalidArgumentError(
          absl::StrCat("NUMA hints: more than ", kMostCombinations, " combinations"));
    }
  }
  ScoredHint best = merger.Run();
  if (policy == NumaPolicy::kBestEffort) {
    if (best.unsatisfied) best = {.zones = zones};
    return ScoredChoice{.hint = best, .admitted = true};
  }
  if (policy == NumaPolicy::kSingleZone && best.zones == zones)
    best = {.preferred = best.preferred};
  return ScoredChoice{.hint = best, .admitted = best.preferred};
}

}  // namespace muster
