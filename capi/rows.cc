// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "capi/rows.h"

#include "lib/scenario/json_rows.h"

namespace muster::capi {
namespace {

// Accepts the document {"v": VALUE}.
class OneValue : public RowSink {
 public:
  absl::StatusOr<Section> OnSection(std::string_view key) override {
    if (key != "v") return absl::InvalidArgumentError("more than one value");
    return Section::kOneRow;
  }
  absl::Status OnRow(std::string_view section, size_t index, const Json& row) override {
    return absl::OkStatus();
  }
};

size_t RowCount(int32_t kind, const ClusterSpec& spec) {
  switch (kind) {
    case MUSTER_NODES:
      return spec.nodes.size();
    case MUSTER_QUEUES:
      return spec.queues.size();
    case MUSTER_JOBS:
      return spec.jobs.size();
    case MUSTER_TASKS:
      return spec.tasks.size();
    case MUSTER_DOMAINS:
      return spec.domains.size();
    case MUSTER_BUDGETS:
      return spec.budgets.size();
    default:
      return spec.namespaces.size();
  }
}

}  // namespace

int32_t Names(int32_t table, std::string_view key) {
  switch (table) {
    case MUSTER_NODES:
      return key == "domain" ? MUSTER_DOMAINS : 0;
    case MUSTER_QUEUES:
      return key == "parent" ? MUSTER_QUEUES : 0;
    case MUSTER_JOBS:
      return key == "queue" ? MUSTER_QUEUES : 0;
    case MUSTER_DOMAINS:
      return key == "parent" ? MUSTER_DOMAINS : 0;
    case MUSTER_TASKS:
      if (key == "job") return MUSTER_JOBS;
      return key == "node" || key == "nominated_node" ? MUSTER_NODES : 0;
    default:
      return 0;
  }
}

absl::Status CheckOneJsonValue(std::string_view json) {
  OneValue sink;
  return ReadJsonRows(absl::StrCat("{\"v\": ", ToAbsl(json), "}"), &sink);
}

absl::StatusOr<ClusterSpec> ParseRow(int32_t kind, std::string_view json) {
  if (absl::Status s = CheckOneJsonValue(json); !s.ok()) return s;
  absl::StatusOr<Scenario> scenario = ParseScenario(
      absl::StrCat("{\"muster\": 1, \"", ToAbsl(TableName(kind)), "\": [", ToAbsl(json), "]}"));
  if (!scenario.ok()) return scenario.status();
  if (RowCount(kind, scenario->cluster) != 1) {
    return absl::InvalidArgumentError("a count stands for other rows; a table has its own");
  }
  return std::move(scenario->cluster);
}

}  // namespace muster::capi
