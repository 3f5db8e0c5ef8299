// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// proportion: every queue gets its weight's worth of the cluster.
//
// Idea. Water filling (water_filling.h) gives each queue with jobs what it deserves. Queues are
// served by the largest fraction of their deserved amount that they hold. A queue that holds all of
// it in every dimension is overused. A task is allocatable while its queue stays within its
// deserved amount in each dimension that the task requests. Tasks of a queue above its deserved
// amount in any dimension may be reclaimed by another queue.
// Rules. These are three different tests for one question. Queues of higher priority come first,
// whatever their share. Admission is against capability, less what elastic jobs could give back.
// Options. limits=off: queues have no priority, guarantee or capability, and the policy neither
// admits jobs nor limits placements. least_amounts=on: amounts compare within the profile's least
// amounts, pods are no amount, and a victim's queue must keep its deserved amount without the
// victim. overfull_nodes=off: nodes that hold more than they have are not divided.
// Ties. Equal shares are left to the next policy. Cost. Water filling once a cycle, O(rounds *
// queues * dimensions); then O(dimensions) after each change of a queue; for admission O(jobs that
// changed).
#include <algorithm>

#include "lib/extension/alike_evictors.h"
#include "lib/extension/cycle.h"
#include "lib/extension/gate_ahead.h"
#include "lib/extension/needs.h"
#include "lib/ledger/overfull.h"
#include "lib/policy/policies.h"
#include "lib/policy/queue_demand.h"
#include "lib/share/share.h"
#include "lib/share/water_filling.h"

namespace muster {
namespace {

constexpr OptionDecl kProportionOptions[] = {
    {"limits", OptionKind::kFlag, "on", 0, 0,
     "queues have priorities, guarantees and limits, and limits bound admission and placements"},
    {"least_amounts", OptionKind::kFlag, "off", 0, 0,
     "amounts compare within the profile's least amounts, and pods are no amount"},
    {"overfull_nodes", OptionKind::kFlag, "on", 0, 0,
     "what is divided counts nodes that hold more than they have"},
};

class Proportion : public Policy,
                   public OrderPolicy,
                   public GatePolicy,
                   public GateAhead,
                   public VictimPolicy,
                   public AlikeEvictors {
 public:
  explicit Proportion(const Options& options)
      : limits_(options.flag("limits")),
        least_amounts_(options.flag("least_amounts")),
        overfull_nodes_(options.flag("overfull_nodes")) {}

  std::string_view name() const override { return "proportion"; }
  PointSet points() const override {
    if (!limits_) return {Point::kQueueOrder, Point::kOverused, Point::kReclaimable};
    return {Point::kQueueOrder, Point::kOverused,    Point::kAllocatable,
            Point::kPreemptive, Point::kReclaimable, Point::kAdmit};
  }
  OrderPolicy* order() override { return this; }
  GatePolicy* gate() override { return this; }
  VictimPolicy* victims() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    const size_t dimensions = tables_->dimension_count();
    const size_t queues = tables_->queues.alive.size();
    slack_.clear();
    for (DimensionIndex d = 0; d < dimensions; ++d) {
      slack_.push_back(static_cast<double>(ledger_->accounting().least.of(d)));
    }
    shares_.assign(queues, 0);
    stamps_.assign(queues, ~uint64_t{0});

    MaybeAmounts total(dimensions);
    const ClusterTotal sum = overfull_nodes_ ? ClusterTotal() : TotalWithoutOverfull(*ledger_);
    const auto amount = overfull_nodes_ ? ledger_->total() : std::span(sum.amount);
    const auto present = overfull_nodes_ ? ledger_->total_present() : std::span(sum.present);
    for (DimensionIndex d = 0; d < dimensions; ++d) {
      if (present[d]) total.Set(d, static_cast<double>(amount[d]));
    }
    MaybeAmounts guaranteed(dimensions);
    for (QueueIndex q = 0; q < queues && limits_; ++q) {
      if (!tables_->queues.alive[q]) continue;
      for (DimensionIndex d = 0; d < dimensions; ++d) {
        const int64_t cell = tables_->queues.guaranteed.at(q, d);
        if (cell != kAbsent) guaranteed.Set(d, guaranteed.value[d] + static_cast<double>(cell));
      }
    }
    const MaybeAmounts unguaranteed = Exceeding(total, guaranteed);
    // Equal claims on equal amounts deserve the same: a task that starts changes no claim.
    if (RenewClaims(unguaranteed) || !(total == total_)) {
      if (least_amounts_) {
        FillByWeightWithin(slack_, total, &claims_);
      } else {
        FillByWeight(total, &claims_);
      }
    }
    total_ = total;
    if (limits_) demand_.Open(cycle, /*parents=*/{});
  }

  int CompareQueues(QueueIndex a, QueueIndex b) override {
    if (limits_) {
      const auto& spec = tables_->queues.spec;
      if (spec[a].priority != spec[b].priority) return spec[a].priority > spec[b].priority ? -1 : 1;
    }
    const double left = Share(a), right = Share(b);
    return left == right ? 0 : left < right ? -1 : 1;
  }

  bool Overused(QueueIndex queue) override {
    const MaybeAmounts* deserved = Deserved(queue);
    if (deserved == nullptr) return false;
    const auto allocated = ledger_->queue_allocated(queue);
    for (DimensionIndex d = 0; d < allocated.size(); ++d) {
      if (!deserved->has[d] || (least_amounts_ && d > kMemory && deserved->value[d] <= slack_[d])) {
        continue;
      }
      const double more = deserved->value[d] - static_cast<double>(allocated[d]);
      if (more >= (least_amounts_ ? slack_[d] : kSmallestAmount)) return false;
    }
    return true;
  }

  Verdict Allocatable(QueueIndex queue, TaskIndex task) override {
    return Preemptive(queue, ledger_->request(task));
  }
  // What the queue holds only grows: where it may hold the sum, it may hold each before.
  bool AllocatableAll(QueueIndex queue, std::span<const TaskIndex> tasks) override {
    sum_.assign(tables_->dimension_count(), 0);
    for (const TaskIndex task : tasks) {
      const auto request = ledger_->request(task);
      for (size_t d = 0; d < request.size(); ++d) sum_[d] += request[d];
    }
    return IsOpen(*tables_, queue) && MayHold(queue, sum_).ok();
  }
  bool AllocatableTrial(QueueIndex queue, TaskIndex task) override {
    return MayHold(queue, ledger_->request(task)).ok();
  }
  Verdict Preemptive(QueueIndex queue, std::span<const int64_t> request) override {
    return IsOpen(*tables_, queue) ? MayHold(queue, request) : Verdict::No(Cause::kClosed);
  }
  Verdict MayHold(QueueIndex queue, std::span<const int64_t> request) const {
    const MaybeAmounts* deserved = Deserved(queue);
    if (deserved == nullptr) return Verdict::Yes();
    const auto allocated = ledger_->queue_allocated(queue);
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      if (d == kPods || request[d] <= 0) continue;
      if (static_cast<double>(allocated[d] + request[d]) > deserved->value[d]) {
        return Verdict::No(Cause::kDeserved, d);
      }
    }
    return Verdict::Yes();
  }

  Vote Reclaimable(TaskIndex, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    std::vector<std::pair<QueueIndex, std::vector<int64_t>>> left;
    for (TaskIndex t : candidates) {
      const JobIndex job = tables_->tasks.job[t];
      if (job == kNone) continue;
      const QueueIndex queue = tables_->jobs.queue[job];
      size_t i = 0;
      while (i < left.size() && left[i].first != queue) ++i;
      if (i == left.size()) {
        const auto allocated = ledger_->queue_allocated(queue);
        left.emplace_back(queue, std::vector<int64_t>(allocated.begin(), allocated.end()));
      }
      if (least_amounts_ ? KeepsDeserved(queue, t, &left[i].second)
                         : Spare(queue, left[i].second)) {
        chosen->push_back(t);
        if (!least_amounts_) Subtract(t, &left[i].second);
      }
    }
    return Vote::kPermit;
  }

  Verdict Admit(JobIndex job) override {
    const QueueIndex queue = tables_->jobs.queue[job];
    if (!IsOpen(*tables_, queue)) return Verdict::No(Cause::kClosed);
    if (!tables_->jobs.spec[job].min_resources.has_value()) return Verdict::Yes();
    const auto minimum = tables_->jobs.min_resources.row(job);
    const auto allocated = ledger_->queue_allocated(queue);
    const MaybeAmounts& capability = claims_[claim_of_[queue]].capability;
    for (DimensionIndex d = 0; d < minimum.size(); ++d) {
      if (d == kPods || OrZero(minimum[d]) <= 0) continue;
      const double wanted = demand_.Wanted(queue, d, minimum[d], allocated[d]);
      if (wanted > (capability.has[d] ? capability.value[d] : 0)) {
        return Verdict::No(Cause::kLimit, d);
      }
    }
    return Verdict::Yes();
  }

  void Admitted(JobIndex job) override { demand_.Admitted(job); }

  bool PublishShare(QueueIndex queue, std::vector<double>* deserved, double* share) override {
    const MaybeAmounts* amounts = Deserved(queue);
    if (amounts == nullptr) return false;
    deserved->assign(amounts->value.begin(), amounts->value.end());
    *share = Share(queue);
    return true;
  }

 private:
  // Returns whether any claim has changed. A claim depends on `unguaranteed`, and on the row and
  // the account of its queue; the queue's stamp tells of changes of both.
  bool RenewClaims(const MaybeAmounts& unguaranteed) {
    const QueueTable& queues = tables_->queues;
    std::vector<uint32_t> claim_of(queues.alive.size(), kNone);
    uint32_t claims = 0;
    for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
      if (queues.alive[q] && queues.jobs[q] > 0) claim_of[q] = claims++;
    }
    const bool all = std::exchange(claimed_in_, ledger_) != ledger_ || claim_of != claim_of_ ||
                     !(unguaranteed == unguaranteed_);
    claim_of_ = std::move(claim_of);
    unguaranteed_ = unguaranteed;
    claimed_at_.resize(queues.alive.size());
    bool changed = claims_.size() != claims;
    claims_.resize(claims);
    for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
      if (claim_of_[q] == kNone) continue;
      const uint64_t stamp = ledger_->queue_stamp(q);
      if (std::exchange(claimed_at_[q], stamp) == stamp && !all) continue;
      changed |= RenewClaim(q, unguaranteed, &claims_[claim_of_[q]]);
    }
    return changed;
  }

  bool RenewClaim(QueueIndex q, const MaybeAmounts& unguaranteed, Claim* claim) const {
    const size_t dimensions = tables_->dimension_count();
    bool changed = claim->request.value.size() != dimensions;
    if (changed) claim->request = claim->guarantee = claim->capability = MaybeAmounts(dimensions);
    const double weight = static_cast<double>(tables_->queues.spec[q].weight);
    changed |= claim->weight != weight;
    claim->weight = weight;
    const AmountCells request(claim->request), guarantee(claim->guarantee),
        capability(claim->capability);
    const auto allocated = ledger_->queue_allocated(q), pending = ledger_->queue_pending(q);
    const auto guarantees = tables_->queues.guaranteed.row(q),
               limits = tables_->queues.limit.row(q);
    for (DimensionIndex d = 0; d < dimensions; ++d) {
      const bool always = d <= kMemory;
      const int64_t wanted = least_amounts_ && d == kPods ? 0 : allocated[d] + pending[d];
      changed |= request.Put(d, wanted != 0 || always, static_cast<double>(wanted));
      const bool has = limits_ && guarantees[d] != kAbsent;
      const double guaranteed = has ? static_cast<double>(guarantees[d]) : 0;
      changed |= guarantee.Put(d, has || always, guaranteed);
      const bool capped = unguaranteed.has[d] || has;
      double most = unguaranteed.value[d] + guaranteed;
      int64_t limit = limits_ ? limits[d] : kAbsent;
      if (d <= kMemory && limit != kAbsent && limit <= 0) limit = kAbsent;
      if (limit != kAbsent && capped) most = std::min(most, static_cast<double>(limit));
      changed |= capability.Put(d, capped, most);
    }
    return changed;
  }

  const MaybeAmounts* Deserved(QueueIndex queue) const {
    return claim_of_[queue] == kNone ? nullptr : &claims_[claim_of_[queue]].deserved;
  }

  double Share(QueueIndex queue) {
    const uint64_t stamp = ledger_->queue_stamp(queue);
    if (stamps_[queue] == stamp) return shares_[queue];
    stamps_[queue] = stamp;
    double largest = 0;
    if (const MaybeAmounts* deserved = Deserved(queue)) {
      const auto allocated = ledger_->queue_allocated(queue);
      for (DimensionIndex d = 0; d < allocated.size(); ++d) {
        const bool counts = least_amounts_ ? static_cast<bool>(deserved->has[d])
                                           : deserved->value[d] >= kSmallestAmount;
        if (!counts) continue;
        const double share = ShareOf(static_cast<double>(allocated[d]), deserved->value[d]);
        if (share > largest) largest = share;
      }
    }
    return shares_[queue] = largest;
  }

  bool Spare(QueueIndex queue, const std::vector<int64_t>& allocated) const {
    const MaybeAmounts* deserved = Deserved(queue);
    for (DimensionIndex d = 0; d < allocated.size(); ++d) {
      const double held = static_cast<double>(allocated[d]);
      const double limit = deserved == nullptr ? 0 : deserved->value[d];
      if (!(held < limit || held - limit < kSmallestAmount)) return true;
    }
    return false;
  }

  // The victim's request is taken away whether it is then chosen or not, unless the queue holds
  // less than it.
  bool KeepsDeserved(QueueIndex queue, TaskIndex t, std::vector<int64_t>* allocated) const {
    const MaybeAmounts* deserved = Deserved(queue);
    const auto request = ledger_->request(t);
    bool less = true;
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      if (d == kPods || (d > kPods && (*allocated)[d] == 0 && request[d] == 0)) continue;
      less &= (*allocated)[d] < request[d];
    }
    if (less || deserved == nullptr) return false;
    Subtract(t, allocated);
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      if (!deserved->has[d] || (d > kMemory && deserved->value[d] <= slack_[d])) continue;
      if (deserved->value[d] - static_cast<double>((*allocated)[d]) >= slack_[d]) return false;
    }
    return true;
  }

  void Subtract(TaskIndex t, std::vector<int64_t>* allocated) const {
    const auto request = ledger_->request(t);
    for (size_t d = 0; d < request.size(); ++d) (*allocated)[d] -= request[d];
  }

  const bool limits_, least_amounts_, overfull_nodes_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  std::vector<double> slack_;  // the profile's least amounts, by dimension
  MaybeAmounts total_;
  std::vector<uint32_t> claim_of_;
  std::vector<Claim> claims_;
  // What the claims were made of: the books, the stamp of each queue, and what is left to all.
  const Ledger* claimed_in_ = nullptr;
  std::vector<uint64_t> claimed_at_;
  MaybeAmounts unguaranteed_;
  std::vector<double> shares_;
  std::vector<uint64_t> stamps_;
  std::vector<int64_t> sum_;  // scratch
  QueueDemand demand_;
};

}  // namespace

PolicyDecl ProportionPolicy() {
  return {"proportion",
          "every queue gets its weight's worth of the cluster",
          kProportionOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Proportion>(options);
          },
          /*revision=*/1,
          [](const Options& options, PolicyNeeds* needs) {
            needs->whole_nodes |= !options.flag("overfull_nodes");
            needs->queues |= {.weight = true, .guaranteed = true, .limit = true};
          }};
}

}  // namespace muster
