// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/yunikorn.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"
#include "lib/peer/yunikorn/properties.h"

namespace muster {
namespace yunikorn_import {
namespace {

using yunikorn::LimitConfig;
using yunikorn::PartitionConfig;
using yunikorn::QueueConfig;
using yunikorn::RuleConfig;
using yunikorn::Texts;

Texts ReadProperties(const Field& section) {
  for (const Field& item : section.Children()) {
    if (std::ranges::find(yunikorn::RuleKeys(), item.key()) == yunikorn::RuleKeys().end()) {
      item.Ignored(absl::StrCat("no property that decides something",
                                SuggestName(item.key(), yunikorn::RuleKeys())));
    } else if (item.key().ends_with(".delay") &&
               yunikorn::ReadDuration(item.ScalarText()).value_or(0) <= 0) {
      item.Ignored(absl::StrCat(item.Describe(), " is no duration above 0; the default counts"));
    }
  }
  return ReadTexts(section);
}

uint64_t ReadCount(const Field& field, std::string_view key) {
  const int64_t count = field.Int64(key, 0);
  if (count < 0) field[key].Refuse(absl::StrCat(count, " is below 0; 0 or more is"));
  return static_cast<uint64_t>(std::max<int64_t>(count, 0));
}

std::vector<LimitConfig> ReadLimits(const Field& holder) {
  std::vector<LimitConfig> limits;
  for (const Field& item : holder.Items("limits")) {
    limits.push_back({.limit = item.Text("limit"),
                      .users = item.Texts("users"),
                      .groups = item.Texts("groups"),
                      .most_resources = ReadTexts(item.Section("maxresources")),
                      .most_applications = ReadCount(item, "maxapplications")});
  }
  return limits;
}

// A queue and those below it, at most kMostDepth deep.
QueueConfig ReadQueue(const Field& field, int depth) {
  QueueConfig queue{.name = field.Text("name"), .parent = field.Bool("parent", false)};
  const Field resources = field.Section("resources");
  queue.has_guaranteed = resources["guaranteed"].given();
  queue.has_most = resources["max"].given();
  queue.guaranteed = ReadTexts(resources.Section("guaranteed"));
  queue.most = ReadTexts(resources.Section("max"));
  queue.most_applications = ReadCount(field, "maxapplications");
  queue.properties = ReadProperties(field.Section("properties"));
  queue.submit_acl = field.Text("submitacl");
  queue.admin_acl = field.Text("adminacl");
  const Field child = field.Section("childtemplate");
  queue.child_template = {.most_applications = ReadCount(child, "maxapplications"),
                          .properties = ReadProperties(child.Section("properties")),
                          .guaranteed = ReadTexts(child.Section("resources")["guaranteed"]),
                          .most = ReadTexts(child.Section("resources")["max"])};
  queue.limits = ReadLimits(field);
  if (depth > yunikorn::kMostDepth) {
    field.Refuse(absl::StrCat("lies deeper than ", yunikorn::kMostDepth, " levels"));
    return queue;
  }
  for (const Field& below : field.Items("queues")) {
    queue.queues.push_back(ReadQueue(below, depth + 1));
  }
  return queue;
}

RuleConfig ReadRule(const Field& field, int depth) {
  RuleConfig rule{.name = field.Text("name"),
                  .create = field.Bool("create", false),
                  .value = field.Text("value")};
  const Field filter = field.Section("filter");
  rule.filter = {.type = filter.Text("type"),
                 .users = filter.Texts("users"),
                 .groups = filter.Texts("groups")};
  const Field parent = field.Section("parent");
  if (!parent.given()) return rule;
  if (depth > yunikorn::kMostDepth) {
    field.Refuse(absl::StrCat("has more than ", yunikorn::kMostDepth, " parents"));
    return rule;
  }
  rule.parent.push_back(ReadRule(parent, depth + 1));
  return rule;
}

PartitionConfig ReadConfiguration(const std::optional<Field>& file) {
  PartitionConfig config;
  if (!file) {
    config.queues = {{.name = "root", .parent = true, .submit_acl = "*"}};
    config.rules = {{.name = "tag", .create = true, .value = "namespace"}};
    return config;
  }
  const std::vector<Field> partitions = file->Items("partitions");
  if (partitions.empty()) {
    (*file)["partitions"].Refuse("has no entry; one is needed");
    return config;
  }
  for (size_t i = 1; i < partitions.size(); ++i) {
    partitions[i].Ignored("one partition is read, the first");
  }
  const Field& field = partitions[0];
  field.Quiet({"name"});
  for (const Field& queue : field.Items("queues")) config.queues.push_back(ReadQueue(queue, 1));
  for (const Field& rule : field.Items("placementrules")) config.rules.push_back(ReadRule(rule, 1));
  config.limits = ReadLimits(field);
  const Field preemption = field.Section("preemption");
  config.preemption = preemption.Bool("enabled", true);
  config.quota_preemption = preemption.Bool("quotapreemptionenabled", false);
  const Field sort = field.Section("nodesortpolicy");
  config.node_sort = sort.Text("type");
  for (const Field& weight : sort.Section("resourceweights").Children()) {
    double number = -1;
    if (!absl::SimpleAtod(weight.ScalarText(), &number) || !(number >= 0 && number <= 1e6)) {
      weight.Refuse(absl::StrCat(weight.Describe(), " is no weight; 0 to 1000000 is"));
    }
    config.node_weights[std::string(weight.key())] = number;
  }
  return config;
}

}  // namespace

Texts ReadTexts(const Field& section) {
  Texts texts;
  for (const Field& item : section.Children()) texts[std::string(item.key())] = item.ScalarText();
  return texts;
}

void ListLimits(const QueueConfig& queue, const std::string& path, LimitsByPath* limits) {
  UserRules rules;
  for (const LimitConfig& limit : queue.limits) {
    for (const bool group : {false, true}) {
      for (const std::string& name : group ? limit.groups : limit.users) {
        UserLimit& user = rules.limits.emplace_back(UserLimit{.name = name, .group = group});
        if (!limit.most_resources.empty()) user.limit.emplace();
        for (const auto& [type, text] : limit.most_resources) {
          const bool cpu = type == "vcore";
          user.limit->emplace_back(
              cpu ? "cpu" : type,
              Quantity(
                  absl::StrCat(yunikorn::ReadQuantity(text, cpu).value_or(0), cpu ? "m" : "")));
        }
        if (limit.most_applications == 0) continue;
        user.max_jobs = static_cast<int64_t>(limit.most_applications);
      }
    }
  }
  if (!rules.limits.empty()) (*limits)[path] = std::move(rules);
  for (const QueueConfig& below : queue.queues) {
    ListLimits(below, absl::AsciiStrToLower(absl::StrCat(path, ".", below.name)), limits);
  }
}

std::string ReadPartition(const ImportSource& source, yunikorn::Partition* partition,
                          LimitsByPath* limits) {
  PartitionConfig config = ReadConfiguration(source.configuration);
  std::vector<std::string> options;
  if (config.node_sort == "binpacking") options.push_back("node_sort=binpacking");
  if (!config.preemption) options.push_back("preemption=off");
  if (config.quota_preemption) options.push_back("quota_preemption=on");
  for (const auto& [type, weight] : config.node_weights) {
    options.push_back(absl::StrCat("weight.", type == "vcore" ? "cpu" : type, "=", weight));
  }
  if (source.log->ok()) {
    const absl::Status status = partition->Configure(config);
    if (status.ok() && yunikorn::CheckConfig(config).ok()) {
      ListLimits(config.queues[0], "root", limits);
    } else {
      source.configuration->Items("partitions")[0].Refuse(
          std::string_view(status.message().data(), status.message().size()));
    }
  }
  if (options.empty()) return "yunikorn";
  return absl::StrCat("yunikorn:schedule(", absl::StrJoin(options, ","), ")");
}

}  // namespace yunikorn_import

namespace {

constexpr std::string_view kYuniKornGroups[] = {"yunikorn.apache.org"};
constexpr KindRule kYuniKornKinds[] = {{"Node"},
                                       {"Pod"},
                                       {"Namespace"},
                                       {"PriorityClass"},
                                       {"PodDisruptionBudget"},
                                       {yunikorn_import::kStateDump, kYuniKornGroups}};

void ReadYuniKorn(const ImportSource& source, Scenario* scenario) {
  ClusterSpec& cluster = scenario->cluster;
  const Dump::Objects& dumps = source.dump.OfKind(yunikorn_import::kStateDump);
  if (!dumps.empty()) return yunikorn_import::ReadStateDump(source, *dumps.back(), scenario);
  for (const ApiObject* object : source.dump.OfKind("Node")) {
    cluster.nodes.push_back(ReadNode(*object, {.conditions = false}));
  }
  yunikorn::Partition partition;
  yunikorn_import::LimitsByPath limits;
  scenario->profile = yunikorn_import::ReadPartition(source, &partition, &limits);
  if (!source.log->ok()) return;
  yunikorn_import::AddPods(source, &partition, &cluster);
  yunikorn_import::AddQueues(partition, limits, &cluster);
  cluster.namespaces = ReadNamespaces(source.dump);
  cluster.budgets = ReadBudgets(source.dump);
}

constexpr std::string_view kYuniKornSchedulers[] = {"yunikorn"};

}  // namespace

extern const Importer kYuniKornImporter;
const Importer kYuniKornImporter = {"yunikorn", kYuniKornGroups, kYuniKornKinds, ReadYuniKorn,
                                    kYuniKornSchedulers};

}  // namespace muster
