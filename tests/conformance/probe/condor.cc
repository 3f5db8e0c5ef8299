// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// HTCondor's accountant, group quotas and negotiation cycles, as their records are written.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "lib/peer/htcondor/htcondor.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using condor::AdExpression;
using condor::AdNames;
using condor::AdValue;
using condor::ClassAd;
using nlohmann::json;

// Reads a configuration, and remembers what it could not read.
class ConfigReader {
 public:
  ConfigReader(const json& config, AdNames* names) : config_(config), names_(*names) {}

  bool Flag(const char* key, bool otherwise) const {
    const auto it = config_.find(key);
    return it == config_.end() ? otherwise : it->get<bool>();
  }
  double Number(const std::string& key, double otherwise) const {
    const auto it = config_.find(key);
    return it == config_.end() ? otherwise : it->get<double>();
  }
  std::optional<AdExpression> Expression(const char* key) {
    const auto it = config_.find(key);
    if (it == config_.end()) return std::nullopt;
    return Parsed(it->get<std::string>());
  }
  std::optional<AdExpression> Parsed(const std::string& text) {
    absl::StatusOr<AdExpression> parsed = AdExpression::Parse(text, &names_);
    if (!parsed.ok()) {
      if (status_.ok()) status_ = parsed.status();
      return std::nullopt;
    }
    return *std::move(parsed);
  }
  const absl::Status& status() const { return status_; }

  std::vector<condor::GroupSpec> Groups() const {
    std::vector<condor::GroupSpec> groups;
    const std::string list = config_.value("GROUP_NAMES", "");
    for (const absl::string_view word : absl::StrSplit(list, ',', absl::SkipWhitespace())) {
      condor::GroupSpec group;
      group.name = std::string(absl::StripAsciiWhitespace(word));
      if (config_.contains("GROUP_QUOTA_" + group.name)) {
        group.quota = Number("GROUP_QUOTA_" + group.name, 0);
      }
      group.share = Number("GROUP_QUOTA_DYNAMIC_" + group.name, 0);
      const auto flag = [&](const std::string& key) -> std::optional<bool> {
        if (!config_.contains(key)) return std::nullopt;
        return config_[key].get<bool>();
      };
      group.accepts_surplus = flag("GROUP_ACCEPT_SURPLUS_" + group.name);
      group.autoregroup = flag("GROUP_AUTOREGROUP_" + group.name);
      groups.push_back(std::move(group));
    }
    return groups;
  }

  condor::NegotiatorRules Rules() {
    condor::NegotiatorRules rules;
    rules.accountant.half_life = Number("PRIORITY_HALFLIFE", 86400);
    rules.accountant.default_factor = Number("DEFAULT_PRIO_FACTOR", 1000);
    rules.accountant.nice_factor = Number("NICE_USER_PRIO_FACTOR", 1e10);
    rules.accountant.remote_factor = Number("REMOTE_PRIO_FACTOR", 1e7);
    rules.accountant.local_domain = config_.value("ACCOUNTANT_LOCAL_DOMAIN", "");
    rules.groups = {Flag("GROUP_ACCEPT_SURPLUS", false), Flag("GROUP_AUTOREGROUP", false),
                    Flag("NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", true)};
    rules.rounds.strict = Flag("NEGOTIATOR_STRICT_ENFORCE_QUOTA", true);
    rules.rounds.most_rounds = static_cast<int>(Number("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", 3));
    rules.rounds.rate = Number("GROUP_QUOTA_ROUND_ROBIN_RATE", 1e100);
    rules.match.preemption = Flag("NEGOTIATOR_CONSIDER_PREEMPTION", true);
    rules.match.weights = Flag("NEGOTIATOR_USE_SLOT_WEIGHTS", true);
    rules.match.match_lists = Flag("NEGOTIATOR_MATCHLIST_CACHING", true);
    rules.match.preemption_requirements = Expression("PREEMPTION_REQUIREMENTS");
    rules.match.preemption_rank = Expression("PREEMPTION_RANK");
    rules.match.first_rank = Expression("NEGOTIATOR_PRE_JOB_RANK");
    rules.match.last_rank = Expression("NEGOTIATOR_POST_JOB_RANK");
    rules.group_sort_key = Expression("GROUP_SORT_EXPR");
    rules.weighted_demand = Flag("NEGOTIATOR_USE_WEIGHTED_DEMAND", true);
    rules.ignores_priorities = Flag("NEGOTIATOR_IGNORE_USER_PRIORITIES", false);
    rules.early_preemption = Flag("NEGOTIATOR_CONSIDER_EARLY_PREEMPTION", false);
    ReadPrefixed(&rules);
    return rules;
  }

 private:
  void ReadPrefixed(condor::NegotiatorRules* rules) const {
    constexpr absl::string_view kScope = "CONCURRENCY_LIMIT_DEFAULT_";
    constexpr absl::string_view kFactor = "GROUP_PRIO_FACTOR_";
    rules->concurrency.otherwise = Number("CONCURRENCY_LIMIT_DEFAULT", 2308032);
    for (const auto& [key, value] : config_.items()) {
      if (absl::StartsWith(key, kScope)) {
        rules->concurrency.scopes.emplace_back(absl::AsciiStrToLower(key.substr(kScope.size())),
                                               value.get<double>());
      } else if (absl::EndsWith(key, "_LIMIT")) {
        rules->concurrency.limits.emplace_back(absl::AsciiStrToLower(key.substr(0, key.size() - 6)),
                                               value.get<double>());
      } else if (absl::StartsWith(key, kFactor)) {
        rules->accountant.group_factors.emplace_back(key.substr(kFactor.size()),
                                                     value.get<double>());
      }
    }
  }

  const json& config_;
  AdNames& names_;
  absl::Status status_;
};

ClassAd AdOf(const json& attributes, AdNames* names, ConfigReader* reader) {
  ClassAd ad;
  for (const auto& [key, value] : attributes.items()) {
    const condor::AdName name = names->Of(key);
    if (value.is_object()) {
      std::optional<AdExpression> parsed = reader->Parsed(value["expr"].get<std::string>());
      if (parsed) ad.Set(name, *std::move(parsed));
    } else if (value.is_boolean()) {
      ad.Set(name, AdValue::Of(value.get<bool>()));
    } else if (value.is_number_integer()) {
      ad.Set(name, AdValue::Of(value.get<int64_t>()));
    } else if (value.is_number()) {
      ad.Set(name, AdValue::Of(value.get<double>()));
    } else if (value.is_string()) {
      ad.Set(name, AdValue::Of(value.get<std::string>()));
    }
  }
  return ad;
}

json StandingOf(condor::Accountant* accountant, const std::string& customer) {
  const double effective = accountant->EffectivePriority(customer);
  return {{"effective", effective},
          {"factor", accountant->Factor(customer)},
          {"real", accountant->RealPriority(customer)},
          {"weightedUsed", accountant->WeightedUsed(customer)},
          {"used", accountant->Used(customer)},
          {"hierUsed", accountant->HierarchicalUsed(customer)},
          {"weightedAccumulated", accountant->WeightedAccumulated(customer)}};
}

// --- accountant: one event after the other

json PlayEvents(const json& asked, bool weights, condor::Accountant* accountant) {
  const auto counted = [&](const json& weight) { return weights ? weight.get<double>() : 1.0; };
  json shown = json::array();
  for (const json& event : asked["events"]) {
    const std::string what = absl::AsciiStrToLower(event[0].get<std::string>());
    if (what == "time") {
      accountant->SetTime(event[1].get<int64_t>());
    } else if (what == "update") {
      accountant->UpdatePriorities();
    } else if (what == "match") {
      accountant->Match(event[1].get<std::string>(), event[2].get<std::string>(),
                        counted(event[3]));
    } else if (what == "release") {
      accountant->Release(event[1].get<std::string>());
    } else if (what == "factor") {
      accountant->SetFactor(event[1].get<std::string>(), event[2].get<double>());
    } else if (what == "setpriority" || what == "prio") {
      accountant->SetPriority(event[1].get<std::string>(), event[2].get<double>());
    } else if (what == "checkmatches") {
      std::vector<condor::Claim> claims;
      for (const json& claim : event[1]) {
        claims.push_back(
            {claim[0].get<std::string>(), claim[2].get<std::string>(), counted(claim[1])});
      }
      accountant->CheckMatches(claims);
    } else if (what == "show") {
      json step = json::object();
      if (event.size() > 1) {
        step[event[1].get<std::string>()] = StandingOf(accountant, event[1].get<std::string>());
      } else {
        for (const json& customer : asked["customers"]) {
          step[customer.get<std::string>()] = StandingOf(accountant, customer.get<std::string>());
        }
      }
      shown.push_back(std::move(step));
    } else {
      return {{"error", "unknown event " + what}};
    }
  }
  return shown;
}

// --- group quotas: the world around a call is what the record says

class QuotaPlayer {
 public:
  QuotaPlayer(ConfigReader* reader, const json& asked, AdNames* names)
      : rules_(reader->Rules()),
        tree_(reader->Groups(), rules_.groups),
        key_(names, rules_.group_sort_key),
        weighted_(asked["weighted"].get<bool>()) {}

  json Play(const json& cycle) {
    const size_t count = tree_.groups().size();
    std::vector<double> demand(count, 0), usage(count, 0), matchable(count, 0);
    std::vector<uint8_t> has_submitters(count, 0);
    for (condor::GroupIndex g = 0; g < count; ++g) {
      usage[g] = cycle["usage"].value(tree_.groups()[g].name, 0.0);
      matchable[g] = cycle["matchable"].value(tree_.groups()[g].name, 0.0);
    }
    for (const json& submitter : cycle["submitters"]) {
      const condor::GroupIndex g = tree_.GroupOf(submitter["name"].get<std::string>());
      demand[g] +=
          submitter["weightedIdle"].get<double>() + submitter["weightedRunning"].get<double>();
      has_submitters[g] = 1;
      const bool regroups = tree_.groups()[condor::kRootGroup].autoregroup;
      if (regroups && tree_.groups()[g].autoregroup) has_submitters[condor::kRootGroup] = 1;
    }
    rules_.rounds.weights = weighted_;
    rules_.rounds.preemption = rules_.match.preemption;
    condor::QuotaRounds rounds(rules_.rounds, key_, &tree_,
                               [&](condor::GroupIndex g) { return usage[g]; });
    rounds.Begin(cycle["total"].get<double>(), demand, has_submitters);
    json assigned = json::object(), calls = json::array(), after = json::object();
    for (const condor::Group& group : tree_.groups()) {
      assigned[group.name] = {{"quota", group.quota},
                              {"subtreeQuota", group.subtree_quota},
                              {"demand", group.requested}};
    }
    rounds.Run(cycle["time"].get<int64_t>(), [&](const condor::GroupTurn& turn) {
      const double before = usage[turn.group];
      const double gained =
          std::max(0.0, std::min(static_cast<double>(turn.limit) - before, matchable[turn.group]));
      usage[turn.group] += gained;
      matchable[turn.group] -= gained;
      calls.push_back({{"group", tree_.groups()[turn.group].name},
                       {"allocated", turn.allocated},
                       {"sortKey", turn.sort_key},
                       {"limit", turn.limit},
                       {"usageBefore", before},
                       {"gained", gained}});
      return true;
    });
    for (condor::GroupIndex g = 0; g < count; ++g) {
      const condor::Group& group = tree_.groups()[g];
      after[group.name] = {
          {"allocated", group.allocated}, {"usage", usage[g]}, {"unmet", group.requested}};
    }
    return {{"calls", calls}, {"assigned", assigned}, {"after", after}};
  }

 private:
  condor::NegotiatorRules rules_;
  condor::GroupTree tree_;
  condor::GroupSortKey key_;
  const bool weighted_;
};

// --- whole cycles

condor::Pool PoolOf(const json& cycle, AdNames* names, ConfigReader* reader) {
  condor::Pool pool{.time = cycle["time"].get<int64_t>()};
  for (const json& slot : cycle["slots"]) {
    pool.slots.push_back({slot["Name"].get<std::string>(), AdOf(slot, names, reader)});
  }
  for (const json& submitter : cycle["submitters"]) {
    pool.submitters.push_back(
        {submitter["Name"].get<std::string>(), submitter["IdleJobs"].get<int64_t>(),
         submitter["RunningJobs"].get<int64_t>(), submitter.value("WeightedIdleJobs", 0.0),
         submitter.value("WeightedRunningJobs", 0.0),
         submitter.value("LastHeardFrom", int64_t{0})});
  }
  for (const json& job : cycle["jobs"]) {
    pool.jobs[job["submitter"].get<std::string>()].push_back({job["id"].get<std::string>(),
                                                              job["autocluster"].get<int64_t>(),
                                                              AdOf(job["ad"], names, reader)});
  }
  return pool;
}

json EventOf(const condor::NegotiationEvent& event) {
  using Kind = condor::NegotiationEvent::Kind;
  const auto or_null = [](const std::string& text) { return text.empty() ? json() : json(text); };
  switch (event.kind) {
    case Kind::kGroupTurn:
      return {{"groupTurn", event.name}, {"limit", event.limit}, {"allocated", event.allocated}};
    case Kind::kSession:
      return {{"negotiate", event.name},
              {"group", or_null(event.other)},
              {"priority", event.priority},
              {"limit", event.limit},
              {"limitUnclaimed", event.unclaimed_limit},
              {"ignoreLimit", event.ignores_limit},
              {"pieLeft", event.pie_left}};
    case Kind::kMatch:
      return {{"match", event.name},
              {"slot", event.other},
              {"preempts", or_null(event.preempts)},
              {"cost", event.cost}};
    case Kind::kReject:
      break;
  }
  return {{"reject", event.name}, {"reason", event.other}};
}

json RecordOf(const condor::CycleRecord& record) {
  json submitters = json::object(), events = json::array();
  for (const auto& standing : record.standings) {
    submitters[standing.submitter] = {standing.priority, standing.factor, standing.used};
  }
  for (const condor::NegotiationEvent& event : record.events) events.push_back(EventOf(event));
  return {{"poolWeight", record.pool_weight},
          {"minSlotWeight", record.least_weight},
          {"considered", record.considered},
          {"submitters", submitters},
          {"events", events}};
}

json PlayCycles(const json& asked, AdNames* names, ConfigReader* reader) {
  condor::Negotiator negotiator(reader->Rules(), reader->Groups(), names);
  condor::Accountant& accountant = negotiator.accountant();
  accountant.SetTime(asked["cycles"][0]["time"].get<int64_t>());
  const json& start = asked["start"];
  for (const auto& [name, value] : start["factors"].items()) {
    accountant.SetFactor(name, value.get<double>());
  }
  for (const auto& [name, value] : start["priorities"].items()) {
    accountant.SetPriority(name, value.get<double>());
  }
  for (const auto& [name, value] : start["ceilings"].items()) {
    accountant.SetCeiling(name, value.get<int64_t>());
  }
  for (const auto& [name, value] : start["floors"].items()) {
    accountant.SetFloor(name, value.get<int64_t>());
  }
  json records = json::array();
  for (const json& cycle : asked["cycles"]) {
    records.push_back(RecordOf(negotiator.RunCycle(PoolOf(cycle, names, reader))));
  }
  return records;
}

}  // namespace

absl::StatusOr<json> AskCondor(const json& request) {
  const json& asked = request["condor"];
  AdNames names;
  ConfigReader reader(asked["config"], &names);
  json answer;
  if (asked.contains("events")) {
    const condor::NegotiatorRules rules = reader.Rules();
    const condor::GroupTree tree(reader.Groups(), rules.groups);
    condor::Accountant accountant(rules.accountant, &tree);
    answer = PlayEvents(asked, rules.match.weights, &accountant);
  } else if (asked.contains("weighted")) {
    QuotaPlayer player(&reader, asked, &names);
    answer = json::array();
    for (const json& cycle : asked["cycles"]) answer.push_back(player.Play(cycle));
  } else {
    answer = PlayCycles(asked, &names, &reader);
  }
  if (!reader.status().ok()) return reader.status();
  return answer;
}

}  // namespace muster::testing
