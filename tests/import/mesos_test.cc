// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A Mesos master's answers: what they become, and what a plan then decides.
#include "muster/schedule.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

ObjectJson MesosObject(const std::string& kind, ObjectJson spec) {
  return {{"apiVersion", "mesos.apache.org/v1"},
          {"kind", kind},
          {"metadata", {{"name", "master"}}},
          {"spec", std::move(spec)}};
}

std::vector<ObjectJson> Master() {
  const ObjectJson agent = {
      {"id", "S0"},
      {"hostname", "a1"},
      {"resources",
       {{"cpus", 8.0}, {"mem", 4096.0}, {"disk", 0.0}, {"ports", "[31000-31999, 32001-32002]"}}},
      {"reserved_resources", {{"eng", {{"cpus", 2.0}, {"mem", 512}}}}},
      {"attributes", {{"os", "linux"}}},
      {"domain", {{"fault_domain", {{"zone", {{"name", "z1"}}}}}}}};
  const ObjectJson task = {{"id", "7"},
                           {"slave_id", "S0"},
                           {"state", "TASK_RUNNING"},
                           {"resources", {{"cpus", 1.5}, {"mem", 64.0}}}};
  const ObjectJson ended = {{"id", "6"}, {"slave_id", "S0"}, {"state", "TASK_FINISHED"}};
  const ObjectJson framework = {{"id", "F0"},
                                {"name", "spark"},
                                {"roles", {"eng/ads", "ops"}},
                                {"capabilities", {"MULTI_ROLE", "GPU_RESOURCES"}},
                                {"tasks", ObjectJson::array({task, ended})}};
  const ObjectJson role = {
      {"name", "eng"}, {"weight", 2.5}, {"quota", {{"limit", {{"cpus", 4.0}, {"mem", 1024.0}}}}}};
  return {MesosObject("State", {{"slaves", ObjectJson::array({agent})},
                                {"frameworks", ObjectJson::array({framework})}}),
          MesosObject("Roles", {{"roles", ObjectJson::array({role})}})};
}

TEST(MesosImport, AgentsRolesFrameworksAndTasks) {
  const Import import = Imported(Master(), {});
  const ClusterSpec& cluster = import.scenario.cluster;
  EXPECT_EQ(import.scenario.profile, "mesos");
  ASSERT_EQ(cluster.nodes.size(), 1u);
  EXPECT_EQ(cluster.nodes[0].name, "a1");
  EXPECT_EQ(
      cluster.nodes[0].settings,
      (Labels{{"mesos/resources", "ports:[31000-31999,32001-32002];cpus(eng):2.0;mem(eng):512"},
              {"mesos/zone", "z1"}}));
  ASSERT_EQ(cluster.queues.size(), 2u);
  EXPECT_EQ(cluster.queues[0].settings, (Labels{{"mesos/weight", "2.5"}}));
  EXPECT_EQ(cluster.queues[1].name, "eng/ads");
  EXPECT_EQ(cluster.queues[1].parent, "eng");
  ASSERT_EQ(cluster.jobs.size(), 1u);
  EXPECT_EQ(cluster.jobs[0].queue, "eng/ads");
  EXPECT_EQ(cluster.jobs[0].settings, (Labels{{"mesos/capabilities", "GPU_RESOURCES"}}));
  ASSERT_EQ(cluster.tasks.size(), 1u);
  EXPECT_EQ(cluster.tasks[0].name, "spark/7");
  EXPECT_EQ(cluster.tasks[0].node, "a1");
  std::string report;
  for (const ImportEntry& entry : import.report) report += Describe(entry) + "\n";
  EXPECT_THAT(report, HasSubstr("a job has one queue; the first role is read"));
}

// What the master answers, as it is.
TEST(MesosImport, AnswersNeedNoWrapping) {
  std::vector<ObjectJson> answers;
  for (const ObjectJson& object : Master()) answers.push_back(object["spec"]);
  EXPECT_EQ(WriteScenario(Imported(answers, {}).scenario),
            WriteScenario(Imported(Master(), {}).scenario));
}

TEST(MesosImport, ThePlanOffersWhatIsFree) {
  Import import = Imported(Master(), {});
  import.scenario.cluster.tasks.push_back({.name = "t", .job = "spark", .shape = {
                                             .request =
                                             { {"cpu", 1},
                                               { "memory",
                                                 "64Mi" } }
                                           }});
  Cluster cluster;
  ASSERT_TRUE(Fill(import.scenario, &cluster).ok());
  const absl::StatusOr<Plan> plan = cluster.Schedule("mesos");
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_FALSE(plan->offers().empty());
  EXPECT_THAT(plan->ToText(), HasSubstr("bind t to a1"));
}

TEST(MesosImport, WeightsMayHaveFractions) {
  const auto import = [](const ObjectJson& weight) {
    return TryImport({MesosObject("Roles", {{"roles", {{{"name", "a"}, {"weight", weight}}}}})},
                     {});
  };
  const auto queue = [&](const ObjectJson& weight) {
    return import(weight)->scenario.cluster.queues[0];
  };
  EXPECT_EQ(queue(3.0).weight, 3);
  EXPECT_THAT(queue(3.0).settings, ::testing::IsEmpty());
  EXPECT_EQ(queue(0.5).settings, (Labels{{"mesos/weight", "0.5"}}));
  for (const ObjectJson& weight :
       {ObjectJson(0), ObjectJson(-1), ObjectJson(2e9), ObjectJson("x")}) {
    EXPECT_THAT(import(weight).status().message(),
                HasSubstr("is no weight that a role has; 0.000001 to 1000000000 is"))
        << weight;
  }
}

TEST(MesosImport, WrongAnswersAreRefused) {
  std::vector<ObjectJson> master = Master();
  master[0]["spec"]["slaves"][0].erase("hostname");
  master[0]["spec"]["slaves"][0].erase("id");
  EXPECT_THAT(TryImport(master, {}).status().message(), HasSubstr("each agent has an id"));
  EXPECT_THAT(TryImport({MesosObject("Roles", {{"roles", 3}})}, {}).status().message(),
              HasSubstr("roles"));
}

}  // namespace
}  // namespace muster
