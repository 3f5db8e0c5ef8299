// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What only Volcano's objects, fields and annotations hold.
#include "lib/import/volcano.h"

#include "lib/model/words.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

ObjectJson Annotated(ObjectJson object, const std::string& name, const std::string& value) {
  object["metadata"]["annotations"][name] = value;
  return object;
}

ObjectJson Labeled(ObjectJson object, const std::string& name, const std::string& value) {
  object["metadata"]["labels"][name] = value;
  return object;
}

TEST(Queues, FieldsAndState) {
  ObjectJson closed = QueueJson("c", {{"capability", {{"cpu", "4"}, {"count/pods", "9"}}},
                                      {"guarantee", {{"resource", {{"cpu", "1"}}}}},
                                      {"reclaimable", false},
                                      {"parent", "q"},
                                      {"priority", 2},
                                      {"dequeueStrategy", "fifo"}});
  closed["status"]["state"] = "Closed";
  const Import import = Imported({QueueJson(), closed});
  const QueueSpec& queue = import.scenario.cluster.queues[0];
  EXPECT_EQ(queue.state, QueueState::kClosed);
  EXPECT_EQ(queue.priority, 2);
  EXPECT_FALSE(queue.reclaimable);
  EXPECT_EQ(queue.parent, "q");
  EXPECT_EQ(Words(queue.guaranteed.value()), "cpu=1");
  EXPECT_EQ(Words(queue.limit.value()), "cpu=4");
  EXPECT_EQ(queue.deserved, std::nullopt);
  EXPECT_THAT(Lines(import), ElementsAre("Queue c: spec.dequeueStrategy: not considered"));
}

std::vector<std::string> Parents(const Import& import) {
  std::vector<std::string> parents;
  for (const QueueSpec& queue : import.scenario.cluster.queues) {
    parents.push_back(queue.name + "<" + queue.parent);
  }
  return parents;
}

TEST(Queues, WithoutAStateAreClosedWithANote) {
  ObjectJson queue = QueueJson("a");
  queue.erase("status");
  const std::string note =
      "Queue a: status.state: missing, so the queue is closed; Volcano's controller makes it "
      "\"Open\"";
  const Import import = Imported({queue});
  EXPECT_THAT(Lines(import), ::testing::Contains(note));
  EXPECT_EQ(import.scenario.cluster.queues.back().state, QueueState::kClosed);
  EXPECT_THAT(Lines(Imported({QueueJson("a")})), ::testing::Not(::testing::Contains(note)));
}

TEST(Queues, ThoseWithoutAParentStandBelowRoot) {
  const Import import =
      Imported({QueueJson("a"), QueueJson("root"), QueueJson("b", {{"parent", "a"}})});
  EXPECT_THAT(Parents(import), ElementsAre("a<root", "b<a", "root<"));
}

TEST(Queues, AQueueThatNoTreeCanHoldClosesAllWhereTheTreeIsDivided) {
  const ImportOptions divided{
      .profile = "volcano",
      .configuration =
          R"({"tiers": [{"plugins": [{"name": "capacity", "enableHierarchy": true}]}]})"};
  const std::vector<ObjectJson> lost = {QueueJson("root"), QueueJson("a"),
                                        QueueJson("b", {{"parent", "nowhere"}})};
  const Import closed = Imported(lost, divided);
  for (const QueueSpec& queue : closed.scenario.cluster.queues) {
    EXPECT_EQ(queue.state, QueueState::kClosed);
  }
  EXPECT_THAT(Lines(closed),
              Contains(HasSubstr("queue \"b\" is not in the tree; all queues are closed")));
  const Import open = Imported(lost);
  EXPECT_EQ(open.scenario.cluster.queues[0].state, QueueState::kOpen);
  EXPECT_THAT(
      Lines(open),
      ElementsAre(HasSubstr("\"nowhere\" would put the queue under a queue that is not there")));

  const Import loop =
      Imported({QueueJson("root"), QueueJson("a", {{"parent", "b"}}),
                QueueJson("b", {{"parent", "a"}}), QueueJson("c", {{"parent", "a"}})},
               divided);
  EXPECT_THAT(Parents(loop), ElementsAre("a<", "b<", "c<a", "root<"));
  EXPECT_THAT(Lines(loop), Contains(HasSubstr("\"b\" would put the queue above itself")));
}

TEST(Queues, GroupsOfNodes) {
  constexpr char kLimits[] = "volcano.sh/nodegroup-resource-limits";
  constexpr char kHard[] = "requiredDuringSchedulingIgnoredDuringExecution";
  constexpr char kSoft[] = "preferredDuringSchedulingIgnoredDuringExecution";
  const ObjectJson nothing = {{"affinity", ObjectJson::object()}};
  const ObjectJson wish = {
      {"affinity",
       {{"nodeGroupAffinity", {{kHard, {"x", "y"}}, {kSoft, ObjectJson::array({"y"})}}},
        {"nodeGroupAntiAffinity",
         {{kHard, ObjectJson::array({"z"})}, {kSoft, ObjectJson::array({"w"})}}}}}};
  const Import import = Imported(
      {Annotated(QueueJson("a", wish), kLimits, R"({"x": {"cpu": "3", "memory": "8Gi"}})"),
       Annotated(QueueJson("b", nothing), kLimits, R"({"x": {"cpu":)"), QueueJson("c", nothing),
       QueueJson("d"), Annotated(QueueJson("e"), kLimits, R"({"x": {"cpu": "-1"}})")});
  const std::vector<QueueSpec>& queues = import.scenario.cluster.queues;
  EXPECT_EQ(queues[0].node_groups, (NodeGroupWish{{"x", "y"}, {"y"}, {"z"}, {"w"}}));
  EXPECT_EQ(queues[0].node_group_limits,
            (std::vector<NodeGroupLimit>{{"x", {{"cpu", 3}, {"memory", int64_t{8} << 30}}}}));
  EXPECT_EQ(queues[1].node_groups->anti_required.size(), 1u);
  EXPECT_EQ(queues[2].node_groups, NodeGroupWish{});
  EXPECT_EQ(queues[3].node_groups, std::nullopt);
  const std::string unreadable = absl::StrCat(": metadata.annotations[\"", kLimits,
                                              "\"]: cannot be read; the queue's tasks go nowhere");
  EXPECT_THAT(Lines(import), ElementsAre("Queue b" + unreadable, "Queue e" + unreadable));
}

TEST(Queues, TheWayDownTheTreeOfShares) {
  const Import import =
      Imported({Annotated(Annotated(QueueJson(), "volcano.sh/hierarchy", "root/eng/dev/x"),
                          "volcano.sh/hierarchy-weights", "1/2.5/0.5/odd")});
  EXPECT_EQ(import.scenario.cluster.queues[0].share_path,
            (std::vector<PathStep>{{"eng", "2500m"}, {"dev", 1}, {"x", 1}}));
}

TEST(Jobs, MarksOfEviction) {
  constexpr char kMark[] = "volcano.sh/preemptable";
  const Import import = Imported({QueueJson(), Annotated(GroupJson("no"), kMark, "false"),
                                  GroupJson("silent"), Labeled(GroupJson("yes"), kMark, "true")});
  const std::vector<JobSpec>& jobs = import.scenario.cluster.jobs;
  EXPECT_EQ(jobs[0].preemptable, false);
  EXPECT_EQ(jobs[1].preemptable, std::nullopt);
  EXPECT_EQ(jobs[2].preemptable, true);
}

TEST(Jobs, BatchWorkOnLentNodes) {
  constexpr char kZone[] = "volcano.sh/revocable-zone", kMark[] = "volcano.sh/preemptable";
  constexpr char kLow[] = "volcano.sh/jdb-min-available";
  constexpr char kHigh[] = "volcano.sh/jdb-max-unavailable";
  const Import import = Imported(
      {QueueJson(), Annotated(GroupJson("a"), kHigh, "30%"),
       Annotated(Annotated(GroupJson("b"), kLow, "2"), kHigh, "1"),
       Annotated(GroupJson("c"), kHigh, "some"), GroupJson("g"),
       Annotated(PodJson("all"), kZone, "*"), Labeled(PodJson("label"), kMark, "true"),
       Annotated(PodJson("mark"), kMark, "true"), Annotated(PodJson("neither"), kMark, "no"),
       Annotated(Annotated(PodJson("other"), kZone, "z"), kMark, "true")});
  std::vector<std::string> revocable, bounds;
  for (const TaskSpec& task : import.scenario.cluster.tasks) {
    if (task.shape.revocable) revocable.push_back(task.name);
  }
  for (const JobSpec& job : import.scenario.cluster.jobs) {
    bounds.push_back(job.min_running + "/" + job.max_unavailable);
  }
  EXPECT_THAT(revocable, ElementsAre("ns/all", "ns/mark"));
  EXPECT_THAT(bounds, ElementsAre("/30%", "2/", "/0", "/"));
  EXPECT_THAT(Lines(import), Contains(HasSubstr("\"some\" is no number of tasks; 0 counts")));
}

TEST(Jobs, GroupTopologiesAreSplitAndEmptyNamesStay) {
  constexpr char kTogether[] = "volcano.sh/task-topology-affinity";
  constexpr char kApart[] = "volcano.sh/task-topology-anti-affinity";
  constexpr char kOrder[] = "volcano.sh/task-topology-task-order";
  const Import import = Imported(
      {QueueJson(), Annotated(Annotated(GroupJson("a"), kTogether, "ps,worker;ps"), kOrder, "ps,"),
       Annotated(GroupJson("b"), kApart, ""), GroupJson("c"),
       Annotated(GroupJson("d"), "sla-waiting-time", "1h")});
  const std::vector<JobSpec>& jobs = import.scenario.cluster.jobs;
  EXPECT_EQ(jobs[0].group_topology, (GroupTopology{{{"ps", "worker"}, {"ps"}}, {}, {"ps", ""}}));
  EXPECT_EQ(jobs[1].group_topology, (GroupTopology{{}, {{""}}, {}}));
  EXPECT_EQ(jobs[2].group_topology, std::nullopt);
  EXPECT_EQ(jobs[3].waiting_time, 3600);
}

TEST(Tasks, CooldownsGatesAndStarts) {
  ObjectJson pod = Labeled(PodJson("p", {{"schedulingGates", {{{"name", "quota"}}}}}),
                           "volcano.sh/cooldown-time", "10m");
  pod["status"]["startTime"] = "1970-01-01T00:01:00Z";
  pod["status"]["conditions"] = {{{"type", "PodScheduled"},
                                  {"status", "True"},
                                  {"lastTransitionTime", "1970-01-01T00:00:30Z"}}};
  const Import import = Imported({QueueJson(), GroupJson(), pod});
  const TaskSpec& task = import.scenario.cluster.tasks[0];
  EXPECT_EQ(task.started, 60);
  EXPECT_EQ(task.protected_until, 630);
  EXPECT_THAT(task.gates, ElementsAre("quota"));
}

TEST(Tasks, SubGroupsAndTopology) {
  const ObjectJson policies = {
      {{"name", "w"},
       {"matchLabelKeys", ObjectJson::array({"grp"})},
       {"subGroupSize", 2},
       {"minSubGroups", 1},
       {"networkTopology", {{"mode", "hard"}, {"highestTierAllowed", 1}}}},
      {{"name", "rest"},
       {"matchLabelKeys", ObjectJson::array({"app"})},
       {"labelSelector",
        {{"matchExpressions",
          {{{"key", "app"}, {"operator", "NotIn"}, {"values", ObjectJson::array({"z"})}}}}}}}};
  const Import import = Imported(
      {QueueJson(),
       GroupJson("g", {{"subGroupPolicy", policies}, {"networkTopology", {{"mode", "soft"}}}}),
       Labeled(PodJson("a"), "grp", "11"), Labeled(PodJson("b"), "grp", "2"),
       Labeled(PodJson("c"), "app", "z"), Labeled(PodJson("d"), "app", "y")});
  std::vector<std::string> of_tasks;
  for (const TaskSpec& task : import.scenario.cluster.tasks) of_tasks.push_back(task.sub_group);
  EXPECT_THAT(of_tasks, ElementsAre("w-11", "w-2", "", "rest-y"));
  const JobSpec& job = import.scenario.cluster.jobs[0];
  ASSERT_EQ(job.sub_groups.size(), 3u);
  EXPECT_EQ(job.sub_groups[0].name, "rest-y");
  EXPECT_EQ(job.sub_groups[0].min_available, 1);
  EXPECT_EQ(job.sub_groups[1].order, 11);
  EXPECT_EQ(job.sub_groups[1].min_available, 2);
  EXPECT_EQ(job.sub_groups[1].topology, (TopologyWish{.hard = true, .highest_tier = 1}));
  EXPECT_EQ(job.topology, TopologyWish{.hard = false});
  ASSERT_EQ(job.sub_group_policies.size(), 2u);
  EXPECT_EQ(job.sub_group_policies[0].min_sub_groups, 1);
}

// --- nodes ---

TEST(NodeShards, ANodeBelongsToTheShardThatDesiresItUnlessAnotherUsesIt) {
  const auto shard = [](const char* name, const ObjectJson& wants, const ObjectJson& uses) {
    return ObjectJson{{"kind", "NodeShard"},
                      {"metadata", {{"name", name}}},
                      {"spec", {{"nodesDesired", wants}}},
                      {"status", {{"nodesInUse", uses}}}};
  };
  const Import import = Imported({NodeJson("a"), NodeJson("b"), NodeJson("c"), NodeJson("d"),
                                  shard("one", {"a", "b", "d"}, ObjectJson::array({"a"})),
                                  shard("two", {"c", "d"}, {"b", "c"})});
  std::vector<std::string> shards;
  for (const NodeSpec& node : import.scenario.cluster.nodes) shards.push_back(node.shard);
  EXPECT_THAT(shards, ElementsAre("one", "", "two", "one"));
  EXPECT_THAT(Lines(import),
              ElementsAre("NodeShard one: spec.nodesDesired: node \"d\" is wanted by other shards "
                          "too; it is counted to this one"));
}

ObjectJson Hyper(const std::string& name, int tier, const ObjectJson& members,
                 const std::string& tier_name = "") {
  return {{"kind", "HyperNode"},
          {"metadata", {{"name", name}}},
          {"spec", {{"tier", tier}, {"tierName", tier_name}, {"members", members}}}};
}

ObjectJson Member(const std::string& kind, const ObjectJson& selector) {
  return {{"type", kind}, {"selector", selector}};
}

ObjectJson Named(const std::string& kind, const std::string& name) {
  return Member(kind, {{"exactMatch", {{"name", name}}}});
}

TEST(HyperNodes, NamesPatternsAndLabels) {
  const Import import = Imported(
      {NodeJson("a-1"), NodeJson("a-2"), Labeled(NodeJson("c"), "rack", "r2"),
       Hyper("r1", 1, ObjectJson::array({Member("Node", {{"regexMatch", {{"pattern", "^a-"}}}})}),
             "rack"),
       Hyper("r2", 1,
             ObjectJson::array(
                 {Member("Node", {{"labelMatch", {{"matchLabels", {{"rack", "r2"}}}}}})})),
       Hyper("spine", 2,
             {Named("HyperNode", "r1"), Named("HyperNode", "r2"), Named("HyperNode", "r3")})});
  std::vector<std::string> domains;
  for (const DomainSpec& d : import.scenario.cluster.domains) {
    domains.push_back(absl::StrCat(d.name, " ", d.tier, " ", d.parent, " ", d.tier_name));
  }
  EXPECT_THAT(domains, ElementsAre("r1 1 spine rack", "r2 1 spine ", "spine 2  "));
  std::vector<std::string> of_nodes;
  for (const NodeSpec& node : import.scenario.cluster.nodes) of_nodes.push_back(node.domain);
  EXPECT_THAT(of_nodes, ElementsAre("r1", "r1", "r2"));
  EXPECT_THAT(
      Lines(import),
      ElementsAre(
          "HyperNode spine: spec.members[2].selector.exactMatch.name: \"r3\" is not there"));
}

TEST(HyperNodes, ANodeOfTwoBelongsToTheFirst) {
  const ObjectJson both = Named("Node", "n0");
  const Import import = Imported({NodeJson("n0"), Hyper("b", 1, ObjectJson::array({both})),
                                  Hyper("c", 1, ObjectJson::array({both})),
                                  Hyper("top", 2, {Named("HyperNode", "b"), both})});
  EXPECT_EQ(import.scenario.cluster.nodes[0].domain, "b");
  // That a hyper node above b has the node, too, is not reported.
  EXPECT_THAT(Lines(import),
              ElementsAre("HyperNode c: spec.members: node \"n0\" is in hyper node \"b\" already"));
}

TEST(HyperNodes, WhatIsNoTreeIsReportedOrRefused) {
  const ObjectJson low = ObjectJson::array({Named("HyperNode", "low")});
  const Import import = Imported({Hyper("low", 1, ObjectJson::array()), Hyper("x", 2, low),
                                  Hyper("y", 2, low), Hyper("z", 1, low)});
  EXPECT_THAT(Lines(import), ElementsAre(HasSubstr("\"low\" has a parent already"),
                                         HasSubstr("\"low\" has a parent already"),
                                         StartsWith("HyperNode z: spec.tier: is not above")));
  EXPECT_THAT(Refusal({Hyper("h", 1, ObjectJson::array({Member("Rack", ObjectJson::object())}))}),
              StartsWith("HyperNode h: spec.members[0].type: expected Node or HyperNode"));
  EXPECT_THAT(
      Refusal({Hyper("h", 1,
                     ObjectJson::array({Member("Node", {{"regexMatch", {{"pattern", "("}}}})}))}),
      StartsWith("HyperNode h: spec.members[0].selector.regexMatch.pattern: \"(\" is no pattern"));
}

ObjectJson Topology(const std::string& name, const ObjectJson& spec) {
  return {{"apiVersion", "nodeinfo.volcano.sh/v1alpha1"},
          {"kind", "Numatopology"},
          {"metadata", {{"name", name}}},
          {"spec", spec}};
}

TEST(Cpus, ZonesAndCpusOfNodes) {
  ObjectJson cpus = ObjectJson::object();
  for (int i = 0; i < 4; ++i) cpus[std::to_string(i)] = {{"numa", i / 2}, {"core", i / 2}};
  cpus["3"]["socket"] = 1;
  const ObjectJson spec = {
      {"policies", {{"CPUManagerPolicy", "static"}, {"TopologyManagerPolicy", "restricted"}}},
      {"resReserved", {{"cpu", "500m"}}},
      {"numares", {{"cpu", {{"allocatable", "1-2"}, {"capacity", 4}}}}},
      {"cpuDetail", cpus}};
  const Import import = Imported({NodeJson("n1"), NodeJson("n2"), Topology("n1", spec),
                                  Topology("n2", {{"policies", {{"CPUManagerPolicy", "none"}}}}),
                                  Topology("gone", spec)});
  const NodeSpec& node = import.scenario.cluster.nodes[0];
  EXPECT_EQ(node.alignment, Alignment::kRestricted);
  ASSERT_EQ(node.zones.size(), 2u);
  EXPECT_EQ(node.zones[1].name, "node-1");
  ASSERT_EQ(node.devices.size(), 4u);
  EXPECT_EQ(node.devices[3].name, "3");
  EXPECT_EQ(node.devices[3].zone, "node-1");
  EXPECT_THAT(node.devices[3].links, ElementsAre("core-1", "socket-1"));
  EXPECT_TRUE(!node.devices[0].healthy && node.devices[1].healthy && !node.devices[3].healthy);
  EXPECT_THAT(import.scenario.cluster.nodes[1].devices, IsEmpty());
  EXPECT_THAT(Lines(import),
              ElementsAre(StartsWith("Numatopology n1: spec.resReserved: cpu is 500m, but of 4 "
                                     "the node has 4"),
                          "Numatopology gone: no node of that name is there"));
  EXPECT_THAT(Refusal({NodeJson("n1"), Topology("n1", With(spec, "/cpuDetail/x", {{"numa", 0}}))}),
              HasSubstr("spec.cpuDetail.x: expected the number of a CPU"));
  EXPECT_THAT(Lines(Imported(
                  {NodeJson("n1"), Topology("n1", With(spec, "/numares/cpu/allocatable", "1-x"))})),
              Contains(HasSubstr("\"1-x\" is no list of CPUs; none is free")));
}

TEST(Cpus, HowPodsAreAligned) {
  constexpr char kWish[] = "volcano.sh/numa-topology-policy";
  const ObjectJson limits = {{"cpu", "1"}, {"memory", "1Gi"}};
  const ObjectJson same = {
      {"containers", {{{"name", "c"}, {"resources", {{"limits", limits}, {"requests", limits}}}}}}};
  const Import import = Imported({NodeJson(), Topology("n1", ObjectJson::object()),
                                  Annotated(PodJson("a", same), kWish, "restricted"),
                                  Annotated(PodJson("b"), kWish, "strict"),
                                  With(PodJson("c"), "/status/qosClass", "Guaranteed")});
  std::vector<std::string> shapes;
  for (const TaskSpec& task : import.scenario.cluster.tasks) {
    shapes.push_back(absl::StrCat(std::string(Word(task.shape.alignment)), " ",
                                  task.shape.guaranteed_qos ? "yes" : "no"));
  }
  EXPECT_THAT(shapes, ElementsAre("restricted yes", " no", " yes"));
  EXPECT_THAT(Lines(import), Contains(absl::StrCat("Pod ns/b: metadata.annotations[\"", kWish,
                                                   "\"]: \"strict\" is no policy; none counts")));
}

TEST(Usage, MeasuredLoad) {
  const auto value = [](const char* name, const char* metric, const char* amount,
                        const char* time = "1970-01-01T00:01:40Z") {
    return ObjectJson{{"kind", "MetricValue"},
                      {"describedObject", {{"kind", "Node"}, {"name", name}}},
                      {"metric", {{"name", metric}}},
                      {"timestamp", time},
                      {"value", amount}};
  };
  constexpr char kCpu[] = "node_cpu_usage_avg", kMemory[] = "node_memory_usage_avg";
  const ObjectJson old = {{"kind", "MetricValue"},
                          {"metricName", kCpu},
                          {"describedObject", {{"kind", "Node"}, {"name", "n2"}}},
                          {"value", 0.5}};
  const Import import =
      Imported({NodeJson("n1"), NodeJson("n2"),
                value("n1", kMemory, "250m", "1970-01-01T00:02:00Z"), value("n1", kCpu, "0.61234"),
                value("gone", kCpu, "1"), value("n1", "temperature", "90"), old});
  const std::vector<NodeSpec>& nodes = import.scenario.cluster.nodes;
  EXPECT_EQ(nodes[0].usage, (NodeUsage{"61234m", 25, 120}));
  EXPECT_EQ(nodes[1].usage, (NodeUsage{50, 0, 0}));
  EXPECT_THAT(Lines(import),
              ElementsAre("MetricValue of Node gone: describedObject: is no node that is there",
                          "MetricValue of Node n1: metric: \"temperature\" is not considered"));
  EXPECT_EQ(Refusal({NodeJson("n1"), value("n1", kCpu, "-1")}),
            "MetricValue of Node n1: value: \"-1\" is negative; expected 0 or more");
}

}  // namespace
}  // namespace muster
