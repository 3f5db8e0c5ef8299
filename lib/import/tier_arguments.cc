// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Arguments of plugins as options of policies: one function for each plugin that has some, and the
// table of them.
#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/amounts.h"
#include "lib/import/comma_list.h"
#include "lib/import/tiers.h"
#include "lib/import/times.h"
#include "lib/plan/json_text.h"

namespace muster {
namespace {

constexpr double kMostWhole =
    9007199254740992;  // 2^53: the last whole number before doubles skip some

// Shortest, and without an exponent's plus sign, which has a meaning in profiles.
std::string NumberText(double number) {
  if (number == std::floor(number) && std::abs(number) <= kMostWhole) {
    return absl::StrCat(static_cast<int64_t>(number));
  }
  std::string text;
  AppendJson(number, &text);
  return text;
}

// Returns the value as a number, which may be written as text.
double ReadNumber(const Field& value) {
  double number = 0;
  const bool read = absl::SimpleAtod(value.ScalarText(), &number);
  if (read && std::abs(number) <= kMostWhole) return number;
  value.RefuseKind("a number between -2^53 and 2^53");
  return 0;
}

int64_t ReadWhole(const Field& value) {
  const double number = ReadNumber(value);
  if (number != std::floor(number)) value.RefuseKind("a whole number");
  return static_cast<int64_t>(number);
}

// Below 0 it is 1.
int64_t ReadWeight(const Field& value) {
  const int64_t weight = ReadWhole(value);
  return weight >= 0 ? weight : 1;
}

// Arguments that are taken one by one; what is left is reported.
class Arguments {
 public:
  explicit Arguments(const Field& all) : all_(all), left_(all.Children()) {}

  // Absent where there is none of that name, or where it was taken before.
  Field Take(std::string_view key) {
    const auto at = std::find_if(left_.begin(), left_.end(),
                                 [&](const Field& field) { return field.key() == key; });
    if (at == left_.end()) return all_[""];
    const Field field = *at;
    left_.erase(at);
    return field;
  }
  // Takes an object.
  Field TakeSection(std::string_view key) {
    Take(key);
    return all_.Section(key);
  }
  // Returns the value without taking it.
  Field Peek(std::string_view key) const { return all_[key]; }
  const std::vector<Field>& left() const { return left_; }

 private:
  Field all_;
  std::vector<Field> left_;
};

void SetWhole(std::string_view option, int64_t number, ProfileOptions* options) {
  options->Set(option, absl::StrCat(number));
}

// Takes a whole number for an option.
void TakeWhole(std::string_view key, std::string_view option, Arguments* from,
               ProfileOptions* options) {
  if (const Field value = from->Take(key); value.exists()) {
    SetWhole(option, ReadWhole(value), options);
  }
}

void TakeWeight(std::string_view key, std::string_view option, Arguments* from,
                ProfileOptions* options) {
  if (const Field value = from->Take(key); value.exists()) {
    SetWhole(option, ReadWeight(value), options);
  }
}

// A list of resources under `key`, each of which may have a weight of its own under
// `key`.`resource`.
void TakeResourceWeights(std::string_view key, Arguments* from, ProfileOptions* options) {
  for (const std::string& resource : CommaList(from->Take(key).AsText())) {
    const Field weight = from->Take(absl::StrCat(ToAbsl(key), ".", resource));
    SetWhole(absl::StrCat("resource.", resource), weight.exists() ? ReadWeight(weight) : 1,
             options);
  }
}

void ReadNodeOrder(Arguments* from, ProfileOptions* options) {
  TakeWhole("leastrequested.weight", "least_requested", from, options);
  TakeWhole("mostrequested.weight", "most_requested", from, options);
  TakeWhole("nodeaffinity.weight", "node_affinity", from, options);
  TakeWhole("podaffinity.weight", "pod_affinity", from, options);
  TakeWhole("balancedresource.weight", "balanced", from, options);
  TakeWhole("tainttoleration.weight", "taint_toleration", from, options);
  TakeWhole("imagelocality.weight", "image_locality", from, options);
  TakeWhole("podtopologyspread.weight", "spread", from, options);
}

void ReadBinpack(Arguments* from, ProfileOptions* options) {
  TakeWeight("binpack.weight", "weight", from, options);
  TakeWeight("binpack.cpu", "cpu", from, options);
  TakeWeight("binpack.memory", "memory", from, options);
  TakeResourceWeights("binpack.resources", from, options);
}

void ReadCapacity(Arguments* from, ProfileOptions* options) {
  if (const Field value = from->Take("ancestorReclaimLevel"); value.exists()) {
    const int64_t level = ReadWhole(value);
    if (level > 0) SetWhole("ancestor_reclaim_level", level, options);
  }
  // Quotas of claimed devices, of which no scenario has any; switched off they change nothing.
  for (std::string_view key :
       {"capacity.DynamicResourceAllocationEnable", "capacity.DRAConsumableCapacityEnable"}) {
    const Field value = from->Peek(key);
    if (value.exists() && !ReadSwitch(value)) from->Take(key);
  }
}

void ReadOvercommit(Arguments* from, ProfileOptions* options) {
  constexpr double kUnset = 1.2;
  if (const Field value = from->Take("overcommit-factor"); value.exists()) {
    const double factor = ReadNumber(value);
    options->Set("factor", NumberText(factor >= 1 ? factor : kUnset));
  }
}

void ReadSla(Arguments* from, ProfileOptions* options) {
  const Field value = from->Take("sla-waiting-time");
  if (!value.given()) return;
  const std::optional<int64_t> seconds = ParseDuration(value.ScalarText());
  if (seconds && *seconds > 0) {
    SetWhole("waiting_time", *seconds, options);
  } else {
    value.Ignored(absl::StrCat(value.Describe(), " is no duration of a second or more"));
  }
}

void ReadNodeGroup(Arguments* from, ProfileOptions* options) {
  if (const Field strict = from->Take("strict"); strict.exists() && !ReadSwitch(strict)) {
    options->Set("strict", "off");
  }
  if (const Field order = from->Take("enablePreferredOrder"); order.exists() && ReadSwitch(order)) {
    options->Set("preferred_order", "on");
  }
}

// A window that cannot be read never opens: it begins and does not end.
void ReadTdm(Arguments* from, ProfileOptions* options) {
  constexpr std::string_view kPrefix = "tdm.revocable-zone.";
  const std::vector<Field> all = from->left();
  for (const Field& value : all) {
    const size_t at = value.key().find(kPrefix);
    if (at == std::string_view::npos) continue;
    from->Take(value.key());
    std::string zone(value.key());
    zone.erase(at, kPrefix.size());
    const auto window = WindowMinutes(value.ScalarText());
    if (!window.has_value()) {
      value.Ignored(absl::StrCat(value.Describe(), " is no window; the zone never opens"));
    }
    SetWhole(absl::StrCat("from.", zone), window.has_value() ? window->first : 0, options);
    if (window.has_value()) SetWhole(absl::StrCat("to.", zone), window->second, options);
  }
}

void ReportDefault(const Field& value) {
  value.Ignored(absl::StrCat(value.Describe(), " does not count; the default does"));
}

// A value that is no number, or out of range, leaves the default, as in the peer.
void SetInRange(const Field& value, std::string_view option, double low, double high,
                ProfileOptions* options) {
  if (!value.exists()) return;
  double number = 0;
  const bool is_number = value.kind() == JsonKind::kInteger || value.kind() == JsonKind::kFloat;
  if (is_number && absl::SimpleAtod(value.ScalarText(), &number) && low <= number &&
      number <= high) {
    options->Set(option, NumberText(number));
  } else {
    ReportDefault(value);
  }
}

// An integer counts `unit`, all else is an amount of `scale`.
void SetEstimate(const Field& value, std::string_view option, int64_t unit, int64_t scale,
                 ProfileOptions* options) {
  if (!value.given()) return;
  const std::optional<ExactAmount> amount = ParseAmount(value.ScalarText());
  if (!amount.has_value() || *amount < 0) return ReportDefault(value);
  const int64_t factor = value.kind() == JsonKind::kInteger ? unit : scale;
  options->Set(option, ToQuantity("memory", *amount * factor).text);
}

void ReadUsage(Arguments* from, ProfileOptions* options) {
  constexpr double kMost = 1e9;
  SetInRange(from->Take("usage.weight"), "weight", 0, kMost, options);
  SetInRange(from->Take("cpu.weight"), "cpu", 0, kMost, options);
  SetInRange(from->Take("memory.weight"), "memory", 0, kMost, options);
  const Field thresholds = from->TakeSection("thresholds");
  SetInRange(thresholds["cpu"], "cpu_threshold", 0, 100, options);
  SetInRange(thresholds["mem"], "memory_threshold", 0, 100, options);
  const Field estimator = from->TakeSection("estimator");
  SetInRange(estimator["request_ratio"], "request_ratio", 0, 1, options);
  SetInRange(estimator["risk_threshold"], "risk_threshold", 0, 1, options);
  SetInRange(estimator["risk_factor"], "risk_factor", 1, kMost, options);
  SetEstimate(estimator["be_cpu"], "best_effort_cpu", 1, 1000, options);
  SetEstimate(estimator["be_mem"], "best_effort_memory", 1 << 20, 1, options);
  if (const Field ratio = estimator["burst_ratio"]; ratio.truthy()) {
    ratio.Ignored("not considered by usage");
  }
}

void ReadStrategyFit(Arguments* from, ProfileOptions* options) {
  constexpr int64_t kUnsetWeight = 10;
  if (const Field value = from->Take("resourceStrategyFitWeight"); value.exists()) {
    const int64_t weight = ReadWhole(value);
    SetWhole("weight", weight >= 0 ? weight : kUnsetWeight, options);
  }
  const Field resources = from->TakeSection("resources");
  for (const Field& resource : resources.Children()) {
    const std::string_view pattern = resource.key();
    // A star is the end of a longer name, or the peer ignores it, too.
    const size_t star = pattern.find('*');
    if (star != pattern.npos && (pattern == "*" || star + 1 != pattern.size())) continue;
    const Field how = resources.Section(pattern);
    const int64_t weight = how["weight"].exists() ? ReadWhole(how["weight"]) : 1;
    const std::string_view strategy = how["type"].Is("MostAllocated") ? "most." : "least.";
    SetWhole(absl::StrCat(ToAbsl(strategy), ToAbsl(pattern)), weight > 0 ? weight : 1, options);
  }
  const auto enabled = [](const Field& section) {
    const Field value = section["enable"];
    return value.given() && value.kind() == JsonKind::kBool && value.json().boolean();
  };
  if (const Field scarce = from->TakeSection("sra"); enabled(scarce)) {
    const Field weight = scarce["weight"];
    SetWhole("scarce_weight", weight.exists() ? ReadWeight(weight) : 0, options);
    const Field weights = scarce.Section("resourceWeight");
    for (const std::string& name : CommaList(scarce.Text("resources"))) {
      const Field own = weights[name];
      SetWhole(absl::StrCat("scarce.", name), own.exists() ? ReadWeight(own) : 1, options);
    }
  }
  if (const Field reserves = from->TakeSection("proportional"); enabled(reserves)) {
    const Field rates = reserves.Section("resourceProportion");
    for (const std::string& name : CommaList(reserves.Text("resources"))) {
      for (const char* what : {"cpu", "memory"}) {
        const Field value = rates[absl::StrCat(name, ".", what)];
        const double rate = value.exists() ? ReadNumber(value) : 1;
        options->Set(absl::StrCat("reserve_", what, ".", name), NumberText(rate >= 0 ? rate : 1));
      }
    }
  }
}

void ReadTaskTopology(Arguments* from, ProfileOptions* options) {
  TakeWhole("task-topology.weight", "weight", from, options);
}

void ReadNumaAware(Arguments* from, ProfileOptions* options) {
  const Field value = from->Peek("weight");
  if (!value.exists() || ReadWhole(value) < 0) return;
  TakeWhole("weight", "weight", from, options);
}

// A value below 0 is ignored.
void ReadNetworkTopology(Arguments* from, ProfileOptions* options) {
  TakeWeight("weight", "weight", from, options);
  TakeWeight("hypernode.binpack.cpu", "cpu", from, options);
  TakeWeight("hypernode.binpack.memory", "memory", from, options);
  TakeResourceWeights("hypernode.binpack.resources", from, options);
  const Field enable = from->Take("hypernode.binpack.normal-pod.enable");
  if (enable.exists() && !ReadSwitch(enable)) options->Set("normal_tasks", "off");
  if (const Field fading = from->Take("hypernode.binpack.normal-pod.fading"); fading.exists()) {
    const double given = ReadNumber(fading);
    if (given >= 0) options->Set("fading", NumberText(given));
  }
  if (const Field most = from->Take("hypernode.gradient.evict.max-hypernodes"); most.exists()) {
    const int64_t given = ReadWhole(most);
    if (given > 0) SetWhole("evict_domains", given, options);
  }
}

// The peer has one of its strategies.
void ReadRescheduling(Arguments* from, ProfileOptions* options) {
  const Field list = from->Peek("strategies");
  if (list.given() && list.kind() != JsonKind::kArray) return list.RefuseKind("an array");
  const std::vector<Field> strategies = list.Children();
  const bool known = std::all_of(strategies.begin(), strategies.end(), [](const Field& strategy) {
    return strategy["name"].Is("lowNodeUtilization");
  });
  if (!known) return;
  from->Take("strategies");
  for (const Field& strategy : strategies) {
    const Field params = strategy.Section("params");
    for (const bool low : {true, false}) {
      const Field marks = params.Section(low ? "thresholds" : "targetThresholds");
      for (const char* resource : {"cpu", "memory"}) {
        const Field mark = marks[resource];
        if (!mark.exists()) continue;
        SetWhole(absl::StrCat(resource, low ? "_low" : "_high"), ReadWhole(mark), options);
      }
    }
  }
}

void ReadPredicates(Arguments* from, ProfileOptions* options) {
  const auto take = [&](std::string_view key, std::string_view option) {
    const Field value = from->Take(key);
    if (value.exists() && !ReadSwitch(value)) options->Set(option, "off");
  };
  take("predicate.NodeAffinityEnable", "node_affinity");
  take("predicate.NodePortsEnable", "host_ports");
  take("predicate.TaintTolerationEnable", "taints");
  take("predicate.PodAffinityEnable", "pod_affinity");
  take("predicate.PodTopologySpreadEnable", "spread");
}

struct PluginRule {
  std::string_view plugin;
  void (*read)(Arguments* from, ProfileOptions* options);
};
constexpr PluginRule kPlugins[] = {{"nodeorder", ReadNodeOrder},
                                   {"binpack", ReadBinpack},
                                   {"capacity", ReadCapacity},
                                   {"overcommit", ReadOvercommit},
                                   {"sla", ReadSla},
                                   {"nodegroup", ReadNodeGroup},
                                   {"tdm", ReadTdm},
                                   {"usage", ReadUsage},
                                   {"resource-strategy-fit", ReadStrategyFit},
                                   {"task-topology", ReadTaskTopology},
                                   {"numa-aware", ReadNumaAware},
                                   {"network-topology-aware", ReadNetworkTopology},
                                   {"rescheduling", ReadRescheduling},
                                   {"predicates", ReadPredicates}};

// Switches for rules about volumes and devices, which no scenario has, and for caches.
bool HasNoEffect(std::string_view key) {
  return key == "predicate.NodeVolumeLimitsEnable" || key == "predicate.VolumeZoneEnable" ||
         key == "predicate.VolumeBindingEnable" || key == "predicate.CacheEnable";
}

}  // namespace

void ReadArguments(std::string_view plugin, const Field& arguments, ProfileOptions* options) {
  Arguments from(arguments);
  for (const PluginRule& rule : kPlugins) {
    if (rule.plugin == plugin) rule.read(&from, options);
  }
  for (const Field& rest : from.left()) {
    if (HasNoEffect(rest.key())) continue;
    rest.Ignored(absl::StrCat("not considered by ", ToAbsl(plugin)));
  }
}

}  // namespace muster
