// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Single rules of Armada's rounds: the order of two jobs, and whether a node suits a job.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/peer/armada/armada.h"
#include "lib/peer/armada/job_order.h"
#include "lib/peer/armada/matching.h"
#include "tests/conformance/probe/armada_state.h"

namespace muster::testing::armada_probe {
namespace {

using nlohmann::json;

const json& PartOf(const json& object, const char* key) {
  static const json nothing = json::object();
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nothing : *found;
}

armada::Job ComparedJob(const json& row, const std::string& pool) {
  armada::Job job{.id = row["id"]};
  job.priority = row.value("priority", int64_t{0});
  job.submitted = static_cast<int64_t>(row.value("submitTime", 0.0) * 1e6);
  job.queued = row.value("queued", false);
  const json& bids = PartOf(PartOf(row, "bids"), pool.c_str());
  job.queued_bid = bids.value("QueuedBid", 0.0);
  job.running_bid = bids.value("RunningBid", 0.0);
  for (const json& run : PartOf(row, "runs")) {
    if (!run.value("latest", false)) continue;
    job.run.emplace().created = run.value("created", int64_t{0});
    for (const char* flag : {"failed", "succeeded", "cancelled", "returned", "preempted"}) {
      if (run.value(flag, false)) job.run->active = false;
    }
  }
  return job;
}

// Whole units of each resource, of which a part counts as one.
armada::Amounts WholeOf(const json& amounts, const std::vector<std::string>& names) {
  armada::Amounts whole;
  for (const std::string& name : names) {
    whole.push_back(amounts.contains(name) ? UnitsOf(amounts[name], 0) : 0);
  }
  return whole;
}

}  // namespace

absl::StatusOr<json> PlayCompare(const json& asked) {
  const bool market = asked.contains("pool");
  armada::State state;
  state.queue_names = {"queue"};
  for (const json& row : asked["jobs"]) {
    const int place = static_cast<int>(state.jobs.size());
    state.classes.push_back(
        {"", row.value("priorityClassPriority", 0), row.value("preemptible", false)});
    state.shapes.push_back({place, {}});
    state.jobs.push_back(ComparedJob(row, asked.value("pool", "")));
    state.jobs.back().shape = place;
  }
  const armada::Tables tables(state);
  const auto ranked = [&](int job) {
    return armada::RankedJob{&state.jobs[static_cast<size_t>(job)],
                             tables.priority_class(job).priority, tables.BidOf(job)};
  };
  return market ? armada::CompareMarket(ranked(0), ranked(1))
                : armada::CompareFair(ranked(0), ranked(1));
}

absl::StatusOr<json> PlaySuits(const json& asked) {
  const json& job = asked["job"];
  const json& requests = PartOf(PartOf(job, "ResourceRequirements"), "Requests");
  std::vector<std::string> names;
  std::vector<armada::Resource> resources;
  for (const auto& [name, amount] : requests.items()) {
    names.push_back(name);
    resources.push_back({name, false, -3});
  }
  const auto amounts_of = [&](const json& object) {
    armada::Amounts amounts;
    for (const std::string& name : names) {
      amounts.push_back(object.contains(name) ? UnitsOf(object[name], -3) : 0);
    }
    return amounts;
  };
  armada::Shape shape{0, amounts_of(requests), LabelsOf(PartOf(job, "NodeSelector")),
                      AffinityOf(PartOf(job, "Affinity")),
                      TolerationsOf(PartOf(job, "Tolerations"))};
  const json& row = asked["node"];
  if (asked.value("is_type", false)) {
    armada::NodeType type{TaintsOf(PartOf(row, "taints")), LabelsOf(PartOf(row, "labels"))};
    for (const json& label : asked["unset"]) type.unset.push_back(label);
    return armada::TypeSuits(type, shape, {});
  }
  armada::Node node;
  node.taints = TaintsOf(PartOf(row, "taints"));
  node.labels = LabelsOf(PartOf(row, "labels"));
  node.total = amounts_of(PartOf(row, "total"));
  bool fits = true;
  const armada::Amounts free = amounts_of(asked["free"]);
  for (size_t r = 0; r < free.size(); ++r) fits = fits && shape.requests[r] <= free[r];
  return fits && armada::NodeSuits(node, shape, {}, resources);
}

absl::StatusOr<json> PlayConditions(const json& asked) {
  std::vector<std::string> names;
  std::vector<armada::Resource> resources;
  for (const auto& [name, amount] : PartOf(asked, "resources").items()) {
    names.push_back(name);
    resources.push_back({name});
  }
  std::vector<armada::Condition> conditions;
  for (const json& row : asked["conditions"]) {
    armada::Condition& condition = conditions.emplace_back();
    const auto found = std::ranges::find(names, row["Resource"].get<std::string>());
    if (found != names.end()) condition.dimension = static_cast<int>(found - names.begin());
    const std::string word = row.value("Operator", "");
    condition.comparison = word == "==" ? '=' : word.size() == 1 ? word[0] : '?';
    condition.value = UnitsOf(row["Value"], 0);
  }
  return armada::MatchesConditions(conditions, WholeOf(PartOf(asked, "resources"), names),
                                   resources);
}

}  // namespace muster::testing::armada_probe
