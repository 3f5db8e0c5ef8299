// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Queues of the fair scheduler: from an allocation file, or from what the resource manager answers
// about them.
//
// An element of the file is an object of its attributes and elements: {"allocations": {"queue":
// [{"name": "a", "weight": "2.0"}]}}.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/strings.h"
#include "lib/import/yarn.h"

namespace muster::yarn_import {
namespace {

constexpr int64_t kUnlimited = 2147483647;

enum class OptionOf : uint8_t { kHeartbeat, kPreempt, kBoth };

struct FairOption {
  std::string_view property, option;
  OptionOf of = OptionOf::kHeartbeat;
  ValueForm form = ValueForm::kNumber;
};
constexpr FairOption kFairOptionKeys[] = {
    {"yarn.scheduler.minimum-allocation-mb", "min_memory", OptionOf::kBoth},
    {"yarn.scheduler.minimum-allocation-vcores", "min_vcores", OptionOf::kBoth},
    {"yarn.scheduler.maximum-allocation-mb", "max_memory", OptionOf::kBoth},
    {"yarn.scheduler.maximum-allocation-vcores", "max_vcores", OptionOf::kBoth},
    {"yarn.scheduler.increment-allocation-mb", "increment_memory", OptionOf::kBoth},
    {"yarn.scheduler.increment-allocation-vcores", "increment_vcores", OptionOf::kBoth},
    {"yarn.scheduler.reservation-threshold.increment-multiple", "reservation_threshold"},
    {"yarn.scheduler.fair.reservable-nodes", "reservable_nodes"},
    {"yarn.scheduler.fair.assignmultiple", "assign_multiple", OptionOf::kHeartbeat,
     ValueForm::kSwitch},
    {"yarn.scheduler.fair.dynamic.max.assign", "dynamic_max_assign", OptionOf::kHeartbeat,
     ValueForm::kSwitch},
    {"yarn.scheduler.fair.max.assign", "max_assign"},
    {"yarn.scheduler.fair.locality.threshold.node", "node_locality_threshold"},
    {"yarn.scheduler.fair.locality.threshold.rack", "rack_locality_threshold"},
    {"yarn.scheduler.fair.sizebasedweight", "size_based_weight", OptionOf::kBoth,
     ValueForm::kSwitch},
    {"yarn.scheduler.fair.waitTimeBeforeKill", "wait_before_kill", OptionOf::kPreempt,
     ValueForm::kMilliseconds},
    {"yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", "wait_before_next_check",
     OptionOf::kPreempt, ValueForm::kMilliseconds},
    {"yarn.scheduler.fair.preemption.cluster-utilization-threshold", "utilization_threshold",
     OptionOf::kPreempt},
    {"yarn.scheduler.fair.am.preemption", "am_preemption", OptionOf::kPreempt, ValueForm::kSwitch}};
constexpr std::string_view kFairPreemption = "yarn.scheduler.fair.preemption";

void SetFairSetting(std::string_view key, std::string value, QueueSpec* queue) {
  queue->settings.emplace_back(absl::StrCat("yarn-fair/", ToAbsl(key)), std::move(value));
}

// "4096 mb, 4 vcores" of "4096mb,4vcores" or "memory-mb=4096, vcores=4", and with percents "50% mb,
// 40% vcores" of "50% memory, 40% cpu" or "memory-mb=50%, vcores=40%"; none: other text.
std::optional<std::string> FairAmountText(std::string_view text) {
  std::string words;
  for (const absl::string_view part : absl::StrSplit(ToAbsl(text), ',')) {
    std::string item(absl::StripAsciiWhitespace(absl::AsciiStrToLower(part)));
    if (const size_t equal = item.find('='); equal != item.npos) {
      const std::string name(absl::StripAsciiWhitespace(item.substr(0, equal)));
      const bool memory = name == "memory-mb";
      if (!memory && name != "vcores") return std::nullopt;
      item = absl::StrCat(absl::StripAsciiWhitespace(item.substr(equal + 1)),
                          memory ? "mb" : "vcores");
    }
    const bool is_percent = item.find('%') != item.npos;
    const char* allowed = is_percent ? "0123456789." : "0123456789";
    const size_t digits = std::min(item.find_first_not_of(allowed), item.size());
    absl::string_view unit = absl::StripAsciiWhitespace(absl::string_view(item).substr(digits));
    if (is_percent && !absl::ConsumePrefix(&unit, "%")) return std::nullopt;
    unit = absl::StripAsciiWhitespace(unit);
    if (is_percent && unit == "memory") unit = "mb";
    if (is_percent && unit == "cpu") unit = "vcores";
    const bool has_all = is_percent && unit.empty();
    if (digits == 0 || (!has_all && unit != "mb" && unit != "vcores")) return std::nullopt;
    absl::StrAppend(&words, words.empty() ? "" : ", ", item.substr(0, digits),
                    is_percent ? "%" : "", has_all ? "" : " ", unit);
  }
  return words;
}

void SetAmounts(std::string_view key, const Field& value, QueueSpec* queue) {
  const auto text = FairAmountText(value.ScalarText());
  const bool may_be_percent = key == "maxResources";
  if (text && (may_be_percent || text->find('%') == text->npos)) {
    SetFairSetting(key, *text, queue);
  } else {
    value.Ignored("these amounts are not read; the default stands for them");
  }
}

// As at the peer, parts above the whole are the whole, and those below `least` are that.
void SetPart(std::string_view key, const Field& value, double least, QueueSpec* queue) {
  const std::string text = value.ScalarText();
  double part = 0;
  const bool is_number = absl::SimpleAtod(text, &part);
  SetFairSetting(key,
                 is_number && part > 1       ? "1"
                 : is_number && part < least ? absl::StrCat(least)
                                             : text,
                 queue);
}

// Elements of a queue, and those that stand for it where a queue has none.
struct QueueElement {
  std::string_view key, otherwise;
  bool is_of_root = false;  // `otherwise` stands for the root's alone, which others inherit
};
constexpr QueueElement kQueueElements[] = {
    {"weight", ""},
    {"maxRunningApps", "queueMaxAppsDefault"},
    {"schedulingPolicy", ""},
    {"maxAMShare", "queueMaxAMShareDefault"},
    {"minResources", ""},
    {"maxResources", "queueMaxResourcesDefault"},
    {"minSharePreemptionTimeout", "defaultMinSharePreemptionTimeout", true},
    {"fairSharePreemptionTimeout", "defaultFairSharePreemptionTimeout", true},
    {"fairSharePreemptionThreshold", "defaultFairSharePreemptionThreshold", true},
    {"allowPreemptionFrom", ""},
};
// An older word for defaultFairSharePreemptionTimeout.
constexpr std::string_view kOlderTimeout = "fairSharePreemptionTimeout";

void SetElement(std::string_view key, const Field& value, QueueSpec* queue) {
  const std::string text = value.ScalarText();
  constexpr double kNoLeast = std::numeric_limits<double>::lowest();
  if (key == "schedulingPolicy") {
    SetFairSetting(key, absl::AsciiStrToLower(text), queue);
  } else if (key == "minResources" || key == "maxResources") {
    SetAmounts(key, value, queue);
  } else if (key == "maxAMShare") {
    SetPart(key, value, kNoLeast, queue);
  } else if (key == "fairSharePreemptionThreshold") {
    SetPart(key, value, 0, queue);
  } else if (key == "allowPreemptionFrom") {
    const bool may = absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(text), "true");
    SetFairSetting(key, may ? "true" : "false", queue);
  } else {
    SetFairSetting(key, text, queue);
  }
}

class AllocationReader {
 public:
  AllocationReader(const Field& allocations, QueueRows* queues)
      : allocations_(allocations), queues_(*queues) {}

  // Returns the policy of queues that set none; empty: the default.
  std::string Read() {
    queues_.Of("root");
    ReadChildren(allocations_, "root");
    SetDefaultsOfRoot();
    ReadUsers();
    std::string policy;
    for (const Field& element : allocations_.Children()) {
      const std::string_view key = element.key();
      if (key == "defaultQueueSchedulingPolicy") {
        policy = absl::AsciiStrToLower(element.ScalarText());
      } else if (!IsRead(key)) {
        element.Ignored(key == "queuePlacementPolicy" || key == "queuePlacementRules"
                            ? "rules that place applications are not read"
                            : "this element decides nothing here, or is not read");
      }
    }
    return policy;
  }

 private:
  void ReadChildren(const Field& parent, const std::string& path) {
    for (const char* word : {"queue", "pool"}) {
      for (const Field& queue : ListOf(parent, word)) {
        const std::string name = queue.Text("name");
        if (name.empty()) return queue["name"].Refuse("missing; each queue has a name");
        const bool is_root = path == "root" && name == "root";
        ReadQueue(queue, is_root ? name : absl::StrCat(path, ".", name));
      }
    }
  }

  void ReadQueue(const Field& element, const std::string& path) {
    QueueSpec& queue = queues_.Of(path);
    for (const Field& value : element.Children()) {
      const std::string_view key = value.key();
      if (key == "name" || key == "type" || key == "queue" || key == "pool") continue;
      if (std::ranges::find(kQueueElements, key, &QueueElement::key) != std::end(kQueueElements)) {
        SetElement(key, value, &queue);
      } else {
        value.Ignored("this element decides nothing here, or is not read");
      }
    }
    for (const QueueElement& known : kQueueElements) {
      if (path == "root" || known.is_of_root || element[known.key].given()) continue;
      const Field value = allocations_[known.otherwise];
      if (!known.otherwise.empty() && value.given()) SetElement(known.key, value, &queue);
    }
    ReadChildren(element, path);
  }

  void SetDefaultsOfRoot() {
    QueueSpec& root = queues_.Of("root");
    for (const QueueElement& known : kQueueElements) {
      const std::string setting = absl::StrCat("yarn-fair/", ToAbsl(known.key));
      const bool is_set = std::ranges::any_of(
          root.settings, [&](const auto& pair) { return pair.first == setting; });
      if (is_set || !known.is_of_root) continue;
      Field value = allocations_[known.otherwise];
      if (!value.given() && known.key == kOlderTimeout) value = allocations_[kOlderTimeout];
      if (value.given()) SetElement(known.key, value, &root);
    }
  }

  void ReadUsers() {
    QueueSpec& root = queues_.Of("root");
    UserRules users;
    for (const Field& user : ListOf(allocations_, "user")) {
      const std::string name = user.Text("name");
      if (name.empty()) return user["name"].Refuse("missing; each user has a name");
      if (user["maxRunningApps"].ScalarText().starts_with('-')) {
        user["maxRunningApps"].Refuse(
            absl::StrCat(user["maxRunningApps"].Describe(), " is below 0; expected 0 or more"));
      }
      users.limits.push_back({.name = name, .max_jobs = AmountOf(user["maxRunningApps"])});
    }
    if (!users.limits.empty()) root.users = std::move(users);
    const Field most = allocations_[kUserDefault];
    if (most.given()) SetFairSetting(kUserDefault, most.ScalarText(), &root);
  }

  static bool IsRead(std::string_view key) {
    return key == "queue" || key == "pool" || key == "user" || key == kUserDefault ||
           key == kOlderTimeout ||
           std::ranges::find(kQueueElements, key, &QueueElement::otherwise) !=
               std::end(kQueueElements);
  }

  static constexpr std::string_view kUserDefault = "userMaxAppsDefault";
  const Field allocations_;
  QueueRows& queues_;
};

// The children of an answer, in the form of either version.
std::vector<Field> ChildrenOf(const Field& info) {
  const Field children = info["childQueues"];
  return children.given() && children.kind() == JsonKind::kArray ? info.Items("childQueues")
                                                                 : ListOf(children, "queue");
}

void ReadFairQueue(const Field& info, const std::string& path, QueueRows* queues) {
  {
    QueueSpec& queue = queues->Of(path);
    // `none` is what stands for no such amounts.
    const auto amounts = [&](const char* field, auto none) {
      const Field value = info.Section(field);
      const int64_t memory = AmountOf(value["memory"]), vcores = AmountOf(value["vCores"]);
      const bool is_given = value["memory"].given() || value["vCores"].given();
      if (!is_given || (none(memory) && none(vcores))) return;
      SetFairSetting(field, absl::StrCat(memory, " mb, ", vcores, " vcores"), &queue);
    };
    amounts("minResources", [](int64_t amount) { return amount == 0; });
    // A queue that may use nothing is shut.
    if (path != "root") {
      amounts("maxResources", [](int64_t amount) { return amount >= kUnlimited; });
    }
    const int64_t apps = AmountOf(info["maxApps"]);
    if (info["maxApps"].given() && apps < kUnlimited) {
      SetFairSetting("maxRunningApps", absl::StrCat(apps), &queue);
    }
    if (!info.Bool("preemptable", true)) SetFairSetting("allowPreemptionFrom", "false", &queue);
    const std::string policy = absl::AsciiStrToLower(info.Text("schedulingPolicy"));
    if (!policy.empty()) SetFairSetting("schedulingPolicy", policy, &queue);
  }
  for (const Field& child : ChildrenOf(info)) {
    std::string name = child.Text("queueName");
    const std::string begin = absl::StrCat(path, ".");
    if (name.starts_with(begin)) name.erase(0, begin.size());
    if (name.empty()) return child["queueName"].Refuse("missing; each queue has a name");
    ReadFairQueue(child, absl::StrCat(begin, name), queues);
  }
}

}  // namespace

void ReadAllocations(const Field& configuration, QueueRows* queues, ActionOptions* options) {
  const std::string policy = AllocationReader(configuration.Section("allocations"), queues).Read();
  std::string preempt;
  const auto add = [&](std::string_view name, std::string_view value, OptionOf of) {
    if (of != OptionOf::kPreempt) AddOption(name, value, &options->heartbeat);
    if (of != OptionOf::kHeartbeat) AddOption(name, value, &preempt);
  };
  if (!policy.empty()) add("policy", policy, OptionOf::kBoth);
  for (const FairOption& key : kFairOptionKeys) {
    const Field value = configuration[key.property];
    if (!value.given()) continue;
    const std::string text = OptionText(value, key.form);
    if (key.form != ValueForm::kSwitch || !text.empty()) add(key.option, text, key.of);
  }
  const Field preemption = configuration[kFairPreemption];
  if (preemption.given() && SwitchOf(preemption) == "on") options->preempt = preempt;
  for (const Field& item : configuration.Children()) {
    const bool is_read = item.key() == "allocations" || item.key() == kFairPreemption ||
                         std::ranges::find(kFairOptionKeys, item.key(), &FairOption::property) !=
                             std::end(kFairOptionKeys);
    if (!is_read && IsProperty(item.key())) {
      item.Ignored("this property decides nothing here, or is not read");
    }
  }
}

void ReadFairAnswer(const Field& info, QueueRows* queues) {
  const Field root = info.Section("rootQueue");
  ReadFairQueue(root, "root", queues);
  if (!ChildrenOf(root).empty()) {
    root["childQueues"].Ignored("weights of queues are in no answer; 1 stands for each");
  }
}

}  // namespace muster::yarn_import
