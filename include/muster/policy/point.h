// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The extension points: the questions that policies answer, by name.
//
//   muster::PointSet points = {muster::Point::kJobOrder, muster::Point::kReady};
//   points.has(muster::Point::kReady);            // true
//   points.remove(muster::Point::kReady);
//   muster::PointName(muster::Point::kJobOrder);  // "job_order"
//
// Promise. A policy is asked at the points that Policy::points() lists, and nowhere else. The names
// are the words of C, Python and spec strings: "volcano:gang(without=ready|pipelined)" asks policy
// gang at its other points only. docs/policies.md has the rule by which the answers of several
// policies to one question combine.
// Failure. None.
// Ownership. A PointSet is a value of 4 bytes; names are static.
// Threads. Any.
// Cost. O(1).
#ifndef MUSTER_POLICY_POINT_H_
#define MUSTER_POLICY_POINT_H_

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "muster/export.h"

namespace muster {

// A question, and the function that answers it.
enum class Point : uint8_t {
  // Orders of jobs, queues and tasks: order.h.
  // OrderPolicy::CompareJobs
  kJobOrder,
  // OrderPolicy::CompareQueues
  kQueueOrder,
  // OrderPolicy::CompareTasks
  kTaskOrder,
  // Nodes: fit.h and score.h.
  // FitPolicy, by its scope
  kFit,
  // ScorePolicy, by its scope
  kScore,
  // Gates of queues and jobs: gate.h.
  // GatePolicy::Overused
  kOverused,
  // GatePolicy::Allocatable
  kAllocatable,
  // GatePolicy::Preemptive
  kPreemptive,
  // GatePolicy::Valid
  kValid,
  // GatePolicy::Ready
  kReady,
  // GatePolicy::Pipelined
  kPipelined,
  // GatePolicy::Admit
  kAdmit,
  // GatePolicy::Starving
  kStarving,
  // Victims: victims.h. The queue to take from first: order.h.
  // VictimPolicy::Preemptable
  kPreemptable,
  // VictimPolicy::Reclaimable
  kReclaimable,
  // VictimPolicy::Evictable
  kEvictable,
  // VictimPolicy::Victims
  kVictims,
  // OrderPolicy::CompareVictimQueues
  kVictimQueueOrder,
  // Sub-groups of jobs: order.h and gate.h.
  // OrderPolicy::CompareSubGroups
  kSubGroupOrder,
  // GatePolicy::SubGroupReady
  kSubGroupReady,
  // GatePolicy::SubGroupPipelined
  kSubGroupPipelined,
  // Domains of the topology tree: domains.h.
  // DomainPolicy::ScoreDomains
  kDomainScore,
  // DomainPolicy::DomainsForJob, DomainsForGroup, OffersLeaf
  kDomainSearch,
};
// The number of points.
inline constexpr int kPointCount = 23;

// Returns the point's name, in lower case with underscores: "job_order", "preemptable", ...
MUSTER_EXPORT std::string_view PointName(Point point);

// A set of points.
class PointSet {
 public:
  // The empty set, and the set of the points listed.
  constexpr PointSet() = default;
  constexpr PointSet(std::initializer_list<Point> points) {
    for (Point p : points) bits_ |= 1u << static_cast<int>(p);
  }
  // Returns whether the point is in the set.
  constexpr bool has(Point p) const { return bits_ >> static_cast<int>(p) & 1; }
  // Takes the point out. A point that is not in the set is no error.
  constexpr void remove(Point p) { bits_ &= ~(1u << static_cast<int>(p)); }

 private:
  uint32_t bits_ = 0;
};

}  // namespace muster

#endif  // MUSTER_POLICY_POINT_H_
