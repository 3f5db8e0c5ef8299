// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/profile/stand_ins.h"

#include <initializer_list>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"
#include "lib/peer/koordinator/profile/reserved_parts.h"
#include "lib/peer/koordinator/reservation/reservation_choice.h"

namespace muster::koordinator {
namespace {

constexpr std::string_view kReserves = "koordinator/reserves",
                           kPolicy = "koordinator/allocate-policy",
                           kMode = "koordinator/pre-allocation",
                           kSeveral = "koordinator/pre-allocation-several",
                           kRequired = "scheduling.koordinator.sh/pre-allocation-required",
                           kCandidate = "pod.koordinator.sh/is-pre-allocatable",
                           kPriority = "koordinator/pre-allocatable-priority";

bool IsTrue(const Labels& labels, std::string_view key) {
  const std::string* text = FindLabel(labels, key);
  return text != nullptr && *text == "true";
}

StandIn StandInFor(const ReservationSpec& spec) {
  const Labels& labels = spec.shape.labels;
  const std::string* mode = FindLabel(labels, kMode);
  return {.spec = &spec,
          .takes_over = mode != nullptr,
          .must_take_over = mode != nullptr && IsTrue(labels, kRequired),
          .takes_several = IsTrue(labels, kSeveral),
          .of_cluster = mode != nullptr && *mode == "Cluster"};
}

absl::Status CheckWord(const ReservationSpec& spec, std::string_view key,
                       std::initializer_list<absl::string_view> words) {
  const std::string* text = FindLabel(spec.shape.labels, key);
  if (text == nullptr) return absl::OkStatus();
  for (const absl::string_view word : words) {
    if (*text == word) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("reservation ", Quote(spec.name), ", label ",
                                                 ToAbsl(key), ": ", Quote(*text), " is not ",
                                                 absl::StrJoin(words, " or ")));
}

// The reservation that a task of the shape stands for, or null.
const ReservationSpec* Named(const Tables& tables, const std::string& name) {
  const auto row = tables.reservations.names.Find(name);
  return row && tables.reservations.alive[*row] ? &tables.reservations.spec[*row] : nullptr;
}

// Calls visit(task, name) for each task that stands for a reservation, ended ones aside.
template <typename Visit>
void ForEachStandIn(const Tables& tables, Visit visit) {
  std::vector<const std::string*> of_class(tables.classes.shape.size(), nullptr);
  bool has_some = false;
  for (size_t c = 0; c < of_class.size(); ++c) {
    of_class[c] = ReservationToPlace(tables.classes.shape[ClassIndex(static_cast<uint32_t>(c))]);
    has_some |= of_class[c] != nullptr;
  }
  if (!has_some) return;
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (!tables.tasks.alive[t]) continue;
    const TaskStatus status = tables.tasks.status[t];
    if (status == TaskStatus::kSucceeded || status == TaskStatus::kFailed) continue;
    const std::string* name = of_class[static_cast<size_t>(tables.tasks.task_class[t])];
    if (name != nullptr) visit(t, *name);
  }
}

// Owners take from the room of the task, which the books of its node have once.
bool RequestsLess(const Tables& tables, TaskIndex t, const ReservationSpec& spec) {
  const auto request = tables.classes.request.row(tables.tasks.task_class[t]);
  const Sparse reserved = AmountsByDimension(tables, spec.shape.request);
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (OrZero(request[d]) < reserved.at(d)) return true;
  }
  return false;
}

std::vector<Sparse> RequestsOf(const std::vector<TakeOverTask>& tasks) {
  std::vector<Sparse> requests;
  for (const TakeOverTask& task : tasks) requests.push_back(task.request);
  return requests;
}

}  // namespace

const std::string* ReservationToPlace(const TaskShape& shape) {
  return FindLabel(shape.labels, kReserves);
}

bool IsTakenOverByAll(const TaskShape& shape) { return IsTrue(shape.labels, kCandidate); }

int64_t TakeOverPriority(const TaskShape& shape) {
  const std::string* text = FindLabel(shape.labels, kPriority);
  int64_t priority = 0;
  return text != nullptr && absl::SimpleAtoi(*text, &priority) ? priority : 0;
}

Reserved::Policy PolicyOf(const ReservationSpec& spec) {
  if (spec.policy == ReservationPolicy::kRestricted) return Reserved::Policy::kRestricted;
  return FindLabel(spec.shape.labels, kPolicy) != nullptr ? Reserved::Policy::kAligned
                                                          : Reserved::Policy::kDefault;
}

HashMap<TaskIndex, StandIn> ReadStandIns(const Tables& tables) {
  HashMap<TaskIndex, StandIn> stand_ins;
  ForEachStandIn(tables, [&](TaskIndex t, const std::string& name) {
    if (const ReservationSpec* spec = Named(tables, name)) stand_ins[t] = StandInFor(*spec);
  });
  return stand_ins;
}

absl::Status CheckStandIns(const Tables& tables) {
  for (size_t row = 0; row < tables.reservations.alive.size(); ++row) {
    if (!tables.reservations.alive[row]) continue;
    const ReservationSpec& spec = tables.reservations.spec[row];
    absl::Status status = CheckWord(spec, kPolicy, {"Aligned"});
    status.Update(CheckWord(spec, kMode, {"Default", "Cluster"}));
    if (!status.ok()) return status;
  }
  absl::Status wrong;
  HashMap<std::string, TaskIndex> known;
  ForEachStandIn(tables, [&](TaskIndex t, const std::string& name) {
    if (!wrong.ok()) return;
    const ReservationSpec* spec = Named(tables, name);
    std::string why;
    if (spec == nullptr) {
      why = " does not exist";
    } else if (spec->phase != ReservationPhase::kPending) {
      why = " does not wait for a node; it needs no such task";
    } else if (RequestsLess(tables, t, *spec)) {
      why = " reserves more than the task requests";
    } else if (const auto [other, is_new] = known.try_emplace(name, t); !is_new) {
      why =
          absl::StrCat(" has such a task already, ", Quote(tables.tasks.names.name(other->second)));
    }
    if (why.empty()) return;
    wrong = absl::InvalidArgumentError(absl::StrCat("task ", Quote(tables.tasks.names.name(t)),
                                                    ", label ", ToAbsl(kReserves), ": reservation ",
                                                    Quote(name), why));
  });
  return wrong;
}

PreAllocationAnswer TakeOver::Ask(const ReservedNode& node, const std::vector<TakeOverTask>& tasks,
                                  bool required) const {
  ReservationRules rules = rules_;
  rules.required = required;
  return FilterByPreAllocation(request_, node, reserved_, RequestsOf(tasks),
                               {.rules = rules,
                                .takes_several = stand_in_.takes_several,
                                .prefers_none = settings_.prefers_none});
}

std::vector<TakeOverTask> TakeOver::BestFirst(const std::vector<TakeOverTask>& tasks) const {
  std::vector<TakeOverTask> sorted;
  for (const size_t i : BestFillFirst(RequestsOf(tasks), reserved_)) sorted.push_back(tasks[i]);
  return sorted;
}

PreAllocationAnswer TakeOver::Filter(const ReservedNode& node,
                                     std::vector<TakeOverTask>* candidates) const {
  std::vector<TakeOverTask> tasks = *candidates;
  if (stand_in_.takes_several && !stand_in_.of_cluster) tasks = BestFirst(tasks);
  PreAllocationAnswer answer = Ask(node, tasks, stand_in_.must_take_over);
  candidates->clear();
  for (const size_t i : answer.taken) candidates->push_back(tasks[i]);
  return answer;
}

std::vector<TakeOverTask> TakeOver::Choose(const ReservedNode& node,
                                           const std::vector<TakeOverTask>& left) const {
  if (left.empty() || stand_in_.takes_several) return left;
  if (left.size() == 1 && stand_in_.must_take_over) return left;
  std::vector<TakeOverTask> fitting;
  for (const TakeOverTask& task : left) {
    if (Ask(node, {task}, true).fits) fitting.push_back(task);
  }
  if (fitting.empty()) return {};
  return {BestFirst(fitting)[0]};
}

}  // namespace muster::koordinator
