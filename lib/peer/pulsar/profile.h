// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile pulsar: brokers get bundles, lose some to others, and bundles that carry too much split.
//
//   std::vector<Preset> presets = {PulsarPreset()};   // "pulsar" in spec strings
//
// pulsar.h has how the peer decides, read_world.h what each row of the cluster stands for. Action
// `place` chooses a broker for each bundle without one. Action `rebalance` is one round of a
// shedder; each bundle that it names gets another broker at once, and becomes a move of the plan.
// Bundles that split follow. The modular manager and the extensible one (shedding=transfer,
// placement=load) are options of the two actions and must be chosen for both.
//
// Memory. Averages of brokers and bundles, counts of hits, reports, unloads, turns and destinations
// go from cycle to cycle, so a cycle is one interval of the peer's.
// Tie-break. Where the peer draws at random, the first broker of those that it draws from is taken,
// in the order of the nodes.
#ifndef MUSTER_PEER_PULSAR_PROFILE_H_
#define MUSTER_PEER_PULSAR_PROFILE_H_

#include "lib/session/preset.h"

namespace muster {

Preset PulsarPreset();
ActionDecl PulsarPlaceAction();
ActionDecl PulsarRebalanceAction();

}  // namespace muster

#endif  // MUSTER_PEER_PULSAR_PROFILE_H_
