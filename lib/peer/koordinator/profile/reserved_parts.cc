// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/profile/reserved_parts.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"
#include "muster/quantity.h"

namespace muster::koordinator {
namespace {

constexpr std::string_view kCpus = "koordinator/cpuset", kZones = "koordinator/zone-amounts",
                           kDevices = "koordinator/device-parts";
constexpr int64_t kWholeDevice = 1000;

bool IsAmount(const std::string& text, Unit unit) {
  const absl::StatusOr<int64_t> amount = ParseQuantity(text, unit);
  return amount.ok() && *amount >= 0;
}

// Each reads an item of a list, and returns what is wrong with it; empty: nothing.
std::string ReadZone(const std::string& item, ReservedParts* parts) {
  const std::vector<std::string> halves = absl::StrSplit(item, absl::MaxSplits(':', 1));
  if (halves.size() != 2 || halves[0].empty()) return "is no zone with amounts";
  Resources amounts;
  for (const absl::string_view pair : absl::StrSplit(halves[1], '+')) {
    const std::vector<std::string> sides = absl::StrSplit(pair, absl::MaxSplits('=', 1));
    if (sides.size() != 2 || sides[0].empty()) return "is no zone with amounts";
    const Unit unit = IsMilliDimension(sides[0]) ? Unit::kMilli : Unit::kWhole;
    if (!IsAmount(sides[1], unit)) return absl::StrCat("has no amount of ", sides[0]);
    amounts.emplace_back(sides[0], sides[1]);
  }
  parts->zones.emplace_back(halves[0], std::move(amounts));
  return "";
}

std::string ReadDevice(const std::string& item, ReservedParts* parts) {
  const std::vector<std::string> words = absl::StrSplit(item, ':');
  DeviceHold& hold = parts->devices.emplace_back();
  hold.device = words[0];
  if (words.size() > 3 || words[0].empty()) return "is no part of a device";
  if (words.size() > 1 &&
      (!absl::SimpleAtoi(words[1], &hold.milli) || hold.milli < 1 || hold.milli > kWholeDevice)) {
    return "has no thousandths from 1 to 1000";
  }
  if (words.size() > 2) hold.memory = words[2];
  return IsAmount(hold.memory.text, Unit::kWhole) ? "" : "has no bytes of memory";
}

template <typename Read>
absl::Status ReadList(const ReservationSpec& reservation, std::string_view key, Read read) {
  const std::string* text = FindLabel(reservation.shape.labels, key);
  if (text == nullptr || text->empty()) return absl::OkStatus();
  std::set<std::string> names;
  for (const absl::string_view item : absl::StrSplit(*text, ',')) {
    std::string wrong = read(std::string(item));
    const absl::string_view name = item.substr(0, item.find(':'));
    if (wrong.empty() && !names.emplace(name).second) wrong = "is listed twice";
    if (wrong.empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("reservation ", Quote(reservation.name), ", label ", ToAbsl(key), ": ",
                     Quote(std::string_view(item.data(), item.size())), " ", wrong));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ReservedParts> ReadReservedParts(const ReservationSpec& reservation) {
  ReservedParts parts;
  if (const std::string* text = FindLabel(reservation.shape.labels, kCpus)) {
    absl::StatusOr<CpuSet> cpus = CpuSet::Parse(*text);
    if (!cpus.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("reservation ", Quote(reservation.name),
                                                     ", label ", ToAbsl(kCpus), ": ", Quote(*text),
                                                     " is no list of CPUs"));
    }
    parts.cpus = *std::move(cpus);
  }
  absl::Status status = ReadList(reservation, kZones,
                                 [&](const std::string& item) { return ReadZone(item, &parts); });
  if (status.ok()) {
    status = ReadList(reservation, kDevices,
                      [&](const std::string& item) { return ReadDevice(item, &parts); });
  }
  if (!status.ok()) return status;
  return parts;
}

Sparse AmountsByDimension(const Tables& tables, const Resources& resources) {
  Sparse amounts;
  for (const auto& [name, quantity] : resources) {
    const auto d = tables.dimensions.Find(name);
    if (!d || *d == kPods) continue;
    const Unit unit = IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole;
    amounts.Set(*d, ParseQuantity(quantity.text, unit).value_or(0));
  }
  return amounts;
}

}  // namespace muster::koordinator
