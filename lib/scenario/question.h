// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Questions that are answered by plans of changed clusters, as JSON in and out.
//
//   {"rehearse": [{"remove_job": "train"}]}
//   {"diagnose": {"job": "train", "trials": 50}}
//   {"drain": {"nodes": ["n1", "n2"]}}
//   {"need_nodes": {"offers": [{"node": {"name": "big", "capacity": {...}}, "price": 4}]}}
//
//   absl::StatusOr<std::string> answer = Advise(cluster, "volcano", text, options, limits);
//
// The command line writes its answers with the same functions, so every language reads one form.
#ifndef MUSTER_SCENARIO_QUESTION_H_
#define MUSTER_SCENARIO_QUESTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/cluster.h"
#include "muster/limits.h"
#include "muster/remedy.h"
#include "muster/schedule.h"
#include "muster/upkeep.h"
#include "muster/what_if.h"

namespace muster {

struct DiagnoseQuestion {
  std::string job;
  int64_t trials = RemedyOptions().trials;
};
struct DrainQuestion {
  std::vector<std::string> nodes;
};
struct NeedNodesQuestion {
  std::vector<NodeOffer> offers;
  int64_t most = NeedOptions().most;
};
// Exactly one is set.
struct Question {
  std::optional<std::vector<WhatIfChange>> rehearse;
  std::optional<DiagnoseQuestion> diagnose;
  std::optional<DrainQuestion> drain;
  std::optional<NeedNodesQuestion> need_nodes;
};

// Returns the answer. Fails with InvalidArgument for a text that is no question, naming the place
// and the rule, and as the function asked does. The cluster does not change. `executor` (may be
// null) is that of the function.
absl::StatusOr<std::string> Advise(const Cluster& cluster, std::string_view profile,
                                   std::string_view question, const ScheduleOptions& options,
                                   const Limits& limits, Executor* executor = nullptr);

// Returns the changes as the list that ParseChanges reads: `[{"remove_job": "train"}]`.
std::string WriteChanges(const std::vector<WhatIfChange>& changes);

// Return the answers as one JSON object each, with the names of their fields.
std::string WriteDiagnosis(std::string_view job, const Diagnosis& diagnosis);
std::string WriteDrainReport(const DrainReport& report);
std::string WriteNodesNeeded(const NodesNeeded& needed);

// Returns the word of JSON: "more_nodes".
std::string_view RemedyKindName(RemedyKind kind);

}  // namespace muster

#endif  // MUSTER_SCENARIO_QUESTION_H_
