// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/profile.h"

namespace muster {

Preset ArmadaPreset() {
  Preset preset;
  preset.name = "armada";
  preset.summary = "Armada: rounds of a pool by fair share, with evictions and re-placement";
  preset.actions = "round";
  preset.tiers = "";
  preset.catalogue = {ArmadaRoundAction()};
  preset.rules.needs.queues = {.weight = true, .limit = true};
  return preset;
}

}  // namespace muster
