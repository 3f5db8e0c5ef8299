// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Remedies: small clusters with one reason each, and random worlds in which every remedy that is
// returned is made, and must start what it says.
#include "muster/remedy.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/model/tables.h"
#include "muster/rehearsal.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

JobSpec Job(const char* name, int64_t count, int64_t cpu, const char* queue = "default") {
  return {.name = name,
          .queue = queue,
          .min_available = count,
          .groups = {{.count = count, .shape = {.request = {{"cpu", cpu}}}}}};
}

NodeSpec Node(const char* name, int64_t cpu) {
  return {.name = name, .capacity = {{"cpu", cpu}, {"pods", 99}}};
}

Diagnosis Of(const Cluster& cluster, const char* job, const char* profile = "volcano") {
  const absl::StatusOr<Diagnosis> diagnosis = Diagnose(cluster, profile, job);
  EXPECT_TRUE(diagnosis.ok()) << diagnosis.status();
  return diagnosis.ok() ? *diagnosis : Diagnosis();
}

std::string Words(const Diagnosis& diagnosis, RemedyKind kind) {
  const auto found = std::ranges::find(diagnosis.remedies, kind, &Remedy::kind);
  return found == diagnosis.remedies.end() ? "" : found->words;
}

TEST(Diagnose, AGangWithoutRoom) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(2, Node("n", 4)).ok());
  ASSERT_TRUE(cluster.AddJob(Job("g", 5, 2)).ok());
  const Diagnosis diagnosis = Of(cluster, "g");
  EXPECT_EQ(diagnosis.waiting, 5);
  EXPECT_THAT(diagnosis.reason, HasSubstr("g: 4 of 5 placed, undone"));
  EXPECT_THAT(diagnosis.facts,
              Contains("cpu: 5 tasks that the gang needs request 10; 8 of 8 free in all"));
  EXPECT_EQ(Words(diagnosis, RemedyKind::kMoreNodes), "add 1 node like \"n0\"");
  EXPECT_EQ(Words(diagnosis, RemedyKind::kSmallerGang), "let the gang start with 4 of its 5 tasks");
  EXPECT_EQ(Words(diagnosis, RemedyKind::kSmallerRequest),
            "request less cpu for each task: 2 -> 1333m");
  EXPECT_LE(diagnosis.trials, 200);
}

TEST(Diagnose, ATaskLargerThanAnyNode) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(2, Node("n", 4)).ok());
  ASSERT_TRUE(cluster.AddJob(Job("big", 1, 6)).ok());
  const Diagnosis diagnosis = Of(cluster, "big");
  EXPECT_THAT(diagnosis.facts,
              ElementsAre("cpu: a task requests 6; \"n0\" has the most free, 4 of 4; 8 of 8 in "
                          "all: no node is large enough"));
  EXPECT_EQ(Words(diagnosis, RemedyKind::kMoreNodes), "");
  EXPECT_EQ(Words(diagnosis, RemedyKind::kSmallerRequest),
            "request less cpu for each task: 6 -> 4");
}

TEST(Diagnose, AQueueAtItsLimit) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(9, Node("n", 8)).ok());
  ASSERT_TRUE(cluster.AddQueue({.name = "nlp", .limit = Resources{{"cpu", 24}}}).ok());
  ASSERT_TRUE(cluster.AddQueue({.name = "cv"}).ok());
  ASSERT_TRUE(cluster.AddJob(Job("runs", 24, 1, "nlp")).ok());
  for (int i = 0; i < 24; ++i) {
    ASSERT_TRUE(cluster
                    .SetTaskStatus("runs-" + std::to_string(i), TaskStatus::kRunning,
                                   "n" + std::to_string(i / 8))
                    .ok());
  }
  ASSERT_TRUE(cluster.AddJob(Job("train", 8, 4, "nlp")).ok());
  const Diagnosis diagnosis = Of(cluster, "train");
  EXPECT_THAT(diagnosis.facts, Contains("queue \"nlp\": 24 of 24 cpu held, this job requests 32: "
                                        "it can never start"));
  EXPECT_EQ(Words(diagnosis, RemedyKind::kQueueLimit),
            "raise the limit of queue \"nlp\": cpu 24 -> 56");
  EXPECT_THAT(Words(diagnosis, RemedyKind::kAnotherQueue), HasSubstr("move it to queue"));
}

// YARN's scheduler reads no limit, so the limit is not why the job waits.
TEST(Diagnose, ALimitThatTheProfileDoesNotRead) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(2, Node("n", 4)).ok());
  ASSERT_TRUE(cluster.AddQueue({.name = "nlp", .limit = Resources{{"cpu", 2}}}).ok());
  ASSERT_TRUE(cluster.AddJob(Job("big", 1, 6, "nlp")).ok());
  const Diagnosis diagnosis = Of(cluster, "big", "yarn-capacity");
  EXPECT_THAT(diagnosis.reason, HasSubstr("above the largest allocation"));
  EXPECT_THAT(diagnosis.facts, Each(Not(HasSubstr("never start"))));
}

TEST(Diagnose, ATaintAndAClosedNode) {
  Cluster cluster;
  NodeSpec tainted = Node("t", 4), closed = Node("c", 4);
  tainted.taints = {{"gpu", "only", TaintEffect::kNoSchedule}};
  closed.unschedulable = true;
  ASSERT_TRUE(cluster.AddNode(tainted).ok() && cluster.AddNode(closed).ok());
  ASSERT_TRUE(cluster.AddJob(Job("j", 1, 2)).ok());
  const Diagnosis diagnosis = Of(cluster, "j");
  EXPECT_EQ(Words(diagnosis, RemedyKind::kToleration), "tolerate the taint gpu=only");
  EXPECT_EQ(Words(diagnosis, RemedyKind::kUncordon), "let \"c\" take tasks again");
}

// Kubernetes marks nodes that are closed or out of reach by taints, too. A task that tolerates them
// would go to a node that should take none.
TEST(Diagnose, TaintsOfStateAreNotTolerated) {
  Cluster cluster;
  NodeSpec closed = Node("c", 4), dead = Node("d", 4);
  closed.unschedulable = true;
  closed.taints = {{"node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule}};
  dead.ready = false;
  dead.taints = {{"node.kubernetes.io/unreachable", "", TaintEffect::kNoSchedule}};
  ASSERT_TRUE(cluster.AddNode(closed).ok() && cluster.AddNode(dead).ok());
  ASSERT_TRUE(cluster.AddJob(Job("j", 1, 2)).ok());
  const Diagnosis diagnosis = Of(cluster, "j");
  EXPECT_EQ(Words(diagnosis, RemedyKind::kToleration), "");
  EXPECT_EQ(Words(diagnosis, RemedyKind::kUncordon), "let \"c\" take tasks again");
  EXPECT_EQ(Words(diagnosis, RemedyKind::kMoreNodes), "add 1 node like \"c\"");
}

// Labels that name nodes make no types, and types that the task's selector allows come first.
TEST(Diagnose, NodeTypesAreThoseOfTheTask) {
  Cluster cluster;
  for (const char* name : {"a0", "a1", "a2", "a3", "a4", "b0"}) {
    NodeSpec node = Node(name, 4);
    node.labels = {{"instance", std::string("i-") + name}, {"pool", std::string(name, 1)}};
    if (name[0] == 'a') node.labels.emplace_back("slot", name + 1);
    ASSERT_TRUE(cluster.AddNode(node).ok());
  }
  JobSpec job = Job("j", 2, 4);
  job.groups[0].shape.node_selector = {{"pool", "b"}};
  JobSpec other = Job("other", 1, 4);  // tells the slots apart
  other.groups[0].shape.node_selector = {{"slot", "9"}};
  ASSERT_TRUE(cluster.AddJob(job).ok() && cluster.AddJob(other).ok());
  EXPECT_EQ(Words(Of(cluster, "j"), RemedyKind::kMoreNodes), "add 1 node like \"b0\"");
}

// Amounts of nodes that refuse the task are not counted for it.
TEST(Diagnose, FactsAreOfNodesThatTheTaskMayUse) {
  Cluster cluster;
  NodeSpec tainted = Node("large", 64);
  tainted.taints = {{"gpu", "only", TaintEffect::kNoSchedule}};
  ASSERT_TRUE(cluster.AddNode(tainted).ok() && cluster.AddNode(Node("small", 4)).ok());
  ASSERT_TRUE(cluster.AddJob(Job("j", 1, 6)).ok());
  EXPECT_THAT(Of(cluster, "j").facts,
              ElementsAre("cpu: a task requests 6; \"small\" has the most free, 4 of 4; 4 of 4 in "
                          "all: no node is large enough"));
}

TEST(Diagnose, EvictionsAndEnds) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode(Node("n", 4)).ok());
  JobSpec low = Job("low", 1, 4);
  low.estimate = 100;
  ASSERT_TRUE(cluster.AddJob(low).ok());
  TaskSpec runs = cluster.Describe().tasks[0];
  runs.status = TaskStatus::kRunning;
  runs.node = "n";
  runs.started = 50;
  ASSERT_TRUE(cluster.UpdateTask(runs).ok());
  JobSpec high = Job("high", 1, 4);
  high.priority = 5;
  high.groups[0].priority = 5;
  ASSERT_TRUE(cluster.AddJob(high).ok());
  const Diagnosis diagnosis = Of(cluster, "high");
  EXPECT_EQ(Words(diagnosis, RemedyKind::kEvictions),
            "schedule by volcano:+preempt, which evicts 1 task (low-0)");
  EXPECT_EQ(Words(diagnosis, RemedyKind::kWait),
            "wait until 150, when 1 job has ended by estimate");
}

TEST(Diagnose, AJobThatStartsNeedsNothing) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode(Node("n", 4)).ok());
  ASSERT_TRUE(cluster.AddJob(Job("j", 1, 2)).ok());
  const Diagnosis diagnosis = Of(cluster, "j");
  EXPECT_EQ(diagnosis.waiting, 0);
  EXPECT_THAT(diagnosis.remedies, IsEmpty());
  EXPECT_EQ(diagnosis.trials, 0);
}

TEST(Diagnose, TellsWhatARemedyCostsOthers) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode(Node("n", 4)).ok());
  ASSERT_TRUE(cluster.AddJob(Job("first", 1, 4)).ok());
  ASSERT_TRUE(cluster.AddJob(Job("second", 1, 4)).ok());
  const Diagnosis diagnosis = Of(cluster, "second");
  for (const Remedy& remedy : diagnosis.remedies) {
    EXPECT_EQ(remedy.others, remedy.kind == RemedyKind::kPriority ? -1 : 0) << remedy.words;
  }
  EXPECT_NE(Words(diagnosis, RemedyKind::kPriority), "");
}

TEST(Diagnose, ATaskWithoutAJob) {
  Cluster cluster;
  NodeSpec tainted = Node("t", 4);
  tainted.taints = {{"gpu", "only", TaintEffect::kNoSchedule}};
  ASSERT_TRUE(cluster.AddNode(tainted).ok());
  ASSERT_TRUE(cluster.AddTask({.name = "pod", .shape = {.request = {{"cpu", 6}}}}).ok());
  ASSERT_TRUE(cluster.AddTask({.name = "small", .shape = {.request = {{"cpu", 1}}}}).ok());
  const Diagnosis large = Of(cluster, "pod", "kube-scheduler");
  EXPECT_EQ(large.waiting, 1);
  EXPECT_THAT(large.reason, HasSubstr("0/1 nodes are available: 1 node(s) had untolerated taint"));
  EXPECT_THAT(large.facts, ElementsAre(HasSubstr("cpu: a task requests 6; \"t\" has the most free, "
                                                 "4 of 4; 4 of 4 in all: no node is large")));
  EXPECT_THAT(large.remedies, IsEmpty());
  const Diagnosis small = Of(cluster, "small", "kube-scheduler");
  ASSERT_EQ(small.remedies.size(), 1u);
  EXPECT_EQ(small.remedies[0].words, "tolerate the taint gpu=only");
  EXPECT_EQ(small.remedies[0].starts, 1);
  Cluster after = cluster.Clone();
  ASSERT_TRUE(MakeChanges(small.remedies[0].changes, &after).ok());
  EXPECT_EQ(after.Schedule("kube-scheduler")->binds().size(), 1u);
}

// The name of a task stands for its job.
TEST(Diagnose, ATaskOfAJob) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(2, Node("n", 4)).ok());
  ASSERT_TRUE(cluster.AddJob(Job("g", 5, 2)).ok());
  const Diagnosis job = Of(cluster, "g"), task = Of(cluster, "g-3");
  EXPECT_EQ(task.reason, job.reason);
  EXPECT_EQ(task.facts, job.facts);
  EXPECT_EQ(task.remedies.size(), job.remedies.size());
  EXPECT_EQ(task.waiting, 5);
}

// The limit of its queue holds the job back, and the only node with room has a taint.
TEST(Diagnose, ALimitAndATaintAtOnce) {
  Cluster cluster;
  NodeSpec tainted = Node("t", 8);
  tainted.taints = {{"gpu", "only", TaintEffect::kNoSchedule}};
  ASSERT_TRUE(cluster.AddNode(tainted).ok());
  ASSERT_TRUE(cluster.AddQueue({.name = "nlp", .limit = Resources{{"cpu", 2}}}).ok());
  ASSERT_TRUE(cluster.AddJob(Job("train", 1, 4, "nlp")).ok());
  const Diagnosis diagnosis = Of(cluster, "train", "muster");
  EXPECT_EQ(Words(diagnosis, RemedyKind::kToleration),
            "raise the limit of queue \"nlp\": cpu 2 -> 4, and tolerate the taint gpu=only");
  ASSERT_FALSE(diagnosis.remedies.empty());
  for (const Remedy& remedy : diagnosis.remedies) {
    Cluster after = cluster.Clone();
    ASSERT_TRUE(MakeChanges(remedy.changes, &after).ok());
    EXPECT_EQ(after.Schedule(remedy.profile)->binds().size(), 1u) << remedy.words;
  }
}

// Another job of the queue goes first and takes what the raised limit would leave.
TEST(Diagnose, ALimitThatOthersWaitForToo) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(4, Node("n", 8)).ok());
  ASSERT_TRUE(cluster.AddQueue({.name = "nlp", .limit = Resources{{"cpu", 2}}}).ok());
  ASSERT_TRUE(cluster.AddJob(Job("first", 1, 4, "nlp")).ok());
  ASSERT_TRUE(cluster.AddJob(Job("second", 1, 8, "nlp")).ok());
  EXPECT_EQ(Words(Of(cluster, "second", "muster"), RemedyKind::kQueueLimit),
            "raise the limit of queue \"nlp\": cpu 2 -> 12");
}

// Another task takes the first new node, and leaves no longer what runs.
TEST(Diagnose, ANominatedTaskTakesTheFirstNewNode) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode(Node("n", 4)).ok());
  TaskSpec runs{.name = "runs", .shape = {.request = {{"cpu", 4}}}};
  runs.status = TaskStatus::kRunning;
  runs.node = "n";
  ASSERT_TRUE(cluster.AddTask(runs).ok());
  for (const auto& [name, priority] : {std::pair("high", 10), std::pair("low", 0)}) {
    ASSERT_TRUE(
        cluster.AddTask({.name = name, .shape = {.request = {{"cpu", 4}}}, .priority = priority})
            .ok());
  }
  const Diagnosis diagnosis = Of(cluster, "low", "kube-scheduler");
  ASSERT_EQ(Words(diagnosis, RemedyKind::kMoreNodes), "add 2 nodes like \"n\"");
  // The plan of today evicts one task, and that with new nodes none.
  EXPECT_EQ(diagnosis.remedies[0].evictions, -1);
  EXPECT_EQ(diagnosis.remedies[0].starts, 1);
}

TEST(Diagnose, AClosedQueue) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode(Node("n", 4)).ok());
  ASSERT_TRUE(cluster.AddQueue({.name = "shut", .state = QueueState::kClosed}).ok());
  ASSERT_TRUE(cluster.AddJob(Job("j", 1, 2, "shut")).ok());
  const Diagnosis diagnosis = Of(cluster, "j");
  EXPECT_EQ(Words(diagnosis, RemedyKind::kOpenQueue), "open queue \"shut\"");
}

// Neither a higher limit nor more nodes help alone, and a smaller request changes the job.
TEST(Diagnose, ALimitAndNodesAtOnce) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode(Node("n", 4)).ok());
  ASSERT_TRUE(cluster.AddQueue({.name = "nlp", .limit = Resources{{"cpu", 4}}}).ok());
  ASSERT_TRUE(cluster.AddJob(Job("train", 4, 2, "nlp")).ok());
  ASSERT_TRUE(cluster.AddJob(Job("other", 1, 4, "nlp")).ok());
  const Diagnosis diagnosis = Of(cluster, "train", "muster");
  EXPECT_NE(Words(diagnosis, RemedyKind::kSmallerRequest), "");
  const std::string words = Words(diagnosis, RemedyKind::kMoreNodes);
  EXPECT_THAT(words, HasSubstr("raise the limit of queue \"nlp\": cpu 4 -> "));
  EXPECT_THAT(words, HasSubstr(", and add "));
  // One cpu less in the limit, and the job waits.
  const auto found = std::ranges::find(diagnosis.remedies, RemedyKind::kMoreNodes, &Remedy::kind);
  ASSERT_NE(found, diagnosis.remedies.end());
  std::vector<WhatIfChange> changes = found->changes;
  ASSERT_TRUE(changes[0].queue.has_value());
  const int64_t limit = std::stoll((*changes[0].queue->limit)[0].second.text);
  for (const int64_t less : {0, 1}) {
    Cluster after = cluster.Clone();
    changes[0].queue->limit = Resources{{"cpu", limit - less}};
    ASSERT_TRUE(MakeChanges(changes, &after).ok());
    const absl::StatusOr<Diagnosis> then = Diagnose(after, "muster", "train");
    ASSERT_TRUE(then.ok());
    EXPECT_EQ(then->waiting, less == 0 ? 0 : 4) << limit;
  }
}

// Under a profile that places nothing a job starts by holding quota.
TEST(Diagnose, AQueueWithoutQuota) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddQueue({.name = "cohort"}).ok());
  QueueSpec queue{.name = "a", .parent = "cohort"};
  queue.rules = QueueRules{
      .groups = {{.resources = {"cpu"},
                  .flavors = {
                      {.flavor = "spot", .nominal = {{"cpu", 8}}, .borrow_limit = {{"cpu", 1}}}}}}};
  ASSERT_TRUE(cluster.AddQueue(queue).ok());
  QueueSpec lends{.name = "b", .parent = "cohort"};
  lends.rules = QueueRules{
      .groups = {{.resources = {"cpu"}, .flavors = {{.flavor = "spot", .nominal = {{"cpu", 8}}}}}}};
  ASSERT_TRUE(cluster.AddQueue(lends).ok());
  ASSERT_TRUE(cluster.SetFlavor({.name = "spot"}).ok());
  ASSERT_TRUE(cluster.AddJob(Job("train", 6, 2, "a")).ok());
  const Diagnosis diagnosis = Of(cluster, "train", "kueue");
  EXPECT_EQ(diagnosis.waiting, 6);
  std::vector<std::string> words;
  for (const Remedy& remedy : diagnosis.remedies) {
    if (remedy.kind != RemedyKind::kQuota) continue;
    words.push_back(remedy.words);
    EXPECT_EQ(remedy.starts, 6);
    Cluster after = cluster.Clone();
    ASSERT_TRUE(MakeChanges(remedy.changes, &after).ok());
    EXPECT_EQ(after.Schedule("kueue")->admissions().size(), 1u);
    EXPECT_EQ(Of(after, "train", "kueue").waiting, 0);
  }
  EXPECT_THAT(words, ElementsAre("raise the quota of queue \"a\" in flavor \"spot\": cpu 8 -> 11",
                                 "let queue \"a\" borrow more of flavor \"spot\": cpu 1 -> 4"));
}

// A queue above borrows for those below it. With both limits in the way both are raised.
TEST(Diagnose, AQueueAboveMayBorrowMore) {
  for (const bool both : {false, true}) {
    Cluster cluster;
    const auto add = [&](const std::string& name, const std::string& parent, int64_t cpu,
                         Resources borrow_limit) {
      QueueSpec queue{.name = name, .parent = parent};
      queue.rules = QueueRules{.groups = {{.resources = {"cpu"},
                                           .flavors = {{.flavor = "spot",
                                                        .nominal = {{"cpu", cpu}},
                                                        .borrow_limit = borrow_limit}}}}};
      ASSERT_TRUE(cluster.AddQueue(queue).ok());
    };
    ASSERT_TRUE(cluster.AddQueue({.name = "all"}).ok());
    add("east", "all", 0, {{"cpu", 1}});
    add("a", "east", 8, both ? Resources{{"cpu", 1}} : Resources());
    add("b", "all", 8, {});
    ASSERT_TRUE(cluster.SetFlavor({.name = "spot"}).ok());
    ASSERT_TRUE(cluster.AddJob(Job("train", 6, 2, "a")).ok());
    const Diagnosis diagnosis = Of(cluster, "train", "kueue");
    EXPECT_EQ(diagnosis.waiting, 6);
    std::vector<std::string> words;
    for (const Remedy& remedy : diagnosis.remedies) {
      if (remedy.kind != RemedyKind::kQuota) continue;
      words.push_back(remedy.words);
      Cluster after = cluster.Clone();
      ASSERT_TRUE(MakeChanges(remedy.changes, &after).ok());
      EXPECT_EQ(Of(after, "train", "kueue").waiting, 0) << remedy.words;
    }
    const std::string east = "let queue \"east\" borrow more of flavor \"spot\": cpu 1 -> 4";
    EXPECT_THAT(words, ::testing::Contains(
                           both ? "let queue \"a\" borrow more of flavor \"spot\": cpu 1 -> 4, "
                                  "and " +
                                      east
                                : east));
  }
}

// Of two resources with quota, the one that is short is raised.
TEST(Diagnose, QuotaOfWhatIsShort) {
  Cluster cluster;
  QueueSpec queue{.name = "a"};
  queue.rules = QueueRules{
      .groups = {{.resources = {"memory", "cpu"},
                  .flavors = {{.flavor = "spot", .nominal = {{"memory", 100}, {"cpu", 8}}}}}}};
  ASSERT_TRUE(cluster.AddQueue(queue).ok());
  ASSERT_TRUE(cluster.SetFlavor({.name = "spot"}).ok());
  JobSpec job = Job("train", 6, 2, "a");
  job.groups[0].shape.request.emplace_back("memory", 1);
  ASSERT_TRUE(cluster.AddJob(job).ok());
  EXPECT_EQ(Words(Of(cluster, "train", "kueue"), RemedyKind::kQuota),
            "raise the quota of queue \"a\" in flavor \"spot\": cpu 8 -> 12");
}

// A smaller gang of which some tasks have reserved nodes and the rest wait starts nothing.
TEST(Diagnose, ReservedTasksOfAGangThatIsNotWholeDoNotStart) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(6, Node("n", 8)).ok());
  for (const auto& [name, count, least, cpu] : {std::tuple("pretrain", 32, 32, 1),
                                                {"align", 4, 4, 4},
                                                {"tune", 24, 24, 1},
                                                {"notebook", 6, 1, 1}}) {
    JobSpec job = Job(name, count, cpu);
    job.min_available = least;
    ASSERT_TRUE(cluster.AddJob(job).ok());
  }
  const Diagnosis diagnosis = Of(cluster, "tune", "scheduler-plugins");
  EXPECT_GT(diagnosis.waiting, 0);
  int gangs = 0;
  for (const Remedy& remedy : diagnosis.remedies) {
    if (remedy.kind != RemedyKind::kSmallerGang) continue;
    ++gangs;
    ASSERT_TRUE(remedy.changes[0].job.has_value());
    EXPECT_GE(remedy.starts, *remedy.changes[0].job->min_available) << remedy.words;
    EXPECT_EQ(remedy.starts, 21) << remedy.words;
  }
  EXPECT_EQ(gangs, 1);
}

TEST(Diagnose, Refuses) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddJob(Job("train", 1, 2)).ok());
  EXPECT_EQ(Diagnose(cluster, "volcano", "trian").status(),
            absl::NotFoundError("job \"trian\" does not exist, did you mean \"train\"?"));
  ASSERT_TRUE(cluster.AddTask({.name = "ml/pod"}).ok());
  EXPECT_EQ(Diagnose(cluster, "volcano", "pod").status(),
            absl::NotFoundError("job \"pod\" does not exist, did you mean \"ml/pod\"?"));
  EXPECT_EQ(Diagnose(cluster, "vulcano", "train").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Diagnose(cluster, "volcano", "train", {.trials = 0}).status(),
            absl::InvalidArgumentError("trials is 0; must be 1 or more"));
}

TEST(Diagnose, TrialsAreBounded) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(2, Node("n", 4)).ok());
  ASSERT_TRUE(cluster.AddJob(Job("g", 500, 2)).ok());
  const absl::StatusOr<Diagnosis> diagnosis = Diagnose(cluster, "volcano", "g", {.trials = 3});
  ASSERT_TRUE(diagnosis.ok());
  EXPECT_EQ(diagnosis->trials, 3);
}

// Makes the remedy in a clone: how many tasks of the job wait then, and how many start.
std::pair<int64_t, int64_t> Outcome(const Cluster& cluster, const std::string& job,
                                    const Remedy& remedy) {
  Cluster clone = cluster.Clone();
  EXPECT_TRUE(MakeChanges(remedy.changes, &clone).ok());
  const absl::StatusOr<Plan> plan = Schedule(clone.Freeze(), remedy.profile);
  EXPECT_TRUE(plan.ok());
  if (!plan.ok()) return {-1, -1};
  const ClusterSpec rows = clone.Describe();
  const auto is_of_job = [&](TaskIndex t) {
    const auto task = std::ranges::find(rows.tasks, plan->task_name(t), &TaskSpec::name);
    return task != rows.tasks.end() && task->job == job;
  };
  int64_t waits = 0, starts = 0, reserved = 0, runs = 0, needed = 1;
  for (const PendingTask& pending : plan->pending()) waits += is_of_job(pending.task);
  for (const Decision& d : plan->decisions()) {
    const bool placed = d.kind == DecisionKind::kBind || d.kind == DecisionKind::kNominate;
    starts += placed && is_of_job(d.task);
    reserved += d.kind == DecisionKind::kReserve && is_of_job(d.task);
  }
  // Tasks on reserved nodes wait there until the gang is whole.
  for (const TaskSpec& task : rows.tasks) runs += task.job == job && IsAllocated(task.status);
  for (const JobSpec& spec : rows.jobs) needed = spec.name == job ? spec.min_available : needed;
  if (waits == 0 || starts + reserved + runs >= needed) starts += reserved;
  return {waits, starts};
}

TEST(Diagnose, EveryRemedyOfRandomWorldsWorks) {
  const char* const profiles[] = {"volcano", "muster", "kai", "kube-scheduler", "koordinator"};
  const uint64_t count = WorldCount(150);
  int64_t remedies = 0;
  for (uint64_t seed = FirstSeed(1); seed < FirstSeed(1) + count && !HasFailure(); ++seed) {
    const char* profile = profiles[seed % std::size(profiles)];
    std::optional<Cluster> cluster = TryCluster(RandomWorld(seed));
    if (!cluster) continue;
    const ClusterSpec rows = cluster->Describe();
    for (const JobSpec& job : rows.jobs) {
      SCOPED_TRACE(std::string(profile) + ", seed " + std::to_string(seed) + ", job " + job.name);
      const absl::StatusOr<Diagnosis> diagnosis =
          Diagnose(*cluster, profile, job.name, {.trials = 40});
      if (!diagnosis.ok()) break;  // the profile refuses the world
      for (const Remedy& remedy : diagnosis->remedies) {
        const auto [waits, starts] = Outcome(*cluster, job.name, remedy);
        EXPECT_EQ(starts, remedy.starts) << remedy.words;
        EXPECT_GT(starts, 0) << remedy.words;
        if (remedy.kind != RemedyKind::kSmallerGang) {
          EXPECT_EQ(waits, 0) << remedy.words;
        }
        ++remedies;
      }
    }
  }
  if (count >= 100) {
    EXPECT_GT(remedies, 100);
  }
}

}  // namespace
}  // namespace muster::testing
