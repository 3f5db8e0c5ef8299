// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/gang_scheduler.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/peer/armada/limits.h"

namespace muster::armada {
namespace {

// The values of a label in the order in which they are tried.
std::vector<int> OrderValues(const LabelValues& label, const std::vector<std::string>& first) {
  std::vector<int> values;
  std::vector<bool> listed(label.values.size());
  for (const std::string& value : first) {
    const auto found = std::ranges::lower_bound(label.values, value);
    if (found == label.values.end() || *found != value) continue;
    const auto place = static_cast<size_t>(found - label.values.begin());
    if (!listed[place]) values.push_back(static_cast<int>(place));
    listed[place] = true;
  }
  for (size_t v = 0; v < listed.size(); ++v) {
    if (!listed[v]) values.push_back(static_cast<int>(v));
  }
  return values;
}

}  // namespace

bool EndsRound(Reason reason) {
  return reason == Reason::kRoundLimit || reason == Reason::kRateLimit;
}

bool EndsQueue(Reason reason) {
  return reason == Reason::kQueueRateLimit || reason == Reason::kQueueCordoned;
}

bool ConcernsShape(Reason reason) {
  return reason == Reason::kGangAboveBurst || reason == Reason::kJobDoesNotFit ||
         reason == Reason::kGangDoesNotFit;
}

Reason GangScheduler::CheckRound() const {
  return CheckRoundLimit(world_.accounts.scheduled_amounts, world_.tables.state.round_limit);
}

absl::StatusOr<Reason> GangScheduler::CheckLimits(const Candidate& gang) const {
  const Tables& tables = world_.tables;
  const int job = gang.jobs[0];
  const int context = tables.home_context(job);
  if (context < 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("queues: none has the job ", IdOf(tables.state, static_cast<size_t>(job))));
  }
  const Queue& queue = tables.queue(context);
  const ContextAccount& account = world_.accounts.account(context);
  const auto place = static_cast<size_t>(tables.class_of(job));
  return CheckGangLimits({.cordoned = queue.cordoned,
                          .pool = world_.accounts.limiter,
                          .queue = account.limiter,
                          .held = account.by_class[place],
                          .limit = queue.limits[place]},
                         static_cast<int64_t>(gang.jobs.size()));
}

Reason GangScheduler::CheckFloating(const Candidate& gang) const {
  const Tables& tables = world_.tables;
  if (!gang.asks_floating) return Reason::kNone;
  // The other pool has checked its own jobs.
  if (std::ranges::any_of(gang.jobs, [&](int job) { return tables.away(job); })) {
    return Reason::kNone;
  }
  return CheckFloatingLimits(tables.state.resources, world_.accounts.allocated,
                             tables.state.floating_limits);
}

absl::StatusOr<Reason> GangScheduler::Schedule(const Candidate& gang) {
  if (!gang.all_evicted) {
    if (const Reason reason = CheckRound(); reason != Reason::kNone) return reason;
  }
  for (const int job : gang.jobs) {
    if (absl::Status status = world_.accounts.Add(job); !status.ok()) return status;
  }
  const absl::StatusOr<Reason> reason = ScheduleBooked(gang);
  if (!reason.ok()) return reason;
  if (*reason != Reason::kNone) {
    if (absl::Status status = Refuse(gang, *reason); !status.ok()) return status;
  } else if (!gang.all_evicted) {
    const auto count = static_cast<int64_t>(gang.jobs.size());
    world_.accounts.limiter.Take(count);
    const int context = world_.tables.home_context(gang.jobs[0]);
    if (context >= 0) world_.accounts.account(context).limiter.Take(count);
  }
  return reason;
}

absl::StatusOr<Reason> GangScheduler::ScheduleBooked(const Candidate& gang) {
  if (!gang.all_evicted) {
    const absl::StatusOr<Reason> reason = CheckLimits(gang);
    if (!reason.ok() || *reason != Reason::kNone) return reason;
  }
  if (const Reason reason = CheckFloating(gang); reason != Reason::kNone) return reason;
  const int own = world_.tables.gang(gang.jobs[0]);
  if (own >= 0 && !world_.tables.state.gangs[static_cast<size_t>(own)].uniformity.empty()) {
    return PlaceUniformly(gang, world_.tables.state.gangs[static_cast<size_t>(own)]);
  }
  return PlaceAnywhere(gang, {});
}

absl::Status GangScheduler::Refuse(const Candidate& gang, Reason reason) {
  for (const int job : gang.jobs) {
    if (absl::Status status = world_.accounts.Evict(job); !status.ok()) return status;
  }
  for (const int job : gang.jobs) {
    JobContext& context = world_.contexts[static_cast<size_t>(job)];
    context.reason = reason;
    context.attempt.node = -1;
    context.attempt.method = Method::kNone;
    if (absl::Status status = world_.accounts.Add(job); !status.ok()) return status;
  }
  const int job = gang.jobs[0];
  if (learns_shapes_ && gang.jobs.size() == 1 && ConcernsShape(reason) &&
      world_.contexts[static_cast<size_t>(job)].own_node < 0) {
    const auto shape =
        static_cast<size_t>(world_.tables.state.jobs[static_cast<size_t>(job)].shape);
    if (world_.unfeasible[shape] == Reason::kNone) world_.unfeasible[shape] = reason;
  }
  return absl::OkStatus();
}

// Only committed attempts preempt.
void GangScheduler::Commit(const Candidate& gang, int value,
                           const std::vector<Preemption>& preempted) {
  for (const int job : gang.jobs) world_.contexts[static_cast<size_t>(job)].uniform_value = value;
  for (const Preemption& preemption : preempted) {
    JobContext& victim = world_.contexts[static_cast<size_t>(preemption.job)];
    victim.preemptor = preemption.preemptor;
    victim.sibling = preemption.sibling;
    world_.accounts.MarkPreempted(preemption.job);
  }
}

absl::StatusOr<Reason> GangScheduler::PlaceAnywhere(const Candidate& gang,
                                                    const ValueFilter& filter) {
  const NodeFinder::Mark mark = finder_.MakeMark();
  std::vector<Preemption> preempted;
  const absl::StatusOr<bool> placed = finder_.Place(gang.jobs, filter, &preempted);
  if (!placed.ok()) return placed.status();
  if (*placed) {
    Commit(gang, filter.value, preempted);
    return Reason::kNone;
  }
  finder_.Undo(mark);
  return gang.jobs.size() > 1 ? Reason::kGangDoesNotFit : Reason::kJobDoesNotFit;
}

absl::StatusOr<Reason> GangScheduler::PlaceUniformly(const Candidate& gang, const Gang& own) {
  const LabelValues* label = world_.tables.FindValues(own.uniformity);
  if (label == nullptr) return Reason::kLabelNotIndexed;
  if (label->values.empty()) return Reason::kLabelWithoutNodes;
  return TryValues(gang, *label, OrderValues(*label, own.value_order));
}

double GangScheduler::MeanPreempted(const Candidate& gang) const {
  int32_t sum = 0;
  for (const int job : gang.jobs) {
    sum += world_.contexts[static_cast<size_t>(job)].attempt.preempted_at;
  }
  return static_cast<double>(sum) / static_cast<double>(gang.jobs.size());
}

absl::StatusOr<Reason> GangScheduler::TryValues(const Candidate& gang, const LabelValues& label,
                                                const std::vector<int>& values) {
  int best = -1;
  double best_mean = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (label.values[static_cast<size_t>(values[i])].empty()) continue;
    const NodeFinder::Mark mark = finder_.MakeMark();
    std::vector<Preemption> preempted;
    const absl::StatusOr<bool> placed = finder_.Place(gang.jobs, {&label, values[i]}, &preempted);
    if (!placed.ok()) return placed.status();
    if (*placed) {
      const double mean = MeanPreempted(gang);
      const bool better = best < 0 || mean < best_mean;
      if (mean == kEvictedPriority || (better && i + 1 == values.size())) {
        Commit(gang, values[i], preempted);
        return Reason::kNone;
      }
      if (better) {
        best = values[i];
        best_mean = mean;
      }
    }
    finder_.Undo(mark);
  }
  if (best < 0) return Reason::kNoUniformNodes;
  return PlaceAnywhere(gang, {&label, best});
}

}  // namespace muster::armada
