// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Victims without fair sharing. victims.h has the rules.
//
// Queues outside are of two kinds. *Entitled*: an ancestor below which the request would fit was
// passed on the way up, so that the room beyond is rightly the evictor's. *Others*: the request
// borrows, and the rules for borrowing decide which of their workloads may be evicted, and whether
// the evictor may borrow then.
#include <algorithm>
#include <utility>

#include "lib/peer/kueue/candidates.h"

namespace muster::kueue {
namespace {

// A queue with candidates, and the ancestor at which it was met.
struct Source {
  Queue queue;
  Queue meeting;
  Candidates candidates;
};
using Sources = std::vector<Source>;

class ClassicalSearch {
 public:
  ClassicalSearch(VictimSearch& search, const Need& need)
      : search_(search),
        world_(search.world()),
        need_(need),
        evictor_(world_.workloads[need.workload]),
        queue_(world_.queues[need.queue]) {}

  std::vector<Victim> Run() {
    Collect();
    if (entitled_.empty() && others_.empty() && own_.empty()) return {};
    const bool borrow_forbidden = !MayBorrow();
    if ((entitled_.empty() && others_.empty()) || (borrow_forbidden && !UnderNominal())) {
      return Attempt(true);
    }
    const bool first = !(borrow_forbidden && entitled_.empty());
    std::vector<Victim> victims = Attempt(first);
    return victims.empty() ? Attempt(!first) : victims;
  }

 private:
  bool MayBorrow() const {
    return queue_.while_borrowing && *queue_.while_borrowing != Policy::kNever;
  }
  bool UnderNominal() const {
    return std::all_of(need_.lacking.begin(), need_.lacking.end(), [&](Cell cell) {
      return world_.tree.usage(need_.queue, cell) < world_.tree.nominal(need_.queue, cell);
    });
  }

  void Collect() {
    if (queue_.within != Policy::kNever) AddSource(need_.queue, need_.queue, queue_.within, &own_);
    if (!world_.HasParent(need_.queue) || queue_.reclaim == Policy::kNever) return;
    CellAmounts rest = need_.usage;
    bool entitled = world_.tree.FitsInQuota(need_.queue, &rest);
    Queue below = need_.queue;
    for (Queue a = world_.tree.parent(below); a != kNothing; a = world_.tree.parent(a)) {
      CollectBelow(a, below, a, entitled ? &entitled_ : &others_);
      const bool fits = world_.tree.FitsInQuota(a, &rest);
      entitled = entitled || fits;
      below = a;
    }
  }

  void CollectBelow(Queue cohort, Queue skipped, Queue meeting, Sources* out) {
    for (const Queue child : world_.tree.children(cohort)) {
      if (child == skipped || world_.tree.Within(child, need_.lacking)) continue;
      if (world_.queues[child].is_cohort) {
        CollectBelow(child, skipped, meeting, out);
      } else if (world_.queues[child].active) {
        AddSource(child, meeting, queue_.reclaim, out);
      }
    }
  }

  void AddSource(Queue queue, Queue meeting, Policy policy, Sources* out) {
    Source source{queue, meeting, Candidates(search_, queue, need_, policy)};
    if (!source.candidates.Done()) out->push_back(std::move(source));
  }

  // Returns the reason for a candidate outside, and whether it may be evicted only if the evictor
  // does not borrow.
  std::pair<EvictReason, bool> ClassOf(WorkloadIndex w, bool entitled) const {
    if (entitled) return {EvictReason::kInCohortReclamation, false};
    const int64_t priority = world_.workloads[w].priority;
    if (!MayBorrow() || priority >= evictor_.priority ||
        (queue_.while_borrowing_most && priority > *queue_.while_borrowing_most)) {
      return {EvictReason::kInCohortReclamation, true};
    }
    return {EvictReason::kInCohortReclaimWhileBorrowing, false};
  }

  // Returns whether the queue, and the cohorts between it and the meeting, use more than theirs.
  bool StillBorrows(const Source& source) const {
    for (Queue q = source.queue; q != source.meeting; q = world_.tree.parent(q)) {
      if (world_.tree.Within(q, need_.lacking)) return false;
    }
    return true;
  }

  // Evicts candidates of the sources, evicted ones or the others, until the request fits.
  bool Walk(Sources* sources, bool evicted, bool outside, bool entitled, bool may_borrow,
            std::vector<Victim>* victims) {
    // Each of them would be one that may be evicted only if the evictor does not borrow.
    if (outside && !entitled && may_borrow && !MayBorrow()) return false;
    const auto later = [&](size_t a, size_t b) {  // the heap has the first on top
      return world_.Precedes((*sources)[b].candidates.Front(), (*sources)[a].candidates.Front());
    };
    std::vector<size_t> heap;
    for (size_t i = 0; i < sources->size(); ++i) {
      (*sources)[i].candidates.Restart(evicted);
      if (Has((*sources)[i], evicted)) heap.push_back(i);
    }
    std::make_heap(heap.begin(), heap.end(), later);
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), later);
      Source& source = (*sources)[heap.back()];
      const WorkloadIndex w = source.candidates.Front();
      EvictReason reason = EvictReason::kInClusterQueue;
      bool taken = true;
      if (outside) {
        // Evictions only ever take usage away: what does not borrow once never does again.
        if (!StillBorrows(source)) {
          heap.pop_back();
          continue;
        }
        const auto [why, without_borrowing] = ClassOf(w, entitled);
        reason = why;
        taken = !(without_borrowing && may_borrow);
      }
      if (taken) {
        search_.Remove(w, need_);
        victims->push_back({w, reason});
        if (search_.Fits(need_, may_borrow)) return true;
      }
      source.candidates.Next();
      if (Has(source, evicted)) {
        std::push_heap(heap.begin(), heap.end(), later);
      } else {
        heap.pop_back();
      }
    }
    return false;
  }
  bool Has(const Source& source, bool evicted) const {
    return !source.candidates.Done() &&
           world_.workloads[source.candidates.Front()].evicted == evicted;
  }

  std::vector<Victim> Attempt(bool may_borrow) {
    const size_t mark = world_.tree.Mark();
    const size_t places = need_.topology == nullptr ? 0 : need_.topology->Mark();
    std::vector<Victim> victims;
    bool fits = false;
    for (const bool evicted : {true, false}) {
      fits = fits || Walk(&entitled_, evicted, true, true, may_borrow, &victims);
      fits = fits || Walk(&others_, evicted, true, false, may_borrow, &victims);
      fits = fits || Walk(&own_, evicted, false, false, may_borrow, &victims);
    }
    if (fits) {
      search_.FillBack(need_, may_borrow, &victims);
    } else {
      victims.clear();
    }
    world_.tree.Rollback(mark);
    if (need_.topology != nullptr) need_.topology->Rollback(places);
    return victims;
  }

  VictimSearch& search_;
  World& world_;
  const Need& need_;
  const WorkloadRow& evictor_;
  const QueueRow& queue_;
  Sources entitled_, others_, own_;
};

}  // namespace

std::vector<Victim> VictimSearch::Classical(const Need& need) {
  return ClassicalSearch(*this, need).Run();
}

}  // namespace muster::kueue
