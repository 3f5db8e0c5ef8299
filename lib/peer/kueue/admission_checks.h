// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which admission checks a workload has to pass, and whether it has.
//
//   RequiredChecks({{"budget", {}}}, {"spot"}, nullptr);   // {"budget"}
//   OpenChecks(world, w);                                  // {"budget"}: it is not Ready yet
//
// A workload with quota and an open check has its quota reserved and is not admitted: its pods do
// not start. Checks of two kinds postpone the search for places (QueueRow::delays): those of
// MultiKueue for good, as another cluster has the places, and those of ProvisioningRequest until
// all checks have passed, as the nodes are not there before. Such a workload is not admitted before
// it has places.
#ifndef MUSTER_PEER_KUEUE_ADMISSION_CHECKS_H_
#define MUSTER_PEER_KUEUE_ADMISSION_CHECKS_H_

#include <string>
#include <utility>
#include <vector>

#include "lib/peer/kueue/world.h"

namespace muster::kueue {

// A check and the flavors that it is for; none: all flavors of the queue.
using CheckFlavors = std::pair<std::string, std::vector<std::string>>;
// The checks that a workload has to pass: with an admission those of one of its flavors, before it
// those of all flavors of the queue. In order of their names.
std::vector<std::string> RequiredChecks(const std::vector<CheckFlavors>& checks,
                                        const std::vector<std::string>& queue_flavors,
                                        const std::vector<std::string>* admitted_flavors);

// Returns the checks that a workload with quota has not passed: those of its queue for a flavor of
// its, and others that have a state, in order of their names. A check without a state is open.
std::vector<std::string> OpenChecks(const World& world, const WorkloadRow& row);

// Sets the kinds of a queue's checks by their names, and what they delay.
using CheckKinds = std::vector<std::pair<std::string, QueueCheck::Kind>>;
void SetCheckKinds(const CheckKinds& kinds, World* world, Queue queue);
// Returns the checks of the queue as its readiness reads them.
std::vector<QueueCheck> ChecksOf(const World& world, const QueueRow& queue);

// Returns whether a pod set of the workload, which has quota, has no places yet that it is to get
// in a flavor, as checks delay the search. `now`: whether it is time to search.
bool AwaitsPlaces(const World& world, const WorkloadRow& row, bool now);

// Returns whether a workload with quota is not admitted: a check is open, or places are missing.
bool IsOpen(const World& world, const WorkloadRow& row);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_ADMISSION_CHECKS_H_
