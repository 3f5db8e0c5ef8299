// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Devices of machines: which of them tasks get, their books, and what reservations lend of them.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/peer/koordinator/device/device_allocator.h"
#include "lib/peer/koordinator/device/device_loans.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

constexpr const char* kKinds[] = {"gpu", "rdma", "fpga"};
constexpr std::pair<const char*, DeviceResource> kResources[] = {
    {"koordinator.sh/gpu-core", DeviceResource::kCore},
    {"koordinator.sh/gpu-memory", DeviceResource::kMemory},
    {"koordinator.sh/gpu-memory-ratio", DeviceResource::kRatio},
    {"huawei.com/npu-core", DeviceResource::kNpuCore},
    {"huawei.com/npu-cpu", DeviceResource::kNpuCpu},
    {"huawei.com/npu-dvpp", DeviceResource::kNpuDvpp},
    {"koordinator.sh/rdma", DeviceResource::kRdma},
    {"koordinator.sh/fpga", DeviceResource::kFpga},
};

DeviceAmounts AmountsOf(const json& object) {
  DeviceAmounts amounts;
  for (const auto& [name, resource] : kResources) {
    if (object.contains(name)) amounts.Set(resource, object[name].get<int64_t>());
  }
  return amounts;
}

DeviceLabels LabelsOf(const json& object) {
  DeviceLabels labels;
  for (const auto& [key, value] : object.items()) labels.emplace_back(key, value);
  return labels;
}

// [[KEY, "In", [VALUE, ...]], ...]
std::optional<LabelSelector> SelectorOf(const json& wish, const char* key) {
  if (!wish.contains(key)) return std::nullopt;
  LabelSelector selector;
  for (const json& rule : wish[key]) {
    const std::string op = rule[1];
    selector.rules.push_back({rule[0],
                              op == "In"       ? LabelSelector::Op::kIn
                              : op == "NotIn"  ? LabelSelector::Op::kNotIn
                              : op == "Exists" ? LabelSelector::Op::kExists
                                               : LabelSelector::Op::kDoesNotExist,
                              rule[2].get<std::vector<std::string>>()});
  }
  return selector;
}

MachineDevices MachineOf(const json& object) {
  MachineDevices machine;
  for (const json& one : object["devices"]) {
    const auto* kind = std::find(std::begin(kKinds), std::end(kKinds), one["kind"]);
    DeviceAccount& book = machine.books[static_cast<size_t>(kind - std::begin(kKinds))];
    Device device{.minor = one["minor"], .healthy = one["healthy"]};
    if (device.healthy) device.total = AmountsOf(one["amounts"]);
    device.placed = one.contains("bus");
    device.zone = one.value("zone", 0);
    device.bus = one.value("bus", "");
    device.labels = LabelsOf(one["labels"]);
    for (const json& group : one["virtual_groups"]) {
      device.virtual_groups.push_back({LabelsOf(group["labels"]), group["functions"]});
    }
    for (const json& function : one.value("used_functions", json::array())) {
      book.used_functions.insert({device.minor, function});
    }
    book.devices.push_back(std::move(device));
    book.used.push_back(AmountsOf(one.value("used", json::object())));
  }
  if (object.value("hopper", false)) machine.partitions = HopperPartitions();
  for (const json& one : object.value("partitions", json::array())) {
    GpuPartitions& of_size = machine.partitions.emplace_back();
    of_size.gpus = one["gpus"];
    for (const json& partition : one["partitions"]) {
      of_size.partitions.push_back({.minors = partition[0], .score = partition[1]});
    }
  }
  machine.model = object.value("model", "");
  machine.honors_partitions = object.value("honors_partitions", false);
  machine.secondary_well_planned = object.value("secondary_well_planned", false);
  return machine;
}

absl::StatusOr<DeviceClaim> RequestOf(const json& object) {
  std::vector<std::pair<std::string, int64_t>> amounts;
  for (const auto& [name, amount] : object["amounts"].items()) amounts.emplace_back(name, amount);
  absl::StatusOr<DeviceClaim> request = ReadDeviceRequest(amounts);
  if (!request.ok()) return request;
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    const json wish = object["wishes"].value(kKinds[k], json::object());
    DeviceWish& read = request->wishes[k];
    read.selector = SelectorOf(wish, "selector");
    read.function_selector = SelectorOf(wish, "function_selector");
    const std::string strategy = wish.value("strategy", "");
    read.strategy = strategy == "ApplyForAll"       ? DeviceStrategy::kAllMatching
                    : strategy == "RequestsAsCount" ? DeviceStrategy::kAsCount
                                                    : DeviceStrategy::kAmount;
    read.whole_device = wish.value("whole_device", false);
  }
  for (const json& joint : object["joint"]) {
    const auto* kind = std::find(std::begin(kKinds), std::end(kKinds), joint);
    request->joint.push_back(static_cast<DeviceKind>(kind - std::begin(kKinds)));
  }
  request->joint_same_bus = object.value("joint_same_bus", false);
  request->scope = static_cast<GpuScope>(object.value("scope", 0));
  request->by_partition = object.value("by_partition", false);
  request->first_partitions_only = object.value("first_partitions_only", false);
  if (object.contains("templates")) {
    request->templates = object["templates"].get<std::map<std::string, std::vector<std::string>>>();
  }
  return request;
}

json Written(const DeviceAmounts& amounts) {
  json written = json::object();
  for (const auto& [name, resource] : kResources) {
    if (amounts.has(resource)) written[name] = amounts.at(resource);
  }
  return written;
}

json Written(const DeviceGrants& grants) {
  json written = json::object();
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    for (const DeviceGrant& grant : grants[k]) {
      written[kKinds[k]].push_back({{"minor", grant.minor},
                                    {"function", grant.function},
                                    {"template", grant.share_template},
                                    {"amounts", Written(grant.amounts)}});
    }
  }
  return written;
}

const char* CodeOf(const DeviceAnswer& answer) {
  return answer.ok()                ? "Success"
         : answer.EvictionMayHelp() ? "Unschedulable"
                                    : "UnschedulableAndUnresolvable";
}

// One step of that way, on one machine. Its books stay as they are.
json Choose(const json& op, const DeviceClaim& request, const DeviceScorer& scorer,
            const MachineDevices& machine) {
  const bool final = op["final"];
  const DeviceAnswer answer =
      ChooseDevices(machine, request, op["scored"].get<bool>() ? &scorer : nullptr, final);
  return {{"code", CodeOf(answer)},
          {"kind", kKinds[static_cast<size_t>(answer.kind)]},
          {"score", ScoreMachine(machine, request, scorer)},
          {"allocation", Written(answer.grants)}};
}

DeviceGrants GrantsOf(const json& object) {
  DeviceGrants grants;
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    for (const json& one : object.value(kKinds[k], json::array())) {
      grants[k].push_back({.minor = one["minor"],
                           .amounts = AmountsOf(one["amounts"]),
                           .function = one["function"]});
    }
  }
  return grants;
}

// What is used and free of each device.
json Written(const MachineDevices& machine) {
  json written = json::object();
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    const DeviceAccount& book = machine.books[k];
    for (size_t i = 0; i < book.devices.size(); ++i) {
      written[kKinds[k]][std::to_string(book.devices[i].minor)] = {{"used", Written(book.used[i])},
                                                                   {"free", Written(book.Free(i))}};
    }
  }
  return written;
}

// What a request was read as, kind by kind.
json Written(const DeviceClaim& request) {
  json written = json::object();
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    const DeviceWish& wish = request.wishes[k];
    if (wish.total.IsZero()) continue;
    written[kKinds[k]] = {{"total", Written(wish.total)},
                          {"each", Written(wish.each)},
                          {"count", wish.count},
                          {"partial", wish.partial}};
  }
  return written;
}

// One task on the machines, the way the peer's cycle goes: filter, score, normalize, reserve.
json Schedule(const DeviceClaim& request, const DeviceScorer& scorer,
              std::map<std::string, MachineDevices>* machines, DeviceGrants* grants) {
  json step = {{"filter", json::object()}, {"score", json::object()}};
  std::map<std::string, int64_t> scores;
  int64_t most = 0;
  for (const auto& [name, machine] : *machines) {
    const DeviceAnswer answer = ChooseDevices(machine, request, nullptr, /*final=*/false);
    step["filter"][name] = CodeOf(answer);
    if (!answer.ok()) continue;
    scores[name] = ScoreMachine(machine, request, scorer);
    most = std::max(most, scores[name]);
  }
  const std::string* best = nullptr;
  int64_t best_score = -1;
  for (const auto& [name, score] : scores) {
    const int64_t normalized = most == 0 ? score : score * 100 / most;
    step["score"][name] = score;
    step["normalizedScore"][name] = normalized;
    if (normalized <= best_score) continue;
    best = &name;
    best_score = normalized;
  }
  if (best == nullptr) return step;
  step["node"] = *best;
  const DeviceAnswer answer = ChooseDevices((*machines)[*best], request, &scorer, /*final=*/true);
  step["reserved"] = answer.ok();
  if (!answer.ok()) return step;
  *grants = answer.grants;
  Take(*grants, &(*machines)[*best]);
  step["allocation"] = Written(*grants);
  return step;
}

// {KIND: {MINOR: AMOUNTS}}
DeviceShares SharesOf(const json& object) {
  DeviceShares shares;
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    const json of_kind = object.value(kKinds[k], json::object());
    for (const auto& [minor, amounts] : of_kind.items()) {
      shares[k][std::stoi(minor)] = AmountsOf(amounts);
    }
  }
  return shares;
}

json Written(const DeviceShares& shares) {
  json written = json::object();
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    for (const auto& [minor, amounts] : shares[k]) {
      written[kKinds[k]][std::to_string(minor)] = Written(amounts);
    }
  }
  return written;
}

DeviceShares SharesAt(const json& object, const char* key) {
  return SharesOf(object.value(key, json::object()));
}

std::vector<DeviceReservation> ReservationsOf(const json& list) {
  std::vector<DeviceReservation> reservations;
  for (const json& one : list) {
    reservations.push_back({.name = one["name"],
                            .task = one["task"],
                            .owners = one.value("owners", std::vector<std::string>()),
                            .restricted = one.value("restricted", false)});
  }
  return reservations;
}

// Loans of reservations or tasks that hold devices, or as they were written.
DeviceLoans LoansOf(const json& object, const DeviceHoldings& holdings) {
  if (object.contains("reservations")) {
    return LoansOfReservations(holdings, ReservationsOf(object["reservations"]),
                               ReservationsOf(object.value("others", json::array())));
  }
  if (object.contains("tasks")) {
    return LoansOfTasks(holdings, object["tasks"].get<std::vector<std::string>>(),
                        object["reservation"], object.value("restricted", false));
  }
  DeviceLoans loans{.matched = {}, .takes_over = object.value("takes_over", false)};
  for (const json& one : object.value("matched", json::array())) {
    loans.matched.push_back({.name = one["name"],
                             .reservation = one["reservation"],
                             .restricted = one["restricted"],
                             .allocatable = SharesAt(one, "allocatable"),
                             .allocated = SharesAt(one, "allocated"),
                             .remained = SharesAt(one, "remained")});
  }
  loans.allocatable = SharesAt(object, "allocatable");
  loans.allocated = SharesAt(object, "allocated");
  loans.unmatched_used = SharesAt(object, "unmatched_used");
  return loans;
}

json Written(const DeviceLoans& loans) {
  json matched = json::object();
  for (const DeviceLoan& loan : loans.matched) {
    matched[loan.name] = {{"allocatable", Written(loan.allocatable)},
                          {"allocated", Written(loan.allocated)},
                          {"remained", Written(loan.remained)}};
  }
  return {{"matched", matched},
          {"allocatable", Written(loans.allocatable)},
          {"allocated", Written(loans.allocated)},
          {"unmatched_used", Written(loans.unmatched_used)}};
}

json Written(const DeviceLoanAnswer& answer) {
  const DeviceAnswer plain{.grants = {}, .reason = answer.reason, .kind = answer.kind};
  return {{"code", answer.must_come_from_loan ? "Unschedulable" : CodeOf(plain)},
          {"kind", kKinds[static_cast<size_t>(answer.kind)]},
          {"granted", answer.grants.has_value()},
          {"allocation", Written(answer.grants.value_or(DeviceGrants()))}};
}

json Written(const ScoredHint& hint) {
  return {hint.zones.has_value() ? json(*hint.zones) : json(), hint.preferred, hint.score};
}

json HintsWritten(const DeviceTrial& trial, const DeviceTaker& taker) {
  json hints = json::object();
  if (taker.named.has_value()) {
    const std::optional<ScoredHint> hint = HintOfNamed(trial.machine, *taker.named);
    for (size_t k = 0; k < kDeviceKinds; ++k) {
      if (!(*taker.named)[k].empty() && hint.has_value()) hints[kKinds[k]] = {Written(*hint)};
    }
    return {{"code", hint.has_value() ? "Success" : "Unschedulable"}, {"hints", hints}};
  }
  const DeviceHints found = HintsOfDevices(trial, taker);
  for (const auto& [kind, list] : found.hints) {
    for (const ScoredHint& hint : list) {
      hints[kKinds[static_cast<size_t>(kind)]].push_back(Written(hint));
    }
  }
  const json refusal = Written(found.refusal);
  return {{"code", found.few_in_zones ? json("UnschedulableAndUnresolvable") : refusal["code"]},
          {"hints", hints}};
}

DeviceTaker TakerOf(const json& object) {
  DeviceTaker taker{.ignores_reservations = object.value("ignores_reservations", false),
                    .needs_loan = object.value("needs_loan", false),
                    .reserves = object.value("reserves", false)};
  if (object.contains("named")) taker.named = GrantsOf(object["named"]);
  return taker;
}

// One trial on one machine. Its books stay as they are.
json Try(const json& op, const DeviceClaim& request, const DeviceScorer& scorer,
         const MachineDevices& machine) {
  DeviceHoldings holdings;
  const json held = op.value("holdings", json::object());
  for (const auto& [task, shares] : held.items()) {
    holdings[task] = SharesOf(shares);
  }
  const DeviceLoans loans = LoansOf(op.value("loans", json::object()), holdings);
  const json asked = op.value("victims", json::object());
  DeviceVictims victims{.node = SharesAt(asked, "node")};
  const json lenders = asked.value("reservations", json::object());
  for (const auto& [name, shares] : lenders.items()) {
    victims.reservations[name] = SharesOf(shares);
  }
  DeviceTrial trial{.machine = machine,
                    .claim = request,
                    .scorer = op.value("scored", false) ? &scorer : nullptr,
                    .final = op.value("final", false),
                    .loans = loans,
                    .victims = victims};
  if (op.contains("zones")) trial.zones = op["zones"].get<uint64_t>();
  const DeviceTaker taker = TakerOf(op.value("taker", json::object()));
  const std::string nominated = op.value("nominated", "");
  const std::string ask = op["ask"];
  if (ask == "filter") return Written(FilterDevices(trial, taker));
  if (ask == "reserve") return Written(ReserveDevices(trial, taker, nominated));
  if (ask == "from_loans") {
    return Written(ChooseFromLoans(
        trial, taker,
        nominated.empty() ? std::span<const DeviceLoan>(loans.matched) : loans.Find(nominated)));
  }
  if (ask == "score") return ScoreDevices(trial, nominated);
  if (ask == "score_loan") return ScoreLoan(trial, nominated);
  if (ask == "hints") return HintsWritten(trial, taker);
  return Written(loans);
}

// What needs neither a machine nor a request.
json AskShares(const json& op) {
  if (op["op"] == "include") return GrantsInclude(GrantsOf(op["grants"]), SharesOf(op["shares"]));
  if (op["op"] == "loans") {
    DeviceHoldings holdings;
    for (const auto& [task, shares] : op["holdings"].items()) holdings[task] = SharesOf(shares);
    return Written(LoansOf(op["loans"], holdings));
  }
  if (op["op"] == "templates") {
    ShareTemplates templates;
    for (const auto& [model, of_model] : op["templates"].items()) {
      for (const auto& [name, amounts] : of_model.items()) {
        templates[model][name] = AmountsOf(amounts);
      }
    }
    return MatchingTemplates(templates, AmountsOf(op["amounts"]), op["strict"]);
  }
  DeviceShares shares = SharesAt(op, "shares");
  for (const json& more : op["more"]) {
    if (op["op"] == "add_of") AddSharesOf(SharesOf(op["hints"]), SharesOf(more), &shares);
    if (op["op"] == "add") AddShares(SharesOf(more), &shares);
    if (op["op"] == "subtract") SubtractShares(SharesOf(more), /*down_to_zero=*/false, &shares);
  }
  return Written(shares);
}

bool NeedsMachine(const json& op) {
  for (const char* name : {"include", "loans", "templates", "add_of", "add", "subtract"}) {
    if (op["op"] == name) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<json> AskDevices(const json& request) {
  const json& asked = request["devices"];
  std::map<std::string, MachineDevices> machines;
  for (const auto& [name, machine] : asked["machines"].items()) {
    machines[name] = MachineOf(machine);
    if (const absl::Status status = CheckDevices(machines[name]); !status.ok()) return status;
  }
  const DeviceScorer scorer{.prefer_full = asked.value("prefer_full", false),
                            .weights = AmountsOf(asked["weights"])};
  std::map<std::string, DeviceGrants> held;
  json steps = json::array();
  for (const json& op : request["ops"]) {
    if (!NeedsMachine(op)) {
      steps.push_back(AskShares(op));
      continue;
    }
    if (op["op"] == "score") {
      steps.push_back(
          scorer.Score(AmountsOf(op["request"]), AmountsOf(op["total"]), AmountsOf(op["free"])));
      continue;
    }
    if (op["op"] == "hold" || op["op"] == "give_back") {
      MachineDevices& machine = machines[op["node"]];
      (op["op"] == "hold" ? Take : Release)(GrantsOf(op["grants"]), &machine);
      steps.push_back(Written(machine));
      continue;
    }
    const std::string task = op.value("task", "");
    if (op["op"] == "release") {
      Release(held[task], &machines[op["node"]]);
      held.erase(task);
      steps.push_back(json::object());
      continue;
    }
    const absl::StatusOr<DeviceClaim> wanted = RequestOf(op["request"]);
    if (!wanted.ok()) {
      steps.push_back({{"refused", std::string(wanted.status().message())}});
      continue;
    }
    if (op["op"] == "read") {
      steps.push_back(Written(*wanted));
      continue;
    }
    if (op["op"] == "choose") {
      steps.push_back(Choose(op, *wanted, scorer, machines[op["node"]]));
      continue;
    }
    if (op["op"] == "trial") {
      steps.push_back(Try(op, *wanted, scorer, machines[op["node"]]));
      continue;
    }
    steps.push_back(Schedule(*wanted, scorer, &machines, &held[task]));
  }
  return steps;
}

}  // namespace muster::testing
