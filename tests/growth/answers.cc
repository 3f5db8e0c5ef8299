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

Json Both(Json rows, const Json& others) {
  rows.insert(rows.end(), others.begin(), others.end());
  return rows;
}

}  // namespace

std::vector<std::string_view> KindsOfAnswers() {
  return {"Machine",
          "Job",
          "Accounting",
          "State",
          "Roles",
          "LoadReport",
          "BundleData",
          "Nodes",
          "Apps",
          "Scheduler",
          "Containers",
          "Reservation",
          "NodeResourceTopology"};
}

std::optional<Json> GrowingAnswers(std::string_view kind, std::string_view group, int n) {
  if (kind == "Machine") return Rows(n, Machine);
  if (kind == "Job" && group == "classad") return Rows(n, CondorJob);
  if (kind == "Job") return Both(Rows(n, ArmadaQueue), Rows(n, ArmadaJob));
  if (kind == "Accounting") return Both(Rows(n, Account), Rows(1, Machine));
  if (kind == "State") return States(n);
  if (kind == "Roles") return Roles(n);
  if (kind == "LoadReport") return Rows(n, LoadReport);
  if (kind == "BundleData") return Both(Rows(n, BundleData), Rows(1, LoadReport));
  if (kind == "Reservation") return Both(Rows(n, NodeOf), Rows(n, Reservation));
  if (kind == "NodeResourceTopology") return Both(Rows(n, NodeOf), Rows(n, Zones));
  if (kind == "Nodes" || kind == "Apps" || kind == "Scheduler" || kind == "Containers") {
    return YarnAnswers(kind, group, n);
  }
  return std::nullopt;
}

}  // namespace muster::testing
