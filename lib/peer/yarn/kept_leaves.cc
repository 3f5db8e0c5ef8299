// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/kept_leaves.h"

#include <algorithm>
#include <cstdint>

namespace muster::yarn {
namespace {

// Sums stay within 64 bits.
constexpr int64_t kMostPast = int64_t{1} << 55;
constexpr double kMostRatio = 64;
constexpr size_t kLimitCells = 9;
constexpr size_t kSumCells = 5;   // before the users
constexpr size_t kUserCells = 2;  // of each

Resource PastAmountAt(const MemorySlot& slot, std::string_view path, size_t cell) {
  const auto amount = [&](size_t at) {
    return std::clamp<int64_t>(slot.Integer(path, at), -kMostPast, kMostPast);
  };
  return {amount(cell), amount(cell + 1)};
}

float RatioAt(const MemorySlot& slot, std::string_view path, size_t cell) {
  return static_cast<float>(std::clamp(slot.Real(path, cell), -kMostRatio, kMostRatio));
}

void AddAmount(const Resource& amount, MemoryRow* row) {
  row->emplace_back(amount.memory);
  row->emplace_back(amount.vcores);
}

}  // namespace

std::optional<LeafPast> KeptLeafOf(const MemorySlot& slot, std::string_view path,
                                   const std::vector<std::string>& labels) {
  const MemoryRow* row = slot.Find(path);
  if (row == nullptr) return std::nullopt;
  LeafPast past{.guaranteed = PastAmountAt(slot, path, 0),
                .most = PastAmountAt(slot, path, 2),
                .current_limit = PastAmountAt(slot, path, 4),
                .headroom_limit = PastAmountAt(slot, path, 6),
                .pending_only = std::clamp<int64_t>(slot.Integer(path, 8), 0, kMostPast)};
  past.sums.resize(labels.size());
  for (size_t at = kLimitCells; at + kSumCells <= row->size();) {
    const auto label = std::ranges::find(labels, slot.Text(path, at));
    RatioSum sum{.total = PastAmountAt(slot, path, at + 1), .sum = RatioAt(slot, path, at + 3)};
    const auto users = static_cast<size_t>(std::max<int64_t>(slot.Integer(path, at + 4), 0));
    at += kSumCells;
    for (size_t i = 0; i < users && at + kUserCells <= row->size(); ++i, at += kUserCells) {
      sum.ratios.emplace_back(slot.Text(path, at), RatioAt(slot, path, at + 1));
    }
    if (label != labels.end()) past.sums[static_cast<size_t>(label - labels.begin())] = sum;
  }
  return past;
}

MemoryRow RowOf(const LeafPast& past, const std::vector<std::string>& labels) {
  MemoryRow row;
  for (const Resource& amount :
       {past.guaranteed, past.most, past.current_limit, past.headroom_limit}) {
    AddAmount(amount, &row);
  }
  row.emplace_back(past.pending_only);
  for (size_t p = 0; p < past.sums.size(); ++p) {
    const RatioSum& sum = past.sums[p];
    if (sum.sum == 0 && sum.ratios.empty()) continue;
    row.emplace_back(labels[p]);
    AddAmount(sum.total, &row);
    row.emplace_back(static_cast<double>(sum.sum));
    row.emplace_back(static_cast<int64_t>(sum.ratios.size()));
    for (const auto& [user, ratio] : sum.ratios) {
      row.emplace_back(user);
      row.emplace_back(static_cast<double>(ratio));
    }
  }
  return row;
}

}  // namespace muster::yarn
