// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Gangs of GPU tasks that take turns in a small cluster, cycle by cycle.
//
//   Turns turns("tiresias");
//   turns.Add({.name = "a"});
//   EXPECT_EQ(turns.Cycle(0), "+a");
#ifndef MUSTER_TESTS_PEER_TRAINING_TURNS_H_
#define MUSTER_TESTS_PEER_TRAINING_TURNS_H_

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "muster/cluster.h"
#include "muster/schedule.h"

namespace muster {

struct Gang {
  const char* name;
  int64_t created = 0;
  int64_t gpus = 4;  // one task each
  std::optional<int64_t> estimate = {};
  std::optional<int64_t> min_available = {};
  int64_t large = 0;  // tasks of 8 GPUs, which no node has; they are tried first
  Labels settings = {};
  int64_t each = 1;  // GPUs of a task
};

// A cluster with clients that start and stop tasks as soon as a plan decides it.
class Turns {
 public:
  explicit Turns(std::string profile, int nodes = 1) : profile_(std::move(profile)) {
    for (int i = 0; i < nodes; ++i) {
      EXPECT_TRUE(cluster_
                      .AddNode({.name = absl::StrCat("n", i),
                                .capacity = {{"nvidia.com/gpu", 4}, {"cpu", 64}}})
                      .ok());
    }
  }

  // One node of 4 GPUs for each type: "fast-0".
  Turns(std::string profile, const std::vector<std::string>& types) : profile_(std::move(profile)) {
    for (const std::string& type : types) {
      NodeSpec node{.name = absl::StrCat(type, "-0"), .labels = {{"gpu-model", type}}};
      node.capacity = {{"nvidia.com/gpu", 4}, {"cpu", 64}};
      EXPECT_TRUE(cluster_.AddNode(node).ok());
    }
  }

  void Add(const Gang& gang) {
    JobSpec spec;
    spec.name = gang.name;
    spec.created = gang.created;
    spec.estimate = gang.estimate;
    spec.min_available = gang.min_available.value_or(gang.gpus);
    spec.settings = gang.settings;
    const TaskShape shape{.request = {{"nvidia.com/gpu", gang.each}}};
    shapes_[gang.name] = shape;
    spec.groups = {{.name = "w", .count = gang.gpus, .shape = shape}};
    if (gang.large > 0) {
      const TaskShape large{.request = {{"nvidia.com/gpu", 8}}};
      spec.groups.insert(spec.groups.begin(), {.name = "a", .count = gang.large, .shape = large});
    }
    EXPECT_TRUE(cluster_.AddJob(spec).ok());
  }

  // Runs a cycle and returns its decisions: "+a" a starts, "-b" b is stopped. Stopped tasks wait
  // again once the cycle is over.
  std::string Cycle(int64_t now) {
    ScheduleOptions options;
    options.now = now;
    plan_ = cluster_.Schedule(profile_, options);
    EXPECT_TRUE(plan_.ok()) << plan_.status();
    if (!plan_.ok()) return "";
    EXPECT_TRUE(cluster_.Apply(*plan_).ok());
    std::vector<std::string> words;
    const auto note = [&](const char* sign, std::string_view task) {
      std::string word = absl::StrCat(sign, JobOf(task));
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    };
    for (const Bind& bind : plan_->binds()) {
      const std::string task(plan_->task_name(bind.task));
      note("+", task);
      nodes_[JobOf(task)] = plan_->node_name(bind.node);
      Set(task, TaskStatus::kRunning, std::string(plan_->node_name(bind.node)), now);
    }
    for (const Eviction& eviction : plan_->evictions()) {
      const std::string task(plan_->task_name(eviction.task));
      note("-", task);
      Set(task, TaskStatus::kPending, "", {});
    }
    return absl::StrJoin(words, " ");
  }
  // The tasks that wait, with their reasons: "a-w-0: 1 of 2 undone, a-w-1: no node".
  std::string Reasons() const {
    std::vector<std::string> words;
    for (const PendingTask& pending : plan_->pending()) {
      const Reason& reason = plan_->reasons()[pending.reason];
      const std::string count = absl::StrCat(reason.placed, " of ", reason.needed);
      words.push_back(absl::StrCat(std::string(plan_->task_name(pending.task)), ": ",
                                   reason.kind == ReasonKind::kNoNode       ? "no node"
                                   : reason.kind == ReasonKind::kGangUndone ? count + " undone"
                                   : reason.kind == ReasonKind::kGangWaits  ? count + " waits"
                                                                            : "another reason"));
    }
    std::sort(words.begin(), words.end());
    return absl::StrJoin(words, ", ");
  }
  std::string Why() const { return plan_->ToText(); }
  // The node on which the last task of the job that started did.
  std::string Where(const std::string& job) const { return nodes_.at(job); }
  void End(const std::string& job) { EXPECT_TRUE(cluster_.RemoveJob(job).ok()); }
  Cluster& cluster() { return cluster_; }
  const Plan& plan() const { return *plan_; }

  std::string unstoppable, meek;  // jobs with tasks that must not be preempted, or never preempt

 private:
  static std::string JobOf(std::string_view task) {
    return std::string(task.substr(0, task.find('-')));
  }
  void Set(const std::string& name, TaskStatus status, const std::string& node,
           std::optional<int64_t> started) {
    TaskSpec task;
    task.name = name;
    task.job = JobOf(name);
    task.group = "w";
    task.shape = shapes_.at(task.job);
    task.status = status;
    task.node = node;
    task.started = started;
    task.preemptable = task.job != unstoppable;
    task.never_preempts = task.job == meek;
    EXPECT_TRUE(cluster_.UpdateTask(task).ok());
  }

  const std::string profile_;
  std::map<std::string, std::string> nodes_;
  std::map<std::string, TaskShape> shapes_;
  Cluster cluster_;
  absl::StatusOr<Plan> plan_;
};

}  // namespace muster

#endif  // MUSTER_TESTS_PEER_TRAINING_TURNS_H_
