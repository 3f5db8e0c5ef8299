// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// However events are shuffled, repeated or late, the cluster shows what their newest ones hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/plan/plan_data.h"
#include "lib/scenario/state.h"
#include "tests/model/dump.h"

namespace muster {
namespace {

DeltaOutcome Apply(Cluster& cluster, uint64_t generation, auto object) {
  const absl::StatusOr<DeltaOutcome> outcome = cluster.ApplyDelta({generation, object});
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  return outcome.value_or(DeltaOutcome::kStale);
}

TEST(Deltas, NewestGenerationWinsAlsoOverARemoval) {
  Cluster cluster;
  EXPECT_EQ(Apply(cluster, 5, NodeSpec{.name = "n", .ready = false}), DeltaOutcome::kApplied);
  EXPECT_EQ(Apply(cluster, 5, NodeSpec{.name = "n"}), DeltaOutcome::kStale);
  EXPECT_EQ(Apply(cluster, 4, Removal{Removal::Kind::kNode, "n"}), DeltaOutcome::kStale);
  EXPECT_FALSE(cluster.Describe().nodes.at(0).ready);
  EXPECT_EQ(Apply(cluster, 7, Removal{Removal::Kind::kNode, "n"}), DeltaOutcome::kApplied);
  EXPECT_EQ(Apply(cluster, 6, NodeSpec{.name = "n"}), DeltaOutcome::kStale);
  EXPECT_TRUE(cluster.Describe().nodes.empty());
  EXPECT_EQ(Apply(cluster, 8, NodeSpec{.name = "n"}), DeltaOutcome::kApplied);
  EXPECT_EQ(cluster.Describe().nodes.size(), 1u);
}

TEST(Deltas, WaitForWhatTheyName) {
  Cluster cluster;
  EXPECT_EQ(
      Apply(
          cluster, 1,
          TaskSpec{
              .name = "t", .job = "j", .group = "w", .status = TaskStatus::kRunning, .node = "n"}),
      DeltaOutcome::kWaiting);
  EXPECT_EQ(Apply(cluster, 1, JobSpec{.name = "j", .queue = "q"}), DeltaOutcome::kWaiting);
  EXPECT_EQ(Apply(cluster, 1, QueueSpec{.name = "q", .parent = "p"}), DeltaOutcome::kWaiting);
  EXPECT_EQ(Apply(cluster, 1, QueueSpec{.name = "p"}), DeltaOutcome::kApplied);
  EXPECT_EQ(RowOrder(cluster),
            (std::vector<std::string>{"queue default", "queue p", "queue q", "job j"}));
  EXPECT_EQ(Apply(cluster, 2, JobSpec{.name = "j", .queue = "q", .groups = {{.name = "w"}}}),
            DeltaOutcome::kApplied);
  EXPECT_TRUE(cluster.Describe().tasks.empty()) << "the node is not there yet";
  ASSERT_TRUE(cluster.AddNode({.name = "n"}).ok());
  EXPECT_EQ(cluster.Describe().tasks.size(), 1u) << "a direct call wakes it too";
  EXPECT_EQ(Contradiction(cluster), "");
}

TEST(Deltas, ListWhatWaitsInItsOrder) {
  Cluster cluster;
  EXPECT_TRUE(cluster.WaitingEvents().empty());
  Apply(cluster, 1, JobSpec{.name = "j", .queue = "q"});
  Apply(cluster, 1, TaskSpec{.name = "t", .status = TaskStatus::kRunning, .node = "n"});
  Apply(cluster, 1, TaskSpec{.name = "u", .job = "j"});
  const std::vector<WaitingEvent> all = {
      {"job \"j\"", "queue \"q\""}, {"task \"t\"", "node \"n\""}, {"task \"u\"", "job \"j\""}};
  EXPECT_EQ(cluster.WaitingEvents(), all);
  Apply(cluster, 1, QueueSpec{.name = "q"});
  EXPECT_EQ(cluster.WaitingEvents(), (std::vector<WaitingEvent>{all[1]}));
}

TEST(Deltas, RefusedOnesLeaveNoTrace) {
  Cluster cluster;
  EXPECT_FALSE(cluster.ApplyDelta({9, NodeSpec{.name = "n", .capacity = {{"cpu", "x"}}}}).ok());
  EXPECT_EQ(Apply(cluster, 1, NodeSpec{.name = "n"}), DeltaOutcome::kApplied);
}

TEST(Deltas, CountedTasksFollowTheirGroup) {
  Cluster cluster;
  const auto names = [&] {
    std::vector<std::string> result;
    for (const TaskSpec& task : cluster.Describe().tasks) result.push_back(task.name);
    return result;
  };
  const auto job = [](int64_t count) {
    return JobSpec{.name = "j", .groups = {{.name = "w", .count = count}}};
  };
  Apply(cluster, 1, job(2));
  EXPECT_EQ(names(), (std::vector<std::string>{"j-w-0", "j-w-1"}));
  Apply(cluster, 1, Removal{Removal::Kind::kTask, "j-w-0"});
  Apply(cluster, 2, job(3));
  EXPECT_EQ(names(), (std::vector<std::string>{"j-w-1", "j-w-2"}))
      << "a removal holds against the count";
  ASSERT_TRUE(cluster.AddNode({.name = "n"}).ok());
  ASSERT_TRUE(cluster.SetTaskStatus("j-w-1", TaskStatus::kRunning, "n").ok());
  Apply(cluster, 3, job(2));
  EXPECT_EQ(names(), (std::vector<std::string>{"j-w-1"}));
  EXPECT_EQ(cluster.Describe().tasks[0].status, TaskStatus::kRunning) << "what runs goes on";
  Apply(cluster, 1, Removal{Removal::Kind::kNode, "n"});
  EXPECT_EQ(cluster.Describe().tasks.at(0).status, TaskStatus::kPending)
      << "without its node it is what the count alone says";
  Apply(cluster, 1, TaskSpec{.name = "j-w-1", .job = "j", .group = "w"});
  Apply(cluster, 4, job(0));
  EXPECT_EQ(names(), (std::vector<std::string>{"j-w-1"}))
      << "it has been told by an event of its own";
}

TEST(Deltas, ReconcileForgetsGenerations) {
  Cluster cluster;
  Apply(cluster, 9, NodeSpec{.name = "n"});
  Apply(cluster, 9, TaskSpec{.name = "t", .job = "j"});
  ASSERT_TRUE(cluster.Reconcile(cluster.Describe()).ok());
  EXPECT_EQ(Apply(cluster, 1, NodeSpec{.name = "n", .ready = false}), DeltaOutcome::kApplied);
  Apply(cluster, 1, JobSpec{.name = "j"});
  EXPECT_TRUE(cluster.Describe().tasks.empty()) << "nothing waits any more";
}

// Pods come and go for ever. What is remembered of those that went has a bound.
TEST(Deltas, ForgetTheOldestRemovals) {
  const auto name = [](size_t i) { return "t" + std::to_string(i); };
  const auto removal = [](std::string of) { return Removal{Removal::Kind::kTask, std::move(of)}; };
  const auto outcome = [](Cluster& cluster, uint64_t generation, auto object) {
    return *cluster.ApplyDelta({generation, std::move(object)});
  };
  Cluster cluster;
  // Removed by an event, and so not made again by the count of the job.
  Apply(cluster, 1, JobSpec{.name = "j", .groups = {{.name = "w", .count = 2}}});
  Apply(cluster, 1, removal("j-w-1"));
  // As those of a job that waits.
  Apply(cluster, 1, JobSpec{.name = "late", .queue = "q", .groups = {{.name = "w", .count = 2}}});
  Apply(cluster, 1, removal("late-w-0"));
  Apply(cluster, 5, TaskSpec{.name = "stays"});
  Apply(cluster, 5, TaskSpec{.name = "waits", .job = "never"});
  constexpr size_t kMany = 4 * Deltas::kMinRemovals;
  for (size_t i = 0; i < kMany; ++i) {
    Apply(cluster, 2, TaskSpec{.name = name(i)});
    Apply(cluster, 3, removal(name(i)));
    if (i % 50'000 == 0) {  // a loaded cluster remembers as much
      ASSERT_TRUE(LoadState(SaveState(&cluster), &cluster).ok());
    }
  }
  const Deltas::Memory memory = ImplOf(cluster).deltas.Remembered();
  EXPECT_GT(memory.generations.size(), Deltas::kMinRemovals);
  EXPECT_LT(memory.generations.size(), 3 * Deltas::kMinRemovals);
  // An older event of one that was removed not long ago, and of one that was removed long ago.
  EXPECT_EQ(outcome(cluster, 2, TaskSpec{.name = name(kMany - Deltas::kMinRemovals)}),
            DeltaOutcome::kStale);
  EXPECT_EQ(outcome(cluster, 2, TaskSpec{.name = name(0)}), DeltaOutcome::kApplied);
  EXPECT_EQ(outcome(cluster, 4, TaskSpec{.name = "stays"}), DeltaOutcome::kStale);
  EXPECT_EQ(outcome(cluster, 4, TaskSpec{.name = "waits", .job = "never"}), DeltaOutcome::kStale);
  Apply(cluster, 2, JobSpec{.name = "j", .priority = 1, .groups = {{.name = "w", .count = 2}}});
  Apply(cluster, 1, QueueSpec{.name = "q"});
  std::vector<std::string> tasks;
  for (const TaskSpec& task : cluster.Describe().tasks) tasks.push_back(task.name);
  std::ranges::sort(tasks);
  EXPECT_EQ(tasks, (std::vector<std::string>{"j-w-0", "late-w-1", "stays", "t0"}));
}

// A plan's decision is newer than events from before it.
TEST(Deltas, DoNotUndoWhatAPlanDecided) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "n"}).ok());
  Apply(cluster, 1, TaskSpec{.name = "starts"});
  Apply(cluster, 1, TaskSpec{.name = "leaves", .status = TaskStatus::kRunning, .node = "n"});
  auto data = std::make_shared<PlanData>();
  data->decisions = {{.kind = DecisionKind::kBind, .task = 0, .node = 0},
                     {.kind = DecisionKind::kEvict, .task = 1, .node = 0}};
  data->version = cluster.version();
  data->shelf = TablesOf(cluster).shelf;
  data->names = NamesOf(SharedTablesOf(cluster.Freeze()));
  ASSERT_TRUE(cluster.Apply(PlanOf(data))->refused.empty());
  Apply(cluster, 2, TaskSpec{.name = "starts", .priority = 3});
  Apply(cluster, 2,
        TaskSpec{.name = "leaves", .status = TaskStatus::kRunning, .node = "n", .priority = 3});
  std::vector<TaskSpec> tasks = cluster.Describe().tasks;
  EXPECT_EQ(tasks[0].status, TaskStatus::kBinding);
  EXPECT_EQ(tasks[0].node, "n");
  EXPECT_EQ(tasks[0].priority, 3) << "what else the event says holds";
  EXPECT_EQ(tasks[1].status, TaskStatus::kReleasing);
  ASSERT_TRUE(cluster.ReportBindFailed("starts").ok());
  Apply(cluster, 3, TaskSpec{.name = "starts"});
  Apply(cluster, 3, TaskSpec{.name = "leaves", .status = TaskStatus::kFailed});
  tasks = cluster.Describe().tasks;
  EXPECT_EQ(tasks[0].status, TaskStatus::kPending);
  EXPECT_EQ(tasks[1].status, TaskStatus::kFailed);
  EXPECT_EQ(Contradiction(cluster), "");
}

// --- random streams

using Random = std::mt19937_64;
using Id = std::pair<int, std::string>;  // kind, name

uint32_t Below(Random& random, uint32_t n) { return static_cast<uint32_t>(random() % n); }
std::string Name(Random& random, const char* prefix) {
  return prefix + std::to_string(Below(random, 3));
}

std::string TaskName(Random& random) {
  return Below(random, 2) ? Name(random, "t")
                          : Name(random, "j") + "-w-" + std::to_string(Below(random, 3));
}

Delta RandomDomain(Random& random) {
  return {0, DomainSpec{.name = Name(random, "d"),
                        .parent = Below(random, 2) ? "" : Name(random, "d"),
                        .tier = static_cast<int32_t>(1 + Below(random, 3))}};
}

// Of a kind that waits for nothing.
Delta RandomRule(Random& random) {
  const bool is_budget = Below(random, 2) == 0;
  const std::string space = Below(random, 2) ? "default" : "s";
  if (Below(random, 3) == 0) {
    if (!is_budget) return {0, Removal{Removal::Kind::kNamespace, Name(random, "s")}};
    const std::string name = Name(random, "b");
    return {0, Removal{Removal::Kind::kBudget,
                       space == "default" && Below(random, 2) ? name : space + "/" + name}};
  }
  if (!is_budget) {
    return {0, NamespaceSpec{.name = Name(random, "s"),
                             .labels = {{"x", std::to_string(Below(random, 3))}}}};
  }
  return {0, DisruptionBudgetSpec{
                 .name = Name(random, "b"), .name_space = space, .allowed = Below(random, 4)}};
}

Delta RandomEvent(Random& random) {
  if (Below(random, 8) == 0) return RandomRule(random);
  if (Below(random, 5) == 0) {
    if (Below(random, 3)) return RandomDomain(random);
    return {0, Removal{Removal::Kind::kDomain, Name(random, "d")}};
  }
  const uint32_t kind = Below(random, 5);
  if (Below(random, 4) == 0) {
    if (kind == 0) return {0, Removal{Removal::Kind::kNode, Name(random, "n")}};
    if (kind == 1) return {0, Removal{Removal::Kind::kQueue, Name(random, "q")}};
    if (kind == 2) return {0, Removal{Removal::Kind::kJob, Name(random, "j")}};
    return {0, Removal{Removal::Kind::kTask, TaskName(random)}};
  }
  if (kind == 0) {
    return {0, NodeSpec{.name = Name(random, "n"),
                        .capacity = {{"cpu", int64_t{Below(random, 4)}}},
                        .domain = Below(random, 3)   ? ""
                                  : Below(random, 2) ? Name(random, "d")
                                  : Below(random, 2) ? "rack"
                                                     : "late"}};
  }
  if (kind == 1) {
    return {0, QueueSpec{.name = Name(random, "q"),
                         .parent = Below(random, 2) ? "" : Name(random, "q"),
                         .weight = 1 + Below(random, 5)}};
  }
  if (kind == 2) {
    JobSpec job{.name = Name(random, "j"),
                .queue = Below(random, 4) ? Name(random, "q") : "default"};
    if (Below(random, 4)) job.groups.push_back({.name = "v", .min_available = Below(random, 3)});
    if (Below(random, 4)) {
      job.groups.push_back({.name = "w",
                            .count = Below(random, 4),
                            .shape = {.request = {{"cpu", int64_t{Below(random, 2)}}}}});
    }
    if (Below(random, 2)) std::ranges::reverse(job.groups);
    if (Below(random, 2)) job.sub_groups.push_back({.name = "s"});
    return {0, job};
  }
  TaskSpec task{.name = TaskName(random),
                .job = Below(random, 4) ? Name(random, "j") : "",
                .nominated_node = Below(random, 3) ? "" : Name(random, "n"),
                .priority = static_cast<int32_t>(Below(random, 9))};
  if (!task.job.empty() && Below(random, 2)) task.group = Below(random, 2) ? "w" : "v";
  if (!task.job.empty() && Below(random, 4) == 0) task.sub_group = "s";
  if (Below(random, 2)) {
    task.status = Below(random, 4) ? TaskStatus::kRunning : TaskStatus::kBinding;
    task.node = Name(random, "n");
  }
  if (Below(random, 2)) task.uid = Name(random, "u");
  return {0, task};
}

Id IdOf(const Delta& delta) {
  if (const auto* removal = std::get_if<Removal>(&delta.object)) {
    const bool is_bare =
        removal->kind == Removal::Kind::kBudget && removal->name.find('/') == std::string::npos;
    return {static_cast<int>(removal->kind), (is_bare ? "default/" : "") + removal->name};
  }
  if (const auto* budget = std::get_if<DisruptionBudgetSpec>(&delta.object)) {
    return {static_cast<int>(Removal::Kind::kBudget), budget->name_space + "/" + budget->name};
  }
  return {static_cast<int>(delta.object.index()),
          std::visit([](const auto& o) { return o.name; }, delta.object)};
}

// The rule itself: the newest event of each object, less those that name something not there.
std::map<std::string, std::string> Expected(const std::map<Id, Delta>& newest) {
  ClusterSpec shown{.queues = {{.name = "default"}},
                    .domains = {{.name = "rack"}, {.name = "late"}}};
  std::set<std::string> nodes, queues = {"default"}, told;
  std::map<std::string, JobSpec> jobs;
  std::map<std::string, int32_t> domains = {{"rack", 1}, {"late", 1}};
  for (bool again = true; again;) {
    again = false;
    for (const auto& [id, delta] : newest) {
      const auto* domain = std::get_if<DomainSpec>(&delta.object);
      if (!domain || domains.contains(domain->name)) continue;
      const auto parent = domains.find(domain->parent);
      if (!domain->parent.empty() && (parent == domains.end() || parent->second <= domain->tier)) {
        continue;
      }
      domains[domain->name] = domain->tier;
      shown.domains.push_back(*domain);
      again = true;
    }
  }
  for (const auto& [id, delta] : newest) {
    if (const auto* node = std::get_if<NodeSpec>(&delta.object)) {
      if (!node->domain.empty() && !domains.contains(node->domain)) continue;
      shown.nodes.push_back(*node);
      nodes.insert(node->name);
    }
    if (const auto* budget = std::get_if<DisruptionBudgetSpec>(&delta.object)) {
      shown.budgets.push_back(*budget);
    }
    if (const auto* space = std::get_if<NamespaceSpec>(&delta.object)) {
      shown.namespaces.push_back(*space);
    }
  }
  for (bool again = true; again;) {
    again = false;
    for (const auto& [id, delta] : newest) {
      const auto* queue = std::get_if<QueueSpec>(&delta.object);
      if (!queue || queues.contains(queue->name)) continue;
      if (!queue->parent.empty() && !queues.contains(queue->parent)) continue;
      queues.insert(queue->name);
      shown.queues.push_back(*queue);
      again = true;
    }
  }
  for (const auto& [id, delta] : newest) {
    if (id.first == static_cast<int>(Removal::Kind::kTask)) told.insert(id.second);
    const auto* job = std::get_if<JobSpec>(&delta.object);
    if (job && queues.contains(job->queue)) jobs[job->name] = *job;
  }
  for (auto& [name, job] : jobs) {
    for (GroupSpec& group : job.groups) {
      for (int64_t i = 0; i < group.count; ++i) {
        TaskSpec task{.name = name + "-" + group.name + "-" + std::to_string(i),
                      .job = name,
                      .group = group.name,
                      .shape = group.shape,
                      .ordinal = i};
        if (!told.contains(task.name)) shown.tasks.push_back(task);
      }
      group.count = 0;
    }
    shown.jobs.push_back(job);
  }
  for (const auto& [id, delta] : newest) {
    const auto* task = std::get_if<TaskSpec>(&delta.object);
    if (!task || (!task->node.empty() && !nodes.contains(task->node))) continue;
    if (!task->job.empty()) {
      const auto job = jobs.find(task->job);
      if (job == jobs.end()) continue;
      if (!task->group.empty() &&
          !std::ranges::count(job->second.groups, task->group, &GroupSpec::name))
        continue;
      if (!task->sub_group.empty() && job->second.sub_groups.empty()) continue;
    }
    shown.tasks.push_back(*task);
  }
  return Dump(shown);
}

TEST(Deltas, ConvergeHoweverTheyArrive) {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    // Generations are compared for one object only, so each object counts for itself.
    std::map<Id, uint64_t> generations;
    std::map<Id, Delta> newest;
    std::vector<Delta> stream;
    const uint32_t length = 5 + Below(random, 70);
    for (uint32_t i = 0; i < length; ++i) {
      Delta event = RandomEvent(random);
      event.generation = generations[IdOf(event)] += 1 + Below(random, 3);
      stream.push_back(event);
      newest[IdOf(event)] = event;
    }
    const auto expected = Expected(newest);

    const uint32_t late_at = Below(random, length);
    const auto run = [&](const std::vector<Delta>& events, const char* order) {
      Cluster cluster;
      ASSERT_TRUE(cluster.AddDomain({.name = "rack"}).ok());
      Snapshot held;
      for (size_t i = 0; i < events.size(); ++i) {
        if (i == late_at) {
          ASSERT_TRUE(cluster.AddDomain({.name = "late"}).ok());
        }
        const auto outcome = cluster.ApplyDelta(events[i]);
        ASSERT_TRUE(outcome.ok()) << outcome.status();
        if (Below(random, 8) == 0) held = cluster.Freeze();
        ASSERT_EQ(Contradiction(cluster), "") << order << ", seed " << seed << ", event " << i;
      }
      ASSERT_EQ(Dump(cluster), expected) << order << ", seed " << seed;
    };
    run(stream, "ordered");
    std::vector<Delta> shuffled = stream;
    for (const Delta& event : stream) {
      if (Below(random, 4) == 0) shuffled.push_back(event);
      // An event may be lost once a newer one of its object is on its way.
      if (Below(random, 4) == 0 && newest[IdOf(event)].generation != event.generation) {
        std::erase_if(shuffled, [&](const Delta& other) {
          return IdOf(other) == IdOf(event) && other.generation == event.generation;
        });
      }
    }
    if (shuffled.size() <= late_at) continue;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    run(shuffled, "shuffled");
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace muster
