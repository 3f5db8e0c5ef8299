// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Makes a change of a what-if in the rows of a cluster.
//
//   Cluster clone = cluster.Clone();
//   absl::Status made = MakeChange({.remove_job = "train"}, &clone);
//
// The meaning of each change is that of what_if.h: shares after a change, counted from sums alone,
// equal those of a cycle over the changed rows.
#ifndef MUSTER_ADVICE_CHANGES_H_
#define MUSTER_ADVICE_CHANGES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/model/tables.h"
#include "muster/cluster.h"
#include "muster/what_if.h"

namespace muster {

// Fails as WhatIf does. A change that is refused may be half made.
absl::Status MakeChange(const WhatIfChange& change, Cluster* cluster);

// Returns the task of that name, if it is there and has no job.
std::optional<TaskIndex> FindLoneTask(const Tables& tables, std::string_view name);

// Returns the task as a spec that was never placed.
TaskSpec Unplaced(const Cluster& cluster, TaskIndex task);

// Makes the tasks of the node wait again: those that count for their queues, and those without a
// job where `keep_lone` says so. All others are gone. Returns the names of those that wait.
std::vector<std::string> TakeTasksOff(NodeIndex node, bool keep_lone, Cluster* cluster);

}  // namespace muster

#endif  // MUSTER_ADVICE_CHANGES_H_
