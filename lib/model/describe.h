// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rows as specs again, in the words in which the caller set them.
//
//   TaskSpec task = DescribeTask(editor, index);   // status and node as they are now
#ifndef MUSTER_MODEL_DESCRIBE_H_
#define MUSTER_MODEL_DESCRIBE_H_

#include "lib/model/editor.h"
#include "muster/cluster.h"
#include "muster/spec.h"

namespace muster {

// Returns the spec of a task, with its present status and node.
TaskSpec DescribeTask(const Editor& editor, TaskIndex task);
// The same without a nomination to a node that is not there.
TaskSpec DescribeTask(const Tables& tables, TaskIndex task);

// Set `*spec` to the row of its name, and return true. If there is none, they change nothing.
bool DescribeRow(const Editor& editor, NodeSpec* spec);
bool DescribeRow(const Editor& editor, QueueSpec* spec);
bool DescribeRow(const Editor& editor, JobSpec* spec);
bool DescribeRow(const Editor& editor, TaskSpec* spec);

// Returns the rows of a frozen cluster, as Cluster::Describe does. A task that is nominated to a
// node that does not exist has no nominated node there.
ClusterSpec DescribeTables(const Tables& tables);

}  // namespace muster

#endif  // MUSTER_MODEL_DESCRIBE_H_
