// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/scenario/amounts.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "muster/shape.h"
#include "muster/spec.h"

namespace muster {
namespace {

class Names {
 public:
  void Add(const Resources& resources) {
    for (const auto& [name, amount] : resources) known_.insert(name);
  }
  void Add(const std::optional<Resources>& resources) {
    if (resources) Add(*resources);
  }
  void Add(const TaskShape& shape) {
    Add(shape.request);
    Add(shape.initial_request);
  }
  int64_t size() const { return static_cast<int64_t>(known_.size()); }

 private:
  HashSet<std::string_view> known_;
};

}  // namespace

absl::Status CheckAmounts(const ClusterSpec& cluster, const Budget& budget) {
  Names names;
  int64_t rows =
      static_cast<int64_t>(cluster.nodes.size() + cluster.queues.size() + cluster.tasks.size());
  for (const NodeSpec& node : cluster.nodes) {
    names.Add(node.capacity);
    names.Add(node.allocatable);
  }
  for (const QueueSpec& queue : cluster.queues) {
    names.Add(queue.guaranteed);
    names.Add(queue.deserved);
    names.Add(queue.limit);
    names.Add(queue.borrow_limit);
    names.Add(queue.lend_limit);
  }
  for (const JobSpec& job : cluster.jobs) {
    names.Add(job.min_resources);
    for (const GroupSpec& group : job.groups) names.Add(group.shape);
    rows += 1 + static_cast<int64_t>(job.groups.size());
  }
  for (const TaskSpec& task : cluster.tasks) names.Add(task.shape);
  if (names.size() <= kFewResources) return absl::OkStatus();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const int64_t limit = budget.limits().rows;
  const int64_t most = limit > kMost / kAmountsForRow ? kMost : kAmountsForRow * limit;
  // Both are numbers of things in memory: their product is far below 2^63.
  const int64_t amounts = rows * names.size();
  if (amounts <= most) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("scenario: ", names.size(), " resources of ",
                                                   rows, " rows: ", amounts,
                                                   " amounts in all; at most ", most, " are read"));
}

}  // namespace muster
