// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/zones/eviction.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace muster::scheduler_plugins {
namespace {

constexpr int kTerminals = 64, kContinuations = 25;

// The place of a character in the alphabet: printable ASCII without five characters; -1: none.
int LetterOf(char letter) {
  constexpr std::string_view kLeftOut = "\"&<>\\";
  if (letter < 0x21 || letter > 0x7e || kLeftOut.find(letter) != kLeftOut.npos) return -1;
  return letter - 0x21 -
         static_cast<int>(std::count_if(kLeftOut.begin(), kLeftOut.end(),
                                        [letter](char left_out) { return left_out < letter; }));
}

// Positions from differences. Nothing for malformed text.
std::optional<std::vector<int64_t>> ReadPositions(std::string_view text) {
  std::vector<int64_t> positions;
  int64_t high = 0, last = 0;
  bool continues = false;
  for (const char character : text) {
    const int letter = LetterOf(character);
    if (letter < 0 || high > (int64_t{1} << 32)) return std::nullopt;
    if (letter >= kTerminals) {
      high = high * kContinuations + letter - kTerminals;
      continues = true;
      continue;
    }
    last += continues ? kTerminals + high * kTerminals + letter : letter;
    positions.push_back(last);
    high = 0;
    continues = false;
  }
  if (continues) return std::nullopt;
  return positions;
}

// What the report states of its placements; -1: nothing.
struct PlacementFields {
  int64_t containers = -1, zones = -1, busiest = -1;
  std::string_view encoding = {};
};

bool SetField(std::string_view field, PlacementFields* fields) {
  const size_t equals = field.find('=');
  if (equals == field.npos || equals == 0 || equals + 1 == field.size()) return false;
  const std::string_view key = field.substr(0, equals), value = field.substr(equals + 1);
  if (key == "ve") {
    fields->encoding = value;
    return true;
  }
  int64_t* number = key == "cc"   ? &fields->containers
                    : key == "nn" ? &fields->zones
                    : key == "bn" ? &fields->busiest
                                  : nullptr;
  if (number == nullptr) return false;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), *number);
  return error == std::errc() && stop == value.data() + value.size();
}

// "npv0v001::ve=leb89::cc=3::nn=2::bn=1"
std::optional<PlacementFields> ReadFields(std::string_view text) {
  constexpr std::string_view kStart = "npv0v001::", kSeparator = "::";
  if (text.substr(0, kStart.size()) != kStart) return std::nullopt;
  text.remove_prefix(kStart.size());
  PlacementFields fields;
  while (true) {
    const size_t end = text.find(kSeparator);
    if (!SetField(text.substr(0, end), &fields)) return std::nullopt;
    if (end == text.npos) break;
    text.remove_prefix(end + kSeparator.size());
  }
  if (fields.encoding != "leb89" || fields.zones <= 0 || fields.busiest < 0 ||
      fields.busiest >= fields.zones) {
    return std::nullopt;
  }
  return fields;
}

// The texts of positions, by zone. Nothing if a zone has no number or may not have a text.
std::optional<std::map<int, std::string_view>> ReadVectors(const NodeReport& report,
                                                           const PlacementFields& fields) {
  std::map<int, std::string_view> vectors;
  for (const ReportedZone& zone : report.zones) {
    const std::string* text =
        FindAttribute(zone.attributes, "topology.node.k8s.io/numaplacement-vector");
    if (text == nullptr) continue;
    const std::optional<int> id = ZoneIdOf(zone.name);
    if (!id.has_value() || *id >= fields.zones || *id == fields.busiest) return std::nullopt;
    vectors[*id] = *text;
  }
  return vectors;
}

// Adds what a victim holds exclusively, by zone and resource.
void AddHeld(const Victim& victim, const Placements& placements, const ResourceNames& of_zones,
             std::map<int, Amounts>* held) {
  const bool guaranteed = ServiceOf(victim.view) == ServiceClass::kGuaranteed;
  for (const ContainerView& container : victim.view.containers) {
    if (container.part != ZonedTask::Part::kMain) continue;
    const auto zone =
        placements.find(ContainerHash(victim.name.name_space, victim.name.name, container.name));
    if (zone == placements.end()) continue;
    for (const auto& [name, amount] : container.requests) {
      if (IsExclusive(name, amount, guaranteed, of_zones)) (*held)[zone->second][name] += amount;
    }
  }
}

std::map<std::string, size_t> NumbersOf(const NodeReport& report, const PodView& pod) {
  ResourceNames names = ResourceNamesOf(report);
  for (const auto& [name, amount] : EffectiveRequest(pod)) names.insert(name);
  std::map<std::string, size_t> numbers;
  for (const std::string& name : names) numbers.emplace(name, numbers.size());
  return numbers;
}

absl::StatusOr<ZonedNode> NodeOfReport(const NodeReport& report,
                                       const std::map<std::string, size_t>& numbers,
                                       const ResourceNames& on_machine) {
  std::vector<Zone> zones;
  for (const ReportedZone& reported : report.zones) {
    const std::optional<int> id = ZoneIdOf(reported.name);
    if (!id.has_value() || *id >= ZonedNode::kMostZones) continue;
    Zone zone{.id = *id, .available = std::vector<int64_t>(numbers.size(), Zone::kAbsent)};
    for (const ReportedAmount& amount : reported.amounts) {
      zone.available[numbers.at(amount.resource)] = amount.available;
    }
    zones.push_back(std::move(zone));
  }
  std::vector<bool> has(numbers.size());
  for (const auto& [name, number] : numbers) has[number] = on_machine.contains(name);
  const ZoneConfig config = ReadZoneConfig(report.policies, report.attributes);
  return ZonedNode::Make(
      {.policy = *config.policy, .scope = *config.scope, .most_zones = config.most_zones}, zones,
      has);
}

// Why a part of the pod, or by scope the whole, does not fit.
std::string RefusalOf(const NodeReport& report, const ZonedTask& task, size_t part) {
  const ZoneConfig config = ReadZoneConfig(report.policies, report.attributes);
  if (config.scope == ZoneScope::kPod) return "cannot align pod";
  switch (task.parts[part].first) {
    case ZonedTask::Part::kInit:
      return "cannot align init container";
    case ZonedTask::Part::kSidecar:
      return "cannot align sidecar container";
    case ZonedTask::Part::kMain:
      break;
  }
  return "cannot align container";
}

}  // namespace

uint64_t ContainerHash(std::string_view name_space, std::string_view pod, std::string_view name) {
  std::string text(name_space);
  for (const std::string_view part : {pod, name}) {
    text += '\0';
    text += part;
  }
  return HashOf(text);
}

Placements ReadPlacements(const NodeReport& report, std::span<const NodePod> pods) {
  const std::string* policy = FindAttribute(report.attributes, "topologyManagerPolicy");
  const std::string* stated =
      FindAttribute(report.attributes, "topology.node.k8s.io/numaplacement-metadata");
  if (policy == nullptr || *policy != "single-numa-node" || stated == nullptr) return {};
  const std::optional<PlacementFields> fields = ReadFields(*stated);
  if (!fields.has_value()) return {};
  const auto vectors = ReadVectors(report, *fields);
  std::vector<uint64_t> hashes;
  for (const NodePod& pod : pods) {
    for (const std::string& container : pod.pinned) {
      hashes.push_back(ContainerHash(pod.name.name_space, pod.name.name, container));
    }
  }
  if (!vectors.has_value() || static_cast<int64_t>(hashes.size()) != fields->containers) return {};
  std::sort(hashes.begin(), hashes.end());
  Placements placements;
  for (const auto& [zone, text] : *vectors) {
    const std::optional<std::vector<int64_t>> positions = ReadPositions(text);
    if (!positions.has_value()) return {};
    for (const int64_t position : *positions) {
      if (position >= fields->containers) return {};
      if (!placements.emplace(hashes[static_cast<size_t>(position)], zone).second) return {};
    }
  }
  for (const uint64_t hash : hashes) placements.emplace(hash, static_cast<int>(fields->busiest));
  return placements;
}

absl::StatusOr<NodeReport> AfterEviction(const NodeReport& report, std::span<const Victim> victims,
                                         const Placements* placements) {
  if (victims.empty()) {
    return absl::FailedPreconditionError("no victims found, cannot process eviction simulation");
  }
  if (placements == nullptr) {
    return absl::FailedPreconditionError(
        "numa placement info not found, cannot process eviction simulation");
  }
  if (placements->empty()) {
    return absl::FailedPreconditionError(
        "no containers found in numa placement info, cannot process eviction simulation");
  }
  std::map<int, Amounts> held;
  const ResourceNames of_zones = ResourceNamesOf(report);
  for (const Victim& victim : victims) AddHeld(victim, *placements, of_zones, &held);
  if (held.empty()) {
    return absl::FailedPreconditionError("no resources to add, cannot process eviction simulation");
  }
  NodeReport after = report;
  for (ReportedZone& zone : after.zones) {
    const auto returns = held.find(ZoneIdOf(zone.name).value_or(-1));
    if (returns == held.end()) continue;
    for (ReportedAmount& amount : zone.amounts) {
      const auto more = returns->second.find(amount.resource);
      if (more == returns->second.end()) continue;
      amount.available += more->second;
      if (amount.available > amount.allocatable) {
        return absl::FailedPreconditionError("resource release request exceeds NUMA allocatable");
      }
    }
  }
  return after;
}

absl::Status EvictionTrial::Remove(const Victim& victim) {
  if (!pods_.has_value()) return absl::NotFoundError("not found");
  (*pods_)[absl::StrCat(victim.name.name_space, "/", victim.name.name)] = victim;
  return absl::OkStatus();
}
absl::Status EvictionTrial::Return(const PodName& pod) {
  if (!pods_.has_value()) return absl::NotFoundError("not found");
  pods_->erase(absl::StrCat(pod.name_space, "/", pod.name));
  return absl::OkStatus();
}
std::vector<Victim> EvictionTrial::victims() const {
  std::vector<Victim> out;
  if (!pods_.has_value()) return out;
  for (const auto& [key, victim] : *pods_) out.push_back(victim);
  return out;
}

absl::StatusOr<ZoneVerdict> FilterByZones(const CachedReport& cached, const Placements& placements,
                                          std::span<const Victim> victims, const PodView& pod,
                                          const ResourceNames& on_machine) {
  const std::map<std::string, size_t> numbers =
      NumbersOf(cached.report.value_or(NodeReport()), pod);
  const ZonedTask task = ZonedTaskOf(pod, numbers);
  if (!task.is_judged) return ZoneVerdict();
  if (!cached.is_fresh) return ZoneVerdict{"invalid node topology data"};
  if (!cached.report.has_value()) return ZoneVerdict();
  NodeReport report = *cached.report;
  if (!victims.empty() && !placements.empty()) {
    absl::StatusOr<NodeReport> after = AfterEviction(report, victims, &placements);
    if (!after.ok()) {
      return ZoneVerdict{absl::StrCat("eviction simulation in NRT is not possible:",
                                      std::string(after.status().message()))};
    }
    report = *std::move(after);
  }
  const absl::StatusOr<ZonedNode> node = NodeOfReport(report, numbers, on_machine);
  if (!node.ok()) return node.status();
  const std::optional<ZonedNode::Refusal> refusal = node->Check(task);
  if (!refusal.has_value()) return ZoneVerdict();
  return ZoneVerdict{RefusalOf(report, task, refusal->part), victims.empty()};
}

std::optional<bool> PreemptsByZones(std::optional<std::string_view> word) {
  if (!word.has_value() || *word == "Disabled") return false;
  if (*word == "Enabled") return true;
  return std::nullopt;
}

}  // namespace muster::scheduler_plugins
