// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Armada's optimiser and its prices in a market: one job on one node, and one gang.
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/armada/gang_prices.h"
#include "lib/peer/armada/node_trades.h"
#include "lib/peer/armada/optimiser.h"
#include "tests/conformance/probe/armada_pieces.h"
#include "tests/conformance/probe/armada_state.h"

namespace muster::testing::armada_probe {
namespace {

using nlohmann::json;

json IdsOf(const Pieces& pieces, const std::vector<int>& jobs) {
  json ids = json::array();
  for (const int job : jobs) ids.push_back(pieces.IdOf(job));
  return ids;
}

// What queues cost, as the record of the call has it.
std::vector<armada::QueueCost> CostsOf(const json& rows, const Pieces& pieces) {
  std::vector<armada::QueueCost> costs;
  for (size_t c = 0; c < pieces.accounts.size(); ++c) {
    const std::string& name = pieces.tables.queue(static_cast<int>(c)).name;
    const json row = rows.value(name, json::object());
    costs.push_back(
        {row.value("CurrentCost", 0.0), row.value("Fairshare", 0.0), row.value("Weight", 1.0)});
  }
  return costs;
}

absl::StatusOr<json> PlayTrade(const json& asked, Pieces& pieces) {
  const armada::Cost cost(pieces.state.total, pieces.state.multipliers);
  armada::NodeTrades trades(pieces.world, pieces.books, cost);
  trades.SetCosts(CostsOf(asked["costs"], pieces));
  armada::NodePlan plan{pieces.JobOf(asked["job"]), 0};
  const absl::StatusOr<bool> fits = trades.PlanNode(plan.job, plan.node, &plan);
  if (!fits.ok()) return fits.status();
  json answer = {{"scheduled", *fits}};
  if (!*fits) return answer;
  std::vector<int> victims;
  for (const armada::TradeVictim& victim : plan.victims) victims.push_back(victim.job);
  answer["victims"] = IdsOf(pieces, victims);
  answer["cost"] = plan.cost;
  answer["impact"] = plan.impact;
  return answer;
}

absl::StatusOr<json> PlayNodePrice(const json& asked, Pieces& pieces) {
  const armada::NodePrice found =
      armada::PriceNode(pieces.world, pieces.books, pieces.JobOf(asked["job"]), 0, {});
  json answer = {{"scheduled", found.fits}};
  if (!found.fits) return answer;
  answer["victims"] = IdsOf(pieces, found.victims);
  answer["price"] = found.price;
  return answer;
}

std::vector<int> GangOf(const json& asked, const Pieces& pieces) {
  std::vector<int> jobs;
  for (const json& id : asked["gang"]) jobs.push_back(pieces.JobOf(id));
  return jobs;
}

absl::StatusOr<json> PlayGangPrice(const json& asked, Pieces& pieces) {
  armada::GangPricer pricer(pieces.world, pieces.books, pieces.finder);
  const armada::GangPrice found = pricer.Price(GangOf(asked, pieces), asked["uniformity"]);
  return json{{"reason", ReasonText(found.reason)}, {"price", found.price}};
}

absl::StatusOr<json> PlayOptimise(const json& asked, Pieces& pieces) {
  const armada::Cost cost(pieces.state.total, pieces.state.multipliers);
  armada::OptimiserPass pass(pieces.world, pieces.books, pieces.finder, pieces.gangs, cost);
  armada::Candidate gang{.jobs = GangOf(asked, pieces)};
  gang.requests.assign(pieces.tables.dimensions, 0);
  const absl::StatusOr<armada::Reason> reason = pass.Try(gang);
  if (!reason.ok()) return reason.status();
  json answer = {
      {"reason", ReasonText(*reason)}, {"nodes", json::object()}, {"preempted", json::object()}};
  for (const int job : pass.scheduled()) {
    const int node = pieces.contexts[static_cast<size_t>(job)].attempt.node;
    answer["nodes"][pieces.IdOf(job)] = pieces.state.nodes[static_cast<size_t>(node)].id;
  }
  for (const int job : pass.preempted()) {
    answer["preempted"][pieces.IdOf(job)] =
        pieces.IdOf(pieces.contexts[static_cast<size_t>(job)].preemptor);
  }
  return answer;
}

}  // namespace

absl::StatusOr<json> PlayTrades(const json& asked) {
  StateReader reader(asked["state"], asked["nodeDb"]);
  armada::State state = reader.Read();
  if (absl::Status status = armada::Tables::Check(state); !status.ok()) return status;
  Pieces pieces(std::move(state));
  const std::string of = asked["of"];
  if (of == "node") return PlayTrade(asked, pieces);
  if (of == "node price") return PlayNodePrice(asked, pieces);
  if (of == "gang price") return PlayGangPrice(asked, pieces);
  if (of == "gang") return PlayOptimise(asked, pieces);
  return absl::InvalidArgumentError(absl::StrCat("armada: no trade of a ", of));
}

}  // namespace muster::testing::armada_probe
