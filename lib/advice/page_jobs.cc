// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The jobs that wait, and the tasks without a job that do: why, in the words of the plan, and what
// would help.
//
// The words of a job cost O(plan), so the page has those of the first 500 jobs and counts the rest.
#include <algorithm>
#include <optional>
#include <span>

#include "absl/strings/str_cat.h"
#include "lib/advice/counted_tasks.h"
#include "lib/advice/page.h"
#include "lib/advice/page_parts.h"
#include "lib/advice/starts_text.h"

namespace muster {
namespace {

constexpr size_t kMostJobs = 500;

bool Waits(const PageView& view, JobIndex job, std::span<const CountedWait> counted) {
  return std::ranges::binary_search(counted, job, {}, &CountedWait::job) ||
         std::ranges::any_of(view.tables.jobs.tasks[job],
                             [&](TaskIndex t) { return view.ends.reason[t] != Ends::kNoReason; });
}

void AppendDiagnosis(const Diagnosis& diagnosis, bool places, std::string* out) {
  for (const std::string& fact : diagnosis.facts) {
    absl::StrAppend(out, "<br>", Escaped(fact));
  }
  for (const Remedy& remedy : diagnosis.remedies) {
    absl::StrAppend(out, "<br>&#8594; ", Escaped(remedy.words), ": ",
                    StartsText(remedy.starts, places));
    if (remedy.evictions > 0) absl::StrAppend(out, ", ", remedy.evictions, " more evicted");
    if (remedy.evictions < 0) absl::StrAppend(out, ", ", -remedy.evictions, " fewer evicted");
    if (remedy.others < 0) absl::StrAppend(out, ", ", -remedy.others, " fewer of other jobs");
  }
}

}  // namespace

void AppendWaitingJobs(const PageView& view,
                       const std::vector<std::pair<std::string, Diagnosis>>& diagnoses, bool places,
                       std::string* out) {
  const std::vector<std::string> waiting = WaitingJobs(view.tables, view.plan);
  const auto& jobs = view.tables.jobs.names;
  const auto lone = static_cast<size_t>(std::ranges::count_if(
      waiting, [&](const std::string& name) { return !jobs.Find(name).has_value(); }));
  const size_t of_jobs = waiting.size() - lone;
  absl::StrAppend(out, "<h3>", of_jobs, of_jobs == 1 ? " job waits" : " jobs wait");
  if (lone > 0) absl::StrAppend(out, ", ", lone, lone == 1 ? " task" : " tasks", " without a job");
  out->append("</h3>\n");
  if (waiting.empty()) return;
  out->append("<table><tr><th>job</th><th>queue</th><th>why</th></tr>\n");
  for (size_t i = 0; i < std::min(waiting.size(), kMostJobs); ++i) {
    const std::string& name = waiting[i];
    const std::optional<JobIndex> job = jobs.Find(name);
    const std::string queue =
        job ? view.tables.queues.spec[view.tables.jobs.queue[*job]].name : std::string();
    const absl::StatusOr<std::string> why = view.plan.Explain(name);
    absl::StrAppend(out, "<tr><td>", Escaped(name), "</td><td>", Escaped(queue), "</td><td><pre>",
                    Escaped(why.value_or("")), "</pre>");
    for (const auto& [of, diagnosis] : diagnoses) {
      if (of == name) AppendDiagnosis(diagnosis, places, out);
    }
    out->append("</td></tr>\n");
  }
  out->append("</table>\n");
  if (waiting.size() > kMostJobs) {
    absl::StrAppend(out, "<p class=note>", waiting.size() - kMostJobs, " more wait.</p>\n");
  }
}

std::vector<std::string> WaitingJobs(const Tables& tables, const Plan& plan) {
  const PageView view(tables, plan);
  const std::vector<CountedWait> counted = CountedWaits(tables, plan);
  std::vector<std::string> names;
  for (JobIndex job = 0; job < tables.jobs.alive.size(); ++job) {
    if (!tables.jobs.alive[job] || !Waits(view, job, counted)) continue;
    names.push_back(tables.jobs.spec[job].name);
  }
  for (const PendingTask& pending : plan.pending()) {
    if (!tables.has_job(pending.task)) names.emplace_back(tables.tasks.names.name(pending.task));
  }
  return names;
}

}  // namespace muster
