// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What makes placement rules illegal: bad names and patterns, and fixed queues that cannot be.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/yunikorn/access.h"
#include "lib/peer/yunikorn/config.h"
#include "lib/peer/yunikorn/pattern.h"

namespace muster::yunikorn {
namespace {

template <class... Parts>
absl::Status Wrong(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat("placement rule ", parts...));
}

bool IsRuleName(const std::string& name) {
  return IsUserName(name) && name.find_first_of(":#/.@-$") == std::string::npos;
}

bool IsListOrPattern(const std::vector<std::string>& list, bool users) {
  if (list.size() != 1 || (users ? IsUserName(list[0]) : IsGroupName(list[0]))) return true;
  if (list[0].find_first_of("^$*+?()[{}|") == std::string::npos) return false;
  return Pattern::Read(list[0]).ok();
}

// Parents first.
std::vector<const RuleConfig*> ChainOf(const RuleConfig& rule) {
  std::vector<const RuleConfig*> chain;
  for (const RuleConfig* at = &rule; at != nullptr;
       at = at->parent.empty() ? nullptr : &at->parent[0]) {
    chain.insert(chain.begin(), at);
  }
  return chain;
}

}  // namespace

absl::Status CheckRule(const RuleConfig& rule) {
  int depth = 0;
  for (const RuleConfig* at = &rule; at != nullptr;
       at = at->parent.empty() ? nullptr : &at->parent[0]) {
    if (++depth > kMostDepth) return Wrong("with more than ", kMostDepth, " parents");
    if (!IsRuleName(at->name)) return Wrong("\"", at->name, "\": no name of a rule");
    const std::string& type = at->filter.type;
    if (!type.empty() && !absl::EqualsIgnoreCase(type, "allow") &&
        !absl::EqualsIgnoreCase(type, "deny")) {
      return Wrong(at->name, ": filter type ", type, " is not allow or deny");
    }
    if (!IsListOrPattern(at->filter.users, /*users=*/true) ||
        !IsListOrPattern(at->filter.groups, /*users=*/false)) {
      return Wrong(at->name, ": the filter has neither a name nor a pattern");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<StaticPath> ReadStaticPath(const RuleConfig& rule) {
  StaticPath result;
  for (const RuleConfig* at : ChainOf(rule)) {
    if (at->name != "fixed") {
      result.dynamic = true;
      return result;
    }
    if (at->value.starts_with("root")) {
      if (!result.path.empty()) return Wrong(at->value, ": a whole path below a parent rule");
      result.path = at->value;
    } else {
      result.path = absl::StrCat(result.path.empty() ? "root" : result.path, ".", at->value);
    }
  }
  return result;
}

absl::Status CheckStaticPath(const StaticPath& path, bool create,
                             const std::vector<QueueConfig>& configured) {
  const std::vector<std::string> parts = SplitPath(absl::AsciiStrToLower(path.path));
  const std::vector<QueueConfig>* queues = &configured;
  const QueueConfig* queue = nullptr;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (queues->empty() && queue != nullptr && !queue->parent) {
      return Wrong("for ", path.path, ": ", queue->name, " is a leaf; a parent is needed");
    }
    const auto found = std::ranges::find(*queues, parts[i], &QueueConfig::name);
    if (found == queues->end()) {
      if (create) return absl::OkStatus();
      return Wrong("for ", path.path, ": there is no such queue, and it creates none");
    }
    queue = &*found;
    queues = &queue->queues;
  }
  if (queue == nullptr || queue->parent == path.dynamic) return absl::OkStatus();
  return Wrong("for ", path.path, ": not a leaf, or a leaf where a parent is needed");
}

absl::Status CheckRules(const PartitionConfig& config) {
  for (const RuleConfig& rule : config.rules) {
    if (absl::Status status = CheckRule(rule); !status.ok()) return status;
  }
  for (const RuleConfig& rule : config.rules) {
    const absl::StatusOr<StaticPath> path = ReadStaticPath(rule);
    if (!path.ok()) return path.status();
    if (!path->path.starts_with("root")) continue;
    absl::Status status = CheckStaticPath(*path, rule.create, config.queues);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace muster::yunikorn
