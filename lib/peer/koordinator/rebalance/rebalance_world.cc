// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rows as nodes, tasks and workloads.
#include "lib/peer/koordinator/rebalance/rebalance_world.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"
#include "lib/model/settings.h"
#include "lib/peer/koordinator/setting_keys.h"
#include "muster/quantity.h"

namespace muster::koordinator {
namespace {

constexpr int64_t kMostThousandths = 40'000'000'000'000'000;
constexpr int64_t kMostSeconds = 4'000'000'000;
constexpr int64_t kMostCost = kNeverCost;
constexpr std::string_view kServiceLabel = "koordinator.sh/qosClass";
constexpr std::string_view kBandLabel = "koordinator.sh/priority-class";

int64_t Bounded(int64_t thousandths) {
  return std::clamp<int64_t>(thousandths, 0, kMostThousandths);
}

int64_t ThousandthsOf(const Quantity& amount) {
  const absl::StatusOr<int64_t> milli = ParseQuantity(amount.text, Unit::kMilli);
  return milli.ok() ? Bounded(*milli) : kMostThousandths;
}

std::optional<std::string> LabelOf(const Labels& labels, std::string_view key) {
  const std::string* value = FindLabel(labels, key);
  return value == nullptr ? std::nullopt : std::optional<std::string>(*value);
}

void SubtractDownToZero(const NamedAmounts& less, NamedAmounts* amounts) {
  for (auto& [name, amount] : *amounts) {
    amount = std::max<int64_t>(amount - std::min(amount, AmountOf(less, name)), 0);
  }
}

absl::Status ReadTraits(const JobSpec& job, WorkloadTraits* traits) {
  traits->owner = job.name;
  traits->owner_kind = "Job of the cluster";
  if (job.settings.empty()) return absl::OkStatus();
  SettingReader settings("job", job.name, job.settings, "koordinator");
  if (const auto owner = settings.Text("owner")) traits->owner = std::string(*owner);
  if (const auto kind = settings.Text("owner_kind")) {
    traits->owner_kind = *kind == "none" ? "" : std::string(*kind);
  }
  if (traits->owner_kind.empty()) traits->owner.clear();
  if (settings.Text("replicas").has_value()) {
    traits->replicas = settings.Integer("replicas", 0, kMostCost, 0);
  }
  traits->deletion_cost = settings.Integer("deletion_cost", -kMostCost, kMostCost, 0);
  traits->eviction_cost = settings.Integer("eviction_cost", -kMostCost, kMostCost, 0);
  traits->has_evict_mark = settings.Flag("evict", false);
  traits->has_local_data = settings.Flag("local_data", false);
  traits->has_claim = settings.Flag("claims", false);
  PassOver(kGangKeys, &settings);
  return settings.Finish();
}

}  // namespace

int64_t NanosecondsOf(int64_t seconds) {
  return std::clamp(seconds, -kMostSeconds, kMostSeconds) * 1'000'000'000;
}

int64_t AmountInRow(const Tables& tables, std::span<const int64_t> row, DimensionIndex d) {
  if (row[d] == kAbsent) return 0;
  return Bounded(IsMilliDimension(tables.dimensions.name(d)) ? row[d] : SatMul(row[d], 1000));
}

NamedAmounts AmountsOfRow(const Tables& tables, std::span<const int64_t> row) {
  NamedAmounts amounts;
  amounts.reserve(row.size());
  for (DimensionIndex d = 0; d < row.size(); ++d) {
    if (row[d] == kAbsent) continue;
    amounts.emplace_back(tables.dimensions.name(d), AmountInRow(tables, row, d));
  }
  return amounts;
}

NamedAmounts AmountsOf(const Resources& resources) {
  NamedAmounts amounts;
  amounts.reserve(resources.size());
  for (const auto& [name, amount] : resources) amounts.emplace_back(name, ThousandthsOf(amount));
  return amounts;
}

NamedAmounts MeasuredAmounts(const Tables& tables, NodeIndex node) {
  const std::optional<NodeUsage>& usage = tables.nodes.spec[node].usage;
  if (!usage.has_value()) return {};
  if (usage->detail && !usage->detail->amounts.empty()) return AmountsOf(usage->detail->amounts);
  const NamedAmounts capacity = AmountsOfRow(tables, tables.nodes.capacity.row(node));
  const auto part = [&](const Quantity& percent, std::string_view name) {
    return Bounded(MulDiv(ThousandthsOf(percent), AmountOf(capacity, name), 100'000));
  };
  return {{"cpu", part(usage->cpu, "cpu")}, {"memory", part(usage->memory, "memory")}};
}

const TaskUsage* MeasuredUsage(const Tables& tables, TaskIndex task) {
  const auto facts = tables.tasks.facts.find(task);
  if (facts == tables.tasks.facts.end() || !facts->second.usage) return nullptr;
  return facts->second.usage->amounts.empty() ? nullptr : &*facts->second.usage;
}

KubeService KubeServiceOf(const Tables& tables, TaskIndex task) {
  const ClassIndex c = tables.tasks.task_class[task];
  if (tables.classes.shape[c].guaranteed_qos) return KubeService::kGuaranteed;
  return tables.classes.best_effort[c] ? KubeService::kBestEffort : KubeService::kBurstable;
}

Service ServiceOfTask(const Tables& tables, TaskIndex task) {
  const TaskShape& shape = tables.classes.shape[tables.tasks.task_class[task]];
  return ServiceOf(LabelOf(shape.labels, kServiceLabel), KubeServiceOf(tables, task));
}

namespace {

Band BandOfTask(const Tables& tables, TaskIndex task, Service service) {
  const TaskShape& shape = tables.classes.shape[tables.tasks.task_class[task]];
  return BandOf({LabelOf(shape.labels, kBandLabel), tables.tasks.priority[task]}, service);
}

}  // namespace

Band BandOfTask(const Tables& tables, TaskIndex task) {
  return BandOfTask(tables, task, ServiceOfTask(tables, task));
}

bool IsOnNode(TaskStatus status) {
  return HoldsNode(status) && status != TaskStatus::kNominated && status != TaskStatus::kWaiting;
}

bool MayLeave(const ActionContext& context, TaskIndex task) {
  const TaskStatus status = context.ledger.status(task);
  if (status != TaskStatus::kRunning && status != TaskStatus::kBound) return false;
  const TaskTable& tasks = context.tables.tasks;
  if (!context.tables.has_job(task) || !(tasks.flags[task] & kTaskPreemptable)) return false;
  const int64_t until = tasks.protected_until[task];
  return until == kAbsent || until <= context.facts.now;
}

RebalanceWorld::RebalanceWorld(ActionContext& context) : tables(context.tables) {
  traits.resize(tables.jobs.alive.size());
  for (JobIndex job = 0; job < tables.jobs.alive.size(); ++job) {
    if (tables.jobs.alive[job]) (void)ReadTraits(tables.jobs.spec[job], &traits[job]);
  }
  at.assign(tables.nodes.alive.size(), kNoNode);
  nodes.reserve(tables.nodes.alive.size());
  tasks_on.reserve(tables.nodes.alive.size());
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (tables.nodes.alive[n] && tables.nodes.spec[n].ready) ReadNode(context, n);
  }
  ReadWorkloads(context);
}

void RebalanceWorld::ReadNode(ActionContext& context, NodeIndex n) {
  const NodeSpec& spec = tables.nodes.spec[n];
  at[n] = nodes.size();
  node_of.push_back(n);
  LoadedNode& node = nodes.emplace_back();
  std::vector<TaskIndex>& on = tasks_on.emplace_back();
  node.name = spec.name;
  node.labels = spec.labels;
  node.capacity = AmountsOfRow(tables, tables.nodes.allocatable.row(n));
  node.takes_tasks = !spec.unschedulable;
  node.is_measured = spec.usage.has_value();
  NamedAmounts system = MeasuredAmounts(tables, n);
  const bool has_system =
      spec.usage.has_value() && spec.usage->detail && !spec.usage->detail->system.empty();
  if (has_system) system = AmountsOf(spec.usage->detail->system);
  const std::span<const TaskIndex> held = context.ledger.tasks_on(n);
  on.reserve(held.size());
  node.tasks.reserve(held.size());
  for (const TaskIndex t : held) {
    if (context.ledger.node_of(t) != n || !IsOnNode(context.ledger.status(t))) continue;
    on.push_back(t);
    LoadedTask& task = node.tasks.emplace_back();
    task.name = std::string(tables.tasks.names.name(t));
    task.name_space = tables.classes.shape[tables.tasks.task_class[t]].name_space;
    task.rank = RankOf(t);
    task.is_evictable = false;  // the action knows the rules
    const TaskUsage* const usage = MeasuredUsage(tables, t);
    if (usage == nullptr) continue;
    task.usage = AmountsOf(usage->amounts);
    if (!has_system) SubtractDownToZero(*task.usage, &system);
  }
  node.system = std::move(system);
}

void RebalanceWorld::ReadWorkloads(const ActionContext& context) {
  std::map<std::string, int64_t> counted;
  // By job, once a task of it was met: its workload, and how many tasks that has.
  std::vector<std::pair<Workload*, int64_t*>> of_job(traits.size());
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (!tables.tasks.alive[t] || !tables.has_job(t)) continue;
    const WorkloadTraits& set = WorkloadOf(t);
    const TaskStatus status = context.ledger.status(t);
    const bool has_ended = status == TaskStatus::kSucceeded || status == TaskStatus::kFailed;
    if (set.owner.empty() || has_ended) continue;
    auto& [workload, tasks] = of_job[tables.tasks.job[t]];
    if (workload == nullptr) {
      workload = &workloads[set.owner];
      tasks = &counted[set.owner];
    }
    ++*tasks;
    if (set.replicas.has_value()) workload->replicas = *set.replicas;
    if (status == TaskStatus::kRunning) continue;
    const ClassIndex c = tables.tasks.task_class[t];
    workload->unavailable.push_back(
        absl::StrCat(tables.classes.shape[c].name_space, "/", ToAbsl(tables.tasks.names.name(t))));
  }
  for (auto& [owner, workload] : workloads) {
    if (workload.replicas == 0) workload.replicas = counted[owner];
  }
}

EvictionRank RebalanceWorld::RankOf(TaskIndex task) const {
  EvictionRank rank;
  rank.service = ServiceOfTask(tables, task);
  rank.band = BandOfTask(tables, task, rank.service);
  rank.priority = tables.tasks.priority[task];
  rank.kube = KubeServiceOf(tables, task);
  if (tables.has_job(task)) {
    rank.deletion_cost = WorkloadOf(task).deletion_cost;
    rank.eviction_cost = WorkloadOf(task).eviction_cost;
  }
  rank.created = tables.tasks.created[task];
  return rank;
}

void RebalanceWorld::MarkExpired(int64_t now, int64_t seconds) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const std::optional<NodeUsage>& usage = tables.nodes.spec[node_of[i]].usage;
    nodes[i].is_measured = usage.has_value() &&
                           !IsExpired(NanosecondsOf(usage->measured), NanosecondsOf(now), seconds);
  }
}

const WorkloadTraits& RebalanceWorld::WorkloadOf(TaskIndex task) const {
  return traits[tables.tasks.job[task]];
}

TaskTraits RebalanceWorld::TraitsOf(TaskIndex task, TaskStatus status) const {
  const WorkloadTraits& of_job = WorkloadOf(task);
  const TaskShape& shape = tables.classes.shape[tables.tasks.task_class[task]];
  TaskTraits result{.name_space = shape.name_space, .labels = shape.labels};
  if (!of_job.owner_kind.empty()) result.owner_kinds.push_back(of_job.owner_kind);
  result.is_mirror = of_job.owner_kind == "Node";
  result.is_leaving = status == TaskStatus::kReleasing;
  result.has_local_data = of_job.has_local_data;
  result.has_claim = of_job.has_claim;
  result.has_evict_mark = of_job.has_evict_mark;
  result.priority = tables.tasks.priority[task];
  result.eviction_cost = of_job.eviction_cost;
  return result;
}

MigratedTask RebalanceWorld::MigratedOf(TaskIndex task, NodeIndex node) const {
  const TaskShape& shape = tables.classes.shape[tables.tasks.task_class[task]];
  MigratedTask result;
  result.id = result.name = std::string(tables.tasks.names.name(task));
  result.name_space = shape.name_space;
  if (node != kNone) result.node = tables.nodes.spec[node].name;
  if (tables.has_job(task)) {
    result.owner = WorkloadOf(task).owner;
    result.is_of_batch_job = WorkloadOf(task).owner_kind == "Job";
    result.has_evict_mark = WorkloadOf(task).has_evict_mark;
  }
  result.rank = RankOf(task);
  return result;
}

absl::Status CheckWorkloads(const Tables& tables) {
  for (JobIndex job = 0; job < tables.jobs.alive.size(); ++job) {
    if (!tables.jobs.alive[job]) continue;
    WorkloadTraits traits;
    if (absl::Status status = ReadTraits(tables.jobs.spec[job], &traits); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace muster::koordinator
