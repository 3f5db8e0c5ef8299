// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/pulsar_broker.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/comma_list.h"

namespace muster {
namespace {

// How a setting becomes an option: a flag is on or off, minutes become seconds.
enum class BrokerKind : uint8_t { kPlain, kFlag, kMinutes };
struct BrokerKey {
  std::string_view setting, option;
  BrokerKind kind = BrokerKind::kPlain;
  bool is_of_both = false;  // of place and rebalance
};
constexpr BrokerKind kFlag = BrokerKind::kFlag, kPlain = BrokerKind::kPlain;
constexpr BrokerKey kBrokerKeys[] = {
    {"loadBalancerDistributeBundlesEvenlyEnabled", "even", kFlag, true},
    {"loadBalancerBrokerMaxTopics", "most_topics", kPlain, true},
    {"loadBalancerBrokerOverloadedThresholdPercentage", "overload", kPlain, true},
    {"loadBalancerAverageResourceUsageDifferenceThresholdPercentage", "difference", kPlain, true},
    {"loadBalancerHistoryResourcePercentage", "history", kPlain, true},
    {"loadBalancerCPUResourceWeight", "cpu_weight", kPlain, true},
    {"loadBalancerMemoryResourceWeight", "memory_weight", kPlain, true},
    {"loadBalancerDirectMemoryResourceWeight", "direct_memory_weight", kPlain, true},
    {"loadBalancerBandwidthInResourceWeight", "bandwidth_in_weight", kPlain, true},
    {"loadBalancerBandwidthOutResourceWeight", "bandwidth_out_weight", kPlain, true},
    {"loadBalancerSheddingGracePeriodMinutes", "grace", BrokerKind::kMinutes},
    {"loadBalancerBrokerThresholdShedderPercentage", "threshold"},
    {"loadBalancerBundleUnloadMinThroughputThreshold", "least_mib"},
    {"lowerBoundarySheddingEnabled", "lower_boundary", kFlag},
    {"loadBalancerMsgRateDifferenceShedderThreshold", "rate_difference"},
    {"loadBalancerMsgThroughputMultiplierDifferenceShedderThreshold", "bytes_multiple"},
    {"maxUnloadBundleNumPerShedding", "most_bundles"},
    {"maxUnloadPercentage", "most_unloaded"},
    {"minUnloadMessage", "least_rate"},
    {"minUnloadMessageThroughput", "least_bytes"},
    {"loadBalancerAvgShedderLowThreshold", "low"},
    {"loadBalancerAvgShedderHighThreshold", "high"},
    {"loadBalancerAvgShedderHitCountLowThreshold", "low_hits"},
    {"loadBalancerAvgShedderHitCountHighThreshold", "high_hits"},
    {"loadBalancerBrokerLoadTargetStd", "target"},
    {"loadBalancerSheddingConditionHitCountThreshold", "hits"},
    {"loadBalancerTransferEnabled", "transfers", kFlag},
    {"loadBalancerDebugModeEnabled", "debug", kFlag},
    {"loadBalancerSheddingBundlesWithPoliciesEnabled", "moves_isolated", kFlag},
    {"loadBalancerMaxNumberOfBrokerSheddingPerCycle", "most_pairs"},
    {"loadBalancerMaxNumberOfBundlesInBundleLoadReport", "top_bundles"},
    {"loadBalanceSheddingDelayInSeconds", "delay"},
    {"loadBalancerBrokerLoadDataTTLInSeconds", "oldest"},
    {"loadBalancerAutoBundleSplitEnabled", "split", kFlag},
    {"loadBalancerNamespaceBundleMaxTopics", "split_topics"},
    {"loadBalancerNamespaceBundleMaxSessions", "split_sessions"},
    {"loadBalancerNamespaceBundleMaxMsgRate", "split_rate"},
    {"loadBalancerNamespaceBundleMaxBandwidthMbytes", "split_mib"},
    {"loadBalancerNamespaceMaximumBundles", "namespace_bundles"},
    {"loadBalancerNamespaceBundleSplitConditionHitCountThreshold", "split_hits"},
    {"loadBalancerMaxNumberOfBundlesToSplitPerCycle", "most_splits"}};

// Classes of the modular manager, by the ends of their names. The extensible one has one of each.
using ClassWords = std::pair<std::string_view, std::string_view>;
constexpr ClassWords kShedders[] = {{"ThresholdShedder", "threshold"},
                                    {"OverloadShedder", "overload"},
                                    {"UniformLoadShedder", "uniform"},
                                    {"AvgShedder", "avg"}};
constexpr ClassWords kPlacements[] = {{"LeastLongTermMessageRate", "rate"},
                                      {"LeastResourceUsageWithWeight", "usage"},
                                      {"RoundRobinBrokerSelector", "round_robin"},
                                      {"AvgShedder", "avg"}};

constexpr std::string_view kManager = "loadManagerClassName";
constexpr std::string_view kShedder = "loadBalancerLoadSheddingStrategy";
constexpr std::string_view kPlacement = "loadBalancerLoadPlacementStrategy";
constexpr std::string_view kSheds = "loadBalancerSheddingEnabled";
constexpr std::string_view kExcluded = "loadBalancerSheddingExcludedNamespaces";

// Returns "on" or "off", or "" of what is neither, with an entry.
std::string FlagOf(const Field& value) {
  if (value.kind() == JsonKind::kBool) return value.truthy() ? "on" : "off";
  const std::string text = absl::AsciiStrToLower(value.ScalarText());
  if (text == "true" || text == "false") return text == "true" ? "on" : "off";
  value.Ignored(absl::StrCat(value.Describe(), " is not true or false; the default stands for it"));
  return "";
}

std::string SecondsOf(const Field& value) {
  int64_t minutes = 0;
  constexpr int64_t kMostMinutes = 1'000'000, kSeconds = 60;
  if (absl::SimpleAtoi(value.ScalarText(), &minutes) && minutes >= 0 && minutes <= kMostMinutes) {
    return absl::StrCat(minutes * kSeconds);
  }
  value.Refuse(absl::StrCat(value.Describe(), " is no number of minutes from 0 to ", kMostMinutes));
  return "";
}

class BrokerReader {
 public:
  explicit BrokerReader(const Field& configuration) : configuration_(configuration) {}

  std::string Read() {
    const bool extensible =
        absl::EndsWith(configuration_[kManager].ScalarText(), "ExtensibleLoadManagerImpl");
    std::string shedding = extensible ? "transfer" : WordOf(kShedder, kShedders);
    const std::string placement = extensible ? "load" : WordOf(kPlacement, kPlacements);
    const Field sheds = configuration_[kSheds];
    if (sheds.given() && FlagOf(sheds) == "off") shedding = "none";
    if (!shedding.empty()) Add("shedding", shedding, &rebalance_);
    if (!placement.empty()) AddToBoth("placement", placement);
    for (const BrokerKey& key : kBrokerKeys) ReadKey(key);
    std::string spec = "pulsar";
    for (const auto& [action, options] :
         {std::pair("place", &place_), {"rebalance", &rebalance_}}) {
      if (options->empty()) continue;
      absl::StrAppend(&spec, spec == "pulsar" ? ":" : ",", action, "(", *options, ")");
    }
    return spec;
  }

 private:
  template <size_t N>
  std::string WordOf(std::string_view setting, const ClassWords (&words)[N]) const {
    const Field value = configuration_[setting];
    const std::string name = value.ScalarText();
    if (name.empty()) return "";
    for (const auto& [end, word] : words) {
      if (absl::EndsWith(name, ToAbsl(end))) return std::string(word);
    }
    value.Ignored(absl::StrCat(Quote(name), " is not read; the default stands for it"));
    return "";
  }

  void ReadKey(const BrokerKey& key) {
    const Field value = configuration_[key.setting];
    if (!value.given() || value.Is("")) return;
    const std::string text = key.kind == BrokerKind::kFlag      ? FlagOf(value)
                             : key.kind == BrokerKind::kMinutes ? SecondsOf(value)
                                                                : value.ScalarText();
    if (key.kind == BrokerKind::kFlag && text.empty()) return;
    key.is_of_both ? AddToBoth(key.option, text) : Add(key.option, text, &rebalance_);
  }

  static void Add(std::string_view option, const std::string& value, std::string* options) {
    absl::StrAppend(options, options->empty() ? "" : ",", ToAbsl(option), "=", value);
  }
  void AddToBoth(std::string_view option, const std::string& value) {
    Add(option, value, &place_);
    Add(option, value, &rebalance_);
  }

  const Field& configuration_;
  std::string place_, rebalance_;
};

}  // namespace

std::string PulsarProfileOf(const Field& configuration, std::set<std::string>* excluded) {
  if (configuration.kind() != JsonKind::kObject) {
    configuration.RefuseKind("an object");
    return "pulsar";
  }
  for (const std::string& name : CommaList(configuration[kExcluded].ScalarText())) {
    excluded->insert(name);
  }
  for (const Field& value : configuration.Children()) {
    const std::string_view key = value.key();
    const bool is_known =
        key == kManager || key == kShedder || key == kPlacement || key == kSheds ||
        key == kExcluded ||
        std::ranges::find(kBrokerKeys, key, &BrokerKey::setting) != std::end(kBrokerKeys);
    if (!is_known && key.starts_with("loadBalance")) {
      value.Ignored("this setting decides nothing here, or is not read");
    }
  }
  return BrokerReader(configuration).Read();
}

}  // namespace muster
