// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/pulsar/avg_shedder.h"

#include <algorithm>
#include <utility>

namespace muster::pulsar {

std::vector<Unload> AvgShedder::Shed(const Cluster& cluster,
                                     const std::vector<std::string>& order) {
  HashMap<std::string, const Broker*> by_name;
  scores_ = {};
  for (const Broker& broker : cluster.brokers) {
    by_name[broker.name] = &broker;
    scores_[broker.name] = WeightedUsage(broker, rules_.weights) * 100;
  }
  std::vector<const Broker*> sorted;
  for (const std::string& name : order) {
    const auto it = by_name.find(name);
    if (it != by_name.end()) sorted.push_back(it->second);
  }
  std::ranges::stable_sort(sorted, {}, [&](const Broker* b) { return scores_[b->name]; });
  std::vector<Unload> unloads;
  BundleFinder finder(cluster);
  for (const Pair& pair : Match(std::move(sorted))) {
    if (!IsDue(pair)) continue;
    std::vector<std::string> bundles = Move(pair, &finder);
    if (!bundles.empty()) unloads.push_back({pair.high->name, std::move(bundles)});
  }
  return unloads;
}

std::vector<AvgShedder::Pair> AvgShedder::Match(std::vector<const Broker*> sorted) {
  std::vector<Pair> pairs;
  const size_t count = sorted.size();
  for (size_t i = 0; 2 * i < count; ++i) {
    const Pair pair{sorted[i], sorted[count - 1 - i]};
    const double difference = scores_[pair.high->name] - scores_[pair.low->name];
    if (difference < rules_.low) {
      for (const Broker* broker : {pair.low, pair.high}) {
        high_.erase(broker->name);
        low_.erase(broker->name);
      }
      continue;
    }
    pairs.push_back(pair);
    for (const Broker* broker : {pair.low, pair.high}) {
      ++low_[broker->name];
      if (difference < rules_.high) {
        high_.erase(broker->name);
      } else {
        ++high_[broker->name];
      }
    }
  }
  if (pairs.empty()) {
    high_ = {};
    low_ = {};
  }
  return pairs;
}

bool AvgShedder::IsDue(const Pair& pair) {
  const std::string &low = pair.low->name, &high = pair.high->name;
  const bool due = high_[low] >= rules_.high_hits || high_[high] >= rules_.high_hits ||
                   low_[low] >= rules_.low_hits || low_[high] >= rules_.low_hits;
  if (!due) return false;
  for (const std::string& name : {low, high}) {
    high_.erase(name);
    low_.erase(name);
  }
  return true;
}

std::vector<std::string> AvgShedder::Move(const Pair& pair, BundleFinder* finder) {
  const auto part = [&](double high, double low) { return (high - low) * rules_.most_unloaded; };
  const double rate = part(pair.high->traffic.rate(), pair.low->traffic.rate());
  const double bytes = part(pair.high->traffic.bytes(), pair.low->traffic.bytes());
  const bool by_rate = rate > rules_.least_rate;
  std::vector<std::string> taken;
  if (!by_rate && !(bytes > rules_.least_bytes)) return taken;
  double left = by_rate ? rate : bytes;
  const Measure measure = by_rate ? Measure::kRate : Measure::kBytes;
  for (const Candidate& candidate : finder->CandidatesOf(*pair.high, measure)) {
    if (candidate.weight <= 0 || candidate.weight > left) continue;
    left -= candidate.weight;
    taken.push_back(candidate.bundle->name);
    Remember(*candidate.bundle, pair.low->name);
  }
  return taken;
}

AvgShedder::Key AvgShedder::KeyOf(const Bundle& bundle) {
  const Traffic &a = bundle.shortly, &b = bundle.longly;
  return {a.bytes_in, a.bytes_out, a.rate_in, a.rate_out,
          b.bytes_in, b.bytes_out, b.rate_in, b.rate_out};
}

void AvgShedder::Remember(const Bundle& bundle, std::string broker) {
  const auto [it, is_new] = destinations_.try_emplace(KeyOf(bundle));
  it->second = std::move(broker);
  if (is_new) filed_[bundle.name] = it->first;
}

void AvgShedder::Forget(const std::string& bundle) {
  const auto it = filed_.find(bundle);
  if (it == filed_.end()) return;
  destinations_.erase(it->second);
  filed_.erase(bundle);
}

const std::string* AvgShedder::DestinationOf(const Bundle& bundle) const {
  const auto it = destinations_.find(KeyOf(bundle));
  return it == destinations_.end() ? nullptr : &it->second;
}

const std::string* AvgShedder::PlaceOf(const Bundle& bundle,
                                       const std::vector<std::string>& candidates) const {
  const std::string* const destination = DestinationOf(bundle);
  if (destination == nullptr) return nullptr;
  const bool is_there = std::ranges::find(candidates, *destination) != candidates.end();
  return is_there ? destination : nullptr;
}

}  // namespace muster::pulsar
