// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The actions of the profile muster. The top of each action's file has its rules.
//
//   const ActionDecl action = FairAllocateAction();
#ifndef MUSTER_PEER_MUSTER_ACTIONS_H_
#define MUSTER_PEER_MUSTER_ACTIONS_H_

#include "lib/part/action.h"

namespace muster {

ActionDecl FairAllocateAction();
ActionDecl FairGrowAction();
ActionDecl FairPreemptAction();
ActionDecl FairReclaimAction();
ActionDecl FairShrinkAction();

}  // namespace muster

#endif  // MUSTER_PEER_MUSTER_ACTIONS_H_
