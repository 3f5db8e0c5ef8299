// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Small worlds for the tests of the slow twin, and plans in words.
//
//   Cluster cluster;
//   Nodes(cluster, 2, {{"cpu", "4"}});
//   Job(cluster, "a", {.min_available = 2}, 3, {{"cpu", "1"}});
//   EXPECT_EQ(Decide(cluster, profile), "bind a0 n0; bind a1 n1; ...");
#ifndef MUSTER_TESTS_REFERENCE_BUILD_H_
#define MUSTER_TESTS_REFERENCE_BUILD_H_

#include <string>

#include "lib/reference/reference.h"
#include "muster/muster.h"

namespace muster::testing {

void Nodes(Cluster& cluster, int64_t count, const Resources& capacity);  // n0, n1, ...
void Node(Cluster& cluster, const NodeSpec& node);
void Queue(Cluster& cluster, const QueueSpec& queue);
// A job of `count` pending tasks, all alike; its phase is kAdmitted unless the spec sets another.
void Job(Cluster& cluster, JobSpec job, int64_t count, const Resources& request);
void JobOf(Cluster& cluster, const TaskShape& shape, JobSpec job, int64_t count);
void Task(Cluster& cluster, const TaskSpec& task);
// Tells that the task runs on the node.
void Running(Cluster& cluster, const std::string& task, const std::string& node);
void Releasing(Cluster& cluster, const std::string& task, const std::string& node);

// volcano without the admit action, with the policies of these tiers: "priority gang/drf
// proportion".
ReferenceProfile Profile(const std::string& actions, const std::string& tiers);
ReferenceProfile KubeBatchProfile(const std::string& actions, const std::string& tiers);

PlanData RunPlan(Cluster& cluster, const ReferenceProfile& profile);
// Decisions except phases, one after the other, then tentative placements: "bind t n; hold t n;
// wait t n".
std::string Decide(Cluster& cluster, const ReferenceProfile& profile);
std::string Phases(Cluster& cluster, const ReferenceProfile& profile);  // "a running; b completed"

}  // namespace muster::testing

#endif  // MUSTER_TESTS_REFERENCE_BUILD_H_
