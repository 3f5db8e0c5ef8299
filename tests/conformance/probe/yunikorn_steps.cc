// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Decisions and numbers on recorded states of YuniKorn: one recorded call a question. The answer
// has the results of the call, and the views before and after it.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/probe/partition_steps.h"
#include "tests/conformance/probe/yunikorn_state.h"

namespace muster::testing::yunikorn_probe {
namespace {

using yunikorn::Index;
using yunikorn::kNone;
using yunikorn::PartitionSteps;

// One call, on the state before it.
struct StepCall {
  RecordedState& state;
  PartitionSteps steps;
  const json& step;
  Index queue = kNone;  // the receiver, or that of the receiver
  Index application = kNone;

  yunikorn::Partition& partition() { return state.partition(); }
  const json& Arg(size_t i) const { return step["args"][i]; }
  yunikorn::Resource Amounts(size_t i) { return state.Amounts(Arg(i)); }
  json Text(const std::optional<yunikorn::Result>& result) const {
    return json::array({result ? state.Text(*result) : json()});
  }
  json Text(const yunikorn::Resource& amounts) const { return json::array({state.Text(amounts)}); }
  json Keys(const std::vector<Index>& requests) {
    json keys = json::array();
    for (Index request : requests) {
      keys.push_back({{"allocationKey", partition().allocations[request].key}});
    }
    return json::array({keys});
  }
};

using AnswerStep = json (*)(StepCall& call);
using StepAnswers = std::map<std::string, AnswerStep, std::less<>>;

// --- numbers of queues

json SortQueues(StepCall& call) {
  json names = json::array();
  for (Index queue : call.partition().SortedQueues(call.queue)) {
    names.push_back({{"queue", call.partition().queues[queue].path}});
  }
  return json::array({call.partition().queues[call.queue].leaf ? json() : names});
}

json CanRunApp(StepCall& call) {
  const Index application = call.state.ApplicationNamed(call.Arg(0).get<std::string>());
  if (application != kNone) return json::array({call.partition().CanRun(call.queue, application)});
  // One that the queue does not have.
  call.partition().applications.push_back({.id = call.Arg(0).get<std::string>()});
  const Index added = static_cast<Index>(call.partition().applications.size() - 1);
  const bool can_run = call.partition().CanRun(call.queue, added);
  call.partition().applications.pop_back();
  return json::array({can_run});
}

json TryInc(StepCall& call) {
  const bool fits = call.steps.IncAllocated(call.queue, call.Amounts(0));
  return json::array({fits ? json() : TextOf(absl::OutOfRangeError("above a limit"))});
}

json QuotaStart(StepCall& call) {
  call.steps.SetQuotaStart(call.queue, call.Amounts(0), SpanOf(call.Arg(1)));
  const yunikorn::Nanos start = call.partition().queues[call.queue].quota_preemption_start;
  const bool set = start != yunikorn::kNever;
  return json::array({set ? json(static_cast<double>(start - TimeOf(json(0.0))) / 1e9) : json()});
}

// The peer answers for root alone.
json OutstandingOfRoot(StepCall& call) {
  if (call.partition().queues[call.queue].parent != kNone) return json::array({json()});
  return call.Keys(call.partition().OutstandingRequests());
}

const StepAnswers& QueueNumbers() {
  static const StepAnswers kNumbers = {
      {"Queue.getHeadRoom",
       [](StepCall& call) { return call.Text(call.partition().Headroom(call.queue)); }},
      {"Queue.getMaxHeadRoom",
       [](StepCall& call) { return call.Text(call.partition().MaxHeadroom(call.queue)); }},
      {"Queue.GetMaxResource",
       [](StepCall& call) { return call.Text(call.partition().MaxResource(call.queue)); }},
      {"Queue.GetMaxQueueSet",
       [](StepCall& call) { return call.Text(call.partition().MaxQueueSet(call.queue)); }},
      {"Queue.GetFairMaxResource",
       [](StepCall& call) { return call.Text(call.partition().FairMax(call.queue)); }},
      {"Queue.GetCurrentPriority",
       [](StepCall& call) { return json::array({call.partition().ExportedPriority(call.queue)}); }},
      {"Queue.allocatedResFits",
       [](StepCall& call) { return json::array({call.steps.Fits(call.queue, call.Amounts(0))}); }},
      {"Queue.canRunApp", CanRunApp},
      {"Queue.sortQueues", SortQueues},
      {"Queue.TryIncAllocatedResource", TryInc},
      {"Queue.setPreemptionTime", QuotaStart},
      {"Queue.GetOutstandingRequests", OutstandingOfRoot},
  };
  return kNumbers;
}

// --- decisions

json TryApplication(StepCall& call) {
  call.partition().preemption = call.Arg(1).get<bool>();
  return call.Text(
      call.steps.Application(call.application, call.Amounts(0), call.Arg(3).get<int>()));
}

json TryRequired(StepCall& call) {
  return call.Text(call.steps.RequiredNode(call.state.RequestOf(call.Arg(0), call.application)));
}

json TryOther(StepCall& call) {
  const Index request = call.state.RequestOf(call.Arg(0), call.application);
  const auto node = call.partition().node_index.find(call.Arg(1).get<std::string>());
  const Index reserved = node == call.partition().node_index.end() ? kNone : node->second;
  return call.Text(call.steps.OtherNodes({request, call.application, reserved, 0}));
}

json CanReplaceOne(StepCall& call) {
  if (call.Arg(0).is_null()) return json::array({false});
  const Index request = call.state.RequestOf(call.Arg(0), call.application);
  return json::array({call.steps.CanReplace(call.application, request)});
}

json OutstandingOfApplication(StepCall& call) {
  return call.Text(call.steps.OutstandingOf(call.application, call.Amounts(0), call.Amounts(1)));
}

const StepAnswers& Decisions() {
  static const StepAnswers kDecisions = {
      {"PartitionContext.tryAllocate",
       [](StepCall& call) { return call.Text(call.partition().TryAllocate()); }},
      {"PartitionContext.tryReservedAllocate",
       [](StepCall& call) { return call.Text(call.partition().TryReserved()); }},
      {"PartitionContext.tryPlaceholderAllocate",
       [](StepCall& call) { return call.Text(call.partition().TryPlaceholders()); }},
      {"PartitionContext.calculateOutstandingRequests",
       [](StepCall& call) { return call.Keys(call.partition().OutstandingRequests()); }},
      {"Queue.TryReservedAllocate",
       [](StepCall& call) { return call.Text(call.steps.ReservedIn(call.queue)); }},
      {"Application.tryAllocate", TryApplication},
      {"Application.tryReservedAllocate",
       [](StepCall& call) {
         return call.Text(call.steps.ReservedApplication(call.application, call.Amounts(0)));
       }},
      {"Application.tryPlaceholderAllocate",
       [](StepCall& call) {
         return call.Text(call.steps.PlaceholderApplication(call.application));
       }},
      {"Application.tryRequiredNode", TryRequired},
      {"Application.tryNodesNoReserve", TryOther},
      {"Application.canReplace", CanReplaceOne},
      {"Application.getOutstandingRequests", OutstandingOfApplication},
  };
  return kDecisions;
}

// --- preemption

yunikorn::PreemptionRound RoundOf(StepCall& call, const json& ask) {
  return {call.partition(), call.state.RequestOf(ask, call.application),
          call.step["on"].value("nodesTried", false)};
}

json TryPreemption(StepCall& call) {
  yunikorn::PreemptionRefusal refusal = yunikorn::PreemptionRefusal::kNone;
  const std::optional<yunikorn::Result> result =
      RoundOf(call, call.step["on"]["ask"]).Try(&refusal);
  return json::array({result ? call.state.Text(*result) : json(), result.has_value()});
}

json CheckGuarantees(StepCall& call) {
  yunikorn::PreemptionRound round = RoundOf(call, call.step["on"]["ask"]);
  round.FindVictims();
  return json::array({round.GuaranteesHelp()});
}

json MayStart(StepCall& call) {
  const Index request = call.state.RequestOf(call.step["on"]["ask"], call.application);
  return json::array({call.steps.MayPreempt(request)});
}

// The victims of each queue that has some.
json FindVictims(StepCall& call) {
  call.application = call.state.ApplicationNamed(call.Arg(1)["applicationID"].get<std::string>());
  yunikorn::PreemptionRound round = RoundOf(call, call.Arg(1));
  round.FindVictims();
  json victims = json::object();
  for (const yunikorn::QueueSnapshot& snapshot : round.snapshots()) {
    json keys = json::array();
    for (Index victim : snapshot.victims) keys.push_back(call.partition().allocations[victim].key);
    if (!keys.empty()) victims[call.partition().queues[snapshot.queue].path] = keys;
  }
  return json::array({victims});
}

json PreemptOverLimit(StepCall& call) {
  call.steps.PreemptOverQuota(call.queue);
  return json::array();
}

const StepAnswers& Preemptions() {
  static const StepAnswers kPreemptions = {
      {"Preemptor.TryPreemption", TryPreemption},
      {"Preemptor.checkPreemptionQueueGuarantees", CheckGuarantees},
      {"Preemptor.CheckPreconditions", MayStart},
      {"Queue.FindEligiblePreemptionVictims", FindVictims},
      {"QuotaPreemptionContext.tryPreemption", PreemptOverLimit},
  };
  return kPreemptions;
}

// Where records name the receiver's queue and application.
std::string NameIn(const json& on, const char* key) {
  const auto found = on.find(key);
  if (found == on.end()) return "";
  return found->is_object() ? found->value(key, "") : found->get<std::string>();
}

}  // namespace

// Applications by events, each from the state that the one before left; what is set directly is
// taken. The answers are errors or null.
absl::StatusOr<json> PlayEvents(const json& asked) {
  constexpr yunikorn::AppEvent kEvents[] = {
      yunikorn::AppEvent::kRun,  yunikorn::AppEvent::kReject, yunikorn::AppEvent::kComplete,
      yunikorn::AppEvent::kFail, yunikorn::AppEvent::kExpire, yunikorn::AppEvent::kResume};
  yunikorn::Partition partition;
  partition.applications.resize(1);
  PartitionSteps steps(partition);
  json answers = json::array();
  for (const json& op : asked["ops"]) {
    json answer;
    if (op.contains("state")) {
      partition.applications[0].state = AppStateOf(op["state"]);
    } else if (!steps.Handle(0, kEvents[op["event"].get<size_t>()])) {
      answer = TextOf(absl::FailedPreconditionError("no such event in this state"));
    }
    answers.push_back(answer);
  }
  return answers;
}

absl::StatusOr<json> AnswerStateStep(const json& step) {
  RecordedState state(step["state"]);
  state.partition().now = TimeOf(step["now"]);
  state.partition().reservation_delay = SpanOf("2s");
  StepCall call{.state = state, .steps = PartitionSteps(state.partition()), .step = step};
  for (const auto& [queue, priority] : state.LeafPriorities()) {
    call.steps.SetPriority(queue, priority);
  }
  const std::string op = step["op"];
  call.queue = state.QueueAt(NameIn(step["on"], "queue"));
  call.application = state.ApplicationNamed(NameIn(step["on"], "app"));
  if (op.starts_with("Application.") && call.application == kNone) {
    return absl::NotFoundError("no such application");
  }
  for (const StepAnswers* answers : {&QueueNumbers(), &Decisions(), &Preemptions()}) {
    const auto found = answers->find(op);
    if (found == answers->end()) continue;
    json before = state.View();
    json results = found->second(call);
    return json{{"results", results}, {"before", before}, {"after", state.View()}};
  }
  return absl::InvalidArgumentError("no such step: " + op);
}

}  // namespace muster::testing::yunikorn_probe
