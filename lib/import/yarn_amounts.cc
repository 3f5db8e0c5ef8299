// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/yarn_amounts.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/import/yarn.h"

namespace muster::yarn_import {
namespace {

constexpr int64_t kMostOfType = int64_t{1} << 50;

constexpr std::pair<std::string_view, int64_t> kUnits[] = {
    {"", 1},
    {"k", 1'000},
    {"M", 1'000'000},
    {"G", 1'000'000'000},
    {"T", 1'000'000'000'000},
    {"Ki", int64_t{1} << 10},
    {"Mi", int64_t{1} << 20},
    {"Gi", int64_t{1} << 30},
    {"Ti", int64_t{1} << 40},
};

// Memory and virtual cores are told beside the list, too.
bool IsOfOldest(std::string_view name) { return name == "memory-mb" || name == "vcores"; }

void Put(const std::string& name, const Field& value, int64_t unit, Amounts* amounts) {
  const int64_t amount = AmountOf(value);
  if (amount > kMostOfType / unit) {
    return value.Refuse(absl::StrCat(value.Describe(), " is more than 2^50 of ", Quote(name)));
  }
  if (amount > 0) amounts->others[name] = amount * unit;
}

}  // namespace

void Amounts::Subtract(const Amounts& other) {
  memory = SatSub(memory, other.memory);
  vcores = SatSub(vcores, other.vcores);
  for (const auto& [name, amount] : other.others) others[name] = SatSub(others[name], amount);
}

Amounts Amounts::Positive() const {
  Amounts positive{.memory = std::max<int64_t>(memory, 0), .vcores = std::max<int64_t>(vcores, 0)};
  for (const auto& [name, amount] : others) {
    if (amount > 0) positive.others[name] = amount;
  }
  return positive;
}

Resources Amounts::ToResources() const {
  Resources resources = {{"cpu", Quantity(absl::StrCat(vcores))},
                         {"memory", Quantity(absl::StrCat(memory, "Mi"))}};
  for (const auto& [name, amount] : others) {
    resources.emplace_back(name, Quantity(absl::StrCat(amount)));
  }
  return resources;
}

Amounts AmountsOf(const Field& resource, int64_t memory, int64_t vcores) {
  Amounts amounts{.memory = memory, .vcores = vcores};
  for (const Field& type :
       ListOf(resource.Section("resourceInformations"), "resourceInformation")) {
    const std::string name = type.Text("name"), unit = type.Text("units");
    if (name.empty() || IsOfOldest(name)) continue;
    const auto* const known =
        std::ranges::find(kUnits, unit, &std::pair<std::string_view, int64_t>::first);
    if (known == std::end(kUnits)) {
      type["units"].Refuse(absl::StrCat(Quote(unit), " is no unit that is read: k, M, G, T, ",
                                        "Ki, Mi, Gi, Ti, or none"));
      continue;
    }
    Put(name, type["value"], known->second, &amounts);
  }
  return amounts;
}

Amounts AmountsOfMap(const Field& map, int64_t memory, int64_t vcores) {
  Amounts amounts{.memory = memory, .vcores = vcores};
  if (!map.given() || map.kind() != JsonKind::kObject) return amounts;
  if (map["entry"].given()) {
    for (const Field& entry : ListOf(map, "entry")) {
      const std::string name = entry.Text("key");
      if (!name.empty() && !IsOfOldest(name)) Put(name, entry["value"], 1, &amounts);
    }
    return amounts;
  }
  for (const Field& value : map.Children()) {
    if (!IsOfOldest(value.key())) Put(std::string(value.key()), value, 1, &amounts);
  }
  return amounts;
}

}  // namespace muster::yarn_import
