// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/policy/queue_demand.h"

#include <utility>

#include "lib/policy/job_demand.h"

namespace muster {

void QueueDemand::Open(const Cycle& cycle, std::vector<QueueIndex> parents) {
  tables_ = &cycle.tables;
  ledger_ = &cycle.ledger;
  dimensions_ = tables_->dimension_count();
  parents_ = std::move(parents);
  promised_.assign(tables_->queues.alive.size() * dimensions_, 0);
  elastic_.assign(tables_->queues.alive.size() * dimensions_, 0);
  const JobTable& jobs = tables_->jobs;
  bool any = false;
  for (JobIndex j = 0; j < jobs.alive.size() && !any; ++j) {
    any = jobs.alive[j] && cycle.phases[j] == JobPhase::kPending;
  }
  if (!any) return;
  for (JobIndex j = 0; j < jobs.alive.size(); ++j) {
    if (!jobs.alive[j]) continue;
    const QueueIndex queue = jobs.queue[j];
    const auto allocated = ledger_->job_allocated(j);
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      const int64_t beyond = allocated[d] - OrZero(jobs.min_resources.at(j, d));
      if (beyond > 0) Add(queue, d, beyond, &elastic_);
    }
    if (!jobs.spec[j].min_resources.has_value()) continue;
    if ((cycle.phases[j] == JobPhase::kAdmitted ||
         RunsItsGang(*tables_, *ledger_, j, cycle.phases[j])) &&
        !HoldsMinimum(*tables_, *ledger_, j)) {
      Promise(queue, DeductGated(*tables_, *ledger_, j, MissingMinimum(*tables_, *ledger_, j)));
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
    if (OrZero(amounts[d]) != 0) Add(queue, d, amounts[d], &promised_);
  }
}

void QueueDemand::Add(QueueIndex queue, DimensionIndex d, int64_t amount,
                      std::vector<double>* cells) {
  for (QueueIndex q = queue; q != kNone; q = parents_.empty() ? kNone : parents_[q]) {
    (*cells)[q * dimensions_ + d] += static_cast<double>(amount);
  }
}

}  // namespace muster
