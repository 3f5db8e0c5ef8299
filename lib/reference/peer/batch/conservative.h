// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// conservative, slowly.
#ifndef MUSTER_REFERENCE_PEER_BATCH_CONSERVATIVE_H_
#define MUSTER_REFERENCE_PEER_BATCH_CONSERVATIVE_H_

#include "lib/reference/rules.h"

namespace muster::reference {

ActionTwins BatchActions();

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_BATCH_CONSERVATIVE_H_
