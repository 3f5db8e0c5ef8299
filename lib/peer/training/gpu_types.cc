// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/training/gpu_types.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/share/rate_filling.h"

namespace muster {
namespace {

using WideRate = absl::int128;

constexpr std::string_view kSpeedStart = "speed/";
constexpr int64_t kSpeedParts = 1'000'000, kMostSpeedSetting = 1'000'000;
constexpr int64_t kMeanRate = int64_t{1} << 20;  // of a GPU
constexpr int64_t kMostGpus = int64_t{1} << 20;

std::string_view TypeName(const NodeSpec& spec, std::string_view label) {
  for (const auto& [key, value] : spec.labels) {
    if (key == label) return value;
  }
  return {};
}

// In millionths; absent: it is no speed.
std::optional<int64_t> ReadSpeed(std::string_view text) {
  double speed = 0;
  if (!absl::SimpleAtod(ToAbsl(text), &speed)) return std::nullopt;
  if (!(speed >= 0 && speed <= kMostSpeedSetting)) return std::nullopt;
  return std::llround(speed * kSpeedParts);
}

// By type, in parts of kMeanRate.
std::vector<int64_t> RatesOf(const std::vector<int64_t>& speed, int64_t width,
                             const std::vector<int64_t>& gpus) {
  WideRate all = 0, weighted = 0;
  for (size_t j = 0; j < gpus.size(); ++j) {
    all += gpus[j];
    weighted += WideRate(gpus[j]) * speed[j];
  }
  std::vector<int64_t> rates(gpus.size(), 0);
  for (size_t j = 0; j < gpus.size(); ++j) {
    if (speed[j] == 0 || gpus[j] < width) continue;
    const WideRate rate = WideRate(speed[j]) * width * kMeanRate * all / weighted;
    rates[j] = static_cast<int64_t>(std::clamp<WideRate>(rate, 1, kMostRate));
  }
  return rates;
}

}  // namespace

GpuTypes::GpuTypes(const Tables& tables, std::string_view resource, std::string_view label)
    : tables_(tables), dimension_(tables.dimensions.Find(resource).value_or(kNone)) {
  const NodeTable& nodes = tables.nodes;
  std::vector<std::string_view> names(nodes.alive.size());
  const auto has = [&](NodeIndex n) {
    return dimension_ != kNone && nodes.alive[n] && OrZero(nodes.allocatable.at(n, dimension_)) > 0;
  };
  if (dimension_ != kNone && IsMilliDimension(resource)) unit_ = 1000;
  for (NodeIndex n = 0; n < names.size(); ++n) {
    if (!has(n)) continue;
    names[n] = TypeName(nodes.spec[n], label);
    names_.emplace_back(names[n]);
  }
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
  for (NodeIndex n = 0; n < names.size(); ++n) {
    of_node_.push_back(has(n) ? Find(names[n]) : size());
  }
}

size_t GpuTypes::Find(std::string_view name) const {
  const auto found = std::lower_bound(names_.begin(), names_.end(), name);
  return found == names_.end() || *found != name ? size()
                                                 : static_cast<size_t>(found - names_.begin());
}

std::vector<int64_t> GpuTypes::SpeedsOf(JobIndex job) const {
  const JobSpec& spec = tables_.jobs.spec[job];
  std::vector<int64_t> speeds(size(), 0);
  bool has_some = false;
  for (const auto& [key, value] : spec.settings) {
    if (!std::string_view(key).starts_with(kSpeedStart)) continue;
    has_some = true;
    const size_t type = Find(std::string_view(key).substr(kSpeedStart.size()));
    if (type < size()) speeds[type] = ReadSpeed(value).value_or(0);
  }
  if (!has_some) speeds.assign(size(), kSpeedParts);
  return speeds;
}

std::vector<std::vector<int64_t>> ShareTypes(const std::vector<TypeJob>& jobs,
                                             const std::vector<int64_t>& gpus) {
  std::vector<int64_t> machines;
  for (const int64_t amount : gpus) machines.push_back(std::clamp<int64_t>(amount, 0, kMostGpus));
  std::map<std::pair<std::vector<int64_t>, int64_t>, size_t> kinds;
  std::vector<RateJob> of_kinds;
  std::vector<size_t> kind_of;
  for (const TypeJob& job : jobs) {
    const int64_t width = std::clamp<int64_t>(job.gpus, 1, kMostGpus);
    std::vector<int64_t> rates = RatesOf(job.speed, width, machines);
    const auto [kind, added] = kinds.try_emplace({rates, width}, of_kinds.size());
    if (added) of_kinds.push_back({.rate = std::move(rates), .width = width, .count = 0});
    ++of_kinds[kind->second].count;
    kind_of.push_back(kind->second);
  }
  const RatePlan plan = FillRates(of_kinds, machines);
  std::vector<std::vector<int64_t>> due;
  for (const size_t kind : kind_of) due.push_back(plan.time[kind]);
  return due;
}

absl::Status CheckSpeedSettings(const Tables& tables) {
  for (JobIndex job = 0; job < tables.jobs.alive.size(); ++job) {
    if (!tables.jobs.alive[job]) continue;
    const JobSpec& spec = tables.jobs.spec[job];
    for (const auto& [key, value] : spec.settings) {
      if (!std::string_view(key).starts_with(kSpeedStart) || ReadSpeed(value)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("job ", Quote(spec.name), ", setting ", Quote(key), ": is ", Quote(value),
                       "; must be a number from 0 to ", kMostSpeedSetting));
    }
  }
  return absl::OkStatus();
}

}  // namespace muster
