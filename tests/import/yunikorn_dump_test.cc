// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YuniKorn's state dump: what its sections become, what is named, and what is refused.
#include <fstream>
#include <iterator>
#include <limits>

#include "lib/import/yunikorn.h"
#include "muster/schedule.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

ObjectJson Sample() {
  std::ifstream file("examples/yunikorn_state_dump.json");
  EXPECT_TRUE(file.good());
  return ObjectJson::parse(std::string(std::istreambuf_iterator<char>(file), {}));
}

Import FromDump(const ObjectJson& dump, const ImportOptions& options = {}) {
  absl::StatusOr<Import> import = ImportObjects(dump.dump(), options);
  EXPECT_TRUE(import.ok()) << import.status();
  return import.ok() ? *std::move(import) : Import();
}

std::string DumpRefusal(const std::string& pointer, const ObjectJson& value) {
  return std::string(ImportObjects(With(Sample(), pointer, value).dump(), {}).status().message());
}

const TaskSpec& TaskNamed(const Import& import, const std::string& name) {
  for (const TaskSpec& task : import.scenario.cluster.tasks) {
    if (task.name == name) return task;
  }
  ADD_FAILURE() << "no task " << name;
  static const TaskSpec none;
  return none;
}

std::string DumpPlan(const Import& import) {
  Cluster cluster;
  const absl::Status filled = Fill(import.scenario, &cluster);
  EXPECT_TRUE(filled.ok()) << filled;
  const absl::StatusOr<Plan> plan = cluster.Schedule(import.scenario.profile);
  return plan.ok() ? plan->ToText() : plan.status().ToString();
}

ObjectJson Ask(const std::string& key, const std::string& group, int second = 9) {
  return {{"allocationKey", key},
          {"requestTime", 1767225700000000000 + second * int64_t{1000000000}},
          {"resource", {{"vcore", 1000}, {"pods", 1}}},
          {"taskGroupName", group}};
}

TEST(YuniKornDump, PartitionAndQueues) {
  const Import import = FromDump(Sample());
  EXPECT_EQ(import.scenario.profile,
            "yunikorn:schedule(node_sort=binpacking,weight.memory=1,weight.cpu=2)");
  EXPECT_EQ(import.scenario.options.now, 1767225900);
  const std::vector<QueueSpec>& queues = import.scenario.cluster.queues;
  ASSERT_EQ(queues.size(), 3u);
  EXPECT_EQ(queues[0].limit, std::nullopt);  // of the root: what there is
  EXPECT_EQ(queues[1].name, "root.etl");
  EXPECT_EQ(queues[1].parent, "root");
  EXPECT_EQ(Words(*queues[1].guaranteed), "cpu=2000m");
  EXPECT_EQ(Words(*queues[1].limit), "cpu=6000m");
  EXPECT_EQ(Words(*queues[1].users->limits.at(0).limit), "cpu=4000m");
  EXPECT_THAT(queues[1].settings, ElementsAre(Pair("yunikorn/application.sort.policy", "fair"),
                                              Pair("yunikorn/preemption.delay", "60s"),
                                              Pair("yunikorn/maxapplications", "10")));
  EXPECT_THAT(queues[2].settings, ElementsAre(Pair("yunikorn/priority.offset", "5"),
                                              Pair("yunikorn/preemption.policy", "fence")));
}

TEST(YuniKornDump, ApplicationsWithWhatTheyHaveAndRequest) {
  const Import import = FromDump(Sample());
  const ClusterSpec& cluster = import.scenario.cluster;
  ASSERT_EQ(cluster.nodes.size(), 2u);
  EXPECT_EQ(Words(cluster.nodes[0].capacity), "memory=17179869184 pods=110 cpu=8000m");
  EXPECT_EQ(cluster.nodes[0].labels, (Labels{{"disk", "ssd"}}));
  ASSERT_EQ(cluster.jobs.size(), 2u);
  EXPECT_EQ(cluster.jobs[0].queue, "root.etl");
  EXPECT_EQ(cluster.jobs[0].owner->user, "ann");
  EXPECT_THAT(cluster.jobs[0].settings, ElementsAre(Pair("yunikorn/originator", "originator")));
  EXPECT_EQ(cluster.jobs[1].groups.at(0).min_available, 2);
  const TaskSpec& driver = TaskNamed(import, "etl/driver");
  EXPECT_EQ(driver.status, TaskStatus::kRunning);
  EXPECT_EQ(driver.node, "n1");
  EXPECT_EQ(driver.uid, "uid-driver");
  EXPECT_EQ(Words(driver.shape.request), "memory=536870912 cpu=1000m");
  EXPECT_EQ(TaskNamed(import, "ml/hold-0").status, TaskStatus::kWaiting);
  EXPECT_EQ(TaskNamed(import, "ml/hold-0").node, "n1");
  EXPECT_EQ(TaskNamed(import, "ml/hold-1").status, TaskStatus::kPending);
  const TaskSpec& dns = TaskNamed(import, "kube-system/dns");
  EXPECT_EQ(dns.job, "");
  EXPECT_FALSE(dns.preemptable);
  const std::string plan = DumpPlan(import);
  EXPECT_THAT(plan, HasSubstr("bind etl/exec-0 to n2"));  // which is reserved for it
  EXPECT_THAT(plan, HasSubstr("bind ml/hold-0 to n1"));
  EXPECT_THAT(WriteScenario(import.scenario), HasSubstr("\"reserved/etl/exec-0\": [\"n2\""));
  EXPECT_THAT(WriteScenario(import.scenario), HasSubstr("\"gang/train-1\": [1767226601]"));
}

TEST(YuniKornDump, WhatIsLeftOutIsNamed) {
  ObjectJson dump = Sample();
  dump["surprise"] = 1;
  dump["partitions"].push_back({{"name", "gpu"}});
  const Import import = FromDump(dump);
  EXPECT_THAT(Lines(import), Contains(HasSubstr("Application typo-1: application 'typo-1'")));
  EXPECT_THAT(Lines(import), Contains("state dump: applications: 1 of 4 have ended, and are no "
                                      "jobs"));
  EXPECT_THAT(Lines(import), Contains("Partition gpu: one partition is read: default"));
  EXPECT_THAT(Lines(import), Contains(HasSubstr("state dump: surprise: no section")));
  EXPECT_THAT(Lines(import), Contains(HasSubstr("placementRules: applications are in their")));
  EXPECT_THAT(Lines(import), Contains(HasSubstr("rmDiagnostics: has no pods")));
  EXPECT_EQ(import.scenario.left_out.at(1).name, "typo-1");
  const absl::StatusOr<Import> strict = ImportObjects(dump.dump(), {.strict = true});
  EXPECT_THAT(std::string(strict.status().message()), HasSubstr("strict: something is left out"));
}

TEST(YuniKornDump, TheShimTellsWhatPodsDemand) {
  ObjectJson dump = Sample();
  dump["rmDiagnostics"]["cache"] = {
      {"nodes",
       {{"n2",
         {{"name", "n2"},
          {"labels", {{"disk", "hdd"}}},
          {"taints", {{{"key", "gpu"}, {"effect", "NoSchedule"}}}}}}}},
      {"priorityClasses",
       {{"calm",
         {{"name", "calm"},
          {"annotations", {{"yunikorn.apache.org/allow-preemption", "false"}}}}}}},
      {"pods",
       {{"etl/exec-0",
         {{"uid", "uid-exec-0"},
          {"name", "exec-0"},
          {"namespace", "etl"},
          {"nodeSelector", {{"disk", "ssd"}}},
          {"priorityClassName", "calm"},
          {"preemptionPolicy", "Never"},
          {"containers", {ContainerJson({{"cpu", "7"}})}}}}}}};
  const Import import = FromDump(dump);
  const TaskSpec& task = TaskNamed(import, "etl/exec-0");
  EXPECT_EQ(task.shape.node_selector, (Labels{{"disk", "ssd"}}));
  EXPECT_EQ(Words(task.shape.request), "memory=1073741824 cpu=2000m");  // the core's
  EXPECT_TRUE(task.never_preempts);
  EXPECT_FALSE(task.preemptable);
  EXPECT_EQ(import.scenario.cluster.nodes[1].taints.at(0).key, "gpu");
  EXPECT_THAT(Lines(import), Contains(HasSubstr("Pod ml/hold-1: rmDiagnostics does not list it")));
}

TEST(YuniKornDump, AGangThatHasStartedHasItsPlaces) {
  ObjectJson dump = Sample();
  ObjectJson& train = dump["applications"][1];
  ObjectJson runs = Ask("real-0", "worker", 1);
  runs["nodeId"] = "n2";
  runs["placeholderUsed"] = true;
  train["allocations"].push_back(runs);
  train["requests"] = {Ask("real-1", "worker", 2), Ask("real-2", "worker", 3)};
  train["placeholderData"][0]["replaced"] = 1;
  const Import import = FromDump(dump);
  EXPECT_EQ(import.scenario.cluster.jobs[1].groups.at(0).min_available, std::nullopt);
  EXPECT_EQ(TaskNamed(import, "real-1").status, TaskStatus::kBinding);
  EXPECT_EQ(TaskNamed(import, "real-1").node, "n1");
  EXPECT_EQ(TaskNamed(import, "real-2").status, TaskStatus::kPending);
  EXPECT_THAT(Lines(import), Contains(HasSubstr("Pod real-1: it is where its placeholder")));
  // Without a request for its place a placeholder holds it.
  train["requests"] = ObjectJson::array({Ask("hold-9", "worker")});
  train["requests"][0]["placeholder"] = true;
  const Import held = FromDump(dump);
  EXPECT_EQ(TaskNamed(held, "ml/hold-0").status, TaskStatus::kRunning);
  EXPECT_THAT(Lines(held), Contains(HasSubstr("Request hold-9: a placeholder that waits though")));
}

TEST(YuniKornDump, AWholeGangTakesThePlacesOfItsPlaceholders) {
  ObjectJson dump = Sample();
  ObjectJson& train = dump["applications"][1];
  ObjectJson second = train["requests"][0];
  second["nodeId"] = "n2";
  train["allocations"].push_back(second);
  train["requests"] = ObjectJson::array({Ask("real-0", "worker")});
  const Import import = FromDump(dump);
  // The older of equal placeholders goes first; these are of one time, so the key decides.
  EXPECT_EQ(TaskNamed(import, "real-0").status, TaskStatus::kWaiting);
  EXPECT_EQ(TaskNamed(import, "real-0").waiting_group, "train-1");
  EXPECT_EQ(import.scenario.cluster.jobs[1].groups.at(0).min_available, 2);
  EXPECT_THAT(DumpPlan(import), HasSubstr("bind real-0 to n"));
}

TEST(YuniKornDump, StatesOfQueuesAndWhatRequestsHaveTried) {
  ObjectJson dump = Sample();
  dump["queues"][0]["children"][0]["status"] = "Stopped";
  dump["queues"][0]["children"][1]["status"] = "Draining";
  dump["applications"][0]["requests"][0]["triggeredPreemption"] = true;
  dump["applications"][0]["requests"][0]["requiredNodeId"] = "n2";
  dump["applications"][1]["backoffDeadline"] = "2026-01-01T01:00:00Z";
  dump["nodes"][0]["nodesInfo"][0]["schedulable"] = false;
  dump["nodes"][0]["nodesInfo"][0]["occupied"]["vcore"] = 300;
  dump["nodes"][0]["nodesInfo"][1]["reservations"] = {"uid-nothing"};
  const Import import = FromDump(dump);
  EXPECT_EQ(import.scenario.cluster.queues[1].state, QueueState::kClosed);
  EXPECT_EQ(import.scenario.cluster.queues[2].state, QueueState::kOpen);
  EXPECT_TRUE(import.scenario.cluster.nodes[0].unschedulable);
  EXPECT_EQ(Words(TaskNamed(import, "n1/occupied").shape.request), "cpu=50m");
  EXPECT_TRUE(TaskNamed(import, "etl/exec-0").shape.required_node_affinity.has_value());
  const std::string text = WriteScenario(import.scenario);
  EXPECT_THAT(text, HasSubstr("\"ask/etl/exec-0\""));
  EXPECT_THAT(text, HasSubstr("\"backoff/train-1\": [1767229200000000000]"));
  EXPECT_THAT(Lines(import), Contains(HasSubstr("no request has the key \"uid-nothing\"")));
  EXPECT_THAT(Lines(import), Contains(HasSubstr("it takes no new applications")));
}

TEST(YuniKornDump, NumbersAtTheirEndsAreRefusedOrStayWithin) {
  const Import import =
      FromDump(With(Sample(), "/applications/0/backoffDeadline", "9999-01-01T00:00:00Z"));
  EXPECT_THAT(WriteScenario(import.scenario), HasSubstr("[9223372036854775807]"));
  EXPECT_THAT(DumpRefusal("/nodes/0/nodesInfo/0/foreignAllocations/0/resource/vcore",
                          std::numeric_limits<int64_t>::min()),
              HasSubstr("is below 0"));
}

TEST(YuniKornDump, RefusesWhatIsBroken) {
  EXPECT_EQ(DumpRefusal("/applications/0/queueName", "root.elt"),
            "state dump: applications[0].queueName: \"root.elt\" is no queue of the dump");
  EXPECT_EQ(DumpRefusal("/applications/0/queueName", "root"),
            "state dump: applications[0].queueName: \"root\" is no leaf; applications are in "
            "leaves");
  EXPECT_EQ(DumpRefusal("/applications/0/requests/0/resource/vcore", -5),
            "state dump: applications[0].requests[0].resource.vcore: -5 is below 0; 0 or more is "
            "an amount");
  EXPECT_EQ(DumpRefusal("/applications/0/requests/0/priority", "high"),
            "state dump: applications[0].requests[0].priority: \"high\" is no priority; a 32-bit "
            "number is");
  EXPECT_EQ(DumpRefusal("/applications/0/requests/0/allocationKey", "uid-driver"),
            "state dump: applications[0].requests[0].allocationKey: key \"uid-driver\" is listed "
            "twice");
  EXPECT_THAT(DumpRefusal("/queues", ObjectJson::array()),
              HasSubstr("state dump: queues: has 0 trees of partition \"default\""));
  EXPECT_THAT(DumpRefusal("/queues/0/children/0/status", "Odd"),
              HasSubstr("queues[0].children[0].status: \"Odd\" is no status of a queue"));
  EXPECT_THAT(DumpRefusal("/nodes", 7), HasSubstr("state dump: nodes: expected an array, got 7"));
  EXPECT_THAT(DumpRefusal("/queues/0/children/0/preemptionDelay", "soon"),
              HasSubstr("preemptionDelay: \"soon\" is no duration such as 30s"));
  EXPECT_THAT(DumpRefusal("/partitions", ObjectJson::array()),
              HasSubstr("partitions: has no entry; one is needed"));
  const std::string whole = Sample().dump();
  EXPECT_THAT(std::string(ImportObjects(whole.substr(0, whole.size() / 2), {}).status().message()),
              HasSubstr("unexpected end of input"));
  EXPECT_EQ(ImportObjects(whole, {.configuration = "{\"partitions\": []}"}).status().message(),
            "scheduler configuration: a state dump has its own; give one of the two");
}

}  // namespace
}  // namespace muster
