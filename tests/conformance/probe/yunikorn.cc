// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YuniKorn's core: questions by the kind of record.
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tests/conformance/probe/probe.h"
#include "tests/conformance/probe/yunikorn_json.h"

namespace muster::testing {
namespace yunikorn_probe {
namespace {

// The answers to the steps of a case, in order.
absl::StatusOr<json> AnswerEach(const json& asked, absl::StatusOr<json> (*answer)(const json&)) {
  json answers = json::array();
  for (const json& step : asked["steps"]) {
    try {
      absl::StatusOr<json> results = answer(step);
      if (!results.ok()) return results.status();
      answers.push_back(*std::move(results));
    } catch (const json::exception& unreadable) {
      return absl::InvalidArgumentError(
          absl::StrCat(step.value("op", ""), ": ", unreadable.what()));
    }
  }
  return answers;
}

}  // namespace
}  // namespace yunikorn_probe

absl::StatusOr<nlohmann::json> AskYuniKorn(const nlohmann::json& request) {
  const nlohmann::json& asked = request["yunikorn"];
  const std::string ask = asked.value("ask", "");
  if (ask == "script") return yunikorn_probe::PlayScript(asked);
  if (ask == "events") return yunikorn_probe::PlayEvents(asked);
  if (ask == "limits") return yunikorn_probe::PlayLimits(asked);
  if (ask == "amounts") return yunikorn_probe::AnswerEach(asked, yunikorn_probe::AnswerAmount);
  if (ask == "victims") {
    return yunikorn_probe::AnswerEach(asked, yunikorn_probe::AnswerVictimOrder);
  }
  if (ask == "orders") return yunikorn_probe::AnswerEach(asked, yunikorn_probe::AnswerOrder);
  if (ask == "checks") return yunikorn_probe::AnswerEach(asked, yunikorn_probe::AnswerCheck);
  if (ask == "placement") {
    return yunikorn_probe::AnswerEach(asked, yunikorn_probe::AnswerPlacement);
  }
  if (ask == "states") return yunikorn_probe::AnswerEach(asked, yunikorn_probe::AnswerStateStep);
  return absl::InvalidArgumentError(absl::StrCat("no such question: ", ask));
}

}  // namespace muster::testing
