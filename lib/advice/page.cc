// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/page.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/advice/counted_tasks.h"
#include "lib/advice/held.h"
#include "lib/advice/page_parts.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr std::string_view kHead = R"(<meta charset=utf-8>
<meta name=viewport content="width=device-width">
<style>
body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:1100px;padding:0 1em;color:#222}
h1{font-size:22px}h3{font-size:15px;margin:1.4em 0 .4em}
summary{cursor:pointer;font-weight:600;padding:.4em 0;border-bottom:1px solid #ccc}
table{border-collapse:collapse;width:100%}
td,th{text-align:left;vertical-align:top;padding:3px 8px 3px 4px;border-bottom:1px solid #eee}
.number{text-align:right}
pre{margin:0;white-space:pre-wrap;font:12px/1.4 ui-monospace,monospace}
.nodes{display:flex;flex-wrap:wrap;gap:3px}
.nodes b{width:22px;height:22px;border:1px solid #999;border-radius:2px}
.nodes.many{gap:1px}.nodes.many b{width:8px;height:8px;border-width:0;outline:1px solid #ddd}
.nodes b.closed{border-style:dashed;border-color:#c33;outline-color:#c33}
i{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:5px}
.legend span{margin-right:1em;white-space:nowrap}
.bar{position:relative;width:220px;height:12px;background:#f0f0f0;margin-top:4px}
.bar u{position:absolute;left:0;top:0;bottom:0}
.bar s{position:absolute;top:-3px;bottom:-3px}
s{display:inline-block;width:2px;height:12px;text-decoration:none}
s.deserved{background:#222}s.limit{background:#c33}
.note,em{color:#666}
</style>
)";

// How many tasks of the job have a node.
int64_t PlacedOf(const PageView& view, JobIndex job) {
  return std::ranges::count_if(view.tables.jobs.tasks[job],
                               [&](TaskIndex t) { return view.ends.node[t] != kNone; });
}

void AppendPlan(const Tables& tables, const PagePlan& of, bool open, std::string* out) {
  absl::StrAppend(out, "<details", open ? " open" : "", "><summary>", Escaped(of.profile));
  if (!of.refused.empty()) {
    absl::StrAppend(out, ": no plan</summary><p>", Escaped(of.refused), "</p></details>\n");
    return;
  }
  const Plan& plan = of.plan;
  const int64_t waiting =
      SatAdd(static_cast<int64_t>(plan.pending().size()), CountedWaiting(tables, plan));
  const int64_t evicted =
      SatAdd(static_cast<int64_t>(plan.evictions().size()), CountedEvictions(tables, plan));
  absl::StrAppend(out, ": ");
  if (!plan.admissions().empty()) absl::StrAppend(out, plan.admissions().size(), " admitted, ");
  absl::StrAppend(out, plan.binds().size(), " start, ", plan.nominations().size(), " nominated, ",
                  plan.moves().size(), " move, ", evicted, " evicted, ", waiting,
                  " wait</summary>\n");
  const PageView view(tables, plan);
  AppendNodeMap(view, out);
  AppendQueueTree(view, out);
  if (!of.places) {
    absl::StrAppend(out, "<p class=note>", Escaped(of.profile),
                    " places no tasks: what is held is of tasks that run, and not the quota that "
                    "jobs were admitted with.</p>\n");
  }
  AppendWaitingJobs(view, of.diagnoses, of.places, out);
  out->append("</details>\n");
}

// Jobs of which the plans place different numbers of tasks.
void AppendComparison(const Tables& tables, std::span<const PagePlan> plans, std::string* out) {
  std::vector<std::optional<PageView>> views;
  out->append("<h3>Jobs that the profiles decide differently</h3>\n<table><tr><th>job</th>");
  for (const PagePlan& of : plans) {
    views.emplace_back();
    if (!of.refused.empty()) continue;
    views.back().emplace(tables, of.plan);
    absl::StrAppend(out, "<th class=number>", Escaped(of.profile), "</th>");
  }
  out->append("</tr>\n");
  int64_t alike = 0;
  for (JobIndex job = 0; job < tables.jobs.alive.size(); ++job) {
    if (!tables.jobs.alive[job]) continue;
    std::vector<int64_t> placed;
    for (const std::optional<PageView>& view : views) {
      if (view) placed.push_back(PlacedOf(*view, job));
    }
    if (std::ranges::adjacent_find(placed, std::ranges::not_equal_to()) == placed.end()) {
      ++alike;
      continue;
    }
    absl::StrAppend(out, "<tr><td>", Escaped(tables.jobs.spec[job].name), "</td>");
    for (const int64_t count : placed) absl::StrAppend(out, "<td class=number>", count, "</td>");
    out->append("</tr>\n");
  }
  absl::StrAppend(out, "</table>\n<p class=note>Tasks of the job that have a node. ", alike,
                  " other jobs have equal numbers under all profiles.</p>\n");
}

}  // namespace

PageView::PageView(const Tables& tables, const Plan& plan)
    : tables(tables),
      plan(plan),
      ends(EndsOf(tables, plan)),
      on_node(tables.nodes.alive.size()),
      capacity(tables.dimension_count(), 0) {
  for (TaskIndex t = 0; t < ends.node.size(); ++t) {
    if (ends.node[t] != kNone) on_node[ends.node[t]].push_back(t);
  }
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (tables.nodes.alive[n]) AddUpTo(tables.nodes.allocatable.row(n), capacity);
  }
}

int64_t PageView::Request(TaskIndex t, DimensionIndex d) const {
  return OrZero(tables.classes.request.at(tables.tasks.task_class[t], d));
}

QueueIndex PageView::QueueOf(TaskIndex t) const {
  const JobIndex job = tables.tasks.job[t];
  return job == kNone ? QueueIndex(kNone) : tables.jobs.queue[job];
}

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string ColourOf(QueueIndex queue) {
  if (queue == kNone) return "#999";
  // Steps of the golden angle never meet.
  return absl::StrFormat("hsl(%d,58%%,%d%%)", static_cast<int>(uint32_t{queue} % 360 * 137 % 360),
                         48 + static_cast<int>(uint32_t{queue} % 3) * 9);
}

std::string WritePage(const Tables& tables, std::string_view title,
                      std::span<const PagePlan> plans) {
  std::string out = absl::StrCat("<!doctype html>\n<html lang=en>\n<title>", Escaped(title),
                                 "</title>\n", ToAbsl(kHead), "<h1>", Escaped(title), "</h1>\n");
  for (size_t i = 0; i < plans.size(); ++i) AppendPlan(tables, plans[i], i == 0, &out);
  if (plans.size() > 1) AppendComparison(tables, plans, &out);
  out.append("</html>\n");
  return out;
}

}  // namespace muster
