// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The filters: node rules, ports, inter-task affinity and topology spread, and the order of
// refusals.
#include "build.h"
#include "gtest/gtest.h"
#include "lib/model/access.h"

namespace muster::testing {
namespace {

Selector App(const std::string& name) { return {.match_labels = {{"app", name}}}; }

// Three nodes, two zones: n0 and n1 in za, n2 in zb.
struct Zones {
  Cluster cluster;
  Zones() {
    for (int i = 0; i < 3; ++i) {
      const std::string name = "n" + std::to_string(i);
      Node(cluster, {.name = name,
                     .capacity = {{"cpu", 10}},
                     .labels = {{"zone", i < 2 ? "za" : "zb"}, {"kubernetes.io/hostname", name}}});
    }
  }
  // A task of an application that runs on the node already.
  void There(const std::string& name, const std::string& node, TaskShape shape = {}) {
    TaskSpec task;
    task.name = name;
    task.shape = std::move(shape);
    if (task.shape.labels.empty()) task.shape.labels = {{"app", "x"}};
    task.status = TaskStatus::kRunning;
    task.node = node;
    Task(cluster, task);
  }
  std::string Place(TaskShape shape, int64_t count = 1) {
    shape.request = {{"cpu", 1}};
    JobOf(cluster, shape, {.name = "j"}, count);
    return Decide(cluster, Profile("allocate", "gang predicates"));
  }
};

std::string Refused(Cluster& cluster, const std::string& task, const std::string& node) {
  const Snapshot snapshot = cluster.Freeze();
  const auto refusal = ReferenceRefusal(TablesOf(snapshot), Profile("allocate", "gang predicates"),
                                        *snapshot.FindTask(task), *snapshot.FindNode(node));
  if (!refusal) return "accepted";
  return std::to_string(static_cast<int>(refusal->code)) + " " + refusal->detail;
}

std::string Code(RefusalCode code, const std::string& detail = "") {
  return std::to_string(static_cast<int>(code)) + " " + detail;
}

TEST(Filters, SelectorsAndExpressions) {
  TaskShape shape;
  shape.node_selector = {{"zone", "zb"}};
  EXPECT_EQ(Zones().Place(shape), "bind j0 n2");
  shape.node_selector = {};
  shape.required_node_affinity = {
      {{.match_expressions = {{"zone", RequirementOp::kNotIn, {"za"}}}}}};
  EXPECT_EQ(Zones().Place(shape), "bind j0 n2");
  shape.required_node_affinity = {
      {{.match_fields = {{"metadata.name", RequirementOp::kIn, {"n1"}}}}}};
  EXPECT_EQ(Zones().Place(shape), "bind j0 n1");
  shape.required_node_affinity = std::vector<NodeTerm>();
  EXPECT_EQ(Zones().Place(shape), "");
}

TEST(Filters, TaintsAndClosedNodes) {
  Cluster cluster;
  Node(cluster, {.name = "a",
                 .capacity = {{"cpu", 1}},
                 .taints = {{"gpu", "only", TaintEffect::kNoSchedule}}});
  Node(cluster, {.name = "b", .capacity = {{"cpu", 1}}, .unschedulable = true});
  Node(cluster, {.name = "c", .capacity = {{"cpu", 1}}, .ready = false});
  Job(cluster, {.name = "j"}, 1, {{"cpu", 1}});
  EXPECT_EQ(Refused(cluster, "j0", "a"), Code(RefusalCode::kTaint, "gpu=only"));
  EXPECT_EQ(Refused(cluster, "j0", "b"), Code(RefusalCode::kUnschedulable));
  // Volcano does not look at a node's Ready condition; the taint that comes with it keeps tasks
  // off.
  EXPECT_EQ(Refused(cluster, "j0", "c"), "accepted");
  TaskShape shape;
  shape.request = {{"cpu", 1}};
  shape.tolerations = {{"gpu", TolerationOp::kExists, "", TaintEffect::kUnset}};
  JobOf(cluster, shape, {.name = "k"}, 1);
  EXPECT_EQ(Refused(cluster, "k0", "a"), "accepted");
}

TEST(Filters, NodeRulesAreNamedBeforeResourcesAndThoseBeforePods) {
  Cluster cluster;
  Node(cluster, {.name = "a",
                 .capacity = {{"cpu", 1}, {"pods", 0}},
                 .taints = {{"t", "", TaintEffect::kNoSchedule}}});
  Node(cluster, {.name = "b", .capacity = {{"cpu", 1}, {"pods", 0}}});
  Job(cluster, {.name = "j"}, 1, {{"cpu", 2}});
  Job(cluster, {.name = "k"}, 1, {{"cpu", 1}});
  EXPECT_EQ(Refused(cluster, "j0", "a"), Code(RefusalCode::kTaint, "t"));
  EXPECT_EQ(Refused(cluster, "j0", "b"), Code(RefusalCode::kInsufficient));
  EXPECT_EQ(Refused(cluster, "k0", "b"), Code(RefusalCode::kInsufficient));  // one of the pods
}

TEST(Filters, PortsConflictAcrossAddressesOnlyWithTheWildcard) {
  Zones zones;
  TaskShape there;
  there.host_ports = {{.ip = "10.0.0.1", .port = 80}};
  zones.There("old", "n0", there);
  TaskShape other = there;
  other.host_ports[0].ip = "10.0.0.2";
  EXPECT_EQ(zones.Place(other), "bind j0 n0");
  Zones again;
  again.There("old", "n0", there);
  TaskShape any = there;
  any.host_ports[0].ip = "0.0.0.0";
  EXPECT_EQ(again.Place(any, 3), "bind j0 n1; bind j1 n2");
}

TEST(Affinity, FollowsATaskIntoItsZone) {
  Zones zones;
  zones.There("old", "n2");
  TaskShape shape;
  shape.required_affinity = {{.topology_key = "zone", .selector = App("x")}};
  EXPECT_EQ(zones.Place(shape), "bind j0 n2");
}

TEST(Affinity, TheFirstOfAGroupMayGoAnywhereTheOthersFollow) {
  TaskShape shape;
  shape.labels = {{"app", "g"}};
  shape.required_affinity = {{.topology_key = "kubernetes.io/hostname", .selector = App("g")}};
  EXPECT_EQ(Zones().Place(shape, 2), "bind j0 n0; bind j1 n0");
  shape.labels = {};  // does not match itself
  EXPECT_EQ(Zones().Place(shape), "");
}

TEST(Affinity, AntiAffinityWorksFromBothSides) {
  TaskShape shape;
  shape.labels = {{"app", "g"}};
  shape.required_anti_affinity = {{.topology_key = "zone", .selector = App("g")}};
  EXPECT_EQ(Zones().Place(shape, 3), "bind j0 n0; bind j1 n2");
  Zones zones;
  zones.There("old", "n0", shape);
  TaskShape plain;
  plain.labels = {{"app", "g"}};
  EXPECT_EQ(zones.Place(plain), "bind j0 n2");
}

TEST(Affinity, OtherNamespacesDoNotCountUnlessNamed) {
  Zones zones;
  TaskShape other;
  other.name_space = "other";
  zones.There("old", "n2", other);
  TaskShape shape;
  shape.required_affinity = {{.topology_key = "zone", .selector = App("x")}};
  EXPECT_EQ(zones.Place(shape), "");
  Zones named;
  named.There("old", "n2", other);
  shape.required_affinity[0].namespaces = {"other"};
  EXPECT_EQ(named.Place(shape), "bind j0 n2");
}

TaskShape Spread(bool required = true) {
  TaskShape shape;
  shape.labels = {{"app", "s"}};
  shape.spread = {
      {.topology_key = "zone", .max_skew = 1, .required = required, .selector = App("s")}};
  return shape;
}

TEST(Spread, KeepsZonesWithinTheSkew) {
  EXPECT_EQ(Zones().Place(Spread(), 4), "bind j0 n0; bind j1 n2; bind j2 n0; bind j3 n2");
}

TEST(Spread, TooFewDomainsCountAsAnEmptyOne) {
  TaskShape shape = Spread();
  shape.spread[0].min_domains = 3;
  EXPECT_EQ(Zones().Place(shape, 3), "bind j0 n0; bind j1 n2");
}

TEST(Spread, NodesWithoutTheKeyAreRefused) {
  Zones zones;
  Node(zones.cluster, {.name = "bare", .capacity = {{"cpu", 1}}});
  TaskShape shape = Spread();
  shape.request = {{"cpu", 1}};
  JobOf(zones.cluster, shape, {.name = "j"}, 1);
  EXPECT_EQ(Refused(zones.cluster, "j0", "bare"), Code(RefusalCode::kSpreadLabel));
}

TEST(Spread, SoftConstraintsOnlyScore) {
  Zones zones;
  TaskShape there;
  there.labels = {{"app", "s"}};
  for (const char* name : {"o1", "o2", "o3"}) zones.There(name, "n0", there);
  zones.There("o4", "n2", there);
  TaskShape shape = Spread(false);
  shape.request = {{"cpu", 1}};
  JobOf(zones.cluster, shape, {.name = "j"}, 1);
  EXPECT_EQ(Decide(zones.cluster, Profile("allocate", "predicates nodeorder")), "bind j0 n2");
}

}  // namespace
}  // namespace muster::testing
