// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a plan makes of a snapshot, counted anew from both: where tasks go, and what nodes and
// queues then hold. Decisions count in their order: a task that is bound and then evicted has no
// place.
//
//   const PlanBooks books(TablesOf(snapshot), plan);
//   for (const auto& [task, node] : books.places()) ...
//   books.HeldByQueues(/*after=*/true)[queue][dimension]
//
// Amounts are wide enough for any sum, and everything is found by walking over all tasks: the
// validator asks once a plan.
#ifndef MUSTER_TESTS_SUPPORT_PLAN_BOOKS_H_
#define MUSTER_TESTS_SUPPORT_PLAN_BOOKS_H_

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "muster/plan.h"

namespace muster::testing {

class PlanBooks {
 public:
  using Row = std::vector<absl::int128>;  // by dimension
  using Places = std::vector<std::pair<TaskIndex, NodeIndex>>;

  // What a queue requests with all below it, and what of that it was promised; its own jobs alone.
  struct Claim {
    Row demand, promised, own;
  };
  // What is left on nodes: with the binds now, and with the nominations once the victims are gone.
  struct Left {
    std::map<NodeIndex, Row> now, later;
  };
  // What queues hold after the plan with all below them, and those among them that a task was
  // placed in.
  struct Held {
    std::map<QueueIndex, Row> amounts;
    std::set<QueueIndex> grew;
  };

  // Whether decisions of the kind give a task a place.
  static bool GivesPlace(DecisionKind kind);
  // Whether the decision binds a task that waits on that very node.
  static bool Holds(const Tables& tables, const Decision& d);

  PlanBooks(const Tables& tables, const Plan& plan);

  size_t dimensions() const { return dims_; }
  const std::map<TaskIndex, NodeIndex>& places() const { return places_; }  // bound or nominated
  const Places& bound() const { return bound_; }
  const Places& nominated() const { return nominated_; }
  bool gets_place(TaskIndex t) const { return places_.count(t) > 0; }
  bool is_evicted(TaskIndex t) const { return evicted_.count(t) > 0; }
  bool passes(TaskIndex t) const { return passing_.count(t) > 0; }  // is bound, and evicted then
  const std::set<TaskIndex>& evicted() const { return evicted_; }

  bool IsBelow(QueueIndex q, QueueIndex ancestor) const;
  // Tasks of the job that run on and are not evicted.
  int64_t StandingTasks(JobIndex job) const;

  // Of queues' own jobs, nominated and tentative tasks too.
  std::map<QueueIndex, Row> HeldByQueues(bool after) const;
  Held HeldWithAllBelow() const;
  Left LeftOnNodes() const;
  // With the victim of that decision there, and those that went for others after it: whether its
  // node holds all that is to be there.
  bool HasRoomBeside(size_t eviction) const;
  // Of the queues with shares in the plan.
  std::map<QueueIndex, Claim> Claims() const;
  Row Total() const;  // of all nodes

 private:
  void Leave(TaskIndex task);
  void Add(Row& row, TaskIndex t, int sign) const;
  void SumClaims(QueueIndex queue, std::map<QueueIndex, Claim>& claims) const;

  const Tables& tables_;
  const Plan& plan_;
  const size_t dims_;
  std::map<TaskIndex, NodeIndex> places_;
  Places bound_, nominated_;
  std::map<TaskIndex, NodeIndex> passing_;  // bound and then evicted
  std::set<TaskIndex> evicted_;
};

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_PLAN_BOOKS_H_
