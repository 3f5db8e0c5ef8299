// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What jobs try next and what they give up, and in which order tasks go.
#include "lib/peer/kai/sub_groups.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/peer/kai/pods.h"
#include "lib/peer/kai/task_order.h"

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A job of pod sets, each written as one letter a task: R running, P pending, V evicted by the
// simulation, G gated. Groups and pod sets are added before the first question.
class Job {
 public:
  explicit Job(std::optional<int32_t> minimum = {}) {
    facts_.shapes.push_back({.request = std::vector<double>(facts_.dimensions, 0.0)});
    facts_.jobs.emplace_back();
    Add({.name = "", .minimum = minimum}, kKaiNone);
  }
  uint32_t Group(uint32_t parent, const std::string& name) { return Add({.name = name}, parent); }
  uint32_t PodSet(uint32_t parent, const std::string& name, int32_t minimum,
                  const std::string& tasks) {
    const uint32_t set = Add({.name = name, .is_pod_set = true, .minimum = minimum}, parent);
    Insert(set, &facts_.jobs[0].pod_sets);
    for (const char letter : tasks) {
      const auto task = static_cast<uint32_t>(facts_.tasks.size());
      facts_.tasks.push_back({.place = task, .pod_set = set, .rank = task});
      facts_.jobs[0].tasks.push_back(task);
      pods_.push_back({.task = task,
                       .status = letter == 'R'   ? KaiStatus::kRunning
                                 : letter == 'V' ? KaiStatus::kReleasing
                                 : letter == 'G' ? KaiStatus::kGated
                                                 : KaiStatus::kPending,
                       .is_virtual = letter == 'V'});
    }
    return set;
  }
  const KaiJob& job() {
    if (job_ == nullptr) {
      job_ = std::make_unique<KaiJob>(facts_, 0);
      for (KaiPod& pod : pods_) job_->Add(&pod);
    }
    return *job_;
  }
  std::vector<uint32_t> Next(bool real = true) { return Numbers(job().Next(real)); }
  std::vector<uint32_t> Given(bool* has_more) { return Numbers(job().NextVictims(has_more)); }

 private:
  static std::vector<uint32_t> Numbers(const std::vector<KaiPod*>& pods) {
    std::vector<uint32_t> tasks;
    for (const KaiPod* pod : pods) tasks.push_back(pod->task);
    return tasks;
  }
  void Insert(uint32_t group, std::vector<uint32_t>* list) {
    const auto name = [&](uint32_t g) -> const std::string& {
      return facts_.jobs[0].groups[g].name;
    };
    list->insert(std::ranges::upper_bound(*list, name(group), {}, name), group);
  }
  uint32_t Add(KaiGroup group, uint32_t parent) {
    std::vector<KaiGroup>& groups = facts_.jobs[0].groups;
    const auto number = static_cast<uint32_t>(groups.size());
    group.parent = parent;
    groups.push_back(std::move(group));
    if (parent != kKaiNone) {
      Insert(number, groups[number].is_pod_set ? &groups[parent].pod_sets : &groups[parent].sets);
    }
    return number;
  }

  KaiFacts facts_;
  std::deque<KaiPod> pods_;
  std::unique_ptr<KaiJob> job_;
};

TEST(KaiSubGroups, AGangThenOneByOne) {
  Job gang;
  gang.PodSet(0, "default", 2, "PPP");
  EXPECT_THAT(gang.Next(), ElementsAre(0, 1));
  EXPECT_TRUE(gang.job().IsReady());
  EXPECT_TRUE(gang.job().IsElastic());
  Job half;
  half.PodSet(0, "default", 2, "RPP");
  EXPECT_THAT(half.Next(), ElementsAre(1));
  Job full;
  full.PodSet(0, "default", 2, "RRPP");
  EXPECT_THAT(full.Next(), ElementsAre(2));
  Job gated;
  gated.PodSet(0, "default", 2, "PGG");
  EXPECT_FALSE(gated.job().IsReady());
}

TEST(KaiSubGroups, EvictedBySimulationMayBeTriedAgain) {
  Job job;
  job.PodSet(0, "default", 2, "VRV");
  EXPECT_THAT(job.Next(/*real=*/true), IsEmpty());
  EXPECT_THAT(job.Next(/*real=*/false), ElementsAre(0));
}

TEST(KaiSubGroups, OnlySoManyChildrenAreNeeded) {
  Job job(2);
  job.PodSet(0, "c", 1, "P");
  job.PodSet(0, "a", 1, "P");
  job.PodSet(0, "b", 2, "PP");
  EXPECT_THAT(job.Next(), ElementsAre(1, 2, 3));  // a and b, by name
  Job most(1);
  most.PodSet(0, "a", 1, "R");
  most.PodSet(0, "b", 2, "PP");
  EXPECT_THAT(most.Next(), ElementsAre(1, 2));  // satisfied: the next child that lacks something
}

TEST(KaiSubGroups, InnerGroups) {
  Job made;
  const uint32_t left = made.Group(0, "left"), right = made.Group(0, "right");
  made.PodSet(left, "l", 1, "RP");
  made.PodSet(right, "r1", 1, "P");
  made.PodSet(right, "r2", 1, "R");
  EXPECT_FALSE(made.job().IsSatisfied(0));
  EXPECT_THAT(made.Next(), ElementsAre(2));  // what right lacks
  EXPECT_EQ(made.job().ActiveMembers(right), 1);
  EXPECT_FALSE(made.job().IsGangSatisfied());
}

TEST(KaiSubGroups, GivesUpSurplusThenAChildThenAll) {
  bool has_more = false;
  Job surplus;
  surplus.PodSet(0, "a", 1, "RR");
  surplus.PodSet(0, "b", 1, "R");
  EXPECT_THAT(surplus.Given(&has_more), ElementsAre(1));
  EXPECT_TRUE(has_more);
  Job child(1);
  child.PodSet(0, "a", 2, "RR");
  child.PodSet(0, "b", 2, "RR");
  EXPECT_THAT(child.Given(&has_more), ElementsAre(3, 2));  // b, its last task first
  EXPECT_TRUE(has_more);
  Job all;
  all.PodSet(0, "b", 1, "R");
  all.PodSet(0, "a", 2, "RR");
  EXPECT_THAT(all.Given(&has_more), ElementsAre(2, 1, 0));  // pod sets by name
  EXPECT_FALSE(has_more);
}

TEST(KaiSubGroups, OrderOfMembers) {
  EXPECT_EQ(CompareKaiMembers({1, 3}, {2, 3}), 0);   // both below
  EXPECT_EQ(CompareKaiMembers({1, 3}, {3, 3}), -1);  // the one below
  EXPECT_EQ(CompareKaiMembers({4, 2}, {3, 1}), -1);  // 2 against 3 times its minimum
  EXPECT_EQ(CompareKaiMembers({0, 0}, {9, 1}), 1);   // optional ones last
  EXPECT_EQ(CompareKaiMembers({2, 0}, {1, 0}), 1);
}

TEST(KaiSubGroups, OrderOfElasticJobs) {
  const auto compare = [](const std::string& left, const std::string& right) {
    Job a, b;
    a.PodSet(0, "default", 2, left);
    b.PodSet(0, "default", 2, right);
    return CompareKaiElastic(a.job(), b.job());
  };
  EXPECT_EQ(compare("R", "RR"), -1);
  EXPECT_EQ(compare("RR", "RRR"), -1);
  EXPECT_EQ(compare("RRR", "R"), 1);
  EXPECT_EQ(compare("RRRR", "RRR"), 0);
}

TEST(KaiSubGroups, CoreTasksUpToTheMinimum) {
  const std::vector<uint32_t> pod_set = {1, 0, 1, 1, 0};
  const std::vector<int32_t> minimum = {3, 1};
  const KaiSplit split = SplitKaiVictims(pod_set, minimum);
  EXPECT_THAT(split.core, ElementsAre(1, 4, 0));
  EXPECT_THAT(split.elastic, ElementsAre(2, 3));
}

KaiTaskKey Key(std::optional<std::string_view> priority, int64_t created, std::string uid) {
  KaiTaskKey key = KaiTaskKeyOf({}, {}, priority);
  key.created = created;
  key.uid = std::move(uid);
  return key;
}

TEST(KaiTaskOrder, RulesOneAfterTheOther) {
  constexpr KaiTaskRule kRules[] = {KaiTaskRule::kKubeflow, KaiTaskRule::kRay,
                                    KaiTaskRule::kTaskPriority};
  std::vector<KaiTaskKey> keys = {Key({}, 1, "b"), Key({}, 1, "a"), Key({}, 0, "c"),
                                  Key("3", 5, "d"), Key("10", 5, "e")};
  keys.push_back(KaiTaskKeyOf("launcher", {}, {}));
  keys.push_back(KaiTaskKeyOf({}, "head", {}));
  EXPECT_THAT(OrderKaiTasks(kRules, keys), ElementsAre(5, 6, 4, 3, 2, 1, 0));
}

TEST(KaiTaskOrder, LabelsThatAreNoNumbers) {
  const KaiTaskKey number = Key("1", 0, "n"), bad = Key("x", 0, "b"), none = Key({}, 0, "u");
  const auto compare = [](const KaiTaskKey& a, const KaiTaskKey& b) {
    return CompareKaiTasks(KaiTaskRule::kTaskPriority, a, b);
  };
  EXPECT_EQ(compare(bad, number), 1);
  EXPECT_EQ(compare(number, bad), -1);
  EXPECT_EQ(compare(bad, none), -1);  // a label is a label
  EXPECT_EQ(compare(bad, bad), 1);    // each comes after the other
  constexpr KaiTaskRule kRules[] = {KaiTaskRule::kTaskPriority};
  const std::vector<KaiTaskKey> keys = {Key("x", 0, "b"), Key("y", 0, "a"), Key("7", 0, "c")};
  EXPECT_EQ(OrderKaiTasks(kRules, keys)[0], 2u);
}

}  // namespace
}  // namespace muster::testing
