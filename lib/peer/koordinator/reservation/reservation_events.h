// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What events of tasks and reservations change in the books of reservations.
//
//   ReservationBooks books;
//   FollowReservation(record, ReservationEvent::kActive, &books);
//   FollowTask({}, task, &books);
//
// Idea. A task that runs holds the reservation that it names, may serve as one, and may be taken
// over by one. A task that ended, or is not on a node any more, leaves all three books. Whatever
// was promised to a task is forgotten as soon as it is on a node.
//
// Peer. Koordinator's handlers of pods and reservations. Surprise: a deleted reservation that is
// still available stays in the book as a failed one, until its stand-in is gone. Cost: O(log n).
#ifndef MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_EVENTS_H_
#define MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_EVENTS_H_

#include <optional>
#include <string>

#include "lib/peer/koordinator/reservation/nominations.h"
#include "lib/peer/koordinator/reservation/reservation_book.h"
#include "lib/peer/koordinator/reservation/take_over_candidates.h"

namespace muster {

struct ReservationBooks {
  ReservationBook book = {};
  Nominations nominations = {};
  TakeOverCandidates candidates = {};
};

// A task as an event shows it. Without a uid: it is not there.
struct ReservationTask {
  TakeOverCandidates::Shown shown = {};
  Sparse request = {};
  std::string holds = {};  // the uid of its reservation; empty: none
  bool has_ended = false;
  bool stands_for_reservation = false;
  // The reservation that it serves as, and the uid of the task that holds it.
  std::optional<ReservationBook::Record> serves = {};
  std::string holder = {};
};

void FollowTask(const ReservationTask& before, const ReservationTask& now, ReservationBooks* books);
void RemoveTask(const ReservationTask& task, ReservationBooks* books);

enum class ReservationEvent {
  kActive,   // on a node, in phase Available or Waiting
  kEnded,    // Succeeded or Failed
  kWaiting,  // anything else, which the books do not have
};
// `is_new`: it was not there before.
void FollowReservation(const ReservationBook::Record& record, ReservationEvent event, bool is_new,
                       ReservationBooks* books);
void RemoveReservation(const ReservationBook::Record& record, ReservationBooks* books);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_EVENTS_H_
