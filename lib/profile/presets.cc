// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The list of presets and policies: the only place outside lib/peer, in the rooms up to profile,
// that names peers.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/kube/policies.h"
#include "lib/peer/armada/profile.h"
#include "lib/peer/batch/batch.h"
#include "lib/peer/htcondor/profile.h"
#include "lib/peer/kai/kai.h"
#include "lib/peer/koordinator/koordinator.h"
#include "lib/peer/kube_batch/kube_batch.h"
#include "lib/peer/kube_scheduler/kube_scheduler.h"
#include "lib/peer/kueue/profile.h"
#include "lib/peer/mesos/profile.h"
#include "lib/peer/muster/muster.h"
#include "lib/peer/pulsar/profile.h"
#include "lib/peer/ray/ray.h"
#include "lib/peer/scheduler_plugins/profile.h"
#include "lib/peer/training/training.h"
#include "lib/peer/transwarp/transwarp.h"
#include "lib/peer/volcano/volcano.h"
#include "lib/peer/yarn/profile.h"
#include "lib/peer/yunikorn/profile.h"
#include "lib/policy/policies.h"
#include "lib/profile/profile.h"

namespace muster {

namespace {

constexpr Preset (*kPresets[])() = {
    MusterPreset,       VolcanoPreset,          KubeBatchPreset,
    TranswarpPreset,    KoordinatorPreset,      RayPreset,
    KaiPreset,          KubeSchedulerPreset,    KueuePreset,
    ArmadaPreset,       HtCondorPreset,         YuniKornPreset,
    YarnCapacityPreset, YarnFairPreset,         MesosPreset,
    PulsarPreset,       SchedulerPluginsPreset,
};

}  // namespace

std::vector<Preset> Presets() {
  std::vector<Preset> presets;
  for (const auto make : kPresets) presets.push_back(make());
  std::ranges::move(BatchPresets(), std::back_inserter(presets));
  std::ranges::move(TrainingPresets(), std::back_inserter(presets));
  return presets;
}

std::optional<Preset> FindPreset(std::string_view name) {
  for (const auto make : kPresets) {
    if (Preset preset = make(); preset.name == name) return preset;
  }
  for (const auto make : {BatchPresets, TrainingPresets}) {
    for (Preset& preset : make()) {
      if (preset.name == name) return std::move(preset);
    }
  }
  return std::nullopt;
}

std::vector<PolicyDecl> PolicyCatalogue() {
  std::vector<PolicyDecl> policies = {
      BinpackPolicy(),    ConformancePolicy(),   DevicesPolicy(),    DrfPolicy(),
      DuePolicy(),        FragmentationPolicy(), GangPolicy(),       JobOrderPolicy(),
      NodeOrderPolicy(),  PdbPolicy(),           PredicatesPolicy(), PriorityPolicy(),
      ProportionPolicy(), SamplingPolicy(),      SpendingPolicy(),   ZonesPolicy()};
  for (auto of_peer : {KaiPolicies, KoordinatorPolicies, MusterPolicies, TrainingPolicies,
                       TranswarpPolicies, VolcanoPolicies}) {
    std::ranges::move(of_peer(), std::back_inserter(policies));
  }
  return policies;
}

}  // namespace muster
