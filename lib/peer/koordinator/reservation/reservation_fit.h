// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whether a task fits a node that keeps room in reservations for it.
//
//   ReservedNode node{.capacity = ..., .requested = ..., .most_tasks = 110};
//   ReservationAnswer answer = FilterByReservations(claim, node, reservations, rules);
//   answer.fits;         // the node stays
//   answer.reservation;  // the first reservation that has room, or kNoReservation: the node alone
//
// Idea. A node counts a reservation as a task of its own. For a task that the reservation matches,
// what is left of it is free, and its owners are counted twice: as tasks and within the
// reservation. Free is therefore capacity - (requested - left - held by owners - preempted).
// A default or aligned reservation may be completed from the rest of the node. A restricted one
// must hold the whole request in the resources that it reserves.
//
// Guarantee. A task that fits by a reservation fits the node, too, unless the check of the node is
// skipped (ReservationRules::skips_node).
//
// Peer. Koordinator's reservation plug-in, phase Filter. Surprises: a request of zero cpu is
// compared, too, if the task requests anything else, so an overcommitted node refuses it. One
// reservation that does not complete a node refuses the node for tasks without affinity, although
// another one was passed over. Resources that are ignored (of other schedulers) are never compared,
// but cpu, memory and storage of the node always are.
//
// Ties. The first reservation in the caller's order wins.
//
// Cost. O(reservations of the node x resources), nothing allocated but the lists of lacks.
#ifndef MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_FIT_H_
#define MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_FIT_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/share/sparse.h"

namespace muster {

inline constexpr size_t kNoReservation = std::numeric_limits<size_t>::max();

// Room that is kept on a node.
struct Reserved {
  enum class Policy {
    kDefault,     // as kAligned, but shares a node with its like alone
    kAligned,     // completed from the rest of the node
    kRestricted,  // alone, in the resources that it reserves
  };
  Policy policy = Policy::kDefault;
  Sparse total;
  Sparse used;         // held by its owners
  Sparse kept_back;    // part of the total that owners never get
  uint64_t names = 0;  // the resources that it reserves
  int64_t tasks = 0;   // owners that it has
  std::optional<int64_t> most_tasks = {};
  Sparse preempted;  // of `used`, what leaves with the victims of the task
  int64_t preempted_tasks = 0;
  bool refused = false;  // by a filter of the caller
};

// The node without what it keeps.
struct ReservedNode {
  Sparse capacity;
  Sparse requested;       // of all tasks, each reservation being one
  Sparse held_by_owners;  // of matched reservations
  Sparse preempted;       // victims of the task that own nothing
  int64_t tasks = 0;
  int64_t most_tasks = 0;
  int64_t matched = 0;  // reservations among the tasks
};

struct ReservationRules {
  uint64_t always = 0;        // cpu, memory and storage: compared even where none is requested
  uint64_t ignored = 0;       // resources that are not compared
  bool has_affinity = false;  // the task names or selects reservations
  bool required = false;      // the node alone does not do
  bool skips_node = false;    // one reservation: another filter has checked the node
};

// What is missing.
struct Lacks {
  uint64_t resources = 0;
  bool tasks = false;  // the number of tasks is reached
  bool none() const { return resources == 0 && !tasks; }
};

struct ReservationAnswer {
  bool fits = false;
  size_t reservation = kNoReservation;
  Lacks node;  // of any reservation tried, or of the node alone
  std::vector<Lacks>
      reservations;  // of the restricted ones, in order; without those that lack none
};

// Returns whether a node may keep reservations of both policies.
bool MayShareNode(Reserved::Policy a, Reserved::Policy b);

// What a node with `left` of a reservation lacks for a request.
Lacks LacksOfNode(const Sparse& request, const ReservedNode& node, const Sparse& left,
                  const ReservationRules& rules);

// What a reservation alone lacks for a request, in the resources that it reserves.
Lacks LacksOfReservation(const Sparse& request, const Reserved& reserved, uint64_t ignored);

// What owners may still get of a reservation, at least zero each.
Sparse LeftOf(const Reserved& reserved);

// Returns whether a task with this request fits the node, by one of the matched reservations or,
// where that suffices, without any.
ReservationAnswer FilterByReservations(const Sparse& request, const ReservedNode& node,
                                       std::span<const Reserved> matched,
                                       const ReservationRules& rules);

// Returns whether a resource is ignored: by its name, or by what stands before its first slash.
// A name that begins with a slash has no group.
bool IgnoresResource(std::string_view name, std::span<const std::string> names,
                     std::span<const std::string> groups);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_FIT_H_
