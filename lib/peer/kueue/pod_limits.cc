// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/pod_limits.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace muster::kueue {
namespace {

using What = PodProblem::What;

// Amounts of either side; of both, the chosen one.
NamedAmounts Merged(const NamedAmounts& a, const NamedAmounts& b,
                    int64_t (*choose)(int64_t, int64_t)) {
  NamedAmounts merged = a;
  for (const auto& [name, amount] : b) {
    const auto [at, is_new] = merged.emplace(name, amount);
    if (!is_new) at->second = choose(at->second, amount);
  }
  return merged;
}

int64_t Lower(int64_t a, int64_t b) { return std::min(a, b); }
int64_t Higher(int64_t a, int64_t b) { return std::max(a, b); }

void FillIn(const NamedAmounts& from, NamedAmounts* amounts) {
  amounts->insert(from.begin(), from.end());
}

// Resources that both have, and `a` more of.
std::vector<std::string> Above(const NamedAmounts& a, const NamedAmounts& b) {
  std::vector<std::string> names;
  for (const auto& [name, amount] : a) {
    const auto other = b.find(name);
    if (other != b.end() && amount > other->second) names.push_back(name);
  }
  return names;
}

void Note(What what, const std::string& place, std::vector<std::string> resources,
          std::vector<PodProblem>* problems) {
  if (!resources.empty()) problems->push_back({what, place, std::move(resources)});
}

void CheckContainers(const std::vector<ContainerAmounts>& containers, const char* list,
                     const LimitItem& range, std::vector<PodProblem>* problems) {
  for (size_t i = 0; i < containers.size(); ++i) {
    const std::string place = absl::StrCat(list, "[", i, "]");
    const ContainerAmounts& c = containers[i];
    Note(What::kAboveMost, place, Above(Merged(c.requests, c.limits, Higher), range.most),
         problems);
    Note(What::kBelowLeast, place, Above(range.least, Merged(c.requests, c.limits, Lower)),
         problems);
  }
}

}  // namespace

void AddLimit(const LimitItem& item, LimitSummary* summary) {
  std::optional<LimitItem>& known =
      item.kind == LimitKind::kPod ? summary->pod : summary->container;
  if (!known) {
    known = item;
    return;
  }
  known->most = Merged(known->most, item.most, Lower);
  known->least = Merged(known->least, item.least, Higher);
  FillIn(item.standard, &known->standard);
  FillIn(item.standard_request, &known->standard_request);
}

void Complete(const LimitSummary& limits, PodAmounts* pod, const NamedAmounts& overhead) {
  if (pod->overhead.empty()) pod->overhead = overhead;
  const auto fill = [](const std::optional<LimitItem>& range, ContainerAmounts* amounts) {
    if (range) {
      FillIn(range->standard, &amounts->limits);
      FillIn(range->standard_request, &amounts->requests);
    }
    FillIn(amounts->limits, &amounts->requests);
  };
  for (ContainerAmounts& c : pod->init) fill(limits.container, &c);
  for (ContainerAmounts& c : pod->containers) fill(limits.container, &c);
  if (pod->own) fill(limits.pod, &*pod->own);
}

std::vector<PodProblem> AboveLimits(const PodAmounts& pod) {
  std::vector<PodProblem> problems;
  const auto check = [&](const ContainerAmounts& c, const std::string& place) {
    Note(What::kAboveLimit, place, Above(c.requests, c.limits), &problems);
  };
  for (size_t i = 0; i < pod.init.size(); ++i) {
    check(pod.init[i], absl::StrCat("initContainers[", i, "]"));
  }
  for (size_t i = 0; i < pod.containers.size(); ++i) {
    check(pod.containers[i], absl::StrCat("containers[", i, "]"));
  }
  if (pod.own) check(*pod.own, "resources");
  return problems;
}

std::vector<PodProblem> OutOfRange(const PodAmounts& pod, const NamedAmounts& total,
                                   const LimitSummary& limits) {
  std::vector<PodProblem> problems;
  if (limits.container) {
    CheckContainers(pod.init, "initContainers", *limits.container, &problems);
    CheckContainers(pod.containers, "containers", *limits.container, &problems);
  }
  if (limits.pod) {
    Note(What::kAboveMost, "", Above(total, limits.pod->most), &problems);
    Note(What::kBelowLeast, "", Above(limits.pod->least, total), &problems);
  }
  return problems;
}

}  // namespace muster::kueue
