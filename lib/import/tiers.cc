// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/tiers.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/comma_list.h"

namespace muster {
namespace {

// Actions that read a switch of allocate's, whether allocate runs or not.
bool IsGangAction(std::string_view action) {
  return action == "gangpreempt" || action == "gangreclaim";
}

std::vector<Field> ListOf(const Field& holder, std::string_view key) {
  const Field list = holder[key];
  if (list.given() && list.kind() != JsonKind::kArray) list.RefuseKind("an array");
  return list.given() && list.kind() == JsonKind::kArray ? list.Children() : std::vector<Field>();
}

std::vector<std::string> ReadActions(const Field& configuration) {
  const Field actions = configuration["actions"];
  if (actions.given() && actions.kind() == JsonKind::kString) {
    return CommaList(actions.AsText());
  }
  return configuration.Texts("actions");
}

// The configuration of each action, and whether the action was requested.
struct ActionArguments {
  std::string action;
  Field name, arguments;
  bool taken = false;
};

std::vector<ActionArguments> ReadConfigurations(const Field& configuration) {
  std::vector<ActionArguments> out;
  for (const Field& entry : ListOf(configuration, "configurations")) {
    if (entry.kind() != JsonKind::kObject) {
      entry.RefuseKind("an object");
      continue;
    }
    const Field name = entry["name"];
    std::string action = name.ScalarText();
    const auto twin = std::find_if(out.begin(), out.end(),
                                   [&](const auto& other) { return other.action == action; });
    if (twin != out.end()) {
      twin->arguments = entry.Section("arguments");  // the last one counts
    } else {
      out.push_back({std::move(action), name, entry.Section("arguments")});
    }
  }
  return out;
}

bool IsOff(const Field& value) { return value.exists() && !ReadSwitch(value); }

std::string ReadAction(const std::string& action, const Field& arguments, bool error_cache) {
  ProfileOptions options;
  const bool of_gangs = IsGangAction(action);
  if (of_gangs && !error_cache) options.Set("error_cache", "off");
  for (const Field& value : arguments.Children()) {
    const std::string_view key = value.key();
    if (action == "preempt" && key == "enableTopologyAwarePreemption") {
      if (ReadSwitch(value)) options.Set("topology_aware", "on");
    } else if ((action == "preempt" || action == "allocate") &&
               key == "predicateErrorCacheEnable") {
      if (IsOff(value)) options.Set("error_cache", "off");
    } else if (of_gangs && key == "allowWholeBundle") {
      if (IsOff(value)) options.Set("whole_gangs", "off");
    } else if (key != "topologyAwarePreemptWorkerNum") {
      value.Ignored("not considered");
    }
  }
  return absl::StrCat(action == "enqueue" ? "admit" : action, options.Text());
}

// actions=..., or nothing where none are named.
std::string ReadActionsPart(const Field& configuration) {
  std::vector<ActionArguments> all = ReadConfigurations(configuration);
  bool error_cache = true;
  for (const ActionArguments& entry : all) {
    if (entry.action == "allocate") {
      error_cache = !IsOff(entry.arguments["predicateErrorCacheEnable"]);
    }
  }
  std::string part;
  for (const std::string& action : ReadActions(configuration)) {
    Field arguments = configuration[""];  // none
    for (ActionArguments& entry : all) {
      if (entry.action != action || entry.taken) continue;
      arguments = entry.arguments;
      entry.taken = true;
    }
    absl::StrAppend(&part, part.empty() ? "actions=" : "+",
                    ReadAction(action, arguments, error_cache));
  }
  for (const ActionArguments& entry : all) {
    if (entry.taken) continue;
    const Field& unused = entry.arguments.truthy() ? entry.arguments : entry.name;
    unused.Ignored("the action does not run");
  }
  return part;
}

std::string ReadPlugin(const Field& plugin, const TierRules& rules, bool unset_on) {
  const std::string name = plugin.Text("name");
  if (plugin.kind() != JsonKind::kObject || name.empty()) {
    plugin["name"].Refuse("missing; each plugin has a name");
    return "";
  }
  std::vector<std::string_view> off;
  for (const SwitchRule& rule : rules.switches) {
    const Field value = plugin[rule.name];
    if (rule.point.empty() || (value.exists() ? ReadSwitch(value) : unset_on)) continue;
    off.push_back(rule.point);
  }
  ProfileOptions options;
  for (const OptionRule& rule : rules.options) {
    if (rule.policy == name && rule.option == "without") off.push_back(rule.value);
    if (rule.policy == name && rule.option != "without") options.Set(rule.option, rule.value);
  }
  ReadArguments(name, plugin.Section("arguments"), &options);
  const auto is_off = [&](std::string_view point) {
    return std::find(off.begin(), off.end(), point) != off.end();
  };
  if (name == rules.trial_policy && is_off("preemptable") && is_off("allocatable")) {
    options.Set("trial_evictions", "off");
  }
  std::string without;
  for (std::string_view point : off) {
    absl::StrAppend(&without, without.empty() ? "" : "|", ToAbsl(point));
  }
  if (!without.empty()) options.Set("without", without);
  const Field hierarchy = plugin["enableHierarchy"];
  if ((name == "drf" || name == "nodegroup" || name == "capacity") && hierarchy.exists() &&
      ReadSwitch(hierarchy)) {
    options.Set("hierarchy", "on");
  }
  return absl::StrCat(name, options.Text());
}

std::string ReadTiersPart(const Field& configuration, const TierRules& rules, bool unset_on) {
  std::string part;
  for (const Field& tier : ListOf(configuration, "tiers")) {
    if (tier.kind() != JsonKind::kObject) tier.RefuseKind("an object");
    std::string policies;
    for (const Field& plugin : ListOf(tier, "plugins")) {
      absl::StrAppend(&policies, policies.empty() ? "" : "+", ReadPlugin(plugin, rules, unset_on));
    }
    if (!policies.empty()) absl::StrAppend(&part, part.empty() ? "tiers=" : "/", policies);
  }
  return part;
}

}  // namespace

void ProfileOptions::Set(std::string_view name, std::string_view value) {
  for (auto& [known, old] : options_) {
    if (known != name) continue;
    old = value;
    return;
  }
  options_.emplace_back(name, value);
}

std::string ProfileOptions::Text() const {
  std::string text;
  for (const auto& [name, value] : options_) {
    absl::StrAppend(&text, text.empty() ? "(" : ",", name, "=", value);
  }
  return text.empty() ? text : text + ")";
}

bool ReadSwitch(const Field& value) {
  if (value.given() && value.kind() == JsonKind::kBool) return value.json().boolean();
  const std::string text = value.ScalarText();
  if (absl::EqualsIgnoreCase(text, "true")) return true;
  if (!absl::EqualsIgnoreCase(text, "false")) value.RefuseKind("true or false");
  return false;
}

bool HasPluginWith(const Field& configuration, std::string_view plugin, std::string_view name) {
  for (const Field& tier : ListOf(configuration, "tiers")) {
    for (const Field& entry : ListOf(tier, "plugins")) {
      const Field value = entry[name];
      if (entry["name"].Is(plugin) && value.exists() && ReadSwitch(value)) return true;
    }
  }
  return false;
}

std::string ReadProfile(const Field& configuration, const TierRules& rules, bool unset_on) {
  std::string profile(rules.profile);
  if (!configuration.given()) return profile;
  if (configuration.kind() != JsonKind::kObject) {
    configuration.Refuse("expected an object with actions and tiers");
    return profile;
  }
  // Where loads are measured is no rule of scheduling.
  configuration.Quiet({"metrics"});
  for (const std::string_view key : {"actions", "tiers"}) {
    const Field value = configuration[key];
    if (value.given() && !value.truthy()) value.Ignored("empty; those of the profile stand for it");
  }
  const std::string actions = ReadActionsPart(configuration);
  const std::string tiers = ReadTiersPart(configuration, rules, unset_on);
  absl::StrAppend(&profile, actions.empty() && tiers.empty() ? "" : ":", actions,
                  actions.empty() || tiers.empty() ? "" : ",", tiers);
  return profile;
}

}  // namespace muster
