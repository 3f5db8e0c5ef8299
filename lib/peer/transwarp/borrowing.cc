// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// borrowing: every queue has its part of what its parent has, lends what it does not use to its
// siblings, and takes it back.
//
// Idea. What a queue deserves is its part by weight of what its parent deserves (for the roots: of
// the cluster), at most its limit and at least the guarantees of it and those below it, per
// dimension and in exact integers. It does not depend on requests. A queue that holds more has
// borrowed from siblings that hold less.
//
// Borrowing. A queue claims what its jobs hold and what the queues below it claim, and at least
// what it keeps for itself: what it deserves less its `lend_limit` (absent: it keeps nothing). With
// a task
// - the claims of its queue, and of each queue above as far up as a claim grows, stay within what
//   that queue deserves and its `borrow_limit` (absent: any amount), and within its limit;
// - where a queue keeps something, all claims together stay within the cluster;
// - no queue on the way to the root holds more than its limit.
// So no queue borrows what another one keeps, at any level, and a queue may always take what it
// keeps.
//
// Taking back. A queue may take back if with the task it holds no more than it deserves in the
// dimensions requested, and so does each queue on its way up to below where its path meets the
// giver's. A task may go under two conditions:
// - In some dimension that is requested and that it holds, each queue on its own way would still
//   hold all it deserves without it, so all of them borrow there.
// - None of these falls below its guarantee, or, in a dimension for which its own tasks wait, below
//   what it deserves.
// Nothing goes back and forth between two queues: a queue that gave cannot request the same again,
// since with it, it would hold more than it deserves. A task that is borrowed only in part stays.
// The number of tasks (`pods`) counts for limits only: it is no share of anything.
//
// Order. Among siblings those first that hold less than their guarantee of something for which
// their tasks wait.
//
// Ties. None of its own: victims are listed in the order of the candidates.
//
// Cost. Open: O(queues * dimensions), and a sort of each family. A change of a job: its way to the
// root. A question: O(depth * dimensions). Loops, no recursion.
#include <algorithm>
#include <limits>
#include <memory>

#include "lib/base/math.h"
#include "lib/extension/cycle.h"
#include "lib/extension/needs.h"
#include "lib/peer/transwarp/policies.h"
#include "lib/policy/queue_tree.h"
#include "lib/share/share.h"
#include "lib/share/weighted_division.h"

namespace muster {
namespace {

constexpr int64_t kNoCap = std::numeric_limits<int64_t>::max();

class Borrowing : public Policy, public OrderPolicy, public GatePolicy, public VictimPolicy {
 public:
  std::string_view name() const override { return "borrowing"; }
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
    followed_ = ledger_->job_journal().size();
    tree_.Open(*tables_, *ledger_);
    Divide();
    SumClaims();
  }

  int CompareQueues(QueueIndex a, QueueIndex b) override {
    return static_cast<int>(tree_.BelowGuarantee(b)) - static_cast<int>(tree_.BelowGuarantee(a));
  }

  Verdict Allocatable(QueueIndex queue, TaskIndex task) override {
    const auto request = ledger_->request(task);
    if (Verdict verdict = tree_.WithinLimits(queue, request); !verdict.ok()) return verdict;
    Follow();
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      QueueIndex refuser = kNone;
      if (d == kPods || request[d] <= 0 || MayClaim(queue, d, request[d], &refuser)) continue;
      // A queue within what it deserves is refused by a limit of a queue above it.
      const bool beyond = ledger_->tree_allocated(queue)[d] > deserved(queue, d) - request[d];
      return Verdict::No(beyond ? Cause::kDeserved : Cause::kLimit, d,
                         refuser != queue ? refuser : kNone);
    }
    return Verdict::Yes();
  }

  Verdict Preemptive(QueueIndex queue, std::span<const int64_t> request) override {
    // Jobs of an inner queue go before its children, so what the children hold does not count.
    DimensionIndex beyond = kNone;
    return StaysWithin(DeservedOf(queue), ledger_->queue_allocated(queue), request, &beyond)
               ? Verdict::Yes()
               : Verdict::No(Cause::kDeserved, beyond);
  }

  Vote Reclaimable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    const auto deserved_of = [&](QueueIndex q) { return DeservedOf(q); };
    const auto may_give = [&](const QueueTree::Way& way, std::span<const int64_t> request) {
      return MayGive(way, request, ledger_->request(evictor));
    };
    tree_.Choose(evictor, candidates, deserved_of, may_give, chosen);
    return Vote::kPermit;
  }

  // Publishes as share the largest part of anything that the queue holds, over its weight.
  bool PublishShare(QueueIndex queue, std::vector<double>* deserved_amounts,
                    double* share) override {
    const std::span<const int64_t> deserved = DeservedOf(queue);
    deserved_amounts->assign(deserved.begin(), deserved.end());
    *share = ShareForWeight(ledger_->tree_allocated(queue), ledger_->total(),
                            tables_->queues.spec[queue].weight);
    return true;
  }

 private:
  size_t Cell(QueueIndex q, DimensionIndex d) const { return q * dimensions_ + d; }
  int64_t deserved(QueueIndex q, DimensionIndex d) const { return deserved_[Cell(q, d)]; }
  std::span<const int64_t> DeservedOf(QueueIndex q) const {
    return std::span(deserved_).subspan(q * dimensions_, dimensions_);
  }
  int64_t Claim(size_t cell) const { return std::max(sums_[cell], kept_[cell]); }

  // Computes what each queue deserves, keeps for itself and may claim.
  void Divide() {
    const QueueTable& queues = tables_->queues;
    const size_t cells = queues.alive.size() * dimensions_;
    promised_.assign(cells, 0);
    deserved_ = kept_ = promised_;
    cap_.assign(cells, kNoCap);
    keeps_.assign(dimensions_, 0);
    for (size_t i = tree_.order().size(); i-- > 0;) {
      const QueueIndex q = tree_.order()[i], parent = queues.parent[q];
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        int64_t& promised = promised_[Cell(q, d)];
        promised = std::min(std::max(promised, OrZero(queues.guaranteed.at(q, d))), LimitOf(q, d));
        if (parent == kNone) continue;
        int64_t& above = promised_[Cell(parent, d)];
        above = SatAdd(above, promised);
      }
    }
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      DivideAmong(tree_.roots(), std::max<int64_t>(ledger_->total()[d], 0), d);
    }
    for (QueueIndex q : tree_.order()) {
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        const int64_t mine = deserved(q, d);
        const int64_t lend = queues.lend_limit.at(q, d), borrow = queues.borrow_limit.at(q, d);
        cap_[Cell(q, d)] =
            std::min(LimitOf(q, d), borrow == kAbsent ? kNoCap : SatAdd(mine, borrow));
        if (lend != kAbsent && d != kPods) kept_[Cell(q, d)] = std::max<int64_t>(mine - lend, 0);
        keeps_[d] |= kept_[Cell(q, d)] > 0;
        if (!queues.children[q].empty()) DivideAmong(queues.children[q], mine, d);
      }
    }
  }

  int64_t LimitOf(QueueIndex q, DimensionIndex d) const {
    const int64_t limit = tables_->queues.limit.at(q, d);
    return limit == kAbsent ? kNoCap : limit;
  }

  void DivideAmong(const std::vector<QueueIndex>& siblings, int64_t total, DimensionIndex d) {
    portions_.clear();
    for (QueueIndex q : siblings) {
      const int64_t most = std::min(total, LimitOf(q, d));
      portions_.push_back(
          {tables_->queues.spec[q].weight, std::min(promised_[Cell(q, d)], most), most});
    }
    DivideByWeight(total, portions_);
    for (size_t i = 0; i < siblings.size(); ++i) {
      deserved_[Cell(siblings[i], d)] = portions_[i].amount;
    }
  }

  void SumClaims() {
    own_.assign(deserved_.size(), 0);
    sums_ = own_;
    all_claims_.assign(dimensions_, 0);
    for (size_t i = tree_.order().size(); i-- > 0;) {
      const QueueIndex q = tree_.order()[i], parent = tables_->queues.parent[q];
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        const size_t cell = Cell(q, d);
        own_[cell] = ledger_->queue_allocated(q)[d];
        sums_[cell] += own_[cell];
        (parent == kNone ? all_claims_[d] : sums_[Cell(parent, d)]) += Claim(cell);
      }
    }
  }

  void Follow() {
    const auto journal = ledger_->job_journal();
    for (; followed_ < journal.size(); ++followed_) {
      const QueueIndex queue = tables_->jobs.queue[journal[followed_]];
      const auto now = ledger_->queue_allocated(queue);
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        int64_t& known = own_[Cell(queue, d)];
        const int64_t change = now[d] - known;
        known = now[d];
        if (change != 0) ChangeClaims(queue, d, change);
      }
    }
  }

  void ChangeClaims(QueueIndex queue, DimensionIndex d, int64_t change) {
    for (QueueIndex q = queue; change != 0; q = tables_->queues.parent[q]) {
      if (q == kNone) {
        all_claims_[d] += change;
        return;
      }
      const size_t cell = Cell(q, d);
      const int64_t before = Claim(cell);
      sums_[cell] += change;
      change = Claim(cell) - before;
    }
  }

  // `refuser`: the queue on the way that may not; none where the cluster has no more to claim.
  bool MayClaim(QueueIndex queue, DimensionIndex d, int64_t more, QueueIndex* refuser) const {
    for (QueueIndex q = queue; q != kNone; q = tables_->queues.parent[q]) {
      const size_t cell = Cell(q, d);
      const int64_t claim = std::max(SatAdd(sums_[cell], more), kept_[cell]);
      more = claim - Claim(cell);
      if (more == 0) return true;
      if (claim > cap_[cell]) {
        *refuser = q;
        return false;
      }
    }
    return !keeps_[d] || all_claims_[d] <= ledger_->total()[d] - more;
  }

  bool MayGive(const QueueTree::Way& way, std::span<const int64_t> request,
               std::span<const int64_t> wanted) {
    for (QueueIndex q : way.queues) {
      const std::span<const int64_t> held = tree_.Held(q);
      const auto pending = ledger_->tree_pending(q);
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        if (d == kPods || request[d] <= 0) continue;
        const int64_t left = held[d] - request[d];
        if (left < OrZero(tables_->queues.guaranteed.at(q, d))) return false;
        if (pending[d] > 0 && left < deserved(q, d)) return false;
      }
    }
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      if (d == kPods || wanted[d] <= 0 || request[d] <= 0) continue;
      const bool borrowed = std::all_of(way.queues.begin(), way.queues.end(), [&](QueueIndex q) {
        return tree_.Held(q)[d] - request[d] >= deserved(q, d);
      });
      if (borrowed) return true;
    }
    return false;
  }

  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  size_t dimensions_ = 0;
  size_t followed_ = 0;  // of the ledger's journal
  QueueTree tree_;
  // Per queue and dimension. `sums_`: what its own jobs hold, and its children's claims.
  std::vector<int64_t> promised_, deserved_, kept_, cap_, own_, sums_;
  std::vector<int64_t> all_claims_;  // of the roots
  std::vector<uint8_t> keeps_;       // per dimension: some queue keeps something
  std::vector<Portion> portions_;
};

}  // namespace

PolicyDecl BorrowingPolicy() {
  return {"borrowing",
          "queues lend what they do not use to their siblings, and take it back",
          {},
          [](const Options&) -> std::unique_ptr<Policy> { return std::make_unique<Borrowing>(); },
          /*revision=*/2,
          [](const Options&, PolicyNeeds* needs) {
            needs->queues |= {.weight = true, .guaranteed = true, .limit = true};
          }};
}

}  // namespace muster
