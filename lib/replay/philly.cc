// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Philly, Microsoft's clusters for training: jobs of 2017 as gangs of GPUs, virtual clusters as
// queues.
//
// What the trace lacks is filled in as little as possible: 8 GPUs a node, and no cpu or memory at
// all. There are no estimates of run times.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/replay/table_reader.h"
#include "lib/replay/trace_parts.h"

namespace muster {
namespace {

// Seconds since 1970 of "2017-10-09 07:01:55"; absent where it is no such text.
int64_t Seconds(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd dd:dd:dd";
  if (text.size() != kForm.size()) return kAbsent;
  int64_t part[6] = {};
  for (size_t i = 0, at = 0; i < text.size(); ++i) {
    if (kForm[i] != 'd') {
      if (text[i] != kForm[i]) return kAbsent;
      ++at;
    } else if (text[i] >= '0' && text[i] <= '9') {
      part[at] = part[at] * 10 + (text[i] - '0');
    } else {
      return kAbsent;
    }
  }
  const auto [year, month, day, hour, minute, second] = part;
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) {
    return kAbsent;
  }
  // Days by a year that begins in March, so that leap days come last.
  const int64_t y = month <= 2 ? year - 1 : year;
  const int64_t days = 365 * y + y / 4 - y / 100 + y / 400 +
                       (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 719469;
  return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

absl::Status ReadVirtualClusters(const TraceFile& file, Budget* budget, Numbers* numbers,
                                 Trace* trace) {
  TableReader table(file, {}, nullptr, budget);
  const int vc = table.Require("vc"), nodes = table.Require("nodes");
  int64_t total = 0;
  while (table.NextRow()) {
    const std::string_view name = table.Text(vc);
    const int64_t count = table.Integer(nodes, 1, 1 << 20);
    if (name.empty()) table.Refuse(vc, "there is no name");
    if (!table.EndRow() || !table.Charge(count + 1)) continue;
    if (!numbers->Of(name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(file.name, ":", table.line(), ": vc: ", Quote(name), " is there twice"));
    }
    trace->queues.push_back({.name = std::string(name),
                             .weight = count,
                             .guaranteed = Resources{{kGpu, count * kGpusANode}}});
    total += count;
  }
  if (!table.status().ok()) return table.status();
  AddGpuNodes(total, trace);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Trace> ReadPhilly(const PhillyFiles& files, const ReadOptions& options,
                                 ReadReport* report) {
  Trace trace;
  trace.name = files.jobs.name;
  Numbers clusters, shapes;
  Budget budget(options.limits);
  if (absl::Status s = ReadVirtualClusters(files.vc_nodes, &budget, &clusters, &trace); !s.ok()) {
    return s;
  }
  TableReader table(files.jobs, options, report, &budget);
  const int timestamp = table.Require("timestamp"), duration = table.Require("duration"),
            gpus = table.Require("num_gpus"), cluster = table.Require("cluster");
  for (int64_t row = 0; table.NextRow(); ++row) {
    const int64_t submit = Seconds(table.Text(timestamp));
    if (submit == kAbsent) table.Refuse(timestamp, "it is no time like 2017-10-09 07:01:55");
    const int64_t run = table.Scaled(duration, 1, 0, kEndless);
    const int64_t count = table.Integer(gpus, 0, 1 << 20);
    if (!table.EndRow()) continue;
    if (run == 0 || count == 0) {
      Drop(run == 0 ? "no run time" : "no GPUs", report);
      continue;
    }
    const auto [queue, added] = clusters.Of(table.Text(cluster));
    // A cluster that occurs here first has no nodes.
    if (added || queue >= trace.queues.size()) {
      Drop("virtual cluster without nodes", report);
      continue;
    }
    if (!table.Charge(1)) break;
    const GpuGang gang = GangOf(count);
    TraceJob job;
    job.id = row;
    job.submit = submit;
    job.run = run;
    job.tasks = gang.tasks;
    job.shape = GpuShape(gang.gpus_each, &shapes, &trace);
    job.queue = queue;
    if (absl::Status s = AddJob(job, &trace); !s.ok()) return s;
  }
  if (!table.status().ok()) return table.status();
  SortBySubmission(&trace);
  if (report != nullptr) report->jobs = static_cast<int64_t>(trace.size());
  return Checked(std::move(trace));
}

}  // namespace muster
