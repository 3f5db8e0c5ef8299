// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/replay/trace_parts.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"

namespace muster {

GpuGang GangOf(int64_t gpus) {
  int64_t each = std::min(gpus, kGpusANode);
  while (gpus % each != 0) --each;
  return {gpus / each, each};
}

uint32_t GpuShape(int64_t gpus_each, Numbers* shapes, Trace* trace) {
  const auto [number, added] = shapes->Of(absl::StrCat(gpus_each));
  if (added) trace->shapes.push_back({.request = {{kGpu, gpus_each}}});
  return number;
}

void AddGpuNodes(int64_t count, Trace* trace) {
  for (int64_t i = 0; i < count; ++i) {
    trace->machine.nodes.push_back(
        {.name = absl::StrCat("node-", i), .capacity = {{kGpu, kGpusANode}}});
  }
}

absl::StatusOr<Trace> Checked(Trace trace) {
  if (const absl::Status s = CheckTrace(trace); !s.ok()) {
    return absl::Status(s.code(), absl::StrCat(trace.name, ": ", s.message()));
  }
  return trace;
}

void SortBySubmission(Trace* trace) {
  if (trace->size() == 0) return;
  if (!std::is_sorted(trace->submit.begin(), trace->submit.end())) {
    std::vector<uint32_t> rows(trace->size());
    std::iota(rows.begin(), rows.end(), 0);
    std::stable_sort(rows.begin(), rows.end(),
                     [&](uint32_t a, uint32_t b) { return trace->submit[a] < trace->submit[b]; });
    *trace = SelectJobs(*trace, rows);
  }
  const int64_t first = trace->submit.front();
  for (int64_t& time : trace->submit) time -= first;
  for (NodeEvent& event : trace->node_events) event.time = std::max<int64_t>(event.time - first, 0);
  for (int64_t& time : trace->deadline) {
    if (time != kAbsent) time -= first;
  }
}

void Drop(std::string_view rule, ReadReport* report) {
  if (report == nullptr) return;
  for (auto& [known, count] : report->dropped) {
    if (known == rule) {
      ++count;
      return;
    }
  }
  report->dropped.emplace_back(rule, 1);
}

}  // namespace muster
