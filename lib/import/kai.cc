// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// KAI Scheduler's importer.
#include "lib/import/kai.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"

namespace muster {
namespace {

constexpr std::string_view kKaiName = "kai";
constexpr std::string_view kKaiPoolLabel = "kai.scheduler/node-pool";
constexpr std::string_view kKaiGroups[] = {"scheduling.run.ai", "kai.scheduler"};
constexpr KindRule kKaiKinds[] = {{"Node"},
                                  {"Pod"},
                                  {"Namespace"},
                                  {"PriorityClass"},
                                  {"Queue", kKaiGroups},
                                  {"PodGroup", kKaiGroups},
                                  {"Topology", kKaiGroups},
                                  {"SchedulingShard", kKaiGroups},
                                  {"BindRequest", kKaiGroups}};

// Settings of a shard that decide nothing.
constexpr std::string_view kKaiQuiet[] = {"image", "replicas", "service", "resources"};

std::string ProfileOf(const Field& spec) {
  std::vector<std::string> options;
  const Field placement = spec.Section("placementStrategy");
  for (const std::string_view key : {"gpu", "cpu"}) {
    const std::string word = placement.Text(key);
    if (word.empty()) continue;
    if (word != "binpack" && word != "spread") {
      placement[key].Refuse(
          absl::StrCat(Quote(word), " is no strategy; expected binpack or spread"));
      return std::string(kKaiName);
    }
    options.push_back(absl::StrCat(ToAbsl(key), "=", word));
  }
  if (const Field k = spec["kValue"]; k.given()) {
    options.push_back(absl::StrCat("k=", k.ScalarText()));
  }
  const Field runtime = spec.Section("minRuntime");
  for (const auto& [key, option] : {std::pair("preemptMinRuntime", "preempt_min_runtime"),
                                    std::pair("reclaimMinRuntime", "reclaim_min_runtime")}) {
    const std::optional<int64_t> seconds = runtime.Duration(key);
    if (seconds) options.push_back(absl::StrCat(option, "=", *seconds));
  }
  spec.Quiet(kKaiQuiet);
  if (options.empty()) return std::string(kKaiName);
  return absl::StrCat(ToAbsl(kKaiName), ":kai-rules(", absl::StrJoin(options, ","), ")");
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
  cluster.namespaces = ReadNamespaces(source.dump);
}

}  // namespace

namespace kai {

bool Shard::Has(const ApiObject& object) const {
  if (!pool) return true;
  const std::string* label = object.Label(kKaiPoolLabel);
  return label == nullptr ? pool->empty() : *label == *pool;
}

Shard ReadShard(const ImportSource& source) {
  Shard shard{.profile = std::string(kKaiName)};
  const auto read = [&](const Field& spec) {
    shard.pool = spec.Text("partitionLabelValue");
    shard.profile = ProfileOf(spec);
  };
  if (source.configuration) {
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
const Importer kKaiImporter = {kKaiName, kKaiGroups, kKaiKinds, ReadKaiObjects, kKaiSchedulers};

}  // namespace muster
