// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/profile.h"

namespace muster {

Preset HtCondorPreset() {
  Preset preset;
  preset.name = "htcondor";
  preset.summary = "HTCondor: negotiation by user priority, group quotas, ClassAd expressions";
  preset.actions = "negotiate";
  preset.tiers = "";
  preset.catalogue = {NegotiateAction()};
  preset.rules.needs.queues = {.weight = true, .deserved = true};
  return preset;
}

}  // namespace muster
