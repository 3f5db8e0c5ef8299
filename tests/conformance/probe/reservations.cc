// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reservations of a node: which of them a task fits, and which one is the best.
#include <string>
#include <vector>

#include "lib/peer/koordinator/reservation/pre_allocation.h"
#include "lib/peer/koordinator/reservation/reservation_choice.h"
#include "lib/peer/koordinator/reservation/reservation_fit.h"
#include "lib/peer/koordinator/reservation/reservation_state.h"
#include "lib/peer/koordinator/scores/resource_scores.h"
#include "tests/conformance/probe/probe.h"
#include "tests/conformance/probe/reservation_json.h"

namespace muster::testing {
namespace {

using nlohmann::json;

Reserved ReservedOf(const json& object, ReservedNames& names) {
  Reserved reserved{.policy = ReservedPolicyOf(object.value("policy", "")),
                    .total = names.Amounts(object, "total"),
                    .used = names.Amounts(object, "used"),
                    .kept_back = names.Amounts(object, "kept_back"),
                    .names = names.Set(object, "names"),
                    .tasks = object.value("tasks", int64_t{0}),
                    .preempted = names.Amounts(object, "preempted"),
                    .preempted_tasks = object.value("preempted_tasks", int64_t{0})};
  if (object.contains("most_tasks")) reserved.most_tasks = object["most_tasks"].get<int64_t>();
  return reserved;
}

ReservedNode ReservedNodeOf(const json& object, ReservedNames& names) {
  return {.capacity = names.Amounts(object, "capacity"),
          .requested = names.Amounts(object, "requested"),
          .held_by_owners = names.Amounts(object, "held_by_owners"),
          .preempted = names.Amounts(object, "preempted"),
          .tasks = object.value("tasks", int64_t{0}),
          .most_tasks = object.value("most_tasks", int64_t{0}),
          .matched = object.value("matched", int64_t{0})};
}

ReservationRules ReservationRulesOf(const json& asked, ReservedNames& names) {
  ReservationRules rules{.always = names.Set(asked, "always"),
                         .has_affinity = asked.value("has_affinity", false),
                         .required = asked.value("required", false),
                         .skips_node = asked.value("skips_node", false)};
  const std::vector<std::string> ignored = asked.value("ignored", std::vector<std::string>());
  const std::vector<std::string> groups = asked.value("groups", std::vector<std::string>());
  for (const auto& [name, amount] : asked["request"].items()) {
    if (IgnoresResource(name, ignored, groups)) rules.ignored |= uint64_t{1} << names.Number(name);
  }
  return rules;
}

json AskReservedFilter(const json& asked, ReservedNames& names) {
  const ReservationRules rules = ReservationRulesOf(asked, names);
  std::vector<Reserved> matched;
  for (const json& one : asked["matched"]) matched.push_back(ReservedOf(one, names));
  const ReservationAnswer answer = FilterByReservations(
      names.Amounts(asked, "request"), ReservedNodeOf(asked["node"], names), matched, rules);
  json reservations = json::array();
  for (const Lacks& lacks : answer.reservations) reservations.push_back(LacksJson(lacks, names));
  return {{"fits", answer.fits},
          {"node", LacksJson(answer.node, names)},
          {"reservations", reservations}};
}

json AskPreAllocation(const json& asked, ReservedNames& names) {
  const ReservationRules rules = ReservationRulesOf(asked, names);
  std::vector<Sparse> tasks;
  for (const json& task : asked["tasks"]) tasks.push_back(names.Amounts(task, "request"));
  const PreAllocationAnswer answer =
      FilterByPreAllocation(names.Amounts(asked, "request"), ReservedNodeOf(asked["node"], names),
                            ReservedOf(asked["reserved"], names), tasks,
                            {.rules = rules,
                             .takes_several = asked.value("several", false),
                             .prefers_none = asked.value("prefers_none", false)});
  json reservations = json::array();
  for (const Lacks& lacks : answer.reservation) reservations.push_back(LacksJson(lacks, names));
  return {{"fits", answer.fits},
          {"taken", answer.taken},
          {"node", LacksJson(answer.node, names)},
          {"reservations", reservations}};
}

json AskFillOrder(const json& asked, ReservedNames& names) {
  std::vector<Sparse> tasks;
  for (const json& task : asked["tasks"]) tasks.push_back(names.Amounts(task, "request"));
  return BestFillFirst(tasks, ReservedOf(asked["reserved"], names));
}

json AskReservedScores(const json& asked, ReservedNames& names) {
  const Sparse request = names.Amounts(asked, "request");
  std::vector<ReservationNode> nodes;
  json nominated = json::array();
  for (const json& node : asked["nodes"]) {
    std::vector<ReservationOffer> offers;
    std::vector<int64_t> orders;
    for (const json& one : node) {
      offers.push_back({.order = one.value("order", int64_t{0}),
                        .score = ReservationScore(request, ReservedOf(one, names))});
      orders.push_back(offers.back().order);
    }
    const size_t chosen = NominateReservation(offers), least = LeastOrder(orders);
    nominated.push_back(chosen == kNoReservation ? json() : json(chosen));
    nodes.push_back({.least_order = least == kNoReservation ? 0 : orders[least],
                     .score = chosen == kNoReservation ? 0 : offers[chosen].score});
  }
  std::vector<int64_t> scores = ReservationNodeScores(nodes);
  json answer = {{"raw", scores}, {"nominated", nominated}};
  ScaleScores(scores);
  answer["scaled"] = scores;
  return answer;
}

}  // namespace

absl::StatusOr<json> AskReservations(const json& request) {
  const json& asked = request["reservations"];
  const std::string ask = asked["ask"];
  ReservedNames names;
  if (ask == "matchable") {
    return IsMatchable({.is_available = asked["available"],
                        .allocate_once = asked["allocate_once"],
                        .owners_can_be_read = asked["owners_can_be_read"],
                        .tasks = asked["tasks"]});
  }
  if (ask == "available") {
    const std::string node = asked["node"], phase = asked["phase"];
    return asked["task"] ? IsServingTaskAvailable(phase, asked["ready"])
                         : IsReservationAvailable(node, phase);
  }
  if (ask == "filter") return AskReservedFilter(asked, names);
  if (ask == "pre_allocate") return AskPreAllocation(asked, names);
  if (ask == "scores") return AskReservedScores(asked, names);
  if (ask == "node") {
    const ReservationRules rules = ReservationRulesOf(asked, names);
    return LacksJson(
        LacksOfNode(names.Amounts(asked, "request"), ReservedNodeOf(asked["node"], names),
                    names.Amounts(asked, "left"), rules),
        names);
  }
  if (ask == "reservation") {
    const ReservationRules rules = ReservationRulesOf(asked, names);
    return LacksJson(LacksOfReservation(names.Amounts(asked, "request"),
                                        ReservedOf(asked["reserved"], names), rules.ignored),
                     names);
  }
  if (ask == "order") return AskFillOrder(asked, names);
  if (ask == "shares")
    return MayShareNode(ReservedPolicyOf(asked["a"]), ReservedPolicyOf(asked["b"]));
  if (ask == "ignores") {
    return IgnoresResource(asked["name"].get<std::string>(),
                           asked["ignored"].get<std::vector<std::string>>(),
                           asked["groups"].get<std::vector<std::string>>());
  }
  return absl::InvalidArgumentError("reservations: no such question: " + ask);
}

}  // namespace muster::testing
