// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Names of the policies and actions that callers in other languages write. They stand in specs and
// reasons.
#ifndef MUSTER_BINDING_POLICY_NAME_H_
#define MUSTER_BINDING_POLICY_NAME_H_

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster::binding {

inline bool IsPolicyName(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

// The end of an error about a text that is no such name.
inline std::string PolicyNameRule(std::string_view name) {
  return absl::StrCat("name ", Quote(name),
                      " must be 1 to 64 lower-case letters, digits, '-' and '_'");
}

}  // namespace muster::binding

#endif  // MUSTER_BINDING_POLICY_NAME_H_
