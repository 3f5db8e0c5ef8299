// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Several elastic quota trees: a sequence of events of nodes, groups and tasks, and after each the
// numbers of every group; and the roots that profiles make of nodes.
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/kube/selectors.h"
#include "lib/model/words.h"
#include "lib/peer/koordinator/quota/elastic_forest.h"
#include "lib/peer/koordinator/quota/quota_profile.h"
#include "muster/spec.h"
#include "tests/conformance/probe/probe.h"
#include "tests/conformance/probe/quota_json.h"

namespace muster::testing {
namespace {

using nlohmann::json;

ForestGroup ForestGroupOf(const json& object) {
  ForestGroup quota{.group = QuotaGroupOf(object),
                    .tree = object.value("tree", ""),
                    .takes_from_default = object.value("takes_from_default", true)};
  if (object.contains("total")) quota.total = QuotaAmounts(object, "total");
  return quota;
}

// Events of amounts and questions, which are one tree's.
absl::Status DoInTree(const json& op, ElasticForest* forest, json* step) {
  const std::string what = op.value("op", ""), group = op.value("group", "");
  if (what == "total" || what == "refresh") {
    ElasticTree* tree = op.contains("tree") ? forest->Find(op["tree"].get<std::string>())
                                            : forest->PlaceOf(group).tree;
    if (tree == nullptr) return absl::NotFoundError("no such tree");
    if (what == "total") return tree->AddTotal(QuotaAmounts(op, "delta"));
    (*step)["result"] = Written(tree->Refresh(group));
    return absl::OkStatus();
  }
  const ElasticForest::Place place = forest->PlaceOf(group);
  if (place.tree == nullptr) return absl::NotFoundError("no such group");
  if (what == "request" || what == "use") {
    const absl::StatusOr<Sparse> delta = place.tree->Intern(QuotaAmounts(op, "delta"));
    const absl::StatusOr<Sparse> fixed = place.tree->Intern(QuotaAmounts(op, "fixed"));
    if (!delta.ok()) return delta.status();
    if (!fixed.ok()) return fixed.status();
    what == "use" ? place.tree->AddUse(place.group, *delta, *fixed)
                  : place.tree->AddRequest(place.group, *delta, *fixed);
    return absl::OkStatus();
  }
  if (what != "admit") {
    return absl::InvalidArgumentError(absl::StrCat("no event of quota trees: \"", what, "\""));
  }
  const QuotaTask task = QuotaTaskOf(op["task"]);
  const absl::StatusOr<Sparse> request = place.tree->Intern(task.request);
  if (!request.ok()) return request.status();
  const ElasticTree::Admission admission = place.tree->Admit(
      place.group, *request, task.preemptible,
      {.by_max = op.value("by_max", false), .asks_parents = op.value("asks_parents", false)});
  (*step)["admitted"] = admission.verdict == ElasticTree::Admission::Verdict::kFits;
  return absl::OkStatus();
}

absl::Status Do(const json& op, ElasticForest* forest, json* step) {
  const std::string what = op.value("op", ""), group = op.value("group", "");
  const QuotaTask task = QuotaTaskOf(op.value("task", json::object()));
  if (what == "node") return forest->PutNode(op.value("name", ""), QuotaAmounts(op, "amounts"));
  if (what == "node_gone") {
    forest->RemoveNode(op.value("name", ""));
    return absl::OkStatus();
  }
  if (what == "put") return forest->Put(ForestGroupOf(op));
  if (what == "remove") return forest->Remove(group);
  if (what == "add_task") return forest->AddTask(group, task);
  if (what == "remove_task") return forest->RemoveTask(group, task);
  if (what == "reserve") return forest->Reserve(group, task);
  if (what == "unreserve") return forest->Unreserve(group, task);
  if (what == "update_task") {
    const QuotaTask before = QuotaTaskOf(op.value("old_task", json::object()));
    return forest->UpdateTask(op.value("old_group", ""), before, group, task);
  }
  const bool asks_parents = op.value("asks_parents", false);
  if (what == "task_gone") {
    (*step)["may_fit"] =
        forest->MayFitWithout(op.value("waiting", ""), group, task.name, asks_parents);
    return absl::OkStatus();
  }
  if (what == "edited") {
    (*step)["may_fit"] = forest->MayFitAfter(op.value("waiting", ""), ForestGroupOf(op["before"]),
                                             ForestGroupOf(op["after"]), asks_parents);
    return absl::OkStatus();
  }
  return DoInTree(op, forest, step);
}

Labels LabelsOf(const json& object) {
  Labels labels;
  for (const auto& [key, value] : object.items())
    labels.emplace_back(key, value.get<std::string>());
  return labels;
}

}  // namespace

absl::StatusOr<json> AskQuotaForest(const json& request) {
  const json& options = request["quota_forest"];
  ElasticForest forest({.tree = {.scale_min = options.value("scale_min", true),
                                 .guarantee_usage = options.value("guarantee_usage", false),
                                 .system_max = QuotaAmounts(options, "system_max"),
                                 .default_max = QuotaAmounts(options, "default_max")},
                        .takes_strangers = options.value("takes_strangers", true)});
  json steps = json::array();
  for (const json& op : request["ops"]) {
    json step = json::object();
    if (const absl::Status status = Do(op, &forest, &step); !status.ok()) {
      step["refused"] = std::string(status.message());
    }
    for (const std::string& id : forest.Trees()) {
      const ElasticTree& tree = *forest.Find(id);
      for (const std::string& group : tree.Groups()) {
        step["trees"][id][group] = NumbersOf(tree, group);
      }
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

absl::StatusOr<json> AskQuotaProfile(const json& request) {
  const json& asked = request["quota_profile"];
  const QuotaProfile profile{
      .name_space = asked.value("namespace", ""),
      .name = asked.value("name", ""),
      .tree = asked.value("tree", ""),
      .group = asked.value("group", ""),
      .ratio = asked.value("ratio", 1.0),
      .resources = asked.value("resources", std::vector<std::string>{"cpu", "memory"})};
  Selector selector;
  selector.match_labels = LabelsOf(asked.value("labels", json::object()));
  for (const json& one : asked.value("expressions", json::array())) {
    const auto op = ParseWord<RequirementOp>(one.value("operator", ""));
    if (!op.has_value()) return absl::InvalidArgumentError("an operator that is none");
    selector.match_expressions.push_back(
        {.key = one.value("key", ""),
         .op = *op,
         .values = one.value("values", std::vector<std::string>())});
  }
  std::vector<ProfiledNode> nodes;
  for (const json& node : asked["nodes"]) {
    if (!Matches(selector, LabelsOf(node.value("labels", json::object())))) continue;
    nodes.push_back({.allocatable = QuotaAmounts(node, "amounts"),
                     .takes_tasks = node.value("takes_tasks", true)});
  }
  const absl::StatusOr<ProfiledRoot> made = RootOf(profile, nodes);
  if (!made.ok()) return made.status();
  return json{{"tree", made->root.tree},
              {"group", made->root.group.name},
              {"total", Written(*made->root.total)},
              {"min", Written(made->root.group.min)},
              {"max", Written(made->root.group.max)},
              {"idle", Written(made->idle)}};
}

}  // namespace muster::testing
