// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/kueue_limits.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/import/amounts.h"
#include "lib/import/kubernetes.h"

namespace muster::kueue {
namespace {

constexpr std::string_view kCpuName = "cpu";
constexpr int64_t kBillionthsOfMilli = kAmountUnit / 1000;

// cpu in thousandths, all else in whole units, rounded up.
NamedAmounts AmountsAt(const Field& field) {
  NamedAmounts amounts;
  for (const auto& [name, amount] : ReadAmounts(field)) {
    const ExactAmount step = name == kCpuName ? kBillionthsOfMilli : kAmountUnit;
    const ExactAmount most = std::numeric_limits<int64_t>::max();
    amounts[name] = static_cast<int64_t>(std::min<ExactAmount>((amount + step - 1) / step, most));
  }
  return amounts;
}

ContainerAmounts ContainerAt(const Field& resources) {
  return {.requests = AmountsAt(resources["requests"]), .limits = AmountsAt(resources["limits"])};
}

void Add(const NamedAmounts& more, NamedAmounts* amounts) {
  for (const auto& [name, amount] : more) {
    int64_t& sum = (*amounts)[name];
    if (__builtin_add_overflow(sum, amount, &sum)) sum = std::numeric_limits<int64_t>::max();
  }
}

void Raise(const NamedAmounts& least, NamedAmounts* amounts) {
  for (const auto& [name, amount] : least) {
    int64_t& known = (*amounts)[name];
    known = std::max(known, amount);
  }
}

// What the pod requests in all: containers together, or an init container with the sidecars that
// were started before it, where it needs more; what the pod sets for itself stands above that.
NamedAmounts TotalOf(const PodAmounts& pod, const std::vector<bool>& sidecars) {
  NamedAmounts total, beside, start;
  for (size_t i = 0; i < pod.init.size(); ++i) {
    NamedAmounts now = beside;
    Add(pod.init[i].requests, &now);
    Raise(now, &start);
    if (sidecars[i]) beside = std::move(now);
  }
  for (const ContainerAmounts& container : pod.containers) Add(container.requests, &total);
  Add(beside, &total);
  Raise(start, &total);
  if (pod.own) {
    for (const auto& [name, amount] : pod.own->requests) total[name] = amount;
  }
  Add(pod.overhead, &total);
  return total;
}

std::string WordsOf(const std::vector<PodProblem>& problems) {
  std::vector<std::string> words;
  for (const PodProblem& problem : problems) {
    const char* const what = problem.what == PodProblem::What::kAboveLimit
                                 ? " requests more than its limit of "
                             : problem.what == PodProblem::What::kAboveMost
                                 ? " is above the maximum of the LimitRange in "
                                 : " is below the minimum of the LimitRange in ";
    words.push_back(absl::StrCat(problem.place.empty() ? "the pod" : problem.place, what,
                                 absl::StrJoin(problem.resources, ", ")));
  }
  return absl::StrJoin(words, "; ");
}

}  // namespace

PodRanges::PodRanges(const Dump& dump) {
  for (const ApiObject* object : dump.OfKind("LimitRange")) {
    for (const Field& item : object->spec().Items("limits")) {
      const bool of_pods = item["type"].Is("Pod");
      if (!of_pods && !item["type"].Is("Container")) continue;
      AddLimit({.kind = of_pods ? LimitKind::kPod : LimitKind::kContainer,
                .most = AmountsAt(item["max"]),
                .least = AmountsAt(item["min"]),
                .standard = AmountsAt(item["default"]),
                .standard_request = AmountsAt(item["defaultRequest"])},
               &limits_[object->name_space()]);
    }
  }
  for (const ApiObject* object : dump.OfKind("RuntimeClass")) {
    overheads_[object->name()] = AmountsAt(object->root().Section("overhead")["podFixed"]);
  }
}

std::string PodRanges::Apply(const ApiObject& pod, const std::string& name_space,
                             TaskShape* shape) const {
  const Field spec = pod.spec();
  PodAmounts amounts;
  std::vector<bool> sidecars;
  for (const Field& container : spec.Items("initContainers")) {
    amounts.init.push_back(ContainerAt(container.Section("resources")));
    sidecars.push_back(IsSidecar(container));
  }
  for (const Field& container : spec.Items("containers")) {
    amounts.containers.push_back(ContainerAt(container.Section("resources")));
  }
  if (spec["resources"].given()) amounts.own = ContainerAt(spec.Section("resources"));
  amounts.overhead = AmountsAt(spec["overhead"]);
  PodAmounts filled = amounts;
  Complete({}, &amounts);
  const auto range = limits_.find(name_space);
  const LimitSummary limits = range == limits_.end() ? LimitSummary() : range->second;
  const auto overhead = overheads_.find(spec.Text("runtimeClassName"));
  Complete(limits, &filled, overhead == overheads_.end() ? NamedAmounts() : overhead->second);
  const NamedAmounts before = TotalOf(amounts, sidecars), after = TotalOf(filled, sidecars);
  for (const auto& [name, amount] : after) {
    const auto known = before.find(name);
    if ((known != before.end() && known->second == amount) || !IsDimension(name, true)) continue;
    const Quantity text = ToQuantity(
        name, ExactAmount(amount) * (name == kCpuName ? kBillionthsOfMilli : kAmountUnit));
    const auto at =
        std::ranges::find(shape->request, name, &std::pair<std::string, Quantity>::first);
    if (at == shape->request.end()) {
      shape->request.emplace_back(name, text);
    } else {
      at->second = text;
    }
  }
  std::vector<PodProblem> problems = AboveLimits(filled);
  for (PodProblem& problem : OutOfRange(filled, after, limits)) {
    problems.push_back(std::move(problem));
  }
  return WordsOf(problems);
}

}  // namespace muster::kueue
