// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The first plan: a gang that does not fit, why, and what another node changes.
//
// Built when MUSTER_BUILD_EXAMPLES is on and run by ctest. Ends with 1 if a plan differs from the
// comments.
#include <iostream>

#include "muster/muster.h"

namespace {

absl::Status FirstPlan() {
  muster::Cluster cluster;
  const muster::NodeSpec gpu_node{
      .name = "gpu",
      .capacity = {{"cpu", 64}, {"memory", "256Gi"}, {"nvidia.com/gpu", 4}},
  };
  const muster::JobSpec train{
      .name = "train",
      .queue = "vision",
      .min_available = 16,
      .groups = {{.name = "worker",
                  .count = 16,
                  .shape = {.request = {{"cpu", "500m"}, {"nvidia.com/gpu", 1}}}}},
  };
  // A call takes full effect, or it returns an error and leaves the cluster as it was.
  if (absl::Status s = cluster.AddNodes(3, gpu_node); !s.ok()) return s;
  if (absl::Status s = cluster.AddQueue({.name = "vision", .weight = 2}); !s.ok()) return s;
  if (absl::Status s = cluster.AddJob(train); !s.ok()) return s;

  // The gang needs sixteen GPUs and the cluster has twelve: no task starts, and the plan has the
  // reason.
  absl::StatusOr<muster::Plan> plan = cluster.Schedule("muster");
  if (!plan.ok()) return plan.status();
  absl::StatusOr<std::string> why = plan->Explain("train");
  if (!why.ok()) return why.status();
  std::cout << *why;
  if (!plan->binds().empty()) return absl::InternalError("a part of a gang was bound");

  // With one more node, the next cycle places the whole gang.
  muster::NodeSpec one_more = gpu_node;
  one_more.name = "gpu3";
  if (absl::Status s = cluster.AddNode(one_more); !s.ok()) return s;
  plan = cluster.Schedule("muster");
  if (!plan.ok()) return plan.status();
  for (const muster::Bind& d : plan->binds()) {
    std::cout << plan->task_name(d.task) << " -> " << plan->node_name(d.node) << "\n";
  }

  // Apply makes the plan the state that the next cycle starts from.
  absl::StatusOr<muster::ApplyReport> report = cluster.Apply(*plan);
  if (!report.ok()) return report.status();
  const bool whole = plan->binds().size() == 16 && plan->pending().empty();
  return whole && report->refused.empty() ? absl::OkStatus() : absl::InternalError("not whole");
}

}  // namespace

int main() {
  const absl::Status status = FirstPlan();
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
