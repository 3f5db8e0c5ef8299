// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cluster's tables as an allocator of Mesos.
//
//   World world = ReadWorld(context, options);       // of action offer
//   std::vector<Offer> offers = world.allocator->Allocate();
//   NodeIndex node = world.node_of[offers[0].agent];
//
// What the rows stand for:
// - A queue is a role. Its path is that of its parent and its own name; a name that begins with
//   the parent's name and "/" is taken without that. `weight` is the role's weight, and 0, which
//   the peer does not have, counts as 0.001. `guaranteed` and `limit` of a queue without a parent
//   are the quota's guarantees and limits; the peer has quotas of top-level roles alone, so those
//   of other queues are not read. A closed queue gets no offers.
// - A job is a framework with one role, its queue's. Its tasks are what it launches. A name with
//   "/" or "%" is written %2F and %25 where the order of names matters.
// - A node is an agent, and its labels are the agent's attributes. One that is not ready or
//   unschedulable is not on the whitelist. cpu is `cpus`; memory, ephemeral-storage and huge pages
//   count in MB, the first two as `mem` and `disk`; nvidia.com/gpu is `gpus`. `pods` is left to the
//   fit of tasks on nodes. What is above 1e10 of a unit counts as 1e10.
// - Tasks that hold a node are what its framework uses there: reserved amounts first, then
//   unreserved ones, then, if the framework may, what can be taken back. What tasks without a job
//   hold is taken off the agent.
//
// Settings, in the forms of settings.h:
//   node   mesos/resources   what of the capacity is reserved, revocable or shared, and what the
//                            agent has beside it, such as ports
//          mesos/region, mesos/zone
//   queue  mesos/weight      in place of the queue's weight, as that has no fractions
//   job    mesos/capabilities, mesos/min_allocatable, mesos/constraints
//          mesos/suppressed  true: no offers. mesos/refuse_seconds: of its filters
// A framework with tasks that request gpus has the capability without a setting.
//
// Failures. CheckTables returns the first wrong setting, amount or name; ReadWorld then must not be
// called. Cost. O(rows) for each.
#ifndef MUSTER_PEER_MESOS_READ_WORLD_H_
#define MUSTER_PEER_MESOS_READ_WORLD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/part/context.h"
#include "lib/peer/mesos/allocator.h"
#include "lib/peer/mesos/settings.h"

namespace muster::mesos {

inline constexpr std::string_view kFilterSlot = "mesos-filters";

// A resource of the cluster as the peer names it.
struct NamedColumn {
  DimensionIndex dimension;
  std::string name;
  bool in_megabytes;  // else in thousandths of its unit
};

struct World {
  std::unique_ptr<Allocator> allocator;
  std::vector<NamedColumn> columns;
  std::vector<NodeIndex> node_of;      // by agent
  std::vector<JobIndex> job_of;        // by framework
  std::vector<uint32_t> framework_of;  // by job; kNone: it is none
  std::vector<std::string> role_of;    // by queue
  std::vector<JobSettings> settings;   // by framework
};

absl::Status CheckTables(const Tables& tables, const muster::Options& options);

// REQUIRES: CheckTables succeeds.
World ReadWorld(const ActionContext& context, const muster::Options& options);

// The columns that nodes of the cluster have.
std::vector<NamedColumn> ColumnsOf(const Tables& tables);
// An amount of the tables in the peer's unit: rounded up where it is requested, else down.
double AmountIn(const NamedColumn& column, int64_t amount, bool round_up);
// The reverse, rounded down.
int64_t AmountFrom(const NamedColumn& column, int64_t thousandths);
// What a task of the class requests.
NamedAmounts NeedsOf(const World& world, const Tables& tables, ClassIndex c);

// Filters that an earlier cycle has left, and those that this one leaves.
void LoadFilters(const ActionContext& context, World* world);
void StoreFilters(const ActionContext& context, const World& world);

}  // namespace muster::mesos

#endif  // MUSTER_PEER_MESOS_READ_WORLD_H_
