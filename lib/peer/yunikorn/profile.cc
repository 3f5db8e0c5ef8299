// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yunikorn/profile.h"

namespace muster {

Preset YuniKornPreset() {
  Preset preset;
  preset.name = "yunikorn";
  preset.summary = "Apache YuniKorn: one decision a call, guarantees, user limits, gangs";
  preset.actions = "schedule";
  preset.tiers = "predicates";
  preset.catalogue = {YuniKornScheduleAction()};
  preset.rules.phase_rule = PhaseRule::kAllocated;
  preset.rules.needs.queues = {.guaranteed = true, .limit = true};
  return preset;
}

}  // namespace muster
