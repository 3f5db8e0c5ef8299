// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/node_trades.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/peer/armada/matching.h"

namespace muster::armada {
namespace {

double RoundedCost(double cost) { return std::round(cost * 100'000'000) / 100'000'000; }

}  // namespace

bool IsTooLargeToEvict(const int64_t* requests, const Amounts& largest) {
  for (size_t r = 0; r < largest.size(); ++r) {
    if (largest[r] != 0 && largest[r] < requests[r]) return true;
  }
  return false;
}

void NodeTrades::ReadCosts() {
  costs_.clear();
  for (size_t c = 0; c < world_.accounts.size(); ++c) {
    const int context = static_cast<int>(c);
    const Queue& queue = world_.tables.queue(context);
    const absl::Span<const int64_t> penalty(world_.tables.penalty(context),
                                            world_.tables.dimensions);
    costs_.push_back({cost_.OfSum(world_.accounts.account(context).allocated, penalty),
                      queue.shares.demand_capped, queue.weight});
  }
}

void NodeTrades::Pay(const NodePlan& plan) {
  for (const TradeVictim& victim : plan.victims) {
    costs_[static_cast<size_t>(victim.context)].current -= victim.cost;
  }
}

absl::StatusOr<bool> NodeTrades::PlanJob(int job, const std::vector<int>& nodes,
                                         NodePlan* plan) const {
  const double worth = cost_.Of(world_.tables.shape(job).requests);
  bool found = false;
  for (const int node : nodes) {
    NodePlan next{job, node};
    const absl::StatusOr<bool> fits = PlanNode(job, node, &next);
    if (!fits.ok()) return fits;
    if (!*fits) continue;
    const bool free = next.cost == 0 && next.victims.empty();
    if (!free && !(worth / next.cost * 100 - 100 > rules_.improvement)) continue;
    if (!found || std::tie(next.cost, next.impact) < std::tie(plan->cost, plan->impact)) {
      *plan = std::move(next);
      found = true;
    }
    if (free) break;
  }
  return found;
}

absl::StatusOr<bool> NodeTrades::PlanNode(int job, int node, NodePlan* plan) const {
  const Tables& tables = world_.tables;
  if (!NodeSuits(tables.state.nodes[static_cast<size_t>(node)], tables.shape(job), {},
                 tables.state.resources)) {
    return false;
  }
  const int64_t* requests = tables.node_requests(job);
  Amounts free(books_.free(0, node), books_.free(0, node) + tables.dimensions);
  const auto fits = [&] {
    for (size_t r = 0; r < free.size(); ++r) {
      if (requests[r] > free[r]) return false;
    }
    return true;
  };
  if (fits()) return true;
  absl::StatusOr<std::vector<TradeVictim>> victims = VictimsOn(job, node);
  if (!victims.ok()) return victims.status();
  std::vector<double> lost(costs_.size());
  for (const TradeVictim& victim : *victims) {
    const int64_t* given = tables.node_requests(victim.job);
    for (size_t r = 0; r < free.size(); ++r) free[r] += given[r];
    plan->cost += victim.price;
    lost[static_cast<size_t>(victim.context)] -= victim.cost;
    plan->victims.push_back(victim);
    if (fits()) break;
  }
  for (const TradeVictim& victim : plan->victims) {
    const auto context = static_cast<size_t>(victim.context);
    const double impact = std::abs(lost[context]) / costs_[context].current;
    if (impact > plan->impact) plan->impact = impact;
  }
  return fits();
}

// Returns false if the job is none to preempt.
absl::StatusOr<bool> NodeTrades::MakeVictim(int job, int victim, TradeVictim* made) const {
  const Tables& tables = world_.tables;
  const Job& own = tables.state.jobs[static_cast<size_t>(victim)];
  if (own.terminal || !tables.priority_class(victim).preemptible || tables.gang(victim) >= 0) {
    return false;
  }
  if (IsTooLargeToEvict(tables.requests(victim), rules_.largest)) return false;
  *made = {victim, tables.home_context(victim)};
  const JobContext& context = world_.contexts[static_cast<size_t>(victim)];
  if (own.queued && made->context >= 0 && world_.accounts.scheduled(victim)) {
    made->priority = context.attempt.scheduled_at;
  } else if (!own.queued && own.run && own.run->priority) {
    made->priority = *own.run->priority;
    made->age = SatSub(rules_.now, own.run->leased);
  } else {
    return absl::FailedPreconditionError(
        absl::StrCat("jobs: ", IdOf(tables.state, static_cast<size_t>(victim)),
                     " is on a node without being scheduled"));
  }
  if (made->priority > tables.priority_class(job).priority) return false;
  if (made->context < 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("queues: none has the job ", IdOf(tables.state, static_cast<size_t>(victim))));
  }
  made->cost = cost_.Of(absl::Span<const int64_t>(tables.node_requests(victim), tables.dimensions));
  return true;
}

absl::StatusOr<std::vector<TradeVictim>> NodeTrades::VictimsOn(int job, int node) const {
  std::vector<TradeVictim> victims;
  for (const int other : books_.jobs_on(node)) {
    TradeVictim victim;
    const absl::StatusOr<bool> may = MakeVictim(job, other, &victim);
    if (!may.ok()) return may.status();
    if (*may) victims.push_back(victim);
  }
  Price(victims, world_.tables.priority_class(job).priority);
  return victims;
}

// Sorts the victims into the order in which they go.
void NodeTrades::Price(std::vector<TradeVictim>& victims, int32_t priority) const {
  const auto rank = [this](const TradeVictim& v) { return world_.tables.job_rank(v.job); };
  std::ranges::sort(victims, {}, [&](const TradeVictim& v) {
    return std::tuple(v.priority, v.cost, v.age, rank(v));
  });
  std::vector<double> left;
  for (const QueueCost& cost : costs_) left.push_back(cost.current);
  for (TradeVictim& victim : victims) {
    const auto context = static_cast<size_t>(victim.context);
    left[context] = RoundedCost(left[context] - victim.cost);
    victim.left = left[context] / costs_[context].weight;
    victim.lower = victim.priority < priority;
    const bool pays = !victim.lower && !(left[context] > costs_[context].share);
    victim.price = pays ? victim.cost : 0;
  }
  std::ranges::sort(victims, {}, [&](const TradeVictim& v) {
    return std::tuple(!v.lower, -v.left, v.priority, v.cost, v.age, rank(v));
  });
}

}  // namespace muster::armada
