// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whether a node of NUMA zones holds a task, on which zones and CPUs, and how good the node is.
//
//   NumaFilter filter = FilterByNuma(site, claim, loans, nominated, victims, &scorer, {});
//   filter = FindZonesAtLast(site, claim, filter.zones, loans, victims, &scorer, {});
//   NumaLoanAnswer answer = ReserveByNuma(site, claim, filter.zones, loans, nominated, victims);
//   int64_t score = ScoreByNuma(site, claim, filter.zones, loans, nominated, scorer);
//
// Idea. Node and task may each require a policy of zones and one of CPUs (cpu/cpu_binding.h). With
// a policy of zones, each set of zones on which a trial succeeds is a hint of each resource that
// the task requests there. Hints are merged (device/scored_hints.h); the merged set is where the
// task goes. Without one, a required policy of CPUs is tried on the whole node.
//
// Hints. A set with a zone that lacks the resource is no hint for it. Preferred are the smallest
// sets, or all of them under kRestricted. The score is how good the zones are by the scorer.
//
// Score. By the zones and CPUs that the task would get; by the whole node where it gets no zones.
// CPUs of single tasks count with the amplification ratio.
//
// Peer. Koordinator's plug-in NodeNUMAResource, with the topology manager of its frameworkext.
// Surprises: policy kBestEffort is tried only when the task is reserved. A task that a trial
// refuses after the filter scores 0 and stays. With CPUs of its own, the cpu in use of the score is
// that of bound CPUs of the whole node, even where its zones are scored. A reservation that was
// nominated and places nothing refuses the task, although the node may have room.
//
// Cost. 2^zones trials for hints, one for a score.
#ifndef MUSTER_PEER_KOORDINATOR_NUMA_NUMA_RULES_H_
#define MUSTER_PEER_KOORDINATOR_NUMA_NUMA_RULES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/peer/koordinator/numa/numa_reuse.h"

namespace muster {

// Scores how full something is with a request, 0 to 100.
struct NumaScorer {
  bool prefer_full = false;
  Sparse weights;      // resources that are not named do not count
  uint64_t plain = 0;  // resources that count even if the task does not request them

  int64_t Score(const Sparse& requested, const Sparse& allocatable, const Sparse& request) const;
};

enum class NumaClaimant : uint8_t {
  kTask,
  kReservation,  // places itself on the node
  kTakeOver,     // a reservation that may take over tasks
};

struct NumaClaim {
  CpuNeed need;
  Sparse requests;
  CpuExclusive exclusive = CpuExclusive::kNone;
  std::string zone_policy;    // empty: none
  std::optional<bool> alone;  // whether no wider task may share its zone
  NumaClaimant claimant = NumaClaimant::kTask;
  NumaTaker taker;
  std::optional<NumaGrant> named;  // it takes exactly these, chosen beforehand
};

struct NumaSite {
  NumaNode node;
  const NumaBooks* books = nullptr;
  NodeCpuBinding binding = NodeCpuBinding::kNone;
  std::string zone_policy;
  ZoneOrder order = ZoneOrder::kMostFree;
  double ratio = 1;               // of the node itself, which its own filter reads
  Sparse allocatable, requested;  // of the node
};

// Resources of hints in ascending order; an empty list: no zones have the resource.
using ResourceHints = std::vector<std::pair<size_t, std::vector<ScoredHint>>>;

struct NumaFilter {
  NumaReason reason = NumaReason::kNone;
  std::optional<ScoredHint> zones = {};  // the merged hint, where a policy of zones holds
  uint64_t lacking = 0;                  // kFewInZones: the resources
  ResourceHints hints = {};              // kUnaligned: of the node's zones
  bool ok() const { return reason == NumaReason::kNone; }
};

// Returns what the claim requests of the site. Without a refusal by policies, `reason` is kNone.
struct NumaNeed {
  NumaRequest request;
  Sparse amplified;  // requests, cpu with the ratio where the task binds
  NumaPolicy zones = NumaPolicy::kNone;
  NumaReason reason = NumaReason::kNone;
};
NumaNeed NeedAtSite(const NumaSite& site, const NumaClaim& claim);

ResourceHints HintsOfZones(const NumaSite& site, const NumaClaim& claim, NumaNeed need,
                           const NumaLoans& loans, const NumaVictims& victims,
                           const NumaScorer* scorer);

// `nominated` counts for claims with named zones or CPUs only. `others`: hints of other providers,
// say of devices.
NumaFilter FilterByNuma(const NumaSite& site, const NumaClaim& claim, const NumaLoans& loans,
                        const std::string& nominated, const NumaVictims& victims,
                        const NumaScorer* scorer, std::span<const ScoredHints> others);

// Returns whether a task that was nominated to a loan gets its place there.
NumaReason FilterLoan(const NumaSite& site, const NumaClaim& claim,
                      const std::optional<ScoredHint>& zones, const NumaLoans& loans,
                      const std::string& nominated, const NumaVictims& victims);

// The zones under policy kBestEffort, which the filter does not look for; `found` if there are
// some. Under other policies `found` is the answer.
NumaFilter FindZonesAtLast(const NumaSite& site, const NumaClaim& claim,
                           const std::optional<ScoredHint>& found, const NumaLoans& loans,
                           const NumaVictims& victims, const NumaScorer* scorer,
                           std::span<const ScoredHints> others);

// `zones`: of FindZonesAtLast; `nominated`: the loan that was chosen, or empty. Nothing is granted
// to a task that needs neither zones nor CPUs.
NumaLoanAnswer ReserveByNuma(const NumaSite& site, const NumaClaim& claim,
                             const std::optional<ScoredHint>& zones, const NumaLoans& loans,
                             const std::string& nominated, const NumaVictims& victims);

int64_t ScoreByNuma(const NumaSite& site, const NumaClaim& claim,
                    const std::optional<ScoredHint>& zones, const NumaLoans& loans,
                    const std::string& nominated, const NumaScorer& scorer);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_NUMA_NUMA_RULES_H_
