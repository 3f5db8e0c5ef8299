// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Trimaran: scores of nodes by what machines were measured to use.
//
//   const ResourceLoad cpu = {.capacity = 4000, .request = 500, .mean = 1600, .deviation = 400};
//   LoadVariationScore({cpu, memory}, {.margin = 1, .sensitivity = 1});       // 0..100
//   TargetLoadScore({.capacity = 4000, .used_percent = 40, .pod = 500}, /*target=*/40);
//   LowRiskScore({cpu_risk, memory_risk}, settings);
//   PowerScore({.k1 = -91.5, .k2 = -0.07}, /*used_percent=*/20, /*with_pod=*/30);
//
// Four rules, each of which looks at one node:
//   target load      the nearer the node comes to a target, the better; beyond it worse
//   load variation   mean and spread of the load, pod included: the less of both, the better
//   low risk         by how much limits exceed the node, and how likely the load exceeds what
//                    others requested, if it is distributed as a Beta
//   power            how much more power the node takes, by an exponential model
//
// Surprises. A spread of sensitivity 0 is raised to infinity, and counts only if it is 1. A load of
// zero carries no risk, however much is requested. A node beyond its capacity, and one without a
// power model, has power 0, which is the best.
//
// Numbers are doubles in the peer's order of operations, with powers of lib/base, so that equal
// inputs have equal scores on every machine. Cost: O(1) each.
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_LOAD_LOAD_SCORES_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_LOAD_LOAD_SCORES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace muster::scheduler_plugins {

// One resource of a node, in absolute units.
struct ResourceLoad {
  double capacity = 0, request = 0, mean = 0, deviation = 0;
};

// Parts of the capacity, each from 0 to 1.
struct Moments {
  double mean = 0, deviation = 0;
};
Moments MomentsOf(const ResourceLoad& load);

struct VariationSettings {
  double margin = 1, sensitivity = 1;
};
// Of one resource, not rounded.
double VariationScore(const ResourceLoad& load, const VariationSettings& settings);
// The lower score of cpu and memory; of the one that was measured, if only one was.
int64_t LoadVariationScore(const std::optional<ResourceLoad>& cpu,
                           const std::optional<ResourceLoad>& memory,
                           const VariationSettings& settings);

struct TargetLoad {
  int64_t capacity = 0;     // of cpu, in thousandths
  double used_percent = 0;  // as measured
  int64_t pod = 0;          // what the pod is expected to use
  int64_t missing = 0;      // the same of pods that came after the measurement
};
int64_t TargetLoadScore(const TargetLoad& load, double target_percent);
// What a container is expected to use: its limit, else its request times a factor, else a default.
int64_t ExpectedCpu(std::optional<int64_t> limit, std::optional<int64_t> request, double factor,
                    int64_t otherwise);

// A model of power by load in percent.
struct PowerModel {
  double k0 = 0, k1 = 0, k2 = 0;
};
// How much more power is taken at `after` than at `before`.
double PowerJump(const PowerModel& model, double before, double after);
// In the peer's unit; the less, the better.
int64_t PowerScore(const PowerModel& model, double before, double after);
// From 0 to 100, the least cost being 100. All are 0 if all costs are 0.
std::vector<int64_t> ScoresOfCosts(std::span<const int64_t> costs);

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_LOAD_LOAD_SCORES_H_
