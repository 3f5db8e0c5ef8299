// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/allocation_options.h"

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster::yarn {

absl::Status CheckAllocations(std::string_view action, const Resource& least,
                              const Resource& most) {
  constexpr const char* kAmounts[kResources] = {"memory", "vcores"};
  for (size_t k = 0; k < kResources; ++k) {
    if (most.at(k) == 0 || most.at(k) >= least.at(k)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("action ", ToAbsl(action), ", option max_", kAmounts[k], ": is ", most.at(k),
                     "; must be 0, or at least min_", kAmounts[k], ", ", least.at(k)));
  }
  return absl::OkStatus();
}

}  // namespace muster::yarn
