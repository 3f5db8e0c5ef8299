// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YuniKorn's placement: filters, single rules, all rules of a partition.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/conformance/probe/partition_steps.h"
#include "tests/conformance/probe/yunikorn_json.h"

namespace muster::testing::yunikorn_probe {
namespace {

yunikorn::Application SubmittedOf(const json& app) {
  yunikorn::Application application;
  application.id = app["id"];
  application.queue_path = app["queue"];
  application.tags = TextsOf(app["tags"]);
  application.forced = app["forced"];
  application.usage.user = app["user"];
  application.usage.groups = app["groups"].get<std::vector<std::string>>();
  return application;
}

json PathOf(const absl::StatusOr<std::string>& path) {
  return path.ok() ? json(*path) : TextOf(path.status());
}

json PlaceByRule(const json& question, const yunikorn::Application& application) {
  const absl::StatusOr<yunikorn::Rule> rule = yunikorn::Rule::Build(RuleConfigOf(question["rule"]));
  if (!rule.ok()) return TextOf(rule.status());
  const std::map<std::string, bool, std::less<>> leaves = question["queues"];
  return PathOf(
      rule->Place(application, [&](std::string_view path) -> std::optional<yunikorn::QueueView> {
        const auto found = leaves.find(path);
        if (found == leaves.end()) return std::nullopt;
        return yunikorn::QueueView{found->second};
      }));
}

}  // namespace

absl::StatusOr<json> AnswerPlacement(const json& question) {
  const yunikorn::Application application = SubmittedOf(question["app"]);
  if (question.contains("filter")) {
    const yunikorn::RuleConfig rule =
        RuleConfigOf({{"name", "user"}, {"filter", question["filter"]}});
    return yunikorn::Filter(rule.filter).Allows(application.usage.user, application.usage.groups);
  }
  if (question.contains("rule")) return PlaceByRule(question, application);
  yunikorn::PartitionConfig config = ConfigOf(question["config"]);
  const std::vector<yunikorn::RuleConfig> rules = std::exchange(config.rules, {});
  yunikorn::Partition partition;
  absl::Status status = partition.Configure(std::move(config));
  yunikorn::PartitionSteps steps(partition);
  if (status.ok()) status = steps.SetRules(rules);
  if (!status.ok()) return TextOf(status);
  return question["place"] ? PathOf(steps.Place(application)) : json();
}

}  // namespace muster::testing::yunikorn_probe
