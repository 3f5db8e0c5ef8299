// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Parts of Armada's rounds: one gang, one search for nodes, shares and orders.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/peer/armada/armada.h"
#include "tests/conformance/probe/armada_pieces.h"
#include "tests/conformance/probe/armada_state.h"

namespace muster::testing::armada_probe {
namespace {

using nlohmann::json;

void ReadEvicted(const json& asked, Pieces& pieces) {
  std::vector<std::pair<int64_t, int>> order;
  if (asked["state"].contains("evictedJobs")) {
    for (const json& row : asked["state"]["evictedJobs"]) {
      order.emplace_back(row.value("index", int64_t{0}), pieces.JobOf(row["job"]));
    }
  }
  std::ranges::sort(order);
  for (const auto& [index, job] : order) pieces.evicted.Append(job);
}

// The jobs of a recorded gang; what the record knows of each is noted in its context.
std::vector<int> ReadGangJobs(const json& gang, Pieces& pieces) {
  std::vector<int> jobs;
  for (const json& row : gang["jobs"]) {
    jobs.push_back(pieces.JobOf(row["job"]));
    armada::JobContext& context = pieces.contexts[static_cast<size_t>(jobs.back())];
    context.cardinality = row.value("currentGangCardinality", 1);
    if (row.contains("preemptedBy")) context.preemptor = 0;
    if (!row.contains("assignedNode")) continue;
    const std::string id = row["assignedNode"];
    const auto found = std::ranges::find(pieces.state.nodes, id, &armada::Node::id);
    if (found == pieces.state.nodes.end()) continue;
    context.own_node = static_cast<int>(found - pieces.state.nodes.begin());
  }
  return jobs;
}

json PlacesText(const Pieces& pieces, const std::vector<int>& jobs) {
  json text = json::object();
  for (const int job : jobs) {
    const armada::Attempt& attempt = pieces.contexts[static_cast<size_t>(job)].attempt;
    if (!attempt.made || attempt.node < 0) continue;
    text[pieces.IdOf(job)] = {{"node", pieces.state.nodes[static_cast<size_t>(attempt.node)].id},
                              {"scheduledAtPriority", attempt.scheduled_at},
                              {"preemptedAtPriority", attempt.preempted_at},
                              {"method", MethodText(attempt.method)},
                              {"away", attempt.away}};
  }
  return text;
}

}  // namespace

absl::StatusOr<json> PlayPlace(const json& asked) {
  StateReader reader(asked["state"], asked["nodeDb"]);
  armada::State state = reader.Read();
  if (absl::Status status = armada::Tables::Check(state); !status.ok()) return status;
  Pieces pieces(std::move(state));
  ReadEvicted(asked, pieces);
  const std::vector<int> jobs = ReadGangJobs(asked["gang"], pieces);
  std::vector<armada::Preemption> preempted;
  const absl::StatusOr<bool> placed = pieces.finder.Place(jobs, {}, &preempted);
  if (!placed.ok()) return placed.status();
  json answer = {{"placed", *placed}, {"preempted", json::object()}, {"jobs", json::object()}};
  if (!*placed) return answer;
  answer["jobs"] = PlacesText(pieces, jobs);
  for (const armada::Preemption& preemption : preempted) {
    answer["preempted"][pieces.IdOf(preemption.job)] = {pieces.IdOf(preemption.preemptor),
                                                        pieces.IdOf(preemption.sibling)};
  }
  return answer;
}

absl::StatusOr<json> PlayGang(const json& asked) {
  StateReader reader(asked["state"], asked["nodeDb"]);
  armada::State state = reader.Read(asked["draws"]);
  if (absl::Status status = armada::Tables::Check(state); !status.ok()) return status;
  Pieces pieces(std::move(state));
  ReadEvicted(asked, pieces);
  armada::Candidate gang{.jobs = ReadGangJobs(asked["gang"], pieces)};
  gang.requests.assign(pieces.tables.dimensions, 0);
  for (const int job : gang.jobs) {
    gang.all_evicted = gang.all_evicted && pieces.contexts[static_cast<size_t>(job)].evicted;
    gang.asks_floating = gang.asks_floating || pieces.tables.asks_floating(job);
  }
  const json& context = asked["state"]["context"];
  if (context.contains("scheduledResources")) {
    pieces.accounts.scheduled_amounts = reader.AmountsOf(context["scheduledResources"]);
  }
  const absl::StatusOr<armada::Reason> reason = pieces.gangs.Schedule(gang);
  if (!reason.ok()) return reason.status();
  return json{{"placed", *reason == armada::Reason::kNone},
              {"reason", ReasonText(*reason)},
              {"jobs", PlacesText(pieces, gang.jobs)}};
}

// The shares of queues {NAME: [WEIGHT, DEMAND]} of a pool; or with "factor" the share that a new
// queue would have.
absl::StatusOr<json> PlayShares(const json& asked) {
  const armada::Cost cost(asked["total"].get<armada::Amounts>(),
                          asked["multipliers"].get<std::vector<double>>());
  std::vector<armada::Claim> claims;
  for (const auto& [name, row] : asked["queues"].items()) {
    claims.push_back(ClaimOf({.weight = row[0], .constrained_demand = row[1]}, cost));
  }
  const double sum = asked["weightSum"];
  if (asked.contains("factor")) return armada::TheoreticalShare(claims, sum, asked["factor"]);
  const std::vector<armada::Shares> shares = armada::DivideShares(claims, sum);
  json text = json::object();
  for (const auto& [name, row] : asked["queues"].items()) {
    const armada::Shares& own = shares[text.size()];
    text[name] = {own.fair, own.demand_capped, own.uncapped};
  }
  return text;
}

absl::StatusOr<json> PlayCost(const json& asked) {
  const armada::Cost cost(asked["total"].get<armada::Amounts>(),
                          asked["multipliers"].get<std::vector<double>>());
  return cost.Of(asked["amounts"].get<armada::Amounts>()) / asked["weight"].get<double>();
}

}  // namespace muster::testing::armada_probe
