// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Where a bundle goes: filters of brokers, and the strategies that choose among those left.
//
//   std::vector<std::string> best = BestByRate(scores);   // drawn from at random
//   RoundRobin turns;
//   std::string next = turns.Next(candidates);
//
// A strategy that draws at random returns all that it draws from, in order: each is right.
#ifndef MUSTER_PEER_PULSAR_PLACEMENT_H_
#define MUSTER_PEER_PULSAR_PLACEMENT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/pulsar/load.h"

namespace muster::pulsar {

using Names = std::vector<std::string>;

// By messages over a long time, the broker's own and those of bundles that are on their way to it.
struct RateCandidate {
  const Broker* broker;
  double rate_in = 0, rate_out = 0;
  std::vector<Traffic> preallocated;  // averages over many samples
};
// Infinite above the overload threshold.
double RateScore(const RateCandidate& candidate, const Weights& weights, double overload);
Names BestByRate(const std::vector<std::pair<std::string, double>>& scores);

// By averaged usage: all that are below the mean by a difference, or else all. Averages advance
// with each call.
class UsagePlacement {
 public:
  UsagePlacement(const Weights& weights, double history, double difference)
      : weights_(weights), history_(history), difference_(difference) {}
  Names Best(const std::vector<const Broker*>& candidates);
  void SetActive(const Names& brokers) { KeepOnly(brokers, &averages_); }
  const HashMap<std::string, double>& averages() const { return averages_; }
  void Restore(HashMap<std::string, double> averages) { averages_ = std::move(averages); }

 private:
  const Weights weights_;
  const double history_, difference_;
  HashMap<std::string, double> averages_;
};

// The extensible manager's: candidates without a report have no part in the mean.
Names BestByLoad(const Names& candidates, const HashMap<std::string, double>& loads,
                 double difference);

// In turn, over a copy of the candidates that is renewed as seldom as possible.
class RoundRobin {
 public:
  // Returns an empty name if there is no candidate.
  std::string Next(const Names& candidates);
  int64_t count() const { return count_; }
  const Names& copy() const { return copy_; }
  // REQUIRES: count >= 0.
  void Restore(int64_t count, Names copy) {
    count_ = count;
    copy_ = std::move(copy);
  }

 private:
  int64_t count_ = 0;
  Names copy_;
};

// --- filters; each returns the candidates left, in their order

Names KeepEven(const Names& candidates, const HashMap<std::string, int64_t>& bundles);
// At least one candidate is left: without any within the limit, all are.
Names KeepWithinTopics(const Names& candidates, const HashMap<std::string, int64_t>& topics,
                       int64_t most);
// The extensible manager's: at the limit is too many, and none may be left.
Names KeepBelowTopics(const Names& candidates, const HashMap<std::string, int64_t>& topics,
                      int64_t most);
// `namespaces`: of the anti-affinity group, by broker. `domains`: failure domains, by broker;
// empty: they do not count.
Names KeepApart(const Names& candidates, const HashMap<std::string, int64_t>& namespaces,
                const HashMap<std::string, std::string>& domains);

}  // namespace muster::pulsar

#endif  // MUSTER_PEER_PULSAR_PLACEMENT_H_
