// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Namespaces and their quotas, priority classes, disruption budgets.
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"

namespace muster {

std::vector<NamespaceSpec> ReadNamespaces(const Dump& dump) {
  std::vector<NamespaceSpec> out;
  HashMap<std::string, size_t> by_name;
  const auto entry_of = [&](const std::string& name) -> NamespaceSpec& {
    const auto [entry, is_new] = by_name.try_emplace(name, out.size());
    if (is_new) out.push_back({.name = name});
    return out[entry->second];
  };
  for (const ApiObject* object : dump.OfKind("Namespace")) {
    entry_of(object->name()).labels = object->labels();
  }
  for (const ApiObject* object : dump.OfKind("ResourceQuota")) {
    if (object->spec()["scopes"].truthy() || object->spec()["scopeSelector"].truthy()) {
      object->log()->Ignored(object->place(), "spec.scopes", "not considered");
    }
    const auto known = [&](std::string_view key) {
      return ToResources(Dimensions(ReadAmounts(object->status()[key]), *object,
                                    absl::StrCat("status.", ToAbsl(key)), true));
    };
    entry_of(object->name_space()).quotas.push_back({object->name(), known("hard"), known("used")});
  }
  return out;
}

PriorityClasses ReadPriorityClasses(const Dump& dump) {
  PriorityClasses out;
  for (const ApiObject* object : dump.OfKind("PriorityClass")) {
    const int32_t value = object->root().Int32("value", 0);
    out.values[object->name()] = value;
    const bool never = ReadNeverPreempts(object->root()["preemptionPolicy"]);
    if (never) out.never_preempt.insert(object->name());
    if (!object->root().Bool("globalDefault", false)) continue;
    out.fallback = value;
    out.fallback_never_preempts = never;
  }
  return out;
}

std::vector<DisruptionBudgetSpec> ReadBudgets(const Dump& dump) {
  std::vector<DisruptionBudgetSpec> out;
  for (const ApiObject* object : dump.OfKind("PodDisruptionBudget")) {
    DisruptionBudgetSpec budget;
    budget.name = object->key();
    budget.name_space = object->name_space();
    budget.allowed = object->status().Int64("disruptionsAllowed", 0);
    budget.selector = ReadSelector(object->spec()["selector"]);
    for (const Field& pod : object->status()["disruptedPods"].Children()) {
      budget.disrupted.push_back(absl::StrCat(object->name_space(), "/", ToAbsl(pod.key())));
    }
    out.push_back(std::move(budget));
  }
  return out;
}

}  // namespace muster
