// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/mesos/profile.h"

namespace muster {

Preset MesosPreset() {
  Preset preset;
  preset.name = "mesos";
  preset.summary = "Mesos: offers of agents by role and framework, taken by what tasks need";
  preset.actions = "offer+accept";
  preset.tiers = "predicates";
  preset.catalogue = {MesosOfferAction(), MesosAcceptAction()};
  preset.rules.needs.queues = {.weight = true, .guaranteed = true, .limit = true};
  return preset;
}

}  // namespace muster
