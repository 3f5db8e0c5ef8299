// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile kueue: quota admission, and allocation of what is admitted.
//
//   std::vector<Preset> presets = {KueuePreset()};   // "kueue" in spec strings
//
// kueue.h has how the peer decides. The profile derives from volcano and from kube-scheduler:
// `kueue:+allocate` places what was admitted with volcano's allocate, and `kueue:+schedule` by
// kube-scheduler's rules.
#ifndef MUSTER_PEER_KUEUE_PROFILE_H_
#define MUSTER_PEER_KUEUE_PROFILE_H_

#include "lib/session/preset.h"

namespace muster {

Preset KueuePreset();
ActionDecl KueueAdmitAction();
ActionDecl KueueScheduleAction();

}  // namespace muster

#endif  // MUSTER_PEER_KUEUE_PROFILE_H_
