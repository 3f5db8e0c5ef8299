// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a Ray cluster answers: what it becomes, and what a plan then decides.
#include "muster/schedule.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ObjectJson RayObject(const std::string& kind, ObjectJson spec) {
  return {{"apiVersion", "state.ray.io/v1"},
          {"kind", kind},
          {"metadata", {{"name", "cluster"}}},
          {"spec", std::move(spec)}};
}

ObjectJson RayNodes() {
  const auto node = [](const char* id, const char* name, const char* state, double cpus) {
    return ObjectJson{{"node_id", id},
                      {"node_name", name},
                      {"state", state},
                      {"resources_total", {{"CPU", cpus}, {"GPU", 1.0}, {"node:10.0.0.1", 1.0}}},
                      {"labels", {{"rack", "r1"}}}};
  };
  return RayObject(
      "Nodes", {{"nodes", ObjectJson::array(
                              {node("a0", "head", "ALIVE", 4), node("a1", "worker", "ALIVE", 8),
                               node("a2", "worker", "ALIVE", 8), node("a3", "old", "DEAD", 8)})}});
}

ObjectJson RayGroup(const char* state, const char* strategy, ObjectJson places) {
  return {{"name", "g"},
          {"state", state},
          {"strategy", strategy},
          {"bundles", {{"0", {{"CPU", 2}}}, {"1", {{"CPU", 2}, {"GPU", 0.5}}}}},
          {"bundles_to_node_id", std::move(places)}};
}

std::string WrongAnswer(const std::vector<ObjectJson>& answers) {
  return std::string(TryImport(answers, {}).status().message());
}

TEST(RayImport, NodesThatAreAlive) {
  const ClusterSpec cluster = Imported({RayNodes()}, {}).scenario.cluster;
  ASSERT_EQ(cluster.nodes.size(), 3u);
  EXPECT_EQ(cluster.nodes[0].name, "head");
  EXPECT_EQ(cluster.nodes[1].name, "a1");
  EXPECT_EQ(cluster.nodes[0].labels, (Labels{{"rack", "r1"}}));
  EXPECT_EQ(cluster.nodes[0].capacity.size(), 3u);  // cpu, GPU, tasks
}

// What `ray list ... --format json` prints.
TEST(RayImport, ListsAsTheyArePrinted) {
  ObjectJson printed = RayNodes()["spec"]["nodes"];
  const ObjectJson bundle = {
      {"bundle_id", {{"bundle_index", 0}}}, {"unit_resources", {{"CPU", 2}}}, {"node_id", "a1"}};
  printed.push_back({{"placement_group_id", "p0"},
                     {"name", "g"},
                     {"state", "CREATED"},
                     {"bundles", ObjectJson::array({bundle})}});
  printed.push_back({{"placement_group_id", "p1"}, {"state", "REMOVED"}, {"bundles", nullptr}});
  const absl::StatusOr<Import> import = ImportObjects(printed.dump(), {});
  ASSERT_TRUE(import.ok()) << import.status();
  const ClusterSpec& cluster = import->scenario.cluster;
  EXPECT_EQ(import->scenario.profile, "ray");
  ASSERT_EQ(cluster.nodes.size(), 3u);
  EXPECT_EQ(cluster.nodes[0].name, "head");
  ASSERT_EQ(cluster.tasks.size(), 1u);
  EXPECT_EQ(cluster.tasks[0].name, "p0-0");
  EXPECT_EQ(cluster.tasks[0].node, "a1");
  ASSERT_EQ(cluster.jobs.size(), 1u);
  EXPECT_EQ(cluster.jobs[0].bundle_strategy, BundleStrategy::kPack);
  ASSERT_EQ(import->report.size(), 1u);
  EXPECT_EQ(Describe(import->report[0]),
            "PlacementGroups p0: strategy: ray list has none; PACK, the default, is read");
  printed.back()["state"] = "PENDING";
  EXPECT_THAT(std::string(ImportObjects(printed.dump(), {}).status().message()),
              HasSubstr("PlacementGroups p1: bundles: not listed; ray list placement-groups "
                        "--detail lists them"));
}

ObjectJson ListedBundle(const ObjectJson& index, int cpus) {
  return {{"bundle_id", {{"bundle_index", index}}}, {"unit_resources", {{"CPU", cpus}}}};
}

absl::StatusOr<Import> ImportListed(const char* state, const std::vector<ObjectJson>& bundles) {
  const ObjectJson group = {{"placement_group_id", "p"}, {"state", state}, {"bundles", bundles}};
  return ImportObjects(group.dump(), {});
}

TEST(RayImport, BundlesOfAListHaveTheirIndexes) {
  const absl::StatusOr<Import> import =
      ImportListed("PENDING", {ListedBundle(7, 1), ListedBundle(1, 2), ListedBundle(nullptr, 3)});
  ASSERT_TRUE(import.ok()) << import.status();
  std::vector<std::string> bundles;
  for (const TaskSpec& task : import->scenario.cluster.tasks) {
    bundles.push_back(task.name + " " + task.shape.request[0].second.text);
  }
  EXPECT_THAT(bundles, ElementsAre("p-1 2", "p-2 3", "p-7 1"));
  const std::string place = "PlacementGroups p: bundles[1]";
  EXPECT_EQ(ImportListed("PENDING", {ListedBundle(3, 1), ListedBundle(3, 1)}).status().message(),
            place + ".bundle_id.bundle_index: bundle 3 is listed twice");
  EXPECT_EQ(
      ImportListed("PENDING", {ListedBundle(1, 1), ListedBundle(nullptr, 1)}).status().message(),
      place + ": bundle 1 is listed twice");
  EXPECT_EQ(ImportListed("PENDING", {ListedBundle(0, 1), ListedBundle(-1, 1)}).status().message(),
            place + ".bundle_id.bundle_index: -1 is no index; 0 or more is");
  EXPECT_EQ(ImportListed("PENDING", {ListedBundle(0, 1), ListedBundle("x", 1)}).status().message(),
            place + ".bundle_id.bundle_index: \"x\" is no index; 0 or more is");
}

TEST(RayImport, StatesOfPlacementGroups) {
  const auto table = [](const char* state) {
    return TryImport({RayObject("PlacementGroups", {{"p", RayGroup(state, "PACK", {})}})}, {});
  };
  for (const char* state : {"PENDING", "PREPARED", "CREATED", "RESCHEDULING", "INFEASIBLE"}) {
    for (const absl::StatusOr<Import>& import :
         {ImportListed(state, {ListedBundle(0, 1)}), table(state)}) {
      ASSERT_TRUE(import.ok()) << import.status();
      EXPECT_EQ(import->scenario.cluster.jobs.size(), 1u) << state;
    }
  }
  for (const absl::StatusOr<Import>& import :
       {ImportListed("REMOVED", {ListedBundle(0, 1)}), table("REMOVED")}) {
    ASSERT_TRUE(import.ok()) << import.status();
    EXPECT_TRUE(import->scenario.cluster.jobs.empty());
  }
  const std::string rule =
      "state: \"FOO\" is no state; PENDING, PREPARED, CREATED, RESCHEDULING, INFEASIBLE or "
      "REMOVED is";
  EXPECT_EQ(ImportListed("FOO", {ListedBundle(0, 1)}).status().message(),
            "PlacementGroups p: " + rule);
  EXPECT_EQ(table("FOO").status().message(), "PlacementGroups cluster: spec.p." + rule);
}

TEST(RayImport, MemoryAsItIsPrinted) {
  const auto read = [](const char* key, const ObjectJson& amount) {
    const ObjectJson node = {
        {"node_id", "a"}, {"state", "ALIVE"}, {"resources_total", {{key, amount}}}};
    return ImportObjects(node.dump(), {});
  };
  for (const auto& [amount, bytes] :
       std::vector<std::pair<ObjectJson, std::string>>{{"7.500 GiB", "8053063680"},
                                                       {"0.001 KiB", "2"},
                                                       {"12.000 B", "12"},
                                                       {8053063680.0, "8053063680.0"}}) {
    const absl::StatusOr<Import> import = read("object_store_memory", amount);
    ASSERT_TRUE(import.ok()) << import.status();
    EXPECT_EQ(import->scenario.cluster.nodes[0].capacity[0].second.text, bytes);
  }
  for (const auto& [key, amount] : std::vector<std::pair<const char*, const char*>>{
           {"memory", "GiB"}, {"memory", "-1.000 GiB"}, {"memory", "1 TB"}, {"CPU", "1.000 GiB"}}) {
    EXPECT_THAT(std::string(read(key, amount).status().message()), HasSubstr("is no amount"))
        << key;
  }
}

TEST(RayImport, GroupsAndTheirBundles) {
  const ObjectJson table =
      RayObject("PlacementGroups", {{"p0", RayGroup("CREATED", "SPREAD", {{"0", "a1"}, {"1", ""}})},
                                    {"p1", RayGroup("PENDING", "STRICT_PACK", {{"0", "a3"}})},
                                    {"p2", RayGroup("REMOVED", "PACK", {})}});
  const ObjectJson load =
      RayObject("LoadMetrics", {{"pgDemand", {{{{"bundles", {}}, {"strategy", "PACK"}}, 1}}}});
  const Import import = Imported({RayNodes(), table, load}, {});
  const ClusterSpec& cluster = import.scenario.cluster;
  EXPECT_EQ(import.scenario.profile, "ray");
  ASSERT_EQ(cluster.jobs.size(), 2u);
  EXPECT_EQ(cluster.jobs[0].bundle_strategy, BundleStrategy::kSpread);
  EXPECT_EQ(cluster.jobs[1].bundle_strategy, BundleStrategy::kStrictPack);
  ASSERT_EQ(cluster.tasks.size(), 4u);
  EXPECT_EQ(cluster.tasks[0].node, "a1");
  EXPECT_EQ(cluster.tasks[1].status, TaskStatus::kPending);
  EXPECT_EQ(cluster.tasks[2].node, "");
  std::string report;
  for (const ImportEntry& entry : import.report) report += Describe(entry) + "\n";
  EXPECT_THAT(report, HasSubstr("no node that is alive has this id"));
}

TEST(RayImport, DemandsWait) {
  const ObjectJson load = RayObject(
      "LoadMetrics",
      {{"usage", {{"CPU", {1.0, 4.0}}}},
       {"resourceDemand", ObjectJson::array({ObjectJson::array({ObjectJson{{"CPU", 2}}, 2})})},
       {"pgDemand",
        ObjectJson::array({ObjectJson::array(
            {ObjectJson{
                 {"bundles", ObjectJson::array({ObjectJson::array({ObjectJson{{"CPU", 1}}, 3})})},
                 {"strategy", "STRICT_SPREAD"}},
             2})})}});
  const Import import = Imported({RayNodes(), load}, {});
  ASSERT_EQ(import.scenario.cluster.jobs.size(), 3u);
  EXPECT_EQ(import.scenario.cluster.tasks.size(), 8u);
  Cluster cluster;
  ASSERT_TRUE(Fill(import.scenario, &cluster).ok());
  const absl::StatusOr<Plan> plan = cluster.Schedule("ray");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->binds().size(), 8u);
}

TEST(RayImport, RefusesWhatIsNone) {
  EXPECT_THAT(WrongAnswer({RayObject(
                  "Nodes", {{"nodes", ObjectJson::array({ObjectJson{{"node_name", "x"}}})}})}),
              HasSubstr("each node has an id"));
  EXPECT_THAT(
      WrongAnswer({RayObject("PlacementGroups", {{"p", RayGroup("PENDING", "PACKED", {})}})}),
      HasSubstr("\"PACKED\" is no strategy; PACK, SPREAD, STRICT_PACK or STRICT_SPREAD is"));
  EXPECT_THAT(
      WrongAnswer({RayObject(
          "LoadMetrics", {{"resourceDemand",
                           ObjectJson::array({ObjectJson::array({ObjectJson{{"CPU", 1}}, 0})})}})}),
      HasSubstr("[AMOUNTS, COUNT]"));
  EXPECT_THAT(WrongAnswer({RayObject("LoadMetrics",
                                     {{"resourceDemand", ObjectJson::array({ObjectJson::array(
                                                             {ObjectJson{{"CPU", -1}}, 1})})}})}),
              HasSubstr("-1 is no amount; 0 or more is"));
}

ObjectJson RayLoad(const std::string& key, ObjectJson value) {
  return RayObject("LoadMetrics", {{key, std::move(value)}});
}

// [[amounts, count]]
ObjectJson RayDemands(ObjectJson amounts, int64_t count) {
  return ObjectJson::array({ObjectJson::array({std::move(amounts), count})});
}

ObjectJson RayNode(const char* id, const char* name, ObjectJson amounts) {
  return {{"node_id", id},
          {"node_name", name},
          {"state", "ALIVE"},
          {"resources_total", std::move(amounts)}};
}

ObjectJson RayNodeList(const std::vector<ObjectJson>& nodes, const char* object = "cluster") {
  ObjectJson list = RayObject("Nodes", {{"nodes", nodes}});
  list["metadata"]["name"] = object;
  return list;
}

TEST(RayImport, CountsOfDemandsAreWithinTheLimit) {
  const ObjectJson pairs = {{"bundles", RayDemands({{"CPU", 1}}, 10'000)}, {"strategy", "PACK"}};
  const ObjectJson groups = RayLoad("pgDemand", RayDemands(pairs, 1'000'000));
  EXPECT_EQ(TryImport({groups}, {.limits = {.rows = 40'000}}).status().message(),
            "LoadMetrics cluster: spec.pgDemand[0][0].bundles[0]: makes 40004 jobs and tasks in "
            "all; at most 40000 are made");
  const ObjectJson nine = RayLoad("resourceDemand", RayDemands({{"CPU", 1}}, 9));
  EXPECT_EQ(Imported({nine}, {.limits = {.rows = 10}}).scenario.cluster.tasks.size(), 9u);
  const ObjectJson ten = RayLoad("resourceDemand", RayDemands({{"CPU", 1}}, 10));
  EXPECT_EQ(TryImport({ten}, {.limits = {.rows = 10}}).status().message(),
            "LoadMetrics cluster: spec.resourceDemand[0]: makes 11 jobs and tasks in all; at most "
            "10 are made");
}

// Demands are counted before their tasks are made: this makes none of three million.
TEST(RayImport, DemandsAreWithinTheDefaultLimit) {
  const ObjectJson million = ObjectJson::array({ObjectJson{{"CPU", 1}}, 1'000'000});
  const ObjectJson load =
      RayLoad("resourceDemand", ObjectJson::array({million, million, million, million, million}));
  EXPECT_EQ(WrongAnswer({load}),
            "LoadMetrics cluster: spec.resourceDemand[3]: makes 4000004 jobs and tasks in all; at "
            "most 4000000 are made");
}

TEST(RayImport, RefusesWhatItCannotRead) {
  ObjectJson node = RayNode("a0", "n", {{"CPU", 1}});
  node["state"] = nullptr;
  EXPECT_EQ(WrongAnswer({RayNodeList({node})}),
            "Nodes cluster: spec.nodes[0].state: null is no state; ALIVE or DEAD is");
  node.erase("state");
  EXPECT_EQ(WrongAnswer({RayNodeList({node})}),
            "Nodes cluster: spec.nodes[0].state: nothing is no state; ALIVE or DEAD is");
  EXPECT_EQ(WrongAnswer({RayLoad("resourceDemand", RayDemands(3, 1))}),
            "LoadMetrics cluster: spec.resourceDemand[0][0]: expected an object of resources and "
            "amounts, got 3");
  EXPECT_EQ(WrongAnswer({RayLoad("pgDemand", 3)}),
            "LoadMetrics cluster: spec.pgDemand: expected an array, got 3");
  EXPECT_THAT(WrongAnswer({RayLoad("resourceDemand", {{"a", ObjectJson::object()}})}),
              HasSubstr("spec.resourceDemand: expected an array"));
}

TEST(RayImport, ReportsWhatTheAutoscalerIsToKeep) {
  const ObjectJson load = RayLoad("requestDemand", RayDemands({{"CPU", 1}}, 2));
  const Import import = Imported({RayNodes(), load}, {});
  EXPECT_TRUE(import.scenario.cluster.tasks.empty());
  EXPECT_THAT(Lines(import),
              ElementsAre("LoadMetrics cluster: spec.requestDemand: nothing waits for what "
                          "programs make the autoscaler keep; it is not read"));
  EXPECT_THAT(Lines(Imported({RayNodes(), RayLoad("requestDemand", ObjectJson::array())}, {})),
              IsEmpty());
}

TEST(RayImport, RefusesAmountsByTheirPlaces) {
  const auto refusal = [](ObjectJson amounts) {
    return WrongAnswer({RayNodeList({RayNode("a0", "n", std::move(amounts))})});
  };
  const std::string place = "Nodes cluster: spec.nodes[0].resources_total.";
  EXPECT_EQ(refusal({{"CPU", "inf"}}), place + "CPU: \"inf\" is no amount; 0 or more is");
  EXPECT_EQ(refusal({{"CPU", 1e30}}), place +
                                          "CPU: 1e+30 is too large; 9007199254740 or less is "
                                          "read");
  EXPECT_EQ(refusal({{"memory", int64_t{1} << 54}}),
            place + "memory: 18014398509481984 is too large; 9007199254740992 or less is read");
  EXPECT_EQ(refusal({{"CPU", 1}, {"cpu", 1}}), place + "cpu: another resource is \"cpu\" already");
  EXPECT_EQ(refusal({{"nvidia.com/gpu", 1}, {"GPU", 1}}),
            place + "GPU: another resource is \"nvidia.com/gpu\" already");
  EXPECT_EQ(refusal({{"pods", 1}}), place + "pods: another resource is \"pods\" already");
  const ObjectJson most = RayNode("a0", "n", {{"memory", int64_t{1} << 53}, {"CPU", 9e12}});
  EXPECT_EQ(Imported({RayNodeList({most})}, {}).scenario.cluster.nodes.size(), 1u);
}

TEST(RayImport, NamesNodesOfAllLists) {
  const ObjectJson amounts = {{"CPU", 1}};
  const Import import =
      Imported({RayNodeList({RayNode("a0", "n", amounts), RayNode("a1", "b0", amounts)}, "first"),
                RayNodeList({RayNode("b0", "n", amounts)}, "second")},
               {});
  std::vector<std::string> names;
  for (const NodeSpec& node : import.scenario.cluster.nodes) names.push_back(node.name);
  EXPECT_THAT(names, ElementsAre("a0", "a1", "b0"));
  EXPECT_EQ(WrongAnswer({RayNodeList({RayNode("a0", "n", amounts)}, "first"),
                         RayNodeList({RayNode("a0", "m", amounts)}, "second")}),
            "Nodes second: spec.nodes[0].node_id: \"a0\" is listed twice");
}

}  // namespace
}  // namespace muster
