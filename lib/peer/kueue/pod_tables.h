// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cluster as the scheduler of the pods sees it behind Kueue.
//
//   const Tables pods = PodTables(context);                    // behind action admit
//   kube::RunCycles(context, pods, settings, nullptr);
//
// Rows keep their numbers. Pods of jobs that wait for quota do not exist there. Neither do tasks
// without a job that wait, nor those that no place of their admission is left for. Pods of a job
// that Kueue has admitted have, for each flavor of their group, its node labels in their node
// selector and its tolerations, and in a topology the labels of their place. Keys that a selector
// has stay as they are. What the actions before have evicted is leaving.
//
// Cost. A copy of the tables, and O(classes x assignments) shapes.
#ifndef MUSTER_PEER_KUEUE_POD_TABLES_H_
#define MUSTER_PEER_KUEUE_POD_TABLES_H_

#include "lib/model/tables.h"
#include "lib/part/context.h"

namespace muster::kueue {

Tables PodTables(ActionContext& context);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_POD_TABLES_H_
