// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// kube-scheduler's one action. Its rules stand at the top of its file.
//
//   const ActionDecl action = KubeScheduleAction();
#ifndef MUSTER_PEER_KUBE_SCHEDULER_ACTIONS_H_
#define MUSTER_PEER_KUBE_SCHEDULER_ACTIONS_H_

#include "lib/part/action.h"
#include "lib/peer/kube_scheduler/settings.h"

namespace muster {

ActionDecl KubeScheduleAction();

namespace kube {

class ExtraPlugins;  // extra_plugins.h

// Runs the cycles of one plan, for schedulers that add plug-ins to this one. `extra` may be null.
void RunCycles(ActionContext& context, const Settings& settings, ExtraPlugins* extra);

}  // namespace kube

}  // namespace muster

#endif  // MUSTER_PEER_KUBE_SCHEDULER_ACTIONS_H_
