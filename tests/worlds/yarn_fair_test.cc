// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Masters and preemption of profile yarn-fair on random worlds: what every plan keeps, cycle after
// cycle, and that a living cluster and its snapshot decide and remember alike.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/schedule.h"
#include "tests/support/random_edits.h"
#include "tests/support/random_world.h"
#include "tests/support/validator.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

constexpr const char* kSpecs[] = {
    "yarn-fair:actions=preempt(min_memory=1,increment_memory=1,wait_before_kill=0,"
    "wait_before_next_check=0,utilization_threshold=0)+heartbeat(min_memory=1,increment_memory=1)",
    "yarn-fair:actions=preempt(min_memory=1,increment_memory=1,wait_before_kill=1,"
    "wait_before_next_check=0,utilization_threshold=0.1,am_preemption=off)"
    "+heartbeat(min_memory=1,increment_memory=1,assign_multiple=on)",
    "yarn-fair:actions=preempt(policy=drf,min_memory=1,increment_memory=1,wait_before_kill=1,"
    "wait_before_next_check=1,utilization_threshold=0)"
    "+heartbeat(policy=drf,min_memory=1,increment_memory=1,reservable_nodes=1,"
    "reservation_threshold=0)",
};
constexpr bool kWaits[] = {false, true, true};
constexpr bool kSparesMasters[] = {false, true, false};

void AddFairSettings(Rng& rng, ClusterSpec* world) {
  for (QueueSpec& queue : world->queues) {
    const auto set = [&](double chance, const char* key, const char* value) {
      if (rng.Chance(chance)) queue.settings.emplace_back(std::string("yarn-fair/") + key, value);
    };
    set(0.3, "weight", "2.5");
    set(0.2, "maxAMShare", rng.Chance(0.5) ? "0" : "0.3");
    set(0.7, "fairSharePreemptionTimeout", rng.Chance(0.5) ? "0" : "1");
    set(0.3, "fairSharePreemptionThreshold", "1");
    set(0.3, "minResources", "32 mb, 2 vcores");
    set(0.5, "minSharePreemptionTimeout", rng.Chance(0.5) ? "0" : "2");
    set(0.2, "allowPreemptionFrom", "false");
  }
  for (JobSpec& job : world->jobs) {
    if (!job.groups.empty() && rng.Chance(0.5)) {
      job.settings.emplace_back("yarn-fair/master", job.groups.front().name);
    }
  }
}

std::string SettingOf(const Labels& settings, std::string_view key) {
  for (const auto& [name, value] : settings) {
    if (name == key) return value;
  }
  return "";
}

// Returns whether the task is of the group that the job sets, which may be the unnamed one.
bool IsOfMaster(const JobSpec& job, const TaskSpec& task) {
  return std::ranges::any_of(job.settings, [&](const auto& setting) {
    return setting.first == "yarn-fair/master" && setting.second == task.group;
  });
}

bool HoldsNode(const TaskSpec& task) {
  return task.status != TaskStatus::kPending && task.status != TaskStatus::kReleasing &&
         !task.node.empty();
}

// The rows before a cycle, by name.
struct Rows {
  explicit Rows(const ClusterSpec& spec) {
    for (const QueueSpec& queue : spec.queues) queues[queue.name] = queue;
    for (const JobSpec& job : spec.jobs) jobs[job.name] = job;
    for (const TaskSpec& task : spec.tasks) {
      tasks[task.name] = task;
      if (task.job.empty() || !IsOfMaster(jobs[task.job], task)) continue;
      if (HoldsNode(task)) ++masters[task.job];
      if (task.status == TaskStatus::kPending && task.gates.empty()) requested.insert(task.job);
    }
    for (const NodeSpec& node : spec.nodes) nodes.insert(node.name);
  }
  bool MayBePreempted(const TaskSpec& task) const {
    for (std::string name = jobs.at(task.job).queue; !name.empty();) {
      const QueueSpec& queue = queues.at(name);
      if (SettingOf(queue.settings, "yarn-fair/allowPreemptionFrom") == "false") return false;
      name = queue.parent;
    }
    return true;
  }
  // The job has to start its master first, and its queue has no share for one.
  bool IsHeldBack(const std::string& job) const {
    const bool starts_master = requested.contains(job) && !masters.contains(job);
    return starts_master &&
           SettingOf(queues.at(jobs.at(job).queue).settings, "yarn-fair/maxAMShare") == "0";
  }

  std::map<std::string, QueueSpec> queues;
  std::map<std::string, JobSpec> jobs;
  std::map<std::string, TaskSpec> tasks;
  std::map<std::string, int> masters;  // by job: tasks of the group that hold nodes
  std::set<std::string> nodes, requested;
};

void CheckEvictions(const Rows& rows, const Plan& plan, size_t spec, const Memory& before,
                    int64_t now) {
  std::map<std::string, int> masters = rows.masters;
  for (const Eviction& eviction : plan.evictions()) {
    const TaskSpec& task = rows.tasks.at(std::string(plan.task_name(eviction.task)));
    EXPECT_TRUE(rows.MayBePreempted(task)) << task.name << " is of a queue that gives nothing";
    if (IsOfMaster(rows.jobs.at(task.job), task)) --masters[task.job];
    if (!kWaits[spec]) continue;
    const MemorySlot* marks = before.Find("yarn-fair-marks");
    ASSERT_NE(marks, nullptr) << task.name;
    EXPECT_EQ(marks->Text(task.name, 0), task.node);
    EXPECT_LE(marks->Integer(task.name, 1, now * 1000 + 1), now * 1000) << task.name;
    EXPECT_EQ(marks->Integer(task.name, 3), 0) << task.name << " was evicted before";
  }
  for (const auto& [job, count] : masters) {
    if (kSparesMasters[spec]) EXPECT_GT(count, 0) << job << " has lost its master";
  }
}

template <class Known>
void CheckKeys(const Memory& memory, std::string_view slot, const Known& known) {
  const MemorySlot* rows = memory.Find(slot);
  if (rows == nullptr) return;
  for (const auto& [key, row] : rows->rows()) {
    EXPECT_TRUE(known(key)) << slot << " remembers " << key;
  }
}

void CheckMemory(const Rows& rows, const Memory& memory) {
  CheckKeys(memory, "yarn-fair-starvation",
            [&](const auto& key) { return rows.jobs.contains(key); });
  CheckKeys(memory, "yarn-fair-marks", [&](const auto& key) { return rows.tasks.contains(key); });
  CheckKeys(memory, "yarn-fair-promises",
            [&](const auto& key) { return rows.nodes.contains(key); });
  CheckKeys(memory, "yarn-fair-minimums", [&](const auto& key) {
    return std::ranges::any_of(rows.queues, [&](const auto& queue) {
      return key == queue.first || key.ends_with("." + queue.first);
    });
  });
}

// Most of what was bound runs before the next cycle, and half of what was evicted has left.
void FollowUp(Rng& rng, const Plan& plan, Cluster* cluster) {
  for (const Bind& bind : plan.binds()) {
    if (rng.Chance(0.2)) continue;
    ASSERT_TRUE(cluster->SetTaskStatus(plan.task_name(bind.task), TaskStatus::kRunning).ok());
  }
  for (const Eviction& eviction : plan.evictions()) {
    if (rng.Chance(0.5)) continue;
    ASSERT_TRUE(cluster->RemoveTask(plan.task_name(eviction.task)).ok());
  }
}

TEST(YarnFairWorlds, MastersAndPreemptionKeepTheirPromisesCycleAfterCycle) {
  int64_t evicted = 0, held_back = 0, promised = 0;
  for (uint64_t seed = 0; seed < WorldCount(700); ++seed) {
    Rng rng(seed);
    const size_t spec = rng.Below(std::size(kSpecs));
    const std::string profile = kSpecs[spec];
    const WorldKnobs knobs{.nodes = rng.Chance(0.5) ? 6u : 2u,
                           .queues = 4,
                           .jobs = 8,
                           .tasks = 5,
                           .between_tasks = false};
    ClusterSpec world = RandomWorld(rng.Next(), knobs);
    AddFairSettings(rng, &world);
    Cluster cluster = MakeCluster(world);
    RandomEdits edits(cluster, rng, knobs);
    Memory memory;
    for (int64_t now = 0; now < 8; ++now) {
      const Rows rows(cluster.Describe());
      const Snapshot snapshot = cluster.Freeze();
      const absl::StatusOr<Plan> plan = cluster.Schedule(profile, {.now = now});
      ASSERT_TRUE(plan.ok()) << plan.status();
      const absl::StatusOr<Plan> frozen = Schedule(snapshot, profile, {.now = now});
      ASSERT_TRUE(frozen.ok()) << frozen.status();
      EXPECT_EQ(plan->Digest(), frozen->Digest());
      EXPECT_EQ(plan->memory(), frozen->memory());
      for (const std::string& words : Violations(snapshot, *plan, InvariantsOf(profile))) {
        ADD_FAILURE() << words;
      }
      CheckEvictions(rows, *plan, spec, memory, now);
      for (const Bind& bind : plan->binds()) {
        const std::string& job = rows.tasks.at(std::string(plan->task_name(bind.task))).job;
        EXPECT_FALSE(rows.IsHeldBack(job)) << job << " has no share for its master";
      }
      memory = plan->memory();
      CheckMemory(rows, memory);
      ASSERT_FALSE(::testing::Test::HasFailure())
          << "seed " << seed << ", cycle " << now << ", " << profile << "\n"
          << AsScenario(cluster.Describe(), profile);
      evicted += static_cast<int64_t>(plan->evictions().size());
      promised += memory.Find("yarn-fair-promises") != nullptr ? 1 : 0;
      held_back += std::ranges::count_if(
          rows.jobs, [&](const auto& job) { return rows.IsHeldBack(job.first); });
      ASSERT_TRUE(cluster.Apply(*plan).ok());
      FollowUp(rng, *plan, &cluster);
      for (uint64_t edit = rng.Below(4); edit > 0; --edit) edits.Step();
    }
  }
  // Worlds in which nothing of this happens would test nothing.
  const auto least = static_cast<int64_t>(WorldCount(700) / 10);
  EXPECT_GT(evicted, least / 2);
  EXPECT_GT(promised, least);
  EXPECT_GT(held_back, least);
}

}  // namespace
}  // namespace muster::testing
