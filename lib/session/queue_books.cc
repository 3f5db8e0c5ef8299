// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/session/queue_books.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/ledger/overfull.h"
#include "lib/model/living_names.h"
#include "lib/model/what_if_edits.h"

namespace muster {
namespace {

// Adds as accounts are charged: sums beyond int64 wrap, and undoing is exact.
void Charge(std::span<int64_t> cells, std::span<const int64_t> amounts, uint64_t sign) {
  for (size_t d = 0; d < amounts.size(); ++d) {
    cells[d] = static_cast<int64_t>(static_cast<uint64_t>(cells[d]) +
                                    sign * static_cast<uint64_t>(amounts[d]));
  }
}

// Adds `count` times the amounts, absent ones being 0. Returns the dimension in which a sum exceeds
// int64, if any.
std::optional<DimensionIndex> AddMany(std::span<int64_t> cells, std::span<const int64_t> amounts,
                                      int64_t count) {
  for (DimensionIndex d = 0; d < amounts.size(); ++d) {
    int64_t more = 0;
    if (__builtin_mul_overflow(OrZero(amounts[d]), count, &more) ||
        __builtin_add_overflow(cells[d], more, &cells[d])) {
      return d;
    }
  }
  return std::nullopt;
}

}  // namespace

QueueBooks::QueueBooks(const Tables& tables, Ledger& ledger, const ProfileConfig& config)
    : tables_(tables),
      ledger_(ledger),
      config_(config),
      whole_nodes_only_(config.needs.whole_nodes) {
  small_.dimensions = tables.dimensions;
  small_.queues = tables.queues;
  const size_t dimensions = tables.dimension_count();
  for (RowTable* rows :
       {&small_.nodes.capacity, &small_.nodes.allocatable, &small_.jobs.min_resources,
        &small_.classes.request, &small_.classes.initial_request}) {
    rows->AddDimensions(dimensions);
  }
  if (whole_nodes_only_) {
    small_.nodes.names.Intern("");
    small_.nodes.alive.push_back(1);
    small_.nodes.spec.emplace_back();
    small_.nodes.capacity.AppendAbsent();
    small_.nodes.allocatable.AppendAbsent();
    small_.nodes.domain.push_back(kNone);
  }
  sums_.total.assign(ledger.total().begin(), ledger.total().end());
  nodes_with_.assign(ledger.nodes_with().begin(), ledger.nodes_with().end());
  sums_.queue_allocated.AddDimensions(dimensions);
  sums_.queue_pending.AddDimensions(dimensions);
  for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
    sums_.queue_allocated.Append(ledger.queue_allocated(q));
    sums_.queue_pending.Append(ledger.queue_pending(q));
  }
}

absl::Status QueueBooks::Apply(const WhatIfChange& change) {
  const int said = change.queue.has_value() + change.remove_nodes.has_value() +
                   change.add_nodes.has_value() + change.add_job.has_value() +
                   change.remove_job.has_value();
  if (change.job.has_value() || change.nodes.has_value() || change.remove_task.has_value() ||
      change.add_task.has_value()) {
    return absl::InvalidArgumentError(
        "changes of tasks and of nodes that stay need plans; Rehearse (muster what-if --plan) "
        "makes "
        "them");
  }
  if (said != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("has ", said == 0 ? "no change" : "more than one change",
                     "; must have one of queue, remove_nodes, add_nodes, add_job, remove_job"));
  }
  if (change.queue.has_value()) return Edit(*change.queue);
  if (change.remove_nodes.has_value()) return RemoveNodes(*change.remove_nodes);
  if (change.add_nodes.has_value()) return AddNodes(*change.add_nodes);
  if (change.add_job.has_value()) return AddJob(*change.add_job);
  return RemoveJob(*change.remove_job);
}

std::vector<QueueShares> QueueBooks::Count() {
  sums_.total_present.assign(nodes_with_.size(), 0);
  for (size_t d = 0; d < nodes_with_.size(); ++d) sums_.total_present[d] = nodes_with_[d] > 0;
  if (whole_nodes_only_) SumWholeNodes();
  const Ledger books(small_, config_.accounting, sums_);
  const std::vector<JobPhase> no_phases;
  const internal::CycleData data{small_, books, 0, no_phases};
  const Cycle cycle(&data);
  std::vector<std::unique_ptr<Policy>> policies;
  for (const auto& tier : config_.tiers) {
    for (const ConfiguredPolicy& policy : tier) {
      if (!policy.points.has(Point::kQueueOrder)) continue;
      policies.push_back(policy.decl.make(policy.options));
      policies.back()->Open(cycle);
    }
  }
  std::vector<QueueShares> shares(small_.queues.alive.size());
  for (QueueIndex q = 0; q < shares.size(); ++q) {
    if (!small_.queues.alive[q]) continue;
    for (const auto& policy : policies) {
      shares[q].published = policy->PublishShare(q, &shares[q].deserved, &shares[q].share);
      if (shares[q].published) break;
    }
  }
  return shares;
}

void QueueBooks::SumWholeNodes() {
  const size_t dimensions = small_.dimension_count();
  std::vector<int64_t> sum(dimensions, kAbsent);
  const auto add = [&sum](std::span<const int64_t> amounts, int64_t count) {
    for (DimensionIndex d = 0; d < amounts.size(); ++d) {
      if (d != kPods && amounts[d] != kAbsent) sum[d] = OrZero(sum[d]) + count * amounts[d];
    }
  };
  const NodeTable& nodes = tables_.nodes;
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    if (!nodes.alive[n] || removed_nodes_.contains(n)) continue;
    const auto idle_now = ledger_.node(n, kIdle);
    std::vector<int64_t> idle(idle_now.begin(), idle_now.end());
    if (const auto freed = freed_.find(n); freed != freed_.end()) Charge(idle, freed->second, 1);
    if (!IsOverfull(idle, config_.accounting.least)) add(nodes.allocatable.row(n), 1);
  }
  for (const Added& added : added_nodes_) add(added.allocatable, added.count);
  std::ranges::copy(sum, small_.nodes.allocatable.row(0).begin());
}

// --- queues

absl::Status QueueBooks::FindQueue(std::string_view name, const std::string& place,
                                   QueueIndex* queue) const {
  const IndexNames<QueueIndex>& names = small_.queues.names;
  if (const std::optional<QueueIndex> found = names.Find(name)) {
    *queue = *found;
    return absl::OkStatus();
  }
  return NoSuchRow("queue", name, small_.queues, place);
}

absl::Status QueueBooks::CheckKnown(const std::string& place, const char* where,
                                    const Amounts& amounts) const {
  for (const Amount& amount : amounts) {
    if (small_.dimensions.Find(amount.name)) continue;
    std::vector<std::string_view> known;
    for (DimensionIndex d = 0; d < small_.dimensions.size(); ++d) {
      known.push_back(small_.dimensions.name(d));
    }
    return absl::InvalidArgumentError(absl::StrCat(place, ", ", where, " ", Quote(amount.name),
                                                   ": no node or task names this dimension",
                                                   SuggestName(amount.name, known)));
  }
  return absl::OkStatus();
}

absl::Status QueueBooks::Edit(const QueueEdit& edit) {
  QueueIndex q = kNone;
  if (absl::Status s = FindQueue(edit.name, "", &q); !s.ok()) return s;
  QueueTable& queues = small_.queues;
  QueueSpec spec = EditedQueue(queues.spec[q], edit);
  const absl::StatusOr<QueueAmounts> amounts = CheckQueue(spec);
  if (!amounts.ok()) return amounts.status();
  const std::string place = PlaceOf("queue", edit.name);
  for (const auto& [where, part] :
       {std::pair("guaranteed", &amounts->guaranteed), std::pair("deserved", &amounts->deserved),
        std::pair("limit", &amounts->limit)}) {
    if (absl::Status s = CheckKnown(place, where, *part); !s.ok()) return s;
  }
  for (auto [rows, part] : {std::pair(&queues.guaranteed, &amounts->guaranteed),
                            std::pair(&queues.deserved, &amounts->deserved),
                            std::pair(&queues.limit, &amounts->limit)}) {
    std::ranges::copy(RowOf(*part, small_), rows->row(q).begin());
  }
  queues.spec[q] = std::move(spec);
  return absl::OkStatus();
}

// --- nodes

absl::Status QueueBooks::RemoveNodes(const RemovedNodes& choice) {
  const auto chosen =
      ChooseNodes("remove_nodes", choice.name, choice.labels, tables_.nodes,
                  [this](NodeIndex node) { return !removed_nodes_.contains(node); });
  if (!chosen.ok()) return chosen.status();
  for (const NodeIndex node : *chosen) RemoveNode(node);
  return absl::OkStatus();
}

void QueueBooks::RemoveNode(NodeIndex node) {
  removed_nodes_.insert(node);
  const auto allocatable = tables_.nodes.allocatable.row(node);
  for (DimensionIndex d = 0; d < allocatable.size(); ++d) {
    if (allocatable[d] == kAbsent) continue;
    Charge(std::span(sums_.total).subspan(d, 1), allocatable.subspan(d, 1), -1);
    --nodes_with_[d];
  }
  for (TaskIndex t : ledger_.tasks_on(node)) {
    const JobIndex job = tables_.tasks.job[t];
    if (job == kNone || removed_jobs_.contains(job) || !CountsForQueue(ledger_.status(t))) continue;
    const QueueIndex q = tables_.jobs.queue[job];
    Charge(sums_.queue_allocated.row(q), ledger_.request(t), -1);
    Charge(sums_.queue_pending.row(q), ledger_.request(t), 1);
  }
}

absl::Status QueueBooks::AddNodes(const NewNodes& added) {
  NodeSpec spec = added.node;
  if (spec.name.empty()) spec.name = "new";
  const std::string place = PlaceOf("node", spec.name);
  const absl::StatusOr<NodeAmounts> amounts = CheckNode(spec);
  if (!amounts.ok()) return amounts.status();
  if (added.count < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": count is ", added.count, "; must be 1 or more"));
  }
  if (!spec.domain.empty() && !tables_.domains.names.Find(spec.domain)) {
    return absl::NotFoundError(
        absl::StrCat(place, ": ", PlaceOf("domain", spec.domain), " does not exist"));
  }
  AddDimensions(amounts->capacity, small_);
  AddDimensions(amounts->allocatable, small_);
  Widen();
  std::vector<int64_t> row = RowOf(amounts->allocatable, small_);
  if (const auto beyond = AddMany(sums_.total, row, added.count)) {
    return absl::InvalidArgumentError(absl::StrCat(
        place, ": ", ToAbsl(small_.dimensions.name(*beyond)), " of all nodes passes int64"));
  }
  for (DimensionIndex d = 0; d < row.size(); ++d) {
    if (row[d] != kAbsent) nodes_with_[d] += added.count;
  }
  added_nodes_.push_back({added.count, std::move(row)});
  return absl::OkStatus();
}

void QueueBooks::Widen() {
  const size_t dimensions = small_.dimension_count();
  sums_.total.resize(dimensions, 0);
  nodes_with_.resize(dimensions, 0);
  sums_.queue_allocated.AddDimensions(dimensions, 0);
  sums_.queue_pending.AddDimensions(dimensions, 0);
}

// --- jobs

absl::Status QueueBooks::AddJob(const JobSpec& job) {
  const std::string place = PlaceOf("job", job.name);
  const absl::StatusOr<Amounts> minimum = CheckJob(job);
  if (!minimum.ok()) return minimum.status();
  if (absl::Status s = CheckKnown(place, "min_resources", *minimum); !s.ok()) return s;
  const std::optional<JobIndex> known = tables_.jobs.names.Find(job.name);
  if ((known && !removed_jobs_.contains(*known)) || added_jobs_.contains(job.name)) {
    return absl::AlreadyExistsError(absl::StrCat(place, " exists already"));
  }
  QueueIndex q = kNone;
  if (absl::Status s = FindQueue(job.queue, absl::StrCat(place, ": "), &q); !s.ok()) return s;
  for (const GroupSpec& group : job.groups) {
    const absl::StatusOr<CheckedShape> shape =
        interner_.Check(group.shape, "job", job.name, "group", group.name);
    if (!shape.ok()) return shape.status();
    const std::string in_group = absl::StrCat(place, ", ", PlaceOf("group", group.name));
    for (const auto& [where, part] :
         {std::pair("request", &shape->amounts.request),
          std::pair("initial_request", &shape->amounts.initial_request)}) {
      if (absl::Status s = CheckKnown(in_group, where, *part); !s.ok()) return s;
    }
    const ClassIndex c = interner_.Intern(*shape, kNone, small_);
    const auto beyond =
        AddMany(sums_.queue_pending.row(q), small_.classes.request.row(c), group.count);
    if (beyond.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat(in_group, ": ", ToAbsl(small_.dimensions.name(*beyond)),
                       " of all that waits in ", PlaceOf("queue", job.queue), " passes int64"));
    }
  }
  ++small_.queues.jobs[q];
  added_jobs_.insert(job.name);
  return absl::OkStatus();
}

absl::Status QueueBooks::RemoveJob(const std::string& name) {
  const std::optional<JobIndex> job = tables_.jobs.names.Find(name);
  if (!job || !removed_jobs_.insert(*job).second) {
    return NoSuchJob(tables_, name, [this](JobIndex j) { return !removed_jobs_.contains(j); });
  }
  const QueueIndex q = tables_.jobs.queue[*job];
  for (TaskIndex t : tables_.jobs.tasks[*job]) {
    const TaskStatus status = ledger_.status(t);
    const NodeIndex node = ledger_.node_of(t);
    if (whole_nodes_only_ && node != kNone && status != TaskStatus::kNominated) {
      std::vector<int64_t>& freed = freed_[node];
      freed.resize(ledger_.dimensions(), 0);
      Charge(freed, ledger_.request(t), 1);
    }
    const bool counts = CountsForQueue(status);
    if (!counts && status != TaskStatus::kPending) continue;
    const bool waits = !counts || removed_nodes_.contains(node);
    Charge((waits ? sums_.queue_pending : sums_.queue_allocated).row(q), ledger_.request(t), -1);
  }
  --small_.queues.jobs[q];
  return absl::OkStatus();
}

}  // namespace muster
