// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "capi/replay/trace.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "capi/boundary.h"
#include "capi/rows.h"
#include "capi/table.h"
#include "lib/base/hash_map.h"
#include "lib/model/shape_key.h"

namespace muster::capi {
namespace {

// No row of a trace's tables names another row by number.
std::string_view NoRow(int32_t, int64_t) { return {}; }

absl::Status ReadNodes(const muster_table& table, Trace* trace) {
  const RowReader<NodeSpec> reader(table, NoRow);
  if (!reader.status().ok()) return reader.status();
  for (size_t i = 0; i < reader.size(); ++i) {
    trace->machine.nodes.push_back(reader.blank());
    if (absl::Status s = reader.Fill(i, &trace->machine.nodes.back()); !s.ok()) return s;
  }
  return absl::OkStatus();
}

// By job; equal shapes are one.
absl::StatusOr<std::vector<uint32_t>> ReadShapes(const muster_table& table, Trace* trace) {
  const RowReader<TaskSpec> reader(table, NoRow);
  if (!reader.status().ok()) return reader.status();
  HashMap<std::string, uint32_t> known;
  std::vector<uint32_t> shapes;
  for (size_t i = 0; i < reader.size(); ++i) {
    TaskSpec task = reader.blank();
    if (absl::Status s = reader.Fill(i, &task); !s.ok()) return s;
    const auto [at, is_new] =
        known.try_emplace(SpelledKey(task.shape), static_cast<uint32_t>(trace->shapes.size()));
    if (is_new) trace->shapes.push_back(std::move(task.shape));
    shapes.push_back(at->second);
  }
  return shapes;
}

absl::Status CheckKind(const char* what, const muster_table* table, int32_t kind) {
  if (table == nullptr) return NullArgument(what);
  if (table->kind == kind) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": is a table of ", ToAbsl(TableName(table->kind))));
}

}  // namespace

absl::StatusOr<Trace> TraceOf(const muster_pool_trace* trace_in, const muster_table* nodes,
                              const muster_table* tasks) {
  if (trace_in == nullptr) return NullArgument("trace");
  muster_pool_trace given = MUSTER_POOL_TRACE_INIT;
  if (absl::Status s = ReadStruct("muster_pool_trace", trace_in, &given); !s.ok()) return s;
  if (given.count < 0) {
    return absl::InvalidArgumentError(absl::StrCat("muster_pool_trace: count is ", given.count));
  }
  if (given.count > 0 &&
      (given.submit == nullptr || given.run == nullptr || given.tasks == nullptr)) {
    return absl::InvalidArgumentError("muster_pool_trace: submit, run or tasks is NULL");
  }
  Trace trace;
  trace.processors = given.processors;
  std::vector<uint32_t> shapes;
  if (nodes != nullptr || tasks != nullptr) {
    if (given.processors != 0) {
      return absl::InvalidArgumentError("muster_pool_trace: has processors and nodes");
    }
    if (absl::Status s = CheckKind("nodes", nodes, MUSTER_KIND_NODES); !s.ok()) return s;
    if (absl::Status s = CheckKind("tasks", tasks, MUSTER_KIND_TASKS); !s.ok()) return s;
    if (static_cast<int64_t>(tasks->rows) != given.count) {
      return absl::InvalidArgumentError(
          absl::StrCat("tasks: has ", tasks->rows, " rows; the trace has ", given.count, " jobs"));
    }
    if (absl::Status s = ReadNodes(*nodes, &trace); !s.ok()) return s;
    absl::StatusOr<std::vector<uint32_t>> read = ReadShapes(*tasks, &trace);
    if (!read.ok()) return read.status();
    shapes = *std::move(read);
  }
  for (int64_t i = 0; i < given.count; ++i) {
    TraceJob job;
    job.submit = given.submit[i];
    job.run = given.run[i];
    job.tasks = given.tasks[i];
    if (given.estimate != nullptr && given.estimate[i] != kAbsent) job.estimate = given.estimate[i];
    if (!shapes.empty()) job.shape = shapes[static_cast<size_t>(i)];
    if (absl::Status s = AddJob(job, &trace); !s.ok()) {
      return absl::Status(s.code(), absl::StrCat("muster_pool_trace: job ", i, ": ", s.message()));
    }
  }
  return trace;
}

}  // namespace muster::capi
