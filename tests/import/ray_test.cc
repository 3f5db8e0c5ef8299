// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a Ray cluster answers: what it becomes, and what a plan then decides.
#include "muster/schedule.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace muster
