// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yunikorn/placement.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/strings.h"
#include "lib/peer/yunikorn/access.h"

namespace muster::yunikorn {
namespace {

absl::Status CheckName(std::string_view name) {
  if (IsQueueName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "queue name \"", ToAbsl(name), "\": not 1 to 64 letters, digits or signs of _:#/@-"));
}

absl::Status CheckParts(std::string_view path) {
  for (const std::string& part : SplitPath(path)) {
    if (absl::Status status = CheckName(part); !status.ok()) return status;
  }
  return absl::OkStatus();
}

bool IsPath(std::string_view name) { return name.starts_with("root."); }

bool HasSpecial(std::string_view text) {
  return text.find_first_of("^$*+?()[{}|") != std::string_view::npos;
}

template <class Names, class IsLegal>
bool ReadNames(const std::vector<std::string>& list, IsLegal is_legal, Names& names) {
  if (list.empty()) return false;
  if (list.size() == 1 && HasSpecial(list[0])) {
    if (absl::StatusOr<Pattern> pattern = Pattern::Read(list[0]); pattern.ok()) {
      names.pattern = *std::move(pattern);
    }
    return true;
  }
  for (const std::string& name : list) {
    if (is_legal(name)) names.names.insert(name);
  }
  return true;
}

}  // namespace

Filter::Filter(const FilterConfig& config) : allow_(config.type != "deny") {
  const bool users = ReadNames(config.users, IsUserName, users_);
  const bool groups = ReadNames(config.groups, IsGroupName, groups_);
  empty_ = !users && !groups;
}

bool Filter::Allows(std::string_view user, const std::vector<std::string>& groups) const {
  if (empty_ || users_.Has(user)) return allow_;
  const bool any =
      std::ranges::any_of(groups, [&](const std::string& group) { return groups_.Has(group); });
  return any ? allow_ : !allow_;
}

std::string TagOf(const Application& application, std::string_view tag) {
  for (const auto& [key, value] : application.tags) {
    if (absl::EqualsIgnoreCase(key, ToAbsl(tag))) return value;
  }
  return "";
}

absl::StatusOr<Rule> Rule::Build(const RuleConfig& config, int depth) {
  if (depth == kMostDepth) {
    return absl::InvalidArgumentError(
        absl::StrCat("placement rule: more than ", kMostDepth, " parents"));
  }
  Rule rule(config.filter);
  const std::string name = absl::AsciiStrToLower(config.name);
  rule.create_ = config.create;
  rule.value_ = absl::AsciiStrToLower(config.value);
  if (name == "user") {
    rule.kind_ = Kind::kUser;
  } else if (name == "provided") {
    rule.kind_ = Kind::kProvided;
  } else if (name == "tag" || name == "fixed") {
    rule.kind_ = name == "tag" ? Kind::kTag : Kind::kFixed;
    if (rule.value_.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("placement rule \"", name, "\": no value"));
    }
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("placement rule \"", config.name, "\": not user, fixed, provided or tag"));
  }
  if (rule.kind_ == Kind::kFixed) {
    if (absl::Status status = CheckParts(rule.value_); !status.ok()) return status;
    if (rule.value_.starts_with(kRoot) && !config.parent.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("placement rule \"fixed\": a parent of the whole path ", rule.value_));
    }
  }
  if (!config.parent.empty()) {
    absl::StatusOr<Rule> parent = Build(config.parent[0], depth + 1);
    if (!parent.ok()) return parent.status();
    rule.parent_ = std::make_shared<const Rule>(*std::move(parent));
  }
  return rule;
}

std::string Rule::NameFor(const Application& application) const {
  switch (kind_) {
    case Kind::kUser:
      return application.usage.user;
    case Kind::kFixed:
      return value_;
    case Kind::kProvided:
      return application.queue_path;
    case Kind::kTag:
      return TagOf(application, value_);
  }
  return "";
}

absl::StatusOr<std::string> Rule::Below(const Application& application,
                                        const FindQueueFunction& find,
                                        const std::string& name) const {
  if (parent_ == nullptr) return absl::StrCat(ToAbsl(kRoot), ".", name);
  absl::StatusOr<std::string> parent = parent_->Place(application, find);
  if (!parent.ok() || parent->empty()) return parent;
  if (!IsPath(*parent)) *parent = absl::StrCat(ToAbsl(kRoot), ".", *parent);
  if (const std::optional<QueueView> queue = find(*parent); queue && queue->leaf) {
    return absl::InvalidArgumentError(
        absl::StrCat("parent rule: ", *parent, " is a leaf; a parent is needed"));
  }
  return absl::StrCat(*parent, ".", name);
}

absl::StatusOr<std::string> Rule::Place(const Application& application,
                                        const FindQueueFunction& find) const {
  std::string name = NameFor(application);
  const bool named = kind_ == Kind::kProvided || kind_ == Kind::kTag;
  if (named && name.empty()) return "";
  if (!filter_.Allows(application.usage.user, application.usage.groups)) return "";
  if (kind_ == Kind::kFixed ? name.starts_with(kRoot) : named && IsPath(name)) {
    if (absl::Status status = CheckParts(name); !status.ok()) return status;
  } else {
    if (kind_ != Kind::kFixed) {
      name = absl::StrReplaceAll(name, {{".", "_dot_"}});
      if (absl::Status status = CheckName(name); !status.ok()) return status;
    }
    absl::StatusOr<std::string> path = Below(application, find, name);
    if (!path.ok() || path->empty()) return path;
    name = *std::move(path);
  }
  if (!create_ && !find(name)) return "";
  return name;
}

}  // namespace muster::yunikorn
