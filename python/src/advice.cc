// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/advice.h"

#include <string_view>

#include "lib/scenario/question.h"
#include "muster/rehearsal.h"
#include "muster/remedy.h"
#include "muster/upkeep.h"
#include "python/src/columns.h"
#include "python/src/convert.h"
#include "python/src/run.h"
#include "python/src/status.h"
#include "python/src/what_if.h"

namespace muster::python {
namespace {

// One text of each row.
template <class Row, class Cell>
py::object Texts(const std::vector<Row>& rows, Cell cell) {
  std::vector<std::string_view> column;
  for (const Row& row : rows) column.push_back(cell(row));
  return TextArray(column);
}

template <class Row, class Cell>
py::object Numbers(const std::vector<Row>& rows, Cell cell) {
  std::vector<std::remove_cvref_t<decltype(cell(rows[0]))>> column;
  for (const Row& row : rows) column.push_back(cell(row));
  return NumberArray(column);
}

py::dict TaskTable(const std::vector<TaskDifference>& tasks) {
  py::dict table;
  table["task"] = Texts(
      tasks, [](const auto& t) -> auto& { return t.task; });
  table["job"] = Texts(
      tasks, [](const auto& t) -> auto& { return t.job; });
  table["before"] = Texts(
      tasks, [](const auto& t) -> auto& { return t.before; });
  table["after"] = Texts(
      tasks, [](const auto& t) -> auto& { return t.after; });
  table["reason"] = Texts(
      tasks, [](const auto& t) -> auto& { return t.reason; });
  table["now"] = Texts(
      tasks, [](const auto& t) -> auto& { return t.now; });
  return table;
}

py::dict JobTable(const std::vector<JobDifference>& jobs) {
  py::dict table;
  table["job"] = Texts(
      jobs, [](const auto& j) -> auto& { return j.job; });
  table["queue"] = Texts(
      jobs, [](const auto& j) -> auto& { return j.queue; });
  return table;
}

py::dict QueueTable(const PlanDifference& difference) {
  const std::vector<QueueDifference>& queues = difference.queues;
  py::dict table;
  table["queue"] = Texts(
      queues, [](const auto& q) -> auto& { return q.queue; });
  table["share_before"] = Numbers(queues, [](const auto& q) { return q.share_before; });
  table["share_after"] = Numbers(queues, [](const auto& q) { return q.share_after; });
  for (size_t d = 0; d < difference.dimensions.size(); ++d) {
    const std::string& of = difference.dimensions[d];
    table[Text("allocated_before." + of)] =
        Numbers(queues, [d](const auto& q) { return q.allocated_before[d]; });
    table[Text("allocated_after." + of)] =
        Numbers(queues, [d](const auto& q) { return q.allocated_after[d]; });
  }
  return table;
}

py::dict CountTable(const std::vector<NodeCount>& counts) {
  py::dict table;
  table["type"] = Texts(
      counts, [](const auto& c) -> auto& { return c.type; });
  table["count"] = Numbers(counts, [](const auto& c) { return c.count; });
  return table;
}

}  // namespace

py::dict RehearsalTables(const Cluster& cluster, const std::string& profile, py::handle changes,
                         const Asked& asked) {
  const std::vector<WhatIfChange> read = ReadChanges(changes);
  const Rehearsal rehearsal =
      AskOnThreads(asked.now, asked.policies, asked.threads,
                   [&](const ScheduleOptions& options, Executor* executor) {
                     return Rehearse(cluster, profile, read, options, executor);
                   });
  py::dict tables;
  tables["starts"] = TaskTable(rehearsal.difference.starts);
  tables["stops"] = TaskTable(rehearsal.difference.stops);
  tables["moves"] = TaskTable(rehearsal.difference.moves);
  tables["admits"] = JobTable(rehearsal.difference.admits);
  tables["withdraws"] = JobTable(rehearsal.difference.withdraws);
  tables["queues"] = QueueTable(rehearsal.difference);
  tables["waits"] = TaskTable(rehearsal.difference.waits);
  return tables;
}

py::dict DiagnosisTables(const Cluster& cluster, const std::string& profile, const std::string& job,
                         int64_t trials, const Asked& asked) {
  const Diagnosis diagnosis =
      AskOnThreads(asked.now, asked.policies, asked.threads,
                   [&](const ScheduleOptions& options, Executor* executor) {
                     return Diagnose(cluster, profile, job,
                                     {.schedule = options, .trials = trials, .executor = executor});
                   });
  const std::vector<Remedy>& remedies = diagnosis.remedies;
  py::dict table;
  table["kind"] = Texts(remedies, [](const auto& r) { return RemedyKindName(r.kind); });
  table["words"] = Texts(
      remedies, [](const auto& r) -> auto& { return r.words; });
  table["starts"] = Numbers(remedies, [](const auto& r) { return r.starts; });
  table["evictions"] = Numbers(remedies, [](const auto& r) { return r.evictions; });
  table["profile"] = Texts(
      remedies, [](const auto& r) -> auto& { return r.profile; });
  table["others"] = Numbers(remedies, [](const auto& r) { return r.others; });
  std::vector<std::string> changes;
  for (const Remedy& remedy : remedies) changes.push_back(WriteChanges(remedy.changes));
  table["changes"] = Texts(
      changes, [](const auto& text) -> auto& { return text; });
  py::list facts;
  for (const std::string& fact : diagnosis.facts) facts.append(Text(fact));
  py::dict tables;
  tables["waiting"] = diagnosis.waiting;
  tables["reason"] = Text(diagnosis.reason);
  tables["facts"] = facts;
  tables["trials"] = diagnosis.trials;
  tables["remedies"] = table;
  return tables;
}

py::dict DrainTables(const Cluster& cluster, const std::string& profile,
                     const std::vector<std::string>& nodes, const Asked& asked) {
  const DrainReport report = AskCycles(
      asked.now, asked.policies,
      [&](const ScheduleOptions& options) { return Drain(cluster, profile, nodes, options); });
  struct Row {
    const std::string& node;
    const DrainedTask& task;
  };
  struct Break {
    const std::string& node;
    std::string_view kind;
    const std::string& name;
  };
  std::vector<Row> rows;
  std::vector<Break> breaks;
  for (const DrainStep& step : report.steps) {
    for (const DrainedTask& task : step.tasks) rows.push_back({step.node, task});
    for (const std::string& budget : step.broken_budgets) {
      breaks.push_back({step.node, "budget", budget});
    }
    for (const std::string& job : step.broken_gangs) breaks.push_back({step.node, "gang", job});
  }
  py::dict tasks, broken, tables;
  tasks["node"] = Texts(
      rows, [](const Row& r) -> auto& { return r.node; });
  tasks["task"] = Texts(
      rows, [](const Row& r) -> auto& { return r.task.task; });
  tasks["to"] = Texts(
      rows, [](const Row& r) -> auto& { return r.task.to; });
  tasks["reason"] = Texts(
      rows, [](const Row& r) -> auto& { return r.task.reason; });
  tasks["ends"] = Numbers(rows, [](const Row& r) { return static_cast<int64_t>(r.task.ends); });
  broken["node"] = Texts(
      breaks, [](const Break& b) -> auto& { return b.node; });
  broken["kind"] = Texts(breaks, [](const Break& b) { return b.kind; });
  broken["name"] = Texts(
      breaks, [](const Break& b) -> auto& { return b.name; });
  tables["tasks"] = tasks;
  tables["broken"] = broken;
  return tables;
}

py::dict NeedTables(const Cluster& cluster, const std::string& profile, py::list offers,
                    int64_t most, const Asked& asked) {
  std::vector<NodeOffer> read;
  const Place top{nullptr, "offers"};
  for (const py::handle offer : offers) {
    const auto pair = offer.cast<py::tuple>();
    const Place place{&top, {}, read.size(), false};
    NodeOffer& next = read.emplace_back();
    ReadInto(place, pair[0], &next.node);
    next.price = pair[1].cast<double>();
    ReadInto(Place{&place, "most"}, pair[2], &next.most);
  }
  const NodesNeeded needed =
      AskOnThreads(asked.now, asked.policies, asked.threads,
                   [&](const ScheduleOptions& options, Executor* executor) {
                     return NeedNodes(cluster, profile, read,
                                      {.schedule = options, .most = most, .executor = executor});
                   });
  py::dict tables;
  tables["waiting_before"] = needed.waiting_before;
  tables["waiting_after"] = needed.waiting_after;
  py::dict alone = CountTable(needed.alone);
  alone["waits"] = Texts(
      needed.alone, [](const auto& c) -> auto& { return c.waits; });
  alone["waiting"] = Numbers(needed.alone, [](const auto& c) { return c.waiting; });
  tables["alone"] = std::move(alone);
  tables["cheapest"] = CountTable(needed.cheapest);
  tables["price"] = needed.price;
  tables["wanted"] = CountTable(needed.wanted);
  tables["wanted_price"] = needed.wanted_price;
  tables["wanted_waiting"] = needed.wanted_waiting;
  return tables;
}

}  // namespace muster::python
