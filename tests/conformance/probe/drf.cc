// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Dominant resource fairness: tasks started and ended over a tree, and what divisible tasks get.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/peer/transwarp/drf_tree.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

absl::Status Grow(const json& node, DrfTree::Index parent, DrfTree* tree,
                  std::map<std::string, DrfTree::Index>* index) {
  absl::StatusOr<DrfTree::Index> added;
  if (node.contains("children")) {
    added = tree->AddGroup(parent, node["weight"]);
  } else {
    added =
        tree->AddLeaf(parent, {node["task"], node["weight"], node.value("cap", DrfTree::kNoCap)});
  }
  if (!added.ok()) return added.status();
  (*index)[node["name"]] = *added;
  for (const json& child : node.value("children", json::array())) {
    if (absl::Status status = Grow(child, *added, tree, index); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<json> AskDrf(const json& request) {
  const json& asked = request["drf"];
  const std::vector<int64_t> capacity = asked["capacity"];
  if (asked.contains("divide")) {
    std::vector<DrfUser> users;
    for (const json& user : asked["divide"]) {
      users.push_back({.task = user["task"], .weight = user["weight"]});
      if (user.contains("cap")) users.back().cap = user["cap"].get<double>();
    }
    const absl::StatusOr<std::vector<double>> tasks = DivideDrf(capacity, users);
    if (!tasks.ok()) return tasks.status();
    return json(*tasks);
  }
  static const std::map<std::string, DrfForm> kForms = {
      {"N", DrfForm::kNaive}, {"R", DrfForm::kStatic}, {"H", DrfForm::kDynamic}};
  DrfTree tree({.form = kForms.at(asked["form"]), .stops_at_misfit = asked.value("stops", false)},
               capacity);
  std::map<std::string, DrfTree::Index> index = {{"root", DrfTree::kRoot}};
  for (const json& child : asked["children"]) {
    if (absl::Status status = Grow(child, DrfTree::kRoot, &tree, &index); !status.ok())
      return status;
  }
  std::map<DrfTree::Index, std::string> names;
  for (const auto& [name, node] : index) names[node] = name;
  json answers = json::array();
  for (const json& op : request["ops"]) {
    const std::string what = op["op"];
    json answer;
    if (what == "start") {
      tree.Start(index.at(op["leaf"]));
    } else if (what == "end") {
      tree.End(index.at(op["leaf"]));
    } else if (what == "next" || what == "fill") {
      answer = json::array();
      while (const std::optional<DrfTree::Index> next = tree.Next()) {
        tree.Start(*next);
        answer.push_back(names[*next]);
        if (what == "next") break;
      }
    } else if (what == "state") {
      for (const auto& [name, node] : index) {
        answer["tasks"][name] = tree.tasks(node);
        answer["shares"][name] = tree.Share(node);
      }
      answer["used"] = tree.used();
    } else {
      return absl::InvalidArgumentError(absl::StrCat("no event of shares: \"", what, "\""));
    }
    answers.push_back(answer);
  }
  return answers;
}

}  // namespace muster::testing
