// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// PAI, Alibaba's platform for training and inference: two months of 2020 on 1,800 machines.
//
// The tables have no header lines (these are in files of their own). cpus and GPUs are hundredths
// of one, memory is in units of 1,024 MiB, and times are seconds with a fraction of zero. The table
// of jobs has users and submissions, that of tasks has requests.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/replay/table_reader.h"
#include "lib/replay/trace_parts.h"

namespace muster {
namespace {

constexpr char kModelLabel[] = "gpu-model";
constexpr int64_t kMost = int64_t{1} << 40;

absl::Status ReadMachines(const TraceFile& file, Budget* budget, Trace* trace) {
  TableReader table(file, {}, nullptr, budget,
                    {"machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu"});
  const int name = table.Require("machine"), model = table.Require("gpu_type"),
            cpu = table.Require("cap_cpu"), memory = table.Require("cap_mem"),
            gpu = table.Require("cap_gpu");
  Numbers names;
  while (table.NextRow()) {
    NodeSpec node;
    node.name = std::string(table.Text(name));
    const int64_t milli = table.Scaled(cpu, 1000, 0, kMost);
    const int64_t mebi = table.Scaled(memory, 1024, 0, kMost);
    const int64_t gpus = table.Has(gpu) ? table.Scaled(gpu, 1, 0, 1 << 20) : 0;
    if (node.name.empty()) table.Refuse(name, "there is no name");
    if (!names.Of(node.name).second) table.Refuse(name, "the machine is there twice");
    if (!table.EndRow() || !table.Charge(1)) continue;
    node.capacity = {{"cpu", absl::StrCat(milli, "m")}, {"memory", mebi * kMebi}};
    if (gpus > 0) {
      node.capacity.push_back({kGpu, gpus});
      node.labels = {{kModelLabel, std::string(table.Text(model))}};
    }
    trace->machine.nodes.push_back(std::move(node));
  }
  return table.status();
}

struct PaiJob {
  int64_t submit;
  uint32_t user;
};

absl::Status ReadJobs(const TraceFile& file, const Reading& reading,
                      HashMap<std::string, PaiJob>* jobs, Trace* trace) {
  TableReader table(file, reading.options, reading.report, reading.budget,
                    {"job_name", "inst_id", "user", "status", "start_time", "end_time"});
  const int name = table.Require("job_name"), user = table.Require("user"),
            start = table.Require("start_time");
  Numbers users;
  while (table.NextRow()) {
    const int64_t submit = table.Has(start) ? table.Scaled(start, 1, 0, kEndless) : kAbsent;
    if (table.Text(name).empty()) table.Refuse(name, "there is no name");
    if (!table.EndRow()) continue;
    PaiJob job{submit, kNone};
    if (table.Has(user)) {
      const auto [number, added] = users.Of(table.Text(user));
      if (added) trace->users.emplace_back(table.Text(user));
      job.user = number;
    }
    jobs->insert_or_assign(std::string(table.Text(name)), job);
  }
  if (reading.report != nullptr) reading.report->lines = 0;  // those of the tasks are counted
  return table.status();
}

// What one instance of a task requests.
struct PaiRequest {
  int64_t milli, mebi, gpu_milli;
};

// The columns of the table of tasks.
struct TaskTableColumns {
  explicit TaskTableColumns(TableReader* table)
      : job_name(table->Require("job_name")),
        task_name(table->Require("task_name")),
        instances(table->Require("inst_num")),
        start(table->Require("start_time")),
        end(table->Require("end_time")),
        cpu(table->Require("plan_cpu")),
        memory(table->Require("plan_mem")),
        gpu(table->Require("plan_gpu")) {}

  const int job_name, task_name, instances, start, end, cpu, memory, gpu;
};

PaiRequest ReadRequest(const TaskTableColumns& at, TableReader* table) {
  // A hundredth is ten thousandths.
  const auto scaled = [table](int column, int64_t by) {
    return table->Has(column) ? table->Scaled(column, by, 0, kMost) : 0;
  };
  return {scaled(at.cpu, 10), scaled(at.memory, 1024), scaled(at.gpu, 10)};
}

uint32_t ShapeOf(const PaiRequest& wanted, Numbers* shapes, Trace* trace) {
  const auto [shape, added] =
      shapes->Of(absl::StrCat(wanted.milli, "/", wanted.mebi, "/", wanted.gpu_milli));
  if (added) {
    Resources& request = trace->shapes.emplace_back().request;
    if (wanted.milli > 0) request.push_back({"cpu", absl::StrCat(wanted.milli, "m")});
    if (wanted.mebi > 0) request.push_back({"memory", wanted.mebi * kMebi});
    if (wanted.gpu_milli > 0) request.push_back({kGpu, absl::StrCat(wanted.gpu_milli, "m")});
  }
  return shape;
}

}  // namespace

absl::StatusOr<Trace> ReadAlibaba2020(const Alibaba2020Files& files, const ReadOptions& options,
                                      ReadReport* report) {
  Trace trace;
  trace.name = files.tasks.name;
  Budget budget(options.limits);
  if (absl::Status s = ReadMachines(files.machines, &budget, &trace); !s.ok()) return s;
  HashMap<std::string, PaiJob> jobs;
  if (!files.jobs.bytes.empty()) {
    if (absl::Status s = ReadJobs(files.jobs, {options, report, &budget}, &jobs, &trace); !s.ok()) {
      return s;
    }
  }
  TableReader table(files.tasks, options, report, &budget,
                    {"job_name", "task_name", "inst_num", "status", "start_time", "end_time",
                     "plan_cpu", "plan_mem", "plan_gpu", "gpu_type"});
  const TaskTableColumns at(&table);
  Numbers shapes;
  for (int64_t row = 0; table.NextRow(); ++row) {
    TraceJob job;
    job.id = row;
    const int64_t began = table.Has(at.start) ? table.Scaled(at.start, 1, 0, kEndless) : kAbsent;
    const int64_t ended = table.Has(at.end) ? table.Scaled(at.end, 1, 0, kEndless) : kAbsent;
    job.tasks = table.Has(at.instances) ? table.Scaled(at.instances, 1, 0, int64_t{1} << 31) : 0;
    const PaiRequest wanted = ReadRequest(at, &table);
    if (began != kAbsent && ended != kAbsent && ended < began) {
      table.Refuse(at.end, "it ended before it started");
    }
    if (!table.EndRow() || !table.Charge(1)) continue;
    const char* lacks = began == kAbsent   ? "never started"
                        : ended == kAbsent ? "never ended"
                        : job.tasks == 0   ? "no instances"
                        : ended == began   ? "no run time"
                                           : nullptr;
    if (lacks != nullptr) {
      Drop(lacks, report);
      continue;
    }
    job.run = ended - began;
    job.submit = began;
    if (const auto found = jobs.find(ToAbsl(table.Text(at.job_name))); found != jobs.end()) {
      job.user = found->second.user;
      if (found->second.submit != kAbsent) job.submit = std::min(began, found->second.submit);
    }
    job.name = std::string(table.Text(at.job_name)) + "/" + std::string(table.Text(at.task_name));
    job.shape = ShapeOf(wanted, &shapes, &trace);
    if (absl::Status s = AddJob(job, &trace); !s.ok()) return s;
  }
  if (!table.status().ok()) return table.status();
  SortBySubmission(&trace);
  if (report != nullptr) report->jobs = static_cast<int64_t>(trace.size());
  return Checked(std::move(trace));
}

}  // namespace muster
