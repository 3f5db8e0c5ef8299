// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Gangs as trees of sub-groups: which parts must be whole, and where each of them shall be.
//
//   muster::JobSpec job{.name = "train", .queue = "vision"};
//   job.gang = muster::GangRules{.min_sub_groups = 2};          // two of the three below
//   job.sub_groups = {{.name = "prefill", .min_available = 4},
//                     {.name = "decode", .min_available = 8},
//                     {.name = "spare", .min_available = 1}};
//   job.gang->elastic = muster::ElasticSize{.least = 12, .most = 32};
//   job.sub_groups[1].place = muster::SubGroupPlace{
//       .levels = muster::TopologyLevels{.topology = "dc", .required = "rack"}};
//
// Promise. Sub-groups that name a parent form a tree below the job. A sub-group with others below
// it has no tasks of its own. Levels are label keys of the topology of a flavor (flavor.h);
// topologies may be named before they exist.
// Failure. A job is refused with InvalidArgument if a parent is not a sub-group of the job, if
// parents form a cycle, if a count or a delay is negative, if a topology has no name, or if the
// sizes of an elastic job are out of order.
// Ownership, threads. Plain values.
// Cost. A job, and a sub-group, without these rules has a null pointer.
#ifndef MUSTER_GANG_H_
#define MUSTER_GANG_H_

#include <cstdint>
#include <optional>
#include <string>

namespace muster {

// Where tasks shall be together, by levels of a topology.
struct TopologyLevels {
  // The name of the topology (FlavorTopology::name). Required: not empty.
  std::string topology = {};
  // All tasks must be in one domain of this level. Empty: they need not be.
  std::string required = {};
  // Few domains of this level are better. Empty: no preference.
  std::string preferred = {};
  friend bool operator==(const TopologyLevels&, const TopologyLevels&) = default;
};

// The place of a sub-group in a tree of them.
struct SubGroupPlace {
  // The sub-group above it, by name. Empty: it is right below the job.
  std::string parent = {};
  // How many of the sub-groups right below it must be whole: 0 or more. Absent: all.
  std::optional<int64_t> min_sub_groups = {};
  // Absent: anywhere.
  std::optional<TopologyLevels> levels = {};
  friend bool operator==(const SubGroupPlace&, const SubGroupPlace&) = default;
};

// How many tasks an elastic job runs with. Actions shrink and grow keep to it (docs/policies.md).
struct ElasticSize {
  // The fewest tasks that it keeps when it gives tasks back: 0 or more. The minima of the job, of
  // its groups and of its sub-groups hold, too. Absent: these alone.
  std::optional<int64_t> least = {};
  // The most tasks that it grows to: `least` or more, and 1 or more. Absent: all of its tasks.
  std::optional<int64_t> most = {};
  friend bool operator==(const ElasticSize&, const ElasticSize&) = default;
};

// Rules of a job as a gang. Times are on the clock of JobSpec::created, delays in seconds.
struct GangRules {
  // How many of the sub-groups right below the job must be whole: 0 or more. Absent: all.
  std::optional<int64_t> min_sub_groups = {};
  // Where all of its tasks shall be. Absent: anywhere.
  std::optional<TopologyLevels> levels = {};
  // When the gang was last started, and when some of it was last evicted. Absent: never.
  std::optional<int64_t> started = {}, evicted = {};
  // Since when fewer of its tasks are left than it needs. Absent: enough are.
  std::optional<int64_t> stale_since = {};
  // How long that may last before the others are evicted; negative: forever. Absent: as the profile
  // has it.
  std::optional<int64_t> staleness_grace = {};
  // How long the job waits, after its creation and after an eviction, before others are evicted for
  // it: 0 or more. Absent: 0.
  std::optional<int64_t> preemption_delay = {};
  // The job is elastic: it runs with more tasks than its gang needs while there is room, and gives
  // them back one by one. Absent: it is not.
  std::optional<ElasticSize> elastic = {};
  friend bool operator==(const GangRules&, const GangRules&) = default;
};

}  // namespace muster

#endif  // MUSTER_GANG_H_
