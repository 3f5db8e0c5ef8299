// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/numa/numa_rules.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace muster {
namespace {

constexpr int64_t kFullScore = 100;
constexpr int64_t kMilliPerCpu = 1000;

NumaReason ReasonOf(BindRefusal refusal) {
  switch (refusal) {
    case BindRefusal::kFraction:
      return NumaReason::kFraction;
    case BindRefusal::kConflict:
      return NumaReason::kConflict;
    case BindRefusal::kHalfCores:
      return NumaReason::kHalfCores;
    case BindRefusal::kNone:
      break;
  }
  return NumaReason::kNone;
}

NumaPolicy PolicyOfZones(const std::string& name) {
  if (name == "BestEffort") return NumaPolicy::kBestEffort;
  if (name == "Restricted") return NumaPolicy::kRestricted;
  return name == "SingleNUMANode" ? NumaPolicy::kSingleZone : NumaPolicy::kNone;
}

uint64_t AllZones(const NumaNode& node) {
  uint64_t all = 0;
  for (const NumaNode::Zone& zone : node.zones) all |= uint64_t{1} << zone.number;
  return all;
}

// Sets of zones, smaller ones first, then in the order of their zones.
std::vector<uint64_t> SetsOfZones(const NumaNode& node) {
  std::vector<uint64_t> sets;
  const size_t zones = node.zones.size();
  std::vector<size_t> places;
  for (size_t size = 1; size <= zones; ++size) {
    places.resize(size);
    for (size_t i = 0; i < size; ++i) places[i] = i;
    while (true) {
      uint64_t set = 0;
      for (size_t place : places) set |= uint64_t{1} << node.zones[place].number;
      sets.push_back(set);
      size_t i = size;
      while (i > 0 && places[i - 1] == zones - size + i - 1) --i;
      if (i == 0) break;
      ++places[i - 1];
      for (size_t j = i; j < size; ++j) places[j] = places[j - 1] + 1;
    }
  }
  return sets;
}

// Tries all loans, then the node.
NumaLoanAnswer TryAll(const NumaSite& site, const NumaClaim& claim, const NumaRequest& request,
                      const NumaLoans& loans, const NumaVictims& victims) {
  NumaLoanAnswer answer =
      PlaceFromLoans(site.node, *site.books, request, claim.taker, loans, loans.matched, victims);
  if (!answer.ok() || answer.grant.has_value()) return answer;
  return PlaceOnNode(site.node, *site.books, request, loans, victims);
}

// Tries the nominated loan; nothing is granted if there is none.
NumaLoanAnswer TryNominated(const NumaSite& site, const NumaClaim& claim,
                            const NumaRequest& request, const NumaLoans& loans,
                            const std::string& nominated, const NumaVictims& victims) {
  if (claim.claimant == NumaClaimant::kReservation) return {};
  if (claim.taker.ignores_reservations) {
    return PlaceFromLoans(site.node, *site.books, request, claim.taker, loans, loans.matched,
                          victims);
  }
  if (loans.matched.empty()) return {};
  if (nominated.empty()) {
    return {.grant = {},
            .reason = claim.taker.needs_loan ? NumaReason::kNotNominated : NumaReason::kNone};
  }
  const NumaLoan* loan = loans.Find(nominated);
  if (loan == nullptr) return {};
  NumaLoanAnswer answer = PlaceFromLoans(site.node, *site.books, request, claim.taker, loans,
                                         std::span(loan, 1), victims);
  if (answer.ok() && !answer.grant.has_value()) answer.reason = NumaReason::kNotNominated;
  return answer;
}

// The filter of sets of zones: hints, the merged set, and a trial with it.
NumaFilter Admit(const NumaSite& site, const NumaClaim& claim, const NumaNeed& need,
                 const NumaLoans& loans, const NumaVictims& victims, const NumaScorer* scorer,
                 std::span<const ScoredHints> others) {
  if (site.node.zones.empty()) return {.reason = NumaReason::kNoZones};
  std::vector<ScoredHints> hints;
  ResourceHints of_zones = HintsOfZones(site, claim, need, loans, victims, scorer);
  for (const auto& [resource, list] : of_zones) hints.emplace_back(list);
  if (hints.empty()) hints.emplace_back();
  hints.insert(hints.end(), others.begin(), others.end());
  std::vector<ZoneState> alone;
  if (claim.alone.value_or(!claim.zone_policy.empty())) {
    alone = site.books->States(site.node.zones.size());
  }
  const absl::StatusOr<ScoredChoice> choice =
      MergeScoredHints(need.zones, AllZones(site.node), hints, alone);
  if (!choice.ok() || !choice->admitted) {
    return {.reason = NumaReason::kUnaligned, .hints = std::move(of_zones)};
  }
  NumaRequest request = need.request;
  request.zones = choice->hint.zones;
  const NumaLoanAnswer answer = TryAll(site, claim, request, loans, victims);
  return {.reason = answer.reason, .zones = choice->hint, .lacking = answer.lacking};
}

// The final choice, with zones that were found before.
NumaLoanAnswer Allocate(const NumaSite& site, const NumaClaim& claim, NumaNeed need,
                        const std::optional<ScoredHint>& zones, const NumaLoans& loans,
                        const std::string& nominated, const NumaVictims& victims) {
  if (need.reason == NumaReason::kFraction) return {.grant = {}, .reason = need.reason};
  if (!need.request.binds && need.zones == NumaPolicy::kNone) return {};
  if (need.request.binds && !site.node.cpus.has_value()) {
    return {.grant = {}, .reason = NumaReason::kNoTopology};
  }
  if (zones.has_value()) need.request.zones = zones->zones;
  NumaLoanAnswer answer = TryNominated(site, claim, need.request, loans, nominated, victims);
  if (!answer.ok() || answer.grant.has_value()) return answer;
  if (claim.named.has_value()) {
    return PlaceAsNamed(site.node, *site.books, need.request, *claim.named, victims);
  }
  return PlaceOnNode(site.node, *site.books, need.request, loans, victims);
}

// What is free, and what is in use, of the zones and CPUs that a task gets.
int64_t ScoreOfGrant(const NumaSite& site, const NumaNeed& need, const NumaLoanAnswer& answer,
                     const NumaScorer& scorer) {
  Sparse allocatable = site.allocatable, requested = site.requested;
  if (!answer.grant->amounts.empty()) {
    allocatable = requested = {};
    const ZoneAmounts held = site.books->HeldAmounts(site.node, answer.reuse.reusable);
    for (const auto& [zone, of_zone] : answer.grant->amounts) {
      const auto of_held = held.find(zone);
      if (of_held != held.end()) requested.Add(of_held->second);
      for (const NumaNode::Zone& one : site.node.zones) {
        if (one.number == zone) allocatable.Add(one.amounts);
      }
    }
  }
  if (!answer.grant->cpus.empty()) {
    CpuSet returned = answer.reuse.preferred;
    returned.AndNot(answer.grant->cpus);
    const HeldCpus held = site.books->Held(site.node, std::span(&returned, 1));
    requested.Set(site.node.cpu, AmplifiedAmount(held.all.size() * kMilliPerCpu, site.node.ratio));
  }
  return scorer.Score(requested, allocatable, need.amplified);
}

int64_t ScoreOfNode(const NumaSite& site, const NumaClaim& claim, const NumaNeed& need,
                    const NumaScorer& scorer) {
  Sparse requested = site.requested;
  if (claim.requests.at(site.node.cpu) != 0 && site.node.ratio > 1 && site.node.cpus.has_value()) {
    const int64_t bound = site.books->Held(site.node, {}).all.size() * kMilliPerCpu;
    const int64_t shared = SaturatingSubtract(requested.at(site.node.cpu), bound);
    requested.Set(site.node.cpu, SaturatingAdd(shared, AmplifiedAmount(bound, site.node.ratio)));
  }
  return scorer.Score(requested, site.allocatable, need.amplified);
}

}  // namespace

int64_t NumaScorer::Score(const Sparse& requested, const Sparse& allocatable,
                          const Sparse& request) const {
  int64_t sum = 0, weight_sum = 0;
  ForEachResource(weights.keys(), [&](size_t r) {
    const int64_t most = allocatable.at(r);
    if (most == 0 || ((plain >> r & 1) == 0 && request.at(r) == 0)) return;
    const int64_t used = SaturatingAdd(requested.at(r), request.at(r));
    const __int128 counted = prefer_full ? std::min(used, most) : most - std::min(used, most);
    sum = SaturatingAdd(sum, static_cast<int64_t>(counted * kFullScore / most) * weights.at(r));
    weight_sum = SaturatingAdd(weight_sum, weights.at(r));
  });
  return weight_sum == 0 ? 0 : sum / weight_sum;
}

NumaNeed NeedAtSite(const NumaSite& site, const NumaClaim& claim) {
  NumaNeed need;
  const std::optional<std::string> policy = ZonePolicyOf(site.zone_policy, claim.zone_policy);
  if (!policy.has_value()) {
    need.reason = NumaReason::kZonePolicy;
    return need;
  }
  need.zones = PolicyOfZones(*policy);
  const int64_t threads = site.node.cpus.has_value() ? site.node.cpus->cpus_per_core() : 1;
  const NodeBinding binding =
      BindingOnNode(claim.need, site.binding, std::max<int64_t>(threads, 1));
  need.request = {.amounts = claim.requests,
                  // Beyond what any machine has, the number does not matter.
                  .cpus = static_cast<int>(std::min<int64_t>(claim.need.cpus, 1 << 30)),
                  .binds = binding.binds,
                  .policy = binding.policy,
                  .required = binding.required,
                  .exclusive = claim.exclusive,
                  .order = site.order};
  need.amplified = claim.requests;
  if (binding.binds && site.node.ratio > 1) {
    const size_t cpu = site.node.cpu;
    need.amplified.Set(cpu, AmplifiedAmount(claim.requests.at(cpu), site.node.ratio));
  }
  need.reason = ReasonOf(binding.refusal);
  return need;
}

ResourceHints HintsOfZones(const NumaSite& site, const NumaClaim& claim, NumaNeed need,
                           const NumaLoans& loans, const NumaVictims& victims,
                           const NumaScorer* scorer) {
  const NumaNode& node = site.node;
  NumaReuse reuse{.reusable = loans.unmatched_used, .preferred = loans.remained_cpus};
  AddByZone(loans.allocatable, &reuse.reusable);
  if (victims.node.has_value()) {
    AddByZone(victims.node->amounts(), &reuse.reusable);
    reuse.preemptible = victims.node->With({});
  }
  for (const auto& [name, share] : victims.reservations) {
    AddByZone(share.amounts(), &reuse.reusable);
    reuse.preemptible = share.With(reuse.preemptible);
  }
  ZoneAmounts free = site.books->Free(node, reuse.reusable);
  TrimToPolicy(node, *site.books, need.request, reuse, &free);
  ZoneAmounts totals;
  uint64_t known = 0;
  for (const NumaNode::Zone& zone : node.zones) {
    totals[zone.number] = zone.amounts;
    known |= zone.amounts.keys();
  }
  ResourceHints hints;
  ForEachResource(claim.requests.keys() & known, [&](size_t r) { hints.emplace_back().first = r; });
  for (uint64_t set : SetsOfZones(node)) {
    need.request.zones = set;
    const NumaLoanAnswer answer = TryAll(site, claim, need.request, loans, victims);
    if (!answer.ok()) continue;
    const Sparse total = SumOfZones(totals, set);
    Sparse used = Difference(total, SumOfZones(free, set));
    used.NotBelowZero();
    const int64_t score = scorer == nullptr ? 0 : scorer->Score(used, total, need.amplified);
    for (auto& [r, list] : hints) {
      const bool lacks =
          std::any_of(node.zones.begin(), node.zones.end(), [&, r = r](const auto& zone) {
            return (set >> zone.number & 1) != 0 && free.at(zone.number).at(r) == 0;
          });
      if (!lacks) list.push_back({.zones = set, .score = score});
    }
  }
  for (auto& [r, list] : hints) {
    if (list.empty()) continue;
    const int fewest = std::popcount(*list.front().zones);
    for (ScoredHint& hint : list) {
      hint.preferred =
          need.zones == NumaPolicy::kRestricted || std::popcount(*hint.zones) == fewest;
    }
  }
  return hints;
}

NumaFilter FilterByNuma(const NumaSite& site, const NumaClaim& claim, const NumaLoans& loans,
                        const std::string& nominated, const NumaVictims& victims,
                        const NumaScorer* scorer, std::span<const ScoredHints> others) {
  const NumaNeed need = NeedAtSite(site, claim);
  if (need.reason == NumaReason::kZonePolicy) return {.reason = need.reason};
  if (claim.named.has_value()) {
    const NumaLoanAnswer answer = Allocate(site, claim, need, {}, loans, nominated, victims);
    return {.reason = answer.reason, .lacking = answer.lacking};
  }
  if (need.reason == NumaReason::kFraction) return {.reason = need.reason};
  const bool binds = need.request.binds;
  const size_t cpu = site.node.cpu;
  AmplifiedCpus cpus{.capacity = site.allocatable.at(cpu),
                     .requested = site.requested.at(cpu),
                     .bound = 0,
                     .ratio = site.ratio};
  if (site.node.cpus.has_value()) {
    cpus.bound = site.books->Held(site.node, {}).all.size() * kMilliPerCpu;
  }
  if (!FitsAmplified(claim.requests.at(cpu), binds, cpus)) {
    return {.reason = NumaReason::kFewAmplified};
  }
  if (binds && !site.node.cpus.has_value()) return {.reason = NumaReason::kNoTopology};
  if (need.reason != NumaReason::kNone) return {.reason = need.reason};
  if (binds && need.request.required && need.zones == NumaPolicy::kNone) {
    const NumaLoanAnswer answer = TryAll(site, claim, need.request, loans, victims);
    return {.reason = answer.reason, .lacking = answer.lacking};
  }
  if (need.zones == NumaPolicy::kNone || need.zones == NumaPolicy::kBestEffort) return {};
  return Admit(site, claim, need, loans, victims, scorer, others);
}

NumaReason FilterLoan(const NumaSite& site, const NumaClaim& claim,
                      const std::optional<ScoredHint>& zones, const NumaLoans& loans,
                      const std::string& nominated, const NumaVictims& victims) {
  NumaNeed need = NeedAtSite(site, claim);
  if (need.reason == NumaReason::kFraction) return need.reason;
  if (!need.request.binds && need.zones == NumaPolicy::kNone) return NumaReason::kNone;
  if (need.request.binds && !site.node.cpus.has_value()) return NumaReason::kNoTopology;
  const NumaLoan* loan = loans.Find(nominated);
  if (loan == nullptr) return NumaReason::kNone;
  if (zones.has_value()) need.request.zones = zones->zones;
  const NumaLoanAnswer answer = PlaceFromLoans(site.node, *site.books, need.request, claim.taker,
                                               loans, std::span(loan, 1), victims);
  if (!answer.ok() || loans.takes_over) return answer.reason;
  return answer.grant.has_value() ? NumaReason::kNone : NumaReason::kNotNominated;
}

NumaFilter FindZonesAtLast(const NumaSite& site, const NumaClaim& claim,
                           const std::optional<ScoredHint>& found, const NumaLoans& loans,
                           const NumaVictims& victims, const NumaScorer* scorer,
                           std::span<const ScoredHints> others) {
  const NumaNeed need = NeedAtSite(site, claim);
  if (need.zones != NumaPolicy::kBestEffort) return {.zones = found};
  if (!found.has_value()) return Admit(site, claim, need, loans, victims, scorer, others);
  NumaRequest request = need.request;
  request.zones = found->zones;
  const NumaLoanAnswer answer = TryAll(site, claim, request, loans, victims);
  return {.reason = answer.reason, .zones = found, .lacking = answer.lacking};
}

NumaLoanAnswer ReserveByNuma(const NumaSite& site, const NumaClaim& claim,
                             const std::optional<ScoredHint>& zones, const NumaLoans& loans,
                             const std::string& nominated, const NumaVictims& victims) {
  return Allocate(site, claim, NeedAtSite(site, claim), zones, loans, nominated, victims);
}

int64_t ScoreByNuma(const NumaSite& site, const NumaClaim& claim,
                    const std::optional<ScoredHint>& zones, const NumaLoans& loans,
                    const std::string& nominated, const NumaScorer& scorer) {
  NumaNeed need = NeedAtSite(site, claim);
  if (need.request.binds && !site.node.cpus.has_value()) return 0;
  if (need.zones == NumaPolicy::kNone) return ScoreOfNode(site, claim, need, scorer);
  if (zones.has_value()) need.request.zones = zones->zones;
  const NumaVictims none;
  NumaLoanAnswer answer = TryNominated(site, claim, need.request, loans, nominated, none);
  if (!answer.ok()) return 0;
  if (!answer.grant.has_value()) {
    answer = PlaceOnNode(site.node, *site.books, need.request, loans, none);
  }
  return answer.ok() ? ScoreOfGrant(site, need, answer, scorer) : 0;
}

}  // namespace muster
