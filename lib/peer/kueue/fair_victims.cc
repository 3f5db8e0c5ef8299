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
      : search_(search), world_(search.world()), need_(need), order_(search, need.queue) {}

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
      std::vector<WorkloadIndex> list = search_.Ordered(queue, need_, policy);
      any = any || !list.empty();
      order_.Add(queue, std::move(list));
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
      const Share evictor = search_.shares().Of(mine);
      const Share before = search_.shares().Of(theirs);
      while (order_.Has(q)) {
        const WorkloadIndex w = order_.Pop(q);
        if (!Passes(rule, evictor, before, theirs, w)) {
          retry_.push_back(w);
          continue;
        }
        if (Take(w, EvictReason::kInCohortFairSharing)) return true;
        break;
      }
    }
    return false;
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
    std::vector<std::vector<WorkloadIndex>> lists(world_.queues.size());
    for (const WorkloadIndex w : retry_) lists[world_.workloads[w].queue].push_back(w);
    for (Queue q = 0; q < lists.size(); ++q) {
      if (!lists[q].empty()) order.Add(q, std::move(lists[q]));
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
  std::vector<WorkloadIndex> retry_;
};

}  // namespace

std::vector<Victim> VictimSearch::Fair(const Need& need) { return FairSearch(*this, need).Run(); }

}  // namespace muster::kueue
