// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Queue mappings of the capacity scheduler, in both formats of the peer.
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/import/json_text.h"
#include "lib/import/yarn.h"

namespace muster::yarn_import {
namespace {

// What a policy of a rule stands for, below the parent of the rule if it may have one.
struct PolicyWord {
  std::string_view policy, place;
  bool has_parent;
};
constexpr PolicyWord kPolicyWords[] = {
    {"specified", "%specified", false},
    {"defaultQueue", "%default", false},
    {"user", "%user", true},
    {"primaryGroup", "%primary_group", true},
    {"secondaryGroup", "%secondary_group", true},
    {"primaryGroupUser", "%primary_group.%user", true},
    {"secondaryGroupUser", "%secondary_group.%user", true},
    {"applicationName", "%application", true},
};

bool HasMarks(std::string_view text) { return text.find_first_of(",:") != text.npos; }

// The place of a rule; empty: it was refused or left out.
std::string PlaceOf(const Field& rule) {
  const std::string policy = rule.Text("policy");
  if (policy == "reject") return "%reject";
  if (policy == "custom") return rule.Text("customPlacement");
  if (policy == "setDefaultQueue") {
    const std::string value = rule.Text("value");
    return value.empty() ? "" : absl::StrCat("%default=", value);
  }
  for (const PolicyWord& word : kPolicyWords) {
    if (policy != word.policy) continue;
    const std::string parent = word.has_parent ? rule.Text("parentQueue") : "";
    return absl::StrCat(parent, parent.empty() ? "" : ".", ToAbsl(word.place));
  }
  return "";
}

// The rule as a text; empty: it is left out.
std::string RuleOf(const Field& rule) {
  const std::string type = rule.Text("type"), matches = rule.Text("matches");
  const char* source = type == "user"          ? "u"
                       : type == "group"       ? "g"
                       : type == "application" ? "a"
                                               : "";
  const std::string place = PlaceOf(rule);
  const std::string fallback = rule.Text("fallbackResult", "skip");
  const bool is_known = fallback == "skip" || fallback == "reject" || fallback == "placeDefault";
  if (*source == '\0' || matches.empty() || place.empty() || !is_known || HasMarks(matches) ||
      HasMarks(place)) {
    rule.Ignored("this rule is not read: its type, match, policy or place is not known");
    return "";
  }
  std::string text = absl::StrCat(source, ":", matches, ":", place);
  if (place == "%reject" || place.starts_with("%default=")) return text;
  if (!rule.Bool("create", true) || place == "%default") absl::StrAppend(&text, ":existing");
  if (fallback != "placeDefault") absl::StrAppend(&text, ":", fallback);
  return text;
}

}  // namespace

std::string MappingRulesOfJson(const Field& property, ImportLog* log) {
  Budget budget;
  const absl::StatusOr<JsonRow> row =
      ReadJsonValue(property.ScalarText(), "mapping rules", &budget);
  if (!row.ok()) {
    property.Refuse(std::string(row.status().message()));
    return "";
  }
  const FieldSource source{"mapping-rule-json", &*row, log};
  const Field whole(&source), list = whole["rules"];
  const bool is_object = whole.kind() == JsonKind::kObject;
  const bool is_empty = is_object && whole.Children().empty();
  if (!is_empty && (!list.given() || list.kind() != JsonKind::kArray)) {
    property.Refuse("has no array of rules; expected an object such as {\"rules\": []}");
    return "";
  }
  std::vector<std::string> rules;
  for (const Field& rule : whole.Items("rules")) {
    if (std::string text = RuleOf(rule); !text.empty()) rules.push_back(std::move(text));
  }
  return absl::StrJoin(rules, ",");
}

std::string MappingRulesOfApps(const std::string& text) {
  std::vector<std::string> rules;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const absl::string_view rule = absl::StripAsciiWhitespace(part);
    if (!rule.empty()) rules.push_back(absl::StrCat("a:", rule));
  }
  return absl::StrJoin(rules, ",");
}

}  // namespace muster::yarn_import
