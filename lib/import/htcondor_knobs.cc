// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/htcondor_knobs.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr absl::string_view kGroupNames = "GROUP_NAMES";

// Knobs that are options of the profile, and expressions that are settings of the pool.
constexpr std::pair<std::string_view, std::string_view> kOptionKnobs[] = {
    {"PRIORITY_HALFLIFE", "half_life"},
    {"DEFAULT_PRIO_FACTOR", "default_factor"},
    {"NICE_USER_PRIO_FACTOR", "nice_factor"},
    {"REMOTE_PRIO_FACTOR", "remote_factor"},
    {"ACCOUNTANT_LOCAL_DOMAIN", "local_domain"},
    {"UID_DOMAIN", "domain"},
    {"NEGOTIATOR_CONSIDER_PREEMPTION", "preemption"},
    {"NEGOTIATOR_CONSIDER_EARLY_PREEMPTION", "early_preemption"},
    {"NEGOTIATOR_USE_SLOT_WEIGHTS", "slot_weights"},
    {"NEGOTIATOR_USE_WEIGHTED_DEMAND", "weighted_demand"},
    {"NEGOTIATOR_MATCHLIST_CACHING", "match_lists"},
    {"NEGOTIATOR_IGNORE_USER_PRIORITIES", "ignore_priorities"},
    {"CONSUMPTION_POLICY", "consumption"},
    {"GROUP_ACCEPT_SURPLUS", "accept_surplus"},
    {"GROUP_AUTOREGROUP", "autoregroup"},
    {"NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", "oversubscription"},
    {"NEGOTIATOR_STRICT_ENFORCE_QUOTA", "strict_quota"},
    {"GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", "allocation_rounds"},
    {"GROUP_QUOTA_ROUND_ROBIN_RATE", "round_robin_rate"}};
constexpr std::string_view kStart = "START";
constexpr std::string_view kExpressionKnobs[] = {kStart,
                                                 "RANK",
                                                 "SLOT_WEIGHT",
                                                 "PREEMPTION_REQUIREMENTS",
                                                 "PREEMPTION_RANK",
                                                 "NEGOTIATOR_PRE_JOB_RANK",
                                                 "NEGOTIATOR_POST_JOB_RANK",
                                                 "GROUP_SORT_EXPR"};
// Begins knobs such as CONSUMPTION_CPUS: what a slot gives of a resource to a job.
constexpr absl::string_view kConsumptionKnob = "CONSUMPTION_";
// Knobs that would decide something, with what stands for them.
struct UnreadKnob {
  std::string_view key, usual, text;
};
constexpr UnreadKnob kUnreadKnobs[] = {
    {"NEGOTIATOR_IGNORE_JOB_RANKS", "off", "is not considered: ranks of jobs count"},
    {"NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT", "on",
     "is not considered: all slots count in the size of the pool"}};
constexpr std::pair<std::string_view, std::string_view> kGroupKnobs[] = {
    {"GROUP_QUOTA_DYNAMIC_", "quota_dynamic"},
    {"GROUP_QUOTA_", "quota"},
    {"GROUP_ACCEPT_SURPLUS_", "accept_surplus"},
    {"GROUP_AUTOREGROUP_", "autoregroup"},
    {"GROUP_PRIO_FACTOR_", "prio_factor"}};

class KnobReader {
 public:
  explicit KnobReader(AdReader* ads) : ads_(ads) {}

  CondorKnobs Read(const Field& knobs) {
    std::string options;
    for (const Field& knob : knobs.Children()) {
      if (absl::EqualsIgnoreCase(ToAbsl(knob.key()), kGroupNames)) ReadGroupNames(knob);
    }
    for (const Field& knob : knobs.Children()) {
      const std::string key = absl::AsciiStrToUpper(ToAbsl(knob.key()));
      const auto option =
          std::ranges::find(kOptionKnobs, key, [](const auto& k) { return k.first; });
      if (option != std::end(kOptionKnobs)) {
        absl::StrAppend(&options, options.empty() ? "" : ",", ToAbsl(option->second), "=",
                        KnobText(knob));
        if (option->second == "consumption") out_.divides_slots = KnobText(knob) == "on";
      } else if (!ReadPoolKnob(key, knob) && !ReadGroupKnob(key, knob)) {
        knob.Ignored("this knob decides nothing here, or is not read");
      }
    }
    if (!limits_.empty()) out_.pool.emplace_back(CondorSetting("concurrency_limits"), limits_);
    if (!options.empty()) out_.profile = absl::StrCat("htcondor:negotiate(", options, ")");
    return std::move(out_);
  }

 private:
  static std::string KnobText(const Field& knob) {
    if (knob.kind() == JsonKind::kBool) return knob.truthy() ? "on" : "off";
    std::string text = knob.ScalarText();
    const std::string lower = absl::AsciiStrToLower(text);
    return lower == "true" ? "on" : lower == "false" ? "off" : text;
  }

  bool ReadPoolKnob(const std::string& key, const Field& knob) {
    if (std::ranges::find(kExpressionKnobs, key) != std::end(kExpressionKnobs)) {
      ReadExpressionKnob(key, knob);
      return true;
    }
    const auto* const unread = std::ranges::find(kUnreadKnobs, key, &UnreadKnob::key);
    if (unread != std::end(kUnreadKnobs)) {
      const std::string text = KnobText(knob);
      if (!text.empty() && text != unread->usual) knob.Ignored(unread->text);
      return true;
    }
    if (absl::StartsWith(key, kConsumptionKnob) && key.size() > kConsumptionKnob.size()) {
      ReadConsumptionKnob(key.substr(kConsumptionKnob.size()), knob);
      return true;
    }
    constexpr absl::string_view kDefault = "CONCURRENCY_LIMIT_DEFAULT", kLimit = "_LIMIT";
    const auto limit = [&](absl::string_view name, const char* scope) {
      absl::StrAppend(&limits_, limits_.empty() ? "" : ",", absl::AsciiStrToLower(name), scope, ":",
                      knob.ScalarText());
    };
    if (key == kDefault) {
      out_.pool.emplace_back(CondorSetting("concurrency_default"), knob.ScalarText());
    } else if (absl::StartsWith(key, kDefault) && key.size() > kDefault.size() + 1) {
      limit(key.substr(kDefault.size() + 1), ".*");
    } else if (absl::EndsWith(key, kLimit) && key.size() > kLimit.size()) {
      limit(key.substr(0, key.size() - kLimit.size()), "");
    } else {
      return false;
    }
    return true;
  }

  void ReadExpressionKnob(const std::string& key, const Field& knob) {
    std::string text = KnobExpression(knob);
    if (const absl::Status status = ads_->Note(text); !status.ok()) {
      if (key != kStart) return knob.Ignored(absl::StrCat("is not read: ", status.message()));
      knob.log()->LeftOut(
          knob.object(), knob.Path(),
          absl::StrCat("is not read: ", status.message(), "; no job starts on slots without one"));
      text = "false";
    }
    out_.pool.emplace_back(CondorSetting(key), std::move(text));
  }

  void ReadConsumptionKnob(const std::string& resource, const Field& knob) {
    std::string text = KnobExpression(knob);
    if (const absl::Status status = ads_->Note(text); !status.ok()) {
      knob.Ignored(
          absl::StrCat("is not read: ", status.message(), "; it is an error, so no job consumes"));
      text = "error";
    }
    out_.consumption.emplace_back(CondorSetting(absl::StrCat("+Consumption", resource)),
                                  std::move(text));
  }

  // A knob's text is an expression as it stands.
  static std::string KnobExpression(const Field& knob) {
    return knob.kind() == JsonKind::kBool ? (knob.truthy() ? "true" : "false") : knob.ScalarText();
  }

  void ReadGroupNames(const Field& knob) {
    for (const absl::string_view name :
         absl::StrSplit(knob.ScalarText(), absl::ByAnyChar(", "), absl::SkipEmpty())) {
      out_.groups.push_back(absl::AsciiStrToLower(name));
    }
  }

  // One that is named, or above one that is.
  bool IsGroup(std::string_view name) const {
    return std::ranges::any_of(out_.groups, [&](const std::string& known) {
      return known.starts_with(name) && (known.size() == name.size() || known[name.size()] == '.');
    });
  }

  // A rule of a group that is neither in GROUP_NAMES nor above one of it is none, as at the peer.
  bool ReadGroupKnob(const std::string& key, const Field& knob) {
    if (ToAbsl(key) == kGroupNames) return true;
    for (const auto& [prefix, setting] : kGroupKnobs) {
      if (!key.starts_with(prefix)) continue;
      std::string group = absl::AsciiStrToLower(key.substr(prefix.size()));
      if (!IsGroup(group)) continue;
      std::string text = KnobText(knob);
      if (text == "on" || text == "off") text = text == "on" ? "true" : "false";
      out_.group_settings.push_back({std::move(group), {CondorSetting(setting), std::move(text)}});
      return true;
    }
    return false;
  }

  AdReader* const ads_;
  CondorKnobs out_;
  std::string limits_;  // NAME:NUMBER,...
};

}  // namespace

std::string CondorSetting(std::string_view key) { return absl::StrCat("htcondor/", ToAbsl(key)); }

CondorKnobs ReadCondorKnobs(const Field& configuration, AdReader* ads) {
  return KnobReader(ads).Read(configuration);
}

}  // namespace muster
