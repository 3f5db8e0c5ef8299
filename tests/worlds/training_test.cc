// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Schedulers of training jobs: against their slow twins on random worlds, which have no memory; and
// in clusters that live, against service counted anew from all that ever ran.
#include <algorithm>
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

TEST(TrainingWorlds, AgreeWithTheirTwins) {
  ExpectAgreement(WorldCount(3000), [](uint64_t seed) {
    Rng rng(seed);
    const WorldKnobs knobs = {
        .nodes = 4, .jobs = 14, .tasks = 4, .between_tasks = rng.Chance(0.2), .extremes = false};
    ClusterSpec world = RandomWorld(seed, knobs);
    AddEstimates(rng, &world);
    return ComparedWorld{std::move(world), OneOf(kTrainingSpecs, rng)};
  });
}

constexpr const char* kRoundsSpecs[] = {
    "gavel",
    "gavel:rounds(resource=cpu)",
    "gavel:rounds(round=60,resource=cpu,label=zone)",
    "gavel:rounds(resource=memory),+devices",
    "gavel:rounds(resource=cpu),+priority",
};

// Gives nodes types of GPUs, some none, and most jobs speeds on some of them.
void AddSpeeds(Rng& rng, ClusterSpec* world) {
  for (NodeSpec& node : world->nodes) {
    if (rng.Chance(0.9)) node.labels.emplace_back("gpu-model", rng.Chance(0.5) ? "k80" : "v100");
  }
  for (JobSpec& job : world->jobs) {
    if (rng.Chance(0.2)) continue;
    for (const char* type : {"k80", "v100", "none"}) {
      if (rng.Chance(0.15)) continue;
      const std::string speed = absl::StrCat(rng.Below(4), rng.Chance(0.5) ? ".25" : "");
      job.settings.emplace_back(absl::StrCat("speed/", type), speed);
    }
  }
}

TEST(TrainingWorlds, RoundsAgreeWithTheirTwin) {
  ExpectAgreement(WorldCount(3000), [](uint64_t seed) {
    Rng rng(seed);
    const WorldKnobs knobs = {
        .nodes = 5, .jobs = 14, .tasks = 4, .between_tasks = rng.Chance(0.2), .extremes = false};
    ClusterSpec world = RandomWorld(seed, knobs);
    AddSpeeds(rng, &world);
    return ComparedWorld{std::move(world), OneOf(kRoundsSpecs, rng)};
  });
}

// One node of eight GPUs; gangs of tasks of one GPU. What a plan stops leaves after a while, and
// waits again.
class LivingTurns {
 public:
  explicit LivingTurns(uint64_t seed) : rng_(seed) {
    NodeSpec node;
    node.name = "n";
    node.capacity = {{"nvidia.com/gpu", kGpus}};
    EXPECT_TRUE(cluster_.AddNode(node).ok());
  }

  void Run() {
    for (now_ = 0; now_ < 600 && !::testing::Test::HasFailure(); now_ += Step()) {
      Tick();
      for (uint64_t more = rng_.Below(3); more > 0 && jobs_.size() < 12; --more) Submit();
      for (auto& [name, job] : jobs_) Promote(&job);
      ScheduleOptions options;
      options.now = now_;
      const absl::StatusOr<Plan> plan =
          cluster_.Schedule("tiresias:attained(level1=20,level2=60,promote=3)", options);
      ASSERT_TRUE(plan.ok()) << plan.status();
      CheckMemory(plan->memory());
      ASSERT_TRUE(cluster_.Apply(*plan).ok());
      CheckPlan(*plan);
    }
  }
  int64_t stops() const { return stops_; }
  int64_t promotions() const { return promotions_; }

 private:
  static constexpr int64_t kGpus = 8;
  enum State { kWaits, kRuns, kLeaves };
  struct Job {
    int64_t size, rest, created, number;
    State state = kWaits;
    bool ran_once = false;
    int64_t service = 0, ran = 0, waited = 0;
  };

  int64_t Step() {
    step_ = 1 + static_cast<int64_t>(rng_.Below(4));
    return step_;
  }

  // Counts the seconds since the last cycle, second by second. Jobs end, and those that were
  // stopped have left, just before this one.
  void Tick() {
    for (auto it = jobs_.begin(); it != jobs_.end();) {
      Job& job = it->second;
      if (job.state == kRuns) {
        job.service += job.size * step_;
        job.ran += step_;
        job.rest -= step_;
      } else if (job.ran_once) {
        job.waited += step_;
      }
      if (job.state == kLeaves) {
        for (int64_t i = 0; i < job.size; ++i) Set(it->first, i, TaskStatus::kPending);
        job.state = kWaits;
      }
      if (job.state == kRuns && job.rest <= 0) {
        ASSERT_TRUE(cluster_.RemoveJob(it->first).ok());
        it = jobs_.erase(it);
      } else {
        ++it;
      }
    }
  }

  void Promote(Job* job) {
    if (job->state != kWaits || LevelOf(*job) == 0 || job->waited < 3 * job->ran) return;
    job->service = job->ran = job->waited = 0;
    ++promotions_;
  }
  static int LevelOf(const Job& job) { return (job.service >= 20) + (job.service >= 60); }

  void Submit() {
    const Job job{.size = 1 + static_cast<int64_t>(rng_.Below(rng_.Chance(0.3) ? kGpus : 4)),
                  .rest = 1 + static_cast<int64_t>(rng_.Below(rng_.Chance(0.3) ? 60 : 8)),
                  .created = now_,
                  .number = next_};
    JobSpec spec;
    spec.name = absl::StrCat("j", (next_ * 7919) % 10007);
    spec.uid_rank = next_++;
    spec.min_available = job.size;
    spec.created = now_;
    spec.groups = {{.name = "w", .count = job.size, .shape = {.request = {{"nvidia.com/gpu", 1}}}}};
    ASSERT_TRUE(cluster_.AddJob(spec).ok());
    jobs_.emplace(spec.name, job);
  }

  void Set(const std::string& job, int64_t number, TaskStatus status) {
    TaskSpec task;
    task.name = absl::StrCat(job, "-w-", number);
    task.job = job;
    task.group = "w";
    task.shape.request = {{"nvidia.com/gpu", 1}};
    task.status = status;
    if (status != TaskStatus::kPending) {
      task.node = "n";
      task.started = now_;
    }
    ASSERT_TRUE(cluster_.UpdateTask(task).ok());
  }

  void CheckMemory(const Memory& memory) {
    const MemorySlot* slot = memory.Find("attained");
    int64_t rows = 0;
    for (const auto& [name, job] : jobs_) {
      if (!job.ran_once) continue;
      ++rows;
      ASSERT_NE(slot, nullptr);
      EXPECT_EQ(slot->Integer(name, 0), 1000 * job.service) << name << " at " << now_;
      EXPECT_EQ(slot->Integer(name, 1), job.ran) << name << " at " << now_;
      EXPECT_EQ(slot->Integer(name, 2), job.waited) << name << " at " << now_;
    }
    if (slot != nullptr) EXPECT_EQ(static_cast<int64_t>(slot->rows().size()), rows) << now_;
  }

  // A job that waits could not have been served: not by what is free and what leaves beside the
  // places that are kept, nor by stopping all that is on a higher level.
  void CheckPlan(const Plan& plan) {
    std::map<std::string, int64_t> started, stopped;
    const auto job_of = [&](TaskIndex task) {
      const std::string name(plan.task_name(task));
      return name.substr(0, name.find('-'));
    };
    for (const Bind& bind : plan.binds()) ++started[job_of(bind.task)];
    for (const Eviction& eviction : plan.evictions()) ++stopped[job_of(eviction.task)];
    int64_t room = kGpus;
    for (const auto& [name, job] : jobs_) {
      if (job.state == kRuns && !stopped.contains(name)) room -= job.size;
    }
    std::vector<std::pair<std::pair<int, int64_t>, std::string>> queue;  // numbers go by creation
    for (auto& [name, job] : jobs_) {
      if (started.contains(name)) {
        EXPECT_EQ(started[name], job.size) << name << " starts in part at " << now_;
        room -= job.size;
      } else if (job.state == kWaits) {
        queue.push_back({{LevelOf(job), job.number}, name});
      }
      if (!stopped.contains(name)) continue;
      EXPECT_EQ(stopped[name], job.size) << name << " is stopped in part at " << now_;
      ++stops_;
    }
    EXPECT_GE(room, 0);
    std::sort(queue.begin(), queue.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    // The first of the queue may have places kept; those after it see the rest.
    for (const auto& [key, name] : queue) {
      const int64_t size = jobs_.at(name).size;
      int64_t could = room;
      for (const auto& [other, job] : jobs_) {
        const bool goes_on = job.state == kRuns && !stopped.contains(other);
        if (goes_on && LevelOf(job) > key.first) could += job.size;
      }
      if (size <= room) {
        room -= size;  // kept: tasks that leave are there
      } else {
        EXPECT_GT(size, could) << name << " at " << now_;
      }
    }
    for (auto& [name, job] : jobs_) {
      if (started.contains(name)) {
        for (int64_t i = 0; i < job.size; ++i) Set(name, i, TaskStatus::kRunning);
        job.state = kRuns;
        job.ran_once = true;
      } else if (stopped.contains(name)) {
        job.state = kLeaves;
      }
    }
  }

  Rng rng_;
  Cluster cluster_;
  int64_t now_ = 0, step_ = 0, next_ = 0, stops_ = 0, promotions_ = 0;
  std::map<std::string, Job> jobs_;
};

TEST(TrainingLives, ServiceFollowsFromAllThatRan) {
  int64_t stops = 0, promotions = 0;
  for (uint64_t seed = 0; seed < WorldCount(40) && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    LivingTurns turns(seed);
    turns.Run();
    stops += turns.stops();
    promotions += turns.promotions();
  }
  EXPECT_GT(stops, 100);
  EXPECT_GT(promotions, 20);
}

}  // namespace
}  // namespace muster::testing
