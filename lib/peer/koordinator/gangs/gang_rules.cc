// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Marks of gangs with their defaults.
#include "lib/peer/koordinator/gangs/gang_rules.h"

#include <algorithm>

#include "absl/strings/str_join.h"

namespace muster::koordinator {

MatchPolicy MatchPolicyByName(std::string_view name) {
  if (name == "only-waiting") return MatchPolicy::kOnlyWaiting;
  if (name == "waiting-and-running") return MatchPolicy::kWaitingAndRunning;
  return name == "once-satisfied" ? MatchPolicy::kOnceSatisfied : MatchPolicy::kUnset;
}

GangRules RulesOf(const GangMarks& marks, const std::string& gang, const GangDefaults& defaults) {
  GangRules rules{.least = marks.least.value_or(0)};
  rules.total = std::max(marks.total.value_or(0), rules.least);
  rules.is_strict = marks.mode != "NonStrict";
  rules.policy = MatchPolicyByName(marks.policy);
  if (rules.policy == MatchPolicy::kUnset) rules.policy = defaults.policy;
  rules.wait = marks.wait.value_or(0) > 0 ? *marks.wait : defaults.wait;
  rules.group = marks.group;
  if (rules.group.empty()) rules.group.push_back(gang);
  std::sort(rules.group.begin(), rules.group.end());
  return rules;
}

std::string GroupName(std::vector<std::string> gangs) {
  std::sort(gangs.begin(), gangs.end());
  return absl::StrJoin(gangs, ",");
}

}  // namespace muster::koordinator
