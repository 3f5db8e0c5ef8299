// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whether a reservation may serve tasks.
//
//   const ReservationState state = {.is_available = true, .allocate_once = true, .tasks = 1};
//   IsMatchable(state);   // false: it is used up
//
// A reservation is available while it is on a node in phase Available. A running task that serves
// as one (the peer's operating mode) is available while it is ready, whatever its node. Either may
// be leaving. A reservation is matchable if it is available and its owners can be read. Where it
// serves one task once, it is not matchable after that. Cost: O(1).
#ifndef MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_STATE_H_
#define MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_STATE_H_

#include <cstddef>
#include <string_view>

namespace muster {

struct ReservationState {
  bool is_available = false;
  bool allocate_once = false;
  bool owners_can_be_read = true;
  size_t tasks = 0;  // that it serves
};
bool IsMatchable(const ReservationState& state);

// Of an object of its own; `node` is empty while it has none.
bool IsReservationAvailable(std::string_view node, std::string_view phase);
// Of a task that serves as a reservation.
bool IsServingTaskAvailable(std::string_view phase, bool is_ready);

// What a reservation states of itself before it is placed.
struct ReservationForm {
  bool has_template = false;
  bool has_owners = false;
  bool has_end = false;  // a time to live, or a time at which it expires
};
// Returns what it misses, as the peer says it; empty: nothing.
std::string_view FlawOf(const ReservationForm& form);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_STATE_H_
