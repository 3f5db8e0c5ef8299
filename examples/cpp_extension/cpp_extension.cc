// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rules of one's own in C++: an order, a fit, a score, a rule for victims, and an action that uses
// savepoints and the placer. The program schedules a small cluster with them and prints the plan.
//
//   ./cpp_extension
#include <algorithm>
#include <iostream>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "muster/muster.h"
#include "muster/policy.h"

namespace {

using namespace muster;  // an example, not a header

// Small jobs go first.
class SmallFirst : public Policy, public OrderPolicy {
 public:
  std::string_view name() const override { return "small-first"; }
  PointSet points() const override { return {Point::kJobOrder}; }
  OrderPolicy* order() override { return this; }
  void Open(const Cycle& cycle) override { cycle_ = &cycle; }
  int CompareJobs(JobIndex a, JobIndex b) override {
    return Sign(static_cast<int64_t>(cycle_->tasks_of(a).size()) -
                static_cast<int64_t>(cycle_->tasks_of(b).size()));
  }

 private:
  const Cycle* cycle_ = nullptr;
};

// Nodes with a name that begins with "old" take no task with a GPU. The name never changes while
// the node lives, but the answer also depends on the request, which kKind must not read: tasks that
// differ in requests alone share an answer of that scope. So the scope is kState. tells_nodes_apart
// keeps nodes of equal kind and books, but of different names, in states of their own.
class NotOnOld : public Policy, public FitPolicy {
 public:
  std::string_view name() const override { return "not-on-old"; }
  PointSet points() const override { return {Point::kFit}; }
  FitPolicy* fit() override { return this; }
  void Open(const Cycle& cycle) override {
    cycle_ = &cycle;
    gpu_ = cycle.FindDimension("nvidia.com/gpu");
  }
  // Only classes that request a GPU are refused anywhere, so only for them the scope is wider than
  // none.
  Scope FitScope(ClassIndex c) override {
    return gpu_ && cycle_->request(c)[*gpu_] > 0 ? Scope::kState : Scope::kNone;
  }
  void FitStates(ClassIndex, const StateColumns& states, size_t begin, size_t end,
                 uint8_t* fits) override {
    for (size_t i = begin; i < end; ++i) {
      if (cycle_->node(states.node[i]).name.starts_with("old")) fits[i - begin] = 0;
    }
  }
  NodeRefusal StateRefusal() const override { return {RefusalCode::kPolicy, "old node"}; }
  Traits traits() const override { return {.tells_nodes_apart = true}; }

 private:
  const Cycle* cycle_ = nullptr;
  std::optional<DimensionIndex> gpu_;
};

// The node with most free CPU is best.
class Emptiest : public Policy, public ScorePolicy {
 public:
  std::string_view name() const override { return "emptiest"; }
  PointSet points() const override { return {Point::kScore}; }
  ScorePolicy* score() override { return this; }
  Scope ScoreScope(ClassIndex) override { return Scope::kState; }
  void ScoreStates(ClassIndex, const StateColumns& states, size_t begin, size_t end, double* order,
                   double*) override {
    for (size_t i = begin; i < end; ++i) order[i - begin] += states.idle[kCpu][i];
  }
};

// Only tasks of jobs with a lower priority may be evicted.
class LowerOnly : public Policy, public VictimPolicy {
 public:
  std::string_view name() const override { return "lower-only"; }
  PointSet points() const override { return {Point::kPreemptable}; }
  VictimPolicy* victims() override { return this; }
  void Open(const Cycle& cycle) override { cycle_ = &cycle; }
  Vote Preemptable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    for (TaskIndex t : candidates) {
      if (cycle_->priority(t) < cycle_->priority(evictor)) chosen->push_back(t);
    }
    return Vote::kPermit;
  }

 private:
  const Cycle* cycle_ = nullptr;
};

// Makes room for the task on the first node where the allowed victims free enough. All evictions
// stand, or none.
bool MakeRoom(Workbench& bench, TaskIndex task) {
  for (NodeIndex node = 0; node < bench.cycle().node_count(); ++node) {
    const Workbench::Savepoint before = bench.Save();
    const std::span<const TaskIndex> there = bench.TasksOn(node);
    const std::vector<TaskIndex> candidates(there.begin(), there.end());
    for (TaskIndex victim : bench.Preemptable(task, candidates)) bench.Evict(victim, task);
    if (bench.Nominate(task) == node) return true;
    bench.Rollback(before);
  }
  return false;
}

// Whole gangs in job order; a task that finds no free node evicts.
void Insist(Workbench& bench, const Options&) {
  std::vector<JobIndex> jobs(bench.waiting().begin(), bench.waiting().end());
  std::sort(jobs.begin(), jobs.end(),
            [&](JobIndex a, JobIndex b) { return bench.JobBefore(a, b); });
  for (JobIndex job : jobs) {
    if (bench.ShouldStop()) return;
    bench.Admit(job);
    const Workbench::Savepoint before = bench.Save();
    for (TaskIndex task : bench.PendingTasks(job)) {
      if (!bench.Allocatable(task).ok()) break;
      if (bench.Place(task) != kNone || MakeRoom(bench, task)) continue;
      bench.ExplainNoNode(task);
      break;
    }
    if (bench.Ready(job) || bench.Pipelined(job)) {
      bench.Commit(before);
    } else {
      bench.Rollback(before);
    }
  }
}

template <class T>
PolicyDecl Declare(std::string_view name, std::string_view summary) {
  return {.name = name, .summary = summary, .options = {}, .make = [](const Options&) {
            return std::make_unique<T>();
          }};
}

bool Fill(Cluster* cluster) {
  const Resources node = {{"cpu", "8"}, {"memory", "32Gi"}, {"nvidia.com/gpu", 1}};
  bool ok = cluster->AddNode({.name = "old0", .capacity = node}).ok() &&
            cluster->AddNode({.name = "new0", .capacity = node}).ok() &&
            cluster->AddNode({.name = "new1", .capacity = node}).ok();
  const auto add = [&](const char* name, int count, int32_t priority, const Resources& request) {
    ok = ok && cluster
                   ->AddJob({.name = name,
                             .priority = priority,
                             .min_available = count,
                             .groups = {{.name = "w",
                                         .count = count,
                                         .shape = {.request = request},
                                         .priority = priority}}})
                   .ok();
  };
  add("low", 1, 1, {{"cpu", "6"}, {"nvidia.com/gpu", 1}});
  ok = ok && cluster->SetTaskStatus("low-w-0", TaskStatus::kRunning, "new0").ok();
  add("pair", 2, 5, {{"cpu", "4"}, {"nvidia.com/gpu", 1}});
  add("one", 1, 3, {{"cpu", "8"}});
  return ok;
}

}  // namespace

int main() {
  Cluster cluster;
  if (!Fill(&cluster)) return 1;
  auto extensions = std::make_shared<Extensions>();
  extensions->policies = {Declare<SmallFirst>("small-first", "small jobs first"),
                          Declare<NotOnOld>("not-on-old", "no GPU tasks on old nodes"),
                          Declare<Emptiest>("emptiest", "the node with most free CPU"),
                          Declare<LowerOnly>("lower-only", "evict lower priorities only")};
  extensions->actions = {
      {.name = "insist", .summary = "whole gangs, evicting", .run = Insist, .evicts = true}};
  const absl::StatusOr<Plan> plan = cluster.Schedule(
      "volcano:actions=insist,tiers=small-first+gang(without=preemptable)/predicates+not-on-old+"
      "emptiest+lower-only",
      {.extensions = extensions});
  if (!plan.ok()) {
    std::cerr << plan.status().message() << "\n";
    return 1;
  }
  std::cout << plan->ToText();
  return plan->evictions().size() == 1 && plan->binds().size() == 2 ? 0 : 1;
}
