// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The list of presets and policies: the only place outside lib/peer, in the rooms up to profile,
// that names peers.
#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
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
#include "lib/profile/queue_fields.h"

namespace muster {

namespace {

// The policy that publishes shares of its own reading of the cluster.
constexpr std::string_view kKaiRules = "kai-rules";

constexpr Preset (*kPresets[])() = {
    MusterPreset,       VolcanoPreset,          KubeBatchPreset,
    TranswarpPreset,    KoordinatorPreset,      RayPreset,
    KaiPreset,          KubeSchedulerPreset,    KueuePreset,
    ArmadaPreset,       HtCondorPreset,         YuniKornPreset,
    YarnCapacityPreset, YarnFairPreset,         MesosPreset,
    PulsarPreset,       SchedulerPluginsPreset,
};

// What the actions of a preset read of queues, and what a policy does.
struct Reader {
  std::string_view name;
  QueueFieldsRead reads;
};
constexpr Reader kReadingPresets[] = {
    {"armada", {.weight = true, .limit = true}},
    {"htcondor", {.weight = true, .deserved = true}},
    {"koordinator", {.weight = true, .guaranteed = true, .limit = true}},
    {"mesos", {.weight = true, .guaranteed = true, .limit = true}},
    {"scheduler-plugins", {.guaranteed = true, .limit = true}},
    {"yarn-capacity", {.weight = true}},
    {"yarn-fair", {.weight = true}},
    {"yunikorn", {.guaranteed = true, .limit = true}},
};
constexpr Reader kReadingPolicies[] = {
    {"borrowing", {.weight = true, .guaranteed = true, .limit = true}},
    {"capacity", {.guaranteed = true, .deserved = true, .limit = true}},
    {"elastic-quota", {.weight = true, .guaranteed = true, .limit = true}},
    {"fairshare", {.weight = true, .guaranteed = true, .limit = true}},
    {"hdrf", {.weight = true}},
    {kKaiRules, {.weight = true, .deserved = true, .limit = true}},
    {"proportion", {.weight = true, .guaranteed = true, .limit = true}},
};

void AddReads(std::span<const Reader> readers, std::string_view name, QueueFieldsRead* reads) {
  const auto reader = std::ranges::find(readers, name, &Reader::name);
  if (reader == readers.end()) return;
  reads->weight |= reader->reads.weight;
  reads->guaranteed |= reader->reads.guaranteed;
  reads->deserved |= reader->reads.deserved;
  reads->limit |= reader->reads.limit;
}

}  // namespace

QueueFieldsRead FieldsReadBy(const ProfileConfig& config) {
  const std::string_view preset = std::string_view(config.name).substr(0, config.name.find(':'));
  const std::vector<PolicyDecl> known = PolicyCatalogue();
  const std::vector<ActionDecl> actions = FindPreset(preset).value_or(Preset()).catalogue;
  QueueFieldsRead reads;
  AddReads(kReadingPresets, preset, &reads);
  bool custom = std::ranges::any_of(config.actions, [&](const ConfiguredAction& action) {
    return std::ranges::find(actions, action.decl.name, &ActionDecl::name) == actions.end();
  });
  for (const auto& tier : config.tiers) {
    for (const ConfiguredPolicy& policy : tier) {
      AddReads(kReadingPolicies, policy.decl.name, &reads);
      custom |= std::ranges::find(known, policy.decl.name, &PolicyDecl::name) == known.end();
    }
  }
  return custom ? QueueFieldsRead{true, true, true, true} : reads;
}

bool SharesNeedACycle(const ProfileConfig& config) {
  return std::ranges::any_of(config.tiers, [](const auto& tier) {
    return std::ranges::any_of(
        tier, [](const ConfiguredPolicy& policy) { return policy.decl.name == kKaiRules; });
  });
}

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
