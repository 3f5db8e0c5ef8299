// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Nodes and tasks as the rules of zones and CPUs see them, read from the rows of the cluster.
//
//   NumaSite site = SiteOfNode(tables, node, settings);
//   NumaClaim claim = ClaimOfClass(shape, MayBindCpus(tables, task), requests, settings);
//   for (const std::string& words : NumaWords(tables, filter, site, claim, {})) Refuse(words);
//
// Of a node. Its devices of kind cpu are its CPUs. One that is not healthy, or of which less than
// all can be given out, is reserved: no task gets it, and the cpu of its zone is that much less.
// The zones that have amounts are those of the rules, numbered by their place in the node's list.
// Labels and settings:
//
//   node.koordinator.sh/cpu-bind-policy          FullPCPUsOnly, SpreadByPCPUs
//   node.koordinator.sh/numa-allocate-strategy   MostAllocated, LeastAllocated
//   node.koordinator.sh/numa-topology-policy     BestEffort, Restricted, SingleNUMANode; without
//                                                it NodeSpec::alignment counts
//   koordinator/full_cores        `true`: the kubelet assigns full cores alone
//   koordinator/amplified_cpu     1 to 100: how much more cpu the node shows than it has;
//   koordinator/amplified_memory  the zones are amplified by it, and CPUs that tasks have
//
// Of a task. Labels koordinator.sh/qosClass LSE or LSR, and production by its label or priority,
// make it one that may have CPUs of its own. Its alignment is its policy of zones. Labels that
// stand for annotations of pods:
//
//   koordinator/cpu-required, cpu-preferred      FullPCPUs, SpreadByPCPUs, Default, ...
//   koordinator/cpu-exclusive                    PCPULevel, NUMANodeLevel
//   koordinator/zone-exclusive                   Required, Preferred
//
// Resources are numbered as dimensions are.
//
// Cost. O(CPUs + zones x resources) a node, O(labels + resources) a class.
#ifndef MUSTER_PEER_KOORDINATOR_PROFILE_NUMA_SITES_H_
#define MUSTER_PEER_KOORDINATOR_PROFILE_NUMA_SITES_H_

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/model/tables.h"
#include "lib/peer/koordinator/numa/numa_rules.h"
#include "lib/peer/koordinator/profile/plugin_settings.h"

namespace muster::koordinator {

// Returns whether the node lists CPUs, or zones with amounts.
bool HasNumaLists(const NodeSpec& node);
// Fails where a node has such lists, and the cluster more resources, or the node more zones, than
// the rules know.
absl::Status CheckNumaNodes(const Tables& tables);

// `books` is left to the caller, and so is what the node's tasks request.
NumaSite SiteOfNode(const Tables& tables, NodeIndex n, const NumaSettings& settings);

// Returns whether the task is one that may have CPUs of its own.
bool MayBindCpus(const Tables& tables, TaskIndex t);
// `binds`: whether the task may have CPUs of its own.
NumaClaim ClaimOfClass(const TaskShape& shape, bool binds, const Sparse& requests,
                       const NumaSettings& settings);

// Returns the reason in the peer's words. A set of zones that is not aligned has a text for all
// hints, those of `others` among them, or one for each resource that no zones have.
std::vector<std::string> NumaWords(
    const Tables& tables, const NumaFilter& filter, const NumaSite& site, const NumaClaim& claim,
    std::span<const std::pair<std::string, std::vector<ScoredHint>>> others);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_PROFILE_NUMA_SITES_H_
