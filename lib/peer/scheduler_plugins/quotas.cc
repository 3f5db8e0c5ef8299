// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/quotas.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/peer/kube_scheduler/node_copy.h"
#include "lib/peer/kube_scheduler/preemption.h"
#include "lib/peer/scheduler_plugins/plugin_settings.h"

namespace muster::scheduler_plugins {
namespace {

NamedAmounts NamedRow(const Tables& tables, std::span<const int64_t> row) {
  NamedAmounts named;
  for (DimensionIndex d = 0; d < row.size(); ++d) {
    if (row[d] != kAbsent) named.emplace_back(std::string(tables.dimensions.name(d)), row[d]);
  }
  return named;
}

// The node of a dry run, judged by all filters of the cycle.
class FilteredNode : public DryRunNode {
 public:
  FilteredNode(kube::World& world, kube::PodCycle& cycle, NodeIndex n) : copy_(world, cycle, n) {}

  bool Fits() override { return copy_.Fits(); }
  void Leave(uint32_t i) override { copy_.Leave(i); }
  void Return(uint32_t i) override { copy_.Return(i); }

  const std::vector<TaskIndex>& pods() const { return copy_.pods(); }
  const kube::Status& status() const { return copy_.status(); }

 private:
  kube::NodeCopy copy_;
};

}  // namespace

void Quotas::Open(kube::World* world, const kube::Nominations* nominations, int64_t now) {
  now_ = now;
  world_ = world;
  tables_ = &world->tables();
  nominations_ = nominations;
  budgets_ = std::make_unique<BudgetTurns>(*tables_, BudgetCharges::kAll, kube::kPreemptedLabel);
  const QueueTable& queues = tables_->queues;
  account_of_.assign(queues.alive.size(), CapacityQuotas::kNone);
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    const QueueSpec& spec = queues.spec[q];
    if (!queues.alive[q] || (!spec.guaranteed && !spec.limit)) continue;
    CapacityLimits limits;
    if (spec.guaranteed) limits.min = NamedRow(*tables_, queues.guaranteed.row(q));
    if (spec.limit) limits.max = NamedRow(*tables_, queues.limit.row(q));
    // The tables have checked the amounts, and the action the number of resources.
    if (quotas_.Add(queues.names.name(q), limits).ok()) {
      account_of_[q] = quotas_.Find(queues.names.name(q));
    }
  }
  if (quotas_.size() == 0) return;
  for (const TaskIndex t : world_->placed()) Reserve(t);
}

CapacityQuotas::Index Quotas::AccountOf(TaskIndex t) const {
  if (quotas_.size() == 0) return CapacityQuotas::kNone;
  const JobIndex job = tables_->tasks.job[t];
  if (job != kNone) return account_of_[tables_->jobs.queue[job]];
  return quotas_.Find(world_->classes().shape(world_->class_of(t)).name_space);
}

const Quotas::Charge& Quotas::ChargeOf(TaskIndex t) {
  const ClassIndex c = world_->class_of(t);
  const auto it = charges_.find(c);
  if (it != charges_.end()) return it->second;
  const auto held = tables_->classes.request.row(c);
  const auto initial = tables_->classes.initial_request.row(c);
  Charge charge;
  for (DimensionIndex d = 0; d < held.size(); ++d) {
    const int64_t amount = std::max(OrZero(held[d]), OrZero(initial[d]));
    if (d == kPods || amount == 0) continue;
    charge.named.emplace_back(std::string(tables_->dimensions.name(d)), amount);
  }
  charge.amounts = quotas_.Request(tables_->tasks.names.name(t), charge.named).value_or(Sparse());
  return charges_[c] = std::move(charge);
}

void Quotas::Reserve(TaskIndex t) {
  const CapacityQuotas::Index account = AccountOf(t);
  if (account == CapacityQuotas::kNone) return;
  const absl::Status used =
      quotas_.Use(quotas_.at(account).name_space, tables_->tasks.names.name(t), ChargeOf(t).named);
  static_cast<void>(used);  // fails for amounts that the tables refuse
}

void Quotas::Unreserve(TaskIndex t) {
  const CapacityQuotas::Index account = AccountOf(t);
  if (account == CapacityQuotas::kNone) return;
  const absl::Status used = quotas_.Release(quotas_.at(account).name_space,
                                            tables_->tasks.names.name(t), ChargeOf(t).named);
  static_cast<void>(used);
}

bool Quotas::Wakes(const kube::Happening& happening) {
  return happening.kind == kube::Happened::kPodDeleted ||
         happening.kind == kube::Happened::kQuotaChanged;
}

QuotaDemand Quotas::DemandOf(TaskIndex t) {
  QuotaDemand demand;
  demand.account = AccountOf(t);
  demand.priority = world_->priority(t);
  demand.charge = ChargeOf(t).amounts;
  if (demand.account != CapacityQuotas::kNone && !nominations_->empty()) {
    for (const NodeIndex n : world_->order()) {
      for (const TaskIndex other : nominations_->on(n)) {
        if (other == t) continue;
        demand.AddNominated(quotas_, AccountOf(other), world_->priority(other),
                            ChargeOf(other).amounts);
      }
    }
  }
  demand.AddOwn();
  return demand;
}

kube::Status Quotas::Refuse(kube::Code code, const std::string& words) const {
  kube::Status status;
  status.code = code;
  status.plugin = NumberOf(ExtraPlugin::kCapacity);
  status.causes.push_back(kube::WordsCause(world_, words));
  return status;
}

kube::Status Quotas::PreFilter(TaskIndex t) {
  if (AccountOf(t) == CapacityQuotas::kNone) return {};
  const QuotaDemand demand = DemandOf(t);
  const std::string_view space = world_->classes().shape(world_->class_of(t)).name_space;
  std::string_view name = tables_->tasks.names.name(t);
  if (name.starts_with(space) && name.substr(space.size()).starts_with('/')) {
    name.remove_prefix(space.size() + 1);
  }
  const std::string pod = absl::StrCat("Pod ", ToAbsl(space), "/", ToAbsl(name));
  switch (AdmitByQuotas(quotas_, demand)) {
    case QuotaVerdict::kFits:
      break;
    case QuotaVerdict::kAboveMax:
      return Refuse(kube::Code::kUnschedulable,
                    absl::StrCat(pod, " is rejected in PreFilter because ElasticQuota ",
                                 quotas_.at(demand.account).name_space, " is more than Max"));
    case QuotaVerdict::kAboveMins:
      return Refuse(
          kube::Code::kUnschedulable,
          absl::StrCat(pod,
                       " is rejected in PreFilter because total ElasticQuota used is more than "
                       "min"));
  }
  return {};
}

std::string Quotas::WhyIneligible(const kube::PodCycle& cycle) {
  const TaskIndex t = cycle.task();
  const NodeIndex nominated = nominations_->of(t);
  if (nominated == kNone || cycle.status(nominated).code == kube::Code::kUnresolvable) return {};
  const QuotaDemand demand = DemandOf(t);
  for (const TaskIndex other : world_->pods_on(nominated)) {
    if (world_->terminating(other) &&
        MakesRoomFor(quotas_, demand, AccountOf(other), world_->priority(other))) {
      return "not eligible due to a terminating pod on the nominated node.";
    }
  }
  return {};
}

QuotaHolder Quotas::TaskOf(TaskIndex t) {
  QuotaHolder task;
  task.account = AccountOf(t);
  task.is_counted = task.account != CapacityQuotas::kNone;
  task.priority = world_->priority(t);
  task.started = world_->started(t) == kAbsent ? now_ : world_->started(t);
  task.charge = ChargeOf(t).amounts;
  return task;
}

kube::Status Quotas::NoVictims(TaskIndex t, NodeIndex n) const {
  kube::Status status;
  status.code = kube::Code::kUnresolvable;
  status.causes.push_back(kube::NoVictimsOn(world_, n, t));
  return status;
}

kube::Status Quotas::SelectVictims(kube::PodCycle& cycle, NodeIndex n, kube::Candidate* candidate) {
  const QuotaDemand demand = DemandOf(cycle.task());
  const auto pods = world_->pods_on(n);
  const auto makes_room = [&](TaskIndex t) {
    return MakesRoomFor(quotas_, demand, AccountOf(t), world_->priority(t));
  };
  // Candidates are among those that make room: without one there is nothing to copy.
  if (std::none_of(pods.begin(), pods.end(), makes_room)) return NoVictims(cycle.task(), n);
  FilteredNode node(*world_, cycle, n);
  std::vector<QuotaHolder> tasks;
  for (const TaskIndex t : node.pods()) tasks.push_back(TaskOf(t));
  const auto breaks = [&](std::span<const uint32_t> candidates) {
    if (budgets_->empty()) return std::vector<bool>(candidates.size());
    std::vector<TaskIndex> pods_in_turn;
    for (const uint32_t i : candidates) pods_in_turn.push_back(node.pods()[i]);
    return budgets_->Refused(pods_in_turn);
  };
  QuotaVictims found = FindVictims(quotas_, follow_, demand, tasks, breaks, node);
  const std::string_view name = tables_->nodes.names.name(n);
  switch (found.outcome) {
    case QuotaVictims::Outcome::kVictims:
      for (const uint32_t i : found.victims) candidate->victims.push_back(node.pods()[i]);
      candidate->violations = found.broken_budgets;
      return {};
    case QuotaVictims::Outcome::kNoCandidate:
      return NoVictims(cycle.task(), n);
    case QuotaVictims::Outcome::kUnfit:
      return node.status();
    case QuotaVictims::Outcome::kOverQuota:
      return Refuse(kube::Code::kUnschedulable, "global quota max exceeded");
    case QuotaVictims::Outcome::kRemovedTwice:
      return Refuse(kube::Code::kUnresolvable,
                    absl::StrCat("a pod was removed twice from node ", Quote(name)));
    case QuotaVictims::Outcome::kNeedless:
      break;
  }
  return Refuse(kube::Code::kUnresolvable,
                absl::StrCat("expected at least one victim pod on node ", Quote(name)));
}

}  // namespace muster::scheduler_plugins
