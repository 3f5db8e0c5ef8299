// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// KAI Scheduler's importer.
#include "lib/import/kai.h"

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"

namespace muster {
namespace {

constexpr std::string_view kKaiName = "kai";
constexpr std::string_view kKaiGroups[] = {"scheduling.run.ai", "kai.scheduler"};
constexpr std::string_view kClaimGroups[] = {"resource.k8s.io"};
constexpr KindRule kKaiKinds[] = {{"Node"},
                                  {"Pod"},
                                  {"Namespace"},
                                  {"PriorityClass"},
                                  {"Queue", kKaiGroups},
                                  {"PodGroup", kKaiGroups},
                                  {"Topology", kKaiGroups},
                                  {"SchedulingShard", kKaiGroups},
                                  {"BindRequest", kKaiGroups},
                                  {"ResourceClaim", kClaimGroups},
                                  {"ResourceClaimTemplate", kClaimGroups},
                                  {"ResourceSlice", kClaimGroups},
                                  {"DeviceClass", kClaimGroups}};

// Returns the profile with claimed devices counted.
std::string WithClaims(const std::string& profile) {
  constexpr std::string_view kRules = "kai:kai-rules(";
  if (profile.starts_with(kRules)) {
    return absl::StrCat("kai:kai-rules(claims=on,", profile.substr(kRules.size()));
  }
  const size_t settings = profile.find(':');
  return absl::StrCat("kai:kai-rules(claims=on)",
                      settings == profile.npos ? "" : "," + profile.substr(settings + 1));
}

void ReadKaiObjects(const ImportSource& source, Scenario* scenario) {
  ClusterSpec& cluster = scenario->cluster;
  const kai::Shard shard = kai::ReadShard(source);
  scenario->profile = shard.profile;
  for (const ApiObject* object : source.dump.OfKind("Node")) {
    if (shard.Has(*object)) cluster.nodes.push_back(ReadNode(*object, {}));
  }
  kai::AddQueues(source, shard, &cluster);
  kai::AddJobs(source, shard, &cluster);
  kai::AddPods(source, shard, &cluster);
  if (kai::AddClaims(source, &cluster)) scenario->profile = WithClaims(scenario->profile);
  cluster.namespaces = ReadNamespaces(source.dump);
}

}  // namespace

namespace kai {

bool Shard::Has(const ApiObject& object) const {
  if (!pool) return true;
  const std::string* label = object.Label(kPoolLabel);
  return label == nullptr ? pool->empty() : *label == *pool;
}

Shard ReadShard(const ImportSource& source) {
  Shard shard{.profile = std::string(kKaiName)};
  const auto read = [&](const Field& spec) {
    shard.pool = spec.Text("partitionLabelValue");
    shard.profile = ReadShardSettings(spec);
  };
  if (source.configuration) {
    const Field actions = (*source.configuration)["actions"];
    const bool lists_actions = actions.given() && actions.kind() == JsonKind::kString;
    if ((*source.configuration)["tiers"].given() || lists_actions) {
      shard.profile = ReadFileSettings(*source.configuration);
      return shard;
    }
    source.configuration->RequireKind("SchedulingShard");
    const Field spec = source.configuration->Section("spec");
    if (spec.given()) source.configuration->Quiet({"apiVersion", "metadata", "status"});
    read(spec.given() ? spec : *source.configuration);
    return shard;
  }
  const Dump::Objects& shards = source.dump.OfKind("SchedulingShard");
  for (const ApiObject* object : shards) {
    if (shards.size() == 1 || object->name() == "default") {
      object->spec().ReadWhole(read);
    } else {
      source.log->LeftOut(object->place(), "",
                          "one shard is read; name it as the configuration to read it");
    }
  }
  return shard;
}

}  // namespace kai

extern const Importer kKaiImporter;
constexpr std::string_view kKaiSchedulers[] = {"kai-scheduler"};
const Importer kKaiImporter = {.name = kKaiName,
                               .groups = kKaiGroups,
                               .kinds = kKaiKinds,
                               .read = ReadKaiObjects,
                               .schedulers = kKaiSchedulers,
                               .device_resource = "nvidia.com/gpu"};

}  // namespace muster
