// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reservations: capacity of a node that is kept for some tasks.
//
//   muster::Cluster cluster;
//   cluster.SetReservation({.name = "nightly", .node = "n1",
//                           .phase = muster::ReservationPhase::kAvailable,
//                           .shape = {.request = {{"cpu", 16}}},
//                           .owners = {{.selector = muster::Selector{
//                               .match_labels = {{"app", "etl"}}}}}});
//
// Promise. A reservation is placed like a task of its shape; it then owns the shape's request on
// its node until it expires. Owners may take from it. A reservation on a node that does not exist
// owns nothing there.
// Failure. Cluster::SetReservation fails with InvalidArgument for a node that does not agree with
// the phase, a name that is empty or listed twice, and a shape, taint or selector that breaks a
// rule of shape.h. Names are unique among reservations: a known name replaces the old reservation.
// Ownership, threads. Plain values.
// Cost. What their texts take. Setting a reservation costs O(its size).
#ifndef MUSTER_RESERVATION_H_
#define MUSTER_RESERVATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/shape.h"

namespace muster {

// Tasks that may take from a reservation: those that agree with all that is set. Nothing set: all.
struct ReservationOwner {
  // The name of the task, and of its job. Empty: not set.
  std::string task = {}, job = {};
  // The namespace of the task. Empty: not set.
  std::string name_space = {};
  // Selects tasks by their labels. Absent: not set.
  std::optional<Selector> selector = {};
  friend bool operator==(const ReservationOwner&, const ReservationOwner&) = default;
};

// Where a reservation is in its life.
enum class ReservationPhase : uint8_t {
  // It has no node yet.
  kPending,
  // It holds its capacity on its node.
  kAvailable,
  // It was used, and holds nothing any more.
  kSucceeded,
  // It expired or was withdrawn, and holds nothing any more.
  kFailed,
};
// What an owner may use besides the reservation.
enum class ReservationPolicy : uint8_t {
  // What else the node has.
  kAligned,
  // The same, but it takes the restricted resources from the reservation only.
  kRestricted,
};

// One reservation.
struct ReservationSpec {
  // The name of the reservation. Required: not empty.
  std::string name = {};
  // The name of its node. Required if the phase is kAvailable; empty if it is kPending.
  std::string node = {};
  // Default: without a node.
  ReservationPhase phase = ReservationPhase::kPending;
  // What is reserved, as the shape's request, and where it may be placed.
  TaskShape shape = {};
  // A task is an owner if it agrees with one of these. Empty: no task is.
  std::vector<ReservationOwner> owners = {};
  // True: the reservation succeeds as soon as one owner has taken from it. Default: true.
  bool allocate_once = true;
  // Default: owners may also use what else the node has.
  ReservationPolicy policy = ReservationPolicy::kAligned;
  // Names of resources that kRestricted is about, each once. Empty: all of its request.
  std::vector<std::string> restricted = {};
  // The time at which it ends, in seconds on the caller's clock. Absent: never.
  std::optional<int64_t> expires = {};
  // What its holders have of its request, by resource. Default: nothing.
  Resources allocated = {};
  // Names of the tasks that have taken from it, each once. Default: none.
  std::vector<std::string> holders = {};
  // Taints that an owner must tolerate. Default: none.
  std::vector<Taint> taints = {};
  // True: it takes no more owners. Default: false.
  bool unschedulable = false;
  // Of several reservations, the smallest order is taken first: 0 or more. Default: 0, no order.
  int64_t order = 0;
  // The priority while it is pending; a larger number is more important. Default: 0.
  int32_t priority = 0;
  // The time of its creation, in seconds on the caller's clock. Default: 0.
  int64_t created = 0;
};

}  // namespace muster

#endif  // MUSTER_RESERVATION_H_
