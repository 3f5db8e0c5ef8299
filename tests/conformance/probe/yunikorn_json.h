// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YuniKorn's values as records write them.
#ifndef MUSTER_TESTS_CONFORMANCE_PROBE_YUNIKORN_JSON_H_
#define MUSTER_TESTS_CONFORMANCE_PROBE_YUNIKORN_JSON_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/peer/yunikorn/yunikorn.h"
#include "nlohmann/json.hpp"

namespace muster::testing::yunikorn_probe {

using nlohmann::json;

// null is nil.
yunikorn::Resource ResourceOf(const json& amounts, yunikorn::TypeNames& names);
json TextOf(const yunikorn::Resource& resource, const yunikorn::TypeNames& names);
json TextOf(const absl::Status& status);
// A text, or how JSON writes another value; empty for null.
std::string ScalarOf(const json& value);

yunikorn::PartitionConfig ConfigOf(const json& partition);
yunikorn::QueueConfig QueueConfigOf(const json& queue);
yunikorn::RuleConfig RuleConfigOf(const json& rule);
std::vector<yunikorn::LimitConfig> LimitConfigsOf(const json& limits);
yunikorn::Texts TextsOf(const json& map);

const char* NameOf(yunikorn::AppState state);
// New for what is no state.
yunikorn::AppState AppStateOf(const std::string& name);
const char* NameOf(yunikorn::ResultType type);
const char* NameOf(yunikorn::Termination type);

// A value of an object, or `otherwise` if it is missing or null.
template <class T>
T ValueOf(const json& object, const char* key, T otherwise) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? otherwise : found->get<T>();
}

// A recorded run on a living partition.
absl::StatusOr<json> PlayScript(const json& script);

// Events of an application.
absl::StatusOr<json> PlayEvents(const json& asked);

// Limits of users and groups: the answers to calls, in order.
absl::StatusOr<json> PlayLimits(const json& asked);

// A question about placement: {"filter"}, {"rule", "queues"}, or {"config"} with its rules; each
// with "app". The answer is whether the filter lets the user through, or the path, or an error.
absl::StatusOr<json> AnswerPlacement(const json& question);

// The results of one recorded call: of arithmetic, and of a check of a configuration.
absl::StatusOr<json> AnswerAmount(const json& step);
// The keys of pods in the order in which they are stopped over a lowered limit.
absl::StatusOr<json> AnswerVictimOrder(const json& step);
absl::StatusOr<json> AnswerCheck(const json& step);
// Of {"listed", "request"}: the keys of the requests once this one is listed, too. Of {"total",
// "allocated", "weights", "binpacking"}: the score of such a node.
absl::StatusOr<json> AnswerOrder(const json& question);
// Of a decision on a recorded state: its results, and the views before and after it.
absl::StatusOr<json> AnswerStateStep(const json& step);

}  // namespace muster::testing::yunikorn_probe

#endif  // MUSTER_TESTS_CONFORMANCE_PROBE_YUNIKORN_JSON_H_
