// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What preemption of the fair scheduler keeps between cycles, beside what kept.h has.
//
//   const std::optional<KeptStarvation> before = KeptStarvationOf(slot, "job", "root.a");
//   slot.Set("job", RowOf("root.a", starvation));
//
// Four slots. They have a row for each
//
//   yarn-fair-starvation  job: its leaf, when it was last at its fair share, when it is looked at
//                         next, and what it misses of its fair share and of a minimum share
//   yarn-fair-minimums    leaf: when it was last at its minimum share
//   yarn-fair-marks       task that is to be evicted, or leaves: its node, when it is evicted, the
//                         job that it makes room for, and 1 if it was evicted
//   yarn-fair-promises    node: jobs that tasks were evicted for there, and how much
//
// Times are in milliseconds of ScheduleOptions::now.
#ifndef MUSTER_PEER_YARN_FAIR_KEPT_H_
#define MUSTER_PEER_YARN_FAIR_KEPT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/peer/yarn/resource.h"
#include "muster/memory.h"
#include "muster/policy/cycle.h"

namespace muster::yarn {

inline constexpr std::string_view kStarvationSlot = "yarn-fair-starvation";
inline constexpr std::string_view kMinimumSlot = "yarn-fair-minimums";
inline constexpr std::string_view kFairMarkSlot = "yarn-fair-marks";
inline constexpr std::string_view kPromiseSlot = "yarn-fair-promises";

// The slots above, and those of kFairSlots.
std::vector<MemoryDecl> FairMemory();

struct KeptStarvation {
  int64_t last_at_fair_share = 0;
  int64_t next_check = 0;
  Resource of_fair_share, of_min_share;
};

struct KeptMark {
  int64_t time = 0;
  std::string job;          // for which it is evicted
  bool is_evicted = false;  // and leaves
};

using KeptPromises = std::vector<std::pair<std::string, Resource>>;

// Cells of the wrong type or beyond all bounds read as 0, or as an empty text.

// Unset: there is no row of the job in this leaf.
std::optional<KeptStarvation> KeptStarvationOf(const MemorySlot& slot, std::string_view job,
                                               std::string_view leaf);
MemoryRow RowOf(std::string_view leaf, const KeptStarvation& starvation);
// Unset: there is no row of the leaf.
std::optional<int64_t> KeptTimeOf(const MemorySlot& slot, std::string_view leaf);
// The cells of a mark that hold its job, and whether it is evicted.
inline constexpr size_t kJobCell = 2, kEvictedCell = 3;
// Unset: there is no row of the task on this node.
std::optional<KeptMark> KeptMarkOf(const MemorySlot& slot, std::string_view task,
                                   std::string_view node);
MemoryRow RowOf(std::string_view node, const KeptMark& mark);
KeptPromises KeptPromisesOf(const MemorySlot& slot, std::string_view node);
MemoryRow RowOf(const KeptPromises& promises);

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_FAIR_KEPT_H_
