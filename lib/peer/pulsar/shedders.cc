// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/pulsar/shedders.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace muster::pulsar {
namespace {

constexpr double kBeyond = 0.05;  // how far below the threshold a broker is brought
constexpr double kLeastInt = std::numeric_limits<int32_t>::min();
constexpr double kMostInt = std::numeric_limits<int32_t>::max();

// Takes candidates until they weigh enough; at least one.
std::vector<std::string> TakeUntil(double wanted, const std::vector<Candidate>& candidates) {
  std::vector<std::string> taken;
  double sum = 0;
  for (const Candidate& candidate : candidates) {
    if (sum >= wanted && !taken.empty()) break;
    taken.push_back(candidate.bundle->name);
    sum += candidate.weight;
  }
  return taken;
}

void Append(const Broker& broker, std::vector<std::string> bundles, std::vector<Unload>* unloads) {
  if (!bundles.empty()) unloads->push_back({broker.name, std::move(bundles)});
}

// A double cut to a 32-bit integer, saturating.
int64_t CutToInt32(double number) {
  if (std::isnan(number)) return 0;
  return static_cast<int64_t>(std::clamp(number, kLeastInt, kMostInt));
}

}  // namespace

// --- threshold

// Returns the mean of the averages.
double ThresholdShedder::Advance(const Cluster& cluster) {
  double sum = 0;
  for (const Broker& broker : cluster.brokers) {
    const double usage = WeightedUsage(broker, rules_.weights);
    const auto [it, is_new] = averages_.try_emplace(broker.name, usage);
    if (!is_new) it->second = Mix(rules_.history, it->second, usage);
    sum += it->second;
  }
  return sum / static_cast<double>(cluster.brokers.size());
}

std::vector<Unload> ThresholdShedder::Shed(const Cluster& cluster) {
  std::vector<Unload> unloads;
  if (cluster.brokers.empty()) return unloads;
  const double mean = Advance(cluster);
  if (mean == 0) return unloads;
  BundleFinder finder(cluster);
  for (const Broker& broker : cluster.brokers) {
    const double average = averages_[broker.name];
    if (average < mean + rules_.threshold) continue;
    const double part = average - mean - rules_.threshold + kBeyond;
    const double wanted = broker.traffic.bytes() * part;
    if (wanted < rules_.least_bytes || broker.bundles.size() <= 1) continue;
    Append(broker, TakeUntil(wanted, finder.CandidatesOf(broker, Measure::kBytes)), &unloads);
  }
  if (unloads.empty() && rules_.lower_boundary) return ShedToLowest(cluster);
  return unloads;
}

// The most loaded broker unloads if some broker is far below the mean.
std::vector<Unload> ThresholdShedder::ShedToLowest(const Cluster& cluster) {
  const double mean = Advance(cluster);
  const Broker* most = nullptr;
  double most_average = mean - rules_.threshold;
  bool has_low = false;
  for (const Broker& broker : cluster.brokers) {
    const double average = averages_[broker.name];
    if (average < mean - rules_.threshold) {
      has_low = true;
    } else if (average > most_average && broker.bundles.size() > 1) {
      most = &broker;
      most_average = average;
    }
  }
  std::vector<Unload> unloads;
  if (most == nullptr || !has_low) return unloads;
  const double wanted = most->traffic.bytes() * rules_.threshold * 0.5;
  if (rules_.least_bytes > wanted) return unloads;
  Append(*most, TakeUntil(wanted, BundleFinder(cluster).CandidatesOf(*most, Measure::kBytes)),
         &unloads);
  return unloads;
}

// --- overload

std::vector<Unload> ShedOverload(const Cluster& cluster, const OverloadRules& rules) {
  std::vector<Unload> unloads;
  BundleFinder finder(cluster);
  for (const Broker& broker : cluster.brokers) {
    const double usage = WeightedUsage(broker, rules.weights);
    if (usage < rules.threshold || broker.bundles.size() <= 1) continue;
    const double wanted = broker.traffic.bytes() * (usage - rules.threshold + kBeyond);
    Append(broker, TakeUntil(wanted, finder.CandidatesOf(broker, Measure::kBytes)), &unloads);
  }
  return unloads;
}

// --- uniform

namespace {

// The brokers of most and least, and their values.
struct Extremes {
  const Broker* most_of = nullptr;
  double most = 0, least = kMostInt;
};

Extremes ExtremesOf(const Cluster& cluster, Measure measure) {
  Extremes extremes;
  for (const Broker& broker : cluster.brokers) {
    const double value =
        measure == Measure::kBytes ? broker.traffic.bytes() : broker.traffic.rate();
    if (value > extremes.most) {
      extremes.most_of = &broker;
      extremes.most = value;
    }
    extremes.least = std::min(extremes.least, value);
  }
  if (std::fabs(extremes.least) < 1e-6) extremes.least = 1;
  return extremes;
}

std::vector<std::string> TakeWithin(int64_t budget, int64_t most,
                                    const std::vector<Candidate>& candidates) {
  std::vector<std::string> taken;
  for (const Candidate& candidate : candidates) {
    if (most >= 0 && static_cast<int64_t>(taken.size()) >= most) break;
    if (candidate.weight > static_cast<double>(budget)) continue;
    taken.push_back(candidate.bundle->name);
    budget -= CutToInt32(candidate.weight);
  }
  return taken;
}

}  // namespace

std::vector<Unload> ShedUniform(const Cluster& cluster, const UniformRules& rules) {
  const Extremes rate = ExtremesOf(cluster, Measure::kRate);
  const Extremes bytes = ExtremesOf(cluster, Measure::kBytes);
  const double difference = (rate.most - rate.least) * 100 / rate.least;
  const double multiple = bytes.most / bytes.least;
  const bool by_rate = rules.rate_difference > 0 && difference > rules.rate_difference;
  const bool by_bytes = rules.bytes_multiple > 0 && multiple > rules.bytes_multiple;
  std::vector<Unload> unloads;
  if (!by_rate && !by_bytes) return unloads;
  const Measure measure = by_rate ? Measure::kRate : Measure::kBytes;
  const Extremes& extremes = by_rate ? rate : bytes;
  const int64_t budget = CutToInt32((extremes.most - extremes.least) * rules.most_unloaded);
  const int64_t least = by_rate ? rules.least_rate : rules.least_bytes;
  if (extremes.most_of == nullptr || budget < least || extremes.most_of->bundles.size() <= 1) {
    return unloads;
  }
  const Broker& broker = *extremes.most_of;
  const std::vector<Candidate> candidates = BundleFinder(cluster).CandidatesOf(broker, measure);
  Append(broker, TakeWithin(budget, rules.most_bundles, candidates), &unloads);
  return unloads;
}

}  // namespace muster::pulsar
