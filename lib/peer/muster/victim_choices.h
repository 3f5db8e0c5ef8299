// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The victims that must leave a node so that a task fits there, and the nodes ranked by them.
//
//   VictimChoices choices(context, Taking::kFromOtherQueues);
//   if (choices.Take(task, &choice)) ...   // choice.node, choice.units: the victims, not moved yet
//
// A choice on a node. Candidates are the bound and running tasks that may be evicted at all for the
// asker: of other queues that let themselves be reclaimed, or of jobs of lower priority in the same
// queue. No policy may protect them, and none that judges tasks of one queue and class alike
// (Traits::judges_alike) refuses them by themselves. They go in this order: lowest job priority,
// with `by_loss` least work lost, most recently created, largest index. The first rule that makes
// room decides:
// 1. the first candidate that its gang can spare and that suffices alone,
// 2. the candidates that their gangs can spare,
// 3. whole gangs, with all their tasks wherever those run.
// Once the task fits, every victim without which it still fits is given back, last one first, so no
// victim of a choice is needless. If more than one has to go, or this order makes no room, and few
// could go, the cheapest set that suffices goes instead (fair_cheapest.cc).
//
// The best choice has the fewest victims; then those of lowest priority (the highest among them
// counts); with `by_loss` then those that lose the least work together (fair_exchange.h); then the
// youngest (the oldest among them counts); then the node of smallest index.
//
// No task is evicted from a node that is promised to a gang, for a job that the promise binds
// (fair_promise.h).
//
// Ranking. Nodes are ranked at the first call for a kind of asker. A choice is made anew when it
// comes to the front; if it is no longer what it was, it goes back in line. The ranking serves
// equal askers one after the other, until Forget. A choice may become better meanwhile, for
// instance when a limit is no longer in the way. It is seen when its turn comes, or when the
// ranking is used up: then nodes are ranked anew.
#ifndef MUSTER_PEER_MUSTER_VICTIM_CHOICES_H_
#define MUSTER_PEER_MUSTER_VICTIM_CHOICES_H_

#include <compare>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/base/hash_map.h"
#include "lib/part/context.h"
#include "lib/peer/muster/fair_exchange.h"
#include "lib/peer/muster/fair_promise.h"

namespace muster {

class VictimChoices {
 public:
  // Tasks that go together: one task, or a whole gang.
  using Unit = absl::InlinedVector<TaskIndex, 4>;
  struct Choice {
    NodeIndex node = kNone;
    std::vector<Unit> units;
  };

  // `min_runtime`: a task that started less than so many seconds ago is no candidate. A task
  // without a start is one. `by_loss`: what victims lose counts before their age.
  VictimChoices(ActionContext& context, Taking taking, int64_t min_runtime, bool by_loss);

  // Finds the best choice for the task. Returns false if there is none.
  bool Take(TaskIndex task, Choice* choice);
  // Call this when the choice was taken up and the books have changed accordingly.
  void Renew(TaskIndex task, NodeIndex node);
  // Ranks the nodes anew at the next call.
  void Forget() { asker_ = {}; }
  // Returns whether a choice was taken since NewTurn from a ranking older than that.
  bool TookOld() const { return took_old_; }
  void NewTurn() {
    old_ = true;
    took_old_ = false;
  }

  // Returns false if the task may not be placed on the node. Looks at limits, resources and all
  // fits.
  bool Fits(TaskIndex task, NodeIndex node);

 private:
  struct Asker {
    ClassIndex task_class = kNone;
    QueueIndex queue = kNone;
    int64_t priority = 0;
    // Set only if it has tasks of its own among the candidates, or a promise binds it.
    JobIndex job = kNone;
    bool bound = false;
    friend bool operator==(const Asker&, const Asker&) = default;
  };
  struct Price {
    int64_t victims = 0, priority = 0, loss = 0, age = 0;
    NodeIndex node = kNone;
    // clang-tidy 14 takes the 0 of a rewritten comparison for a null pointer.
    friend auto operator<=>(const Price&, const Price&) = default;  // NOLINT(modernize-use-nullptr)
  };
  using Tasks = std::vector<TaskIndex>;
  struct Candidate {
    int64_t priority, loss, created;
    TaskIndex task;
  };
  class Draft;    // a choice in the making
  class Cheaper;  // the search of a cheaper one

  Asker AskerOf(TaskIndex task) const;
  void Rank(TaskIndex task);
  bool TakeRanked(TaskIndex task, Choice* choice);
  bool AnyTaskMayGo(TaskIndex task);
  bool AnyKindMayGo(TaskIndex task);
  void ListKinds();
  bool SumsDecide(TaskIndex task);
  bool Make(TaskIndex task, NodeIndex node);  // the choice is made_ then
  bool MakeInOrder(TaskIndex task, NodeIndex node);
  TaskIndex FirstCandidate(TaskIndex task, NodeIndex node);
  void ListCandidates(TaskIndex task, NodeIndex node);
  void FollowBooks(TaskIndex task);
  bool IsRefusedAlike(TaskIndex task, TaskIndex victim);
  bool AsksAlike(TaskIndex a, TaskIndex b) const;
  // Looks for a cheaper set than made_; candidates_ are those of made_.node.
  void Cheapen(TaskIndex task);
  bool MakeOutOfOrder(TaskIndex task);
  bool FirstSuffice(TaskIndex task, const Draft& draft);
  Tasks Spare(TaskIndex task) const;
  bool GangSpares(TaskIndex victim, const Tasks& spared) const;
  // Returns the work that the victim loses, 0 where that does not count.
  int64_t LossOf(TaskIndex victim) const { return by_loss_ ? WorkLost(context_, victim) : 0; }
  Price PriceOf(const Choice& choice) const;
  bool MayGo(TaskIndex task, TaskIndex victim) const;
  bool GangMayGo(TaskIndex task, JobIndex gang, Tasks* members) const;
  Tasks Unprotected(TaskIndex task, std::span<const TaskIndex> victims) const;
  void Push(const Price& price);
  Price Pop();

  ActionContext& context_;
  const Taking taking_;
  const int64_t min_runtime_;
  const bool by_loss_;
  const FairPromises& promises_;
  const Point point_;    // at which policies are asked for leave
  const bool in_order_;  // policies judge one candidate after the other
  Asker asker_;
  Ledger::Moment ranked_;  // the books when the nodes were ranked
  bool old_ = false, took_old_ = false;
  std::vector<Price> ranking_;  // a heap, the best on top
  int64_t looked_at_ = 0;       // sets out of order, since nodes were ranked
  // The last task for which SumsDecide was answered, and the books at that time.
  TaskIndex summed_task_ = kNone;
  Ledger::Moment summed_;
  bool sums_decide_ = false;
  // Kinds of victims: those of one queue and class. A running task of each, by number; they are
  // listed at the first call, before this has evicted anything, so no kind is missing later on.
  std::optional<std::vector<TaskIndex>> kinds_;
  std::vector<uint32_t> kind_of_;  // by task; kNone: it did not run
  // By kind: whether a policy refuses it by itself, for the asker and on the books of that moment.
  enum class Refused : uint8_t { kUnasked, kNo, kYes };
  std::vector<Refused> refused_alike_;
  TaskIndex refused_for_ = kNone;
  Ledger::Moment refused_at_;
  // The last choice, with its task and the books at that time; kNone: there was none.
  Choice made_;
  TaskIndex made_for_ = kNone;
  Ledger::Moment made_at_;
  // Kept for their memory: the candidates, and the first of them that suffice.
  std::vector<Candidate> candidates_;
  Tasks first_, scratch_;
};

}  // namespace muster

#endif  // MUSTER_PEER_MUSTER_VICTIM_CHOICES_H_
