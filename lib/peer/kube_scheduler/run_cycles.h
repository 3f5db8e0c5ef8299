// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cycles of one plan over tables that an action has prepared.
//
//   kube::RunCycles(context, tables, settings, nullptr);
#ifndef MUSTER_PEER_KUBE_SCHEDULER_RUN_CYCLES_H_
#define MUSTER_PEER_KUBE_SCHEDULER_RUN_CYCLES_H_

#include "lib/model/tables.h"
#include "lib/peer/kube_scheduler/actions.h"

namespace muster::kube {

// As RunCycles of actions.h. `tables`: the cluster as the scheduler sees it, in which rows have the
// numbers that they have in the context's tables.
void RunCycles(ActionContext& context, const Tables& tables, const Settings& settings,
               ExtraPlugins* extra);

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_RUN_CYCLES_H_
