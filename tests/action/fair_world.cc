// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "fair_world.h"

#include <utility>

#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster::testing {
namespace {

void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }

class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  int64_t Below(int64_t n) {
    return static_cast<int64_t>(SplitMix64(state_++) % static_cast<uint64_t>(n));
  }
  bool OneIn(int64_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

Resources Request(Dice& dice, bool gpus) {
  Resources request = {{"cpu", std::to_string(500 * (1 + dice.Below(5))) + "m"}};
  if (!dice.OneIn(3)) request.emplace_back("memory", 1 + dice.Below(4));
  if (gpus && dice.OneIn(3)) request.emplace_back("gpu", 1 + dice.Below(2));
  if (dice.OneIn(12)) request.clear();
  return request;
}

Resources Amount(Dice& dice, int64_t least, int64_t span) {
  Resources amount = {{"cpu", least + dice.Below(span)}};
  if (dice.OneIn(2)) amount.emplace_back("memory", least + dice.Below(2 * span));
  return amount;
}

}  // namespace

void World::Nodes(int64_t count, const Resources& capacity) {
  NodeSpec node;
  node.name = "n";
  node.capacity = capacity;
  Must(cluster.AddNodes(count, node));
}

void World::Queue(const QueueSpec& queue) { Must(cluster.AddQueue(queue)); }

void World::Job(const JobSpec& spec, int64_t count, const Resources& request,
                const std::vector<std::string>& nodes) {
  Must(cluster.AddJob(spec));
  for (int64_t i = 0; i < count; ++i) {
    TaskSpec task;
    task.name = spec.name + std::to_string(i);
    task.job = spec.name;
    task.priority = spec.priority;
    task.created = spec.created;
    task.shape.request = request;
    if (i < static_cast<int64_t>(nodes.size())) {
      task.status = TaskStatus::kRunning;
      task.node = nodes[i];
    }
    Must(cluster.AddTask(task));
  }
}

Plan World::Schedule(const std::string& profile) {
  absl::StatusOr<Plan> plan = cluster.Schedule(profile);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? *plan : Plan();
}

std::string World::Decide(const std::string& profile) { return Words(Schedule(profile)); }

void World::Follow(const Plan& plan, bool ended) {
  const absl::StatusOr<ApplyReport> report = cluster.Apply(plan);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->refused.empty()) << report->refused.front();
  if (!ended) return;
  for (const TaskSpec& task : cluster.Describe().tasks) {
    if (task.status == TaskStatus::kReleasing) Must(cluster.RemoveTask(task.name));
  }
}

std::string Words(const Plan& plan) {
  std::string words;
  for (const Decision& d : plan.decisions()) {
    if (d.kind == DecisionKind::kPhase) continue;
    if (!words.empty()) words += "; ";
    const std::string task(plan.task_name(d.task)), node(plan.node_name(d.node));
    if (d.kind == DecisionKind::kBind) words += "bind " + task + " " + node;
    if (d.kind == DecisionKind::kNominate) words += "nominate " + task + " " + node;
    if (d.kind == DecisionKind::kEvict) {
      words += "evict " + task + " for " + std::string(plan.task_name(d.beneficiary));
    }
  }
  return words;
}

World RandomWorld(uint64_t seed) {
  Dice dice(seed * 1000003);
  World world;
  const bool gpus = dice.OneIn(3);
  const int64_t nodes = 1 + dice.Below(4);
  std::vector<int64_t> cpu(nodes), memory(nodes), gpu(nodes), pods(nodes);
  for (int64_t n = 0; n < nodes; ++n) {
    cpu[n] = 2000 + 1000 * dice.Below(7);
    memory[n] = 4 + dice.Below(9);
    gpu[n] = gpus ? dice.Below(5) : 0;
    pods[n] = dice.OneIn(3) ? 3 + dice.Below(4) : 100;
    NodeSpec node;
    node.name = "n" + std::to_string(n);
    node.capacity = {{"cpu", std::to_string(cpu[n]) + "m"}, {"memory", memory[n]}};
    if (gpus) node.capacity.emplace_back("gpu", gpu[n]);
    if (pods[n] < 100) node.capacity.emplace_back("pods", pods[n]);
    if (dice.OneIn(4)) node.labels = {{"zone", "b"}};
    if (dice.OneIn(20)) node.unschedulable = true;
    Must(world.cluster.AddNode(node));
  }
  const int64_t queues = 1 + dice.Below(6);
  const bool bounds = dice.OneIn(2);
  for (int64_t q = 0; q < queues; ++q) {
    QueueSpec queue;
    queue.name = "q" + std::to_string(q);
    if (q > 0 && dice.OneIn(2)) queue.parent = "q" + std::to_string(dice.Below(q));
    queue.weight = dice.OneIn(15) ? 0 : 1 + dice.Below(3);
    queue.priority = static_cast<int32_t>(dice.Below(2));
    if (bounds && dice.OneIn(4)) queue.guaranteed = Amount(dice, 1, 3);
    if (bounds && dice.OneIn(4)) queue.limit = Amount(dice, 2, 8);
    if (dice.OneIn(10)) queue.reclaimable = false;
    if (dice.OneIn(25)) queue.state = QueueState::kClosed;
    Must(world.cluster.AddQueue(queue));
  }
  const int64_t jobs = 1 + dice.Below(9);
  for (int64_t j = 0; j < jobs; ++j) {
    JobSpec job;
    job.name = "j" + std::to_string(j) + "-";
    job.queue = "q" + std::to_string(dice.Below(queues));
    job.priority = static_cast<int32_t>(dice.Below(3));
    job.created = dice.Below(4);
    const int64_t count = 1 + dice.Below(5);
    job.min_available = dice.OneIn(3) ? 0 : 1 + dice.Below(count);
    const bool groups = dice.OneIn(5) && count >= 2;
    if (groups) {
      job.groups = {GroupSpec(), GroupSpec()};
      job.groups[0].name = "a";
      job.groups[1].name = "b";
      job.groups[0].min_available = 1;
      if (dice.OneIn(2)) job.groups[1].min_available = 1;
    }
    Must(world.cluster.AddJob(job));
    const bool running = dice.OneIn(2);
    const Resources alike = Request(dice, gpus);
    const bool mixed = dice.OneIn(4), selective = dice.OneIn(8);
    for (int64_t i = 0; i < count; ++i) {
      TaskSpec task;
      task.name = job.name + std::to_string(i);
      task.job = job.name;
      if (groups) task.group = i % 2 == 0 ? "a" : "b";
      task.priority = job.priority;
      task.created = job.created;
      task.shape.request = mixed ? Request(dice, gpus) : alike;
      if (selective) task.shape.node_selector = {{"zone", "b"}};
      task.preemptable = !dice.OneIn(12);
      task.never_preempts = dice.OneIn(20);
      if (dice.OneIn(25)) task.gates = {"wait"};
      if (running && !dice.OneIn(5)) {
        // Where it fits, if anywhere.
        int64_t c = 0, m = 0, g = 0;
        for (const auto& [name, quantity] : task.shape.request) {
          if (name == "cpu") c = std::stoll(quantity.text);
          if (name == "memory") m = std::stoll(quantity.text);
          if (name == "gpu") g = std::stoll(quantity.text);
        }
        const int64_t first = dice.Below(nodes);
        for (int64_t k = 0; k < nodes; ++k) {
          const int64_t n = (first + k) % nodes;
          if (cpu[n] < c || memory[n] < m || gpu[n] < g || pods[n] < 1) continue;
          cpu[n] -= c;
          memory[n] -= m;
          gpu[n] -= g;
          pods[n] -= 1;
          task.status = dice.OneIn(10) ? TaskStatus::kReleasing : TaskStatus::kRunning;
          task.node = "n" + std::to_string(n);
          break;
        }
      }
      Must(world.cluster.AddTask(task));
    }
  }
  return world;
}

}  // namespace muster::testing
