// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tests/growth/answers.h"
#include "tests/growth/texts.h"

namespace muster::testing {
namespace {

using Json = nlohmann::ordered_json;

std::string Number(const char* letter, int i) { return absl::StrCat(letter, i); }

Json Object(const char* kind, const std::string& name) {
  return {{"kind", kind}, {"metadata", {{"name", name}, {"namespace", "ns"}}}};
}

Json Node(int i, int) {
  Json node = Object("Node", Number("n", i));
  node["metadata"]["labels"] = {{Number("k", i), "v"}};
  node["spec"]["taints"] = {{{"key", Number("k", i)}, {"effect", "NoSchedule"}}};
  node["status"]["allocatable"] = {{"cpu", "4"}, {"pods", "10"}, {Number("x.io/d", i), "1"}};
  return node;
}

// With no resource of its own: quotas know few resources.
Json PlainNode(int i, int) {
  Json node = Object("Node", Number("n", i));
  node["status"]["allocatable"] = {{"cpu", "4"}, {"pods", "10"}};
  return node;
}

Json Pod(int i, int n) {
  Json pod = Object("Pod", Number("p", i));
  pod["metadata"]["annotations"] = {{"scheduling.k8s.io/group-name", Number("g", i)}};
  pod["metadata"]["labels"] = {{"app", Number("a", i)}};
  Json container = {{"name", "c"},
                    {"resources", {{"requests", {{"cpu", absl::StrCat(i + 1, "m")}}}}}};
  pod["spec"] = {{"containers", {container}},
                 {"priorityClassName", Number("c", n - 1 - i)},
                 {"nodeSelector", {{Number("k", i), "v"}}}};
  pod["status"]["phase"] = "Pending";
  return pod;
}

Json PodGroup(int i, int n) {
  Json group = Object("PodGroup", Number("g", i));
  group["spec"] = {{"minMember", 1}, {"queue", Number("q", n - 1 - i)}};
  group["status"]["phase"] = "Pending";
  return group;
}

Json Queue(int i, int) {
  Json queue = Object("Queue", Number("q", i));
  queue["spec"]["weight"] = 1 + i % 7;
  if (i > 0) queue["spec"]["parent"] = Number("q", i - 1);
  queue["status"]["state"] = "Open";
  return queue;
}

Json PriorityClass(int i, int) {
  Json priority = Object("PriorityClass", Number("c", i));
  priority["value"] = i;
  return priority;
}

Json Namespace(int i, int) { return Object("Namespace", Number("ns", i)); }

Json Budget(int i, int) {
  Json budget = Object("PodDisruptionBudget", Number("b", i));
  budget["spec"]["selector"]["matchLabels"] = {{"app", Number("a", i)}};
  budget["status"]["disruptionsAllowed"] = 1;
  return budget;
}

Json Quota(int i, int) {
  Json quota = Object("ResourceQuota", Number("r", i));
  quota["status"]["hard"] = {{"cpu", "1"}};
  return quota;
}

Json Metric(int i, int) {
  return {{"kind", "MetricValue"},
          {"metadata", {{"name", Number("m", i)}}},
          {"describedObject", {{"kind", "Node"}, {"name", Number("n", i)}}},
          {"metric", {{"name", "node_cpu_usage_avg"}}},
          {"value", "1"}};
}

Json ElasticQuota(int i, int) {
  Json quota = Object("ElasticQuota", Number("q", i));
  quota["apiVersion"] = "scheduling.sigs.k8s.io/v1alpha1";
  quota["spec"]["max"] = {{"cpu", i + 1}};
  return quota;
}

Json NodeMetric(int i, int) {
  Json metric = Object("NodeMetric", Number("n", i));
  metric["apiVersion"] = "slo.koordinator.sh/v1alpha1";
  const Json resources = {{"resources", {{"cpu", "1"}, {"memory", "1Gi"}}}};
  metric["status"] = {
      {"nodeMetric", {{"nodeUsage", resources}}},
      {"podsMetric",
       {{{"namespace", "default"}, {"name", Number("p", i)}, {"podUsage", resources}}}}};
  return metric;
}

Json NodeSlo(int i, int) {
  Json slo = Object("NodeSLO", Number("n", i));
  slo["apiVersion"] = "slo.koordinator.sh/v1alpha1";
  slo["spec"]["resourceUsedThresholdWithBE"] = {{"enable", true},
                                                {"memoryEvictThresholdPercent", 70}};
  return slo;
}

Json Device(int i, int) {
  Json device = Object("Device", Number("n", i));
  device["apiVersion"] = "scheduling.koordinator.sh/v1alpha1";
  device["spec"]["devices"] = {
      {{"type", "gpu"}, {"minor", 0}, {"health", true}, {"topology", {{"nodeID", 0}}}}};
  return device;
}

Json MigrationJob(int i, int) {
  Json migration = Object("PodMigrationJob", Number("m", i));
  migration["apiVersion"] = "scheduling.koordinator.sh/v1alpha1";
  migration["spec"]["podRef"] = {{"namespace", "default"}, {"name", Number("p", i)}};
  return migration;
}

Json HyperNode(int i, int) {
  Json hyper = Object("HyperNode", Number("h", i));
  hyper["spec"]["tier"] = 1;
  hyper["spec"]["members"] = {
      {{"type", "Node"}, {"selector", {{"exactMatch", {{"name", Number("n", i)}}}}}}};
  return hyper;
}

Json NodeShard(int i, int) {
  Json shard = Object("NodeShard", Number("s", i));
  shard["spec"]["nodesDesired"] = {Number("n", i)};
  return shard;
}

Json Numatopology(int i, int) {
  Json numa = Object("Numatopology", Number("n", i));
  numa["spec"] = {{"policies", {{"CPUManagerPolicy", "static"}}},
                  {"cpuDetail", {{"0", {{"numa", 0}}}}}};
  return numa;
}

Json Service(int i, int) {
  Json service = Object("Service", Number("s", i));
  service["spec"]["selector"] = {{"app", Number("a", i)}};
  return service;
}

// An owner of pods; `kind` has selectors of one of two forms.
Json Owner(const char* kind, int i) {
  Json owner = Object(kind, Number("o", i));
  const Json labels = {{"app", Number("a", i)}};
  const bool is_plain = std::string_view(kind) == "ReplicationController";
  owner["spec"]["selector"] = is_plain ? labels : Json{{"matchLabels", labels}};
  return owner;
}
Json Controller(int i, int) { return Owner("ReplicationController", i); }
Json ReplicaSet(int i, int) { return Owner("ReplicaSet", i); }
Json StatefulSet(int i, int) { return Owner("StatefulSet", i); }

Json Flavor(int i, int) {
  Json flavor = Object("ResourceFlavor", Number("f", i));
  flavor["spec"]["nodeLabels"] = {{Number("k", i), "v"}};
  return flavor;
}

Json Topology(int i, int) {
  Json topology = Object("Topology", Number("t", i));
  topology["spec"]["levels"] = {{{"nodeLabel", Number("k", i)}}};
  return topology;
}

Json Cohort(int i, int) {
  Json cohort = Object("Cohort", Number("c", i));
  if (i > 0) cohort["spec"]["parentName"] = Number("c", i - 1);
  return cohort;
}

Json ClusterQueue(int i, int n) {
  Json queue = Object("ClusterQueue", Number("q", i));
  const Json quota = {{"name", Number("f", n - 1 - i)},
                      {"resources", {{{"name", "cpu"}, {"nominalQuota", i}}}}};
  queue["spec"] = {{"cohortName", Number("c", i)},
                   {"namespaceSelector", Json::object()},
                   {"resourceGroups", {{{"coveredResources", {"cpu"}}, {"flavors", {quota}}}}}};
  return queue;
}

Json LocalQueue(int i, int) {
  Json queue = Object("LocalQueue", Number("l", i));
  queue["spec"]["clusterQueue"] = Number("q", i);
  return queue;
}

Json Shard(int i, int) { return Object("SchedulingShard", Number("s", i)); }

Json BindRequest(int i, int) {
  Json request = Object("BindRequest", Number("b", i));
  request["spec"] = {{"podName", Number("p", i)}, {"selectedNode", Number("n", i)}};
  return request;
}

Json Check(int i, int) { return Object("AdmissionCheck", Number("a", i)); }

Json WorkloadClass(int i, int) {
  Json priority = Object("WorkloadPriorityClass", Number("c", i));
  priority["value"] = i;
  return priority;
}

Json Workload(int i, int n) {
  Json workload = Object("Workload", Number("w", i));
  const Json container = {{"name", "c"},
                          {"resources", {{"requests", {{"cpu", absl::StrCat(i + 1, "m")}}}}}};
  const Json pods = {{"spec", {{"containers", {container}}}}};
  workload["spec"] = {{"queueName", Number("l", n - 1 - i)},
                      {"podSets", {{{"name", "main"}, {"count", 1}, {"template", pods}}}}};
  return workload;
}

// What objects of the kind point to comes along.
struct Kind {
  std::string_view name;
  Json (*make)(int i, int n);
  Json (*target)(int i, int n);  // may be null
};
constexpr Kind kKinds[] = {
    {"Node", Node, nullptr},
    {"Pod", Pod, PriorityClass},
    {"PodGroup", PodGroup, Queue},
    {"Queue", Queue, nullptr},
    {"PriorityClass", PriorityClass, nullptr},
    {"Namespace", Namespace, nullptr},
    {"PodDisruptionBudget", Budget, nullptr},
    {"ResourceQuota", Quota, nullptr},
    {"MetricValue", Metric, Node},
    {"ElasticQuota", ElasticQuota, nullptr},
    {"NodeMetric", NodeMetric, PlainNode},
    {"NodeSLO", NodeSlo, PlainNode},
    {"Device", Device, PlainNode},
    {"PodMigrationJob", MigrationJob, Pod},
    {"HyperNode", HyperNode, Node},
    {"NodeShard", NodeShard, Node},
    {"Numatopology", Numatopology, Node},
    {"Service", Service, nullptr},
    {"ReplicationController", Controller, nullptr},
    {"ReplicaSet", ReplicaSet, nullptr},
    {"StatefulSet", StatefulSet, nullptr},
    {"ResourceFlavor", Flavor, nullptr},
    {"Topology", Topology, nullptr},
    {"Cohort", Cohort, nullptr},
    {"ClusterQueue", ClusterQueue, Flavor},
    {"LocalQueue", LocalQueue, ClusterQueue},
    {"AdmissionCheck", Check, nullptr},
    {"WorkloadPriorityClass", WorkloadClass, nullptr},
    {"Workload", Workload, LocalQueue},
    {"SchedulingShard", Shard, nullptr},
    {"BindRequest", BindRequest, Node},
};

// Kinds of which each is read in one API group.
bool IsOfOneGroup(std::string_view kind) {
  constexpr std::string_view kFirst = "ResourceFlavor";
  const auto at = std::ranges::find(kKinds, kind, &Kind::name);
  return at != std::end(kKinds) && at >= std::ranges::find(kKinds, kFirst, &Kind::name);
}

}  // namespace

std::vector<std::string_view> GrowingKinds() {
  std::vector<std::string_view> names = KindsOfAnswers();
  for (const Kind& kind : kKinds) names.push_back(kind.name);
  return names;
}

std::string GrowingDump(std::string_view name, std::string_view group, int n) {
  if (const std::optional<Json> answers = GrowingAnswers(name, group, n)) return answers->dump();
  Json objects = Json::array();
  const auto add = [&](Json object) {
    const std::string kind = object["kind"];
    const bool of_scheduler = kind == "PodGroup" || kind == "Queue" || IsOfOneGroup(kind);
    if (of_scheduler) object["apiVersion"] = absl::StrCat(std::string(group), "/v1beta1");
    objects.push_back(std::move(object));
  };
  for (const Kind& kind : kKinds) {
    if (kind.name != name) continue;
    for (int i = 0; i < n; ++i) add(kind.make(i, n));
    for (int i = 0; i < n && kind.target != nullptr; ++i) add(kind.target(i, n));
    for (int i = 0; i < n && kind.make == Pod; ++i) add(PodGroup(i, n));
  }
  return objects.dump();
}

}  // namespace muster::testing
