// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Writes a trace as Muster's own tables, the reverse of csv.cc.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/replay/speeds.h"
#include "muster/trace.h"

namespace muster {
namespace {

void AppendField(std::string_view text, std::string* out) {
  if (text.find_first_of(",\"") == std::string_view::npos) {
    out->append(text);
    return;
  }
  *out += '"';
  for (const char c : text) out->append(c == '"' ? 2 : 1, c);
  *out += '"';
}

// Names of resources or labels in the order they first appear, each a column.
template <class Pairs>
void Collect(const Pairs& pairs, std::vector<std::string>* names) {
  for (const auto& [name, value] : pairs) {
    if (std::find(names->begin(), names->end(), name) == names->end()) names->push_back(name);
  }
}

const std::string& TextOf(const Quantity& quantity) { return quantity.text; }
const std::string& TextOf(const std::string& text) { return text; }

template <class Pairs>
void AppendCells(const std::vector<std::string>& names, const Pairs& pairs, std::string* out) {
  for (const std::string& wanted : names) {
    *out += ',';
    for (const auto& [name, value] : pairs) {
      if (name == wanted) AppendField(TextOf(value), out);
    }
  }
}

void AppendHeader(const char* prefix, const std::vector<std::string>& names, std::string* out) {
  for (const std::string& name : names) {
    *out += ',';
    AppendField(absl::StrCat(prefix, name), out);
  }
}

std::string Jobs(const Trace& trace) {
  std::vector<std::string> requests, selectors, labels;
  for (const TaskShape& shape : trace.shapes) {
    Collect(shape.request, &requests);
    Collect(shape.node_selector, &selectors);
    Collect(shape.labels, &labels);
  }
  std::string out =
      "id,name,submit,run,estimate,tasks,min_tasks,queue,user,priority,deadline,preceding,think";
  AppendHeader("request.", requests, &out);
  AppendHeader("selector.", selectors, &out);
  AppendHeader("label.", labels, &out);
  out += '\n';
  const auto cell = [&out](int64_t value, int64_t absent) {
    out += ',';
    if (value != absent) absl::StrAppend(&out, value);
  };
  const TaskShape nothing;
  for (size_t row = 0; row < trace.size(); ++row) {
    const TraceJob job = JobOf(trace, row);
    absl::StrAppend(&out, trace.id[row], ",");
    AppendField(job.name, &out);
    absl::StrAppend(&out, ",", job.submit, ",", job.run);
    cell(job.estimate.value_or(kAbsent), kAbsent);
    cell(job.tasks, kAbsent);
    cell(job.min_tasks, 0);
    out += ',';
    AppendField(trace.queues.empty() ? "default" : trace.queues[job.queue].name, &out);
    out += ',';
    if (job.user != kNone) AppendField(trace.users[job.user], &out);
    cell(job.priority, 0);
    cell(job.deadline.value_or(kAbsent), kAbsent);
    cell(job.preceding == kNone ? kAbsent : trace.id[job.preceding], kAbsent);
    cell(job.think, 0);
    const TaskShape& shape = trace.shapes.empty() ? nothing : trace.shapes[job.shape];
    AppendCells(requests, shape.request, &out);
    AppendCells(selectors, shape.node_selector, &out);
    AppendCells(labels, shape.labels, &out);
    out += '\n';
  }
  return out;
}

std::string Nodes(const std::vector<NodeSpec>& nodes) {
  std::vector<std::string> capacities, labels;
  for (const NodeSpec& node : nodes) {
    Collect(node.capacity, &capacities);
    Collect(node.labels, &labels);
  }
  std::string out = "name,domain";
  AppendHeader("capacity.", capacities, &out);
  AppendHeader("label.", labels, &out);
  out += '\n';
  for (const NodeSpec& node : nodes) {
    AppendField(node.name, &out);
    out += ',';
    AppendField(node.domain, &out);
    AppendCells(capacities, node.capacity, &out);
    AppendCells(labels, node.labels, &out);
    out += '\n';
  }
  return out;
}

std::string Queues(const std::vector<QueueSpec>& queues) {
  std::vector<std::string> guaranteed, limit;
  for (const QueueSpec& queue : queues) {
    Collect(queue.guaranteed.value_or(Resources{}), &guaranteed);
    Collect(queue.limit.value_or(Resources{}), &limit);
  }
  std::string out = "name,parent,weight";
  AppendHeader("guaranteed.", guaranteed, &out);
  AppendHeader("limit.", limit, &out);
  out += '\n';
  for (const QueueSpec& queue : queues) {
    AppendField(queue.name, &out);
    out += ',';
    AppendField(queue.parent, &out);
    absl::StrAppend(&out, ",", queue.weight);
    AppendCells(guaranteed, queue.guaranteed.value_or(Resources{}), &out);
    AppendCells(limit, queue.limit.value_or(Resources{}), &out);
    out += '\n';
  }
  return out;
}

std::string Speeds(const std::vector<SpeedRow>& speeds) {
  std::string out = "model,type,workers,speed\n";
  for (const SpeedRow& row : speeds) {
    AppendField(row.model, &out);
    out += ',';
    AppendField(row.type, &out);
    absl::StrAppend(&out, ",", row.workers, ",", SpeedText(row.speed), "\n");
  }
  return out;
}

}  // namespace

CsvText WriteCsv(const Trace& trace) {
  return {Jobs(trace), trace.machine.nodes.empty() ? "" : Nodes(trace.machine.nodes),
          trace.queues.empty() ? "" : Queues(trace.queues),
          trace.speeds.empty() ? "" : Speeds(trace.speeds)};
}

}  // namespace muster
