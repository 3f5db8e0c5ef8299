// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Lays the ends of two plans side by side, by name.
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/advice/amounts.h"
#include "lib/advice/counted_tasks.h"
#include "lib/advice/ends.h"
#include "lib/advice/held.h"
#include "lib/base/strings.h"
#include "lib/base/text_table.h"
#include "lib/model/access.h"
#include "lib/plan/json_text.h"
#include "lib/plan/plan_data.h"
#include "muster/rehearsal.h"

namespace muster {
namespace {

// One of the two worlds.
struct Side {
  const Tables& tables;
  const Plan& plan;
  Ends ends;

  Side(const Snapshot& snapshot, const Plan& plan)
      : tables(TablesOf(snapshot)), plan(plan), ends(EndsOf(tables, plan)) {}

  std::string Node(std::optional<TaskIndex> t) const {
    if (!t || ends.node[*t] == kNone) return "";
    return std::string(tables.nodes.names.name(ends.node[*t]));
  }
  // The node that holds the task before any decision.
  std::string NodeNow(std::optional<TaskIndex> t) const {
    if (!t || !HoldsNode(tables.tasks.status[*t])) return "";
    return std::string(tables.nodes.names.name(tables.tasks.node[*t]));
  }
  bool HoldsQuota(std::optional<JobIndex> job) const { return job && ends.holds_quota[*job] != 0; }
  std::string QueueOf(JobIndex job) const {
    return std::string(tables.queues.names.name(tables.jobs.queue[job]));
  }
  std::string Job(TaskIndex t) const {
    const JobIndex job = tables.tasks.job[t];
    return job == kNone ? "" : std::string(tables.jobs.names.name(job));
  }
  bool Waits(TaskIndex t) const { return ends.reason[t] != Ends::kNoReason; }
  std::string Reason(TaskIndex t) const { return Waits(t) ? Words(ends.reason[t]) : ""; }
  std::string Words(uint32_t reason) const {
    return ReasonText(plan.reasons()[reason], *DataOf(plan)->names);
  }
};

void CompareTask(std::string_view name, const Side& before, const Side& after,
                 PlanDifference* out) {
  const std::optional<TaskIndex> old = before.tables.tasks.names.Find(name);
  const std::optional<TaskIndex> now = after.tables.tasks.names.Find(name);
  TaskDifference task{std::string(name),
                      now ? after.Job(*now) : before.Job(*old),
                      before.Node(old),
                      after.Node(now),
                      "",
                      before.NodeNow(old)};
  if (!old && task.after.empty() && after.Waits(*now)) {
    task.reason = after.Reason(*now);
    out->waits.push_back(std::move(task));
    return;
  }
  if (task.before == task.after) return;
  if (task.before.empty()) {
    out->starts.push_back(std::move(task));
  } else if (task.after.empty()) {
    if (now) task.reason = after.Reason(*now);
    out->stops.push_back(std::move(task));
  } else {
    out->moves.push_back(std::move(task));
  }
}

void CompareJob(std::string_view name, const Side& before, const Side& after, PlanDifference* out) {
  const std::optional<JobIndex> old = before.tables.jobs.names.Find(name);
  const std::optional<JobIndex> now = after.tables.jobs.names.Find(name);
  const bool held = before.HoldsQuota(old), holds = after.HoldsQuota(now);
  if (held == holds) return;
  (holds ? out->admits : out->withdraws)
      .push_back({std::string(name), now ? after.QueueOf(*now) : before.QueueOf(*old)});
}

// Jobs of tasks by count that only `after` has and that wait there.
void FindCountedWaits(const Side& before, const Side& after, PlanDifference* out) {
  for (const CountedWait& wait : CountedWaits(after.tables, after.plan)) {
    const std::string_view name = after.tables.jobs.names.name(wait.job);
    if (before.tables.jobs.names.Find(name)) continue;
    out->waits.push_back({.job = std::string(name), .reason = after.Words(wait.reason)});
  }
}

const QueueShare* ShareIn(const Side& side, std::string_view queue) {
  const std::optional<QueueIndex> q = side.tables.queues.names.Find(queue);
  return q ? ShareOf(side.plan, *q) : nullptr;
}

// Amounts by the dimensions of the answer.
std::vector<int64_t> Allocated(const Side& side, const QueueShare* share,
                               const std::vector<std::string>& dimensions) {
  std::vector<int64_t> cells(dimensions.size(), 0);
  if (share == nullptr) return cells;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const std::optional<DimensionIndex> d = side.tables.dimensions.Find(dimensions[i]);
    if (d && *d < share->allocated_after.size()) cells[i] = OrZero(share->allocated_after[*d]);
  }
  return cells;
}

void CompareQueue(std::string_view name, const Side& before, const Side& after,
                  PlanDifference* out) {
  const QueueShare* old = ShareIn(before, name);
  const QueueShare* now = ShareIn(after, name);
  QueueDifference queue{std::string(name), Allocated(before, old, out->dimensions),
                        Allocated(after, now, out->dimensions),
                        old == nullptr ? 0 : old->share_after,
                        now == nullptr ? 0 : now->share_after};
  if (queue.allocated_before != queue.allocated_after || queue.share_before != queue.share_after) {
    out->queues.push_back(std::move(queue));
  }
}

// Calls for the living rows of `before`, then for those that only `after` has.
template <class Names, class F>
void ForEachName(const Names& before, const std::vector<uint8_t>& before_alive, const Names& after,
                 const std::vector<uint8_t>& after_alive, F&& f) {
  using Id = typename std::remove_cvref_t<decltype(*before.Find(""))>;
  for (size_t i = 0; i < before_alive.size(); ++i) {
    if (before_alive[i]) f(before.name(Id(i)));
  }
  for (size_t i = 0; i < after_alive.size(); ++i) {
    if (after_alive[i] && !before.Find(after.name(Id(i)))) f(after.name(Id(i)));
  }
}

void AppendTasks(const char* key, const std::vector<TaskDifference>& tasks, std::string* out) {
  absl::StrAppend(out, "\"", key, "\": [");
  for (size_t i = 0; i < tasks.size(); ++i) {
    out->append(i == 0 ? "\n  " : ",\n  ");
    const std::pair<const char*, const std::string*> fields[] = {
        {"task", &tasks[i].task},   {"job", &tasks[i].job},       {"before", &tasks[i].before},
        {"after", &tasks[i].after}, {"reason", &tasks[i].reason}, {"now", &tasks[i].now}};
    for (const auto& [name, value] : fields) {
      absl::StrAppend(out, out->back() == ' ' ? "{\"" : ", \"", name, "\": ");
      AppendJson(*value, out);
    }
    out->append("}");
  }
  out->append("],\n ");
}

void AppendCells(const char* key, const std::vector<std::string>& dimensions,
                 const std::vector<int64_t>& cells, std::string* out) {
  absl::StrAppend(out, ", \"", key, "\": {");
  for (size_t d = 0; d < cells.size(); ++d) {
    if (d > 0) out->append(", ");
    AppendJson(dimensions[d], out);
    out->append(": ");
    AppendJson(cells[d], out);
  }
  out->append("}");
}

void AppendJobs(const char* key, const std::vector<JobDifference>& jobs, std::string* out) {
  absl::StrAppend(out, "\"", key, "\": [");
  for (size_t i = 0; i < jobs.size(); ++i) {
    out->append(i == 0 ? "\n  {\"job\": " : ",\n  {\"job\": ");
    AppendJson(jobs[i].job, out);
    out->append(", \"queue\": ");
    AppendJson(jobs[i].queue, out);
    out->append("}");
  }
  out->append("],\n ");
}

// Returns a line: by what the task does today, and not by what the first plan decides about it.
std::string LineOf(const TaskDifference& task) {
  const auto& [name, job, before, after, reason, now] = task;
  const std::string why = reason.empty() ? "" : absl::StrCat(": ", reason);
  if (after.empty()) {
    return now.empty() ? absl::StrCat("no longer starts ", name, " on ", before, why)
                       : absl::StrCat("stops ", name, " from ", now, why);
  }
  if (now == after) {
    return before.empty() ? absl::StrCat("keeps ", name, " on ", now, ", not evicted any more")
                          : absl::StrCat("keeps ", name, " on ", now, ", not moved to ", before);
  }
  if (!now.empty()) return absl::StrCat("moves ", name, " from ", now, " to ", after);
  if (before.empty()) return absl::StrCat("starts ", name, " on ", after);
  return absl::StrCat("starts ", name, " on ", after, " and not on ", before);
}

// Writes a line for each job and reason, and for each task without a job.
void AppendWaits(const std::vector<TaskDifference>& waits, std::string* out) {
  std::map<std::pair<std::string_view, std::string_view>, int64_t> tasks;
  for (const TaskDifference& task : waits) ++tasks[{task.job, task.reason}];
  for (const TaskDifference& task : waits) {
    if (task.job.empty()) {
      absl::StrAppend(out, task.task, " is new and waits: ", task.reason, "\n");
      continue;
    }
    const int64_t count = std::exchange(tasks[{task.job, task.reason}], 0);
    if (count == 0) continue;
    absl::StrAppend(out, task.job, " is new and waits");
    if (count > 1) absl::StrAppend(out, ", ", count, " tasks");
    absl::StrAppend(out, ": ", task.reason, "\n");
  }
}

}  // namespace

PlanDifference Difference(const Snapshot& before, const Plan& plan_before, const Snapshot& after,
                          const Plan& plan_after) {
  const Side old(before, plan_before), now(after, plan_after);
  PlanDifference out;
  ForEachName(old.tables.tasks.names, old.tables.tasks.alive, now.tables.tasks.names,
              now.tables.tasks.alive,
              [&](std::string_view name) { CompareTask(name, old, now, &out); });
  ForEachName(old.tables.jobs.names, old.tables.jobs.alive, now.tables.jobs.names,
              now.tables.jobs.alive,
              [&](std::string_view name) { CompareJob(name, old, now, &out); });
  FindCountedWaits(old, now, &out);
  for (DimensionIndex d = 0; d < old.tables.dimension_count(); ++d) {
    out.dimensions.emplace_back(old.tables.dimensions.name(d));
  }
  for (DimensionIndex d = 0; d < now.tables.dimension_count(); ++d) {
    const std::string_view name = now.tables.dimensions.name(d);
    if (!old.tables.dimensions.Find(name)) out.dimensions.emplace_back(name);
  }
  ForEachName(old.tables.queues.names, old.tables.queues.alive, now.tables.queues.names,
              now.tables.queues.alive,
              [&](std::string_view name) { CompareQueue(name, old, now, &out); });
  return out;
}

bool PlanDifference::empty() const {
  return starts.empty() && stops.empty() && moves.empty() && admits.empty() && withdraws.empty() &&
         queues.empty() && waits.empty();
}

std::string PlanDifference::ToText() const {
  if (empty()) return "nothing differs\n";
  std::string out;
  for (const std::vector<TaskDifference>* tasks : {&starts, &stops, &moves}) {
    for (const TaskDifference& task : *tasks) absl::StrAppend(&out, LineOf(task), "\n");
  }
  for (const auto& [jobs, verb] :
       {std::pair(&admits, "admits "), std::pair(&withdraws, "withdraws ")}) {
    for (const JobDifference& job : *jobs) {
      absl::StrAppend(&out, verb, job.job, jobs == &admits ? " to queue " : " from queue ",
                      job.queue, "\n");
    }
  }
  AppendWaits(waits, &out);
  if (queues.empty()) return out;
  const auto right = TextTable::kRight;
  TextTable table(
      {{"QUEUE"}, {"SHARE", right}, {"AFTER", right}, {"OF"}, {"HELD", right}, {"AFTER", right}});
  for (const QueueDifference& queue : queues) {
    std::vector<std::string> head = {queue.queue, absl::StrCat(queue.share_before),
                                     absl::StrCat(queue.share_after)};
    for (size_t d = 0; d < dimensions.size(); ++d) {
      if (queue.allocated_before[d] == queue.allocated_after[d]) continue;
      head.push_back(dimensions[d]);
      head.push_back(AmountText(dimensions[d], queue.allocated_before[d]));
      head.push_back(AmountText(dimensions[d], queue.allocated_after[d]));
      table.AddRow(std::exchange(head, std::vector<std::string>(3)));
    }
    if (!head[0].empty()) table.AddRow(std::move(head));
  }
  return absl::StrCat(out, out.empty() ? "" : "\n", table.ToString());
}

std::string PlanDifference::ToJson() const {
  std::string out = "{";
  AppendTasks("starts", starts, &out);
  AppendTasks("stops", stops, &out);
  AppendTasks("moves", moves, &out);
  AppendTasks("waits", waits, &out);
  AppendJobs("admits", admits, &out);
  AppendJobs("withdraws", withdraws, &out);
  out.append("\"queues\": [");
  for (size_t i = 0; i < queues.size(); ++i) {
    out.append(i == 0 ? "\n  {\"queue\": " : ",\n  {\"queue\": ");
    AppendJson(queues[i].queue, &out);
    out.append(", \"share_before\": ");
    AppendJson(queues[i].share_before, &out);
    out.append(", \"share_after\": ");
    AppendJson(queues[i].share_after, &out);
    AppendCells("allocated_before", dimensions, queues[i].allocated_before, &out);
    AppendCells("allocated_after", dimensions, queues[i].allocated_after, &out);
    out.append("}");
  }
  out.append("]}\n");
  return out;
}

}  // namespace muster
