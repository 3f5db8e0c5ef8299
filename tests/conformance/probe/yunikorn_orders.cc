// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YuniKorn's orders: where a request is listed, and by which score a node is.
#include <string>

#include "tests/conformance/probe/partition_steps.h"
#include "tests/conformance/probe/yunikorn_json.h"

namespace muster::testing::yunikorn_probe {
namespace {

yunikorn::Allocation RequestOf(const json& request) {
  yunikorn::Allocation allocation;
  allocation.key = request["key"];
  allocation.priority = request["priority"];
  allocation.create_time = request["nanoseconds"];
  return allocation;
}

json ListWith(const json& listed, const json& request) {
  yunikorn::Partition partition;
  yunikorn::Application& app = partition.applications.emplace_back();
  for (const json& other : listed) {
    app.sorted_requests.push_back(static_cast<yunikorn::Index>(partition.allocations.size()));
    partition.allocations.push_back(RequestOf(other));
  }
  partition.allocations.push_back(RequestOf(request));
  yunikorn::PartitionSteps(partition).InsertSorted(
      0, static_cast<yunikorn::Index>(partition.allocations.size() - 1));
  json keys = json::array();
  for (const yunikorn::Index index : partition.applications[0].sorted_requests) {
    keys.push_back(partition.allocations[index].key);
  }
  return keys;
}

double ScoreOf(const json& question) {
  yunikorn::Partition partition;
  partition.bin_packing = question["binpacking"];
  yunikorn::Node node;
  node.total = ResourceOf(question["total"], partition.names);
  node.total.Prune();
  node.available = Sub(node.total, ResourceOf(question["allocated"], partition.names));
  return yunikorn::PartitionSteps(partition).Score(node, question["weights"]);
}

}  // namespace

absl::StatusOr<json> AnswerOrder(const json& question) {
  if (question.contains("listed")) return ListWith(question["listed"], question["request"]);
  return ScoreOf(question);
}

}  // namespace muster::testing::yunikorn_probe
