// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the members of a what-if change mean, for all that carry such changes out.
//
//   absl::StatusOr<std::vector<NodeIndex>> chosen =
//       ChooseNodes("remove_nodes", choice.name, choice.labels, tables.nodes, [](NodeIndex) {
//         return true;
//       });
//   QueueSpec spec = EditedQueue(tables.queues.spec[queue], edit);
//
// Cost. A choice by name is a look-up, one by labels reads every node.
#ifndef MUSTER_MODEL_WHAT_IF_EDITS_H_
#define MUSTER_MODEL_WHAT_IF_EDITS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/model/tables.h"
#include "muster/what_if.h"

namespace muster {

// Returns the living nodes that `is_there` keeps: the one of that name, or all that have these
// labels. Fails with InvalidArgument unless exactly one of the two is set, and with NotFound if it
// chooses no node; `where` names the member of the change.
absl::StatusOr<std::vector<NodeIndex>> ChooseNodes(const char* where, const std::string& name,
                                                   const Labels& labels, const NodeTable& nodes,
                                                   const std::function<bool(NodeIndex)>& is_there);

// Returns the error of a `remove_job` of that name, which is none of the jobs that `is_there`
// keeps. Where a task has the name, the error names the change for tasks.
absl::Status NoSuchJob(const Tables& tables, const std::string& name,
                       const std::function<bool(JobIndex)>& is_there);

// Returns the queue with the values that the edit sets.
QueueSpec EditedQueue(QueueSpec spec, const QueueEdit& edit);

}  // namespace muster

#endif  // MUSTER_MODEL_WHAT_IF_EDITS_H_
