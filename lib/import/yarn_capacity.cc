// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Queues of the capacity scheduler: from the properties of capacity-scheduler.xml, or from what the
// resource manager answers about them.
//
// A property becomes a setting as it stands; the profile checks it. A queue without a capacity has
// 0 of the kind of its siblings, as at the peer. Defaults for all queues become the settings of
// each that has none.
#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/comma_list.h"
#include "lib/import/yarn.h"

namespace muster::yarn_import {
namespace {

constexpr std::string_view kCapacityPrefix = "yarn.scheduler.capacity.";
constexpr int64_t kUnlimitedApps = 2147483647;

// Properties of queues, and where the default of all queues stands.
constexpr std::pair<std::string_view, std::string_view> kQueueKeys[] = {
    {"minimum-user-limit-percent", "minimum-user-limit-percent"},
    {"user-limit-factor", "user-limit-factor"},
    {"maximum-applications", "global-queue-max-application"},
    {"max-parallel-apps", "max-parallel-apps"},
    {"maximum-am-resource-percent", "maximum-am-resource-percent"},
    {"ordering-policy.fair.enable-size-based-weight", ""},
    {"disable_preemption", ""},
    {"intra-queue-preemption.disable_preemption", ""}};
// Of queues that are made on demand: switches, and the rest by how it begins.
constexpr std::string_view kMakingSwitches[] = {"auto-create-child-queue.enabled",
                                                "auto-queue-creation-v2.enabled"};
constexpr std::string_view kDepth = "auto-queue-creation-v2.maximum-queue-depth";
constexpr std::string_view kMakingKeys[] = {
    "leaf-queue-template.", kDepth, "auto-queue-creation-v2.template.",
    "auto-queue-creation-v2.leaf-template.", "auto-queue-creation-v2.parent-template."};
constexpr std::span<const std::string_view> kWildcardKeys = std::span(kMakingKeys).subspan(2);
constexpr std::string_view kOrders[] = {"fifo", "fair", "utilization", "priority-utilization"};

struct OptionKey {
  std::string_view property, option;
  bool is_switch = false;
  bool is_of_all = false;  // of all actions
};
constexpr OptionKey kOptionKeys[] = {
    {"yarn.scheduler.minimum-allocation-mb", "min_memory", false, true},
    {"yarn.scheduler.minimum-allocation-vcores", "min_vcores", false, true},
    {"yarn.scheduler.maximum-allocation-mb", "max_memory", false, true},
    {"yarn.scheduler.maximum-allocation-vcores", "max_vcores", false, true},
    {"yarn.scheduler.capacity.per-node-heartbeat.multiple-assignments-enabled",
     "multiple_assignments", true},
    {"yarn.scheduler.capacity.per-node-heartbeat.maximum-container-assignments", "max_assignments"},
    {"yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments", "max_off_switch"},
    {"yarn.scheduler.capacity.reservations-continue-look-all-nodes", "continue_looking", true},
    {"yarn.scheduler.capacity.maximum-applications", "max_applications"},
    {"yarn.scheduler.capacity.node-locality-delay", "node_locality_delay"},
    {"yarn.scheduler.capacity.rack-locality-additional-delay", "rack_locality_additional_delay"},
    {"yarn.scheduler.capacity.rack-locality-full-reset", "rack_locality_full_reset", true}};

void SetSetting(std::string_view key, std::string value, QueueSpec* queue) {
  queue->settings.emplace_back(absl::StrCat("yarn-capacity/", ToAbsl(key)), std::move(value));
}

void SetOrder(const Field& value, QueueSpec* queue) {
  const std::string order = value.ScalarText();
  if (order.empty()) return;
  for (const std::string_view known : kOrders) {
    if (order == known) return SetSetting("ordering-policy", order, queue);
  }
  value.Ignored("this order is not read; the default stands for it");
}

class PropertyReader {
 public:
  PropertyReader(const Field& properties, ImportLog* log, QueueRows* queues)
      : properties_(properties), log_(log), queues_(*queues) {
    for (const Field& property : properties.Children()) {
      const JsonKind kind = property.kind();
      if (kind == JsonKind::kArray || kind == JsonKind::kObject) {
        property.RefuseKind("a text, a number or a flag");
      }
      values_.emplace(std::string(property.key()), property);
    }
  }

  void Read(ActionOptions* options) {
    ReadOptions(options);
    ReadMappings(&queues_.Of("root"));
    std::vector<std::string> open = {"root"};
    for (size_t i = 0; i < open.size(); ++i) {
      const std::string parent = open[i];
      std::vector<std::string> paths;
      for (const std::string& name : CommaList(TextOf(Key(parent, "queues")))) {
        paths.push_back(absl::StrCat(parent, ".", name));
      }
      const std::string none = NoCapacity(paths);
      ReadQueue(parent);
      for (const std::string& path : paths) {
        if (!seen_.insert(path).second) continue;
        ReadCapacities(path, none, &queues_.Of(path));
        open.push_back(path);
      }
    }
    ReadParallel(&queues_.Of("root"));
    for (const auto& [key, property] : values_) {
      const bool is_left = IsProperty(key) && !used_.contains(key);
      if (is_left) property.Ignored("this property decides nothing here, or is not read");
    }
  }

 private:
  static std::string Key(std::string_view path, std::string_view key) {
    return absl::StrCat(ToAbsl(kCapacityPrefix), ToAbsl(path), ".", ToAbsl(key));
  }

  // Returns the property, which counts as read; null: it is not set, or is blank.
  const Field* Find(const std::string& key) {
    const auto found = values_.find(key);
    if (found == values_.end()) return nullptr;
    used_.insert(key);
    return found->second.truthy() ? &found->second : nullptr;
  }
  std::string TextOf(const std::string& key) {
    const Field* property = Find(key);
    if (property == nullptr) return "";
    return property->kind() == JsonKind::kBool ? "true" : property->ScalarText();
  }

  void ReadOptions(ActionOptions* options) {
    const std::string calculator =
        TextOf(absl::StrCat(ToAbsl(kCapacityPrefix), "resource-calculator"));
    const bool dominant = calculator.find("DominantResourceCalculator") != calculator.npos;
    std::string of_all;
    AddOption("calculator", dominant ? "dominant" : "memory", &of_all);
    options->heartbeat = of_all;
    for (const OptionKey& key : kOptionKeys) {
      const auto found = values_.find(std::string(key.property));
      if (found == values_.end()) continue;
      used_.insert(std::string(key.property));
      const Field& value = found->second;
      const std::string text = key.is_switch ? SwitchOf(value) : value.ScalarText();
      if (key.is_switch && text.empty()) continue;
      AddOption(key.option, text, &options->heartbeat);
      if (key.is_of_all) AddOption(key.option, text, &of_all);
    }
    options->preempt = MonitorOptions([&](const std::string& key) { return Find(key); });
    if (!options->preempt) return;
    absl::StrAppend(&of_all, options->preempt->empty() ? "" : ",", *options->preempt);
    options->preempt = std::move(of_all);
  }

  // Rules of one format; those about names of applications go last.
  void ReadMappings(QueueSpec* root) {
    const auto key = [](std::string_view name) {
      return absl::StrCat(ToAbsl(kCapacityPrefix), ToAbsl(name));
    };
    const std::string format = TextOf(key("mapping-rule-format"));
    std::string rules;
    if (format == "json") {
      if (const Field* json = Find(key("mapping-rule-json")))
        rules = MappingRulesOfJson(*json, log_);
    } else {
      rules = TextOf(key("queue-mappings"));
      const std::string of_apps =
          MappingRulesOfApps(TextOf("yarn.scheduler.queue-placement-rules.app-name"));
      absl::StrAppend(&rules, rules.empty() || of_apps.empty() ? "" : ",", of_apps);
    }
    if (!rules.empty()) SetSetting("queue-mappings", rules, root);
    if (const Field* value = Find(key("queue-mappings-override.enable"))) {
      if (SwitchOf(*value) == "on") SetSetting("queue-mappings-override.enable", "true", root);
    }
  }

  // What is said about queues that are made below the queue.
  void ReadMaking(const std::string& path, QueueSpec* queue) {
    const std::string begin = Key(path, "");
    bool makes_queues = false;
    for (const std::string_view key : kMakingSwitches) {
      const Field* value = Find(absl::StrCat(begin, ToAbsl(key)));
      if (value == nullptr || SwitchOf(*value) != "on") continue;
      SetSetting(key, "true", queue);
      makes_queues = true;
    }
    for (const std::string_view key : kMakingKeys) {
      const std::string first = absl::StrCat(begin, ToAbsl(key));
      for (auto at = values_.lower_bound(first); at != values_.end(); ++at) {
        if (!at->first.starts_with(first)) break;
        used_.insert(at->first);
        SetSetting(at->first.substr(begin.size()), at->second.ScalarText(), queue);
      }
    }
    const std::string own_depth = absl::StrCat(begin, ToAbsl(kDepth));
    const std::string depth = TextOf(absl::StrCat(ToAbsl(kCapacityPrefix), ToAbsl(kDepth)));
    if (makes_queues && !depth.empty() && !values_.contains(own_depth)) {
      SetSetting(kDepth, depth, queue);
    }
    ReadWildcards(begin, queue);
  }

  // Templates of queues by wildcards below the queue.
  void ReadWildcards(const std::string& begin, QueueSpec* queue) {
    constexpr std::string_view kAny = "*.";
    const std::string first = absl::StrCat(begin, ToAbsl(kAny));
    for (auto at = values_.lower_bound(first); at != values_.end(); ++at) {
      if (!at->first.starts_with(first)) break;
      const std::string_view key = std::string_view(at->first).substr(begin.size());
      std::string_view rest = key;
      while (rest.starts_with(kAny)) rest.remove_prefix(kAny.size());
      const bool is_template = std::ranges::any_of(
          kWildcardKeys, [&](std::string_view start) { return rest.starts_with(start); });
      if (!is_template) continue;
      used_.insert(at->first);
      SetSetting(key, at->second.ScalarText(), queue);
    }
  }

  // The capacity of a queue without one, among these.
  std::string NoCapacity(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      const std::string text = TextOf(Key(path, "capacity"));
      if (text.starts_with('[')) return "[memory=0,vcores=0]";
      if (text.ends_with('w')) return "0w";
    }
    return "0";
  }

  void ReadCapacities(const std::string& path, const std::string& none, QueueSpec* queue) {
    const std::string own = TextOf(Key(path, "capacity"));
    SetSetting("capacity", own.empty() ? none : own, queue);
    const std::string most = TextOf(Key(path, "maximum-capacity"));
    if (!most.empty() && !IsUnset(most)) SetSetting("maximum-capacity", most, queue);
  }

  // Of a largest capacity: -1 counts as none, as at the peer.
  static bool IsUnset(const std::string& most) {
    double number = 0;
    return absl::SimpleAtod(most, &number) && number == -1;
  }

  void ReadState(const Field& value, QueueSpec* queue) {
    const std::string state = absl::AsciiStrToUpper(value.ScalarText());
    if (state != "RUNNING" && state != "STOPPED") {
      value.Refuse(absl::StrCat(value.Describe(), " is no state; expected RUNNING or STOPPED"));
    }
    if (state == "STOPPED") queue->state = QueueState::kClosed;
  }

  void ReadQueue(const std::string& path) {
    QueueSpec& queue = queues_.Of(path);
    if (path == "root") {  // it has the cluster, whatever is set
      Find(Key(path, "capacity"));
      Find(Key(path, "maximum-capacity"));
    }
    for (const auto& [key, fallback] : kQueueKeys) {
      std::string text = TextOf(Key(path, key));
      if (text.empty() && !fallback.empty()) {
        text = TextOf(absl::StrCat(ToAbsl(kCapacityPrefix), ToAbsl(fallback)));
      }
      if (!text.empty()) SetSetting(key, text, &queue);
    }
    ReadLabels(path, &queue);
    ReadMaking(path, &queue);
    if (const Field* order = Find(Key(path, "ordering-policy"))) SetOrder(*order, &queue);
    if (const Field* state = Find(Key(path, "state"))) ReadState(*state, &queue);
    if (const Field* priority = Find(Key(path, "priority"))) {
      if (!absl::SimpleAtoi(priority->ScalarText(), &queue.priority)) {
        priority->Refuse(
            absl::StrCat(priority->Describe(), " is no priority; expected an integer"));
      }
    }
    ReadWeights(path, &queue);
  }

  // The labels of the queue, and what it may hold of each.
  void ReadLabels(const std::string& path, QueueSpec* queue) {
    constexpr std::string_view kLabels = "accessible-node-labels";
    const std::string begin = Key(path, kLabels);
    const auto own = values_.find(begin);
    if (own != values_.end()) {  // blank: none
      used_.insert(begin);
      const std::string labels = own->second.ScalarText();
      SetSetting(kLabels, labels.empty() ? " " : labels, queue);
    }
    for (auto at = values_.lower_bound(begin + "."); at != values_.end(); ++at) {
      const std::string& key = at->first;
      if (!key.starts_with(begin + ".")) break;
      const std::string value = at->second.ScalarText();
      if (absl::EndsWith(key, ".maximum-capacity") && IsUnset(value)) continue;
      if (!absl::EndsWith(key, "capacity") &&
          !absl::EndsWith(key, ".maximum-am-resource-percent")) {
        continue;
      }
      used_.insert(key);
      SetSetting(key.substr(begin.size() - kLabels.size()), value, queue);
    }
  }

  // How many applications of one user run at once, in all queues.
  void ReadParallel(QueueSpec* root) {
    const std::string begin = absl::StrCat(ToAbsl(kCapacityPrefix), "user.");
    constexpr absl::string_view kEnd = "max-parallel-apps";
    for (auto at = values_.lower_bound(begin); at != values_.end(); ++at) {
      const std::string& key = at->first;
      if (!key.starts_with(begin)) break;
      if (!absl::EndsWith(key, kEnd)) continue;
      std::string name = key.substr(begin.size(), key.size() - begin.size() - kEnd.size());
      if (name.empty()) {
        name = "*.";
      } else if (name.size() < 2 || !name.ends_with('.')) {
        continue;
      }
      name.pop_back();
      used_.insert(key);
      if (IsBelowZero(at->second)) continue;
      std::vector<UserLimit>& limits = (root->users ? *root->users : root->users.emplace()).limits;
      auto limit = std::ranges::find(limits, name, &UserLimit::name);
      if (limit == limits.end()) limit = limits.insert(limits.end(), {.name = name});
      limit->max_jobs = AmountOf(at->second);
    }
  }

  void ReadWeights(const std::string& path, QueueSpec* queue) {
    const std::string begin = Key(path, "user-settings.");
    UserRules rules;
    for (auto at = values_.lower_bound(begin); at != values_.end(); ++at) {
      const std::string& key = at->first;
      if (!key.starts_with(begin)) break;
      constexpr absl::string_view kEnd = ".weight";
      if (!absl::EndsWith(key, kEnd) || key.size() <= begin.size() + kEnd.size()) continue;
      used_.insert(key);
      rules.limits.push_back(
          {.name = key.substr(begin.size(), key.size() - begin.size() - kEnd.size()),
           .weight = Quantity(at->second.ScalarText())});
    }
    if (!rules.limits.empty()) queue->users = std::move(rules);
  }

  const Field properties_;
  ImportLog* const log_;
  QueueRows& queues_;
  std::map<std::string, Field> values_;
  std::set<std::string> used_, seen_;
};

std::string AmountText(const Field& amount) {
  return absl::StrCat("[memory=", AmountOf(amount["memory"]),
                      ",vcores=", AmountOf(amount["vCores"]), "]");
}

// Sets the capacity of an answer, by its mode.
void SetCapacity(const Field& info, QueueSpec* queue) {
  const std::string mode = info.Text("mode"), weight = info["weight"].ScalarText();
  const bool has_weight = !weight.empty() && !weight.starts_with('-');
  if (mode == "weight" || (mode.empty() && has_weight)) {
    return SetSetting("capacity", absl::StrCat(weight, "w"), queue);
  }
  if (mode != "absolute") {
    SetSetting("capacity", info["capacity"].ScalarText(), queue);
    const std::string most = info["maxCapacity"].ScalarText();
    if (!most.empty()) SetSetting("maximum-capacity", most, queue);
    return;
  }
  for (const Field& partition : ListOf(info.Section("capacities"), "queueCapacitiesByPartition")) {
    if (!partition.Text("partitionName").empty()) continue;
    SetSetting("capacity", AmountText(partition.Section("configuredMinResource")), queue);
    const std::string most = AmountText(partition.Section("configuredMaxResource"));
    if (most != "[memory=0,vcores=0]") SetSetting("maximum-capacity", most, queue);
    return;
  }
  info["capacities"].Refuse("has no default partition; expected the amounts of the queue");
}

void ReadAnswer(const Field& info, const std::string& path, QueueRows* queues) {
  {
    QueueSpec& queue = queues->Of(path);
    if (path != "root") SetCapacity(info, &queue);
    const auto copy = [&](const char* field, std::string_view key) {
      const std::string text = info[field].ScalarText();
      if (!text.empty()) SetSetting(key, text, &queue);
    };
    copy("userLimit", "minimum-user-limit-percent");
    copy("userLimitFactor", "user-limit-factor");
    copy("maxApplications", "maximum-applications");
    const int64_t parallel = AmountOf(info["maxParallelApps"]);
    if (parallel > 0 && parallel < kUnlimitedApps) copy("maxParallelApps", "max-parallel-apps");
    SetOrder(info["orderingPolicyInfo"], &queue);
    if (info.Text("state", "RUNNING") == "STOPPED") {
      queue.state = QueueState::kClosed;
    }
    queue.priority = info.Int32("priority", 0);
  }
  for (const Field& child : ListOf(info.Section("queues"), "queue")) {
    const std::string name = child.Text("queueName");
    if (name.empty()) return child["queueName"].Refuse("missing; each queue has a name");
    ReadAnswer(child, absl::StrCat(path, ".", name), queues);
  }
}

}  // namespace

void ReadCapacityProperties(const Field& properties, ImportLog* log, QueueRows* queues,
                            ActionOptions* options) {
  PropertyReader(properties, log, queues).Read(options);
}

void ReadCapacityAnswer(const Field& info, QueueRows* queues) { ReadAnswer(info, "root", queues); }

}  // namespace muster::yarn_import
