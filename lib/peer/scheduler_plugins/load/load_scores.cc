// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/load/load_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/math.h"

namespace muster::scheduler_plugins {
namespace {

int64_t Rounded(double score) { return static_cast<int64_t>(std::round(score)); }

}  // namespace

Moments MomentsOf(const ResourceLoad& load) {
  if (load.capacity <= 0) return {};
  const double request = std::max(load.request, 0.0);
  const double mean = std::clamp(load.mean, 0.0, load.capacity);
  const double deviation = std::clamp(load.deviation, 0.0, load.capacity);
  return {std::clamp((mean + request) / load.capacity, 0.0, 1.0),
          std::clamp(deviation / load.capacity, 0.0, 1.0)};
}

double VariationScore(const ResourceLoad& load, const VariationSettings& settings) {
  if (load.capacity <= 0) return 0;
  const Moments moments = MomentsOf(load);
  double spread = moments.deviation;
  if (settings.sensitivity == 0) {
    spread = spread == 1 ? 1 : 0;
  } else if (settings.sensitivity > 0) {
    spread = Pow(spread, 1 / settings.sensitivity);
  }
  spread = std::clamp(spread * settings.margin, 0.0, 1.0);
  return (1 - (moments.mean + spread) / 2) * 100;
}

int64_t LoadVariationScore(const std::optional<ResourceLoad>& cpu,
                           const std::optional<ResourceLoad>& memory,
                           const VariationSettings& settings) {
  const double by_cpu = cpu ? VariationScore(*cpu, settings) : 0;
  const double by_memory = memory ? VariationScore(*memory, settings) : 0;
  return Rounded(cpu && memory ? std::min(by_cpu, by_memory) : std::max(by_cpu, by_memory));
}

int64_t TargetLoadScore(const TargetLoad& load, double target_percent) {
  double percent = 0;
  if (load.capacity != 0) {
    const auto capacity = static_cast<double>(load.capacity);
    const double used = load.used_percent / 100 * capacity;
    percent =
        100 * (used + static_cast<double>(load.pod) + static_cast<double>(load.missing)) / capacity;
  }
  if (percent > 100) return 0;
  if (percent > target_percent) {
    return Rounded(target_percent * (100 - percent) / (100 - target_percent));
  }
  return Rounded((100 - target_percent) * percent / target_percent + target_percent);
}

int64_t ExpectedCpu(std::optional<int64_t> limit, std::optional<int64_t> request, double factor,
                    int64_t otherwise) {
  if (limit) return *limit;
  return request ? Rounded(static_cast<double>(*request) * factor) : otherwise;
}

double PowerJump(const PowerModel& model, double before, double after) {
  return model.k1 * (Exp(model.k2 * after) - Exp(model.k2 * before));
}

int64_t PowerScore(const PowerModel& model, double before, double after) {
  if (after > 100) return 0;
  const double cost = PowerJump(model, before, after) * 1e15;
  constexpr double kMost = 9.2e18;
  if (std::isnan(cost)) return 0;  // both powers are beyond all numbers
  return static_cast<int64_t>(std::clamp(cost, -kMost, kMost));
}

std::vector<int64_t> ScoresOfCosts(std::span<const int64_t> costs) {
  std::vector<int64_t> scores(costs.begin(), costs.end());
  if (scores.empty()) return scores;
  const auto [low, high] = std::ranges::minmax(costs);
  if (low == 0 && high == 0) return scores;
  for (int64_t& score : scores) {
    if (high == low) {
      score = 100 - (score - low);
      continue;
    }
    const double range = static_cast<double>(high) - static_cast<double>(low);
    const double above = static_cast<double>(score) - static_cast<double>(low);
    score = 100 - static_cast<int64_t>(100 * above / range);
  }
  return scores;
}

}  // namespace muster::scheduler_plugins
