// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random sequences of direct calls, many of them wrong, against a model that is a few lists and
// straight loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "muster/cluster.h"
#include "tests/model/dump.h"

namespace muster {
namespace {

template <class Spec>
Spec* Find(std::vector<Spec>& rows, const std::string& name) {
  const auto found = std::ranges::find(rows, name, &Spec::name);
  return found == rows.end() ? nullptr : &*found;
}

bool Holds(TaskStatus s) {
  return s == TaskStatus::kNominated || s == TaskStatus::kBinding || s == TaskStatus::kBound ||
         s == TaskStatus::kRunning || s == TaskStatus::kReleasing || s == TaskStatus::kUnknown ||
         s == TaskStatus::kWaiting;
}

// What the headers promise, as plainly as possible. Every call returns whether it is
// accepted.
struct Naive {
  ClusterSpec rows{.queues = {{.name = "default"}}};

  bool AddNode(const NodeSpec& node) {
    if (Find(rows.nodes, node.name)) return false;
    rows.nodes.push_back(node);
    return true;
  }
  bool UpdateNode(const NodeSpec& node) {
    NodeSpec* row = Find(rows.nodes, node.name);
    if (row) *row = node;
    return row;
  }
  bool RemoveNode(const std::string& name) {
    if (!Find(rows.nodes, name)) return false;
    if (std::ranges::count(rows.tasks, name, &TaskSpec::node) > 0) return false;
    std::erase_if(rows.nodes, [&](const NodeSpec& node) { return node.name == name; });
    return true;
  }

  bool ParentFits(const QueueSpec& queue) {
    std::string at = queue.parent;
    for (; !at.empty() && at != queue.name; at = Find(rows.queues, at)->parent) {
      if (!Find(rows.queues, at)) return false;
    }
    return at.empty();
  }
  bool AddQueue(const QueueSpec& queue) {
    if (Find(rows.queues, queue.name) || !ParentFits(queue)) return false;
    rows.queues.push_back(queue);
    return true;
  }
  bool UpdateQueue(const QueueSpec& queue) {
    QueueSpec* row = Find(rows.queues, queue.name);
    if (!row || !ParentFits(queue)) return false;
    *row = queue;
    return true;
  }
  bool RemoveQueue(const std::string& name) {
    if (!Find(rows.queues, name) || std::ranges::count(rows.jobs, name, &JobSpec::queue) > 0 ||
        std::ranges::count(rows.queues, name, &QueueSpec::parent) > 0) {
      return false;
    }
    std::erase_if(rows.queues, [&](const QueueSpec& queue) { return queue.name == name; });
    return true;
  }

  bool AddJob(JobSpec job) {
    if (Find(rows.jobs, job.name) || !Find(rows.queues, job.queue)) return false;
    std::vector<TaskSpec> tasks;
    for (GroupSpec& group : job.groups) {
      for (int64_t i = 0; i < group.count; ++i) {
        const std::string prefix = group.name.empty() ? job.name : job.name + "-" + group.name;
        tasks.push_back({.name = prefix + "-" + std::to_string(i),
                         .job = job.name,
                         .group = group.name,
                         .shape = group.shape,
                         .priority = group.priority.value_or(job.priority),
                         .created = job.created,
                         .ordinal = i});
        if (Find(rows.tasks, tasks.back().name)) return false;
      }
      group.count = 0;
    }
    rows.jobs.push_back(job);
    rows.tasks.insert(rows.tasks.end(), tasks.begin(), tasks.end());
    return true;
  }
  static bool Lists(const JobSpec& job, const std::string& group) {
    return group.empty() || std::ranges::count(job.groups, group, &GroupSpec::name) > 0;
  }
  bool UpdateJob(JobSpec job) {
    JobSpec* row = Find(rows.jobs, job.name);
    if (!row || !Find(rows.queues, job.queue)) return false;
    for (const TaskSpec& task : rows.tasks) {
      if (task.job == job.name && !Lists(job, task.group)) return false;
    }
    for (GroupSpec& group : job.groups) group.count = 0;
    *row = job;
    return true;
  }
  bool RemoveJob(const std::string& name) {
    std::erase_if(rows.tasks, [&](const TaskSpec& task) { return task.job == name; });
    return std::erase_if(rows.jobs, [&](const JobSpec& job) { return job.name == name; }) > 0;
  }

  bool TaskFits(const TaskSpec& task) {
    if (task.status == TaskStatus::kPlaced) return false;
    if (Holds(task.status) && !Find(rows.nodes, task.node)) return false;
    if (task.status == TaskStatus::kPending && !task.node.empty()) return false;
    if (task.job.empty()) return task.group.empty();
    const JobSpec* job = Find(rows.jobs, task.job);
    return job && Lists(*job, task.group);
  }
  bool AddTask(TaskSpec task) {
    if (Find(rows.tasks, task.name) || !TaskFits(task)) return false;
    if (!Holds(task.status)) task.node.clear();
    rows.tasks.push_back(task);
    return true;
  }
  bool UpdateTask(TaskSpec task) {
    TaskSpec* row = Find(rows.tasks, task.name);
    if (!row || !TaskFits(task)) return false;
    if (!Holds(task.status)) task.node.clear();
    *row = task;
    return true;
  }
  bool RemoveTask(const std::string& name) {
    return std::erase_if(rows.tasks, [&](const TaskSpec& task) { return task.name == name; }) > 0;
  }
  bool SetTaskStatus(const std::string& name, TaskStatus status, const std::string& node) {
    TaskSpec* row = Find(rows.tasks, name);
    if (!row || status == TaskStatus::kPlaced) return false;
    if (status == TaskStatus::kPending && !node.empty()) return false;
    std::string held = node.empty() ? row->node : node;
    if (Holds(status) && !Find(rows.nodes, held)) return false;
    row->status = status;
    row->node = Holds(status) ? held : "";
    return true;
  }
};

class Edits {
 public:
  explicit Edits(uint64_t seed) : random_(seed) {}

  // Whether cluster and model agreed on one random call.
  bool Step() {
    switch (Below(14)) {
      case 0:
        return Both(&Cluster::AddNode, &Naive::AddNode, Node());
      case 1:
        return Both(&Cluster::UpdateNode, &Naive::UpdateNode, Node());
      case 2:
        return cluster.RemoveNode(last_ = Name("n")).ok() == naive.RemoveNode(last_);
      case 3:
        return Both(&Cluster::AddQueue, &Naive::AddQueue, Queue());
      case 4:
        return Both(&Cluster::UpdateQueue, &Naive::UpdateQueue, Queue());
      case 5:
        return cluster.RemoveQueue(last_ = Name("q")).ok() == naive.RemoveQueue(last_);
      case 6:
        return Both(&Cluster::AddJob, &Naive::AddJob, Job());
      case 7:
        return Both(&Cluster::UpdateJob, &Naive::UpdateJob, Job());
      case 8:
        return cluster.RemoveJob(last_ = Name("j")).ok() == naive.RemoveJob(last_);
      case 9:
        return Both(&Cluster::AddTask, &Naive::AddTask, Task());
      case 10:
        return Both(&Cluster::UpdateTask, &Naive::UpdateTask, Task());
      case 11:
        return cluster.RemoveTask(last_ = TaskName()).ok() == naive.RemoveTask(last_);
      default: {
        const std::string name = TaskName(), node = Below(2) ? "" : Name("n");
        const auto status = static_cast<TaskStatus>(Below(kTaskStatusCount));
        return cluster.SetTaskStatus(name, status, node).ok() ==
               naive.SetTaskStatus(name, status, node);
      }
    }
  }

  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  Cluster cluster;
  Naive naive;

 private:
  template <class Spec>
  bool Both(absl::Status (Cluster::*call)(const Spec&), auto model_call, const Spec& spec) {
    return (cluster.*call)(spec).ok() == (naive.*model_call)(spec);
  }
  std::string Name(const char* prefix) { return prefix + std::to_string(Below(4)); }
  std::string TaskName() {
    const uint32_t kind = Below(3);
    if (kind == 0) return Name("t");
    return Name("j") + (kind == 1 ? "-" : "-w-") + std::to_string(Below(2));
  }
  Resources Amounts() {
    Resources resources;
    for (const char* name : {"cpu", "gpu", "x"}) {
      if (Below(2)) resources.push_back({name, int64_t{Below(3)}});
    }
    return resources;
  }
  NodeSpec Node() {
    return {.name = Name("n"), .capacity = Amounts(), .unschedulable = Below(2) == 0};
  }
  QueueSpec Queue() {
    QueueSpec queue{.name = Name("q"), .parent = Below(2) ? "" : Name("q"), .weight = 1 + Below(3)};
    if (Below(3) == 0) queue.limit = Amounts();
    if (Below(6) == 0) queue.node_groups = NodeGroupWish{.required = {Name("g")}};
    if (Below(8) == 0) queue.node_group_limits = {{Name("g"), Amounts()}};
    return queue;
  }
  JobSpec Job() {
    JobSpec job{.name = Name("j"),
                .queue = Below(3) ? Name("q") : "default",
                .priority = static_cast<int32_t>(Below(3))};
    for (const char* name : {"", "w", "v"}) {
      if (Below(2))
        job.groups.push_back({.name = name, .count = Below(3), .shape = {.request = Amounts()}});
    }
    std::shuffle(job.groups.begin(), job.groups.end(), random_);
    return job;
  }
  TaskSpec Task() {
    TaskSpec task{.name = TaskName(),
                  .job = Below(3) ? Name("j") : "",
                  .shape = {.request = Amounts()},
                  .status = static_cast<TaskStatus>(Below(kTaskStatusCount)),
                  .nominated_node = Below(3) ? "" : Name("n"),
                  .priority = static_cast<int32_t>(Below(3))};
    if (Below(2)) task.group = Below(2) ? "w" : "v";
    if (task.status != TaskStatus::kPending || Below(8) == 0) task.node = Name("n");
    return task;
  }

  std::mt19937_64 random_;
  std::string last_;
};

TEST(Edits, AgreeWithTheNaiveModel) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Edits edits(seed);
    std::vector<Snapshot> frozen;
    for (int step = 0; step < 150; ++step) {
      const auto before = edits.cluster.version();
      const auto rows = Dump(edits.cluster);
      ASSERT_TRUE(edits.Step()) << "seed " << seed << ", step " << step;
      const auto now = Dump(edits.cluster);
      ASSERT_EQ(now, Dump(edits.naive.rows)) << "seed " << seed << ", step " << step;
      ASSERT_EQ(Contradiction(edits.cluster), "") << "seed " << seed << ", step " << step;
      ASSERT_TRUE(now == rows || edits.cluster.version() > before);
      // Snapshots in between change where tables are copied, and nothing else.
      if (edits.Below(10) == 0) frozen.push_back(edits.cluster.Freeze());
      if (edits.Below(20) == 0) frozen.clear();
    }
    // The order of rows is that of their insertion, also through updates.
    std::vector<std::string> expected;
    for (const auto& row : edits.naive.rows.nodes) expected.push_back("node " + row.name);
    for (const auto& row : edits.naive.rows.queues) expected.push_back("queue " + row.name);
    for (const auto& row : edits.naive.rows.jobs) expected.push_back("job " + row.name);
    for (const auto& row : edits.naive.rows.tasks) expected.push_back("task " + row.name);
    ASSERT_EQ(RowOrder(edits.cluster), expected) << "seed " << seed;
  }
}

// A cluster that went through many edits describes itself so that another one becomes its equal.
TEST(Edits, DescribeAndReconcileGoTogether) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Edits left(seed), right(seed + 1000);
    for (int step = 0; step < 80; ++step) {
      left.Step();
      right.Step();
    }
    const auto was = Dump(left.cluster);
    const auto goal = Dump(right.cluster);
    std::vector<std::string> expected;
    for (const auto& [name, row] : was) {
      if (!goal.contains(name)) expected.push_back("extra " + name);
      if (goal.contains(name) && goal.at(name) != row) expected.push_back("different " + name);
    }
    for (const auto& [name, row] : goal) {
      if (!was.contains(name)) expected.push_back("missing " + name);
    }
    const absl::StatusOr<std::vector<Drift>> drift =
        left.cluster.Reconcile(right.cluster.Describe());
    ASSERT_TRUE(drift.ok()) << drift.status() << " seed " << seed;
    std::vector<std::string> found;
    for (const Drift& d : *drift) {
      std::string object = d.object;
      std::erase(object, '"');
      const char* kind = d.kind == Drift::Kind::kMissing ? "missing "
                         : d.kind == Drift::Kind::kExtra ? "extra "
                                                         : "different ";
      found.push_back(kind + object);
    }
    std::ranges::sort(found);
    std::ranges::sort(expected);
    ASSERT_EQ(found, expected) << "seed " << seed;
    ASSERT_EQ(Dump(left.cluster), goal) << "seed " << seed;
    ASSERT_EQ(Contradiction(left.cluster), "") << "seed " << seed;
    const uint64_t version = left.cluster.version();
    ASSERT_TRUE(left.cluster.Reconcile(right.cluster.Describe())->empty());
    ASSERT_EQ(left.cluster.version(), version) << "no drift, no change";
  }
}

}  // namespace
}  // namespace muster
