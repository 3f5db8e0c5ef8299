// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// elastic-quota: queues lend what they do not request, and are held to their runtime of this
// moment. A policy for other profiles: profile koordinator does not evaluate it, and has
// profile/quota_plugin.h.
//
// Promise. A queue takes a task only if with it, the queue stays within its runtime. The runtime is
// its minimum (`guaranteed`), or its requests if these are less, and by weight its part of what
// other queues leave, up to its maximum (`limit`). A task that cannot be preempted must also stay,
// with all others of its kind in the queue, within the minimum. With `parents` all queues above are
// held to their runtimes as well. A queue that holds more than its runtime of anything is overused.
// The policy orders nothing and evicts nothing.
//
// Peer. Koordinator's elastic quota at PreFilter; lib/peer/koordinator/quota/elastic_tree.h
// divides. Three things differ:
// - Every queue is refreshed here. The peer refreshes a group when it checks a pod of it, and all
//   groups every few seconds.
// - What is being released no longer counts as used here. The peer counts it until it is gone.
// - Shared weights are the queue's weight in every dimension.
// A dimension that the limit does not name is limited as the peer's default group is, by a fifth of
// the largest number.
//
// Ties. None; units that divisions leave go to the names that come first.
//
// Cost. O(queues x dimensions) to look for changes when a cycle opens, and one division among the
// children of each queue below which something changed; O(depth x dimensions) a question.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "lib/extension/cycle.h"
#include "lib/extension/needs.h"
#include "lib/peer/koordinator/policies.h"
#include "lib/peer/koordinator/quota/elastic_tree.h"
#include "lib/peer/koordinator/quota/queue_groups.h"
#include "lib/policy/kept_sums.h"
#include "lib/policy/queue_demand.h"
#include "lib/policy/queue_tree.h"

namespace muster {
namespace {

constexpr OptionDecl kElasticQuotaOptions[] = {
    {"runtime", OptionKind::kFlag, "on", 0, 0, "off: queues are held to their limits alone"},
    {"scale_min", OptionKind::kFlag, "on", 0, 0,
     "minimums shrink together where there is less than all of them"},
    {"parents", OptionKind::kFlag, "off", 0, 0, "the queues above are held to theirs as well"},
};

using Row = std::span<const int64_t>;

class ElasticQuota : public Policy, public GatePolicy, public OrderPolicy {
 public:
  explicit ElasticQuota(const Options& options)
      : runtime_(options.flag("runtime")),
        scale_min_(options.flag("scale_min")),
        parents_(options.flag("parents")) {}

  std::string_view name() const override { return "elastic-quota"; }
  // Order is named only because plans read the queues' shares there.
  PointSet points() const override {
    return {Point::kAllocatable, Point::kOverused, Point::kQueueOrder};
  }
  GatePolicy* gate() override { return this; }
  OrderPolicy* order() override { return this; }  // has no order, and publishes shares

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    dimensions_ = tables_->dimension_count();
    const bool fresh = IsReshaped();
    if (fresh) Plant();
    sound_ = (fresh || sound_) && TellBounds();
    if (sound_) {
      TellLoads();
      tree_->RefreshAll();
      TakeRuntimes();
    }
    FindFixed(cycle);
  }

  bool Overused(QueueIndex queue) override {
    if (!sound_) return false;
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      if (d != kPods && Held(queue, d) > Limit(queue, d)) return true;
    }
    return false;
  }

  Verdict Allocatable(QueueIndex queue, TaskIndex task) override {
    if (!IsOpen(*tables_, queue)) return Verdict::No(Cause::kClosed);
    if (!sound_) return Verdict::No(Cause::kTree);
    const Row request = ledger_->request(task);
    // A dimension of which the queue holds too much counts even if the task does not request it.
    Verdict verdict = StaysWithin(queue, request, /*all=*/true);
    if (verdict.ok() && (tables_->tasks.flags[task] & kTaskPreemptable) == 0) {
      verdict = FixedStayWithin(queue, request);
    }
    for (QueueIndex q = tables_->queues.parent[queue]; verdict.ok() && parents_ && q != kNone;
         q = tables_->queues.parent[q]) {
      verdict = StaysWithin(q, request, /*all=*/false);
    }
    return verdict;
  }

  bool PublishShare(QueueIndex queue, std::vector<double>* deserved, double* share) override {
    if (!sound_) return false;
    *share = 0;
    deserved->assign(dimensions_, 0);
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      if (d == kPods) continue;
      const double runtime = static_cast<double>(Limit(queue, d));
      (*deserved)[d] = runtime;
      if (runtime > 0) *share = std::max(*share, static_cast<double>(Held(queue, d)) / runtime);
    }
    return true;
  }

 private:
  struct Known {
    ElasticTree::Index group = ElasticTree::kNone;
    std::vector<int64_t> bounds;  // as passed to the tree: weight, limits, guarantees
    std::string weight = {};      // as passed to the tree: setting shared-weight
    Sparse request, used;         // of its own tasks
  };

  // --- the tree

  // Returns whether the queues or their parents differ from those that the tree was built from.
  bool IsReshaped() {
    const QueueTable& queues = tables_->queues;
    const bool same = tree_ != nullptr && layout_ == tables_->layout && alive_ == queues.alive &&
                      above_ == queues.parent;
    if (same) return false;
    layout_ = tables_->layout;
    alive_ = queues.alive;
    above_ = queues.parent;
    return true;
  }

  void Plant() {
    tree_ = std::make_unique<ElasticTree>(
        ElasticTree::Options{.scale_min = scale_min_, .has_builtin = false});
    known_.assign(alive_.size(), Known());
    total_.clear();
    order_ = QueuesFromTheTop(tables_->queues);
  }

  // Returns false if the tree cannot hold the queues: one has the name of its root, or there are
  // too many dimensions.
  bool TellBounds() {
    const QueueTable& queues = tables_->queues;
    std::vector<int64_t> bounds(1 + 2 * dimensions_);
    // Dimensions become the tree's resources in their own order.
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      if (!tree_->Intern({{std::string(tables_->dimensions.name(d)), 0}}).ok()) return false;
    }
    for (QueueIndex q : order_) {
      bounds[0] = queues.spec[q].weight;
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        bounds[1 + d] = queues.limit.at(q, d);
        bounds[1 + dimensions_ + d] = queues.guaranteed.at(q, d);
      }
      const std::string_view weight = SharedWeightText(queues.spec[q]);
      if (known_[q].bounds == bounds && known_[q].weight == weight) continue;
      const QuotaGroup group = GroupOfQueue(*tables_, q);
      if (!tree_->Put(group).ok()) return false;
      known_[q].bounds = bounds;
      known_[q].weight = std::string(weight);
      known_[q].group = tree_->IndexOf(group.name);
    }
    return true;
  }

  // Passes on what changed of the nodes' amounts and of what queues hold and wait for.
  void TellLoads() {
    NamedAmounts more;
    total_.resize(dimensions_, 0);
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      const int64_t now = ledger_->total()[d];
      if (d == kPods || now == total_[d]) continue;
      more.emplace_back(std::string(tables_->dimensions.name(d)), now - total_[d]);
      total_[d] = now;
    }
    // Names that were accepted above are not refused.
    if (!more.empty()) sound_ = tree_->AddTotal(more).ok();
    for (QueueIndex q : order_) {
      const Row held = ledger_->queue_allocated(q), waiting = ledger_->queue_pending(q);
      Sparse request, used;
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        if (d == kPods) continue;
        request.Set(d, held[d] + waiting[d]);
        used.Set(d, held[d]);
      }
      Known& known = known_[q];
      const Sparse asks = Difference(request, known.request);
      const Sparse holds = Difference(used, known.used);
      if (!asks.IsZero()) tree_->AddRequest(known.group, asks, Sparse());
      if (!holds.IsZero()) tree_->AddUse(known.group, holds, Sparse());
      known.request = std::move(request);
      known.used = std::move(used);
    }
  }

  void TakeRuntimes() {
    limits_.assign(alive_.size() * dimensions_, kUnlimitedQuota);
    for (QueueIndex q : order_) {
      const Sparse runtime = runtime_ ? tree_->Runtime(known_[q].group) : Sparse();
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        const int64_t limit = tables_->queues.limit.at(q, d);
        int64_t& cell = limits_[q * dimensions_ + d];
        if (runtime.has(d)) cell = runtime.at(d);
        if (!runtime_ && limit != kAbsent) cell = limit;
      }
    }
  }

  // --- questions

  int64_t Held(QueueIndex q, DimensionIndex d) const { return ledger_->tree_allocated(q)[d]; }
  int64_t Limit(QueueIndex q, DimensionIndex d) const { return limits_[q * dimensions_ + d]; }

  Verdict StaysWithin(QueueIndex q, Row request, bool all) const {
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      if (d == kPods || (!all && request[d] == kAbsent)) continue;
      if (Held(q, d) + OrZero(request[d]) <= Limit(q, d)) continue;
      return Verdict::No(runtime_ ? Cause::kDeserved : Cause::kLimit, d);
    }
    return Verdict::Yes();
  }

  // Jobs of each queue with tasks that cannot be preempted.
  void FindFixed(const Cycle& cycle) {
    if (internal::DataOf(cycle).changed == nullptr) {  // indices may mean other jobs
      fixed_jobs_.clear();
      fixed_.clear();
    }
    ForChangedJobs(cycle, [&](JobIndex j) {
      if (const auto known = fixed_jobs_.find(j); known != fixed_jobs_.end()) {
        fixed_[known->second].erase(j);
        fixed_jobs_.erase(known);
      }
      if (!tables_->jobs.alive[j]) return;
      const std::vector<TaskIndex>& tasks = tables_->jobs.tasks[j];
      if (std::all_of(tasks.begin(), tasks.end(), [&](TaskIndex t) { return !IsFixed(t); })) return;
      fixed_jobs_[j] = tables_->jobs.queue[j];
      fixed_[tables_->jobs.queue[j]].insert(j);
    });
  }
  bool IsFixed(TaskIndex t) const { return (tables_->tasks.flags[t] & kTaskPreemptable) == 0; }

  // Only what the minimum names is compared.
  Verdict FixedStayWithin(QueueIndex queue, Row request) {
    std::vector<int64_t> held(dimensions_, 0);
    for (JobIndex j : fixed_[queue]) {
      for (TaskIndex t : tables_->jobs.tasks[j]) {
        if (!IsFixed(t) || !IsAllocated(ledger_->status(t))) continue;
        const Row one = ledger_->request(t);
        for (DimensionIndex d = 0; d < dimensions_; ++d) held[d] += OrZero(one[d]);
      }
    }
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      const int64_t min = tables_->queues.guaranteed.at(queue, d);
      if (d == kPods || min == kAbsent) continue;
      if (held[d] + OrZero(request[d]) <= min) continue;
      return Verdict::No(Cause::kDeserved, d);
    }
    return Verdict::Yes();
  }

  const bool runtime_, scale_min_, parents_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  size_t dimensions_ = 0;
  bool sound_ = false;
  uint64_t layout_ = 0;
  std::vector<uint8_t> alive_;
  std::vector<QueueIndex> above_;
  std::vector<QueueIndex> order_;  // parents before children
  std::unique_ptr<ElasticTree> tree_;
  std::vector<Known> known_;     // by queue
  std::vector<int64_t> total_;   // as passed to the tree
  std::vector<int64_t> limits_;  // by queue and dimension, in this cycle
  absl::btree_map<JobIndex, QueueIndex> fixed_jobs_;
  absl::btree_map<QueueIndex, absl::btree_set<JobIndex>> fixed_;
};

}  // namespace

PolicyDecl ElasticQuotaPolicy() {
  return {"elastic-quota",
          "queues lend what they do not request, and stay within their runtime",
          kElasticQuotaOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<ElasticQuota>(options);
          },
          /*revision=*/1,
          [](const Options&, PolicyNeeds* needs) {
            needs->queues |= {.weight = true, .guaranteed = true, .limit = true};
          }};
}

}  // namespace muster
