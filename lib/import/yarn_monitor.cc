// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The capacity scheduler's preemption monitor, from properties of yarn-site.xml.
//
// A monitor that is on becomes action preempt before heartbeat. One that is off, observes alone or
// has another policy evicts nothing, and so leaves the action out; what its properties set is then
// reported as without effect.
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/strings.h"
#include "lib/import/comma_list.h"
#include "lib/import/yarn.h"

namespace muster::yarn_import {
namespace {

constexpr std::string_view kMonitorPrefix = "yarn.resourcemanager.scheduler.monitor.";
constexpr std::string_view kRoundPrefix = "yarn.resourcemanager.monitor.capacity.preemption.";
constexpr absl::string_view kPolicy = "ProportionalCapacityPreemptionPolicy";
constexpr int64_t kMilliseconds = 1000;

enum class MonitorKind : uint8_t { kSwitch, kPlain, kMilliseconds };
struct MonitorKey {
  std::string_view property, option;
  MonitorKind kind = MonitorKind::kPlain;
};
constexpr MonitorKey kMonitorKeys[] = {
    {"max_wait_before_kill", "max_wait", MonitorKind::kMilliseconds},
    {"total_preemption_per_round", "per_round"},
    {"max_ignored_over_capacity", "max_ignored"},
    {"natural_termination_factor", "natural_termination"},
    {"conservative-drf", "conservative", MonitorKind::kSwitch},
    {"select_based_on_reserved_containers", "reserved", MonitorKind::kSwitch},
    {"preemption-to-balance-queue-after-satisfied.enabled", "balance", MonitorKind::kSwitch},
    {"preemption-to-balance-queue-after-satisfied.max-wait-before-kill", "balance_max_wait",
     MonitorKind::kMilliseconds},
    {"intra-queue-preemption.enabled", "intra_queue", MonitorKind::kSwitch},
    {"intra-queue-preemption.preemption-order-policy", "intra_order"},
    {"intra-queue-preemption.conservative-drf", "intra_conservative", MonitorKind::kSwitch},
    {"intra-queue-preemption.minimum-threshold", "intra_threshold"},
    {"intra-queue-preemption.max-allowable-limit", "intra_limit"}};

// Whole seconds: the action has no parts of one. A wait is rounded up, so that it is kept.
std::string SecondsOf(const Field& value) {
  const int64_t amount = AmountOf(value);
  const int64_t seconds = amount / kMilliseconds + (amount % kMilliseconds == 0 ? 0 : 1);
  if (amount % kMilliseconds != 0) {
    value.Ignored(absl::StrCat("is rounded up to ", seconds, " seconds"));
  }
  return absl::StrCat(seconds);
}

std::string OptionText(const MonitorKey& key, const Field& value) {
  if (key.kind == MonitorKind::kSwitch) return SwitchOf(value);
  return key.kind == MonitorKind::kMilliseconds ? SecondsOf(value) : value.ScalarText();
}

class MonitorReader {
 public:
  MonitorReader(const std::map<std::string, Field>& values, std::set<std::string>* used)
      : values_(values), used_(*used) {}

  void Read(ActionOptions* options) {
    options->preempts = IsOn();
    const std::string_view why_idle = "has no effect, as the monitor evicts nothing";
    for (const MonitorKey& key : kMonitorKeys) {
      const Field* const value = Find(kRoundPrefix, key.property);
      if (value == nullptr) continue;
      if (!options->preempts) {
        value->Ignored(why_idle);
        continue;
      }
      const std::string text = OptionText(key, *value);
      if (!text.empty()) AddOption(key.option, text, &options->preempt);
    }
    const Field* const interval = Find(kRoundPrefix, "monitoring_interval");
    if (interval != nullptr) interval->Ignored("a cycle is a round, whenever it is run");
  }

 private:
  // Returns the property, which counts as read; null: it is not set.
  const Field* Find(std::string_view prefix, std::string_view key) {
    const auto found = values_.find(absl::StrCat(ToAbsl(prefix), ToAbsl(key)));
    if (found == values_.end()) return nullptr;
    used_.insert(found->first);
    return &found->second;
  }

  bool IsOn() {
    const Field* const enable = Find(kMonitorPrefix, "enable");
    bool is_on = enable != nullptr && SwitchOf(*enable) == "on";
    if (const Field* const policies = Find(kMonitorPrefix, "policies")) {
      bool has_policy = false;
      for (const std::string& name : CommaList(policies->ScalarText())) {
        const bool is_own = absl::EndsWith(name, kPolicy);
        if (!is_own) policies->Ignored(absl::StrCat("policy ", Quote(name), " is not read"));
        has_policy |= is_own;
      }
      is_on &= has_policy;
    }
    const Field* const observes = Find(kRoundPrefix, "observe_only");
    if (observes != nullptr && SwitchOf(*observes) == "on") is_on = false;
    return is_on;
  }

  const std::map<std::string, Field>& values_;
  std::set<std::string>& used_;
};

}  // namespace

bool IsMonitorProperty(std::string_view key) {
  return key.starts_with(kMonitorPrefix) || key.starts_with(kRoundPrefix);
}

void ReadMonitor(const std::map<std::string, Field>& values, std::set<std::string>* used,
                 ActionOptions* options) {
  MonitorReader(values, used).Read(options);
}

}  // namespace muster::yarn_import
