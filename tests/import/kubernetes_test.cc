// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What every importer reads of Kubernetes' own objects.
#include "lib/import/kubernetes.h"

#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr PodRules kOld = {.modern = false, .ephemeral_storage = false, .separate_init = true};

// The objects of a dump, kept.
class Read {
 public:
  explicit Read(const ObjectJson& object)
      : dump_(ReadJsonObjects(object.dump(), &budget_).value(), &log) {}
  const ApiObject& object() const { return *dump_.all()[0]; }

  ImportLog log;

 private:
  Budget budget_;
  Dump dump_;
};

ObjectJson Container(const std::string& cpu, const ObjectJson& more = ObjectJson::object()) {
  ObjectJson container = ContainerJson({{"cpu", cpu}});
  container["name"] = "c" + cpu;
  container.update(more);
  return container;
}

// {held, needed}
std::pair<std::string, std::string> Requests(const ObjectJson& pod, const PodRules& rules = {}) {
  const Read read(pod);
  const PodAmounts amounts = ReadRequests(read.object(), rules);
  EXPECT_TRUE(read.log.ok()) << read.log.status();
  return {Words(ToResources(amounts.held)), Words(ToResources(amounts.needed))};
}

TEST(Requests, InitContainersCountWithTheSidecarsStartedBeforeThem) {
  const ObjectJson init = {Container("3"), Container("1", {{"restartPolicy", "Always"}}),
                           Container("4")};
  EXPECT_EQ(
      Requests(PodJson("p", {{"initContainers", init}, {"containers", {Container("2")}}})).first,
      "cpu=5");
  EXPECT_EQ(
      Requests(PodJson("p", {{"initContainers", init}, {"containers", {Container("6")}}})).first,
      "cpu=7");
}

TEST(Requests, PodLevelRequestsReplaceAndOverheadAdds) {
  EXPECT_EQ(Requests(PodJson("p", {{"containers", {Container("2")}},
                                   {"resources", {{"requests", {{"cpu", "10"}}}}},
                                   {"overhead", {{"cpu", "250m"}, {"memory", "5"}}}}))
                .first,
            "cpu=10250m memory=5");
}

TEST(Requests, OldRulesKeepWhatStartingTakesApart) {
  EXPECT_EQ(Requests(PodJson("p", {{"initContainers", {Container("5")}},
                                   {"containers", {Container("2")}},
                                   {"overhead", {{"cpu", "1"}}}}),
                     kOld),
            std::pair(std::string("cpu=2"), std::string("cpu=5")));
}

TEST(Requests, AResizeUnderWayCountsTheLargerSide) {
  ObjectJson pod = PodJson("p", {{"containers", {ContainerJson({{"cpu", "2"}})}}});
  pod["status"]["containerStatuses"] = {
      {{"name", "c"}, {"resources", {{"requests", {{"cpu", "3"}}}}}}};
  EXPECT_EQ(Requests(pod).first, "cpu=3");
  pod["spec"]["containers"] = ObjectJson::array({ContainerJson({{"cpu", "9"}})});
  EXPECT_EQ(Requests(pod).first, "cpu=9");
  pod["status"]["conditions"] = {{{"type", "PodResizePending"}, {"reason", "Infeasible"}}};
  EXPECT_EQ(Requests(pod).first, "cpu=3");
}

TEST(Requests, PartsAreAddedBeforeTheyAreRounded) {
  const ObjectJson half = ContainerJson({{"cpu", "0.4m"}, {"memory", "500m"}});
  EXPECT_EQ(Requests(PodJson("p", {{"containers", {half, half}}})).first, "cpu=1m memory=1");
}

TEST(Requests, GuaranteedPodsHaveLimitsThatTheyRequest) {
  const auto guaranteed = [](const ObjectJson& resources) {
    const Read read(PodJson("p", {{"containers", {{{"resources", resources}}}}}));
    return IsGuaranteed(read.object());
  };
  const ObjectJson limits = {{"cpu", "1"}, {"memory", "1Gi"}};
  EXPECT_TRUE(guaranteed({{"limits", limits}}));
  EXPECT_TRUE(guaranteed({{"limits", limits}, {"requests", {{"cpu", "1000m"}}}}));
  EXPECT_FALSE(guaranteed({{"limits", limits}, {"requests", {{"cpu", "500m"}}}}));
  EXPECT_FALSE(guaranteed({{"limits", {{"cpu", "1"}}}}));
  const Read said(With(PodJson(), "/status/qosClass", "Guaranteed"));
  EXPECT_TRUE(IsGuaranteed(said.object()));
}

TaskShape Shape(const ObjectJson& spec, std::vector<std::string>* fields = nullptr) {
  ObjectJson pod = PodJson("p", spec);
  pod["metadata"]["labels"] = {{"app", "x"}};
  const Read read(pod);
  TaskShape shape = ReadShape(read.object(), {});
  EXPECT_TRUE(read.log.ok()) << read.log.status();
  if (fields != nullptr) {
    for (const ImportEntry& entry : read.log.entries()) fields->push_back(entry.field);
  }
  return shape;
}

TEST(Shapes, PlacementRulesKeepTheirMeaning) {
  constexpr char kRequired[] = "requiredDuringSchedulingIgnoredDuringExecution";
  constexpr char kPreferred[] = "preferredDuringSchedulingIgnoredDuringExecution";
  const ObjectJson term = {{"labelSelector", {{"matchLabels", {{"app", "y"}}}}},
                           {"topologyKey", "zone"},
                           {"namespaceSelector", ObjectJson::object()}};
  const ObjectJson near = {{"weight", 5}, {"podAffinityTerm", {{"topologyKey", "host"}}}};
  const TaskShape shape = Shape(
      {{"nodeSelector", {{"disk", "ssd"}}},
       {"tolerations",
        {{{"key", "a"}, {"operator", "Exists"}},
         {{"key", "b"}, {"value", "c"}, {"effect", "NoSchedule"}}}},
       {"affinity",
        {{"nodeAffinity", {{kRequired, {{"nodeSelectorTerms", ObjectJson::array()}}}}},
         {"podAntiAffinity",
          {{kRequired, ObjectJson::array({term})}, {kPreferred, ObjectJson::array({near})}}}}}});
  EXPECT_THAT(shape.node_selector, ElementsAre(Pair("disk", "ssd")));
  EXPECT_THAT(shape.tolerations,
              ElementsAre(Toleration{.key = "a", .op = TolerationOp::kExists},
                          Toleration{"b", TolerationOp::kEqual, "c", TaintEffect::kNoSchedule}));
  ASSERT_TRUE(shape.required_node_affinity.has_value());
  EXPECT_THAT(*shape.required_node_affinity, IsEmpty());
  const AffinityTerm apart = {.topology_key = "zone",
                              .selector = Selector{{{"app", "y"}}, {}},
                              .namespace_selector = Selector{}};
  EXPECT_THAT(shape.required_anti_affinity, ElementsAre(apart));
  EXPECT_THAT(shape.preferred_anti_affinity,
              ElementsAre(PreferredAffinityTerm{5, {.topology_key = "host"}}));
}

TEST(Shapes, SpreadSelectsThePodsOwnLabels) {
  const TaskShape shape = Shape({{"topologySpreadConstraints",
                                  {{{"topologyKey", "zone"},
                                    {"maxSkew", 2},
                                    {"whenUnsatisfiable", "ScheduleAnyway"},
                                    {"nodeTaintsPolicy", "Honor"},
                                    {"labelSelector", ObjectJson::object()},
                                    {"matchLabelKeys", {"app", "no"}}}}}});
  EXPECT_THAT(shape.spread, ElementsAre(SpreadConstraint{
                                .topology_key = "zone",
                                .max_skew = 2,
                                .required = false,
                                .selector = Selector{{}, {{"app", RequirementOp::kIn, {"x"}}}},
                                .honor_taints = true}));
}

TEST(Shapes, HostPortsOfContainersAndSidecars) {
  const ObjectJson port = {{"containerPort", 80}, {"hostPort", 80}};
  const ObjectJson other = {{"hostPort", 9}, {"protocol", "UDP"}, {"hostIP", "10.0.0.1"}};
  const TaskShape shape =
      Shape({{"containers",
              {{{"name", "c"}, {"ports", ObjectJson::array({port, {{"containerPort", 1}}})}}}},
             {"initContainers",
              {{{"name", "s"}, {"restartPolicy", "Always"}, {"ports", ObjectJson::array({other})}},
               {{"name", "i"}, {"ports", ObjectJson::array({port})}}}}});
  EXPECT_THAT(shape.host_ports,
              ElementsAre(HostPort{.port = 80}, HostPort{"10.0.0.1", Protocol::kUdp, 9}));
}

TEST(Shapes, WhatNoScenarioHoldsIsReported) {
  std::vector<std::string> fields;
  Shape({{"volumes", {{{"name", "v"}, {"persistentVolumeClaim", ObjectJson::object()}}}},
         {"resourceClaims", {{{"name", "c"}}}},
         {"tolerations", {{{"operator", "Odd"}}}},
         {"containers", {ContainerJson({{"storage", "1"}})}}},
        &fields);
  EXPECT_THAT(fields, ElementsAre("spec.containers", "spec.tolerations[0]", "spec.volumes[0]",
                                  "spec.resourceClaims"));
}

// An empty key covers every key, which only "Exists" can: so the API server has it.
TEST(Shapes, AnEmptyKeyIsToleratedByExistsAlone) {
  std::vector<std::string> fields;
  const TaskShape shape =
      Shape({{"tolerations",
              {{{"operator", "Exists"}}, {{"effect", "NoExecute"}}, {{"operator", "Equal"}}}},
             {"containers", {ContainerJson({{"cpu", "1"}})}}},
            &fields);
  EXPECT_THAT(shape.tolerations, ElementsAre(Toleration{.op = TolerationOp::kExists}));
  EXPECT_THAT(fields, ElementsAre("spec.tolerations[1]", "spec.tolerations[2]"));
}

TEST(Shapes, OnePlainContainerIsNotListed) {
  EXPECT_THAT(Shape(ObjectJson::object()).containers, IsEmpty());
  const TaskShape two = Shape({{"containers", {ContainerJson(), {{"name", "b"}}}}});
  ASSERT_EQ(two.containers.size(), 2u);
  EXPECT_EQ(Words(two.containers[0].request), "cpu=1");
  EXPECT_EQ(Words(two.containers[1].request), "");
}

TEST(Nodes, ConditionsTaintsAndImages) {
  ObjectJson object = NodeJson("n", {{"cpu", "3500m"}});
  object["status"]["capacity"] = {{"cpu", 4}, {"pods", "110"}, {"storage", "1"}};
  object["status"]["conditions"] = {{{"type", "Ready"}, {"status", "Unknown"}},
                                    {{"type", "DiskPressure"}, {"status", "True"}}};
  object["status"]["images"] = {{{"names", {"a", "b"}}, {"sizeBytes", 7}}};
  object["spec"] = {{"unschedulable", true},
                    {"taints", {{{"key", "k"}, {"effect", "NoSchedule"}}}}};
  const Read read(object);
  const NodeSpec node = ReadNode(read.object(), {});
  EXPECT_EQ(Words(node.capacity), "pods=110 cpu=4");
  EXPECT_EQ(Words(node.allocatable.value()), "pods=0 cpu=3500m");
  EXPECT_TRUE(node.unschedulable && !node.ready && node.disk_pressure && !node.pid_pressure);
  EXPECT_THAT(node.taints, ElementsAre(Taint{"k", "", TaintEffect::kNoSchedule}));
  ASSERT_EQ(node.images.size(), 1u);
  EXPECT_EQ(node.images[0].size, 7);
  EXPECT_TRUE(ReadNode(read.object(), {.conditions = false}).ready);
  ASSERT_EQ(read.log.entries().size(), 1u);
  EXPECT_EQ(Describe(read.log.entries()[0]),
            "Node n: status.capacity: \"storage\" is no resource that the scheduler reckons with");
}

TEST(Selectors, Operators) {
  const auto selects = [](const ObjectJson& selector) {
    const Read read({{"kind", "A"}, {"metadata", {{"name", "a"}}}, {"spec", selector}});
    return Selects(ReadSelector(read.object().root()["spec"]), {{"a", "1"}, {"b", "2"}});
  };
  const auto expression = [&](const char* key, const char* op, const ObjectJson& values) {
    return selects({{"matchExpressions", {{{"key", key}, {"operator", op}, {"values", values}}}}});
  };
  EXPECT_TRUE(selects(ObjectJson::object()));
  EXPECT_FALSE(selects(nullptr));
  EXPECT_TRUE(selects({{"matchLabels", {{"a", "1"}}}}));
  EXPECT_FALSE(selects({{"matchLabels", {{"a", "2"}}}}));
  EXPECT_TRUE(expression("a", "In", {"0", "1"}));
  EXPECT_FALSE(expression("a", "NotIn", {"0", "1"}));
  EXPECT_TRUE(expression("c", "NotIn", {"0"}));
  EXPECT_TRUE(expression("a", "Exists", ObjectJson::array()));
  EXPECT_FALSE(expression("a", "DoesNotExist", ObjectJson::array()));
  EXPECT_FALSE(expression("a", "Odd", {"1"}));
}

}  // namespace
}  // namespace muster
