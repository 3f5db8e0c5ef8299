// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile htcondor: a negotiation cycle over the cluster.
//
//   std::vector<Preset> presets = {HtCondorPreset()};   // "htcondor" in spec strings
//
// htcondor.h has how the peer decides, read_world.h what each row of a cluster is to it, settings.h
// the options and settings.
#ifndef MUSTER_PEER_HTCONDOR_PROFILE_H_
#define MUSTER_PEER_HTCONDOR_PROFILE_H_

#include "lib/session/preset.h"

namespace muster {

Preset HtCondorPreset();
ActionDecl NegotiateAction();

}  // namespace muster

#endif  // MUSTER_PEER_HTCONDOR_PROFILE_H_
