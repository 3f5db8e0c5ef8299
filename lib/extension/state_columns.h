// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Node states as columns, the form in which policies score them.
//
// A state is what nodes of equal kind and equal books have in common; nodes in one state get one answer. Cells
// are doubles because every amount in them is an integer below 2^53 (the engine does not use states otherwise),
// so comparisons and sums are exact and eight-wide loops over them vectorise.
#ifndef MUSTER_EXTENSION_STATE_COLUMNS_H_
#define MUSTER_EXTENSION_STATE_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "muster/types.h"

namespace muster {

struct StateColumns {
  size_t size = 0;
  // Per dimension, a column over states. `allocatable` is 0 where the node does not have the dimension.
  std::vector<std::vector<double>> idle, releasing, future_idle, used, requested, allocatable;
  std::vector<double> scoring_cpu, scoring_memory;  // requests in view, as scorers count them
  std::vector<double> tasks;                        // in the Kubernetes view
  std::vector<double> task_limit;  // allocatable pods; huge where the node sets no limit
  // Requested over allocatable, at most 1; 0 where the node has none. Kept because a division costs more than the
  // rest of a score.
  std::vector<double> busy_cpu, busy_memory;
  std::vector<double> head;  // index of the oldest node in the state; infinity: no node is in it
  std::vector<uint32_t> devices;  // what is free of devices (DeviceBook::state)
  // The node in that state, or one of them. The only one where a policy tells
  // nodes apart (Policy::TellsNodesApart).
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

// Marks a loop over columns to be compiled for wide registers as well. The results are the same to the bit:
// the loops do nothing but element-wise IEEE operations, and AVX2 without FMA cannot contract them.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(MUSTER_NO_MULTIVERSION)
#define MUSTER_KERNEL __attribute__((target_clones("avx2", "default")))
#else
#define MUSTER_KERNEL
#endif

}  // namespace muster

#endif  // MUSTER_EXTENSION_STATE_COLUMNS_H_
