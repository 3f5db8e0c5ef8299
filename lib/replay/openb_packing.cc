// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// openb as in the fragmentation study: GPU by GPU, without times.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/replay/table_reader.h"
#include "lib/replay/trace_parts.h"
#include "muster/packing.h"

namespace muster {
namespace {

constexpr int64_t kMostPerNode = int64_t{1} << 40;

absl::Status ReadPackingNodes(const TraceFile& file, Budget* budget, PackingTrace* trace) {
  TableReader table(file, {}, nullptr, budget);
  const int name = table.Require("sn"), cpu = table.Require("cpu_milli"),
            memory = table.Require("memory_mib"), gpu = table.Require("gpu"),
            model = table.Require("model");
  while (table.NextRow()) {
    PackingNode node;
    node.name = std::string(table.Text(name));
    node.cpu_milli = table.Integer(cpu, 0, int64_t{1} << 21);
    node.memory_mebi = table.Integer(memory, 0, kMostPerNode);
    node.gpus = static_cast<int32_t>(table.Integer(gpu, 0, 16));
    node.model = std::string(table.Text(model));
    if (table.EndRow() && table.Charge(1)) trace->nodes.push_back(std::move(node));
  }
  return table.status();
}

absl::Status ReadPackingTasks(const TraceFile& file, Budget* budget, PackingTrace* trace) {
  Numbers shapes;
  TableReader table(file, {}, nullptr, budget);
  const int cpu = table.Require("cpu_milli"), memory = table.Require("memory_mib"),
            gpus = table.Require("num_gpu"), gpu_milli = table.Require("gpu_milli"),
            spec = table.Optional("gpu_spec");
  while (table.NextRow()) {
    PackingShape shape;
    shape.cpu_milli = table.Integer(cpu, 0, kMostPerNode);
    shape.memory_mebi = table.Integer(memory, 0, kMostPerNode);
    shape.gpus = static_cast<int32_t>(table.Integer(gpus, 0, 16));
    if (shape.gpus > 0) {
      shape.gpu_milli = static_cast<int32_t>(table.Integer(gpu_milli, 1, 1000));
      if (shape.gpus > 1 && shape.gpu_milli < 1000) {
        table.Refuse(gpu_milli, "several GPUs are only given whole, 1000 of each");
      }
      const std::string_view models = table.Text(spec);
      shape.models = absl::StrJoin(
          absl::StrSplit(absl::string_view(models.data(), models.size()), '|', absl::SkipEmpty()),
          "|");
    }
    if (!table.EndRow() || !table.Charge(1)) continue;
    const auto [number, is_new] =
        shapes.Of(absl::StrCat(shape.cpu_milli, "/", shape.memory_mebi, "/", shape.gpus, "/",
                               shape.gpu_milli, "/", shape.models));
    if (is_new) trace->shapes.push_back(std::move(shape));
    trace->shape.push_back(number);
  }
  return table.status();
}

}  // namespace

absl::StatusOr<PackingTrace> ReadOpenbPacking(const OpenbFiles& files,
                                              const OpenbOptions& options) {
  PackingTrace trace;
  Budget budget(options.read.limits);
  trace.name = files.pods.name;
  if (options.read.skip_bad_lines) {
    return absl::InvalidArgumentError(absl::StrCat(
        files.pods.name, ": bad lines cannot be left out, arrivals name tasks by their rows"));
  }
  if (files.arrivals.bytes.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(files.pods.name, ": an order of arrivals is needed"));
  }
  if (absl::Status s = ReadPackingNodes(files.nodes, &budget, &trace); !s.ok()) return s;
  if (absl::Status s = ReadPackingTasks(files.pods, &budget, &trace); !s.ok()) return s;
  absl::StatusOr<std::vector<int64_t>> arrivals =
      SeedColumn(files.arrivals, "pos", options.seed, trace.shape.size(), &budget);
  if (!arrivals.ok()) return arrivals.status();
  trace.arrivals.assign(arrivals->begin(), arrivals->end());
  if (!files.node_rank.bytes.empty()) {
    absl::StatusOr<std::vector<int64_t>> rank =
        SeedColumn(files.node_rank, "node_row", options.seed, trace.nodes.size(), &budget);
    if (!rank.ok()) return rank.status();
    trace.rank.assign(rank->begin(), rank->end());
    if (trace.rank.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(files.node_rank.name, ": there are no ranks"));
    }
  }
  if (absl::Status s = CheckPackingTrace(trace); !s.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(files.pods.name, ": ", s.message()));
  }
  return trace;
}

}  // namespace muster
