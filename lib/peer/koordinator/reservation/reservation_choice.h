// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which reservation of a node a task gets, and how good nodes are by it.
//
//   int64_t score = ReservationScore(request, reserved);
//   size_t chosen = NominateReservation(offers);   // of one node
//   std::vector<int64_t> scores = ReservationNodeScores(nodes);
//
// Idea. Orders come first: of the reservations with an order other than zero, the least wins.
// Without orders, the reservation that the task fills best wins.
//
// Peer. Koordinator's reservation plug-in, phases PreScore and Score. Surprises: the node with the
// least order gets 1000 where others have 100 at most, and the scale to 0..100 shrinks theirs by
// ten. A reservation that the task overfills in one resource gets nothing for it, but still divides
// by it.
//
// Ties. The first in the caller's order wins; the peer sorts equal scores without an order, which
// keeps it for 12 reservations or fewer.
//
// Cost. O(resources) a score, O(reservations) a choice.
#ifndef MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_CHOICE_H_
#define MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_CHOICE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/peer/koordinator/reservation/reservation_fit.h"

namespace muster {

struct ReservationOffer {
  int64_t order = 0;  // zero: none
  int64_t score = 0;
};

// A node of the last phase; `has_reservation` without a nominated one is a score of zero.
struct ReservationNode {
  int64_t least_order = 0;  // of its matched reservations; zero: none has one
  int64_t score = 0;        // of the nominated one; zero: none is nominated
};

// Returns 0..100: the mean share of the reservation's resources that is used with the request. An
// amount is in thousandths of a unit, so that cpu weighs as memory does.
int64_t ReservationScore(const Sparse& request, const Reserved& reserved);

// Returns the place of the least order other than zero, or kNoReservation.
size_t LeastOrder(std::span<const int64_t> orders);

// Returns the place of the nominated reservation, or kNoReservation if there is no offer.
size_t NominateReservation(std::span<const ReservationOffer> offers);

// Returns the places of tasks that a reservation may take over, the one that fills it best first.
std::vector<size_t> BestFillFirst(std::span<const Sparse> tasks, const Reserved& reserved);

// Returns the raw score of each node, before the scale (ScaleScores of resource_scores.h).
std::vector<int64_t> ReservationNodeScores(std::span<const ReservationNode> nodes);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_CHOICE_H_
