// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Measures the node searches of one cycle (muster/cycle_metrics.h).
//
//   SearchMeter meter(*options.metrics);
//   search.Measure(&meter);                       // until Measure(nullptr)
//   ...
//   meter.Finish(plan.decisions);                 // the lists of the metrics
//
// Policies are asked through Measured, which counts and times the question where there is a meter.
#ifndef MUSTER_SEARCH_SEARCH_METER_H_
#define MUSTER_SEARCH_SEARCH_METER_H_

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "lib/extension/dispatcher.h"
#include "muster/cycle_metrics.h"
#include "muster/plan.h"

namespace muster {

class SearchMeter {
 public:
  explicit SearchMeter(CycleMetrics& metrics) : metrics_(metrics) {}

  int64_t Now() const { return metrics_.clock ? metrics_.clock() : 0; }
  SearchCosts& searches() { return metrics_.searches; }
  // Adds a question about so many nodes, which began at `begin`.
  void Count(const PolicyEntry& entry, size_t nodes, int64_t begin);
  // Whether Choose is to be called for each node that is chosen for a task.
  bool explains() const { return metrics_.explain_nodes; }
  // Replaces an earlier choice for the task.
  void Choose(NodeChoice choice);
  // Lists policies, and the choices that these decisions follow.
  void Finish(std::span<const Decision> decisions);

 private:
  CycleMetrics& metrics_;
  std::map<const PolicyEntry*, PolicyCost> policies_;  // entries lie in the order of the tiers
  std::map<TaskIndex, NodeChoice> choices_;
};

// Asks the policy about so many nodes. `meter` may be null.
template <class Ask>
void Measured(SearchMeter* meter, const PolicyEntry& entry, size_t nodes, const Ask& ask) {
  if (meter == nullptr) return ask();
  const int64_t begin = meter->Now();
  ask();
  meter->Count(entry, nodes, begin);
}

}  // namespace muster

#endif  // MUSTER_SEARCH_SEARCH_METER_H_
