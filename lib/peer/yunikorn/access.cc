// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yunikorn/access.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster::yunikorn {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A letter or _, then letters, digits and `signs`.
bool IsName(std::string_view name, std::string_view signs) {
  if (name.empty() || !IsLetter(name[0])) return false;
  return std::ranges::all_of(
      name, [&](char c) { return IsLetter(c) || IsDigit(c) || signs.find(c) != signs.npos; });
}

bool IsUser(std::string_view name, std::string_view signs) {
  if (name.size() > 1 && name.back() == '$') name.remove_suffix(1);
  return IsName(name, signs);
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t at = text.find(separator); at != text.npos; at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

bool IsWildcard(const std::vector<std::string_view>& names) {
  return names.size() == 1 && names[0] == "*";
}

}  // namespace

bool Acl::Allows(std::string_view user, const std::vector<std::string>& user_groups) const {
  if (all || users.find(user) != users.end()) return true;
  return std::ranges::any_of(user_groups,
                             [&](const std::string& group) { return groups.contains(group); });
}

absl::StatusOr<Acl> ReadAcl(std::string_view text) {
  Acl acl;
  if (text.empty()) return acl;
  const std::vector<std::string_view> fields = Split(text, ' ');
  if (fields.size() > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("ACL \"", ToAbsl(text), "\": more than one space; write \"USERS GROUPS\""));
  }
  const std::vector<std::string_view> users = Split(fields[0], ',');
  if (text == "*" || text == " *" || text == "* " || IsWildcard(users)) {
    acl.all = true;
    return acl;
  }
  for (std::string_view user : users) {
    if (IsUser(user, ".@-")) acl.users.emplace(user);
  }
  if (fields.size() == 1) return acl;
  const std::vector<std::string_view> groups = Split(fields[1], ',');
  if (IsWildcard(groups)) return Acl{.all = true};
  for (std::string_view group : groups) {
    if (IsName(group, "-")) acl.groups.emplace(group);
  }
  return acl;
}

bool IsQueueName(std::string_view name) {
  constexpr std::string_view kSigns = ":#/@-";
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [&](char c) {
    return IsLetter(c) || IsDigit(c) || kSigns.find(c) != kSigns.npos;
  });
}

bool IsUserName(std::string_view name) { return IsUser(name, ":#/.@-"); }

bool IsGroupName(std::string_view name) { return IsName(name, ":.-"); }

}  // namespace muster::yunikorn
