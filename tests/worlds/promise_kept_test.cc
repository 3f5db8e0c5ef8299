// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a promise of profile muster is worth, counted from the outside in clusters that live: nodes
// of four cpus, two queues, and gangs of tasks of one cpu that run no longer than estimated.
//   - A gang that holds the promise starts by the first time at which, when it got the promise,
//     enough tasks should have ended.
//   - Some gang holds it after each cycle in which gangs wait and none starts.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/cluster.h"
#include "muster/memory.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

class LivingGangs {
 public:
  LivingGangs(uint64_t seed, std::string profile) : rng_(seed), profile_(std::move(profile)) {
    NodeSpec node;
    node.name = "n";
    node.capacity = {{"cpu", 4}};
    EXPECT_TRUE(cluster_.AddNodes(kNodes, node).ok());
    for (const char* name : {"a", "b"}) {
      QueueSpec queue;
      queue.name = name;
      EXPECT_TRUE(cluster_.AddQueue(queue).ok());
    }
  }

  void Run() {
    for (now_ = 0; now_ < 120 && !::testing::Test::HasFailure(); ++now_) {
      for (auto it = jobs_.begin(); it != jobs_.end();) {
        it = it->second.end <= now_ ? Remove(it) : std::next(it);
      }
      if (rng_.Chance(0.7)) Submit();
      ScheduleOptions options;
      options.now = now_;
      const absl::StatusOr<Plan> plan = cluster_.Schedule(profile_, options);
      ASSERT_TRUE(plan.ok()) << plan.status();
      ASSERT_TRUE(cluster_.Apply(*plan).ok());
      for (const Bind& bind : plan->binds()) {
        TaskSpec task = TaskOf(std::string(plan->task_name(bind.task)));
        task.status = TaskStatus::kRunning;
        task.node = plan->node_name(bind.node);
        task.started = now_;
        ASSERT_TRUE(cluster_.UpdateTask(task).ok());
        Job& job = jobs_.at(task.job);
        job.end = now_ + job.runs;
        EXPECT_LE(now_, job.promised) << task.name << " at " << now_;
      }
      Follow(plan->memory(), !plan->binds().empty());
    }
  }
  int64_t promises() const { return promises_; }

 private:
  static constexpr int64_t kNodes = 3, kCpus = 4 * kNodes;
  static constexpr int64_t kLater = std::numeric_limits<int64_t>::max();
  struct Job {
    int64_t tasks, estimate, runs;
    int64_t end = kLater, promised = kLater;
  };

  void Submit() {
    Job job{static_cast<int64_t>(1 + rng_.Below(rng_.Chance(0.2) ? kCpus : 4)),
            static_cast<int64_t>(1 + rng_.Below(12)), 0};
    job.runs = 1 + static_cast<int64_t>(rng_.Below(job.estimate));
    JobSpec spec;
    spec.name = absl::StrCat("j", next_++);
    spec.queue = rng_.Chance(0.5) ? "a" : "b";
    spec.min_available = job.tasks;
    spec.created = now_;
    spec.estimate = job.estimate;
    spec.phase = JobPhase::kAdmitted;
    ASSERT_TRUE(cluster_.AddJob(spec).ok());
    for (int64_t i = 0; i < job.tasks; ++i) {
      ASSERT_TRUE(cluster_.AddTask(TaskOf(absl::StrCat(spec.name, "-w-", i))).ok());
    }
    jobs_.emplace(spec.name, job);
  }

  static TaskSpec TaskOf(const std::string& name) {
    TaskSpec task;
    task.name = name;
    task.job = name.substr(0, name.find('-'));
    task.shape.request = {{"cpu", 1}};
    return task;
  }

  std::map<std::string, Job>::iterator Remove(std::map<std::string, Job>::iterator it) {
    for (int64_t i = 0; i < it->second.tasks; ++i) {
      EXPECT_TRUE(cluster_.RemoveTask(absl::StrCat(it->first, "-w-", i)).ok());
    }
    EXPECT_TRUE(cluster_.RemoveJob(it->first).ok());
    return jobs_.erase(it);
  }

  // Notes by when the job that holds the promise is to start.
  void Follow(const Memory& memory, bool any_started) {
    const MemorySlot* slot = memory.Find("promise");
    const bool any = slot != nullptr && !slot->empty();
    int64_t waiting = 0;
    for (const auto& [name, job] : jobs_) waiting += job.end == kLater;
    if (!any_started) EXPECT_EQ(any, waiting > 0) << "at " << now_;
    if (!any) return;
    ASSERT_EQ(slot->rows().size(), 1u);
    Job& first = jobs_.at(slot->rows().begin()->first);
    ASSERT_EQ(first.end, kLater);
    if (first.promised != kLater) return;
    ++promises_;
    std::vector<std::pair<int64_t, int64_t>> ends;
    int64_t idle = kCpus;
    for (const auto& [name, job] : jobs_) {
      if (job.end == kLater) continue;
      idle -= job.tasks;
      ends.emplace_back(job.end - job.runs + job.estimate, job.tasks);
    }
    std::sort(ends.begin(), ends.end());
    for (const auto& [end, tasks] : ends) {
      idle += tasks;
      if (idle < first.tasks) continue;
      first.promised = end;
      return;
    }
    ADD_FAILURE() << "no time is early enough";
  }

  Rng rng_;
  const std::string profile_;
  Cluster cluster_;
  int64_t now_ = 0, next_ = 0, promises_ = 0;
  std::map<std::string, Job> jobs_;  // that have not ended
};

TEST(PromiseKept, StartsByThePromisedTime) {
  int64_t promises = 0;
  for (uint64_t seed = 0; seed < WorldCount(60) && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    LivingGangs gangs(seed, "muster:actions=allocate(promise=first)");
    gangs.Run();
    promises += gangs.promises();
  }
  EXPECT_GT(promises, 100);
}

}  // namespace
}  // namespace muster::testing
