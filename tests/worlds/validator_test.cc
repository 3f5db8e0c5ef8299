// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The invariants of plans on random worlds, and plans that break them on purpose.
#include "tests/support/validator.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "lib/plan/plan_data.h"
#include "muster/schedule.h"
#include "tests/support/random_world.h"
#include "tests/support/shrink.h"

namespace muster::testing {
namespace {

std::string FirstViolation(const Snapshot& snapshot, const std::string& profile) {
  const absl::StatusOr<Plan> plan = Schedule(snapshot, profile);
  if (!plan.ok()) return plan.status().ToString();
  const std::vector<std::string> violations = Violations(snapshot, *plan, InvariantsOf(profile));
  return violations.empty() ? "" : violations.front();
}

TEST(Invariants, HoldOnRandomWorlds) {
  std::vector<std::string> specs = {"volcano:+preempt,+reclaim",
                                    "volcano:actions=reclaim+preempt+allocate+backfill"};
  for (const ProfileInfo& info : Profiles()) {
    specs.push_back(info.name);
  }
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const std::string& profile = specs[seed % specs.size()];
    const ClusterSpec world = RandomWorld(seed + 5000);
    if (FirstViolation(MakeCluster(world).Freeze(), profile).empty()) continue;
    const ClusterSpec small = Shrink(world, [&](const ClusterSpec& candidate) {
      const std::optional<Cluster> cluster = TryCluster(candidate);
      return cluster.has_value() && !FirstViolation(cluster->Freeze(), profile).empty();
    });
    FAIL() << "seed " << seed << ": " << FirstViolation(MakeCluster(small).Freeze(), profile)
           << "\n"
           << AsScenario(small, profile);
  }
}

TEST(Invariants, HoldInTheNextCycle) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    for (const bool ended : {false, true}) {
      // A task may have been promised a place beside one that was leaving.
      const ClusterSpec world = RandomWorld(seed + 9000, {.between_tasks = !ended});
      const auto violations = [&](const ClusterSpec& candidate) {
        return NextCycleViolations(candidate, "muster", ended);
      };
      if (violations(world).empty()) continue;
      const ClusterSpec small = Shrink(world, [&](const ClusterSpec& candidate) {
        return TryCluster(candidate).has_value() && !violations(candidate).empty();
      });
      FAIL() << "seed " << seed << (ended ? ", ended: " : ": ") << violations(small).front() << "\n"
             << AsScenario(small, "muster");
    }
  }
}

// --- plans that are wrong

class Forged : public ::testing::Test {
 protected:
  Forged() {
    ClusterSpec world;
    world.nodes = {{.name = "n0", .capacity = {{"cpu", 2}}},
                   {.name = "n1",
                    .capacity = {{"cpu", 8}},
                    .taints = {{"gpu", "", TaintEffect::kNoSchedule}}}};
    world.queues = {{.name = "q", .limit = Resources{{"cpu", 1}}}};
    world.jobs = {{.name = "j", .queue = "q", .min_available = 2, .phase = JobPhase::kAdmitted},
                  {.name = "k", .queue = "q", .phase = JobPhase::kRunning}};
    const auto task = [&](const char* name, const char* job) {
      TaskSpec& spec = world.tasks.emplace_back();
      spec.name = name;
      spec.job = job;
      spec.shape.request = {{"cpu", 1}};
    };
    task("a", "j");
    task("b", "j");
    task("r", "k");
    world.tasks[2].status = TaskStatus::kRunning;
    world.tasks[2].node = "n0";
    snapshot_ = MakeCluster(world).Freeze();
    for (QueueIndex q = 0; q < snapshot_.queue_count(); ++q) {
      QueueShare share;
      share.queue = q;
      share.allocated_before = share.allocated_after = {0, 0, 0};
      if (snapshot_.queue_name(q) == "q")
        share.allocated_before = share.allocated_after = {1000, 0, 1};
      data_.shares.push_back(share);
    }
    data_.profile = "volcano";
  }

  void Place(TaskIndex task, NodeIndex node, DecisionKind kind = DecisionKind::kBind) {
    Decision decision{kind};
    decision.task = task;
    decision.node = node;
    decision.job = TablesOf(snapshot_).tasks.job[task];
    data_.decisions.push_back(decision);
  }
  void Waits(TaskIndex task) {
    data_.pending.push_back({task, static_cast<uint32_t>(data_.reasons.size())});
    data_.reasons.push_back({ReasonKind::kNotReached});
  }
  std::string Words(Invariants invariants = {}) {
    auto data = std::make_shared<PlanData>(data_);
    ListByKind(data.get());
    return absl::StrJoin(Violations(snapshot_, PlanOf(std::move(data)), invariants), "; ");
  }

  Snapshot snapshot_;
  PlanData data_;
};

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Forged, WhatIsRightPasses) {
  Waits(0);
  Waits(1);
  EXPECT_EQ(Words(), "");
}

TEST_F(Forged, TwoPlaces) {
  Place(0, 0);
  Place(0, 0, DecisionKind::kNominate);
  EXPECT_THAT(Words(), HasSubstr("I2: a has two places"));
}

TEST_F(Forged, AWaitingTaskHoldsItsNode) {
  ClusterSpec world;
  world.nodes = {{.name = "n0", .capacity = {{"cpu", 2}}}};
  world.jobs = {{.name = "j"}};
  for (const char* name : {"a", "b"}) {
    TaskSpec& spec = world.tasks.emplace_back();
    spec.name = name;
    spec.job = "j";
    spec.shape.request = {{"cpu", 2}};
  }
  world.tasks[0].status = TaskStatus::kWaiting;
  world.tasks[0].node = "n0";
  snapshot_ = MakeCluster(world).Freeze();
  data_.shares[0].allocated_before = data_.shares[0].allocated_after = {2000, 0, 1};
  data_.shares.resize(1);
  Place(0, 0);
  Waits(1);
  EXPECT_EQ(Words(), "");
  data_.pending.clear();
  data_.reasons.clear();
  Place(1, 0);
  EXPECT_THAT(Words(), HasSubstr("I1: n0 has not enough cpu for b"));
}

TEST_F(Forged, Steps) {
  const Invariants steps = {.steps = true};
  Place(0, 0);
  Place(0, 0, DecisionKind::kEvict);
  Waits(1);
  EXPECT_THAT(Words(), HasSubstr("I6: a is evicted but was not running"));
  EXPECT_EQ(Words(steps), "");
  // It is on its node until it is gone.
  Place(1, 0);
  data_.pending.clear();
  EXPECT_THAT(Words(steps), HasSubstr("I1: n0 has not enough cpu for b"));
  data_.decisions.back().kind = DecisionKind::kNominate;
  EXPECT_THAT(Words(steps), Not(HasSubstr("I1")));
  // And it returns.
  data_.decisions.pop_back();
  Waits(1);
  Place(0, 0, DecisionKind::kNominate);
  EXPECT_EQ(Words(steps), "");
  Place(0, 0, DecisionKind::kNominate);
  EXPECT_THAT(Words(steps), HasSubstr("I2: a has two places"));
}

TEST_F(Forged, NotPending) {
  Place(2, 0);
  EXPECT_THAT(Words(), HasSubstr("I2: r is not pending"));
}

TEST_F(Forged, Overcommit) {
  Place(0, 0);
  Place(1, 0);
  EXPECT_THAT(Words(), HasSubstr("I1: n0 has not enough cpu for a"));
}

TEST_F(Forged, Taint) {
  Place(0, 1);
  EXPECT_THAT(Words(), HasSubstr("I3: n1 refuses a"));
}

TEST_F(Forged, HalfAGang) {
  Place(0, 0);
  Waits(1);
  EXPECT_THAT(Words(), HasSubstr("I4: job j starts with 1 of 2"));
}

TEST_F(Forged, Limit) {
  Place(0, 0);
  EXPECT_THAT(Words({.limits = true}), HasSubstr("I5: queue q is beyond its limit of cpu"));
}

TEST_F(Forged, Victims) {
  Place(2, 0, DecisionKind::kEvict);
  data_.decisions.back().beneficiary = 0;
  const std::string words = Words({.fair_victims = true, .useful_evictions = true});
  EXPECT_THAT(words, HasSubstr("I6: r goes for a job that is not above its own"));
  EXPECT_THAT(words, HasSubstr("I7: r goes for a, which gets no place"));
  Place(0, 0, DecisionKind::kEvict);
  EXPECT_THAT(Words(), HasSubstr("I6: a is evicted but was not running"));
}

TEST_F(Forged, VictimsInVain) {
  // n2 has room for both r2 and a; n3 for one of them.
  ClusterSpec world;
  world.nodes = {{.name = "n2", .capacity = {{"cpu", 2}}},
                 {.name = "n3", .capacity = {{"cpu", 1}}}};
  world.jobs = {{.name = "j", .priority = 1}, {.name = "k"}};
  for (const char* name : {"a", "r2", "r3"}) {
    TaskSpec& spec = world.tasks.emplace_back();
    spec.name = name;
    spec.job = name[0] == 'a' ? "j" : "k";
    spec.shape.request = {{"cpu", 1}};
    if (name[0] == 'a') continue;
    spec.status = TaskStatus::kRunning;
    spec.node = name[1] == '2' ? "n2" : "n3";
  }
  snapshot_ = MakeCluster(world).Freeze();
  data_.profile = "muster";
  data_.shares.clear();
  for (NodeIndex node = 0; node < 2; ++node) {
    data_.decisions.clear();
    Place(TaskIndex(1 + node), node, DecisionKind::kEvict);
    data_.decisions.back().beneficiary = 0;
    Place(0, node, DecisionKind::kNominate);
    EXPECT_EQ(
        Words({.useful_evictions = true}).find("I7: r2 goes for a in vain") == std::string::npos,
        node == 1);
    EXPECT_EQ(Words({.useful_evictions = true}).find("r3"), std::string::npos);
  }
}

TEST_F(Forged, Deserved) {
  Waits(0);
  Waits(1);
  for (QueueShare& share : data_.shares) share.deserved = {0, 0, 0};
  data_.shares.back().deserved = {1000, 0, 0};
  EXPECT_EQ(Words({.max_min = true}), "");
  data_.shares.back().deserved[0] = 999;
  EXPECT_THAT(Words({.max_min = true}), HasSubstr("I16: queue q deserves less than there is"));
  data_.shares.back().deserved[0] = 1001;
  EXPECT_THAT(Words({.max_min = true}), HasSubstr("I16: queue q deserves more than it asks for"));
}

TEST_F(Forged, Shares) {
  Waits(0);
  Waits(1);
  data_.shares.back().allocated_after[0] += 1;
  EXPECT_THAT(Words(), HasSubstr("I12: queue q does not hold what is said after"));
  // With an eviction, only where books are exact.
  Place(2, 0, DecisionKind::kEvict);
  EXPECT_EQ(Words(), "");
  EXPECT_THAT(Words({.exact_books = true}),
              HasSubstr("I12: queue q does not hold what is said after"));
  data_.shares.back().allocated_after = {0, 0, 0};
  EXPECT_EQ(Words({.exact_books = true}), "");
}

TEST_F(Forged, Reasons) {
  Waits(0);
  EXPECT_EQ(Words(), "I14: b waits without a reason");
  Waits(1);
  Waits(2);
  EXPECT_EQ(Words(), "I14: r has a reason and does not wait");
}

TEST_F(Forged, CountedRefusals) {
  Waits(0);
  Waits(1);
  data_.reasons[0] = {ReasonKind::kNoNode};
  data_.reasons[0].refusals = {{.code = RefusalCode::kTaint, .detail = "gpu", .nodes = 1}};
  EXPECT_EQ(Words(), "");  // n0 has room
  data_.reasons[0].refusals[0].nodes = 2;
  EXPECT_THAT(Words(), HasSubstr("I14: a: said 2x"));
}

}  // namespace
}  // namespace muster::testing
