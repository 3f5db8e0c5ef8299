// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rows and columns of a trace.
#include "muster/trace.h"

#include <algorithm>
#include <array>
#include <limits>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/replay/speeds.h"
#include "muster/cluster.h"

namespace muster {
namespace {

// An optional column: empty while every row has `usual`.
template <class T>
void Push(const T& value, const T& usual, size_t row, std::vector<T>* column) {
  if (column->empty() && value == usual) return;
  column->resize(row, usual);
  column->push_back(value);
}

template <class T>
T At(const std::vector<T>& column, size_t row, const T& usual) {
  return column.empty() ? usual : column[row];
}

template <class T>
void Select(const std::vector<T>& from, const std::vector<uint32_t>& rows, std::vector<T>* to) {
  to->clear();
  if (from.empty()) return;
  to->reserve(rows.size());
  for (uint32_t row : rows) to->push_back(from[row]);
}

// Of a job that ends: what a replay counts as an integer.
constexpr int64_t kMostTaskSeconds = int64_t{1} << 62;

absl::Status RowRefusal(const Trace& trace, size_t row, absl::string_view rule) {
  return absl::InvalidArgumentError(absl::StrCat("job ", Quote(JobName(trace, row)), ": ", rule));
}

bool IsTime(int64_t t) { return t >= 0 && t <= kEndless; }

absl::Status CheckColumns(const Trace& t) {
  const size_t n = t.size();
  if (n >= kNone) return absl::InvalidArgumentError("trace: more than 2^32 - 2 jobs");
  const std::array<std::pair<const char*, size_t>, 7> needed = {{{"id", t.id.size()},
                                                                 {"run", t.run.size()},
                                                                 {"estimate", t.estimate.size()},
                                                                 {"tasks", t.tasks.size()},
                                                                 {"shape", t.shape.size()},
                                                                 {"queue", t.queue.size()},
                                                                 {"user", t.user.size()}}};
  for (const auto& [name, size] : needed) {
    if (size != n) {
      return absl::InvalidArgumentError(
          absl::StrCat("trace: column ", name, " has ", size, " rows, column submit has ", n));
    }
  }
  const std::array<std::pair<const char*, size_t>, 6> optional = {
      {{"priority", t.priority.size()},
       {"min_tasks", t.min_tasks.size()},
       {"deadline", t.deadline.size()},
       {"preceding", t.preceding.size()},
       {"think", t.think.size()},
       {"names", t.names.size()}}};
  for (const auto& [name, size] : optional) {
    if (size != 0 && size != n) {
      return absl::InvalidArgumentError(
          absl::StrCat("trace: column ", name, " has ", size, " rows, column submit has ", n));
    }
  }
  return absl::OkStatus();
}

template <class Row>
absl::Status CheckNames(std::string_view kind, const std::vector<Row>& rows) {
  HashSet<std::string_view> names;
  for (const Row& row : rows) {
    if (names.insert(row.name).second) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("trace: ", ToAbsl(kind), " ", Quote(row.name), " is there twice"));
  }
  return absl::OkStatus();
}

absl::Status CheckJob(const Trace& t, size_t row) {
  if (!IsTime(t.submit[row])) return RowRefusal(t, row, "submit is no time from 0 to 2^53");
  if (t.run[row] <= 0 || t.run[row] > kEndless) {
    return RowRefusal(t, row, absl::StrCat("run is ", t.run[row], "; must be above 0"));
  }
  if (t.estimate[row] != kAbsent && (t.estimate[row] <= 0 || t.estimate[row] > kEndless)) {
    return RowRefusal(t, row, absl::StrCat("estimate is ", t.estimate[row], "; must be above 0"));
  }
  if (t.tasks[row] == 0) return RowRefusal(t, row, "it has no tasks");
  if (t.processors == 0 && t.tasks[row] > kMaxRows) {
    return RowRefusal(
        t, row,
        absl::StrCat("tasks is ", t.tasks[row], "; a cluster holds at most ", kMaxRows, " tasks"));
  }
  if (t.run[row] < kEndless && t.run[row] > kMostTaskSeconds / t.tasks[row]) {
    return RowRefusal(t, row, "run times tasks is above 2^62");
  }
  if (At(t.min_tasks, row, 0u) > t.tasks[row]) {
    return RowRefusal(t, row, "min_tasks is above tasks");
  }
  if (t.processors == 0 && t.shape[row] >= t.shapes.size()) {
    return RowRefusal(t, row, absl::StrCat("there is no shape ", t.shape[row]));
  }
  if (t.queue[row] >= std::max<size_t>(t.queues.size(), 1)) {
    return RowRefusal(t, row, absl::StrCat("there is no queue ", t.queue[row]));
  }
  if (t.user[row] != kNone && t.user[row] >= t.users.size()) {
    return RowRefusal(t, row, absl::StrCat("there is no user ", t.user[row]));
  }
  const int64_t think = At(t.think, row, int64_t{0});
  if (!IsTime(think)) return RowRefusal(t, row, "think is no time from 0 to 2^53");
  const uint32_t preceding = At(t.preceding, row, uint32_t{kNone});
  if (preceding != kNone && preceding >= t.size()) {
    return RowRefusal(t, row, absl::StrCat("there is no preceding job ", preceding));
  }
  return absl::OkStatus();
}

absl::Status CheckText(absl::string_view what, std::string_view text) {
  if (IsValidUtf8(text)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("trace: ", what, " ", Quote(text), ": the name is not UTF-8"));
}

// Results and reports have these names.
absl::Status CheckTexts(const Trace& t) {
  if (absl::Status s = CheckText("name", t.name); !s.ok()) return s;
  for (const std::string& user : t.users) {
    if (absl::Status s = CheckText("user", user); !s.ok()) return s;
  }
  for (const std::string& name : t.names) {
    if (absl::Status s = CheckText("job", name); !s.ok()) return s;
  }
  return absl::OkStatus();
}

// The rows that a replay makes a cluster of, made here on one of their own: what it refuses is
// refused before the first job.
absl::Status CheckRows(const Trace& t) {
  Cluster cluster;
  HashSet<std::string_view> places;
  for (const DomainSpec& domain : t.machine.domains) {
    if (absl::Status s = cluster.AddDomain(domain); !s.ok()) return s;
  }
  for (const NodeSpec& node : t.machine.nodes) {
    if (absl::Status s = cluster.AddNode(node); !s.ok()) return s;
    places.insert(node.name);
    if (!node.domain.empty()) places.insert(node.domain);
  }
  for (const QueueSpec& queue : t.queues) {
    absl::Status s = queue.name == "default" ? cluster.UpdateQueue(queue) : cluster.AddQueue(queue);
    if (!s.ok()) return s;
  }
  for (size_t i = 0; i < t.shapes.size(); ++i) {
    const absl::StatusOr<CheckedShape> shape =
        ImplOf(cluster).editor.interner().Check(t.shapes[i], "shape", absl::StrCat(i));
    if (!shape.ok()) return shape.status();
  }
  for (const NodeEvent& event : t.node_events) {
    if (places.contains(event.name)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("trace: event of node ", Quote(event.name),
                     ": there is no node or domain of nodes of this name"));
  }
  return absl::OkStatus();
}

// A job that waits for itself would never be submitted. Every row has one predecessor at most, so a
// walk that marks its way finds each circle in O(jobs).
absl::Status CheckCircles(const Trace& t) {
  if (t.preceding.empty()) return absl::OkStatus();
  std::vector<uint32_t> walk(t.size(), kNone);
  for (uint32_t first = 0; first < t.size(); ++first) {
    uint32_t at = first;
    while (at != kNone && walk[at] == kNone) {
      walk[at] = first;
      at = t.preceding[at];
    }
    if (at != kNone && walk[at] == first) return RowRefusal(t, at, "it comes after itself");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AddJob(const TraceJob& job, Trace* trace) {
  const size_t row = trace->size();
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max() - 1;
  if (row >= static_cast<size_t>(kMost)) {
    return absl::ResourceExhaustedError("trace: more than 2^32 - 2 jobs");
  }
  for (const auto& [name, count] : {std::pair("tasks", job.tasks), {"min_tasks", job.min_tasks}}) {
    if (count < 0 || count > kMost) {
      return absl::InvalidArgumentError(
          absl::StrCat("job in row ", row, ": ", name, " is ", count, "; must be 0 to 2^32 - 2"));
    }
  }
  trace->id.push_back(job.id.value_or(static_cast<int64_t>(row)));
  trace->submit.push_back(job.submit);
  trace->run.push_back(job.run);
  trace->estimate.push_back(job.estimate.value_or(kAbsent));
  trace->tasks.push_back(static_cast<uint32_t>(job.tasks));
  trace->shape.push_back(job.shape);
  trace->queue.push_back(job.queue);
  trace->user.push_back(job.user);
  Push(job.priority, 0, row, &trace->priority);
  Push(static_cast<uint32_t>(job.min_tasks), 0u, row, &trace->min_tasks);
  Push(job.deadline.value_or(kAbsent), kAbsent, row, &trace->deadline);
  Push(job.preceding, uint32_t{kNone}, row, &trace->preceding);
  Push(job.think, int64_t{0}, row, &trace->think);
  Push(job.name, std::string(), row, &trace->names);
  return absl::OkStatus();
}

TraceJob JobOf(const Trace& t, size_t row) {
  const auto given = [](int64_t value) {
    return value == kAbsent ? std::optional<int64_t>() : std::optional<int64_t>(value);
  };
  return {.name = At(t.names, row, std::string()),
          .id = t.id[row],
          .submit = t.submit[row],
          .run = t.run[row],
          .estimate = given(t.estimate[row]),
          .tasks = t.tasks[row],
          .min_tasks = At(t.min_tasks, row, 0u),
          .shape = t.shape[row],
          .queue = t.queue[row],
          .user = t.user[row],
          .priority = At(t.priority, row, 0),
          .deadline = given(At(t.deadline, row, kAbsent)),
          .preceding = At(t.preceding, row, uint32_t{kNone}),
          .think = At(t.think, row, int64_t{0})};
}

std::string JobName(const Trace& trace, size_t row) {
  if (!trace.names.empty() && !trace.names[row].empty()) return trace.names[row];
  return row < trace.id.size() ? absl::StrCat(trace.id[row]) : absl::StrCat("row ", row);
}

Trace SelectJobs(const Trace& trace, const std::vector<uint32_t>& rows) {
  Trace out;
  out.name = trace.name;
  out.processors = trace.processors;
  out.machine = trace.machine;
  out.node_events = trace.node_events;
  out.shapes = trace.shapes;
  out.queues = trace.queues;
  out.users = trace.users;
  out.speeds = trace.speeds;
  Select(trace.id, rows, &out.id);
  Select(trace.submit, rows, &out.submit);
  Select(trace.run, rows, &out.run);
  Select(trace.estimate, rows, &out.estimate);
  Select(trace.tasks, rows, &out.tasks);
  Select(trace.shape, rows, &out.shape);
  Select(trace.queue, rows, &out.queue);
  Select(trace.user, rows, &out.user);
  Select(trace.priority, rows, &out.priority);
  Select(trace.min_tasks, rows, &out.min_tasks);
  Select(trace.deadline, rows, &out.deadline);
  Select(trace.preceding, rows, &out.preceding);
  Select(trace.think, rows, &out.think);
  Select(trace.names, rows, &out.names);
  if (!out.preceding.empty()) {
    std::vector<uint32_t> moved(trace.size(), kNone);
    for (uint32_t i = 0; i < rows.size(); ++i) moved[rows[i]] = i;
    for (uint32_t& row : out.preceding) row = row == kNone ? kNone : moved[row];
  }
  return out;
}

absl::Status CheckTrace(const Trace& trace) {
  if (absl::Status s = CheckColumns(trace); !s.ok()) return s;
  if (trace.processors < 0) return absl::InvalidArgumentError("trace: processors is below 0");
  if ((trace.processors > 0) != trace.machine.nodes.empty()) {
    return absl::InvalidArgumentError(
        "trace: the machine is either a number of processors or a list of nodes");
  }
  if (!trace.machine.jobs.empty() || !trace.machine.tasks.empty() ||
      !trace.machine.queues.empty()) {
    return absl::InvalidArgumentError("trace: the machine holds nodes and domains alone");
  }
  if (absl::Status s = CheckNames("node", trace.machine.nodes); !s.ok()) return s;
  if (absl::Status s = CheckNames("queue", trace.queues); !s.ok()) return s;
  if (absl::Status s = CheckTexts(trace); !s.ok()) return s;
  if (absl::Status s = CheckRows(trace); !s.ok()) return s;
  if (trace.processors > 0 && !trace.node_events.empty()) {
    return absl::InvalidArgumentError("trace: node events need a machine of nodes");
  }
  for (const NodeEvent& event : trace.node_events) {
    if (event.time >= 0 && event.time <= kEndless) continue;
    return absl::InvalidArgumentError(absl::StrCat("trace: event of node ", Quote(event.name),
                                                   ": time is ", event.time,
                                                   "; must be 0 to 2^53"));
  }
  for (size_t row = 0; row < trace.size(); ++row) {
    if (absl::Status s = CheckJob(trace, row); !s.ok()) return s;
  }
  if (absl::Status s = CheckSpeeds(trace); !s.ok()) return s;
  return CheckCircles(trace);
}

}  // namespace muster
