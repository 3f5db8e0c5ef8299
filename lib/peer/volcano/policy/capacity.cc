// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// capacity: queues hold what they are given to deserve, may borrow up to their limits, and give
// back what they borrowed.
//
// Promise. With a task a queue stays within its limit, and with `hierarchy` so does every queue
// above it; what it deserves does not bound it. It may take from other queues while it would stay
// within what it deserves in at least one dimension that is asked for, or else
// (`ancestor_reclaim_level` = n) one of the n queues right above it would, the root apart. A task
// may be taken if its queue holds more than it deserves of something that the task holds, or
// deserves nothing of what it holds; no queue falls below its guarantee; and of the n queues right
// above the victim's those count likewise that are not also above the taker's at the same distance.
// The queue that holds the smallest fraction of what it deserves goes first; one that deserves
// nothing is as if it held all of it, and goes after one that does. In a tree two queues are
// compared where their ways from the root part, and victims are looked for in queues near the
// taker's first. Admission is against limits, less what elastic jobs could give back.
// Peer. Volcano's capacity plugin. Fractions of queues above others are those of the cycle's
// beginning; a leaf goes before a queue that is none; `pods` never limits and makes no claim, but
// deserving pods makes a task no sure victim and counts in the fraction; where n > 0, no sure
// victim is one with a queue that shares one of the n queues above with the taker's, if that
// deserves nothing of what its task holds. Gangs are reclaimed by the two rules of the queue alone.
// A tree without a queue "root", or with jobs above the leaves, lets no job take or be admitted
// (queue_bounds.h).
// Ties. Equal fractions are left to the next policy. Cost. O(queues x dimensions) to open, O(depth
// x dimensions) a question, O(candidates log candidates) for victims.
#include <memory>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/extension/alike_evictors.h"
#include "lib/extension/cycle.h"
#include "lib/extension/needs.h"
#include "lib/peer/volcano/policies.h"
#include "lib/peer/volcano/policy/queue_bounds.h"
#include "lib/policy/queue_demand.h"
#include "lib/share/share.h"

namespace muster {
namespace {

constexpr OptionDecl kCapacityOptions[] = {
    {"hierarchy", OptionKind::kFlag, "off", 0, 0, "the queues are a tree below \"root\""},
    {"ancestor_reclaim_level", OptionKind::kWhole, "0", 0, 1e9,
     "how far up the tree reclaim looks at what queues deserve"},
};

using Row = std::span<const int64_t>;

class Capacity : public Policy,
                 public OrderPolicy,
                 public GatePolicy,
                 public VictimPolicy,
                 public AlikeEvictors {
 public:
  explicit Capacity(const Options& options)
      : hierarchy_(options.flag("hierarchy")),
        levels_(hierarchy_ ? static_cast<uint32_t>(options.number("ancestor_reclaim_level")) : 0) {}

  std::string_view name() const override { return "capacity"; }
  PointSet points() const override {
    PointSet points = {Point::kQueueOrder,      Point::kAllocatable, Point::kPreemptive,
                       Point::kReclaimable,     Point::kEvictable,   Point::kAdmit,
                       Point::kVictimQueueOrder};
    if (!hierarchy_) points.remove(Point::kVictimQueueOrder);
    return points;
  }
  Traits traits() const override {
    Traits traits;
    traits.reclaims_in_victim_order = true;
    return traits;
  }
  OrderPolicy* order() override { return this; }
  GatePolicy* gate() override { return this; }
  VictimPolicy* victims() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    bounds_.Open(*tables_, *ledger_, hierarchy_);
    const size_t queues = tables_->queues.alive.size();
    shares_.assign(queues, 0);
    stamps_.assign(queues, kNever);
    has_deserved_.assign(queues, 0);
    for (QueueIndex q = 0; q < queues; ++q) {
      if (!tables_->queues.alive[q]) continue;
      const MaybeAmounts& deserved = bounds_.deserved(q);
      for (DimensionIndex d = 0; d < deserved.value.size(); ++d) {
        if (d != kPods && deserved.value[d] >= kSmallestAmount) has_deserved_[q] = 1;
      }
      // What is above others keeps its share until the cycle ends.
      if (!bounds_.leaf(q)) shares_[q] = CountShare(q);
    }
    demand_.Open(cycle, bounds_.parents());
  }

  int CompareQueues(QueueIndex a, QueueIndex b) override {
    if (!bounds_.sound()) return 0;
    const auto& spec = tables_->queues.spec;
    if (spec[a].priority != spec[b].priority) return spec[a].priority > spec[b].priority ? -1 : 1;
    if (bounds_.leaf(a) != bounds_.leaf(b)) return bounds_.leaf(a) ? -1 : 1;
    if (bounds_.leaf(a) && hierarchy_) {
      const uint32_t below = Nearness(a, b) + 1;
      a = PartingWay(a, below);
      b = PartingWay(b, below);
    }
    const double left = Share(a), right = Share(b);
    if (left != right) return left < right ? -1 : 1;
    return has_deserved_[b] - has_deserved_[a];
  }

  int CompareVictimQueues(QueueIndex a, QueueIndex b, QueueIndex evictor) override {
    if (!bounds_.sound()) return 0;
    const uint32_t left = Nearness(a, evictor), right = Nearness(b, evictor);
    return left == right ? 0 : left > right ? -1 : 1;
  }

  Verdict Allocatable(QueueIndex queue, TaskIndex task) override {
    return IsOpen(*tables_, queue) ? MayHold(queue, task) : Verdict::No(Cause::kClosed);
  }
  bool AllocatableTrial(QueueIndex queue, TaskIndex task) override {
    return MayHold(queue, task).ok();
  }

  Verdict Preemptive(QueueIndex queue, Row request) override {
    if (Verdict verdict = Usable(queue); !verdict.ok()) return verdict;
    if (Verdict verdict = StaysWithin(queue, request); !verdict.ok()) return verdict;
    DimensionIndex lacking = kNone;
    if (DeservesMore(queue, request, &lacking)) return Verdict::Yes();
    QueueIndex above = bounds_.parent(queue);
    for (uint32_t level = 1; level <= levels_ && !IsTop(above); ++level) {
      DimensionIndex ignored;
      if (DeservesMore(above, request, &ignored)) return Verdict::Yes();
      above = bounds_.parent(above);
    }
    return Verdict::No(Cause::kDeserved, lacking);
  }

  Vote Reclaimable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    if (!bounds_.sound()) return Vote::kReject;
    const QueueIndex taker = tables_->jobs.queue[tables_->tasks.job[evictor]];
    const Row wanted = tables_->classes.initial_request.row(tables_->tasks.task_class[evictor]);
    const bool takers_own = Deserves(taker, ledger_->request(evictor));
    Books left(this);
    std::vector<QueueIndex> counted;
    for (TaskIndex t : candidates) {
      const JobIndex job = tables_->tasks.job[t];
      const Row request = ledger_->request(t);
      if (job == kNone || !Overlap(request, wanted)) continue;
      const QueueIndex queue = tables_->jobs.queue[job];
      if (!Spares(queue, left.Of(queue), request)) continue;
      if (Deserves(queue, request)) {
        if (!Exceeds(queue, left.Of(queue), request)) continue;
      } else if (!takers_own && ShareAnAncestor(taker, queue)) {
        continue;
      }
      counted = {queue};
      if (!AncestorsSpare(taker, queue, request, &left, &counted)) continue;
      for (QueueIndex q : counted) left.Take(q, request);
      chosen->push_back(t);
    }
    return Vote::kPermit;
  }

  Vote Evictable(JobIndex, bool from_other_queues, std::span<const TaskIndex> candidates,
                 std::vector<TaskIndex>* chosen) override {
    if (!from_other_queues) {
      chosen->assign(candidates.begin(), candidates.end());
      return Vote::kPermit;
    }
    if (!bounds_.sound()) return Vote::kReject;
    Books left(this);
    for (TaskIndex t : candidates) {
      const Row request = ledger_->request(t);
      const QueueIndex queue = tables_->jobs.queue[tables_->tasks.job[t]];
      const std::vector<int64_t>& held = left.Of(queue);
      if (!Spares(queue, held, request)) continue;
      if (Deserves(queue, request) && !Exceeds(queue, held, request)) continue;
      left.Take(queue, request);
      chosen->push_back(t);
    }
    return Vote::kPermit;
  }

  Verdict Admit(JobIndex job) override {
    const QueueIndex queue = tables_->jobs.queue[job];
    if (Verdict verdict = Usable(queue); !verdict.ok()) return verdict;
    if (!tables_->jobs.spec[job].min_resources.has_value()) return Verdict::Yes();
    const Row minimum = tables_->jobs.min_resources.row(job);
    for (QueueIndex q = queue; q != kNone; q = bounds_.parent(q)) {
      for (DimensionIndex d = 0; d < minimum.size(); ++d) {
        if (d == kPods || OrZero(minimum[d]) <= 0) continue;
        if (demand_.Wanted(q, d, minimum[d], bounds_.Held(q, d)) > bounds_.limit(q).value[d]) {
          return Verdict::No(Cause::kLimit, d);
        }
      }
    }
    return Verdict::Yes();
  }
  void Admitted(JobIndex job) override { demand_.Admitted(job); }

  bool PublishShare(QueueIndex queue, std::vector<double>* deserved, double* share) override {
    if (!bounds_.sound() || (!hierarchy_ && tables_->queues.jobs[queue] == 0)) return false;
    const MaybeAmounts& amounts = bounds_.deserved(queue);
    deserved->assign(amounts.value.begin(), amounts.value.end());
    *share = Share(queue);
    return true;
  }

 private:
  static constexpr uint64_t kNever = ~uint64_t{0};

  // What queues hold less the victims so far.
  class Books {
   public:
    explicit Books(const Capacity* policy) : policy_(policy) {}
    // Until it is asked for another queue.
    std::vector<int64_t>& Of(QueueIndex q) {
      std::vector<int64_t>& held = held_[q];
      if (held.empty()) {
        held.resize(policy_->tables_->dimension_count());
        for (DimensionIndex d = 0; d < held.size(); ++d) held[d] = policy_->bounds_.Held(q, d);
      }
      return held;
    }
    void Take(QueueIndex q, Row request) {
      std::vector<int64_t>& held = Of(q);
      for (DimensionIndex d = 0; d < held.size(); ++d) held[d] -= request[d];
    }

   private:
    const Capacity* policy_;
    HashMap<QueueIndex, std::vector<int64_t>> held_;
  };

  // --- limits

  // Refuses if the queues form no tree or the queue is closed.
  Verdict Usable(QueueIndex queue) const {
    if (!bounds_.sound()) return Verdict::No(Cause::kTree);
    return IsOpen(*tables_, queue) ? Verdict::Yes() : Verdict::No(Cause::kClosed);
  }

  Verdict MayHold(QueueIndex queue, TaskIndex task) const {
    if (!bounds_.sound()) return Verdict::No(Cause::kTree);
    Verdict verdict = Verdict::Yes();
    for (QueueIndex q = queue; verdict.ok() && q != kNone; q = bounds_.parent(q)) {
      verdict = StaysWithin(q, ledger_->request(task));
    }
    return verdict;
  }

  Verdict StaysWithin(QueueIndex q, Row request) const {
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      if (d == kPods || request[d] <= 0) continue;
      const double limit = bounds_.limit(q).value[d];
      if (limit<kBeyondAll&& static_cast<double>(bounds_.Held(q, d) + request[d])> limit) {
        return Verdict::No(Cause::kLimit, d);
      }
    }
    return Verdict::Yes();
  }

  // --- what queues deserve

  // Of something that is asked for, no more than it deserves; else the first dimension that is
  // asked for.
  bool DeservesMore(QueueIndex q, Row request, DimensionIndex* dimension) const {
    DimensionIndex first = kNone;
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      if (d == kPods || request[d] <= 0) continue;
      const double deserved = bounds_.deserved(q).value[d];
      if (static_cast<double>(bounds_.Held(q, d) + request[d]) <= deserved) return true;
      if (first == kNone) first = d;
    }
    *dimension = first;
    return false;
  }

  bool Deserves(QueueIndex q, Row request) const {
    const MaybeAmounts& deserved = bounds_.deserved(q);
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      if (request[d] > 0 && deserved.value[d] >= kSmallestAmount) return true;
    }
    return false;
  }

  bool Exceeds(QueueIndex q, Row held, Row request) const {
    const MaybeAmounts& deserved = bounds_.deserved(q);
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      if (d == kPods || request[d] <= 0) continue;
      const bool counts =
          d <= kMemory ? deserved.value[d] >= kSmallestAmount : deserved.has[d] != 0;
      if (counts && static_cast<double>(held[d]) > deserved.value[d]) return true;
    }
    return false;
  }

  bool Spares(QueueIndex q, Row held, Row request) const {
    const MaybeAmounts& guarantee = bounds_.guarantee(q);
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      if (!guarantee.has[d]) continue;
      if (static_cast<double>(held[d] - request[d]) < guarantee.value[d]) return false;
    }
    return true;
  }

  static bool Overlap(Row a, Row b) {
    for (DimensionIndex d = 0; d < a.size(); ++d) {
      if (d != kPods && a[d] > 0 && b[d] > 0) return true;
    }
    return false;
  }

  // --- the tree

  bool IsTop(QueueIndex q) const { return q == kNone || bounds_.parent(q) == kNone; }

  // How deep the lowest queue above both is.
  uint32_t Nearness(QueueIndex a, QueueIndex b) const {
    const QueueIndex both = bounds_.AboveBoth(a, b);
    return both == kNone ? 0 : bounds_.depth(both);
  }
  // The queue above `q` at that depth; `q` itself where that is not above it.
  QueueIndex PartingWay(QueueIndex q, uint32_t depth) const {
    return depth < bounds_.depth(q) ? bounds_.Above(q, depth) : q;
  }

  // Whether a queue within reach of both, but the root, is above both.
  bool ShareAnAncestor(QueueIndex a, QueueIndex b) const {
    if (levels_ == 0) return false;
    const QueueIndex both = bounds_.AboveBoth(a, b);
    if (IsTop(both)) return false;
    const uint32_t depth = bounds_.depth(both);
    return bounds_.depth(a) - depth <= levels_ && bounds_.depth(b) - depth <= levels_;
  }

  // Whether the queues above that count may lose the request; they are added to `counted`.
  bool AncestorsSpare(QueueIndex taker, QueueIndex queue, Row request, Books* left,
                      std::vector<QueueIndex>* counted) const {
    QueueIndex above = bounds_.parent(queue), takers = bounds_.parent(taker);
    for (uint32_t level = 1; level <= levels_ && !IsTop(above); ++level) {
      if (above != takers) {
        if (Deserves(above, request) && !Exceeds(above, left->Of(above), request)) return false;
        counted->push_back(above);
      }
      above = bounds_.parent(above);
      if (takers != kNone) takers = bounds_.parent(takers);
    }
    return true;
  }

  // --- shares

  double Share(QueueIndex q) {
    if (!bounds_.leaf(q)) return shares_[q];
    const uint64_t stamp = ledger_->queue_stamp(q);
    if (stamps_[q] != stamp) {
      stamps_[q] = stamp;
      shares_[q] = CountShare(q);
    }
    return shares_[q];
  }

  double CountShare(QueueIndex q) const {
    if (!has_deserved_[q]) return 1;
    const MaybeAmounts& deserved = bounds_.deserved(q);
    double largest = 0;
    for (DimensionIndex d = 0; d < deserved.value.size(); ++d) {
      if (deserved.value[d] < kSmallestAmount) continue;
      const double share = ShareOf(static_cast<double>(bounds_.Held(q, d)), deserved.value[d]);
      if (share > largest) largest = share;
    }
    return largest;
  }

  // Limits from here on bound no sum of requests.
  static constexpr double kBeyondAll = 9e18;

  const bool hierarchy_;
  const uint32_t levels_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  QueueBounds bounds_;
  QueueDemand demand_;
  std::vector<double> shares_;
  std::vector<uint64_t> stamps_;
  std::vector<uint8_t> has_deserved_;  // anything but pods
};

}  // namespace

PolicyDecl CapacityPolicy() {
  return {"capacity",
          "queues may borrow up to their limits and give back beyond what they deserve",
          kCapacityOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Capacity>(options);
          },
          /*revision=*/1,
          [](const Options&, PolicyNeeds* needs) {
            needs->queues |= {.guaranteed = true, .deserved = true, .limit = true};
          }};
}

}  // namespace muster
