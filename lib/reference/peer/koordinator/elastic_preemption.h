// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Slow twins of preemption within a group of an elastic quota tree and of revoking what a group
// uses too much: amounts by names, every sum counted anew from the tasks that are there.
#ifndef MUSTER_REFERENCE_PEER_KOORDINATOR_ELASTIC_PREEMPTION_H_
#define MUSTER_REFERENCE_PEER_KOORDINATOR_ELASTIC_PREEMPTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/reference/peer/koordinator/elastic_quota.h"

namespace muster::reference {

struct GroupTask {
  std::string group;
  QuotaAmounts request;
  int64_t priority = 0, started = 0;
  bool preemptible = true;
  std::vector<size_t> budgets = {};
};

// Indices in the order in which the tasks go.
std::vector<size_t> Revoked(const QuotaAmounts& used, const QuotaAmounts& runtime,
                            const std::vector<GroupTask>& tasks);

struct GroupDryRun {
  QuotaAmounts used, runtime, max;  // of the group
  QuotaAmounts capacity;            // of the node
  std::vector<GroupTask> tasks;     // on the node
  std::vector<int64_t> budgets;     // disruptions left to each
};

struct GroupDryRunResult {
  std::string outcome;  // victims, no candidate, no room, too large, removed twice
  std::vector<size_t> victims;
  int broken_budgets = 0;
};

GroupDryRunResult PreemptInGroup(const GroupTask& task, const GroupDryRun& world);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_KOORDINATOR_ELASTIC_PREEMPTION_H_
