// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Estimates, the filter's percentages, the score.
#include "lib/peer/koordinator/measured_load.h"

#include <algorithm>
#include <cmath>

namespace muster {
namespace {

void Add(const Loads& more, Loads* sum) {
  for (size_t i = 0; i < more.size(); ++i) (*sum)[i] += more[i];
}

// Adds what an estimate is above a measurement.
void AddExcess(const Loads& estimate, const Loads* measured, Loads* sum) {
  for (size_t i = 0; i < estimate.size(); ++i) {
    (*sum)[i] += std::max<int64_t>(0, estimate[i] - (measured == nullptr ? 0 : (*measured)[i]));
  }
}

}  // namespace

const Loads* NodeLoad::Measured(const LoadView& view) const {
  if (view.percentile.empty()) return &report_->usage;
  const Loads* longest = nullptr;
  for (const auto& [key, usage] : report_->aggregated) {  // ascending by duration
    if (key.first != view.percentile) continue;
    if (key.second == view.duration) return &usage;
    longest = &usage;
  }
  if (view.duration != 0) return nullptr;
  return longest == nullptr ? &report_->usage : longest;
}

std::optional<Loads> NodeLoad::Estimate(const LoadView& view) const {
  if (!report_.has_value()) return std::nullopt;
  Loads sum(report_->usage.size(), 0);
  const Loads* whole = view.production ? nullptr : Measured(view);
  if (whole != nullptr) Add(*whole, &sum);
  if (view.production && view.with_system) Add(report_->system, &sum);
  for (const auto& [name, task] : tasks_) {
    const auto entry = report_->tasks.find(name);
    const Loads* measured = entry == report_->tasks.end() ? nullptr : &entry->second.usage;
    if (!view.production && whole == nullptr) {
      Add(task.estimate, &sum);
      continue;
    }
    if (view.production && !task.production) continue;
    bool unknown = measured == nullptr || report_->time - report_->interval < task.assigned ||
                   task.estimated_until > report_->time;
    if (view.production && measured != nullptr) {
      if (entry->second.production) {
        Add(*measured, &sum);
      } else {  // measured as something else: not used
        measured = nullptr;
        unknown = true;
      }
    }
    if (unknown) AddExcess(task.estimate, measured, &sum);
  }
  return sum;
}

std::optional<int64_t> EstimatedUntil(int64_t assigned, std::optional<int64_t> initialized,
                                      const WarmUp& warm_up) {
  constexpr int64_t kNanoseconds = 1'000'000'000;
  if (warm_up.after_initialized > 0 && initialized.has_value()) {
    return *initialized + warm_up.after_initialized * kNanoseconds;
  }
  if (warm_up.after_scheduled <= 0) return std::nullopt;
  return assigned + warm_up.after_scheduled * kNanoseconds;
}

int64_t EstimateUse(int64_t request, int64_t limit, int64_t percentage) {
  const double base = static_cast<double>(std::max(request, limit));
  const int64_t use = std::llround(base * static_cast<double>(percentage) / 100);
  return limit > 0 ? std::min(use, limit) : use;
}

std::optional<size_t> FirstAbove(std::span<const int64_t> load, std::span<const int64_t> capacity,
                                 std::span<const int64_t> thresholds) {
  for (size_t i = 0; i < thresholds.size(); ++i) {
    if (thresholds[i] == 0 || capacity[i] == 0) continue;
    const double share = static_cast<double>(load[i]) / static_cast<double>(capacity[i]) * 100;
    if (std::llround(share) > thresholds[i]) return i;
  }
  return std::nullopt;
}

int64_t LoadScore(std::span<const int64_t> load, std::span<const int64_t> capacity,
                  std::span<const int64_t> weights, int64_t dominant) {
  int64_t sum = 0, weight_sum = dominant, least = dominant != 0 ? 100 : 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    const bool room = capacity[i] != 0 && load[i] <= capacity[i];
    const int64_t score = room ? (capacity[i] - load[i]) * 100 / capacity[i] : 0;
    sum += score * weights[i];
    weight_sum += weights[i];
    least = std::min(least, score);
  }
  return weight_sum <= 0 ? 0 : (sum + least * dominant) / weight_sum;
}

}  // namespace muster
