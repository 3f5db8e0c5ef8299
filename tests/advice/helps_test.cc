// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Remedies about the job itself (sizes, priority, labels, gates), and that every remedy can be read
// back from the JSON that it is written as.
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/scenario/question.h"
#include "lib/scenario/scenario.h"
#include "muster/rehearsal.h"
#include "muster/remedy.h"
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

NodeSpec NodeWith(const char* name, Resources capacity) {
  capacity.emplace_back("pods", 99);
  return {.name = name, .capacity = std::move(capacity)};
}

TaskSpec TaskOf(const char* name, Resources request, const char* node = "", int32_t priority = 0) {
  TaskSpec task{.name = name, .shape = {.request = std::move(request)}, .priority = priority};
  if (*node != '\0') task.status = TaskStatus::kRunning;
  task.node = node;
  return task;
}

Diagnosis DiagnosisOf(const Cluster& cluster, const char* name, const char* profile) {
  const absl::StatusOr<Diagnosis> diagnosis = Diagnose(cluster, profile, name);
  EXPECT_TRUE(diagnosis.ok()) << diagnosis.status();
  return diagnosis.ok() ? *diagnosis : Diagnosis();
}

std::vector<std::string> AllWords(const Diagnosis& diagnosis, RemedyKind kind) {
  std::vector<std::string> words;
  for (const Remedy& remedy : diagnosis.remedies) {
    if (remedy.kind == kind) words.push_back(remedy.words);
  }
  return words;
}

// A node of 4 cores and 8Gi, of which 800m and 3Gi are free.
Cluster AlmostFull() {
  Cluster cluster;
  EXPECT_TRUE(cluster.AddNode(NodeWith("a", {{"cpu", 4}, {"memory", "8Gi"}})).ok());
  EXPECT_TRUE(cluster.AddTask(TaskOf("runs", {{"cpu", "3200m"}, {"memory", "5Gi"}}, "a")).ok());
  return cluster;
}

TEST(SmallerRequest, IsWhatTheNodeHasFree) {
  for (const auto& [cpu, words] : {std::pair("900m", "900m -> 800m"), {"100", "100 -> 800m"}}) {
    Cluster cluster = AlmostFull();
    ASSERT_TRUE(cluster.AddTask(TaskOf("p", {{"cpu", cpu}, {"memory", "1Gi"}})).ok());
    EXPECT_THAT(AllWords(DiagnosisOf(cluster, "p", "kube-scheduler"), RemedyKind::kSmallerRequest),
                ElementsAre(absl::StrCat("request less cpu for each task: ", words)));
  }
}

TEST(SmallerRequest, OfAllThatIsShortTogether) {
  Cluster cluster = AlmostFull();
  ASSERT_TRUE(cluster.AddTask(TaskOf("p", {{"cpu", 4}, {"memory", "8Gi"}})).ok());
  EXPECT_THAT(AllWords(DiagnosisOf(cluster, "p", "kube-scheduler"), RemedyKind::kSmallerRequest),
              ElementsAre("request less for each task: cpu 4 -> 800m, memory 8Gi -> 3Gi"));
}

// Devices come whole.
TEST(SmallerRequest, OfDevicesIsWhole) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode(NodeWith("a", {{"cpu", 9}, {"nvidia.com/gpu", 8}})).ok());
  JobSpec job{.name = "j", .min_available = 3};
  job.groups = {{.count = 3, .shape = {.request = {{"nvidia.com/gpu", 4}}}}};
  ASSERT_TRUE(cluster.AddJob(job).ok());
  EXPECT_THAT(AllWords(DiagnosisOf(cluster, "j", "volcano"), RemedyKind::kSmallerRequest),
              ElementsAre("request less nvidia.com/gpu for each task: 4 -> 2"));
}

TEST(SmallerRequest, LeavesTasksThatRequestNoMore) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode(NodeWith("n", {{"cpu", 8}})).ok());
  JobSpec job{.name = "app", .min_available = 2};
  job.groups = {{.name = "s", .count = 1, .shape = {.request = {{"cpu", 1}}}},
                {.name = "b", .count = 1, .shape = {.request = {{"cpu", 10}}}}};
  ASSERT_TRUE(cluster.AddJob(job).ok());
  const Diagnosis diagnosis = DiagnosisOf(cluster, "app", "volcano");
  const auto found =
      std::ranges::find(diagnosis.remedies, RemedyKind::kSmallerRequest, &Remedy::kind);
  ASSERT_NE(found, diagnosis.remedies.end());
  EXPECT_THAT(found->words, HasSubstr("let no task request more than "));
  ASSERT_TRUE(MakeChanges(found->changes, &cluster).ok());
  EXPECT_EQ(cluster.Describe().tasks[0].shape.request[0].second.text, "1");
  EXPECT_EQ(cluster.Schedule("volcano")->binds().size(), 2u);
}

// Of the priorities above those of others, the lowest that helps; what it evicts is named.
TEST(Priority, IsTheLowestThatHelps) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode(NodeWith("n", {{"cpu", 4}})).ok());
  ASSERT_TRUE(cluster.AddTask(TaskOf("low", {{"cpu", 2}}, "n", 1)).ok());
  ASSERT_TRUE(cluster.AddTask(TaskOf("high", {{"cpu", 2}}, "n", 500)).ok());
  ASSERT_TRUE(cluster.AddTask(TaskOf("p", {{"cpu", 2}})).ok());
  EXPECT_THAT(AllWords(DiagnosisOf(cluster, "p", "kube-scheduler"), RemedyKind::kPriority),
              ElementsAre("give it priority 2, which evicts 1 task (low)"));
}

TEST(Priority, IsNoneOfThoseThatKubernetesKeeps) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode(NodeWith("n", {{"cpu", 4}})).ok());
  ASSERT_TRUE(cluster.AddTask(TaskOf("critical", {{"cpu", 4}}, "n", 2'000'001'000)).ok());
  ASSERT_TRUE(cluster.AddTask(TaskOf("p", {{"cpu", 4}})).ok());
  EXPECT_THAT(AllWords(DiagnosisOf(cluster, "p", "kube-scheduler"), RemedyKind::kPriority),
              IsEmpty());
}

// Node "b" has the disk that the job misspells.
Cluster Misspelled() {
  Cluster cluster;
  EXPECT_TRUE(cluster.AddNode(NodeWith("a", {{"cpu", 8}})).ok());
  NodeSpec b = NodeWith("b", {{"cpu", 8}});
  b.labels = {{"disk", "ssd"}};
  EXPECT_TRUE(cluster.AddNode(b).ok());
  JobSpec job{.name = "j", .min_available = 1};
  job.groups = {
      {.count = 1, .shape = {.request = {{"cpu", 1}}, .node_selector = {{"disk", "sdd"}}}}};
  EXPECT_TRUE(cluster.AddJob(job).ok());
  return cluster;
}

TEST(Labels, AreNamedAndMended) {
  for (const char* profile : {"volcano", "muster", "kube-scheduler", "kai"}) {
    SCOPED_TRACE(profile);
    const Diagnosis diagnosis = DiagnosisOf(Misspelled(), "j", profile);
    EXPECT_THAT(diagnosis.facts, Contains("no node has disk=sdd; 1 node has disk=ssd; did you mean "
                                          "\"ssd\"?"));
    EXPECT_THAT(AllWords(diagnosis, RemedyKind::kSelector),
                ElementsAre("require disk=ssd of nodes in place of disk=sdd",
                            "do not require disk=sdd of nodes"));
    EXPECT_THAT(AllWords(diagnosis, RemedyKind::kNodeLabel),
                ElementsAre("label \"a\" with disk=sdd"));
  }
}

// An affinity of one term loses the requirement; one of several terms has none that alone keeps
// nodes away.
TEST(Labels, OfAffinities) {
  for (const int terms : {1, 2}) {
    Cluster cluster;
    ASSERT_TRUE(cluster.AddNode(NodeWith("a", {{"cpu", 8}})).ok());
    JobSpec job{.name = "j", .min_available = 1};
    job.groups = {{.count = 1, .shape = {.request = {{"cpu", 1}}}}};
    job.groups[0].shape.required_node_affinity = std::vector<NodeTerm>(
        terms, {.match_expressions = {{"zone", RequirementOp::kIn, {"x", "y"}}}});
    ASSERT_TRUE(cluster.AddJob(job).ok());
    const Diagnosis diagnosis = DiagnosisOf(cluster, "j", "volcano");
    if (terms == 1) {
      EXPECT_THAT(AllWords(diagnosis, RemedyKind::kSelector),
                  ElementsAre("do not require zone in (x, y) of nodes"));
      EXPECT_THAT(AllWords(diagnosis, RemedyKind::kNodeLabel),
                  ElementsAre("label \"a\" with zone=x"));
    } else {
      EXPECT_THAT(AllWords(diagnosis, RemedyKind::kSelector), IsEmpty());
    }
  }
}

// The port of node "a" is taken, so that node "b" alone is of use. What the kubelet or the cloud
// states of a node is no label to set.
TEST(Labels, AreSetOnNodesThatTakeTheTask) {
  for (const char* key : {"disk", "kubernetes.io/hostname", "topology.kubernetes.io/zone"}) {
    SCOPED_TRACE(key);
    Cluster cluster;
    ASSERT_TRUE(cluster.AddNode(NodeWith("a", {{"cpu", 8}})).ok());
    ASSERT_TRUE(cluster.AddNode(NodeWith("b", {{"cpu", 8}})).ok());
    TaskSpec holder = TaskOf("ns/h", {{"cpu", 1}}, "a"), task = TaskOf("ns/t", {{"cpu", 1}});
    holder.shape.host_ports = task.shape.host_ports = {{.port = 80}};
    task.shape.node_selector = {{key, "x"}};
    ASSERT_TRUE(cluster.AddTask(holder).ok() && cluster.AddTask(task).ok());
    const Diagnosis diagnosis = DiagnosisOf(cluster, "ns/t", "kube-scheduler");
    const std::vector<std::string> words = AllWords(diagnosis, RemedyKind::kNodeLabel);
    if (std::string_view(key) == "disk") {
      EXPECT_THAT(words, ElementsAre("label \"b\" with disk=x"));
    } else {
      EXPECT_THAT(words, IsEmpty());
    }
    EXPECT_THAT(AllWords(diagnosis, RemedyKind::kSelector), Not(IsEmpty()));
  }
}

// A task that must be near "app=cache".
TaskSpec NearCache() {
  TaskSpec task = TaskOf("near", {{"cpu", 1}});
  task.shape.required_affinity = {
      {.topology_key = "zone", .selector = Selector{.match_labels = {{"app", "cache"}}}}};
  return task;
}

TEST(Affinity, NamesWhatItLacks) {
  const auto facts = [](const std::vector<TaskSpec>& caches) {
    Cluster cluster;
    NodeSpec a = NodeWith("a", {{"cpu", 8}}), b = NodeWith("b", {{"cpu", 1}});
    b.labels = {{"zone", "z"}};
    EXPECT_TRUE(cluster.AddNode(a).ok() && cluster.AddNode(b).ok());
    EXPECT_TRUE(cluster.AddTask(TaskOf("full", {{"cpu", 1}}, "b")).ok());
    for (TaskSpec cache : caches) {
      cache.shape.labels = {{"app", "cache"}};
      EXPECT_TRUE(cluster.AddTask(cache).ok());
    }
    EXPECT_TRUE(cluster.AddTask(NearCache()).ok());
    return DiagnosisOf(cluster, "near", "kube-scheduler").facts;
  };
  EXPECT_THAT(facts({}), Contains("affinity: no task on a node has app=cache"));
  EXPECT_THAT(facts({TaskOf("c", {{"cpu", 99}})}),
              Contains("affinity: no task on a node has app=cache; 1 task that waits has it"));
  TaskSpec other = TaskOf("c", {}, "a");
  other.shape.name_space = "data";
  EXPECT_THAT(facts({other}), Contains("affinity: no task on a node has app=cache; 1 task of "
                                       "namespaces that the affinity does not name has it"));
  EXPECT_THAT(facts({TaskOf("c", {}, "a")}),
              Contains("affinity: tasks with app=cache are only on nodes without a label zone"));
  EXPECT_THAT(facts({TaskOf("c", {}, "b")}),
              Contains("affinity: tasks with app=cache on nodes are in zone=z"));
}

TEST(Affinity, NamesATermWithoutASelector) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode(NodeWith("a", {{"cpu", 8}})).ok());
  TaskSpec task = TaskOf("near", {{"cpu", 1}});
  task.shape.required_affinity = {{.topology_key = "zone"}};
  ASSERT_TRUE(cluster.AddTask(task).ok());
  EXPECT_THAT(DiagnosisOf(cluster, "near", "kube-scheduler").facts,
              Contains("affinity: a term without a selector matches no task"));
}

// A job may have a shape for each task.
TEST(Affinity, IsThatOfTheFirstEightShapes) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode(NodeWith("a", {{"cpu", 99}})).ok());
  ASSERT_TRUE(cluster.AddQueue({.name = "q"}).ok());
  ASSERT_TRUE(cluster.AddJob({.name = "j", .queue = "q", .min_available = 12}).ok());
  for (int i = 0; i < 12; ++i) {
    TaskSpec task = NearCache();
    task.name = absl::StrCat("t", i);
    task.job = "j";
    task.shape.required_affinity[0].selector->match_labels = {{"app", task.name}};
    ASSERT_TRUE(cluster.AddTask(task).ok());
  }
  const Diagnosis diagnosis = DiagnosisOf(cluster, "j", "kube-scheduler");
  EXPECT_EQ(std::ranges::count_if(diagnosis.facts,
                                  [](const auto& fact) { return fact.starts_with("affinity: "); }),
            8);
}

TEST(Spread, NamesTheLabelThatNodesLack) {
  Cluster cluster;
  NodeSpec a = NodeWith("a", {{"cpu", 8}}), b = NodeWith("b", {});
  b.labels = {{"racks", "1"}, {"zone", "z"}};
  ASSERT_TRUE(cluster.AddNode(a).ok() && cluster.AddNode(b).ok());
  TaskSpec task = TaskOf("ns/t", {{"cpu", 1}});
  task.shape.spread = {{.topology_key = "rack", .selector = Selector()},
                       {.topology_key = "zone", .selector = Selector()},
                       {.topology_key = "row", .required = false, .selector = Selector()}};
  ASSERT_TRUE(cluster.AddTask(task).ok());
  const Diagnosis diagnosis = DiagnosisOf(cluster, "ns/t", "kube-scheduler");
  EXPECT_THAT(diagnosis.facts,
              Contains("no node has a label rack, over which it must spread, did you mean "
                       "\"racks\"?"));
  EXPECT_THAT(diagnosis.facts,
              Contains("1 of 2 nodes has a label zone, over which it must spread"));
  EXPECT_THAT(diagnosis.facts, Each(Not(HasSubstr("row"))));
}

TEST(Gates, AreNamedAndTakenOff) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode(NodeWith("a", {{"cpu", 8}})).ok());
  TaskSpec task = TaskOf("ns/g", {{"cpu", 1}});
  task.gates = {"example.com/q"};
  ASSERT_TRUE(cluster.AddTask(task).ok());
  const Diagnosis diagnosis = DiagnosisOf(cluster, "ns/g", "kube-scheduler");
  EXPECT_THAT(diagnosis.facts,
              Contains("scheduling gate example.com/q: it waits until that is taken off"));
  EXPECT_THAT(AllWords(diagnosis, RemedyKind::kGate),
              ElementsAre("take off the scheduling gate example.com/q"));
}

// A node without an amount of pods has no limit of them, so no queue is short of them.
TEST(Facts, AreNotOfPodsThatNoNodeCounts) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "a", .capacity = {{"cpu", 4}}}).ok());
  JobSpec job{.name = "j", .min_available = 1};
  job.groups = {{.count = 1, .shape = {.request = {{"cpu", 9}}}}};
  ASSERT_TRUE(cluster.AddJob(job).ok());
  const Diagnosis diagnosis = DiagnosisOf(cluster, "j", "volcano");
  EXPECT_THAT(diagnosis.facts, Not(IsEmpty()));
  EXPECT_THAT(diagnosis.facts, Each(Not(HasSubstr("pods"))));
}

// Queues of KAI count parts of GPUs, which are no amounts of tasks.
TEST(Queues, CountPartsOfGpus) {
  Cluster cluster;
  NodeSpec node = NodeWith("n", {{"cpu", 8}, {"nvidia.com/gpu", 8}});
  for (int i = 0; i < 8; ++i) node.devices.push_back({.name = absl::StrCat("g", i), .kind = "gpu"});
  ASSERT_TRUE(cluster.AddNode(node).ok());
  ASSERT_TRUE(cluster.AddQueue({.name = "d"}).ok());
  ASSERT_TRUE(
      cluster.AddQueue({.name = "t", .parent = "d", .limit = Resources{{"nvidia.com/gpu", 4}}})
          .ok());
  JobSpec job{.name = "g", .queue = "t", .min_available = 1};
  ASSERT_TRUE(cluster.AddJob(job).ok());
  TaskSpec part = TaskOf("g-0", {{"cpu", 1}}), whole = TaskOf("g-1", {{"nvidia.com/gpu", 6}});
  part.job = whole.job = "g";
  part.shape.devices = {{.kind = "gpu", .milli = 500}};
  ASSERT_TRUE(cluster.AddTask(part).ok() && cluster.AddTask(whole).ok());
  const Diagnosis diagnosis = DiagnosisOf(cluster, "g", "kai");
  EXPECT_THAT(diagnosis.facts, Contains(HasSubstr("queue \"t\": 500m of 4 nvidia.com/gpu held")));
  EXPECT_THAT(AllWords(diagnosis, RemedyKind::kQueueLimit),
              ElementsAre("raise the limit of queue \"t\": nvidia.com/gpu 4 -> 6500m"));
  // Nothing uses the queue that each new cluster has.
  EXPECT_THAT(AllWords(diagnosis, RemedyKind::kAnotherQueue), Each(Not(HasSubstr("default"))));
}

TEST(LoneTasks, ThatTheProfileLeavesOutHaveAReason) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode(NodeWith("n", {{"cpu", 4}})).ok());
  ASSERT_TRUE(cluster.AddTask(TaskOf("ns/lone", {{"cpu", 2}})).ok());
  const Diagnosis diagnosis = DiagnosisOf(cluster, "ns/lone", "volcano");
  EXPECT_EQ(diagnosis.waiting, 1);
  EXPECT_THAT(diagnosis.reason, HasSubstr("has no job: profile volcano leaves it out"));
  ASSERT_EQ(diagnosis.remedies.size(), 1u);
  EXPECT_EQ(diagnosis.remedies[0].profile, "volcano:lone_tasks=default");
  EXPECT_EQ(diagnosis.remedies[0].starts, 1);
  EXPECT_EQ(Diagnose(cluster, "volcano", "other/lone").status().message(),
            "job \"other/lone\" does not exist, did you mean \"ns/lone\"?");
}

// Every remedy, read back from what it is written as, makes the plan that it made.
TEST(Diagnosis, RemediesGoRoundAsJson) {
  const char* const profiles[] = {"volcano", "muster", "kube-scheduler"};
  const uint64_t count = WorldCount(60);
  int64_t remedies = 0;
  for (uint64_t seed = FirstSeed(1); seed < FirstSeed(1) + count && !HasFailure(); ++seed) {
    std::optional<Cluster> cluster = TryCluster(RandomWorld(seed));
    if (!cluster) continue;
    for (const JobSpec& job : cluster->Describe().jobs) {
      const absl::StatusOr<Diagnosis> diagnosis =
          Diagnose(*cluster, profiles[seed % std::size(profiles)], job.name, {.trials = 30});
      if (!diagnosis.ok()) break;
      const auto told =
          nlohmann::ordered_json::parse(WriteDiagnosis(job.name, *diagnosis))["remedies"];
      ASSERT_EQ(told.size(), diagnosis->remedies.size());
      for (size_t i = 0; i < told.size(); ++i) {
        const Remedy& remedy = diagnosis->remedies[i];
        SCOPED_TRACE(absl::StrCat("seed ", seed, ", ", remedy.words));
        const nlohmann::ordered_json text = {{"changes", told[i]["changes"]},
                                             {"profile", told[i]["profile"]}};
        const absl::StatusOr<ChangesText> read = ParseChangesText(text.dump());
        ASSERT_TRUE(read.ok()) << read.status();
        EXPECT_EQ(read->profile, remedy.profile);
        EXPECT_EQ(WriteChanges(read->changes), WriteChanges(remedy.changes));
        Cluster one = cluster->Clone(), other = cluster->Clone();
        ASSERT_TRUE(MakeChanges(remedy.changes, &one).ok());
        ASSERT_TRUE(MakeChanges(read->changes, &other).ok());
        ASSERT_EQ(WriteScenario(Describe(one)), WriteScenario(Describe(other)));
        EXPECT_EQ(one.Schedule(remedy.profile)->Digest(), other.Schedule(read->profile)->Digest());
        ++remedies;
      }
    }
  }
  if (count >= 60) {
    EXPECT_GT(remedies, 50);
  }
}

}  // namespace
}  // namespace muster::testing
