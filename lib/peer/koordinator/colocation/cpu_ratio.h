// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How much more a machine's CPU counts than one of the slowest model: normalization of CPUs, and
// amplification of all resources.
//
//   absl::StatusOr<double> ratio = NormalizationOf(machine, rules, switches);   // 1.1
//   absl::StatusOr<Ratios> shown = AmplificationOf(rules, ratio);               // cpu 1.65
//
// Idea. A table has four ratios for each model of CPU: with and without hyper-threads, with and
// without turbo. Requests are divided by the ratio, so that one CPU means the same on all machines.
// Amplification multiplies resources by an operator's factors, CPU by the normalization, too.
//
// Peer. Koordinator's plug-ins of the names. Where it surprises:
// - A table without the model, and without a default, refuses; nothing is then published.
// - The switch of a machine's label outweighs the switch of the configuration.
// - A switched-off normalization is 1, which is published and resets a former ratio.
// - A product of CPU ratios up to 1 leaves CPU to the operator's factor, and that below 1 refuses.
//
// Cost. O(1) for normalization, O(resources) for amplification.
#ifndef MUSTER_PEER_KOORDINATOR_COLOCATION_CPU_RATIO_H_
#define MUSTER_PEER_KOORDINATOR_COLOCATION_CPU_RATIO_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace muster::koordinator {

struct CpuModel {
  std::string name;
  bool has_hyper_threads = false, has_turbo = false;
  friend bool operator==(const CpuModel&, const CpuModel&) = default;
};

struct ModelRatios {
  std::string name;
  std::optional<double> base = {}, turbo = {}, hyper_threads = {}, both = {};
};

struct NormalizationRules {
  std::vector<ModelRatios> models = {};
  std::optional<double> fallback = {};  // of models without a ratio
};

// Returns the ratio of the table alone. Fails with NotFound if it has none.
absl::StatusOr<double> TableRatio(const CpuModel& machine, const NormalizationRules& rules);

// Returns the ratio of the table or its fallback, from 1 to 5. Fails with NotFound without one and
// with OutOfRange beyond these bounds. `is_on` false gives 1.
absl::StatusOr<double> NormalizationOf(const std::optional<CpuModel>& machine,
                                       const NormalizationRules& rules, bool is_on);

// Returns whether normalization is on: by the machine's label, or else by the configuration.
inline bool IsNormalized(std::optional<bool> label, std::optional<bool> configured) {
  return label.value_or(configured.value_or(false));
}

// Returns whether a published ratio changes enough. Absent ratios differ from all others.
bool IsRatioChangeShown(std::optional<double> old_ratio, std::optional<double> new_ratio);

using Ratios = std::vector<std::pair<std::string, double>>;  // by resource, names ascending

// Returns the factors of resources with the normalization of CPUs (absent: none). Fails with
// InvalidArgument if one is below 1.
absl::StatusOr<Ratios> AmplificationOf(Ratios factors, std::optional<double> normalization);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_COLOCATION_CPU_RATIO_H_
