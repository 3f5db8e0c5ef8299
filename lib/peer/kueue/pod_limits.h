// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// LimitRanges of a namespace: defaults for what a pod's containers leave out, and bounds of what
// they may request. They decide what a workload counts for, and whether a cycle looks at it.
//
//   LimitSummary limits;
//   AddLimit({.kind = LimitKind::kContainer, .standard = {{"cpu", 4000}}}, &limits);
//   Complete(limits, &pod);          // a limit of 4 cpus where there is none, and as much wanted
//   OutOfRange(pod, total, limits);  // empty: it may be admitted
//
// Several ranges are one: the lowest maximum, the highest minimum, the first default.
//
// Where Kueue surprises: a container's limit is held against the maximum, too, even if it requests
// less; and its limit, where that is lower, against the minimum. Defaults for pods count only for
// pods that have amounts of their own.
#ifndef MUSTER_PEER_KUEUE_POD_LIMITS_H_
#define MUSTER_PEER_KUEUE_POD_LIMITS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::kueue {

// By resource: cpu in thousandths, all else in whole units.
using NamedAmounts = std::map<std::string, int64_t>;

struct ContainerAmounts {
  NamedAmounts requests = {}, limits = {};
};
struct PodAmounts {
  std::vector<ContainerAmounts> init = {}, containers = {};
  std::optional<ContainerAmounts> own = {};  // of the pod as a whole
  NamedAmounts overhead = {};
};

enum class LimitKind : uint8_t { kContainer, kPod };
struct LimitItem {
  LimitKind kind = LimitKind::kContainer;
  NamedAmounts most = {}, least = {};
  NamedAmounts standard = {};          // limits of containers that have none
  NamedAmounts standard_request = {};  // the same of requests
};
struct LimitSummary {
  std::optional<LimitItem> container = {}, pod = {};
};
void AddLimit(const LimitItem& item, LimitSummary* summary);

// Fills in what is left out: the overhead of the pod's runtime class, defaults, and requests where
// there are limits alone.
void Complete(const LimitSummary& limits, PodAmounts* pod, const NamedAmounts& overhead = {});

struct PodProblem {
  enum class What : uint8_t { kAboveLimit, kAboveMost, kBelowLeast } what = What::kAboveLimit;
  std::string place;  // "containers[0]", "initContainers[1]", "resources"; empty: the whole pod
  std::vector<std::string> resources;
  friend bool operator==(const PodProblem&, const PodProblem&) = default;
};
// Requests above their own limits.
std::vector<PodProblem> AboveLimits(const PodAmounts& pod);
// What is outside of the ranges. `total`: what the pod requests in all.
std::vector<PodProblem> OutOfRange(const PodAmounts& pod, const NamedAmounts& total,
                                   const LimitSummary& limits);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_POD_LIMITS_H_
