// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The extension points: the questions that policies answer, by name.
//
//   PointSet points = {Point::kJobOrder, Point::kReady};
//   points.has(Point::kReady);            // true
//   PointName(Point::kReady);             // "ready", as the option `without` of every policy spells it
//
// docs/policies.md lists the rule by which the answers of several policies to one question combine.
#ifndef MUSTER_POLICY_POINT_H_
#define MUSTER_POLICY_POINT_H_

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "muster/export.h"

namespace muster {

enum class Point : uint8_t {
  kJobOrder,
  kQueueOrder,
  kTaskOrder,
  kFit,
  kScore,
  kOverused,
  kAllocatable,
  kPreemptive,
  kValid,
  kReady,
  kPipelined,
  kAdmit,
  kStarving,
  kPreemptable,
  kReclaimable,
  kEvictable,
  kVictims,
  kVictimQueueOrder,
  kSubGroupOrder,
  kSubGroupReady,
  kSubGroupPipelined,
  kDomainScore,
  kDomainSearch,
};
inline constexpr int kPointCount = 23;

// Returns the point's name: "job_order", "preemptable", ...
MUSTER_EXPORT std::string_view PointName(Point point);

class PointSet {
 public:
  constexpr PointSet() = default;
  constexpr PointSet(std::initializer_list<Point> points) {
    for (Point p : points) bits_ |= 1u << static_cast<int>(p);
  }
  constexpr bool has(Point p) const { return bits_ >> static_cast<int>(p) & 1; }
  constexpr void remove(Point p) { bits_ &= ~(1u << static_cast<int>(p)); }

 private:
  uint32_t bits_ = 0;
};

}  // namespace muster

#endif  // MUSTER_POLICY_POINT_H_
