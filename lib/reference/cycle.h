// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One cycle of the slow twin: the world, what each policy keeps of its own, and the questions
// actions ask.
//
// A question is asked of the policies tier by tier; how their answers combine is written out in the
// function that asks it. order.cc, gang.cc, shares.cc, filters.cc, scores.cc and victims.cc answer
// by topic.
#ifndef MUSTER_REFERENCE_CYCLE_H_
#define MUSTER_REFERENCE_CYCLE_H_

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/go_heap.h"
#include "lib/reference/amount.h"
#include "lib/reference/reference.h"
#include "lib/reference/rules.h"
#include "lib/reference/world.h"
#include "muster/plan.h"

namespace muster::reference {

// What proportion knows of a queue. Only queues with a job are known.
struct QueueBook {
  bool known = false;
  Amount deserved, request, elastic, inqueue, guarantee, real_capability;
};

// The tasks of a job that are in its sub-group of that number; kNone: in none.
struct Part {
  JobIndex job;
  SubGroupIndex number;
  auto operator<=>(const Part&) const = default;
};

struct Cycle {
  const ReferenceProfile* profile = nullptr;
  int64_t now = 0;
  Rules rules;
  const PolicyTwins* policies = nullptr;  // of all schedulers
  Keepsakes kept;
  World world;
  Amount total;                   // allocatable of all nodes of the session
  std::vector<double> tolerance;  // per dimension; empty: the rules have none
  std::vector<QueueBook> queues;
  // Tasks that found no node, with the nodes where no eviction would help.
  std::map<TaskIndex, std::set<NodeIndex>> fit_errors;
  std::vector<Decision> decisions;
  std::vector<Resize> resizes;  // those among the decisions
  int64_t work = 0;
  mutable size_t next_node = 0;  // sampling: where the next search begins

  const Tables& tables() const { return *world.tables; }
};

Cycle OpenCycle(const Tables& tables, const ReferenceProfile& profile, const Rules& rules,
                const PolicyTwins& policies, int64_t now);
// Phases, tentative placements and shares at the end.
PlanData CloseCycle(Cycle& cycle, const std::vector<Row>& allocated_before,
                    const std::vector<double>& share_before);

// --- policies ------------------------------------------------------------------------------------

using PolicyTier = std::vector<const ReferencePolicy*>;
std::vector<PolicyTier> TiersAt(const Cycle& cycle,
                                std::string_view point);            // empty tiers included
PolicyTier PoliciesAt(const Cycle& cycle, std::string_view point);  // all tiers, in order
const ReferencePolicy* FindPolicy(const Cycle& cycle, std::string_view name);
// The answers of a policy that belongs to one scheduler; none: all members are null.
const PolicyTwin& TwinOf(const Cycle& cycle, const ReferencePolicy& policy);
double NumberOption(const ReferencePolicy& policy, const std::string& key, double otherwise);
std::string TextOption(const ReferencePolicy& policy, const std::string& key,
                       const std::string& otherwise);
bool SwitchOption(const std::map<std::string, std::string>& options, const std::string& key,
                  bool otherwise);
bool ActionSwitch(const Cycle& cycle, const std::string& action, const std::string& key,
                  bool otherwise);
double ActionNumber(const Cycle& cycle, const std::string& action, const std::string& key,
                    double otherwise);
bool HasAction(const Cycle& cycle, std::string_view action);

// --- statements ----------------------------------------------------------------------------------

struct Operation {
  enum Kind { kEvict, kPipeline, kAllocate } kind;
  TaskIndex task;
  NodeIndex node;
  TaskIndex beneficiary = kNone;
  bool after_eviction = false;
};
using Statement = std::vector<Operation>;

// Applies the operation and notes it.
void DoEvict(Cycle& cycle, Statement& statement, TaskIndex task, TaskIndex beneficiary);
void DoPipeline(Cycle& cycle, Statement& statement, TaskIndex task, NodeIndex node,
                bool after_eviction);
void DoAllocate(Cycle& cycle, Statement& statement, TaskIndex task, NodeIndex node);
void Commit(Cycle& cycle, Statement& statement);   // operations become decisions
void Discard(Cycle& cycle, Statement& statement);  // newest first
// Outside any statement: places the task and, once its job is ready, binds all that is placed of
// the job.
void AllocateNow(Cycle& cycle, TaskIndex task, NodeIndex node);

// --- order.cc ------------------------------------------------------------------------------------

int CompareJobs(const Cycle& cycle, JobIndex l,
                JobIndex r);  // by the policies alone; 0: they do not care
bool JobLess(const Cycle& cycle, JobIndex l, JobIndex r);
bool QueueLess(const Cycle& cycle, QueueIndex l, QueueIndex r);
bool TaskLess(const Cycle& cycle, TaskIndex l, TaskIndex r);

// Binary heaps as the schedulers have them: compared when touched, never sorted again.
template <class Id>
using Heap = GoHeap<Id, std::function<bool(const Id&, const Id&)>>;
Heap<JobIndex> JobHeap(const Cycle& cycle);
Heap<QueueIndex> QueueHeap(const Cycle& cycle);
Heap<TaskIndex> TaskHeap(const Cycle& cycle);
// The pending tasks of the job that have no gate, in task order.
std::vector<TaskIndex> TasksToPlace(const Cycle& cycle, JobIndex job);
bool VictimQueueLess(const Cycle& cycle, QueueIndex l, QueueIndex r, QueueIndex evictor);
Heap<TaskIndex> VictimHeap(const Cycle& cycle, TaskIndex evictor);  // the next one to evict first

// --- gang.cc -------------------------------------------------------------------------------------

int64_t CountReady(const World& world, JobIndex job);    // allocated or succeeded
int64_t CountWaiting(const World& world, JobIndex job);  // nominated
bool GangReady(const Cycle& cycle, JobIndex job);        // the plain counter, no roles
bool JobValid(const Cycle& cycle, JobIndex job);
bool JobReady(const Cycle& cycle, JobIndex job);
bool JobPipelined(const Cycle& cycle, JobIndex job);
bool JobStarving(const Cycle& cycle, JobIndex job);
// After a task of the job found no node: whether it makes sense to try the others.
bool NeedContinueAllocating(const Cycle& cycle, const Part& part);
bool RoleHasFitErrors(const Cycle& cycle, TaskIndex task);

// Parts of a job: the tasks of a sub-group by its number, kNone for the tasks of none.
bool CanPick(const Cycle& cycle, JobIndex job);  // the job has sub-groups
std::vector<TaskIndex> TasksOf(const Cycle& cycle, const Part& part);
std::vector<Part> PartsOf(const Cycle& cycle, JobIndex job);  // that have tasks
int64_t PartMinimum(const Cycle& cycle, const Part& part);
bool PartReady(const Cycle& cycle, const Part& part);
bool PartPipelined(const Cycle& cycle, const Part& part);
bool PartLess(const Cycle& cycle, const Part& l, const Part& r);
// Whether of each policy's sub-groups enough are there, ready, or ready and waiting.
enum class Counted { kThere, kReady, kWaiting };
bool EnoughParts(const Cycle& cycle, JobIndex job, Counted counted);

// --- elastic.cc ----------------------------------------------------------------------------------

bool IsElastic(const Cycle& cycle, JobIndex job);
// The tasks that hold a node, of a group of the job; kNone: of all groups.
int64_t PlacedOf(const Cycle& cycle, JobIndex job, GroupIndex group);
// As TasksToPlace, also those beyond the gang of an elastic job.
std::vector<TaskIndex> AllTasksToPlace(const Cycle& cycle, JobIndex job);
// The tasks that the gang lacks, of those given, in their order.
std::vector<TaskIndex> OfTheGang(const Cycle& cycle, JobIndex job,
                                 const std::vector<TaskIndex>& tasks);
void NoteSizes(Cycle& cycle);

// --- shares.cc -----------------------------------------------------------------------------------

void OpenShares(Cycle& cycle);
// A row as shares measure it: pods are left out where they are not a resource.
Amount Measure(const Cycle& cycle, std::span<const int64_t> row);
Amount MeasureBooks(const Cycle& cycle, const Row& row);
double DrfShare(const Cycle& cycle, const Row& allocated);
double QueueShareNow(const Cycle& cycle, QueueIndex queue);
// Below 0: l goes first, by drf's tree of shares when the jobs hold what is given. (share_tree.cc)
double CompareOnShareTree(const Cycle& cycle, const std::vector<Row>& held, QueueIndex l,
                          QueueIndex r);
bool Overused(const Cycle& cycle, QueueIndex queue);
bool Allocatable(const Cycle& cycle, QueueIndex queue, TaskIndex task);
bool AllocatableOnTrial(const Cycle& cycle, QueueIndex queue, TaskIndex task);
bool Preemptive(const Cycle& cycle, QueueIndex queue, TaskIndex task);
// The same for several tasks at once.
bool AllPreemptive(const Cycle& cycle, QueueIndex queue, const std::vector<TaskIndex>& tasks);
bool QueueOpen(const Cycle& cycle, QueueIndex queue);
bool HasMinResources(const Cycle& cycle, JobIndex job);
Amount MinResources(const Cycle& cycle, JobIndex job);
// `amount` without the requests of the job's gated tasks, which use nothing until their gate is
// lifted.
Amount WithoutGated(const Cycle& cycle, JobIndex job, Amount amount);
Amount Outstanding(const Cycle& cycle, JobIndex job);  // what the job lacks of its minimum
bool RunsWithItsMinimum(const Cycle& cycle, JobIndex job);
bool Admitted(const Cycle& cycle, JobIndex job);  // with a minimum
// What of the job's minimum was promised to it: admitted, or running with its gang, and not held
// yet.
Amount PromisedTo(const Cycle& cycle, JobIndex job);
// What the job holds beyond its minimum.
Amount ElasticOf(const Cycle& cycle, JobIndex job);
bool JobEnqueueable(const Cycle& cycle, JobIndex job);
void JobEnqueued(Cycle& cycle, JobIndex job);

// --- filters.cc ----------------------------------------------------------------------------------

struct FilterState;  // what affinity and spread know of the whole cluster, for one task
struct Verdict {
  std::optional<Refusal> refusal;  // the first rule that failed
  bool unresolvable = false;       // some rule failed that no eviction cures
};
FilterState PrepareFilters(const Cycle& cycle, TaskIndex task);
// The predicates alone, without resources.
Verdict Judge(const Cycle& cycle, const FilterState& state, TaskIndex task, NodeIndex node);
Verdict Judge(const Cycle& cycle, TaskIndex task, NodeIndex node);
// Whether the node takes the task while victims are evicted on trial: affinity alone is asked, in
// the `trial`, or `before` it where the policy does not see what is tried.
bool TrialAccepts(const Cycle& before, const Cycle& trial, TaskIndex task, NodeIndex node);
std::optional<Refusal> FirstRefusal(const Cycle& cycle, TaskIndex task, NodeIndex node);
// As Fits and FitsLater, but a dimension that the request does not name, or names with 0, does not
// count.
bool HasRoom(const World& world, TaskIndex task, NodeIndex node, const Row& row);
bool HasRoomNow(const World& world, TaskIndex task, NodeIndex node);
bool HasRoomLater(const World& world, TaskIndex task, NodeIndex node);
// Whether the task's initial request is within `row`; the dimensions looked at are those the peer
// looks at.
bool Fits(const World& world, TaskIndex task, NodeIndex node, const Row& row);
// The request and the devices, once what is being released has gone.
bool FitsLater(const World& world, TaskIndex task, NodeIndex node);
// The first dimension that is short, kNone: none.
DimensionIndex ShortDimension(const World& world, TaskIndex task, NodeIndex node, const Row& row);

bool FitsIdle(const Cycle& cycle, TaskIndex task, NodeIndex node);
bool FitsReleasing(const Cycle& cycle, TaskIndex task, NodeIndex node);  // that alone

// Refusals once given to one role and node are given again without looking, while this lives.
struct ErrorCache {
  bool enabled = true;
  std::map<std::pair<JobIndex, GroupIndex>, std::map<NodeIndex, bool>> refused;  // -> unresolvable
};
enum class Search {
  kAllocate,  // must fit what is or will be idle, and pass all predicates
  kBackfill,  // must pass all predicates
  kPreempt,   // must pass those predicates that an eviction cannot cure
  kGang,      // as kPreempt, and must fit what will be idle
};
struct Found {
  std::vector<NodeIndex> nodes;      // that accept the task
  std::set<NodeIndex> unresolvable;  // that refuse it whatever is evicted
};
Found FindNodes(const Cycle& cycle, TaskIndex task, const std::vector<NodeIndex>& nodes,
                Search search, ErrorCache& cache);
// The parts of the nodes that are tried one after the other; all of them if no policy parts them.
std::vector<std::vector<NodeIndex>> Divided(const Cycle& cycle,
                                            const std::vector<NodeIndex>& nodes);
// All nodes except those that allocate found to be beyond help for this task.
std::vector<NodeIndex> CurableNodes(const Cycle& cycle, TaskIndex task);

// --- scores.cc -----------------------------------------------------------------------------------

// One score a node, normalised over `nodes`.
std::vector<double> Scores(const Cycle& cycle, TaskIndex task, const std::vector<NodeIndex>& nodes);
NodeIndex BestNode(const Cycle& cycle, TaskIndex task, const std::vector<NodeIndex>& nodes);

// --- zone_rules.cc -------------------------------------------------------------------------------

std::optional<Refusal> ZoneRefusal(const Cycle& cycle, const ReferencePolicy& policy,
                                   TaskIndex task, NodeIndex node);
double ZoneScore(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task, NodeIndex node);

// --- victims.cc ----------------------------------------------------------------------------------

std::vector<TaskIndex> Preemptable(const Cycle& cycle, TaskIndex preemptor,
                                   const std::vector<TaskIndex>& candidates);
std::vector<TaskIndex> Reclaimable(const Cycle& cycle, TaskIndex reclaimer,
                                   const std::vector<TaskIndex>& candidates);
std::vector<TaskIndex> AskPdb(const Cycle& cycle, const ReferencePolicy& policy,
                              const std::vector<TaskIndex>& candidates);
// For a whole job, of its own queue or of others.
std::vector<TaskIndex> Evictable(const Cycle& cycle, JobIndex evictor, bool from_other_queues,
                                 const std::vector<TaskIndex>& candidates);
// Whether the victims free enough on the node.
bool ValidVictims(const Cycle& cycle, TaskIndex task, NodeIndex node,
                  const std::vector<TaskIndex>& victims);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_CYCLE_H_
