// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Koordinator's dumps: elastic quotas, gangs, pods without one.
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
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kQuotaDump[] = R"([
  {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
   "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"},
              "conditions": [{"type": "Ready", "status": "True"}]}},
  {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
   "metadata": {"name": "ml", "namespace": "koordinator-system",
                "labels": {"quota.scheduling.koordinator.sh/is-parent": "true"},
                "annotations": {"quota.scheduling.koordinator.sh/shared-weight": "{\"cpu\": 5}"}},
   "spec": {"min": {"cpu": "4"}, "max": {"cpu": "6", "memory": "8Gi"}}},
  {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
   "metadata": {"name": "nlp", "namespace": "koordinator-system",
                "labels": {"quota.scheduling.koordinator.sh/parent": "ml",
                           "quota.scheduling.koordinator.sh/allow-lent-resource": "false"},
                "annotations": {"quota.scheduling.koordinator.sh/shared-weight":
                                  "{\"cpu\": 3, \"memory\": \"1Gi\"}",
                                "quota.scheduling.koordinator.sh/namespaces": "[\"lab\"]"}},
   "spec": {"min": {"cpu": "2"}, "max": {"cpu": "4"}}},
  {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
   "metadata": {"name": "web", "namespace": "web"}, "spec": {"max": {"cpu": "2"}}},
  {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup",
   "metadata": {"name": "train", "namespace": "lab"}, "spec": {"minMember": 2}},
  {"kind": "Pod", "metadata": {"name": "t0", "namespace": "lab",
     "labels": {"pod-group.scheduling.sigs.k8s.io": "train"}},
   "spec": {"schedulerName": "koord-scheduler", "priority": 7,
            "containers": [{"resources": {"requests": {"cpu": "1"}}}]},
   "status": {"phase": "Pending"}},
  {"kind": "Pod", "metadata": {"name": "t1", "namespace": "lab",
     "labels": {"pod-group.scheduling.sigs.k8s.io": "train"}},
   "spec": {"schedulerName": "koord-scheduler",
            "containers": [{"resources": {"requests": {"cpu": "1"}}}]},
   "status": {"phase": "Pending"}},
  {"kind": "Pod", "metadata": {"name": "g0", "namespace": "other",
     "labels": {"quota.scheduling.koordinator.sh/name": "nlp",
                "quota.scheduling.koordinator.sh/preemptible": "false"},
     "annotations": {"gang.scheduling.koordinator.sh/name": "g",
                     "gang.scheduling.koordinator.sh/min-available": "1"}},
   "spec": {"schedulerName": "koord-scheduler",
            "containers": [{"resources": {"requests": {"cpu": "1"}}}]},
   "status": {"phase": "Pending"}},
  {"kind": "Pod", "metadata": {"name": "front", "namespace": "web"},
   "spec": {"schedulerName": "koord-scheduler", "nodeName": "n",
            "containers": [{"resources": {"requests": {"cpu": "1"}}}]},
   "status": {"phase": "Running"}},
  {"kind": "Pod", "metadata": {"name": "alien", "namespace": "other"},
   "spec": {"schedulerName": "volcano", "containers": [{}]}, "status": {"phase": "Pending"}}
])";

template <class Row>
const Row& Named(const std::vector<Row>& rows, std::string_view name) {
  static const Row kNoRow;
  const auto found = std::ranges::find(rows, name, &Row::name);
  EXPECT_NE(found, rows.end()) << name;
  return found == rows.end() ? kNoRow : *found;
}

TEST(Koordinator, QuotasAreQueues) {
  const absl::StatusOr<Import> import = ImportObjects(kQuotaDump, {});
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.profile, "koordinator");
  const std::vector<QueueSpec>& queues = import->scenario.cluster.queues;
  ASSERT_EQ(queues.size(), 4u);
  EXPECT_EQ(Named(queues, "ml").weight, 5);
  EXPECT_EQ(Named(queues, "web").weight, 2) << "its maximum";
  EXPECT_EQ(Named(queues, "nlp").parent, "ml");
  EXPECT_EQ(Named(queues, "nlp").weight, 3) << "its shared weight";
  EXPECT_EQ(Named(queues, "nlp").guaranteed, (Resources{{"cpu", 2}}));
  EXPECT_EQ(Named(queues, "nlp").limit, (Resources{{"cpu", 4}}));
  EXPECT_EQ(Named(queues, "nlp").settings, (Labels{{"koordinator/lends", "false"}}))
      << "its maximum has no memory";
  EXPECT_EQ(Named(queues, "ml").settings,
            (Labels{{"koordinator/shared-weight", "cpu=5,memory=8589934592"}}));
  EXPECT_EQ(Named(queues, "koordinator-default-quota").parent, "");
}

TEST(Koordinator, GangsAndPodsAreJobs) {
  const absl::StatusOr<Import> import = ImportObjects(kQuotaDump, {});
  ASSERT_TRUE(import.ok()) << import.status();
  const ClusterSpec& cluster = import->scenario.cluster;
  const std::vector<JobSpec>& jobs = cluster.jobs;
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(Named(jobs, "lab/train").queue, "nlp") << "by the list of namespaces";
  EXPECT_EQ(Named(jobs, "lab/train").min_available, 2);
  EXPECT_EQ(Named(jobs, "lab/train").priority, 7);
  EXPECT_EQ(Named(jobs, "other/g").queue, "nlp") << "by its label";
  EXPECT_EQ(Named(jobs, "web/front").queue, "web") << "by the namespace's name";
  EXPECT_EQ(Named(jobs, "web/front").min_available, 1);
  EXPECT_EQ(Named(cluster.tasks, "web/front").status, TaskStatus::kRunning);
  EXPECT_FALSE(Named(cluster.tasks, "other/g0").preemptable);

  Cluster filled;
  ASSERT_TRUE(Fill(import->scenario, &filled).ok());
  const absl::StatusOr<Plan> plan = filled.Schedule(import->scenario.profile);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->binds().size(), 3u);
}

// A cluster of one node and one pod that waits, with more objects.
absl::StatusOr<Import> ImportWith(const std::string& pod_metadata, const std::string& objects) {
  std::string dump =
      R"([{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
        "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}}},
       {"kind": "Pod", "metadata": {"name": "p", "namespace": "lab")" +
      pod_metadata + R"(},
        "spec": {"schedulerName": "koord-scheduler",
                 "containers": [{"resources": {"requests": {"cpu": "1"}}}]},
        "status": {"phase": "Pending"}})" +
      objects + "]";
  // JSON has no line breaks within texts.
  std::erase(dump, '\n');
  return ImportObjects(dump, {.profile = "koordinator"});
}

TEST(Koordinator, GangsHaveTheirMarks) {
  const auto settings_of = [](const std::string& metadata, const std::string& objects = "") {
    const absl::StatusOr<Import> import = ImportWith(metadata, objects);
    EXPECT_TRUE(import.ok()) << import.status();
    if (!import.ok() || import->scenario.cluster.jobs.empty()) return Labels();
    return import->scenario.cluster.jobs[0].settings;
  };
  EXPECT_EQ(settings_of(R"(, "annotations": {"gang.scheduling.koordinator.sh/name": "g",
      "gang.scheduling.koordinator.sh/min-available": "2",
      "gang.scheduling.koordinator.sh/mode": "NonStrict",
      "gang.scheduling.koordinator.sh/match-policy": "only-waiting",
      "gang.scheduling.koordinator.sh/waiting-time": "1m30s",
      "gang.scheduling.koordinator.sh/groups": "[\"lab/h\", \"lab/g\"]"})"),
            (Labels{{"koordinator/mode", "NonStrict"},
                    {"koordinator/match-policy", "only-waiting"},
                    {"koordinator/waiting-time", "90"},
                    {"koordinator/groups", "lab/g,lab/h"},
                    {"koordinator/owner_kind", "none"}}));
  // Of a PodGroup its own marks count.
  EXPECT_EQ(settings_of(R"(, "labels": {"pod-group.scheduling.sigs.k8s.io": "g"},
      "annotations": {"gang.scheduling.koordinator.sh/mode": "NonStrict"})",
                        R"(, {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup",
      "metadata": {"name": "g", "namespace": "lab"},
      "spec": {"minMember": 2, "scheduleTimeoutSeconds": 7}})"),
            (Labels{{"koordinator/waiting-time", "7"}, {"koordinator/owner_kind", "none"}}));
  // What cannot be read means nothing.
  EXPECT_EQ(settings_of(R"(, "annotations": {"gang.scheduling.koordinator.sh/name": "g",
      "gang.scheduling.koordinator.sh/mode": "Lax",
      "gang.scheduling.koordinator.sh/waiting-time": "soon",
      "gang.scheduling.koordinator.sh/groups": "lab/h"})"),
            (Labels{{"koordinator/owner_kind", "none"}}));
}

TEST(Koordinator, ReservationsAndMeasuredLoadsAreRead) {
  const absl::StatusOr<Import> import =
      ImportWith(R"(, "labels": {"app": "etl"}, "uid": "77")", R"(,
    {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "Reservation",
     "metadata": {"name": "nightly", "creationTimestamp": "1970-01-01T00:00:10Z",
                  "labels": {"scheduling.koordinator.sh/reservation-order": "3"},
                  "annotations": {"scheduling.koordinator.sh/reservation-restricted-options":
                                    "{\"resources\": [\"cpu\"]}"}},
     "spec": {"allocateOnce": false, "allocatePolicy": "Restricted", "ttl": "1h",
              "owners": [{"labelSelector": {"matchLabels": {"app": "etl"}}},
                         {"object": {"namespace": "lab", "name": "q"}},
                         {"controller": {"kind": "ReplicaSet", "name": "web",
                                         "namespace": "lab"}},
                         {"controller": {"name": "any"}},
                         {"object": {"uid": "77"}}, {"object": {"uid": "78"}}],
              "taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}],
              "preAllocation": true,
              "template": {"metadata": {"labels": {"of": "pods"}}, "spec": {"containers": [
                {"resources": {"requests": {"cpu": "4", "memory": "1Gi"}}}]}}},
     "status": {"phase": "Available", "nodeName": "n", "allocated": {"cpu": "1"},
                "currentOwners": [{"namespace": "lab", "name": "q"}]}},
    {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "Reservation",
     "metadata": {"name": "lost"}, "status": {"phase": "Available", "nodeName": "gone"}},
    {"apiVersion": "slo.koordinator.sh/v1alpha1", "kind": "NodeMetric", "metadata": {"name": "n"},
     "status": {"updateTime": "1970-01-01T00:01:00Z",
                "nodeMetric": {"nodeUsage": {"resources": {"cpu": "2", "memory": "8Gi"}}}}})");
  ASSERT_TRUE(import.ok()) << import.status();
  const ClusterSpec& cluster = import->scenario.cluster;
  ASSERT_EQ(cluster.reservations.size(), 1u);
  const ReservationSpec& one = cluster.reservations[0];
  EXPECT_EQ(one.node, "n");
  EXPECT_EQ(one.phase, ReservationPhase::kAvailable);
  EXPECT_EQ(one.shape.request, (Resources{{"cpu", 4}, {"memory", 1 << 30}}));
  EXPECT_EQ(one.shape.labels, (Labels{{"scheduling.koordinator.sh/reservation-order", "3"}}));
  ASSERT_EQ(one.owners.size(), 5u);
  EXPECT_EQ(one.owners[0].selector->match_labels, (Labels{{"app", "etl"}}));
  EXPECT_EQ(one.owners[1].task, "lab/q");
  EXPECT_EQ(one.owners[2].job, "ReplicaSet web");
  EXPECT_EQ(one.owners[2].name_space, "lab");
  EXPECT_EQ(one.owners[3].job, "* any");
  EXPECT_EQ(one.owners[4].task, "lab/p") << "by its uid";
  ASSERT_EQ(one.taints.size(), 1u);
  EXPECT_EQ(one.taints[0].key, "k");
  EXPECT_FALSE(one.allocate_once);
  EXPECT_EQ(one.policy, ReservationPolicy::kRestricted);
  EXPECT_EQ(one.restricted, std::vector<std::string>{"cpu"});
  EXPECT_EQ(one.expires, 3610);
  EXPECT_EQ(one.order, 3);
  EXPECT_EQ(one.holders, std::vector<std::string>{"lab/q"});
  ASSERT_TRUE(cluster.nodes[0].usage.has_value());
  EXPECT_EQ(cluster.nodes[0].usage->cpu.text, "25");
  EXPECT_EQ(cluster.nodes[0].usage->memory.text, "25");
  EXPECT_EQ(cluster.nodes[0].usage->measured, 60);
  const auto told = [&](std::string_view object, std::string_view words) {
    return std::ranges::any_of(import->report, [&](const ImportEntry& entry) {
      return entry.object == object && entry.text.find(words) != std::string::npos;
    });
  };
  EXPECT_TRUE(told("Reservation nightly", "no pod of the dump has this uid"));
  EXPECT_TRUE(told("Reservation nightly", "it takes over no pods that run"));
  EXPECT_TRUE(told("Reservation lost", "is no node that is there"));

  Cluster filled;
  ASSERT_TRUE(Fill(import->scenario, &filled).ok());
  const absl::StatusOr<Plan> plan = filled.Schedule("koordinator", {.now = 100});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->binds().size(), 1u);
}

TEST(Koordinator, WhatIsLeftOutIsNamedAndCounted) {
  const absl::StatusOr<Import> import = ImportObjects(kQuotaDump, {});
  ASSERT_TRUE(import.ok()) << import.status();
  const auto told = [&](ImportSeverity severity, std::string_view object, std::string_view words) {
    return std::ranges::any_of(import->report, [&](const ImportEntry& entry) {
      return entry.severity == severity && entry.object == object &&
             entry.text.find(words) != std::string::npos;
    });
  };
  EXPECT_TRUE(told(ImportSeverity::kLeftOut, "Pod other/alien", "waits for another scheduler"));
  EXPECT_TRUE(told(ImportSeverity::kLeftOut, "dump", "1 of 4 pods that wait are not scheduled"));
  ASSERT_EQ(import->scenario.left_out.size(), 1u);
  EXPECT_EQ(import->scenario.left_out[0].name, "other/alien");
  EXPECT_FALSE(ImportObjects(kQuotaDump, {.strict = true}).ok());
}

constexpr char kLoadDump[] = R"([
  {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
   "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"},
              "capacity": {"cpu": "8", "memory": "32Gi", "pods": "110"},
              "conditions": [{"type": "Ready", "status": "True"}]}},
  {"kind": "Pod", "metadata": {"name": "a", "namespace": "s",
     "ownerReferences": [{"kind": "Node", "name": "x"},
                         {"kind": "ReplicaSet", "name": "web", "controller": true}],
     "annotations": {"scheduling.koordinator.sh/eviction-cost": "-7",
                     "controller.kubernetes.io/pod-deletion-cost": "many",
                     "descheduler.alpha.kubernetes.io/evict": ""}},
   "spec": {"schedulerName": "koord-scheduler", "nodeName": "n", "containers": [{}],
            "volumes": [{"name": "v", "emptyDir": {}},
                        {"name": "w", "persistentVolumeClaim": {"claimName": "c"}}]},
   "status": {"phase": "Running"}},
  {"kind": "Pod", "metadata": {"name": "b", "namespace": "s"},
   "spec": {"schedulerName": "koord-scheduler", "nodeName": "n", "containers": [{}]},
   "status": {"phase": "Running"}},
  {"apiVersion": "slo.koordinator.sh/v1alpha1", "kind": "NodeMetric", "metadata": {"name": "n"},
   "spec": {"metricCollectPolicy": {"reportIntervalSeconds": 60}},
   "status": {"updateTime": "1970-01-01T00:10:00Z",
     "nodeMetric": {"nodeUsage": {"resources": {"cpu": "2", "memory": "8Gi"}},
       "systemUsage": {"resources": {"cpu": "500m"}},
       "aggregatedNodeUsages": [{"duration": "5m0s",
         "usage": {"avg": {"resources": {"cpu": "3"}}, "p95": {"resources": {"cpu": "4"}}}},
         {"duration": "5m"}, {"usage": {}}]},
     "prodReclaimableMetric": {"resource": {"resources": {"cpu": "1", "memory": "1Gi"}}},
     "podsMetric": [{"namespace": "s", "name": "a", "podUsage": {"resources": {"cpu": "1500m"}}},
                    {"namespace": "s", "name": "gone", "podUsage": {"resources": {"cpu": "9"}}}]}},
  {"apiVersion": "slo.koordinator.sh/v1alpha1", "kind": "NodeMetric", "metadata": {"name": "m"}},
  {"apiVersion": "slo.koordinator.sh/v1alpha1", "kind": "NodeSLO", "metadata": {"name": "n"},
   "spec": {"resourceUsedThresholdWithBE": {"enable": true, "memoryEvictThresholdPercent": 75,
     "cpuEvictBESatisfactionLowerPercent": 30, "cpuEvictPolicy": "evictByAllocatable"}}},
  {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "PodMigrationJob",
   "metadata": {"name": "waits", "creationTimestamp": "1970-01-01T00:01:40Z"},
   "spec": {"podRef": {"namespace": "s", "name": "a"}}},
  {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "PodMigrationJob",
   "metadata": {"name": "runs"}, "spec": {"podRef": {"namespace": "s", "name": "b"}},
   "status": {"phase": "Running"}},
  {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "PodMigrationJob",
   "metadata": {"name": "ended"}, "spec": {"podRef": {"namespace": "s", "name": "b"}},
   "status": {"phase": "Succeeded"}},
  {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "PodMigrationJob",
   "metadata": {"name": "lost"}, "spec": {"podRef": {"namespace": "s", "name": "gone"}}}
])";

// Pods pass the webhook when they are made, so a dump has them as it left them.
TEST(Koordinator, ColocationProfilesAreNoted) {
  const Import import = Imported(
      {{{"apiVersion", "config.koordinator.sh/v1alpha1"},
        {"kind", "ClusterColocationProfile"},
        {"metadata", {{"name", "batch"}}},
        {"spec", {{"qosClass", "BE"}, {"selector", {{"matchLabels", {{"app", "etl"}}}}}}}}},
      {});
  EXPECT_EQ(import.scenario.profile, "koordinator");
  EXPECT_THAT(Lines(import),
              ::testing::Contains(::testing::HasSubstr("pods are read as its webhook left them")));
}

TEST(Koordinator, LoadsOwnersThresholdsAndMigrations) {
  const absl::StatusOr<Import> import = ImportObjects(kLoadDump, {});
  ASSERT_TRUE(import.ok()) << import.status();
  const ClusterSpec& cluster = import->scenario.cluster;
  const NodeSpec& node = Named(cluster.nodes, "n");
  ASSERT_TRUE(node.usage.has_value());
  EXPECT_EQ(node.usage->cpu, Quantity(25));
  EXPECT_EQ(node.usage->measured, 600);
  ASSERT_TRUE(node.usage->detail);
  EXPECT_EQ(node.usage->detail->system, (Resources{{"cpu", "500m"}}));
  EXPECT_EQ(node.usage->detail->interval, 60);
  ASSERT_EQ(node.usage->detail->windows.size(), 1u) << "of equal lengths and none";
  EXPECT_EQ(node.usage->detail->windows[0].seconds, 300);
  EXPECT_EQ(node.usage->detail->windows[0].p95, (Resources{{"cpu", 4}}));
  const Labels settings = {{"koordinator/reclaimable_cpu", "1"},
                           {"koordinator/reclaimable_memory", "1073741824"},
                           {"koordinator/satisfaction_low", "30"},
                           {"koordinator/memory_evict", "75"},
                           {"koordinator/limit", "allocatable"}};
  EXPECT_EQ(node.settings, settings);
  ASSERT_TRUE(Named(cluster.tasks, "s/a").usage);
  EXPECT_EQ(Named(cluster.tasks, "s/a").usage->amounts, (Resources{{"cpu", "1500m"}}));
  EXPECT_FALSE(Named(cluster.tasks, "s/b").usage);
  const Labels owned = {{"koordinator/owner_kind", "ReplicaSet"}, {"koordinator/owner", "s/web"},
                        {"koordinator/eviction_cost", "-7"},      {"koordinator/evict", "true"},
                        {"koordinator/local_data", "true"},       {"koordinator/claims", "true"}};
  EXPECT_EQ(Named(cluster.jobs, "s/a").settings, owned);
  EXPECT_EQ(Named(cluster.jobs, "s/b").settings, (Labels{{"koordinator/owner_kind", "none"}}));
  const MemorySlot* const slot = import->scenario.memory.Find("koordinator-migrations");
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(slot->rows().size(), 2u);
  EXPECT_EQ(slot->Integer("s/a"), 100);
  EXPECT_EQ(slot->Integer("s/a", 2), 0);
  EXPECT_EQ(slot->Integer("s/b", 2), 1);
  EXPECT_EQ(slot->Text("s/b", 7), "n");
  // The actions read all of it.
  Cluster filled;
  ASSERT_TRUE(Fill(import->scenario, &filled).ok());
  const auto plan = filled.Schedule("koordinator:actions=rebalance+colocate", {.now = 650});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->moves().size(), 0u) << "there is no other node";
}

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
   "spec": {"template": {"spec": {"containers": [{}]}}}, "status": {"phase": "Pending"}}
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
  const TaskSpec& waits = Named(cluster.tasks, "lab/p");
  EXPECT_EQ(waits.shape.labels, (Labels{{"koordinator.sh/qosClass", "LSR"},
                                        {"koordinator/cpu-required", "FullPCPUs"},
                                        {"koordinator/cpu-exclusive", "PCPULevel"},
                                        {"koordinator/zone-exclusive", "Preferred"}}));
  EXPECT_EQ(waits.shape.alignment, Alignment::kSingleNumaNode);
  EXPECT_EQ(Named(cluster.tasks, "lab/r").devices, (std::vector<DeviceHold>{{.device = "2"}}));
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

TEST(Koordinator, DevicesAndWhatPodsHoldOfThemAreRead) {
  const absl::StatusOr<Import> import = ImportWith(
      R"(, "annotations": {"scheduling.koordinator.sh/device-joint-allocate":
        "{\"deviceTypes\": [\"gpu\", \"rdma\"], \"requiredScope\": \"SamePCIe\"}"})",
      R"(,
    {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "Device",
     "metadata": {"name": "n", "labels": {"node.koordinator.sh/gpu-model": "H800"}},
     "spec": {"devices": [
       {"type": "gpu", "minor": 1, "health": true,
        "topology": {"socketID": 1, "nodeID": 1, "pcieID": "b"},
        "resources": {"koordinator.sh/gpu-core": "100", "koordinator.sh/gpu-memory": "80Gi"}},
       {"type": "gpu", "minor": 0, "topology": {"nodeID": 0, "pcieID": "a"}},
       {"type": "rdma", "minor": 0, "health": true},
       {"type": "gpu", "minor": 1}, {"type": "npu", "minor": 0}, {"type": "gpu"}]}},
    {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "Device",
     "metadata": {"name": "gone"}},
    {"kind": "Pod", "metadata": {"name": "r", "namespace": "lab",
       "annotations": {"scheduling.koordinator.sh/device-allocated":
         "{\"gpu\": [{\"minor\": 1, \"resources\": {\"koordinator.sh/gpu-core\": \"50\",
             \"koordinator.sh/gpu-memory-ratio\": \"25\", \"koordinator.sh/gpu-memory\": \"20Gi\"}},
             {\"minor\": 7}], \"rdma\": [{\"minor\": 0, \"resources\": {\"koordinator.sh/rdma\": 1}}]}"}},
     "spec": {"schedulerName": "koord-scheduler", "nodeName": "n", "containers": [{}]},
     "status": {"phase": "Running"}},
    {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "Reservation",
     "metadata": {"name": "kept", "annotations": {"scheduling.koordinator.sh/device-allocated":
       "{\"gpu\": [{\"minor\": 1, \"resources\": {\"koordinator.sh/gpu-core\": \"50\"}},
             {\"minor\": 9}]}"}},
     "spec": {"template": {"spec": {"containers": [{}]}}},
     "status": {"phase": "Available", "nodeName": "n"}})");
  ASSERT_TRUE(import.ok()) << import.status();
  const ClusterSpec& cluster = import->scenario.cluster;
  const std::vector<DeviceSpec>& devices = cluster.nodes[0].devices;
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0].name, "gpu-0");
  EXPECT_FALSE(devices[0].healthy);
  EXPECT_EQ(devices[1].name, "gpu-1");
  EXPECT_EQ(devices[1].kind, "gpu");
  EXPECT_EQ(devices[1].model, "H800");
  EXPECT_EQ(devices[1].zone, "node-1");
  EXPECT_EQ(devices[1].links, std::vector<std::string>{"pcie-b"});
  EXPECT_EQ(devices[1].memory, Quantity(int64_t{80} << 30));
  EXPECT_TRUE(devices[1].healthy);
  EXPECT_EQ(devices[2].name, "rdma-0");
  EXPECT_EQ(cluster.nodes[0].zones.size(), 2u);
  EXPECT_EQ(
      Named(cluster.tasks, "lab/p").shape.labels,
      (Labels{{"koordinator/joint-devices", "gpu,rdma"}, {"koordinator/joint-scope", "SamePCIe"}}));
  EXPECT_EQ(Named(cluster.tasks, "lab/r").devices,
            (std::vector<DeviceHold>{
                {.device = "gpu-1", .milli = 500, .memory = Quantity(int64_t{20} << 30)},
                {.device = "rdma-0", .milli = 10}}));
  const auto told = [&](std::string_view object, std::string_view words) {
    return std::ranges::any_of(import->report, [&](const ImportEntry& entry) {
      return entry.object.starts_with(object) && entry.text.find(words) != std::string::npos;
    });
  };
  EXPECT_TRUE(told("Device n", "devices of type \"npu\" are not known"));
  EXPECT_TRUE(told("Device n", "has no minor, or that of another device"));
  EXPECT_TRUE(told("Device gone", "no node that is there"));
  EXPECT_TRUE(told("Pod lab/r", "the node lists no device \"gpu-7\""));
  EXPECT_EQ(cluster.reservations[0].shape.labels,
            (Labels{{"koordinator/device-parts", "gpu-1:500:0"}}));
  EXPECT_TRUE(told("Reservation kept", "the node lists no device \"gpu-9\""));
  Cluster filled;
  ASSERT_TRUE(Fill(import->scenario, &filled).ok());
  EXPECT_TRUE(filled.Schedule(import->scenario.profile).ok());
}

constexpr char kPodsDump[] = R"([
  {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
   "status": {"allocatable": {"cpu": "10", "memory": "64Gi", "pods": "110"}}},
  {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
   "metadata": {"name": "koord-prod"}, "value": 9500},
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
  {"kind": "Pod", "metadata": {"name": "p", "namespace": "lab"},
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
  const TaskSpec& gated = Named(cluster.tasks, "lab/gated");
  EXPECT_EQ(gated.gates, std::vector<std::string>{"wait"});
  EXPECT_EQ(gated.priority, 9500) << "of its class";
  EXPECT_EQ(Named(cluster.jobs, "lab/gated").priority, 9500);
  EXPECT_EQ(gated.shape.request, (Resources{{"cpu", 2}}));
  ASSERT_EQ(gated.shape.containers.size(), 1u);
  EXPECT_EQ(gated.shape.containers[0].image, "x:1");
  ASSERT_TRUE(gated.shape.pod);
  EXPECT_EQ(gated.shape.pod->overhead, (Resources{{"cpu", 1}}));
  ASSERT_EQ(gated.shape.spread.size(), 2u) << "by its service";
  EXPECT_EQ(gated.shape.spread[0].selector->match_labels, (Labels{{"app", "web"}}));
  const TaskSpec& owned = Named(cluster.tasks, "lab/owned");
  EXPECT_EQ(owned.priority, 0);
  ASSERT_EQ(owned.shape.spread.size(), 2u) << "by its owner";
  EXPECT_EQ(owned.shape.spread[0].selector->match_labels, (Labels{{"tier", "back"}}));
  EXPECT_THAT(Lines(*import), ::testing::ElementsAre(HasSubstr("priority class \"gone\"")));
  const TaskSpec& fixed = Named(cluster.tasks, "lab/static");
  ASSERT_TRUE(fixed.shape.required_node_affinity);
  EXPECT_EQ((*fixed.shape.required_node_affinity)[0].match_fields[0].values,
            std::vector<std::string>{"n"});
  EXPECT_EQ(fixed.started, 40) << "when the kubelet took it";
  EXPECT_EQ(Named(cluster.tasks, "lab/old").started, 30) << "when it got its node";
  EXPECT_FALSE(gated.started);
  EXPECT_FALSE(gated.shape.guaranteed_qos);
  EXPECT_TRUE(Named(cluster.tasks, "lab/p").shape.guaranteed_qos);
}

TEST(Koordinator, MarksWithoutARuleAreReported) {
  const absl::StatusOr<Import> import = ImportWith(R"(, "annotations": {
      "internal.scheduling.koordinator.sh/scheduling-hint": "{\"preferredNodeNames\": [\"n\"]}",
      "gang.scheduling.koordinator.sh/network-topology-spec": "{}"})",
                                                   R"(,
    {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
     "metadata": {"name": "a", "namespace": "a",
                  "labels": {"quota.scheduling.koordinator.sh/tree-id": "t"}}},
    {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
     "metadata": {"name": "b", "namespace": "b",
                  "labels": {"quota.scheduling.koordinator.sh/tree-id": ""}}})");
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_THAT(Lines(*import),
              ::testing::UnorderedElementsAre(HasSubstr("preferred nodes are not tried first"),
                                              HasSubstr("not gathered in topologies"),
                                              HasSubstr("ElasticQuota a/a: metadata.labels")));
}

TEST(Koordinator, HintsAboutDevicesAreLabels) {
  const absl::StatusOr<Import> import = ImportWith(R"(,
    "labels": {"koordinator.sh/gpu-isolation-provider": "HAMi-core"},
    "annotations": {"scheduling.koordinator.sh/device-allocate-hint":
        "{\"gpu\": {\"requiredTopologyScope\": \"NUMANode\", \"exclusivePolicy\": \"DeviceLevel\"},
          \"rdma\": {\"allocateStrategy\": \"RequestsAsCount\", \"exclusivePolicy\": \"DeviceLevel\",
                     \"selector\": {\"matchLabels\": {\"t\": \"1\"}}}}",
      "scheduling.koordinator.sh/gpu-partition-spec":
        "{\"allocatePolicy\": \"Restricted\", \"ringBusBandwidth\": \"900Gi\"}"})",
                                                   "");
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.cluster.tasks[0].shape.labels,
            (Labels{{"koordinator.sh/gpu-isolation-provider", "HAMi-core"},
                    {"koordinator/gpu-scope", "NUMANode"},
                    {"koordinator/rdma-strategy", "RequestsAsCount"},
                    {"koordinator/rdma-exclusive", "DeviceLevel"},
                    {"koordinator/gpu-partition", "Restricted"},
                    {"koordinator/gpu-bandwidth", "966367641600"}}));
  EXPECT_THAT(Lines(*import),
              ::testing::UnorderedElementsAre(HasSubstr("gpu.exclusivePolicy: not considered"),
                                              HasSubstr("rdma.selector: not considered"),
                                              HasSubstr("gpu-isolation-provider")));
}

TEST(Koordinator, NodesHaveThresholdsOfLoadAndRawAmounts) {
  const absl::StatusOr<Import> import = ImportObjects(R"([
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "annotations": {
       "scheduling.koordinator.sh/usage-thresholds":
         "{\"usageThresholds\": {\"cpu\": 10}, \"prodUsageThresholds\": {\"cpu\": 5}}",
       "node.koordinator.sh/raw-allocatable": "{\"cpu\": \"4\", \"x/y\": 1}"}},
     "status": {"allocatable": {"cpu": "20", "memory": "32Gi", "pods": "110"}}},
    {"apiVersion": "slo.koordinator.sh/v1alpha1", "kind": "NodeMetric", "metadata": {"name": "n"},
     "status": {"updateTime": "1970-01-01T00:10:00Z"}}])",
                                                      {.now = 610});
  ASSERT_TRUE(import.ok()) << import.status();
  const NodeSpec& node = import->scenario.cluster.nodes[0];
  EXPECT_EQ(node.settings, (Labels{{"koordinator/cpu_threshold", "10"},
                                   {"koordinator/memory_threshold", "0"},
                                   {"koordinator/raw_cpu", "4"}}));
  ASSERT_TRUE(node.usage);
  EXPECT_LT(node.usage->measured, 0);
  EXPECT_THAT(Lines(*import), ::testing::UnorderedElementsAre(
                                  HasSubstr("prodUsageThresholds: not considered"),
                                  HasSubstr("has no measurement, which is one of long ago")));
  Cluster filled;
  ASSERT_TRUE(Fill(import->scenario, &filled).ok());
  EXPECT_TRUE(filled.Schedule(import->scenario.profile, {.now = 610}).ok());
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

TEST(Koordinator, ArgumentsOfPlugInsAreOptions) {
  const auto imported = [](const std::string& profile) {
    ImportOptions options{.profile = "koordinator"};
    options.configuration =
        absl::StrCat(R"({"kind": "KubeSchedulerConfiguration", "profiles": [)", profile, "]}");
    const absl::StatusOr<Import> import = ImportObjects(kQuotaDump, options);
    EXPECT_TRUE(import.ok()) << import.status();
    return import.ok() ? *import : Import();
  };
  Import import = imported(R"({"schedulerName": "koord-scheduler",
    "plugins": {
      "queueSort": {"disabled": [{"name": "*"}], "enabled": [{"name": "Coscheduling"}]},
      "filter": {"enabled": [{"name": "LoadAwareScheduling"}, {"name": "DeviceShare"}]},
      "score": {"enabled": [{"name": "LoadAwareScheduling", "weight": 3},
                            {"name": "NodeResourcesFit", "weight": 2}]}},
    "pluginConfig": [
      {"name": "LoadAwareScheduling", "args": {"usageThresholds": {"cpu": 20}, "aggregated": {},
         "nodeMetricExpirationSeconds": 60, "enableScheduleWhenNodeMetricsExpired": true,
         "estimatedScalingFactors": {"memory": 50}, "dominantResourceWeight": 2}},
      {"name": "Coscheduling", "args": {"defaultTimeout": "30s", "controllerWorkers": 2}},
      {"name": "DeviceShare", "args": {"scoringStrategy": {"type": "MostAllocated"},
         "disableDeviceNUMATopologyAlignment": true}},
      {"name": "NodeResourcesFitPlus", "args": {"resources": {
         "cpu": {"type": "LeastAllocated", "weight": 2}}}}]})");
  const std::string& profile = import.scenario.profile;
  for (const char* option : {"(fit_weight=2,",
                             "load=on",
                             "quota=off",
                             "coscheduling=on",
                             "numa=off",
                             "devices=on",
                             "reservation=off",
                             "load_weight=3",
                             "device_weight=0",
                             "cpu_threshold=20",
                             "memory_threshold=0",
                             "load_expiration=60",
                             "load_expired=pass",
                             "memory_factor=50",
                             "load_dominant=2",
                             "load_cpu=0",
                             "load_memory=0",
                             "gang_wait=30",
                             "device_strategy=most",
                             "device_zones=off",
                             "kinds=cpu:2:least"}) {
    EXPECT_THAT(profile, HasSubstr(option));
  }
  std::vector<std::string> lines;
  for (const std::string& line : Lines(import)) {
    if (line.find("scheduler configuration") != line.npos) lines.push_back(line);
  }
  EXPECT_THAT(lines, ::testing::ElementsAre(HasSubstr("pluginConfig[0].args.aggregated")));
  Cluster filled;
  ASSERT_TRUE(Fill(import.scenario, &filled).ok());
  EXPECT_TRUE(filled.Schedule(profile).ok()) << filled.Schedule(profile).status();

  import = imported(R"({"schedulerName": "volcano", "pluginConfig": [
    {"name": "ElasticQuota", "args": {"enableRuntimeQuota": false, "delayEvictTime": "5s",
       "monitorAllQuotas": true, "disableDefaultQuotaPreemption": false}},
    {"name": "NodeNUMAResource", "args": {"defaultCPUBindPolicy": "SpreadByPCPUs",
       "numaScoringStrategy": {"type": "Balanced"}}},
    {"name": "ScarceResourceAvoidance", "args": {"resources": ["nvidia.com/gpu"]}}]})");
  EXPECT_EQ(import.scenario.profile,
            "koordinator:schedule(runtime=off,spare_default=off,revoke=on,revoke_delay=5,"
            "cpu_bind=spread,scarce=nvidia.com/gpu)");
  EXPECT_THAT(Lines(import), AllOf(::testing::Contains(HasSubstr("lists no plug-ins")),
                                   ::testing::Contains(HasSubstr("\"Balanced\" is neither"))));
  ASSERT_EQ(import.scenario.cluster.tasks.size(), 2u) << "its own pods, and those that run";
  EXPECT_EQ(import.scenario.cluster.tasks[0].name, "other/alien");
}

// What a pod used when its node was measured counts once.
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
