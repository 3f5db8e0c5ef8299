// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Replays of traces, from columns to columns.
#include "muster/replay.h"

#include <utility>
#include <vector>

#include "capi/boundary.h"
#include "capi/handles.h"
#include "capi/replay/trace.h"
#include "muster/metrics.h"
#include "muster/trace.h"

struct muster_replay {
  muster::ReplayResult result;
  std::vector<int32_t> outcome;
  muster_replay_view view = MUSTER_REPLAY_VIEW_INIT;
};

namespace muster::capi {
namespace {

absl::Status Play(const muster_pool_trace* trace, const muster_table* nodes,
                  const muster_table* tasks, const char* policy, const muster_stop* stop,
                  muster_replay** out) {
  if (trace == nullptr) return NullArgument("trace");
  if (policy == nullptr) return NullArgument("policy");
  if (out == nullptr) return NullArgument("out");
  const absl::StatusOr<Trace> jobs = TraceOf(trace, nodes, tasks);
  if (!jobs.ok()) return jobs.status();
  ReplayOptions options;
  options.series_interval = -1;
  if (stop != nullptr) {
    options.should_stop = [stop] { return stop->is_set.load(std::memory_order_relaxed) != 0; };
  }
  absl::StatusOr<ReplayResult> result = Replay(*jobs, policy, options);
  if (!result.ok()) return result.status();
  if (!result->complete) return absl::CancelledError("replay: stopped before its end");
  auto made = std::make_unique<muster_replay>();
  made->result = *std::move(result);
  const ReplayResult& r = made->result;
  const Metrics metrics = Measure(*jobs, r);
  for (JobOutcome outcome : r.outcome) {
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
}

}  // namespace
}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's

muster_status muster_replay_pool(const muster_pool_trace* trace, const char* policy,
                                 const muster_stop* stop, muster_replay** out,
                                 muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&] { return Play(trace, nullptr, nullptr, policy, stop, out); });
}

muster_status muster_replay_nodes(const muster_pool_trace* trace, const muster_table* nodes,
                                  const muster_table* tasks, const char* policy,
                                  const muster_stop* stop, muster_replay** out,
                                  muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (nodes == nullptr) return NullArgument("nodes");
    return Play(trace, nodes, tasks, policy, stop, out);
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
