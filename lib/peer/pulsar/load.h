// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What brokers and bundles carry, and how much of a broker that is.
//
//   Broker broker{.name = "b0", .cpu = {41, 100}, .traffic = {8e4, 8e4, 8e3, 8e3}};
//   double usage = WeightedUsage(broker, weights);    // 0.41
//
// Usage of one resource is a 32-bit float, in percent; it may exceed 100. The weighted usage of a
// broker is the largest of its resources' after weighing.
//
// Order. Brokers and bundles are lists in the order in which the peer goes through its tables. Ties
// and sums of doubles follow it.
#ifndef MUSTER_PEER_PULSAR_LOAD_H_
#define MUSTER_PEER_PULSAR_LOAD_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash_map.h"

namespace muster::pulsar {

// Bytes a second in and out, messages a second in and out.
struct Traffic {
  double bytes_in = 0, bytes_out = 0, rate_in = 0, rate_out = 0;
  double bytes() const { return bytes_in + bytes_out; }
  double rate() const { return rate_in + rate_out; }
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

// What a bundle counts as before its first sample.
inline constexpr Traffic kUnseenTraffic = {50'000, 50'000, 50, 50};

struct Used {
  double used = 0, limit = 0;
};

struct Broker {
  std::string name;
  Used cpu, memory, direct_memory, bandwidth_in, bandwidth_out;
  Traffic traffic;
  std::vector<std::string> bundles;  // that it owns
};

struct Bundle {
  std::string name;
  Traffic shortly, longly;  // averages over few and many samples
};

struct Weights {
  double cpu = 1, memory = 0, direct_memory = 0, bandwidth_in = 1, bandwidth_out = 1;
};

// A cluster as a shedder sees it.
struct Cluster {
  std::vector<Broker> brokers;
  std::vector<Bundle> bundles;
  std::vector<std::string> recently_unloaded;  // bundles
};

// Percent of the limit; 0 without one.
float PercentOf(const Used& used);
// The modular manager leaves memory out.
double WeightedUsage(const Broker& broker, const Weights& weights);
double WeightedUsageWithMemory(const Broker& broker, const Weights& weights);
// Without weights and memory.
double LargestUsage(const Broker& broker);

// Returns whether the bundle probes a broker, so that no shedder moves it.
bool IsProbe(std::string_view bundle);

// An average that is exact up to `most` samples, and exponential beyond.
class TimeAverage {
 public:
  // `preset`: what the first sample replaces.
  TimeAverage(Traffic preset, int64_t most) : average_(preset), most_(most) {}
  void Add(const Traffic& sample);
  const Traffic& average() const { return average_; }
  int64_t count() const { return count_; }
  // Goes on from an average of so many samples; more than `most` count as that. REQUIRES: count >=
  // 0.
  void Restore(const Traffic& average, int64_t count) {
    average_ = average;
    count_ = std::min(count, most_);
  }

 private:
  Traffic average_;
  int64_t most_, count_ = 0;
};

// Returns the exponential average that follows `average`, with the weight of history.
inline double Mix(double history, double average, double sample) {
  return history * average + (1 - history) * sample;
}

// Forgets what is kept of brokers that are not listed.
void KeepOnly(const std::vector<std::string>& brokers, HashMap<std::string, double>* averages);

// Averages of one broker that are updated with its own reports.
class BrokerAverage {
 public:
  explicit BrokerAverage(double history) : history_(history) {}
  void Clear() { is_new_ = true; }
  void Add(double usage, double bytes);
  double usage() const { return usage_; }
  double bytes() const { return bytes_; }

 private:
  double history_;
  bool is_new_ = true;
  double usage_ = 1.0, bytes_ = 0;
};

// A bundle that may leave its broker, with what it weighs.
struct Candidate {
  const Bundle* bundle;
  double weight;
};
enum class Measure : uint8_t { kBytes, kRate };

// Finds the bundles of brokers. The cluster must outlive it.
class BundleFinder {
 public:
  explicit BundleFinder(const Cluster& cluster) : cluster_(cluster) {}
  // Returns the bundles that may leave the broker, those of most traffic first; equal ones in the
  // order of the cluster's list. The first call goes through all bundles of the cluster.
  std::vector<Candidate> CandidatesOf(const Broker& broker, Measure measure);

 private:
  const Cluster& cluster_;
  HashMap<std::string_view, size_t> movable_;  // places in the cluster's list
  bool is_ready_ = false;
};

// One broker's bundles to unload, in order.
struct Unload {
  std::string broker;
  std::vector<std::string> bundles;
};

}  // namespace muster::pulsar

#endif  // MUSTER_PEER_PULSAR_LOAD_H_
