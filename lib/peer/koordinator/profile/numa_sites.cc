// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/profile/numa_sites.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"
#include "lib/model/cpu_devices.h"
#include "lib/model/settings.h"
#include "lib/peer/koordinator/colocation/bands.h"
#include "lib/peer/koordinator/profile/reserved_parts.h"
#include "lib/peer/koordinator/setting_keys.h"

namespace muster::koordinator {
namespace {

constexpr size_t kMostZonesOfRules = 8;  // as the topology manager of a kubelet
constexpr int64_t kMilliOfOneCpu = 1000;

std::string_view LabelText(const Labels& labels, std::string_view key) {
  const std::string* text = FindLabel(labels, key);
  return text == nullptr ? std::string_view() : *text;
}

std::string ZonePolicyText(Alignment alignment) {
  switch (alignment) {
    case Alignment::kUnset:
    case Alignment::kNone:
      return "";
    case Alignment::kBestEffort:
      return "BestEffort";
    case Alignment::kRestricted:
      return "Restricted";
    case Alignment::kSingleNumaNode:
      return "SingleNUMANode";
  }
  return "";
}

BindPolicy BindPolicyByName(std::string_view name) {
  if (name.empty()) return BindPolicy::kUnset;
  if (name == "Default") return BindPolicy::kDefault;
  if (name == "FullPCPUs") return BindPolicy::kFullCores;
  return name == "SpreadByPCPUs" ? BindPolicy::kSpread : BindPolicy::kOther;
}

bool IsReserved(const DeviceSpec& cpu) { return !cpu.healthy || cpu.milli < 1000; }

void ReadCpus(const NodeSpec& node, NumaNode* machine) {
  std::vector<LogicalCpu> cpus;
  CpuSet reserved;
  for (const DeviceSpec& device : node.devices) {
    CpuDevice cpu;
    if (device.kind != kCpuKind || !ReadCpuDevice(node, device, &cpu).empty()) continue;
    cpus.push_back({cpu.cpu, cpu.core, cpu.zone, cpu.socket});
    if (IsReserved(device)) reserved.Add(cpu.cpu);
  }
  const absl::StatusOr<CpuTopology> topology = CpuTopology::Make(cpus);
  if (!topology.ok()) return;  // no CPUs, or a core in two zones
  *machine = NodeOfCpus(*topology, cpus);
  machine->reserved = std::move(reserved);
}

void ReadZones(const Tables& tables, const NodeSpec& node, double of_cpu, double of_memory,
               NumaNode* machine) {
  for (size_t i = 0; i < node.zones.size(); ++i) {
    if (node.zones[i].capacity.empty()) continue;
    Sparse amounts = AmountsByDimension(tables, node.zones[i].capacity);
    if (amounts.at(kCpu) != 0) {
      CpuSet reserved = machine->cpus_of_zone(static_cast<int>(i));
      reserved &= machine->reserved;
      amounts.Set(kCpu,
                  AmplifiedAmount(amounts.at(kCpu) - reserved.size() * kMilliOfOneCpu, of_cpu));
    }
    if (amounts.at(kMemory) != 0) {
      amounts.Set(kMemory, AmplifiedAmount(amounts.at(kMemory), of_memory));
    }
    machine->zones.push_back({static_cast<int>(i), std::move(amounts)});
  }
}

// A set of zones in binary, as the peer writes it: in pairs of digits, but for single high zones.
std::string BitsOf(uint64_t zones) {
  int width = 2;
  for (int shift = 62; shift > 0; shift -= 2) {
    if (zones <= uint64_t{1} << shift) continue;
    width = shift + 2;
    break;
  }
  width = std::max(width, static_cast<int>(std::bit_width(zones)));
  std::string bits;
  for (int i = width - 1; i >= 0; --i) bits += (zones >> i & 1) != 0 ? '1' : '0';
  return bits;
}

std::string SummaryOf(std::string_view resource, const std::vector<ScoredHint>& hints) {
  std::vector<std::string> preferred, possible;
  for (const ScoredHint& hint : hints) {
    const std::string bits = BitsOf(hint.zones.value_or(0));
    if (hint.preferred) preferred.push_back(bits);
    possible.push_back(bits);
  }
  return absl::StrCat(ToAbsl(resource), " prefer [", absl::StrJoin(preferred, " "), "] among [",
                      absl::StrJoin(possible, " "), "]");
}

std::vector<std::string> WordsOfUnaligned(
    const Tables& tables, const ResourceHints& hints,
    std::span<const std::pair<std::string, std::vector<ScoredHint>>> others, bool single) {
  std::vector<std::string> missing, summaries;
  for (const auto& [r, list] : hints) {
    const std::string_view name = tables.dimensions.name(DimensionIndex(static_cast<uint32_t>(r)));
    if (list.empty()) {
      missing.push_back(absl::StrCat("Unsatisfied NUMA ", ToAbsl(name)));
    } else {
      summaries.push_back(SummaryOf(name, list));
    }
  }
  for (const auto& [name, list] : others) summaries.push_back(SummaryOf(name, list));
  if (!missing.empty()) return missing;
  std::sort(summaries.begin(), summaries.end());
  return {
      absl::StrCat("Unaligned NUMA Hint cause ", absl::StrJoin(summaries, single ? "," : " & "))};
}

}  // namespace

bool HasNumaLists(const NodeSpec& node) {
  return std::any_of(node.zones.begin(), node.zones.end(),
                     [](const ZoneSpec& zone) { return !zone.capacity.empty(); }) ||
         std::any_of(node.devices.begin(), node.devices.end(),
                     [](const DeviceSpec& device) { return device.kind == kCpuKind; });
}

absl::Status CheckNumaNodes(const Tables& tables) {
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (!tables.nodes.alive[n] || !HasNumaLists(tables.nodes.spec[n])) continue;
    const auto has_amounts = [](const ZoneSpec& zone) { return !zone.capacity.empty(); };
    const std::vector<ZoneSpec>& zones = tables.nodes.spec[n].zones;
    const auto place = absl::StrCat("action schedule: node ", Quote(tables.nodes.names.name(n)));
    if (std::count_if(zones.begin(), zones.end(), has_amounts) >
        static_cast<ptrdiff_t>(kMostZonesOfRules)) {
      return absl::InvalidArgumentError(
          absl::StrCat(place, ": more than ", kMostZonesOfRules, " zones with amounts"));
    }
    if (tables.dimension_count() > Sparse::kMostResources) {
      return absl::InvalidArgumentError(
          absl::StrCat(place, ": zones: the cluster has ", tables.dimension_count(),
                       " resources; zones know ", Sparse::kMostResources, " at most"));
    }
  }
  return absl::OkStatus();
}

NumaSite SiteOfNode(const Tables& tables, NodeIndex n, const NumaSettings& settings) {
  const NodeSpec& node = tables.nodes.spec[n];
  NumaSite site;
  ReadCpus(node, &site.node);
  SettingReader reader("node", node.name, node.settings, "koordinator");
  // The action's check has refused what these refuse.
  const bool full_cores = reader.Flag(kNodeZoneKeys[0], false);
  site.ratio = reader.Number(kNodeZoneKeys[1], 1, kMostAmplified, 1);
  const double of_memory = reader.Number(kNodeZoneKeys[2], 1, kMostAmplified, 1);
  site.node.ratio = site.ratio;
  site.node.cpu = kCpu;
  ReadZones(tables, node, site.ratio, of_memory, &site.node);
  const std::string_view binding = LabelText(node.labels, "node.koordinator.sh/cpu-bind-policy");
  site.binding = BindingOfNode(binding == "FullPCPUsOnly"   ? NodeCpuBinding::kFullCores
                               : binding == "SpreadByPCPUs" ? NodeCpuBinding::kSpread
                                                            : NodeCpuBinding::kNone,
                               full_cores);
  const std::string_view policy =
      LabelText(node.labels, "node.koordinator.sh/numa-topology-policy");
  site.zone_policy = policy.empty() ? ZonePolicyText(node.alignment) : std::string(policy);
  const std::string_view order =
      LabelText(node.labels, "node.koordinator.sh/numa-allocate-strategy");
  const bool fewest = order.empty() ? settings.zone_prefers_full : order == "MostAllocated";
  site.order = fewest ? ZoneOrder::kFewestFree : ZoneOrder::kMostFree;
  for (const DimensionIndex d : {kCpu, kMemory}) {
    site.allocatable.Set(d, OrZero(tables.nodes.allocatable.row(n)[d]));
  }
  return site;
}

bool MayBindCpus(const Tables& tables, TaskIndex t) {
  const Labels& labels = tables.classes.shape[tables.tasks.task_class[t]].labels;
  const Service service = ServiceByName(LabelText(labels, "koordinator.sh/qosClass"));
  if (service != Service::kLse && service != Service::kLsr) return false;
  BandMarks marks{.label = {}, .priority = tables.tasks.priority[t]};
  const std::string* label = FindLabel(labels, "koordinator.sh/priority-class");
  if (label != nullptr) marks.label = *label;
  return BandOf(marks, service) == Band::kProduction;
}

NumaClaim ClaimOfClass(const TaskShape& shape, bool binds, const Sparse& requests,
                       const NumaSettings& settings) {
  NumaClaim claim;
  claim.requests = requests;
  claim.need = NeedOfTask(
      {.strict = binds,
       .required = BindPolicyByName(LabelText(shape.labels, "koordinator/cpu-required")),
       .preferred = BindPolicyByName(LabelText(shape.labels, "koordinator/cpu-preferred")),
       .milli = requests.at(kCpu)},
      settings.bind);
  const std::string_view exclusive = LabelText(shape.labels, "koordinator/cpu-exclusive");
  claim.exclusive = exclusive == "PCPULevel"       ? CpuExclusive::kCore
                    : exclusive == "NUMANodeLevel" ? CpuExclusive::kZone
                                                   : CpuExclusive::kNone;
  claim.zone_policy = ZonePolicyText(shape.alignment);
  const std::string_view alone = LabelText(shape.labels, "koordinator/zone-exclusive");
  if (!alone.empty()) claim.alone = alone == "Required";
  return claim;
}

std::vector<std::string> NumaWords(
    const Tables& tables, const NumaFilter& filter, const NumaSite& site, const NumaClaim& claim,
    std::span<const std::pair<std::string, std::vector<ScoredHint>>> others) {
  const NumaNeed need = NeedAtSite(site, claim);
  std::vector<std::string> words;
  switch (filter.reason) {
    case NumaReason::kNone:
      return {};
    case NumaReason::kNoZones:
      return {"node(s) missing NUMA resources"};
    case NumaReason::kFraction:
      return {"the requested CPUs must be integer"};
    case NumaReason::kConflict:
      return {"node(s) cpu bind policy conflicts with pod's required cpu bind policy"};
    case NumaReason::kHalfCores:
      return {"node(s) requested cpus not multiple cpus per core"};
    case NumaReason::kZonePolicy:
      return {"node(s) NUMA Topology policy not match"};
    case NumaReason::kNoTopology:
      return {"node(s) invalid CPU Topology"};
    case NumaReason::kFewAmplified:
      return {"Insufficient amplified cpu"};
    case NumaReason::kFewInZones:
      ForEachResource(filter.lacking, [&](size_t r) {
        const auto d = DimensionIndex(static_cast<uint32_t>(r));
        words.push_back(absl::StrCat("Insufficient NUMA ", ToAbsl(tables.dimensions.name(d))));
      });
      return words;
    case NumaReason::kFewCpus:
      return {"not enough cpus available to satisfy request"};
    case NumaReason::kFewForPolicy:
      return {absl::StrCat(
          "insufficient CPUs to satisfy required cpu bind policy ",
          need.request.policy == BindPolicy::kFullCores ? "FullPCPUs" : "SpreadByPCPUs")};
    case NumaReason::kUnaligned:
      return WordsOfUnaligned(tables, filter.hints, others, need.zones == NumaPolicy::kSingleZone);
    case NumaReason::kNotNominated:
    case NumaReason::kNotReserved:
      break;
  }
  return {"node(s) no reservation(s) to meet the requirements"};
}

}  // namespace muster::koordinator
