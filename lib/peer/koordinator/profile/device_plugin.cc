// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/profile/device_plugin.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"
#include "lib/peer/koordinator/profile/device_selectors.h"
#include "lib/peer/koordinator/scores/resource_scores.h"
#include "muster/quantity.h"

namespace muster::koordinator {
namespace {

constexpr std::string_view kKindNames[kDeviceKinds] = {"gpu", "rdma", "fpga"};
constexpr DeviceResource kCardResource[kDeviceKinds] = {
    DeviceResource::kRatio, DeviceResource::kRdma, DeviceResource::kFpga};
constexpr std::string_view kIsolation = "koordinator.sh/gpu-isolation-provider";
constexpr size_t kMostOfKind = 64;
constexpr int kAllZones = -1;

std::optional<size_t> KindOf(std::string_view name) {
  const auto it = std::find(std::begin(kKindNames), std::end(kKindNames), name);
  if (it == std::end(kKindNames)) return std::nullopt;
  return static_cast<size_t>(it - std::begin(kKindNames));
}

int64_t Bytes(const Quantity& quantity) {
  // Rows were validated when they joined the tables.
  return ParseQuantity(quantity.text, Unit::kWhole).value_or(0);
}

// Hundredths of a device, rounded up.
int64_t PercentOf(int64_t milli) { return (milli + 9) / 10; }

DeviceAmounts PartOf(size_t kind, int64_t milli) {
  DeviceAmounts part;
  part.Set(kCardResource[kind], PercentOf(milli));
  if (kind == 0) part.Set(DeviceResource::kCore, PercentOf(milli));
  return part;
}

DeviceAmounts Times(const DeviceAmounts& one, int64_t count) {
  DeviceAmounts all;
  one.ForEach([&](DeviceResource r, int64_t value) { all.Set(r, SatMul(value, count)); });
  return all;
}

bool HasHopperPartitions(const NodeSpec& node) {
  constexpr std::string_view kModels[] = {"H100", "H800", "H20"};
  size_t gpus = 0;
  for (const DeviceSpec& device : node.devices) {
    if (device.kind != "gpu") continue;
    ++gpus;
    if (std::find(std::begin(kModels), std::end(kModels), device.model) == std::end(kModels)) {
      return false;
    }
  }
  return gpus == 8;
}

// The zones of a node by number, as its devices name them.
int ZoneOf(const NodeSpec& node, const std::string& zone) {
  if (zone.empty()) return kAllZones;
  for (size_t i = 0; i < node.zones.size(); ++i) {
    if (node.zones[i].name == zone) return static_cast<int>(i);
  }
  return kAllZones;
}

DeviceShares SharesOf(const DeviceGrants& grants) {
  DeviceShares shares;
  for (size_t kind = 0; kind < kDeviceKinds; ++kind) {
    for (const DeviceGrant& grant : grants[kind]) shares[kind][grant.minor].Add(grant.amounts);
  }
  return shares;
}

std::string WordsOf(const DeviceLoanAnswer& answer) {
  const absl::string_view kind = ToAbsl(kKindNames[static_cast<size_t>(answer.kind)]);
  switch (answer.reason) {
    case DeviceReason::kNoFunctions:
      return absl::StrCat("Insufficient ", kind, " VirtualFunctions");
    case DeviceReason::kFewGpus:
      return "Insufficient GPU Devices";
    case DeviceReason::kFewInScope:
      return "Insufficient Topology Scoped GPU Devices";
    case DeviceReason::kFewPartitions:
    case DeviceReason::kNoPartitionTable:
    case DeviceReason::kNoPartitionSize:
      return "Insufficient Partitioned GPU Devices";
    case DeviceReason::kSharedGpus:
      return "node(s) Unsupported Multiple GPU Shares";
    case DeviceReason::kNoTopology:
      return "node(s) missing GPU Topology";
    case DeviceReason::kOffTheBus:
      return "node(s) Device Joint-Allocate rules violation";
    default:
      return absl::StrCat("Insufficient ", kind, " devices");
  }
}

// Returns whether parts of GPUs are isolated by HAMi, on a node or for a task with the labels.
bool IsHami(const Labels& labels) {
  const std::string* provider = FindLabel(labels, kIsolation);
  return provider != nullptr && *provider == "HAMi-core";
}

}  // namespace

absl::Status CheckDeviceNodes(const Tables& tables) {
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (!tables.nodes.alive[n]) continue;
    const auto labels = DeviceLabelsOf(tables.nodes.spec[n]);
    if (!labels.ok()) return labels.status();
    std::array<size_t, kDeviceKinds> counts = {};
    for (const DeviceSpec& device : tables.nodes.spec[n].devices) {
      const std::optional<size_t> kind = KindOf(device.kind);
      if (!kind || ++counts[*kind] <= kMostOfKind) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("action schedule: node ", Quote(tables.nodes.names.name(n)), ": more than ",
                       kMostOfKind, " devices of kind ", Quote(device.kind)));
    }
  }
  return absl::OkStatus();
}

void DevicePlugin::Open(kube::World* world, ReservationPlugin* reservations,
                        const NumaPlugin* numa) {
  world_ = world;
  reservations_ = reservations;
  numa_ = numa;
  tables_ = &world->tables();
  for (NodeIndex n = 0; n < tables_->nodes.alive.size(); ++n) {
    if (tables_->nodes.alive[n] && !tables_->nodes.spec[n].devices.empty()) AddMachine(n);
  }
  any_ = !machines_.empty();
  if (!any_) return;
  reservations_->AddFilter(this);
  for (const KeptReservation& kept : reservations_->All()) AddReservation(kept);
  for (const TaskIndex t : world_->placed()) AddHolder(t);
}

void DevicePlugin::AddMachine(NodeIndex n) {
  const NodeSpec& node = tables_->nodes.spec[n];
  Machine machine;
  bool has_some = false;
  for (uint32_t i = 0; i < node.devices.size(); ++i) {
    const DeviceSpec& spec = node.devices[i];
    const std::optional<size_t> kind = KindOf(spec.kind);
    if (!kind) continue;
    has_some = true;
    DeviceAccount& book = machine.devices.books[*kind];
    Device device{.minor = static_cast<int>(book.devices.size()), .healthy = spec.healthy};
    if (spec.healthy) {
      device.total = PartOf(*kind, spec.milli);
      if (*kind == 0) device.total.Set(DeviceResource::kMemory, Bytes(spec.memory));
    }
    device.placed = !spec.links.empty();
    device.zone = ZoneOf(node, spec.zone);
    if (device.placed) device.bus = spec.links[0];
    book.devices.push_back(std::move(device));
    book.used.emplace_back();
    machine.numbers[*kind].push_back(i);
  }
  if (!has_some) return;
  AddLabels(node, &machine);
  if (HasHopperPartitions(node)) machine.devices.partitions = HopperPartitions();
  const std::string* policy = FindLabel(node.labels, "node.koordinator.sh/gpu-partition-policy");
  machine.devices.honors_partitions = policy != nullptr && *policy == "Honor";
  machines_.emplace(n, std::move(machine));
}

void DevicePlugin::AddLabels(const NodeSpec& node, Machine* machine) {
  // The action's check has refused what cannot be read.
  const NamedDeviceLabels labels = DeviceLabelsOf(node).value_or(NamedDeviceLabels());
  for (const auto& [name, of_device] : labels) {
    for (size_t kind = 0; kind < kDeviceKinds; ++kind) {
      for (size_t minor = 0; minor < machine->numbers[kind].size(); ++minor) {
        if (node.devices[machine->numbers[kind][minor]].name != name) continue;
        machine->devices.books[kind].devices[minor].labels = of_device;
      }
    }
  }
}

DeviceGrants DevicePlugin::GrantsOf(const std::vector<DeviceHold>& holds, NodeIndex n) const {
  DeviceGrants grants;
  const Machine& machine = machines_.find(n)->second;
  const NodeSpec& node = tables_->nodes.spec[n];
  for (const DeviceHold& hold : holds) {
    for (size_t kind = 0; kind < kDeviceKinds; ++kind) {
      for (size_t minor = 0; minor < machine.numbers[kind].size(); ++minor) {
        if (node.devices[machine.numbers[kind][minor]].name != hold.device) continue;
        DeviceGrant grant{.minor = static_cast<int>(minor), .amounts = PartOf(kind, hold.milli)};
        const int64_t memory = Bytes(hold.memory);
        if (kind == 0 && memory > 0) grant.amounts.Set(DeviceResource::kMemory, memory);
        if (kind == 0) FillGpuMemory(machine.devices.books[0].devices[minor], &grant.amounts);
        grants[kind].push_back(std::move(grant));
      }
    }
  }
  return grants;
}

void DevicePlugin::AddHolder(TaskIndex t) {
  const uint32_t list = tables_->tasks.devices[t];
  const auto at = machines_.find(world_->node_of(t));
  if (list == 0 || at == machines_.end()) return;
  Holding holding{.node = at->first, .grants = GrantsOf(tables_->hold_lists[list], at->first)};
  Take(holding.grants, &at->second.devices);
  holders_[t] = std::move(holding);
}

void DevicePlugin::AddReservation(const KeptReservation& kept) {
  const auto at = machines_.find(kept.node);
  if (kept.parts->devices.empty() || at == machines_.end()) return;
  const DeviceGrants grants = GrantsOf(kept.parts->devices, kept.node);
  Take(grants, &at->second.devices);
  DeviceShares shares = SharesOf(grants);
  if (!IsEmpty(shares)) at->second.reserved[kept.spec->name] = std::move(shares);
}

void DevicePlugin::ReadShape(const TaskShape& shape, Claim* claim) const {
  for (const DeviceRequest& request : shape.devices) {
    const std::optional<size_t> kind = KindOf(request.kind);
    if (!kind) continue;
    claim->requests = true;
    DeviceWish& wish = claim->devices.wishes[*kind];
    if (!wish.total.IsZero()) {
      claim->flaw = absl::StrCat("more than one request of ", request.kind, " devices");
    } else if (*kind != 0 && request.count > 1 && request.milli < 1000) {
      claim->flaw = absl::StrCat("parts of several ", request.kind, " devices");
    }
    wish.each = PartOf(*kind, request.milli);
    wish.count = request.count;
    wish.partial = *kind == 0 && request.milli < 1000;
    const int64_t memory = Bytes(request.memory);
    if (wish.partial && memory > 0) wish.each.Set(DeviceResource::kMemory, memory);
    wish.total = Times(wish.each, request.count);
    if (*kind != 0) wish.each = {}, wish.count = 1;
    if (!request.models.empty() || request.exclusive || (memory > 0 && !wish.partial)) {
      claim->only[*kind] = &request;
    }
    if (*kind == 0 && request.same == SamePart::kZone) claim->devices.scope = GpuScope::kZone;
    if (*kind == 0 && request.same == SamePart::kLink) claim->devices.scope = GpuScope::kBus;
  }
}

const DevicePlugin::Claim& DevicePlugin::ClaimOf(TaskIndex t) {
  const ClassIndex c = world_->class_of(t);
  const auto it = claims_.find(c);
  if (it != claims_.end()) return it->second;
  Claim claim;
  const TaskShape& shape = world_->classes().shape(c);
  ReadShape(shape, &claim);
  if (shape.devices.empty()) {
    std::vector<std::pair<std::string, int64_t>> amounts;
    const auto row = tables_->classes.request.row(c);
    for (DimensionIndex d = 0; d < row.size(); ++d) {
      if (d == kPods || OrZero(row[d]) == 0) continue;
      const std::string_view name = tables_->dimensions.name(d);
      amounts.emplace_back(name, IsMilliDimension(name) ? (row[d] + 999) / 1000 : row[d]);
    }
    absl::StatusOr<DeviceClaim> read = ReadDeviceRequest(amounts);
    if (!read.ok()) {
      claim.requests = true;
      claim.flaw = std::string(read.status().message());
    } else {
      claim.devices = *std::move(read);
      for (const DeviceWish& wish : claim.devices.wishes) {
        claim.requests |= !wish.total.IsZero();
      }
    }
  }
  claim.needs_hami =
      IsHami(shape.labels) && std::ranges::any_of(claim.devices.wishes, &DeviceWish::partial);
  if (claim.requests && FindLabel(shape.labels, "koordinator/device-unreadable") != nullptr) {
    claim.flaw = "what the pod states about devices cannot be read";
  }
  ReadJoint(shape, &claim.devices);
  ReadHints(shape.labels, &claim.devices);
  ReadSelectors(shape.labels, &claim);
  return claims_[c] = std::move(claim);
}

void DevicePlugin::ReadSelectors(const Labels& labels, Claim* claim) {
  for (size_t kind = 0; kind < kDeviceKinds; ++kind) {
    const std::string key = absl::StrCat("koordinator/", ToAbsl(kKindNames[kind]), "-selector");
    const std::string* text = FindLabel(labels, key);
    if (text == nullptr || claim->devices.wishes[kind].total.IsZero()) continue;
    absl::StatusOr<LabelSelector> selector = ReadDeviceSelector(*text);
    if (selector.ok()) {
      claim->devices.wishes[kind].selector = *std::move(selector);
    } else {
      claim->flaw = absl::StrCat("label ", key, ": ", selector.status().message());
    }
  }
}

void DevicePlugin::ReadJoint(const TaskShape& shape, DeviceClaim* claim) {
  const std::string* kinds = FindLabel(shape.labels, "koordinator/joint-devices");
  if (kinds == nullptr) return;
  for (const absl::string_view name : absl::StrSplit(*kinds, ',')) {
    const std::optional<size_t> kind = KindOf({name.data(), name.size()});
    if (!kind) continue;
    const auto joint = static_cast<DeviceKind>(*kind);
    const bool is_new =
        std::find(claim->joint.begin(), claim->joint.end(), joint) == claim->joint.end();
    if (is_new) claim->joint.push_back(joint);
  }
  const std::string* scope = FindLabel(shape.labels, "koordinator/joint-scope");
  claim->joint_same_bus = scope != nullptr && *scope == "SamePCIe";
}

void DevicePlugin::ReadHints(const Labels& labels, DeviceClaim* claim) {
  const auto text_of = [&](std::string_view key) {
    const std::string* text = FindLabel(labels, absl::StrCat("koordinator/", ToAbsl(key)));
    return text == nullptr ? std::string() : *text;
  };
  const std::string scope = text_of("gpu-scope"), partition = text_of("gpu-partition");
  for (const auto& [word, level] :
       {std::pair("Node", GpuScope::kNode), std::pair("NUMANode", GpuScope::kZone),
        std::pair("PCIe", GpuScope::kBus), std::pair("Device", GpuScope::kDevice)}) {
    if (scope == word) claim->scope = std::max(claim->scope, level);
  }
  claim->first_partitions_only = partition == "Restricted";
  claim->by_partition = claim->first_partitions_only || partition == "BestEffort";
  const absl::StatusOr<int64_t> bandwidth = ParseQuantity(text_of("gpu-bandwidth"), Unit::kWhole);
  if (bandwidth.ok()) claim->bandwidth = *bandwidth;
  for (const auto& [kind, name] : {std::pair(DeviceKind::kRdma, absl::string_view("rdma")),
                                   std::pair(DeviceKind::kFpga, absl::string_view("fpga"))}) {
    const std::string strategy = text_of(absl::StrCat(name, "-strategy"));
    DeviceWish& wish = claim->of(kind);
    if (strategy == "ApplyForAll") wish.strategy = DeviceStrategy::kAllMatching;
    if (strategy == "RequestsAsCount") wish.strategy = DeviceStrategy::kAsCount;
    wish.whole_device = text_of(absl::StrCat(name, "-exclusive")) == "DeviceLevel";
  }
}

std::optional<uint64_t> DevicePlugin::ZonesOn(NodeIndex n) const {
  return settings_.in_zones ? numa_->ZonesOn(n) : std::nullopt;
}

DeviceLoans DevicePlugin::LoansOn(NodeIndex n, const Machine& machine) const {
  if (machine.reserved.empty()) return {};
  // A letter before the name tells reservations from tasks.
  DeviceHoldings holdings;
  const auto lenders = [&](bool matched) {
    std::vector<DeviceReservation> list;
    for (const KeptReservation& kept : reservations_->On(n, matched)) {
      const auto reserved = machine.reserved.find(kept.spec->name);
      if (reserved == machine.reserved.end()) continue;
      DeviceReservation& one = list.emplace_back();
      one.name = kept.spec->name;
      one.task = absl::StrCat("r", one.name);
      one.restricted = kept.spec->policy == ReservationPolicy::kRestricted;
      holdings[one.task] = reserved->second;
      for (const std::string& holder : kept.holders) {
        const auto held = holders_.find(*tables_->tasks.names.Find(holder));
        if (held == holders_.end()) continue;
        one.owners.push_back(absl::StrCat("t", holder));
        holdings[one.owners.back()] = SharesOf(held->second.grants);
      }
    }
    return list;
  };
  const std::vector<DeviceReservation> matched = lenders(true), others = lenders(false);
  return LoansOfReservations(holdings, matched, others);
}

std::optional<DeviceShares> DevicePlugin::AllowedBy(const Claim& claim, NodeIndex n,
                                                    const Machine& machine,
                                                    const DeviceLoans& loans) const {
  std::optional<DeviceShares> allowed;
  for (size_t kind = 0; kind < kDeviceKinds; ++kind) {
    const DeviceRequest* rule = claim.only[kind];
    if (rule == nullptr) continue;
    if (!allowed) allowed.emplace();
    const DeviceAccount& book = machine.devices.books[kind];
    for (size_t i = 0; i < book.devices.size(); ++i) {
      const DeviceSpec& spec = tables_->nodes.spec[n].devices[machine.numbers[kind][i]];
      const int minor = static_cast<int>(i);
      DeviceAmounts used = book.used[i];
      for (const DeviceShares* less : {&machine.victims.node, &loans.allocatable}) {
        const auto freed = (*less)[kind].find(minor);
        if (freed != (*less)[kind].end()) used.SubtractDownToZero(freed->second);
      }
      const bool is_listed =
          rule->models.empty() ||
          std::find(rule->models.begin(), rule->models.end(), spec.model) != rule->models.end();
      if (!is_listed || Bytes(spec.memory) < Bytes(rule->memory)) continue;
      if (rule->exclusive && !used.IsZero()) continue;
      (*allowed)[kind][minor] = book.devices[i].total;
    }
    // Without any the kind is to be named all the same.
    if ((*allowed)[kind].empty()) (*allowed)[kind][-1] = {};
  }
  return allowed;
}

kube::Status DevicePlugin::Filter(TaskIndex t, NodeIndex n) {
  kube::Status status;
  const Claim& claim = ClaimOf(t);
  if (!claim.requests) return status;
  const auto refuse = [&](kube::Code code, const std::string& words) {
    status.code = code;
    status.plugin = NumberOf(ExtraPlugin::kDeviceShare);
    status.causes.push_back(kube::WordsCause(world_, words));
    return status;
  };
  if (!claim.flaw.empty()) return refuse(kube::Code::kUnresolvable, claim.flaw);
  if (claim.needs_hami && !IsHami(world_->spec(n).labels)) {
    return refuse(kube::Code::kUnresolvable, "GPUIsolationProviderHAMICore not found on the node");
  }
  const auto at = machines_.find(n);
  if (at == machines_.end()) return refuse(kube::Code::kUnresolvable, "node(s) missing Device");
  const DeviceLoans loans = LoansOn(n, at->second);
  const DeviceLoanAnswer answer = FilterDevices({.machine = at->second.devices,
                                                 .claim = claim.devices,
                                                 .loans = loans,
                                                 .victims = at->second.victims,
                                                 .zones = ZonesOn(n),
                                                 .most = AllowedBy(claim, n, at->second, loans)},
                                                {});
  if (answer.ok()) return status;
  return refuse(
      EvictionMayHelp(answer.reason) ? kube::Code::kUnschedulable : kube::Code::kUnresolvable,
      WordsOf(answer));
}

ZoneHints::Answer DevicePlugin::HintsOn(TaskIndex t, NodeIndex n) {
  ZoneHints::Answer out;
  const Claim& claim = ClaimOf(t);
  const auto at = machines_.find(n);
  if (!settings_.in_zones || !claim.requests || !claim.flaw.empty() || at == machines_.end()) {
    return out;
  }
  const DeviceLoans loans = LoansOn(n, at->second);
  const DeviceHints found = HintsOfDevices({.machine = at->second.devices,
                                            .claim = claim.devices,
                                            .loans = loans,
                                            .victims = at->second.victims,
                                            .most = AllowedBy(claim, n, at->second, loans)},
                                           {});
  if (found.few_in_zones) {
    out.refusal = "Insufficient NUMA Scoped Devices";
  } else if (!found.refusal.ok()) {
    out.refusal = WordsOf(found.refusal);
  }
  for (const auto& [kind, hints] : found.hints) {
    out.hints.emplace_back(kKindNames[static_cast<size_t>(kind)], hints);
  }
  return out;
}

bool DevicePlugin::FitsLoan(TaskIndex t, NodeIndex n, const std::string& reservation) {
  const Claim& claim = ClaimOf(t);
  const auto at = machines_.find(n);
  if (!claim.requests || at == machines_.end()) return true;
  const DeviceLoans loans = LoansOn(n, at->second);
  return ChooseFromLoans({.machine = at->second.devices,
                          .claim = claim.devices,
                          .loans = loans,
                          .victims = at->second.victims,
                          .zones = ZonesOn(n),
                          .most = AllowedBy(claim, n, at->second, loans)},
                         {.needs_loan = true}, loans.Find(reservation))
      .ok();
}

std::vector<int64_t> DevicePlugin::Score(TaskIndex t, std::span<const NodeIndex> feasible) {
  const Claim& claim = ClaimOf(t);
  std::vector<int64_t> scores;
  for (const NodeIndex n : feasible) {
    const auto at = machines_.find(n);
    if (at == machines_.end()) {
      scores.push_back(0);
      continue;
    }
    const DeviceLoans loans = LoansOn(n, at->second);
    scores.push_back(ScoreDevices({.machine = at->second.devices,
                                   .claim = claim.devices,
                                   .scorer = &settings_.scorer,
                                   .loans = loans,
                                   .victims = at->second.victims,
                                   .zones = ZonesOn(n),
                                   .most = AllowedBy(claim, n, at->second, loans)},
                                  reservations_->Nominated(t, n)));
  }
  ScaleScores(scores);
  return scores;
}

void DevicePlugin::Reserve(TaskIndex t, NodeIndex n) {
  refused_.erase(t);
  const Claim& claim = ClaimOf(t);
  const auto at = machines_.find(n);
  if (!claim.requests || !claim.flaw.empty() || at == machines_.end() || holders_.contains(t)) {
    return;
  }
  const DeviceLoans loans = LoansOn(n, at->second);
  DeviceLoanAnswer answer = ReserveDevices({.machine = at->second.devices,
                                            .claim = claim.devices,
                                            .scorer = &settings_.scorer,
                                            .final = true,
                                            .loans = loans,
                                            .victims = at->second.victims,
                                            .zones = ZonesOn(n),
                                            .most = AllowedBy(claim, n, at->second, loans)},
                                           {}, reservations_->Nominated(t, n));
  if (!answer.ok()) {
    refused_[t] = WordsOf(answer);
    return;
  }
  Take(*answer.grants, &at->second.devices);
  holders_[t] = {n, *std::move(answer.grants)};
}

std::string DevicePlugin::WhyNotReserved(TaskIndex t) const {
  const auto it = refused_.find(t);
  return it == refused_.end() ? std::string() : it->second;
}

void DevicePlugin::Unreserve(TaskIndex t) {
  refused_.erase(t);
  const auto it = holders_.find(t);
  // A pod that an earlier plan let wait is still on its node.
  if (it == holders_.end() || tables_->tasks.status[t] == TaskStatus::kWaiting) return;
  Release(it->second.grants, &machines_.find(it->second.node)->second.devices);
  holders_.erase(it);
}

void DevicePlugin::CountVictim(TaskIndex t, int sign) {
  const auto it = holders_.find(t);
  if (it == holders_.end()) return;
  Machine& machine = machines_.find(it->second.node)->second;
  const std::string reservation(reservations_->HeldBy(t));
  DeviceShares& freed = machine.reserved.contains(reservation)
                            ? machine.victims.reservations[reservation]
                            : machine.victims.node;
  for (size_t kind = 0; kind < kDeviceKinds; ++kind) {
    for (const DeviceGrant& grant : it->second.grants[kind]) {
      DeviceAmounts& amounts = freed[kind][grant.minor];
      if (sign < 0) {
        amounts.Add(grant.amounts);
      } else {
        amounts.SubtractDownToZero(grant.amounts);
      }
      if (amounts.IsZero()) freed[kind].erase(grant.minor);
    }
  }
}

std::vector<ChosenDevice> DevicePlugin::Chosen(TaskIndex t) const {
  std::vector<ChosenDevice> chosen;
  const auto it = holders_.find(t);
  if (it == holders_.end()) return chosen;
  const Machine& machine = machines_.find(it->second.node)->second;
  const NodeSpec& node = tables_->nodes.spec[it->second.node];
  for (size_t kind = 0; kind < kDeviceKinds; ++kind) {
    for (const DeviceGrant& grant : it->second.grants[kind]) {
      const uint32_t number = machine.numbers[kind][static_cast<size_t>(grant.minor)];
      const int64_t part =
          std::max(grant.amounts.at(kCardResource[kind]), grant.amounts.at(DeviceResource::kCore));
      chosen.push_back({.task = t,
                        .device = node.devices[number].name,
                        .milli = std::max<int64_t>(1, part * 10),
                        .memory = grant.amounts.at(DeviceResource::kMemory)});
    }
  }
  std::sort(chosen.begin(), chosen.end(), [&](const ChosenDevice& a, const ChosenDevice& b) {
    const auto place_of = [&](const std::string& name) {
      const auto device = std::find_if(node.devices.begin(), node.devices.end(),
                                       [&](const DeviceSpec& spec) { return spec.name == name; });
      return device - node.devices.begin();
    };
    return place_of(a.device) < place_of(b.device);
  });
  return chosen;
}

}  // namespace muster::koordinator
