// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The table of ratios, their bounds, and their products.
#include "lib/peer/koordinator/colocation/cpu_ratio.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster::koordinator {
namespace {

constexpr double kLeastRatio = 1, kMostRatio = 5;
// Published ratios have two digits; closer ones are equal.
constexpr double kRatioStep = 0.01;

std::optional<double> RatioOfRow(const ModelRatios& row, const CpuModel& machine) {
  if (machine.has_hyper_threads && machine.has_turbo) return row.both;
  if (machine.has_hyper_threads) return row.hyper_threads;
  return machine.has_turbo ? row.turbo : row.base;
}

}  // namespace

absl::StatusOr<double> TableRatio(const CpuModel& machine, const NormalizationRules& rules) {
  for (const ModelRatios& row : rules.models) {
    if (row.name != machine.name) continue;
    const std::optional<double> ratio = RatioOfRow(row, machine);
    if (ratio.has_value()) return *ratio;
  }
  return absl::NotFoundError(absl::StrCat("CPU \"", machine.name, "\" with hyper-threads ",
                                          machine.has_hyper_threads ? "on" : "off", " and turbo ",
                                          machine.has_turbo ? "on" : "off", " has no ratio"));
}

absl::StatusOr<double> NormalizationOf(const std::optional<CpuModel>& machine,
                                       const NormalizationRules& rules, bool is_on) {
  if (!is_on) return 1.0;
  if (!machine.has_value()) return absl::NotFoundError("the model of the CPUs is not known");
  absl::StatusOr<double> ratio = TableRatio(*machine, rules);
  if (!ratio.ok() && rules.fallback.has_value()) ratio = *rules.fallback;
  if (ratio.ok() && !(*ratio >= kLeastRatio && *ratio <= kMostRatio)) {
    return absl::OutOfRangeError(absl::StrCat("ratio ", *ratio, " is not in 1..5"));
  }
  return ratio;
}

bool IsRatioChangeShown(std::optional<double> old_ratio, std::optional<double> new_ratio) {
  if (!old_ratio.has_value() || !new_ratio.has_value()) {
    return old_ratio.has_value() != new_ratio.has_value();
  }
  return *old_ratio > *new_ratio + kRatioStep || *old_ratio < *new_ratio - kRatioStep;
}

absl::StatusOr<Ratios> AmplificationOf(Ratios factors, std::optional<double> normalization) {
  std::sort(factors.begin(), factors.end());
  const auto is_cpu = [](const auto& factor) { return factor.first == "cpu"; };
  auto cpu = std::find_if(factors.begin(), factors.end(), is_cpu);
  double product = cpu != factors.end() && cpu->second > 0 ? cpu->second : 1;
  product *= normalization.value_or(1);
  if (product > 1) {
    if (cpu != factors.end()) {
      cpu->second = product;
    } else {
      factors.emplace_back("cpu", product);
      std::sort(factors.begin(), factors.end());
    }
  }
  for (const auto& [resource, factor] : factors) {
    if (!(factor >= 1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("factor ", factor, " of ", resource, " is below 1"));
    }
  }
  return factors;
}

}  // namespace muster::koordinator
