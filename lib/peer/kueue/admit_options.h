// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Options of action admit: how many cycles a plan has, the scheduler's options, and the feature
// gates that change its decisions, under Kueue's names in small letters with underscores.
#ifndef MUSTER_PEER_KUEUE_ADMIT_OPTIONS_H_
#define MUSTER_PEER_KUEUE_ADMIT_OPTIONS_H_

#include <span>

#include "lib/peer/kueue/gates.h"
#include "muster/policy/options.h"

namespace muster::kueue {

std::span<const OptionDecl> AdmitOptionDecls();

// Returns what the options set. REQUIRES: they are checked against AdmitOptionDecls.
Config ConfigOf(const Options& options);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_ADMIT_OPTIONS_H_
