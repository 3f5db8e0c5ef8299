// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Answers of YARN's resource manager and files of its schedulers: what they become, and what a plan
// then decides.
#include "muster/schedule.h"
#include "tests/import/yarn_objects.h"

namespace muster {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(YarnImport, AnswersBecomeRows) {
  const Import import = Imported(YarnManager(), {});
  const ClusterSpec& cluster = import.scenario.cluster;
  EXPECT_EQ(import.scenario.profile, "yarn-capacity:heartbeat(calculator=memory)");
  ASSERT_EQ(cluster.nodes.size(), 2u);
  EXPECT_EQ(cluster.nodes[0].name, "h0");
  EXPECT_EQ(Words(cluster.nodes[0].capacity), "cpu=8 memory=8192Mi");
  EXPECT_EQ(cluster.nodes[0].labels, (Labels{{"yarn.apache.org/rack", "/r0"}}));
  ASSERT_EQ(cluster.jobs.size(), 2u);
  EXPECT_EQ(cluster.jobs[0].queue, "root.a");
  EXPECT_EQ(cluster.jobs[0].owner->user, "ann");
  EXPECT_EQ(cluster.jobs[0].created, 1'700'000'000);
  EXPECT_EQ(cluster.jobs[0].uid_rank, 1);  // within a second the milliseconds decide
  EXPECT_EQ(cluster.jobs[1].uid_rank, 0);
  ASSERT_EQ(cluster.jobs[0].groups.size(), 3u);
  EXPECT_EQ(cluster.jobs[0].groups[2].name, "master");
  EXPECT_EQ(cluster.jobs[0].settings, (Labels{{"yarn-capacity/master", "master"}}));
  EXPECT_EQ(cluster.jobs[0].groups[0].count, 5);
  EXPECT_EQ(cluster.jobs[0].groups[0].priority, -20);
  EXPECT_EQ(Words(cluster.jobs[0].groups[1].shape.request), "cpu=1 memory=2048Mi");
  ASSERT_EQ(cluster.tasks.size(), 2u);
  EXPECT_EQ(cluster.tasks[0].job, "application_17_0001");
  EXPECT_EQ(cluster.tasks[0].node, "h0");
  EXPECT_EQ(cluster.tasks[0].group, "master");
  EXPECT_EQ(cluster.tasks[1].name, "h0/used");
  EXPECT_EQ(Words(cluster.tasks[1].shape.request), "cpu=1 memory=1024Mi");
  EXPECT_EQ(YarnSettings(import)["root.b"],
            (Labels{{"yarn-capacity/capacity", "25.0"},
                    {"yarn-capacity/maximum-capacity", "50.0"},
                    {"yarn-capacity/minimum-user-limit-percent", "100"},
                    {"yarn-capacity/user-limit-factor", "10.0"},
                    {"yarn-capacity/ordering-policy", "fifo"}}));
  EXPECT_THAT(
      Lines(import),
      ElementsAre(
          "Scheduler: yarn.scheduler.capacity.resource-calculator: is the default, which compares "
          "memory alone; the file of the scheduler, given as the configuration, has another one",
          "Node h0:1: usedMemoryMB: task \"h0/used\" holds what no container that is listed "
          "holds",
          "Application application_17_0001: runningContainers: 1 containers are not listed "
          "and count for no queue; "
          "/ws/v1/cluster/apps/ID/appattempts/ATTEMPT/containers lists them"));
}

ObjectJson Gpus(const std::string& units, int64_t value) {
  return {{"resourceInformations",
           {{"resourceInformation",
             {{{"name", "memory-mb"}, {"units", "Mi"}, {"value", 1}},
              {{"name", "yarn.io/gpu"}, {"units", units}, {"value", value}}}}}}};
}

TEST(YarnImport, ReadsResourceTypesOfTheSite) {
  std::vector<ObjectJson> answers = YarnManager();
  ObjectJson& node = answers[0]["nodes"]["node"][0];
  node["totalResource"] = Gpus("", 4);
  node["usedResource"] = Gpus("", 3);
  ObjectJson& request = answers[1]["apps"]["app"][0]["resourceRequests"][1];
  request["capability"].update(Gpus("k", 2));
  ObjectJson& container = answers[2]["containers"]["container"][0];
  for (const ObjectJson& held : {ObjectJson{{"memory-mb", 2048}, {"yarn.io/gpu", 1}},
                                 ObjectJson{{"entry",
                                             {{{"key", "memory-mb"}, {"value", "2048"}},
                                              {{"key", "yarn.io/gpu"}, {"value", "1"}}}}}}) {
    container["allocatedResources"] = held;
    const Import import = Imported(answers, {});
    EXPECT_THAT(Lines(import),
                Contains("Apps: resourceInformations: requests for \"yarn.io/gpu\" wait under this "
                         "profile, which counts memory and virtual cores alone"));
    const ClusterSpec& cluster = import.scenario.cluster;
    EXPECT_EQ(Words(cluster.nodes[0].capacity), "cpu=8 memory=8192Mi yarn.io/gpu=4");
    EXPECT_EQ(Words(cluster.nodes[1].capacity), "cpu=8 memory=8192Mi");
    EXPECT_EQ(Words(cluster.jobs[0].groups[1].shape.request),
              "cpu=1 memory=2048Mi yarn.io/gpu=2000");
    EXPECT_EQ(Words(cluster.tasks[0].shape.request), "cpu=2 memory=2048Mi yarn.io/gpu=1");
    EXPECT_EQ(Words(cluster.tasks[1].shape.request), "cpu=1 memory=1024Mi yarn.io/gpu=2");
  }
  node["totalResource"] = Gpus("furlong", 4);
  const auto refusal = [&] { return std::string(TryImport(answers, {}).status().message()); };
  EXPECT_THAT(refusal(), HasSubstr("\"furlong\" is no unit that is read"));
  node["totalResource"] = Gpus("T", 4'000);
  EXPECT_THAT(refusal(), HasSubstr("4000 is more than 2^50 of \"yarn.io/gpu\""));
}

TEST(YarnImport, ThePlanGivesContainersToTheSmallestPriorityNumberFirst) {
  const Import import = Imported(YarnManager(), {});
  Cluster cluster;
  ASSERT_TRUE(Fill(import.scenario, &cluster).ok());
  const absl::StatusOr<Plan> plan = cluster.Schedule(import.scenario.profile);
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::map<std::string, int> given;
  for (const Bind& bind : plan->binds()) {
    const std::string task(plan->task_name(bind.task));
    ++given[task.substr(0, task.rfind('-'))];
  }
  EXPECT_EQ(given["application_17_0001-priority-1"], 2);
  EXPECT_EQ(given["application_17_0001-priority-20"], 5);
  EXPECT_EQ(given["application_17_0002-priority-1"], 4);  // what is left
}

TEST(YarnImport, AnswersMayBeSpecsOfNamedObjects) {
  std::vector<ObjectJson> named;
  for (const ObjectJson& answer : YarnManager()) {
    const std::string list = answer.items().begin().key();
    named.push_back({{"apiVersion", "yarn.apache.org/v1"},
                     {"kind", list == "nodes"       ? "Nodes"
                              : list == "apps"      ? "Apps"
                              : list == "scheduler" ? "Scheduler"
                                                    : "Containers"},
                     {"metadata", {{"name", "rm"}}},
                     {"spec", answer}});
  }
  EXPECT_EQ(WriteScenario(Imported(named, {}).scenario),
            WriteScenario(Imported(YarnManager(), {}).scenario));
}

TEST(YarnImport, StatesOfNodes) {
  std::vector<ObjectJson> answers = YarnManager();
  ObjectJson& nodes = answers[0]["nodes"]["node"];
  const auto nodes_of = [&] { return Imported(answers, {}).scenario.cluster.nodes; };
  nodes[0]["state"] = "DECOMMISSIONING";
  nodes[1]["state"] = "UNHEALTHY";
  EXPECT_TRUE(nodes_of()[0].unschedulable);
  EXPECT_TRUE(nodes_of()[0].ready);
  EXPECT_FALSE(nodes_of()[1].ready);
  nodes[1]["state"] = "RUNNING";
  nodes[1]["nodeLabels"] = {"gpu"};
  EXPECT_TRUE(nodes_of()[1].ready);
  EXPECT_EQ(nodes_of()[1].settings, (Labels{{"yarn-capacity/node-label", "gpu"}}));
  answers.pop_back();
  const Import fair = Imported(answers, {.profile = "yarn-fair"});
  EXPECT_FALSE(fair.scenario.cluster.nodes[1].ready);
  EXPECT_THAT(Lines(fair), Contains(HasSubstr("partitions are not read")));
  nodes[1]["nodeHostName"] = "h0";
  EXPECT_EQ(nodes_of()[0].name, "h0:1");
  EXPECT_EQ(nodes_of()[1].name, "h1:1");
}

TEST(YarnImport, WhatIsLeftOutIsNamed) {
  std::vector<ObjectJson> answers = YarnManager();
  ObjectJson& apps = answers[1]["apps"]["app"];
  apps[1]["queue"] = "c";
  ObjectJson strict = YarnRequest(3, 1, 1024), labelled = strict, near = strict;
  strict["relaxLocality"] = false;
  labelled["nodeLabelExpression"] = "gpu";
  near["resourceName"] = "h9";
  apps[0]["resourceRequests"] = {strict, labelled, near};
  ObjectJson& containers = answers[2]["containers"]["container"];
  containers.push_back(With(containers[0], "/containerId", "container_17_0009_01_000001"));
  containers.push_back(With(With(containers[0], "/containerId", "container_17_0001_01_000002"),
                            "/nodeId", "gone:1"));
  const Import import = Imported(answers, {});
  EXPECT_THAT(import.scenario.cluster.jobs, testing::SizeIs(1));
  ASSERT_THAT(import.scenario.cluster.jobs[0].groups, testing::SizeIs(1));
  EXPECT_EQ(import.scenario.cluster.jobs[0].groups[0].name, "master");
  const std::vector<std::string> lines = Lines(import);
  for (const char* words :
       {"Application application_17_0002: queue: no leaf alone is \"c\"",
        "resourceRequests.relaxLocality: requests for some places alone are not read",
        "resourceRequests.nodeLabelExpression: a job requests in one partition; that of the first "
        "is "
        "read",
        "app[0].resourceRequests[2].resourceName: no node has this name",
        "Container container_17_0009_01_000001: containerId: its application is not a job",
        "Container container_17_0001_01_000002: nodeId: no node has this id"}) {
    EXPECT_THAT(lines, Contains(HasSubstr(words)));
  }
}

TEST(YarnImport, RequestsForNodesAndRacksAreWishes) {
  std::vector<ObjectJson> answers = YarnManager();
  ObjectJson at_node = YarnRequest(1, 1, 2048), at_rack = at_node;
  at_node["resourceName"] = "h0";
  at_rack["resourceName"] = "/r0";
  ObjectJson& requests = answers[1]["apps"]["app"][0]["resourceRequests"];
  requests.insert(requests.begin(), at_node);
  requests.push_back(at_rack);
  const Import import = Imported(answers, {});
  const JobSpec& job = import.scenario.cluster.jobs[0];
  ASSERT_EQ(job.groups.size(), 3u);
  EXPECT_THAT(job.groups[0].shape.preferred_node_affinity, testing::IsEmpty());
  const std::vector<PreferredNodeTerm>& wishes = job.groups[1].shape.preferred_node_affinity;
  ASSERT_EQ(wishes.size(), 2u);
  EXPECT_EQ(wishes[0].term.match_fields[0].values, std::vector<std::string>{"h0"});
  EXPECT_EQ(wishes[1].term.match_expressions[0].values, std::vector<std::string>{"/r0"});
}

std::string RulesOf(const ObjectJson& properties, std::vector<std::string>* lines = nullptr) {
  ImportOptions options;
  ObjectJson all = {{"yarn.scheduler.capacity.root.queues", "a,b"},
                    {"yarn.scheduler.capacity.root.a.capacity", "50"},
                    {"yarn.scheduler.capacity.root.b.capacity", "50"}};
  all.update(properties);
  options.configuration = all.dump();
  const Import import = Imported(YarnManager(), options);
  if (lines != nullptr) *lines = Lines(import);
  std::map<std::string, Labels> settings = YarnSettings(import);
  for (const auto& [key, value] : settings["root"]) {
    if (key == "yarn-capacity/queue-mappings") return value;
  }
  return "";
}

TEST(YarnImport, MappingsOfBothFormats) {
  EXPECT_EQ(RulesOf({{"yarn.scheduler.capacity.queue-mappings", "u:ann:a,g:dev:b"},
                     {"yarn.scheduler.queue-placement-rules.app-name", "etl:b"}}),
            "u:ann:a,g:dev:b,a:etl:b");
  const ObjectJson rules = {
      {"rules",
       {{{"type", "user"}, {"matches", "ann"}, {"policy", "custom"}, {"customPlacement", "root.a"}},
        {{"type", "user"},
         {"matches", "*"},
         {"policy", "primaryGroupUser"},
         {"parentQueue", "root.b"},
         {"create", false},
         {"fallbackResult", "reject"}},
        {{"type", "group"}, {"matches", "ops"}, {"policy", "reject"}},
        {{"type", "user"}, {"matches", "*"}, {"policy", "setDefaultQueue"}, {"value", "root.a"}},
        {{"type", "application"},
         {"matches", "x"},
         {"policy", "specified"},
         {"fallbackResult", "placeDefault"}},
        {{"type", "user"}, {"matches", "*"}, {"policy", "defaultQueue"}},
        {{"type", "user"}, {"matches", "*"}, {"policy", "random"}}}}};
  std::vector<std::string> lines;
  EXPECT_EQ(RulesOf({{"yarn.scheduler.capacity.mapping-rule-format", "json"},
                     {"yarn.scheduler.capacity.mapping-rule-json", rules.dump()},
                     {"yarn.scheduler.capacity.mapping-rule-json-file", "/etc/rules.json"},
                     {"yarn.scheduler.capacity.queue-mappings", "u:ann:b"}},
                    &lines),
            "u:ann:root.a:skip,u:*:root.b.%primary_group.%user:existing:reject,g:ops:%reject,"
            "u:*:%default=root.a,a:x:%specified,u:*:%default:existing:skip");
  EXPECT_THAT(lines, Contains(HasSubstr("rules[6]: this rule is not read")));
  EXPECT_THAT(lines, Contains(HasSubstr("mapping-rule-json-file\"]: this property decides nothing "
                                        "here, or is not read")));
}

TEST(YarnImport, QueuesThatAreMadeOnDemand) {
  ImportOptions options;
  options.configuration = ObjectJson({{"yarn.scheduler.capacity.root.queues", "a,b"},
                                      {"yarn.scheduler.capacity.root.a.capacity", "40"},
                                      {"yarn.scheduler.capacity.root.b.capacity", "60"},
                                      {"yarn.scheduler.capacity.root.b.auto-create-child-queue."
                                       "enabled",
                                       true},
                                      {"yarn.scheduler.capacity.root.b.leaf-queue-template."
                                       "capacity",
                                       "50"}})
                              .dump();
  std::vector<ObjectJson> answers = YarnManager();
  answers[1]["apps"]["app"][1]["queue"] = "root.b.ann";
  answers[1]["apps"]["app"][1]["name"] = "etl";
  const Import import = Imported(answers, options);
  const JobSpec& job = import.scenario.cluster.jobs[1];
  EXPECT_EQ(job.queue, "default");
  EXPECT_EQ(job.settings,
            (Labels{{"yarn-capacity/queue", "root.b.ann"}, {"yarn-capacity/application", "etl"}}));
  EXPECT_EQ(YarnSettings(import)["root.b"],
            (Labels{{"yarn-capacity/capacity", "60"},
                    {"yarn-capacity/auto-create-child-queue.enabled", "true"},
                    {"yarn-capacity/leaf-queue-template.capacity", "50"}}));
}

TEST(YarnImport, PropertiesOfTheCapacityScheduler) {
  ImportOptions options;
  options.configuration = R"({
    "yarn.scheduler.minimum-allocation-mb": "512",
    "yarn.scheduler.capacity.resource-calculator":
        "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
    "yarn.scheduler.capacity.per-node-heartbeat.multiple-assignments-enabled": "false",
    "yarn.scheduler.capacity.user-limit-factor": "2",
    "yarn.scheduler.capacity.root.queues": " b , a",
    "yarn.scheduler.capacity.root.capacity": "100",
    "yarn.scheduler.capacity.root.a.queues": "x",
    "yarn.scheduler.capacity.root.a.capacity": "100",
    "yarn.scheduler.capacity.root.a.maximum-capacity": "-1",
    "yarn.scheduler.capacity.root.a.ordering-policy": "priority-utilization",
    "yarn.scheduler.capacity.root.a.x.capacity": "1w",
    "yarn.scheduler.capacity.root.a.x.user-limit-factor": "3",
    "yarn.scheduler.capacity.root.a.x.user-settings.ann.weight": "0.5",
    "yarn.scheduler.capacity.maximum-am-resource-percent": "0.5",
    "yarn.scheduler.capacity.root.a.x.intra-queue-preemption.disable_preemption": "true",
    "yarn.scheduler.capacity.root.b.state": "STOPPED",
    "yarn.scheduler.capacity.root.b.priority": "7",
    "yarn.scheduler.capacity.root.b.acl_submit_applications": "*",
    "yarn.nodemanager.unrelated": "x",
    "misspelt": "x"})";
  std::vector<ObjectJson> answers = YarnManager();
  answers[1]["apps"]["app"][0]["queue"] = "x";
  const Import import = Imported(answers, options);
  EXPECT_EQ(import.scenario.profile,
            "yarn-capacity:heartbeat(calculator=dominant,min_memory=512,multiple_assignments=off)");
  const std::vector<QueueSpec>& queues = import.scenario.cluster.queues;
  ASSERT_EQ(queues.size(), 4u);
  EXPECT_EQ(queues[0].name, "root");
  EXPECT_EQ(queues[1].name, "root.b");
  EXPECT_EQ(queues[1].state, QueueState::kClosed);
  EXPECT_EQ(queues[1].priority, 7);
  EXPECT_EQ(queues[1].settings, (Labels{{"yarn-capacity/capacity", "0"},
                                        {"yarn-capacity/user-limit-factor", "2"},
                                        {"yarn-capacity/maximum-am-resource-percent", "0.5"}}));
  EXPECT_EQ(queues[2].settings,
            (Labels{{"yarn-capacity/capacity", "100"},
                    {"yarn-capacity/user-limit-factor", "2"},
                    {"yarn-capacity/maximum-am-resource-percent", "0.5"},
                    {"yarn-capacity/ordering-policy", "priority-utilization"}}));
  EXPECT_EQ(queues[3].name, "root.a.x");
  EXPECT_EQ(queues[3].parent, "root.a");
  EXPECT_EQ(queues[3].settings,
            (Labels{{"yarn-capacity/capacity", "1w"},
                    {"yarn-capacity/user-limit-factor", "3"},
                    {"yarn-capacity/maximum-am-resource-percent", "0.5"},
                    {"yarn-capacity/intra-queue-preemption.disable_preemption", "true"}}));
  EXPECT_EQ(queues[3].users->limits, (std::vector<UserLimit>{{.name = "ann", .weight = "0.5"}}));
  EXPECT_THAT(Lines(import), Contains(HasSubstr("acl_submit_applications\"]: this property decides "
                                                "nothing here, or is not read")));
  EXPECT_THAT(Lines(import), Contains(HasSubstr("misspelt: this property decides nothing")));
  EXPECT_THAT(Lines(import), testing::Not(Contains(HasSubstr("unrelated"))));
}

TEST(YarnImport, WrongConfigurationsAreRefusedAsTheProfileRefusesThem) {
  ImportOptions options;
  options.configuration = R"({"yarn.scheduler.capacity.root.queues": "a,b",
                              "yarn.scheduler.capacity.root.a.capacity": "90"})";
  EXPECT_EQ(TryImport(YarnManager(), options).status().message(),
            "dump: queue \"root.a\": its capacity and those of queues of the same parent are 90 "
            "percent together; must be 100");
  options.configuration = R"({"yarn.scheduler.maximum-allocation-mb": "many"})";
  EXPECT_THAT(TryImport(YarnManager(), options).status().message(),
              HasSubstr("scheduler configuration: action heartbeat"));
  options.configuration = "[]";
  EXPECT_EQ(TryImport(YarnManager(), options).status().message(),
            "scheduler configuration: expected an object, got an array");
}

TEST(YarnImport, WeightsAndAmountsOfAnswers) {
  std::vector<ObjectJson> answers = YarnManager();
  ObjectJson& queues = answers[3]["scheduler"]["schedulerInfo"]["queues"]["queue"];
  for (ObjectJson& queue : queues) {
    queue["mode"] = "absolute";
    queue["capacities"]["queueCapacitiesByPartition"] = {
        {{"partitionName", "gpu"}},
        {{"partitionName", ""},
         {"configuredMinResource", {{"memory", 1024}, {"vCores", 2}}},
         {"configuredMaxResource", {{"memory", 2048}, {"vCores", 4}}}}};
  }
  EXPECT_EQ(YarnSettings(Imported(answers, {}))["root.a"][0].second, "[memory=1024,vcores=2]");
  EXPECT_EQ(YarnSettings(Imported(answers, {}))["root.a"][1].second, "[memory=2048,vcores=4]");
  for (ObjectJson& queue : queues) {
    queue["mode"] = "weight";
    queue["weight"] = 2.5;
  }
  EXPECT_EQ(YarnSettings(Imported(answers, {}))["root.b"][0].second, "2.5w");
}

TEST(YarnImport, LabelsOfRequestsAndOfQueues) {
  std::vector<ObjectJson> answers = YarnManager();
  ObjectJson& app = answers[1]["apps"]["app"][0];
  app["queue"] = "root.a";
  app["resourceRequests"][0]["nodeLabelExpression"] = "gpu";
  ImportOptions options;
  options.configuration = R"({
    "yarn.scheduler.capacity.root.queues": "a,b",
    "yarn.scheduler.capacity.root.accessible-node-labels.gpu.capacity": "100",
    "yarn.scheduler.capacity.root.a.capacity": "100",
    "yarn.scheduler.capacity.root.a.accessible-node-labels": "gpu",
    "yarn.scheduler.capacity.root.a.accessible-node-labels.gpu.capacity": "100",
    "yarn.scheduler.capacity.root.a.accessible-node-labels.gpu.maximum-capacity": "-1",
    "yarn.scheduler.capacity.root.b.accessible-node-labels": ""})";
  const Import import = Imported(answers, options);
  const JobSpec& job = import.scenario.cluster.jobs[0];
  EXPECT_EQ(job.settings, (Labels{{"yarn-capacity/node-label-expression", "gpu"},
                                  {"yarn-capacity/master", "master"}}));
  EXPECT_EQ(job.groups.size(), 2u);
  std::map<std::string, Labels> settings = YarnSettings(import);
  EXPECT_EQ(settings["root.a"],
            (Labels{{"yarn-capacity/capacity", "100"},
                    {"yarn-capacity/accessible-node-labels", "gpu"},
                    {"yarn-capacity/accessible-node-labels.gpu.capacity", "100"}}));
  EXPECT_EQ(settings["root.b"][1].second, " ");
}

TEST(YarnImport, WithoutASchedulerQueuesAreThoseOfApplications) {
  std::vector<ObjectJson> answers = YarnManager();
  answers.pop_back();
  const Import import = Imported(answers, {});
  std::vector<std::string> names;
  for (const QueueSpec& queue : import.scenario.cluster.queues) names.push_back(queue.name);
  EXPECT_THAT(names, ElementsAre("root", "root.a", "root.b"));
}

TEST(YarnImport, WrongAnswersAreRefused) {
  const auto refusal = [](const std::vector<ObjectJson>& answers) {
    return std::string(TryImport(answers, {}).status().message());
  };
  std::vector<ObjectJson> answers = YarnManager();
  answers[0]["nodes"]["node"][0]["usedMemoryMB"] = "much";
  EXPECT_THAT(refusal(answers), HasSubstr("nodes.node[0].usedMemoryMB: \"much\" is not a whole "
                                          "number"));
  answers = YarnManager();
  answers[0]["nodes"]["node"][1]["id"] = "h0:1";
  EXPECT_THAT(refusal(answers), HasSubstr("is listed twice"));
  answers = YarnManager();
  answers[1]["apps"]["app"][0]["resourceRequests"][0]["numContainers"] = 4'000'000'000;
  EXPECT_THAT(refusal(answers), HasSubstr("4000000000 tasks in all; at most 4000000 are read"));
}

}  // namespace
}  // namespace muster
