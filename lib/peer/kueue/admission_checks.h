// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which admission checks a workload has to pass, and whether it has.
//
//   RequiredChecks({{"budget", {}}}, {"spot"}, nullptr);   // {"budget"}
//   OpenChecks(world, w);                                  // {"budget"}: it is not Ready yet
//
// A workload with quota and an open check has its quota reserved and is not admitted: its pods do
// not start.
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

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_ADMISSION_CHECKS_H_
