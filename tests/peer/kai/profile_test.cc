// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile kai on clusters: devices that tasks have, and promises of earlier cycles.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class KaiProfile : public ::testing::Test {
 protected:
  KaiProfile() { AddQueues(); }
  void StartAnew() {
    cluster_ = Cluster();
    AddQueues();
  }
  // A queue that may hold any amount.
  void AddQueues() {
    Accept(cluster_.AddQueue({.name = "top"}));
    Accept(cluster_.AddQueue({.name = "q", .parent = "top"}));
  }
  // A node with two GPUs, g0 and g1.
  void Node(const std::string& name) {
    NodeSpec node{.name = name,
                  .capacity = {{"cpu", 16}, {"pods", 100}, {"nvidia.com/gpu", 2}},
                  .labels = {{"nvidia.com/gpu.count", "2"}, {"nvidia.com/gpu.memory", "100"}}};
    for (const char* device : {"g0", "g1"}) {
      node.devices.push_back({.name = device, .kind = "gpu"});
    }
    Accept(cluster_.AddNode(node));
  }
  // A job of one task that shares a device, or has it for itself.
  TaskSpec Task(const std::string& name, bool whole) {
    Accept(cluster_.AddJob({.name = name, .queue = "q", .min_available = 1, .created = ++clock_}));
    TaskSpec task{.name = name + "0", .job = name};
    task.shape.request = {{"cpu", 1}};
    if (whole) {
      task.shape.request.push_back({"nvidia.com/gpu", 1});
    } else {
      task.shape.devices = {{.kind = "gpu", .milli = 500}};
    }
    return task;
  }
  void Place(TaskSpec task, TaskStatus status, const std::string& node, const std::string& device,
             int64_t milli) {
    task.status = status;
    task.node = node;
    task.devices = {{.device = device, .milli = milli}};
    Accept(cluster_.AddTask(task));
  }
  // "task device".
  std::vector<std::string> Devices(const std::string& profile) {
    const absl::StatusOr<Plan> plan = Schedule(cluster_.Freeze(), profile);
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::vector<std::string> lines;
    for (const ChosenDevice& chosen : plan->devices()) {
      lines.push_back(std::string(plan->task_name(chosen.task)) + " " + chosen.device);
    }
    return lines;
  }

  Cluster cluster_;
  int64_t clock_ = 0;
};

TEST_F(KaiProfile, ANewPartTakesNoDeviceThatAnotherHasForItself) {
  Node("n");
  Place(Task("whole", true), TaskStatus::kRunning, "n", "g0", 1000);
  Accept(cluster_.AddTask(Task("part", false)));
  EXPECT_EQ(Decide(cluster_, "kai"), "bind part0 n");
  EXPECT_THAT(Devices("kai"), ElementsAre("part0 g1"));
}

TEST_F(KaiProfile, AClosedNodeIsReady) {
  Node("n");
  NodeSpec node = cluster_.Describe().nodes[0];
  node.unschedulable = true;
  Accept(cluster_.UpdateNode(node));
  Accept(cluster_.AddTask(Task("j", true)));
  EXPECT_THAT(*cluster_.Schedule("kai")->Explain("j"), HasSubstr("1 node: unschedulable"));
  node.ready = false;
  Accept(cluster_.UpdateNode(node));
  EXPECT_THAT(*cluster_.Schedule("kai")->Explain("j"), HasSubstr("1 node: not ready"));
}

TEST_F(KaiProfile, ADeviceThatIsLeftIsFree) {
  Node("n");
  Place(Task("whole", true), TaskStatus::kReleasing, "n", "g0", 1000);
  Place(Task("other", true), TaskStatus::kRunning, "n", "g1", 1000);
  Accept(cluster_.AddTask(Task("part", false)));
  EXPECT_EQ(Decide(cluster_, "kai"), "nominate part0 n");
  EXPECT_THAT(Devices("kai"), ElementsAre("part0 g0"));
}

TEST_F(KaiProfile, ClaimedDevicesCountAsGpus) {
  NodeSpec node{.name = "n", .capacity = {{"cpu", 16}, {"pods", 100}}};
  for (const char* device : {"c0", "c1", "c2"}) {
    node.devices.push_back({.name = device, .kind = "gpu"});
  }
  Accept(cluster_.AddNode(node));
  const auto claim = [&](const std::string& name, int64_t count) {
    TaskSpec task = Task(name, false);
    task.shape.devices = {{.kind = "gpu", .count = count, .exclusive = true}};
    Accept(cluster_.AddTask(task));
  };
  claim("two", 2);
  EXPECT_EQ(Decide(cluster_, "kai"), "");  // such a node has no GPUs
  claim("other", 2);
  Accept(cluster_.AddTask(Task("part", false)));  // claims are for whole devices
  EXPECT_EQ(Decide(cluster_, "kai:kai-rules(claims=on)"), "bind two0 n");
  claim("one", 1);
  EXPECT_EQ(Decide(cluster_, "kai:kai-rules(claims=on)"), "bind two0 n; bind one0 n");
}

TEST_F(KaiProfile, ClaimsGoToNodesWhoseGpusAreClaimed) {
  Accept(cluster_.AddNode({.name = "claimed",
                           .capacity = {{"cpu", 8}, {"pods", 10}},
                           .devices = {{.name = "d", .kind = "gpu"}}}));
  Node("plain");
  const auto claim = [&](const std::string& name) {
    TaskSpec task = Task(name, false);
    task.shape.devices = {{.kind = "gpu", .count = 1, .exclusive = true}};
    Accept(cluster_.AddTask(task));
  };
  claim("a");
  Accept(cluster_.AddTask(Task("b", true)));
  Accept(cluster_.AddTask(Task("c", true)));
  EXPECT_EQ(Decide(cluster_, "kai:kai-rules(claims=on)"),
            "bind a0 claimed; bind b0 plain; bind c0 plain");
  // What is left is of the other kind.
  Accept(cluster_.RemoveTask("c0"));
  claim("d");
  EXPECT_EQ(Decide(cluster_, "kai:kai-rules(claims=on)"), "bind a0 claimed; bind b0 plain");
  Accept(cluster_.RemoveTask("a0"));
  Accept(cluster_.RemoveTask("d0"));
  Accept(cluster_.AddTask(Task("e", true)));
  Accept(cluster_.AddTask(Task("f", true)));
  EXPECT_EQ(Decide(cluster_, "kai:kai-rules(claims=on)"), "bind b0 plain; bind e0 plain");
}

TEST_F(KaiProfile, ClaimedGpusAreNotShared) {
  Accept(cluster_.AddNode({.name = "claimed",
                           .capacity = {{"cpu", 8}, {"pods", 10}},
                           .labels = {{"nvidia.com/gpu.memory", "8192"}},
                           .devices = {{.name = "d", .kind = "gpu"}}}));
  Accept(cluster_.AddTask(Task("part", false)));
  TaskSpec task = Task("memory", false);
  task.shape.devices = {{.kind = "gpu", .memory = int64_t{4} << 30}};
  Accept(cluster_.AddTask(task));
  EXPECT_EQ(Decide(cluster_, "kai:kai-rules(claims=on)"), "");
  Node("plain");
  NodeSpec plain = cluster_.Describe().nodes[1];
  plain.labels = {{"nvidia.com/gpu.count", "2"}, {"nvidia.com/gpu.memory", "8192"}};
  Accept(cluster_.UpdateNode(plain));
  EXPECT_EQ(Decide(cluster_, "kai:kai-rules(claims=on)"), "bind part0 plain; bind memory0 plain");
}

TEST_F(KaiProfile, CountsTheNodesThatRefuseATask) {
  for (const char* name : {"k", "m", "n"}) Node(name);
  for (const char* node : {"m", "n"}) {
    for (const char* device : {"g0", "g1"}) {
      Place(Task(std::string("on-") + node + device, true), TaskStatus::kRunning, node, device,
            1000);
    }
  }
  Place(Task("on-k", true), TaskStatus::kRunning, "k", "g0", 1000);
  TaskSpec large = Task("large", true);
  large.shape.request = {{"cpu", 15}, {"nvidia.com/gpu", 2}};
  Accept(cluster_.AddTask(large));
  TaskSpec picky = Task("picky", true);
  picky.shape.node_selector = {{"zone", "a"}};
  Accept(cluster_.AddTask(picky));
  Accept(cluster_.AddJob({.name = "gang", .queue = "q", .min_available = 2, .created = ++clock_}));
  for (const char* name : {"gang0", "gang1"}) {
    TaskSpec task = Task(std::string("of-") + name, true);
    task.name = name;
    task.job = "gang";
    Accept(cluster_.AddTask(task));
  }
  const absl::StatusOr<Plan> plan = Schedule(cluster_.Freeze(), "kai:actions=allocate");
  ASSERT_TRUE(plan.ok()) << plan.status();
  // Two nodes lack GPUs and cores. All lack GPUs.
  EXPECT_EQ(
      *plan->Explain("large"),
      "large: no node fits\n"
      "  3 nodes: nvidia.com/gpu (no nodes with enough resources were found: 2 node(s) didn't "
      "have enough resources: CPU cores. 3 node(s) didn't have enough resources: GPUs.)\n");
  EXPECT_EQ(*plan->Explain("picky"),
            "picky: no node fits\n"
            "  2 nodes: nvidia.com/gpu; 1 node: node selector or affinity (no nodes with enough "
            "resources were found: 1 node(s) didn't match Pod's node affinity/selector. 2 node(s) "
            "didn't have enough resources: GPUs.)\n");
  EXPECT_EQ(*plan->Explain("gang"),
            "gang: 1 of 2 placed, undone\n"
            "  3 nodes: nvidia.com/gpu\n");
}

TEST_F(KaiProfile, APartOfAResourceOfGpusIsAWholeOne) {
  Node("n");
  TaskSpec large = Task("large", true);
  large.shape.request.back().second = "2500m";
  Accept(cluster_.AddTask(large));
  EXPECT_EQ(Decide(cluster_, "kai"), "");
  TaskSpec small = Task("small", true);
  small.shape.request.back().second = "1500m";
  Accept(cluster_.AddTask(small));
  Accept(cluster_.AddTask(Task("one", true)));
  EXPECT_EQ(Decide(cluster_, "kai"), "bind small0 n");
}

TEST_F(KaiProfile, MinimaThatAnInt32CannotHoldAreNeverReached) {
  Node("n");
  constexpr int64_t kHuge = (int64_t{1} << 32) + 1;
  const auto add = [&](JobSpec job, const std::string& group) {
    job.queue = "q";
    Accept(cluster_.AddJob(job));
    TaskSpec task{.name = job.name + "0", .job = job.name, .shape = {.request = {{"cpu", 1}}}};
    task.sub_group = group;
    Accept(cluster_.AddTask(task));
  };
  const std::vector<SubGroupSpec> two = {{.name = "s", .min_available = 1},
                                         {.name = "t", .min_available = 1}};
  GangRules one, huge;
  one.min_sub_groups = 1;
  huge.min_sub_groups = kHuge;
  add({.name = "a", .min_available = kHuge}, "");
  add({.name = "b", .sub_groups = two, .gang = huge}, "s");
  add({.name = "c", .sub_groups = {{.name = "s", .min_available = kHuge}}}, "s");
  add({.name = "d", .sub_groups = two, .gang = one}, "s");
  EXPECT_EQ(Decide(cluster_, "kai"), "bind d0 n");
}

TEST_F(KaiProfile, ADelayThatNeverEndsEvictsNothing) {
  const auto decided = [&](int64_t delay) {
    StartAnew();
    Node("n");
    JobSpec low{.name = "low", .queue = "q", .priority = 10, .min_available = 1, .created = 5};
    JobSpec high{.name = "high", .queue = "q", .priority = 60, .min_available = 1, .created = 100};
    high.gang = GangRules();
    high.gang->preemption_delay = delay;
    Accept(cluster_.AddJob(low));
    Accept(cluster_.AddJob(high));
    TaskSpec runs{.name = "l", .job = "low", .shape = {.request = {{"cpu", 16}}}};
    runs.status = TaskStatus::kRunning;
    runs.node = "n";
    Accept(cluster_.AddTask(runs));
    Accept(cluster_.AddTask({.name = "h", .job = "high", .shape = {.request = {{"cpu", 16}}}}));
    return Decide(cluster_, "kai", 200);
  };
  EXPECT_EQ(decided(100), "evict l n; nominate h n");
  EXPECT_EQ(decided(101), "");
  EXPECT_EQ(decided((int64_t{1} << 62) - 1), "");  // the longest span of time
}

// A namespace selector selects namespaces by their labels; an empty one selects all.
TEST_F(KaiProfile, TermsSelectNamespacesByLabels) {
  const auto decided = [&](const std::string& other_space, Selector spaces, bool held) {
    StartAnew();
    NodeSpec node{.name = "n", .capacity = {{"cpu", 16}, {"pods", 100}}, .labels = {{"h", "n"}}};
    Accept(cluster_.AddNode(node));
    Accept(cluster_.SetNamespace({.name = "x", .labels = {{"team", "a"}}}));
    Accept(cluster_.SetNamespace({.name = "y", .labels = {{"team", "b"}}}));
    Accept(cluster_.AddJob({.name = "j", .queue = "q", .min_available = 1}));
    Accept(cluster_.AddJob({.name = "k", .queue = "q", .min_available = 1}));
    AffinityTerm term{.topology_key = "h",
                      .selector = Selector{{{"app", "o"}}, {}},
                      .namespace_selector = std::move(spaces)};
    TaskShape shy{.request = {{"cpu", 1}}, .name_space = "z"};
    shy.required_anti_affinity = {term};
    TaskShape other{.request = {{"cpu", 1}}, .name_space = other_space, .labels = {{"app", "o"}}};
    TaskSpec runs{.name = "r", .job = "k", .shape = held ? shy : other};
    runs.status = TaskStatus::kRunning;
    runs.node = "n";
    Accept(cluster_.AddTask(runs));
    Accept(cluster_.AddTask({.name = "t", .job = "j", .shape = held ? other : shy}));
    return Decide(cluster_, "kai");
  };
  const Selector team_a{{{"team", "a"}}, {}},
      no_team{{}, {{"team", RequirementOp::kDoesNotExist, {}}}};
  for (const bool held : {false, true}) {
    EXPECT_EQ(decided("y", team_a, held), "bind t n") << held;
    EXPECT_EQ(decided("x", team_a, held), "") << held;
    EXPECT_EQ(decided("y", Selector(), held), "") << held;
  }
  // A namespace without a row has no labels for terms of what runs, and is none for the newcomer's.
  EXPECT_EQ(decided("unknown", no_team, false), "bind t n");
  EXPECT_EQ(decided("unknown", no_team, true), "");
}

// Affinity counts tasks that all terms select. The first of a group that selects itself needs none.
TEST_F(KaiProfile, AffinityIsToTasksThatAllTermsSelect) {
  const Labels app = {{"app", "o"}}, both = {{"app", "o"}, {"tier", "t"}};
  const auto decided = [&](const Labels& there, const Labels& own) {
    StartAnew();
    for (const char* name : {"far", "near"}) {
      NodeSpec node{
          .name = name, .capacity = {{"cpu", 16}, {"pods", 100}}, .labels = {{"h", name}}};
      Accept(cluster_.AddNode(node));
    }
    Accept(cluster_.AddNode({.name = "no-host", .capacity = {{"cpu", 8}, {"pods", 100}}}));
    Accept(cluster_.AddJob({.name = "j", .queue = "q", .min_available = 1}));
    Accept(cluster_.AddJob({.name = "k", .queue = "q", .min_available = 1}));
    TaskSpec runs{.name = "r", .job = "k", .shape = {.request = {{"cpu", 1}}, .labels = there}};
    runs.status = TaskStatus::kRunning;
    runs.node = "near";
    Accept(cluster_.AddTask(runs));
    TaskShape shape{.request = {{"cpu", 1}}, .labels = own};
    for (const auto& label : both) {
      shape.required_affinity.push_back({.topology_key = "h", .selector = Selector{{label}, {}}});
    }
    Accept(cluster_.AddTask({.name = "t", .job = "j", .shape = shape}));
    return Decide(cluster_, "kai");
  };
  EXPECT_EQ(decided(both, {}), "bind t near");
  EXPECT_EQ(decided(both, both), "bind t near");
  EXPECT_EQ(decided(app, {}), "");
  EXPECT_EQ(decided(app, app), "");
  EXPECT_EQ(decided(app, both), "bind t near");
}

// Without the full hierarchy all queues but the top ones share the cluster.
TEST_F(KaiProfile, TopQueuesMayBeLeftOut) {
  Node("n");
  QueueSpec small{.name = "small"};
  small.limit = Resources{{"cpu", 1}};
  Accept(cluster_.AddQueue(small));
  Accept(cluster_.AddQueue({.name = "below", .parent = "small"}));
  Accept(cluster_.AddQueue({.name = "alone"}));
  const auto add = [&](const std::string& name, const std::string& queue) {
    Accept(cluster_.AddJob({.name = name, .queue = queue, .min_available = 1}));
    Accept(cluster_.AddTask({.name = name + "0", .job = name, .shape = {.request = {{"cpu", 2}}}}));
  };
  add("a", "below");
  add("b", "alone");
  add("c", "q");
  const std::string flat = "kai:kai-rules(full_hierarchy=off)";
  EXPECT_EQ(Decide(cluster_, "kai"), "bind b0 n; bind c0 n");
  EXPECT_EQ(Decide(cluster_, flat), "bind a0 n; bind c0 n");
  EXPECT_THAT(*cluster_.Schedule(flat)->Explain("b"),
              HasSubstr("queue \"alone\" is at the top, which is not read"));
}

TEST_F(KaiProfile, ADepthOf0TriesNoJob) {
  Node("n");
  Accept(cluster_.AddTask(Task("a", true)));
  Accept(cluster_.AddTask(Task("b", true)));
  EXPECT_EQ(Decide(cluster_, "kai:actions=allocate(depth=0)"), "");
  EXPECT_EQ(Decide(cluster_, "kai:actions=allocate(depth=1)"), "bind a0 n");
}

TEST_F(KaiProfile, PromisesAreKeptIfAsked) {
  Node("m");
  Node("n");
  Place(Task("promised", false), TaskStatus::kNominated, "n", "g0", 500);
  Accept(cluster_.AddTask(Task("part", false)));
  EXPECT_EQ(Decide(cluster_, "kai"), "bind promised0 m; bind part0 m");
  const std::string kept = "kai:kai-rules(promises=kept)";
  // It joins the other, and waits with it.
  EXPECT_EQ(Decide(cluster_, kept), "nominate part0 n");
  EXPECT_THAT(Devices(kept), ElementsAre("part0 g0"));
}

}  // namespace
}  // namespace muster::testing
