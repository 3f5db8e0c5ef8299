// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What can happen next. What a plan decided is reported first; then a kind of event is drawn so
// that about two tasks a node run, and now and then more.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/long_life/life.h"

namespace muster::long_life {
namespace {

// Running tasks a node at most: mostly, and in the last of so many times of so many cycles.
constexpr int64_t kTasksOnNodes = 2, kCrowdedTasksOnNodes = 5, kTimes = 8;
constexpr size_t kMostPassingQueues = 6;

}  // namespace

void Life::Event() {
  if (!follow_ups_.empty() && rng_.Chance(0.8)) {
    const FollowUp next = std::move(follow_ups_.front());
    follow_ups_.pop_front();
    Follow(next);
    return;
  }
  const bool is_crowded = counts_.cycles / kTimes % kTimes == kTimes - 1;
  const auto most_running =
      static_cast<size_t>((is_crowded ? kCrowdedTasksOnNodes : kTasksOnNodes) * options_.nodes);
  const uint64_t kind = rng_.Below(100);
  if (kind < 4) return ChangeNode();
  if (kind < 6) return EditQueue();
  if (kind < 10) return EditRow();
  if (kind < 12) return Nonsense();
  if (kind < 15) return Watch();
  if (kind < 17 && !running_.empty()) return End(One(running_), TaskStatus::kFailed);
  const bool is_full = running_.size() > most_running;
  if (!running_.empty() && (kind < 30 || (is_full && kind < 85))) {
    return End(One(running_), TaskStatus::kSucceeded);
  }
  if (kind < 32 && !waiting_.empty()) return Cancel();
  Arrive();
}

void Life::Follow(const FollowUp& what) {
  using Kind = FollowUp::Kind;
  switch (what.kind) {
    case Kind::kRemoveNode:
    case Kind::kUncordon: {
      Node& node = nodes_[what.slot];
      if (node.name != what.name || !node.is_cordoned) return Arrive();
      ++counts_.node_changes;
      if (what.kind == Kind::kUncordon) {
        node.is_cordoned = false;
        Done(cluster_.UpdateNode(NodeOf(node)));
        return;
      }
      // Refused where a task was bound there meanwhile: ChangeNode tries again one day.
      if (Done(cluster_.RemoveNode(node.name))) NewNode(what.slot);
      return;
    }
    case Kind::kRemoveJob:
      Done(cluster_.RemoveJob(what.name));
      if (jobs_[what.slot].is_there && jobs_[what.slot].spec.name == what.name) {
        ForgetJob(what.slot);
      }
      return;
    case Kind::kForget:
      Done(cluster_
               .ApplyDelta({.generation = static_cast<uint64_t>(counts_.events),
                            .object = Removal{Removal::Kind::kTask, what.name}})
               .status());
      return;
    default:
      break;
  }
  const bool is_it = tasks_[what.slot].is_there && tasks_[what.slot].name == what.name;
  if (what.kind == Kind::kStarted) {
    // Refused where the bind was refused, or the job is gone.
    const bool runs = Done(cluster_.SetTaskStatus(what.name, TaskStatus::kRunning));
    if (runs && is_it) StartsToRun(what.slot);
    if (!runs && is_it) Waits(tasks_[what.slot].job);
    return;
  }
  if (what.kind == Kind::kBindFailed) {
    ++counts_.failures;
    Done(cluster_.ReportBindFailed(what.name));
  } else {
    // A task that was evicted, or had its node taken away, is started anew by its controller.
    Done(cluster_.SetTaskStatus(what.name, TaskStatus::kPending));
  }
  if (!is_it) return;
  tasks_[what.slot].node = -1;
  Waits(tasks_[what.slot].job);
}

void Life::Arrive() {
  const JobSpec job = RandomJob();
  if (!Done(cluster_.AddJob(job))) return;
  ++counts_.arrivals;
  NewJob(job);
}

void Life::Cancel() {
  const uint32_t job = One(waiting_);
  Done(cluster_.RemoveJob(jobs_[job].spec.name));
  ForgetJob(job);
}

void Life::End(uint32_t task, TaskStatus status) {
  counts_.ends += status == TaskStatus::kSucceeded;
  counts_.failures += status == TaskStatus::kFailed;
  Done(cluster_.SetTaskStatus(tasks_[task].name, status));
  RunsNoMore(task);
  tasks_[task].node = -1;
  const uint32_t job = tasks_[task].job;
  if (AnyRuns(job)) return;
  follow_ups_.push_back({FollowUp::Kind::kRemoveJob, job, jobs_[job].spec.name});
}

// The node of a place is a new one, of any type.
void Life::NewNode(size_t place) {
  Node& node = nodes_[place];
  node_places_.erase(node.name);
  node = {.name = absl::StrCat("n", ++names_), .type = rng_.Below(NodeTypes().size())};
  node_places_[node.name] = static_cast<uint32_t>(place);
  Done(cluster_.AddNode(NodeOf(node)));
}

void Life::ChangeNode() {
  ++counts_.node_changes;
  const auto place = static_cast<uint32_t>(rng_.Below(nodes_.size()));
  Node& node = nodes_[place];
  const bool is_back = !node.is_cordoned && rng_.Chance(0.5);
  node.is_cordoned = true;
  Done(cluster_.UpdateNode(NodeOf(node)));
  if (is_back) {
    follow_ups_.push_back({FollowUp::Kind::kUncordon, place, node.name});
    return;
  }
  // It goes away, and its tasks with it.
  for (const uint32_t task : std::exchange(node.tasks, {})) {
    if (tasks_[task].node != static_cast<int32_t>(place)) continue;
    RunsNoMore(task);
    follow_ups_.push_back({FollowUp::Kind::kLeft, task, tasks_[task].name});
  }
  follow_ups_.push_back({FollowUp::Kind::kRemoveNode, place, node.name});
}

void Life::EditQueue() {
  ++counts_.queue_edits;
  const uint64_t kind = rng_.Below(10);
  if (kind < 2 && passing_queues_.size() < kMostPassingQueues) {
    passing_queues_.push_back(absl::StrCat("passing-", ++names_));
    Done(cluster_.AddQueue({.name = passing_queues_.back(), .parent = "batch"}));
    return;
  }
  if (kind < 4 && !passing_queues_.empty()) {
    std::swap(passing_queues_[rng_.Below(passing_queues_.size())], passing_queues_.back());
    Done(cluster_.RemoveQueue(passing_queues_.back()));
    passing_queues_.pop_back();
    return;
  }
  QueueSpec queue{.name = One(leaves_)};
  queue.parent = queue.name.substr(0, queue.name.find('-'));
  queue.weight = static_cast<int64_t>(1 + rng_.Below(5));
  if (rng_.Chance(0.3)) {
    queue.limit = Resources{{"cpu", static_cast<int64_t>(8 + rng_.Below(16) * nodes_.size() / 8)}};
  }
  if (rng_.Chance(0.05)) queue.state = QueueState::kClosed;
  Done(cluster_.UpdateQueue(queue));
}

// Changes a job that waits, or one of its tasks; or a budget.
void Life::EditRow() {
  if (waiting_.empty() || rng_.Chance(0.1)) {
    DisruptionBudgetSpec budget{.name = absl::StrCat("budget-", rng_.Below(4))};
    budget.allowed = static_cast<int64_t>(rng_.Below(10));
    Done(cluster_.SetDisruptionBudget(budget));
    return;
  }
  const uint32_t slot = One(waiting_);
  JobSpec& job = jobs_[slot].spec;
  if (rng_.Chance(0.5)) {
    job.queue = One(leaves_);
    job.priority = static_cast<int32_t>(10 * rng_.Below(3));
    Done(cluster_.UpdateJob(job));
    return;
  }
  const Task& task = tasks_[One(jobs_[slot].tasks)];
  const bool is_master = task.name.find("-m-") != std::string::npos;
  Done(cluster_.UpdateTask({.name = task.name,
                            .job = job.name,
                            .group = is_master ? "m" : "w",
                            .shape = One(Shapes()),
                            .priority = static_cast<int32_t>(10 * rng_.Below(3)),
                            .preemptable = rng_.Chance(0.8)}));
}

// Calls that are refused, most of them after some rules were checked.
void Life::Nonsense() {
  const Node& node = One(nodes_);
  switch (rng_.Below(7)) {
    case 0:
      Done(cluster_.AddNode(NodeOf(node)));
      return;
    case 1: {
      NodeSpec bad = NodeOf(node);
      bad.capacity.push_back({"cpu", "-1"});
      Done(cluster_.UpdateNode(bad));
      return;
    }
    case 2:
      Done(cluster_.SetTaskStatus("nothing", TaskStatus::kRunning, node.name));
      return;
    case 3:
      Done(cluster_.RemoveQueue("root"));
      return;
    case 4:
      Done(cluster_.UpdateQueue({.name = "root", .parent = One(leaves_)}));
      return;
    case 5: {
      JobSpec job = RandomJob();
      job.groups.push_back(job.groups.back());
      Done(cluster_.AddJob(job));
      return;
    }
    default:
      Done(cluster_.AddTask({.name = "lost", .job = "no-job", .shape = Shapes()[0]}));
  }
}

// Events of a watch: new ones, old ones, and some of rows that name what is not there.
void Life::Watch() {
  const auto generation = static_cast<uint64_t>(counts_.events);
  if (rng_.Chance(0.2)) {
    const std::string name = absl::StrCat("early-", ++names_);
    TaskSpec task{.name = name, .job = absl::StrCat("later-", names_), .shape = Shapes()[0]};
    Done(cluster_.ApplyDelta({.generation = generation, .object = task}).status());
    follow_ups_.push_back({FollowUp::Kind::kForget, 0, name});
    return;
  }
  const uint64_t when = rng_.Chance(0.3) ? generation / 2 : generation;
  Done(cluster_.ApplyDelta({.generation = when, .object = NodeOf(One(nodes_))}).status());
}

}  // namespace muster::long_life
