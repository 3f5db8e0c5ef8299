// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile mesos: rounds of offers, and a framework that takes what its waiting tasks need.
//
//   std::vector<Preset> presets = {MesosPreset()};   // "mesos" in spec strings
//
// mesos.h has how the peer decides, read_world.h what each row of the cluster stands for. Action
// `offer` runs a round of the allocator and lists its offers in the plan. Action `accept` is the
// built-in framework of every job. `mesos:actions=offer` leaves the answers to the caller.
//
// How the two work together. Within a round an amount is offered to one framework alone. `accept`
// answers the offers in their order: tasks take what they need and are bound, and the rest is
// declined. What was declined is filtered for that framework, and another round offers it to the
// next one, in the same cycle, until a round has no offers. So a cycle is what the peer does in
// several intervals, at one moment of its clock. A framework without waiting tasks is suppressed.
#ifndef MUSTER_PEER_MESOS_PROFILE_H_
#define MUSTER_PEER_MESOS_PROFILE_H_

#include "lib/session/preset.h"

namespace muster {

Preset MesosPreset();
ActionDecl MesosOfferAction();
ActionDecl MesosAcceptAction();

}  // namespace muster

#endif  // MUSTER_PEER_MESOS_PROFILE_H_
