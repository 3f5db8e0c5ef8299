// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YuniKorn's checks of a configuration: one recorded call a question. Answers are the results of
// the call; of an error only that there is one counts.
#include <map>
#include <string>
#include <utility>

#include "lib/peer/yunikorn/access.h"
#include "tests/conformance/probe/yunikorn_json.h"

namespace muster::testing::yunikorn_probe {
namespace {

using yunikorn::PartitionConfig;
using yunikorn::QueueConfig;

json QueueNames(const QueueConfig& queue) {
  json below = json::array();
  for (const QueueConfig& child : queue.queues) below.push_back(QueueNames(child));
  return {{"name", queue.name}, {"limits", queue.limits.size()}, {"queues", below}};
}

// A field of the text with a value of another kind is an error of the reader.
absl::StatusOr<PartitionConfig> ReadConfig(const json& partition) {
  try {
    return ConfigOf(partition);
  } catch (const json::exception& wrong_kind) {
    return absl::InvalidArgumentError(wrong_kind.what());
  }
}

json LoadConfig(const json& args) {
  absl::StatusOr<PartitionConfig> read = ReadConfig(args[0]);
  if (!read.ok()) return json::array({json(), TextOf(read.status())});
  PartitionConfig config = *std::move(read);
  const absl::Status status = CheckConfig(config);
  if (!status.ok()) return json::array({json(), TextOf(status)});
  const json summary = {{"root", QueueNames(config.queues[0])},
                        {"preemption", config.preemption},
                        {"quota_preemption", config.quota_preemption}};
  return json::array({summary, json()});
}

json CheckResources(const json& args) {
  yunikorn::TypeNames names;
  const absl::StatusOr<yunikorn::Resource> sum =
      CheckQueueResources(QueueConfigOf(args[0]), ResourceOf(args[1], names), names);
  return json::array({sum.ok() ? TextOf(*sum, names) : json(), TextOf(sum.status())});
}

json CheckLimitAmounts(const json& args) {
  yunikorn::TypeNames names;
  return json::array({TextOf(CheckLimitResources(QueueConfigOf(args[0]), names))});
}

json CheckFilter(const json& args) {
  yunikorn::RuleConfig rule = RuleConfigOf({{"name", "user"}, {"filter", args[0]}});
  return json::array({TextOf(CheckRule(rule))});
}

json CheckQueueName(const json& args) {
  const bool legal = yunikorn::IsQueueName(args[0].get<std::string>());
  return json::array({legal ? json() : TextOf(absl::InvalidArgumentError("no queue name"))});
}

json StaticPaths(const json& args) {
  json paths = json::array();
  for (const json& rule : args[0]) {
    const yunikorn::RuleConfig config = RuleConfigOf(rule);
    const absl::StatusOr<yunikorn::StaticPath> path = yunikorn::ReadStaticPath(config);
    if (!path.ok()) return json::array({json(), TextOf(path.status())});
    if (path->path.empty()) continue;
    paths.push_back({{"path", path->path}, {"dynamic", path->dynamic}, {"create", config.create}});
  }
  return json::array({paths, json()});
}

json CheckPlacementPath(const json& args) {
  std::string path;
  for (const std::string name : args[0]) path += (path.empty() ? "" : ".") + name;
  std::vector<QueueConfig> queues;
  for (const json& queue : args[3]) queues.push_back(QueueConfigOf(queue));
  return json::array({TextOf(
      yunikorn::CheckStaticPath({path, args[2].get<bool>()}, args[1].get<bool>(), queues))});
}

template <absl::Status (*kCheck)(const PartitionConfig&)>
json CheckPartition(const json& args) {
  return json::array({TextOf(kCheck(ConfigOf(args[0])))});
}

// These complete the configuration.
template <absl::Status (*kCheck)(PartitionConfig&)>
json CompletePartition(const json& args) {
  PartitionConfig config = ConfigOf(args[0]);
  return json::array({TextOf(kCheck(config))});
}

template <absl::Status (*kCheck)(const QueueConfig&)>
json CheckQueue(const json& args) {
  return json::array({TextOf(kCheck(QueueConfigOf(args[0])))});
}

}  // namespace

absl::StatusOr<json> AnswerCheck(const json& step) {
  static const std::map<std::string, json (*)(const json&), std::less<>> kChecks = {
      {"LoadSchedulerConfigFromByteArray", LoadConfig},
      {"checkQueuesStructure", CompletePartition<yunikorn::CheckQueuesStructure>},
      {"checkLimitsStructure", CompletePartition<yunikorn::CheckLimitsStructure>},
      {"checkNodeSortingPolicy", CheckPartition<yunikorn::CheckNodeSort>},
      {"checkPlacementRules", CheckPartition<yunikorn::CheckRules>},
      {"checkPlacementFilter", CheckFilter},
      {"checkPlacementRule",
       [](const json& args) { return json::array({TextOf(CheckRule(RuleConfigOf(args[0])))}); }},
      {"getLongestPlacementPaths", StaticPaths},
      {"checkQueueHierarchyForPlacement", CheckPlacementPath},
      {"checkQueues", CheckQueue<yunikorn::CheckQueues>},
      {"checkQueueMaxApplications", CheckQueue<yunikorn::CheckQueueApplications>},
      {"checkLimitMaxApplications", CheckQueue<yunikorn::CheckLimitApplications>},
      {"checkLimitResource", CheckLimitAmounts},
      {"checkLimits",
       [](const json& args) {
         return json::array({TextOf(CheckLimits(LimitConfigsOf(args[0]), QueueConfigOf(args[2])))});
       }},
      {"checkQueueResource", CheckResources},
      {"IsQueueNameValid", CheckQueueName},
  };
  const auto found = kChecks.find(step["op"].get<std::string>());
  if (found != kChecks.end()) return found->second(step["args"]);
  return absl::InvalidArgumentError("no such check: " + step["op"].get<std::string>());
}

}  // namespace muster::testing::yunikorn_probe
