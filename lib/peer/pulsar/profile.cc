// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/pulsar/profile.h"

namespace muster {

Preset PulsarPreset() {
  Preset preset;
  preset.name = "pulsar";
  preset.summary = "Pulsar: bundles on brokers by measured load, with shedding and splits";
  preset.actions = "place+rebalance";
  preset.tiers = "predicates";
  preset.catalogue = {PulsarPlaceAction(), PulsarRebalanceAction()};
  preset.rules.plan_rule = PlanRule::kNetChange;
  return preset;
}

}  // namespace muster
