// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/conformance/probe/kai.h"

#include <exception>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {

using nlohmann::json;

absl::StatusOr<json> AskKai(const json& request) {
  const std::string function = request["kai"];
  for (const KaiAsks* asks : {&KaiQueueAsks(), &KaiJobAsks(), &KaiNodeAsks(), &KaiOrderAsks()}) {
    const auto at = asks->find(function);
    if (at == asks->end()) continue;
    try {
      return at->second(function, request["in"]);
    } catch (const std::exception& error) {
      return absl::InvalidArgumentError(absl::StrCat(function, ": ", error.what()));
    }
  }
  return absl::InvalidArgumentError(absl::StrCat("no function of ours: ", function));
}

}  // namespace muster::testing
