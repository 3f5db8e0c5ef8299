// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// lease, attained and finish-time, slowly, for a first cycle.
#ifndef MUSTER_REFERENCE_PEER_TRAINING_TRAINING_H_
#define MUSTER_REFERENCE_PEER_TRAINING_TRAINING_H_

#include "lib/reference/rules.h"

namespace muster::reference {

ActionTwins TrainingActions();
PolicyTwins TrainingTwins();

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_TRAINING_TRAINING_H_
