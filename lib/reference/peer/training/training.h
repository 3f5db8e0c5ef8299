// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// lease, rounds, attained and finish-time, slowly, for a first cycle.
#ifndef MUSTER_REFERENCE_PEER_TRAINING_TRAINING_H_
#define MUSTER_REFERENCE_PEER_TRAINING_TRAINING_H_

#include <functional>

#include "lib/reference/cycle.h"
#include "lib/reference/rules.h"

namespace muster::reference {

ActionTwins TrainingActions();
PolicyTwins TrainingTwins();

void RunRounds(Cycle& cycle);

// A job that names no minimum needs one task.
int64_t NeedOf(const Cycle& cycle, JobIndex job);
// Puts the task on the best node that it may have, or, where it must wait for the room (`later`),
// promises it one. Returns whether there is one.
bool PlaceTask(Cycle& cycle, TaskIndex task, bool later, const std::function<bool(NodeIndex)>& may,
               Statement& statement);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_TRAINING_TRAINING_H_
