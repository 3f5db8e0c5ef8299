// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/pulsar/placement.h"

#include <algorithm>
#include <limits>

namespace muster::pulsar {
namespace {

constexpr int64_t kMostTurns = std::numeric_limits<int32_t>::max();

int64_t CountOf(const HashMap<std::string, int64_t>& counts, const std::string& name) {
  const auto it = counts.find(name);
  return it == counts.end() ? 0 : it->second;
}

template <class Keep>
Names Filtered(const Names& candidates, const Keep& keep) {
  Names left;
  for (const std::string& name : candidates) {
    if (keep(name)) left.push_back(name);
  }
  return left;
}

}  // namespace

double RateScore(const RateCandidate& candidate, const Weights& weights, double overload) {
  if (WeightedUsage(*candidate.broker, weights) > overload) {
    return std::numeric_limits<double>::infinity();
  }
  double sum = 0;
  for (const Traffic& traffic : candidate.preallocated) sum += traffic.rate();
  return sum + (candidate.rate_in + candidate.rate_out);
}

Names BestByRate(const std::vector<std::pair<std::string, double>>& scores) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [name, score] : scores) least = std::min(least, score);
  Names best;
  for (const auto& [name, score] : scores) {
    if (score == least) best.push_back(name);
  }
  return best;
}

Names UsagePlacement::Best(const std::vector<const Broker*>& candidates) {
  if (candidates.empty()) return {};
  double sum = 0;
  std::vector<double> averages;
  for (const Broker* broker : candidates) {
    const double usage = WeightedUsage(*broker, weights_);
    const bool is_idle =
        broker->bundles.empty() || (broker->traffic.rate_in == 0 && broker->traffic.rate_out == 0);
    const auto it = averages_.find(broker->name);
    double average = usage;
    if (!is_idle && it != averages_.end()) {
      average = Mix(history_, it->second, usage);
    }
    averages_[broker->name] = average;
    averages.push_back(average);
    sum += average;
  }
  const double mean = sum / static_cast<double>(candidates.size());
  Names best, all;
  for (size_t i = 0; i < candidates.size(); ++i) {
    all.push_back(candidates[i]->name);
    if (averages[i] + difference_ <= mean) best.push_back(candidates[i]->name);
  }
  return best.empty() ? all : best;
}

Names BestByLoad(const Names& candidates, const HashMap<std::string, double>& loads,
                 double difference) {
  double sum = 0;
  int64_t count = 0;
  for (const std::string& name : candidates) {
    const auto it = loads.find(name);
    if (it == loads.end()) continue;
    sum += it->second;
    ++count;
  }
  const double mean = sum / static_cast<double>(count);
  const Names best = Filtered(candidates, [&](const std::string& name) {
    const auto it = loads.find(name);
    return it != loads.end() && it->second + difference <= mean;
  });
  return best.empty() ? candidates : best;
}

std::string RoundRobin::Next(const Names& candidates) {
  const int64_t size = static_cast<int64_t>(candidates.size());
  if (size == 0) return {};
  const size_t index = static_cast<size_t>(count_ % size);
  count_ = count_ == kMostTurns ? 0 : count_ + 1;
  if (copy_.size() <= index || copy_.size() != candidates.size()) copy_ = candidates;
  if (std::ranges::find(candidates, copy_[index]) == candidates.end()) copy_ = candidates;
  return copy_[index];
}

Names KeepEven(const Names& candidates, const HashMap<std::string, int64_t>& bundles) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const std::string& name : candidates) least = std::min(least, CountOf(bundles, name));
  return Filtered(candidates,
                  [&](const std::string& name) { return CountOf(bundles, name) == least; });
}

Names KeepWithinTopics(const Names& candidates, const HashMap<std::string, int64_t>& topics,
                       int64_t most) {
  const Names left =
      Filtered(candidates, [&](const std::string& name) { return CountOf(topics, name) <= most; });
  return left.empty() ? candidates : left;
}

Names KeepBelowTopics(const Names& candidates, const HashMap<std::string, int64_t>& topics,
                      int64_t most) {
  return Filtered(candidates,
                  [&](const std::string& name) { return CountOf(topics, name) < most; });
}

Names KeepApart(const Names& candidates, const HashMap<std::string, int64_t>& namespaces,
                const HashMap<std::string, std::string>& domains) {
  Names left = candidates;
  if (!domains.empty()) {
    const auto domain_of = [&](const std::string& name) {
      const auto it = domains.find(name);
      return it == domains.end() ? std::string("default") : it->second;
    };
    HashMap<std::string, int64_t> counts;
    for (const std::string& name : candidates) counts[domain_of(name)] += CountOf(namespaces, name);
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const auto& [domain, count] : counts) least = std::min(least, count);
    left = Filtered(candidates,
                    [&](const std::string& name) { return counts[domain_of(name)] == least; });
  }
  return KeepEven(left, namespaces);
}

}  // namespace muster::pulsar
