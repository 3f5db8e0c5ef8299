// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Victims with fair sharing. victims.h has the rules.
//
// The evictor counts as admitted for the whole search, and is taken out where the fit is tested.
// Queues give one candidate each, in the order of giving_order.h. Giving back at the end does not
// ask about shares again.
#include <algorithm>
#include <optional>
#include <utility>

#include "lib/peer/kueue/giving_order.h"
#include "lib/peer/kueue/victims.h"

namespace muster::kueue {
namespace {

class FairSearch {
 public:
  FairSearch(VictimSearch& search, const Need& need)
      : search_(search), world_(search.world()), need_(need), order_(search, need.queue) {
    retry_.assign(world_.queues.size(), kNothing);
  }

  std::vector<Victim> Run() {
    if (!Collect()) return {};
    world_.tree.Add(need_.queue, need_.usage);
    const std::vector<ShareRule>& rules = world_.config.share_rules;
    bool fits = First(rules.front());
    if (!fits && rules.size() > 1) fits = Second();
    if (!fits) return {};
    world_.tree.Remove(need_.queue, need_.usage);
    search_.FillBack(need_, /*may_borrow=*/true, &victims_);
    return std::move(victims_);
  }

 private:
  bool Collect() {
    const QueueRow& own = world_.queues[need_.queue];
    bool any = false;
    const auto add = [&](Queue queue, Policy policy) {
      Candidates candidates(search_, queue, need_, policy);
      any = any || !candidates.Done();
      order_.Add(queue, std::move(candidates));
    };
    if (own.within != Policy::kNever) add(need_.queue, own.within);
    if (own.reclaim == Policy::kNever || !world_.HasParent(need_.queue)) return any;
    std::vector<Queue> stack{world_.tree.Root(need_.queue)};
    while (!stack.empty()) {
      const Queue q = stack.back();
      stack.pop_back();
      if (world_.queues[q].is_cohort) {
        stack.insert(stack.end(), world_.tree.children(q).begin(), world_.tree.children(q).end());
      } else if (q != need_.queue && world_.queues[q].active &&
                 !world_.tree.Within(q, need_.lacking)) {
        add(q, own.reclaim);
      }
    }
    return any;
  }

  // Evicts the candidate; returns whether the request fits now.
  bool Take(WorkloadIndex w, EvictReason reason) {
    search_.Remove(w, need_);
    victims_.push_back({w, reason});
    const size_t mark = world_.tree.Mark();
    world_.tree.Remove(need_.queue, need_.usage);
    const bool fits = search_.Fits(need_, /*may_borrow=*/true);
    world_.tree.Rollback(mark);
    return fits;
  }

  // The children of the lowest common ancestor on the sides of the evictor and of the queue.
  std::pair<Queue, Queue> Sides(Queue queue) const {
    const auto path = [&](Queue q) {
      std::vector<Queue> up;
      for (; q != kNothing; q = world_.tree.parent(q)) up.push_back(q);
      return up;
    };
    const std::vector<Queue> mine = path(need_.queue), theirs = path(queue);
    size_t i = mine.size(), j = theirs.size();
    while (mine[i - 1] == theirs[j - 1]) --i, --j;
    return {mine[i - 1], theirs[j - 1]};
  }

  bool First(ShareRule rule) {
    // Asked once: that victims of the own queue bring the evictor back within its quota changes
    // nothing.
    const bool within_nominal = world_.config.gates.preempt_within_nominal &&
                                world_.tree.Within(need_.queue, need_.lacking);
    for (Queue q = order_.Next(); q != kNothing; q = order_.Next()) {
      if (q == need_.queue) {
        if (Take(order_.Pop(q), EvictReason::kInClusterQueue)) return true;
        continue;
      }
      if (within_nominal) {
        if (Take(order_.Pop(q), EvictReason::kInCohortReclamation)) return true;
        continue;
      }
      const auto [mine, theirs] = Sides(q);
      const WorkloadIndex w = FirstThatPasses(rule, q, mine, theirs);
      if (w == kNothing) {
        order_.Drop(q);
      } else if (Take(w, EvictReason::kInCohortFairSharing)) {
        return true;
      }
    }
    return false;
  }

  // Pops candidates of the queue up to one that passes. Nothing but its usage decides about one, so
  // that the search ends when one of each usage was refused.
  WorkloadIndex FirstThatPasses(ShareRule rule, Queue queue, Queue mine, Queue theirs) {
    const Share evictor = order_.ShareOf(mine), before = order_.ShareOf(theirs);
    const size_t kinds = rule == ShareRule::kBelowInitial ? 1 : search_.UsagesIn(queue);
    std::vector<const CellAmounts*> refused;
    while (order_.Has(queue) && refused.size() < kinds) {
      const WorkloadIndex w = order_.Pop(queue);
      const CellAmounts& usage = world_.workloads[w].usage;
      const bool known = std::any_of(refused.begin(), refused.end(),
                                     [&](const CellAmounts* other) { return *other == usage; });
      if (known) continue;
      if (Passes(rule, evictor, before, theirs, w)) return w;
      if (refused.size() < kUsagesCompared) refused.push_back(&usage);
      if (retry_[queue] == kNothing) retry_[queue] = w;
    }
    return kNothing;
  }

  bool Passes(ShareRule rule, const Share& evictor, const Share& before, Queue side,
              WorkloadIndex w) {
    if (rule == ShareRule::kBelowInitial) return Compare(evictor, before) < 0;
    const size_t mark = world_.tree.Mark();
    world_.tree.Remove(world_.workloads[w].queue, world_.workloads[w].usage);
    const Share after = search_.shares().Of(side);
    world_.tree.Rollback(mark);
    return Compare(evictor, after) <= 0;
  }

  bool Second() {
    GivingOrder order(search_, need_.queue);
    for (Queue q = 0; q < retry_.size(); ++q) {
      if (retry_[q] != kNothing) order.Add(q, Candidates(search_, need_, {retry_[q]}));
    }
    for (Queue q = order.Next(); q != kNothing; q = order.Next()) {
      const auto [mine, theirs] = Sides(q);
      if (Compare(search_.shares().Of(mine), search_.shares().Of(theirs)) < 0 &&
          Take(order.Pop(q), EvictReason::kInCohortFairSharing)) {
        return true;
      }
      order.Drop(q);
    }
    return false;
  }

  VictimSearch& search_;
  World& world_;
  const Need& need_;
  GivingOrder order_;
  std::vector<Victim> victims_;
  std::vector<WorkloadIndex> retry_;  // by queue: the first that was refused
};

}  // namespace

std::vector<Victim> VictimSearch::Fair(const Need& need) { return FairSearch(*this, need).Run(); }

}  // namespace muster::kueue
