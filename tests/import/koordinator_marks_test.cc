// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Koordinator's dumps: what pods and nodes are marked with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/import/import.h"
#include "lib/plan/json_text.h"
#include "lib/scenario/scenario.h"
#include "muster/muster.h"
#include "tests/import/koordinator_dumps.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kNumaDump[] = R"([
  {"apiVersion": "v1", "kind": "Node",
   "metadata": {"name": "n", "labels": {"node.koordinator.sh/numa-topology-policy": "Restricted"},
     "annotations": {"node.koordinator.sh/resource-amplification-ratio":
                       "{\"cpu\": 1.50, \"memory\": 1.00}"}},
   "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"},
              "capacity": {"cpu": "8", "memory": "32Gi", "pods": "110"}}},
  {"apiVersion": "topology.node.k8s.io/v1alpha1", "kind": "NodeResourceTopology",
   "metadata": {"name": "n", "annotations": {
     "node.koordinator.sh/cpu-topology": "{\"detail\": [
        {\"id\": 0, \"core\": 0, \"socket\": 0, \"node\": 0},
        {\"id\": 1, \"core\": 0, \"socket\": 0, \"node\": 0},
        {\"id\": 2, \"core\": 0, \"socket\": 1, \"node\": 1},
        {\"id\": 3, \"core\": 0, \"socket\": 1, \"node\": 1},
        {\"id\": 3, \"core\": 0, \"socket\": 1, \"node\": 1}]}",
     "node.koordinator.sh/pod-cpu-allocs": "[
        {\"uid\": \"u\", \"cpuset\": \"3\", \"managedByKubelet\": true},
        {\"uid\": \"v\", \"cpuset\": \"2\"}]",
     "kubelet.koordinator.sh/cpu-manager-policy": "{\"policy\": \"static\",
        \"options\": {\"full-pcpus-only\": \"true\"}, \"reservedCPUs\": \"\"}",
     "node.koordinator.sh/system-qos-resource":
        "{\"cpuset\": \"0\", \"cpusetExclusive\": false}"}},
   "topologyPolicies": ["None", "SingleNUMANodePodLevel"],
   "zones": [
     {"name": "node-1", "type": "Node", "resources": [
       {"name": "cpu", "capacity": "4", "allocatable": "4", "available": "4"},
       {"name": "memory", "capacity": "17Gi", "allocatable": "17Gi", "available": "1Gi"}]},
     {"name": "node-0", "type": "Node", "resources": [
       {"name": "cpu", "capacity": "4", "allocatable": "4", "available": "4"},
       {"name": "memory", "capacity": "16Gi", "allocatable": "16Gi", "available": "1Gi"}]},
     {"name": "core-0", "type": "Core"}]},
  {"apiVersion": "topology.node.k8s.io/v1alpha1", "kind": "NodeResourceTopology",
   "metadata": {"name": "gone"}},
  {"kind": "Pod", "metadata": {"name": "p", "namespace": "lab",
     "labels": {"koordinator.sh/qosClass": "LSR"},
     "annotations": {
       "scheduling.koordinator.sh/resource-spec":
         "{\"requiredCPUBindPolicy\": \"FullPCPUs\",
           \"preferredCPUExclusivePolicy\": \"PCPULevel\"}",
       "scheduling.koordinator.sh/numa-topology-spec":
         "{\"numaTopologyPolicy\": \"SingleNUMANode\", \"singleNUMANodeExclusive\": \"Preferred\"}"}},
   "spec": {"schedulerName": "koord-scheduler", "priority": 9500,
            "containers": [{"resources": {"requests": {"cpu": "1"}}}]},
   "status": {"phase": "Pending"}},
  {"kind": "Pod", "metadata": {"name": "r", "namespace": "lab",
     "labels": {"koordinator.sh/qosClass": "LSR"},
     "annotations": {"scheduling.koordinator.sh/resource-status":
         "{\"cpuset\": \"2,9\", \"numaNodeResources\": [
            {\"node\": 1, \"resources\": {\"cpu\": \"1\", \"memory\": \"2Gi\"}},
            {\"node\": 7, \"resources\": {\"cpu\": \"1\"}}]}"}},
   "spec": {"schedulerName": "koord-scheduler", "priority": 9500, "nodeName": "n",
            "containers": [{"resources": {"requests": {"cpu": "1"}}}]},
   "status": {"phase": "Running"}},
  {"kind": "Reservation", "apiVersion": "scheduling.koordinator.sh/v1alpha1",
   "metadata": {"name": "kept", "annotations": {
       "scheduling.koordinator.sh/resource-spec": "{\"preferredCPUExclusivePolicy\": \"PCPULevel\"}",
       "scheduling.koordinator.sh/resource-status":
         "{\"cpuset\": \"0-1,9\", \"numaNodeResources\": [
            {\"node\": 0, \"resources\": {\"cpu\": \"2\", \"memory\": \"1Mi\"}},
            {\"node\": 7, \"resources\": {\"cpu\": \"2\"}}]}"}},
   "spec": {"owners": [{"labelSelector": {"matchLabels": {"app": "etl"}}}],
            "template": {
              "metadata": {"annotations": {
                "scheduling.koordinator.sh/resource-spec":
                  "{\"preferredCPUExclusivePolicy\": \"NUMANodeLevel\",
                    \"requiredCPUBindPolicy\": \"FullPCPUs\"}",
                "scheduling.koordinator.sh/numa-topology-spec":
                  "{\"numaTopologyPolicy\": \"Restricted\"}"}},
              "spec": {"containers": [{"resources": {"requests": {"cpu": "2"}}}]}}},
   "status": {"phase": "Available", "nodeName": "n"}},
  {"kind": "Reservation", "apiVersion": "scheduling.koordinator.sh/v1alpha1",
   "metadata": {"name": "waits", "annotations": {
       "scheduling.koordinator.sh/resource-status": "{\"cpuset\": \"0\"}"}},
   "spec": {"template": {"spec": {"containers": [{}]}}, "owners": [{}], "ttl": "1h"},
   "status": {"phase": "Pending"}}
])";

TEST(Koordinator, CpusAndZonesOfNodesAreRead) {
  std::string dump = kNumaDump;
  // JSON has no line breaks within texts.
  std::erase(dump, '\n');
  const absl::StatusOr<Import> import = ImportObjects(dump, {.profile = "koordinator"});
  ASSERT_TRUE(import.ok()) << import.status();
  const ClusterSpec& cluster = import->scenario.cluster;
  const NodeSpec& node = cluster.nodes[0];
  ASSERT_EQ(node.zones.size(), 2u);
  EXPECT_EQ(node.zones[0].name, "node-0");
  EXPECT_EQ(node.zones[0].capacity, (Resources{{"cpu", 4}, {"memory", int64_t{1} << 34}}));
  EXPECT_EQ(node.zones[1].capacity, (Resources{{"cpu", 4}, {"memory", int64_t{1} << 34}})) << "cut";
  EXPECT_EQ(node.alignment, Alignment::kSingleNumaNode);
  ASSERT_EQ(node.devices.size(), 4u);
  EXPECT_EQ(node.devices[2].name, "2");
  EXPECT_EQ(node.devices[2].kind, "cpu");
  EXPECT_EQ(node.devices[2].zone, "node-1");
  EXPECT_EQ(node.devices[2].links, (std::vector<std::string>{"core-0", "socket-1"}));
  EXPECT_TRUE(node.devices[0].healthy) << "system pods share it";
  EXPECT_TRUE(node.devices[2].healthy) << "not given by the kubelet";
  EXPECT_FALSE(node.devices[3].healthy);
  EXPECT_EQ(node.settings,
            (Labels{{"koordinator/amplified_cpu", "1.50"}, {"koordinator/full_cores", "true"}}));
  const auto told = [&](std::string_view object, std::string_view words) {
    return std::ranges::any_of(import->report, [&](const ImportEntry& entry) {
      return entry.object.starts_with(object) && entry.text.find(words) != std::string::npos;
    });
  };
  EXPECT_TRUE(told("NodeResourceTopology n", "listed before"));
  EXPECT_TRUE(told("NodeResourceTopology n", "more memory together"));
  EXPECT_TRUE(told("NodeResourceTopology gone", "no node that is there"));
  EXPECT_TRUE(told("Pod lab/r", "the node lists no CPUs 9"));
  EXPECT_TRUE(told("Pod lab/r", "the node has no zone \"node-7\""));
}

TEST(Koordinator, PoliciesAndHoldingsOfPodsAreRead) {
  std::string dump = kNumaDump;
  std::erase(dump, '\n');
  const absl::StatusOr<Import> import = ImportObjects(dump, {.profile = "koordinator"});
  ASSERT_TRUE(import.ok()) << import.status();
  const ClusterSpec& cluster = import->scenario.cluster;
  const TaskSpec& waits = RowNamed(cluster.tasks, "lab/p");
  EXPECT_EQ(waits.shape.labels, (Labels{{"koordinator.sh/qosClass", "LSR"},
                                        {"koordinator/cpu-required", "FullPCPUs"},
                                        {"koordinator/cpu-exclusive", "PCPULevel"},
                                        {"koordinator/zone-exclusive", "Preferred"}}));
  EXPECT_EQ(waits.shape.alignment, Alignment::kSingleNumaNode);
  EXPECT_EQ(RowNamed(cluster.tasks, "lab/r").devices, (std::vector<DeviceHold>{{.device = "2"}}));
  const MemorySlot* zones = import->scenario.memory.Find("koordinator-zones");
  ASSERT_NE(zones, nullptr);
  EXPECT_EQ(*zones->Find("lab/r"),
            (MemoryRow{std::string("n"), int64_t{1}, std::string("cpu"), int64_t{1000}, int64_t{1},
                       std::string("memory"), int64_t{1} << 31}));

  ASSERT_EQ(cluster.reservations.size(), 2u);
  const TaskShape& kept = cluster.reservations[0].shape;
  EXPECT_EQ(kept.labels, (Labels{{"koordinator/cpu-exclusive", "PCPULevel"},
                                 {"koordinator/cpu-required", "FullPCPUs"},
                                 {"koordinator/cpuset", "0,1"},
                                 {"koordinator/zone-amounts", "node-0:cpu=2+memory=1048576"}}));
  EXPECT_EQ(kept.alignment, Alignment::kRestricted);
  EXPECT_TRUE(cluster.reservations[1].shape.labels.empty()) << "it is not available";

  // The dump reaches the rules: the policies of node and pod differ.
  Cluster filled;
  ASSERT_TRUE(Fill(import->scenario, &filled).ok());
  absl::StatusOr<Plan> plan = filled.Schedule(import->scenario.profile);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->pending().size(), 1u);
  EXPECT_NE(plan->reasons()[plan->pending()[0].reason].where.find("NUMA Topology policy not match"),
            std::string::npos);
}

constexpr char kPodsDump[] = R"([
  {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
   "status": {"allocatable": {"cpu": "10", "memory": "64Gi", "pods": "110"}}},
  {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
   "metadata": {"name": "koord-prod"}, "value": 9500, "preemptionPolicy": "Never"},
  {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "namespace": "lab"},
   "spec": {"selector": {"app": "web"}}},
  {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "r", "namespace": "lab"},
   "spec": {"selector": {"matchLabels": {"tier": "back"}}}},
  {"kind": "Pod", "metadata": {"name": "gated", "namespace": "lab", "labels": {"app": "web"}},
   "spec": {"schedulerName": "koord-scheduler", "priorityClassName": "koord-prod",
            "schedulingGates": [{"name": "wait"}], "overhead": {"cpu": "1"},
            "containers": [{"image": "x:1", "resources": {"requests": {"cpu": "1"}}}]},
   "status": {"phase": "Pending"}},
  {"kind": "Pod", "metadata": {"name": "owned", "namespace": "lab", "labels": {"tier": "back"},
     "ownerReferences": [{"kind": "ReplicaSet", "name": "r", "controller": true}]},
   "spec": {"schedulerName": "koord-scheduler", "priorityClassName": "gone", "containers": [{}]},
   "status": {"phase": "Pending"}},
  {"kind": "Pod", "metadata": {"name": "static", "namespace": "lab",
     "annotations": {"kubernetes.io/config.mirror": "m"}},
   "spec": {"schedulerName": "koord-scheduler", "nodeName": "n", "containers": [{}]},
   "status": {"phase": "Running", "startTime": "1970-01-01T00:00:40Z"}},
  {"kind": "Pod", "metadata": {"name": "old", "namespace": "lab"},
   "spec": {"schedulerName": "koord-scheduler", "nodeName": "n", "priority": 9500,
            "containers": [{"resources": {"requests": {"cpu": "7"}}}]},
   "status": {"phase": "Running", "startTime": "1970-01-01T00:00:40Z",
     "conditions": [{"type": "Ready", "status": "True",
                     "lastTransitionTime": "1970-01-01T00:01:00Z"},
                    {"type": "PodScheduled", "status": "True",
                     "lastTransitionTime": "1970-01-01T00:00:30Z"}]}},
  {"kind": "Pod", "metadata": {"name": "p", "namespace": "lab",
     "ownerReferences": [{"kind": "StatefulSet", "name": "s", "controller": true}]},
   "spec": {"schedulerName": "koord-scheduler", "priority": 9000,
            "containers": [{"resources": {"requests": {"cpu": "1", "memory": "1Gi"},
                                          "limits": {"cpu": "1", "memory": "1Gi"}}}]},
   "status": {"phase": "Pending"}},
  {"apiVersion": "slo.koordinator.sh/v1alpha1", "kind": "NodeMetric", "metadata": {"name": "n"},
   "status": {"updateTime": "1970-01-01T00:10:00Z",
     "nodeMetric": {"nodeUsage": {"resources": {"cpu": "1500m", "memory": "1Gi"}}},
     "podsMetric": [{"namespace": "lab", "name": "old", "podUsage": {"resources": {"cpu": "1"}}}]}}
])";

TEST(Koordinator, PodsAreReadAsItsPlugInsOfKubernetesReadThem) {
  const absl::StatusOr<Import> import = ImportObjects(kPodsDump, {.now = 610});
  ASSERT_TRUE(import.ok()) << import.status();
  const ClusterSpec& cluster = import->scenario.cluster;
  const TaskSpec& gated = RowNamed(cluster.tasks, "lab/gated");
  EXPECT_EQ(gated.gates, std::vector<std::string>{"wait"});
  EXPECT_EQ(gated.priority, 9500) << "of its class";
  EXPECT_TRUE(gated.never_preempts) << "of its class";
  EXPECT_FALSE(RowNamed(cluster.tasks, "lab/owned").never_preempts);
  EXPECT_EQ(RowNamed(cluster.jobs, "lab/gated").priority, 9500);
  EXPECT_EQ(gated.shape.request, (Resources{{"cpu", 2}}));
  ASSERT_EQ(gated.shape.containers.size(), 1u);
  EXPECT_EQ(gated.shape.containers[0].image, "x:1");
  ASSERT_TRUE(gated.shape.pod);
  EXPECT_EQ(gated.shape.pod->overhead, (Resources{{"cpu", 1}}));
  ASSERT_EQ(gated.shape.spread.size(), 2u) << "by its service";
  EXPECT_EQ(gated.shape.spread[0].selector->match_labels, (Labels{{"app", "web"}}));
  const TaskSpec& owned = RowNamed(cluster.tasks, "lab/owned");
  EXPECT_EQ(owned.priority, 0);
  ASSERT_EQ(owned.shape.spread.size(), 2u) << "by its owner";
  EXPECT_EQ(owned.shape.spread[0].selector->match_labels, (Labels{{"tier", "back"}}));
  EXPECT_THAT(Lines(*import),
              ::testing::UnorderedElementsAre(HasSubstr("priority class \"gone\""),
                                              HasSubstr("objects StatefulSet that own pods")));
  const TaskSpec& fixed = RowNamed(cluster.tasks, "lab/static");
  ASSERT_TRUE(fixed.shape.required_node_affinity);
  EXPECT_EQ((*fixed.shape.required_node_affinity)[0].match_fields[0].values,
            std::vector<std::string>{"n"});
  EXPECT_EQ(fixed.started, 40) << "when the kubelet took it";
  EXPECT_EQ(RowNamed(cluster.tasks, "lab/old").started, 30) << "when it got its node";
  EXPECT_FALSE(gated.started);
  EXPECT_FALSE(gated.shape.guaranteed_qos);
  EXPECT_TRUE(RowNamed(cluster.tasks, "lab/p").shape.guaranteed_qos);
}

TEST(Koordinator, MarksWithoutARuleAreReported) {
  const absl::StatusOr<Import> import = ImportWith(R"(, "annotations": {
      "internal.scheduling.koordinator.sh/scheduling-hint": "{\"preferredNodeNames\": [\"n\"]}",
      "gang.scheduling.koordinator.sh/network-topology-spec": "{}"})",
                                                   "");
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_THAT(Lines(*import),
              ::testing::UnorderedElementsAre(HasSubstr("preferred nodes are not tried first"),
                                              HasSubstr("not gathered in topologies")));
}

TEST(Koordinator, HintsAboutDevicesAreLabels) {
  const absl::StatusOr<Import> import = ImportWith(R"(,
    "labels": {"koordinator.sh/gpu-isolation-provider": "mine"},
    "annotations": {"scheduling.koordinator.sh/device-allocate-hint":
        "{\"gpu\": {\"requiredTopologyScope\": \"NUMANode\", \"exclusivePolicy\": \"DeviceLevel\",
                   \"selector\": {\"matchExpressions\": [
                     {\"key\": \"a\", \"operator\": \"In\", \"values\": [\"b\", \"c\"]},
                     {\"key\": \"d\", \"operator\": \"NotIn\", \"values\": [\"e\"]},
                     {\"key\": \"f\", \"operator\": \"Exists\"},
                     {\"key\": \"g\", \"operator\": \"DoesNotExist\"}]}},
          \"fpga\": {\"exclusivePolicy\": \"PCIExpressLevel\"},
          \"rdma\": {\"allocateStrategy\": \"RequestsAsCount\", \"exclusivePolicy\": \"DeviceLevel\",
                     \"vfSelector\": {},
                     \"selector\": {\"matchLabels\": {\"t\": \"1\"}}}}",
      "scheduling.koordinator.sh/gpu-partition-spec":
        "{\"allocatePolicy\": \"Restricted\", \"ringBusBandwidth\": \"900Gi\"}"})",
                                                   "");
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.cluster.tasks[0].shape.labels,
            (Labels{{"koordinator.sh/gpu-isolation-provider", "mine"},
                    {"koordinator/gpu-scope", "NUMANode"},
                    {"koordinator/gpu-selector", "a=b+c;d!=e;f=*;!g"},
                    {"koordinator/rdma-strategy", "RequestsAsCount"},
                    {"koordinator/rdma-selector", "t=1"},
                    {"koordinator/rdma-exclusive", "DeviceLevel"},
                    {"koordinator/gpu-partition", "Restricted"},
                    {"koordinator/gpu-bandwidth", "966367641600"}}));
  EXPECT_THAT(Lines(*import),
              ::testing::UnorderedElementsAre(HasSubstr("rdma.vfSelector: virtual functions"),
                                              HasSubstr("\"mine\" is not HAMi-core")));
}

TEST(Koordinator, TextsOfDevicesThatAreNoLabelsAreIgnored) {
  const absl::StatusOr<Import> import = ImportWith(R"(,
    "annotations": {"scheduling.koordinator.sh/device-allocate-hint":
        "{\"gpu\": {\"selector\": {\"matchLabels\": {\"tier\": \"a;!b\"}}}}"})",
                                                   R"(,
    {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "Device",
     "metadata": {"name": "n"}, "spec": {"devices": [
       {"type": "gpu", "minor": 0, "labels": {"tier": "a b", "x": "a,b", "y": "x+u=z"}},
       {"type": "gpu", "minor": 1, "labels": {"a=b": "c"}}]}})");
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.cluster.nodes[0].settings,
            (Labels{{"koordinator/device_labels", "gpu-0:tier=a b"}}));
  EXPECT_EQ(import->scenario.cluster.tasks[0].shape.labels, Labels());
  const std::string words = ": a label of a device has none of , ; : = ! * +";
  EXPECT_THAT(Lines(*import),
              ::testing::UnorderedElementsAre(
                  HasSubstr("Device n: spec.devices[0].labels.x" + words),
                  HasSubstr("Device n: spec.devices[0].labels.y" + words),
                  AllOf(HasSubstr("Device n: spec.devices[1].labels"), HasSubstr(words)),
                  HasSubstr("gpu.selector: \"a;!b\" is no label")));
  Cluster filled;
  ASSERT_TRUE(Fill(import->scenario, &filled).ok());
  EXPECT_TRUE(filled.Schedule(import->scenario.profile).ok());
}

TEST(Koordinator, NodesHaveThresholdsOfLoadAndRawAmounts) {
  std::string dump = R"([
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "annotations": {
       "scheduling.koordinator.sh/usage-thresholds":
         "{\"usageThresholds\": {\"cpu\": 10}, \"prodUsageThresholds\": {\"cpu\": 5}, \"odd\": 1,
           \"aggregatedUsage\": {\"usageThresholds\": {\"memory\": 70},
             \"usageAggregationType\": \"p95\", \"usageAggregatedDuration\": \"5m0s\"}}",
       "node.koordinator.sh/raw-allocatable": "{\"cpu\": \"4\", \"x/y\": 1}"}},
     "status": {"allocatable": {"cpu": "20", "memory": "32Gi", "pods": "110"}}},
    {"apiVersion": "slo.koordinator.sh/v1alpha1", "kind": "NodeMetric", "metadata": {"name": "n"},
     "status": {"updateTime": "1970-01-01T00:10:00Z"}}])";
  std::erase(dump, '\n');
  const absl::StatusOr<Import> import = ImportObjects(dump, {.now = 610});
  ASSERT_TRUE(import.ok()) << import.status();
  const NodeSpec& node = import->scenario.cluster.nodes[0];
  EXPECT_EQ(node.settings, (Labels{{"koordinator/cpu_threshold", "10"},
                                   {"koordinator/memory_threshold", "0"},
                                   {"koordinator/production_cpu_threshold", "5"},
                                   {"koordinator/production_memory_threshold", "0"},
                                   {"koordinator/statistic_cpu_threshold", "0"},
                                   {"koordinator/statistic_memory_threshold", "70"},
                                   {"koordinator/load_statistic", "p95"},
                                   {"koordinator/load_window", "300"},
                                   {"koordinator/raw_cpu", "4"}}));
  ASSERT_TRUE(node.usage);
  EXPECT_LT(node.usage->measured, 0);
  EXPECT_THAT(Lines(*import), ::testing::UnorderedElementsAre(
                                  HasSubstr("odd: not considered"),
                                  HasSubstr("has no measurement, which is one of long ago")));
  Cluster filled;
  ASSERT_TRUE(Fill(import->scenario, &filled).ok());
  EXPECT_TRUE(filled.Schedule(import->scenario.profile, {.now = 610}).ok());
}

TEST(Koordinator, ThresholdsOfAStatisticThatAre0HoldInPlaceOfThoseOfUse) {
  std::string dump = R"([
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "annotations": {
       "scheduling.koordinator.sh/usage-thresholds":
         "{\"usageThresholds\": {\"cpu\": 10}, \"aggregatedUsage\": {
             \"usageThresholds\": {\"cpu\": 0}, \"usageAggregationType\": \"p95\"}}"}}}])";
  std::erase(dump, '\n');
  ImportOptions options{.profile = "koordinator"};
  options.configuration = R"({"kind": "KubeSchedulerConfiguration", "profiles": [{"pluginConfig": [
      {"name": "LoadAwareScheduling", "args": {"usageThresholds": {"cpu": 20}, "aggregated": {
         "usageThresholds": {"memory": 0}, "usageAggregationType": "p95"}}}]}]})";
  const absl::StatusOr<Import> import = ImportObjects(dump, options);
  ASSERT_TRUE(import.ok()) << import.status();
  const Labels& settings = import->scenario.cluster.nodes[0].settings;
  for (const char* key : {"koordinator/cpu_threshold", "koordinator/memory_threshold"}) {
    EXPECT_THAT(settings, ::testing::Contains(::testing::Pair(key, "0")));
  }
  EXPECT_THAT(import->scenario.profile,
              AllOf(HasSubstr("cpu_threshold=0"), HasSubstr("memory_threshold=0"),
                    HasSubstr("load_statistic=p95"), ::testing::Not(HasSubstr("=20"))));
}

TEST(Koordinator, ThresholdsOfANodeAbove100AreReported) {
  std::string dump = R"([
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "annotations": {
       "scheduling.koordinator.sh/usage-thresholds":
         "{\"usageThresholds\": {\"cpu\": 120, \"memory\": 100},
           \"prodUsageThresholds\": {\"memory\": -1}}"}}}])";
  std::erase(dump, '\n');
  const absl::StatusOr<Import> import = ImportObjects(dump, {.profile = "koordinator"});
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.cluster.nodes[0].settings,
            (Labels{{"koordinator/cpu_threshold", "100"},
                    {"koordinator/memory_threshold", "100"},
                    {"koordinator/production_cpu_threshold", "0"},
                    {"koordinator/production_memory_threshold", "0"}}));
  EXPECT_THAT(Lines(*import), ::testing::UnorderedElementsAre(
                                  HasSubstr("usageThresholds.cpu: is not from 0 to 100"),
                                  HasSubstr("prodUsageThresholds.memory: is not from 0 to 100")));
}

// By amounts or by CPUs, which go before the amount of cpu.
TEST(Koordinator, WhatANodeReservesIsNotAllocatable) {
  const auto node_with = [](const std::string& reservation) {
    const absl::StatusOr<Import> import = ImportObjects(
        absl::StrCat(R"([{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n",
            "annotations": {"node.koordinator.sh/reservation": ")",
                     reservation, R"("}},
           "status": {"capacity": {"cpu": "8", "memory": "8Gi", "pods": "9"},
                      "allocatable": {"cpu": "7", "memory": "8Gi", "pods": "9"}}}])"),
        {.profile = "koordinator"});
    EXPECT_TRUE(import.ok()) << import.status();
    if (!import.ok()) return NodeSpec();
    Cluster filled;
    EXPECT_TRUE(Fill(import->scenario, &filled).ok());
    EXPECT_TRUE(filled.Schedule("koordinator").ok());
    EXPECT_TRUE(filled.Schedule("koordinator:actions=colocate").ok());
    return import->scenario.cluster.nodes[0];
  };
  const auto cpu_of = [](const NodeSpec& node) {
    for (const auto& [name, amount] : *node.allocatable) {
      if (name == "cpu") return amount.text;
    }
    return std::string();
  };
  NodeSpec node = node_with(R"({\"resources\": {\"cpu\": \"3\", \"memory\": \"1Gi\"}})");
  EXPECT_EQ(cpu_of(node), "4");
  EXPECT_EQ(node.settings, (Labels{{"koordinator/reserved_cpu", "3"},
                                   {"koordinator/reserved_memory", "1073741824"},
                                   {"koordinator/trimmed", "true"}}));
  node = node_with(R"({\"resources\": {\"cpu\": \"3\"}, \"reservedCPUs\": \"0-1\"})");
  EXPECT_EQ(cpu_of(node), "5");
  EXPECT_EQ(cpu_of(node_with(R"({\"resources\": {\"cpu\": \"30\"}})")), "0");
  node = node_with(R"({\"reservedCPUs\": \"0-1\", \"applyPolicy\": \"ReservedCPUsOnly\"})");
  EXPECT_EQ(cpu_of(node), "7");
  EXPECT_TRUE(node.settings.empty());
}

TEST(Koordinator, ProductionThatIsMeasuredAsAnotherBandHasIt) {
  // Returns what a pod with the band as label, or else with the priority, was measured as.
  const auto label_of = [](const std::string& label, int priority, const std::string& measured) {
    const std::string labels =
        label.empty() ? "" : absl::StrCat(R"("koordinator.sh/priority-class": ")", label, "\"");
    const absl::StatusOr<Import> import = ImportObjects(
        absl::StrCat(R"([
          {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}},
          {"kind": "Pod", "metadata": {"name": "a", "namespace": "s", "labels": {)",
                     labels, R"(}}, "spec": {"schedulerName": "koord-scheduler", "nodeName": "n",
                              "priority": )",
                     priority, R"(}},
          {"apiVersion": "slo.koordinator.sh/v1alpha1", "kind": "NodeMetric",
           "metadata": {"name": "n"},
           "status": {"updateTime": "1970-01-01T00:10:00Z", "nodeMetric": {"nodeUsage": {}},
             "podsMetric": [{"namespace": "s", "name": "a", "priority": ")",
                     measured, R"(", "podUsage": {}}]}}])"),
        {.now = 610});
    EXPECT_TRUE(import.ok()) << import.status();
    if (!import.ok()) return std::string("not read");
    for (const auto& [key, value] : RowNamed(import->scenario.cluster.tasks, "s/a").shape.labels) {
      if (key == "koordinator/measured-as") return value;
    }
    return std::string();
  };
  EXPECT_EQ(label_of("", 9500, "koord-batch"), "koord-batch");
  EXPECT_EQ(label_of("", 9500, "koord-prod"), "");
  EXPECT_EQ(label_of("", 9500, ""), "none") << "the metric names no band";
  EXPECT_EQ(label_of("", 5500, "koord-batch"), "") << "it is no production";
  EXPECT_EQ(label_of("koord-batch", 9500, "koord-batch"), "") << "the label goes first";
  // Between bands, and with a label that names none, the class of service decides.
  for (const int priority : {0, 4500, 6500, 8500}) {
    EXPECT_EQ(label_of("", priority, "koord-mid"), "koord-mid") << priority;
  }
  EXPECT_EQ(label_of("of-my-own", 5500, "koord-batch"), "koord-batch");
}

TEST(Koordinator, TheLastOfTwoMeasurementsOfAPodCounts) {
  const auto label_after = [](const char* first, const char* last) {
    std::string objects;
    for (const auto& [node, band] : {std::pair("n", first), std::pair("m", last)}) {
      absl::StrAppend(&objects,
                      R"({"apiVersion": "slo.koordinator.sh/v1alpha1", "kind": "NodeMetric",
        "metadata": {"name": ")",
                      node, R"("},
        "status": {"updateTime": "1970-01-01T00:10:00Z", "nodeMetric": {"nodeUsage": {}},
          "podsMetric": [{"namespace": "s", "name": "a", "priority": ")",
                      band, R"(", "podUsage": {}}]}},)");
    }
    const absl::StatusOr<Import> import = ImportObjects(absl::StrCat("[", objects, R"(
      {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}},
      {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "m"}},
      {"kind": "Pod", "metadata": {"name": "a", "namespace": "s"},
       "spec": {"schedulerName": "koord-scheduler", "priority": 9500}}])"),
                                                        {.now = 610});
    EXPECT_TRUE(import.ok()) << import.status();
    return import.ok() ? import->scenario.cluster.tasks[0].shape.labels : Labels();
  };
  EXPECT_EQ(label_after("koord-batch", "koord-mid"),
            (Labels{{"koordinator/measured-as", "koord-mid"}}));
  EXPECT_EQ(label_after("koord-batch", "koord-prod"), Labels());
}

TEST(Koordinator, WishesForReservationsAreLabels) {
  const auto labels_of = [](const std::string& annotation, const std::string& value) {
    std::string text;
    AppendJson(std::string_view(value), &text);
    const absl::StatusOr<Import> import =
        ImportWith(absl::StrCat(R"(, "annotations": {"scheduling.koordinator.sh/)", annotation,
                                "\": ", text, "}"),
                   "");
    EXPECT_TRUE(import.ok()) << import.status();
    if (!import.ok()) return Labels();
    EXPECT_TRUE(import->report.empty()) << Describe(import->report[0]);
    // The action reads what was written.
    Cluster filled;
    EXPECT_TRUE(Fill(import->scenario, &filled).ok());
    EXPECT_TRUE(filled.Schedule(import->scenario.profile).ok());
    return import->scenario.cluster.tasks[0].shape.labels;
  };
  const std::string key = "koordinator/reservation-";
  EXPECT_EQ(labels_of("reservation-affinity", "{}"), (Labels{{key + "affinity", "*"}}));
  EXPECT_EQ(labels_of("reservation-affinity", R"({"name": "r"})"),
            (Labels{{key + "affinity", "*"}, {key + "name", "r"}}));
  EXPECT_EQ(labels_of("reservation-affinity", R"({"reservationSelector": {"tier": "gold"},
      "requiredDuringSchedulingIgnoredDuringExecution": {"reservationSelectorTerms": [
        {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]},
                              {"key": "old", "operator": "DoesNotExist"}]},
        {"matchExpressions": [{"key": "size", "operator": "Gt", "values": ["4"]}]}, {}]},
      "tolerations": [{"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"},
                      {"operator": "Exists"}, {"key": "l", "operator": "Exists"}]})"),
            (Labels{{key + "affinity", "zone in (a,b),!old,tier in (gold);size>4,tier in (gold);"},
                    {key + "tolerations", "k=v:NoSchedule,*,l"}}));
  EXPECT_EQ(labels_of("exact-match-reservation", R"({"resourceNames": ["cpu", "memory"]})"),
            (Labels{{key + "exact", "cpu,memory"}}));
}

TEST(Koordinator, MeasurementsIncludePodsThatHadTheirNodes) {
  const absl::StatusOr<Import> import = ImportObjects(kPodsDump, {.now = 610});
  ASSERT_TRUE(import.ok()) << import.status();
  Cluster filled;
  ASSERT_TRUE(Fill(import->scenario, &filled).ok());
  const absl::StatusOr<Plan> plan = filled.Schedule("koordinator", {.now = 610});
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->binds().size(), 2u);
  EXPECT_EQ(plan->task_name(plan->binds()[0].task), "lab/p");
  EXPECT_EQ(plan->task_name(plan->binds()[1].task), "lab/owned");
}

TEST(Koordinator, WishesThatAreNotKnownAreReported) {
  const auto report = [](const std::string& annotation, const std::string& value) {
    std::string text;
    AppendJson(std::string_view(value), &text);
    const absl::StatusOr<Import> import =
        ImportWith(absl::StrCat(R"(, "annotations": {"scheduling.koordinator.sh/)", annotation,
                                "\": ", text, "}"),
                   "");
    EXPECT_TRUE(import.ok()) << import.status();
    std::string words;
    if (!import.ok()) return words;
    for (const ImportEntry& entry : import->report) absl::StrAppend(&words, Describe(entry), "\n");
    return words;
  };
  const std::string place = "Pod lab/p, annotation scheduling.koordinator.sh/";
  EXPECT_THAT(report("resource-spec", R"({"requiredCPUBindPolicy": "FullPCPU"})"),
              HasSubstr(place + "resource-spec: requiredCPUBindPolicy: \"FullPCPU\" is none of the "
                                "known words, did you mean \"FullPCPUs\"?"));
  EXPECT_THAT(report("resource-spec", R"({"preferredCPUExclusivePolicy": "x"})"),
              HasSubstr("\"x\" is none of the known words"));
  EXPECT_THAT(report("resource-spec", R"({"requiredCPUBindPolice": "FullPCPUs"})"),
              HasSubstr(place + "resource-spec: requiredCPUBindPolice: not a known field, did you "
                                "mean \"requiredCPUBindPolicy\"?"));
  EXPECT_THAT(report("numa-topology-spec", R"({"numaTopologyPolicy": "Strict"})"),
              HasSubstr(place + "numa-topology-spec: numaTopologyPolicy: \"Strict\" is none"));
  EXPECT_THAT(report("numa-topology-spec", R"({"singleNUMANodeExclusive": "Never"})"),
              HasSubstr("singleNUMANodeExclusive: \"Never\" is none of the known words"));
  EXPECT_THAT(report("device-joint-allocate",
                     R"({"deviceTypes": ["gpu", "npu"], "requiredScope": "SamePcie", "x": 1})"),
              AllOf(HasSubstr("deviceTypes[1]: devices of type \"npu\" are not known"),
                    HasSubstr("requiredScope: \"SamePcie\" is none of the known words"),
                    HasSubstr("device-joint-allocate: x: not considered")));
}

}  // namespace
}  // namespace muster
