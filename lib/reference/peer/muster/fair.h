// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The muster preset, slowly: what its queues deserve, what its gangs need, which tasks have to go.
//
// Filters, scores and books are shared with the other presets. Everything else is restated from
// docs/policies.md, with loops over whole tables. A dry run is a copy of the world.
#ifndef MUSTER_REFERENCE_PEER_MUSTER_FAIR_H_
#define MUSTER_REFERENCE_PEER_MUSTER_FAIR_H_

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "lib/reference/cycle.h"

namespace muster::reference {

// What policies fairshare and borrowing know of a queue, per dimension.
struct FairBook {
  Row demand, promised, deserved;
  std::vector<bool> contested;  // it and its siblings hold or ask for more than there is
};

// What a gang that waits was promised: places from a time on, nullopt: once all have ended.
struct FairPromise {
  JobIndex job;
  std::optional<int64_t> time = {};
  std::map<NodeIndex, Row> places = {};
};

// What the actions and policies of the preset keep within a cycle.
struct FairKeepsakes {
  std::vector<FairBook> queues;
  bool reclaims = false;       // an action of this cycle took from other queues
  std::set<JobIndex> in_line;  // the jobs that still take turns
  std::vector<FairPromise> promises;
  bool promises_on = false;  // allocate ran: from then on its options hold for all that fill
  bool planning = false;     // a place is looked for that is to be promised
};
inline FairKeepsakes& Fair(Cycle& cycle) { return cycle.kept.Of<FairKeepsakes>(); }
inline const FairKeepsakes& Fair(const Cycle& cycle) { return cycle.kept.Of<FairKeepsakes>(); }

// --- fair_shares.cc ------------------------------------------------------------------------------

// A part of one resource for one of the queues that divide it by weight: at least its floor, at
// most its ceiling.
struct Claim {
  QueueIndex queue;
  absl::int128 weight, floor, ceiling, amount = 0;
  bool settled = false;
};
// Those of weight 0 get what they were promised, and share what the others leave.
void DivideClaims(absl::int128 total, std::vector<Claim>& claims);

// What every queue deserves of the world as it is now; kept in the cycle until asked again.
void CountDeserved(Cycle& cycle);
int CompareFairQueues(const Cycle& cycle, QueueIndex l, QueueIndex r);
double FairShareNow(const Cycle& cycle, QueueIndex queue);
// No queue from here to the root is closed, or beyond a limit with the task.
bool WithinLimits(const Cycle& cycle, QueueIndex queue, TaskIndex task);
// The queue's own jobs hold no more than it deserves with the request.
bool MayTakeForItself(const Cycle& cycle, const ReferencePolicy& policy, QueueIndex queue,
                      const Row& request);
double ShareOfLivingQueue(const Cycle& cycle, QueueIndex queue);
std::optional<std::vector<double>> FairDeserved(const Cycle& cycle, QueueIndex queue);

// --- fair_gang.cc --------------------------------------------------------------------------------

int64_t GangNeed(const Cycle& cycle, JobIndex job);
// Whether a task of the group brings the gang nearer to being whole.
bool GangWants(const Cycle& cycle, JobIndex job, GroupIndex group);
bool GangCouldBeWhole(const Cycle& cycle, JobIndex job, std::span<const TaskIndex> rest);
// Whether what is bound and running is still a whole gang without `victims`.
bool GangCanSpare(const Cycle& cycle, JobIndex job, const std::vector<TaskIndex>& victims);

// --- fair_fill.cc --------------------------------------------------------------------------------

// The job that has the turn: down the tree, the own jobs of a queue before its children.
JobIndex NextInFairOrder(Cycle& cycle, const std::set<JobIndex>& jobs);
// The best of the nodes with room now, else the best of those with room later.
NodeIndex FreePlace(const Cycle& cycle, TaskIndex task, const std::vector<NodeIndex>& nodes);
// The best of those with room now.
NodeIndex IdlePlace(const Cycle& cycle, TaskIndex task, const std::vector<NodeIndex>& nodes);
// As the options of that action say.
void FillFree(Cycle& cycle, const std::string& action);

// --- fair_promise.cc -----------------------------------------------------------------------------

// Puts the gang into the world, and says whether it is whole.
using FairWay = std::function<bool(Statement&)>;
// Promises the job a start if it may have a promise and finds places at any time.
void PromiseStart(Cycle& cycle, JobIndex job, const FairWay& place);
// The jobs that had a promise and wait; they have none now.
std::vector<JobIndex> TakePromisesBack(Cycle& cycle);
// Returns the job among these that has waited too long and is promised a start before all turns.
JobIndex OldestToPromise(const Cycle& cycle, const std::set<JobIndex>& jobs);
// Its own, or that of its job.
std::optional<Lifetime> KnownLifetime(const Cycle& cycle, TaskIndex task);
bool LeavesRoom(const Cycle& cycle, TaskIndex task, NodeIndex node);
bool BoundByPromise(const Cycle& cycle, JobIndex job);
// Whether a promise that binds the job is of that node.
bool KeptFromJob(const Cycle& cycle, JobIndex job, NodeIndex node);

// --- fair_pack.cc --------------------------------------------------------------------------------

// Whether the job has to be in a part of the cluster.
bool MustBeTogether(const Cycle& cycle, JobIndex job);
// The sets of nodes that the job may be in, in the order in which they are tried; `waiting`: its
// tasks that are left, those with promises first.
std::vector<std::vector<NodeIndex>> WithinReach(const Cycle& cycle, JobIndex job,
                                                const std::vector<TaskIndex>& waiting);
struct FoundPlace {
  TaskIndex task;
  NodeIndex node;
  bool waits;  // it is to be nominated, whatever is free
};
// Places for all that the gang lacks among the nodes, in the order in which they are to be taken;
// empty: none found in so many tries.
std::vector<FoundPlace> PackWhole(const Cycle& cycle, JobIndex job,
                                  const std::vector<TaskIndex>& tasks,
                                  const std::vector<NodeIndex>& nodes, int64_t most_tries);

// --- fair_elastic.cc -----------------------------------------------------------------------------

void RunFairShrink(Cycle& cycle);
void RunFairGrow(Cycle& cycle);

// --- the tables ----------------------------------------------------------------------------------

PolicyTwins FairPolicies();
ActionTwins FairActions();

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_MUSTER_FAIR_H_
