// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Node states as columns: the form in which policies filter and score nodes.
//
//   // In ScorePolicy::ScoreStates: the emptier the node, the better.
//   for (size_t i = begin; i < end; ++i) order[i - begin] += states.idle[muster::kCpu][i];
//
// A node's kind is what never changes about it: its capacity, its labels as far as constraints name
// them, what policies with Scope::kKind answer. Its books are what its tasks hold and request.
// A state is what nodes of equal kind and equal books have in common. Nodes in one state get one
// answer, so a policy computes as many answers as there are states, not nodes.
//
// Promise. Cells are doubles. Every amount in them is an integer below 2^53, so comparisons and
// sums of amounts are exact, and loops over columns use wide registers. Clusters with larger
// amounts are compared node by node, in integers, without columns.
// Failure. None. REQUIRES: row indices are below `size`, dimensions below the cycle's
// dimension_count().
// Ownership. The engine owns the columns; they are valid during the call that passes them.
// Threads. The calling thread alone.
// Cost. One cell costs one load; a column is contiguous. A loop over a column should have no branch
// and no call: the compiler then turns it into wide instructions.
#ifndef MUSTER_POLICY_COLUMNS_H_
#define MUSTER_POLICY_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "muster/types.h"

namespace muster {

// Columns over all states of a cycle, states that no node is in included. What a column is about
// has the same name in Cycle, where it is a row of integers for each node.
//
//   // Nodes with a free GPU, as a filter:
//   const double* gpus = states.room[gpu].data();
//   for (size_t i = begin; i < end; ++i) fits[i - begin] &= gpus[i] >= 1000;
//
struct StateColumns {
  // The number of states, and the length of each column.
  size_t size = 0;
  // One column for each dimension: idle[d][i] is for dimension d and state i, in the units of
  // Cycle. They are Cycle's amounts of the same names, `future_idle` being what is idle once
  // leaving tasks have gone and nominated ones have come. `requested` is what tasks of the node
  // request in the Kubernetes view. A dimension that the nodes lack has 0 allocatable.
  std::vector<std::vector<double>> idle, releasing, future_idle, used, requested, allocatable;
  // Requests in the Kubernetes view as scorers count them: a task that requests none counts as if
  // it requested a little.
  std::vector<double> scoring_cpu, scoring_memory;
  // The number of tasks in the Kubernetes view, and allocatable pods (huge: no limit).
  std::vector<double> tasks;
  std::vector<double> task_limit;
  // Requested over allocatable, at most 1; 0 if the node has none. Scores that prefer idle or
  // balanced nodes read these.
  std::vector<double> busy_cpu, busy_memory;
  // The index of the oldest node in the state, the one that wins among equals. Infinity: no node is
  // in it.
  std::vector<double> head;
  // The number of the state of the node's devices: nodes with equal numbers have equal devices,
  // equally free.
  std::vector<uint32_t> devices;
  // A node in that state; the only one if a policy tells nodes apart (Traits::tells_nodes_apart).
  std::vector<NodeIndex> node;
  // One column for each dimension: the lesser of idle and future_idle, which is what a placement
  // may take now. Amounts that nominated tasks are promised are not in it.
  std::vector<std::vector<double>> room;

  // Columns by dimension: those of what is free, then those of what is held and of the capacity.
  using ByDimension = std::vector<std::vector<double>> StateColumns::*;
  // As the engine does: `free` columns are filled only if some policy reads them
  // (Traits::reads_free).
  static constexpr ByDimension kFree[] = {&StateColumns::idle, &StateColumns::releasing,
                                          &StateColumns::future_idle, &StateColumns::room};
  static constexpr ByDimension kHeld[] = {&StateColumns::used, &StateColumns::requested,
                                          &StateColumns::allocatable};

  // Calls visit(column, the same column of the others...) for every column. If `free` is false, the
  // columns of kFree are left out. REQUIRES: all arguments have equally many dimensions.
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

// MUSTER_KERNEL marks a function with a loop over columns. The compiler builds it twice, once for
// wide registers, and the processor's best version runs. The results are equal to the bit: the
// loops do nothing but element-wise IEEE operations, which AVX2 without FMA cannot contract.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(MUSTER_NO_MULTIVERSION)
#define MUSTER_KERNEL __attribute__((target_clones("avx2", "default")))
#else
#define MUSTER_KERNEL
#endif

}  // namespace muster

#endif  // MUSTER_POLICY_COLUMNS_H_
