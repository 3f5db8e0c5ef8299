// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Asks the policies of a profile, tier by tier, and combines their answers.
//
// Three points differ between peers (Rules). The others have one rule in every profile, written out in the method of the
// point: in orders the first policy that cares decides, and behind all of them stands a total one (creation time, rank
// of the uid, index); where many may object (Allocatable, Preemptive, Valid, Ready) one no suffices; where one may stop a
// queue (Overused) one yes; Starving is what all say up to the first tier in which anybody answers; scores are added.
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
#include "lib/extension/cycle.h"
#include "muster/types.h"

namespace muster {

// Of jobs that are pipelined or admitted.
enum class VoteRule : uint8_t {
  kVote,  // a reject ends it; a permit ends it after its tier; all abstain: yes
  kAll,   // one reject suffices
};

// Of victims: what becomes of the answers.
enum class VictimRule : uint8_t {
  // The intersection of a tier's answers. An empty answer empties the tier and leaves it. The next
  // policy forgets an empty intersection. The first tier with victims decides.
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
};

struct ActivePolicy {
  std::unique_ptr<Policy> policy;
  PointSet points;  // what it answers, less what the profile switched off
};

// A policy with its interfaces and traits at hand. An interface is null if the policy does not implement it.
struct PolicyEntry {
  Policy* policy = nullptr;
  OrderPolicy* order = nullptr;
  GatePolicy* gate = nullptr;
  FitPolicy* fit = nullptr;
  ScorePolicy* score = nullptr;
  VictimPolicy* victims = nullptr;
  DomainPolicy* domains = nullptr;
  Traits traits = {};
};

class Dispatcher {
 public:
  Dispatcher(std::vector<std::vector<ActivePolicy>> tiers, Rules rules);

  void Open(const Cycle& cycle);
  void Recount() const;

  // Whether `a` goes before `b`. Total orders.
  bool JobBefore(JobIndex a, JobIndex b) const;
  bool QueueBefore(QueueIndex a, QueueIndex b) const;
  bool TaskBefore(TaskIndex a, TaskIndex b) const;
  // See Policy: to those who order queues.
  void BeginTurns() const;
  void SetInLine(QueueIndex queue, bool in_line) const;
  uint64_t QueueOrderEpoch() const;
  // Whether a task of the queue or job of `evictor` takes `a` before `b`. No strict orders: of equal ones each goes
  // before the other. (`evictor` kNone: for nobody; queues do not matter then.)
  bool VictimQueueBefore(QueueIndex a, QueueIndex b, QueueIndex evictor) const;
  bool VictimBefore(TaskIndex a, TaskIndex b, TaskIndex evictor) const;
  bool TaskOrderMoves() const;
  // The policies' comparison alone, without fallback.
  int CompareJobs(JobIndex a, JobIndex b) const;
  int CompareQueues(QueueIndex a, QueueIndex b) const;

  // Refuses if a policy finds the queue overused.
  Verdict MayTakeTurn(QueueIndex queue) const;
  Verdict Allocatable(QueueIndex queue, TaskIndex task) const;
  bool AllocatableTrial(QueueIndex queue, TaskIndex task) const;
  Verdict Preemptive(QueueIndex queue, std::span<const int64_t> request) const;
  bool Valid(JobIndex job) const;
  bool Ready(JobIndex job) const;
  bool Pipelined(JobIndex job) const;
  bool Starving(JobIndex job) const;

  // Of a job without sub-groups these are the questions about the job.
  bool SubGroupReady(const SubGroup& group) const;
  bool SubGroupPipelined(const SubGroup& group) const;
  // Of one job. Total: the sub-group's order, then its place in the job, tasks of none first.
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

  // In the order of `candidates`, but for what an intersection keeps from an earlier answer. (A policy that reclaims in
  // victims' order answers in that one.)
  std::vector<TaskIndex> Preemptable(TaskIndex evictor,
                                     std::span<const TaskIndex> candidates) const;
  std::vector<TaskIndex> Reclaimable(TaskIndex evictor,
                                     std::span<const TaskIndex> candidates) const;
  std::vector<TaskIndex> Evictable(JobIndex evictor, bool from_other_queues,
                                   std::span<const TaskIndex> candidates) const;
  // Whether the answer about the first few candidates is how the answer about more begins, at such a point.
  bool JudgesInOrder(Point point) const;

  // Who is to go for nobody: what the policies of the first tier in which any names somebody name, each task once, in
  // the order of `candidates`.
  std::vector<TaskIndex> Victims(std::span<const TaskIndex> candidates) const;

  // Of policies that see a trial's evictions, or of those that do not.
  bool FitsTrial(ClassIndex c, NodeIndex node, bool seen) const;

  // Policies with fit or score, in tier order; node search asks them itself.
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
  const Tables* tables_ = nullptr;
  const Domains* domains_ = nullptr;
  std::array<std::vector<const PolicyEntry*>, kPointCount> by_point_;
  // Where each tier ends in by_point_[p].
  std::array<std::vector<size_t>, kPointCount> tier_ends_;
};

}  // namespace muster

#endif  // MUSTER_EXTENSION_DISPATCHER_H_
