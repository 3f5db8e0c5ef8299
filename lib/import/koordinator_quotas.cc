// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/koordinator_quotas.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/import/amounts.h"
#include "lib/peer/koordinator/quota/quota_rules.h"

namespace muster {
namespace {

constexpr std::string_view kBuiltInQuotas[] = {"koordinator-root-quota", "koordinator-system-quota",
                                               "koordinator-default-quota"};

std::string QuotaLabel(const ApiObject& object, const char* name) {
  const std::string* text = object.Label(absl::StrCat("quota.scheduling.koordinator.sh/", name));
  return text == nullptr ? std::string() : *text;
}

// Thousandths of cpu, whole units of all else, rounded up as the peer's.
QuotaEdit::Amounts WebhookAmounts(const Field& field) {
  QuotaEdit::Amounts amounts;
  for (const auto& [name, amount] : ReadAmounts(field)) {
    const ExactAmount unit = name == "cpu" ? kAmountUnit / 1000 : kAmountUnit;
    amounts[name] = static_cast<int64_t>((amount + unit - 1) / unit);
  }
  return amounts;
}

QuotaEdit EditOf(const ApiObject& object) {
  QuotaEdit edit{.name = object.name(),
                 .parent = QuotaLabel(object, "parent"),
                 .tree = QuotaLabel(object, "tree-id"),
                 .is_parent = QuotaLabel(object, "is-parent") == "true",
                 .is_tree_root = QuotaLabel(object, "is-root") == "true",
                 .forced = QuotaLabel(object, "allow-force-update") == "true",
                 .max = WebhookAmounts(object.spec().Section("max")),
                 .min = WebhookAmounts(object.spec().Section("min"))};
  if (edit.parent == kBuiltInQuotas[0]) edit.parent.clear();
  return edit;
}

absl::Status FirstBroken(const QuotaRules& rules, const QuotaEdit& edit) {
  absl::Status status = rules.Check(QuotaRules::Rule::kAlone, nullptr, edit);
  // The webhook looks no further at a leaf at the top.
  if (edit.parent.empty() && !edit.is_parent) return status;
  for (const QuotaRules::Rule rule : {QuotaRules::Rule::kTree, QuotaRules::Rule::kParent,
                                      QuotaRules::Rule::kResources, QuotaRules::Rule::kMinimums}) {
    if (status.ok()) status = rules.Check(rule, nullptr, edit);
  }
  return status;
}

}  // namespace

void ReportRefusedQuotas(const Dump& dump) {
  QuotaRules rules({}, {[](const std::string&) { return false; },
                        [](const std::string&, const std::vector<std::string>&) { return false; }});
  std::vector<const ApiObject*> objects;
  for (const ApiObject* object : dump.OfKind("ElasticQuota")) {
    if (std::ranges::find(kBuiltInQuotas, object->name()) != std::end(kBuiltInQuotas)) continue;
    objects.push_back(object);
    rules.Load(EditOf(*object));
  }
  for (const ApiObject* object : objects) {
    const absl::Status status = FirstBroken(rules, EditOf(*object));
    if (status.ok()) continue;
    object->log()->Note(object->place(), "spec",
                        absl::StrCat("the peer's webhook refuses it: ", status.message()));
  }
}

}  // namespace muster
