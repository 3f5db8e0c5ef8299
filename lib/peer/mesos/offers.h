// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What action `offer` hands to `accept` within a cycle.
//
//   OfferBook& book = context.memory<OfferBook>();
//   book.RunRound(context);     // a round: its offers join the plan
#ifndef MUSTER_PEER_MESOS_OFFERS_H_
#define MUSTER_PEER_MESOS_OFFERS_H_

#include <optional>
#include <vector>

#include "lib/part/context.h"
#include "lib/peer/mesos/read_world.h"

namespace muster::mesos {

struct OfferBook : CycleMemory {
  explicit OfferBook(ActionContext&) {}

  // Runs a round over all agents and lists its offers in the plan.
  void RunRound(ActionContext& context);

  std::optional<World> world;  // absent: no round was run
  std::vector<Offer> offers;   // of the last round
};

}  // namespace muster::mesos

#endif  // MUSTER_PEER_MESOS_OFFERS_H_
