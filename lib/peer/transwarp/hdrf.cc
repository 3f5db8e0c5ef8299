// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// hdrf: dominant resource fairness between sibling queues, at every level of the queue tree.
//
// Idea. A queue's share is the largest part of anything in the cluster that it holds, over its
// weight. Among siblings the smallest share goes first. A queue without children holds what its
// jobs hold. What an inner queue holds is made up of its children's holdings in one of three forms
// (Bhattacharya et al., 2013):
//   naive    their sum. A group of children that need different resources then counts for the
//            largest of them, and a child that can grow is starved by a sibling that has grown;
//   static   each child that holds anything scaled down to the smallest share among them;
//   dynamic  each child that is in line scaled down to the smallest share among those in line,
//            others as they are; what is used up counts for no inner queue's share.
// A queue is in line while a job of it, or of a queue below it, still takes turns
// (Policy::SetInLine). A queue leaves the line when nothing of it waits, when it has reached a
// limit, or when it found no node with room. It then holds no sibling down. Where queues do not
// take turns along their tree, a queue with pending tasks is in line. An inner queue's own jobs go
// before its children. What they hold is added as it is, as is what children of weight 0 hold,
// which go last.
//
// Guarantee. naive compares fractions of integers exactly. naive, and with leaves right below the
// root all forms, are weighted DRF: the queue in turn has the smallest share. So the shares over
// weights of two queues that can both still grow differ by a task at most. static and dynamic are
// doubles, added up in ascending order of children.
//
// Ties. Larger priority, then the next policy.
//
// Cost. O(depth * children * dimensions) after each change of a job, along its way to the root; all
// queues when a resource is used up or free again.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "lib/extension/cycle.h"
#include "lib/extension/needs.h"
#include "lib/peer/transwarp/policies.h"
#include "lib/policy/queue_tree.h"
#include "lib/share/exact_share.h"

namespace muster {
namespace {

constexpr OptionDecl kHdrfOptions[] = {
    {"form", OptionKind::kChoice, "dynamic", 0, 0,
     "naive|static|dynamic: what inner queues hold, their children's sum, or scaled to the "
     "smallest"},
};

class Hdrf : public Policy, public OrderPolicy {
 public:
  explicit Hdrf(const Options& options)
      : naive_(options.text("form") == "naive"), dynamic_(options.text("form") == "dynamic") {}

  std::string_view name() const override { return "hdrf"; }
  PointSet points() const override { return {Point::kQueueOrder}; }
  OrderPolicy* order() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    dimensions_ = tables_->dimension_count();
    followed_ = ledger_->job_journal().size();
    const size_t queues = tables_->queues.alive.size();
    OrderTree();
    exact_.assign(queues, {});
    shares_.assign(queues, 0);
    parts_.assign(queues * dimensions_, 0);
    roots_held_.assign(queues * dimensions_, 0);
    held_.assign(dimensions_, 0);
    used_up_.assign(dimensions_, 0);
    stale_.assign(queues, 0);
    in_line_.assign(queues, 0);
    for (QueueIndex q : order_) in_line_[q] = ledger_->tree_pending(q)[kPods] > 0;
    marked_.clear();
    MarkAll();
  }

  void BeginTurns() override {
    if (!dynamic_) return;
    std::fill(in_line_.begin(), in_line_.end(), 0);
    MarkAll();
  }
  void SetInLine(QueueIndex queue, bool in_line) override {
    in_line_[queue] = in_line;
    if (dynamic_) MarkWay(tables_->queues.parent[queue]);
  }
  uint64_t QueueOrderEpoch() override {
    Refresh();
    return epoch_;
  }

  int CompareQueues(QueueIndex a, QueueIndex b) override {
    Refresh();
    const auto& spec = tables_->queues.spec;
    if (naive_) {
      const int order = CompareShares(exact_[a], spec[a].weight, exact_[b], spec[b].weight);
      if (order != 0) return order;
    } else if (shares_[a] != shares_[b]) {
      return shares_[a] < shares_[b] ? -1 : 1;
    }
    return Sign(static_cast<int64_t>(spec[b].priority) - spec[a].priority);
  }

 private:
  void OrderTree() {
    order_ = QueuesFromTheTop(tables_->queues);
    place_.assign(tables_->queues.alive.size(), 0);
    for (size_t i = 0; i < order_.size(); ++i) place_[order_[i]] = static_cast<uint32_t>(i);
  }

  void MarkWay(QueueIndex queue) {
    for (QueueIndex q = queue; q != kNone && !stale_[q]; q = tables_->queues.parent[q]) {
      stale_[q] = 1;
      marked_.push_back(q);
    }
  }
  void MarkAll() {
    marked_ = order_;
    for (QueueIndex q : order_) stale_[q] = 1;
  }

  void Refresh() {
    const auto journal = ledger_->job_journal();
    for (; followed_ < journal.size(); ++followed_) {
      MarkWay(tables_->jobs.queue[journal[followed_]]);
    }
    if (marked_.empty()) return;
    if (dynamic_ && SeeWhatIsUsedUp()) {
      ++epoch_;
      MarkAll();
    }
    // Children before their parents.
    std::sort(marked_.begin(), marked_.end(),
              [this](QueueIndex a, QueueIndex b) { return place_[a] > place_[b]; });
    for (QueueIndex q : marked_) Count(q);
    marked_.clear();
  }

  // Returns whether any resource has been used up now, or become free again.
  bool SeeWhatIsUsedUp() {
    for (QueueIndex q : marked_) {
      if (tables_->queues.parent[q] != kNone) continue;
      const auto held = ledger_->tree_allocated(q);
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        int64_t& known = roots_held_[q * dimensions_ + d];
        held_[d] += held[d] - known;
        known = held[d];
      }
    }
    bool changed = false;
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      const uint8_t used_up = held_[d] >= ledger_->total()[d];
      changed |= used_up != used_up_[d];
      used_up_[d] = used_up;
    }
    return changed;
  }

  void Count(QueueIndex q) {
    stale_[q] = 0;
    if (naive_) {
      exact_[q] = ExactDominantShare(ledger_->tree_allocated(q), ledger_->total());
      return;
    }
    const auto own = ledger_->queue_allocated(q);
    double* parts = &parts_[q * dimensions_];
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      const int64_t total = ledger_->total()[d];
      parts[d] = total <= 0 ? 0 : static_cast<double>(own[d]) / static_cast<double>(total);
    }
    const auto& children = tables_->queues.children[q];
    if (!children.empty()) AddChildren(children, parts);
    double largest = 0;
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      const bool left_out = d == kPods || (dynamic_ && !children.empty() && used_up_[d]);
      if (!left_out) largest = std::max(largest, parts[d]);
    }
    const int64_t weight = tables_->queues.spec[q].weight;
    shares_[q] = weight > 0 ? largest / static_cast<double>(weight) : kInfinity;
  }

  void AddChildren(const std::vector<QueueIndex>& children, double* parts) const {
    double smallest = kInfinity;
    for (QueueIndex c : children) {
      if (IsScaled(c)) smallest = std::min(smallest, shares_[c]);
    }
    for (QueueIndex c : children) {
      const bool scaled = IsScaled(c);
      if (scaled && shares_[c] == 0) continue;
      const double factor = scaled ? smallest / shares_[c] : 1.0;
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        parts[d] += parts_[c * dimensions_ + d] * factor;
      }
    }
  }

  bool IsScaled(QueueIndex q) const {
    if (tables_->queues.spec[q].weight == 0) return false;
    if (dynamic_) return in_line_[q];
    return ledger_->tree_allocated(q)[kPods] > 0 || ledger_->tree_pending(q)[kPods] > 0;
  }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  const bool naive_, dynamic_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  size_t dimensions_ = 0;
  size_t followed_ = 0;  // of the ledger's journal
  uint64_t epoch_ = 0;
  std::vector<QueueIndex> order_;  // parents before children
  std::vector<uint32_t> place_;    // in order_
  std::vector<ExactShare> exact_;  // naive
  std::vector<double> shares_;     // over weight
  std::vector<double> parts_;      // per queue and dimension: of the cluster, as it counts above
  std::vector<int64_t> roots_held_, held_;
  std::vector<uint8_t> used_up_, stale_, in_line_;
  std::vector<QueueIndex> marked_;  // the stale ones
};

}  // namespace

PolicyDecl HdrfPolicy() {
  return {"hdrf",
          "dominant resource fairness between queues at every level of their tree",
          kHdrfOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Hdrf>(options);
          },
          /*revision=*/1,
          [](const Options&, PolicyNeeds* needs) { needs->queues |= {.weight = true}; }};
}

}  // namespace muster
