// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Koordinator's dumps: reservations that wait for a node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/import/import.h"
#include "lib/scenario/scenario.h"
#include "muster/muster.h"
#include "tests/import/koordinator_dumps.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

TEST(Koordinator, AReservationThatWaitsIsATask) {
  const absl::StatusOr<Import> import = ImportWith(
      R"(, "labels": {"pod.koordinator.sh/is-pre-allocatable": "true"},
         "annotations": {"pod.koordinator.sh/pre-allocatable-priority": "7"})",
      R"(,
      {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "Reservation",
       "metadata": {"name": "r", "labels": {"tier": "a",
                    "scheduling.koordinator.sh/pre-allocation-required": "true"}},
       "status": {"phase": "Pending"},
       "spec": {"preAllocation": true, "allocatePolicy": "Restricted",
                "preAllocationPolicy": {"mode": "Cluster", "enableMultiple": true},
                "owners": [{"labelSelector": {}}], "ttl": "24h",
                "template": {"metadata": {"labels": {"app": "etl"}},
                  "spec": {"schedulerName": "koord-scheduler", "nodeSelector": {"zone": "b"},
                    "containers": [{"resources": {"requests": {"cpu": "1"}}}]}}}},
      {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "Reservation",
       "metadata": {"name": "s"},
       "spec": {"allocatePolicy": "Aligned", "owners": [{"labelSelector": {}}], "ttl": "24h",
                "template": {"spec": {"priority": 9000, "containers": []}}}},
      {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "Reservation",
       "metadata": {"name": "other"},
       "spec": {"owners": [{"labelSelector": {}}], "ttl": "24h",
                "template": {"spec": {"schedulerName": "mine", "containers": []}}}})");
  ASSERT_TRUE(import.ok()) << import.status();
  const ClusterSpec& cluster = import->scenario.cluster;
  ASSERT_EQ(cluster.tasks.size(), 3u);
  const TaskSpec& task = RowNamed(cluster.tasks, "Reservation/r");
  EXPECT_EQ(task.status, TaskStatus::kPending);
  EXPECT_EQ(task.shape.labels, (Labels{{"app", "etl"}, {"koordinator/reserves", "r"}}));
  EXPECT_EQ(task.shape.node_selector, (Labels{{"zone", "b"}}));
  EXPECT_EQ(task.shape.request, (Resources{{"cpu", 1}}));
  EXPECT_EQ(task.priority, 2147483647) << "the template has none";
  EXPECT_TRUE(task.never_preempts);
  EXPECT_FALSE(task.preemptable);
  EXPECT_EQ(RowNamed(cluster.tasks, "Reservation/s").priority, 9000);
  EXPECT_EQ(RowNamed(cluster.tasks, "lab/p").shape.labels,
            (Labels{{"pod.koordinator.sh/is-pre-allocatable", "true"},
                    {"koordinator/pre-allocatable-priority", "7"}}));
  EXPECT_EQ(RowNamed(cluster.reservations, "r").shape.labels,
            (Labels{{"tier", "a"},
                    {"scheduling.koordinator.sh/pre-allocation-required", "true"},
                    {"koordinator/pre-allocation", "Cluster"},
                    {"koordinator/pre-allocation-several", "true"}}));
  EXPECT_EQ(RowNamed(cluster.reservations, "s").shape.labels,
            (Labels{{"koordinator/allocate-policy", "Aligned"}}));
  EXPECT_THAT(Lines(*import), ::testing::Contains(HasSubstr("waits for another scheduler")));

  Cluster filled;
  ASSERT_TRUE(Fill(import->scenario, &filled).ok());
  const absl::StatusOr<Plan> plan = filled.Schedule("koordinator");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->binds().size(), 2u) << "all but r, which has no zone";
}

// To the peer, the node of a template is a wish.
TEST(Koordinator, AReservationThatWaitsMayNameItsNodeAndItsPriority) {
  const auto read = [](const std::string& metadata, const std::string& spec) {
    return ImportWith("", R"(,
      {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "Reservation",
       "metadata": {"name": "r")" +
                              metadata + R"(},
       "spec": {"owners": [{"labelSelector": {}}], "ttl": "24h",
                "template": {"spec": {)" +
                              spec + R"("containers": []}}}},
      {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
       "metadata": {"name": "low"}, "value": 1})");
  };
  absl::StatusOr<Import> import = read("", R"("nodeName": "n", "priorityClassName": "low", )");
  ASSERT_TRUE(import.ok()) << import.status();
  TaskSpec task = RowNamed(import->scenario.cluster.tasks, "Reservation/r");
  EXPECT_EQ(task.node, "");
  EXPECT_EQ(task.status, TaskStatus::kPending);
  ASSERT_TRUE(task.shape.required_node_affinity.has_value());
  EXPECT_EQ(task.shape.required_node_affinity->at(0).match_fields[0].values,
            (std::vector<std::string>{"n"}));
  EXPECT_EQ(task.priority, 2147483647) << "classes do not count";
  import = read(R"(, "labels": {"koordinator.sh/priority": "5500"})", "");
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(RowNamed(import->scenario.cluster.tasks, "Reservation/r").priority, 5500);
  import = read(R"(, "labels": {"koordinator.sh/priority": "5500000000"})", "");
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(RowNamed(import->scenario.cluster.tasks, "Reservation/r").priority, 2147483647);
  EXPECT_THAT(Lines(*import), ::testing::Contains(HasSubstr("is no priority; the largest")));
  const std::string bad = R"("annotations": {"scheduling.koordinator.sh/resource-spec": "{bad"})";
  import = read(", " + bad, "");
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_THAT(Lines(*import), ::testing::Contains(HasSubstr("\"{bad\" cannot be read")));
}

// As at the peer, nothing else is done with the pod.
TEST(Koordinator, APodWithAnUnreadableWishGetsNoNode) {
  for (const char* mark :
       {"reservation-affinity", "exact-match-reservation", "resource-spec", "numa-topology-spec"}) {
    const absl::StatusOr<Import> import = ImportWith(
        std::string(R"(, "annotations": {"scheduling.koordinator.sh/)") + mark + R"(": "{bad"})",
        "");
    ASSERT_TRUE(import.ok()) << import.status();
    EXPECT_THAT(Lines(*import),
                ::testing::ElementsAre(HasSubstr("cannot be read: as at the peer, the pod gets no "
                                                 "node")));
    Cluster filled;
    ASSERT_TRUE(Fill(import->scenario, &filled).ok());
    const absl::StatusOr<Plan> plan = filled.Schedule("koordinator");
    ASSERT_TRUE(plan.ok()) << plan.status();
    ASSERT_EQ(plan->pending().size(), 1u);
    EXPECT_THAT(plan->reasons()[plan->pending()[0].reason].where,
                AnyOf(HasSubstr("what the pod states about reservations cannot be read"),
                      HasSubstr("what the pod states about CPUs and zones cannot be read")));
  }
}

TEST(Koordinator, AnUnreadableHintAboutDevicesIsOneOfPodsWithDevices) {
  const absl::StatusOr<Import> import =
      ImportWith(R"(, "annotations": {"scheduling.koordinator.sh/device-allocate-hint": "{bad",
                     "scheduling.koordinator.sh/gpu-partition-spec": "{bad"})",
                 "");
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_THAT(Lines(*import),
              ::testing::ElementsAre(HasSubstr("device-allocate-hint"), HasSubstr("partition")));
  EXPECT_THAT(Lines(*import), ::testing::Each(HasSubstr("gets no node if it requests devices")));
  EXPECT_EQ(import->scenario.cluster.tasks[0].shape.labels,
            (Labels{{"koordinator/device-unreadable", "true"}}));
}

TEST(Koordinator, QuotasThatTheWebhookRefusesAreNoted) {
  const auto lines_of = [](const std::string& name, const std::string& labels,
                           const std::string& min, const std::string& max) {
    const absl::StatusOr<Import> import = ImportWith("", R"(,
      {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
       "metadata": {"name": "top", "namespace": "q",
                    "labels": {"quota.scheduling.koordinator.sh/is-parent": "true"}},
       "spec": {"min": {"cpu": "2"}, "max": {"cpu": "8"}}},
      {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
       "metadata": {"name": ")" + name + R"(", "namespace": "q", "labels": {)" +
                                                             labels + R"(}},
       "spec": {"min": {)" + min + R"(}, "max": {)" + max + "}}}");
    EXPECT_TRUE(import.ok()) << import.status();
    return import.ok() ? Lines(*import) : std::vector<std::string>();
  };
  const std::string below = R"("quota.scheduling.koordinator.sh/parent": "top")";
  EXPECT_THAT(lines_of("a", below, R"("cpu": "2")", R"("cpu": "4")"), ::testing::IsEmpty());
  EXPECT_THAT(lines_of("a", "", R"("cpu": "9")", R"("cpu": "4")"),
              ::testing::ElementsAre(HasSubstr("the peer's webhook refuses it: quota \"a\": "
                                               "min-within-max: cpu 9000 is above 4000")));
  EXPECT_THAT(lines_of("a", below, R"("cpu": "3")", R"("cpu": "4")"),
              ::testing::Contains(HasSubstr("min-within-parent")));
  EXPECT_THAT(lines_of("a", below, "", R"("memory": "1Gi")"),
              ::testing::Contains(HasSubstr("the peer's webhook refuses it")));
}

TEST(Koordinator, PodsStateWhichReservationTheyHold) {
  const auto holding = [](const std::string& reservation, const std::string& metadata = "") {
    return ImportWith(R"(, "annotations": {"scheduling.koordinator.sh/reservation-allocated":
        "{\"name\": \")" + reservation +
                          R"(\", \"uid\": \"1\"}"})",
                      R"(,
      {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "Reservation",
       "metadata": {"name": "r")" +
                          metadata +
                          R"(}, "status": {"phase": "Available", "nodeName": "n",
         "currentOwners": [{"namespace": "lab", "name": "gone"}]},
       "spec": {"owners": [{"labelSelector": {}}], "ttl": "24h",
                "template": {"spec": {"containers": []}}}})");
  };
  absl::StatusOr<Import> import = holding("r");
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.cluster.reservations[0].holders,
            (std::vector<std::string>{"lab/gone", "lab/p"}));
  import = holding("r", R"(, "uid": "1")");
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.cluster.reservations[0].holders.size(), 2u);
  import = holding("r", R"(, "uid": "2")");
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.cluster.reservations[0].holders.size(), 1u) << "one of before";
  import = holding("s");
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.cluster.reservations[0].holders,
            (std::vector<std::string>{"lab/gone"}));
  EXPECT_THAT(Lines(*import), ::testing::Contains(HasSubstr("no such reservation is there")));
}

TEST(Koordinator, LimitsAboveRequestsAreLabels) {
  const auto labels_of = [](const std::string& spec) {
    const absl::StatusOr<Import> import = ImportObjects(R"([
      {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}},
      {"kind": "Pod", "metadata": {"name": "a", "namespace": "s"},
       "spec": {"schedulerName": "koord-scheduler", )" + spec +
                                                            "}}]",
                                                        {.profile = "koordinator"});
    EXPECT_TRUE(import.ok()) << import.status();
    return import.ok() ? import->scenario.cluster.tasks[0].shape.labels : Labels();
  };
  EXPECT_EQ(labels_of(R"("containers": [
              {"resources": {"requests": {"cpu": "1", "memory": "1Gi"},
                             "limits": {"cpu": "1500m", "memory": "1Gi", "nvidia.com/gpu": 1}}},
              {"resources": {"limits": {"cpu": "2"}}}])"),
            (Labels{{"koordinator/limits", "cpu=3500m"}}));
  EXPECT_EQ(labels_of(R"("initContainers": [
              {"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "4"}}}],
              "containers": [{"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}}])"),
            (Labels{{"koordinator/limits", "cpu=4"}}));
  EXPECT_EQ(labels_of(R"("containers": [{"resources": {
              "requests": {"kubernetes.io/batch-cpu": "1000"},
              "limits": {"kubernetes.io/batch-cpu": "2000"}}}])"),
            (Labels{{"koordinator/limits", "kubernetes.io/batch-cpu=2000"}}));
  EXPECT_EQ(labels_of(R"("containers": [{"resources": {"requests": {"cpu": "1"},
                                                       "limits": {"cpu": "1"}}}])"),
            Labels());
}

TEST(Koordinator, AMeasurementOfTheFutureIsNoted) {
  const auto lines_at = [](int64_t now) {
    const absl::StatusOr<Import> import = ImportObjects(R"([
      {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}},
      {"apiVersion": "slo.koordinator.sh/v1alpha1", "kind": "NodeMetric",
       "metadata": {"name": "n"},
       "status": {"updateTime": "1970-01-01T00:10:00Z", "nodeMetric": {"nodeUsage": {}}}}])",
                                                        {.profile = "koordinator", .now = now});
    EXPECT_TRUE(import.ok()) << import.status();
    return import.ok() ? Lines(*import) : std::vector<std::string>();
  };
  EXPECT_THAT(
      lines_at(590),
      ::testing::Contains(HasSubstr("status.updateTime: is 10 s after the time of the scenario")));
  EXPECT_THAT(lines_at(600), ::testing::Not(::testing::Contains(HasSubstr("after the time"))));
}

TEST(Koordinator, AReservationThatIsNotCompleteIsLeftOutInThePeersWords) {
  const auto line_of = [](const std::string& spec) {
    const absl::StatusOr<Import> import = ImportWith("", R"(,
      {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "Reservation",
       "metadata": {"name": "r"}, "spec": {)" + spec + "}}");
    EXPECT_TRUE(import.ok()) << import.status();
    EXPECT_TRUE(!import.ok() || import->scenario.cluster.reservations.empty());
    return import.ok() ? Lines(*import) : std::vector<std::string>();
  };
  const std::string pods = R"("template": {"spec": {"containers": []}})";
  const std::string owners = R"(, "owners": [{"labelSelector": {}}])";
  EXPECT_THAT(line_of(""), ::testing::Contains(HasSubstr("misses the template spec")));
  EXPECT_THAT(line_of(pods), ::testing::Contains(HasSubstr("misses the owner spec")));
  EXPECT_THAT(line_of(pods + owners), ::testing::Contains(HasSubstr("misses the expiration spec")));
}

}  // namespace
}  // namespace muster
