// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How answers combine, as tables: the answer of each policy of each tier, and the result.
#include "lib/extension/dispatcher.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "muster/cluster.h"

namespace muster {
namespace {

using Tasks = std::vector<TaskIndex>;

// Answers as it is set to, at every point.
struct Script {
  Vote vote = Vote::kAbstain;
  Tasks victims = {};
  int order = 0;
  bool yes = true;
  bool in_order = false, reorders = false;  // of candidates
};

class Scripted : public Policy, public OrderPolicy, public GatePolicy, public VictimPolicy {
 public:
  Scripted(std::string name, Script script, std::string* asked)
      : name_(std::move(name)), script_(std::move(script)), asked_(asked) {}

  std::string_view name() const override { return name_; }
  PointSet points() const override { return {}; }
  Traits traits() const override {
    Traits traits;
    traits.reclaims_in_victim_order = script_.reorders;
    traits.judges_in_order = script_.in_order;
    return traits;
  }
  OrderPolicy* order() override { return this; }
  GatePolicy* gate() override { return this; }
  VictimPolicy* victims() override { return this; }
  int CompareJobs(JobIndex, JobIndex) override { return Note(script_.order); }
  int CompareQueues(QueueIndex, QueueIndex) override { return Note(script_.order); }
  int CompareTasks(TaskIndex, TaskIndex) override { return Note(script_.order); }
  bool Overused(QueueIndex) override { return Note(!script_.yes); }
  Verdict Allocatable(QueueIndex, TaskIndex) override { return Judge(); }
  Verdict Preemptive(QueueIndex, std::span<const int64_t>) override { return Judge(); }
  bool Valid(JobIndex) override { return Note(script_.yes); }
  bool Ready(JobIndex) override { return Note(script_.yes); }
  bool Starving(JobIndex) override { return Note(script_.yes); }
  Vote Pipelined(JobIndex) override { return Note(script_.vote); }
  Verdict Admit(JobIndex) override { return {.vote = Note(script_.vote)}; }
  void Admitted(JobIndex) override { Note(0); }
  Vote Preemptable(TaskIndex, std::span<const TaskIndex> candidates, Tasks* chosen) override {
    return Choose(candidates, chosen);
  }
  Vote Reclaimable(TaskIndex, std::span<const TaskIndex> candidates, Tasks* chosen) override {
    return Choose(candidates, chosen);
  }
  Vote Evictable(JobIndex, bool, std::span<const TaskIndex> candidates, Tasks* chosen) override {
    return Choose(candidates, chosen);
  }
  void Victims(std::span<const TaskIndex> candidates, Tasks* chosen) override {
    Choose(candidates, chosen);
  }

 private:
  Verdict Judge() { return Note(script_.yes) ? Verdict::Yes() : Verdict::No(); }
  template <class T>
  T Note(T answer) {
    *asked_ += name_;
    return answer;
  }
  Vote Choose(std::span<const TaskIndex> candidates, Tasks* chosen) {
    for (TaskIndex t : candidates) {
      for (TaskIndex v : script_.victims) {
        if (v == t) chosen->push_back(t);
      }
    }
    return Note(script_.vote);
  }

  const std::string name_;
  const Script script_;
  std::string* const asked_;
};

// Policies a, b, ... of each tier; every one answers at every point, unless it is said that it does
// not.
class Tiers {
 public:
  explicit Tiers(const std::vector<std::vector<Script>>& tiers, Rules rules = {},
                 PointSet silent_first = {}) {
    std::vector<std::vector<ActivePolicy>> policies;
    char name = 'a';
    for (const auto& tier : tiers) {
      policies.emplace_back();
      for (const Script& script : tier) {
        PointSet points = {Point::kJobOrder,    Point::kQueueOrder,  Point::kTaskOrder,
                           Point::kOverused,    Point::kAllocatable, Point::kPreemptive,
                           Point::kValid,       Point::kReady,       Point::kPipelined,
                           Point::kAdmit,       Point::kStarving,    Point::kPreemptable,
                           Point::kReclaimable, Point::kEvictable,   Point::kVictims};
        for (int p = 0; name == 'a' && p < kPointCount; ++p) {
          if (silent_first.has(static_cast<Point>(p))) points.remove(static_cast<Point>(p));
        }
        policies.back().push_back(
            {std::make_unique<Scripted>(std::string(1, name), script, &asked), points});
        ++name;
      }
    }
    dispatcher = std::make_unique<Dispatcher>(std::move(policies), rules);
  }

  std::string asked;  // the names of those that were asked, in order
  std::unique_ptr<Dispatcher> dispatcher;
};

const Script kPermit{.vote = Vote::kPermit}, kAbstain{}, kReject{.vote = Vote::kReject};

TEST(Vote, ATierEndsIt) {
  const struct {
    std::vector<std::vector<Script>> tiers;
    bool answer;
    const char* asked;
  } cases[] = {
      {{}, true, ""},
      {{{kAbstain}}, true, "a"},
      {{{kAbstain}, {kAbstain}}, true, "ab"},
      {{{kPermit}, {kReject}}, true, "a"},            // a later tier cannot refuse
      {{{kPermit, kReject}}, false, "ab"},            // the same tier can
      {{{kReject, kPermit}, {kPermit}}, false, "a"},  // at once
      {{{kAbstain}, {kReject}}, false, "ab"},
      {{{kAbstain, kAbstain}, {kAbstain, kPermit}, {kReject}}, true, "abcd"},
  };
  for (const auto& c : cases) {
    for (const bool admit : {false, true}) {
      Tiers tiers(c.tiers);
      const Verdict verdict = admit ? tiers.dispatcher->Admit(0) : Verdict::Yes();
      EXPECT_EQ(admit ? verdict.ok() : tiers.dispatcher->Pipelined(0), c.answer);
      EXPECT_EQ(tiers.asked, c.asked);
      if (admit && !c.answer) EXPECT_EQ(verdict.policy, tiers.asked.substr(tiers.asked.size() - 1));
    }
  }
}

TEST(Vote, WithoutTiersOneRejectSuffices) {
  Rules rules;
  rules.pipelined = VoteRule::kAll;
  Tiers tiers({{kPermit}, {kReject}}, rules);
  EXPECT_FALSE(tiers.dispatcher->Pipelined(0));
  EXPECT_EQ(tiers.asked, "ab");
}

Script Names(Tasks victims) { return {.vote = Vote::kPermit, .victims = std::move(victims)}; }

struct VictimCase {
  const char* what;
  std::vector<std::vector<Script>> tiers;
  Tasks victims;
  const char* asked;
};

void Check(const std::vector<VictimCase>& cases, VictimRule rule) {
  const Tasks candidates = {1, 2, 3, 4};
  Rules rules;
  rules.victims = rule;
  for (const VictimCase& c : cases) {
    for (const bool reclaim : {false, true}) {
      Tiers tiers(c.tiers, rules);
      EXPECT_EQ(reclaim ? tiers.dispatcher->Reclaimable(9, candidates)
                        : tiers.dispatcher->Preemptable(9, candidates),
                c.victims)
          << c.what;
      EXPECT_EQ(tiers.asked, c.asked) << c.what;
    }
  }
}

TEST(Victims, RestartingIntersection) {
  Check({{"nobody there", {}, {}, ""},
         {"all abstain", {{kAbstain}, {kAbstain}}, {}, "ab"},
         {"two agree on some", {{Names({1, 2, 3}), Names({3, 2})}}, {2, 3}, "ab"},
         {"the first tier with victims decides alone", {{Names({1})}, {Names({2})}}, {1}, "a"},
         {"an abstaining one is as if not there",
          {{Names({1, 2}), kAbstain, Names({2})}},
          {2},
          "abc"},
         {"an empty answer leaves the tier; the next has the full list",
          {{Names({1}), Names({}), Names({1})}, {Names({4})}},
          {4},
          "abd"},
         {"an empty first answer too", {{Names({}), Names({1})}, {Names({2, 3})}}, {2, 3}, "ac"},
         {"an intersection that comes out empty is forgotten by the next",
          {{Names({1}), Names({2}), Names({3, 4})}},
          {3, 4},
          "abc"},
         {"and at the end of a tier it is no answer",
          {{Names({1}), Names({2})}, {Names({3})}},
          {3},
          "abc"},
         {"a reject without victims is an empty answer",
          {{Names({1}), kReject}, {Names({2})}},
          {2},
          "abc"},
         {"nobody names anyone", {{Names({})}, {Names({})}}, {}, "ab"}},
        VictimRule::kRestarting);
}

TEST(Victims, StickyIntersection) {
  Check(
      {{"two agree on some", {{Names({1, 2, 3}), Names({2, 3})}}, {2, 3}, "ab"},
       {"the first tier that leaves any ends it", {{Names({1})}, {Names({2})}}, {1}, "a"},
       {"what is empty stays empty",
        {{Names({1}), Names({2}), Names({3})}, {Names({3})}},
        {},
        "abcd"},
       {"an empty first answer empties all", {{Names({})}, {Names({1})}}, {}, "ab"},
       {"no tier ends early by an empty answer", {{Names({1}), Names({}), Names({1})}}, {}, "abc"}},
      VictimRule::kSticky);
}

TEST(Victims, StrictAgreementAsksEachAboutWhatTheOthersLeft) {
  const Tasks all = {1, 2, 3, 4};
  Check({{"no policy", {}, all, ""},
         {"all abstain", {{kAbstain}, {kAbstain}}, all, "ab"},
         {"two agree on some", {{Names({1, 2, 3}), Names({3, 2, 4})}}, {2, 3}, "ab"},
         {"tiers do not matter", {{Names({1, 2, 3})}, {Names({3, 2, 4})}}, {2, 3}, "ab"},
         {"an abstaining one is as if not there",
          {{Names({1, 2}), kAbstain, Names({2})}},
          {2},
          "abc"},
         {"what is empty stays empty", {{Names({}), Names({1})}, {Names({1})}}, {}, "abc"}},
        VictimRule::kStrict);
}

TEST(Victims, EvictableCombinesAsTheOthersDo) {
  const Tasks candidates = {1, 2, 3, 4};
  Tiers tiers({{Names({1, 2}), Names({2, 3})}, {Names({4})}});
  EXPECT_EQ(tiers.dispatcher->Evictable(0, true, candidates), Tasks{2});
  EXPECT_EQ(tiers.asked, "ab");
}

TEST(Victims, ForNobodyTheUnionOfTheFirstTierThatNamesAny) {
  const Tasks candidates = {4, 3, 2, 1};
  Tiers tiers({{Names({}), Names({})}, {Names({1, 3}), Names({3, 4})}, {Names({2})}});
  EXPECT_EQ(tiers.dispatcher->Victims(candidates), (Tasks{4, 3, 1}));
  EXPECT_EQ(tiers.asked, "abcd");
  EXPECT_EQ(Tiers({}).dispatcher->Victims(candidates), Tasks{});
}

TEST(Order, TheFirstThatCaresDecides) {
  Tiers tiers({{Script{.order = 0}, Script{.order = -1}}, {Script{.order = 1}}});
  EXPECT_TRUE(tiers.dispatcher->JobBefore(0, 0));
  EXPECT_TRUE(tiers.dispatcher->QueueBefore(0, 0));
  EXPECT_TRUE(tiers.dispatcher->TaskBefore(0, 0));
  EXPECT_LT(tiers.dispatcher->CompareJobs(0, 0), 0);
  EXPECT_LT(tiers.dispatcher->CompareQueues(0, 0), 0);
  EXPECT_EQ(tiers.asked, "ababababab");
}

TEST(Order, FallbacksAreTotal) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddQueue({.name = "late", .created = 5}).ok());
  ASSERT_TRUE(cluster.AddQueue({.name = "early", .created = 4, .uid_rank = 2}).ok());
  ASSERT_TRUE(cluster.AddQueue({.name = "ranked", .created = 4, .uid_rank = 1}).ok());
  for (const char* name : {"j0", "j1"})
    ASSERT_TRUE(cluster.AddJob({.name = name, .created = 7}).ok());
  ASSERT_TRUE(cluster.AddJob({.name = "j2", .created = 7, .uid_rank = -1}).ok());
  struct Row {
    const char* name;
    std::optional<int64_t> ordinal;
    int64_t created, uid_rank;
  };
  for (const Row& row : {Row{"t0", 2, 0, 0}, Row{"t1", 1, 9, 0}, Row{"t2", {}, 3, 0},
                         Row{"t3", {}, 3, -2}, Row{"t4", 1, 9, 0}}) {
    ASSERT_TRUE(cluster
                    .AddTask({.name = row.name,
                              .job = "j0",
                              .created = row.created,
                              .ordinal = row.ordinal,
                              .uid_rank = row.uid_rank})
                    .ok());
  }
  const Tables& t = TablesOf(cluster);
  const Ledger ledger(t, {});
  const std::vector<JobPhase> phases(t.jobs.alive.size(), JobPhase::kPending);
  Dispatcher dispatcher({}, {});
  const internal::CycleData data{t, ledger, 0, phases};
  dispatcher.Open(Cycle(&data));
  const auto queue = [&](const char* name) { return *t.queues.names.Find(name); };
  EXPECT_TRUE(dispatcher.QueueBefore(queue("early"), queue("late")));
  EXPECT_TRUE(dispatcher.QueueBefore(queue("ranked"), queue("early")));
  EXPECT_FALSE(dispatcher.QueueBefore(queue("early"), queue("ranked")));
  EXPECT_TRUE(dispatcher.JobBefore(0, 1));  // by index
  EXPECT_FALSE(dispatcher.JobBefore(1, 0));
  EXPECT_TRUE(dispatcher.JobBefore(2, 0));   // by rank
  EXPECT_TRUE(dispatcher.TaskBefore(1, 0));  // by ordinal, although later
  EXPECT_TRUE(dispatcher.TaskBefore(0, 2));  // by time where one has no ordinal
  EXPECT_TRUE(dispatcher.TaskBefore(2, 1));
  EXPECT_TRUE(dispatcher.TaskBefore(3, 2));  // by rank
  EXPECT_TRUE(dispatcher.TaskBefore(1, 4));  // by index
}

// Takes from queues in ascending order; reclaims all, in victims' order or as they are named.
class Taker : public Policy, public OrderPolicy, public VictimPolicy {
 public:
  explicit Taker(bool in_victim_order) : in_victim_order_(in_victim_order) {}
  std::string_view name() const override { return "taker"; }
  PointSet points() const override { return {}; }
  Traits traits() const override {
    Traits traits;
    traits.reclaims_in_victim_order = in_victim_order_;
    return traits;
  }
  OrderPolicy* order() override { return this; }
  VictimPolicy* victims() override { return this; }
  int CompareVictimQueues(QueueIndex a, QueueIndex b, QueueIndex evictor) override {
    EXPECT_EQ(evictor, 0u);
    return a < b ? -1 : 1;
  }
  Vote Reclaimable(TaskIndex, std::span<const TaskIndex> candidates, Tasks* chosen) override {
    chosen->assign(candidates.begin(), candidates.end());
    return Vote::kPermit;
  }

 private:
  const bool in_victim_order_;
};

TEST(Order, VictimsGoByQueueThenByJobTheLastFirst) {
  Cluster cluster;
  for (const char* name : {"q1", "q2"}) ASSERT_TRUE(cluster.AddQueue({.name = name}).ok());
  const char* const queues[] = {"default", "q1", "q2", "q1"};
  for (int j = 0; j < 4; ++j) {
    const std::string job = "j" + std::to_string(j);
    ASSERT_TRUE(cluster.AddJob({.name = job, .queue = queues[j]}).ok());
    for (const char* task : {"a", "b"})
      ASSERT_TRUE(cluster.AddTask({.name = job + task, .job = job}).ok());
  }
  ASSERT_TRUE(cluster.AddTask({.name = "jobless"}).ok());
  const Tables& t = TablesOf(cluster);
  const Ledger ledger(t, {});
  const std::vector<JobPhase> phases(t.jobs.alive.size(), JobPhase::kPending);
  const Tasks candidates = {2, 3, 4, 5, 6, 7};
  const auto reclaimable = [&](bool in_victim_order, PointSet points) {
    std::vector<std::vector<ActivePolicy>> tiers(1);
    tiers[0].push_back({std::make_unique<Taker>(in_victim_order), points});
    Dispatcher dispatcher(std::move(tiers), {});
    const internal::CycleData data{t, ledger, 0, phases};
    dispatcher.Open(Cycle(&data));
    EXPECT_TRUE(dispatcher.VictimBefore(8, 2, 0));  // no gang needs it
    EXPECT_FALSE(dispatcher.VictimBefore(2, 8, 0));
    return dispatcher.Reclaimable(0, candidates);
  };
  const PointSet both = {Point::kReclaimable, Point::kVictimQueueOrder};
  // No policy orders jobs, so that of a queue's tasks, and of a job's, the last goes first.
  EXPECT_EQ(reclaimable(true, both), (Tasks{7, 6, 3, 2, 5, 4}));
  // Without the point the queue that goes last in queue order loses first.
  EXPECT_EQ(reclaimable(true, {Point::kReclaimable}), (Tasks{5, 4, 7, 6, 3, 2}));
  EXPECT_EQ(reclaimable(false, both), candidates);
}

const Script kYes{}, kNo{.yes = false};

TEST(Gates, AllOrAny) {
  for (const bool first : {true, false}) {
    for (const bool second : {true, false}) {
      Tiers tiers({{first ? kYes : kNo}, {second ? kYes : kNo}});
      const bool both = first && second;
      const std::string asked = first ? "ab" : "a";
      const Dispatcher& d = *tiers.dispatcher;
      const auto check = [&](bool answer, bool expected) {
        EXPECT_EQ(answer, expected);
        EXPECT_EQ(tiers.asked, asked);
        tiers.asked.clear();
      };
      check(d.Valid(0), both);
      check(d.Ready(0), both);
      check(d.Preemptive(0, {}).ok(), both);
      const Verdict verdict = d.Allocatable(0, 0);
      check(verdict.ok(), both);
      if (!both) EXPECT_EQ(verdict.policy, first ? "b" : "a");
      check(d.MayTakeTurn(0).ok(), both);  // a scripted no is an overused queue
    }
  }
}

// Fits trials, or not; asked by those that see trials, or by the others.
class Fitter : public Policy, public FitPolicy {
 public:
  Fitter(bool sees_trials, bool fits) : sees_trials_(sees_trials), fits_(fits) {}
  std::string_view name() const override { return "fitter"; }
  PointSet points() const override { return {}; }
  Traits traits() const override { return {.sees_trials = sees_trials_}; }
  FitPolicy* fit() override { return this; }
  bool FitsTrial(ClassIndex, NodeIndex) override { return fits_; }

 private:
  const bool sees_trials_, fits_;
};

TEST(Gates, TrialsAreRefusedByThePoliciesOfTheKindThatIsAsked) {
  for (const bool seen : {false, true}) {
    for (const bool first : {false, true}) {
      for (const bool second : {false, true}) {
        std::vector<std::vector<ActivePolicy>> tiers(2);
        tiers[0].push_back({std::make_unique<Fitter>(seen, first), {Point::kFit}});
        tiers[1].push_back({std::make_unique<Fitter>(!seen, second), {Point::kFit}});
        const Dispatcher dispatcher(std::move(tiers), {});
        EXPECT_EQ(dispatcher.FitsTrial(0, 0, seen), first);
        EXPECT_EQ(dispatcher.FitsTrial(0, 0, !seen), second);
      }
    }
  }
  EXPECT_TRUE(Dispatcher({}, {}).FitsTrial(0, 0, true));
}

TEST(Gates, AQueueMayAllocateOnTrialIfAllPoliciesAgree) {
  EXPECT_TRUE(Tiers({}).dispatcher->AllocatableTrial(0, 0));
  EXPECT_TRUE(Tiers({{kYes}, {kYes}}).dispatcher->AllocatableTrial(0, 0));
  EXPECT_FALSE(Tiers({{kYes}, {kNo}}).dispatcher->AllocatableTrial(0, 0));
  EXPECT_FALSE(Tiers({{kNo, kYes}}).dispatcher->AllocatableTrial(0, 0));
}

TEST(Gates, StarvingIsDecidedByTheFirstTierThatAnswers) {
  const PointSet starving = {Point::kStarving};
  EXPECT_FALSE(Tiers({}).dispatcher->Starving(0));  // no policy registered
  EXPECT_TRUE(Tiers({{kYes}, {kNo}}).dispatcher->Starving(0));
  EXPECT_FALSE(Tiers({{kYes, kNo}, {kYes}}).dispatcher->Starving(0));
  EXPECT_TRUE(Tiers({{kNo}, {kYes}, {kNo}}, {}, starving).dispatcher->Starving(0));
  EXPECT_FALSE(Tiers({{kYes}, {kNo}, {kYes}}, {}, starving).dispatcher->Starving(0));
}

TEST(Gates, SwitchedOffIsNotAsked) {
  Tiers tiers({{kNo, kYes}}, {}, {Point::kReady, Point::kValid});
  EXPECT_TRUE(tiers.dispatcher->Ready(0));
  EXPECT_TRUE(tiers.dispatcher->Valid(0));
  EXPECT_EQ(tiers.asked, "bb");
  EXPECT_FALSE(tiers.dispatcher->Preemptive(0, {}).ok());
}

TEST(Admitted, AllHearOfIt) {
  Tiers tiers({{kPermit}, {kReject}});
  tiers.dispatcher->Admitted(0);
  EXPECT_EQ(tiers.asked, "ab");
}

// One policy that does not, or that is given another order, or a rule by which the first answer
// decides, spoils it.
TEST(JudgesInOrder, WhereAllPoliciesDo) {
  const Rules strict{.victims = VictimRule::kStrict};
  const Script in_order{.vote = Vote::kPermit, .in_order = true};
  const Script reorders{.vote = Vote::kPermit, .in_order = true, .reorders = true};
  const auto judges = [](Tiers tiers) {
    return std::pair(tiers.dispatcher->JudgesInOrder(Point::kPreemptable),
                     tiers.dispatcher->JudgesInOrder(Point::kReclaimable));
  };
  EXPECT_EQ(judges(Tiers({{in_order, in_order}, {in_order}}, strict)), std::pair(true, true));
  EXPECT_EQ(judges(Tiers({{in_order, in_order}, {kPermit}}, strict)), std::pair(false, false));
  EXPECT_EQ(judges(Tiers({{in_order}, {reorders}}, strict)), std::pair(true, false));
  EXPECT_EQ(judges(Tiers({{in_order}})), std::pair(false, false));
  // A policy that is not asked does not count.
  EXPECT_EQ(judges(Tiers({{kPermit, in_order}}, strict, {Point::kReclaimable})),
            std::pair(false, true));
}

}  // namespace
}  // namespace muster
