// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// fairshare: every queue of the tree gets its weight's worth of what its parent has, and may borrow the rest.
//
// Idea. What a queue deserves is found from the top down: what the parent deserves (the roots: what the cluster has)
// is divided among the children by weight, up to what each asks for (held and pending, at most its limit) and at
// least what it is guaranteed, per dimension and in exact integers (weighted_division.h). Jobs of an inner queue are
// served before those of its children, and what they ask for is taken off first.
// Free resources may be borrowed up to the limits. What may be taken back, and by whom, follows from what is
// deserved, by one rule read from both sides:
//   the asker  holds no more than it deserves with the task, in the dimensions it requests;
//   the giver  holds more than it deserves in a dimension the asker requests, and after giving holds no less in any
//              dimension of which there is not enough for all, and no less than it is guaranteed in any.
// It is read for both queues and for their ancestors below the one where the two paths meet: above it nothing
// changes hands. An inner queue's own jobs are served before its children, so they are the last to give: they keep what
// they ask for as far as the queue deserves it. A queue that gave cannot ask for it again, so nothing goes back and forth.
// The number of tasks (`pods`) is left out everywhere: it is no share of anything.
// Order. Among siblings: first those below their guarantee in a dimension they want more of; then the smallest
// dominant share of the cluster divided by the weight; then the larger priority. Other ties go to the next policy.
// Cost. Open: O(queues * dimensions), and a sort of each family. A question: O(depth) at most; limits are looked at
// only where there are any. The tree is walked by loops, so its depth does not matter otherwise.
#include <algorithm>
#include <limits>

#include "lib/policy/policies.h"
#include "lib/policy/share.h"
#include "lib/policy/weighted_division.h"

namespace muster {
namespace {

int64_t AddUpTo(int64_t a, int64_t b) {
  return a > std::numeric_limits<int64_t>::max() - b ? std::numeric_limits<int64_t>::max() : a + b;
}

class FairShare : public Policy {
 public:
  std::string_view name() const override { return "fairshare"; }
  PointSet points() const override {
    return {Point::kQueueOrder, Point::kAllocatable, Point::kPreemptive, Point::kReclaimable};
  }

  void Open(const Cycle& cycle) override {
    tables_ = &cycle.tables;
    ledger_ = &cycle.ledger;
    dimensions_ = tables_->dimension_count();
    standings_.assign(tables_->queues.alive.size(), {});
    OrderTree();
    Recount();
  }

  void Recount() override {
    SumDemands();
    for (DimensionIndex d = 0; d < dimensions_; ++d) DivideAmong(roots_, ledger_->total()[d], d);
    for (QueueIndex q : order_) {
      const auto& children = tables_->queues.children[q];
      if (children.empty()) continue;
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        const int64_t own = OwnDemand(q, d);
        const int64_t below = DivideAmong(children, std::max<int64_t>(deserved(q, d) - own, 0), d);
        short_[q * dimensions_ + d] = AddUpTo(own, below) > deserved(q, d);
      }
    }
  }

  int CompareQueues(QueueIndex a, QueueIndex b) override {
    const Standing& left = StandingOf(a);
    const Standing& right = StandingOf(b);
    if (left.below_guarantee != right.below_guarantee) return left.below_guarantee ? -1 : 1;
    if (left.share != right.share) return left.share < right.share ? -1 : 1;
    const auto& spec = tables_->queues.spec;
    return Sign(static_cast<int64_t>(spec[b].priority) - spec[a].priority);
  }

  bool Allocatable(QueueIndex queue, TaskIndex task, Denial* denial) override {
    const auto request = ledger_->request(task);
    for (QueueIndex q = bounded_[queue]; q != kNone; q = NextBounded(q)) {
      if (tables_->queues.spec[q].state != QueueState::kOpen) {
        denial->closed = true;
        return false;
      }
      const auto allocated = ledger_->tree_allocated(q);
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        const int64_t limit = tables_->queues.limit.at(q, d);
        if (limit == kAbsent || request[d] <= 0 || allocated[d] <= limit - request[d]) continue;
        denial->dimension = d;
        return false;
      }
    }
    return true;
  }

  bool Preemptive(QueueIndex queue, std::span<const int64_t> request, Denial* denial) override {
    // An inner queue's own jobs go before its children: what those hold does not count against it.
    return StaysDeserved(queue, ledger_->queue_allocated(queue), request, &denial->dimension);
  }

  Vote Reclaimable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    const QueueIndex asker = tables_->jobs.queue[tables_->tasks.job[evictor]];
    const auto wanted = ledger_->request(evictor);
    paths_.clear();
    held_.clear();
    own_held_.clear();
    for (TaskIndex t : candidates) {
      const JobIndex job = tables_->tasks.job[t];
      if (job == kNone) continue;
      const Path& path = PathOf(tables_->jobs.queue[job], asker, wanted);
      if (!path.may_ask || path.queues.empty()) continue;
      const auto request = ledger_->request(t);
      if (!MayGive(path, request, wanted)) continue;
      for (QueueIndex q : path.queues) {
        std::vector<int64_t>& held = Held(q);
        for (DimensionIndex d = 0; d < dimensions_; ++d) held[d] -= request[d];
      }
      if (!tables_->queues.children[path.giver].empty()) {
        std::vector<int64_t>& held = OwnHeld(path.giver);
        for (DimensionIndex d = 0; d < dimensions_; ++d) held[d] -= request[d];
      }
      chosen->push_back(t);
    }
    return Vote::kPermit;
  }

  bool QueueShareOf(QueueIndex queue, std::vector<double>* deserved_amounts,
                    double* share) override {
    deserved_amounts->clear();
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      deserved_amounts->push_back(static_cast<double>(deserved(queue, d)));
    }
    *share = StandingOf(queue).share;
    return true;
  }

 private:
  struct Standing {
    uint64_t stamp = ~uint64_t{0};
    double share = 0;
    bool below_guarantee = false;
  };
  // From a giver's queue up to below where its path meets the asker's; empty if the asker is among its own.
  struct Path {
    QueueIndex giver;
    std::vector<QueueIndex> queues;
    bool may_ask = true;
  };

  int64_t deserved(QueueIndex q, DimensionIndex d) const { return deserved_[q * dimensions_ + d]; }
  int64_t OwnDemand(QueueIndex q, DimensionIndex d) const {
    return AddUpTo(ledger_->queue_allocated(q)[d], ledger_->queue_pending(q)[d]);
  }
  QueueIndex NextBounded(QueueIndex q) const {
    const QueueIndex parent = tables_->queues.parent[q];
    return parent == kNone ? kNone : bounded_[parent];
  }

  // Parents before children; depths; for each queue the nearest one upwards, itself included, that says no to some.
  void OrderTree() {
    const QueueTable& queues = tables_->queues;
    roots_.clear();
    for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
      if (queues.alive[q] && queues.parent[q] == kNone) roots_.push_back(q);
    }
    order_ = roots_;
    depth_.assign(queues.alive.size(), 0);
    bounded_.assign(queues.alive.size(), kNone);
    for (size_t i = 0; i < order_.size(); ++i) {
      const QueueIndex q = order_[i], parent = queues.parent[q];
      if (parent != kNone) {
        depth_[q] = depth_[parent] + 1;
        bounded_[q] = bounded_[parent];
      }
      bool bounds = queues.spec[q].state != QueueState::kOpen;
      for (int64_t limit : queues.limit.row(q)) bounds |= limit != kAbsent;
      if (bounds) bounded_[q] = q;
      order_.insert(order_.end(), queues.children[q].begin(), queues.children[q].end());
    }
  }

  // What each queue asks for with all below it, and what of that it was promised.
  void SumDemands() {
    const QueueTable& queues = tables_->queues;
    demand_.assign(queues.alive.size() * dimensions_, 0);
    promised_ = deserved_ = demand_;
    contested_.assign(demand_.size(), 0);
    short_ = contested_;
    for (size_t i = order_.size(); i-- > 0;) {
      const QueueIndex q = order_[i], parent = queues.parent[q];
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        int64_t& demand = demand_[q * dimensions_ + d];
        int64_t& promised = promised_[q * dimensions_ + d];
        const int64_t limit = queues.limit.at(q, d), guaranteed = queues.guaranteed.at(q, d);
        demand = AddUpTo(demand, OwnDemand(q, d));
        if (limit != kAbsent) demand = std::min(demand, limit);
        promised = std::min(std::max(promised, OrZero(guaranteed)), demand);
        if (parent == kNone) continue;
        int64_t& above = demand_[parent * dimensions_ + d];
        int64_t& promised_above = promised_[parent * dimensions_ + d];
        above = AddUpTo(above, demand);
        promised_above = AddUpTo(promised_above, promised);
      }
    }
  }

  // Returns what they ask for together.
  int64_t DivideAmong(const std::vector<QueueIndex>& siblings, int64_t total, DimensionIndex d) {
    portions_.clear();
    int64_t asked = 0;
    for (QueueIndex q : siblings) {
      const size_t cell = q * dimensions_ + d;
      if (demand_[cell] <= 0) continue;
      asked = AddUpTo(asked, demand_[cell]);
      portions_.push_back({tables_->queues.spec[q].weight, promised_[cell], demand_[cell]});
    }
    if (portions_.empty()) return 0;
    DivideByWeight(total, portions_);
    size_t next = 0;
    for (QueueIndex q : siblings) {
      const size_t cell = q * dimensions_ + d;
      contested_[cell] = asked > total;
      if (demand_[cell] > 0) deserved_[cell] = portions_[next++].amount;
    }
    return asked;
  }

  const Standing& StandingOf(QueueIndex q) {
    Standing& standing = standings_[q];
    const uint64_t stamp = ledger_->queue_stamp(q);
    if (standing.stamp == stamp) return standing;
    standing.stamp = stamp;
    const auto allocated = ledger_->tree_allocated(q), pending = ledger_->tree_pending(q);
    const auto guaranteed = tables_->queues.guaranteed.row(q);
    standing.below_guarantee = false;
    double largest = 0;
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      if (d == kPods) continue;
      standing.below_guarantee |=
          guaranteed[d] != kAbsent && allocated[d] < guaranteed[d] && pending[d] > 0;
      const int64_t total = ledger_->total()[d];
      if (total <= 0) continue;
      largest =
          std::max(largest, ShareOf(static_cast<double>(allocated[d]), static_cast<double>(total)));
    }
    const int64_t weight = tables_->queues.spec[q].weight;
    standing.share = weight > 0 ? largest / static_cast<double>(weight)
                                : std::numeric_limits<double>::infinity();
    return standing;
  }

  // Whether queue `q`, which holds `allocated`, holds no more than it deserves with `request`, in the dimensions
  // requested.
  bool StaysDeserved(QueueIndex q, std::span<const int64_t> allocated,
                     std::span<const int64_t> request, DimensionIndex* dimension) const {
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      if (d == kPods || request[d] <= 0 || allocated[d] <= deserved(q, d) - request[d]) continue;
      *dimension = d;
      return false;
    }
    return true;
  }

  const Path& PathOf(QueueIndex giver, QueueIndex asker, std::span<const int64_t> wanted) {
    for (const Path& path : paths_) {
      if (path.giver == giver) return path;
    }
    Path path{giver, {}};
    const auto& parent = tables_->queues.parent;
    QueueIndex a = asker, g = giver;
    DimensionIndex ignored;
    const auto climb_asker = [&] {
      path.may_ask = path.may_ask && StaysDeserved(a, ledger_->tree_allocated(a), wanted, &ignored);
      a = parent[a];
    };
    while (depth_[a] > depth_[g]) climb_asker();
    while (depth_[g] > depth_[a]) {
      path.queues.push_back(g);
      g = parent[g];
    }
    while (a != g) {
      climb_asker();
      path.queues.push_back(g);
      g = parent[g];
    }
    paths_.push_back(std::move(path));
    return paths_.back();
  }

  // What the queue, or its own jobs, would hold without the candidates chosen so far.
  std::vector<int64_t>& Held(QueueIndex q) { return Left(q, ledger_->tree_allocated(q), &held_); }
  std::vector<int64_t>& OwnHeld(QueueIndex q) {
    return Left(q, ledger_->queue_allocated(q), &own_held_);
  }
  using Rows = std::vector<std::pair<QueueIndex, std::vector<int64_t>>>;
  static std::vector<int64_t>& Left(QueueIndex q, std::span<const int64_t> allocated, Rows* rows) {
    for (auto& [queue, held] : *rows) {
      if (queue == q) return held;
    }
    rows->emplace_back(q, std::vector<int64_t>(allocated.begin(), allocated.end()));
    return rows->back().second;
  }

  // Whether the inner queue's own jobs keep what they ask for, as far as it deserves that, of what is short.
  bool OwnMayGive(QueueIndex q, std::span<const int64_t> request) {
    const std::vector<int64_t>& held = OwnHeld(q);
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      if (d == kPods || request[d] <= 0 || !short_[q * dimensions_ + d]) continue;
      if (held[d] - request[d] < std::min(OwnDemand(q, d), deserved(q, d))) return false;
    }
    return true;
  }

  bool MayGive(const Path& path, std::span<const int64_t> request,
               std::span<const int64_t> wanted) {
    const QueueIndex top = path.queues.back();
    const std::vector<int64_t>& of_top = Held(top);
    bool above = false;
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      above |= d != kPods && wanted[d] > 0 && of_top[d] > deserved(top, d);
    }
    if (!above) return false;
    if (!tables_->queues.children[path.giver].empty() && !OwnMayGive(path.giver, request)) {
      return false;
    }
    for (QueueIndex q : path.queues) {
      const std::vector<int64_t>& held = Held(q);
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        if (d == kPods || request[d] <= 0) continue;
        const int64_t left = held[d] - request[d];
        const int64_t guaranteed = tables_->queues.guaranteed.at(q, d);
        if (guaranteed != kAbsent && left < guaranteed) return false;
        if (contested_[q * dimensions_ + d] && left < deserved(q, d)) return false;
      }
    }
    return true;
  }

  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  size_t dimensions_ = 0;
  std::vector<QueueIndex> roots_, order_, bounded_;
  std::vector<uint32_t> depth_;
  std::vector<int64_t> demand_, promised_, deserved_;  // per queue and dimension
  std::vector<uint8_t> contested_;  // its siblings and it ask for more than there is
  std::vector<uint8_t> short_;      // of inner queues: its own jobs and its children do
  std::vector<Standing> standings_;
  std::vector<Portion> portions_;
  std::vector<Path> paths_;  // of one question, like held_
  Rows held_, own_held_;
};

}  // namespace

PolicyDecl FairSharePolicy() {
  return {"fairshare",
          "every queue of the tree gets its weight's worth, and may borrow the rest",
          {},
          [](const Options&) -> std::unique_ptr<Policy> { return std::make_unique<FairShare>(); }};
}

}  // namespace muster
