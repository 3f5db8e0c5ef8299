// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// kube-batch's actions. The rules of each stand at the top of its file.
//
//   const ActionDecl action = KubeBatchAllocateAction();
#ifndef MUSTER_PEER_KUBE_BATCH_ACTIONS_H_
#define MUSTER_PEER_KUBE_BATCH_ACTIONS_H_

#include "lib/part/action.h"

namespace muster {

ActionDecl KubeBatchAllocateAction();
ActionDecl KubeBatchBackfillAction();
ActionDecl KubeBatchPreemptAction();
ActionDecl KubeBatchReclaimAction();

}  // namespace muster

#endif  // MUSTER_PEER_KUBE_BATCH_ACTIONS_H_
