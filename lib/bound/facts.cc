// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/bound/facts.h"

#include <algorithm>
#include <map>

#include "lib/kube/selectors.h"

namespace muster {
namespace {

// Adds within int64.
void AddCapped(int64_t amount, int64_t* sum) {
  *sum = amount > kUnlimited - *sum ? kUnlimited : *sum + amount;
}

}  // namespace

int64_t DeviceParts(const TaskShape& shape, const std::string& kind) {
  for (const DeviceRequest& request : shape.devices) {
    if (request.kind == kind) return request.count * request.milli;
  }
  return 0;
}

BoundFacts::BoundFacts(const Tables& of, const BoundOptions& asked, const std::set<TaskIndex>& gone)
    : tables(of), options(asked) {
  ReadTasks(gone);
  ReadNodes(gone);
  ReadDevices(gone);
}

// A leaving task is gone before what is nominated starts; a nominated one holds nothing yet.
bool BoundFacts::Stays(TaskIndex task, const std::set<TaskIndex>& gone) const {
  const TaskStatus status = tables.tasks.status[task];
  if (status == TaskStatus::kUnknown) return true;
  if (!IsAllocated(status) || gone.count(task) > 0) return false;
  return !options.evictions || (tables.tasks.flags[task] & kTaskPreemptable) == 0;
}

void BoundFacts::ReadTasks(const std::set<TaskIndex>& gone) {
  const size_t dimensions = tables.dimension_count();
  set_of.assign(tables.classes.shape.size(), kNone);
  held.assign(tables.queues.alive.size(), std::vector<int64_t>(dimensions, 0));
  there.assign(tables.jobs.alive.size(), 0);
  std::map<uint32_t, uint32_t> sets;  // by ClassTable::constraints
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    const JobIndex job = tables.tasks.job[t];
    if (!tables.tasks.alive[t] || job == kNone) continue;
    const TaskStatus status = tables.tasks.status[t];
    const ClassIndex c = tables.tasks.task_class[t];
    const bool waits = status == TaskStatus::kPending || status == TaskStatus::kNominated;
    // Of tasks that request nothing, those that wait count for a gang, too.
    there[job] += IsAllocated(status) || status == TaskStatus::kSucceeded ||
                  (waits && tables.classes.best_effort[c]);
    if (waits && (tables.tasks.flags[t] & kTaskGated) == 0) {
      waiting.push_back(t);
      const auto [set, added] =
          sets.emplace(tables.classes.constraints[c], static_cast<uint32_t>(sets.size()));
      if (added) first_of_set.push_back(c);
      set_of[c] = set->second;
    }
    if (!IsAllocated(status) || !Stays(t, gone)) continue;
    for (QueueIndex q = tables.jobs.queue[job]; q != kNone; q = tables.queues.parent[q]) {
      for (size_t d = 0; d < dimensions; ++d) {
        AddCapped(tables.classes.request.row(c)[d], &held[q][d]);
      }
    }
  }
}

void BoundFacts::ReadNodes(const std::set<TaskIndex>& gone) {
  const size_t dimensions = tables.dimension_count();
  room.resize(tables.nodes.alive.size());
  for (NodeIndex n = 0; n < room.size(); ++n) {
    if (!tables.nodes.alive[n]) continue;
    room[n].resize(dimensions);
    const auto has = tables.nodes.allocatable.row(n);
    for (size_t d = 0; d < dimensions; ++d) room[n][d] = OrZero(has[d]);
    if (has[kPods] == kAbsent) room[n][kPods] = kUnlimited;
  }
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    const NodeIndex n = tables.tasks.node[t];
    if (!tables.tasks.alive[t] || n == kNone || room[n].empty() || !Stays(t, gone)) continue;
    const auto request = tables.classes.request.row(tables.tasks.task_class[t]);
    for (size_t d = 0; d < dimensions; ++d) {
      if (room[n][d] == kUnlimited) continue;
      room[n][d] = std::max<int64_t>(room[n][d] - request[d], 0);
    }
  }
}

void BoundFacts::ReadDevices(const std::set<TaskIndex>& gone) {
  if (!options.devices) return;
  std::set<std::string> asked;
  for (size_t c = 0; c < set_of.size(); ++c) {
    if (set_of[c] == kNone) continue;
    for (const DeviceRequest& request : tables.classes.shape[c].devices) asked.insert(request.kind);
  }
  kinds.assign(asked.begin(), asked.end());
  if (kinds.empty()) return;
  parts.resize(room.size());
  std::vector<std::map<std::string, size_t>> kind_of(room.size());  // by node and device
  for (NodeIndex n = 0; n < room.size(); ++n) {
    parts[n].assign(kinds.size(), 0);
    if (room[n].empty()) continue;
    for (const DeviceSpec& device : tables.nodes.spec[n].devices) {
      const auto kind = std::lower_bound(kinds.begin(), kinds.end(), device.kind);
      if (kind == kinds.end() || *kind != device.kind || !device.healthy) continue;
      const size_t k = static_cast<size_t>(kind - kinds.begin());
      AddCapped(device.milli, &parts[n][k]);
      kind_of[n].emplace(device.name, k);
    }
  }
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    const NodeIndex n = tables.tasks.node[t];
    if (!tables.tasks.alive[t] || n == kNone || room[n].empty() || !Stays(t, gone)) continue;
    for (const DeviceHold& hold : tables.hold_lists[tables.tasks.devices[t]]) {
      const auto kind = kind_of[n].find(hold.device);
      if (kind == kind_of[n].end()) continue;
      parts[n][kind->second] = std::max<int64_t>(parts[n][kind->second] - hold.milli, 0);
    }
  }
}

bool BoundFacts::Admits(size_t set, NodeIndex node) const {
  if (room[node].empty()) return false;
  if (!options.node_rules) return true;
  const TaskShape& shape = tables.classes.shape[first_of_set[set]];
  const NodeSpec& spec = tables.nodes.spec[node];
  if (spec.unschedulable && !ToleratesUnschedulable(shape)) return false;
  return FirstUntolerated(shape, spec) == nullptr && MatchesNode(shape, spec);
}

int64_t BoundFacts::FitsAlone(ClassIndex c, NodeIndex node) const {
  const auto request = tables.classes.request.row(c);
  int64_t fits = kUnlimited;
  for (size_t d = 0; d < room[node].size(); ++d) {
    if (request[d] > 0 && room[node][d] != kUnlimited) {
      fits = std::min(fits, room[node][d] / request[d]);
    }
  }
  for (size_t k = 0; k < kinds.size(); ++k) {
    const int64_t asks = DeviceParts(tables.classes.shape[c], kinds[k]);
    if (asks > 0) fits = std::min(fits, parts[node][k] / asks);
  }
  return fits;
}

}  // namespace muster
