// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// fairshare: every queue of the tree gets its weight's worth of what its parent has, and may borrow
// the rest.
//
// Idea. What a queue deserves is computed from the roots down. What the parent deserves (for the
// roots: what the cluster has) is divided among the children by weight, per dimension and in exact
// integers (weighted_division.h). A child gets at most what it requests (held and pending, at most
// its limit), and at least its guarantee. Jobs of an inner queue are served before those of its
// children, and their requests are taken off first. Free resources may be borrowed up to the
// limits.
//
// Reclaiming. One rule governs both sides:
// - The asker, with the task, holds no more than it deserves in the dimensions that the task
//   requests.
// - The giver holds more than it deserves in a dimension that the task requests. After giving it
//   holds no less than its guarantee in any dimension, and no less than it deserves in any
//   dimension that is short, where siblings request or hold more than there is.
// The rule holds for both queues and for their ancestors below the one where the two paths meet:
// above it no amount changes. An inner queue's own jobs are served before its children, so they are
// the last to give: they keep what they request as far as the queue deserves it. A queue that gave
// cannot request it again, so nothing goes back and forth. The number of tasks (`pods`) is left out
// everywhere: it is no share of anything.
//
// Order. Among siblings: first those below their guarantee in a dimension of which they request
// more; then the smallest dominant share of the cluster divided by the weight; then the larger
// priority. Other ties go to the next policy.
//
// Cost. Open: O(queues * dimensions). The first question about what a queue deserves: the same, and
// a sort of each family; most cycles evict nothing and never ask. Any other question: O(depth) at
// most; limits are looked at only where there are any. The tree is walked by loops, so its depth
// does not matter otherwise.
#include <algorithm>

#include "lib/base/math.h"
#include "lib/extension/cycle.h"
#include "lib/extension/gate_keep.h"
#include "lib/extension/needs.h"
#include "lib/peer/muster/policies.h"
#include "lib/policy/queue_tree.h"
#include "lib/share/share.h"
#include "lib/share/weighted_division.h"

namespace muster {
namespace {

class FairShare : public Policy,
                  public OrderPolicy,
                  public GatePolicy,
                  public GateKeep,
                  public VictimPolicy {
 public:
  std::string_view name() const override { return "fairshare"; }
  PointSet points() const override {
    return {Point::kQueueOrder, Point::kAllocatable, Point::kPreemptive, Point::kReclaimable};
  }
  Traits traits() const override {
    Traits traits;
    traits.judges_in_order = true;
    traits.judges_alike = true;
    return traits;
  }
  OrderPolicy* order() override { return this; }
  GatePolicy* gate() override { return this; }
  VictimPolicy* victims() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    dimensions_ = tables_->dimension_count();
    standings_.assign(tables_->queues.alive.size(), {});
    tree_.Open(*tables_, *ledger_);
    Recount();
  }

  // Copies the queues' accounts. Shares are divided by these when they are first read.
  void Recount() override {
    counted_ = false;
    const size_t queues = tables_->queues.alive.size();
    books_.clear();
    books_.reserve(queues * dimensions_);
    for (QueueIndex q = 0; q < queues; ++q) {
      const auto held = ledger_->queue_allocated(q), pending = ledger_->queue_pending(q);
      const auto tree_held = ledger_->tree_allocated(q);
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        books_.push_back({SatAdd(held[d], pending[d]), tree_held[d]});
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

  Verdict Allocatable(QueueIndex queue, TaskIndex task) override {
    return tree_.WithinLimits(queue, ledger_->request(task));
  }

  Verdict Preemptive(QueueIndex queue, std::span<const int64_t> request) override {
    // Jobs of an inner queue go before its children, so what the children hold does not count.
    DimensionIndex beyond = kNone;
    return StaysWithin(DeservedOf(queue), ledger_->queue_allocated(queue), request, &beyond)
               ? Verdict::Yes()
               : Verdict::No(Cause::kLimit, beyond);
  }

  Vote Reclaimable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    CountOnce();
    const auto deserved_of = [&](QueueIndex q) { return DeservedOf(q); };
    const auto may_give = [&](const QueueTree::Way& way, std::span<const int64_t> request) {
      return MayGive(way, request, ledger_->request(evictor));
    };
    tree_.Choose(evictor, candidates, deserved_of, may_give, chosen);
    return Vote::kPermit;
  }

  bool PublishShare(QueueIndex queue, std::vector<double>* deserved_amounts,
                    double* share) override {
    const std::span<const int64_t> deserved = DeservedOf(queue);
    deserved_amounts->assign(deserved.begin(), deserved.end());
    *share = StandingOf(queue).share;
    return true;
  }

 private:
  struct Standing {
    uint64_t stamp = ~uint64_t{0};
    double share = 0;
    bool below_guarantee = false;
  };
  // Of a queue and dimension, as they were noted.
  struct Books {
    int64_t own_demand, tree_held;
  };
  int64_t deserved(QueueIndex q, DimensionIndex d) const { return deserved_[q * dimensions_ + d]; }
  std::span<const int64_t> DeservedOf(QueueIndex q) {
    CountOnce();
    return std::span(deserved_).subspan(q * dimensions_, dimensions_);
  }
  int64_t OwnDemand(QueueIndex q, DimensionIndex d) const {
    return SatAdd(ledger_->queue_allocated(q)[d], ledger_->queue_pending(q)[d]);
  }

  // Divides what the cluster has, by the books that were noted. Call it before reading the result.
  void CountOnce() {
    if (counted_) return;
    counted_ = true;
    SumDemands();
    for (DimensionIndex d = 0; d < dimensions_; ++d)
      DivideAmong(tree_.roots(), ledger_->total()[d], d);
    for (QueueIndex q : tree_.order()) {
      const auto& children = tables_->queues.children[q];
      if (children.empty()) continue;
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        const size_t cell = q * dimensions_ + d;
        const int64_t left = std::max<int64_t>(deserved_[cell] - books_[cell].own_demand, 0);
        below_[cell] = DivideAmong(children, left, d);
      }
    }
  }

  // Sums what each queue requests with all queues below it, and what of that it was promised.
  void SumDemands() {
    const QueueTable& queues = tables_->queues;
    demand_.assign(queues.alive.size() * dimensions_, 0);
    promised_ = deserved_ = below_ = demand_;
    contested_.assign(demand_.size(), 0);
    for (size_t i = tree_.order().size(); i-- > 0;) {
      const QueueIndex q = tree_.order()[i], parent = queues.parent[q];
      // Rows once a queue: in the loop the compiler would look for them again in each dimension.
      const auto limits = queues.limit.row(q), guarantees = queues.guaranteed.row(q);
      const Books* const own = &books_[q * dimensions_];
      int64_t* const demands = &demand_[q * dimensions_];
      int64_t* const promises = &promised_[q * dimensions_];
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        int64_t demand = SatAdd(demands[d], own[d].own_demand);
        if (limits[d] != kAbsent) demand = std::min(demand, limits[d]);
        const int64_t promised = std::min(std::max(promises[d], OrZero(guarantees[d])), demand);
        demands[d] = demand;
        promises[d] = promised;
        if (parent == kNone) continue;
        int64_t& above = demand_[parent * dimensions_ + d];
        int64_t& promised_above = promised_[parent * dimensions_ + d];
        above = SatAdd(above, demand);
        promised_above = SatAdd(promised_above, promised);
      }
    }
  }

  // Returns what the siblings request together.
  int64_t DivideAmong(const std::vector<QueueIndex>& siblings, int64_t total, DimensionIndex d) {
    portions_.clear();
    int64_t asked = 0, used = 0;  // a queue above its limit holds more than it may request
    for (QueueIndex q : siblings) {
      const size_t cell = q * dimensions_ + d;
      used = SatAdd(used, std::max(demand_[cell], books_[cell].tree_held));
      if (demand_[cell] <= 0) continue;
      asked = SatAdd(asked, demand_[cell]);
      portions_.push_back({tables_->queues.spec[q].weight, promised_[cell], demand_[cell]});
    }
    if (portions_.empty()) return 0;
    DivideByWeight(total, portions_);
    size_t next = 0;
    for (QueueIndex q : siblings) {
      const size_t cell = q * dimensions_ + d;
      contested_[cell] = used > total;
      if (demand_[cell] > 0) deserved_[cell] = portions_[next++].amount;
    }
    return asked;
  }

  const Standing& StandingOf(QueueIndex q) {
    Standing& standing = standings_[q];
    const uint64_t stamp = ledger_->queue_stamp(q);
    if (standing.stamp == stamp) return standing;
    standing.stamp = stamp;
    standing.below_guarantee = tree_.BelowGuarantee(q);
    standing.share = ShareForWeight(ledger_->tree_allocated(q), ledger_->total(),
                                    tables_->queues.spec[q].weight);
    return standing;
  }

  // Returns whether the inner queue's own jobs keep what they request, as far as the queue deserves
  // it, of what is short.
  bool OwnMayGive(QueueIndex q, std::span<const int64_t> request) {
    const std::span<const int64_t> held = tree_.OwnHeld(q);
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      if (d == kPods || request[d] <= 0) continue;
      // Both sides count what the queue's own jobs request now, after evictions of this round.
      const int64_t own = OwnDemand(q, d);
      if (SatAdd(own, below_[q * dimensions_ + d]) <= deserved(q, d)) continue;
      if (held[d] - request[d] < std::min(own, deserved(q, d))) return false;
    }
    return true;
  }

  bool MayGive(const QueueTree::Way& way, std::span<const int64_t> request,
               std::span<const int64_t> wanted) {
    const QueueIndex top = way.queues.back();
    const std::span<const int64_t> of_top = tree_.Held(top);
    bool above = false;
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      above |= d != kPods && wanted[d] > 0 && of_top[d] > deserved(top, d);
    }
    if (!above) return false;
    if (!tables_->queues.children[way.giver].empty() && !OwnMayGive(way.giver, request)) {
      return false;
    }
    for (QueueIndex q : way.queues) {
      const std::span<const int64_t> held = tree_.Held(q);
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
  QueueTree tree_;
  std::vector<Books> books_;                           // per queue and dimension
  bool counted_ = false;                               // what follows is of these books
  std::vector<int64_t> demand_, promised_, deserved_;  // per queue and dimension
  std::vector<uint8_t> contested_;  // its siblings and it hold or request more than there is
  std::vector<int64_t> below_;      // of inner queues: what their children requested together
  std::vector<Standing> standings_;
  std::vector<Portion> portions_;
};

}  // namespace

PolicyDecl FairSharePolicy() {
  return {"fairshare",
          "every queue of the tree gets its weight's worth, and may borrow the rest",
          {},
          [](const Options&) -> std::unique_ptr<Policy> { return std::make_unique<FairShare>(); },
          /*revision=*/3,
          [](const Options&, PolicyNeeds* needs) {
            needs->queues |= {.weight = true, .guaranteed = true, .limit = true};
          }};
}

}  // namespace muster
