// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which fields of a cluster a profile does not read, although rows have them: they belong to other
// schedulers, and a plan that ignores them is easily mistaken for theirs.
//
//   for (const UnreadField& field : UnreadFields(tables, *ResolveProfile("volcano"))) {
//     Tell(field.words, field.rows);   // "quotas of flavors (rules.groups) of queues", 3
//   }
//
// The list is that of docs/policies.md ("Fields no profile reads yet") for fields that belong to
// few profiles. Policies and actions of the caller may read all: nothing is listed for a profile
// with extensions.
//
// Cost. O(queues + jobs + flavors + reservations).
#ifndef MUSTER_TOOLS_UNREAD_FIELDS_H_
#define MUSTER_TOOLS_UNREAD_FIELDS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/model/tables.h"
#include "lib/session/config.h"

namespace muster {

struct UnreadField {
  std::string_view words;  // a literal
  int64_t rows = 0;        // that have the field
};

// Returns the fields in the order of the table; each has some row.
std::vector<UnreadField> UnreadFields(const Tables& tables, const ProfileConfig& config);

}  // namespace muster

#endif  // MUSTER_TOOLS_UNREAD_FIELDS_H_
