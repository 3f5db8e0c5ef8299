// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// ITP, ten of Microsoft's training clusters: raw rows, or with the deadlines that ElasticFlow's
// authors generated.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/replay/table_reader.h"
#include "lib/replay/trace_parts.h"

namespace muster {

absl::StatusOr<Trace> ReadItp(const TraceFile& file, const ItpOptions& options,
                              ReadReport* report) {
  Trace trace;
  trace.name = file.name;
  Numbers shapes;
  Budget budget(options.read.limits);
  TableReader table(file, options.read, report, &budget);
  const int id = table.Require("job_id"), submit = table.Require("submission_time"),
            duration = table.Require("duration"), gpus = table.Require("num_gpu"),
            deadline = table.Optional("deadline");
  double gpu_seconds = 0;
  int64_t first = kEndless, last = 0, largest = 1;
  while (table.NextRow()) {
    TraceJob job;
    job.id = table.Integer(id, 0, kEndless);
    job.submit = table.Scaled(submit, 1, 0, kEndless);
    job.run = table.Scaled(duration, 1, 0, kEndless);
    const int64_t count = table.Integer(gpus, 1, 1 << 20);
    if (table.Has(deadline)) job.deadline = table.Scaled(deadline, 1, 0, kEndless);
    if (!table.EndRow()) continue;
    if (job.run == 0) {
      Drop("no run time", report);
      continue;
    }
    if (!table.Charge(1)) break;
    const GpuGang gang = GangOf(count);
    job.tasks = gang.tasks;
    job.shape = GpuShape(gang.gpus_each, &shapes, &trace);
    gpu_seconds += static_cast<double>(job.run) * static_cast<double>(count);
    first = std::min(first, job.submit);
    last = std::max(last, job.submit);
    largest = std::max(largest, (count + kGpusANode - 1) / kGpusANode);
    if (absl::Status s = AddJob(job, &trace); !s.ok()) return s;
  }
  if (!table.status().ok()) return table.status();
  int64_t nodes = options.nodes;
  if (nodes <= 0) {
    const double busy = gpu_seconds / static_cast<double>(std::max<int64_t>(last - first, 1));
    // Far above any limit of rows, and far below what a cast would not hold.
    constexpr double kMost = 9007199254740992.0;
    nodes = std::max(largest, static_cast<int64_t>(std::min(busy / 0.8 / kGpusANode, kMost)) + 1);
  }
  if (const std::string rule = budget.AddRows(nodes); !rule.empty()) {
    return absl::ResourceExhaustedError(
        absl::StrCat(file.name, ": with ", nodes, " nodes, ", rule));
  }
  AddGpuNodes(nodes, &trace);
  SortBySubmission(&trace);
  if (report != nullptr) report->jobs = static_cast<int64_t>(trace.size());
  return Checked(std::move(trace));
}

}  // namespace muster
