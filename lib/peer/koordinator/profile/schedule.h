// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Koordinator's one action: cycles of kube-scheduler that ask the plug-ins of this folder.
//
//   const ActionDecl action = KoordinatorScheduleAction();
#ifndef MUSTER_PEER_KOORDINATOR_PROFILE_SCHEDULE_H_
#define MUSTER_PEER_KOORDINATOR_PROFILE_SCHEDULE_H_

#include "lib/part/action.h"

namespace muster {

ActionDecl KoordinatorScheduleAction();

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_PROFILE_SCHEDULE_H_
