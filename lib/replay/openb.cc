// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// openb, Alibaba's GPU cluster of 2023: nodes of seven GPU models, pods that may share a GPU.
//
// It can be replayed in two ways. With an order of arrivals, pods come one a second and never
// leave: the experiment of "Beware of Fragmentation" (ATC'23), which fills the cluster beyond its
// size. Without one, they come and go as recorded. A rank of nodes turns its ties into Muster's:
// the nodes are put in the order of their ranks, and ties go to the first node.
#include <algorithm>
#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/replay/table_reader.h"
#include "lib/replay/trace_parts.h"

namespace muster {
namespace {

constexpr char kOpenbModel[] = "gpu-model";
constexpr int64_t kMostMilli = int64_t{1} << 40;

absl::Status ReadOpenbNodes(const TraceFile& file, bool devices, Budget* budget, Trace* trace) {
  TableReader table(file, {}, nullptr, budget);
  const int name = table.Require("sn"), cpu = table.Require("cpu_milli"),
            memory = table.Require("memory_mib"), gpu = table.Require("gpu"),
            model = table.Require("model");
  while (table.NextRow()) {
    NodeSpec node;
    node.name = std::string(table.Text(name));
    const int64_t milli = table.Integer(cpu, 0, kMostMilli);
    const int64_t mebi = table.Integer(memory, 0, kMostMilli);
    const int64_t gpus = table.Integer(gpu, 0, 1 << 20);
    if (!table.EndRow() || !table.Charge(devices ? 1 + gpus : 1)) continue;
    node.capacity = {{"cpu", absl::StrCat(milli, "m")}, {"memory", mebi * kMebi}};
    if (gpus > 0) node.capacity.push_back({kGpu, gpus});
    if (table.Has(model)) node.labels = {{kOpenbModel, std::string(table.Text(model))}};
    for (int64_t i = 0; devices && i < gpus; ++i) {
      node.devices.push_back(
          {.name = absl::StrCat("gpu", i), .kind = kGpu, .model = std::string(table.Text(model))});
    }
    trace->machine.nodes.push_back(std::move(node));
  }
  return table.status();
}

absl::Status RankNodes(const TraceFile& file, int64_t seed, Budget* budget, Trace* trace) {
  std::vector<NodeSpec>& nodes = trace->machine.nodes;
  const absl::StatusOr<std::vector<int64_t>> rank =
      SeedColumn(file, "node_row", seed, nodes.size(), budget);
  if (!rank.ok()) return rank.status();
  if (rank->size() != nodes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(file.name, ": ", rank->size(), " ranks for ", nodes.size(), " nodes"));
  }
  std::vector<NodeSpec> ranked(nodes.size());
  std::vector<uint8_t> taken(nodes.size(), 0);
  for (size_t row = 0; row < nodes.size(); ++row) {
    const auto place = static_cast<size_t>((*rank)[row]);
    if (taken[place]++) {
      return absl::InvalidArgumentError(
          absl::StrCat(file.name, ": two nodes have the rank ", place));
    }
    ranked[place] = std::move(nodes[row]);
  }
  nodes = std::move(ranked);
  return absl::OkStatus();
}

std::optional<std::vector<NodeTerm>> ModelAffinity(std::string_view spec) {
  std::vector<std::string> models;
  for (absl::string_view model : absl::StrSplit(absl::string_view(spec.data(), spec.size()), '|')) {
    if (!model.empty()) models.emplace_back(model);
  }
  if (models.empty()) return std::nullopt;
  return std::vector<NodeTerm>{
      {.match_expressions = {
           {.key = kOpenbModel, .op = RequirementOp::kIn, .values = std::move(models)}}}};
}

// The columns of the table of pods.
struct PodColumns {
  explicit PodColumns(TableReader* table)
      : name(table->Require("name")),
        cpu(table->Require("cpu_milli")),
        memory(table->Require("memory_mib")),
        gpus(table->Require("num_gpu")),
        gpu_milli(table->Require("gpu_milli")),
        spec(table->Optional("gpu_spec")),
        qos(table->Optional("qos")),
        created(table->Optional("creation_time")),
        deleted(table->Optional("deletion_time")),
        scheduled(table->Optional("scheduled_time")) {}

  const int name, cpu, memory, gpus, gpu_milli, spec, qos, created, deleted, scheduled;
};

// What a pod requests.
struct PodRequest {
  int64_t milli, mebi, gpus, gpu_milli;
  std::string_view models;
};

PodRequest ReadPodRequest(const PodColumns& at, TableReader* table) {
  PodRequest wanted;
  wanted.milli = table->Integer(at.cpu, 0, kMostMilli);
  wanted.mebi = table->Integer(at.memory, 0, kMostMilli);
  wanted.gpus = table->Integer(at.gpus, 0, 1 << 20);
  wanted.gpu_milli = table->Integer(at.gpu_milli, 0, 1000);
  if (wanted.gpus > 0) wanted.models = table->Text(at.spec);
  return wanted;
}

// A pod runs from when it was scheduled; where that is not recorded, from its creation.
void ReadTimes(const PodColumns& at, TableReader* table, TraceJob* job) {
  job->submit = table->Integer(at.created, 0, kEndless);
  const int64_t end = table->Integer(at.deleted, 0, kEndless);
  const bool known = table->Has(at.scheduled);
  job->run = end - (known ? table->Scaled(at.scheduled, 1, 0, kEndless) : job->submit);
}

uint32_t PodShape(const PodRequest& wanted, bool devices, Numbers* shapes, Trace* trace) {
  const auto& [milli, mebi, gpus, gpu_milli, models] = wanted;
  const auto [shape, is_new] =
      shapes->Of(absl::StrCat(milli, "/", mebi, "/", gpus, "/", gpu_milli, "/", ToAbsl(models)));
  if (is_new) {
    TaskShape& made = trace->shapes.emplace_back();
    made.request = {{"cpu", absl::StrCat(milli, "m")}, {"memory", mebi * kMebi}};
    if (gpus > 0) made.request.push_back({kGpu, absl::StrCat(gpus * gpu_milli, "m")});
    made.required_node_affinity = ModelAffinity(models);
    if (devices && gpus > 0 && gpu_milli > 0) {
      made.devices = {{.kind = kGpu, .count = gpus, .milli = gpu_milli}};
      if (made.required_node_affinity) {
        made.devices[0].models = made.required_node_affinity->front().match_expressions[0].values;
      }
    }
  }
  return shape;
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> SeedColumn(const TraceFile& file, std::string_view key,
                                                int64_t seed, size_t values, Budget* budget) {
  TableReader table(file, {}, nullptr, budget);
  const int row = table.Require(key), column = table.Require(absl::StrCat("seed", seed));
  std::vector<int64_t> cells;
  while (table.NextRow()) {
    // Columns of other seeds may be longer.
    if (!table.Has(column)) continue;
    if (table.Integer(row, 0, kEndless) != static_cast<int64_t>(cells.size())) {
      table.Refuse(row, absl::StrCat("it should be ", cells.size()));
    }
    const int64_t value = table.Integer(column, 0, static_cast<int64_t>(values) - 1);
    if (table.EndRow()) cells.push_back(value);
  }
  if (!table.status().ok()) return table.status();
  return cells;
}

absl::StatusOr<Trace> ReadOpenb(const OpenbFiles& files, const OpenbOptions& options,
                                ReadReport* report) {
  Trace trace;
  trace.name = files.pods.name;
  Budget budget(options.read.limits);
  if (absl::Status s = ReadOpenbNodes(files.nodes, options.devices, &budget, &trace); !s.ok())
    return s;
  if (!files.node_rank.bytes.empty()) {
    if (absl::Status s = RankNodes(files.node_rank, options.seed, &budget, &trace); !s.ok()) {
      return s;
    }
  }
  const bool recorded = files.arrivals.bytes.empty();
  Numbers shapes, classes;
  TableReader table(files.pods, options.read, report, &budget);
  const PodColumns at(&table);
  if (recorded && table.status().ok() && (at.created < 0 || at.deleted < 0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        files.pods.name, ": it has no recorded times; an order of arrivals is needed"));
  }
  for (int64_t row = 0; table.NextRow(); ++row) {
    const PodRequest wanted = ReadPodRequest(at, &table);
    TraceJob job;
    job.name = std::string(table.Text(at.name));
    job.id = row;
    job.run = kEndless;
    if (recorded) ReadTimes(at, &table, &job);
    if (!table.EndRow() || !table.Charge(1)) continue;
    if (job.run <= 0) {
      Drop("no run time", report);
      continue;
    }
    job.shape = PodShape(wanted, options.devices, &shapes, &trace);
    // The class of service takes the place of users.
    if (table.Has(at.qos)) {
      const auto [user, added] = classes.Of(table.Text(at.qos));
      if (added) trace.users.emplace_back(table.Text(at.qos));
      job.user = user;
    }
    if (absl::Status s = AddJob(job, &trace); !s.ok()) return s;
  }
  if (!table.status().ok()) return table.status();
  if (recorded) {
    SortBySubmission(&trace);
  } else {
    const absl::StatusOr<std::vector<int64_t>> order =
        SeedColumn(files.arrivals, "pos", options.seed, trace.size(), &budget);
    if (!order.ok()) return order.status();
    trace = SelectJobs(trace, std::vector<uint32_t>(order->begin(), order->end()));
    std::iota(trace.submit.begin(), trace.submit.end(), 0);
  }
  if (report != nullptr) report->jobs = static_cast<int64_t>(trace.size());
  return Checked(std::move(trace));
}

}  // namespace muster
