// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A policy answers questions; it never walks the cluster. This is the list of questions.
//
//   class OldestFirst : public Policy {
//    public:
//     std::string_view name() const override { return "oldest-first"; }
//     PointSet points() const override { return {Point::kJobOrder}; }
//     void Open(const Cycle& cycle) override { tables_ = &cycle.tables; }
//     int CompareJobs(JobIndex a, JobIndex b) override {
//       return Sign(tables_->jobs.spec[a].created - tables_->jobs.spec[b].created);
//     }
//    private:
//     const Tables* tables_ = nullptr;
//   };
//
// A policy overrides the methods of the points it names; the dispatcher (dispatcher.h) asks it only there and
// combines the answers of all policies by the rule of the point. Questions about nodes are batch-shaped and
// come in three scopes, declared per task class, so that the engine knows what it may remember:
//   kKind     the answer is a constant of the node (labels, taints): asked once per node and set of constraints
//   kState    it depends on the node's own books too: asked for columns of states, see state_columns.h
//   kCluster  it depends on what runs elsewhere: asked for all candidate nodes, every time
// An instance is opened again for each cycle of a living cluster and is used by one thread. Answers must depend on
// nothing but the tables, the ledger and the policy's own options.
#ifndef MUSTER_EXTENSION_POLICY_H_
#define MUSTER_EXTENSION_POLICY_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/extension/domains.h"
#include "lib/extension/state_columns.h"
#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"
#include "muster/plan.h"
#include "muster/types.h"

namespace muster {

enum class Point : uint8_t {
  kJobOrder,
  kQueueOrder,
  kTaskOrder,
  kFit,
  kScore,
  kOverused,
  kAllocatable,
  kPreemptive,
  kValid,
  kReady,
  kPipelined,
  kAdmit,
  kStarving,
  kPreemptable,
  kReclaimable,
  kEvictable,
  kVictims,
  kVictimQueueOrder,
  kSubGroupOrder,
  kSubGroupReady,
  kSubGroupPipelined,
  kDomainScore,
  kDomainSearch,
};
inline constexpr int kPointCount = 23;
// "job_order", "preemptable", ... as the option `without` spells them.
std::string_view PointName(Point point);

class PointSet {
 public:
  constexpr PointSet() = default;
  constexpr PointSet(std::initializer_list<Point> points) {
    for (Point p : points) bits_ |= 1u << static_cast<int>(p);
  }
  constexpr bool has(Point p) const { return bits_ >> static_cast<int>(p) & 1; }
  constexpr void remove(Point p) { bits_ &= ~(1u << static_cast<int>(p)); }

 private:
  uint32_t bits_ = 0;
};

enum class Vote : int8_t { kReject = -1, kAbstain = 0, kPermit = 1 };

enum class Scope : uint8_t { kNone, kKind, kState, kCluster };

// Why a policy said no to a question about a job, queue or task.
struct Denial {
  DimensionIndex dimension = kNone;
  bool closed = false;  // the queue is closed
  bool tree = false;    // the queues are no tree that the policy can divide
  // What is exceeded is no limit that was given, but what the queue deserves.
  bool deserved = false;
  // Who refuses, where it is not the task's own queue: one above it, or a binding of the task's namespace.
  QueueIndex queue = kNone;
  std::string_view binding = {};  // its name, as the tables have it
};

// What a policy may read during one cycle.
struct Cycle {
  const Tables& tables;
  const Ledger& ledger;
  int64_t now = 0;
  // Jobs admitted in this cycle or before it: the tables' phase, as admission changed it.
  const std::vector<JobPhase>& phases;
  // All jobs, ascending, that may differ in anything - account, phase, row of the tables - from what they were when the
  // cycle before was opened, or that wait. Null: that is not known.
  const std::vector<JobIndex>* changed = nullptr;
  const Domains* domains = nullptr;  // null: nobody asks about sub-groups or domains
};

// Domains to be tried, the first list before any of the second.
using DomainLists = std::vector<std::vector<uint32_t>>;

// A score that is compared with the same score of the other candidates before it counts: raw numbers of nodes,
// brought to 0..top over the candidates (x top / largest; reversed: top - that), times a weight. With weight 0 it
// counts nothing and only tells kinds of nodes apart, for a policy that answers about states by a node in each.
struct KindScore {
  double weight = 0;
  bool reversed = false;
  int64_t top = 100;
};

struct NodeRefusal {
  RefusalCode code;
  std::string detail;
};

inline int Sign(int64_t x) { return (x > 0) - (x < 0); }

class Policy {
 public:
  virtual ~Policy() = default;
  virtual std::string_view name() const = 0;
  virtual PointSet points() const = 0;
  // Called once, before any question. Policies are opened in the order of their tiers.
  virtual void Open(const Cycle& cycle) {}
  // Within a cycle, between two attempts: evictions changed what the queues ask for. What Open found out from that
  // is to be found out again.
  virtual void Recount() {}

  // --- order: negative when `a` goes first, positive when `b` does, 0 when this policy does not care
  virtual int CompareJobs(JobIndex a, JobIndex b) { return 0; }
  virtual int CompareQueues(QueueIndex a, QueueIndex b) { return 0; }
  // Of two queues: from which one the queue `evictor` takes first. 0: from the one that goes last in queue order.
  virtual int CompareVictimQueues(QueueIndex a, QueueIndex b, QueueIndex evictor) { return 0; }
  virtual int CompareTasks(TaskIndex a, TaskIndex b) { return 0; }
  // Whether placements change how tasks compare, so that they are ordered one by one, as late as can be.
  virtual bool TaskOrderMoves() const { return false; }

  // --- gates
  virtual bool Overused(QueueIndex queue) { return false; }
  // May `queue` take `task` on free, or `request` on reclaimed resources?
  virtual bool Allocatable(QueueIndex queue, TaskIndex task, Denial* denial) { return true; }
  virtual bool Preemptive(QueueIndex queue, std::span<const int64_t> request, Denial* denial) {
    return true;
  }
  // As Allocatable, with trial evictions in the books.
  virtual bool AllocatableTrial(QueueIndex queue, TaskIndex task) {
    Denial ignored;
    return Allocatable(queue, task, &ignored);
  }
  virtual bool Valid(JobIndex job) { return true; }
  virtual bool Ready(JobIndex job) { return true; }
  virtual bool Starving(JobIndex job) { return true; }
  virtual Vote Pipelined(JobIndex job) { return Vote::kAbstain; }
  virtual Vote Admit(JobIndex job, Denial* denial) { return Vote::kAbstain; }
  virtual void Admitted(JobIndex job) {}  // every policy with kAdmit hears of each admission

  // --- victims: those of `candidates` (kept in their order) that may go for `evictor`. An abstaining policy is
  // as if it had not been asked.
  virtual Vote Preemptable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                           std::vector<TaskIndex>* chosen) {
    return Vote::kAbstain;
  }
  virtual Vote Reclaimable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                           std::vector<TaskIndex>* chosen) {
    return Vote::kAbstain;
  }
  // Whether Reclaimable is to be given the candidates in the order in which they would go.
  virtual bool ReclaimsInVictimOrder() const { return false; }
  // Whether candidates are judged by themselves and those before them, so that the answer about the first few is how the
  // answer about more begins. (And it abstains always, or never.)
  virtual bool JudgesInOrder() const { return false; }
  // Of whole gangs, for a whole job: of its own queue, or of other queues.
  virtual Vote Evictable(JobIndex evictor, bool from_other_queues,
                         std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen) {
    return Vote::kAbstain;
  }
  // Those of `candidates`, running tasks, that are to go for their own sake: no task waits for their place.
  virtual void Victims(std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen) {}

  // --- fit: may the class run on the node, its request aside (the engine compares that itself)? Classes that
  // differ in their request alone are of equal constraints: FitsKind and RawKindScore must not look at it.
  virtual Scope FitScope(ClassIndex c) { return Scope::kNone; }
  // kKind. Asked once per node for all classes of equal constraints. True: fits.
  virtual bool FitsKind(ClassIndex c, NodeIndex node, NodeRefusal* refusal) { return true; }
  // kState, in addition: clears fits[i] for the states begin <= i < end that refuse (for StateRefusal).
  virtual void FitStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                         uint8_t* fits) {}
  virtual RefusalCode StateRefusal() const { return RefusalCode::kPolicy; }
  virtual std::string StateRefusalDetail() const { return {}; }
  // kCluster, in addition: clears `fits[i]` where nodes[i] refuses; `codes[i]` says why. `hard` tells whether
  // evicting tasks on the node cannot change the answer. Entries already false are not touched.
  virtual void FitNodes(ClassIndex c, std::span<const NodeIndex> nodes, std::span<uint8_t> fits,
                        std::span<RefusalCode> codes, std::span<uint8_t> hard) {}
  // Of a node that FitNodes refuses, in words; empty: the code says it all.
  virtual std::string NodeRefusalDetail(ClassIndex c, NodeIndex node) { return {}; }

  // --- parts: what a task takes of its node beside its request (devices), out of what is free now or, `later`, once what
  // is being released has gone. Asked at kFit of classes that want some, wherever requests are compared with free amounts,
  // and only there: as with requests, evictions can cure it.
  virtual bool WantsParts(ClassIndex c) { return false; }
  // Clears fits[i] for the states begin <= i < end that lack them.
  virtual void FitParts(ClassIndex c, bool later, const StateColumns& states, size_t begin,
                        size_t end, uint8_t* fits) {}
  virtual bool HasParts(ClassIndex c, bool later, NodeIndex node) { return true; }
  // Of a node that lacks them, now and later.
  virtual NodeRefusal PartsRefusal(ClassIndex c, NodeIndex node) {
    return {RefusalCode::kPolicy, {}};
  }

  // --- trial evictions, which ask less: may the class run on the node as the books are? All other rules are not
  // asked again.
  virtual bool FitsTrial(ClassIndex c, NodeIndex node) { return true; }
  // Whether FitsTrial is to be asked with the trial's evictions in the books. False: as they were before.
  virtual bool SeesTrials() const { return true; }

  // --- score: higher is better; contributions of all policies are added. Raw scores of kinds are asked for all classes
  // whose scope is not kNone; kState and kCluster add to them. Who has any says kNone, or not, to all classes of equal
  // constraints alike.
  virtual Scope ScoreScope(ClassIndex c) { return Scope::kNone; }
  // kKind: the raw scores this policy has (the same list for every class), and one of them for a node.
  virtual std::vector<KindScore> KindScores() const { return {}; }
  virtual int64_t RawKindScore(size_t which, ClassIndex c, NodeIndex node) { return 0; }
  // kState: adds to order[i] and batch[i] for the states begin <= i < end. (Two sums, because a peer adds them
  // up apart and floating-point sums depend on order: total = order + batch.)
  virtual void ScoreStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                           double* order, double* batch) {}
  // Whether FitStates or ScoreStates look at what is free (StateColumns::kFree). Where no policy does, the columns that
  // they get are mostly without.
  virtual bool ReadsFree() const { return true; }
  // kCluster: adds to order[i] and batch[i] for candidate nodes[i], all of which fit the task. The one question about
  // nodes whose answer may tell the tasks of a class apart.
  virtual void ScoreNodes(TaskIndex task, std::span<const NodeIndex> nodes, std::span<double> order,
                          std::span<double> batch) {}

  // Nodes of a lower rank are taken before others whatever these score, and only scores of one rank are compared. Asked
  // in each cycle of the first policy that ranks nodes, if any does.
  virtual bool RanksNodes() const { return false; }
  virtual uint8_t RankOf(NodeIndex node) const { return 0; }

  // How many nodes that fit are enough, of a list of so many. Asked of the first policy that samples nodes, if any does:
  // then searches go through the list in rounds and end when they have found that many.
  virtual bool SamplesNodes() const { return false; }
  virtual size_t NodesToFind(size_t nodes) const { return nodes; }

  // Whether what this policy says of kinds may be another than in the cycle before: asked after Open.
  virtual bool KindsChanged() const { return false; }

  // Whether the answers about states differ between nodes of equal kind and books, and hold for one cycle only (a
  // policy from outside says what it likes about each node). The engine then keeps every node in a state of its
  // own, which StateColumns::node names, and asks afresh in each cycle. Such a fit does not change within the cycle,
  // so no eviction cures it.
  virtual bool TellsNodesApart() const { return false; }

  // --- sub-groups: as of jobs, where jobs have them
  virtual int CompareSubGroups(const SubGroup& a, const SubGroup& b) { return 0; }
  virtual bool SubGroupReady(const SubGroup& group) { return true; }
  virtual Vote SubGroupPipelined(const SubGroup& group) { return Vote::kAbstain; }

  // --- domains. The first policy that searches says which ones within `within` may take the job, or the sub-group;
  // `evicting`: once others have made room. `allocated` is where it already is (kNone: nowhere).
  virtual DomainLists DomainsForJob(JobIndex job, uint32_t within, uint32_t allocated,
                                    bool evicting) {
    return {{within}};
  }
  virtual DomainLists DomainsForGroup(const SubGroup& group, uint32_t within, uint32_t allocated,
                                      bool evicting) {
    return {{within}};
  }
  // Whether the search for a sub-group that is nowhere yet offers `leaf`, a domain without children, within itself.
  virtual bool OffersLeaf(const SubGroup& group, uint32_t leaf) { return true; }
  // Adds to scores[i] for domains[i], all of which can take the sub-group.
  virtual void ScoreDomains(const SubGroup& group, std::span<const uint32_t> domains,
                            std::span<double> scores) {}
  // Whether ScoreNodes says the same of all nodes right below one domain, so that tasks do not find the domain's nodes
  // in another order for it.
  virtual bool ScoresByDomain() const { return false; }

  // --- shares, for the plan: deserved amounts and the share of a queue; false: this policy has none
  virtual bool QueueShareOf(QueueIndex queue, std::vector<double>* deserved, double* share) {
    return false;
  }

  // --- turns, of policies that order queues
  // Where queues take turns along their tree: a round begins, with nobody in line; then a queue has jobs in line, its
  // own or those of queues below it, or no longer. Before the next comparison.
  virtual void BeginTurns() {}
  virtual void SetInLine(QueueIndex queue, bool in_line) {}
  // A number that changes when more queues may have changed places than those that changed themselves and those above.
  virtual uint64_t QueueOrderEpoch() { return 0; }
};

}  // namespace muster

#endif  // MUSTER_EXTENSION_POLICY_H_
