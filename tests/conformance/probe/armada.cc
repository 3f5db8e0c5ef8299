// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rounds and parts of rounds of Armada, as its records write them.
#include "lib/peer/armada/armada.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/armada/messages.h"
#include "tests/conformance/probe/armada_state.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace armada_probe {
namespace {

using nlohmann::json;

// The peer's names of methods and causes, in the order of our own.
constexpr const char* kMethods[] = {"none",    "rescheduled", "no-preemption", "fairshare",
                                    "urgency", "away",        "optimiser"};
constexpr const char* kCauses[] = {"unknown", "unknown-gang", "fairshare", "urgency", "optimiser"};
json ScheduledText(const armada::Round& round, int job) {
  const armada::JobContext& context = round.context(job);
  const armada::Attempt& attempt = context.attempt;
  json text = {{"node", round.state().nodes[static_cast<size_t>(attempt.node)].id},
               {"scheduledAtPriority", attempt.scheduled_at},
               {"preemptedAtPriority", attempt.preempted_at},
               {"method", MethodText(attempt.method)},
               {"away", attempt.away},
               {"evicted", context.evicted},
               {"value", ""},
               {"wellKnownNodeType", ""}};
  if (attempt.away_type >= 0) {
    const auto place = static_cast<size_t>(attempt.away_type);
    text["wellKnownNodeType"] = round.tables().priority_class(job).away[place].name;
  }
  if (context.uniform_value >= 0) {
    const auto gang = static_cast<size_t>(round.tables().gang(job));
    const armada::LabelValues* label =
        round.tables().FindValues(round.state().gangs[gang].uniformity);
    text["value"] = label->values[static_cast<size_t>(context.uniform_value)];
  }
  return text;
}

json PreemptedText(const armada::Round& round, int job) {
  const armada::JobContext& context = round.context(job);
  const auto id = [&](int other) {
    return other < 0 ? "" : round.state().jobs[static_cast<size_t>(other)].id;
  };
  return {{"by", id(context.preemptor)},
          {"sibling", id(context.sibling)},
          {"type", kCauses[static_cast<size_t>(round.CauseOf(job))]}};
}

json ClassesText(const StateReader& reader, const std::vector<armada::Amounts>& by_class) {
  json text = json::object();
  for (size_t c = 0; c < by_class.size(); ++c) {
    json amounts = reader.TextOf(by_class[c]);
    if (!amounts.empty()) text[reader.state().classes[c].name] = std::move(amounts);
  }
  return text;
}

json LimiterText(const armada::Limiter& limiter) {
  if (!limiter.limited || limiter.endless) return nullptr;
  return limiter.tokens;
}

json QueueText(const StateReader& reader, const armada::Round& round, int context) {
  const armada::ContextAccount& account = round.accounts().account(context);
  json text = {{"allocated", reader.TextOf(account.allocated)},
               {"allocatedByPriorityClass", ClassesText(reader, account.by_class)},
               {"scheduledByPriorityClass", ClassesText(reader, account.scheduled)},
               {"evictedByPriorityClass", ClassesText(reader, account.evicted)},
               {"billableResource", reader.TextOf(account.billable)},
               {"tokens", LimiterText(account.limiter)}};
  if (account.billable_price) text["billablePriceOverride"] = *account.billable_price;
  return text;
}

json ContextText(const StateReader& reader, const armada::Round& round) {
  const armada::Accounts& accounts = round.accounts();
  json text = {{"allocated", reader.TextOf(accounts.allocated)},
               {"scheduledResources", reader.TextOf(accounts.scheduled_amounts)},
               {"evictedResources", reader.TextOf(accounts.evicted_amounts)},
               {"termination", round.termination() == armada::Reason::kNone
                                   ? "no remaining candidate jobs"
                                   : ReasonText(round.termination())},
               {"tokens", LimiterText(accounts.limiter)},
               {"preemptionTokens", LimiterText(accounts.preemption_limiter)},
               {"queues", json::object()}};
  if (round.spot_price()) text["spotPrice"] = *round.spot_price();
  for (size_t c = 0; c < accounts.size(); ++c) {
    const int context = static_cast<int>(c);
    text["queues"][round.tables().queue(context).name] = QueueText(reader, round, context);
  }
  return text;
}

// The shares that the weights and demands of the state come to.
json SharesText(const json& context, const armada::State& state) {
  const armada::Cost cost(state.total, state.multipliers);
  std::vector<const armada::Queue*> queues;
  for (const armada::Queue& queue : state.queues) queues.push_back(&queue);
  std::ranges::sort(queues, {}, [](const armada::Queue* queue) { return queue->name; });
  std::vector<armada::Claim> claims;
  for (const armada::Queue* queue : queues) claims.push_back(armada::ClaimOf(*queue, cost));
  const std::vector<armada::Shares> shares =
      armada::DivideShares(claims, context.value("weightSum", 0.0));
  json text = json::object();
  for (size_t q = 0; q < queues.size(); ++q) {
    text[queues[q]->name] = {shares[q].fair, shares[q].demand_capped, shares[q].uncapped};
  }
  return text;
}

absl::StatusOr<json> PlayRound(const json& asked) {
  StateReader reader(asked["state"], asked["nodeDb"]);
  absl::StatusOr<std::unique_ptr<armada::Round>> made =
      armada::Round::Make(reader.Read(asked["draws"]));
  if (!made.ok()) return made.status();
  armada::Round& round = **made;
  if (absl::Status status = round.Run(); !status.ok()) return status;
  if (!round.BooksBalance()) return absl::InternalError("the books of the nodes do not balance");
  json answer = {{"scheduled", json::object()},
                 {"preempted", json::object()},
                 {"unsuccessful", json::object()},
                 {"rescheduled", json::array()},
                 {"context", ContextText(reader, round)},
                 {"shares", SharesText(asked["state"]["context"], round.state())}};
  const auto id = [&](size_t job) { return round.state().jobs[job].id; };
  for (const int job : round.scheduled()) {
    answer["scheduled"][id(static_cast<size_t>(job))] = ScheduledText(round, job);
  }
  for (const int job : round.preempted()) {
    answer["preempted"][id(static_cast<size_t>(job))] = PreemptedText(round, job);
  }
  for (size_t j = 0; j < round.state().jobs.size(); ++j) {
    const int job = static_cast<int>(j);
    if (round.accounts().failed(job)) {
      answer["unsuccessful"][id(j)] = ReasonText(round.context(job).reason);
    }
    if (round.accounts().returned(job)) answer["rescheduled"].push_back(id(j));
  }
  return answer;
}

}  // namespace

// Some reasons of the peer end in a name, of which the adapter compares what stands before it.
std::string ReasonText(armada::Reason reason) { return std::string(armada::MessageOf(reason)); }

std::string MethodText(armada::Method method) { return kMethods[static_cast<size_t>(method)]; }

}  // namespace armada_probe

absl::StatusOr<nlohmann::json> AskArmada(const nlohmann::json& request) {
  const nlohmann::json& asked = request["armada"];
  const std::string op = asked.value("op", "");
  if (op == "round") return armada_probe::PlayRound(asked);
  if (op == "place") return armada_probe::PlayPlace(asked);
  if (op == "gang") return armada_probe::PlayGang(asked);
  if (op == "shares") return armada_probe::PlayShares(asked);
  if (op == "cost") return armada_probe::PlayCost(asked);
  if (op == "compare") return armada_probe::PlayCompare(asked);
  if (op == "suits") return armada_probe::PlaySuits(asked);
  if (op == "conditions") return armada_probe::PlayConditions(asked);
  if (op == "limits") return armada_probe::PlayLimits(asked);
  if (op == "trades") return armada_probe::PlayTrades(asked);
  if (op == "short_jobs") return armada_probe::PlayShortJobs(asked);
  return absl::InvalidArgumentError(absl::StrCat("armada: no question ", op));
}

}  // namespace muster::testing
