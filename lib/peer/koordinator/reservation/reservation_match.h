// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which reservations a task may take from, by what owners, names, labels and taints state.
//
//   ReservationMatch match = MatchReservation(asker, offered, node.labels);
//   if (match == ReservationMatch::kMatched) ...
//
// Idea. A task owns a reservation that lists it: by reference, by its controller or by labels. An
// owner that names a reservation gets that one, whatever its taints and labels. Any other owner
// must tolerate what keeps tasks off, and its affinity must select the labels of the node with
// those of the reservation over them.
//
// Peer. Koordinator's reservation plug-in, phase BeforePreFilter. Surprises: taints repel a task
// with an affinity alone; without one it tolerates all of them. An exact match ends at the first
// resource that neither side has, and holds.
//
// Ties. None: each reservation is judged by itself.
//
// Cost. O(owners + taints + requirements) a reservation.
#ifndef MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_MATCH_H_
#define MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_MATCH_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/share/sparse.h"
#include "muster/spec.h"

namespace muster {

// A task, or what an owner states of one. Empty: not stated.
struct ObjectReference {
  std::string uid = {}, name = {}, name_space = {}, version = {};
};
// A controller of a task, or what an owner states of one. Of an owner, `object.name_space` is that
// of the task, and an absent `controls` agrees with everything.
struct ControllerReference {
  ObjectReference object = {};
  std::string kind = {};
  std::optional<bool> controls = {};
};

// One owner of a reservation: a task that agrees with all that is set. Nothing set: every task.
struct OwnerRule {
  std::optional<ObjectReference> object = {};
  std::optional<ControllerReference> controller = {};
  std::optional<Selector> selector = {};
};

// What a task states about the reservations that it may take from.
struct ReservationWish {
  std::string name = {};  // of the only one; empty: any
  // Selectors, terms and tolerations, which compare a reservation as if it were a node.
  TaskShape shape = {};
};

// A task that may take from reservations.
struct ReservationAsker {
  ObjectReference object = {};
  Labels labels = {};
  std::vector<ControllerReference> controllers = {};
  bool ignores = false;                      // it may take from all of them
  bool is_readable = true;                   // its wish and its exact match
  std::optional<ReservationWish> wish = {};  // absent: no affinity
  std::vector<size_t> exact = {};            // resources of which amounts must be equal
  Sparse request = {};
};

// What a reservation offers to owners.
struct ReservationOffered {
  std::string name = {};
  Labels labels = {};
  std::vector<OwnerRule> owners = {};
  std::vector<Taint> taints = {};
  Sparse total = {};
  bool owners_can_be_read = true;
  bool is_unschedulable = false;  // marked, or leaving
};

enum class ReservationMatch : uint8_t {
  kMatched,
  kNamed,    // matched, by its name
  kIgnored,  // matched, as the task ignores all reservations
  // Not matched, by the first of these that holds:
  kNotOwner,
  kUnreadable,
  kOtherName,
  kUnschedulable,
  kTaint,
  kAffinity,
  kNotExact,
};
// Returns whether the task may take from it.
bool IsMatch(ReservationMatch match);

// Returns whether the task agrees with an owner. No owner: no task does.
bool IsOwner(std::span<const OwnerRule> owners, const ReservationAsker& task);

// Returns whether the affinity selects the labels of the node with those of the reservation over
// them. `node_labels` may be empty, for reservations that repeat what they need of them.
bool MatchesAffinity(const ReservationWish& wish, const ReservationOffered& reservation,
                     const Labels& node_labels);

// Returns whether request and total have equal amounts of the listed resources.
bool IsExact(const Sparse& request, const Sparse& total, std::span<const size_t> resources);

ReservationMatch MatchReservation(const ReservationAsker& task,
                                  const ReservationOffered& reservation, const Labels& node_labels);

// Returns whether a task that runs already may serve a reservation that takes tasks over. Marks
// that keep new tasks off do not count. `by_owner`: it must be an owner. The answer is never
// kNamed.
ReservationMatch MatchRunningTask(const ReservationAsker& task,
                                  const ReservationOffered& reservation, const Labels& node_labels,
                                  bool by_owner);

// The first taint of the reservation that repels the task, or null.
const Taint* FirstRepelling(const ReservationAsker& task, const ReservationOffered& reservation);

// Nodes that a task names in its required affinity.
struct NamedNodes {
  bool conflict = false;           // a term names nodes that exclude one another
  std::vector<std::string> names;  // ascending, each once; empty: no node is named
};
NamedNodes NodesNamedBy(const TaskShape& shape);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_MATCH_H_
