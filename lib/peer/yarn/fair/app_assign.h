// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What one application does with an offered node.
//
//   const Offer offer = OfferNode(cluster, app, node, &allocations);
//   if (offer.outcome == Outcome::kPlaced) used += offer.size;
#ifndef MUSTER_PEER_YARN_FAIR_APP_ASSIGN_H_
#define MUSTER_PEER_YARN_FAIR_APP_ASSIGN_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/peer/yarn/fair/assign.h"
#include "lib/peer/yarn/fair/cluster.h"

namespace muster::yarn::fair {

enum class Outcome : uint8_t { kNothing, kReserved, kPlaced };

struct Offer {
  Outcome outcome = Outcome::kNothing;
  Resource size;  // of the container that was placed
};

// What masters of a leaf would use with that of one more application, and the most that they may.
struct OverMasterLimit {
  Resource usage, limit;
};
// Unset: the application has its master, is without one, or may start it. The limit is a part of
// the leaf's fair share; where that has none of a type, of what is free in the cluster.
std::optional<OverMasterLimit> MasterLimitOver(const Cluster& cluster, const App& app);

// Places or reserves one container of `app` on the node, by the first request priority and the
// nearest place that may be served there.
Offer OfferNode(Cluster& cluster, AppIndex app, NodeIndex node, std::vector<Allocation>* placed);

// Turns the node's reservation into a container if that fits. A reservation that may no longer be
// served is dropped. Returns whether it was valid. REQUIRES: the node has a reservation.
bool ServeReservation(Cluster& cluster, NodeIndex node, std::vector<Allocation>* placed);

}  // namespace muster::yarn::fair

#endif  // MUSTER_PEER_YARN_FAIR_APP_ASSIGN_H_
