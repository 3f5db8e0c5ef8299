// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Koordinator's gangs: books by the calls of a record, groups, and places in topologies.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/koordinator/gangs/gang_book.h"
#include "lib/peer/koordinator/gangs/topology_places.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

koordinator::GangMarks GangMarksOf(const json& row) {
  koordinator::GangMarks marks{.mode = row["mode"],
                               .policy = row["policy"],
                               .group = row["group"].get<std::vector<std::string>>()};
  if (!row["least"].is_null()) marks.least = row["least"].get<int64_t>();
  if (!row["total"].is_null()) marks.total = row["total"].get<int64_t>();
  if (!row["wait"].is_null()) marks.wait = row["wait"].get<int64_t>();
  return marks;
}

json GangGroupText(const koordinator::GangGroup& group) {
  return {{"representative", group.representative()},
          {"satisfied", group.was_satisfied()},
          {"waiting", group.waiting()},
          {"binding", group.binding()}};
}

const char* GangPolicyWord(koordinator::MatchPolicy policy) {
  switch (policy) {
    case koordinator::MatchPolicy::kOnlyWaiting:
      return "only-waiting";
    case koordinator::MatchPolicy::kWaitingAndRunning:
      return "waiting-and-running";
    case koordinator::MatchPolicy::kOnceSatisfied:
      return "once-satisfied";
    case koordinator::MatchPolicy::kUnset:
      return "";
  }
  return "";
}

json GangText(const koordinator::Gang& gang) {
  return {{"ready", gang.is_ready},
          {"least", gang.rules.least},
          {"total", gang.rules.total},
          {"strict", gang.rules.is_strict},
          {"policy", GangPolicyWord(gang.rules.policy)},
          {"wait", gang.rules.wait},
          {"group", gang.rules.group},
          {"tasks", gang.tasks},
          {"pending", gang.pending},
          {"waiting", gang.waiting},
          {"bound", gang.bound},
          {"satisfied", gang.group->was_satisfied()}};
}

json GangBookText(const koordinator::GangBook& book) {
  json gangs = json::object(), groups = json::array();
  for (const auto& [name, gang] : book.gangs()) gangs[name] = GangText(gang);
  for (const auto& [name, group] : book.groups()) groups.push_back(name);
  return {{"gangs", gangs}, {"groups", groups}};
}

// What a test writes into a gang by itself.
json SetOfGang(const json& op, koordinator::GangBook* book) {
  koordinator::Gang* gang = book->Find(op["gang"].get<std::string>());
  if (gang == nullptr) return nullptr;
  if (op["op"] == "satisfy") gang->group->SetSatisfied();
  if (op["op"] == "set_policy") {
    gang->rules.policy = koordinator::MatchPolicyByName(op["policy"].get<std::string>());
  }
  if (op["op"] == "set_mode") gang->rules.is_strict = op["mode"] != "NonStrict";
  if (op["op"] == "set_total") gang->rules.total = op["total"];
  return nullptr;
}

json StepOfGang(const json& op, koordinator::GangBook* book) {
  const std::string kind = op["op"], gang = op.value("gang", ""), task = op.value("task", "");
  if (kind == "put_task") {
    book->PutTask({task, gang, op["declared"], op["bound"], GangMarksOf(op["marks"])});
  } else if (kind == "remove_task") {
    book->RemoveTask(task, gang);
  } else if (kind == "put_gang") {
    book->PutGang(gang, GangMarksOf(op["marks"]));
  } else if (kind == "change_gang") {
    book->ChangeGang(gang, GangMarksOf(op["marks"]));
  } else if (kind == "remove_gang") {
    book->RemoveGang(gang);
  } else if (kind == "enqueue") {
    constexpr const char* kWords[] = {"yes",       "no gang",     "not ready",  "too few",
                                      "not tried", "not pending", "represented"};
    return kWords[static_cast<size_t>(book->MayEnqueue(task, gang))];
  } else if (kind == "begin") {
    return book->Begin(task, gang) == koordinator::BeginAnswer::kYes;
  } else if (kind == "next") {
    const std::optional<std::string> next = book->Next();
    return next.has_value() ? json(*next) : json();
  } else if (kind == "permit") {
    constexpr const char* kWords[] = {"no gang", "gang missing", "wait", "allow"};
    const koordinator::Permit permit = book->AtPermit(task, gang);
    return {{"answer", kWords[static_cast<size_t>(permit.answer)]}, {"wait", permit.wait}};
  } else if (kind == "allow") {
    return book->Allow(gang);
  } else if (kind == "bind") {
    book->Bind(task, gang);
  } else if (kind == "fail") {
    return book->Fail(gang);
  } else if (kind == "unreserve") {
    return book->Unreserve(task, gang);
  } else if (kind == "state") {
    return GangBookText(*book);
  } else {
    return SetOfGang(op, book);
  }
  return nullptr;
}

json AskGangBook(const json& in) {
  koordinator::GangBook book(
      {.policy = koordinator::MatchPolicyByName(in["policy"].get<std::string>()),
       .wait = in["wait"]});
  json answers = json::array();
  for (const json& op : in["ops"]) answers.push_back(StepOfGang(op, &book));
  return answers;
}

json AskGangGroup(const json& in) {
  koordinator::GangGroup group("", in["gangs"].get<std::vector<std::string>>());
  json answers = json::array();
  for (const json& op : in["ops"]) {
    const std::string kind = op[0], argument = op[1].is_string() ? op[1] : "";
    json result;
    if (kind == "represent") result = group.Represent(argument);
    if (kind == "is_representative") result = group.representative() == argument;
    if (kind == "clear_if") group.ClearIfRepresentative(argument);
    if (kind == "clear") group.ClearRepresentative();
    if (kind == "satisfy") group.SetSatisfied();
    if (kind == "begin_waiting") group.BeginWaiting();
    if (kind == "end_waiting") group.EndWaiting(argument);
    if (kind == "end_all") group.EndAllWaiting();
    if (kind == "set_binding") group.SetBinding(op[1].get<koordinator::GangGroup::Names>());
    json state = GangGroupText(group);
    state["result"] = result;
    answers.push_back(state);
  }
  return answers;
}

// --- places

koordinator::PlaceTree PlaceTreeOf(const json& rows) {
  koordinator::PlaceTree tree;
  for (const json& row : rows) {
    koordinator::PlaceDomain domain{.layer = row["layer"],
                                    .name = row["name"],
                                    .is_node = row["node"],
                                    .slots = row["slots"],
                                    .existing = row["existing"],
                                    .score = row["score"]};
    if (!row["parent"].is_null()) {
      domain.parent = row["parent"];
      tree[domain.parent].children.push_back(tree.size());
    }
    tree.push_back(std::move(domain));
  }
  return tree;
}

json AskPlaces(const json& in) {
  koordinator::PlaceTree tree = PlaceTreeOf(in["tree"]);
  if (in["what"] == "before") {
    return koordinator::IsBefore(tree, in["a"], in["b"], in["fewer_first"]);
  }
  koordinator::Multiples multiples;
  for (const auto& [layer, multiple] : in["multiples"].items()) {
    if (multiple > 1) multiples[layer] = multiple;
  }
  if (in["what"] == "round") {
    RoundSlots(multiples, &tree);
    json slots = json::object();
    for (const koordinator::PlaceDomain& domain : tree) slots[domain.name] = domain.slots;
    return slots;
  }
  if (in["what"] == "distribute") {
    const koordinator::Distribution given =
        koordinator::Distribute(tree, 0, in["slots"], multiples);
    return {{"nodes", given.nodes}, {"slots", given.slots}};
  }
  const auto placed = koordinator::PlaceGang(
      {.layer = in["layer"], .slots = in["slots"], .multiples = multiples}, &tree);
  return placed.has_value() ? json(*placed) : json();
}

}  // namespace

absl::StatusOr<json> AskKoordinatorGangs(const json& request) {
  const json& in = request["koordinator_gangs"];
  const std::string ask = in["ask"];
  if (ask == "book") return AskGangBook(in);
  if (ask == "group") return AskGangGroup(in);
  if (ask == "places") return AskPlaces(in);
  if (ask == "group_name") return koordinator::GroupName(in["gangs"]);
  return absl::InvalidArgumentError(absl::StrCat("koordinator_gangs: no question ", ask));
}

}  // namespace muster::testing
