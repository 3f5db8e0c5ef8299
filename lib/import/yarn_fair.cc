// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Queues of the fair scheduler: from an allocation file, or from what the resource manager answers
// about them.
//
// An element of the file is an object of its attributes and elements: {"allocations": {"queue":
// [{"name": "a", "weight": "2.0"}]}}.
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/import/yarn.h"

namespace muster::yarn_import {
namespace {

constexpr int64_t kUnlimited = 2147483647;

struct FairOption {
  std::string_view property, option;
  bool is_switch = false;
};
constexpr FairOption kFairOptionKeys[] = {
    {"yarn.scheduler.minimum-allocation-mb", "min_memory"},
    {"yarn.scheduler.minimum-allocation-vcores", "min_vcores"},
    {"yarn.scheduler.maximum-allocation-mb", "max_memory"},
    {"yarn.scheduler.maximum-allocation-vcores", "max_vcores"},
    {"yarn.scheduler.increment-allocation-mb", "increment_memory"},
    {"yarn.scheduler.increment-allocation-vcores", "increment_vcores"},
    {"yarn.scheduler.reservation-threshold.increment-multiple", "reservation_threshold"},
    {"yarn.scheduler.fair.reservable-nodes", "reservable_nodes"},
    {"yarn.scheduler.fair.assignmultiple", "assign_multiple", true},
    {"yarn.scheduler.fair.dynamic.max.assign", "dynamic_max_assign", true},
    {"yarn.scheduler.fair.max.assign", "max_assign"},
    {"yarn.scheduler.fair.locality.threshold.node", "node_locality_threshold"},
    {"yarn.scheduler.fair.locality.threshold.rack", "rack_locality_threshold"},
    {"yarn.scheduler.fair.sizebasedweight", "size_based_weight", true}};

void SetFairSetting(std::string_view key, std::string value, QueueSpec* queue) {
  queue->settings.emplace_back(absl::StrCat("yarn-fair/", ToAbsl(key)), std::move(value));
}

// "4096 mb, 4 vcores" of "4096mb,4vcores" or "memory-mb=4096, vcores=4"; none: other text.
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
    const size_t digits = std::min(item.find_first_not_of("0123456789"), item.size());
    const std::string unit(absl::StripAsciiWhitespace(item.substr(digits)));
    if (digits == 0 || (unit != "mb" && unit != "vcores")) return std::nullopt;
    absl::StrAppend(&words, words.empty() ? "" : ", ", item.substr(0, digits), " ", unit);
  }
  return words;
}

void SetAmounts(std::string_view key, const Field& value, QueueSpec* queue) {
  if (const auto text = FairAmountText(value.ScalarText())) {
    SetFairSetting(key, *text, queue);
  } else {
    value.Ignored("these amounts are not read; the default stands for them");
  }
}

// Parts above the whole are the whole.
void SetMasterShare(const Field& value, QueueSpec* queue) {
  const std::string text = value.ScalarText();
  double part = 0;
  const bool is_more = absl::SimpleAtod(text, &part) && part > 1;
  SetFairSetting("maxAMShare", is_more ? "1" : text, queue);
}

class AllocationReader {
 public:
  AllocationReader(const Field& allocations, QueueRows* queues)
      : allocations_(allocations), queues_(*queues) {}

  void Read(std::string* options) {
    queues_.Of("root");
    ReadChildren(allocations_, "root");
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
    if (!users.limits.empty()) queues_.Of("root").users = std::move(users);
    for (const Field& element : allocations_.Children()) {
      const std::string_view key = element.key();
      if (key == "queue" || key == "pool" || key == "user" || key == "queueMaxAppsDefault" ||
          key == "queueMaxResourcesDefault" || key == "queueMaxAMShareDefault") {
        continue;
      }
      if (key == "defaultQueueSchedulingPolicy") {
        AddOption("policy", absl::AsciiStrToLower(element.ScalarText()), options);
      } else {
        element.Ignored("this element decides nothing here, or is not read");
      }
    }
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
    bool has_apps = path == "root", has_amounts = has_apps, has_masters = has_apps;
    {
      QueueSpec& queue = queues_.Of(path);
      for (const Field& value : element.Children()) {
        const std::string_view key = value.key();
        if (key == "name" || key == "type" || key == "queue" || key == "pool") continue;
        if (key == "weight" || key == "maxRunningApps") {
          SetFairSetting(key, value.ScalarText(), &queue);
        } else if (key == "schedulingPolicy") {
          SetFairSetting(key, absl::AsciiStrToLower(value.ScalarText()), &queue);
        } else if (key == "maxAMShare") {
          SetMasterShare(value, &queue);
        } else if (key == "minResources" || key == "maxResources") {
          SetAmounts(key, value, &queue);
        } else {
          value.Ignored("this element decides nothing here, or is not read");
        }
        has_apps |= key == "maxRunningApps";
        has_amounts |= key == "maxResources";
        has_masters |= key == "maxAMShare";
      }
      const Field apps = allocations_["queueMaxAppsDefault"];
      const Field amounts = allocations_["queueMaxResourcesDefault"];
      const Field masters = allocations_["queueMaxAMShareDefault"];
      if (!has_apps && apps.given()) SetFairSetting("maxRunningApps", apps.ScalarText(), &queue);
      if (!has_amounts && amounts.given()) SetAmounts("maxResources", amounts, &queue);
      if (!has_masters && masters.given()) SetMasterShare(masters, &queue);
    }
    ReadChildren(element, path);
  }

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

void ReadAllocations(const Field& configuration, QueueRows* queues, std::string* options) {
  AllocationReader(configuration.Section("allocations"), queues).Read(options);
  for (const FairOption& key : kFairOptionKeys) {
    const Field value = configuration[key.property];
    if (!value.given()) continue;
    const std::string text = key.is_switch ? SwitchOf(value) : value.ScalarText();
    if (!key.is_switch || !text.empty()) AddOption(key.option, text, options);
  }
  for (const Field& item : configuration.Children()) {
    const bool is_read = item.key() == "allocations" ||
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
