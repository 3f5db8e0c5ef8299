// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Asks the policies of a profile, tier by tier, and combines their answers.
//
// Three points differ between peers (Rules). The others have one rule in every profile, written out
// in the method of the point:
// - Orders: the first policy that distinguishes two rows decides. Behind all of them stands a total
//   order: creation time, rank of the uid, index.
// - Allocatable, Preemptive, Valid, Ready: one no suffices.
// - Overused: one yes suffices.
// - Starving: all policies of the first tier that has any at the point must agree.
// - Scores are added.
//
//   Dispatcher dispatcher(std::move(tiers), config.rules);
//   dispatcher.Open(Cycle(&data));
//   const Verdict verdict = dispatcher.Allocatable(queue, task);
//   if (!verdict.ok()) ...   // verdict.policy refuses, for verdict.cause
#ifndef MUSTER_EXTENSION_DISPATCHER_H_
#define MUSTER_EXTENSION_DISPATCHER_H_

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "lib/extension/cycle.h"
#include "lib/extension/gate_ahead.h"
#include "lib/extension/ties.h"
#include "muster/types.h"

namespace muster {

// Of jobs that are pipelined or admitted.
enum class VoteRule : uint8_t {
  kVote,  // a reject ends it; a permit ends it after its tier; all abstain: yes
  kAll,   // one reject suffices
};

// Of victims: what becomes of the answers.
enum class VictimRule : uint8_t {
  // The intersection of a tier's answers. An empty answer empties the tier and ends it. The next
  // policy replaces an empty intersection. The first tier with victims decides.
  kRestarting,
  // The first policy of all tiers begins, every later one intersects, and the scan ends after the
  // first tier that leaves any.
  kSticky,
  // All policies that answer, in whatever tier, must agree.
  kStrict,
};

struct Rules {
  VoteRule pipelined = VoteRule::kVote;
  VoteRule admit = VoteRule::kVote;
  VictimRule victims = VictimRule::kRestarting;
  bool tasks_by_ordinal = true;  // before their time of creation
  TieRules ties = {};
};

struct ActivePolicy {
  std::unique_ptr<Policy> policy;
  PointSet points;   // those at which it answers, except what the profile switched off
  bool own = false;  // it is the caller's, and not of the library
};

// A policy with its interfaces and traits. An interface is null if the policy does not implement
// it.
struct PolicyEntry {
  Policy* policy = nullptr;
  OrderPolicy* order = nullptr;
  GatePolicy* gate = nullptr;
  GateAhead* ahead = nullptr;
  FitPolicy* fit = nullptr;
  ScorePolicy* score = nullptr;
  VictimPolicy* victims = nullptr;
  DomainPolicy* domains = nullptr;
  Traits traits = {};
  bool own = false;  // as ActivePolicy::own
};

// Refuses a policy of the caller that would not be asked at a point that it lists. Null is refused,
// too.
absl::Status CheckPolicy(std::string_view name, Policy* policy);

class Dispatcher {
 public:
  Dispatcher(std::vector<std::vector<ActivePolicy>> tiers, Rules rules);

  void Open(const Cycle& cycle);
  void Recount() const;

  // Return whether `a` goes before `b`. Total orders.
  bool JobBefore(JobIndex a, JobIndex b) const;
  bool QueueBefore(QueueIndex a, QueueIndex b) const;
  bool TaskBefore(TaskIndex a, TaskIndex b) const;
  // Returns whether some policy orders queues by their turns. Then QueueTurnBefore stands for
  // QueueBefore where queues take turns, and OpeningOf returns what the queue held when the cycle
  // began.
  bool OrdersByTurn() const { return !opening_.empty(); }
  bool QueueTurnBefore(const QueueTurn& a, const QueueTurn& b) const;
  std::span<const int64_t> OpeningOf(QueueIndex queue) const;
  // For rules of ties. Note that the job takes a turn, and with it its queue and those above it;
  // and that a task is placed on the node.
  void NoteTurn(JobIndex job) const;
  void NoteNode(NodeIndex node) const { node_ties_.Use(node); }
  // Returns whether a turn in which nothing happens may change an order.
  bool NotesTurns() const { return OrdersByTurn() || job_ties_.recent() || queue_ties_.recent(); }
  const TieRanks& node_ties() const { return node_ties_; }
  // Call the methods of OrderPolicy of the same name on policies that order queues.
  void BeginTurns() const;
  void SetInLine(QueueIndex queue, bool in_line) const;
  uint64_t QueueOrderEpoch() const;
  // Return whether `a` is evicted before `b` for `evictor`: the queue or task that gets the room.
  // kNone: for no task; queues do not matter then. Not a strict order: for equal a and b, both
  // calls return true.
  bool VictimQueueBefore(QueueIndex a, QueueIndex b, QueueIndex evictor) const;
  bool VictimBefore(TaskIndex a, TaskIndex b, TaskIndex evictor) const;
  bool TaskOrderMoves() const;
  // Return the policies' comparison alone, without the total order behind it.
  int CompareJobs(JobIndex a, JobIndex b) const;
  int CompareQueues(QueueIndex a, QueueIndex b) const;

  // Refuses if a policy finds the queue overused.
  Verdict MayTakeTurn(QueueIndex queue) const;
  Verdict Allocatable(QueueIndex queue, TaskIndex task) const;
  bool AllocatableTrial(QueueIndex queue, TaskIndex task) const;
  Verdict Preemptive(QueueIndex queue, std::span<const int64_t> request) const;
  bool Valid(JobIndex job) const;
  bool Ready(JobIndex job) const;
  // Return what all gates together can tell about placements to come; see GateAhead.
  int64_t UnreadyAfter(JobIndex job) const;
  bool AllocatableAll(QueueIndex queue, std::span<const TaskIndex> tasks) const;
  bool Pipelined(JobIndex job) const;
  bool Starving(JobIndex job) const;

  // Return Ready and Pipelined of the job if it has no sub-groups.
  bool SubGroupReady(const SubGroup& group) const;
  bool SubGroupPipelined(const SubGroup& group) const;
  // Returns whether `a` goes before `b`, of one job. A total order: behind the policies the
  // sub-group's order, then its place in the job, tasks of none first.
  bool SubGroupBefore(const SubGroup& a, const SubGroup& b) const;
  DomainLists DomainsForJob(JobIndex job, DomainIndex within, DomainIndex allocated,
                            bool evicting) const;
  DomainLists DomainsForGroup(const SubGroup& group, DomainIndex within, DomainIndex allocated,
                              bool evicting) const;
  bool OffersLeaf(const SubGroup& group, DomainIndex leaf) const;
  void ScoreDomains(const SubGroup& group, std::span<const DomainIndex> domains,
                    std::span<double> scores) const;
  Verdict Admit(JobIndex job) const;
  void Admitted(JobIndex job) const;

  // Return the candidates that may be evicted, in the order of `candidates`. An intersection keeps
  // the order of the earlier answer, and a policy with Traits::reclaims_in_victim_order answers in
  // the order of eviction.
  std::vector<TaskIndex> Preemptable(TaskIndex evictor,
                                     std::span<const TaskIndex> candidates) const;
  std::vector<TaskIndex> Reclaimable(TaskIndex evictor,
                                     std::span<const TaskIndex> candidates) const;
  std::vector<TaskIndex> Evictable(JobIndex evictor, bool from_other_queues,
                                   std::span<const TaskIndex> candidates) const;
  // Returns whether, at the point, the answer about the first few candidates is how the answer
  // about more begins.
  bool JudgesInOrder(Point point) const;
  // Returns whether a policy to which candidates are alike (Traits::judges_alike) refuses this one
  // by itself. `scratch` saves an allocation for each call.
  bool RefusesAlike(Point point, TaskIndex evictor, TaskIndex candidate,
                    std::vector<TaskIndex>* scratch) const;

  // Returns the tasks that are to be evicted for no task: those that policies of the first tier
  // with an answer list, each once, in the order of `candidates`.
  std::vector<TaskIndex> Victims(std::span<const TaskIndex> candidates) const;

  // Asks the policies that see a trial's evictions (Traits::sees_trials), or those that do not.
  bool FitsTrial(ClassIndex c, NodeIndex node, bool seen) const;

  // Returns the policies of the point in tier order. Node search calls those of kFit and kScore.
  std::span<const PolicyEntry* const> at(Point point) const {
    return by_point_[static_cast<int>(point)];
  }

 private:
  std::vector<TaskIndex> InVictimOrder(TaskIndex evictor,
                                       std::span<const TaskIndex> candidates) const;
  using AskGate = absl::FunctionRef<Verdict(const PolicyEntry&)>;
  Verdict VoteOn(Point point, VoteRule rule, AskGate ask) const;
  using AskVictims = absl::FunctionRef<Vote(
      const PolicyEntry&, std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen)>;
  std::vector<TaskIndex> Chosen(Point point, std::span<const TaskIndex> candidates,
                                AskVictims ask) const;
  std::vector<TaskIndex> Agreed(Point point, std::span<const TaskIndex> candidates,
                                AskVictims ask) const;

  std::vector<std::vector<ActivePolicy>> tiers_;
  std::vector<PolicyEntry> entries_;  // in the order of the tiers
  Rules rules_;
  // Behind all policies: returns whether `a` goes first.
  bool OlderQueue(QueueIndex a, QueueIndex b) const;

  mutable TieRanks queue_ties_, job_ties_, node_ties_;
  std::vector<int64_t> opening_;  // of all queues, per dimension; empty: no order depends on turns
  const Tables* tables_ = nullptr;
  const Domains* domains_ = nullptr;
  std::array<std::vector<const PolicyEntry*>, kPointCount> by_point_;
  // Where each tier ends in by_point_[p].
  std::array<std::vector<size_t>, kPointCount> tier_ends_;
};

}  // namespace muster

#endif  // MUSTER_EXTENSION_DISPATCHER_H_
