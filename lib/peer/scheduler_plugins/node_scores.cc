// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/node_scores.h"

#include <algorithm>

#include "absl/numeric/int128.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster::scheduler_plugins {
namespace {

bool IsOneOf(std::string_view word, std::string_view one, std::string_view other) {
  return word == one || word == other;
}

}  // namespace

int64_t AllocatableScore(std::span<const WeightedAmount> amounts, bool least) {
  absl::int128 sum = 0, weights = 0;
  for (const WeightedAmount& one : amounts) {
    sum += absl::int128(one.weight) * one.amount;
    weights += one.weight;
  }
  if (weights == 0) return 0;
  return static_cast<int64_t>((least ? -sum : sum) / weights);
}

absl::Status CheckAllocatable(std::span<const NamedWeight> weights) {
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto& [resource, weight] = weights[i];
    if (weight > 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("resources[", i, "].weight: Invalid value: ", weight, ": resource weight of ",
                     resource, " should be a positive value, got :", weight));
  }
  return absl::OkStatus();
}

absl::Status CheckMarks(const MarkSettings& settings) {
  if (settings.key.empty()) return absl::InvalidArgumentError("metadataKey: must not be empty");
  if (!IsOneOf(settings.source, "Label", "Annotation")) {
    return absl::InvalidArgumentError(absl::StrCat("metadataSource: ", Quote(settings.source),
                                                   " is neither Label nor Annotation"));
  }
  if (!IsOneOf(settings.type, "Number", "Timestamp")) {
    return absl::InvalidArgumentError(
        absl::StrCat("metadataType: ", Quote(settings.type), " is neither Number nor Timestamp"));
  }
  const bool number = settings.type == "Number";
  if (number ? IsOneOf(settings.preference, "Highest", "Lowest")
             : IsOneOf(settings.preference, "Newest", "Oldest")) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("scoringStrategy: ", Quote(settings.preference), " is neither ",
                   number ? "Highest nor Lowest" : "Newest nor Oldest"));
}

std::optional<int64_t> NumberMark(std::string_view text, bool lowest) {
  double number = 0;
  constexpr double kPast = 9223372036854775808.0;
  if (text.empty() || text.front() == ' ' || text.back() == ' ' ||
      !absl::SimpleAtod(ToAbsl(text), &number) || !(number > -kPast && number < kPast)) {
    return std::nullopt;
  }
  const auto whole = static_cast<int64_t>(number);
  return lowest ? -whole : whole;
}

int64_t TimeMark(double at, double now, bool newest) {
  const auto age = static_cast<int64_t>(now - at);
  return newest ? -age : age;
}

std::vector<int64_t> MinMaxScores(std::span<const int64_t> scores) {
  std::vector<int64_t> out(scores.size(), 0);
  if (scores.empty()) return out;
  const auto [low, high] = std::ranges::minmax(scores);
  if (low == high) return out;
  for (size_t i = 0; i < scores.size(); ++i) {
    const absl::int128 above = absl::int128(scores[i]) - low;
    out[i] = static_cast<int64_t>(above * 100 / (absl::int128(high) - low));
  }
  return out;
}

std::vector<int64_t> MarkScores(std::span<const std::optional<int64_t>> marks) {
  std::optional<int64_t> low, high;
  for (const std::optional<int64_t>& mark : marks) {
    if (!mark) continue;
    low = std::min(low.value_or(*mark), *mark);
    high = std::max(high.value_or(*mark), *mark);
  }
  std::vector<int64_t> out(marks.size(), 0);
  for (size_t i = 0; i < marks.size(); ++i) {
    if (!marks[i]) continue;
    out[i] = 1;
    if (low == high) continue;
    const absl::int128 above = absl::int128(*marks[i]) - *low;
    out[i] += static_cast<int64_t>(above * 99 / (absl::int128(*high) - *low));
  }
  return out;
}

}  // namespace muster::scheduler_plugins
