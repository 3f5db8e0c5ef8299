// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A small cluster for the tests of profile koordinator. Decisions in words: "bind p n".
#ifndef MUSTER_TESTS_PEER_KOORDINATOR_SMALL_CLUSTER_H_
#define MUSTER_TESTS_PEER_KOORDINATOR_SMALL_CLUSTER_H_

#include <string>

#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {

inline std::string ProfileSpec(const std::string& options) {
  return options.empty() ? "koordinator" : "koordinator:schedule(" + options + ")";
}

class KoordinatorProfile : public ::testing::Test {
 protected:
  void Node(const std::string& name, int cpu, NodeSpec node = {}) {
    node.name = name;
    node.capacity = {{"cpu", cpu}, {"memory", "8Gi"}, {"pods", 10}};
    Accept(cluster_.AddNode(node));
  }
  void Pod(const std::string& name, const char* cpu, TaskSpec task = {}) {
    task.name = name;
    task.shape.request = {{"cpu", cpu}};
    if (!task.node.empty() && task.status == TaskStatus::kPending) {
      task.status = TaskStatus::kRunning;
    }
    Accept(cluster_.AddTask(task));
  }
  // A gang with pods NAME0, NAME1, ... of one core each.
  void Gang(const std::string& name, int64_t least, int pods, JobSpec job = {}) {
    job.name = name;
    job.min_available = least;
    Accept(cluster_.AddJob(job));
    for (int i = 0; i < pods; ++i) Pod(name + std::to_string(i), "1", {.job = name});
  }
  void Quota(const std::string& name, int guaranteed, int limit, QueueSpec queue = {}) {
    queue.name = name;
    queue.guaranteed = Resources{{"cpu", guaranteed}};
    queue.limit = Resources{{"cpu", limit}};
    Accept(cluster_.AddQueue(queue));
  }
  // A reservation of so many cores for pods with the label `app` `etl`.
  void Reserve(const std::string& name, const std::string& node, int cpu,
               ReservationSpec reservation = {}) {
    reservation.name = name;
    reservation.node = node;
    reservation.shape.request = {{"cpu", cpu}};
    if (reservation.phase == ReservationPhase::kPending) {
      reservation.phase = ReservationPhase::kAvailable;
    }
    if (reservation.owners.empty()) {
      reservation.owners = {{.selector = Selector{.match_labels = {{"app", "etl"}}}}};
    }
    Accept(cluster_.SetReservation(reservation));
  }
  static TaskSpec Owner() {
    TaskSpec task;
    task.shape.labels = {{"app", "etl"}};
    return task;
  }
  std::string Plan(const std::string& options = "", int64_t now = 0) {
    return Decide(cluster_, ProfileSpec(options), now);
  }
  // One plan on the living cluster, which keeps its memory.
  std::string Live(int64_t now, const std::string& options = "") {
    const absl::StatusOr<muster::Plan> plan = cluster_.Schedule(ProfileSpec(options), {.now = now});
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return "";
    std::string words;
    for (const Decision& d : plan->decisions()) {
      const char* word = d.kind == DecisionKind::kBind       ? "bind "
                         : d.kind == DecisionKind::kNominate ? "nominate "
                         : d.kind == DecisionKind::kEvict    ? "evict "
                         : d.kind == DecisionKind::kReserve  ? "reserve "
                                                             : nullptr;
      if (word == nullptr) continue;
      words += words.empty() ? "" : "; ";
      words +=
          word + std::string(plan->task_name(d.task)) + " " + std::string(plan->node_name(d.node));
    }
    const absl::StatusOr<ApplyReport> report = cluster_.Apply(*plan);
    EXPECT_TRUE(report.ok() && report->refused.empty());
    return words;
  }
  std::string Why(const std::string& task, const std::string& options = "", int64_t now = 0) {
    const absl::StatusOr<muster::Plan> plan =
        Schedule(cluster_.Freeze(), ProfileSpec(options), {.now = now});
    EXPECT_TRUE(plan.ok()) << plan.status();
    for (const PendingTask& pending : plan->pending()) {
      if (plan->task_name(pending.task) == task) return plan->reasons()[pending.reason].where;
    }
    return "not pending";
  }
  std::string Refused(const std::string& options = "") {
    return std::string(Schedule(cluster_.Freeze(), ProfileSpec(options)).status().message());
  }

  Cluster cluster_;
};

}  // namespace muster::testing

#endif  // MUSTER_TESTS_PEER_KOORDINATOR_SMALL_CLUSTER_H_
