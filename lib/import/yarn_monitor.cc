// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The preemption monitor of the capacity scheduler: from its properties to options of an action.
//
// The monitor runs only where yarn.resourcemanager.scheduler.monitor.enable is true and the list of
// its policies, if it is set, has the one about capacities. One that only observes kills nothing.
// What the properties of one that evicts nothing set is reported as without effect.
#include <cmath>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/comma_list.h"
#include "lib/import/yarn.h"

namespace muster::yarn_import {
namespace {

constexpr std::string_view kMonitor = "yarn.resourcemanager.scheduler.monitor.";
constexpr std::string_view kRounds = "yarn.resourcemanager.monitor.capacity.preemption.";
constexpr std::string_view kUnderUtilized =
    "yarn.scheduler.capacity.ordering-policy.priority-utilization.underutilized-preemption.";

struct MonitorKey {
  std::string_view prefix, property, option;
  ValueForm form;
};
constexpr MonitorKey kKeys[] = {
    {kRounds, "max_wait_before_kill", "max_wait", ValueForm::kMilliseconds},
    {kRounds, "total_preemption_per_round", "per_round", ValueForm::kNumber},
    {kRounds, "max_ignored_over_capacity", "max_ignored", ValueForm::kNumber},
    {kRounds, "natural_termination_factor", "natural_termination", ValueForm::kNumber},
    {kRounds, "conservative-drf", "conservative", ValueForm::kSwitch},
    {kRounds, "select_based_on_reserved_containers", "reserved", ValueForm::kSwitch},
    {kUnderUtilized, "enabled", "priorities", ValueForm::kSwitch},
    {kUnderUtilized, "reserved-container-delay-ms", "priorities_delay", ValueForm::kMilliseconds},
    {kUnderUtilized, "allow-move-reservation", "move_reservations", ValueForm::kSwitch},
    {kRounds, "preemption-to-balance-queue-after-satisfied.enabled", "balance", ValueForm::kSwitch},
    {kRounds, "preemption-to-balance-queue-after-satisfied.max-wait-before-kill",
     "balance_max_wait", ValueForm::kMilliseconds},
    {kRounds, "intra-queue-preemption.enabled", "intra_queue", ValueForm::kSwitch},
    {kRounds, "intra-queue-preemption.conservative-drf", "intra_conservative", ValueForm::kSwitch},
    {kRounds, "intra-queue-preemption.minimum-threshold", "intra_threshold", ValueForm::kNumber},
    {kRounds, "intra-queue-preemption.max-allowable-limit", "intra_limit", ValueForm::kNumber},
};
constexpr std::string_view kIntraOrder = "intra-queue-preemption.preemption-order-policy";
constexpr std::string_view kReservedBalance = "additional_res_balance_based_on_reserved_containers";

std::string Join(std::string_view prefix, std::string_view key) {
  return absl::StrCat(ToAbsl(prefix), ToAbsl(key));
}

bool IsOn(const FindProperty& find, const std::string& key) {
  const Field* value = find(key);
  return value != nullptr && SwitchOf(*value) == "on";
}

std::string NumberOf(const Field& value) {
  const std::string text(absl::StripAsciiWhitespace(value.ScalarText()));
  double number = 0;
  if (absl::SimpleAtod(text, &number) && std::isfinite(number) && number >= 0) return text;
  value.Refuse(absl::StrCat(value.Describe(), " is not a number of 0 or more"));
  return "";
}

void AddKey(const MonitorKey& key, const Field& value, std::string* options) {
  const std::string text =
      key.form == ValueForm::kNumber ? NumberOf(value) : OptionText(value, key.form);
  if (!text.empty()) AddOption(key.option, text, options);
}

void AddIntraOrder(const Field& value, std::string* options) {
  const std::string order = absl::AsciiStrToLower(value.ScalarText());
  if (order == "userlimit_first" || order == "priority_first") {
    return AddOption("intra_order", order, options);
  }
  value.Refuse(
      absl::StrCat(value.Describe(), " is no order; expected userlimit_first or priority_first"));
}

// Returns whether the monitor is on, has the policy about capacities, and does not only observe.
bool Evicts(const FindProperty& find) {
  bool evicts = IsOn(find, Join(kMonitor, "enable"));
  if (const Field* policies = find(Join(kMonitor, "policies"))) {
    bool has_policy = false;
    for (const std::string& name : CommaList(policies->ScalarText())) {
      const bool is_read = absl::EndsWith(name, "ProportionalCapacityPreemptionPolicy");
      if (!is_read) policies->Ignored(absl::StrCat("policy ", Quote(name), " is not read"));
      has_policy |= is_read;
    }
    evicts &= has_policy;
  }
  return !IsOn(find, Join(kRounds, "observe_only")) && evicts;
}

}  // namespace

bool IsMonitorProperty(std::string_view key) {
  return key.starts_with(kMonitor) || key.starts_with(kRounds);
}

std::optional<std::string> MonitorOptions(const FindProperty& find) {
  const bool runs = Evicts(find);
  const auto find_key = [&](std::string_view prefix, std::string_view key) -> const Field* {
    const Field* value = find(Join(prefix, key));
    if (value == nullptr || runs) return value;
    value->Ignored("has no effect, as the monitor evicts nothing");
    return nullptr;
  };
  std::string options;
  for (const MonitorKey& key : kKeys) {
    if (const Field* value = find_key(key.prefix, key.property)) AddKey(key, *value, &options);
  }
  if (const Field* order = find_key(kRounds, kIntraOrder)) AddIntraOrder(*order, &options);
  if (const Field* interval = find(Join(kRounds, "monitoring_interval"))) {
    interval->Ignored("a cycle is a round, whenever it is run");
  }
  const Field* balance = find_key(kRounds, kReservedBalance);
  if (balance != nullptr && SwitchOf(*balance) == "on") balance->Ignored("is not read");
  if (!runs) return std::nullopt;
  return options;
}

}  // namespace muster::yarn_import
