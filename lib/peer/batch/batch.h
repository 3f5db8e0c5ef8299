// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Batch systems: first come first served, EASY and conservative backfilling.
//
//   std::vector<Preset> presets = BatchPresets();   // fcfs, easy, conservative
#ifndef MUSTER_PEER_BATCH_BATCH_H_
#define MUSTER_PEER_BATCH_BATCH_H_

#include <vector>

#include "lib/session/preset.h"

namespace muster {

std::vector<Preset> BatchPresets();

ActionDecl FcfsAction();
ActionDecl EasyAction();
ActionDecl ConservativeAction();

}  // namespace muster

#endif  // MUSTER_PEER_BATCH_BATCH_H_
