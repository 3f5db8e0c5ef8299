// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/muster/fair_exchange.h"

#include <algorithm>
#include <limits>

#include "lib/base/math.h"
#include "lib/peer/muster/fair_ends.h"

namespace muster {
namespace {

// More than what rounding of doubles adds up to.
constexpr double kMore = 1 + 1e-9, kLess = 1 - 1e-9;

// Returns the seconds from `time` to `now`, 0 if it is later.
int64_t SecondsSince(int64_t time, int64_t now) {
  if (time >= now) return 0;
  const absl::int128 seconds = absl::int128(now) - time;
  return static_cast<int64_t>(std::min<absl::int128>(seconds, std::numeric_limits<int64_t>::max()));
}

}  // namespace

int64_t SecondsLost(const ActionContext& context, TaskIndex victim) {
  const Lifetime* lifetime = LifetimeOf(context.tables, victim);
  const int64_t now = context.facts.now;
  int64_t saved = context.tables.tasks.started[victim];
  if (saved == kAbsent) saved = now;
  if (lifetime == nullptr) return SecondsSince(saved, now);
  if (lifetime->checkpointed) saved = std::max(saved, *lifetime->checkpointed);
  return SatAdd(SecondsSince(saved, now), lifetime->restart_cost.value_or(0));
}

int64_t WorkLost(const ActionContext& context, TaskIndex victim) {
  constexpr int64_t kBillion = 1'000'000'000;
  const Ledger& ledger = context.ledger;
  const auto request = ledger.request(victim);
  int64_t part = 0;
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (d == kPods || ledger.total()[d] <= 0) continue;
    const absl::int128 billionths = absl::int128(request[d]) * kBillion / ledger.total()[d];
    part = std::max(part, static_cast<int64_t>(std::min<absl::int128>(billionths, kMaxQuantity)));
  }
  return SatMul(part, SecondsLost(context, victim));
}

bool FairExchange::Pays(std::span<const TaskIndex> takers,
                        std::span<const TaskIndex> victims) const {
  if (pay_.rate == 0) return true;
  std::vector<absl::int128> lost(ledger_.dimensions(), 0), waited = lost, requested = lost;
  const auto add = [&](std::vector<absl::int128>* work, TaskIndex task, int64_t seconds) {
    const auto request = ledger_.request(task);
    for (size_t d = 0; d < request.size(); ++d) (*work)[d] += absl::int128(request[d]) * seconds;
  };
  for (const TaskIndex task : takers) {
    const int64_t created = tables_.jobs.spec[tables_.tasks.job[task]].created;
    add(&waited, task, SecondsSince(created, context_.facts.now));
    add(&requested, task, 1);
  }
  for (const TaskIndex victim : victims) add(&lost, victim, SecondsLost(context_, victim));
  return Largest(lost) <= pay_.rate * Largest(waited) + pay_.slack * Largest(requested);
}

// Returns the work as a part of the cluster, in the dimension where that is largest.
double FairExchange::Largest(const std::vector<absl::int128>& work) const {
  double largest = 0;
  for (DimensionIndex d = 0; d < work.size(); ++d) {
    if (d == kPods || ledger_.total()[d] <= 0) continue;
    largest =
        std::max(largest, static_cast<double>(work[d]) / static_cast<double>(ledger_.total()[d]));
  }
  return largest;
}

// Returns what the task requests as a part of the cluster, in the dimension where that is largest.
double FairExchange::PartOf(TaskIndex task) const {
  const auto request = ledger_.request(task);
  double largest = 0;
  for (size_t d = 0; d < request.size(); ++d) {
    largest = std::max(largest, static_cast<double>(request[d]) * per_unit_[d]);
  }
  return largest;
}

// Returns no less than what any turn of the job may cost.
double FairExchange::WorthOf(JobIndex job) const {
  const int64_t waited = SecondsSince(tables_.jobs.spec[job].created, context_.facts.now);
  double parts = 0, part = 0;
  ClassIndex last = kNone;
  for (const TaskIndex t : tables_.jobs.tasks[job]) {
    if (ledger_.status(t) != TaskStatus::kPending) continue;
    if (context_.ClassOf(t) != last) part = PartOf(t);
    last = context_.ClassOf(t);
    parts += part;
  }
  return (pay_.rate * static_cast<double>(waited) + pay_.slack) * parts * kMore;
}

// Calls visit(task) for all tasks that run and may be evicted, ascending.
template <class Visit>
void FairExchange::ForVictims(const Visit& visit) {
  for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
    if (IsVictim(t) && ledger_.node_of(t) != kNone) visit(t);
  }
}

// Finds out what there is to lose and to pay at most.
void FairExchange::LookAround() {
  looked_ = true;
  per_unit_.assign(ledger_.dimensions(), 0);
  for (DimensionIndex d = 0; d < per_unit_.size(); ++d) {
    const int64_t total = ledger_.total()[d];
    if (d != kPods && total > 0) per_unit_[d] = 1 / static_cast<double>(total);
  }
  for (size_t i = 0; i < lines_.size(); ++i) {
    if (!lines_[i].jobs.empty()) most_ = std::max(most_, WorthOf(lines_.OldestOf(i)));
  }
  ForVictims([this](TaskIndex t) { dearest_ = std::max(dearest_, LossOf(t)); });
}

// Lists running tasks that may be evicted at all and that some job that waits can afford.
void FairExchange::ListVictims() {
  listed_ = true;
  ForVictims([this](TaskIndex t) {
    const QueueIndex queue = context_.QueueOf(t);
    if (taking_ == Taking::kFromOtherQueues && !tables_.queues.spec[queue].reclaimable) return;
    const double loss = LossOf(t);
    if (loss <= most_) victims_.push_back({loss, t, ledger_.node_of(t), queue});
  });
  std::sort(victims_.begin(), victims_.end(), [](const Victim& a, const Victim& b) {
    return a.loss != b.loss ? a.loss < b.loss : a.task < b.task;
  });
}

// Returns what the task loses by itself, rounded down.
double FairExchange::LossOf(TaskIndex task) const {
  const int64_t seconds = SecondsLost(context_, task);
  return seconds == 0 ? 0 : PartOf(task) * static_cast<double>(seconds) * kLess;
}

bool FairExchange::IsVictim(TaskIndex task) const {
  const TaskTable& tasks = tables_.tasks;
  const TaskStatus status = ledger_.status(task);
  const bool runs = status == TaskStatus::kRunning || status == TaskStatus::kBound;
  const bool starts = status == TaskStatus::kPlaced || status == TaskStatus::kBinding;
  return (runs || (starts && counts_starting_)) && tasks.alive[task] && tasks.job[task] != kNone &&
         (tasks.flags[task] & kTaskPreemptable) != 0;
}

bool FairExchange::CouldPay(JobIndex job) {
  if (pay_.rate == 0) return true;
  if (!looked_) LookAround();
  const double worth = WorthOf(job);
  if (dearest_ <= worth || worth > most_) return true;
  const auto& pending = tables_.jobs.tasks[job];
  const ClassIndex c = pending.empty() ? ClassIndex(0) : context_.ClassOf(pending[0]);
  const bool alike = std::all_of(pending.begin(), pending.end(),
                                 [&](TaskIndex t) { return context_.ClassOf(t) == c; }) &&
                     ledger_.job(job).allocated() == 0;
  if (!alike || taking_ == Taking::kFromLesserJobs) return MakesRoom(job, worth);
  if (!ledger_.SameAs(known_at_)) known_.clear();
  known_at_ = ledger_.moment();
  Known& known = known_[uint64_t{tables_.jobs.queue[job]} << 32 | c];
  if (worth <= known.too_little) return false;
  if (known.enough >= 0 && worth >= known.enough) return true;
  const bool could = MakesRoom(job, worth);
  (could ? known.enough : known.too_little) = worth;
  return could;
}

bool FairExchange::MayLose(JobIndex asker, const Victim& victim) const {
  const bool same_queue = victim.queue == tables_.jobs.queue[asker];
  if (taking_ == Taking::kFromOtherQueues) return !same_queue;
  const JobIndex other = tables_.tasks.job[victim.task];
  return same_queue && other != asker &&
         tables_.jobs.spec[other].priority < tables_.jobs.spec[asker].priority;
}

// Returns whether the victims that are affordable make room for some task of the job on some node.
bool FairExchange::MakesRoom(JobIndex job, double worth) {
  if (!listed_) ListVictims();
  if (victims_.empty() || victims_.front().loss > worth) return false;
  ListNeeds(job);
  freed_.resize(tables_.nodes.alive.size());
  bool room = false;
  for (const Victim& victim : victims_) {
    if (victim.loss > worth) break;
    if (!MayLose(job, victim) || !IsVictim(victim.task)) continue;
    const NodeIndex node = victim.node;
    const auto request = ledger_.request(victim.task);
    std::vector<int64_t>& freed = freed_[node];
    if (freed.empty()) {
      freed.assign(request.size(), 0);
      touched_.push_back(node);
    }
    for (size_t d = 0; d < request.size(); ++d) freed[d] += request[d];
    room = HasRoom(node);
    if (room) break;
  }
  for (const NodeIndex node : touched_) freed_[node].clear();
  touched_.clear();
  return room;
}

// Finds the least amounts that any pending task of the job requests.
void FairExchange::ListNeeds(JobIndex job) {
  needs_.assign(ledger_.dimensions(), std::numeric_limits<int64_t>::max());
  ClassIndex last = kNone;
  for (const TaskIndex t : tables_.jobs.tasks[job]) {
    if (ledger_.status(t) != TaskStatus::kPending || context_.ClassOf(t) == last) continue;
    last = context_.ClassOf(t);
    const auto request = tables_.classes.initial_request.row(last);
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      // A request may exceed what is there by less than this.
      const int64_t least = ledger_.accounting().least.of(d);
      needs_[d] = std::min(needs_[d], request[d] <= least ? 0 : request[d] - least);
    }
  }
}

bool FairExchange::HasRoom(NodeIndex node) const {
  for (DimensionIndex d = 0; d < needs_.size(); ++d) {
    if (needs_[d] > 0 && needs_[d] > ledger_.future_idle(node, d) + freed_[node][d]) return false;
  }
  return true;
}

}  // namespace muster
