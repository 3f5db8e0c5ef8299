// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A resource gets the next free number when it is first named.
#include "lib/share/resource_names.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster {

absl::StatusOr<Sparse> ResourceNames::Intern(const NamedAmounts& amounts) {
  Sparse sparse;
  for (const auto& [name, amount] : amounts) {
    const auto at = std::find(names_.begin(), names_.end(), name);
    const size_t resource = static_cast<size_t>(at - names_.begin());
    if (at == names_.end()) {
      if (names_.size() == Sparse::kMostResources) {
        return absl::ResourceExhaustedError(
            absl::StrCat("resource \"", name, "\": ", Sparse::kMostResources, " are the most"));
      }
      names_.push_back(name);
    }
    if (sparse.has(resource)) {
      return absl::InvalidArgumentError(absl::StrCat("resource \"", name, "\" is named twice"));
    }
    sparse.Set(resource, amount);
  }
  return sparse;
}

NamedAmounts ResourceNames::Named(const Sparse& amounts) const {
  NamedAmounts named;
  ForEachResource(amounts.keys(), [&](size_t r) { named.emplace_back(names_[r], amounts.at(r)); });
  return named;
}

}  // namespace muster
