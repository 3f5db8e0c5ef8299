// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the schedulers keep between heartbeats and rows do not tell, as memory between cycles.
//
//   const std::vector<KeptRequest> before = KeptRequests(slot, "job");   // of an earlier cycle
//   slot.Set("job", RowOf(requests));
//
// Three slots for each scheduler. They have a row for each
//
//   applications   job that was accepted: its leaf, and how far it came
//   requests       job with counts of missed opportunities, request by request
//   reservations   node that is reserved: the job and its request
//
// A request is known by the group of its tasks, their priority and their size; of several alike,
// by their order. Its counts stay with the job after its last task has started.
#ifndef MUSTER_PEER_YARN_KEPT_H_
#define MUSTER_PEER_YARN_KEPT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/peer/yarn/resource.h"
#include "muster/memory.h"
#include "muster/policy/cycle.h"

namespace muster::yarn {

struct KeptSlots {
  std::string_view applications, requests, reservations;
};
inline constexpr KeptSlots kCapacitySlots = {"yarn-applications", "yarn-requests",
                                             "yarn-reservations"};
inline constexpr KeptSlots kFairSlots = {"yarn-fair-applications", "yarn-fair-requests",
                                         "yarn-fair-reservations"};
inline std::vector<MemoryDecl> DeclarationOf(const KeptSlots& slots) {
  return {{slots.applications, 1}, {slots.requests, 1}, {slots.reservations, 1}};
}

// What a request is known by.
struct RequestName {
  std::string group;
  int64_t priority = 0;
  Resource size;
  friend bool operator==(const RequestName&, const RequestName&) = default;
};

// Three counts of a scheduler, none below 0.
using KeptCounts = std::array<int64_t, 3>;

struct KeptRequest {
  RequestName name;
  KeptCounts counts = {};
};

struct KeptReservation {
  std::string job;
  RequestName name;
  int64_t since = 0;  // ms: when it was made
};

// Returns a time of cycles, in seconds, in ms. Times beyond 2^50 seconds count as these.
int64_t MillisecondsOf(int64_t seconds);

// Cells of the wrong type or beyond all bounds read as 0, or as an empty text.
std::vector<KeptRequest> KeptRequests(const MemorySlot& slot, std::string_view job);
MemoryRow RowOf(const std::vector<KeptRequest>& requests);
// None: there is no such row.
std::optional<KeptReservation> KeptReservationOf(const MemorySlot& slot, std::string_view node);
MemoryRow RowOf(const KeptReservation& reservation);
// How far a job came in `leaf`; none: it was not accepted there.
std::optional<int64_t> KeptState(const MemorySlot& slot, std::string_view job,
                                 std::string_view leaf);

// Takes the first request of that name out of `requests`. Returns zeros if there is none.
KeptCounts TakeCounts(const RequestName& name, std::vector<KeptRequest>* requests);

// Replaces the slot if it differs.
void Keep(const Cycle& cycle, std::string_view slot, MemorySlot now);

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_KEPT_H_
