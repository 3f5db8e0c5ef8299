// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yunikorn/read_config.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/settings.h"
#include "lib/peer/yunikorn/placement.h"
#include "lib/peer/yunikorn/properties.h"
#include "muster/quantity.h"

namespace muster::yunikorn {
namespace {

constexpr int64_t kMostApplications = int64_t{1} << 53;

bool IsRootQueue(const QueueTable& queues, QueueIndex q) {
  return queues.parent[q] == kNone && absl::AsciiStrToLower(queues.spec[q].name) == kRoot;
}

// What the name has behind that of its parent.
std::string OwnName(const QueueTable& queues, QueueIndex q) {
  std::string_view name = queues.spec[q].name;
  if (queues.parent[q] == kNone) {
    if (!IsRootQueue(queues, q) && name.starts_with("root.")) name.remove_prefix(5);
  } else {
    const std::string& parent = queues.spec[queues.parent[q]].name;
    if (name.size() > parent.size() + 1 && name.starts_with(parent) && name[parent.size()] == '.') {
      name.remove_prefix(parent.size() + 1);
    }
  }
  return absl::AsciiStrToLower(ToAbsl(name));
}

Texts TextsOf(const Tables& tables, const RowTable& rows, size_t row) {
  Texts texts;
  for (DimensionIndex d = 0; d < tables.dimension_count(); ++d) {
    const int64_t cell = rows.at(row, d);
    if (cell == kAbsent) continue;
    texts[std::string(TypeName(tables.dimensions.name(d)))] =
        absl::StrCat(AmountOf(tables, d, cell, Rounding::kDown), d == kCpu ? "m" : "");
  }
  return texts;
}

// Keeps a duration that must be above zero: "30s", "1h30m".
void KeepDuration(SettingReader& settings, std::string_view key, Texts& properties) {
  const std::optional<std::string_view> text = settings.Text(key);
  if (!text) return;
  const std::optional<Nanos> delay = ReadDuration(*text);
  if (!delay || *delay <= 0) settings.Refuse(key, "must be a duration above zero, such as \"30s\"");
  properties[std::string(key)] = std::string(*text);
}

void KeepChoice(SettingReader& settings, std::string_view key,
                std::initializer_list<std::string_view> words, Texts& properties) {
  const std::string_view value = settings.Choice(key, words, "");
  if (!value.empty()) properties[std::string(key)] = std::string(value);
}

// A delay that nanoseconds cannot count is the longest that they can, and never ends.
std::string DelayText(int64_t seconds) {
  constexpr int64_t kMost = std::numeric_limits<Nanos>::max() / kSecond;
  return absl::StrCat(std::min(seconds, kMost), "s");
}

// Keeps the rules of the queue as properties that no setting has set.
void KeepPreemption(const PreemptionRules& rules, Texts& properties) {
  if (rules.fence != PreemptionFence::kOpen) {
    properties.try_emplace("preemption.policy",
                           rules.fence == PreemptionFence::kFenced ? "fence" : "disabled");
  }
  if (rules.delay.value_or(0) > 0) {
    properties.try_emplace("preemption.delay", DelayText(*rules.delay));
  }
  if (rules.quota_delay.value_or(0) > 0) {
    properties.try_emplace("quota.preemption.delay", DelayText(*rules.quota_delay));
  }
}

void ReadProperties(SettingReader& settings, int32_t priority, Texts& properties) {
  KeepChoice(settings, "application.sort.policy", {"fifo", "fair"}, properties);
  KeepChoice(settings, "application.sort.priority", {"enabled", "disabled"}, properties);
  KeepChoice(settings, "priority.policy", {"default", "fence"}, properties);
  KeepChoice(settings, "preemption.policy", {"default", "fence", "disabled"}, properties);
  const int64_t offset = settings.Integer("priority.offset", std::numeric_limits<int32_t>::min(),
                                          std::numeric_limits<int32_t>::max(), priority);
  if (offset != 0) properties["priority.offset"] = std::to_string(offset);
  const int64_t asks = settings.Integer("application.unschedasks.backoff", 0, kMostApplications, 0);
  if (asks > 0) properties["application.unschedasks.backoff"] = std::to_string(asks);
  KeepDuration(settings, "application.unschedasks.backoff.delay", properties);
  KeepDuration(settings, "preemption.delay", properties);
  KeepDuration(settings, "quota.preemption.delay", properties);
}

void KeepAcl(SettingReader& settings, std::string_view key, std::string* acl) {
  const std::optional<std::string_view> text = settings.Text(key);
  if (!text) return;
  if (!CheckAcl(*text).ok()) settings.Refuse(key, "must be users, a space, and groups");
  *acl = std::string(*text);
}

// The amount in the peer's units. A part of a unit does not count, as in the limits of queues.
std::string LimitText(std::string_view name, const muster::Quantity& amount) {
  if (!IsMilliDimension(name)) {
    return absl::StrCat(ParseQuantity(amount.text, Unit::kWhole).value_or(0));
  }
  const int64_t thousandths = ParseQuantity(amount.text, Unit::kMilli).value_or(0);
  return name == "cpu" ? absl::StrCat(thousandths, "m") : absl::StrCat(thousandths / 1000);
}

// The peer's number 0 stands for no limit of applications.
absl::Status CheckUsers(const QueueSpec& spec) {
  if (!spec.users) return absl::OkStatus();
  for (const UserLimit& user : spec.users->limits) {
    if (user.max_jobs == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("queue ", Quote(spec.name), ": users: limit of ", Quote(user.name),
                       ": max_jobs is 0, which is no limit for YuniKorn; 1 or more is one"));
    }
  }
  return absl::OkStatus();
}

// Named users and groups go before the wildcards.
std::vector<LimitConfig> LimitsOf(const QueueSpec& spec) {
  std::vector<LimitConfig> limits;
  if (!spec.users) return limits;
  for (const bool wildcard : {false, true}) {
    for (const UserLimit& user : spec.users->limits) {
      if ((user.name == kWildcard) != wildcard) continue;
      LimitConfig limit{.limit = user.name};
      (user.group ? limit.groups : limit.users).push_back(user.name);
      for (const auto& [name, amount] : user.limit.value_or(Resources{})) {
        limit.most_resources[std::string(TypeName(name))] = LimitText(name, amount);
      }
      limit.most_applications = static_cast<uint64_t>(user.max_jobs.value_or(0));
      if (limit.most_resources.empty() && limit.most_applications == 0) continue;
      limits.push_back(std::move(limit));
    }
  }
  return limits;
}

class ConfigReader {
 public:
  explicit ConfigReader(const Tables& tables) : tables_(tables), queues_(tables.queues) {}

  absl::StatusOr<QueueConfig> ReadRoot() {
    QueueConfig root{.name = std::string(kRoot), .parent = true, .submit_acl = "*"};
    std::vector<QueueIndex> below;
    for (QueueIndex q = 0; q < queues_.alive.size(); ++q) {
      if (!queues_.alive[q] || queues_.parent[q] != kNone || IsUnused(q)) continue;
      if (!IsRootQueue(queues_, q)) {
        below.push_back(q);
        continue;
      }
      if (absl::Status status = ReadRow(q, &root); !status.ok()) return status;
      root.parent = true;
      below.insert(below.end(), queues_.children[q].begin(), queues_.children[q].end());
    }
    if (absl::Status status = ReadBelow(below, 2, &root); !status.ok()) return status;
    return root;
  }

 private:
  // The queue that every cluster has, in a cluster that does not use it.
  bool IsUnused(QueueIndex q) const {
    const QueueSpec& spec = queues_.spec[q];
    return spec.name == "default" && queues_.jobs[q] == 0 && queues_.children[q].empty() &&
           !spec.guaranteed && !spec.limit && !spec.users && spec.settings.empty();
  }

  // The depth of the recursion is at most kMostDepth.
  absl::Status ReadBelow(const std::vector<QueueIndex>& rows, int depth, QueueConfig* parent) {
    for (const QueueIndex q : rows) {
      if (depth > kMostDepth) {
        return absl::InvalidArgumentError(absl::StrCat("queue ", Quote(queues_.spec[q].name),
                                                       ": lies deeper than ", kMostDepth,
                                                       " levels, root included"));
      }
      QueueConfig config{.name = OwnName(queues_, q)};
      if (absl::Status status = ReadRow(q, &config); !status.ok()) return status;
      absl::Status status = ReadBelow(queues_.children[q], depth + 1, &config);
      if (!status.ok()) return status;
      parent->queues.push_back(std::move(config));
    }
    return absl::OkStatus();
  }

  absl::Status ReadRow(QueueIndex q, QueueConfig* config) const {
    const QueueSpec& spec = queues_.spec[q];
    SettingReader settings("queue", spec.name, spec.settings, kProfileName);
    config->has_guaranteed = spec.guaranteed.has_value();
    config->has_most = spec.limit.has_value();
    config->guaranteed = TextsOf(tables_, queues_.guaranteed, q);
    config->most = TextsOf(tables_, queues_.limit, q);
    config->parent = settings.Flag("parent", false);
    config->most_applications =
        static_cast<uint64_t>(settings.Integer("maxapplications", 0, kMostApplications, 0));
    KeepAcl(settings, "submitacl", &config->submit_acl);
    ReadProperties(settings, spec.priority, config->properties);
    if (spec.rules) KeepPreemption(spec.rules->preemption, config->properties);
    if (absl::Status s = CheckUsers(spec); !s.ok()) return s;
    config->limits = LimitsOf(spec);
    return settings.Finish();
  }

  const Tables& tables_;
  const QueueTable& queues_;
};

}  // namespace

std::string_view TypeName(std::string_view dimension) {
  return dimension == "cpu" ? "vcore" : dimension;
}

Quantity AmountOf(const Tables& tables, DimensionIndex d, int64_t cell, Rounding rounding) {
  if (d == kCpu || !IsMilliDimension(tables.dimensions.name(d))) return cell;
  return cell / 1000 + (rounding == Rounding::kUp && cell % 1000 > 0 ? 1 : 0);
}

std::string PathOf(const Tables& tables, QueueIndex queue) {
  std::vector<std::string> names;
  for (QueueIndex q = queue; q != kNone && !IsRootQueue(tables.queues, q);
       q = tables.queues.parent[q]) {
    names.push_back(OwnName(tables.queues, q));
  }
  std::string path(kRoot);
  for (size_t i = names.size(); i-- > 0;) absl::StrAppend(&path, ".", names[i]);
  return path;
}

ConfigChecks ChecksOf(const Options& options) {
  return options.flag("strict") ? ConfigChecks::kAll : ConfigChecks::kStructure;
}

absl::StatusOr<QueueConfig> ReadQueues(const Tables& tables) {
  return ConfigReader(tables).ReadRoot();
}

absl::StatusOr<PartitionConfig> ReadConfig(const Tables& tables, const Options& options) {
  absl::StatusOr<QueueConfig> root = ReadQueues(tables);
  if (!root.ok()) return root.status();
  PartitionConfig config;
  config.queues.push_back(*std::move(root));
  config.preemption = options.flag("preemption");
  config.quota_preemption = options.flag("quota_preemption");
  config.node_sort = options.text("node_sort");
  for (const auto& [name, weight] : options.family("weight.")) {
    config.node_weights[std::string(TypeName(name))] = weight;
  }
  return config;
}

}  // namespace muster::yunikorn
