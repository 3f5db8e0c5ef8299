// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Policies due and joborder: against their slow twins on random worlds, which have no memory; and
// due in clusters that live, against due times counted anew from all that has ended.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/cluster.h"
#include "muster/memory.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_jobs.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

TEST(JobOrderWorlds, AgreeWithTheirTwins) {
  ExpectAgreement(WorldCount(3000), [](uint64_t seed) {
    Rng rng(seed);
    const WorldKnobs knobs = {
        .nodes = 4, .jobs = 14, .tasks = 4, .between_tasks = rng.Chance(0.2), .extremes = false};
    ClusterSpec world = RandomWorld(seed, knobs);
    AddEstimates(rng, &world);
    for (JobSpec& job : world.jobs) {
      if (rng.Chance(0.5)) job.deadline = static_cast<int64_t>(rng.Below(6));
    }
    return ComparedWorld{std::move(world), OneOf(kJobOrderSpecs, rng)};
  });
}

// One node of eight cpus; gangs of tasks of one cpu that run no longer than estimated. Under fcfs
// the first of the order is never passed.
class LivingOrder {
 public:
  explicit LivingOrder(uint64_t seed) : rng_(seed) {
    NodeSpec node;
    node.name = "n";
    node.capacity = {{"cpu", kCpus}};
    EXPECT_TRUE(cluster_.AddNode(node).ok());
  }

  void Run() {
    for (now_ = 0; now_ < 400 && !::testing::Test::HasFailure();
         now_ += 1 + static_cast<int64_t>(rng_.Below(3))) {
      End();
      for (uint64_t more = rng_.Below(3); more > 0; --more) Submit();
      for (auto& [name, job] : jobs_) {
        if (job.key < 0) job.key = DueTime(job);
      }
      ScheduleOptions options;
      options.now = now_;
      const absl::StatusOr<Plan> plan = cluster_.Schedule("fcfs:+due(scale=2,cap=0.5)", options);
      ASSERT_TRUE(plan.ok()) << plan.status();
      ASSERT_TRUE(cluster_.Apply(*plan).ok());
      for (const Bind& bind : plan->binds()) Start(std::string(plan->task_name(bind.task)));
      CheckOrder();
      CheckMemory(plan->memory());
    }
  }
  int64_t overtaken() const { return overtaken_; }

 private:
  static constexpr int64_t kCpus = 8;
  struct Job {
    std::string user;
    int64_t size, estimate, runs, created;
    int64_t started = -1, key = -1;
  };

  void Submit() {
    Job job{.user = OneOfUsers(),
            .size = 1 + static_cast<int64_t>(rng_.Below(rng_.Chance(0.3) ? kCpus : 3)),
            .estimate = rng_.Chance(0.5) ? 4 : 40,
            .runs = 0,
            .created = now_};
    job.runs = 1 + static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(job.estimate)));
    if (job.user == "a") job.runs = 1;  // a user of short jobs with long estimates
    JobSpec spec;
    // Names out of order: jobs that end together are learnt by name.
    spec.name = absl::StrCat("j", (next_ * 7919) % 10007);
    ++next_;
    spec.min_available = job.size;
    spec.created = now_;
    spec.estimate = job.estimate;
    spec.phase = JobPhase::kAdmitted;
    if (!job.user.empty()) spec.owner = JobOwner{.user = job.user};
    spec.groups = {{.name = "w", .count = job.size, .shape = {.request = {{"cpu", 1}}}}};
    ASSERT_TRUE(cluster_.AddJob(spec).ok());
    jobs_.emplace(spec.name, job);
  }
  std::string OneOfUsers() {
    const char* const users[] = {"", "a", "b", "c d"};
    return users[rng_.Below(4)];
  }

  void Start(const std::string& task_name) {
    TaskSpec task;
    task.name = task_name;
    task.job = task_name.substr(0, task_name.find('-'));
    task.group = "w";
    task.shape.request = {{"cpu", 1}};
    task.status = TaskStatus::kRunning;
    task.node = "n";
    task.started = now_;
    ASSERT_TRUE(cluster_.UpdateTask(task).ok());
    Job& job = jobs_.at(task.job);
    if (job.started >= 0) return;
    job.started = now_;
    longest_ = std::max(longest_, now_ - job.created);
  }

  // A job ends at its time or, as cycles see it, with the first cycle after that.
  void End() {
    for (auto it = jobs_.begin(); it != jobs_.end();) {
      const Job& job = it->second;
      const bool over = job.started >= 0 && job.started + job.runs <= now_;
      const bool cancelled = job.started < 0 && rng_.Chance(0.02);
      if (!over && !cancelled) {
        ++it;
        continue;
      }
      if (over) {
        ended_.push_back(job);
        ended_.back().runs = now_ - job.started;
      }
      ASSERT_TRUE(cluster_.RemoveJob(it->first).ok());
      it = jobs_.erase(it);
    }
  }

  static int Magnitude(int64_t amount) {
    int power = 0;
    while (amount > 1) amount /= 2, ++power;
    return power;
  }
  static bool Alike(int key, const Job& a, const Job& b) {
    if (key == 0) return true;
    if (key == 1) {
      return Magnitude(a.estimate) == Magnitude(b.estimate) &&
             Magnitude(a.size) == Magnitude(b.size);
    }
    return !a.user.empty() && a.user == b.user && (key < 3 || a.estimate == b.estimate) &&
           (key < 4 || a.size == b.size);
  }
  int64_t DueTime(const Job& job) const {
    const auto estimate = static_cast<double>(job.estimate);
    double run = estimate / 2, inverse = 2 * (1 / std::max(estimate, 10.0));
    for (int key = 0; key < 5; ++key) {
      const double decay = key < 2 ? 0.999 : 0.9, weight = key == 0 ? 0.1 : 1;
      double count = 0, runs = 0, inverses = 0;
      for (const Job& other : ended_) {
        if (!Alike(key, other, job)) continue;
        count = decay * count + 1;
        runs = decay * runs + static_cast<double>(other.runs);
        inverses = decay * inverses + 1 / std::max(static_cast<double>(other.runs), 10.0);
      }
      if (count == 0) continue;
      run = (runs + weight * run) / (count + weight);
      inverse = (inverses + weight * inverse) / (count + weight);
    }
    const double length = std::sqrt(std::clamp(run, 1.0, std::max(1.0, estimate)) / inverse);
    const double delay = std::min(0.5 * static_cast<double>(longest_), 2 * length);
    return job.created * 1000 + static_cast<int64_t>(delay * 1000);
  }

  void CheckOrder() {
    int64_t first = INT64_MAX, oldest = INT64_MAX;
    for (const auto& [name, job] : jobs_) {
      if (job.started >= 0) continue;
      first = std::min(first, job.key);
      oldest = std::min(oldest, job.created);
    }
    for (const auto& [name, job] : jobs_) {
      if (job.started != now_) continue;
      EXPECT_LE(job.key, first) << name << " at " << now_;
      overtaken_ += job.created > oldest;
    }
  }

  void CheckMemory(const Memory& memory) {
    const MemorySlot* due = memory.Find("due");
    if (due == nullptr) {
      EXPECT_TRUE(jobs_.empty());
      return;
    }
    EXPECT_EQ(due->rows().size(), jobs_.size());
    for (const auto& [name, job] : jobs_) {
      EXPECT_EQ(due->Integer(name, 1), job.key) << name << " at " << now_;
      EXPECT_EQ(due->Integer(name, 0) >= 2, job.started >= 0) << name << " at " << now_;
    }
  }

  Rng rng_;
  Cluster cluster_;
  int64_t now_ = 0, next_ = 0, longest_ = 0, overtaken_ = 0;
  std::map<std::string, Job> jobs_;  // that wait or run
  std::vector<Job> ended_;           // as they ended
};

TEST(DueOrderLives, DueTimesFollowFromAllThatHasEnded) {
  int64_t overtaken = 0;
  for (uint64_t seed = 0; seed < WorldCount(40) && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    LivingOrder order(seed);
    order.Run();
    overtaken += order.overtaken();
  }
  EXPECT_GT(overtaken, 100);
}

}  // namespace
}  // namespace muster::testing
