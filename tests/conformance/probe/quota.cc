// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Elastic quota trees: a sequence of events, and after each the groups whose numbers are no longer what they were.
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/quota/elastic_tree.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

NamedAmounts Amounts(const json& object, const char* key) {
  NamedAmounts amounts;
  if (!object.contains(key)) return amounts;
  for (const auto& [name, amount] : object[key].items()) {
    amounts.emplace_back(name, amount.get<int64_t>());
  }
  return amounts;
}

json Written(const NamedAmounts& amounts) {
  json written = json::object();
  for (const auto& [name, amount] : amounts) written[name] = amount;
  return written;
}

json NumbersOf(const ElasticTree& tree, const std::string& group) {
  const ElasticTree::Numbers& n = *tree.Find(group);
  json numbers;
  const std::pair<const char*, const Sparse*> fields[] = {
      {"max", &n.max},
      {"min", &n.min},
      {"autoScaleMin", &n.scaled_min},
      {"weight", &n.weight},
      {"request", &n.request},
      {"childRequest", &n.child_request},
      {"nonPreemptibleRequest", &n.fixed_request},
      {"used", &n.used},
      {"nonPreemptibleUsed", &n.fixed_used},
      {"selfRequest", &n.own_request},
      {"selfUsed", &n.own_used},
      {"selfNonPreemptibleRequest", &n.own_fixed_request},
      {"selfNonPreemptibleUsed", &n.own_fixed_used},
      {"runtime", &n.runtime},
      {"guaranteed", &n.guaranteed},
      {"allocated", &n.allocated},
  };
  for (const auto& [name, amounts] : fields) numbers[name] = Written(tree.Named(*amounts));
  return numbers;
}

QuotaTask TaskOf(const json& object) {
  return {.name = object.value("name", ""),
          .request = Amounts(object, "request"),
          .assigned = object.value("assigned", false),
          .preemptible = object.value("preemptible", true)};
}

absl::Status Do(const json& op, ElasticTree* tree, json* step) {
  const std::string what = op.value("op", ""), group = op.value("group", "");
  const QuotaTask task = TaskOf(op.value("task", json::object()));
  if (what == "total") return tree->AddTotal(Amounts(op, "delta"));
  if (what == "put") {
    QuotaGroup quota{.name = group,
                     .parent = op.value("parent", ""),
                     .is_parent = op.value("is_parent", false),
                     .lends = op.value("lends", true),
                     .max = Amounts(op, "max"),
                     .min = Amounts(op, "min")};
    if (op.contains("weight")) quota.weight = Amounts(op, "weight");
    return tree->Put(quota);
  }
  if (what == "remove") return tree->Remove(group);
  if (what == "refresh") {
    (*step)["result"] = Written(tree->Refresh(group));
    return absl::OkStatus();
  }
  if (what == "add_task") return tree->AddTask(group, task);
  if (what == "remove_task") return tree->RemoveTask(group, task);
  if (what == "reserve") return tree->Reserve(group, task);
  if (what == "unreserve") return tree->Unreserve(group, task);
  if (what == "update_task") {
    return tree->UpdateTask(op.value("old_group", ""), TaskOf(op.value("old_task", json::object())),
                            group, task);
  }
  return absl::InvalidArgumentError(absl::StrCat("no event of a quota tree: \"", what, "\""));
}

}  // namespace

absl::StatusOr<json> AskQuotaTree(const json& request) {
  const json& options = request["quota_tree"];
  ElasticTree tree({.scale_min = options.value("scale_min", true),
                    .guarantee_usage = options.value("guarantee_usage", false),
                    .has_builtin = options.value("has_builtin", true),
                    .system_max = Amounts(options, "system_max"),
                    .default_max = Amounts(options, "default_max")});
  json steps = json::array(), known = json::object();
  for (const json& op : request["ops"]) {
    json step = json::object();
    if (const absl::Status status = Do(op, &tree, &step); !status.ok()) {
      step["refused"] = std::string(status.message());
    }
    for (const std::string& group : tree.Groups()) {
      json numbers = NumbersOf(tree, group);
      if (known.contains(group) && known[group] == numbers) continue;
      step["groups"][group] = numbers;
      known[group] = std::move(numbers);
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace muster::testing
