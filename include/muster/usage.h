// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Usage: what a monitor measured on nodes and of tasks, and what queues and users used in the past.
//
//   muster::NodeSpec node;
//   node.usage = muster::NodeUsage{.cpu = 70, .memory = 40, .measured = 1200};
//   node.usage->detail = muster::UsageDetail{
//       .amounts = {{"cpu", "45"}},
//       .windows = {{.seconds = 300, .p50 = {{"cpu", "30"}}, .p95 = {{"cpu", "44"}}}}};
//   muster::TaskSpec task;
//   task.usage = muster::TaskUsage{.amounts = {{"cpu", "350m"}, {"nvidia.com/gpu", "420m"}}};
//   muster::QueueSpec queue;
//   queue.history = muster::UsageHistory{
//       .as_of = 1200, .half_life = 86400, .entries = {{.user = "ann", .amounts = {{"cpu", 12}}}}};
//
// Promise. Measured amounts are in the unit of their resource: 420m of a GPU is a utilization of
// 42 %. The caller gives them, and gives new ones when they change: the library measures nothing,
// and no amount decays by itself. Times are seconds on the caller's clock.
// Failure. Rows are refused with InvalidArgument for amounts that are negative or unreadable,
// windows of less than a second, and windows or users that are listed twice.
// Ownership, threads. Plain values.
// Cost. Rows without usage have a null pointer, or no value. Others take what their lists take.
#ifndef MUSTER_USAGE_H_
#define MUSTER_USAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/boxed.h"
#include "muster/shape.h"

namespace muster {

// Statistics over some time before the measurement.
struct UsageWindow {
  // The length of the window in seconds. Required: 1 or more; the windows of one list differ.
  int64_t seconds = 0;
  // The mean and four percentiles, by resource. A list that is empty was not measured.
  Resources average = {}, p50 = {}, p90 = {}, p95 = {}, p99 = {};
  friend bool operator==(const UsageWindow&, const UsageWindow&) = default;
};

// Amounts used on a node, and by what.
struct UsageDetail {
  // What all that runs on the node uses, by resource. Default: not measured.
  Resources amounts = {};
  // What processes use that belong to no task. Default: not measured.
  Resources system = {};
  // The seconds from one report to the next: 0 or more. Absent: not known.
  std::optional<int64_t> interval = {};
  // Statistics of `amounts`. Default: none.
  std::vector<UsageWindow> windows = {};
  friend bool operator==(const UsageDetail&, const UsageDetail&) = default;
};

// What a monitor measured on a node, in percent of its capacity.
struct NodeUsage {
  // Utilization in percent: 70 is 70 %. Default: 0.
  Quantity cpu = 0, memory = 0;
  // The time of the measurement. Default: 0.
  int64_t measured = 0;
  // Amounts behind these figures. Absent: not measured.
  Boxed<UsageDetail> detail = {};
  friend bool operator==(const NodeUsage&, const NodeUsage&) = default;
};

// What a monitor measured of a task.
struct TaskUsage {
  // What the task uses, by resource. Default: not measured.
  Resources amounts = {};
  // The time of the measurement. Default: 0.
  int64_t measured = 0;
  // Statistics of `amounts`. Default: none.
  std::vector<UsageWindow> windows = {};
  friend bool operator==(const TaskUsage&, const TaskUsage&) = default;
};

// Past usage of a user within a queue, or of the queue itself.
struct UsageEntry {
  // The name of the user. Empty: the queue as a whole. Each user is listed once.
  std::string user = {};
  // What was used, by resource, decayed up to the history's `as_of`.
  Resources amounts = {};
  // What is counted on top, for what was admitted since. Default: nothing.
  Resources penalty = {};
  // One number in place of amounts, for peers that keep one (HTCondor's real priority): 0 or more.
  // A text keeps all its decimals. Absent: not known.
  std::optional<Quantity> priority = {};
  // What `priority` is multiplied by: 0 or more. Default: 1.
  Quantity factor = 1;
  friend bool operator==(const UsageEntry&, const UsageEntry&) = default;
};

// The past usage of one queue and of its users.
struct UsageHistory {
  // The time up to which the amounts are decayed. Default: 0.
  int64_t as_of = 0;
  // The seconds after which a past use counts half: 1 or more. Absent: past usage stays.
  std::optional<int64_t> half_life = {};
  // One for the queue, and one for each user. Default: none.
  std::vector<UsageEntry> entries = {};
  // What the queue, with those below it, has spent in the period of its SpendingRules, up to
  // `as_of`: 0 or more, with six decimals at most. Absent: 0.
  std::optional<Quantity> spent = {};
  friend bool operator==(const UsageHistory&, const UsageHistory&) = default;
};

}  // namespace muster

#endif  // MUSTER_USAGE_H_
