// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile scheduler-plugins: kube-scheduler with the plug-ins that its options switch on.
//
//   std::vector<Preset> presets = {SchedulerPluginsPreset()};  // "scheduler-plugins"
//
// Derivation: the profile is profile kube-scheduler of lib/peer/kube_scheduler, cycle for cycle,
// and asks plug-ins at its extension points. scheduler_plugins.h has what they decide.
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_PROFILE_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_PROFILE_H_

#include "lib/session/preset.h"

namespace muster {

Preset SchedulerPluginsPreset();

}  // namespace muster

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_PROFILE_H_
