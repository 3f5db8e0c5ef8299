// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tools/muster/spec_candidates.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "muster/schedule.h"

namespace muster {
namespace {

void AddWord(std::string_view head, std::string_view word, std::string_view summary,
             std::string* out) {
  absl::StrAppend(out, ToAbsl(head), ToAbsl(word), "\t", ToAbsl(summary), "\n");
}

// The items that may follow, with `head` in front of each.
std::string ItemsOf(const ProfileInfo& profile, std::string_view head) {
  std::string out;
  const auto add = [&](const std::string& name, const std::string& summary, bool there,
                       bool has_options) {
    AddWord(head, absl::StrCat(there ? "-" : "+", name), summary, &out);
    if (there && has_options) AddWord(head, name + "(", summary, &out);
  };
  for (const PolicyInfo& policy : Policies()) {
    const bool there = std::any_of(profile.tiers.begin(), profile.tiers.end(), [&](const auto& t) {
      return std::find(t.begin(), t.end(), policy.name) != t.end();
    });
    add(policy.name, policy.summary, there, true);  // each has `without`
  }
  for (const ActionInfo& action : profile.catalogue) {
    const auto& runs = profile.actions;
    const bool there = std::find(runs.begin(), runs.end(), action.name) != runs.end();
    add(action.name, action.summary, there, !action.options.empty());
  }
  AddWord(head, "actions=", "these actions, in this order", &out);
  AddWord(head, "tiers=", "these policies, with / between tiers", &out);
  AddWord(head, "lone_tasks=", "tasks without a job are jobs of one in that queue", &out);
  for (const std::string_view kind : {"queue", "job", "node"}) {
    for (const std::string_view rule : {"insertion", "name", "seed", "least-recent"}) {
      AddWord(head, absl::StrCat(ToAbsl(kind), "_ties=", ToAbsl(rule)), "the rule for ties", &out);
    }
  }
  return out;
}

// The options of the policy or action of that name.
std::string OptionsOf(const ProfileInfo& profile, std::string_view name, std::string_view head) {
  std::string out;
  const auto add = [&](const auto& infos) {
    for (const auto& info : infos) {
      if (info.name != name || !out.empty()) continue;
      for (const OptionInfo& option : info.options) {
        AddWord(head, absl::StrCat(option.name, "=", option.default_value), option.help, &out);
      }
    }
  };
  add(profile.catalogue);
  add(Policies());
  return out;
}

}  // namespace

std::string SpecCandidates(const std::string& spec) {
  const size_t colon = spec.find(':');
  const std::vector<ProfileInfo> profiles = Profiles();
  std::string out;
  if (colon == spec.npos) {
    for (const ProfileInfo& profile : profiles) AddWord("", profile.name, profile.summary, &out);
    return out;
  }
  const auto profile = std::find_if(profiles.begin(), profiles.end(), [&](const ProfileInfo& p) {
    return p.name == std::string_view(spec).substr(0, colon);
  });
  if (profile == profiles.end()) return "";
  const size_t open = spec.rfind('(');
  if (open != spec.npos && spec.find(')', open) == spec.npos) {
    const size_t begin = spec.find_last_of(":,+-=/", open) + 1;
    const size_t last = spec.find_last_of("(,") + 1;
    return OptionsOf(*profile, std::string_view(spec).substr(begin, open - begin),
                     std::string_view(spec).substr(0, last));
  }
  const size_t item = spec.find_last_of(":,") + 1;
  const bool actions = spec.compare(item, 8, "actions=") == 0;
  if (!actions && spec.compare(item, 6, "tiers=") != 0)
    return ItemsOf(*profile, spec.substr(0, item));
  const std::string head = spec.substr(0, spec.find_last_of("=+/") + 1);
  if (actions) {
    for (const ActionInfo& one : profile->catalogue) AddWord(head, one.name, one.summary, &out);
  } else {
    for (const PolicyInfo& one : Policies()) AddWord(head, one.name, one.summary, &out);
  }
  return out;
}

}  // namespace muster
