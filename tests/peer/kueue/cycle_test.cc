// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/cycle.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace muster::kueue {
namespace {

// Queues with cpu of flavors, and workloads of one pod set.
class Kueue : public ::testing::Test {
 protected:
  using Flavors = std::vector<std::pair<std::string, int64_t>>;

  Queue AddQueue(const std::string& name, const Flavors& flavors, const QueueRules& rules = {},
                 const std::string& parent = "all") {
    QueueSpec spec{.name = name, .parent = parent};
    spec.rules = rules;
    ResourceGroup group{.resources = {"cpu"}, .flavors = {}};
    for (const auto& [flavor, nominal] : flavors) {
      world_.SetFlavor({.name = flavor});
      group.flavors.push_back({.flavor = flavor, .nominal = {{"cpu", nominal}}});
    }
    spec.rules->groups.push_back(group);
    if (!parent.empty()) world_.SetQueue({.name = parent});
    return world_.SetQueue(spec);
  }

  WorkloadIndex AddWorkload(const std::string& name, const std::string& queue, int64_t pods,
                            int32_t priority = 0, const std::string& admitted = "",
                            std::optional<int64_t> least = {}) {
    JobSpec job{.name = name, .queue = queue, .priority = priority};
    job.created = ++clock_;
    job.uid_rank = clock_;
    job.groups = {{.name = "main", .shape = {.request = {{"cpu", 1}}}}};
    job.groups[0].by_count = ByCount{.count = pods, .min_count = least};
    if (!admitted.empty()) {
      job.admission = JobAdmission{.time = clock_, .groups = {{"main", pods, {{"cpu", admitted}}}}};
    }
    const WorkloadIndex w = world_.SetWorkload(job, {});
    world_.Settle();
    if (admitted.empty()) scheduler_.Push(w);
    return w;
  }

  // "name mode status", and the flavor; in the order of turns.
  std::vector<std::string> Run() {
    const CycleResult result = scheduler_.Run();
    std::vector<std::string> lines;
    for (const uint32_t i : result.order) {
      const Entry& e = result.entries[i];
      const char* modes[] = {"nofit", "preempt", "deferred", "fit"};
      std::string line = world_.workloads[e.workload].name + " " + modes[static_cast<int>(e.mode)];
      if (e.status == EntryStatus::kAssumed) line += " admitted";
      if (e.status == EntryStatus::kSkipped) line += " skipped";
      for (const PodSetAssignment& p : e.assignment.pod_sets) {
        for (const FlavorChoice& f : p.flavors) line += " " + world_.flavors[f.flavor].name;
      }
      for (const Victim& v : e.victims) {
        line += " -" + world_.workloads[v.workload].name + ":" + std::string(WordOf(v.reason));
      }
      lines.push_back(line);
    }
    return lines;
  }

  using Lines = std::vector<std::string>;
  World world_;
  Scheduler scheduler_{&world_};
  int64_t clock_ = 0;
};

TEST_F(Kueue, TakesTheFirstFlavorThatFits) {
  AddQueue("a", {{"reserved", 4}, {"spot", 8}}, {}, "");
  AddWorkload("small", "a", 3);
  EXPECT_EQ(Run(), (Lines{"small fit admitted reserved"}));
  AddWorkload("large", "a", 6);
  EXPECT_EQ(Run(), (Lines{"large fit admitted spot"}));
}

TEST_F(Kueue, OfRefusedFlavorsTheMildestReasonCounts) {
  const auto lack_of = [&](const std::string& name, int64_t pods) {
    Entry entry{.workload = AddWorkload(name, "a", pods), .queue = world_.FindQueue("a")};
    scheduler_.Nominate(&entry);
    return LackOf(world_, entry.queue, entry.assignment);
  };
  AddQueue("a", {{"small", 2}, {"large", 4}});
  AddQueue("b", {{"large", 4}});
  AddWorkload("held", "b", 4, 0, "large");
  EXPECT_EQ(lack_of("never", 9), Lack::kQuota);
  EXPECT_EQ(lack_of("later", 6), Lack::kUnused);
  EXPECT_EQ(lack_of("now", 4), Lack::kNone);
}

TEST_F(Kueue, AGroupGivesOneFlavorForAllThatItCovers) {
  QueueSpec spec{.name = "a"};
  spec.rules.emplace();
  const auto add = [&](const std::string& flavor, const std::vector<std::string>& resources) {
    world_.SetFlavor({.name = flavor});
    FlavorQuota quota{.flavor = flavor};
    for (const std::string& resource : resources) quota.nominal.push_back({resource, 4});
    spec.rules->groups.push_back({.resources = resources, .flavors = {quota}});
  };
  add("plain", {"cpu", "memory"});
  add("fast", {"cpu", "memory", "gpu"});
  world_.SetQueue(spec);
  JobSpec job{.name = "w", .queue = "a"};
  job.groups = {{.name = "main", .shape = {.request = {{"cpu", 1}, {"memory", 1}, {"gpu", 1}}}}};
  job.groups[0].by_count = ByCount{.count = 1};
  const WorkloadIndex w = world_.SetWorkload(job, {});
  world_.Settle();
  scheduler_.Push(w);
  EXPECT_EQ(Run(), (Lines{"w fit admitted fast fast fast"}));
}

TEST_F(Kueue, BorrowsInTheCohort) {
  AddQueue("a", {{"f", 4}});
  AddQueue("b", {{"f", 4}});
  AddWorkload("wide", "a", 7);
  EXPECT_EQ(Run(), (Lines{"wide fit admitted f"}));
}

TEST_F(Kueue, EntriesThatDoNotBorrowGoFirst) {
  AddQueue("a", {{"f", 4}});
  AddQueue("b", {{"f", 4}});
  AddWorkload("borrows", "a", 6, /*priority=*/9);
  AddWorkload("stays", "b", 4);
  EXPECT_EQ(Run(), (Lines{"stays fit admitted f", "borrows fit skipped f"}));
}

TEST_F(Kueue, EvictsLowerPrioritiesInTheQueue) {
  QueueRules rules;
  rules.preemption.within_queue = VictimScope::kLowerPriority;
  AddQueue("a", {{"f", 4}}, rules, "");
  AddWorkload("old", "a", 2, 1, "f");
  AddWorkload("new", "a", 2, 1, "f");
  AddWorkload("urgent", "a", 2, 5);
  // Of equal priorities the one admitted last goes.
  EXPECT_EQ(Run(), (Lines{"urgent preempt f -new:InClusterQueue"}));
}

TEST_F(Kueue, ReclaimsFromQueuesThatBorrow) {
  QueueRules rules;
  rules.preemption.reclaim = VictimScope::kAny;
  AddQueue("a", {{"f", 4}}, rules);
  AddQueue("b", {{"f", 4}});
  AddWorkload("kept", "b", 4, 9, "f");
  AddWorkload("borrowed", "b", 4, 9, "f");
  AddWorkload("mine", "a", 2);
  EXPECT_EQ(Run(), (Lines{"mine preempt f -borrowed:InCohortReclamation"}));
}

TEST_F(Kueue, NothingIsReclaimedFromQueuesWithinTheirQuota) {
  QueueRules rules;
  rules.preemption.reclaim = VictimScope::kAny;
  AddQueue("a", {{"f", 4}}, rules);
  AddQueue("b", {{"f", 8}});
  AddWorkload("theirs", "b", 8, 0, "f");
  AddWorkload("mine", "a", 5, 9);
  EXPECT_EQ(Run(), (Lines{"mine nofit"}));
}

TEST_F(Kueue, FairSharingTakesFromTheLargestShare) {
  world_.config.fair_sharing = true;
  QueueRules rules;
  rules.preemption.reclaim = VictimScope::kAny;
  AddQueue("a", {{"f", 2}}, rules);
  AddQueue("b", {{"f", 2}});
  AddQueue("c", {{"f", 2}});
  AddWorkload("b1", "b", 1, 0, "f");
  AddWorkload("c1", "c", 1, 0, "f");
  AddWorkload("b2", "b", 2, 0, "f");
  AddWorkload("c2", "c", 2, 0, "f");
  AddWorkload("mine", "a", 1);
  // Both borrow 1 of 6: of equal shares, the one with the first candidate.
  EXPECT_EQ(Run(), (Lines{"mine preempt f -c2:InCohortReclamation"}));
}

TEST_F(Kueue, AdmitsFewerPodsWhereTheMinimumAllows) {
  AddQueue("a", {{"f", 4}}, {}, "");
  const WorkloadIndex w = AddWorkload("elastic", "a", 10, 0, "", /*least=*/2);
  EXPECT_EQ(Run(), (Lines{"elastic fit admitted f"}));
  EXPECT_EQ(world_.workloads[w].granted[0].count, 4);
}

TEST_F(Kueue, WorkloadsOfEqualHashWaitTogether) {
  const Queue a = AddQueue("a", {{"f", 4}}, {}, "");
  AddWorkload("one", "a", 9);
  AddWorkload("two", "a", 9);
  AddWorkload("three", "a", 3);
  EXPECT_EQ(Run(), (Lines{"one nofit"}));
  EXPECT_EQ(scheduler_.pending(a).Inadmissible().size(), 2u);
  EXPECT_EQ(Run(), (Lines{"three fit admitted f"}));
  EXPECT_EQ(Run(), Lines{});
  scheduler_.Return(a);
  EXPECT_EQ(Run(), (Lines{"one nofit"}));
}

TEST_F(Kueue, StrictFifoWaitsForItsHead) {
  QueueRules rules;
  rules.strategy = QueueingStrategy::kStrictFifo;
  AddQueue("a", {{"f", 4}}, rules, "");
  AddWorkload("one", "a", 9);
  AddWorkload("two", "a", 1);
  EXPECT_EQ(Run(), (Lines{"one nofit"}));
  EXPECT_EQ(Run(), (Lines{"one nofit"}));
}

TEST_F(Kueue, ASkippedFitGoesOnWithTheNextFlavor) {
  AddQueue("a", {{"f", 4}, {"g", 6}});
  AddQueue("b", {{"f", 4}, {"g", 0}});
  AddWorkload("borrows", "a", 6);
  AddWorkload("stays", "b", 4);
  EXPECT_EQ(Run(), (Lines{"stays fit admitted f", "borrows fit skipped f"}));
  EXPECT_EQ(Run(), (Lines{"borrows fit admitted g"}));
}

TEST_F(Kueue, BelowACycleOfCohortsNothingIsAdmitted) {
  AddQueue("a", {{"f", 4}}, {}, "left");
  world_.SetQueue({.name = "left", .parent = "right"});
  world_.SetQueue({.name = "right", .parent = "left"});
  AddWorkload("waits", "a", 1);
  EXPECT_EQ(Run(), Lines{});
  world_.SetQueue({.name = "right"});
  world_.Settle();
  EXPECT_EQ(Run(), (Lines{"waits fit admitted f"}));
}

TEST_F(Kueue, AWorkloadReplacesOneOfItsQueueAndNamespaceOnly) {
  AddQueue("a", {{"f", 4}});
  AddQueue("b", {{"f", 4}});
  const WorkloadIndex old = AddWorkload("n/old", "a", 2, 0, "f");
  const WorkloadIndex grown = AddWorkload("n/grown", "a", 3);
  const WorkloadIndex elsewhere = AddWorkload("m/grown", "a", 3);
  const WorkloadIndex moved = AddWorkload("n/moved", "b", 3);
  for (const WorkloadIndex w : {grown, elsewhere, moved}) world_.workloads[w].replaces = old;
  EXPECT_EQ(world_.ReplacedBy(grown), old);
  EXPECT_EQ(world_.ReplacedBy(elsewhere), kNothing);
  EXPECT_EQ(world_.ReplacedBy(moved), kNothing);
  world_.Release(old);
  EXPECT_EQ(world_.ReplacedBy(grown), kNothing);
}

TEST_F(Kueue, AHashThatIsRememberedMovesAside) {
  const Queue a = AddQueue("a", {{"f", 4}}, {}, "");
  PendingQueue pending(&world_, a);
  std::vector<WorkloadIndex> all;
  for (const int pods : {9, 9, 3}) {
    all.push_back(AddWorkload(std::to_string(all.size()), "a", pods));
    pending.Push(all.back());
  }
  ASSERT_EQ(pending.Pop(), all[0]);
  EXPECT_EQ(pending.Remember(all[0]), 1u);
  EXPECT_TRUE(pending.Remembers(all[1]));
  EXPECT_FALSE(pending.Remembers(all[2]));
  EXPECT_EQ(pending.Active(), std::vector<WorkloadIndex>{all[2]});
  // While it is looked at a change neither takes it out nor puts it back.
  EXPECT_EQ(pending.Leave(all[0]), PendingQueue::Place::kInFlight);
  pending.Enter(all[0], PendingQueue::Place::kInFlight, /*may_help=*/true);
  EXPECT_EQ(pending.PlaceOf(all[0]), PendingQueue::Place::kInFlight);
  EXPECT_FALSE(pending.Requeue(all[0], RequeueReason::kNoFit));
  EXPECT_EQ(pending.Inadmissible().size(), 2u);
  EXPECT_EQ(pending.Return(), 2u);
  EXPECT_FALSE(pending.Remembers(all[1]));
}

}  // namespace
}  // namespace muster::kueue
