// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/victim_words.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/peer/kai/capacity_gate.h"
#include "lib/peer/kai/placing.h"

namespace muster {
namespace {

constexpr std::string_view kRuleWords[] = {"considered",
                                           "not preemptible",
                                           "in a queue within its share",
                                           "not less important",
                                           "within the minimum run time",
                                           "beyond the number that may move"};

std::string_view TrialWords(KaiTrial trial) {
  switch (trial) {
    case KaiTrial::kNone:
      return ", but the job was not tried: depth of the queue or budget of work";
    case KaiTrial::kOfLikeJob:
      return ", but no eviction made room for a job like it";
    case KaiTrial::kOwn:
      break;
  }
  return ", but no eviction makes room";
}

}  // namespace

int64_t KaiDelayOf(const KaiWorld& world, const KaiJob& job) {
  const KaiJobFacts& facts = job.facts();
  if (facts.preemption_delay <= 0) return 0;
  const int64_t since = std::max(facts.created, world.EvictionOf(job).value_or(facts.created));
  const int64_t end = SatAdd(since, facts.preemption_delay);
  return std::max<int64_t>(0, end - world.facts().now);
}

KaiVictimWords::KaiVictimWords(const KaiWorld& world, std::string_view action)
    : world_(world),
      name_(action),
      action_(action == "consolidation" ? Action::kConsolidation
              : action == "reclaim"     ? Action::kReclaim
              : action == "preempt"     ? Action::kPreempt
                                        : Action::kOther) {
  if (action_ != Action::kOther) MakeGroups();
}

void KaiVictimWords::MakeGroups() {
  using Traits = std::tuple<uint32_t, bool, int64_t, bool, std::optional<int64_t>>;
  std::map<Traits, uint32_t> known;
  group_of_.assign(world_.job_count(), kKaiNone);
  for (uint32_t j = 0; j < world_.job_count(); ++j) {
    const KaiJob& job = world_.job(j);
    const KaiJobFacts& facts = job.facts();
    if (!facts.schedulable || job.active_allocated() == 0) continue;
    const Traits traits = {facts.queue, facts.preemptible, facts.priority, job.IsElastic(),
                           world_.StartOf(job)};
    const auto [group, is_new] = known.emplace(traits, static_cast<uint32_t>(groups_.size()));
    if (is_new) groups_.push_back({.like = &job});
    ++groups_[group->second].count;
    group_of_[j] = group->second;
  }
}

std::string KaiVictimWords::GateOf(const KaiJob& job, const KaiReclaimer& reclaimer) const {
  if (action_ == Action::kConsolidation && !KaiHasGpusFor(world_, job)) {
    return "too few GPUs are free in all";
  }
  if (action_ == Action::kReclaim && !KaiCanReclaim(world_.tree, reclaimer)) {
    KaiReclaimer preemptible = reclaimer;
    preemptible.preemptible = true;
    const bool quota = KaiCanReclaim(world_.tree, preemptible);
    return absl::StrCat("queue ", Quote(world_.tree.queues[reclaimer.queue].name),
                        " would exceed its ", quota ? "quota" : "fair share");
  }
  if (action_ == Action::kPreempt) {
    const KaiAmounts requested = KaiQuotaOf(world_, job.Next(/*real=*/false));
    return KaiGateMessage(
        world_.tree,
        KaiOverQuota(world_.tree, job.facts().queue, job.facts().preemptible, requested),
        requested);
  }
  return "";
}

// Returns whether the action looks among such jobs at all.
bool KaiVictimWords::IsAskedFor(const KaiJob& asks, const KaiJob& victim) const {
  const bool same_queue = victim.facts().queue == asks.facts().queue;
  return action_ == Action::kConsolidation || same_queue == (action_ == Action::kPreempt);
}

KaiVictimWords::Rule KaiVictimWords::RuleOf(const KaiJob& asks, const KaiReclaimer& reclaimer,
                                            const KaiJob& victim) {
  if (!victim.facts().preemptible) return Rule::kFixed;
  if (action_ == Action::kConsolidation) return Rule::kNone;
  if (action_ == Action::kPreempt) {
    if (victim.facts().priority >= asks.facts().priority) return Rule::kPriority;
    const bool safe = !victim.IsElastic() && KaiIsSafeFromPreempt(world_, asks, victim);
    return safe ? Rule::kRuntime : Rule::kNone;
  }
  std::optional<bool>& may_lose = may_lose_[victim.facts().queue];
  if (!may_lose) may_lose = KaiMayBeVictim(world_.tree, reclaimer, victim.facts().queue);
  if (!*may_lose) return Rule::kShare;
  const bool safe = !victim.IsElastic() && KaiIsSafeFromReclaim(world_, asks, victim);
  return safe ? Rule::kRuntime : Rule::kNone;
}

std::string KaiVictimWords::CountsOf(const KaiJob& job, const KaiReclaimer& reclaimer) {
  may_lose_.assign(world_.tree.queues.size(), std::nullopt);
  std::array<int64_t, std::size(kRuleWords)> counts = {};
  int64_t all = 0;
  const int64_t most = world_.options().consolidation_victims;
  for (uint32_t g = 0; g < groups_.size(); ++g) {
    const int64_t count = groups_[g].count - (group_of_[job.number()] == g ? 1 : 0);
    if (count == 0 || !IsAskedFor(job, *groups_[g].like)) continue;
    all += count;
    counts[static_cast<size_t>(RuleOf(job, reclaimer, *groups_[g].like))] += count;
  }
  if (action_ == Action::kConsolidation && most >= 0 && counts[0] > most) {
    // One more is looked at than may move.
    counts[static_cast<size_t>(Rule::kBeyond)] = counts[0] - most - 1;
    counts[0] = most + 1;
  }
  const std::string_view whose = action_ == Action::kReclaim   ? " of other queues"
                                 : action_ == Action::kPreempt ? " of its queue"
                                                               : "";
  if (all == 0) return absl::StrCat("no job", ToAbsl(whose), " runs");
  std::string words = absl::StrCat(all, all == 1 ? " job" : " jobs", ToAbsl(whose), ":");
  std::string_view between = " ";
  const auto add = [&](size_t rule) {
    if (counts[rule] == 0) return;
    absl::StrAppend(&words, ToAbsl(between), counts[rule], " ", ToAbsl(kRuleWords[rule]));
    between = ", ";
  };
  for (size_t rule = 1; rule < counts.size(); ++rule) add(rule);
  add(0);
  if (counts[0] > 0) absl::StrAppend(&words, ToAbsl(TrialWords(world_.trials[job.number()])));
  return words;
}

std::string KaiVictimWords::Of(const KaiJob& job) {
  if (action_ == Action::kOther) return "";
  const bool moves = world_.options().consolidation_victims != 0 && job.facts().preemptible;
  if (action_ == Action::kConsolidation && !moves) return "";
  if (const int64_t delay = KaiDelayOf(world_, job); delay > 0) {
    return absl::StrCat("no victims for ", delay, " s more: preemption delay");
  }
  // A copy: what the job keeps about its next tasks decides what later actions try.
  const KaiJob asks = job;
  const KaiReclaimer reclaimer = KaiReclaimerOf(asks);
  const auto words = [&] {
    const std::string gate = GateOf(asks, reclaimer);
    return absl::StrCat(name_, ": ", gate.empty() ? CountsOf(asks, reclaimer) : gate);
  };
  if (job.HasActive()) return words();  // it does not count itself
  int64_t memory = 0;
  for (const KaiPod* pod : asks.Next(/*real=*/false)) memory += world_.ShapeOf(*pod).gpu.memory;
  const Kind kind = {job.facts().queue,
                     job.facts().preemptible,
                     job.facts().priority,
                     reclaimer.request.amounts,
                     memory,
                     world_.trials[job.number()]};
  const auto found = known_.find(kind);
  return found != known_.end() ? found->second : known_.emplace(kind, words()).first->second;
}

}  // namespace muster
