// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The importer of scheduler-plugins: kube-scheduler's objects, and those of its plug-ins.
//
// - ElasticQuota: a queue with the name of its namespace; the first of a namespace by name counts.
// - PodGroup (scheduling.x-k8s.io): a job in the queue of its namespace, for the pods with its name
//   in their label.
// - NodeResourceTopology: zones of the node of its name, with what is available there, how the node
//   aligns pods, and how many zones it could have.
// - WatcherMetrics: usage of nodes (scheduler_plugins_load.cc).
// - PriorityClass: annotations of PreemptionToleration become options. Without a configuration the
//   plug-in is on where there are such annotations and no ElasticQuota.
// - AppGroup and NetworkTopology: what workloads depend on, and costs, as options of the profile
//   (scheduler_plugins_network.cc).
// - A configuration says which plug-ins are on, and their arguments
//   (scheduler_plugins_configuration.cc).
#include "lib/import/scheduler_plugins.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/amounts.h"
#include "lib/import/importer.h"
#include "lib/import/kube_scheduler.h"
#include "lib/import/kubernetes.h"
#include "lib/peer/scheduler_plugins/exemption.h"
#include "lib/peer/scheduler_plugins/zone_config.h"

namespace muster {

extern const Importer kSchedulerPluginsImporter;

namespace {

constexpr std::string_view kPluginsName = "scheduler-plugins";
constexpr std::string_view kPluginsGroups[] = {"scheduling.x-k8s.io", "topology.node.k8s.io",
                                               "appgroup.diktyo.x-k8s.io",
                                               "networktopology.diktyo.x-k8s.io"};
constexpr std::string_view kAppGroups[] = {"appgroup.diktyo.x-k8s.io"};
constexpr std::string_view kNetworkGroups[] = {"networktopology.diktyo.x-k8s.io"};
constexpr std::string_view kQuotaGroups[] = {"scheduling.x-k8s.io"};
constexpr std::string_view kZoneGroups[] = {"topology.node.k8s.io"};
constexpr KindRule kPluginsKinds[] = {{"Node"},
                                      {"Pod"},
                                      {"Namespace"},
                                      {"PriorityClass"},
                                      {"PodDisruptionBudget"},
                                      {"Service"},
                                      {"ReplicationController"},
                                      {"ReplicaSet"},
                                      {"StatefulSet"},
                                      {"PodGroup", kQuotaGroups},
                                      {"ElasticQuota", kQuotaGroups},
                                      {"NodeResourceTopology", kZoneGroups},
                                      {"WatcherMetrics"},
                                      {"AppGroup", kAppGroups},
                                      {"NetworkTopology", kNetworkGroups}};
constexpr std::string_view kPluginsSchedulers[] = {"scheduler-plugins-scheduler"};
constexpr char kPodGroupOfLabel[] = "scheduling.x-k8s.io/pod-group";

// All other namespaces have the default queue.
void ReadQuotasOfNamespaces(const ImportSource& source, ClusterSpec* cluster) {
  HashSet<std::string> spaces;
  for (const ApiObject* object : SortedByName(source.dump.OfKind("ElasticQuota"))) {
    if (!spaces.insert(object->name_space()).second) {
      source.log->Ignored(object->place(), "",
                          absl::StrCat("namespace ", Quote(object->name_space()),
                                       " has a quota already; the first by name counts"));
      continue;
    }
    QueueSpec& queue = cluster->queues.emplace_back();
    queue.name = object->name_space();
    queue.created = object->created();
    queue.guaranteed = ToResources(ReadAmounts(object->spec().Section("min")));
    if (object->spec()["max"].given()) {
      queue.limit = ToResources(ReadAmounts(object->spec().Section("max")));
    }
  }
  if (!spaces.contains(source.options.default_queue)) {
    cluster->queues.push_back({.name = source.options.default_queue});
  }
}

HashSet<std::string> ReadGroupsOfPods(const ImportSource& source, ClusterSpec* cluster) {
  HashSet<std::string> names, queues;
  for (const QueueSpec& queue : cluster->queues) queues.insert(queue.name);
  for (const ApiObject* object : source.dump.OfKind("PodGroup")) {
    const Field spec = object->spec();
    JobSpec& job = cluster->jobs.emplace_back();
    job.name = object->key();
    job.queue =
        queues.contains(object->name_space()) ? object->name_space() : source.options.default_queue;
    job.min_available = spec.Int64("minMember", 0);
    if (spec["minResources"].given()) {
      job.min_resources = ToResources(ReadAmounts(spec.Section("minResources")));
    }
    if (spec["scheduleTimeoutSeconds"].given()) {
      job.settings.emplace_back("scheduler-plugins/timeout",
                                absl::StrCat(spec.Int64("scheduleTimeoutSeconds", 0)));
    }
    job.created = object->created();
    names.insert(job.name);
  }
  return names;
}

// The number in a name such as "node-3".
std::optional<int> NumberOfZone(std::string_view name) {
  constexpr std::string_view kPrefix = "node-";
  constexpr int kMostZones = 64;
  int number = 0;
  if (!name.starts_with(kPrefix) ||
      !absl::SimpleAtoi(ToAbsl(name.substr(kPrefix.size())), &number) || number < 0 ||
      number >= kMostZones) {
    return std::nullopt;
  }
  return number;
}

ZoneSpec ReadZone(const Field& zone) {
  ZoneSpec spec;
  spec.name = zone.Text("name");
  AmountMap capacity, available;
  for (const Field& item : zone.Items("resources")) {
    const std::string name = item.Text("name");
    SetAmount(name,
              ReadAmount(item["allocatable"].given() ? item["allocatable"] : item["capacity"]),
              &capacity);
    SetAmount(name, ReadAmount(item["available"]), &available);
  }
  spec.capacity = ToResources(capacity);
  spec.available = ToResources(available);
  for (const Field& cost : zone.Items("costs")) {
    spec.distances.emplace_back(cost.Text("name"), cost.Int64("value", 0));
  }
  return spec;
}

// Costs of a way to a zone that the node does not have mean nothing to the plug-in.
void DropOtherCosts(const ApiObject& report, NodeSpec* node) {
  const auto is_other = [&](const std::pair<std::string, int64_t>& cost) {
    if (std::ranges::find(node->zones, cost.first, &ZoneSpec::name) != node->zones.end()) {
      return false;
    }
    report.log()->Ignored(
        report.place(), "zones",
        absl::StrCat("a cost is to zone ", Quote(cost.first), ", which is not there"));
    return true;
  };
  for (ZoneSpec& zone : node->zones) std::erase_if(zone.distances, is_other);
}

// What the plug-in's own reader passes over without a word.
void NoteUnknownValues(const ApiObject& report, scheduler_plugins::NodeAttributes attributes) {
  using scheduler_plugins::ZoneConfig;
  const auto ignored = [&](std::string_view key, std::string_view name, std::string_view value) {
    report.log()->Ignored(report.place(), key,
                          absl::StrCat(ToAbsl(name), " ", Quote(value), " is not known"));
  };
  const std::vector<std::string> policies = report.root().Texts("topologyPolicies");
  ZoneConfig config;
  scheduler_plugins::ApplyPolicies(policies, &config);
  if (!policies.empty() && config == ZoneConfig()) {
    ignored("topologyPolicies", "policy", policies[0]);
  }
  for (const auto& [name, value] : attributes) {
    if (name != "topologyManagerPolicy" && name != "topologyManagerScope" &&
        name != "topologyManagerMaxNUMANodes") {
      continue;
    }
    const std::pair<std::string, std::string> alone(name, value);
    config = {};
    scheduler_plugins::ApplyAttributes({&alone, 1}, &config);
    if (config == ZoneConfig()) ignored("attributes", name, value);
  }
}

// In the order of the report.
void ReadZones(const ApiObject& report, NodeSpec* node) {
  for (const Field& zone : report.root().Items("zones")) {
    if (zone.Text("type") != "Node") continue;
    if (NumberOfZone(zone.Text("name")).has_value()) {
      node->zones.push_back(ReadZone(zone));
    } else {
      zone["name"].Ignored("the zone is left out; its name must be node-0 to node-63");
    }
  }
  DropOtherCosts(report, node);
  std::vector<std::pair<std::string, std::string>> attributes;
  for (const Field& item : report.root().Items("attributes")) {
    attributes.emplace_back(item.Text("name"), item.Text("value"));
  }
  NoteUnknownValues(report, attributes);
  const scheduler_plugins::ZoneConfig config =
      scheduler_plugins::ReadZoneConfig(report.root().Texts("topologyPolicies"), attributes);
  constexpr Alignment kAlignments[] = {Alignment::kNone, Alignment::kBestEffort,
                                       Alignment::kRestricted, Alignment::kSingleNumaNode};
  node->alignment = kAlignments[static_cast<int>(*config.policy)];
  node->alignment_scope =
      *config.scope == ZoneScope::kPod ? AlignmentScope::kPod : AlignmentScope::kContainer;
  constexpr int64_t kDefaultZones = 8;
  if (config.most_zones != kDefaultZones) {
    node->settings.emplace_back("scheduler-plugins/most_zones", absl::StrCat(config.most_zones));
  }
}

// What tolerates preemption, by priority class (PreemptionToleration). Of pods of other classes it
// spares none.
void ReadTolerations(const ImportSource& source, PodReader* reader) {
  constexpr std::string_view kToleration = "PreemptionToleration";
  constexpr std::string_view kMark = "preemption-toleration.scheduling.x-k8s.io/";
  const std::string minimum_key = absl::StrCat(ToAbsl(kMark), "minimum-preemptable-priority");
  const std::string seconds_key = absl::StrCat(ToAbsl(kMark), "toleration-seconds");
  const PluginPoints& points = reader->points();
  const bool is_on =
      reader->configured() ? points.on(kToleration) : source.dump.OfKind("ElasticQuota").empty();
  const bool is_late =
      reader->configured() && is_on && !scheduler_plugins_import::TolerationPreempts(points);
  bool any = false;
  for (const ApiObject* object : SortedByName(source.dump.OfKind("PriorityClass"))) {
    const auto view = [&](const std::string& key) -> std::optional<std::string_view> {
      const std::string* text = object->Annotation(key);
      return text == nullptr ? std::nullopt : std::optional<std::string_view>(*text);
    };
    const auto minimum = view(minimum_key), seconds = view(seconds_key);
    if (!minimum && !seconds) continue;
    const auto ignored = [&](std::string_view why) {
      object->log()->Ignored(object->place(), "metadata.annotations", why);
    };
    if (!is_on || is_late) {
      ignored(is_on ? "DefaultPreemption is asked before PreemptionToleration, and spares no pods"
                    : "PreemptionToleration is not on: pods of the class are spared from nothing");
      continue;
    }
    const auto exemption =
        scheduler_plugins::ReadExemption(minimum, seconds, object->root().Int32("value", 0));
    if (!exemption) {
      ignored("a value is no number: pods of the class are spared from nothing");
      continue;
    }
    constexpr int64_t kMostSeconds = 1'000'000'000;
    any = true;
    reader->Set(absl::StrCat("minimum.", object->name()), absl::StrCat(exemption->minimum));
    reader->Set(absl::StrCat("toleration.", object->name()),
                absl::StrCat(std::clamp<int64_t>(exemption->seconds, -1, kMostSeconds)));
  }
  if (any && !reader->configured()) reader->Set("capacity", "off");
  if (any && reader->configured() && points.on("DefaultPreemption", PluginPoint::kPostFilter)) {
    source.log->Ignored("scheduler configuration", "",
                        "where PreemptionToleration finds no node, DefaultPreemption is not asked");
  }
}

// Objects of plug-ins that the configuration does not enable mean nothing.
void NoteIdle(const ImportSource& source, const PodReader& reader) {
  struct Use {
    const char *kind, *plugin;
  };
  constexpr Use kUses[] = {{"PodGroup", "Coscheduling"},
                           {"ElasticQuota", "CapacityScheduling"},
                           {"NodeResourceTopology", "NodeResourceTopologyMatch"},
                           {"AppGroup", "NetworkOverhead"},
                           {"NetworkTopology", "NetworkOverhead"}};
  if (!reader.configured()) return;
  for (const Use& use : kUses) {
    const bool used = scheduler_plugins_import::IsUsed(reader.points(), use.plugin);
    if (source.dump.OfKind(use.kind).empty() || used) continue;
    source.log->Ignored(
        "scheduler configuration", "",
        absl::StrCat("does not enable ", use.plugin, ": objects ", use.kind, " decide nothing"));
  }
}

void ReadPluginsDump(const ImportSource& source, Scenario* scenario) {
  ClusterSpec& cluster = scenario->cluster;
  PodReader reader(source.configuration, scheduler_plugins_import::ConfiguredPlugins());
  NoteIdle(source, reader);
  reader.AddOwners(source.dump);
  for (const ApiObject* object : source.dump.OfKind("Node")) {
    cluster.nodes.push_back(ReadNode(*object, {.conditions = false}));
    const ApiObject* report = source.dump.Find("NodeResourceTopology", object->name());
    if (report != nullptr) ReadZones(*report, &cluster.nodes.back());
  }
  for (const ApiObject* report : source.dump.OfKind("NodeResourceTopology")) {
    if (source.dump.Find("Node", report->name()) != nullptr) continue;
    source.log->LeftOut(report->place(), "",
                        absl::StrCat("node ", Quote(report->name()), " is not there"));
  }
  scheduler_plugins_import::ReadLoads(source.dump, &cluster.nodes);
  scheduler_plugins_import::ReadPower(source, &cluster.nodes);
  scheduler_plugins_import::ReadMarks(source, &cluster.nodes);
  ReadTolerations(source, &reader);
  ReadQuotasOfNamespaces(source, &cluster);
  const HashSet<std::string> groups = ReadGroupsOfPods(source, &cluster);
  // Pods of a group that is missing keep their label alone.
  const auto group_of = [&](const ApiObject& pod) {
    const std::string* label = pod.Label(kPodGroupOfLabel);
    if (label == nullptr) return std::string();
    std::string key = absl::StrCat(pod.name_space(), "/", *label);
    return groups.contains(key) ? key : std::string();
  };
  ReadPodsOfDump(source, reader, kSchedulerPluginsImporter, group_of, &cluster);
  cluster.namespaces = ReadNamespaces(source.dump);
  cluster.budgets = ReadBudgets(source.dump);
  scheduler_plugins_import::ReadNetwork(source, &reader);
  scenario->profile = reader.profile(kPluginsName);
}

}  // namespace

const Importer kSchedulerPluginsImporter = {kPluginsName, kPluginsGroups, kPluginsKinds,
                                            ReadPluginsDump, kPluginsSchedulers};

}  // namespace muster
