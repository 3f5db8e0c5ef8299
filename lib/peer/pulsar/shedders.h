// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Shedders of the modular load manager: which bundles leave which broker.
//
//   ThresholdShedder shedder(rules);
//   for (const Unload& unload : shedder.Shed(cluster)) ...     // once a round
//
// - Threshold: brokers with an averaged usage above the mean by a threshold unload down to it.
// - Overload: brokers above a fixed usage do.
// - Uniform: the broker of most messages, or bytes, unloads a part of its lead over the one of
//   least.
//
// Where the peer surprises:
// - Threshold and overload unload a bundle even if nothing is to be unloaded; the others do not.
// - Where only the lower boundary is crossed, averages advance twice in the round.
// - Uniform counts its budget in a 32-bit integer, and takes off it what a bundle weighs without
//   fraction.
#ifndef MUSTER_PEER_PULSAR_SHEDDERS_H_
#define MUSTER_PEER_PULSAR_SHEDDERS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/pulsar/load.h"

namespace muster::pulsar {

class ThresholdShedder {
 public:
  struct Rules {
    Weights weights;
    double threshold = 0.1, history = 0.9;
    double least_bytes = 10.0 * 1024 * 1024;
    bool lower_boundary = false;
  };
  explicit ThresholdShedder(const Rules& rules) : rules_(rules) {}

  std::vector<Unload> Shed(const Cluster& cluster);
  // Forgets averages of all other brokers.
  void SetActive(const std::vector<std::string>& brokers) { KeepOnly(brokers, &averages_); }
  const HashMap<std::string, double>& averages() const { return averages_; }
  // Continues from the averages of an earlier shedder.
  void Restore(HashMap<std::string, double> averages) { averages_ = std::move(averages); }

 private:
  double Advance(const Cluster& cluster);
  std::vector<Unload> ShedToLowest(const Cluster& cluster);

  const Rules rules_;
  HashMap<std::string, double> averages_;  // of usage, by broker
};

struct OverloadRules {
  Weights weights;
  double threshold = 0.85;
};
std::vector<Unload> ShedOverload(const Cluster& cluster, const OverloadRules& rules);

struct UniformRules {
  double rate_difference = 50;  // percent
  double bytes_multiple = 4;
  double most_unloaded = 0.2;  // of the lead
  int64_t least_rate = 1'000, least_bytes = 1 << 20;
  int64_t most_bundles = -1;  // below 0: any number
};
std::vector<Unload> ShedUniform(const Cluster& cluster, const UniformRules& rules);

}  // namespace muster::pulsar

#endif  // MUSTER_PEER_PULSAR_SHEDDERS_H_
