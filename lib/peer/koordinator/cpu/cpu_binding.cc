// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/cpu/cpu_binding.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace muster {
namespace {

constexpr int64_t kWholeCpu = 1000;

bool BindsCpus(BindPolicy policy) {
  return policy == BindPolicy::kFullCores || policy == BindPolicy::kSpread;
}

// a - b, with the resources of both, at least zero.
Sparse LessAtLeastZero(Sparse a, const Sparse& b) {
  a.Subtract(b);
  a.NotBelowZero();
  return a;
}

}  // namespace

CpuNeed NeedOfTask(const BindWish& wish, BindPolicy fallback) {
  CpuNeed need{.milli = wish.milli, .cpus = wish.milli / kWholeCpu};
  if (!wish.strict) return need;
  const auto known = [&](BindPolicy policy) {
    return policy == BindPolicy::kDefault ? fallback : policy;
  };
  const BindPolicy required = known(wish.required);
  BindPolicy policy = wish.preferred == BindPolicy::kUnset ? fallback : known(wish.preferred);
  if (required != BindPolicy::kUnset) policy = required;
  if (!BindsCpus(policy)) return need;
  if (wish.milli % kWholeCpu != 0) {
    need.refusal = BindRefusal::kFraction;
    return need;
  }
  if (wish.milli <= 0) return need;
  need.binds = true;
  need.required = required;
  need.preferred = policy;
  return need;
}

NodeCpuBinding BindingOfNode(NodeCpuBinding label, bool kubelet_full_cores) {
  return kubelet_full_cores ? NodeCpuBinding::kFullCores : label;
}

NodeBinding PolicyOnNode(BindPolicy required, BindPolicy preferred, NodeCpuBinding node) {
  if (required != BindPolicy::kUnset) return {.policy = required, .required = true};
  if (node == NodeCpuBinding::kNone) return {.policy = preferred};
  return {
      .policy = node == NodeCpuBinding::kFullCores ? BindPolicy::kFullCores : BindPolicy::kSpread,
      .required = true};
}

NodeBinding BindingOnNode(const CpuNeed& need, NodeCpuBinding node, int64_t threads) {
  NodeBinding binding = PolicyOnNode(need.required, need.preferred, node);
  const bool demanded = node != NodeCpuBinding::kNone && need.milli != 0;
  binding.binds = need.binds || demanded;
  if (!binding.binds) return binding;
  const BindPolicy of_node = PolicyOnNode(BindPolicy::kUnset, need.required, node).policy;
  if (!need.binds && need.milli % kWholeCpu != 0) {
    binding.refusal = BindRefusal::kFraction;
  } else if (need.required != BindPolicy::kUnset && need.required != of_node) {
    binding.refusal = BindRefusal::kConflict;
  } else if (of_node == BindPolicy::kFullCores && need.cpus % threads != 0) {
    binding.refusal = BindRefusal::kHalfCores;
  }
  return binding;
}

SpecPolicies PoliciesToWrite(SpecPolicies spec, const NodeBinding& binding) {
  const bool open = spec.required == BindPolicy::kUnset || spec.required == BindPolicy::kDefault;
  if (binding.required && open) spec.required = binding.policy;
  if (spec.preferred == BindPolicy::kDefault) spec.preferred = binding.policy;
  if (spec.required == BindPolicy::kUnset && spec.preferred == BindPolicy::kUnset) {
    spec.preferred = binding.policy;
  }
  return spec;
}

int64_t AmplifiedAmount(int64_t amount, double ratio) {
  if (ratio <= 1) return amount;
  return static_cast<int64_t>(std::ceil(static_cast<double>(amount) * ratio));
}

bool FitsAmplified(int64_t milli, bool binds, const AmplifiedCpus& cpus) {
  if (milli == 0 || cpus.ratio <= 1) return true;
  const int64_t request = binds ? AmplifiedAmount(milli, cpus.ratio) : milli;
  int64_t requested = cpus.requested;
  if (cpus.bound > 0 && requested >= cpus.bound) {
    requested = SaturatingAdd(requested - cpus.bound, AmplifiedAmount(cpus.bound, cpus.ratio));
  }
  return request <= SaturatingSubtract(cpus.capacity, requested);
}

ZoneFree FreeOfZone(const ZoneRoom& zone, size_t cpu, double ratio) {
  if (!zone.allocated.has_value()) return {.available = LessAtLeastZero(zone.total, Sparse())};
  Sparse allocated = *zone.allocated;
  if (ratio > 1) {
    const int64_t shared = SaturatingSubtract(allocated.at(cpu), zone.bound);
    allocated.Set(cpu, SaturatingAdd(shared, AmplifiedAmount(zone.bound, ratio)));
  }
  allocated = LessAtLeastZero(allocated, zone.reusable);
  return {.available = LessAtLeastZero(zone.total, allocated), .allocated = allocated};
}

std::optional<std::string> ZonePolicyOf(std::string_view node, std::string_view task) {
  if (!node.empty() && !task.empty() && node != task) return std::nullopt;
  return std::string(task.empty() ? node : task);
}

}  // namespace muster
