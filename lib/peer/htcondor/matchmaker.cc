// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/matchmaker.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace muster::condor {
namespace {

constexpr float kNoPreemption = -std::numeric_limits<float>::max();

}  // namespace

Matchmaker::Facts Matchmaker::FactsOf(const ClassAd& slot) const {
  Facts facts;
  facts.divides = HasConsumptionPolicy(names_, &all_, slot);
  facts.weight = WeightOf(names_, slot, rules_.weights || facts.divides);
  if (rules_.preemption) facts.user = UserOf(names_, slot);
  return facts;
}

void Matchmaker::Begin(std::vector<Slot>* slots, ConcurrencyCounts* counts, const SlotGate* gate) {
  slots_ = slots;
  concurrency_ = counts;
  gone_.assign(slots->size(), 0);
  left_ = slots->size();
  list_.reset();
  refused_ = {};
  verdicts_.Begin(*slots, gate);
  facts_.clear();
  is_plain_ = is_even_ = true;
  for (const Slot& slot : *slots) {
    facts_.push_back(FactsOf(slot.ad));
    is_plain_ = is_plain_ && !facts_.back().divides && facts_.back().user.empty();
    is_even_ = is_even_ && facts_.back().weight == facts_[0].weight;
  }
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

bool Matchmaker::PermitsFree(const SessionLimits& session, double cost) {
  return Permits(session.unclaimed_used, cost, session.unclaimed_limit);
}

// An entry of the list was judged before: a preempting one passes by either limit now.
bool Matchmaker::PermitsAgain(const SessionLimits& session, const Candidate& candidate) const {
  const bool free = PermitsFree(session, candidate.cost);
  if (candidate.state == State::kFree) return free;
  return free || Permits(session.used, candidate.cost, session.limit);
}

ClassAd Matchmaker::Dressed(const SessionLimits& session, const CondorJob& job) const {
  ClassAd ad = job.view();
  ad.Set(names_.submitter_priority, AdValue::Of(session.priority));
  return ad;
}

// Returns whether the slot is open to the submitter as far as its user goes.
bool Matchmaker::JudgeUser(const SessionLimits& session, const std::string& user,
                           const Verdict& verdict, State* state) {
  *state = State::kFree;
  const bool is_preferred = !user.empty() && verdict.slot_rank > verdict.current_rank;
  if (session.only_for_rank || is_preferred) {
    *state = State::kRank;
    return is_preferred;
  }
  if (user.empty()) return true;
  if (user == session.submitter) return false;
  if (!verdict.may_preempt) {
    ++refused_.policy;
    return false;
  }
  *state = State::kPriority;
  return verdict.slot_rank >= verdict.current_rank;
}

// Judges a slot that gives the job a part. Returns nothing if it does not suffice.
std::optional<Verdict> Matchmaker::JudgeDivided(size_t s, const ClassAd& job, int64_t kind,
                                                double* cost) {
  const Slot& slot = (*slots_)[s];
  const std::optional<Consumption> consumption = ConsumptionOf(names_, &all_, slot.ad, job);
  if (!consumption) return std::nullopt;
  ClassAd request = job, rest = slot.ad;
  Fill(*consumption, &request);
  Deduct(*consumption, &rest);
  *cost -= WeightOf(names_, rest, /*weights=*/true);
  return verdicts_.Evaluate(slot, request, job, kind);
}

Matchmaker::Candidate Matchmaker::FreeCandidate(size_t s, const Verdict& verdict, double cost) {
  return {s, verdict.first, verdict.rank, verdict.last, State::kFree, kNoPreemption, cost};
}

// `job_class` is that of the job.
bool Matchmaker::Judge(size_t s, const SessionLimits& session, const ClassAd& job,
                       JobClass* job_class, Candidate* candidate) {
  double cost = facts_[s].weight;
  std::optional<Verdict> divided;
  if (facts_[s].divides) {
    divided = JudgeDivided(s, job, job_class->kind, &cost);
    if (!divided) return false;
  }
  const Verdict& verdict = divided ? *divided : verdicts_.Of(job_class, s, job);
  if (!verdict.matches) return false;
  State state;
  if (!JudgeUser(session, facts_[s].user, verdict, &state)) return false;
  const bool permitted = state == State::kRank ||
                         (state == State::kPriority ? Permits(session.used, cost, session.limit)
                                                    : PermitsFree(session, cost));
  if (!permitted) {
    ++refused_.limit;
    return false;
  }
  *candidate = FreeCandidate(s, verdict, cost);
  candidate->state = state;
  if (state != State::kFree) candidate->preemption = verdict.preemption;
  return true;
}

Offer Matchmaker::ToOffer(const Candidate& candidate) const {
  return {candidate.slot,
          candidate.state == State::kFree ? std::string() : facts_[candidate.slot].user,
          candidate.cost};
}

bool Matchmaker::IsOf(const List& list, const SessionLimits& session, const CondorJob& job) const {
  return list.auto_cluster == job.auto_cluster && list.session.submitter == session.submitter &&
         list.session.priority == session.priority &&
         list.session.only_for_rank == session.only_for_rank;
}

Offer Matchmaker::TakeFromList(const SessionLimits& session) {
  List& list = *list_;
  if (list.job_class != nullptr) return TakeInOrder(session);
  while (list.next < list.candidates.size()) {
    const Candidate& candidate = list.candidates[list.next++];
    if (gone_[candidate.slot]) continue;
    if (PermitsAgain(session, candidate)) return ToOffer(candidate);
    ++list.refused.limit;
  }
  refused_ = list.refused;
  return {};
}

// Slots that the limit refused when the list was made are not in the list.
Offer Matchmaker::TakeInOrder(const SessionLimits& session) {
  List& list = *list_;
  while (list.next < list.length()) {
    const size_t s = list.SlotAt(list.next++);
    const double cost = facts_[s].weight;
    if (gone_[s] || !PermitsFree(list.session, cost)) continue;
    if (PermitsFree(session, cost)) return {s, "", cost};
    ++list.refused.limit;
  }
  refused_ = list.refused;
  return {};
}

// Sorts the slots for the jobs of the class. Where no two are equal, what is left of them later is
// in the same order.
void Matchmaker::Sort(const ClassAd& job, JobClass* job_class) {
  struct Ranked {
    double rank;
    float first, last;
    size_t slot;
  };
  std::vector<Ranked> fitting;
  for (size_t s = 0; s < slots_->size(); ++s) {
    if (gone_[s]) continue;
    const Verdict& verdict = verdicts_.Of(job_class, s, job);
    if (!verdict.matches) continue;
    fitting.push_back({verdict.rank, verdict.first, verdict.last, s});
    job_class->left.push_back(static_cast<uint32_t>(s));
  }
  // As IsBetter has it of free slots.
  const auto is_better = [](const Ranked& a, const Ranked& b) {
    if (a.first != b.first) return a.first > b.first;
    if (a.rank != b.rank) return a.rank > b.rank;
    return a.last > b.last;
  };
  GnuSort(&fitting, is_better);
  job_class->is_sorted = job_class->is_strict = true;
  job_class->places.resize(slots_->size());
  job_class->order.reserve(fitting.size());
  uint32_t place = 0;
  for (size_t i = 0; i < fitting.size(); ++i) {
    const bool is_equal = i > 0 && !is_better(fitting[i - 1], fitting[i]);
    if (is_equal) job_class->is_strict = false;
    if (!is_equal) place = static_cast<uint32_t>(i);
    job_class->places[fitting[i].slot] = place;
    job_class->order.push_back(static_cast<uint32_t>(fitting[i].slot));
  }
}

// Makes a list of what is left of the class's order.
Offer Matchmaker::StartInOrder(const SessionLimits& session, const CondorJob& job,
                               const std::shared_ptr<JobClass>& job_class) {
  const std::vector<uint32_t>& order = job_class->order;
  size_t& head = job_class->head;
  while (head < order.size() && gone_[order[head]]) ++head;
  if (!is_even_ || (head < order.size() && !PermitsFree(session, facts_[order[head]].weight))) {
    for (size_t i = head; i < order.size(); ++i) {
      refused_.limit += !gone_[order[i]] && !PermitsFree(session, facts_[order[i]].weight);
    }
  }
  list_.emplace(List{job.auto_cluster, session, refused_, {}, job_class, {}, head});
  return TakeInOrder(session);
}

// Makes a list of what is left, sorted as the candidates would be.
Offer Matchmaker::SortAgain(const SessionLimits& session, const CondorJob& job,
                            const std::shared_ptr<JobClass>& job_class) {
  std::erase_if(job_class->left, [&](uint32_t s) { return gone_[s] != 0; });
  std::vector<Place> left;
  left.reserve(job_class->left.size());
  for (const uint32_t s : job_class->left) {
    if (PermitsFree(session, facts_[s].weight)) {
      left.push_back({job_class->places[s], s});
    } else {
      ++refused_.limit;
    }
  }
  list_.emplace(List{job.auto_cluster, session, refused_, {}});
  list_->job_class = job_class;
  list_->own_order.emplace(std::move(left), ByPlace());
  return TakeInOrder(session);
}

Offer Matchmaker::MakeList(const SessionLimits& session, const CondorJob& job,
                           const ClassAd& dressed, JobClass* job_class) {
  std::vector<Candidate> fitting;
  for (size_t s = 0; s < slots_->size(); ++s) {
    Candidate candidate;
    if (gone_[s] || !Judge(s, session, dressed, job_class, &candidate)) continue;
    if (rules_.match_lists || fitting.empty()) {
      fitting.push_back(candidate);
    } else if (IsBetter(candidate, fitting[0])) {
      fitting[0] = candidate;
    }
  }
  if (!rules_.match_lists) return fitting.empty() ? Offer() : ToOffer(fitting[0]);
  GnuSort(&fitting, IsBetter);
  list_.emplace(List{job.auto_cluster, session, refused_, std::move(fitting)});
  if (list_->candidates.empty()) return {};
  return ToOffer(list_->candidates[list_->next++]);
}

Offer Matchmaker::Find(const SessionLimits& session, const CondorJob& job) {
  const std::string limits = TextOf(job.view(), names_.concurrency_limits);
  if (!limits.empty() && concurrency_->Refuses(limits)) {
    refused_.concurrency = 1;
    return {};
  }
  refused_.concurrency = 0;
  if (list_ && IsOf(*list_, session, job)) return TakeFromList(session);
  list_.reset();
  refused_ = {};
  const ClassAd dressed = Dressed(session, job);
  const std::shared_ptr<JobClass> job_class = verdicts_.ClassOf(dressed, job.kind);
  if (is_plain_ && rules_.match_lists && !session.only_for_rank) {
    if (!job_class->is_sorted) Sort(dressed, job_class.get());
    return job_class->is_strict ? StartInOrder(session, job, job_class)
                                : SortAgain(session, job, job_class);
  }
  return MakeList(session, job, dressed, job_class.get());
}

void Matchmaker::Take(const Offer& offer, const SessionLimits& session, const CondorJob& job) {
  concurrency_->Add(TextOf(job.view(), names_.concurrency_limits));
  ClassAd& slot = (*slots_)[offer.slot].ad;
  if (!facts_[offer.slot].divides) {
    gone_[offer.slot] = 1;
    --left_;
    return;
  }
  const ClassAd dressed = Dressed(session, job);
  const std::optional<Consumption> consumption = ConsumptionOf(names_, &all_, slot, dressed);
  if (consumption) Deduct(*consumption, &slot);
  facts_[offer.slot] = FactsOf(slot);
  if (!list_) return;
  // The rest of the slot goes back into the list, if it still fits, before the first that is
  // better: the peer compares the wrong way round there.
  Candidate again;
  if (!Judge(offer.slot, session, dressed, verdicts_.ClassOf(dressed, job.kind).get(), &again))
    return;
  std::vector<Candidate>& candidates = list_->candidates;
  const auto begin = candidates.begin() + static_cast<std::ptrdiff_t>(list_->next);
  const auto to = std::find_if(begin, candidates.end(),
                               [&](const Candidate& other) { return IsBetter(other, again); });
  candidates.insert(to, std::move(again));
}

MatchRefusalCounts Matchmaker::CountRefusals(const SessionLimits& session, const CondorJob& job) {
  const ClassAd dressed = Dressed(session, job);
  const std::shared_ptr<JobClass> job_class = verdicts_.ClassOf(dressed, job.kind);
  if (job_class->refusals) return *job_class->refusals;
  MatchRefusalCounts counts;
  for (size_t s = 0; s < slots_->size(); ++s) {
    if (gone_[s]) {
      ++counts.taken;
      continue;
    }
    double cost = 0;
    std::optional<Verdict> divided;
    if (facts_[s].divides) divided = JudgeDivided(s, dressed, job.kind, &cost);
    const MatchRefusal refusal = divided ? divided->refusal
                                 : facts_[s].divides
                                     ? MatchRefusal::kSlot
                                     : verdicts_.Of(job_class.get(), s, dressed).refusal;
    counts.by_gate += refusal == MatchRefusal::kGate;
    counts.by_slot += refusal == MatchRefusal::kSlot;
    counts.by_job += refusal == MatchRefusal::kJob;
    counts.others += refusal == MatchRefusal::kNone;
  }
  job_class->refusals = counts;
  return counts;
}

const char* Matchmaker::Reason() const {
  if (refused_.concurrency > 0) return "concurrency limit reached";
  if (refused_.policy > 0) return "PREEMPTION_REQUIREMENTS == False";
  if (refused_.limit > 0) return "submitter limit exceeded";
  return "no match found";
}

}  // namespace muster::condor
