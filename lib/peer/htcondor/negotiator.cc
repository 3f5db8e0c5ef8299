// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/negotiator.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/gnu_sort.h"
#include "lib/base/hash_map.h"

namespace muster::condor {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::max();
constexpr float kNotStarving = std::numeric_limits<float>::max();
constexpr int64_t kHeardModulus = 1009;

}  // namespace

Negotiator::Negotiator(NegotiatorRules rules, std::vector<GroupSpec> groups, AdNames* names)
    : rules_(std::move(rules)),
      names_(names),
      tree_(std::move(groups), rules_.groups),
      sort_key_(names, rules_.group_sort_key),
      accountant_(rules_.accountant, &tree_),
      matchmaker_(rules_.match, names, names_) {}

double Negotiator::UsageOf(GroupIndex g) const { return accountant_.GroupUsed(g); }

bool Negotiator::IsStopped() {
  stopped_ = stopped_ || (watch_ != nullptr && !watch_->MayGoOn());
  return stopped_;
}

CycleRecord Negotiator::RunCycle(Pool pool, NegotiationWatch* watch) {
  pool_ = std::move(pool);
  left_.clear();
  watch_ = watch;
  stopped_ = false;
  record_ = {};
  accountant_.SetTime(pool_.time);
  accountant_.UpdatePriorities();
  ReserveEvents();
  ReadSlots();
  CountClaims();
  Begin();
  Trim();
  matchmaker_.Begin(&pool_.slots, &*concurrency_, pool_.gate);
  if (tree_.groups().size() > 1) {
    RunGroups();
  } else {
    std::vector<const Submitter*> all;
    for (const Submitter& submitter : pool_.submitters) all.push_back(&submitter);
    Negotiate({kRootGroup, false, record_.pool_weight, false}, &all);
  }
  return std::move(record_);
}

// Most cycles see at most a match for each slot or job, and two sessions for each submitter.
void Negotiator::ReserveEvents() {
  size_t jobs = 0;
  for (const auto& [submitter, list] : pool_.jobs) jobs += list.size();
  record_.events.reserve(std::min(pool_.slots.size(), jobs) + 2 * pool_.submitters.size());
}

std::vector<Negotiator::JobsLeft> Negotiator::ListJobsLeft() const {
  std::vector<JobsLeft> lists;
  for (const auto& [submitter, jobs] : pool_.jobs) {
    JobsLeft& list = lists.emplace_back(JobsLeft{submitter, {}});
    const auto left = left_.find(submitter);
    if (left == left_.end()) {
      for (const CondorJob& job : jobs) list.jobs.push_back(&job);
    } else {
      for (const uint32_t place : left->second) list.jobs.push_back(&jobs[place]);
    }
  }
  return lists;
}

void Negotiator::ReadSlots() {
  concurrency_.emplace(rules_.concurrency);
  states_.clear();
  states_.reserve(pool_.slots.size());
  for (const Slot& slot : pool_.slots) {
    SlotState& state = states_.emplace_back();
    const ClassAd& ad = slot.ad;
    concurrency_->Add(TextOf(ad, names_.concurrency_limits));
    const std::string word = TextOf(ad, names_.state);
    state.is_claimed = word == "Claimed" || word == "Preempting";
    state.is_partitionable = IsTrue(ad, names_.partitionable);
    state.weight = WeightOf(names_, ad, rules_.match.weights);
    if (state.is_partitionable) ad.GetScalar(names_.cpus).ToNumber(&state.cpus);
    ad.GetScalar(names_.retirement_left).ToNumber(&state.retirement_left);
    state.user = UserOf(names_, ad);
    if (!state.is_claimed) continue;
    state.customer = TextOf(ad, names_.accounting_group);
    if (state.customer.empty()) state.customer = TextOf(ad, names_.remote_user);
  }
}

// Usage is counted anew from what the slots report.
void Negotiator::CountClaims() {
  std::vector<Claim> claims;
  for (size_t s = 0; s < states_.size(); ++s) {
    const SlotState& state = states_[s];
    if (!state.customer.empty()) {
      claims.push_back({pool_.slots[s].name, state.customer, state.weight});
    }
  }
  accountant_.CheckMatches(claims);
}

// Weights of the whole pool, and standings of submitters.
void Negotiator::Begin() {
  record_.least_weight = kUnlimited;
  pool_for_groups_ = 0;
  for (const SlotState& state : states_) {
    record_.pool_weight += state.weight;
    record_.least_weight = std::min(record_.least_weight, state.weight);
    const bool counts_cpus = !rules_.match.weights && state.is_partitionable;
    pool_for_groups_ += counts_cpus ? state.cpus : state.weight;
  }
  for (const Submitter& submitter : pool_.submitters) {
    const double priority = accountant_.EffectivePriority(submitter.name);
    record_.standings.push_back({submitter.name, priority, accountant_.Factor(submitter.name),
                                 accountant_.WeightedUsed(submitter.name)});
  }
  for (size_t s = 0; s < states_.size(); ++s) {
    const std::string& user = states_[s].user;
    if (user.empty()) continue;
    ClassAd& ad = pool_.slots[s].ad;
    const float priority = static_cast<float>(accountant_.EffectivePriority(user));
    ad.Set(names_.remote_priority, AdValue::Of(static_cast<double>(priority)));
    ad.Set(names_.remote_usage, AdValue::Of(accountant_.WeightedUsed(user)));
  }
}

void Negotiator::Trim() {
  const auto goes = [&](size_t s) {
    const SlotState& state = states_[s];
    if (!pool_.slots[s].is_offered) return true;
    if (rules_.match.preemption) return state.retirement_left > 0 && !rules_.early_preemption;
    return state.is_claimed && !state.is_partitionable;
  };
  size_t kept = 0;
  for (size_t s = 0; s < states_.size(); ++s) {
    if (goes(s)) continue;
    if (kept != s) pool_.slots[kept] = std::move(pool_.slots[s]);
    ++kept;
  }
  pool_.slots.erase(pool_.slots.begin() + static_cast<std::ptrdiff_t>(kept), pool_.slots.end());
  record_.considered = kept;
}

void Negotiator::RunGroups() {
  const bool regroups = tree_.groups()[kRootGroup].autoregroup;
  std::vector<double> demand(tree_.groups().size(), 0);
  std::vector<std::vector<const Submitter*>> members(demand.size());
  for (const Submitter& submitter : pool_.submitters) {
    const GroupIndex g = tree_.GroupOf(submitter.name);
    demand[g] += rules_.weighted_demand ? submitter.weighted_idle + submitter.weighted_running
                                        : static_cast<double>(submitter.idle + submitter.running);
    members[g].push_back(&submitter);
  }
  for (GroupIndex g = 1; g < members.size() && regroups; ++g) {
    if (!tree_.groups()[g].autoregroup) continue;
    members[kRootGroup].insert(members[kRootGroup].end(), members[g].begin(), members[g].end());
  }
  RoundRules rules = rules_.rounds;
  rules.weights = rules_.match.weights;
  rules.preemption = rules_.match.preemption;
  QuotaRounds rounds(rules, sort_key_, &tree_, [&](GroupIndex g) { return UsageOf(g); });
  std::vector<uint8_t> has_submitters;
  for (const auto& list : members) has_submitters.push_back(!list.empty());
  rounds.Begin(pool_for_groups_, demand, std::move(has_submitters));
  rounds.Run(pool_.time, [&](const GroupTurn& turn) {
    const double limit = static_cast<double>(turn.limit);
    NegotiationEvent event{NegotiationEvent::Kind::kGroupTurn};
    event.name = tree_.groups()[turn.group].name;
    event.limit = limit;
    event.allocated = turn.allocated;
    record_.events.push_back(std::move(event));
    const bool is_limited = !(regroups && turn.group == kRootGroup);
    Negotiate({turn.group, is_limited, limit, false}, &members[turn.group]);
    return !members[turn.group].empty();
  });
}

// First those that are below their floors, if any is. Those that are done leave the list.
void Negotiator::Negotiate(Turn turn, std::vector<const Submitter*>* submitters) {
  std::vector<Entry> below, entries;
  for (const Submitter* submitter : *submitters) {
    const int64_t floor = accountant_.Floor(submitter->name);
    const double used = accountant_.WeightedUsed(submitter->name);
    if (floor > 0 && used < static_cast<double>(floor)) below.push_back({submitter});
    entries.push_back({submitter});
  }
  if (!below.empty()) {
    Turn floors = turn;
    floors.is_floor = true;
    Spin(floors, &below);
  }
  Spin(turn, &entries);
  submitters->clear();
  for (const Entry& entry : entries) submitters->push_back(entry.submitter);
}

void Negotiator::Spin(const Turn& turn, std::vector<Entry>* entries) {
  for (int spin = 1; RunSpin(turn, spin, entries); ++spin) {
    if (turn.is_floor || entries->empty() || !matchmaker_.has_slots()) return;
  }
}

void Negotiator::SetLimit(const Turn& turn, double usage, Entry* entry) const {
  const std::string& name = entry->submitter->name;
  const double used = accountant_.WeightedUsed(name);
  const double share = most_priority_ / (entry->priority * norm_);
  entry->limit = std::max(0.0, share * pie_ - used);
  if (rules_.ignores_priorities) entry->limit = kUnlimited;
  entry->unclaimed_limit = entry->limit;
  if (turn.is_limited) {
    const float left = static_cast<float>(turn.quota) - static_cast<float>(usage);
    entry->unclaimed_limit = std::max(0.0, std::min(entry->limit, static_cast<double>(left)));
  }
  if (!rules_.match.preemption) entry->limit = entry->unclaimed_limit;
  entry->starvation =
      used + entry->limit > 0 ? used / (used + entry->limit) : static_cast<double>(kNotStarving);
}

// Returns the sum of the limits.
double Negotiator::SetLimits(const Turn& turn, double pie, double usage,
                             std::vector<Entry>* entries) {
  pie_ = pie;
  most_priority_ = norm_ = 0;
  for (Entry& entry : *entries) {
    entry.priority = accountant_.EffectivePriority(entry.submitter->name);
    most_priority_ = std::max(most_priority_, entry.priority);
  }
  for (const Entry& entry : *entries) norm_ += most_priority_ / entry.priority;
  double sum = 0;
  for (Entry& entry : *entries) {
    SetLimit(turn, usage, &entry);
    sum += entry.limit;
  }
  return sum;
}

// Returns whether another spin may match more.
bool Negotiator::RunSpin(const Turn& turn, int spin, std::vector<Entry>* entries) {
  const bool preempts = rules_.match.preemption;
  const bool ignores_limit = spin == 1 && preempts;
  const double usage = UsageOf(turn.group);
  if (!ignores_limit && turn.is_limited && usage >= turn.quota) return false;
  matchmaker_.DropList();
  if (!preempts) {
    std::erase_if(*entries, [](const Entry& entry) { return entry.submitter->idle <= 0; });
  }
  pie_left_ = SetLimits(turn, std::min(record_.pool_weight, turn.quota), usage, entries);
  if (!preempts && pie_left_ <= 0) return false;
  if (spin == 1) {
    GnuSort(entries, [](const Entry& a, const Entry& b) {
      return std::tuple(a.priority, a.starvation, a.submitter->last_heard % kHeardModulus) <
             std::tuple(b.priority, b.starvation, b.submitter->last_heard % kHeardModulus);
    });
  }
  const double pie_before = pie_left_;
  const size_t count_before = entries->size();
  size_t next = 0, kept = 0;
  for (; next < count_before; ++next) {
    if (!ignores_limit && turn.is_limited && UsageOf(turn.group) >= turn.quota) break;
    Entry& entry = (*entries)[next];
    if (Visit(turn, spin, ignores_limit, usage, &entry) == Outcome::kDone) continue;
    if (kept != next) (*entries)[kept] = entry;
    ++kept;
  }
  entries->erase(entries->begin() + static_cast<std::ptrdiff_t>(kept),
                 entries->begin() + static_cast<std::ptrdiff_t>(next));
  return pie_left_ < pie_before || entries->size() < count_before;
}

Negotiator::Outcome Negotiator::Visit(const Turn& turn, int spin, bool ignores_limit, double usage,
                                      Entry* entry) {
  if (stopped_) return Outcome::kDone;
  const std::string& name = entry->submitter->name;
  SetLimit(turn, usage, entry);
  if (turn.is_floor) {
    entry->limit = std::min(entry->limit, static_cast<double>(accountant_.Floor(name)));
  }
  entry->limit = std::min(entry->limit, pie_left_);
  double ceiling = kUnlimited;
  if (const int64_t most = accountant_.Ceiling(name); most >= 0) {
    ceiling = static_cast<double>(most - static_cast<int64_t>(accountant_.WeightedUsed(name)));
  }
  matchmaker_.ResetCounts();
  if (entry->submitter->idle <= 0) return Outcome::kDone;
  const double least = record_.least_weight;
  if (spin > 1 && (entry->limit < least || pie_left_ < least)) return Outcome::kResume;
  if (ceiling <= 0 || ceiling < least) return Outcome::kDone;
  NegotiationEvent event{NegotiationEvent::Kind::kSession};
  event.name = name;
  if (turn.is_limited) event.other = tree_.groups()[turn.group].name;
  event.priority = entry->priority;
  event.limit = entry->limit;
  event.unclaimed_limit = entry->unclaimed_limit;
  event.pie_left = pie_left_;
  event.ignores_limit = ignores_limit;
  record_.events.push_back(std::move(event));
  return RunSession(ignores_limit, ceiling, *entry);
}

Negotiator::Outcome Negotiator::RunSession(bool ignores_limit, double ceiling, const Entry& entry) {
  const std::vector<CondorJob>& jobs = pool_.jobs[entry.submitter->name];
  const auto [found, is_first] = left_.try_emplace(entry.submitter->name);
  std::vector<uint32_t>& left = found->second;
  if (is_first) {
    left.resize(jobs.size());
    std::iota(left.begin(), left.end(), 0U);
  }
  payer_.reset();
  std::vector<uint8_t> is_matched(left.size(), 0);
  const Outcome outcome = OfferSlots(ignores_limit, ceiling, entry, jobs, left, &is_matched);
  size_t kept = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    if (!is_matched[i]) left[kept++] = left[i];
  }
  left.resize(kept);
  return outcome;
}

Negotiator::Outcome Negotiator::OfferSlots(bool ignores_limit, double ceiling, const Entry& entry,
                                           std::span<const CondorJob> jobs,
                                           std::span<const uint32_t> left,
                                           std::vector<uint8_t>* is_matched) {
  SessionLimits session{entry.submitter->name, entry.priority, entry.limit, entry.unclaimed_limit};
  HashSet<int64_t> refused;  // auto clusters
  bool limited = false;
  for (size_t i = 0; i < left.size(); ++i) {
    const CondorJob& job = jobs[left[i]];
    if (session.used >= session.limit) {
      if (!ignores_limit) return Outcome::kResume;
      session.only_for_rank = true;
    }
    if (session.used >= ceiling) return Outcome::kResume;
    if (refused.contains(job.auto_cluster)) continue;
    if (IsStopped()) return Outcome::kDone;
    const Offer offer = matchmaker_.Find(session, job);
    if (offer.slot == kNoSlot) {
      Reject(session, job);
      refused.insert(job.auto_cluster);
      limited |= matchmaker_.counts().limit > 0;
      if (!rules_.match.weights && !rules_.match.preemption && matchmaker_.counts().limit > 0) {
        return Outcome::kResume;
      }
      continue;
    }
    Match(offer, job, &session);
    (*is_matched)[i] = 1;
  }
  return session.used >= session.limit || limited ? Outcome::kResume : Outcome::kDone;
}

void Negotiator::Reject(const SessionLimits& session, const CondorJob& job) {
  NegotiationEvent event{NegotiationEvent::Kind::kReject};
  event.name = job.id;
  event.job_row = job.row;
  event.other = matchmaker_.Reason();
  const RefusalCounts& counts = matchmaker_.counts();
  const bool is_no_match = counts.concurrency + counts.policy + counts.limit == 0;
  if (watch_ != nullptr && is_no_match) event.refusals = matchmaker_.CountRefusals(session, job);
  record_.events.push_back(std::move(event));
}

void Negotiator::Match(const Offer& offer, const CondorJob& job, SessionLimits* session) {
  const Slot& slot = matchmaker_.slot(offer.slot);
  NegotiationEvent event{NegotiationEvent::Kind::kMatch};
  event.name = job.id;
  event.other = slot.name;
  event.preempts = offer.preempts;
  event.cost = offer.cost;
  event.job_row = job.row;
  event.slot_row = slot.row;
  if (watch_ != nullptr) watch_->Matched(event);
  record_.events.push_back(std::move(event));
  std::string held = slot.name;  // one that divides has many holders
  if (matchmaker_.Divides(offer.slot)) absl::StrAppend(&held, "#", ++parts_);
  matchmaker_.Take(offer, *session, job);
  session->used += offer.cost;
  if (offer.preempts.empty()) session->unclaimed_used += offer.cost;
  pie_left_ -= offer.cost;
  if (!payer_) payer_ = accountant_.PayerOf(session->submitter);
  accountant_.Match(*payer_, held, offer.cost);
}

}  // namespace muster::condor
