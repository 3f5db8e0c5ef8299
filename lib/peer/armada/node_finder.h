// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Finds nodes for jobs, one after another, and seats them.
//
//   NodeFinder finder(tables, books, evicted, contexts);
//   const NodeFinder::Mark mark = finder.MakeMark();
//   std::vector<Preemption> preempted;
//   absl::StatusOr<bool> fits = finder.Place(gang, filter, &preempted);
//   if (!fits.ok() || !*fits) finder.Undo(mark);
//
// An evicted job may only go back to its node. A new job tries its own priority, then the away
// nodes of its class at theirs. Each try goes from the least harm to the most:
//   1. what is free, with all evicted jobs kept in mind;
//   2. the places of the evicted jobs that would come back last (fair share);
//   3. the places of running jobs, of the lowest priority first (urgency).
// Nothing is tried if the job would not even fit beside the jobs of its priority and above.
//
// Surprises. The priority at which a job is seated stays in mind when the seat is undone, and so do
// the tolerations that got it there: the next attempt of the job in the round starts from them.
#ifndef MUSTER_PEER_ARMADA_NODE_FINDER_H_
#define MUSTER_PEER_ARMADA_NODE_FINDER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lib/peer/armada/evicted_jobs.h"
#include "lib/peer/armada/job_context.h"
#include "lib/peer/armada/node_books.h"
#include "lib/peer/armada/tables.h"

namespace muster::armada {

struct Preemption {
  int job = -1, preemptor = -1;
  int sibling = -1;  // the member of the job's gang that was preempted first
};

// Only nodes of one value of a label.
struct ValueFilter {
  const LabelValues* label = nullptr;  // null: all nodes
  int value = -1;
};

class NodeFinder {
 public:
  struct Mark {
    size_t books, evicted;
  };

  NodeFinder(const Tables& tables, NodeBooks& books, EvictedJobs& evicted,
             std::vector<JobContext>& contexts);

  // Seats all jobs, or returns false. What was changed until then stays, and so does it if the
  // state is inconsistent, which is an error.
  absl::StatusOr<bool> Place(absl::Span<const int> jobs, const ValueFilter& filter,
                             std::vector<Preemption>* preempted);

  Mark MakeMark() const { return {books_.Mark(), evicted_.Mark()}; }
  void Undo(const Mark& mark);

  // Follows the state, which has more jobs or shapes.
  void Grow() {
    bound_.resize(tables_.state.jobs.size());
    variants_.resize(tables_.state.shapes.size());
  }
  // Forgets the priority at which the job was seated in this round.
  void Unbind(int job) {
    bound_[static_cast<size_t>(job)] = tables_.state.bound_priority[static_cast<size_t>(job)];
  }

  const std::optional<int32_t>& bound_priority(int job) const {
    return bound_[static_cast<size_t>(job)];
  }
  // Seats the job without looking for a node.
  void Bind(int job, int node, int32_t priority);

 private:
  // What the static checks of a shape came to, with one set of added tolerations.
  struct Variant {
    uint64_t away_types = 0;  // of which the tolerations are added, as bits
    std::vector<Toleration> added;
    std::vector<int> types;       // that may suit
    std::vector<int8_t> of_node;  // 0: not asked, 1: suits, -1: does not
  };
  struct Head {
    int node;
    size_t cursor;
  };

  Variant& VariantOf(int job, uint64_t away_types);
  void AddTolerations(int job, Variant& variant) const;
  bool Suits(int job, Variant& variant, int node, const ValueFilter& filter);
  bool Fits(int job, const int64_t* free) const;
  absl::StatusOr<int> Select(int job, const ValueFilter& filter,
                             std::vector<Preemption>* preempted);
  int SelectOwn(int job) const;
  absl::StatusOr<int> SelectAt(int job, Variant& variant, const ValueFilter& filter,
                               std::vector<Preemption>* preempted);
  absl::StatusOr<int> Search(int job, Variant& variant, const ValueFilter& filter, int bucket);
  absl::StatusOr<int> SearchTypes(int job, Variant& variant, const ValueFilter& filter,
                                  const NodeIndex& index);
  absl::StatusOr<int> SelectUrgent(int job, Variant& variant, const ValueFilter& filter);
  int SelectFair(int job, Variant& variant, const ValueFilter& filter,
                 std::vector<Preemption>* preempted);
  void TakePlaces(int job, int node, int last, std::vector<Preemption>* preempted);
  void PreemptSiblings(size_t first, std::vector<Preemption>* preempted);

  const Tables& tables_;
  NodeBooks& books_;
  EvictedJobs& evicted_;
  std::vector<JobContext>& contexts_;
  std::vector<std::optional<int32_t>> bound_;
  std::vector<std::vector<Variant>> variants_;  // by shape, as they come up
  std::vector<TypeCursor> cursors_;
  std::vector<Head> heads_;
  // Of each node during a walk over evicted jobs.
  std::vector<int64_t> available_;
  std::vector<int> visit_;  // number of the walk that wrote the row; negative: the node is out
  int walk_ = 0;
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_NODE_FINDER_H_
