// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/pod_view.h"

#include <algorithm>
#include <limits>

namespace muster::scheduler_plugins {
namespace {

constexpr int64_t kThousandths = 1000;

void AddTo(const Amounts& more, Amounts* sum) {
  for (const auto& [name, amount] : more) {
    int64_t& at = (*sum)[name];
    if (__builtin_add_overflow(at, amount, &at)) at = std::numeric_limits<int64_t>::max();
  }
}

// Adds what service depends on.
void AddServed(const Amounts& more, Amounts* sum) {
  for (const auto& [name, amount] : more) {
    if ((name == "cpu" || name == "memory") && amount > 0) AddTo({{name, amount}}, sum);
  }
}

bool LimitsAll(const ContainerView& container) {
  Amounts served;
  AddServed(container.limits, &served);
  return served.size() == 2;
}

ZonedRequest ZonedRequestOf(const Amounts& amounts, const std::map<std::string, size_t>& numbers) {
  ZonedRequest request;
  for (const auto& [name, amount] : amounts) {
    request.push_back({numbers.at(name), amount, ZonedResourceOf(name)});
  }
  std::sort(request.begin(), request.end(),
            [](const ZonedAmount& a, const ZonedAmount& b) { return a.resource < b.resource; });
  return request;
}

}  // namespace

ZonedTask::Part InitPartOf(std::string_view restart_policy) {
  return restart_policy == "Always" ? ZonedTask::Part::kSidecar : ZonedTask::Part::kInit;
}

Amounts EffectiveRequest(const PodView& pod) {
  Amounts sum;
  for (const ContainerView& container : pod.containers) {
    if (container.part == ZonedTask::Part::kMain) AddTo(container.requests, &sum);
  }
  for (const ContainerView& container : pod.containers) {
    if (container.part == ZonedTask::Part::kMain) continue;
    for (const auto& [name, amount] : container.requests) {
      const auto [at, is_new] = sum.emplace(name, amount);
      if (!is_new) at->second = std::max(at->second, amount);
    }
  }
  AddTo(pod.overhead, &sum);
  return sum;
}

ServiceClass ServiceOf(const PodView& pod) {
  if (pod.stated_service.has_value()) return *pod.stated_service;
  Amounts requests, limits;
  bool all_limit = true;
  for (const ContainerView& container : pod.containers) {
    AddServed(container.requests, &requests);
    AddServed(container.limits, &limits);
    all_limit = all_limit && LimitsAll(container);
  }
  if (requests.empty() && limits.empty()) return ServiceClass::kBestEffort;
  return all_limit && requests == limits ? ServiceClass::kGuaranteed : ServiceClass::kBurstable;
}

bool RequestsExtended(const PodView& pod) {
  return std::any_of(pod.containers.begin(), pod.containers.end(), [](const ContainerView& c) {
    return std::any_of(c.requests.begin(), c.requests.end(), [](const auto& request) {
      return !ZonedResourceOf(request.first).is_native;
    });
  });
}

bool IsExclusive(std::string_view resource, int64_t amount, bool guaranteed,
                 const ResourceNames& of_zones) {
  const ZonedResource kind = ZonedResourceOf(resource);
  if (!kind.is_native) return of_zones.contains(resource);
  return guaranteed && amount > 0 && kind.is_bound &&
         (resource != "cpu" || amount % kThousandths == 0);
}

bool RequestsExclusive(const PodView& pod, const ResourceNames& of_zones) {
  const bool guaranteed = ServiceOf(pod) == ServiceClass::kGuaranteed;
  for (const ContainerView& container : pod.containers) {
    if (container.part == ZonedTask::Part::kInit) continue;
    for (const auto& [name, amount] : container.requests) {
      if (IsExclusive(name, amount, guaranteed, of_zones)) return true;
    }
  }
  return false;
}

ZonedTask ZonedTaskOf(const PodView& pod, const std::map<std::string, size_t>& numbers) {
  const ServiceClass service = ServiceOf(pod);
  ZonedTask task{.guaranteed = service == ServiceClass::kGuaranteed,
                 .is_judged = service != ServiceClass::kBestEffort || RequestsExtended(pod),
                 .whole = ZonedRequestOf(EffectiveRequest(pod), numbers)};
  for (const ContainerView& container : pod.containers) {
    task.parts.emplace_back(container.part, ZonedRequestOf(container.requests, numbers));
  }
  return task;
}

}  // namespace muster::scheduler_plugins
