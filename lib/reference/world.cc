// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A node's books by the status of a task: nominated tasks are only pipelined, releasing ones are
// used and releasing but not idle, all others are used. Idle may go below zero when a node holds
// more than it has.
#include "lib/reference/world.h"

#include <algorithm>
#include <string_view>

#include "lib/reference/fit/node_devices.h"
#include "muster/quantity.h"

namespace muster::reference {

void AddTo(Row& row, std::span<const int64_t> amount, int sign) {
  for (size_t d = 0; d < row.size(); ++d) row[d] += sign * OrZero(amount[d]);
}

namespace {

void Charge(World& world, TaskIndex task, int sign) {
  const NodeIndex node = world.node[task];
  const auto request = world.request(task);
  switch (world.status[task]) {
    case TaskStatus::kNominated:
      AddTo(world.pipelined[node], request, sign);
      return;
    case TaskStatus::kReleasing:
      AddTo(world.idle[node], request, -sign);
      AddTo(world.releasing[node], request, sign);
      AddTo(world.used[node], request, sign);
      return;
    default:
      AddTo(world.idle[node], request, -sign);
      AddTo(world.used[node], request, sign);
  }
}

void ChargeOwners(World& world, TaskIndex task, int sign) {
  const JobIndex job = world.tables->tasks.job[task];
  if (job == kNone) return;
  AddTo(world.job_allocated[job], world.request(task), sign);
  AddTo(world.queue_allocated[world.tables->jobs.queue[job]], world.request(task), sign);
}

// What the policies hear: the task starts (+1) or stops (-1) counting for its job, its queue and
// the Kubernetes view of its node.
void Tell(World& world, TaskIndex task, int sign) {
  ChargeOwners(world, task, sign);
  if (!world.follow_present) return;
  if (sign > 0) {
    world.present[world.node[task]].insert(task);
  } else {
    world.present[world.node[task]].erase(task);
  }
}

// The row without the cells that the resources do not name.
Row Named(const Tables& tables, std::span<const int64_t> row, const Resources& resources) {
  Row out(row.begin(), row.end());
  for (DimensionIndex d = 0; d < out.size(); ++d) {
    const std::string_view name = tables.dimensions.name(d);
    const bool named = std::any_of(resources.begin(), resources.end(),
                                   [&](const auto& entry) { return entry.first == name; });
    if (out[d] == 0 && !named) out[d] = kAbsent;
  }
  return out;
}

}  // namespace

std::vector<NodeIndex> World::session_nodes() const {
  std::vector<NodeIndex> nodes;
  for (NodeIndex n = 0; n < in_session.size(); ++n) {
    if (in_session[n]) nodes.push_back(n);
  }
  return nodes;
}

std::vector<JobIndex> World::session_jobs() const {
  std::vector<JobIndex> jobs;
  for (JobIndex j = 0; j < tables->jobs.alive.size(); ++j) {
    if (tables->jobs.alive[j]) jobs.push_back(j);
  }
  return jobs;
}

Row World::future_idle(NodeIndex n) const {
  Row row = idle[n];
  AddTo(row, releasing[n], 1);
  AddTo(row, pipelined[n], -1);
  return row;
}

World OpenWorld(const Tables& tables) {
  World world;
  world.tables = &tables;
  const size_t dimensions = tables.dimension_count();
  const Row zero(dimensions, 0);

  const size_t nodes = tables.nodes.alive.size();
  world.used.assign(nodes, zero);
  world.releasing.assign(nodes, zero);
  world.pipelined.assign(nodes, zero);
  world.on_node.resize(nodes);
  world.present.resize(nodes);
  for (NodeIndex n = 0; n < nodes; ++n) {
    const auto allocatable = tables.nodes.allocatable.row(n);
    Row capacity = zero;
    AddTo(capacity, allocatable, 1);
    world.capacity.push_back(capacity);
    world.idle.push_back(capacity);
    world.counts_pods.push_back(allocatable[kPods] != kAbsent);
    world.in_session.push_back(tables.nodes.alive[n] != 0);
  }

  world.job_allocated.assign(tables.jobs.alive.size(), zero);
  world.queue_allocated.assign(tables.queues.alive.size(), zero);
  for (JobIndex j = 0; j < tables.jobs.alive.size(); ++j) {
    world.phase.push_back(tables.jobs.spec[j].phase);
  }

  for (ClassIndex c = 0; c < tables.classes.shape.size(); ++c) {
    const TaskShape& shape = tables.classes.shape[c];
    world.requests.push_back(Named(tables, tables.classes.request.row(c), shape.request));
    world.initial_requests.push_back(Named(tables, tables.classes.initial_request.row(c),
                                           shape.initial_request.value_or(shape.request)));
  }
  world.held.resize(tables.tasks.alive.size());
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    for (const DeviceHold& hold : tables.hold_lists[tables.tasks.devices[t]]) {
      world.held[t][hold.device] = {hold.milli,
                                    ParseQuantity(hold.memory.text, Unit::kWhole).value_or(0)};
    }
  }
  world.status = tables.tasks.status;
  world.node = tables.tasks.node;
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (!tables.tasks.alive[t]) continue;
    const JobIndex job = tables.tasks.job[t];
    if (job != kNone && IsAllocated(world.status[t])) {
      AddTo(world.job_allocated[job], world.request(t), 1);
      AddTo(world.queue_allocated[tables.jobs.queue[job]], world.request(t), 1);
    }
    if (HoldsNode(world.status[t])) {
      AddToNode(world, t, world.node[t]);
      world.present[world.node[t]].insert(t);
    }
  }
  return world;
}

void AddToNode(World& world, TaskIndex task, NodeIndex node) {
  world.node[task] = node;
  world.on_node[node].insert(task);
  Charge(world, task, 1);
}

void RemoveFromNode(World& world, TaskIndex task) {
  Charge(world, task, -1);
  world.on_node[world.node[task]].erase(task);
}

void Place(World& world, TaskIndex task, NodeIndex node, TaskStatus status) {
  if (world.device_strategy && !world.shape(task).devices.empty()) {
    const bool later = status == TaskStatus::kNominated;
    world.held[task] = ChooseDevices(world, task, node, later).value_or(HeldDevices());
  }
  if (world.choose_cpus != nullptr) world.held[task].merge(world.choose_cpus(world, task, node));
  world.status[task] = status;
  AddToNode(world, task, node);
  Tell(world, task, 1);
  world.placements.emplace_back(task, node);
}

void Unplace(World& world, TaskIndex task) {
  Tell(world, task, -1);
  RemoveFromNode(world, task);
  world.held[task].clear();
  world.status[task] = TaskStatus::kPending;
  world.node[task] = kNone;
}

void Evict(World& world, TaskIndex task) {
  const NodeIndex node = world.node[task];
  RemoveFromNode(world, task);
  world.status[task] = TaskStatus::kReleasing;
  AddToNode(world, task, node);
  if (world.evicted_tasks_show) {
    ChargeOwners(world, task, -1);
  } else {
    Tell(world, task, -1);
  }
}

void Unevict(World& world, TaskIndex task) {
  const NodeIndex node = world.node[task];
  RemoveFromNode(world, task);
  world.status[task] = TaskStatus::kRunning;
  AddToNode(world, task, node);
  ChargeOwners(world, task, 1);
}

}  // namespace muster::reference
