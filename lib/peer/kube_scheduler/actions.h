// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// kube-scheduler's one action. Its rules stand at the top of its file.
//
//   const ActionDecl action = KubeScheduleAction();
#ifndef MUSTER_PEER_KUBE_SCHEDULER_ACTIONS_H_
#define MUSTER_PEER_KUBE_SCHEDULER_ACTIONS_H_

#include "lib/part/action.h"

namespace muster {

ActionDecl KubeScheduleAction();

}  // namespace muster

#endif  // MUSTER_PEER_KUBE_SCHEDULER_ACTIONS_H_
