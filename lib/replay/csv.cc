// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Muster's own tables of jobs, nodes, queues and speeds.
//
// Columns are found by name, in any order. Unknown ones are refused, so that a misspelt column is
// not taken for absent. A column `request.R` holds the amount of resource R of each task,
// `capacity.R` that of a node, as Kubernetes writes amounts; an empty field is absent.
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/replay/log_jobs.h"
#include "lib/replay/speeds.h"
#include "lib/replay/table_reader.h"
#include "lib/replay/trace_parts.h"
#include "muster/quantity.h"

namespace muster {
namespace {

constexpr std::string_view kDefaultQueue = "default";

// Returns the columns with names that begin with `prefix`, and the rest of each name.
std::vector<std::pair<int, std::string>> Columns(const TableReader& table,
                                                 std::string_view prefix) {
  std::vector<std::pair<int, std::string>> found;
  for (size_t i = 0; i < table.columns().size(); ++i) {
    const std::string& name = table.columns()[i];
    if (name.size() > prefix.size() && name.starts_with(prefix)) {
      found.emplace_back(static_cast<int>(i), name.substr(prefix.size()));
    }
  }
  return found;
}

absl::Status CheckColumns(const TableReader& table, const TraceFile& file,
                          std::initializer_list<std::string_view> known,
                          std::initializer_list<std::string_view> prefixes) {
  HashSet<std::string_view> seen;
  for (const std::string& column : table.columns()) {
    if (!seen.insert(column).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(file.name, ":1: column ", Quote(column), " is there twice"));
    }
    bool is_known = false;
    for (std::string_view name : known) is_known |= column == name;
    for (std::string_view prefix : prefixes) {
      is_known |= column.size() > prefix.size() && column.starts_with(prefix);
    }
    if (is_known) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(file.name, ":1: column ", Quote(column), " is not known",
                     SuggestName(column, {known.begin(), known.size()})));
  }
  return absl::OkStatus();
}

Resources AmountsOf(TableReader* table, const std::vector<std::pair<int, std::string>>& columns) {
  Resources amounts;
  for (const auto& [column, resource] : columns) {
    if (!table->Has(column)) continue;
    const std::string text(table->Text(column));
    if (const auto parsed = ParseQuantity(text, Unit::kMilli); !parsed.ok()) {
      table->Refuse(column, std::string(parsed.status().message()));
    }
    amounts.emplace_back(resource, text);
  }
  return amounts;
}

// Returns a text that separates the shape from all others: each name and value with its length
// before it, because they may hold anything.
std::string KeyOf(const TaskShape& shape) {
  std::string key;
  const auto add = [&key](char part, std::string_view name, std::string_view value) {
    key += part;
    absl::StrAppend(&key, name.size(), ":", ToAbsl(name), value.size(), ":", ToAbsl(value));
  };
  for (const auto& [resource, amount] : shape.request) add('r', resource, amount.text);
  for (const auto& [label, value] : shape.node_selector) add('s', label, value);
  for (const auto& [label, value] : shape.labels) add('l', label, value);
  return key;
}

absl::Status ReadNodes(const TraceFile& file, Budget* budget, Trace* trace) {
  TableReader table(file, {}, nullptr, budget);
  const int name = table.Require("name"), count = table.Optional("count"),
            domain = table.Optional("domain");
  if (!table.status().ok()) return table.status();
  if (absl::Status s =
          CheckColumns(table, file, {"name", "count", "domain"}, {"capacity.", "label."});
      !s.ok()) {
    return s;
  }
  const auto capacities = Columns(table, "capacity."), labels = Columns(table, "label.");
  Numbers domains, names;
  while (table.NextRow()) {
    NodeSpec node;
    node.name = std::string(table.Text(name));
    node.capacity = AmountsOf(&table, capacities);
    for (const auto& [column, key] : labels) {
      if (table.Has(column)) node.labels.emplace_back(key, std::string(table.Text(column)));
    }
    node.domain = std::string(table.Text(domain));
    const int64_t copies = table.Has(count) ? table.Integer(count, 0, kEndless) : kAbsent;
    if (!table.EndRow() || !table.Charge(copies == kAbsent ? 1 : copies)) continue;
    if (!node.domain.empty() && domains.Of(node.domain).second) {
      trace->machine.domains.push_back({.name = node.domain});
    }
    const std::string stem = node.name;
    for (int64_t i = 0; i < (copies == kAbsent ? 1 : copies); ++i) {
      if (copies != kAbsent) node.name = absl::StrCat(stem, i);
      if (!names.Of(node.name).second) {
        return absl::InvalidArgumentError(absl::StrCat(
            file.name, ":", table.line(), ": name: node ", Quote(node.name), " is there twice"));
      }
      trace->machine.nodes.push_back(node);
    }
  }
  return table.status();
}

absl::Status ReadQueues(const TraceFile& file, Budget* budget, Numbers* numbers, Trace* trace) {
  TableReader table(file, {}, nullptr, budget);
  const int name = table.Require("name"), parent = table.Optional("parent"),
            weight = table.Optional("weight");
  if (!table.status().ok()) return table.status();
  if (absl::Status s =
          CheckColumns(table, file, {"name", "parent", "weight"}, {"guaranteed.", "limit."});
      !s.ok()) {
    return s;
  }
  const auto guaranteed = Columns(table, "guaranteed."), limit = Columns(table, "limit.");
  while (table.NextRow()) {
    QueueSpec queue;
    queue.name = std::string(table.Text(name));
    queue.parent = std::string(table.Text(parent));
    if (table.Has(weight)) queue.weight = table.Integer(weight, 1, int64_t{1} << 31);
    if (Resources amounts = AmountsOf(&table, guaranteed); !amounts.empty()) {
      queue.guaranteed = std::move(amounts);
    }
    if (Resources amounts = AmountsOf(&table, limit); !amounts.empty()) {
      queue.limit = std::move(amounts);
    }
    if (!numbers->Of(queue.name).second) table.Refuse(name, "the queue is there twice");
    if (table.EndRow() && table.Charge(1)) trace->queues.push_back(std::move(queue));
  }
  return table.status();
}

// The columns of a job's fields.
struct JobColumns {
  explicit JobColumns(TableReader* table)
      : submit(table->Require("submit")),
        run(table->Require("run")),
        name(table->Optional("name")),
        id(table->Optional("id")),
        estimate(table->Optional("estimate")),
        tasks(table->Optional("tasks")),
        min_tasks(table->Optional("min_tasks")),
        queue(table->Optional("queue")),
        user(table->Optional("user")),
        priority(table->Optional("priority")),
        deadline(table->Optional("deadline")),
        preceding(table->Optional("preceding")),
        think(table->Optional("think")),
        requests(Columns(*table, "request.")),
        selectors(Columns(*table, "selector.")),
        labels(Columns(*table, "label.")) {}

  const int submit, run, name, id, estimate, tasks, min_tasks, queue, user, priority, deadline,
      preceding, think;
  const std::vector<std::pair<int, std::string>> requests, selectors, labels;
};

// Reads the part of a row that concerns its job alone.
TraceJob ReadJobRow(const JobColumns& at, int64_t row, TableReader* table) {
  constexpr int64_t kMostTasks = int64_t{1} << 31;
  constexpr int64_t kMostPriority = 2'000'000'000;
  TraceJob job;
  job.name = std::string(table->Text(at.name));
  job.id = table->Has(at.id) ? table->Integer(at.id, 0, kEndless) : row;
  job.submit = table->Scaled(at.submit, 1, 0, kEndless);
  job.run = table->Scaled(at.run, 1, 1, kEndless);
  if (table->Has(at.estimate)) job.estimate = table->Scaled(at.estimate, 1, 1, kEndless);
  if (table->Has(at.tasks)) job.tasks = table->Integer(at.tasks, 1, kMostTasks);
  if (table->Has(at.min_tasks)) job.min_tasks = table->Integer(at.min_tasks, 0, job.tasks);
  if (table->Has(at.priority)) {
    job.priority = static_cast<int32_t>(table->Integer(at.priority, -kMostPriority, kMostPriority));
  }
  if (table->Has(at.deadline)) job.deadline = table->Scaled(at.deadline, 1, 0, kEndless);
  if (table->Has(at.think)) job.think = table->Scaled(at.think, 1, 0, kEndless);
  return job;
}

TaskShape ReadShape(const JobColumns& at, TableReader* table) {
  TaskShape shape;
  shape.request = AmountsOf(table, at.requests);
  for (const auto& [column, label] : at.selectors) {
    if (!table->Has(column)) continue;
    shape.node_selector.emplace_back(label, std::string(table->Text(column)));
  }
  for (const auto& [column, label] : at.labels) {
    if (!table->Has(column)) continue;
    shape.labels.emplace_back(label, std::string(table->Text(column)));
  }
  return shape;
}

absl::Status ReadSpeeds(const TraceFile& file, Budget* budget, Trace* trace) {
  constexpr int64_t kMostWorkers = int64_t{1} << 31;
  TableReader table(file, {}, nullptr, budget);
  const int model = table.Require("model"), type = table.Require("type"),
            speed = table.Require("speed"), workers = table.Optional("workers");
  if (!table.status().ok()) return table.status();
  if (absl::Status s = CheckColumns(table, file, {"model", "type", "workers", "speed"}, {});
      !s.ok()) {
    return s;
  }
  SpeedTable known({});
  while (table.NextRow()) {
    SpeedRow row;
    row.model = std::string(table.Text(model));
    row.type = std::string(table.Text(type));
    if (row.model.empty()) table.Refuse(model, "the name is empty");
    if (row.type.empty()) table.Refuse(type, "the name is empty");
    if (table.Has(workers)) row.workers = table.Integer(workers, 1, kMostWorkers);
    row.speed = table.Scaled(speed, kSpeedUnit, 0, kMostSpeed);
    if (row.speed > 0 && !known.Add(row)) {
      table.Refuse(model, "the model has a speed with this type and number of workers already");
    }
    if (!table.EndRow() || !table.Charge(1)) continue;
    if (row.speed > 0) trace->speeds.push_back(std::move(row));
  }
  if (table.status().ok() && trace->speeds.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(ToAbsl(file.name), ": no row has a speed above 0"));
  }
  return table.status();
}

// Returns whether there is such a table, which may be an empty file.
bool IsGiven(const TraceFile& file) { return !file.name.empty() || !file.bytes.empty(); }

// The tables beside that of jobs: nodes or a number of processors, speeds, and queues.
absl::Status ReadSurroundings(const CsvFiles& files, int64_t processors, Budget* budget,
                              Numbers* queues, Trace* trace) {
  if (IsGiven(files.nodes)) {
    if (absl::Status s = ReadNodes(files.nodes, budget, trace); !s.ok()) return s;
  } else {
    if (absl::Status s = CheckProcessors(files.jobs.name, processors,
                                         "a table of nodes or a number of processors is needed");
        !s.ok()) {
      return s;
    }
    trace->processors = processors;
  }
  if (IsGiven(files.speeds)) {
    if (absl::Status s = ReadSpeeds(files.speeds, budget, trace); !s.ok()) return s;
  }
  if (!IsGiven(files.queues)) return absl::OkStatus();
  return ReadQueues(files.queues, budget, queues, trace);
}

// What the rows above have told: names by number, and rows by id.
struct SeenRows {
  Numbers queues, users, shapes;
  HashMap<int64_t, uint32_t> ids;
};

// Refuses a row that names an unknown row or queue, or an id that is taken.
absl::Status CheckNames(const JobColumns& at, const SeenRows& seen, bool named_queues,
                        const TraceFile& file, TableReader* table, TraceJob* job) {
  if (table->Has(at.preceding)) {
    const auto found = seen.ids.find(table->Integer(at.preceding, 0, kEndless));
    if (found == seen.ids.end()) {
      table->Refuse(at.preceding,
                    absl::StrCat("no row above has the id ", Quote(table->Text(at.preceding))));
    } else {
      job->preceding = found->second;
    }
  }
  if (seen.ids.contains(*job->id)) table->Refuse(at.id, "the id is there twice");
  if (!named_queues) return absl::OkStatus();
  const std::string_view queue = table->Has(at.queue) ? table->Text(at.queue) : kDefaultQueue;
  if (seen.queues.Has(queue)) return absl::OkStatus();
  if (at.queue < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        file.name, ":1: there is no column \"queue\", and no queue named \"default\""));
  }
  table->Refuse(at.queue, absl::StrCat("there is no queue ", Quote(queue)));
  return absl::OkStatus();
}

// Gives the job's names their numbers, and the trace the names that are new.
void NumberNames(const JobColumns& at, TaskShape shape, const TableReader& table, SeenRows* seen,
                 Trace* trace, TraceJob* job) {
  const std::string_view in_queue = table.Has(at.queue) ? table.Text(at.queue) : kDefaultQueue;
  const auto [queue, new_queue] = seen->queues.Of(in_queue);
  if (new_queue) trace->queues.push_back({.name = std::string(in_queue)});
  job->queue = queue;
  if (table.Has(at.user)) {
    const auto [user, new_user] = seen->users.Of(table.Text(at.user));
    if (new_user) trace->users.emplace_back(table.Text(at.user));
    job->user = user;
  }
  const auto [number, new_shape] = seen->shapes.Of(KeyOf(shape));
  if (new_shape) trace->shapes.push_back(std::move(shape));
  job->shape = number;
}

}  // namespace

absl::StatusOr<Trace> ReadCsv(const CsvFiles& files, const CsvOptions& options,
                              ReadReport* report) {
  Trace trace;
  trace.name = files.jobs.name;
  Budget budget(options.read.limits);
  SeenRows seen;
  if (absl::Status s = ReadSurroundings(files, options.processors, &budget, &seen.queues, &trace);
      !s.ok()) {
    return s;
  }
  const bool named_queues = IsGiven(files.queues);
  TableReader table(files.jobs, options.read, report, &budget);
  const JobColumns columns(&table);
  if (!table.status().ok()) return table.status();
  if (absl::Status s =
          CheckColumns(table, files.jobs,
                       {"submit", "run", "name", "id", "estimate", "tasks", "min_tasks", "queue",
                        "user", "priority", "deadline", "preceding", "think"},
                       {"request.", "selector.", "label."});
      !s.ok()) {
    return s;
  }
  // Ids are numbers of rows, in order, where none are given.
  const bool needs_rows = columns.id >= 0 || columns.preceding >= 0;
  for (int64_t row = 0; table.NextRow(); ++row) {
    TraceJob job = ReadJobRow(columns, row, &table);
    TaskShape shape = ReadShape(columns, &table);
    if (absl::Status s = CheckNames(columns, seen, named_queues, files.jobs, &table, &job);
        !s.ok()) {
      return s;
    }
    // A row that is left out leaves nothing behind.
    if (!table.EndRow() || !table.Charge(1)) continue;
    NumberNames(columns, std::move(shape), table, &seen, &trace, &job);
    if (needs_rows) seen.ids.emplace(*job.id, static_cast<uint32_t>(trace.size()));
    if (absl::Status s = AddJob(job, &trace); !s.ok()) return s;
  }
  if (!table.status().ok()) return table.status();
  if (report != nullptr) report->jobs = static_cast<int64_t>(trace.size());
  return Checked(std::move(trace));
}

}  // namespace muster
