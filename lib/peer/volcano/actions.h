// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's actions. The top of each file in action/ has its rules.
//
//   const ActionDecl action = AllocateAction();
#ifndef MUSTER_PEER_VOLCANO_ACTIONS_H_
#define MUSTER_PEER_VOLCANO_ACTIONS_H_

#include "lib/part/action.h"

namespace muster {

ActionDecl AdmitAction();
ActionDecl AllocateAction();
ActionDecl BackfillAction();
ActionDecl PreemptAction();
ActionDecl ReclaimAction();
ActionDecl GangPreemptAction();
ActionDecl GangReclaimAction();
ActionDecl ShuffleAction();

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_ACTIONS_H_
