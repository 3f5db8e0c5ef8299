// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slot of profiles that share out time in rounds, and so move jobs that run although none
// waits. A replay looks for it to know that.
#ifndef MUSTER_POLICY_ROUND_SLOT_H_
#define MUSTER_POLICY_ROUND_SLOT_H_

#include "muster/memory.h"

namespace muster {

inline constexpr MemoryDecl kRoundsSlot = {"rounds", 1};

}  // namespace muster

#endif  // MUSTER_POLICY_ROUND_SLOT_H_
