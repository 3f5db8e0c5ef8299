// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a caller is told about rows, in the words in which he said them.
//
//   TaskSpec task = DescribeTask(editor, index);   // status and node as they are now
#ifndef MUSTER_MODEL_DESCRIBE_H_
#define MUSTER_MODEL_DESCRIBE_H_

#include "lib/model/editor.h"
#include "muster/spec.h"

namespace muster {

// What was said about a task, with the state it is in now.
TaskSpec DescribeTask(const Editor& editor, TaskIndex task);

}  // namespace muster

#endif  // MUSTER_MODEL_DESCRIBE_H_
