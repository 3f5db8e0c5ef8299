// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A small cluster that every profile can schedule, for calls that fail on it.
//
//   FaultWorld world;
//   world.cluster.AddNode({.name = "n9"});
//   EXPECT_EQ(RowsOf(world.cluster), world.rows);
#ifndef MUSTER_TESTS_FAULTS_FAULT_WORLD_H_
#define MUSTER_TESTS_FAULTS_FAULT_WORLD_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "lib/scenario/scenario.h"
#include "muster/cluster.h"
#include "muster/schedule.h"

namespace muster {

inline void MustBeOk(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status.ToString(); }

// All that a caller sees of the rows.
inline std::string RowsOf(const Cluster& cluster) { return WriteScenario(Describe(cluster)); }

// Of the plan that the cluster makes next.
inline std::string NextPlan(Cluster* cluster, const std::string& profile = "volcano") {
  const absl::StatusOr<Plan> plan = cluster->Schedule(profile);
  return plan.ok() ? plan->Digest() : plan.status().ToString();
}

// Of the plan that a session of its own makes of the same rows.
inline std::string FreshPlan(const Cluster& cluster, const std::string& profile) {
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), profile);
  return plan.ok() ? plan->Digest() : plan.status().ToString();
}

// Two queues below one root. A job runs, a gang waits that fits, and another one that does not.
inline void FillSmall(Cluster* cluster) {
  const auto job = [](const char* name, const char* queue, int64_t tasks, int cpus) {
    return JobSpec{.name = name,
                   .queue = queue,
                   .min_available = tasks,
                   .groups = {{.name = "w",
                               .count = tasks,
                               .shape = {.request = {{"cpu", cpus}, {"memory", "1Gi"}}}}},
                   .estimate = 60};
  };
  MustBeOk(cluster->AddQueue({.name = "root"}));
  MustBeOk(cluster->UpdateQueue({.name = "default", .parent = "root"}));
  MustBeOk(cluster->AddQueue({.name = "vision", .parent = "root", .weight = 2}));
  MustBeOk(cluster->AddNodes(
      3, {.name = "n", .capacity = {{"cpu", 8}, {"memory", "32Gi"}, {"pods", 9}}}));
  MustBeOk(cluster->AddJob(job("runs", "vision", 2, 3)));
  MustBeOk(cluster->AddJob(job("fits", "default", 3, 2)));
  MustBeOk(cluster->AddJob(job("large", "vision", 4, 7)));
  MustBeOk(cluster->SetTaskStatus("runs-w-0", TaskStatus::kRunning, "n0"));
  MustBeOk(cluster->SetTaskStatus("runs-w-1", TaskStatus::kRunning, "n1"));
}

struct FaultWorld {
  Cluster cluster;
  std::optional<Plan> plan;      // of the rows
  std::optional<Snapshot> kept;  // while there is one, the next change copies the rows
  std::string rows, next;        // before anything fails

  FaultWorld() {
    FillSmall(&cluster);
    absl::StatusOr<Plan> made = cluster.Schedule("volcano");
    MustBeOk(made.status());
    plan = *std::move(made);
    rows = RowsOf(cluster);
    next = plan->Digest();
  }
};

}  // namespace muster

#endif  // MUSTER_TESTS_FAULTS_FAULT_WORLD_H_
