// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/optimiser.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/peer/armada/gang_prices.h"

namespace muster::armada {

OptimiserPass::OptimiserPass(const WalkWorld& world, NodeBooks& books, NodeFinder& finder,
                             GangScheduler& gangs, const Cost& cost)
    : world_(world),
      books_(books),
      finder_(finder),
      gangs_(gangs),
      cost_(cost),
      trades_(world, books, cost),
      rules_(world.tables.state.options.optimiser),
      placed_(world.tables.dimensions) {}

absl::Status OptimiserPass::Run(const std::vector<std::vector<int>>& queued) {
  const Tables& tables = world_.tables;
  const Options& options = tables.state.options;
  std::ranges::fill(world_.unfeasible, Reason::kNone);
  std::vector<QueueWalk> walks;
  std::vector<const Amounts*> allocated;
  for (size_t c = 0; c < queued.size(); ++c) {
    const int context = static_cast<int>(c);
    const Amounts& amounts = world_.accounts.account(context).allocated;
    allocated.push_back(&amounts);
    const absl::Span<const int64_t> penalty(tables.penalty(context), tables.dimensions);
    if (cost_.OfSum(amounts, penalty) >= tables.queue(context).shares.demand_capped) continue;
    walks.emplace_back(world_, context, QueueWalk::Limits{options.lookback, true});
    walks.back().SetJobs({}, &queued[c]);
  }
  GangOrder order(world_, cost_, {false, options.prefer_large, false, false}, std::move(walks),
                  std::move(allocated));
  if (absl::Status status = order.Start(); !status.ok()) return status;
  for (bool first = true; static_cast<int64_t>(scheduled_.size()) < rules_.most_jobs;
       first = false) {
    if (!first) {
      if (absl::Status status = order.Clear(); !status.ok()) return status;
    }
    const Candidate* gang = order.Peek();
    if (gang == nullptr) break;
    if (!Considers(order, *gang)) continue;
    const absl::StatusOr<Reason> reason = CheckGang(*gang);
    if (!reason.ok()) return reason.status();
    if (EndsRound(*reason)) break;
    absl::Status status;
    if (EndsQueue(*reason)) {
      status = order.OnlyYieldEvictedOf(tables.home_context(gang->jobs[0]));
    } else if (*reason == Reason::kNone) {
      status = Try(*gang).status();
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

bool OptimiserPass::Considers(const GangOrder& order, const Candidate& gang) const {
  const Tables& tables = world_.tables;
  const int context = tables.home_context(gang.jobs[0]);
  if (gang.all_evicted || context < 0) return false;
  const Queue& queue = tables.queue(context);
  if (order.proposed() > queue.shares.demand_capped / queue.weight) return false;
  for (const int job : gang.jobs) {
    if (world_.accounts.scheduled(job)) return false;
    for (size_t r = 0; r < rules_.smallest.size(); ++r) {
      if (rules_.smallest[r] > tables.requests(job)[r]) return false;
    }
  }
  for (size_t r = 0; r < rules_.most_resources.size(); ++r) {
    if (placed_[r] + gang.requests[r] > rules_.most_resources[r]) return false;
  }
  return true;
}

// A gang that is refused after it was booked stays booked.
absl::StatusOr<Reason> OptimiserPass::CheckGang(const Candidate& gang) {
  if (const Reason reason = gangs_.CheckRound(); reason != Reason::kNone) return reason;
  for (const int job : gang.jobs) {
    JobContext& context = world_.contexts[static_cast<size_t>(job)];
    context.reason = Reason::kNone;
    if (absl::Status status = world_.accounts.Add(job); !status.ok()) return status;
  }
  const absl::StatusOr<Reason> reason = gangs_.CheckLimits(gang);
  if (!reason.ok() || *reason != Reason::kNone) return reason;
  if (const Reason floating = gangs_.CheckFloating(gang); floating != Reason::kNone) {
    return floating;
  }
  for (const int job : gang.jobs) {
    if (absl::Status status = world_.accounts.Evict(job); !status.ok()) return status;
  }
  return Reason::kNone;
}

absl::StatusOr<Reason> OptimiserPass::Try(const Candidate& gang) {
  const Tables& tables = world_.tables;
  const int number = tables.gang(gang.jobs[0]);
  std::string uniformity;
  if (number >= 0) uniformity = tables.state.gangs[static_cast<size_t>(number)].uniformity;
  const Reason refusal = CheckUniformity(tables, uniformity);
  GangPlan best;
  bool found = false;
  for (const std::vector<int>& nodes : GroupNodes(tables, uniformity)) {
    GangPlan plan;
    const NodeFinder::Mark mark = finder_.MakeMark();
    const absl::StatusOr<bool> fits = PlanGang(gang, nodes, &plan);
    finder_.Undo(mark);
    if (!fits.ok()) return fits.status();
    if (!*fits || (found && !(plan.cost < best.cost))) continue;
    best = std::move(plan);
    found = true;
  }
  if (found) {
    const auto count = static_cast<int64_t>(gang.jobs.size());
    if (absl::Status status = Commit(best); !status.ok()) return status;
    for (size_t r = 0; r < placed_.size(); ++r) placed_[r] += gang.requests[r];
    world_.accounts.limiter.Take(count);
    world_.accounts.account(tables.home_context(gang.jobs[0])).limiter.Take(count);
    return Reason::kNone;
  }
  if (refusal != Reason::kNone) return refusal;
  if (gang.jobs.size() > 1) return Reason::kGangDoesNotFit;
  const Job& job = tables.state.jobs[static_cast<size_t>(gang.jobs[0])];
  Reason& known = world_.unfeasible[static_cast<size_t>(job.shape)];
  if (known == Reason::kNone) known = Reason::kJobDoesNotFit;
  return Reason::kJobDoesNotFit;
}

absl::StatusOr<bool> OptimiserPass::PlanGang(const Candidate& gang, const std::vector<int>& nodes,
                                             GangPlan* plan) {
  trades_.ReadCosts();
  for (const int job : gang.jobs) {
    NodePlan own;
    const absl::StatusOr<bool> fits = trades_.PlanJob(job, nodes, &own);
    if (!fits.ok() || !*fits) return fits;
    plan->cost += own.cost;
    Seat(own);
    trades_.Pay(own);
    plan->jobs.push_back(std::move(own));
  }
  return true;
}

void OptimiserPass::Seat(const NodePlan& plan) {
  for (const TradeVictim& victim : plan.victims) books_.Remove(victim.job);
  finder_.Bind(plan.job, plan.node, world_.tables.priority_class(plan.job).priority);
}

absl::Status OptimiserPass::Commit(const GangPlan& plan) {
  for (const NodePlan& own : plan.jobs) {
    Seat(own);
    for (const TradeVictim& victim : own.victims) {
      world_.contexts[static_cast<size_t>(victim.job)] = {
          .own_node = own.node, .preemptor = own.job, .optimised_away = true};
      if (absl::Status status = world_.accounts.Preempt(victim.job); !status.ok()) return status;
      preempted_.push_back(victim.job);
    }
    JobContext& context = world_.contexts[static_cast<size_t>(own.job)];
    context.attempt = {.made = true,
                       .method = Method::kOptimiser,
                       .node = own.node,
                       .scheduled_at = world_.tables.priority_class(own.job).priority};
    context.reason = Reason::kNone;
    if (absl::Status status = world_.accounts.Add(own.job); !status.ok()) return status;
    scheduled_.push_back(own.job);
  }
  return absl::OkStatus();
}

}  // namespace muster::armada
