// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster profiles: what --profile accepts.
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/plan/json_text.h"
#include "tools/muster/command.h"

namespace muster {
namespace {

constexpr CommandText kProfilesText = {
    "profiles", "profiles [NAME...] [flags]",
    "Lists the profiles (or those named) with their tiers and the actions they may take, and the "
    "policies with their\n"
    "options and defaults. A profile may be changed where it is named: "
    "NAME:-reclaim,+preempt,binpack(weight=5).",
    "muster profiles volcano"};

using Shown = std::vector<ProfileInfo>;

void AppendOptions(const std::vector<OptionInfo>& options, std::string* out) {
  for (const OptionInfo& option : options) {
    absl::StrAppend(out, "      ", option.name, "=", option.default_value, "  ", option.help, "\n");
  }
}

// The policies of the profiles' tiers; all where no profile was named.
std::vector<PolicyInfo> PoliciesOf(const Shown& profiles, bool all) {
  std::vector<PolicyInfo> policies = Policies();
  std::erase_if(policies, [&](const PolicyInfo& policy) {
    return !all && absl::c_none_of(profiles, [&](const ProfileInfo& profile) {
      return absl::c_any_of(profile.tiers, [&](const std::vector<std::string>& tier) {
        return absl::c_linear_search(tier, policy.name);
      });
    });
  });
  return policies;
}

std::string Text(const Shown& profiles, const std::vector<PolicyInfo>& policies) {
  std::string out = "profiles\n";
  for (const ProfileInfo& profile : profiles) {
    absl::StrAppend(&out, "  ", profile.name, "\n    ", profile.summary, "\n");
    absl::StrAppend(&out, "    actions: ", absl::StrJoin(profile.actions, ", "), "\n");
    for (const std::vector<std::string>& tier : profile.tiers) {
      absl::StrAppend(&out, "    tier: ", absl::StrJoin(tier, ", "), "\n");
    }
    absl::StrAppend(&out, "    may take\n");
    for (const ActionInfo& action : profile.catalogue) {
      absl::StrAppend(&out, "    ", action.name, "  ", action.summary, "\n");
      AppendOptions(action.options, &out);
    }
  }
  absl::StrAppend(&out, "policies\n");
  for (const PolicyInfo& policy : policies) {
    absl::StrAppend(&out, "  ", policy.name, "  ", policy.summary, "\n      revision ",
                    policy.revision, "\n");
    AppendOptions(policy.options, &out);
  }
  return out;
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

std::string ToJson(const Shown& profiles, const std::vector<PolicyInfo>& policies) {
  std::string out = "{\n  \"profiles\": [";
  bool first = true;
  for (const ProfileInfo& profile : profiles) {
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
    out.append("], \"catalogue\": [");
    AppendInfos(profile.catalogue, "      ", &out);
    out.append("]}");
  }
  out.append("\n  ],\n  \"policies\": [");
  AppendInfos(policies, "    ", &out);
  out.append("\n  ]\n}\n");
  return out;
}

}  // namespace

int ProfilesCommand(const Arguments& arguments) {
  bool json = false;
  FlagSet flags;
  flags.Switch("--json", &json, "for programs");
  const Parsed parsed = ParseArguments(kProfilesText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  Shown profiles = Profiles();
  if (!parsed.others.empty()) {
    std::vector<std::string> names;
    for (const ProfileInfo& profile : profiles) names.push_back(profile.name);
    for (const std::string& name : parsed.others) {
      if (absl::c_linear_search(names, name)) continue;
      return ComplainUsage(kProfilesText, absl::StrCat("unknown profile \"", name, "\"; there are ",
                                                       absl::StrJoin(names, ", ")));
    }
    std::erase_if(profiles, [&](const ProfileInfo& profile) {
      return !absl::c_linear_search(parsed.others, profile.name);
    });
  }
  const std::vector<PolicyInfo> policies = PoliciesOf(profiles, parsed.others.empty());
  return Print(json ? ToJson(profiles, policies) : Text(profiles, policies));
}

}  // namespace muster
