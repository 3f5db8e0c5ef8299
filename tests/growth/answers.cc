// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/growth/answers.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace muster::testing {
namespace {

using Json = nlohmann::ordered_json;

std::string Named(const char* letter, int i) { return absl::StrCat(letter, i); }

Json Rows(int n, Json (*make)(int i, int n)) {
  Json rows = Json::array();
  for (int i = 0; i < n; ++i) rows.push_back(make(i, n));
  return rows;
}

Json ObjectIn(const char* group, const char* kind, const std::string& name, Json spec) {
  return {{"apiVersion", absl::StrCat(group, "/v1")},
          {"kind", kind},
          {"metadata", {{"name", name}, {"namespace", "ns"}}},
          {"spec", std::move(spec)}};
}

// --- HTCondor

Json Machine(int i, int) {
  return {{"MyType", "Machine"},
          {"Name", Named("slot1@m", i)},
          {"Machine", Named("m", i)},
          {"PartitionableSlot", true},
          {"Cpus", 4},
          {"Memory", 1024},
          {"Disk", 10},
          {"TotalSlotCpus", 4},
          {"TotalSlotMemory", 1024},
          {"TotalSlotDisk", 10},
          {Named("Has", i), true}};
}
Json CondorJob(int i, int) {
  return {{"MyType", "Job"},
          {"ClusterId", i + 1},
          {"ProcId", 0},
          {"JobStatus", 1},
          {"Owner", Named("u", i)},
          {"User", absl::StrCat("u", i, "@x")},
          {"RequestCpus", 1},
          {"RequestMemory", i + 1},
          {"RequestDisk", 1},
          {"Requirements", absl::StrCat("/Expr(TARGET.Has", i, ")/")}};
}
Json Account(int i, int) {
  return {{"MyType", "Accounting"},
          {"Name", absl::StrCat("u", i, "@x")},
          {"Priority", 500},
          {"PriorityFactor", 1000}};
}

// --- Armada

Json ArmadaQueue(int i, int) {
  return ObjectIn("armadaproject.io", "Queue", Named("q", i), {{"priorityFactor", 1 + i % 7}});
}
Json ArmadaJob(int i, int n) {
  const Json requests = {{"cpu", absl::StrCat(i + 1, "m")}};
  const Json container = {{"name", "c"}, {"resources", {{"requests", requests}}}};
  return ObjectIn(
      "armadaproject.io", "Job", Named("j", i),
      {{"queue", Named("q", n - 1 - i)}, {"podSpec", {{"containers", Json::array({container})}}}});
}
Json Executor(int i, int n) {
  return ObjectIn("armadaproject.io", "Executor", Named("e", i),
                  {{"nodes", Json::array({Named("n", n - 1 - i)})}, {"cordoned", i % 2 == 0}});
}

// --- Mesos

Json Agent(int i, int) {
  return {{"id", Named("S", i)},
          {"hostname", Named("a", i)},
          {"resources", {{"cpus", 8.0}, {"mem", 4096.0}}}};
}
Json Framework(int i, int n) {
  const Json task = {{"id", "t"},
                     {"slave_id", Named("S", n - 1 - i)},
                     {"state", "TASK_RUNNING"},
                     {"resources", {{"cpus", 1.0}, {"mem", 64.0}}}};
  return {{"id", Named("F", i)},
          {"name", Named("f", i)},
          {"roles", Json::array({Named("r", i)})},
          {"capabilities", Json::array({"MULTI_ROLE"})},
          {"tasks", Json::array({task})}};
}
Json Role(int i, int) { return {{"name", Named("r", i)}, {"weight", 1.0}}; }

Json States(int n) {
  const Json spec = {{"slaves", Rows(n, Agent)}, {"frameworks", Rows(n, Framework)}};
  return Json::array({ObjectIn("mesos.apache.org", "State", "master", spec)});
}
Json Roles(int n) {
  Json objects = States(1);
  objects.push_back(ObjectIn("mesos.apache.org", "Roles", "master", {{"roles", Rows(n, Role)}}));
  return objects;
}

// --- Pulsar

std::string BundleName(int i) { return absl::StrCat("t/n", i, "/0x00000000_0xffffffff"); }

Json LoadReport(int i, int) {
  const Json stats = {{"msgThroughputIn", 6e7}, {"msgRateIn", 10.5}};
  return ObjectIn("pulsar.apache.org", "LoadReport", Named("b", i),
                  {{"cpu", {{"usage", 80.0}, {"limit", 800.0}}},
                   {"lastUpdate", 5000},
                   {"lastStats", {{BundleName(i), stats}}}});
}
Json BundleData(int i, int) {
  return ObjectIn("pulsar.apache.org", "BundleData", BundleName(i),
                  {{"shortTermData", {{"msgThroughputIn", 5e7}}}});
}

// --- Ray

Json OfRay(const char* kind, Json spec) {
  return ObjectIn("state.ray.io", kind, "cluster", std::move(spec));
}
Json RayNode(int i, int) {
  return {{"node_id", Named("d", i)},
          {"node_name", Named("n", i)},
          {"state", "ALIVE"},
          {"resources_total", {{"CPU", 8}, {Named("r", i), 1}}},
          {"labels", {{Named("k", i), "v"}}}};
}
Json RayNodes(int n) { return OfRay("Nodes", {{"nodes", Rows(n, RayNode)}}); }
Json PlacementGroups(int n) {
  Json groups = Json::object();
  for (int i = 0; i < n; ++i) {
    groups[Named("g", i)] = {{"strategy", "PACK"},
                             {"state", "CREATED"},
                             {"bundles", {{"0", {{"CPU", 1 + i}}}}},
                             {"bundles_to_node_id", {{"0", Named("d", n - 1 - i)}}}};
  }
  return OfRay("PlacementGroups", std::move(groups));
}
// A demand is [amounts, count].
Json RayDemand(int i, int) { return Json::array({Json{{"CPU", 1 + i}}, 2}); }
Json RayGroupDemand(int i, int n) {
  const Json group = {{"bundles", Json::array({RayDemand(i, n)})}, {"strategy", "SPREAD"}};
  return Json::array({group, 1});
}
Json LoadMetrics(int n) {
  return OfRay("LoadMetrics",
               {{"resourceDemand", Rows(n, RayDemand)}, {"pgDemand", Rows(n, RayGroupDemand)}});
}

// --- YuniKorn

Json YuniKornNode(int i, int) {
  const Json foreign = {{"allocationKey", Named("f", i)}, {"resource", {{"vcore", 250}}}};
  return {{"nodeID", Named("n", i)},
          {"attributes", {{Named("k", i), "v"}}},
          {"capacity", {{"vcore", 8000}, {"memory", 1 << 30}, {"pods", 110}}},
          {"occupied", {{"vcore", 500}}},
          {"foreignAllocations", Json::array({foreign})},
          {"reservations", Json::array({Named("r", i)})},
          {"schedulable", true}};
}
Json YuniKornQueue(int i, int) {
  return {{"queuename", absl::StrCat("root.q", i)},
          {"isLeaf", true},
          {"sortingPolicy", "fair"},
          {"maxResource", {{"vcore", 1000 + i}}}};
}
Json YuniKornLimits(int i, int) {
  const Json limit = {{"Limit", "own"},
                      {"Users", Json::array({Named("u", i)})},
                      {"MaxResources", {{"vcore", "4"}}}};
  return {{"Name", Named("q", i)}, {"Limits", Json::array({limit})}};
}
Json YuniKornApplication(int i, int n) {
  const Json amounts = {{"vcore", 1000}, {"memory", 1000 + i}};
  const Json allocation = {{"allocationKey", Named("a", i)},
                           {"allocationTime", 1'700'000'000'000'000'000},
                           {"nodeId", Named("n", n - 1 - i)},
                           {"resource", amounts}};
  const Json request = {{"allocationKey", Named("r", i)},
                        {"requestTime", 1'700'000'000'000'000'000},
                        {"resource", amounts}};
  return {{"applicationID", Named("a", i)},
          {"partition", "default"},
          {"queueName", absl::StrCat("root.q", n - 1 - i)},
          {"applicationState", "Running"},
          {"submissionTime", 1'700'000'000'000'000'000},
          {"user", Named("u", i)},
          {"allocations", Json::array({allocation})},
          {"requests", Json::array({request})}};
}
Json YuniKornPods(int n) {
  Json pods = Json::object();
  for (int i = 0; i < n; ++i) {
    const std::string key = Named("r", i);
    pods[key] = {{"uid", key},
                 {"name", key},
                 {"namespace", "ns"},
                 {"nodeSelector", {{Named("k", i), "v"}}},
                 {"priorityClassName", Named("c", i)}};
  }
  return pods;
}
// Nodes, queues, limits of users, applications and pods grow together.
Json StateDump(int n) {
  const Json root = {{"queuename", "root"},
                     {"partition", "default"},
                     {"isLeaf", false},
                     {"children", Rows(n, YuniKornQueue)}};
  const Json nodes = {{"partitionName", "default"}, {"nodesInfo", Rows(n, YuniKornNode)}};
  const Json tree = {{"Name", "root"}, {"Queues", Rows(n, YuniKornLimits)}};
  const Json config = {{"Name", "default"}, {"Queues", Json::array({tree})}};
  return ObjectIn("yunikorn.apache.org", "StateDump", "dump",
                  {{"partitions", Json::array({Json{{"name", "default"}}})},
                   {"queues", Json::array({root})},
                   {"nodes", Json::array({nodes})},
                   {"applications", Rows(n, YuniKornApplication)},
                   {"config", {{"Partitions", Json::array({config})}}},
                   {"rmDiagnostics", {{"cache", {{"pods", YuniKornPods(n)}}}}}});
}

// --- YARN

Json YarnNode(int i, int) {
  return {{"id", absl::StrCat("h", i, ":1")},
          {"nodeHostName", Named("h", i)},
          {"rack", Named("/r", i)},
          {"state", "RUNNING"},
          {"usedMemoryMB", 0},
          {"availMemoryMB", 8192},
          {"usedVirtualCores", 0},
          {"availableVirtualCores", 8}};
}
Json YarnApp(int i, int n) {
  const Json request = {{"priority", 1},
                        {"resourceName", "*"},
                        {"numContainers", 1},
                        {"relaxLocality", true},
                        {"capability", {{"memory", 1024 + i}, {"vCores", 1}}}};
  return {{"id", absl::StrCat("application_17_", i)},
          {"user", Named("u", i)},
          {"queue", absl::StrCat("root.q", n - 1 - i)},
          {"priority", 3},
          {"startedTime", 1'700'000'000'000 + i},
          {"state", "RUNNING"},
          {"runningContainers", 0},
          {"resourceRequests", Json::array({request})}};
}
Json YarnContainer(int i, int n) {
  return {{"containerId", absl::StrCat("container_e08_17_", i, "_01_000001")},
          {"allocatedMB", "1024"},
          {"allocatedVCores", "1"},
          {"nodeId", absl::StrCat("h", n - 1 - i, ":1")},
          {"containerState", "RUNNING"}};
}
Json CapacityQueue(int i, int) {
  return {{"type", "capacitySchedulerLeafQueueInfo"},
          {"queueName", Named("q", i)},
          {"queuePath", absl::StrCat("root.q", i)},
          {"mode", "weight"},
          {"weight", 1.0},
          {"maxCapacity", 100.0},
          {"state", "RUNNING"}};
}
Json FairQueue(int i, int) {
  return {{"queueName", absl::StrCat("root.q", i)}, {"schedulingPolicy", "fair"}};
}

Json Answer(const char* list, const char* item, Json rows) {
  return {{list, {{item, std::move(rows)}}}};
}
Json SchedulerAnswer(std::string_view group, int n) {
  Json info;
  if (group.starts_with("fair.")) {
    const Json root = {{"queueName", "root"}, {"childQueues", {{"queue", Rows(n, FairQueue)}}}};
    info = {{"type", "fairScheduler"}, {"rootQueue", root}};
  } else {
    info = {{"type", "capacityScheduler"},
            {"queueName", "root"},
            {"capacity", 100.0},
            {"queues", {{"queue", Rows(n, CapacityQueue)}}}};
  }
  return {{"scheduler", {{"schedulerInfo", info}}}};
}
// The answer with n rows, and those about as many nodes, queues and applications as it names.
Json YarnAnswers(std::string_view kind, std::string_view group, int n) {
  Json objects = Json::array();
  const bool has_apps = kind == "Apps" || kind == "Containers";
  objects.push_back(Answer("nodes", "node", Rows(kind == "Scheduler" ? 1 : n, YarnNode)));
  objects.push_back(SchedulerAnswer(group, kind == "Nodes" ? 1 : n));
  if (has_apps) objects.push_back(Answer("apps", "app", Rows(n, YarnApp)));
  if (kind == "Containers") {
    objects.push_back(Answer("containers", "container", Rows(n, YarnContainer)));
  }
  return objects;
}

// --- kinds of Kubernetes in a group of their own

Json NodeOf(int i, int) {
  Json node = ObjectIn("", "Node", Named("n", i), nullptr);
  node["apiVersion"] = "v1";
  node.erase("spec");
  node["status"]["allocatable"] = {{"cpu", "4"}, {"pods", "10"}};
  return node;
}
Json Zones(int i, int) {
  const Json cpus = {{"name", "cpu"}, {"capacity", "4"}, {"available", "4"}};
  const Json zone = {{"name", "node-0"}, {"type", "Node"}, {"resources", Json::array({cpus})}};
  Json zones = ObjectIn("topology.node.k8s.io", "NodeResourceTopology", Named("n", i), nullptr);
  zones["apiVersion"] = "topology.node.k8s.io/v1alpha2";
  zones.erase("spec");
  zones["topologyPolicies"] = Json::array({"SingleNUMANodePodLevel"});
  zones["zones"] = Json::array({zone});
  return zones;
}
Json Reservation(int i, int n) {
  const Json container = {{"name", "c"}, {"resources", {{"requests", {{"cpu", "1"}}}}}};
  Json reservation = ObjectIn(
      "scheduling.koordinator.sh", "Reservation", Named("r", i),
      {{"owners", Json::array({{{"labelSelector", {{"matchLabels", {{"app", Named("a", i)}}}}}}})},
       {"template", {{"spec", {{"containers", Json::array({container})}}}}}});
  reservation["apiVersion"] = "scheduling.koordinator.sh/v1alpha1";
  reservation["status"] = {{"phase", "Available"}, {"nodeName", Named("n", n - 1 - i)}};
  return reservation;
}
Json ColocationProfile(int i, int) {
  return ObjectIn("config.koordinator.sh", "ClusterColocationProfile", Named("c", i),
                  {{"qosClass", "BE"}, {"selector", {{"matchLabels", {{"app", Named("a", i)}}}}}});
}
Json WorkloadOf(int i) { return {{"workload", {{"selector", Named("w", i)}}}}; }
Json AppGroup(int i, int n) {
  Json needed = WorkloadOf(n - 1 - i), entry = WorkloadOf(i);
  needed["maxNetworkCost"] = 10;
  entry["dependencies"] = Json::array({needed});
  return ObjectIn("appgroup.diktyo.x-k8s.io", "AppGroup", Named("g", i),
                  {{"workloads", Json::array({entry})}});
}
Json Origin(int i, int n) {
  const Json cost = {{"destination", Named("z", n - 1 - i)}, {"networkCost", 1 + i}};
  return {{"origin", Named("z", i)}, {"costList", Json::array({cost})}};
}
// The topology that counts has n origins; n - 1 others are left out.
Json NetworkTopology(int i, int n) {
  const Json list = {{"topologyKey", "topology.kubernetes.io/zone"},
                     {"originList", Rows(i == 0 ? n : 1, Origin)}};
  const Json weights = {{"name", "UserDefined"}, {"topologyList", Json::array({list})}};
  return ObjectIn("networktopology.diktyo.x-k8s.io", "NetworkTopology", Named("t", i),
                  {{"weights", Json::array({weights})}});
}

Json Both(Json rows, const Json& others) {
  rows.insert(rows.end(), others.begin(), others.end());
  return rows;
}

}  // namespace

std::vector<std::string_view> KindsOfAnswers() {
  return {"Machine",
          "Job",
          "Accounting",
          "Executor",
          "State",
          "Roles",
          "LoadReport",
          "BundleData",
          "PlacementGroups",
          "LoadMetrics",
          "StateDump",
          "Nodes",
          "Apps",
          "Scheduler",
          "Containers",
          "Reservation",
          "NodeResourceTopology",
          "ClusterColocationProfile",
          "AppGroup",
          "NetworkTopology"};
}

std::optional<Json> GrowingAnswers(std::string_view kind, std::string_view group, int n) {
  const bool of_ray = group == "state.ray.io";
  if (kind == "Machine") return Rows(n, Machine);
  if (kind == "Job" && group == "classad") return Rows(n, CondorJob);
  if (kind == "Job") return Both(Rows(n, ArmadaQueue), Rows(n, ArmadaJob));
  if (kind == "Accounting") return Both(Rows(n, Account), Rows(1, Machine));
  if (kind == "Executor") return Both(Rows(n, NodeOf), Rows(n, Executor));
  if (kind == "State") return States(n);
  if (kind == "Roles") return Roles(n);
  if (kind == "LoadReport") return Rows(n, LoadReport);
  if (kind == "BundleData") return Both(Rows(n, BundleData), Rows(1, LoadReport));
  if (kind == "Nodes" && of_ray) return Json::array({RayNodes(n)});
  if (kind == "PlacementGroups") return Json::array({RayNodes(n), PlacementGroups(n)});
  if (kind == "LoadMetrics") return Json::array({RayNodes(1), LoadMetrics(n)});
  if (kind == "StateDump") return Json::array({StateDump(n)});
  if (kind == "Reservation") return Both(Rows(n, NodeOf), Rows(n, Reservation));
  if (kind == "NodeResourceTopology") return Both(Rows(n, NodeOf), Rows(n, Zones));
  if (kind == "ClusterColocationProfile") return Rows(n, ColocationProfile);
  if (kind == "AppGroup") return Both(Rows(n, AppGroup), Rows(1, NetworkTopology));
  if (kind == "NetworkTopology") return Both(Rows(1, AppGroup), Rows(n, NetworkTopology));
  if (kind == "Nodes" || kind == "Apps" || kind == "Scheduler" || kind == "Containers") {
    return YarnAnswers(kind, group, n);
  }
  return std::nullopt;
}

}  // namespace muster::testing
