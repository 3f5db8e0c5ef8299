// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The result of a search for flavors: a flavor for each resource of each pod set, and how well it
// fits.
#ifndef MUSTER_PEER_KUEUE_ASSIGNMENT_H_
#define MUSTER_PEER_KUEUE_ASSIGNMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/peer/kueue/topology.h"
#include "lib/peer/kueue/world.h"

namespace muster::kueue {

// How a flavor can hold a request, from worse to better.
enum class Possibility : uint8_t { kNoFit, kNoCandidates, kPreempt, kReclaim, kFit };

// How an assignment can be carried out, from worse to better. kDeferredFit: once victims of others
// have gone.
enum class Mode : uint8_t { kNoFit, kPreempt, kDeferredFit, kFit };

// A possibility, and the height of the subtree that it borrows from: 0 borrows nothing.
struct Grade {
  Possibility possibility = Possibility::kNoFit;
  int borrow = 0;
};
// Returns whether `a` is better than `b`, for a queue that prefers preemption over borrowing, or
// not.
bool IsPreferred(const Grade& a, const Grade& b, bool prefers_preemption);

// Why a flavor does not hold a request, from the mildest to the hardest.
enum class Lack : uint8_t { kNone, kTopology, kUnused, kQuota, kFlavor };

struct Obstacle {
  Lack lack = Lack::kNone;
  FlavorIndex flavor = kNothing;
  ResourceIndex resource = kNothing;
  Amount missing = 0;  // kUnused: how much more is needed
  Amount wanted = 0;   // kQuota: what is requested with the pod sets before, of at most `most`
  Amount current = 0;  // of that, by this pod set
  Amount most = 0;
  std::string text = {};  // kFlavor, kTopology: in words
};

struct FlavorChoice {
  ResourceIndex resource = kNothing;
  FlavorIndex flavor = kNothing;
  Possibility possibility = Possibility::kNoFit;
  int borrow = 0;
  int32_t tried = 0;  // position of the last flavor looked at; -1: it was the last of all
  Mode mode() const {
    return possibility == Possibility::kNoFit ? Mode::kNoFit
           : possibility == Possibility::kFit ? Mode::kFit
                                              : Mode::kPreempt;
  }
};

// A flavor that does not hold a pod set, with the hardest reason.
struct RefusedFlavor {
  FlavorIndex flavor;
  Lack lack;
};

struct PodSetAssignment {
  uint32_t pod_set = 0;  // of the workload
  int64_t count = 0;
  Requests requests;
  std::vector<FlavorChoice> flavors;
  bool error = false;  // a resource that no group of the queue covers, or a fault
  std::string fault;   // what is wrong with the request, where that is no lack
  std::vector<Obstacle> obstacles;
  std::vector<RefusedFlavor> refused;  // each once
  bool tried_some = false;             // some flavor was looked at
  std::optional<NamedPlaces> places;   // in the topology of its flavor
  bool keeps_places = false;           // those of its admission
  bool delayed = false;                // its topology is computed once checks are ready

  Mode mode() const;
};

struct Assignment {
  std::vector<PodSetAssignment> pod_sets;
  int borrowing = 0;
  bool deferred = false;  // it fits once victims of others have gone
  CellAmounts usage;
  ScanProgress progress;
  Mode mode() const;
};

// Notes that the flavor does not hold what is requested. The hardest reason counts.
void Refuse(FlavorIndex flavor, Lack lack, std::vector<RefusedFlavor>* refused);

// Returns why the assignment does not fit: of refused flavors of one group the mildest reason, of
// groups and pod sets the hardest. That another flavor of the group would do changes nothing.
Lack LackOf(const World& world, Queue queue, const Assignment& assignment);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_ASSIGNMENT_H_
