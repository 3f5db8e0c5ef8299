// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Building, following and sampling the cluster of a replay.
#include "lib/replay/world.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "muster/quantity.h"

namespace muster {
namespace {

Unit UnitOf(std::string_view dimension) {
  return IsMilliDimension(dimension) ? Unit::kMilli : Unit::kWhole;
}

}  // namespace

absl::Status World::Build(const std::vector<std::string>& absent) {
  for (const DomainSpec& domain : trace_.machine.domains) {
    if (absl::Status s = cluster_.AddDomain(domain); !s.ok()) return s;
  }
  for (const NodeSpec& node : trace_.machine.nodes) {
    if (std::find(absent.begin(), absent.end(), node.name) != absent.end()) continue;
    if (absl::Status s = cluster_.AddNode(node); !s.ok()) return s;
    machine_row_.push_back(static_cast<uint32_t>(&node - trace_.machine.nodes.data()));
  }
  for (const QueueSpec& queue : trace_.queues) {
    const absl::Status s =
        queue.name == "default" ? cluster_.UpdateQueue(queue) : cluster_.AddQueue(queue);
    if (!s.ok()) return s;
  }
  if (!trace_.queues.empty() &&
      std::none_of(trace_.queues.begin(), trace_.queues.end(), [](const QueueSpec& q) {
        return q.name == "default" || q.parent == "default";
      })) {
    if (absl::Status s = cluster_.RemoveQueue("default"); !s.ok()) return s;
  }
  layout_ = tables().layout;
  job_of_.assign(trace_.size(), kNone);
  for (DimensionIndex d = 0; d < tables().dimension_count(); ++d) {
    resources_.emplace_back(tables().dimensions.name(d));
  }
  for (const TaskShape& shape : trace_.shapes) amounts_.push_back(AmountsOf(shape.request));
  most_.assign(trace_.shapes.size(), -1);
  used_.assign(resources_.size(), 0);
  node_used_.assign(tables().nodes.alive.size(), used_);
  up_.assign(node_used_.size(), 1);
  queue_used_.assign(std::max<size_t>(trace_.queues.size(), 1), used_);
  FindTypicalShapes();
  return absl::OkStatus();
}

// By dimension. What is asked of a dimension that no node has shows as -1 in cpu.
std::vector<int64_t> World::AmountsOf(const Resources& resources) const {
  std::vector<int64_t> amounts(resources_.size(), 0);
  amounts[kPods] = 1;
  for (const auto& [name, amount] : resources) {
    const auto found = std::find(resources_.begin(), resources_.end(), name);
    const absl::StatusOr<int64_t> parsed = ParseQuantity(amount.text, UnitOf(name));
    const int64_t value = parsed.ok() ? *parsed : 0;
    if (found != resources_.end()) {
      amounts[static_cast<size_t>(found - resources_.begin())] = value;
    } else if (value > 0) {
      amounts[kCpu] = -1;
    }
  }
  return amounts;
}

void World::FindTypicalShapes() {
  std::vector<int64_t> tasks(trace_.shapes.size(), 0);
  for (size_t row = 0; row < trace_.size(); ++row) tasks[trace_.shape[row]] += trace_.tasks[row];
  typical_.assign(resources_.size(), kNone);
  for (size_t d = 0; d < resources_.size(); ++d) {
    for (uint32_t shape = 0; shape < tasks.size(); ++shape) {
      if (amounts_[shape][d] <= 0) continue;
      if (typical_[d] == kNone || tasks[shape] > tasks[typical_[d]]) typical_[d] = shape;
    }
  }
}

bool World::FitsEmpty(uint32_t shape, int64_t needed) {
  int64_t& most = most_[shape];
  if (most < 0) {
    most = 0;
    const std::vector<int64_t>& request = amounts_[shape];
    const NodeTable& nodes = tables().nodes;
    for (NodeIndex n = 0; n < nodes.alive.size() && request[kCpu] >= 0; ++n) {
      int64_t fit = int64_t{1} << 32;
      for (size_t d = 0; d < request.size(); ++d) {
        const int64_t has = nodes.allocatable.at(n, static_cast<DimensionIndex>(d));
        if (request[d] == 0 || (d == kPods && has == kAbsent)) continue;
        fit = std::min(fit, std::max<int64_t>(has == kAbsent ? 0 : has, 0) / request[d]);
      }
      most += fit;
    }
  }
  return most >= needed;
}

absl::Status World::AddJob(uint32_t row, int64_t now, int64_t min_available, int64_t estimate) {
  const uint32_t shape = trace_.shape[row];
  JobSpec job;
  job.name = absl::StrCat(row);
  if (!trace_.queues.empty()) job.queue = trace_.queues[trace_.queue[row]].name;
  if (!trace_.priority.empty()) job.priority = trace_.priority[row];
  job.min_available = min_available;
  job.groups = {{.name = "w", .count = trace_.tasks[row], .shape = trace_.shapes[shape]}};
  job.created = now;
  job.uid_rank = row;
  job.estimate = estimate;
  if (!trace_.deadline.empty() && trace_.deadline[row] != kAbsent)
    job.deadline = trace_.deadline[row];
  const uint64_t gang = uint64_t{shape} << 32 | static_cast<uint64_t>(min_available);
  const auto [at, added] = gang_requests_.try_emplace(gang);
  if (added) {
    for (const auto& [name, amount] : trace_.shapes[shape].request) {
      const absl::StatusOr<int64_t> one = ParseQuantity(amount.text, UnitOf(name));
      int64_t all = 0;
      if (!one.ok() || __builtin_mul_overflow(*one, min_available, &all)) continue;
      at->second.emplace_back(name, FormatQuantity(all, UnitOf(name)));
    }
  }
  job.min_resources = at->second;
  if (absl::Status s = cluster_.AddJob(job); !s.ok()) return s;
  FollowLayout();
  const JobIndex index = *tables().jobs.names.Find(job.name);
  job_of_[row] = index;
  row_of_.resize(std::max<size_t>(row_of_.size(), index + 1), kNone);
  row_of_[index] = row;
  return absl::OkStatus();
}

absl::Status World::RemoveJob(uint32_t row) {
  row_of_[job_of_[row]] = kNone;
  job_of_[row] = kNone;
  if (absl::Status s = cluster_.RemoveJob(absl::StrCat(row)); !s.ok()) return s;
  FollowLayout();
  return absl::OkStatus();
}

void World::FollowLayout() {
  if (layout_ == tables().layout) return;
  layout_ = tables().layout;
  const JobTable& jobs = tables().jobs;
  row_of_.assign(jobs.alive.size(), kNone);
  for (JobIndex j = 0; j < jobs.alive.size(); ++j) {
    if (!jobs.alive[j]) continue;
    const std::string_view name = jobs.names.name(j);
    uint32_t row = kNone;
    std::from_chars(name.data(), name.data() + name.size(), row);
    row_of_[j] = row;
    job_of_[row] = j;
  }
}

void World::Account(uint32_t row, NodeIndex node, int sign) {
  const std::vector<int64_t>& request = amounts_[trace_.shape[row]];
  std::vector<int64_t>& on_node = node_used_[node];
  std::vector<int64_t>& in_queue = queue_used_[trace_.queue[row]];
  for (size_t d = 0; d < request.size(); ++d) {
    used_[d] += sign * request[d];
    on_node[d] += sign * request[d];
    in_queue[d] += sign * request[d];
  }
}

void World::Run(uint32_t row, TaskIndex task, NodeIndex node, int64_t now) {
  editor().SetPlace(task, TaskStatus::kRunning, node, /*assumed=*/false);
  editor().SetStarted(task, now);
  Account(row, node, 1);
}

void World::Release(uint32_t row, TaskIndex task) {
  Account(row, tables().tasks.node[task], -1);
  editor().SetPlace(task, TaskStatus::kPending, kNone, /*assumed=*/false);
  editor().SetStarted(task, kAbsent);
}

// --- nodes

const NodeSpec* World::SpecOf(std::string_view name) const {
  for (const NodeSpec& node : trace_.machine.nodes) {
    if (node.name == name) return &node;
  }
  return nullptr;
}

absl::StatusOr<std::vector<std::string>> World::NodesOf(const std::string& name) const {
  if (SpecOf(name) != nullptr) return std::vector<std::string>{name};
  std::vector<std::string> nodes;
  for (const NodeSpec& node : trace_.machine.nodes) {
    if (node.domain == name) nodes.push_back(node.name);
  }
  if (nodes.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("node event: there is no node or domain of nodes ", Quote(name)));
  }
  return nodes;
}

absl::Status World::Join(const std::string& name) {
  if (FindNode(name).has_value()) return absl::OkStatus();
  const NodeSpec* node = SpecOf(name);
  if (absl::Status s = cluster_.AddNode(*node); !s.ok()) return s;
  machine_row_.push_back(static_cast<uint32_t>(node - trace_.machine.nodes.data()));
  FollowLayout();
  node_used_.push_back(std::vector<int64_t>(resources_.size(), 0));
  up_.push_back(1);
  return absl::OkStatus();
}

absl::Status World::SetUp(NodeIndex node, bool ready, bool schedulable) {
  NodeSpec spec = tables().nodes.spec[node];
  spec.ready = ready;
  spec.unschedulable = !schedulable;
  up_[node] = ready;
  return cluster_.UpdateNode(spec);
}

// --- series

void World::BeginSeries(ReplaySeries* series) const {
  series->dimensions.clear();
  for (size_t d = 0; d < resources_.size(); ++d) {
    if (typical_[d] != kNone && d != kPods) series->dimensions.push_back(resources_[d]);
  }
  series->used.resize(series->dimensions.size());
  series->capacity.resize(series->dimensions.size());
  series->fragmentation.resize(series->dimensions.size());
  for (const QueueSpec& queue : trace_.queues) series->queues.push_back(queue.name);
  if (trace_.queues.empty()) series->queues.emplace_back("default");
  series->queue_share.resize(series->queues.size());
  series->queue_deserved.resize(series->queues.size());
}

void World::Sample(const std::vector<double>& deserved, ReplaySeries* series) const {
  const NodeTable& nodes = tables().nodes;
  std::vector<int64_t> total(resources_.size(), 0);
  size_t column = 0;
  for (size_t d = 0; d < resources_.size(); ++d) {
    const auto dimension = static_cast<DimensionIndex>(d);
    int64_t free = 0, unusable = 0;
    for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
      const int64_t has = nodes.allocatable.at(n, dimension);
      if (!up_[n] || has == kAbsent) continue;
      total[d] += has;
      const int64_t idle = std::max<int64_t>(0, has - node_used_[n][d]);
      free += idle;
      if (typical_[d] == kNone || idle == 0) continue;
      const std::vector<int64_t>& request = amounts_[typical_[d]];
      bool fits = true;
      for (size_t e = 0; e < request.size(); ++e) {
        const int64_t other = nodes.allocatable.at(n, static_cast<DimensionIndex>(e));
        if (e == kPods && other == kAbsent) continue;
        fits &= request[e] <= (other == kAbsent ? 0 : other - node_used_[n][e]);
      }
      if (!fits) unusable += idle;
    }
    if (typical_[d] == kNone || d == kPods) continue;
    series->used[column].push_back(used_[d]);
    series->capacity[column].push_back(total[d]);
    series->fragmentation[column].push_back(
        free == 0 ? 0.0 : static_cast<double>(unusable) / static_cast<double>(free));
    ++column;
  }
  for (size_t q = 0; q < queue_used_.size(); ++q) {
    double share = 0;
    for (size_t d = 0; d < resources_.size(); ++d) {
      if (d == kPods || total[d] <= 0) continue;
      share =
          std::max(share, static_cast<double>(queue_used_[q][d]) / static_cast<double>(total[d]));
    }
    series->queue_share[q].push_back(share);
    series->queue_deserved[q].push_back(q < deserved.size() ? deserved[q] : -1.0);
  }
}

}  // namespace muster
