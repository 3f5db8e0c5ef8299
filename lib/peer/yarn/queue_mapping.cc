// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/queue_mapping.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"

namespace muster::yarn {
namespace {

constexpr std::string_view kSetDefault = "%default=";

std::string CleanName(const std::string& name) {
  return absl::StrReplaceAll(name, {{".", "_dot_"}});
}

// Whether each part is a name or a variable.
bool IsPlace(absl::string_view place) {
  constexpr absl::string_view kVariables[] = {"%user",        "%primary_group", "%secondary_group",
                                              "%application", "%specified",     "%default"};
  for (const absl::string_view part : absl::StrSplit(place, '.')) {
    const bool is_variable = part.substr(0, 1) == "%";
    const bool is_known = std::ranges::find(kVariables, part) != std::end(kVariables);
    if (part.empty() || (is_variable && !is_known)) return false;
  }
  return true;
}

std::optional<MappingRule> RuleOf(absl::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(text, ':');
  if (parts.size() < 3 || parts[1].empty() || parts[2].empty()) return std::nullopt;
  MappingRule rule{.matches = parts[1], .place = parts[2]};
  if (parts[0] == "g") {
    rule.source = MappingSource::kGroup;
  } else if (parts[0] == "a") {
    rule.source = MappingSource::kApplication;
  } else if (parts[0] != "u") {
    return std::nullopt;
  }
  const bool is_all =
      rule.matches == "*" || rule.matches == "%user" || rule.matches == "%application";
  if (is_all) rule.matches.clear();
  rule.rejects = rule.place == "%reject";
  if (rule.place.starts_with(kSetDefault)) {
    rule.sets_default = true;
    rule.place.erase(0, kSetDefault.size());
  }
  if (!rule.rejects && !IsPlace(rule.place)) return std::nullopt;
  for (size_t i = 3; i < parts.size(); ++i) {
    const bool has_fallback = rule.fallback != MappingFallback::kDefault;
    if (parts[i] == "existing" && rule.may_create) {
      rule.may_create = false;
    } else if (parts[i] == "skip" && !has_fallback) {
      rule.fallback = MappingFallback::kSkip;
    } else if (parts[i] == "reject" && !has_fallback) {
      rule.fallback = MappingFallback::kReject;
    } else {
      return std::nullopt;
    }
  }
  return rule;
}

bool IsMatched(const MappingRule& rule, const Submission& submission) {
  if (rule.matches.empty()) return true;
  switch (rule.source) {
    case MappingSource::kUser:
      return rule.matches == submission.user;
    case MappingSource::kGroup:
      return std::ranges::find(submission.groups, rule.matches) != submission.groups.end();
    case MappingSource::kApplication:
      return rule.matches == submission.application;
  }
  return false;
}

// Puts values in the place of variables.
class Substitution {
 public:
  Substitution(const Submission& submission, const HasPlace& has)
      : submission_(submission), has_(has) {}

  void SetDefault(const std::string& place) { default_ = Place(place); }
  const std::string& default_place() const { return default_; }

  // Empty: a variable has no value.
  std::string Place(const std::string& pattern) const {
    std::string path;
    for (const absl::string_view part : absl::StrSplit(pattern, '.')) {
      const std::string value = ValueOf(std::string(part), path);
      if (value.empty()) return "";
      absl::StrAppend(&path, path.empty() ? "" : ".", value);
    }
    return path;
  }

 private:
  std::string ValueOf(const std::string& part, const std::string& above) const {
    const std::vector<std::string>& groups = submission_.groups;
    if (part == "%user") return CleanName(submission_.user);
    if (part == "%application") return submission_.application;
    if (part == "%specified") return submission_.queue;
    if (part == "%default") return default_;
    if (part == "%primary_group") return groups.empty() ? "" : CleanName(groups.front());
    if (part != "%secondary_group") return part;
    for (size_t i = 1; i < groups.size(); ++i) {
      const std::string name = CleanName(groups[i]);
      if (has_(absl::StrCat(above, above.empty() ? "" : ".", name))) return name;
    }
    return "";
  }

  const Submission& submission_;
  const HasPlace& has_;
  std::string default_ = "root.default";
};

}  // namespace

std::optional<std::vector<MappingRule>> MappingRulesOf(std::string_view text) {
  std::vector<MappingRule> rules;
  for (const absl::string_view part : absl::StrSplit(ToAbsl(text), ',')) {
    const absl::string_view one = absl::StripAsciiWhitespace(part);
    if (one.empty()) continue;
    std::optional<MappingRule> rule = RuleOf(one);
    if (!rule) return std::nullopt;
    rules.push_back(*std::move(rule));
  }
  return rules;
}

MappedTo MapByRules(const std::vector<MappingRule>& rules, const Submission& submission,
                    const ResolvePlace& resolve, const HasPlace& has) {
  Substitution substitution(submission, has);
  for (const MappingRule& rule : rules) {
    if (!IsMatched(rule, submission)) continue;
    if (rule.rejects) return {.is_refused = true};
    if (rule.sets_default) {
      substitution.SetDefault(rule.place);
      continue;
    }
    const std::string place = substitution.Place(rule.place);
    std::string path = place.empty() ? "" : resolve(place, rule.may_create);
    if (!path.empty()) return {.path = std::move(path)};
    if (rule.fallback == MappingFallback::kSkip) continue;
    if (rule.fallback == MappingFallback::kDefault) {
      path = resolve(substitution.default_place(), false);
    }
    return {.path = path, .is_refused = path.empty()};
  }
  return {};
}

}  // namespace muster::yarn
