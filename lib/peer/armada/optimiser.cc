// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/optimiser.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/peer/armada/matching.h"

namespace muster::armada {
namespace {

double RoundedCost(double cost) { return std::round(cost * 100'000'000) / 100'000'000; }

}  // namespace

OptimiserPass::OptimiserPass(const WalkWorld& world, NodeBooks& books, NodeFinder& finder,
                             GangScheduler& gangs, const Cost& cost)
    : world_(world),
      books_(books),
      finder_(finder),
      gangs_(gangs),
      cost_(cost),
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
      status = Try(*gang);
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

// The nodes that one gang may use together, in the order of their ids; empty if there are none.
std::vector<std::vector<int>> OptimiserPass::GroupNodes(const Candidate& gang) const {
  const Tables& tables = world_.tables;
  std::vector<int> nodes(tables.state.nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    nodes[static_cast<size_t>(tables.node_rank(static_cast<int>(n)))] = static_cast<int>(n);
  }
  const int own = tables.gang(gang.jobs[0]);
  if (own < 0 || tables.state.gangs[static_cast<size_t>(own)].uniformity.empty()) return {nodes};
  const LabelValues* label =
      tables.FindValues(tables.state.gangs[static_cast<size_t>(own)].uniformity);
  if (label == nullptr) return {};
  std::vector<std::vector<int>> groups(label->values.size());
  for (const int node : nodes) {
    const int value = label->of_node[static_cast<size_t>(node)];
    if (value >= 0) groups[static_cast<size_t>(value)].push_back(node);
  }
  return groups;
}

absl::Status OptimiserPass::Try(const Candidate& gang) {
  const std::vector<std::vector<int>> groups = GroupNodes(gang);
  GangPlan best;
  bool found = false;
  for (const std::vector<int>& nodes : groups) {
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
    world_.accounts.account(world_.tables.home_context(gang.jobs[0])).limiter.Take(count);
  } else if (gang.jobs.size() == 1 && !groups.empty()) {
    const Job& job = world_.tables.state.jobs[static_cast<size_t>(gang.jobs[0])];
    Reason& known = world_.unfeasible[static_cast<size_t>(job.shape)];
    if (known == Reason::kNone) known = Reason::kJobDoesNotFit;
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> OptimiserPass::PlanGang(const Candidate& gang, const std::vector<int>& nodes,
                                             GangPlan* plan) {
  costs_.clear();
  for (size_t c = 0; c < world_.accounts.size(); ++c) {
    const int context = static_cast<int>(c);
    const Queue& queue = world_.tables.queue(context);
    const absl::Span<const int64_t> penalty(world_.tables.penalty(context),
                                            world_.tables.dimensions);
    costs_.push_back({cost_.OfSum(world_.accounts.account(context).allocated, penalty),
                      queue.shares.demand_capped, queue.weight});
  }
  for (const int job : gang.jobs) {
    NodePlan own;
    const absl::StatusOr<bool> fits = PlanJob(job, nodes, &own);
    if (!fits.ok() || !*fits) return fits;
    plan->cost += own.cost;
    Seat(own);
    for (const Victim& victim : own.victims) {
      costs_[static_cast<size_t>(victim.context)].current -= victim.cost;
    }
    plan->jobs.push_back(std::move(own));
  }
  return true;
}

void OptimiserPass::Seat(const NodePlan& plan) {
  for (const Victim& victim : plan.victims) books_.Remove(victim.job);
  finder_.Bind(plan.job, plan.node, world_.tables.priority_class(plan.job).priority);
}

absl::StatusOr<bool> OptimiserPass::PlanJob(int job, const std::vector<int>& nodes,
                                            NodePlan* plan) {
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

absl::StatusOr<bool> OptimiserPass::PlanNode(int job, int node, NodePlan* plan) const {
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
  absl::StatusOr<std::vector<Victim>> victims = VictimsOn(job, node);
  if (!victims.ok()) return victims.status();
  std::vector<double> lost(costs_.size());
  for (const Victim& victim : *victims) {
    const int64_t* given = tables.node_requests(victim.job);
    for (size_t r = 0; r < free.size(); ++r) free[r] += given[r];
    plan->cost += victim.price;
    lost[static_cast<size_t>(victim.context)] -= victim.cost;
    plan->victims.push_back(victim);
    if (fits()) break;
  }
  for (const Victim& victim : plan->victims) {
    const auto context = static_cast<size_t>(victim.context);
    const double impact = std::abs(lost[context]) / costs_[context].current;
    if (impact > plan->impact) plan->impact = impact;
  }
  return fits();
}

// Returns false if the job is none to preempt.
absl::StatusOr<bool> OptimiserPass::MakeVictim(int job, int victim, Victim* made) const {
  const Tables& tables = world_.tables;
  const Job& own = tables.state.jobs[static_cast<size_t>(victim)];
  if (own.terminal || !tables.priority_class(victim).preemptible || tables.gang(victim) >= 0) {
    return false;
  }
  for (size_t r = 0; r < rules_.largest.size(); ++r) {
    if (rules_.largest[r] != 0 && rules_.largest[r] < tables.requests(victim)[r]) return false;
  }
  *made = {victim, tables.home_context(victim)};
  const JobContext& context = world_.contexts[static_cast<size_t>(victim)];
  if (own.queued && made->context >= 0 && world_.accounts.scheduled(victim)) {
    made->priority = context.attempt.scheduled_at;
  } else if (!own.queued && own.run && own.run->priority) {
    made->priority = *own.run->priority;
    made->age = rules_.now - own.run->leased;
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

absl::StatusOr<std::vector<OptimiserPass::Victim>> OptimiserPass::VictimsOn(int job,
                                                                            int node) const {
  std::vector<Victim> victims;
  for (const int other : books_.jobs_on(node)) {
    Victim victim;
    const absl::StatusOr<bool> may = MakeVictim(job, other, &victim);
    if (!may.ok()) return may.status();
    if (*may) victims.push_back(victim);
  }
  Price(victims, world_.tables.priority_class(job).priority);
  return victims;
}

// Sorts the victims into the order in which they go.
void OptimiserPass::Price(std::vector<Victim>& victims, int32_t priority) const {
  const auto rank = [this](const Victim& v) { return world_.tables.job_rank(v.job); };
  std::ranges::sort(
      victims, {}, [&](const Victim& v) { return std::tuple(v.priority, v.cost, v.age, rank(v)); });
  std::vector<double> left;
  for (const QueueCost& cost : costs_) left.push_back(cost.current);
  for (Victim& victim : victims) {
    const auto context = static_cast<size_t>(victim.context);
    left[context] = RoundedCost(left[context] - victim.cost);
    victim.left = left[context] / costs_[context].weight;
    victim.lower = victim.priority < priority;
    const bool pays = !victim.lower && !(left[context] > costs_[context].share);
    victim.price = pays ? victim.cost : 0;
  }
  std::ranges::sort(victims, {}, [&](const Victim& v) {
    return std::tuple(!v.lower, -v.left, v.priority, v.cost, v.age, rank(v));
  });
}

absl::Status OptimiserPass::Commit(const GangPlan& plan) {
  for (const NodePlan& own : plan.jobs) {
    Seat(own);
    for (const Victim& victim : own.victims) {
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
