// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "muster/types.h"

#include "lib/model/words.h"

namespace muster {

std::string_view TaskStatusName(TaskStatus status) { return Word(status); }
std::string_view JobPhaseName(JobPhase phase) { return Word(phase); }
std::string_view QueueStateName(QueueState state) { return Word(state); }

}  // namespace muster
