// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Usage: what a monitor measured on nodes and of tasks, and what queues and users used in the past.
//
//   node.usage = muster::NodeUsage{.cpu = 70, .memory = 40, .measured = 1200};
//   node.usage->detail = muster::UsageDetail{
//       .amounts = {{"cpu", "45"}},
//       .windows = {{.seconds = 300, .p50 = {{"cpu", "30"}}, .p95 = {{"cpu", "44"}}}}};
//   task.usage = muster::TaskUsage{.amounts = {{"cpu", "350m"}, {"nvidia.com/gpu", "420m"}}};
//   queue.history = muster::UsageHistory{
//       .as_of = 1200, .half_life = 86400, .entries = {{.user = "ann", .amounts = {{"cpu", 12}}}}};
//
// Measured amounts are in the unit of their resource: 420m of a GPU is a utilization of 42 %. The
// caller gives them, and gives new ones when they change: the library measures nothing and lets
// nothing decay by itself.
#ifndef MUSTER_USAGE_H_
#define MUSTER_USAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/boxed.h"
#include "muster/shape.h"

namespace muster {

// Statistics over the last `seconds`. A list that is empty was not measured.
struct UsageWindow {
  int64_t seconds = 0;  // 1 or more; the windows of one list differ
  Resources average = {}, p50 = {}, p90 = {}, p95 = {}, p99 = {};
  friend bool operator==(const UsageWindow&, const UsageWindow&) = default;
};

// Amounts used on a node, and by what.
struct UsageDetail {
  Resources amounts = {};                // by all that runs there
  Resources system = {};                 // by what is no task
  std::optional<int64_t> interval = {};  // seconds from one report to the next
  std::vector<UsageWindow> windows = {};
  friend bool operator==(const UsageDetail&, const UsageDetail&) = default;
};

// What a monitor measured on a node, in percent of its capacity.
struct NodeUsage {
  Quantity cpu = 0, memory = 0;
  int64_t measured = 0;  // when
  Boxed<UsageDetail> detail = {};
  friend bool operator==(const NodeUsage&, const NodeUsage&) = default;
};

// What a monitor measured of a task.
struct TaskUsage {
  Resources amounts = {};
  int64_t measured = 0;  // when
  std::vector<UsageWindow> windows = {};
  friend bool operator==(const TaskUsage&, const TaskUsage&) = default;
};

// Past usage of a user within a queue, or of the queue itself.
struct UsageEntry {
  std::string user = {};   // empty: the queue as a whole. Each user is listed once
  Resources amounts = {};  // decayed up to the history's `as_of`
  Resources penalty = {};  // counted on top, for what was admitted since
  // For peers that keep one number in place of amounts (HTCondor's real priority), and what it is
  // multiplied by. Texts keep all their decimals.
  std::optional<Quantity> priority = {};
  Quantity factor = 1;
  friend bool operator==(const UsageEntry&, const UsageEntry&) = default;
};

struct UsageHistory {
  int64_t as_of = 0;
  std::optional<int64_t> half_life = {};  // seconds, 1 or more; absent: past usage stays
  std::vector<UsageEntry> entries = {};
  friend bool operator==(const UsageHistory&, const UsageHistory&) = default;
};

}  // namespace muster

#endif  // MUSTER_USAGE_H_
