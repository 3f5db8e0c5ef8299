// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The name of a disruption budget as one text: its namespace, a slash and its name.
//
//   const auto [name_space, name] = BudgetParts("team/web");
#ifndef MUSTER_MODEL_BUDGET_NAME_H_
#define MUSTER_MODEL_BUDGET_NAME_H_

#include <string_view>
#include <utility>

namespace muster {

// Namespace and name. Without a slash the namespace is "default"; the first slash divides.
inline std::pair<std::string_view, std::string_view> BudgetParts(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {"default", text};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

}  // namespace muster

#endif  // MUSTER_MODEL_BUDGET_NAME_H_
