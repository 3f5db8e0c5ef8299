// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/pulsar/load.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <limits>
#include <utility>

namespace muster::pulsar {
namespace {

double Largest(std::initializer_list<std::pair<const Used*, double>> resources) {
  double most = -std::numeric_limits<double>::infinity();
  for (const auto& [used, weight] : resources) {
    most = std::max(most, static_cast<double>(PercentOf(*used)) * weight);
  }
  return most / 100;
}

}  // namespace

float PercentOf(const Used& used) {
  if (used.limit <= 0) return 0;
  return static_cast<float>(used.used) / static_cast<float>(used.limit) * 100.0f;
}

double WeightedUsage(const Broker& b, const Weights& w) {
  return Largest({{&b.cpu, w.cpu},
                  {&b.direct_memory, w.direct_memory},
                  {&b.bandwidth_in, w.bandwidth_in},
                  {&b.bandwidth_out, w.bandwidth_out}});
}

double WeightedUsageWithMemory(const Broker& b, const Weights& w) {
  return Largest({{&b.cpu, w.cpu},
                  {&b.memory, w.memory},
                  {&b.direct_memory, w.direct_memory},
                  {&b.bandwidth_in, w.bandwidth_in},
                  {&b.bandwidth_out, w.bandwidth_out}});
}

double LargestUsage(const Broker& b) {
  const float most = std::max({PercentOf(b.cpu), PercentOf(b.direct_memory),
                               PercentOf(b.bandwidth_in), PercentOf(b.bandwidth_out)});
  return static_cast<double>(most) / 100;
}

bool IsProbe(std::string_view bundle) {
  for (const std::string_view prefix : {"pulsar/", "sla-monitor/"}) {
    if (!bundle.starts_with(prefix)) continue;
    const std::string_view space = bundle.substr(prefix.size());
    return space.substr(0, space.find('/')).find(':') != space.npos;
  }
  return false;
}

void TimeAverage::Add(const Traffic& sample) {
  count_ = std::min(count_ + 1, most_);
  const double count = static_cast<double>(count_), before = static_cast<double>(count_ - 1);
  const auto mix = [&](double* average, double value) {
    *average = (before * *average + value) / count;
  };
  mix(&average_.bytes_in, sample.bytes_in);
  mix(&average_.bytes_out, sample.bytes_out);
  mix(&average_.rate_in, sample.rate_in);
  mix(&average_.rate_out, sample.rate_out);
}

void KeepOnly(const std::vector<std::string>& brokers, HashMap<std::string, double>* averages) {
  HashSet<std::string_view> kept;
  for (const std::string& name : brokers) kept.insert(name);
  averages->erase_if([&](const auto& entry) { return !kept.contains(entry.first); });
}

void BrokerAverage::Add(double usage, double bytes) {
  if (std::exchange(is_new_, false)) {
    usage_ = usage;
    bytes_ = bytes;
    return;
  }
  usage_ = Mix(history_, usage_, usage);
  bytes_ = Mix(history_, bytes_, bytes);
}

std::vector<Candidate> BundleFinder::CandidatesOf(const Broker& broker, Measure measure) {
  if (!std::exchange(is_ready_, true)) {
    HashSet<std::string_view> unloaded;
    for (const std::string& name : cluster_.recently_unloaded) unloaded.insert(name);
    for (size_t i = 0; i < cluster_.bundles.size(); ++i) {
      const std::string& name = cluster_.bundles[i].name;
      if (!unloaded.contains(name) && !IsProbe(name)) movable_[name] = i;
    }
  }
  std::vector<size_t> places;
  for (const std::string& name : broker.bundles) {
    const auto it = movable_.find(name);
    if (it != movable_.end()) places.push_back(it->second);
  }
  std::ranges::sort(places);
  std::vector<Candidate> candidates;
  for (const size_t place : places) {
    const Bundle& bundle = cluster_.bundles[place];
    const double weight =
        measure == Measure::kBytes ? bundle.shortly.bytes() : bundle.shortly.rate();
    candidates.push_back({&bundle, weight});
  }
  std::ranges::stable_sort(candidates, std::ranges::greater(), &Candidate::weight);
  return candidates;
}

}  // namespace muster::pulsar
