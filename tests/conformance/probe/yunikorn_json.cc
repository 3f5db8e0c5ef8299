// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/conformance/probe/yunikorn_json.h"

namespace muster::testing::yunikorn_probe {
namespace {

std::vector<std::string> ListOf(const json& object, const char* key) {
  return ValueOf(object, key, std::vector<std::string>{});
}

const json& PartOf(const json& object, const char* key) {
  static const json kEmpty = json::object();
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? kEmpty : *found;
}

}  // namespace

std::string ScalarOf(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

yunikorn::Resource ResourceOf(const json& amounts, yunikorn::TypeNames& names) {
  if (amounts.is_null()) return yunikorn::Resource::Nil();
  yunikorn::Resource resource;
  for (const auto& [name, amount] : amounts.items()) {
    resource.Set(names.Intern(name).value(), amount.get<int64_t>());
  }
  return resource;
}

json TextOf(const yunikorn::Resource& resource, const yunikorn::TypeNames& names) {
  if (resource.nil()) return nullptr;
  json text = json::object();
  for (int type : resource.types()) text[names.name(type)] = resource.Get(type);
  return text;
}

json TextOf(const absl::Status& status) {
  if (status.ok()) return nullptr;
  return {{"error", std::string(status.message())}};
}

yunikorn::Texts TextsOf(const json& map) {
  yunikorn::Texts texts;
  if (map.is_null()) return texts;
  for (const auto& [key, value] : map.items()) texts[key] = ScalarOf(value);
  return texts;
}

std::vector<yunikorn::LimitConfig> LimitConfigsOf(const json& limits) {
  std::vector<yunikorn::LimitConfig> list;
  if (limits.is_null()) return list;
  for (const json& limit : limits) {
    list.push_back({.limit = ScalarOf(PartOf(limit, "limit")),
                    .users = ListOf(limit, "users"),
                    .groups = ListOf(limit, "groups"),
                    .most_resources = TextsOf(PartOf(limit, "maxresources")),
                    .most_applications = ValueOf(limit, "maxapplications", uint64_t{0})});
  }
  return list;
}

yunikorn::QueueConfig QueueConfigOf(const json& queue) {
  const json& resources = PartOf(queue, "resources");
  const json& child = PartOf(queue, "childtemplate");
  const json& child_resources = PartOf(child, "resources");
  yunikorn::QueueConfig config{
      .name = ValueOf(queue, "name", std::string()),
      .parent = ValueOf(queue, "parent", false),
      .has_guaranteed = resources.contains("guaranteed") && !resources["guaranteed"].is_null(),
      .has_most = resources.contains("max") && !resources["max"].is_null(),
      .guaranteed = TextsOf(PartOf(resources, "guaranteed")),
      .most = TextsOf(PartOf(resources, "max")),
      .most_applications = ValueOf(queue, "maxapplications", uint64_t{0}),
      .properties = TextsOf(PartOf(queue, "properties")),
      .admin_acl = ValueOf(queue, "adminacl", std::string()),
      .submit_acl = ValueOf(queue, "submitacl", std::string()),
      .child_template = {.most_applications = ValueOf(child, "maxapplications", uint64_t{0}),
                         .properties = TextsOf(PartOf(child, "properties")),
                         .guaranteed = TextsOf(PartOf(child_resources, "guaranteed")),
                         .most = TextsOf(PartOf(child_resources, "max"))},
      .limits = LimitConfigsOf(PartOf(queue, "limits")),
  };
  for (const json& below : PartOf(queue, "queues")) config.queues.push_back(QueueConfigOf(below));
  return config;
}

yunikorn::RuleConfig RuleConfigOf(const json& rule) {
  const json& filter = PartOf(rule, "filter");
  yunikorn::RuleConfig config{.name = ValueOf(rule, "name", std::string()),
                              .create = ValueOf(rule, "create", false),
                              .filter = {.type = ValueOf(filter, "type", std::string()),
                                         .users = ListOf(filter, "users"),
                                         .groups = ListOf(filter, "groups")},
                              .value = ValueOf(rule, "value", std::string())};
  const json& parent = PartOf(rule, "parent");
  if (!parent.empty()) config.parent.push_back(RuleConfigOf(parent));
  return config;
}

yunikorn::PartitionConfig ConfigOf(const json& partition) {
  const json& preemption = PartOf(partition, "preemption");
  const json& sort = PartOf(partition, "nodesortpolicy");
  yunikorn::PartitionConfig config{
      .limits = LimitConfigsOf(PartOf(partition, "limits")),
      .preemption = ValueOf(preemption, "enabled", true),
      .quota_preemption = ValueOf(preemption, "quotapreemptionenabled", false),
      .node_sort = ValueOf(sort, "type", std::string()),
  };
  for (const json& queue : PartOf(partition, "queues")) {
    config.queues.push_back(QueueConfigOf(queue));
  }
  for (const json& rule : PartOf(partition, "placementrules")) {
    config.rules.push_back(RuleConfigOf(rule));
  }
  for (const auto& [name, weight] : PartOf(sort, "resourceweights").items()) {
    config.node_weights[name] = weight.get<double>();
  }
  return config;
}

const char* NameOf(yunikorn::AppState state) {
  constexpr const char* kNames[] = {"New",       "Accepted", "Running", "Rejected", "Completing",
                                    "Completed", "Failing",  "Failed",  "Expired",  "Resuming"};
  return kNames[static_cast<size_t>(state)];
}

yunikorn::AppState AppStateOf(const std::string& name) {
  for (size_t i = 0; i < 10; ++i) {
    if (name == NameOf(static_cast<yunikorn::AppState>(i)))
      return static_cast<yunikorn::AppState>(i);
  }
  return yunikorn::AppState::kNew;
}

const char* NameOf(yunikorn::ResultType type) {
  constexpr const char* kNames[] = {"Allocated", "AllocatedReserved", "Reserved", "Unreserved",
                                    "Replaced"};
  return kNames[static_cast<size_t>(type)];
}

const char* NameOf(yunikorn::Termination type) {
  constexpr const char* kNames[] = {"UNKNOWN_TERMINATION_TYPE", "STOPPED_BY_RM", "TIMEOUT",
                                    "PREEMPTED_BY_SCHEDULER", "PLACEHOLDER_REPLACED"};
  return kNames[static_cast<size_t>(type)];
}

}  // namespace muster::testing::yunikorn_probe
