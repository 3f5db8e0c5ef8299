// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YuniKorn's limits of users and groups, call by call.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/probe/yunikorn_json.h"

namespace muster::testing::yunikorn_probe {
namespace {

class LimitsPlayer {
 public:
  json Play(const json& ops) {
    json answers = json::array();
    for (const json& op : ops) answers.push_back(Do(op));
    return answers;
  }

 private:
  json Do(const json& op) {
    const std::string kind = op["op"];
    if (kind == "config") {
      std::vector<yunikorn::QueueLimits> queues;
      Collect(QueueConfigOf(op["queue"]), "", queues);
      limits_.Update(queues);
      return nullptr;
    }
    yunikorn::UsageKey key = KeyOf(op);
    if (kind == "headroom") return TextOf(limits_.Headroom(key), names_);
    if (kind == "canRun") return limits_.CanRun(key);
    if (kind == "group") return Group(key);
    const yunikorn::Resource usage = ResourceOf(op["usage"], names_);
    if (kind == "increase") limits_.Increase(key, usage);
    if (kind == "decrease") {
      limits_.Decrease(key, usage, op["last"]);
      return !limits_.HasUser(key.user);  // gone
    }
    return nullptr;
  }

  // The group of an application that comes and goes.
  std::string Group(yunikorn::UsageKey& key) {
    key.application = ~uint32_t{0};
    limits_.Increase(key, {});
    std::string group = limits_.GroupOf(key);
    limits_.Decrease(key, {}, /*last=*/true);
    return group;
  }

  yunikorn::UsageKey KeyOf(const json& op) {
    yunikorn::UsageKey key;
    const auto number = static_cast<uint32_t>(numbers_.size());
    key.application = numbers_.emplace(op["app"].get<std::string>(), number).first->second;
    key.user = op["user"];
    key.groups = op["groups"].get<std::vector<std::string>>();
    key.path = yunikorn::SplitPath(op["path"].get<std::string>());
    return key;
  }

  // Parents before children.
  void Collect(const yunikorn::QueueConfig& queue, const std::string& above,
               std::vector<yunikorn::QueueLimits>& all) {
    yunikorn::QueueLimits limits{.path = above.empty() ? queue.name : above + "." + queue.name};
    const std::string path = limits.path;
    for (const yunikorn::LimitConfig& config : queue.limits) {
      limits.rules.push_back({config.users,
                              config.groups,
                              {yunikorn::ReadResource(config.most_resources, names_).value(),
                               config.most_applications}});
    }
    all.push_back(std::move(limits));
    for (const yunikorn::QueueConfig& child : queue.queues) Collect(child, path, all);
  }

  yunikorn::TypeNames names_;
  yunikorn::Limits limits_;
  std::map<std::string, uint32_t> numbers_;
};

}  // namespace

absl::StatusOr<json> PlayLimits(const json& asked) { return LimitsPlayer().Play(asked["ops"]); }

}  // namespace muster::testing::yunikorn_probe
