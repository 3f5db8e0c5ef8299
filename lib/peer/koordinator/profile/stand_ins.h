// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reservations that look for a node, and the tasks that stand for them in the queue.
//
//   for (const auto& [task, stand_in] : ReadStandIns(tables)) ...
//   TakeOver over(stand_in, request, reserved, rules, settings);   // of one reservation
//   over.Filter(node, &candidates);                  // which tasks it would take over there
//   over.Choose(node, candidates);                   // which of them it takes over
//
// A reservation that waits is placed by a task with the label koordinator/reserves, which names it.
// Once the task has a node, the reservation keeps its room there. Labels of the reservation:
//
//   koordinator/allocate-policy         "Aligned": it may share a node with restricted ones.
//                                       Without the label one that is not restricted shares a node
//                                       with its like alone
//   koordinator/pre-allocation          "Default": it takes over running tasks that selectors of
//                                       its owners select; "Cluster": those with the label
//                                       pod.koordinator.sh/is-pre-allocatable "true", the largest
//                                       koordinator/pre-allocatable-priority first. Only one that
//                                       is restricted may
//   koordinator/pre-allocation-several  "true": more than one
//   scheduling.koordinator.sh/pre-allocation-required  "true": at least one
//
// Cost. O(tasks) to read.
#ifndef MUSTER_PEER_KOORDINATOR_PROFILE_STAND_INS_H_
#define MUSTER_PEER_KOORDINATOR_PROFILE_STAND_INS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/hash_map.h"
#include "lib/model/tables.h"
#include "lib/peer/koordinator/reservation/pre_allocation.h"
#include "lib/peer/koordinator/reservation/reservation_book.h"
#include "muster/reservation.h"

namespace muster::koordinator {

struct StandIn {
  const ReservationSpec* spec = nullptr;
  bool takes_over = false, must_take_over = false, takes_several = false, of_cluster = false;
};

// Returns the name of the reservation that a task of the shape stands for, or null.
const std::string* ReservationToPlace(const TaskShape& shape);
// Returns whether a reservation with these labels may take over the task, being of the cluster.
bool IsTakenOverByAll(const TaskShape& shape);
// The larger goes first. 0 by default, and for text that is no whole number.
int64_t TakeOverPriority(const TaskShape& shape);

// Returns what else owners may use, and with which reservations it shares a node.
Reserved::Policy PolicyOf(const ReservationSpec& spec);

// Returns the stand-ins, by task. REQUIRES: CheckStandIns.
HashMap<TaskIndex, StandIn> ReadStandIns(const Tables& tables);
// Fails for a task that stands for no reservation that waits, or for the same one as another task,
// and for a label of a reservation that has not the form above.
absl::Status CheckStandIns(const Tables& tables);

// Running tasks that a reservation may take over, on one node.
struct TakeOverTask {
  TaskIndex task = kNone;
  Sparse request = {};
};

// One reservation that takes over tasks.
class TakeOver {
 public:
  struct Settings {
    bool of_cluster = false;    // reservations may take over tasks of the cluster
    bool prefers_none = false;  // free room is tried first
  };
  TakeOver(const StandIn& stand_in, const Sparse& request, const Reserved& reserved,
           const ReservationRules& rules, const Settings& settings)
      : stand_in_(stand_in),
        request_(request),
        reserved_(reserved),
        rules_(rules),
        settings_(settings) {}

  // Returns whether the node would do. `node`: with the candidates among what is requested.
  // `candidates` become those that would be taken over, or of which one would be.
  PreAllocationAnswer Filter(const ReservedNode& node, std::vector<TakeOverTask>* candidates) const;
  // Returns those that it takes over, of what Filter left.
  std::vector<TakeOverTask> Choose(const ReservedNode& node,
                                   const std::vector<TakeOverTask>& left) const;

 private:
  PreAllocationAnswer Ask(const ReservedNode& node, const std::vector<TakeOverTask>& tasks,
                          bool required) const;
  std::vector<TakeOverTask> BestFirst(const std::vector<TakeOverTask>& tasks) const;

  const StandIn& stand_in_;
  const Sparse& request_;
  const Reserved& reserved_;
  const ReservationRules& rules_;
  const Settings settings_;
};

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_PROFILE_STAND_INS_H_
