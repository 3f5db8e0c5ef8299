// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Nodes of NUMA zones with books: what tasks get of them, and how good they are.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/koordinator/numa/numa_rules.h"
#include "tests/conformance/probe/koordinator_cpu.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

// One question, read.
class SiteQuestion {
 public:
  explicit SiteQuestion(const json& asked) : asked_(asked) {
    names_ = asked["resources"].get<std::vector<std::string>>();
    site_.books = &books_;
    ReadNode();
    for (const json& step : asked.value("books", json::array())) Book(step);
    if (asked.contains("claim")) ReadClaim(asked["claim"]);
    if (asked.contains("loans")) ReadLoans(asked["loans"]);
    if (asked.contains("victims")) ReadVictims(asked["victims"]);
    if (asked.contains("scorer")) {
      const json& scorer = asked["scorer"];
      scorer_ = NumaScorer{
          .prefer_full = scorer["prefer_full"], .weights = Amounts(scorer["weights"]), .plain = 0};
      for (const json& name : scorer["plain"]) {
        for (size_t r = 0; r < names_.size(); ++r) {
          if (names_[r] == name) scorer_->plain |= uint64_t{1} << r;
        }
      }
    }
    if (asked.contains("zones_found")) {
      found_.emplace();
      if (!asked["zones_found"].is_null()) found_->zones = asked["zones_found"].get<uint64_t>();
    }
  }

  json Answer() {
    const std::string ask = asked_["ask"];
    const NumaScorer* scorer = scorer_.has_value() ? &*scorer_ : nullptr;
    const std::string nominated = asked_.value("nominated", "");
    if (ask == "filter") {
      const NumaFilter filter =
          FilterByNuma(site_, claim_, loans_, nominated, victims_, scorer, {});
      json answer = {{"code", CodeOf(filter.reason)}, {"zones", nullptr}};
      if (filter.zones.has_value() && filter.zones->zones.has_value()) {
        answer["zones"] = *filter.zones->zones;
      }
      return answer;
    }
    if (ask == "filter_loan") {
      return CodeOf(FilterLoan(site_, claim_, found_, loans_, nominated, victims_));
    }
    if (ask == "score") return ScoreByNuma(site_, claim_, found_, loans_, nominated, *scorer_);
    if (ask == "reserve") {
      const NumaFilter zones = FindZonesAtLast(site_, claim_, found_, loans_, victims_, scorer, {});
      if (!zones.ok()) return {{"code", CodeOf(zones.reason)}, {"grant", nullptr}};
      const NumaLoanAnswer answer =
          ReserveByNuma(site_, claim_, zones.zones, loans_, nominated, victims_);
      json written = {{"code", CodeOf(answer.reason)}, {"grant", nullptr}};
      if (answer.grant.has_value()) written["grant"] = Written(*answer.grant);
      return written;
    }
    if (ask == "allocate") {
      NumaNeed need = NeedAtSite(site_, claim_);
      need.request.zones = found_.has_value() ? found_->zones : std::nullopt;
      const NumaLoanAnswer answer = PlaceOnNode(site_.node, books_, need.request, loans_, victims_);
      return answer.grant.has_value() ? Written(*answer.grant) : json();
    }
    if (ask == "hints") return Hints(scorer);
    if (ask == "books") return BooksWritten();
    return LoansWritten();
  }

 private:
  Sparse Amounts(const json& object) const {
    Sparse amounts;
    for (size_t r = 0; r < names_.size(); ++r) {
      if (object.contains(names_[r])) amounts.Set(r, object[names_[r]].get<int64_t>());
    }
    return amounts;
  }

  json Written(const Sparse& amounts) const {
    json object = json::object();
    ForEachResource(amounts.keys(), [&](size_t r) { object[names_[r]] = amounts.at(r); });
    return object;
  }

  // {ZONE: AMOUNTS}
  ZoneAmounts Zones(const json& object) const {
    ZoneAmounts zones;
    for (const auto& [zone, amounts] : object.items()) zones[std::stoi(zone)] = Amounts(amounts);
    return zones;
  }

  json Written(const ZoneAmounts& zones) const {
    json object = json::object();
    for (const auto& [zone, amounts] : zones) object[std::to_string(zone)] = Written(amounts);
    return object;
  }

  json Written(const NumaGrant& grant) const {
    return {{"cpus", grant.cpus.ToString()}, {"zones", Written(grant.amounts)}};
  }

  static CpuSet Cpus(const json& object, const char* key) {
    return CpuSet::Parse(object.value(key, "")).value_or(CpuSet());
  }

  static const char* CodeOf(NumaReason reason) {
    if (reason == NumaReason::kNone) return "Success";
    if (reason == NumaReason::kNoTopology) return "no topology";
    return EvictionMayHelp(reason) ? "Unschedulable" : "UnschedulableAndUnresolvable";
  }

  void ReadNode() {
    std::vector<LogicalCpu> cpus;
    for (const json& cpu : asked_["machine"]) cpus.push_back({cpu[0], cpu[1], cpu[2], cpu[3]});
    const absl::StatusOr<CpuTopology> topology = CpuTopology::Make(cpus);
    if (topology.ok()) site_.node = NodeOfCpus(*topology, cpus);
    // Resources with a ratio are amplified, as the plug-in does before it looks at a node.
    const json ratios = asked_.value("ratios", json::object());
    for (const json& zone : asked_["zones"]) {
      Sparse amounts = Amounts(zone[1]);
      for (size_t r = 0; r < names_.size(); ++r) {
        if (!amounts.has(r)) continue;
        amounts.Set(r, AmplifiedAmount(amounts.at(r), ratios.value(names_[r], 1.0)));
      }
      site_.node.zones.push_back({zone[0], std::move(amounts)});
    }
    site_.node.reserved = Cpus(asked_, "reserved");
    site_.node.most_holders = asked_.value("most_holders", 1);
    site_.node.ratio = ratios.value("cpu", 1.0);
    for (size_t r = 0; r < names_.size(); ++r) {
      if (names_[r] == "cpu") site_.node.cpu = r;
    }
    const json site = asked_.value("site", json::object());
    site_.binding = NodeCpuBindingOf(site);
    site_.zone_policy = site.value("zone_policy", "");
    site_.order = site.value("fewest_free", false) ? ZoneOrder::kFewestFree : ZoneOrder::kMostFree;
    site_.ratio = site.value("ratio", 1.0);
    site_.allocatable = Amounts(site.value("allocatable", json::object()));
    site_.requested = Amounts(site.value("requested", json::object()));
  }

  NumaHolding HoldingOf(const json& step) const {
    return {.task = step.value("task", ""),
            .cpus = Cpus(step, "cpus"),
            .exclusive = CpuExclusiveOf(step),
            .amounts = Zones(step.value("zones", json::object()))};
  }

  void Book(const json& step) {
    if (step["op"] == "hold") books_.Hold(site_.node, HoldingOf(step));
    if (step["op"] == "add") books_.Add(site_.node, HoldingOf(step));
    if (step["op"] == "release") books_.Release(step["task"].get<std::string>());
  }

  void ReadClaim(const json& claim) {
    // Either read from a task, or given as the policies came out.
    claim_.need = claim.contains("binds")
                      ? CpuNeed{.binds = claim["binds"],
                                .milli = claim["milli"],
                                .cpus = claim["cpus"],
                                .required = BindPolicyOf(claim.value("required", "")),
                                .preferred = BindPolicyOf(claim.value("preferred", ""))}
                      : CpuNeedOf(claim);
    claim_.requests = Amounts(claim["requests"]);
    claim_.exclusive = CpuExclusiveOf(claim);
    claim_.zone_policy = claim.value("zone_policy", "");
    if (claim.contains("alone")) claim_.alone = claim["alone"].get<bool>();
    const std::string kind = claim.value("claimant", "");
    claim_.claimant = kind == "reservation" ? NumaClaimant::kReservation
                      : kind == "take_over" ? NumaClaimant::kTakeOver
                                            : NumaClaimant::kTask;
    claim_.taker = {.ignores_reservations = claim.value("ignores_reservations", false),
                    .needs_loan = claim.value("needs_loan", false)};
    if (claim.contains("named")) {
      claim_.named = NumaGrant{.amounts = Zones(claim["named"]["zones"]),
                               .cpus = Cpus(claim["named"], "cpus")};
    }
  }

  void ReadLoans(const json& object) {
    const auto reservations = [](const json& list) {
      std::vector<NumaReservation> out;
      for (const json& one : list) {
        out.push_back({.name = one["name"],
                       .task = one["task"],
                       .owners = one.value("owners", std::vector<std::string>()),
                       .restricted = one.value("restricted", false)});
      }
      return out;
    };
    if (object.contains("reservations")) {
      loans_ = LoansOfReservations(books_, reservations(object["reservations"]),
                                   reservations(object.value("others", json::array())));
    } else if (object.contains("tasks")) {
      loans_ = LoansOfTasks(books_, object["tasks"].get<std::vector<std::string>>(),
                            object["reservation"], object.value("restricted", false));
    } else {
      ReadRawLoans(object);
    }
  }

  // Loans and their sums as they were written.
  void ReadRawLoans(const json& object) {
    const auto zones = [this](const json& of, const char* key) {
      return Zones(of.value(key, json::object()));
    };
    for (const json& one : object["matched"]) {
      loans_.matched.push_back({.name = one["name"],
                                .reservation = one["reservation"],
                                .restricted = one["restricted"],
                                .allocatable = zones(one, "allocatable"),
                                .allocated = zones(one, "allocated"),
                                .remained = zones(one, "remained"),
                                .allocatable_cpus = Cpus(one, "allocatable_cpus"),
                                .allocated_cpus = Cpus(one, "allocated_cpus"),
                                .remained_cpus = Cpus(one, "remained_cpus")});
    }
    loans_.takes_over = object.value("takes_over", false);
    loans_.remained_cpus = Cpus(object, "remained_cpus");
    loans_.allocated_cpus = Cpus(object, "allocated_cpus");
    loans_.allocatable = zones(object, "allocatable");
    loans_.allocated = zones(object, "allocated");
    loans_.unmatched_used = zones(object, "unmatched_used");
  }

  NumaShare ShareOf(const json& steps) const {
    NumaShare share;
    for (const json& step : steps) {
      const NumaHolding* held = books_.Find(step.value("task", ""));
      const NumaHolding holding = held == nullptr ? HoldingOf(step) : *held;
      step["op"] == "leaves" ? share.GiveUp(holding) : share.TakeBack(holding);
    }
    return share;
  }

  void ReadVictims(const json& object) {
    if (object.contains("node")) victims_.node = ShareOf(object["node"]);
    const json lenders = object.value("reservations", json::object());
    for (const auto& [name, steps] : lenders.items()) {
      victims_.reservations[name] = ShareOf(steps);
    }
  }

  json Hints(const NumaScorer* scorer) {
    json answer = json::object();
    for (const auto& [r, hints] :
         HintsOfZones(site_, claim_, NeedAtSite(site_, claim_), loans_, victims_, scorer)) {
      json list = json::array();
      for (const ScoredHint& hint : hints)
        list.push_back({*hint.zones, hint.preferred, hint.score});
      answer[names_[r]] = std::move(list);
    }
    return answer;
  }

  json Written(const NumaShare& share) const {
    return {{"zones", Written(share.amounts())},
            {"added", share.added().ToString()},
            {"removed", share.removed().ToString()}};
  }

  json BooksWritten() const {
    std::vector<CpuSet> returned;
    for (const json& set : asked_.value("returned", json::array())) {
      returned.push_back(CpuSet::Parse(set.get<std::string>()).value_or(CpuSet()));
    }
    static constexpr const char* kStates[] = {"idle", "single", "shared"};
    json states = json::object();
    for (const NumaNode::Zone& zone : site_.node.zones) {
      states[std::to_string(zone.number)] =
          kStates[static_cast<size_t>(books_.StateOf(zone.number))];
    }
    const HeldCpus held = books_.Held(site_.node, returned);
    json answer = {{"states", states},
                   {"available", books_.FreeCpus(site_.node, returned).ToString()},
                   {"held", held.all.ToString()},
                   {"sharers", held.use.sharers},
                   {"core_exclusive", held.use.core_exclusive.ToString()},
                   {"zone_exclusive", held.use.zone_exclusive.ToString()},
                   {"free", Written(books_.Free(site_.node, {}))},
                   {"amounts", Written(books_.HeldAmounts(site_.node, {}))}};
    for (const json& task : asked_.value("tasks", json::array())) {
      const NumaHolding* one = books_.Find(task.get<std::string>());
      answer["tasks"][task.get<std::string>()] =
          one == nullptr ? json() : Written(NumaGrant{.amounts = one->amounts, .cpus = one->cpus});
    }
    if (victims_.node.has_value()) answer["node"] = Written(*victims_.node);
    for (const auto& [name, share] : victims_.reservations) {
      answer["reservations"][name] = Written(share);
    }
    return answer;
  }

  json LoansWritten() const {
    json matched = json::object();
    for (const NumaLoan& loan : loans_.matched) {
      matched[loan.name] = {{"allocatable", Written(loan.allocatable)},
                            {"allocated", Written(loan.allocated)},
                            {"remained", Written(loan.remained)},
                            {"allocatable_cpus", loan.allocatable_cpus.ToString()},
                            {"allocated_cpus", loan.allocated_cpus.ToString()},
                            {"remained_cpus", loan.remained_cpus.ToString()}};
    }
    return {{"matched", matched},
            {"allocatable", Written(loans_.allocatable)},
            {"allocated", Written(loans_.allocated)},
            {"remained_cpus", loans_.remained_cpus.ToString()},
            {"allocated_cpus", loans_.allocated_cpus.ToString()},
            {"unmatched_used", Written(loans_.unmatched_used)}};
  }

  const json& asked_;
  std::vector<std::string> names_;
  NumaSite site_;
  NumaBooks books_;
  NumaClaim claim_;
  NumaLoans loans_;
  NumaVictims victims_;
  std::optional<NumaScorer> scorer_;
  std::optional<ScoredHint> found_;
};

}  // namespace

absl::StatusOr<json> AskNumaSite(const json& request) {
  return SiteQuestion(request["numa_site"]).Answer();
}

}  // namespace muster::testing
