// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Why reservations did not serve a task, counted and in words.
//
//   ReservationTally tally;
//   tally.Count(match, FirstRepelling(task, reservation));
//   ReservationReasons(nodes, has_affinity);   // "4 Reservation(s) is unschedulable", ...
//
// Idea. A reservation of another owner is not worth a word. Of the task's own ones, those that were
// refused count under the rule that refused them. The rest counts under the reasons of its node.
//
// Peer. Koordinator's reservation plug-in, phase PostFilter: its words. Surprises: a node's reason
// that begins with "Reservation(s) " takes one reservation off the rest, and is not repeated. A
// node with two reasons counts its rest under both.
//
// Ties. Taints and reasons of nodes are in the order of bytes; the peer's maps have none.
//
// Cost. O(nodes x reasons).
#ifndef MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_TALLY_H_
#define MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_TALLY_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lib/peer/koordinator/reservation/reservation_match.h"

namespace muster {

struct ReservationTally {
  int64_t ignored = 0;
  int64_t owned = 0;  // all that follow are of these
  int64_t named = 0, other_name = 0, unschedulable = 0, affinity = 0, not_exact = 0, taints = 0;
  int64_t unreadable = 0;
  std::map<std::string, int64_t> by_taint;

  // Counts one reservation. `taint` is the one that repels, for kTaint.
  void Count(ReservationMatch match, const Taint* taint);
};

struct TalliedNode {
  ReservationTally tally;
  std::vector<std::string> reasons;  // of its filters
};

// Returns nothing for a task that owns no reservation and asks for none.
std::vector<std::string> ReservationReasons(std::span<const TalliedNode> nodes, bool has_affinity);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_TALLY_H_
