// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What plugins read from the containers of a pod: its requests, its class of service, and whether
// it gets resources of its own.
//
//   PodView pod{.containers = {{.requests = {{"cpu", 2000}}}}, .overhead = {{"cpu", 100}}};
//   EffectiveRequest(pod);           // cpu 2100
//   ServiceOf(pod);                  // kBurstable: there are no limits
//   RequestsExclusive(pod, {});      // false
//
// Effective request: in each resource the larger of the sum of the main containers and of any
// single container that runs before them, plus the overhead. Sidecars count as containers that run
// before, although they keep running.
//
// Class of service, by cpu and memory above 0. A pod without any is best effort. It is guaranteed
// if every container limits both, and the limits of all containers add up to their requests. A
// class that the pod states overrides this.
//
// Exclusive resources. A container holds some if it names a resource that is not Kubernetes' own
// and that a zone of the node lists, or if its pod is guaranteed and it requests whole cores,
// memory or huge pages. Containers that end before the main ones hold none.
//
// Amounts are thousandths of a core for cpu, and whole units otherwise. Sums end at the largest
// 64-bit number. Cost: O(containers x resources).
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_POD_VIEW_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_POD_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/fit/zoned_node.h"
#include "lib/peer/scheduler_plugins/exemption.h"

namespace muster::scheduler_plugins {

using Amounts = std::map<std::string, int64_t, std::less<>>;
using ResourceNames = std::set<std::string, std::less<>>;

struct ContainerView {
  ZonedTask::Part part = ZonedTask::Part::kMain;
  Amounts requests = {}, limits = {};
  std::string name = {};
};
struct PodView {
  std::vector<ContainerView> containers;  // those that run before the main ones first
  Amounts overhead = {};
  // What the pod's status states, which comes before all computation.
  std::optional<ServiceClass> stated_service = {};
};

// The part that a container of the list `initContainers` is. `restart_policy`: the container's own,
// or empty.
ZonedTask::Part InitPartOf(std::string_view restart_policy);

Amounts EffectiveRequest(const PodView& pod);
ServiceClass ServiceOf(const PodView& pod);
// Whether a container requests a resource that is not Kubernetes' own.
bool RequestsExtended(const PodView& pod);
// `of_zones`: the resources that zones of the node list.
bool RequestsExclusive(const PodView& pod, const ResourceNames& of_zones);
// Whether an amount of a resource is exclusive for a container that requests it.
bool IsExclusive(std::string_view resource, int64_t amount, bool guaranteed,
                 const ResourceNames& of_zones);

// The task as zones see it. `numbers` has a number for every resource that the pod names.
ZonedTask ZonedTaskOf(const PodView& pod, const std::map<std::string, size_t>& numbers);

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_POD_VIEW_H_
