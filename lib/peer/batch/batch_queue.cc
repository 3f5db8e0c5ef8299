// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/batch/batch_queue.h"

#include <algorithm>

#include "lib/base/go_sort.h"

namespace muster {
namespace {

// Returns the part of the cluster that the job requests, in the dimension where that is largest,
// times `factor`. The factor comes before the division, so that equal products are equal keys.
double SizeOf(const ActionContext& context, JobIndex job, double factor) {
  const Ledger& ledger = context.ledger;
  double size = 0;
  for (DimensionIndex d = 0; d < ledger.dimensions(); ++d) {
    if (d == kPods || ledger.total()[d] <= 0) continue;
    double sum = 0;
    for (TaskIndex task : context.tables.jobs.tasks[job]) {
      sum += static_cast<double>(ledger.request(task)[d]);
    }
    size = std::max(size, factor * sum / static_cast<double>(ledger.total()[d]));
  }
  return size;
}

}  // namespace

int64_t BatchEstimateOf(const Tables& tables, JobIndex job) {
  return tables.jobs.spec[job].estimate.value_or(kNever);
}

std::vector<JobIndex> BatchQueue(ActionContext& context) {
  std::vector<JobIndex> queue;
  for (const JobIndex job : context.waiting) {
    if (context.IsPending(job)) context.phases[job] = JobPhase::kAdmitted;
    if (context.ledger.job(job).pending() > 0 && context.dispatcher.Valid(job))
      queue.push_back(job);
  }
  GoSort(queue, [&](JobIndex a, JobIndex b) { return context.dispatcher.JobBefore(a, b); });
  return queue;
}

void SortByBatchOrder(const ActionContext& context, std::string_view order,
                      std::vector<JobIndex>* jobs) {
  if (order == "fifo") return;
  std::vector<std::pair<double, JobIndex>> keyed;
  for (JobIndex job : *jobs) {
    const auto estimate = static_cast<double>(BatchEstimateOf(context.tables, job));
    double key = estimate;
    if (order == "ljf") key = -estimate;
    if (order == "smallest") key = SizeOf(context, job, 1);
    if (order == "largest") key = -SizeOf(context, job, 1);
    if (order == "area") key = SizeOf(context, job, estimate);
    keyed.emplace_back(key, job);
  }
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < keyed.size(); ++i) (*jobs)[i] = keyed[i].second;
}

void BatchExplainUndone(ActionContext& context, JobIndex job, const ReasonPtr& failure) {
  Reason reason{ReasonKind::kGangUndone};
  reason.placed = context.ledger.job(job).ready();
  reason.needed = context.tables.jobs.spec[job].min_available;
  if (failure != nullptr) reason.refusals = failure->refusals;
  context.reasons.ExplainJob(job, std::move(reason));
}

std::vector<std::pair<int64_t, TaskIndex>> BatchEnds(const ActionContext& context) {
  const Tables& tables = context.tables;
  std::vector<std::pair<int64_t, TaskIndex>> ends;
  for (JobIndex job = 0; job < tables.jobs.alive.size(); ++job) {
    if (!tables.jobs.alive[job] || context.ledger.job(job).allocated() == 0) continue;
    const int64_t estimate = BatchEstimateOf(tables, job);
    if (estimate == kNever) continue;
    for (TaskIndex task : tables.jobs.tasks[job]) {
      if (!IsAllocated(context.ledger.status(task))) continue;
      const int64_t started = tables.tasks.started[task];
      const int64_t end = (started == kAbsent ? context.facts.now : started) + estimate;
      ends.emplace_back(std::max(end, context.facts.now + 1), task);
    }
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

}  // namespace muster
