// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reservations: capacity of a node that is kept for some tasks.
//
//   cluster.SetReservation({.name = "nightly", .node = "n1",
//                           .phase = muster::ReservationPhase::kAvailable,
//                           .shape = {.request = {{"cpu", 16}}},
//                           .owners = {{.selector = muster::Selector{
//                               .match_labels = {{"app", "etl"}}}}}});
//
// A reservation is placed like a task of its shape; it then owns the shape's request on its node
// until it expires. Owners may take from it. A reservation on a node that does not exist owns
// nothing there. Names are unique among reservations.
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
  std::string task = {}, job = {};  // by name
  std::string name_space = {};
  std::optional<Selector> selector = {};  // over labels of tasks
  friend bool operator==(const ReservationOwner&, const ReservationOwner&) = default;
};

// kPending: wants a node. kAvailable: holds its capacity. The others hold nothing.
enum class ReservationPhase : uint8_t { kPending, kAvailable, kSucceeded, kFailed };
// kAligned: an owner may use the reservation and what else its node has. kRestricted: it takes the
// restricted resources from the reservation only.
enum class ReservationPolicy : uint8_t { kAligned, kRestricted };

struct ReservationSpec {
  std::string name = {};
  std::string node = {};  // required if available; empty if pending
  ReservationPhase phase = ReservationPhase::kPending;
  TaskShape shape = {};                       // its request is what is reserved
  std::vector<ReservationOwner> owners = {};  // one of these; empty: no task
  bool allocate_once = true;                  // it succeeds when its first owner has come
  ReservationPolicy policy = ReservationPolicy::kAligned;
  std::vector<std::string> restricted = {};  // resources; empty: all of its request
  std::optional<int64_t> expires = {};       // when; absent: never
  Resources allocated = {};                  // of its request, to its holders
  std::vector<std::string> holders = {};     // tasks, by name
  std::vector<Taint> taints = {};            // that an owner must tolerate
  bool unschedulable = false;                // takes no more owners
  int64_t order = 0;                         // the smallest is taken first; 0: no order
  int32_t priority = 0;                      // while it is pending
  int64_t created = 0;
};

}  // namespace muster

#endif  // MUSTER_RESERVATION_H_
