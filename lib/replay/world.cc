// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Building, following and sampling the cluster of a replay.
#include "lib/replay/world.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/describe.h"
#include "muster/quantity.h"

namespace muster {
namespace {

Unit UnitOf(std::string_view dimension) {
  return IsMilliDimension(dimension) ? Unit::kMilli : Unit::kWhole;
}

}  // namespace

World::World(const Trace& trace) : trace_(trace), speeds_(trace) {
  for (uint32_t row = 0; row < trace.machine.nodes.size(); ++row) {
    const NodeSpec& node = trace.machine.nodes[row];
    spec_of_.try_emplace(node.name, row);
    if (!node.domain.empty()) members_of_[node.domain].push_back(row);
  }
}

// The capacity of the machine is that of all its nodes, whether they are there yet or not.
absl::Status World::LearnMachine() {
  Cluster machine;
  for (const DomainSpec& domain : trace_.machine.domains) {
    if (absl::Status s = machine.AddDomain(domain); !s.ok()) return s;
  }
  for (const NodeSpec& node : trace_.machine.nodes) {
    if (absl::Status s = machine.AddNode(node); !s.ok()) return s;
  }
  const Tables& tables = TablesOf(machine);
  for (DimensionIndex d = 0; d < tables.dimension_count(); ++d) {
    resources_.emplace_back(tables.dimensions.name(d));
  }
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    const auto row = tables.nodes.allocatable.row(n);
    ++kinds_[std::vector<int64_t>(row.begin(), row.end())];
  }
  return absl::OkStatus();
}

absl::Status World::Build(const std::vector<uint8_t>& absent) {
  if (absl::Status s = LearnMachine(); !s.ok()) return s;
  for (const TaskShape& shape : trace_.shapes) amounts_.push_back(AmountsOf(shape.request));
  most_.assign(trace_.shapes.size(), -1);
  FindTypicalShapes();
  used_.assign(resources_.size(), 0);
  sums_.assign(resources_.size(), {});
  LearnQueues();
  for (const DomainSpec& domain : trace_.machine.domains) {
    if (absl::Status s = cluster_.AddDomain(domain); !s.ok()) return s;
  }
  for (uint32_t row = 0; row < trace_.machine.nodes.size(); ++row) {
    if (absent[row]) continue;
    if (absl::Status s = cluster_.AddNode(trace_.machine.nodes[row]); !s.ok()) return s;
    AddNodeBooks(row);
  }
  for (const QueueSpec& queue : trace_.queues) {
    absl::Status s =
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
  FindColumns();
  return absl::OkStatus();
}

void World::FindColumns() {
  column_.resize(resources_.size(), kNone);
  for (size_t d = 0; d < resources_.size(); ++d) {
    if (column_[d] == kNone) column_[d] = tables().dimensions.Find(resources_[d]).value_or(kNone);
  }
}

void World::AddNodeBooks(uint32_t machine_row) {
  machine_row_.push_back(machine_row);
  node_used_.resize(node_used_.size() + resources_.size(), 0);
  parts_.resize(node_used_.size());
  up_.push_back(1);
  is_touched_.push_back(0);
  Touch(static_cast<NodeIndex>(up_.size() - 1));
}

// By dimension. A request of a dimension that no node has shows as -1 in cpu.
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

void World::LearnQueues() {
  std::vector<DivisionQueue> queues(std::max<size_t>(trace_.queues.size(), 1),
                                    {.parent = kNoParent});
  HashMap<std::string_view, size_t> rows;
  for (size_t q = 0; q < trace_.queues.size(); ++q) rows.try_emplace(trace_.queues[q].name, q);
  const auto amounts = [&](const std::optional<Resources>& given) {
    std::optional<std::vector<int64_t>> bound;
    if (!given) return bound;
    bound.emplace(resources_.size(), kAbsent);
    for (const auto& [name, amount] : *given) {
      const auto found = std::ranges::find(resources_, name);
      if (found == resources_.end()) continue;
      const absl::StatusOr<int64_t> parsed = ParseQuantity(amount.text, UnitOf(name));
      if (parsed.ok()) (*bound)[static_cast<size_t>(found - resources_.begin())] = *parsed;
    }
    return bound;
  };
  for (size_t q = 0; q < trace_.queues.size(); ++q) {
    const QueueSpec& spec = trace_.queues[q];
    const auto parent = rows.find(spec.parent);
    queues[q] = {.parent = parent == rows.end() ? kNoParent : parent->second,
                 .weight = spec.weight,
                 .guaranteed = amounts(spec.guaranteed),
                 .limit = amounts(spec.limit)};
  }
  queue_used_.assign(queues.size(), used_);
  queue_wanted_.assign(queues.size(), std::vector<absl::int128>(resources_.size()));
  division_ = MachineDivision(std::move(queues));
}

void World::Want(uint32_t row, int sign) {
  const std::vector<int64_t>& request = amounts_[trace_.shape[row]];
  const int64_t tasks = sign * int64_t{trace_.tasks[row]};
  std::vector<absl::int128>& in_queue = queue_wanted_[trace_.queue[row]];
  for (size_t d = 0; d < request.size(); ++d) {
    in_queue[d] += absl::int128(std::max<int64_t>(request[d], 0)) * tasks;
  }
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
    if (request[kCpu] < 0) return needed <= 0;
    for (const auto& [has, nodes] : kinds_) {
      int64_t fit = int64_t{1} << 32;
      for (size_t d = 0; d < request.size(); ++d) {
        if (request[d] == 0 || (d == kPods && has[d] == kAbsent)) continue;
        fit = std::min(fit, std::max<int64_t>(OrZero(has[d]), 0) / request[d]);
      }
      most += fit * nodes;
    }
  }
  return most >= needed;
}

// Checks all of a job of the trace, and finds out what need not be checked again for jobs like it.
absl::StatusOr<JobKind> World::KindOf(uint32_t row, JobSpec job) {
  const TaskShape& shape = trace_.shapes[trace_.shape[row]];
  for (const auto& [name, amount] : shape.request) {
    const absl::StatusOr<int64_t> one = ParseQuantity(amount.text, UnitOf(name));
    int64_t all = 0;
    if (!one.ok() || __builtin_mul_overflow(*one, job.min_available, &all)) continue;
    job.min_resources->emplace_back(name, FormatQuantity(all, UnitOf(name)));
  }
  job.groups = {{.name = "w", .count = trace_.tasks[row]}};
  const absl::StatusOr<Amounts> amounts = CheckJob(job);
  if (!amounts.ok()) return amounts.status();
  const absl::StatusOr<CheckedShape> checked =
      editor().interner().Check(shape, "job", job.name, "group", job.groups[0].name);
  if (!checked.ok()) return checked.status();
  JobRefs refs;
  if (const std::optional<Missing> missing = editor().Resolve(job, kNone, &refs)) {
    return absl::InvalidArgumentError(missing->message);
  }
  return editor().KindOf(job, *amounts, refs, {&*checked, 1});
}

absl::Status World::AddJob(uint32_t row, int64_t now, int64_t min_available,
                           std::optional<int64_t> estimate,
                           const std::optional<Lifetime>& lifetime) {
  constexpr int64_t kTaskNameBytes = 32;  // "<row>-w-<ordinal>"
  JobSpec job;
  job.name = absl::StrCat(row);
  if (!trace_.queues.empty()) job.queue = trace_.queues[trace_.queue[row]].name;
  if (!trace_.priority.empty()) job.priority = trace_.priority[row];
  job.min_available = min_available;
  job.min_resources.emplace();
  job.created = now;
  job.uid_rank = row;
  job.estimate = estimate;
  if (lifetime) job.lifetime = *lifetime;
  job.settings = speeds_.Settings(row);
  if (trace_.user[row] != kNone) job.owner = JobOwner{.user = trace_.users[trace_.user[row]]};
  if (!trace_.deadline.empty() && trace_.deadline[row] != kAbsent)
    job.deadline = trace_.deadline[row];
  const int64_t tasks = trace_.tasks[row];
  const JobTable& jobs = tables().jobs;
  if (absl::Status s = editor().CheckRoom(jobs.names, 1, kTaskNameBytes); !s.ok()) return s;
  if (absl::Status s = editor().CheckRoom(tables().tasks.names, tasks, tasks * kTaskNameBytes);
      !s.ok()) {
    return s;
  }
  const std::tuple key(trace_.shape[row], trace_.tasks[row], min_available, trace_.queue[row]);
  auto kind = job_kinds_.find(key);
  if (kind != job_kinds_.end()) {
    if (const absl::StatusOr<Amounts> own = CheckJob(job); !own.ok()) return own.status();
  } else {
    absl::StatusOr<JobKind> learned = KindOf(row, job);
    if (!learned.ok()) return learned.status();
    FollowLayout();
    kind = job_kinds_.try_emplace(key, *std::move(learned)).first;
  }
  const JobIndex index = editor().AppendJob(kind->second, std::move(job));
  job_of_[row] = index;
  row_of_.resize(std::max<size_t>(row_of_.size(), index + 1), kNone);
  row_of_[index] = row;
  Want(row, 1);
  return absl::OkStatus();
}

absl::Status World::SetLifetime(uint32_t row, const Lifetime& lifetime) {
  for (const TaskIndex task : tasks_of(row)) {
    if (tables().tasks.node[task] == kNone) continue;
    TaskSpec spec = DescribeTask(tables(), task);
    spec.lifetime = lifetime;
    if (absl::Status s = cluster_.UpdateTask(spec); !s.ok()) return s;
  }
  return absl::OkStatus();
}

void World::RemoveJob(uint32_t row) {
  Want(row, -1);
  row_of_[job_of_[row]] = kNone;
  editor().EraseJob(job_of_[row]);
  job_of_[row] = kNone;
  editor().MaybeCompact();
  FollowLayout();
}

void World::FollowLayout() {
  if (layout_ == tables().layout) return;
  layout_ = tables().layout;
  job_kinds_.clear();
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
  int64_t* on_node = &node_used_[node * resources_.size()];
  std::vector<int64_t>& in_queue = queue_used_[trace_.queue[row]];
  for (size_t d = 0; d < request.size(); ++d) {
    used_[d] += sign * request[d];
    on_node[d] += sign * request[d];
    in_queue[d] += sign * request[d];
  }
  Touch(node);
}

void World::Run(uint32_t row, TaskIndex task, NodeIndex node, int64_t now) {
  Start(task, node, now);
  Account(row, node, 1);
}

void World::Start(TaskIndex task, NodeIndex node, int64_t now) {
  editor().SetPlace(task, TaskStatus::kRunning, node, /*assumed=*/false);
  editor().SetStarted(task, now);
}

void World::Release(uint32_t row, TaskIndex task) {
  Account(row, tables().tasks.node[task], -1);
  editor().SetPlace(task, TaskStatus::kPending, kNone, /*assumed=*/false);
  editor().SetStarted(task, kAbsent);
}

// --- nodes

absl::StatusOr<std::vector<uint32_t>> World::NodesOf(const std::string& name) const {
  const auto node = spec_of_.find(name);
  if (node != spec_of_.end()) return std::vector<uint32_t>{node->second};
  const auto members = members_of_.find(name);
  if (members == members_of_.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("node event: there is no node or domain of nodes ", Quote(name)));
  }
  return members->second;
}

absl::Status World::Join(uint32_t machine_row) {
  if (absl::Status s = cluster_.AddNode(trace_.machine.nodes[machine_row]); !s.ok()) return s;
  AddNodeBooks(machine_row);
  FollowLayout();
  FindColumns();
  return absl::OkStatus();
}

absl::Status World::SetUp(NodeIndex node, bool ready, bool schedulable) {
  NodeSpec spec = tables().nodes.spec[node];
  spec.ready = ready;
  spec.unschedulable = !schedulable;
  up_[node] = ready;
  Touch(node);
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

void World::Touch(NodeIndex node) {
  if (is_touched_[node]) return;
  is_touched_[node] = 1;
  touched_.push_back(node);
}

void World::Recount(NodeIndex node) {
  const size_t dimensions = resources_.size();
  const int64_t* used = &node_used_[node * dimensions];
  // What is left of dimension d; what a node does not have is 0.
  const auto left = [&](size_t d) { return OrZero(Has(node, d)) - used[d]; };
  for (size_t d = 0; d < dimensions; ++d) {
    const int64_t has = Has(node, d);
    Part part;
    if (up_[node] && has != kAbsent) {
      part.has = has;
      part.idle = std::max<int64_t>(0, has - used[d]);
    }
    if (typical_[d] != kNone && part.idle > 0) {
      const std::vector<int64_t>& request = amounts_[typical_[d]];
      bool fits = true;
      for (size_t e = 0; e < dimensions; ++e) {
        if (e == kPods && Has(node, e) == kAbsent) continue;
        fits &= request[e] <= left(e);
      }
      if (!fits) part.unusable = part.idle;
    }
    Part& before = parts_[node * dimensions + d];
    Part& sum = sums_[d];
    sum.has += part.has - before.has;
    sum.idle += part.idle - before.idle;
    sum.unusable += part.unusable - before.unusable;
    before = part;
  }
}

void World::CountTouched() {
  for (NodeIndex node : touched_) {
    is_touched_[node] = 0;
    Recount(node);
  }
  touched_.clear();
}

void World::Sample(ReplaySeries* series) {
  CountTouched();
  size_t column = 0;
  for (size_t d = 0; d < resources_.size(); ++d) {
    if (typical_[d] == kNone || d == kPods) continue;
    const Part& sum = sums_[d];
    series->used[column].push_back(used_[d]);
    series->capacity[column].push_back(sum.has);
    series->fragmentation[column].push_back(
        sum.idle == 0 ? 0.0 : static_cast<double>(sum.unusable) / static_cast<double>(sum.idle));
    ++column;
  }
  std::vector<int64_t> capacity;
  for (size_t d = 0; d < sums_.size(); ++d) capacity.push_back(d == kPods ? 0 : sums_[d].has);
  std::vector<std::vector<double>> wanted(queue_wanted_.size());
  for (size_t q = 0; q < wanted.size(); ++q) {
    for (const absl::int128 amount : queue_wanted_[q]) wanted[q].push_back(double(amount));
  }
  const std::vector<double> deserved = division_.Divide(wanted, capacity);
  std::vector<std::vector<int64_t>> held = queue_used_;
  division_.AddChildren(&held);
  for (size_t q = 0; q < held.size(); ++q) {
    double share = 0;
    for (size_t d = 0; d < capacity.size(); ++d) {
      if (capacity[d] <= 0) continue;
      share = std::max(share, static_cast<double>(held[q][d]) / static_cast<double>(capacity[d]));
    }
    series->queue_share[q].push_back(share);
    series->queue_deserved[q].push_back(deserved[q]);
  }
}

}  // namespace muster
