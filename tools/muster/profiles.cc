// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster profiles: what can be said to --profile.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/plan/json_text.h"
#include "tools/muster/command.h"

namespace muster {
namespace {

constexpr CommandText kText = {
    "profiles", "profiles [flags]",
    "Lists the profiles with their actions and tiers, and the policies with their options and "
    "defaults. A profile\n"
    "may be changed where it is named: NAME:-reclaim,+preempt,binpack(weight=5).",
    "muster profiles --json"};

std::string Text() {
  std::string out = "profiles\n";
  for (const ProfileInfo& profile : Profiles()) {
    absl::StrAppend(&out, "  ", profile.name, "\n    ", profile.summary, "\n");
    absl::StrAppend(&out, "    actions: ", absl::StrJoin(profile.actions, ", "), "\n");
    for (const std::vector<std::string>& tier : profile.tiers) {
      absl::StrAppend(&out, "    tier: ", absl::StrJoin(tier, ", "), "\n");
    }
  }
  absl::StrAppend(&out, "policies\n");
  for (const PolicyInfo& policy : Policies()) {
    absl::StrAppend(&out, "  ", policy.name, "\n");
    for (const OptionInfo& option : policy.options) {
      absl::StrAppend(&out, "    ", option.name, "=", option.default_value, "  ", option.help,
                      "\n");
    }
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

std::string ToJson() {
  std::string out = "{\n  \"profiles\": [";
  bool first = true;
  for (const ProfileInfo& profile : Profiles()) {
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
    out.append("]}");
  }
  out.append("\n  ],\n  \"policies\": [");
  first = true;
  for (const PolicyInfo& policy : Policies()) {
    out.append(first ? "\n    {" : ",\n    {");
    first = false;
    AppendPairs({{"name", policy.name}}, &out);
    out.append(", \"options\": [");
    for (size_t i = 0; i < policy.options.size(); ++i) {
      const OptionInfo& option = policy.options[i];
      out.append(i > 0 ? ", {" : "{");
      AppendPairs({{"name", option.name}, {"default", option.default_value}, {"help", option.help}},
                  &out);
      out.push_back('}');
    }
    out.append("]}");
  }
  out.append("\n  ]\n}\n");
  return out;
}

}  // namespace

int ProfilesCommand(const Arguments& arguments) {
  bool json = false;
  FlagSet flags;
  flags.Switch("--json", &json, "for programs");
  const Parsed parsed = ParseArguments(kText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (!parsed.others.empty())
    return ComplainUsage(kText, absl::StrCat("unexpected ", parsed.others[0]));
  return Print(json ? ToJson() : Text());
}

}  // namespace muster
