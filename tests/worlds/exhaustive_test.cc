// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// All worlds of a few rows. Engine and twin must agree on each.
//
//   MUSTER_WORLDS=10000 muster_worlds --gtest_filter='Exhaustive.*'   every one of them
//
// So does ./test --full, in its step "more worlds". Otherwise only one in five is taken, and one
// in eleven where code is not optimized: neighbours differ in a detail. Neither number shares a
// factor with the six choices of ForPairs, so that each choice is taken.
//
// Amounts are 0, 1 or 2 of cpu (and of memory, in one family); there are up to three nodes, three
// tasks, two jobs and two queues, every priority and every gang minimum. Worlds that differ in
// names alone are taken once: nodes and the tasks of a job stand in ascending order, the first job
// is in the first queue.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "muster/schedule.h"
#include "tests/support/against_reference.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

int64_t Stride() {
#ifdef NDEBUG
  return WorldCount(1) >= 10000 ? 1 : 5;
#else
  return 11;
#endif
}

struct Amount {
  int cpu = 0, memory = 0;
  friend auto operator<=>(const Amount&, const Amount&) = default;
};

struct JobChoice {
  std::vector<Amount> tasks;  // ascending
  std::vector<int> places;    // per task: -1 pending, else the node it runs on; empty: all pending
  int min_available = 0;
  int priority = 0;
  int queue = 0;
};

// Ascending sequences of `length` of the items.
template <class T>
void Multisets(const std::vector<T>& items, size_t length,
               const std::function<void(const std::vector<T>&)>& visit) {
  std::vector<size_t> index(length, 0);
  for (;;) {
    std::vector<T> chosen;
    for (size_t i : index) chosen.push_back(items[i]);
    visit(chosen);
    size_t at = length;
    while (at > 0 && index[at - 1] + 1 == items.size()) --at;
    if (at == 0) return;
    const size_t next = index[at - 1] + 1;
    for (size_t i = at - 1; i < length; ++i) index[i] = next;
  }
}

// All sequences of `length` digits below `base`.
void Digits(int base, size_t length, const std::function<void(const std::vector<int>&)>& visit) {
  std::vector<int> digits(length, 0);
  for (;;) {
    visit(digits);
    size_t at = length;
    while (at > 0 && digits[at - 1] + 1 == base) digits[--at] = 0;
    if (at == 0) return;
    ++digits[at - 1];
  }
}

Resources Of(const Amount& amount) { return {{"cpu", amount.cpu}, {"memory", amount.memory}}; }

ClusterSpec World(const std::vector<Amount>& nodes, const std::vector<JobChoice>& jobs) {
  ClusterSpec world;
  for (size_t n = 0; n < nodes.size(); ++n) {
    NodeSpec& node = world.nodes.emplace_back();
    node.name = absl::StrCat("n", n);
    node.capacity = Of(nodes[n]);
  }
  world.queues = {{.name = "q0"}, {.name = "q1"}};
  for (size_t j = 0; j < jobs.size(); ++j) {
    JobSpec& job = world.jobs.emplace_back();
    job.name = absl::StrCat("j", j);
    job.queue = absl::StrCat("q", jobs[j].queue);
    job.priority = jobs[j].priority;
    job.min_available = jobs[j].min_available;
    for (size_t t = 0; t < jobs[j].tasks.size(); ++t) {
      TaskSpec& task = world.tasks.emplace_back();
      task.name = absl::StrCat(job.name, "-", t);
      task.job = job.name;
      task.priority = job.priority;
      task.shape.request = Of(jobs[j].tasks[t]);
      if (!jobs[j].places.empty() && jobs[j].places[t] >= 0) {
        task.status = TaskStatus::kRunning;
        task.node = world.nodes[jobs[j].places[t]].name;
      }
    }
    if (!jobs[j].places.empty()) job.phase = JobPhase::kAdmitted;
  }
  return world;
}

class Exhaustive : public ::testing::Test {
 protected:
  void Try(const std::vector<Amount>& nodes, const std::vector<JobChoice>& jobs,
           const std::vector<std::string>& profiles) {
    if (HasFatalFailure() || count_++ % stride_ != 0) return;
    const ClusterSpec world = World(nodes, jobs);
    const Snapshot snapshot = MakeCluster(world).Freeze();
    for (const std::string& profile : profiles) {
      if (DifferenceFromReference(snapshot, profile).empty()) continue;
      FAIL() << ReportDifference(world, profile);
    }
  }
  int64_t count() const { return count_; }

 private:
  const int64_t stride_ = Stride();
  int64_t count_ = 0;
};

std::vector<Amount> Amounts(bool memory) {
  std::vector<Amount> amounts;
  for (int cpu = 0; cpu <= 2; ++cpu) {
    for (int of_memory = 0; of_memory <= (memory ? 2 : 0); ++of_memory) {
      amounts.push_back({cpu, of_memory});
    }
  }
  return amounts;
}

// Jobs of `size` pending tasks, each minimum.
std::vector<JobChoice> Jobs(size_t size, bool memory) {
  std::vector<JobChoice> jobs;
  Multisets<Amount>(Amounts(memory), size, [&](const std::vector<Amount>& tasks) {
    for (int least = 0; least <= static_cast<int>(size); ++least) {
      jobs.push_back({.tasks = tasks, .min_available = least});
    }
  });
  return jobs;
}

void ForPairs(size_t first, size_t second, bool memory,
              const std::function<void(const std::vector<JobChoice>&)>& visit) {
  for (JobChoice a : Jobs(first, memory)) {
    for (JobChoice b : Jobs(second, memory)) {
      for (int choice = 0; choice < 6; ++choice) {
        a.priority = choice % 3 == 1;  // equal, first higher, second higher
        b.priority = choice % 3 == 2;
        b.queue = choice / 3;
        visit({a, b});
      }
    }
  }
}

std::vector<std::string> AllocatingProfiles() {
  std::vector<std::string> profiles = {"volcano", "muster"};
  for (const ProfileInfo& info : Profiles()) {
    if (info.name == "kube-batch") profiles.push_back("kube-batch");
  }
  return profiles;
}

TEST_F(Exhaustive, OneDimension) {
  const auto profiles = AllocatingProfiles();
  for (size_t nodes = 0; nodes <= 3; ++nodes) {
    Multisets<Amount>(Amounts(false), nodes, [&](const std::vector<Amount>& capacities) {
      for (size_t size = 1; size <= 4; ++size) {
        for (const JobChoice& job : Jobs(size, false)) Try(capacities, {job}, profiles);
      }
      const auto visit = [&](const std::vector<JobChoice>& jobs) {
        Try(capacities, jobs, profiles);
      };
      ForPairs(1, 1, false, visit);
      ForPairs(1, 2, false, visit);
      ForPairs(2, 1, false, visit);
    });
  }
  EXPECT_GT(count(), 20000);
}

TEST_F(Exhaustive, TwoDimensions) {
  const auto profiles = AllocatingProfiles();
  for (size_t nodes = 1; nodes <= 2; ++nodes) {
    Multisets<Amount>(Amounts(true), nodes, [&](const std::vector<Amount>& capacities) {
      for (size_t size = 1; size <= 2; ++size) {
        for (const JobChoice& job : Jobs(size, true)) Try(capacities, {job}, profiles);
      }
      if (nodes == 2 && capacities[0] < Amount{1, 0}) return;
      ForPairs(1, 1, true,
               [&](const std::vector<JobChoice>& jobs) { Try(capacities, jobs, profiles); });
    });
  }
  EXPECT_GT(count(), 20000);
}

// One job runs, wholly or in part, and another one requests its place.
TEST_F(Exhaustive, Evictions) {
  const std::vector<std::string> profiles = {
      "volcano:actions=allocate+preempt+reclaim",
      "volcano:actions=reclaim+preempt,tiers=priority+gang/drf+predicates+proportion", "muster"};
  for (size_t nodes = 1; nodes <= 2; ++nodes) {
    Multisets<Amount>({{1, 0}, {2, 0}}, nodes, [&](const std::vector<Amount>& capacities) {
      for (const auto& counts :
           {std::pair(1, 1), std::pair(2, 1), std::pair(1, 2), std::pair(2, 2)}) {
        const int running = counts.first, waiting = counts.second;
        Digits(static_cast<int>(nodes) + 1, running, [&](const std::vector<int>& digits) {
          ForPairs(running, waiting, false, [&](const std::vector<JobChoice>& jobs) {
            std::vector<JobChoice> placed = jobs;
            std::vector<int> used(nodes, 0);
            for (size_t t = 0; t < digits.size(); ++t) {
              placed[0].places.push_back(digits[t] - 1);
              if (digits[t] > 0) used[digits[t] - 1] += jobs[0].tasks[t].cpu;
            }
            placed[1].places.assign(waiting, -1);
            for (size_t n = 0; n < nodes; ++n) {
              if (used[n] > capacities[n].cpu) return;
            }
            Try(capacities, placed, profiles);
          });
        });
      }
    });
  }
  EXPECT_GT(count(), 20000);
}

}  // namespace
}  // namespace muster::testing
