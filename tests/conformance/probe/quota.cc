// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Elastic quota trees: a sequence of events, and after each the groups with changed numbers;
// or a sequence of edits, and whether each is accepted.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/koordinator/quota/elastic_tree.h"
#include "lib/peer/koordinator/quota/min_scaling.h"
#include "lib/peer/koordinator/quota/quota_rules.h"
#include "lib/peer/koordinator/quota/redistribution.h"
#include "lib/share/resource_names.h"
#include "tests/conformance/probe/probe.h"
#include "tests/conformance/probe/quota_json.h"

namespace muster::testing {

using nlohmann::json;

NamedAmounts QuotaAmounts(const json& object, const char* key) {
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
  const ElasticTree::Numbers n = *tree.Find(group);
  json numbers;
  const std::pair<const char*, const Sparse*> fields[] = {
      {"max", &n.max},
      {"min", &n.min},
      {"autoScaleMin", &n.scaled_min},
      {"weight", &n.weight},
      {"request", &n.request.shown()},
      {"childRequest", &n.child_request.shown()},
      {"nonPreemptibleRequest", &n.fixed_request.shown()},
      {"used", &n.used.shown()},
      {"nonPreemptibleUsed", &n.fixed_used.shown()},
      {"selfRequest", &n.own_request.shown()},
      {"selfUsed", &n.own_used.shown()},
      {"selfNonPreemptibleRequest", &n.own_fixed_request.shown()},
      {"selfNonPreemptibleUsed", &n.own_fixed_used.shown()},
      {"runtime", &n.runtime},
      {"guaranteed", &n.guaranteed},
      {"allocated", &n.allocated.shown()},
  };
  for (const auto& [name, amounts] : fields) numbers[name] = Written(tree.Named(*amounts));
  return numbers;
}

QuotaTask QuotaTaskOf(const json& object) {
  return {.name = object.value("name", ""),
          .request = QuotaAmounts(object, "request"),
          .assigned = object.value("assigned", false),
          .preemptible = object.value("preemptible", true)};
}

QuotaGroup QuotaGroupOf(const json& object) {
  QuotaGroup quota{.name = object.value("group", ""),
                   .parent = object.value("parent", ""),
                   .is_parent = object.value("is_parent", false),
                   .lends = object.value("lends", true),
                   .max = QuotaAmounts(object, "max"),
                   .min = QuotaAmounts(object, "min")};
  if (object.contains("weight")) quota.weight = QuotaAmounts(object, "weight");
  return quota;
}

namespace {

absl::Status Do(const json& op, ElasticTree* tree, json* step) {
  const std::string what = op.value("op", ""), group = op.value("group", "");
  const QuotaTask task = QuotaTaskOf(op.value("task", json::object()));
  if (what == "total") return tree->AddTotal(QuotaAmounts(op, "delta"));
  if (what == "put") return tree->Put(QuotaGroupOf(op));
  if (what == "remove") return tree->Remove(group);
  if (what == "refresh") {
    (*step)["result"] = Written(tree->Refresh(group));
    return absl::OkStatus();
  }
  if (what == "admit") {
    const absl::StatusOr<Sparse> request = tree->Intern(task.request);
    if (!request.ok()) return request.status();
    const ElasticTree::Index at = tree->IndexOf(group);
    if (at == ElasticTree::kNone) return absl::NotFoundError("no such group");
    const ElasticTree::Admission admission = tree->Admit(
        at, *request, task.preemptible,
        {.by_max = op.value("by_max", false), .asks_parents = op.value("asks_parents", false)});
    (*step)["admitted"] = admission.verdict == ElasticTree::Admission::Verdict::kFits;
    return absl::OkStatus();
  }
  if (what == "add_task") return tree->AddTask(group, task);
  if (what == "remove_task") return tree->RemoveTask(group, task);
  if (what == "reserve") return tree->Reserve(group, task);
  if (what == "unreserve") return tree->Unreserve(group, task);
  if (what == "request" || what == "use") {
    const absl::StatusOr<Sparse> delta = tree->Intern(QuotaAmounts(op, "delta"));
    const absl::StatusOr<Sparse> fixed = tree->Intern(QuotaAmounts(op, "fixed"));
    const ElasticTree::Index at = tree->IndexOf(group);
    if (!delta.ok()) return delta.status();
    if (!fixed.ok()) return fixed.status();
    if (at == ElasticTree::kNone) return absl::OkStatus();
    what == "use" ? tree->AddUse(at, *delta, *fixed) : tree->AddRequest(at, *delta, *fixed);
    return absl::OkStatus();
  }
  if (what == "update_task") {
    return tree->UpdateTask(op.value("old_group", ""),
                            QuotaTaskOf(op.value("old_task", json::object())), group, task);
  }
  return absl::InvalidArgumentError(absl::StrCat("no event of a quota tree: \"", what, "\""));
}

QuotaEdit EditOf(const json& object) {
  const auto amounts = [&](const char* key) {
    return object.value(key, json::object()).get<QuotaEdit::Amounts>();
  };
  QuotaEdit quota{.name = object.value("name", ""),
                  .parent = object.value("parent", ""),
                  .tree = object.value("tree", ""),
                  .is_parent = object.value("is_parent", false),
                  .is_tree_root = object.value("is_tree_root", false),
                  .forced = object.value("forced", false),
                  .max = amounts("max"),
                  .min = amounts("min"),
                  .used = amounts("used"),
                  .guaranteed = amounts("guaranteed"),
                  .namespaces = object.value("namespaces", std::vector<std::string>()),
                  .strict_keys = object.value("strict_keys", std::vector<std::string>())};
  if (object.contains("weight")) quota.weight = amounts("weight");
  return quota;
}

QuotaTaskEdit TaskEditOf(const json& object) {
  QuotaTaskEdit task{.group = object.value("group", ""),
                     .name_space = object.value("namespace", "")};
  if (object.contains("preemptible")) task.preemptible = object["preemptible"].get<bool>();
  return task;
}

// One edit, load or question; what it says beyond whether it is accepted goes into the step.
// Unknown: nothing.
std::optional<absl::Status> DoRules(const json& op, QuotaRules* rules, json* step) {
  using Rule = QuotaRules::Rule;
  const std::string what = op.value("op", "");
  QuotaEdit quota = EditOf(op.value("quota", json::object()));
  std::optional<QuotaEdit> old;
  if (op.contains("old")) old = EditOf(op["old"]);
  if (what == "create" || what == "complete") {
    const absl::Status status = rules->Complete(&quota);
    (*step)["completed"] = {{"parent", quota.parent},
                            {"tree", quota.tree},
                            {"weight", quota.weight.value_or(QuotaEdit::Amounts())}};
    return status.ok() && what == "create" ? rules->Add(quota) : status;
  }
  if (what == "add") return rules->Add(quota);
  if (what == "update") return rules->Update(*old, quota);
  if (what == "delete") return rules->Remove(quota);
  if (what == "load") {
    rules->Load(quota);
    return absl::OkStatus();
  }
  if (what == "unload") {
    rules->Unload(quota.name);
    return absl::OkStatus();
  }
  if (what == "check") {
    const std::map<std::string, Rule> known = {
        {"alone", Rule::kAlone},         {"kind", Rule::kKind},
        {"tree", Rule::kTree},           {"parent", Rule::kParent},
        {"resources", Rule::kResources}, {"minimums", Rule::kMinimums},
        {"guarantee", Rule::kGuarantee}};
    const auto rule = known.find(op.value("rule", ""));
    if (rule == known.end()) return std::nullopt;
    return rules->Check(rule->second, old.has_value() ? &*old : nullptr, quota);
  }
  if (what != "task") return std::nullopt;
  const QuotaTaskEdit task = TaskEditOf(op["task"]);
  (*step)["group"] = rules->GroupOf(task);
  if (!op.contains("old_task")) return rules->CheckTask(nullptr, task);
  const QuotaTaskEdit before = TaskEditOf(op["old_task"]);
  return rules->CheckTask(&before, task);
}

}  // namespace

absl::StatusOr<json> AskQuotaRules(const json& request) {
  const json& options = request["quota_rules"];
  struct Task {
    std::string group, name_space;
  };
  std::vector<Task> tasks;
  for (const json& task : options["tasks"]) {
    tasks.push_back({task.value("group", ""), task.value("namespace", "")});
  }
  const auto named = [&](const std::string& group) {
    return std::any_of(tasks.begin(), tasks.end(),
                       [&](const Task& task) { return task.group == group; });
  };
  const auto bound = [&](const std::string& group, const std::vector<std::string>& namespaces) {
    return named(group) || std::any_of(tasks.begin(), tasks.end(), [&](const Task& task) {
             return task.name_space == group ||
                    std::count(namespaces.begin(), namespaces.end(), task.name_space) > 0;
           });
  };
  QuotaRules rules({.guarantee_usage = options.value("guarantee_usage", false),
                    .resources_may_differ = options.value("resources_may_differ", false)},
                   {named, bound});
  json steps = json::array();
  for (const json& op : request["ops"]) {
    json step = json::object();
    const std::optional<absl::Status> status = DoRules(op, &rules, &step);
    if (!status.has_value())
      return absl::InvalidArgumentError("no such question about quota rules");
    step["accepted"] = status->ok();
    step["message"] = std::string(status->message());
    json parents = json::object();
    for (const auto& [name, quota] : rules.groups()) parents[name] = quota.parent;
    step["parents"] = std::move(parents);
    step["namespaces"] = rules.group_of_namespace();
    steps.push_back(std::move(step));
  }
  return steps;
}

// One level alone: what each child gets of one resource, or what is left of a child's minimum.
absl::StatusOr<json> AskQuotaLevel(const json& request) {
  const json& level = request["quota_level"];
  if (level.contains("original")) {
    ResourceNames names;
    Sparse parts[4];
    const char* const keys[] = {"total", "fixed", "scaling", "original"};
    for (size_t i = 0; i < 4; ++i) {
      const absl::StatusOr<Sparse> part = names.Intern(QuotaAmounts(level, keys[i]));
      if (!part.ok()) return part.status();
      parts[i] = *part;
    }
    return Written(names.Named(ScaledMin(parts[0], parts[1], parts[2], parts[3])));
  }
  std::vector<int64_t> ask, weight, min, guarantee;
  std::vector<uint8_t> lends;
  for (const json& child : level["children"]) {
    ask.push_back(child.value("request", int64_t{0}));
    weight.push_back(child.value("weight", int64_t{0}));
    min.push_back(child.value("min", int64_t{0}));
    guarantee.push_back(child.value("guarantee", int64_t{0}));
    lends.push_back(child.value("lends", true) ? 1 : 0);
  }
  std::vector<int64_t> runtime(ask.size());
  Redistribution().Run(level.value("total", int64_t{0}), Rounding::kLargestRemainder,
                       {ask, weight, min, guarantee, lends}, runtime);
  return json(runtime);
}

absl::StatusOr<json> AskQuotaTree(const json& request) {
  const json& options = request["quota_tree"];
  ElasticTree tree({.scale_min = options.value("scale_min", true),
                    .guarantee_usage = options.value("guarantee_usage", false),
                    .has_builtin = options.value("has_builtin", true),
                    .system_max = QuotaAmounts(options, "system_max"),
                    .default_max = QuotaAmounts(options, "default_max")});
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
