// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Acl: which users may submit to a queue.
//
//   auto acl = ReadAcl("ann,bob dev");   // two users and a group
//   acl->Allows("eve", {"dev"});         // true
//
// "*" allows all. Names that are no legal user or group names are left out.
#ifndef MUSTER_PEER_YUNIKORN_ACCESS_H_
#define MUSTER_PEER_YUNIKORN_ACCESS_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace muster::yunikorn {

struct Acl {
  bool all = false;
  std::set<std::string, std::less<>> users;
  std::set<std::string, std::less<>> groups;

  bool Allows(std::string_view user, const std::vector<std::string>& user_groups) const;
};

// Fails with InvalidArgument for more than one space.
absl::StatusOr<Acl> ReadAcl(std::string_view text);

// Whether `name` is a legal name of a queue: 1 to 64 letters, digits or _ : # / @ -.
bool IsQueueName(std::string_view name);
// Names as rules and limits have them: a first letter or _, then also digits and some signs.
bool IsUserName(std::string_view name);
bool IsGroupName(std::string_view name);

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_ACCESS_H_
