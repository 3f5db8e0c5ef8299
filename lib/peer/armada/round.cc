// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/round.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/peer/armada/job_order.h"
#include "lib/peer/armada/optimiser.h"

namespace muster::armada {

absl::StatusOr<std::unique_ptr<Round>> Round::Make(State state) {
  if (absl::Status status = Tables::Check(state); !status.ok()) return status;
  return std::unique_ptr<Round>(new Round(std::move(state)));
}

Round::Round(State state)
    : state_(std::move(state)),
      tables_(state_),
      contexts_(state_.jobs.size()),
      accounts_(tables_, contexts_),
      books_(tables_),
      evicted_(state_.jobs.size()),
      finder_(tables_, books_, evicted_, contexts_),
      cost_(state_.total, state_.multipliers),
      unfeasible_(state_.shapes.size(), Reason::kNone),
      world_{tables_, contexts_, accounts_, unfeasible_, market_ranks_},
      gangs_(world_, finder_),
      queued_(tables_.order.size()),
      evicted_of_(tables_.order.size()),
      fates_(state_.jobs.size(), Fate::kNone) {
  for (size_t j = 0; j < state_.jobs.size(); ++j) {
    if (tables_.gang(static_cast<int>(j)) >= 0) InitContext(static_cast<int>(j));
  }
  SortJobs();
}

void Round::InitContext(int job) {
  const int gang = tables_.gang(job);
  const int members = gang < 0 ? 1 : state_.gangs[static_cast<size_t>(gang)].cardinality;
  contexts_[static_cast<size_t>(job)] = {.cardinality = members};
}

void Round::SetRates(const Rates& rates, State* state) {
  state->limiter = rates.limiter;
  state->preemption_limiter = rates.preemption_limiter;
  for (size_t q = 0; q < state->queues.size(); ++q) state->queues[q].limiter = rates.of_queues[q];
  state->options.optimiser.enabled = rates.optimises;
  state->options.optimiser.now = rates.now;
}

void Round::Restart(const Rates& rates) {
  SetRates(rates, &state_);
  accounts_.Restart();
  books_.Restart();
  evicted_.Clear();
  const auto forget = [this](int job) {
    InitContext(job);
    finder_.Unbind(job);
  };
  for (const int job : touched_) forget(job);
  touched_.clear();
  for (const std::vector<int>& jobs : queued_) {
    for (const int job : jobs) forget(job);
  }
  for (std::vector<int>& jobs : evicted_of_) jobs.clear();
  std::ranges::fill(fates_, Fate::kNone);
  std::ranges::fill(unfeasible_, Reason::kNone);
  scheduled_.clear();
  preempted_.clear();
  termination_ = Reason::kNone;
  ended_ = false;
  spot_price_.reset();
}

FairKey Round::KeyOf(int job) const {
  FairKey key = FairKeyOf(state_.jobs[static_cast<size_t>(job)],
                          tables_.priority_class(job).priority, tables_.job_rank(job));
  key.job = job;
  return key;
}

bool Round::MayBeQueued(int job) const {
  const Job& own = state_.jobs[static_cast<size_t>(job)];
  return own.queued && !own.terminal && own.eligible && tables_.home_context(job) >= 0;
}

// The jobs that wait, those of one queue after those of another, as nothing compares jobs of two
// queues.
std::vector<int> Round::FairOrder() const {
  std::vector<std::vector<FairKey>> keys(state_.queue_names.size());
  for (size_t j = 0; j < state_.jobs.size(); ++j) {
    const int job = static_cast<int>(j);
    if (MayBeQueued(job)) keys[static_cast<size_t>(state_.jobs[j].queue)].push_back(KeyOf(job));
  }
  std::vector<int> order;
  for (std::vector<FairKey>& of_queue : keys) {
    if (!std::ranges::is_sorted(of_queue)) std::ranges::sort(of_queue);
    for (const FairKey& key : of_queue) order.push_back(key.job);
  }
  return order;
}

std::vector<int> Round::MarketOrder() const {
  std::vector<int> order(state_.jobs.size());
  std::iota(order.begin(), order.end(), 0);
  const auto ranked = [this](int job) {
    return RankedJob{&state_.jobs[static_cast<size_t>(job)], tables_.priority_class(job).priority,
                     tables_.BidOf(job), tables_.job_rank(job)};
  };
  std::ranges::sort(order, [&](int a, int b) { return CompareMarket(ranked(a), ranked(b)) < 0; });
  return order;
}

void Round::SortJobs() {
  const std::vector<int> order = state_.options.market ? MarketOrder() : FairOrder();
  if (state_.options.market) {
    market_ranks_.resize(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      market_ranks_[static_cast<size_t>(order[i])] = static_cast<int>(i);
    }
  }
  for (const int job : order) {
    if (MayBeQueued(job)) queued_[static_cast<size_t>(tables_.home_context(job))].push_back(job);
  }
}

void Round::SortEvicted(std::vector<int>* jobs) const {
  if (state_.options.market) {
    std::ranges::sort(*jobs, {},
                      [this](int job) { return market_ranks_[static_cast<size_t>(job)]; });
    return;
  }
  std::vector<FairKey> keys;
  keys.reserve(jobs->size());
  for (const int job : *jobs) keys.push_back(KeyOf(job));
  if (!std::ranges::is_sorted(keys)) std::ranges::sort(keys);
  std::ranges::transform(keys, jobs->begin(), &FairKey::job);
}

absl::Status Round::Run() {
  if (absl::Status status = EvictAboveShare(); !status.ok()) return status;
  if (absl::Status status = Pass(true); !status.ok()) return status;
  if (absl::Status status = EvictOverdrawn(); !status.ok()) return status;
  if (state_.options.optimiser.enabled && !state_.options.market) {
    if (absl::Status status = Optimise(); !status.ok()) return status;
  }
  Finish();
  return absl::OkStatus();
}

// --- eviction

bool Round::AboveProtectedShare(int context) const {
  const Shares& shares = tables_.queue(context).shares;
  const double fair = state_.options.protect_uncapped ? shares.uncapped
                                                      : std::max(shares.demand_capped, shares.fair);
  // A queue without a share that has nothing is above it, too.
  return !(cost_.Of(accounts_.account(context).allocated) / fair <=
           state_.options.protected_fraction);
}

bool Round::MayRebalance(int job) const {
  const Job& own = state_.jobs[static_cast<size_t>(job)];
  if (own.terminal || books_.seat(job).evicted || !own.run || own.run->away) return false;
  if (tables_.context(job) < 0) return false;
  return state_.options.market || tables_.priority_class(job).preemptible;
}

absl::Status Round::EvictAboveShare() {
  std::vector<bool> above(accounts_.size());
  for (size_t c = 0; c < above.size(); ++c) {
    above[c] = state_.options.market || AboveProtectedShare(static_cast<int>(c));
  }
  if (std::ranges::find(above, true) == above.end() && tables_.all_have_homes()) return Evict({});
  std::vector<int> jobs;
  for (size_t n = 0; n < state_.nodes.size(); ++n) {
    for (const int job : books_.jobs_on(static_cast<int>(n))) {
      if (!MayRebalance(job)) continue;
      const int context = tables_.home_context(job);
      if (context < 0 || above[static_cast<size_t>(context)]) jobs.push_back(job);
    }
  }
  return Evict(std::move(jobs));
}

absl::Status Round::EvictOverdrawn() {
  std::vector<int> jobs;
  std::vector<int32_t> lacking;
  for (size_t n = 0; n < state_.nodes.size(); ++n) {
    const int node = static_cast<int>(n);
    lacking.clear();
    for (size_t b = 1; b < tables_.buckets; ++b) {
      if (books_.Overdrawn(b, node)) lacking.push_back(state_.buckets[b]);
    }
    if (lacking.empty()) continue;
    for (const int job : books_.jobs_on(node)) {
      if (books_.seat(job).evicted || state_.jobs[static_cast<size_t>(job)].terminal) continue;
      if (tables_.context(job) < 0 || !tables_.priority_class(job).preemptible) continue;
      const std::optional<int32_t>& priority = finder_.bound_priority(job);
      if (priority && std::ranges::find(lacking, *priority) != lacking.end()) jobs.push_back(job);
    }
  }
  const bool any = !jobs.empty();
  if (absl::Status status = Evict(std::move(jobs)); !status.ok()) return status;
  return any ? Pass(false) : absl::OkStatus();
}

absl::Status Round::Evict(std::vector<int> jobs) {
  for (std::vector<int>& evicted : evicted_of_) evicted.clear();
  for (const int job : jobs) EvictOne(job);
  if (absl::Status status = CompleteGangs(&jobs); !status.ok()) return status;
  for (const int job : jobs) {
    if (absl::Status status = accounts_.Evict(job); !status.ok()) return status;
    Fate& fate = fates_[static_cast<size_t>(job)];
    fate = fate == Fate::kScheduled ? Fate::kGone : Fate::kPreempted;
    const std::optional<armada::Run>& run = state_.jobs[static_cast<size_t>(job)].run;
    const int context = run && run->away ? tables_.away_context(job) : tables_.home_context(job);
    if (context >= 0) evicted_of_[static_cast<size_t>(context)].push_back(job);
  }
  if (accounts_.AnyNegative()) {
    return absl::FailedPreconditionError("queues: an allocation is negative after eviction");
  }
  if (absl::Status status = CheckGangs(jobs); !status.ok()) return status;
  for (std::vector<int>& evicted : evicted_of_) SortEvicted(&evicted);
  return OrderEvicted();
}

void Round::EvictOne(int job) {
  JobContext& context = contexts_[static_cast<size_t>(job)];
  const int cardinality = context.cardinality;
  context = {.evicted = true, .own_node = books_.seat(job).node, .cardinality = cardinality};
  touched_.push_back(job);
  books_.Evict(job);
}

// Evicts and appends the other seated members of the gangs of `jobs`. Members that have ended no
// longer count for their gang.
absl::Status Round::CompleteGangs(std::vector<int>* jobs) {
  HashMap<int, int> active;
  const size_t first = jobs->size();
  for (size_t i = 0; i < first; ++i) {
    const int gang = tables_.gang((*jobs)[i]);
    if (gang < 0 || active.contains(gang)) continue;
    int& count = active[gang];
    for (const int member : tables_.members(gang)) {
      const Job& own = state_.jobs[static_cast<size_t>(member)];
      if (own.terminal) continue;
      ++count;
      if (!own.queued && !own.run) {
        return absl::FailedPreconditionError(
            absl::StrCat("jobs: ", IdOf(state_, static_cast<size_t>(member)),
                         " is neither queued nor has it a run"));
      }
      const JobSeat& seat = books_.seat(member);
      if (seat.node < 0 || seat.evicted) continue;
      EvictOne(member);
      jobs->push_back(member);
    }
  }
  for (const int job : *jobs) {
    const int gang = tables_.gang(job);
    if (gang >= 0) contexts_[static_cast<size_t>(job)].cardinality = active.at(gang);
  }
  return absl::OkStatus();
}

// A gang of which a part keeps its places ends the round.
absl::Status Round::CheckGangs(const std::vector<int>& jobs) const {
  HashMap<int, std::vector<int>> evicted;
  for (const int job : jobs) {
    if (tables_.gang(job) >= 0) evicted[tables_.gang(job)].push_back(job);
  }
  for (const auto& [gang, members] : evicted) {
    size_t expected = 0;
    for (const int member : tables_.members(gang)) {
      const Job& own = state_.jobs[static_cast<size_t>(member)];
      const bool listed = std::ranges::find(members, member) != members.end();
      if (!own.terminal && (!own.queued || listed)) ++expected;
    }
    if (members.size() == expected) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("jobs: of the gang of ", IdOf(state_, static_cast<size_t>(members[0])),
                     " only ", members.size(), " of ", expected, " members can be evicted"));
  }
  return absl::OkStatus();
}

absl::Status Round::OrderEvicted() {
  evicted_.Clear();
  std::vector<Amounts> allocated;
  std::vector<const Amounts*> rows;
  for (size_t c = 0; c < accounts_.size(); ++c) {
    allocated.push_back(accounts_.account(static_cast<int>(c)).allocated);
  }
  for (const Amounts& amounts : allocated) rows.push_back(&amounts);
  GangOrder order(world_, cost_, RulesOf(false), MakeWalks(false, {}), std::move(rows));
  if (absl::Status status = order.Start(); !status.ok()) return status;
  while (const Candidate* gang = order.Peek()) {
    for (const int job : gang->jobs) evicted_.Append(job);
    const int context = tables_.home_context(gang->jobs[0]);
    if (context >= 0) {
      Amounts& amounts = allocated[static_cast<size_t>(context)];
      for (size_t r = 0; r < amounts.size(); ++r) amounts[r] += gang->requests[r];
    }
    if (absl::Status status = order.Clear(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// --- passes

std::vector<QueueWalk> Round::MakeWalks(bool with_queued, const QueueWalk::Limits& limits) const {
  std::vector<QueueWalk> walks;
  for (size_t c = 0; c < queued_.size(); ++c) {
    walks.emplace_back(world_, static_cast<int>(c), limits);
    walks.back().SetJobs(evicted_of_[c], with_queued ? &queued_[c] : nullptr);
  }
  return walks;
}

GangOrder::Rules Round::RulesOf(bool by_scheduled_priority) const {
  const Options& options = state_.options;
  return {by_scheduled_priority, options.prefer_large, options.home_first, options.market};
}

absl::Status Round::Pass(bool with_queued) {
  std::ranges::fill(unfeasible_, Reason::kNone);
  gangs_.set_learns_shapes(with_queued);
  placed_.assign(tables_.dimensions, 0);
  std::vector<const Amounts*> rows;
  for (size_t c = 0; c < accounts_.size(); ++c) {
    rows.push_back(&accounts_.account(static_cast<int>(c)).allocated);
  }
  GangOrder order(world_, cost_, RulesOf(!with_queued),
                  MakeWalks(with_queued, {state_.options.lookback, true}), std::move(rows));
  if (absl::Status status = order.Start(); !status.ok()) return status;
  bool limited = false, resumed = false;
  for (;;) {
    if (!limited && accounts_.preemption_limiter.Below(1)) {
      limited = true;
      if (absl::Status status = order.OnlyYieldEvicted(); !status.ok()) return status;
    }
    const Candidate* gang = order.Peek();
    if (gang != nullptr) {
      if (absl::Status status = PassStep(order, *gang); !status.ok()) return status;
      continue;
    }
    if (!limited || resumed || ended_ || termination_ != Reason::kNone) break;
    resumed = true;
    if (absl::Status status = order.ResumeNew(); !status.ok()) return status;
  }
  ended_ = true;
  return absl::OkStatus();
}

bool Round::HasPreempted(const Candidate& gang) const {
  return std::ranges::any_of(gang.jobs, [this](int job) { return accounts_.preempted(job); });
}

absl::Status Round::PassStep(GangOrder& order, const Candidate& gang) {
  if (HasPreempted(gang)) return order.Clear();
  const absl::StatusOr<Reason> reason = gangs_.Schedule(gang);
  if (!reason.ok()) return reason.status();
  return Follow(order, gang, *reason);
}

absl::Status Round::Follow(GangOrder& order, const Candidate& gang, Reason reason) {
  // The candidate changes when the order goes on.
  const int context = tables_.home_context(gang.jobs[0]);
  if (reason == Reason::kNone) {
    NoteScheduled(gang);
    if (!state_.options.market || spot_price_) return order.Clear();
    double price = tables_.BidOf(gang.jobs[0]);
    for (const int job : gang.jobs) price = std::min(price, tables_.BidOf(job));
    if (absl::Status status = order.Clear(); !status.ok()) return status;
    SetSpotPrice(price, context, order);
    return absl::OkStatus();
  }
  if (absl::Status status = order.Clear(); !status.ok()) return status;
  if (EndsRound(reason)) {
    termination_ = reason;
    return order.OnlyYieldEvicted();
  }
  if (EndsQueue(reason)) return order.OnlyYieldEvictedOf(context);
  return absl::OkStatus();
}

void Round::NoteScheduled(const Candidate& gang) {
  for (const int job : gang.jobs) {
    Fate& fate = fates_[static_cast<size_t>(job)];
    fate = fate == Fate::kPreempted ? Fate::kNone : Fate::kScheduled;
  }
  for (size_t r = 0; r < tables_.dimensions; ++r) placed_[r] += gang.requests[r];
}

// The queue that sets the price pays the highest bid of the others.
void Round::SetSpotPrice(double price, int context, const GangOrder& order) {
  if (!(cost_.Of(placed_) > state_.options.spot_cutoff)) return;
  spot_price_ = price;
  accounts_.SetBillable();
  if (context >= 0) accounts_.account(context).billable_price = order.SecondPrice(context);
}

absl::Status Round::Optimise() {
  for (const std::vector<int>& jobs : queued_) {
    for (const int job : jobs) {
      if (fates_[static_cast<size_t>(job)] != Fate::kGone) continue;
      // The job is new again.
      JobContext& context = contexts_[static_cast<size_t>(job)];
      const int gang = tables_.gang(job);
      const int members = gang < 0 ? 1 : state_.gangs[static_cast<size_t>(gang)].cardinality;
      context = {.reason = context.reason, .cardinality = members};
    }
  }
  OptimiserPass pass(world_, books_, finder_, gangs_, cost_);
  if (absl::Status status = pass.Run(queued_); !status.ok()) return status;
  for (const int job : pass.scheduled()) {
    Fate& fate = fates_[static_cast<size_t>(job)];
    fate = fate == Fate::kPreempted ? Fate::kNone : Fate::kScheduled;
  }
  for (const int job : pass.preempted()) {
    Fate& fate = fates_[static_cast<size_t>(job)];
    fate = fate == Fate::kScheduled ? Fate::kNone : Fate::kPreempted;
  }
  return absl::OkStatus();
}

void Round::Finish() {
  urgent_on_.assign(state_.nodes.size(), false);
  const auto has_fate = [](Fate fate) { return fate != Fate::kNone; };
  for (auto at = fates_.begin(); at != fates_.end(); ++at) {
    at = std::find_if(at, fates_.end(), has_fate);
    if (at == fates_.end()) break;
    const auto j = static_cast<size_t>(at - fates_.begin());
    const int job = static_cast<int>(j);
    const Attempt& attempt = contexts_[j].attempt;
    if (fates_[j] == Fate::kScheduled) {
      scheduled_.push_back(job);
      if (attempt.method == Method::kUrgency) urgent_on_[static_cast<size_t>(attempt.node)] = true;
    }
    if (fates_[j] == Fate::kPreempted) preempted_.push_back(job);
    if (fates_[j] == Fate::kPreempted || fates_[j] == Fate::kGone) books_.Remove(job);
  }
}

Cause Round::CauseOf(int job) const {
  const JobContext& own = context(job);
  if (own.optimised_away) return Cause::kOptimiser;
  if (own.preemptor >= 0) return Cause::kFairShare;
  if (own.own_node >= 0 && urgent_on_[static_cast<size_t>(own.own_node)]) return Cause::kUrgency;
  return tables_.gang(job) >= 0 ? Cause::kUnknownGang : Cause::kUnknown;
}

bool Round::BooksBalance() const {
  const size_t row = tables_.dimensions;
  std::vector<int64_t> taken(tables_.buckets * state_.nodes.size() * row);
  const auto take = [&](int job, size_t node, size_t reach, int64_t sign) {
    for (size_t b = 0; b < reach; ++b) {
      int64_t* amounts = taken.data() + (b * state_.nodes.size() + node) * row;
      for (size_t r = 0; r < row; ++r) amounts[r] += sign * tables_.node_requests(job)[r];
    }
  };
  for (size_t n = 0; n < state_.nodes.size(); ++n) {
    for (const Holding& held : state_.nodes[n].jobs) {
      take(held.job, n, held.evicted ? 1 : tables_.ReachOfCutoff(held.cutoff), -1);
    }
    for (const int job : books_.jobs_on(static_cast<int>(n))) {
      const JobSeat& seat = books_.seat(job);
      take(job, n, seat.evicted ? 1 : seat.reach, 1);
    }
  }
  for (size_t b = 0; b < tables_.buckets; ++b) {
    for (size_t n = 0; n < state_.nodes.size(); ++n) {
      const int64_t* change = taken.data() + (b * state_.nodes.size() + n) * row;
      const int64_t* now = books_.free(b, static_cast<int>(n));
      for (size_t r = 0; r < row; ++r) {
        if (state_.nodes[n].free[b][r] - change[r] != now[r]) return false;
      }
    }
  }
  return true;
}

}  // namespace muster::armada
