// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile yunikorn: the decisions of Apache YuniKorn's core, one a call, over the cluster's tables.
//
//   std::vector<Preset> presets = {YuniKornPreset()};   // "yunikorn" in spec strings
//
// yunikorn.h has how the peer decides, read_world.h what each row of the tables stands for, and
// schedule.cc what becomes of the decisions. Policy predicates answers what the peer asks the
// predicates of kube-scheduler.
#ifndef MUSTER_PEER_YUNIKORN_PROFILE_H_
#define MUSTER_PEER_YUNIKORN_PROFILE_H_

#include "lib/session/preset.h"

namespace muster {

Preset YuniKornPreset();
ActionDecl YuniKornScheduleAction();

}  // namespace muster

#endif  // MUSTER_PEER_YUNIKORN_PROFILE_H_
