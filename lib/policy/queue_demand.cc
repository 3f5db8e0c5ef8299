// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/policy/queue_demand.h"

#include <algorithm>
#include <utility>

#include "lib/extension/cycle.h"
#include "lib/policy/job_demand.h"

namespace muster {

void QueueDemand::Open(const Cycle& cycle, std::vector<QueueIndex> parents) {
  tables_ = &internal::DataOf(cycle).tables;
  ledger_ = &internal::DataOf(cycle).ledger;
  dimensions_ = tables_->dimension_count();
  parents_ = std::move(parents);
  const size_t queues = tables_->queues.alive.size();
  promised_.assign(queues * dimensions_, 0);
  elastic_.assign(queues * dimensions_, 0);
  promises_.Resize(queues, dimensions_);
  spares_.Resize(queues, dimensions_);
  pending_.Resize(1, 1);
  const JobTable& jobs = tables_->jobs;
  static constexpr int64_t kOne = 1;
  std::vector<int64_t> beyond(dimensions_, 0);
  ForChangedJobs(cycle, [&](JobIndex j) {
    if (!jobs.alive[j]) {
      promises_.Put(j, 0, {});
      spares_.Put(j, 0, {});
      pending_.Put(j, 0, {});
      return;
    }
    const bool is_pending = internal::DataOf(cycle).phases[j] == JobPhase::kPending;
    pending_.Put(j, 0, std::span(&kOne, is_pending ? 1 : 0));
    const QueueIndex queue = jobs.queue[j];
    const auto allocated = ledger_->job_allocated(j);
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      // No question is about pods.
      beyond[d] =
          d == kPods ? 0 : std::max<int64_t>(0, allocated[d] - OrZero(jobs.min_resources.at(j, d)));
    }
    spares_.Put(j, queue, beyond);
    std::vector<int64_t> missing;
    if (jobs.spec[j].min_resources.has_value() &&
        (internal::DataOf(cycle).phases[j] == JobPhase::kAdmitted ||
         RunsItsGang(*tables_, *ledger_, j, internal::DataOf(cycle).phases[j])) &&
        !HoldsMinimum(*tables_, *ledger_, j)) {
      missing = DeductGated(*tables_, *ledger_, j, MissingMinimum(*tables_, *ledger_, j));
      for (int64_t& amount : missing) amount = OrZero(amount);
    }
    promises_.Put(j, queue, missing);
  });
  if (pending_.Sum(0, 0) == 0) return;
  for (QueueIndex q = 0; q < queues; ++q) {
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      Add(q, d, promises_.Sum(q, d), &promised_);
      Add(q, d, spares_.Sum(q, d), &elastic_);
    }
  }
}

void QueueDemand::Admitted(JobIndex job) {
  if (!tables_->jobs.spec[job].min_resources.has_value()) return;
  const auto minimum = tables_->jobs.min_resources.row(job);
  Promise(tables_->jobs.queue[job],
          DeductGated(*tables_, *ledger_, job, {minimum.begin(), minimum.end()}));
}

void QueueDemand::Promise(QueueIndex queue, const std::vector<int64_t>& amounts) {
  for (DimensionIndex d = 0; d < amounts.size(); ++d) {
    Add(queue, d, static_cast<double>(OrZero(amounts[d])), &promised_);
  }
}

void QueueDemand::Add(QueueIndex queue, DimensionIndex d, double amount,
                      std::vector<double>* cells) {
  if (amount == 0) return;
  for (QueueIndex q = queue; q != kNone; q = parents_.empty() ? kNone : parents_[q]) {
    (*cells)[q * dimensions_ + d] += amount;
  }
}

}  // namespace muster
