// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#ifndef MUSTER_MODEL_DESCRIBE_H_
#define MUSTER_MODEL_DESCRIBE_H_

#include "lib/model/editor.h"
#include "muster/spec.h"

namespace muster {

// What was said about a task, with the state it is in now.
TaskSpec DescribeTask(const Editor& editor, TaskIndex task);

}  // namespace muster

#endif  // MUSTER_MODEL_DESCRIBE_H_
