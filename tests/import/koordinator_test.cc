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
#include "tests/import/koordinator_dumps.h"
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

TEST(Koordinator, QuotasAreQueues) {
  const absl::StatusOr<Import> import = ImportObjects(kQuotaDump, {});
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.profile, "koordinator");
  const std::vector<QueueSpec>& queues = import->scenario.cluster.queues;
  ASSERT_EQ(queues.size(), 4u);
  EXPECT_EQ(RowNamed(queues, "ml").weight, 5);
  EXPECT_EQ(RowNamed(queues, "web").weight, 2) << "its maximum";
  EXPECT_EQ(RowNamed(queues, "nlp").parent, "ml");
  EXPECT_EQ(RowNamed(queues, "nlp").weight, 3) << "its shared weight";
  EXPECT_EQ(RowNamed(queues, "nlp").guaranteed, (Resources{{"cpu", 2}}));
  EXPECT_EQ(RowNamed(queues, "nlp").limit, (Resources{{"cpu", 4}}));
  EXPECT_EQ(RowNamed(queues, "nlp").settings, (Labels{{"koordinator/lends", "false"}}))
      << "its maximum has no memory";
  EXPECT_EQ(RowNamed(queues, "ml").settings,
            (Labels{{"koordinator/shared-weight", "cpu=5,memory=8589934592"}}));
  EXPECT_EQ(RowNamed(queues, "koordinator-default-quota").parent, "");
}

TEST(Koordinator, GangsAndPodsAreJobs) {
  const absl::StatusOr<Import> import = ImportObjects(kQuotaDump, {});
  ASSERT_TRUE(import.ok()) << import.status();
  const ClusterSpec& cluster = import->scenario.cluster;
  const std::vector<JobSpec>& jobs = cluster.jobs;
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(RowNamed(jobs, "lab/train").queue, "nlp") << "by the list of namespaces";
  EXPECT_EQ(RowNamed(jobs, "lab/train").min_available, 2);
  EXPECT_EQ(RowNamed(jobs, "lab/train").priority, 7);
  EXPECT_EQ(RowNamed(jobs, "other/g").queue, "nlp") << "by its label";
  EXPECT_EQ(RowNamed(jobs, "web/front").queue, "web") << "by the namespace's name";
  EXPECT_EQ(RowNamed(jobs, "web/front").min_available, 1);
  EXPECT_EQ(RowNamed(cluster.tasks, "web/front").status, TaskStatus::kRunning);
  EXPECT_FALSE(RowNamed(cluster.tasks, "other/g0").preemptable);

  Cluster filled;
  ASSERT_TRUE(Fill(import->scenario, &filled).ok());
  const absl::StatusOr<Plan> plan = filled.Schedule(import->scenario.profile);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->binds().size(), 3u);
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

TEST(Koordinator, TreesOfQuotasAreSettings) {
  const absl::StatusOr<Import> import =
      ImportWith(R"(, "labels": {"quota.scheduling.koordinator.sh/name": "x"})", R"(,
    {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
     "metadata": {"name": "root", "namespace": "q",
                  "labels": {"quota.scheduling.koordinator.sh/tree-id": "t",
                             "quota.scheduling.koordinator.sh/is-root": "true",
                             "quota.scheduling.koordinator.sh/is-parent": "true",
                             "quota.scheduling.koordinator.sh/ignore-default-tree": "true"},
                  "annotations": {"quota.scheduling.koordinator.sh/total-resource":
                                    "{\"cpu\": \"2500m\", \"memory\": \"4Gi\"}"}},
     "spec": {"min": {"cpu": "1"}, "max": {"cpu": "8"}}},
    {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
     "metadata": {"name": "x", "namespace": "q",
                  "labels": {"quota.scheduling.koordinator.sh/tree-id": "t",
                             "quota.scheduling.koordinator.sh/parent": "root"},
                  "annotations": {"quota.scheduling.koordinator.sh/total-resource":
                                    "{\"cpu\": 7}"}},
     "spec": {"min": {}, "max": {"cpu": "8"}}},
    {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
     "metadata": {"name": "wrong", "namespace": "q",
                  "labels": {"quota.scheduling.koordinator.sh/tree-id": "u",
                             "quota.scheduling.koordinator.sh/is-root": "true"},
                  "annotations": {"quota.scheduling.koordinator.sh/total-resource":
                                    "{\"cpu\": \"much\"}"}}},
    {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
     "metadata": {"name": "b", "namespace": "b",
                  "labels": {"quota.scheduling.koordinator.sh/tree-id": ""}}},
    {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
     "metadata": {"name": "unnamed", "namespace": "q",
                  "labels": {"quota.scheduling.koordinator.sh/parent": "root"}},
     "spec": {"min": {}, "max": {"cpu": "8"}}},
    {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
     "metadata": {"name": "second", "namespace": "q",
                  "labels": {"quota.scheduling.koordinator.sh/tree-id": "t",
                             "quota.scheduling.koordinator.sh/is-root": "true"},
                  "annotations": {"quota.scheduling.koordinator.sh/total-resource":
                                    "{\"cpu\": 7}"}},
     "spec": {"min": {}, "max": {"cpu": "8"}}})");
  ASSERT_TRUE(import.ok()) << import.status();
  const std::vector<QueueSpec>& queues = import->scenario.cluster.queues;
  EXPECT_EQ(RowNamed(queues, "root").settings,
            (Labels{{"koordinator/tree", "t"},
                    {"koordinator/tree-total", "cpu=2500m,memory=4294967296"},
                    {"koordinator/tree-apart", "true"}}));
  EXPECT_EQ(RowNamed(queues, "x").settings, (Labels{{"koordinator/tree", "t"}}))
      << "only roots have totals";
  EXPECT_EQ(RowNamed(queues, "wrong").settings, (Labels{{"koordinator/tree", "u"}}));
  EXPECT_EQ(RowNamed(queues, "b").settings, Labels());
  EXPECT_EQ(RowNamed(queues, "unnamed").settings, (Labels{{"koordinator/tree", "t"}}));
  EXPECT_EQ(RowNamed(queues, "second").settings, (Labels{{"koordinator/tree", "t"}}));
  EXPECT_THAT(
      Lines(*import),
      ::testing::Contains(HasSubstr("tree \"t\" has its total from quota \"root\" already")));
  EXPECT_THAT(Lines(*import),
              ::testing::Contains(HasSubstr("is no list of amounts; the tree has nothing")));

  Cluster filled;
  ASSERT_TRUE(Fill(import->scenario, &filled).ok());
  const absl::StatusOr<Plan> plan = filled.Schedule("koordinator");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->binds().size(), 1u);
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
  EXPECT_EQ(one.shape.labels, (Labels{{"scheduling.koordinator.sh/reservation-order", "3"},
                                      {"koordinator/pre-allocation", "Default"}}));
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
  const NodeSpec& node = RowNamed(cluster.nodes, "n");
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
  ASSERT_TRUE(RowNamed(cluster.tasks, "s/a").usage);
  EXPECT_EQ(RowNamed(cluster.tasks, "s/a").usage->amounts, (Resources{{"cpu", "1500m"}}));
  EXPECT_FALSE(RowNamed(cluster.tasks, "s/b").usage);
  const Labels owned = {{"koordinator/owner_kind", "ReplicaSet"}, {"koordinator/owner", "s/web"},
                        {"koordinator/eviction_cost", "-7"},      {"koordinator/evict", "true"},
                        {"koordinator/local_data", "true"},       {"koordinator/claims", "true"}};
  EXPECT_EQ(RowNamed(cluster.jobs, "s/a").settings, owned);
  EXPECT_EQ(RowNamed(cluster.jobs, "s/b").settings, (Labels{{"koordinator/owner_kind", "none"}}));
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
      RowNamed(cluster.tasks, "lab/p").shape.labels,
      (Labels{{"koordinator/joint-devices", "gpu,rdma"}, {"koordinator/joint-scope", "SamePCIe"}}));
  EXPECT_EQ(RowNamed(cluster.tasks, "lab/r").devices,
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
      {"name": "LoadAwareScheduling", "args": {"usageThresholds": {"cpu": 20}, "odd": {},
         "prodUsageThresholds": {"memory": 40}, "prodUsageIncludeSys": true,
         "scoreAccordingProdUsage": false,
         "aggregated": {"usageThresholds": {"cpu": 70}, "usageAggregationType": "p95",
                        "usageAggregatedDuration": "5m", "scoreAggregationType": "avg"},
         "nodeMetricExpirationSeconds": 60, "enableScheduleWhenNodeMetricsExpired": true,
         "estimatedScalingFactors": {"memory": 50}, "dominantResourceWeight": 2,
         "estimatedSecondsAfterPodScheduled": 90}},
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
                             "load_warm_up=90",
                             "memory_factor=50",
                             "load_dominant=2",
                             "load_cpu=0",
                             "load_memory=0",
                             "production_cpu_threshold=0",
                             "production_memory_threshold=40",
                             "production_system=on",
                             "production_score=off",
                             "load_statistic=p95",
                             "load_window=300",
                             "statistic_cpu_threshold=70",
                             "statistic_memory_threshold=0",
                             "score_statistic=avg",
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
  EXPECT_THAT(lines, ::testing::ElementsAre(HasSubstr("pluginConfig[0].args.odd")));
  Cluster filled;
  ASSERT_TRUE(Fill(import.scenario, &filled).ok());
  EXPECT_TRUE(filled.Schedule(profile).ok()) << filled.Schedule(profile).status();

  // What a point disables is off there, unless it enables it, too.
  import = imported(R"({"plugins": {
    "multiPoint": {"enabled": [{"name": "LoadAwareScheduling"}, {"name": "DeviceShare"},
                               {"name": "NodeNUMAResource"}]},
    "filter": {"disabled": [{"name": "LoadAwareScheduling"}]},
    "score": {"disabled": [{"name": "DeviceShare"}, {"name": "NodeNUMAResource"}],
              "enabled": [{"name": "NodeNUMAResource", "weight": 4}]},
    "postFilter": {"disabled": [{"name": "*"}]}}})");
  for (const char* option : {"devices=on", "device_weight=0", "numa_weight=4", "load_weight=1",
                             "load_filter=off", "off=DefaultPreemption"}) {
    EXPECT_THAT(import.scenario.profile, HasSubstr(option));
  }
  EXPECT_THAT(Lines(import),
              ::testing::Not(::testing::Contains(HasSubstr("is no plug-in of this scheduler"))));

  import = imported(R"({"schedulerName": "koord-scheduler",
    "plugins": {"score": {"enabled": [{"name": "LoadAwareScheduling"}]}},
    "pluginConfig": [{"name": "LoadAwareScheduling", "args": {
      "aggregated": {"usageAggregationType": "p95", "scoreAggregationType": "p42"}}}]})");
  EXPECT_THAT(import.scenario.profile, HasSubstr("load_filter=off"));
  EXPECT_THAT(import.scenario.profile, Not(HasSubstr("_statistic")));
  EXPECT_THAT(Lines(import), AllOf(::testing::Contains(HasSubstr("there are no usageThresholds")),
                                   ::testing::Contains(HasSubstr("\"p42\" is none of"))));

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
}  // namespace
}  // namespace muster
