// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the files of this folder share: the tables of policies and actions, and their parts.
//
//   for (const PolicyTwin& twin : VolcanoPolicies()) ...
//   VolcanoActions().at("allocate")(cycle);
#ifndef MUSTER_REFERENCE_PEER_VOLCANO_VOLCANO_H_
#define MUSTER_REFERENCE_PEER_VOLCANO_VOLCANO_H_

#include <functional>
#include <map>
#include <vector>

#include "lib/reference/cycle.h"

namespace muster::reference {

PolicyTwins VolcanoPolicies();
ActionTwins VolcanoActions();

// --- policies ------------------------------------------------------------------------------------

PolicyTwins AdmissionPolicies();  // overcommit, resourcequota, sla
PolicyTwin CapacityPolicy();
PolicyTwins LendingPolicies();  // nodegroup, tdm
PolicyTwin NetworkTopologyPolicy();
PolicyTwin NumaAwarePolicy();
PolicyTwin ResourceStrategyFitPolicy();
PolicyTwin TaskTopologyPolicy();
PolicyTwin UsagePolicy();

// For shuffle: batch tasks that are on loaned nodes when these are not lent.
std::vector<TaskIndex> OverstayingTasks(const Cycle& cycle, const ReferencePolicy& policy,
                                        const std::vector<TaskIndex>& running);

// --- actions -------------------------------------------------------------------------------------

void RunAdmit(Cycle& cycle);
void RunAllocate(Cycle& cycle);
void RunBackfill(Cycle& cycle);
void RunPreempt(Cycle& cycle);
void RunReclaim(Cycle& cycle);
void RunGangPreempt(Cycle& cycle);
void RunGangReclaim(Cycle& cycle);
void RunShuffle(Cycle& cycle);

// Places tasks among the nodes until the part is ready. False: undone.
bool PlaceTasks(Cycle& cycle, const Part& part, Heap<TaskIndex>& tasks,
                const std::vector<NodeIndex>& nodes, Statement& statement);

using PartHeap = GoHeap<Part, std::function<bool(const Part&, const Part&)>>;
// What is left to do of a job that is placed by domains or in parts.
struct PartSheet {
  PartHeap waiting;
  std::map<Part, Heap<TaskIndex>> tasks;
};
bool GoesByDomain(const Cycle& cycle, JobIndex job);
PartSheet MakeSheet(const Cycle& cycle, JobIndex job, const std::vector<TaskIndex>& tasks);
// A turn. True: it is in the books, ready or waiting.
bool PlaceByDomain(Cycle& cycle, JobIndex job, PartSheet& sheet, Statement& statement);
void SettleByDomain(Cycle& cycle, JobIndex job);  // it has been committed

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_VOLCANO_VOLCANO_H_
