// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a task states about the reservations that it takes from, read from labels of its shape. They
// stand for the annotations in which pods of Koordinator state it.
//
//   const absl::StatusOr<ReservationClaim> claim = ReadReservationClaim(shape);
//   if (!claim.ok()) return claim.status();       // label koordinator/reservation-affinity: ...
//
//   koordinator/reservation-name          the only reservation that it takes from
//   koordinator/reservation-affinity      "tier in (a,b),!old;size>4": selects labels of
//                                         reservations, over those of their nodes. Terms by `;`,
//                                         of which one must hold, requirements by `,`: KEY, !KEY,
//                                         KEY in (V,...), KEY notin (V,...), KEY>N, KEY<N. An
//                                         empty term selects none, and "*" every reservation.
//   koordinator/reservation-tolerations   "a=b:NoSchedule,c:NoExecute,d": taints of reservations;
//                                         a key without a value tolerates all, "*" all taints
//   koordinator/reservation-exact         "cpu,memory": what it requests exactly as reserved
//   koordinator/reservation-unreadable    any text: what it states of reservations is no JSON; it
//                                         gets no node
//   scheduling.koordinator.sh/reservation-ignored    "true": it takes what any of them keeps, and
//                                         holds none
//
// A task with one of the first three goes where such a reservation is, and nowhere else.
//
// Cost. O(length of the labels).
#ifndef MUSTER_PEER_KOORDINATOR_PROFILE_RESERVATION_WISHES_H_
#define MUSTER_PEER_KOORDINATOR_PROFILE_RESERVATION_WISHES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/model/tables.h"
#include "lib/peer/koordinator/reservation/reservation_match.h"

namespace muster::koordinator {

struct ReservationClaim {
  bool ignores = false;
  bool is_readable = true;
  std::optional<ReservationWish> wish = {};  // absent: it may go anywhere
  std::vector<std::string> exact = {};       // names of resources
};

// Fails with InvalidArgument for a label that does not have the form above.
absl::StatusOr<ReservationClaim> ReadReservationClaim(const TaskShape& shape);

// Returns the first failure of a task of the cluster.
absl::Status CheckReservationClaims(const Tables& tables);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_PROFILE_RESERVATION_WISHES_H_
