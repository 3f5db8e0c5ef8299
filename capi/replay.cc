// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Traces on a pool of processors, from columns to columns.
#include "muster/replay.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "capi/boundary.h"
#include "capi/handles.h"
#include "muster/metrics.h"
#include "muster/trace.h"

struct muster_replay {
  muster::ReplayResult result;
  std::vector<int32_t> outcome;
  muster_replay_view view = MUSTER_REPLAY_VIEW_INIT;
};

namespace muster::capi {
namespace {

absl::StatusOr<Trace> TraceOf(const muster_pool_trace& given) {
  if (given.count < 0) {
    return absl::InvalidArgumentError(absl::StrCat("muster_pool_trace: count is ", given.count));
  }
  if (given.count > 0 &&
      (given.submit == nullptr || given.run == nullptr || given.tasks == nullptr)) {
    return absl::InvalidArgumentError("muster_pool_trace: submit, run or tasks is NULL");
  }
  Trace trace;
  trace.processors = given.processors;
  for (int64_t i = 0; i < given.count; ++i) {
    TraceJob job;
    job.submit = given.submit[i];
    job.run = given.run[i];
    job.tasks = given.tasks[i];
    if (given.estimate != nullptr && given.estimate[i] != kAbsent) job.estimate = given.estimate[i];
    if (absl::Status s = AddJob(job, &trace); !s.ok()) {
      return absl::Status(s.code(), absl::StrCat("muster_pool_trace: job ", i, ": ", s.message()));
    }
  }
  return trace;
}

}  // namespace
}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's

muster_status muster_replay_pool(const muster_pool_trace* trace, const char* policy,
                                 const muster_cancel* cancel, muster_replay** out,
                                 muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (trace == nullptr) return NullArgument("trace");
    if (policy == nullptr) return NullArgument("policy");
    if (out == nullptr) return NullArgument("out");
    muster_pool_trace given = MUSTER_POOL_TRACE_INIT;
    if (absl::Status s = ReadStruct("muster_pool_trace", trace, &given); !s.ok()) return s;
    const absl::StatusOr<muster::Trace> jobs = TraceOf(given);
    if (!jobs.ok()) return jobs.status();
    muster::ReplayOptions options;
    options.series_interval = -1;
    if (cancel != nullptr) {
      options.should_stop = [cancel] {
        return cancel->cancelled.load(std::memory_order_relaxed) != 0;
      };
    }
    absl::StatusOr<muster::ReplayResult> result = muster::Replay(*jobs, policy, options);
    if (!result.ok()) return result.status();
    if (!result->complete) return absl::CancelledError("replay: cancelled before its end");
    auto made = std::make_unique<muster_replay>();
    made->result = *std::move(result);
    const muster::ReplayResult& r = made->result;
    const muster::Metrics metrics = muster::Measure(*jobs, r);
    for (muster::JobOutcome outcome : r.outcome) {
      made->outcome.push_back(static_cast<int32_t>(outcome));
    }
    muster_replay_view& view = made->view;
    view.complete = 1;
    view.count = static_cast<int64_t>(r.submit.size());
    view.submit = r.submit.data();
    view.start = r.start.data();
    view.end = r.end.data();
    view.outcome = made->outcome.data();
    view.events = r.events;
    view.passes = r.passes;
    view.wait_mean = metrics.all.wait.mean;
    view.slowdown_mean = metrics.all.bounded_slowdown.mean;
    view.utilisation = metrics.utilisation;
    view.makespan = metrics.makespan;
    *out = made.release();
    return absl::OkStatus();
  });
}

muster_status muster_replay_get_view(const muster_replay* replay, muster_replay_view* view,
                                     muster_error* error) {
  return Guard(error, [&]() -> absl::Status {
    if (replay == nullptr) return NullArgument("replay");
    return WriteStruct("muster_replay_view", replay->view, view);
  });
}

void muster_replay_free(muster_replay* replay) { delete replay; }
