// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Workload columns of per-job result tables of batch logs: job_id, submit, run, procs, req_time,
// user.
#include <limits>

#include "absl/strings/str_cat.h"
#include "lib/replay/log_jobs.h"
#include "lib/replay/table_reader.h"

namespace muster {

absl::StatusOr<Trace> ReadHpc(const TraceFile& file, const LogOptions& options,
                              ReadReport* report) {
  if (absl::Status s = CheckProcessors(file.name, options.processors,
                                       "the number of processors is missing; set it");
      !s.ok()) {
    return s;
  }
  Budget budget(options.read.limits);
  TableReader table(file, options.read, report, &budget);
  const int id = table.Require("job_id"), submit = table.Require("submit"),
            run = table.Require("run"), processors = table.Require("procs"),
            requested_time = table.Require("req_time"), user = table.Optional("user");
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  LogJobs jobs(options.processors, options.filter);
  while (table.NextRow()) {
    LogRow row;
    row.id = table.Integer(id, kLeast, kMost);
    row.submit = table.Integer(submit, kLeast, kEndless);
    row.run = table.Integer(run, kLeast, kEndless);
    row.requested_processors = table.Integer(processors, kLeast, kEndless);
    row.requested_time = table.Integer(requested_time, kLeast, kEndless);
    row.user = table.Has(user) ? table.Integer(user, -1, kMost) : -1;
    if (!table.EndRow() || !table.Charge(1)) continue;
    if (absl::Status s = jobs.Add(row); !s.ok()) return s;
  }
  if (!table.status().ok()) return table.status();
  return std::move(jobs).Finish(file.name, report);
}

}  // namespace muster
