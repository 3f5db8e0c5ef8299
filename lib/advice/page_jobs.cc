// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The jobs that wait, and the tasks without a job that do: why, in the words of the plan, and what
// would help.
//
// The words of a job cost O(plan), so the page has those of the first 500 rows and counts the rest.
#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "absl/strings/str_cat.h"
#include "lib/advice/counted_tasks.h"
#include "lib/advice/page.h"
#include "lib/advice/page_parts.h"
#include "lib/advice/starts_text.h"

namespace muster {
namespace {

constexpr size_t kMostRows = 500;
constexpr size_t kMostAlike = 3;  // of tasks that are alike

bool Waits(const PageView& view, JobIndex job, std::span<const CountedWait> counted) {
  return std::ranges::binary_search(counted, job, {}, &CountedWait::job) ||
         std::ranges::any_of(view.tables.jobs.tasks[job],
                             [&](TaskIndex t) { return view.ends.reason[t] != Ends::kNoReason; });
}

void AppendDiagnosis(const Diagnosis& diagnosis, const WaitingRow& row, bool places,
                     std::string* out) {
  if (!row.alike.empty() && !(diagnosis.facts.empty() && diagnosis.remedies.empty())) {
    absl::StrAppend(out, "<br>of ", Escaped(row.name), ":");
  }
  for (const std::string& fact : diagnosis.facts) {
    absl::StrAppend(out, "<br>", Escaped(fact));
  }
  for (const Remedy& remedy : diagnosis.remedies) {
    absl::StrAppend(out, "<br>&#8594; ", Escaped(remedy.words), ": ", OutcomeText(remedy, places));
  }
}

// "a, b, c and 4 more".
std::string NamesOf(const WaitingRow& row) {
  std::string names = row.name;
  for (size_t i = 0; i < std::min(row.alike.size(), kMostAlike - 1); ++i) {
    absl::StrAppend(&names, ", ", row.alike[i]);
  }
  if (row.alike.size() < kMostAlike) return names;
  return absl::StrCat(names, " and ", row.alike.size() - (kMostAlike - 1), " more");
}

}  // namespace

void AppendWaitingJobs(const PageView& view,
                       const std::vector<std::pair<std::string, Diagnosis>>& diagnoses, bool places,
                       std::string* out) {
  const std::vector<WaitingRow> waiting = WaitingRows(view.tables, view.plan);
  const auto& jobs = view.tables.jobs.names;
  size_t lone = 0, of_jobs = 0;
  for (const WaitingRow& row : waiting) {
    (jobs.Find(row.name).has_value() ? of_jobs : lone) += 1 + row.alike.size();
  }
  absl::StrAppend(out, "<h3>", of_jobs, of_jobs == 1 ? " job waits" : " jobs wait");
  if (lone > 0) absl::StrAppend(out, ", ", lone, lone == 1 ? " task" : " tasks", " without a job");
  out->append("</h3>\n");
  if (waiting.empty()) return;
  out->append("<table><tr><th>job</th><th>queue</th><th>why</th></tr>\n");
  size_t shown = 0;
  for (size_t i = 0; i < std::min(waiting.size(), kMostRows); ++i) {
    const WaitingRow& row = waiting[i];
    const std::optional<JobIndex> job = jobs.Find(row.name);
    const std::string queue =
        job ? view.tables.queues.spec[view.tables.jobs.queue[*job]].name : std::string();
    const absl::StatusOr<std::string> why = view.plan.Explain(row.name);
    absl::StrAppend(out, "<tr><td>", Escaped(NamesOf(row)), "</td><td>", Escaped(queue),
                    "</td><td><pre>", Escaped(why.value_or("")), "</pre>");
    for (const auto& [of, diagnosis] : diagnoses) {
      if (of == row.name) AppendDiagnosis(diagnosis, row, places, out);
    }
    out->append("</td></tr>\n");
    shown += 1 + row.alike.size();
  }
  out->append("</table>\n");
  if (waiting.size() > kMostRows) {
    absl::StrAppend(out, "<p class=note>", of_jobs + lone - shown, " more wait.</p>\n");
  }
}

std::vector<WaitingRow> WaitingRows(const Tables& tables, const Plan& plan) {
  const PageView view(tables, plan);
  const std::vector<CountedWait> counted = CountedWaits(tables, plan);
  std::vector<WaitingRow> rows;
  for (JobIndex job = 0; job < tables.jobs.alive.size(); ++job) {
    if (!tables.jobs.alive[job] || !Waits(view, job, counted)) continue;
    rows.push_back({.name = tables.jobs.spec[job].name});
  }
  std::map<uint32_t, size_t> row_of_reason;
  for (const PendingTask& pending : plan.pending()) {
    if (tables.has_job(pending.task)) continue;
    std::string name(tables.tasks.names.name(pending.task));
    const auto [entry, is_new] = row_of_reason.try_emplace(pending.reason, rows.size());
    if (is_new) {
      rows.push_back({.name = std::move(name)});
    } else {
      rows[entry->second].alike.push_back(std::move(name));
    }
  }
  return rows;
}

}  // namespace muster
