// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Kueue: what follows from the status of a workload or a ClusterQueue; slices; LimitRanges; usage
// of LocalQueues.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/peer/kueue/admission_checks.h"
#include "lib/peer/kueue/cohort_path.h"
#include "lib/peer/kueue/local_usage.h"
#include "lib/peer/kueue/pod_limits.h"
#include "lib/peer/kueue/readiness.h"
#include "lib/peer/kueue/slices.h"
#include "lib/peer/kueue/workload_status.h"
#include "tests/conformance/probe/kueue.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

// --- workloads

kueue::StatusRule StatusRuleOf(const json& told) {
  return {.now = told.value("now", int64_t{0}),
          .generation = told.value("generation", int64_t{0}),
          .reasons = told.value("reasons", true),
          .explicit_status = told.value("explicit_status", false)};
}

json WrittenState(bool changed, const kueue::WorkloadState& state) {
  json conditions = json::array();
  for (const kueue::WorkloadCondition& c : state.conditions) {
    conditions.push_back({{"type", c.type},
                          {"reason", c.reason},
                          {"holds", c.holds},
                          {"time", c.time},
                          {"message", c.message},
                          {"generation", c.generation}});
  }
  return {{"changed", changed},
          {"conditions", conditions},
          {"seconds", state.seconds_before ? json(*state.seconds_before) : json()}};
}

json Synced(const json& asked) {
  kueue::WorkloadState state = KueueState(asked["state"]);
  const bool changed = kueue::SyncAdmitted(StatusRuleOf(asked["rule"]), &state);
  return WrittenState(changed, state);
}

json ReserveAnswer(const json& asked) {
  kueue::WorkloadState state = KueueState(asked["state"]);
  const bool changed =
      kueue::Reserve(asked["queue"].get<std::string>(), StatusRuleOf(asked["rule"]), &state);
  return WrittenState(changed, state);
}

json PutOffAnswer(const json& asked) {
  kueue::RetryState retry;
  const auto optional = [](const json& value) {
    return value.is_null() ? std::nullopt : std::optional<int64_t>(value.get<int64_t>());
  };
  retry.count = optional(asked["count"]);
  retry.at = optional(asked["at"]);
  const bool changed = kueue::PutOff(optional(asked["until"]), asked["counts"], &retry);
  return {{"changed", changed},
          {"count", retry.count ? json(*retry.count) : json()},
          {"at", retry.at ? json(*retry.at) : json()}};
}

kueue::PriorityClass PriorityClassOf(const json& told) {
  using Kind = kueue::PriorityClass::Kind;
  const std::string kind = told.value("kind", "");
  return {kind == "pod"        ? Kind::kPod
          : kind == "workload" ? Kind::kWorkload
                               : Kind::kNone,
          told.value("name", "")};
}

json NodesAnswer(const json& asked) {
  std::vector<kueue::HeldPlaces> held;
  for (const json& one : asked["held"]) {
    kueue::HeldPlaces& row = held.emplace_back();
    row.hosts = one["hosts"];
    for (const json& place : one["places"]) row.places.push_back({place["values"], place["count"]});
  }
  return kueue::UsedNodes(KueueState(asked["state"]), held);
}

json CountsMap(const kueue::NamedCounts& counts) {
  json map = json::object();
  for (const auto& [name, count] : counts) map[name] = count;
  return map;
}

json RequiredChecksAnswer(const json& asked) {
  std::vector<kueue::CheckFlavors> checks;
  for (const json& one : asked["checks"]) checks.emplace_back(one["name"], one["flavors"]);
  const std::vector<std::string> flavors = asked["flavors"];
  if (asked["admitted"].is_null()) return kueue::RequiredChecks(checks, flavors, nullptr);
  const std::vector<std::string> admitted = asked["admitted"];
  return kueue::RequiredChecks(checks, flavors, &admitted);
}

kueue::WorkloadPhase PhaseNamed(const std::string& word) {
  return word == "finished"        ? kueue::WorkloadPhase::kFinished
         : word == "admitted"      ? kueue::WorkloadPhase::kAdmitted
         : word == "quotaReserved" ? kueue::WorkloadPhase::kReserved
                                   : kueue::WorkloadPhase::kPending;
}

kueue::WaitingView WaitingViewOf(const json& told) {
  return {.evaluated = told["evaluated"],
          .generation = told["generation"],
          .spec = told["spec"],
          .requests = told["requests"],
          .boost = told["boost"],
          .gated = told["gated"],
          .reclaimed = KueueCounts(told["reclaimed"]),
          .state = KueueState(told["state"])};
}

json EntranceAnswer(const json& asked) {
  switch (kueue::EntranceOf(KueueState(asked["state"]), asked["local"], asked["cluster"])) {
    case kueue::QueueEntrance::kNotWaiting:
      return "not_waiting";
    case kueue::QueueEntrance::kNoLocalQueue:
      return "no_local_queue";
    case kueue::QueueEntrance::kNoClusterQueue:
      return "no_cluster_queue";
    case kueue::QueueEntrance::kQueued:
      return "queued";
  }
  return nullptr;
}

// --- queues

json ReadyAnswer(const json& asked) {
  kueue::QueueFacts facts{.terminating = asked["terminating"],
                          .stopped = asked["stopped"],
                          .missing_flavors = asked["missing_flavors"],
                          .missing_topologies = asked["missing_topologies"]};
  using Kind = kueue::QueueCheck::Kind;
  for (const json& one : asked["checks"]) {
    const std::string controller = one.value("controller", "");
    facts.checks.push_back({.name = one["name"],
                            .found = one["found"],
                            .active = one["active"],
                            .kind = controller == "kueue.x-k8s.io/multikueue" ? Kind::kMultiKueue
                                    : controller == "kueue.x-k8s.io/provisioning-request"
                                        ? Kind::kProvisioning
                                        : Kind::kOther,
                            .all_flavors = one["all_flavors"]});
  }
  const kueue::Readiness ready = kueue::ReadinessOf(facts);
  return {{"active", ready.active}, {"reason", ready.reason}, {"message", ready.message}};
}

json Upward(const json& asked) {
  const auto path =
      kueue::WayUp(asked["parents"].get<std::vector<uint32_t>>(), asked["node"].get<uint32_t>());
  return path ? json(*path) : json();
}

// --- slices

json SliceAnswer(const json& asked) {
  std::vector<kueue::Slice> slices;
  for (const json& one : asked["slices"]) {
    slices.push_back({one["name"], one["replaces"], one["reserved"], one["evicted"]});
  }
  const auto place = [](const std::optional<size_t>& i) { return i ? json(*i) : json(); };
  const kueue::SliceChoice choice = kueue::ChooseSlices(slices);
  return {{"current", place(choice.current)},
          {"holder", place(choice.holder)},
          {"replaced", choice.replaced},
          {"stray", choice.stray},
          {"granted", place(kueue::GrantedSlice(slices))}};
}

// --- pods

kueue::ContainerAmounts ContainerAmountsOf(const json& told) {
  return {told["requests"].get<kueue::NamedAmounts>(), told["limits"].get<kueue::NamedAmounts>()};
}

kueue::PodAmounts PodAmountsOf(const json& told) {
  kueue::PodAmounts pod;
  for (const json& one : told["init"]) pod.init.push_back(ContainerAmountsOf(one));
  for (const json& one : told["containers"]) pod.containers.push_back(ContainerAmountsOf(one));
  if (!told["own"].is_null()) pod.own = ContainerAmountsOf(told["own"]);
  pod.overhead = told["overhead"].get<kueue::NamedAmounts>();
  return pod;
}

json WrittenContainer(const kueue::ContainerAmounts& amounts) {
  return {{"requests", amounts.requests}, {"limits", amounts.limits}};
}

kueue::LimitSummary LimitSummaryOf(const json& told) {
  kueue::LimitSummary limits;
  for (const json& one : told) {
    kueue::AddLimit({one["kind"] == "Pod" ? kueue::LimitKind::kPod : kueue::LimitKind::kContainer,
                     one["most"], one["least"], one["standard"], one["standard_request"]},
                    &limits);
  }
  return limits;
}

json CompletedPod(const json& asked) {
  kueue::PodAmounts pod = PodAmountsOf(asked["pod"]);
  kueue::Complete(LimitSummaryOf(asked["limits"]), &pod,
                  asked["overhead"].get<kueue::NamedAmounts>());
  json init = json::array(), containers = json::array();
  for (const auto& c : pod.init) init.push_back(WrittenContainer(c));
  for (const auto& c : pod.containers) containers.push_back(WrittenContainer(c));
  return {{"init", init},
          {"containers", containers},
          {"own", pod.own ? WrittenContainer(*pod.own) : json()},
          {"overhead", pod.overhead}};
}

json PodProblems(const json& asked) {
  const kueue::PodAmounts pod = PodAmountsOf(asked["pod"]);
  std::vector<kueue::PodProblem> problems;
  if (asked["against"] == "limits") {
    problems = kueue::AboveLimits(pod);
  } else {
    problems = kueue::OutOfRange(pod, asked["total"].get<kueue::NamedAmounts>(),
                                 LimitSummaryOf(asked["limits"]));
  }
  const char* const words[] = {"above_limit", "above_most", "below_least"};
  json list = json::array();
  for (const kueue::PodProblem& p : problems) {
    list.push_back({words[static_cast<int>(p.what)], p.place, p.resources});
  }
  return list;
}

// --- usage of LocalQueues; amounts are told in thousandths

kueue::UsedAmounts UsedAmountsOf(const json& told) {
  kueue::UsedAmounts used;
  for (const auto& [name, milli] : told.items()) {
    used[name] = kueue::Billionths(milli.get<int64_t>()) * 1000000;
  }
  return used;
}

json UsageAnswer(const json& asked) {
  const double value = kueue::UsageValue(
      kueue::Sum(UsedAmountsOf(asked["consumed"]), UsedAmountsOf(asked["penalty"])),
      asked["weight"], asked["weights"].get<kueue::ResourceWeights>());
  return value > 1e300 ? json("+Inf") : json(value);
}

json Penalties(const json& asked) {
  kueue::LocalUsage usage;
  for (const json& op : asked["ops"]) {
    if (op.contains("push")) {
      usage.Push(op["workload"], UsedAmountsOf(op["push"]));
    } else {
      usage.Take(op["workload"]);
    }
  }
  json amounts = json::object();
  for (const auto& [name, amount] : usage.penalty()) {
    amounts[name] = static_cast<int64_t>(amount / 1000000);
  }
  return {{"has", usage.HasPenalty()}, {"milli", amounts}};
}

using Ask = json (*)(const json& asked);
const std::map<std::string, Ask>& StateAsks() {
  static const std::map<std::string, Ask> kAsks = {
      {"sync", Synced},
      {"reserve", ReserveAnswer},
      {"put_off", PutOffAnswer},
      {"nodes", NodesAnswer},
      {"entrance", EntranceAnswer},
      {"helps",
       [](const json& a) {
         return json(kueue::ChangeMayHelp(WaitingViewOf(a["before"]), WaitingViewOf(a["now"])));
       }},
      {"checks", RequiredChecksAnswer},
      {"ready", ReadyAnswer},
      {"way_up", Upward},
      {"slices", SliceAnswer},
      {"complete", CompletedPod},
      {"problems", PodProblems},
      {"usage", UsageAnswer},
      {"penalties", Penalties},
      {"asks_for_places",
       [](const json& a) {
         return json(kueue::AsksForPlaces(KueueTopologyRequest(a["request"])));
       }},
      {"may_wait", [](const json& a) { return json(kueue::MayWait(KueueState(a["state"]))); }},
      {"run_time",
       [](const json& a) {
         const auto time = kueue::RunTime(KueueState(a["state"]));
         return time ? json(*time) : json();
       }},
      {"waits_again",
       [](const json& a) {
         return json(kueue::WaitsAgain(PhaseNamed(a["before"]), PhaseNamed(a["now"])));
       }},
      {"priority_changed",
       [](const json& a) {
         return json(kueue::PriorityChanged(PriorityClassOf(a["before"]), a["priority_before"],
                                            PriorityClassOf(a["now"]), a["priority_now"]));
       }},
      {"penalty_counts",
       [](const json& a) {
         return json(kueue::CountsPenalty(a["configured"], a["by_usage"], a["reserved"]));
       }},
      {"same_counts",
       [](const json& a) {
         return json(kueue::SameCounts(KueueCounts(a["a"]), KueueCounts(a["b"])));
       }},
      {"fewer",
       [](const json& a) {
         return json(kueue::HasFewer(KueueCounts(a["a"]), KueueCounts(a["b"])));
       }},
      {"limit_counts",
       [](const json& a) {
         return CountsMap(kueue::LimitCounts(KueueCounts(a["a"]), KueueCounts(a["b"])));
       }},
      {"replace_counts", [](const json& a) {
         return CountsMap(kueue::ReplaceCounts(KueueCounts(a["a"]), KueueCounts(a["b"])));
       }}};
  return kAsks;
}

}  // namespace

absl::StatusOr<json> AskKueueState(const json& request) {
  const json& asked = request["kueue_state"];
  const auto found = StateAsks().find(asked["ask"].get<std::string>());
  if (found == StateAsks().end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("no question about a state: ", asked["ask"].get<std::string>()));
  }
  return found->second(asked);
}

}  // namespace muster::testing
