// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random lives of clusters with queues, gangs and parts of GPUs under profile kai: each plan is
// that of a frozen cluster and of a fresh one of the same rows and memory, keeps what the profile
// promises, and leaves jobs alone that have had their one attempt. A plan that was cut keeps the
// same.
//
//   MUSTER_WORLDS=100000 MUSTER_SEED=7 muster_worlds --gtest_filter='KaiWorlds.*'
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/muster.h"
#include "tests/support/plan_words.h"
#include "tests/support/random_world.h"
#include "tests/support/validator.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

template <class T>
const T& OneIn(const std::vector<T>& list, Rng& rng) {
  return list[rng.Below(list.size())];
}

// What happened in all lives.
struct KaiTally {
  int bound = 0, nominated = 0, evicted = 0, shared = 0, cut = 0, left_alone = 0;
};

class KaiLife {
 public:
  KaiLife(uint64_t seed, KaiTally* tally) : rng_(seed), tally_(tally) {
    profile_ = OneIn<std::string>(
        {"kai", "kai:kai-rules(consolidation_victims=-1)", "kai:kai-rules(promises=kept)",
         "kai:kai-rules(gpu=spread,device=spread,usage=on,k=1)",
         "kai:kai-rules(staleness_grace=1,preempt_min_runtime=2)"},
        rng_);
    AddNodes();
    AddQueues();
  }

  // Returns what went wrong, or nothing.
  std::string Run() {
    for (now_ = 0; now_ < 8; ++now_) {
      for (uint64_t more = rng_.Below(4); more > 0; --more) AddOneJob();
      ScheduleOptions options{.now = now_};
      if (rng_.Chance(0.2)) options.work_budget = static_cast<int64_t>(rng_.Below(6));
      std::string words = Step(options);
      if (!words.empty()) return absl::StrCat("plan ", now_, " under ", profile_, ": ", words);
      GoOn();
      ChangeNodes();
    }
    return "";
  }

 private:
  void AddNodes() {
    for (int n = 0; n < 5; ++n) {
      NodeSpec node{.name = absl::StrCat("n", n), .capacity = {{"cpu", 4}, {"pods", 6}}};
      node.labels = {{"rack", absl::StrCat("r", n / 2)}};
      if (n % 2 == 0) {
        node.capacity.emplace_back("nvidia.com/gpu", 2);
        for (const char* name : {"g0", "g1"}) node.devices.push_back({.name = name, .kind = "gpu"});
      }
      Accept(cluster_.AddNode(node));
    }
  }

  void AddQueues() {
    Accept(cluster_.AddQueue({.name = "top"}));
    for (const char* name : {"a", "b", "c"}) {
      QueueSpec queue{.name = name, .parent = "top"};
      queue.deserved = {{"cpu", static_cast<int64_t>(rng_.Below(8))},
                        {"nvidia.com/gpu", static_cast<int64_t>(rng_.Below(3))}};
      if (rng_.Chance(0.3)) queue.limit = {{"cpu", 4 + static_cast<int64_t>(rng_.Below(8))}};
      Accept(cluster_.AddQueue(queue));
    }
  }

  TaskShape Shape() {
    TaskShape shape{.request = {{"cpu", 1 + static_cast<int64_t>(rng_.Below(3))}}};
    shape.labels = {{"app", rng_.Chance(0.5) ? "x" : "y"}};
    if (rng_.Chance(0.2)) {
      shape.request.emplace_back("nvidia.com/gpu", 1 + static_cast<int64_t>(rng_.Below(2)));
    } else if (shares_gpus_ && rng_.Chance(0.3)) {
      shape.devices = {{.kind = "gpu", .milli = rng_.Chance(0.5) ? 500 : 300}};
    }
    if (rng_.Chance(0.15)) {
      shape.required_anti_affinity = {
          {.topology_key = "rack", .selector = Selector{.match_labels = {{"app", "x"}}}}};
    }
    return shape;
  }

  void AddOneJob() {
    JobSpec job{.name = absl::StrCat("j", jobs_),
                .queue = OneIn<std::string>({"a", "b", "c"}, rng_),
                .priority = OneIn<int32_t>({40, 60, 100}, rng_)};
    const int64_t count = 1 + static_cast<int64_t>(rng_.Below(3));
    job.min_available = 1 + static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(count)));
    job.created = jobs_++;
    job.groups = {{.name = "w", .count = count, .shape = Shape()}};
    if (rng_.Chance(0.3)) job.settings = {{"kai/scheduling-backoff", "1"}};
    Accept(cluster_.AddJob(job));
  }

  bool HadItsAttempt(const std::string& job) const {
    const MemorySlot* const slot = cluster_.memory().Find("kai-gangs");
    return slot != nullptr && slot->Find(absl::StrCat("failed/", job)) != nullptr;
  }

  std::string Step(const ScheduleOptions& options) {
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile_, options);
    if (!plan.ok()) return plan.status().ToString();
    ScheduleOptions afresh = options;
    afresh.memory = cluster_.memory();
    Cluster fresh = MakeCluster(cluster_.Describe());
    const absl::StatusOr<Plan> again = fresh.Schedule(profile_, afresh);
    if (!again.ok()) return again.status().ToString();
    if (plan->ToText() != again->ToText()) {
      return absl::StrCat("not as a fresh cluster decides:\n", plan->ToText(), "and\n",
                          again->ToText());
    }
    const Snapshot snapshot = cluster_.Freeze();
    if (Schedule(snapshot, profile_, options)->Digest() != plan->Digest()) {
      return "not as a frozen cluster decides";
    }
    // A task that moves between shared devices of one node and back is charged twice there, bug for
    // bug, so what is promised of such a node may be too much.
    Invariants kept = InvariantsOf(profile_);
    kept.no_overcommit = !shares_gpus_;
    for (const std::string& words : Violations(snapshot, *plan, kept)) {
      return absl::StrCat(words, "\n", plan->ToText(), "of\n",
                          AsScenario(cluster_.Describe(), profile_));
    }
    std::string words = Resumed(*plan);
    if (!words.empty()) return words;
    Count(*plan);
    return std::string(cluster_.Apply(*plan).status().message());
  }

  // Returns the first job that has a place although its one attempt failed in an earlier plan.
  std::string Resumed(const Plan& plan) const {
    for (const Decision& d : plan.decisions()) {
      if (d.kind != DecisionKind::kBind && d.kind != DecisionKind::kNominate) continue;
      const std::string task(plan.task_name(d.task));
      const std::string job = task.substr(0, task.find('-'));
      if (HadItsAttempt(job)) return absl::StrCat(job, " has had its attempt, and got a place");
    }
    return "";
  }

  void Count(const Plan& plan) {
    tally_->bound += static_cast<int>(plan.binds().size());
    tally_->nominated += static_cast<int>(plan.nominations().size());
    tally_->evicted += static_cast<int>(plan.evictions().size());
    tally_->shared += static_cast<int>(plan.devices().size());
    tally_->cut += !plan.complete();
    tally_->left_alone += plan.ToText().find("its scheduling backoff") != std::string::npos;
  }

  // Tasks start, leave, end, and are made anew.
  void GoOn() {
    for (const TaskSpec& task : cluster_.Describe().tasks) {
      if (task.status == TaskStatus::kBinding && rng_.Chance(0.9)) {
        Accept(cluster_.SetTaskStatus(task.name, TaskStatus::kRunning, task.node));
      } else if (task.status == TaskStatus::kReleasing && rng_.Chance(0.7)) {
        Accept(cluster_.SetTaskStatus(task.name, TaskStatus::kPending));
      } else if (task.status == TaskStatus::kRunning && rng_.Chance(0.2)) {
        Accept(cluster_.SetTaskStatus(
            task.name,
            OneIn<TaskStatus>({TaskStatus::kPending, TaskStatus::kFailed, TaskStatus::kSucceeded},
                              rng_)));
      } else if (task.status == TaskStatus::kFailed && rng_.Chance(0.5)) {
        Accept(cluster_.SetTaskStatus(task.name, TaskStatus::kPending));
      }
    }
  }

  // Nodes fail and come back.
  void ChangeNodes() {
    for (NodeSpec node : cluster_.Describe().nodes) {
      if (!rng_.Chance(0.1)) continue;
      (rng_.Chance(0.5) ? node.ready : node.unschedulable) ^= true;
      Accept(cluster_.UpdateNode(node));
    }
  }

  Rng rng_;
  KaiTally* const tally_;
  std::string profile_;
  Cluster cluster_;
  const bool shares_gpus_ = rng_.Chance(0.5);
  int64_t now_ = 0, jobs_ = 0;
};

TEST(KaiWorlds, PlansAreThoseOfAFreshClusterAndKeepTheirPromises) {
  KaiTally tally;
  const uint64_t first = FirstSeed(1), worlds = WorldCount(300);
  for (uint64_t seed = first; seed < first + worlds; ++seed) {
    const std::string words = KaiLife(seed, &tally).Run();
    ASSERT_EQ(words, "") << "seed " << seed;
  }
  // The lives are worth something only if much happens in them.
  const int lives = static_cast<int>(worlds);
  EXPECT_GT(tally.bound, 3 * lives);
  EXPECT_GT(tally.nominated, lives / 2);
  EXPECT_GT(tally.evicted, lives / 2);
  EXPECT_GT(tally.shared, lives / 8);
  EXPECT_GT(tally.cut, lives / 2);
  EXPECT_GT(tally.left_alone, lives / 2);
}

}  // namespace
}  // namespace muster::testing
