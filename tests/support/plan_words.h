// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A plan in words, for tests of policies in small worlds: "admit j; bind j0 n1; evict k0 n0".
#ifndef MUSTER_TESTS_SUPPORT_PLAN_WORDS_H_
#define MUSTER_TESTS_SUPPORT_PLAN_WORDS_H_

#include <string>

#include "gtest/gtest.h"
#include "muster/muster.h"

namespace muster::testing {

inline void Accept(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }

// A job with `count` tasks NAME0, NAME1, ... that request the same.
inline void AddJob(Cluster& cluster, const JobSpec& job, int count, const Resources& request) {
  Accept(cluster.AddJob(job));
  for (int i = 0; i < count; ++i) {
    Accept(cluster.AddTask({.name = job.name + std::to_string(i),
                            .job = job.name,
                            .shape = {.request = request},
                            .priority = job.priority}));
  }
}

inline void Run(Cluster& cluster, const std::string& task, const std::string& node) {
  Accept(cluster.SetTaskStatus(task, TaskStatus::kRunning, node));
}

// Without changes of phase; tentative placements are left out too.
inline std::string Decide(Cluster& cluster, const std::string& profile, int64_t now = 0) {
  ScheduleOptions options;
  options.now = now;
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), profile, options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return "";
  std::string out;
  const auto add = [&](const std::string& words) { out += (out.empty() ? "" : "; ") + words; };
  for (const Decision& d : plan->decisions()) {
    if (d.kind == DecisionKind::kAdmit) add("admit " + std::string(plan->job_name(d.job)));
    const char* word = d.kind == DecisionKind::kBind       ? "bind "
                       : d.kind == DecisionKind::kNominate ? "nominate "
                       : d.kind == DecisionKind::kEvict    ? "evict "
                                                           : nullptr;
    if (word == nullptr) continue;
    add(word + std::string(plan->task_name(d.task)) + " " + std::string(plan->node_name(d.node)));
  }
  return out;
}

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_PLAN_WORDS_H_
