// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/profile/numa_plugin.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/digest.h"
#include "lib/model/cpu_devices.h"
#include "lib/peer/koordinator/profile/numa_sites.h"

namespace muster::koordinator {
namespace {

constexpr char kZoneSlot[] = "koordinator-zones", kMachineSlot[] = "koordinator-machines";
constexpr char kMachineRow[] = "digest";

// What a row of the memory says that the task holds of the zones of the node; nothing if the row is
// about another node, or of a form that this did not write.
ZoneAmounts ReadZoneRow(const Tables& tables, const MemoryRow* row, std::string_view node) {
  ZoneAmounts amounts;
  if (row == nullptr || row->empty()) return amounts;
  const auto* of_node = std::get_if<std::string>(&(*row)[0]);
  if (of_node == nullptr || *of_node != node) return amounts;
  for (size_t i = 1; i + 2 < row->size(); i += 3) {
    const auto* zone = std::get_if<int64_t>(&(*row)[i]);
    const auto* name = std::get_if<std::string>(&(*row)[i + 1]);
    const auto* amount = std::get_if<int64_t>(&(*row)[i + 2]);
    if (zone == nullptr || name == nullptr || amount == nullptr) return {};
    const auto d = tables.dimensions.Find(*name);
    if (!d || *zone < 0 || *zone >= 64 || *amount <= 0) continue;
    amounts[static_cast<int>(*zone)].Set(*d, *amount);
  }
  return amounts;
}

MemoryRow WriteZoneRow(const Tables& tables, const ZoneAmounts& amounts, std::string_view node) {
  MemoryRow row = {std::string(node)};
  for (const auto& entry : amounts) {
    const auto& of_zone = entry.second;
    ForEachResource(of_zone.keys(), [&](size_t r) {
      row.emplace_back(int64_t{entry.first});
      const auto d = DimensionIndex(static_cast<uint32_t>(r));
      row.emplace_back(std::string(tables.dimensions.name(d)));
      row.emplace_back(of_zone.at(r));
    });
  }
  return row;
}

std::vector<ScoredHints> HintsOf(const ZoneHints::Answer& others) {
  std::vector<ScoredHints> hints;
  for (const auto& [name, list] : others.hints) hints.emplace_back(list);
  return hints;
}

// The name under which a reservation holds CPUs and zones. No task has it, as it is not UTF-8.
std::string HolderOf(std::string_view reservation) {
  return absl::StrCat("\xff", ToAbsl(reservation));
}

}  // namespace

void NumaPlugin::Open(kube::World* world, ReservationPlugin* reservations, MemorySlots* memory) {
  world_ = world;
  reservations_ = reservations;
  tables_ = &world->tables();
  AddMachines();
  digest_ = any() ? MachinesDigest() : "";
  has_changed_ = memory->Recall(kMachineSlot).Text(kMachineRow) != digest_;
  if (!any()) return;
  reservations_->AddFilter(this);
  for (const KeptReservation& kept : reservations_->All()) AddReservation(kept);
  const MemorySlot& zones = memory->Recall(kZoneSlot);
  for (const TaskIndex t : world_->placed()) {
    if (tables_->tasks.status[t] != TaskStatus::kWaiting) AddHolder(t, zones);
  }
}

void NumaPlugin::AddReservation(const KeptReservation& kept) {
  if (machines_[kept.node] == nullptr) return;
  Machine& machine = *machines_[kept.node];
  NumaHolding holding{.task = HolderOf(kept.spec->name)};
  if (machine.site.node.cpus.has_value()) {
    holding.cpus = kept.parts->cpus;
    holding.cpus &= machine.site.node.cpus->cpus();
  }
  const std::vector<ZoneSpec>& zones = tables_->nodes.spec[kept.node].zones;
  for (const auto& [name, amounts] : kept.parts->zones) {
    const auto zone = std::ranges::find(zones, name, &ZoneSpec::name);
    if (zone == zones.end()) continue;
    holding.amounts[static_cast<int>(zone - zones.begin())] = AmountsByDimension(*tables_, amounts);
  }
  if (holding.cpus.empty() && holding.amounts.empty()) return;
  holding.exclusive = ClaimOfClass(kept.spec->shape, /*binds=*/true, {}, settings_).exclusive;
  machine.books.Add(machine.site.node, std::move(holding));
  machine.lends = true;
}

void NumaPlugin::Store(MemorySlots* memory) const {
  if (has_changed_) {
    MemorySlot& slot = memory->Remember(kMachineSlot);
    slot = MemorySlot();
    if (any()) slot.Set(kMachineRow, {digest_});
  }
  if (holders_.empty() && memory->Recall(kZoneSlot).rows().empty()) return;
  MemorySlot zones;
  for (const auto& [t, n] : holders_) {
    const std::string_view name = tables_->tasks.names.name(t);
    const NumaHolding* held = machines_[n]->books.Find(name);
    if (held->amounts.empty()) continue;
    zones.Set(name, WriteZoneRow(*tables_, held->amounts, tables_->nodes.names.name(n)));
  }
  if (zones.rows().empty() && memory->Recall(kZoneSlot).rows().empty()) return;
  memory->Remember(kZoneSlot) = std::move(zones);
}

// All nodes are machines once one lists something: the others refuse tasks that need a list.
void NumaPlugin::AddMachines() {
  const NodeTable& nodes = tables_->nodes;
  bool lists = false;
  for (NodeIndex n = 0; n < nodes.alive.size() && !lists; ++n) {
    lists = nodes.alive[n] && HasNumaLists(nodes.spec[n]);
  }
  if (!lists) return;
  machines_.resize(nodes.alive.size());
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    if (!nodes.alive[n]) continue;
    machines_[n] = std::make_unique<Machine>();
    Machine& machine = *machines_[n];
    machine.site = SiteOfNode(*tables_, n, settings_);
    machine.site.books = &machine.books;
    machine.is_plain = machine.site.binding == NodeCpuBinding::kNone &&
                       machine.site.zone_policy.empty() && machine.site.ratio <= 1;
  }
}

std::string NumaPlugin::MachinesDigest() const {
  Digest digest;
  for (NodeIndex n = 0; n < machines_.size(); ++n) {
    if (machines_[n] == nullptr) continue;
    const NumaNode& node = machines_[n]->site.node;
    if (node.zones.empty() && !node.cpus.has_value()) continue;
    digest.Add(tables_->nodes.names.name(n));
    digest.Add(node.cpus.has_value());
    if (node.cpus.has_value()) {
      node.cpus->cpus().ForEach([&](int cpu) {
        const int core = node.cpus->core_of(cpu);
        digest.Add(cpu);
        digest.Add(core);
        digest.Add(node.cpus->socket_of(core));
        digest.Add(node.zone_of(cpu));
        digest.Add(node.reserved.Contains(cpu));
      });
    }
    for (const NumaNode::Zone& zone : node.zones) {
      digest.Add(zone.number);
      ForEachResource(zone.amounts.keys(), [&](size_t r) {
        digest.Add(tables_->dimensions.name(DimensionIndex(static_cast<uint32_t>(r))));
        digest.Add(zone.amounts.at(r));
      });
    }
  }
  return digest.Hex();
}

void NumaPlugin::AddHolder(TaskIndex t, const MemorySlot& zones) {
  const NodeIndex n = world_->node_of(t);
  if (n == kNone || n >= machines_.size() || machines_[n] == nullptr) return;
  Machine& machine = *machines_[n];
  const std::string_view name = tables_->tasks.names.name(t);
  NumaHolding holding{.task = std::string(name)};
  holding.amounts = ReadZoneRow(*tables_, zones.Find(name), tables_->nodes.names.name(n));
  const NodeSpec& node = tables_->nodes.spec[n];
  for (const DeviceHold& hold : tables_->hold_lists[tables_->tasks.devices[t]]) {
    const auto device = std::ranges::find(node.devices, hold.device, &DeviceSpec::name);
    CpuDevice cpu;
    if (device == node.devices.end() || device->kind != kCpuKind ||
        !ReadCpuDevice(node, *device, &cpu).empty()) {
      continue;
    }
    holding.cpus.Add(cpu.cpu);
  }
  if (holding.cpus.empty() && holding.amounts.empty()) return;
  holding.exclusive = ClaimOf(t).exclusive;
  machine.books.Add(machine.site.node, std::move(holding));
  holders_[t] = n;
}

void NumaPlugin::ReserveWaiting(TaskIndex t) {
  const NodeIndex n = world_->node_of(t);
  if (n >= machines_.size() || machines_[n] == nullptr) return;
  kube::NodeBooks books = world_->books(n);
  books.Remove(world_->pod(t));
  reservations_->ChangeBooks(n, &books);
  found_.clear();
  const kube::Status status = Filter(t, n, books);
  if (status.code == kube::Code::kFits) {
    Reserve(t, n);
  } else {
    refused_[t] = kube::CauseText(status.causes[0], *world_);
  }
}

const NumaClaim& NumaPlugin::ClaimOf(TaskIndex t) {
  const ClassIndex c = world_->class_of(t);
  const bool binds = MayBindCpus(*tables_, t);
  const uint64_t key = uint64_t{static_cast<uint32_t>(c)} << 1 | (binds ? 1 : 0);
  const auto it = claims_.find(key);
  if (it != claims_.end()) return it->second;
  Sparse requests;
  const auto& amounts = world_->pod(t).request;
  for (DimensionIndex d = 0; d < amounts.size(); ++d) {
    if (d != kPods && amounts[d] != 0) requests.Set(d, amounts[d]);
  }
  return claims_[key] = ClaimOfClass(world_->classes().shape(c), binds, requests, settings_);
}

NumaVictims NumaPlugin::VictimsOf(const Machine& machine) const {
  NumaVictims victims;
  for (const TaskIndex t : machine.victims) {
    const NumaHolding& holding = *machine.books.Find(tables_->tasks.names.name(t));
    const std::string reservation(reservations_->HeldBy(t));
    if (machine.books.Find(HolderOf(reservation)) != nullptr) {
      victims.reservations[reservation].GiveUp(holding);
      continue;
    }
    if (!victims.node.has_value()) victims.node.emplace();
    victims.node->GiveUp(holding);
  }
  return victims;
}

NumaLoans NumaPlugin::LoansOn(NodeIndex n) const {
  const Machine& machine = *machines_[n];
  if (!machine.lends) return {};
  const auto lenders = [&](bool matched) {
    std::vector<NumaReservation> list;
    for (KeptReservation& kept : reservations_->On(n, matched)) {
      list.push_back({.name = kept.spec->name,
                      .task = HolderOf(kept.spec->name),
                      .owners = std::move(kept.holders),
                      .restricted = kept.spec->policy == ReservationPolicy::kRestricted});
    }
    return list;
  };
  return LoansOfReservations(machine.books, lenders(true), lenders(false));
}

std::optional<ScoredHint> NumaPlugin::ZonesFound(NodeIndex n) const {
  const auto zones = found_.find(n);
  return zones == found_.end() ? std::optional<ScoredHint>() : std::optional(zones->second);
}

void NumaPlugin::SetRequested(const kube::NodeBooks& books, Machine* machine) const {
  for (const DimensionIndex d : {kCpu, kMemory}) {
    machine->site.requested.Set(d, books.requested[d]);
  }
}

std::optional<uint64_t> NumaPlugin::ZonesOn(NodeIndex n) const {
  const auto zones = found_.find(n);
  return zones == found_.end() ? std::nullopt : zones->second.zones;
}

// A task that requests nothing is not looked at.
bool NumaPlugin::IsIdle(TaskIndex t, const NumaClaim& claim) const {
  return claim.requests.IsZero() && (others_ == nullptr || !others_->Requests(t));
}

ZoneHints::Answer NumaPlugin::OthersOn(TaskIndex t, NodeIndex n,
                                       std::initializer_list<NumaPolicy> policies) {
  if (others_ == nullptr) return {};
  const NumaPolicy policy = NeedAtSite(machines_[n]->site, ClaimOf(t)).zones;
  const bool asks = std::find(policies.begin(), policies.end(), policy) != policies.end();
  return asks ? others_->HintsOn(t, n) : ZoneHints::Answer();
}

kube::Status NumaPlugin::Refuse(const Machine& machine, const NumaClaim& claim,
                                const NumaFilter& filter, const ZoneHints::Answer& others) {
  kube::Status status;
  status.code =
      EvictionMayHelp(filter.reason) ? kube::Code::kUnschedulable : kube::Code::kUnresolvable;
  status.plugin = NumberOf(ExtraPlugin::kNumaResource);
  for (const std::string& words : NumaWords(*tables_, filter, machine.site, claim, others.hints)) {
    status.causes.push_back(kube::WordsCause(world_, words));
  }
  return status;
}

kube::Status NumaPlugin::PreFilter(TaskIndex t) {
  found_.clear();
  const NumaClaim& claim = ClaimOf(t);
  kube::Status status;
  if (claim.need.refusal != BindRefusal::kNone) {
    status = Refuse(Machine(), claim, {.reason = NumaReason::kFraction}, {});
  }
  return status;
}

kube::Status NumaPlugin::Filter(TaskIndex t, NodeIndex n, const kube::NodeBooks& books) {
  const NumaClaim& claim = ClaimOf(t);
  Machine& machine = *machines_[n];
  if (IsIdle(t, claim)) return {};
  if (machine.is_plain && !claim.need.binds && claim.zone_policy.empty()) return {};
  SetRequested(books, &machine);
  const ZoneHints::Answer others =
      OthersOn(t, n, {NumaPolicy::kRestricted, NumaPolicy::kSingleZone});
  const NumaFilter filter = FilterByNuma(machine.site, claim, LoansOn(n), "", VictimsOf(machine),
                                         &settings_.zone_scorer, HintsOf(others));
  // Those up to it are found out before hints are asked for.
  const bool hinted = filter.ok() || filter.reason > NumaReason::kFewAmplified;
  if (hinted && !others.refusal.empty()) {
    kube::Status status;
    status.code = kube::Code::kUnschedulable;
    status.plugin = NumberOf(ExtraPlugin::kNumaResource);
    status.causes.push_back(kube::WordsCause(world_, others.refusal));
    return status;
  }
  if (!filter.ok()) return Refuse(machine, claim, filter, others);
  if (filter.zones.has_value()) found_[n] = *filter.zones;
  return {};
}

bool NumaPlugin::FitsLoan(TaskIndex t, NodeIndex n, const std::string& reservation) {
  const NumaClaim& claim = ClaimOf(t);
  if (IsIdle(t, claim) || !machines_[n]->lends) return true;
  return FilterLoan(machines_[n]->site, claim, ZonesFound(n), LoansOn(n), reservation, {}) ==
         NumaReason::kNone;
}

std::vector<int64_t> NumaPlugin::Score(TaskIndex t, std::span<const NodeIndex> feasible) {
  const NumaClaim& claim = ClaimOf(t);
  std::vector<int64_t> scores;
  scores.reserve(feasible.size());
  for (const NodeIndex n : feasible) {
    Machine& machine = *machines_[n];
    if (IsIdle(t, claim)) {
      scores.push_back(0);
      continue;
    }
    if (reservations_->ChangesBooks(n)) {
      kube::NodeBooks books = world_->books(n);
      reservations_->ChangeBooks(n, &books);
      SetRequested(books, &machine);
    } else {
      SetRequested(world_->books(n), &machine);
    }
    scores.push_back(ScoreByNuma(machine.site, claim, ZonesFound(n), LoansOn(n),
                                 reservations_->Nominated(t, n), settings_.scorer));
  }
  return scores;
}

void NumaPlugin::Reserve(TaskIndex t, NodeIndex n) {
  refused_.erase(t);
  if (holders_.contains(t)) return;
  const NumaClaim& claim = ClaimOf(t);
  Machine& machine = *machines_[n];
  if (IsIdle(t, claim)) return;
  const NumaLoans loans = LoansOn(n);
  const ZoneHints::Answer others = OthersOn(t, n, {NumaPolicy::kBestEffort});
  if (!others.refusal.empty()) {
    refused_[t] = others.refusal;
    return;
  }
  const auto refuse = [&](const NumaFilter& filter) {
    refused_[t] =
        absl::StrJoin(NumaWords(*tables_, filter, machine.site, claim, others.hints), ", 1 ");
  };
  const NumaFilter found = FindZonesAtLast(machine.site, claim, ZonesFound(n), loans, {},
                                           &settings_.zone_scorer, HintsOf(others));
  if (!found.ok()) {
    refuse(found);
    return;
  }
  if (found.zones.has_value()) found_[n] = *found.zones;
  const NumaLoanAnswer answer =
      ReserveByNuma(machine.site, claim, found.zones, loans, reservations_->Nominated(t, n), {});
  if (!answer.ok()) {
    refuse({.reason = answer.reason, .lacking = answer.lacking});
    return;
  }
  if (!answer.grant.has_value()) return;
  const bool excludes = claim.need.binds;
  machine.books.Add(machine.site.node,
                    {.task = std::string(tables_->tasks.names.name(t)),
                     .cpus = answer.grant->cpus,
                     .exclusive = excludes ? claim.exclusive : CpuExclusive::kNone,
                     .amounts = answer.grant->amounts});
  holders_[t] = n;
}

std::string NumaPlugin::WhyNotReserved(TaskIndex t) const {
  const auto it = refused_.find(t);
  return it == refused_.end() ? std::string() : it->second;
}

void NumaPlugin::Unreserve(TaskIndex t) {
  refused_.erase(t);
  const auto it = holders_.find(t);
  // A pod that an earlier plan let wait is still on its node.
  if (it == holders_.end() || tables_->tasks.status[t] == TaskStatus::kWaiting) return;
  machines_[it->second]->books.Release(tables_->tasks.names.name(t));
  holders_.erase(it);
}

void NumaPlugin::CountVictim(TaskIndex t, int sign) {
  const auto it = holders_.find(t);
  if (it == holders_.end()) return;
  std::vector<TaskIndex>& victims = machines_[it->second]->victims;
  const auto at = std::find(victims.begin(), victims.end(), t);
  if (sign < 0 && at == victims.end()) victims.push_back(t);
  if (sign > 0 && at != victims.end()) victims.erase(at);
}

std::vector<ChosenDevice> NumaPlugin::Chosen(TaskIndex t) const {
  std::vector<ChosenDevice> chosen;
  const auto it = holders_.find(t);
  if (it == holders_.end()) return chosen;
  const NumaHolding* held = machines_[it->second]->books.Find(tables_->tasks.names.name(t));
  held->cpus.ForEach(
      [&](int cpu) { chosen.push_back({.task = t, .device = absl::StrCat(cpu), .milli = 1000}); });
  return chosen;
}

NodeIndex NumaPlugin::NodeOf(TaskIndex t) const {
  const auto it = holders_.find(t);
  return it == holders_.end() ? NodeIndex(kNone) : it->second;
}

}  // namespace muster::koordinator
