// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Low risk: how likely a node does not have what its pods may come to use.
//
//   const RiskSettings settings;
//   const double risk = RiskOf(books, load, settings);          // 0..1
//   const int64_t score = LowRiskScore(cpu_risk, memory_risk);
//
// Two risks are mixed by a weight. The risk of limits is the part of what pods may use beyond their
// requests that the node does not have. The risk of load is the probability that the measured load
// exceeds what others requested, given that it does not exceed their limits. The load is taken for
// a Beta with the measured mean and spread.
//
// A spread at or above the largest that a mean allows is taken a little below it. Cost: O(1).
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_LOAD_RISK_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_LOAD_RISK_H_

#include <cstdint>
#include <optional>

#include "lib/peer/scheduler_plugins/load/load_scores.h"

namespace muster::scheduler_plugins {

// A distribution over 0..1.
struct Beta {
  double alpha = 0, beta = 0;
};
// The largest variance that a distribution over 0..1 with this mean has.
double MaxVariance(double mean);
// Returns nothing for moments that no Beta has. `square` is the second moment.
std::optional<Beta> FitBeta(double mean, double square);
// The probability of a value up to x: the regularized incomplete beta function, to some 1e-14.
double ProbabilityUpTo(double x, const Beta& beta);

// What the pods of a node request and may use of one resource, with and without the pod to place.
struct RiskBooks {
  int64_t capacity = 0;
  int64_t request = 0, limit = 0;
  int64_t request_without = 0, limit_without = 0;
};
struct RiskSettings {
  double limit_weight = 0.5;
  int64_t window = 5;  // measurements that a spread is of
};
// `load` is nothing if none was measured; its request is not looked at.
double RiskOf(const RiskBooks& books, const std::optional<ResourceLoad>& load,
              const RiskSettings& settings);
int64_t LowRiskScore(double cpu_risk, double memory_risk);

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_LOAD_RISK_H_
