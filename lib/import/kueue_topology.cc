// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What workloads request of topologies, and the places that they were admitted with.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"
#include "lib/import/kueue.h"

namespace muster::kueue {
namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";

int64_t CountOf(const Field& item, std::string_view key) {
  const int64_t count = item.Int64(key, 0);
  if (count < 1 || count > std::numeric_limits<int32_t>::max()) {
    item[key].Refuse("must be 1 to 2147483647");
  }
  return count;
}

// The values of one level for all domains of a slice; one value, if they share it.
std::vector<std::string> ReadLevel(const Field& level, size_t domains) {
  if (level["universal"].given()) return {level.Text("universal")};
  const Field own = level.Section("individual");
  std::vector<std::string> values = own.Texts("roots");
  if (values.size() != domains) own["roots"].Refuse("must be as many as domainCount");
  const std::string prefix = own.Text("prefix"), suffix = own.Text("suffix");
  for (std::string& value : values) value = absl::StrCat(prefix, value, suffix);
  return values;
}

// The numbers of pods in all domains of a slice; one number, if they share it.
std::vector<int64_t> ReadCounts(const Field& counts, size_t domains) {
  if (counts["universal"].given()) return {CountOf(counts, "universal")};
  std::vector<int64_t> each;
  for (const Field& item : counts["individual"].Children()) {
    if (!absl::SimpleAtoi(item.ScalarText(), &each.emplace_back())) item.RefuseKind("a number");
  }
  if (each.size() != domains) counts["individual"].Refuse("must be as many as domainCount");
  return each;
}

// Domains that share what they have in common.
void ReadSlice(const Field& slice, std::vector<AssignedPlace>* places) {
  const size_t domains = static_cast<size_t>(CountOf(slice, "domainCount"));
  const std::vector<int64_t> counts = ReadCounts(slice.Section("podCounts"), domains);
  std::vector<std::vector<std::string>> levels;
  bool differ = domains == 1;
  for (const Field& level : slice.Items("valuesPerLevel")) {
    levels.push_back(ReadLevel(level, domains));
    differ = differ || levels.back().size() > 1;
  }
  if (!differ) slice["valuesPerLevel"].Refuse("no level tells the domains apart");
  if (!slice.log()->ok()) return;
  for (size_t at = 0; at < domains; ++at) {
    AssignedPlace& place = places->emplace_back();
    place.count = counts[counts.size() == 1 ? 0 : at];
    for (const std::vector<std::string>& values : levels) {
      place.values.push_back(values[values.size() == 1 ? 0 : at]);
    }
  }
}

}  // namespace

std::vector<AssignedPlace> ReadPlaces(const Field& assignment) {
  std::vector<AssignedPlace> places;
  for (const Field& domain : assignment.Items("domains")) {
    places.push_back({domain.Texts("values"), CountOf(domain, "count")});
  }
  for (const Field& slice : assignment.Items("slices")) ReadSlice(slice, &places);
  const std::vector<std::string> levels = assignment.Texts("levels");
  if (levels.empty() || levels.back() != kHostname) return places;
  for (AssignedPlace& place : places) {
    if (place.values.size() > 1) place.values = {std::move(place.values.back())};
  }
  return places;
}

void ReadTopologyRequest(const Field& request, const std::string& group, Labels* settings) {
  const auto set = [&](std::string_view key, std::string value) {
    settings->emplace_back(absl::StrCat("kueue/podset-", ToAbsl(key), "/", group),
                           std::move(value));
  };
  const auto copy = [&](std::string_view field, std::string_view key) {
    if (request[field].given()) set(key, request.Text(field));
  };
  copy("required", "required-topology");
  copy("preferred", "preferred-topology");
  if (request["unconstrained"].given()) {
    set("unconstrained-topology", request.Bool("unconstrained", false) ? "true" : "false");
  }
  copy("podSetGroupName", "group-name");
  std::string slices;
  for (const Field& slice : request.Items("podsetSliceRequiredTopologyConstraints")) {
    absl::StrAppend(&slices, slices.empty() ? "" : ",", slice.Text("topology"), "=",
                    CountOf(slice, "size"));
  }
  if (!slices.empty()) return set("slice-required-topology-constraints", std::move(slices));
  copy("podSetSliceRequiredTopology", "slice-required-topology");
  if (request["podSetSliceSize"].given()) {
    set("slice-size", absl::StrCat(CountOf(request, "podSetSliceSize")));
  }
}

}  // namespace muster::kueue
