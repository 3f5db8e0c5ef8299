// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Promises of several schedulers, and nodes that a task prefers.
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/koordinator/nomination/foreign_nominations.h"
#include "lib/peer/koordinator/nomination/preferred_nodes.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

NominatedTask NominatedOf(const json& object) {
  return {.uid = object.value("uid", ""),
          .priority = object.value("priority", int64_t{0}),
          .promised = object.value("promised", ""),
          .node = object.value("node", ""),
          .scheduler = object.value("scheduler", "")};
}

std::vector<NominatedTask> NominatedListOf(const json& list) {
  std::vector<NominatedTask> tasks;
  for (const json& one : list) tasks.push_back(NominatedOf(one));
  return tasks;
}

json UidsJson(const std::vector<NominatedTask>& tasks) {
  json uids = json::array();
  for (const NominatedTask& task : tasks) uids.push_back(task.uid);
  return uids;
}

std::optional<json> DoNomination(const json& op, ForeignNominations* foreign) {
  const std::string name = op["op"];
  if (name == "own") {
    foreign->AddOwnScheduler(op["name"]);
  } else if (name == "put") {
    foreign->Put(NominatedOf(op["task"]));
  } else if (name == "change") {
    foreign->Change(NominatedOf(op["before"]), NominatedOf(op["now"]));
  } else if (name == "remove") {
    foreign->Remove(op["uid"]);
  } else if (name == "follow") {
    const NominatedTask before = NominatedOf(op["before"]), now = NominatedOf(op["now"]);
    foreign->Follow(op["before"].empty() ? nullptr : &before, op["now"].empty() ? nullptr : &now);
  } else if (name == "concerns") {
    return foreign->Concerns(NominatedOf(op["task"]));
  } else if (name == "on") {
    return UidsJson(foreign->On(op["node"]));
  } else if (name == "counted") {
    return UidsJson(CountedNominations(
        NominatedOf(op["asker"]), NominatedListOf(op["own"]),
        op.value("foreign", true) ? foreign->On(op["node"]) : std::vector<NominatedTask>(),
        op["same_job"].get<std::set<std::string>>()));
  } else if (name == "preferred") {
    std::set<std::string> allowed;
    const bool all = op["allowed"].is_null();
    if (!all) allowed = op["allowed"].get<std::set<std::string>>();
    const std::vector<std::string> preferred = op["preferred"];
    return json(PreferredNodes(preferred, all ? nullptr : &allowed, op["most"].get<size_t>()));
  } else {
    return std::nullopt;
  }
  return json();
}

}  // namespace

absl::StatusOr<json> AskKoordinatorNominations(const json& request) {
  ForeignNominations foreign;
  json answers = json::array();
  for (const json& op : request["koordinator_nominations"]) {
    const std::optional<json> answer = DoNomination(op, &foreign);
    if (!answer) {
      return absl::InvalidArgumentError(absl::StrCat("koordinator_nominations: no such operation: ",
                                                     op["op"].get<std::string>()));
    }
    answers.push_back(*answer);
  }
  return answers;
}

}  // namespace muster::testing
