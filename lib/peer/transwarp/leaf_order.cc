// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// leaf-order: each queue has its own order of jobs.
//
// Promise. In a queue jobs go by its `job_order`:
//   fifo, ""   by age alone
//   fair       the one with the fewest tasks in place first (the slots of old fair schedulers)
//   priority   the one of the highest priority first
//   drf        the one with the smallest dominant share of the cluster first, compared exactly
// Jobs in different queues are compared only where earlier promises are served. Those of the older
// queue then go first, so that the order is total for any settings. A job may take from another one
// of its queue only where the order is `priority` and the other's priority is lower: no other order
// defines a lesser job.
//
// Ties. The next policy, in the end age (created, uid rank, index).
//
// Cost. O(dimensions) a comparison.
#include <memory>
#include <utility>
#include <vector>

#include "lib/extension/cycle.h"
#include "lib/extension/job_keep.h"
#include "lib/peer/transwarp/policies.h"
#include "lib/share/exact_share.h"

namespace muster {
namespace {

class LeafOrder : public Policy, public OrderPolicy, public JobKeep, public VictimPolicy {
 public:
  std::string_view name() const override { return "leaf-order"; }
  PointSet points() const override { return {Point::kJobOrder, Point::kPreemptable}; }
  Traits traits() const override {
    Traits traits;
    traits.judges_in_order = true;
    return traits;
  }
  OrderPolicy* order() override { return this; }
  VictimPolicy* victims() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    std::vector<Row> rows;
    for (const QueueSpec& queue : tables_->queues.spec) {
      rows.push_back({queue.job_order, queue.created, queue.uid_rank});
    }
    std::vector<int64_t> total(ledger_->total().begin(), ledger_->total().end());
    if (rows == rows_ && total == total_) return;
    rows_ = std::move(rows);
    total_ = std::move(total);
    ++epoch_;
  }
  // Jobs go by what queues have and by parts of the cluster, too.
  uint64_t JobEpoch() const override { return epoch_; }

  int CompareJobs(JobIndex a, JobIndex b) override {
    const QueueIndex queue = tables_->jobs.queue[a], other = tables_->jobs.queue[b];
    if (queue != other) return CompareAges(queue, other);
    switch (rows_[queue].order) {
      case JobOrder::kFair:
        return Sign(InPlace(a) - InPlace(b));
      case JobOrder::kPriority:
        return Sign(PriorityOf(b) - PriorityOf(a));
      case JobOrder::kDrf:
        return CompareShares(ShareOf(a), 1, ShareOf(b), 1);
      case JobOrder::kUnset:
      case JobOrder::kFifo:
        break;
    }
    return 0;
  }

  Vote Preemptable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    const JobIndex own = tables_->tasks.job[evictor];
    for (TaskIndex t : candidates) {
      const JobIndex job = tables_->tasks.job[t];
      if (job != kNone && rows_[tables_->jobs.queue[job]].order == JobOrder::kPriority &&
          PriorityOf(job) < PriorityOf(own)) {
        chosen->push_back(t);
      }
    }
    return Vote::kPermit;
  }

 private:
  // What orders jobs by their queue.
  struct Row {
    JobOrder order;
    int64_t created, uid_rank;
    friend bool operator==(const Row&, const Row&) = default;
  };

  int CompareAges(QueueIndex a, QueueIndex b) const {
    const QueueSpec &left = tables_->queues.spec[a], &right = tables_->queues.spec[b];
    if (left.created != right.created) return left.created < right.created ? -1 : 1;
    if (left.uid_rank != right.uid_rank) return left.uid_rank < right.uid_rank ? -1 : 1;
    return a < b ? -1 : 1;
  }
  int64_t PriorityOf(JobIndex job) const { return tables_->jobs.spec[job].priority; }
  int64_t InPlace(JobIndex job) const {
    return int64_t{ledger_->job(job).allocated()} + ledger_->job(job).nominated();
  }
  ExactShare ShareOf(JobIndex job) const {
    return ExactDominantShare(ledger_->job_allocated(job), ledger_->total());
  }

  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  std::vector<Row> rows_;       // of queues
  std::vector<int64_t> total_;  // of the cluster
  uint64_t epoch_ = 0;
};

}  // namespace

PolicyDecl LeafOrderPolicy() {
  return {"leaf-order",
          "each queue has its own order of jobs",
          {},
          [](const Options&) -> std::unique_ptr<Policy> { return std::make_unique<LeafOrder>(); }};
}

}  // namespace muster
