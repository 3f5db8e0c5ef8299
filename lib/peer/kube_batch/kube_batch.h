// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// kube-batch 0.5, from which Volcano grew: placements are never taken back.
//
//   std::vector<Preset> presets = {KubeBatchPreset()};
#ifndef MUSTER_PEER_KUBE_BATCH_KUBE_BATCH_H_
#define MUSTER_PEER_KUBE_BATCH_KUBE_BATCH_H_

#include "lib/session/preset.h"

namespace muster {

Preset KubeBatchPreset();

}  // namespace muster

#endif  // MUSTER_PEER_KUBE_BATCH_KUBE_BATCH_H_
