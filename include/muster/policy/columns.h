// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Node states as columns, the form in which policies filter and score them.
//
//   for (size_t i = begin; i < end; ++i) order[i - begin] += states.idle[kCpu][i];
//
// A state is what nodes of equal kind and equal books have in common: nodes in one state get one answer. Cells are
// doubles, because every amount in them is an integer below 2^53 (the engine compares integers node by node
// otherwise), so comparisons and sums are exact and loops over columns use wide registers.
// The columns are valid during the call that hands them over.
#ifndef MUSTER_POLICY_COLUMNS_H_
#define MUSTER_POLICY_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "muster/types.h"

namespace muster {

struct StateColumns {
  size_t size = 0;
  // Per dimension, a column over states. `allocatable` is 0 if the node does not have the dimension.
  std::vector<std::vector<double>> idle, releasing, future_idle, used, requested, allocatable;
  std::vector<double> scoring_cpu, scoring_memory;  // requests in view, as scorers count them
  std::vector<double> tasks;                        // in the Kubernetes view
  std::vector<double> task_limit;  // allocatable pods; huge if the node sets no limit
  // Requested over allocatable, at most 1; 0 if the node has none.
  std::vector<double> busy_cpu, busy_memory;
  std::vector<double> head;  // index of the oldest node in the state; infinity: no node is in it
  std::vector<uint32_t> devices;  // the state of the node's devices
  // A node in that state; the only one if a policy tells nodes apart (Traits::tells_nodes_apart).
  std::vector<NodeIndex> node;
  // Per dimension, the lesser of idle and future_idle: what a placement may take now.
  std::vector<std::vector<double>> room;

  using ByDimension = std::vector<std::vector<double>> StateColumns::*;
  static constexpr ByDimension kFree[] = {&StateColumns::idle, &StateColumns::releasing,
                                          &StateColumns::future_idle, &StateColumns::room};
  static constexpr ByDimension kHeld[] = {&StateColumns::used, &StateColumns::requested,
                                          &StateColumns::allocatable};

  // Calls visit(column, the same column of the others...) for every column, or all but what is free.
  template <typename Visit, typename Columns, typename... Others>
  static void ForEach(bool free, Visit visit, Columns& columns, Others&... others) {
    const auto visit_all = [&](ByDimension part) {
      for (size_t d = 0; d < (columns.*part).size(); ++d) {
        visit((columns.*part)[d], (others.*part)[d]...);
      }
    };
    for (size_t i = 0; free && i < std::size(kFree); ++i) visit_all(kFree[i]);
    for (const ByDimension part : kHeld) visit_all(part);
    for (const auto part :
         {&StateColumns::scoring_cpu, &StateColumns::scoring_memory, &StateColumns::tasks,
          &StateColumns::task_limit, &StateColumns::busy_cpu, &StateColumns::busy_memory,
          &StateColumns::head}) {
      visit(columns.*part, (others.*part)...);
    }
    visit(columns.devices, others.devices...);
    visit(columns.node, others.node...);
  }
};
static_assert(sizeof(StateColumns) == sizeof(size_t) + 16 * sizeof(std::vector<double>),
              "a new column goes into ForEach");

// MUSTER_KERNEL marks a function with a loop over columns: it is compiled for wide registers, too. The results are
// equal to the bit, because the loops do nothing but element-wise IEEE operations and AVX2 without FMA cannot contract
// them.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(MUSTER_NO_MULTIVERSION)
#define MUSTER_KERNEL __attribute__((target_clones("avx2", "default")))
#else
#define MUSTER_KERNEL
#endif

}  // namespace muster

#endif  // MUSTER_POLICY_COLUMNS_H_
