// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/words.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr std::string_view kTaskStatusWords[] = {"pending", "placed",  "nominated", "binding",
                                                 "bound",   "running", "releasing", "succeeded",
                                                 "failed",  "unknown", "waiting"};
constexpr std::string_view kJobPhaseWords[] = {"pending", "admitted", "running", "degraded",
                                               "completed"};
constexpr std::string_view kQueueStateWords[] = {"open", "closed"};
constexpr std::string_view kEventKindWords[kClusterEventKindCount] = {
    "node_added",     "node_changed", "node_removed", "queue_added",  "queue_changed",
    "queue_removed",  "job_added",    "job_changed",  "job_removed",  "task_added",
    "task_changed",   "task_bound",   "task_ended",   "task_removed", "domain_added",
    "domain_removed", "budget_set",   "namespace_set"};
constexpr std::string_view kTaintEffectWords[] = {"", "NoSchedule", "PreferNoSchedule",
                                                  "NoExecute"};
constexpr std::string_view kTolerationOpWords[] = {"Equal", "Exists"};
constexpr std::string_view kRequirementOpWords[] = {"",   "In", "NotIn", "Exists", "DoesNotExist",
                                                    "Gt", "Lt"};
constexpr std::string_view kProtocolWords[] = {"TCP", "UDP", "SCTP"};
constexpr std::string_view kSamePartWords[] = {"", "zone", "link"};
constexpr std::string_view kAlignmentWords[] = {"", "none", "best-effort", "restricted",
                                                "single-numa-node"};
constexpr std::string_view kAlignmentScopeWords[] = {"container", "pod"};
constexpr std::string_view kBundleStrategyWords[] = {"", "pack", "spread", "strict_pack",
                                                     "strict_spread"};
constexpr std::string_view kJobOrderWords[] = {"", "fifo", "fair", "priority", "drf"};
constexpr std::string_view kFlavorSearchWords[] = {"may_stop", "try_next"};
constexpr std::string_view kFlavorPreferenceWords[] = {"borrowing", "preemption"};
constexpr std::string_view kQueueingStrategyWords[] = {"best_effort_fifo", "strict_fifo"};
constexpr std::string_view kStopPolicyWords[] = {"none", "hold", "hold_and_drain"};
constexpr std::string_view kVictimScopeWords[] = {"never", "lower_priority",
                                                  "lower_or_newer_equal_priority", "any"};
constexpr std::string_view kPreemptionFenceWords[] = {"open", "fenced", "disabled"};
constexpr std::string_view kReservationPhaseWords[] = {"pending", "available", "succeeded",
                                                       "failed"};
constexpr std::string_view kReservationPolicyWords[] = {"aligned", "restricted"};

// Words of earlier versions.
struct RenamedWord {
  std::string_view before, now;
};
constexpr RenamedWord kRenamedWords[] = {
    {"guaranteed", "guaranteed_qos"},  // of a task's shape; that of a queue keeps its name
    {"unknown", "degraded"},           // phase of a job
};

}  // namespace

WordTable WordsOf(TaskStatus) { return {"status", kTaskStatusWords}; }
WordTable WordsOf(JobPhase) { return {"phase", kJobPhaseWords}; }
WordTable WordsOf(QueueState) { return {"state", kQueueStateWords}; }
WordTable WordsOf(ClusterEventKind) { return {"kind", kEventKindWords}; }
WordTable WordsOf(TaintEffect) { return {"effect", kTaintEffectWords}; }
WordTable WordsOf(TolerationOp) { return {"operator", kTolerationOpWords}; }
WordTable WordsOf(RequirementOp) { return {"operator", kRequirementOpWords}; }
WordTable WordsOf(Protocol) { return {"protocol", kProtocolWords}; }
WordTable WordsOf(SamePart) { return {"same", kSamePartWords}; }
WordTable WordsOf(Alignment) { return {"alignment", kAlignmentWords}; }
WordTable WordsOf(AlignmentScope) { return {"alignment_scope", kAlignmentScopeWords}; }
WordTable WordsOf(BundleStrategy) { return {"bundle_strategy", kBundleStrategyWords}; }
WordTable WordsOf(JobOrder) { return {"job_order", kJobOrderWords}; }
WordTable WordsOf(FlavorSearch) { return {"search", kFlavorSearchWords}; }
WordTable WordsOf(FlavorPreference) { return {"preference", kFlavorPreferenceWords}; }
WordTable WordsOf(QueueingStrategy) { return {"strategy", kQueueingStrategyWords}; }
WordTable WordsOf(StopPolicy) { return {"stop policy", kStopPolicyWords}; }
WordTable WordsOf(VictimScope) { return {"victim scope", kVictimScopeWords}; }
WordTable WordsOf(PreemptionFence) { return {"fence", kPreemptionFenceWords}; }
WordTable WordsOf(ReservationPhase) { return {"phase", kReservationPhaseWords}; }
WordTable WordsOf(ReservationPolicy) { return {"policy", kReservationPolicyWords}; }

std::string SuggestWord(std::string_view word, std::span<const std::string_view> valid) {
  const size_t dot = word.rfind('.') + 1;  // 0 where there is none
  for (const auto& [before, now] : kRenamedWords) {
    if (word.substr(dot) != before) continue;
    const std::string renamed = absl::StrCat(ToAbsl(word.substr(0, dot)), ToAbsl(now));
    if (std::find(valid.begin(), valid.end(), renamed) != valid.end()) {
      return absl::StrCat(", renamed to ", Quote(renamed));
    }
  }
  return SuggestName(word, valid);
}

std::string UnknownWord(std::string_view what, std::string_view word,
                        std::span<const std::string_view> valid) {
  std::string out = absl::StrCat("unknown ", ToAbsl(what), " ", Quote(word));
  const std::string suggested = SuggestWord(word, valid);
  if (!suggested.empty()) return out + suggested;
  absl::StrAppend(&out, ", expected one of ");
  for (size_t i = 0; i < valid.size(); ++i) {
    absl::StrAppend(&out, i == 0 ? "" : ", ", valid[i].empty() ? "\"\"" : ToAbsl(valid[i]));
  }
  return out;
}

}  // namespace muster
