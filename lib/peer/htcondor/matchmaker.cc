// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/matchmaker.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "lib/base/gnu_sort.h"

namespace muster::condor {
namespace {

constexpr double kFailed = -std::numeric_limits<double>::max();
constexpr float kNoPreemption = -std::numeric_limits<float>::max();

// A double as the peer's float has it; what is beyond becomes infinite.
float CutToFloat(double number) { return static_cast<float>(number); }

double NumberOf(const std::optional<AdExpression>& expression, const ClassAd& my,
                const ClassAd& target, double otherwise) {
  double number = otherwise;
  if (!expression) return otherwise;
  return expression->Evaluate(my, &target).ToNumber(&number) ? number : kFailed;
}

}  // namespace

void Matchmaker::Begin(std::vector<Slot>* slots, ConcurrencyCounts* counts) {
  slots_ = slots;
  concurrency_ = counts;
  gone_.assign(slots->size(), 0);
  left_ = slots->size();
  list_.reset();
  refused_ = {};
}

bool Matchmaker::IsBetter(const Candidate& a, const Candidate& b) {
  if (a.first != b.first) return a.first > b.first;
  if (a.rank != b.rank) return a.rank > b.rank;
  if (a.last != b.last) return a.last > b.last;
  if (a.state != b.state) return a.state > b.state;
  return a.preemption > b.preemption;
}

// One match may exceed the limit, the first.
bool Matchmaker::Permits(double used, double cost, double allowed) {
  return used + cost <= allowed || (used <= 0 && allowed > 0);
}

// An entry of the list was judged before: a preempting one passes by either limit now.
bool Matchmaker::PermitsAgain(const SessionLimits& session, const Candidate& candidate) const {
  const bool free = Permits(session.unclaimed_used, candidate.cost, session.unclaimed_limit);
  if (candidate.state == State::kFree) return free;
  return free || Permits(session.used, candidate.cost, session.limit);
}

ClassAd Matchmaker::Dressed(const SessionLimits& session, const CondorJob& job) const {
  ClassAd ad = job.ad;
  ad.Set(names_.submitter_priority, AdValue::Of(session.priority));
  return ad;
}

void Matchmaker::Rate(const ClassAd& slot, const ClassAd& job, Candidate* candidate) const {
  candidate->first = CutToFloat(NumberOf(rules_.first_rank, slot, job, 0));
  candidate->last = CutToFloat(NumberOf(rules_.last_rank, slot, job, 0));
  double rank = 0;
  candidate->rank = job.Get(names_.rank, &slot).ToNumber(&rank) ? rank : 0;
  candidate->preemption = kNoPreemption;
  if (candidate->state == State::kFree) return;
  candidate->preemption = CutToFloat(NumberOf(rules_.preemption_rank, slot, job, 0));
}

// Returns whether the slot is open to the submitter as far as its user goes.
bool Matchmaker::JudgeUser(const SessionLimits& session, const ClassAd& slot, const ClassAd& job,
                           Candidate* candidate) {
  candidate->user = rules_.preemption ? UserOf(names_, slot) : std::string();
  candidate->state = State::kFree;
  double rank = 0, current = 0;
  slot.Get(names_.rank, &job).ToNumber(&rank);
  slot.Get(names_.current_rank, &job).ToNumber(&current);
  const bool is_preferred = !candidate->user.empty() && rank > current;
  if (session.only_for_rank) {
    candidate->state = State::kRank;
    return is_preferred;
  }
  if (candidate->user.empty()) return true;
  if (is_preferred) {
    candidate->state = State::kRank;
    return true;
  }
  if (candidate->user == session.submitter) return false;
  if (!rules_.preemption_requirements ||
      !rules_.preemption_requirements->Evaluate(slot, &job).IsTrue()) {
    ++refused_.policy;
    return false;
  }
  candidate->state = State::kPriority;
  return rank >= current;
}

bool Matchmaker::Judge(size_t s, const SessionLimits& session, const ClassAd& job,
                       Candidate* candidate) {
  const ClassAd& slot = (*slots_)[s].ad;
  candidate->slot = s;
  const bool divides = HasConsumptionPolicy(names_, &all_, slot);
  candidate->cost = WeightOf(names_, slot, rules_.weights || divides);
  std::optional<ClassAd> filled;
  if (divides) {
    const std::optional<Consumption> consumption = ConsumptionOf(names_, &all_, slot, job);
    if (!consumption) return false;
    filled = job;
    Fill(*consumption, &*filled);
    ClassAd rest = slot;
    Deduct(*consumption, &rest);
    candidate->cost -= WeightOf(names_, rest, /*weights=*/true);
  }
  const ClassAd& request = filled ? *filled : job;
  if (!slot.Get(names_.requirements, &request).IsTrue() ||
      !request.Get(names_.requirements, &slot).IsTrue()) {
    return false;
  }
  if (!JudgeUser(session, slot, job, candidate)) return false;
  const bool permitted =
      candidate->state == State::kRank ||
      (candidate->state == State::kPriority
           ? Permits(session.used, candidate->cost, session.limit)
           : Permits(session.unclaimed_used, candidate->cost, session.unclaimed_limit));
  if (!permitted) {
    ++refused_.limit;
    return false;
  }
  Rate(slot, job, candidate);
  return true;
}

Offer Matchmaker::ToOffer(const Candidate& candidate) const {
  return {candidate.slot, candidate.state == State::kFree ? std::string() : candidate.user,
          candidate.cost};
}

Offer Matchmaker::TakeFromList(const SessionLimits& session) {
  List& list = *list_;
  while (list.next < list.candidates.size()) {
    const Candidate& candidate = list.candidates[list.next++];
    if (gone_[candidate.slot]) continue;
    if (PermitsAgain(session, candidate)) return ToOffer(candidate);
    ++list.refused.limit;
  }
  refused_ = list.refused;
  return {};
}

Offer Matchmaker::Find(const SessionLimits& session, const CondorJob& job) {
  const std::string limits = TextOf(job.ad, names_.concurrency_limits);
  if (!limits.empty() && concurrency_->Refuses(limits)) {
    refused_.concurrency = 1;
    return {};
  }
  refused_.concurrency = 0;
  if (list_ && list_->auto_cluster == job.auto_cluster && list_->submitter == session.submitter &&
      list_->priority == session.priority && list_->only_for_rank == session.only_for_rank) {
    return TakeFromList(session);
  }
  list_.reset();
  refused_ = {};
  const ClassAd dressed = Dressed(session, job);
  std::vector<Candidate> fitting;
  for (size_t s = 0; s < slots_->size(); ++s) {
    Candidate candidate;
    if (gone_[s] || !Judge(s, session, dressed, &candidate)) continue;
    if (rules_.match_lists || fitting.empty()) {
      fitting.push_back(std::move(candidate));
    } else if (IsBetter(candidate, fitting[0])) {
      fitting[0] = std::move(candidate);
    }
  }
  if (!rules_.match_lists) return fitting.empty() ? Offer() : ToOffer(fitting[0]);
  GnuSort(&fitting, IsBetter);
  list_.emplace(List{job.auto_cluster, session.submitter, session.priority, session.only_for_rank,
                     std::move(fitting), 0, refused_});
  if (list_->candidates.empty()) return {};
  return ToOffer(list_->candidates[list_->next++]);
}

void Matchmaker::Take(const Offer& offer, const SessionLimits& session, const CondorJob& job) {
  concurrency_->Add(TextOf(job.ad, names_.concurrency_limits));
  ClassAd& slot = (*slots_)[offer.slot].ad;
  if (!HasConsumptionPolicy(names_, &all_, slot)) {
    gone_[offer.slot] = 1;
    --left_;
    return;
  }
  const ClassAd dressed = Dressed(session, job);
  const std::optional<Consumption> consumption = ConsumptionOf(names_, &all_, slot, dressed);
  if (consumption) Deduct(*consumption, &slot);
  if (!list_) return;
  // The rest of the slot goes back into the list, if it still fits, before the first that is
  // better: the peer compares the wrong way round there.
  Candidate again;
  if (!Judge(offer.slot, session, dressed, &again)) return;
  std::vector<Candidate>& candidates = list_->candidates;
  const auto begin = candidates.begin() + static_cast<std::ptrdiff_t>(list_->next);
  const auto to = std::find_if(begin, candidates.end(),
                               [&](const Candidate& other) { return IsBetter(other, again); });
  candidates.insert(to, std::move(again));
}

const char* Matchmaker::Reason() const {
  if (refused_.concurrency > 0) return "concurrency limit reached";
  if (refused_.policy > 0) return "PREEMPTION_REQUIREMENTS == False";
  if (refused_.limit > 0) return "submitter limit exceeded";
  return "no match found";
}

}  // namespace muster::condor
