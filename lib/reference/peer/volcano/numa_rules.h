// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What policy numa-aware says of a task on a node, slowly: by names, counted from the tasks on the
// node every time.
#ifndef MUSTER_REFERENCE_PEER_VOLCANO_NUMA_RULES_H_
#define MUSTER_REFERENCE_PEER_VOLCANO_NUMA_RULES_H_

#include <set>
#include <string>

#include "lib/reference/world.h"

namespace muster::reference {

struct CpuVerdict {
  bool asked = false;        // whether its CPUs are chosen there at all
  std::string refusal = {};  // empty: it may go there
  std::set<int> cpus = {};   // that it would get
  std::set<int> zones = {};  // in which these are
};
CpuVerdict JudgeCpus(const World& world, TaskIndex task, NodeIndex node);

// As devices of the node.
HeldDevices HoldCpus(const World& world, NodeIndex node, const std::set<int>& cpus);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_VOLCANO_NUMA_RULES_H_
