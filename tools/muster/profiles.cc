// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster profiles: what --profile accepts.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "lib/base/strings.h"
#include "lib/plan/json_text.h"
#include "lib/profile/profile.h"
#include "muster/action.h"
#include "muster/policy.h"
#include "tools/muster/command.h"
#include "tools/muster/load.h"
#include "tools/muster/output.h"

namespace muster {
namespace {

constexpr CommandText kProfilesText = {
    "profiles", "profiles [PROFILE...] [flags]",
    "Lists the profiles with their tiers and the actions they may take, and all policies with "
    "their options and defaults. With names: these profiles, and their policies with the values "
    "that each profile has. A profile may be changed where it is named: "
    "NAME:-reclaim,+preempt,binpack(weight=5).",
    "muster profiles volcano:+preempt"};

// A profile with what it sets.
struct Shown {
  ProfileInfo info;
  ProfileConfig config;
};

std::vector<OptionInfo> InfosOf(std::span<const OptionDecl> options) {
  std::vector<OptionInfo> infos;
  for (const OptionDecl& option : options) {
    infos.push_back(
        {std::string(option.name), std::string(option.default_value), std::string(option.help)});
  }
  return infos;
}

// All policies, by name: those of the library and those of --load, which may be null.
std::vector<PolicyInfo> AllPolicies(const Extensions* loaded) {
  std::vector<PolicyInfo> policies = Policies();
  if (loaded == nullptr) return policies;
  for (const PolicyDecl& decl : loaded->policies) {
    policies.push_back(
        {std::string(decl.name), std::string(decl.summary), InfosOf(decl.options), decl.revision});
  }
  absl::c_sort(policies, [](const auto& a, const auto& b) { return a.name < b.name; });
  return policies;
}

// Adds the actions of --load to those that the profile may take: each profile may.
void AddLoaded(const Extensions* loaded, ProfileInfo* info) {
  if (loaded == nullptr) return;
  for (const CustomAction& action : loaded->actions) {
    info->catalogue.push_back(
        {std::string(action.name), std::string(action.summary), InfosOf(action.options)});
  }
}

std::vector<Shown> AllShown(const Extensions* loaded) {
  std::vector<Shown> shown;
  for (ProfileInfo& info : Profiles()) {
    absl::StatusOr<ProfileConfig> config = ResolveProfile(info.name);
    if (!config.ok()) continue;
    AddLoaded(loaded, &info);
    shown.push_back({std::move(info), *std::move(config)});
  }
  return shown;
}

// Returns the profile of a spec string, by that name.
absl::StatusOr<Shown> ShownOf(const std::string& spec, const Extensions* loaded) {
  absl::StatusOr<ProfileConfig> config = ResolveProfile(spec, loaded);
  if (!config.ok()) return config.status();
  Shown shown;
  for (ProfileInfo& info : Profiles()) {
    if (info.name == spec.substr(0, spec.find(':'))) shown.info = std::move(info);
  }
  shown.info.name = spec;
  shown.info.actions.clear();
  shown.info.tiers.clear();
  for (const ConfiguredAction& action : config->actions) {
    shown.info.actions.emplace_back(action.decl.name);
  }
  for (const auto& tier : config->tiers) {
    shown.info.tiers.emplace_back();
    for (const ConfiguredPolicy& policy : tier) {
      shown.info.tiers.back().emplace_back(policy.decl.name);
    }
  }
  AddLoaded(loaded, &shown.info);
  shown.config = *std::move(config);
  return shown;
}

// What the profile sets of a policy, as a spec string would: options, and the points at which the
// policy does not answer.
OptionValues ValuesOf(const ConfiguredPolicy& policy) {
  OptionValues values = policy.options.given();
  const PointSet all = policy.decl.make(policy.options)->points();
  std::string without;
  for (int p = 0; p < kPointCount; ++p) {
    const Point point = static_cast<Point>(p);
    if (!all.has(point) || policy.points.has(point)) continue;
    absl::StrAppend(&without, without.empty() ? "" : "|", ToAbsl(PointName(point)));
  }
  if (!without.empty()) values.emplace_back("without", without);
  return values;
}

// Returns the policy or action as actions= and tiers= take it: "gang(sub_groups=off)".
std::string Mention(std::string_view name, const OptionValues& values) {
  if (values.empty()) return std::string(name);
  return absl::StrCat(ToAbsl(name), "(", absl::StrJoin(values, ",", absl::PairFormatter("=")), ")");
}

// One line for each option: with the value that is given and the default, or with the default.
void AppendOptions(const std::vector<OptionInfo>& options, const OptionValues& values,
                   std::string* out) {
  for (const OptionInfo& option : options) {
    const auto given =
        absl::c_find_if(values, [&](const auto& v) { return v.first == option.name; });
    const bool set = given != values.end();
    absl::StrAppend(out, "      ", option.name, "=", set ? given->second : option.default_value,
                    "  ", option.help);
    if (set) absl::StrAppend(out, " (default ", option.default_value, ")");
    out->push_back('\n');
  }
}

void AppendPolicy(const PolicyInfo& policy, const OptionValues& values, std::string* out) {
  absl::StrAppend(out, "  ", policy.name, "  ", policy.summary, "\n      revision ",
                  policy.revision, "\n");
  AppendOptions(policy.options, values, out);
}

void AppendProfile(const Shown& shown, std::string* out) {
  const auto& [info, config] = shown;
  absl::StrAppend(out, "  ", info.name, "\n    ", info.summary, "\n");
  const auto append = [&](std::string_view head, const auto& all, const auto& values_of) {
    std::vector<std::string> mentions;
    for (const auto& one : all) mentions.push_back(Mention(one.decl.name, values_of(one)));
    absl::StrAppend(out, "    ", ToAbsl(head), ": ", absl::StrJoin(mentions, ", "), "\n");
  };
  append("actions", config.actions,
         [](const ConfiguredAction& action) { return action.options.given(); });
  for (const auto& tier : config.tiers) append("tier", tier, ValuesOf);
  absl::StrAppend(out, "    may take\n");
  for (const ActionInfo& action : info.catalogue) {
    absl::StrAppend(out, "    ", action.name, "  ", action.summary, "\n");
    const auto runs = absl::c_find_if(
        config.actions, [&](const ConfiguredAction& a) { return a.decl.name == action.name; });
    AppendOptions(action.options,
                  runs == config.actions.end() ? OptionValues() : runs->options.given(), out);
  }
}

const PolicyInfo& InfoOf(const std::vector<PolicyInfo>& policies, std::string_view name) {
  return *absl::c_find_if(policies, [&](const PolicyInfo& p) { return p.name == name; });
}

// `named`: the policies of each profile follow with its own values, otherwise all policies with
// their defaults.
std::string Text(const std::vector<Shown>& profiles, const std::vector<PolicyInfo>& policies,
                 bool named) {
  std::string out = "profiles\n";
  for (const Shown& shown : profiles) AppendProfile(shown, &out);
  if (!named) {
    out.append("policies\n");
    for (const PolicyInfo& policy : policies) AppendPolicy(policy, {}, &out);
    return out;
  }
  for (const Shown& shown : profiles) {
    absl::StrAppend(&out, "policies of ", shown.info.name, "\n");
    for (const auto& tier : shown.config.tiers) {
      for (const ConfiguredPolicy& policy : tier) {
        AppendPolicy(InfoOf(policies, policy.decl.name), ValuesOf(policy), &out);
      }
    }
  }
  return out;
}

// The policies of the profiles' tiers, by name; all where no profile was named.
std::vector<PolicyInfo> PoliciesOf(const std::vector<Shown>& profiles,
                                   std::vector<PolicyInfo> policies, bool named) {
  std::erase_if(policies, [&](const PolicyInfo& policy) {
    return named && absl::c_none_of(profiles, [&](const Shown& shown) {
             return absl::c_any_of(shown.info.tiers, [&](const std::vector<std::string>& tier) {
               return absl::c_linear_search(tier, policy.name);
             });
           });
  });
  return policies;
}

void AppendList(const std::vector<std::string>& words, std::string* out) {
  out->push_back('[');
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out->append(", ");
    AppendJson(words[i], out);
  }
  out->push_back(']');
}

// "key": "value" pairs of texts, behind an opening brace.
void AppendPairs(std::initializer_list<std::pair<std::string_view, std::string_view>> pairs,
                 std::string* out) {
  bool first = true;
  for (const auto& [key, value] : pairs) {
    if (!first) out->append(", ");
    first = false;
    AppendJson(key, out);
    out->append(": ");
    AppendJson(value, out);
  }
}

// {"name", "summary", "options": [...]} of an action or a policy, and a policy's revision.
template <class Info>
void AppendInfos(const std::vector<Info>& infos, std::string_view indent, std::string* out) {
  for (size_t i = 0; i < infos.size(); ++i) {
    absl::StrAppend(out, i > 0 ? "," : "", "\n", ToAbsl(indent), "{");
    AppendPairs({{"name", infos[i].name}, {"summary", infos[i].summary}}, out);
    if constexpr (std::is_same_v<Info, PolicyInfo>) {
      absl::StrAppend(out, ", \"revision\": ", infos[i].revision);
    }
    out->append(", \"options\": [");
    for (size_t k = 0; k < infos[i].options.size(); ++k) {
      const OptionInfo& option = infos[i].options[k];
      out->append(k > 0 ? ", {" : "{");
      AppendPairs({{"name", option.name}, {"default", option.default_value}, {"help", option.help}},
                  out);
      out->push_back('}');
    }
    out->append("]}");
  }
}

// {"gang": {"sub_groups": "off"}}: the policies and actions of which the profile sets options.
void AppendValues(const ProfileConfig& config, std::string* out) {
  bool first = true;
  const auto append = [&](std::string_view name, const OptionValues& values) {
    if (values.empty()) return;
    out->append(first ? "" : ", ");
    first = false;
    AppendJson(name, out);
    out->append(": {");
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out->append(", ");
      AppendPairs({{values[i].first, values[i].second}}, out);
    }
    out->push_back('}');
  };
  out->push_back('{');
  for (const ConfiguredAction& action : config.actions) {
    append(action.decl.name, action.options.given());
  }
  for (const auto& tier : config.tiers) {
    for (const ConfiguredPolicy& policy : tier) append(policy.decl.name, ValuesOf(policy));
  }
  out->push_back('}');
}

std::string ToJson(const std::vector<Shown>& profiles, const std::vector<PolicyInfo>& policies,
                   bool named) {
  std::string out = "{\n  \"profiles\": [";
  bool first = true;
  for (const auto& [profile, config] : profiles) {
    out.append(first ? "\n    {" : ",\n    {");
    first = false;
    AppendPairs({{"name", profile.name}, {"summary", profile.summary}}, &out);
    out.append(", \"actions\": ");
    AppendList(profile.actions, &out);
    out.append(", \"tiers\": [");
    for (size_t i = 0; i < profile.tiers.size(); ++i) {
      if (i > 0) out.append(", ");
      AppendList(profile.tiers[i], &out);
    }
    out.append("], \"values\": ");
    AppendValues(config, &out);
    out.append(", \"catalogue\": [");
    AppendInfos(profile.catalogue, "      ", &out);
    out.append("]}");
  }
  out.append("\n  ],\n  \"policies\": [");
  AppendInfos(PoliciesOf(profiles, policies, named), "    ", &out);
  out.append("\n  ]\n}\n");
  return out;
}

}  // namespace

int ProfilesCommand(const Arguments& arguments) {
  FlagSet flags;
  LoadFlag load;
  load.Declare(&flags);
  const Parsed parsed = ParseArguments(kProfilesText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  const absl::StatusOr<std::shared_ptr<const Extensions>> opened = load.Open();
  if (!opened.ok()) {
    return ComplainUsage(kProfilesText, std::string(opened.status().message()));
  }
  const Extensions* loaded = opened->get();
  const bool named = !parsed.others.empty();
  std::vector<Shown> profiles = named ? std::vector<Shown>() : AllShown(loaded);
  for (const std::string& spec : parsed.others) {
    absl::StatusOr<Shown> shown = ShownOf(spec, loaded);
    if (!shown.ok()) {
      const std::string words(absl::StripPrefix(shown.status().message(), "profile: "));
      return ComplainUsage(kProfilesText, words);
    }
    profiles.push_back(*std::move(shown));
  }
  const std::vector<PolicyInfo> policies = AllPolicies(loaded);
  return Show([&] { return Text(profiles, policies, named); },
              [&] { return ToJson(profiles, policies, named); }, {"profiles", "policies"});
}

}  // namespace muster
