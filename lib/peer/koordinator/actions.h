// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Koordinator's actions beside its loop. The top of each action's file has its rules.
//
//   const ActionDecl action = KoordinatorRebalanceAction();
#ifndef MUSTER_PEER_KOORDINATOR_ACTIONS_H_
#define MUSTER_PEER_KOORDINATOR_ACTIONS_H_

#include "lib/part/action.h"

namespace muster {

ActionDecl KoordinatorRebalanceAction();
ActionDecl KoordinatorColocateAction();

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_ACTIONS_H_
