// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/digests/reading.h"

#include <bit>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/scenario/scenario.h"
#include "muster/plan.h"
#include "muster/schedule.h"

namespace muster::testing {
namespace {

// One line a word.
// clang-format off
std::string_view Word(DecisionKind kind) {
  switch (kind) {
    case DecisionKind::kAdmit: return "admit";
    case DecisionKind::kBind: return "bind";
    case DecisionKind::kNominate: return "nominate";
    case DecisionKind::kEvict: return "evict";
    case DecisionKind::kPhase: return "phase";
    case DecisionKind::kMove: return "move";
    case DecisionKind::kReserve: return "reserve";
    case DecisionKind::kOffer: return "offer";
    case DecisionKind::kResize: return "resize";
    case DecisionKind::kSplit: return "split";
  }
  return "?";
}

std::string_view Word(JobPhase phase) {
  switch (phase) {
    case JobPhase::kPending: return "pending";
    case JobPhase::kAdmitted: return "admitted";
    case JobPhase::kRunning: return "running";
    case JobPhase::kDegraded: return "unknown";  // the word of 0.1: outputs must compare
    case JobPhase::kCompleted: return "completed";
  }
  return "?";
}

std::string_view Word(ReasonKind kind) {
  switch (kind) {
    case ReasonKind::kGated: return "gated";
    case ReasonKind::kInvalidGang: return "invalid-gang";
    case ReasonKind::kNotAdmitted: return "not-admitted";
    case ReasonKind::kQueueClosed: return "queue-closed";
    case ReasonKind::kQueueOverused: return "queue-overused";
    case ReasonKind::kQueueLimit: return "queue-limit";
    case ReasonKind::kQueueDeserved: return "queue-deserved";
    case ReasonKind::kNoNode: return "no-node";
    case ReasonKind::kGangUndone: return "gang-undone";
    case ReasonKind::kGangWaits: return "gang-waits";
    case ReasonKind::kNoDomain: return "no-domain";
    case ReasonKind::kNotReached: return "not-reached";
    case ReasonKind::kQueueTree: return "queue-tree";
    case ReasonKind::kInfeasible: return "infeasible";
    case ReasonKind::kQueueSpending: return "queue-spending";
  }
  return "?";
}

std::string_view Word(RefusalCode code) {
  switch (code) {
    case RefusalCode::kNotReady: return "node-not-ready";
    case RefusalCode::kUnschedulable: return "node-unschedulable";
    case RefusalCode::kNodeAffinity: return "node-affinity";
    case RefusalCode::kTaint: return "node-taint";
    case RefusalCode::kInsufficient: return "node-insufficient";
    case RefusalCode::kPodLimit: return "node-pod-limit";
    case RefusalCode::kHostPort: return "node-host-port";
    case RefusalCode::kAffinity: return "node-task-affinity";
    case RefusalCode::kAntiAffinity: return "node-task-anti-affinity";
    case RefusalCode::kExistingAntiAffinity: return "node-existing-anti-affinity";
    case RefusalCode::kSpreadLabel: return "node-spread-label";
    case RefusalCode::kSpread: return "node-spread";
    case RefusalCode::kPolicy: return "node-policy";
    case RefusalCode::kDevice: return "node-device";
  }
  return "?";
}
// clang-format on

// Anything but doubles, which are written by their bits.
template <class... Fields>
void Line(std::string* out, std::string_view first, const Fields&... fields) {
  out->append(first);
  (absl::StrAppend(out, "\t", fields), ...);
  out->push_back('\n');
}

// By its bits; the two zeros are one number.
uint64_t Bits(double x) { return std::bit_cast<uint64_t>(x == 0 ? 0.0 : x); }

class Reader {
 public:
  Reader(const Plan& plan, Reading reading) : plan_(plan), reading_(reading) {}

  PlanWords Read() {
    FindOddities();
    ReadDecisions();
    ReadPlaces();
    for (const QueueShare& share : plan_.shares()) ReadShare(share);
    for (const PendingTask& p : plan_.pending()) {
      ReadReason(ToAbsl(plan_.task_name(p.task)), plan_.reasons()[p.reason]);
    }
    return std::move(words_);
  }

 private:
  template <class Kind>
  absl::string_view Seen(Kind kind) {
    words_.kinds.push_back(Word(kind));
    return ToAbsl(Word(kind));
  }

  // Tasks that a plan evicts and does something else with.
  void FindOddities() {
    std::map<std::string_view, std::string_view> evicted;  // from which node
    for (const Decision& d : plan_.decisions()) {
      const bool evict = d.kind == DecisionKind::kEvict;
      if (!evict && d.kind != DecisionKind::kBind && d.kind != DecisionKind::kNominate) continue;
      const std::string_view task = plan_.task_name(d.task), node = plan_.node_name(d.node);
      const auto it = evicted.find(task);
      if (it == evicted.end()) {
        if (evict) evicted.emplace(task, node);
        continue;
      }
      const bool returns = !evict && it->second == node;
      if (returns) returned_.insert(task);
      const char* what = evict     ? "evicts-twice "
                         : returns ? "evicts-and-returns "
                                   : "evicts-and-moves ";
      words_.oddities.push_back(absl::StrCat(what, ToAbsl(task)));
    }
  }

  void ReadDecisions() {
    for (const Decision& d : plan_.decisions()) {
      if (reading_ == Reading::kNet && returned_.contains(plan_.task_name(d.task))) continue;
      const bool phase = d.kind == DecisionKind::kPhase;
      Seen(d.kind);
      Line(&words_.decisions, Word(d.kind), ToAbsl(plan_.task_name(d.task)),
           ToAbsl(plan_.node_name(d.node)), ToAbsl(plan_.job_name(d.job)),
           ToAbsl(plan_.task_name(d.beneficiary)), phase ? ToAbsl(Word(d.phase)) : "-",
           int{d.after_eviction});
    }
  }

  void ReadPlaces() {
    std::string* out = &words_.decisions;
    for (const Tentative& t : plan_.tentative()) {
      Line(out, "tentative", ToAbsl(plan_.task_name(t.task)), ToAbsl(plan_.node_name(t.node)),
           int{t.nominated});
    }
    for (const ChosenDomain& c : plan_.domains()) {
      Line(out, "domain", ToAbsl(plan_.job_name(c.job)), c.sub_group, c.domain, c.tier);
    }
    for (const ChosenDevice& c : plan_.devices()) {
      Line(out, "device", ToAbsl(plan_.task_name(c.task)), c.device, c.milli, c.memory);
    }
    Line(out, "complete", int{plan_.complete()}, plan_.cursor());
  }

  void ReadShare(const QueueShare& share) {
    std::string* out = &words_.decisions;
    Line(out, "share", ToAbsl(plan_.queue_name(share.queue)), absl::Hex(Bits(share.share_before)),
         absl::Hex(Bits(share.share_after)));
    for (DimensionIndex d = 0; d < share.allocated_after.size(); ++d) {
      Line(out, "held", ToAbsl(plan_.dimension_name(d)), share.allocated_before[d],
           share.allocated_after[d]);
    }
    for (DimensionIndex d = 0; d < share.deserved.size(); ++d) {
      Line(out, "deserved", ToAbsl(plan_.dimension_name(d)), absl::Hex(Bits(share.deserved[d])));
    }
  }

  void ReadReason(absl::string_view task, const Reason& reason) {
    Line(&words_.reasons, "pending", task, Seen(reason.kind), reason.policy,
         ToAbsl(plan_.queue_name(reason.queue)), ToAbsl(plan_.dimension_name(reason.dimension)),
         reason.placed, reason.needed);
    Line(&words_.texts, "pending", task, reason.where);
    for (const Refusal& refusal : reason.refusals) {
      Line(&words_.reasons, "refusal", Seen(refusal.code),
           ToAbsl(plan_.dimension_name(refusal.dimension)), refusal.nodes);
      Line(&words_.texts, "refusal", refusal.detail);
    }
  }

  const Plan& plan_;
  const Reading reading_;
  std::set<std::string_view> returned_;
  PlanWords words_;
};

absl::StatusOr<PlanWords> Read(const Cluster& cluster, const std::string& profile,
                               const ScheduleOptions& options, Reading reading) {
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), profile, options);
  if (!plan.ok()) return plan.status();
  return Reader(*plan, reading).Read();
}

}  // namespace

absl::StatusOr<PlanWords> ReadPlan(const Cluster& cluster, const std::string& profile, int64_t now,
                                   Reading reading) {
  ScheduleOptions options;
  options.now = now;
  return Read(cluster, profile, options, reading);
}

absl::StatusOr<PlanWords> ReadScenario(std::string_view json, const std::string& profile,
                                       Reading reading) {
  const absl::StatusOr<Scenario> scenario = ParseScenario(json);
  if (!scenario.ok()) return scenario.status();
  Cluster cluster;
  if (absl::Status s = Fill(*scenario, &cluster); !s.ok()) return s;
  const std::string& spec = profile.empty() ? scenario->profile : profile;
  if (spec.empty()) {
    return absl::InvalidArgumentError("scenario: there is no profile; --profile names one");
  }
  return Read(cluster, spec, scenario->options, reading);
}

std::vector<KnownProfile> KnownProfiles() {
  std::vector<KnownProfile> known;
  for (const ProfileInfo& info : Profiles()) {
    KnownProfile& profile = known.emplace_back();
    profile.name = info.name;
    profile.actions = info.actions;
    for (const std::vector<std::string>& tier : info.tiers) {
      profile.policies.insert(profile.policies.end(), tier.begin(), tier.end());
    }
    for (const ActionInfo& action : info.catalogue) profile.catalogue.push_back(action.name);
  }
  return known;
}

std::vector<std::string> KnownPolicies() {
  std::vector<std::string> names;
  for (const PolicyInfo& info : Policies()) names.push_back(info.name);
  return names;
}

}  // namespace muster::testing
