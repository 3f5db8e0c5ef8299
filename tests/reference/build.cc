// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Anything the cluster refuses fails the test that requested it.
#include "build.h"

#include <sstream>

#include "gtest/gtest.h"
#include "lib/model/access.h"

namespace muster::testing {

namespace {

void Accept(const absl::Status& status) { EXPECT_TRUE(status.ok()) << status; }

std::vector<std::string> Words(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);) words.push_back(word);
  return words;
}

void Append(std::string& out, const std::string& words) {
  if (!out.empty()) out += "; ";
  out += words;
}

}  // namespace

void Nodes(Cluster& cluster, int64_t count, const Resources& capacity) {
  Accept(cluster.AddNodes(count, {.name = "n", .capacity = capacity}));
}

void Node(Cluster& cluster, const NodeSpec& node) { Accept(cluster.AddNode(node)); }

void Queue(Cluster& cluster, const QueueSpec& queue) { Accept(cluster.AddQueue(queue)); }

void Job(Cluster& cluster, JobSpec job, int64_t count, const Resources& request) {
  TaskShape shape;
  shape.request = request;
  JobOf(cluster, shape, std::move(job), count);
}

void JobOf(Cluster& cluster, const TaskShape& shape, JobSpec job, int64_t count) {
  if (job.phase == JobPhase::kPending) job.phase = JobPhase::kAdmitted;
  const std::string name = job.name;
  const int32_t priority = job.priority;
  Accept(cluster.AddJob(job));
  for (int64_t i = 0; i < count; ++i) {
    TaskSpec task;
    task.name = name + std::to_string(i);
    task.job = name;
    task.shape = shape;
    task.priority = priority;
    task.ordinal = i;
    Task(cluster, task);
  }
}

void Task(Cluster& cluster, const TaskSpec& task) { Accept(cluster.AddTask(task)); }

void Running(Cluster& cluster, const std::string& task, const std::string& node) {
  Accept(cluster.SetTaskStatus(task, TaskStatus::kRunning, node));
}

void Releasing(Cluster& cluster, const std::string& task, const std::string& node) {
  Running(cluster, task, node);
  Accept(cluster.SetTaskStatus(task, TaskStatus::kReleasing));
}

ReferenceProfile Profile(const std::string& actions, const std::string& tiers) {
  ReferenceProfile profile;
  profile.preset = "volcano";
  profile.actions = Words(actions, ' ');
  for (const std::string& tier : Words(tiers, '/')) {
    profile.tiers.emplace_back();
    for (const std::string& name : Words(tier, ' ')) profile.tiers.back().push_back({name, {}, {}});
  }
  return profile;
}

ReferenceProfile KubeBatchProfile(const std::string& actions, const std::string& tiers) {
  ReferenceProfile profile = Profile(actions, tiers);
  profile.preset = "kube-batch";
  return profile;
}

PlanData RunPlan(Cluster& cluster, const ReferenceProfile& profile) {
  return ReferenceSchedule(TablesOf(cluster.Freeze()), profile, 0);
}

std::string Decide(Cluster& cluster, const ReferenceProfile& profile) {
  const Snapshot snapshot = cluster.Freeze();
  const PlanData plan = ReferenceSchedule(TablesOf(snapshot), profile, 0);
  const auto place = [&](TaskIndex task, NodeIndex node) {
    return std::string(snapshot.task_name(task)) + " " + std::string(snapshot.node_name(node));
  };
  std::string out;
  for (const Decision& d : plan.decisions) {
    switch (d.kind) {
      case DecisionKind::kAdmit:
        Append(out, "admit " + std::string(snapshot.job_name(d.job)));
        break;
      case DecisionKind::kBind:
        Append(out, "bind " + place(d.task, d.node));
        break;
      case DecisionKind::kNominate:
        Append(out, "nominate " + place(d.task, d.node));
        break;
      case DecisionKind::kEvict:
        Append(out, "evict " + place(d.task, d.node));
        break;
      default:  // phases; no profile makes the other kinds yet
        break;
    }
  }
  for (const Tentative& t : plan.tentative) {
    Append(out, (t.nominated ? "wait " : "hold ") + place(t.task, t.node));
  }
  return out;
}

std::string Phases(Cluster& cluster, const ReferenceProfile& profile) {
  const Snapshot snapshot = cluster.Freeze();
  std::string out;
  for (const Decision& d : ReferenceSchedule(TablesOf(snapshot), profile, 0).decisions) {
    if (d.kind != DecisionKind::kPhase) continue;
    Append(out, std::string(snapshot.job_name(d.job)) + " " + std::string(JobPhaseName(d.phase)));
  }
  return out;
}

}  // namespace muster::testing
