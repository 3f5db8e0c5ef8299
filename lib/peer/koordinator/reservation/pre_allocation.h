// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reservations that take over room from running tasks, which become their owners.
//
//   PreAllocationAnswer answer = FilterByPreAllocation(request, node, reserved, tasks, options);
//   answer.fits;   // the reservation may go to the node
//   answer.taken;  // the tasks that it takes over, as places in `tasks`; none: free room suffices
//
// Idea. A reservation that takes over a task needs only what the task does not hold already. A
// single task must do, or tasks are added in their order until the node has room for the rest.
// A task that the reservation cannot hold is passed over.
//
// Peer. Koordinator's pre-allocation. Surprises: with a single task the answer lists all
// candidates, as one of them is nominated later. With several, what the node lacks is that of the
// last trial, also of a trial that was passed over. A node with a task count at its limit is judged
// as if the tasks taken over were gone.
//
// Ties. The caller's order.
//
// Cost. O(tasks x resources).
#ifndef MUSTER_PEER_KOORDINATOR_RESERVATION_PRE_ALLOCATION_H_
#define MUSTER_PEER_KOORDINATOR_RESERVATION_PRE_ALLOCATION_H_

#include <cstddef>
#include <span>
#include <vector>

#include "lib/peer/koordinator/reservation/reservation_fit.h"

namespace muster {

struct PreAllocationOptions {
  ReservationRules rules;      // `required`: free room alone does not do
  bool takes_several = false;  // the reservation adds up tasks
  bool prefers_none = false;   // free room is tried first
};

struct PreAllocationAnswer {
  bool fits = false;
  std::vector<size_t> taken;
  Lacks node;
  std::vector<Lacks> reservation;  // by task, without those that lack none
};

// Returns whether a reservation with this request may go to the node. `tasks` holds what each task
// that may be taken over requests.
PreAllocationAnswer FilterByPreAllocation(const Sparse& request, const ReservedNode& node,
                                          const Reserved& reserved, std::span<const Sparse> tasks,
                                          const PreAllocationOptions& options);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_RESERVATION_PRE_ALLOCATION_H_
