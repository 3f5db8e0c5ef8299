// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Who would have to go from a node so that a task fits there, and the nodes ranked by that.
//
//   VictimChoices choices(context, Taking::kFromOtherQueues);
//   if (choices.Take(task, &taken)) ...   // taken.node, taken.units: who is to be evicted; nothing is moved yet
//
// A choice on a node. Candidates are the bound and running tasks that may be evicted at all for the asker: of other
// queues that let themselves be reclaimed, or of jobs of lower priority in the same queue, and whom no policy protects.
// They go in this order: lowest job priority, most recently created, largest index. The first that its gang can spare
// and that suffices alone; if there is none, those that their gangs can spare; if they do not suffice, whole gangs, with
// all their tasks wherever those run. Once the task fits, everybody without whom it still fits is given back, last one
// first: nobody of a choice is there in vain. If more than one has to go, or the task fits behind nobody in this order, and
// few could go, the cheapest set that suffices goes instead (fair_cheapest.cc).
// The best choice: the fewest victims; then those of lowest priority (the highest among them counts); then the youngest
// (the oldest among them counts); then the node of smallest index.
// Ranking. Nodes are ranked when a kind of asker first asks. A choice is made anew when it comes to the front; if it is
// no longer what it was, it goes back in line. The ranking serves alike askers one after the other, until Forget. An
// choice that has become better meanwhile - few things can make it so: a limit that is no longer in the way - is seen
// when its turn comes, or when the ranking is used up: then nodes are ranked anew.
#ifndef MUSTER_PEER_MUSTER_VICTIM_CHOICES_H_
#define MUSTER_PEER_MUSTER_VICTIM_CHOICES_H_

#include <compare>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/part/context.h"

namespace muster {

enum class Taking : uint8_t { kFromOtherQueues, kFromLesserJobs };

class VictimChoices {
 public:
  // Who goes together: one task, or a whole gang.
  using Unit = absl::InlinedVector<TaskIndex, 4>;
  struct Choice {
    NodeIndex node = kNone;
    std::vector<Unit> units;
  };

  VictimChoices(ActionContext& context, Taking taking);

  // The best choice for the task; false: there is none.
  bool Take(TaskIndex task, Choice* choice);
  // To be called when the choice was taken up and the books have changed accordingly.
  void Renew(TaskIndex task, NodeIndex node);
  // Nodes are ranked anew at the next question.
  void Forget() { asker_ = {}; }
  // Whether a choice was taken since NewTurn from a ranking that was older than that.
  bool TookOld() const { return took_old_; }
  void NewTurn() {
    old_ = true;
    took_old_ = false;
  }

  // Why the task may not be placed on the node: false. Looks at limits, resources and all fits.
  bool Fits(TaskIndex task, NodeIndex node);

 private:
  struct Asker {
    ClassIndex task_class = kNone;
    QueueIndex queue = kNone;
    int64_t priority = 0;
    JobIndex job = kNone;  // only if it has tasks of its own among the candidates
    friend bool operator==(const Asker&, const Asker&) = default;
  };
  struct Price {
    int64_t victims = 0, priority = 0, age = 0;
    NodeIndex node = kNone;
    // clang-tidy 14 takes the 0 of a rewritten comparison for a null pointer.
    friend auto operator<=>(const Price&, const Price&) = default;  // NOLINT(modernize-use-nullptr)
  };
  using Tasks = std::vector<TaskIndex>;
  struct Candidate {
    int64_t priority, created;
    TaskIndex task;
  };
  class Draft;    // a choice in the making
  class Cheaper;  // and whether it could be cheaper

  Asker AskerOf(TaskIndex task) const;
  void Rank(TaskIndex task);
  bool TakeRanked(TaskIndex task, Choice* choice);
  bool AnybodyMayGo(TaskIndex task) const;
  bool SumsDecide(TaskIndex task);
  bool Make(TaskIndex task, NodeIndex node);  // the choice is made_ then
  bool MakeInOrder(TaskIndex task, NodeIndex node);
  void ListCandidates(TaskIndex task, NodeIndex node);
  // Of made_.node, whose candidates candidates_ are.
  void Cheapen(TaskIndex task);
  bool MakeOutOfOrder(TaskIndex task);
  bool FirstSuffice(TaskIndex task, const Draft& draft);
  Tasks Spare(TaskIndex task) const;
  bool GangSpares(TaskIndex victim, const Tasks& spared) const;
  Price PriceOf(const Choice& choice) const;
  bool MayGo(TaskIndex task, TaskIndex victim) const;
  bool GangMayGo(TaskIndex task, JobIndex gang, Tasks* members) const;
  Tasks Unprotected(TaskIndex task, std::span<const TaskIndex> victims) const;
  void Push(const Price& price);
  Price Pop();

  ActionContext& context_;
  const Taking taking_;
  const bool in_order_;  // policies judge one candidate after the other
  Asker asker_;
  Ledger::Moment ranked_;  // the books when the nodes were ranked
  bool old_ = false, took_old_ = false;
  std::vector<Price> ranking_;  // a heap, the best on top
  int64_t looked_at_ = 0;       // sets out of order, since nodes were ranked
  // Whether sums decide for a task, and the books for which that was found out.
  TaskIndex summed_task_ = kNone;
  Ledger::Moment summed_;
  bool sums_decide_ = false;
  // The last choice, for whom and on which books it was made; kNone: there was none.
  Choice made_;
  TaskIndex made_for_ = kNone;
  Ledger::Moment made_at_;
  // Kept for their room: who may go, and the first of them that suffice.
  std::vector<Candidate> candidates_;
  Tasks first_;
};

}  // namespace muster

#endif  // MUSTER_PEER_MUSTER_VICTIM_CHOICES_H_
