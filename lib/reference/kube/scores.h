// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The single scores, by the numbers they hang on: tests feed them check vectors.
#ifndef MUSTER_REFERENCE_KUBE_SCORES_H_
#define MUSTER_REFERENCE_KUBE_SCORES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/reference/cycle.h"

namespace muster::reference {

// `requested` is what the node's tasks and the new one ask for together, `capacity` what the node
// offers.
struct Load {
  int64_t requested;
  int64_t capacity;
};

int64_t LeastAllocated(const std::vector<Load>& loads);  // 0..100, capacity 0 left out
int64_t MostAllocated(const std::vector<Load>& loads);
// How much the balance of the loads improves from `before` to `after`: 50..100, 75 for no change.
int64_t BalancedAllocation(const std::vector<Load>& before, const std::vector<Load>& after);
int64_t Balance(const std::vector<Load>& loads);
// The largest becomes 100 and the others follow; `reverse`: the largest becomes 0.
std::vector<int64_t> Normalize(std::vector<int64_t> scores, int64_t top, bool reverse);
int64_t ImageLocality(const Cycle& cycle, TaskIndex task, NodeIndex node);
double Binpack(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task, NodeIndex node);

// Of Kubernetes 1.16: 0..10, capacity 0 scores nothing but is counted.
int64_t OldLeastRequested(const std::vector<Load>& loads);
int64_t OldMostRequested(const std::vector<Load>& loads);
int64_t OldBalanced(const Load& cpu, const Load& memory);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_KUBE_SCORES_H_
