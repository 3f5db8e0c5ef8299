// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What can be checked of a spec without the cluster: every rule of a value, and its quantities
// read. Names of other rows are resolved later, by the code that puts the row into the tables
// (lib/model/editor.h).
//
// The results hold views into the specs, which must outlive them.
#ifndef MUSTER_MODEL_VALIDATE_H_
#define MUSTER_MODEL_VALIDATE_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/model/checker.h"
#include "muster/spec.h"

namespace muster {

struct NodeAmounts {
  Amounts capacity, allocatable;
};

struct QueueAmounts {
  Amounts guaranteed, deserved, limit, borrow_limit, lend_limit;
};

struct ShapeAmounts {
  Amounts request, initial_request;  // the latter as the former where the shape leaves it out
  std::vector<Amounts> containers;
  std::vector<int64_t> device_memory;  // of each request for devices
};

// Reports into `check`, under its place. Rules of a shape are those of Kubernetes' own validation
// as far as a scheduler depends on them.
ShapeAmounts CheckShape(const TaskShape& shape, Checker& check);
// The bytes of a device's memory; `where` and `what` name it.
int64_t CheckDeviceMemory(const char* where, std::string_view what, const Quantity& memory,
                          Checker& check);
void CheckSelector(const Selector& selector, const char* where, Checker& check);
void CheckTaints(const std::vector<Taint>& taints, Checker& check);
void CheckToleration(const Toleration& toleration, Checker& check);
// A number that is 0 or more, kept in thousandths.
void CheckNumber(const char* where, std::string_view what, const Quantity& quantity,
                 Checker& check);

// The optional parts of rows.
void CheckQueueRules(const QueueRules& rules, Checker& check);
void CheckUserRules(const UserRules& rules, Checker& check);
void CheckHistory(const UsageHistory& history, Checker& check);
void CheckUsageDetail(const UsageDetail& detail, Checker& check);
void CheckTaskUsage(const TaskUsage& usage, Checker& check);
void CheckLifetime(const Lifetime& lifetime, Checker& check);
void CheckByCount(const GroupSpec& group, Checker& check);
void CheckOwner(const JobOwner& owner, Checker& check);
// How long a task waits on its node, and in which group.
void CheckWait(const std::optional<int64_t>& until, std::string_view group, Checker& check);
void CheckGang(const JobSpec& job, Checker& check);
void CheckAdmission(const JobSpec& job, Checker& check);

absl::StatusOr<NodeAmounts> CheckNode(const NodeSpec& node);
absl::StatusOr<QueueAmounts> CheckQueue(const QueueSpec& queue);
// All but the shapes of its groups. The amounts are those of min_resources.
absl::StatusOr<Amounts> CheckJob(const JobSpec& job);
// All but its shape.
absl::Status CheckTask(const TaskSpec& task);
absl::Status CheckDomain(const DomainSpec& domain);
absl::Status CheckBudget(const DisruptionBudgetSpec& budget);
absl::Status CheckNamespace(const NamespaceSpec& name_space);
absl::Status CheckFlavor(const FlavorSpec& flavor);
absl::Status CheckPartition(const PartitionSpec& partition);
absl::Status CheckReservation(const ReservationSpec& reservation);

}  // namespace muster

#endif  // MUSTER_MODEL_VALIDATE_H_
