// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A scheduler's loop on one living Cluster: events come in, a cycle runs, its plan goes out.
//
//   c++ -std=c++20 event_loop.cc $(pkg-config --cflags --libs muster) && ./a.out
#include <iostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "muster/muster.h"

namespace {

struct JobArrives {
  std::string name;
  int64_t tasks, cores;
};
struct TaskEnds {
  std::string task;
};
struct NodeLeaves {
  std::string node;
};
using Event = std::variant<JobArrives, TaskEnds, NodeLeaves>;

// The events of a watch, one batch a cycle.
std::vector<std::vector<Event>> Events() {
  return {
      {JobArrives{"train", 4, 4}, JobArrives{"batch", 2, 6}},
      {TaskEnds{"train-0"}, TaskEnds{"train-1"}, TaskEnds{"train-2"}, TaskEnds{"train-3"}},
      {JobArrives{"late", 1, 8}, NodeLeaves{"n1"}},
      {TaskEnds{"batch-0"}},
  };
}

class Loop {
 public:
  absl::Status Start() {
    return cluster_.AddNodes(2, {.name = "n", .capacity = {{"cpu", 8}, {"memory", "32Gi"}}});
  }

  absl::Status Handle(const Event& event) {
    if (const auto* job = std::get_if<JobArrives>(&event)) {
      return cluster_.AddJob(
          {.name = job->name,
           .min_available = job->tasks,
           .groups = {{.count = job->tasks, .shape = {.request = {{"cpu", job->cores}}}}}});
    }
    if (const auto* end = std::get_if<TaskEnds>(&event)) {
      return cluster_.SetTaskStatus(end->task, muster::TaskStatus::kSucceeded);
    }
    // RemoveNode fails while tasks are on the node. A node that has gone takes no more tasks.
    const muster::NodeSpec node{.name = std::get<NodeLeaves>(event).node,
                                .capacity = {{"cpu", 8}, {"memory", "32Gi"}},
                                .unschedulable = true};
    return cluster_.UpdateNode(node);
  }

  absl::Status Cycle(int64_t now) {
    const absl::StatusOr<muster::Plan> plan = cluster_.Schedule("muster", {.now = now});
    if (!plan.ok()) return plan.status();
    for (const muster::Bind& bind : plan->binds()) {
      std::cout << "  start " << plan->task_name(bind.task) << " on " << plan->node_name(bind.node)
                << "\n";
    }
    for (const muster::PendingTask& task : plan->pending()) {
      waiting_ = plan->task_name(task.task);
    }
    std::cout << "  " << plan->pending().size() << " waiting"
              << (plan->pending().empty() ? "" : ", the last of them " + waiting_) << "\n";
    const absl::StatusOr<muster::ApplyReport> report = cluster_.Apply(*plan);
    if (!report.ok()) return report.status();
    // Here they run at once. A real scheduler gets this event in a later batch.
    for (const muster::Bind& bind : plan->binds()) {
      const absl::Status runs =
          cluster_.SetTaskStatus(plan->task_name(bind.task), muster::TaskStatus::kRunning);
      if (!runs.ok()) return runs;
    }
    return absl::OkStatus();
  }

 private:
  muster::Cluster cluster_;
  std::string waiting_;
};

absl::Status Run() {
  Loop loop;
  absl::Status status = loop.Start();
  int64_t now = 0;
  for (const std::vector<Event>& batch : Events()) {
    for (const Event& event : batch) status.Update(loop.Handle(event));
    std::cout << "cycle at " << now << "\n";
    status.Update(loop.Cycle(now));
    if (!status.ok()) return status;
    now += 10;
  }
  return status;
}

}  // namespace

int main() {
  const absl::Status status = Run();
  if (!status.ok()) std::cerr << "event_loop: " << status << "\n";
  return status.ok() ? 0 : 1;
}
