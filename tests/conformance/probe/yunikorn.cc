// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YuniKorn's core: questions by the kind of record.
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tests/conformance/probe/probe.h"
#include "tests/conformance/probe/yunikorn_json.h"

namespace muster::testing {

absl::StatusOr<nlohmann::json> AskYuniKorn(const nlohmann::json& request) {
  const nlohmann::json& asked = request["yunikorn"];
  const std::string ask = asked.value("ask", "");
  if (ask == "script") return yunikorn_probe::PlayScript(asked);
  return absl::InvalidArgumentError(absl::StrCat("no such question: ", ask));
}

}  // namespace muster::testing
