// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What `muster replay` prints, as text and as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/strings.h"
#include "lib/base/text_table.h"
#include "tools/muster/replay.h"

namespace muster {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson ToJson(const Distribution& d) {
  return {{"count", d.count}, {"mean", d.mean}, {"p50", d.p50}, {"p90", d.p90},
          {"p95", d.p95},     {"p99", d.p99},   {"max", d.max}};
}

OrderedJson ToJson(const JobMetrics& m) {
  return {{"wait", ToJson(m.wait)},
          {"turnaround", ToJson(m.turnaround)},
          {"bounded_slowdown", ToJson(m.bounded_slowdown)},
          {"finish_time_ratio", ToJson(m.finish_time_ratio)},
          {"finish_time_fairness", ToJson(m.finish_time_fairness)}};
}

OrderedJson ToJson(const std::vector<JobGroup>& groups) {
  OrderedJson out = OrderedJson::array();
  for (const JobGroup& group : groups) {
    OrderedJson entry = ToJson(group.jobs);
    entry["name"] = group.name;
    out.push_back(std::move(entry));
  }
  return out;
}

std::string Row(absl::string_view name, const Distribution& d) {
  return absl::StrFormat("  %-18s %12.2f %12.2f %12.2f %12.2f %12.2f\n", name, d.mean, d.p50, d.p95,
                         d.p99, d.max);
}

}  // namespace

std::string ReportText(const ReplayReport& r) {
  const Metrics& m = r.metrics;
  std::string out = absl::StrCat(r.trace.name, ": ", r.read.jobs, " jobs");
  for (const auto& [rule, count] : r.read.dropped) {
    absl::StrAppend(&out, ", ", count, " dropped (", rule, ")");
  }
  if (r.read.bad > 0) absl::StrAppend(&out, ", ", r.read.bad, " bad lines left out");
  if (!r.trace.speeds.empty()) {
    const size_t speeds = r.trace.speeds.size();
    absl::StrAppend(&out, ", as fast as their nodes by ", speeds,
                    speeds == 1 ? " speed" : " speeds");
  }
  absl::StrAppend(&out, "\n");
  for (const std::string& line : r.read.bad_lines) absl::StrAppend(&out, "  ", line, "\n");
  absl::StrAppend(&out, r.result.policy, r.result.clairvoyant ? " [clairvoyant]" : "",
                  r.result.complete ? "" : " (stopped before the end)", ": ", m.ended, " ended, ",
                  m.started - m.ended, " running, ", m.submitted - m.started - m.refused,
                  " waiting, ", m.refused, " refused\n");
  absl::StrAppendFormat(&out, "  %-18s %12s %12s %12s %12s %12s\n", "seconds", "mean", "p50", "p95",
                        "p99", "max");
  absl::StrAppend(&out, Row("wait", m.all.wait), Row("turnaround", m.all.turnaround),
                  Row("bounded slowdown", m.all.bounded_slowdown));
  if (r.bound.has_value()) {
    absl::StrAppendFormat(&out, "no schedule of the %d jobs that ended has less than\n",
                          r.bound->jobs);
    absl::StrAppendFormat(&out, "  %-18s %12.2f\n  %-18s %12.2f\n", "wait", r.bound->mean_wait,
                          "bounded slowdown", r.bound->mean_bounded_slowdown);
  }
  absl::StrAppendFormat(&out, "makespan %d s, backfilled %d\n", m.makespan, m.backfilled);
  if (r.result.processors > 0) absl::StrAppendFormat(&out, "utilisation %.4f\n", m.utilisation);
  for (const ResourceMetrics& d : m.resources) {
    absl::StrAppendFormat(&out, "%s: utilisation %.4f, fragmentation %.4f\n", d.name, d.utilisation,
                          d.fragmentation);
  }
  if (m.stops > 0) {
    absl::StrAppendFormat(&out, "%d stops, %d tasks evicted, %d nodes failed, goodput %.4f\n",
                          m.stops, r.result.evictions, r.result.node_failures, m.goodput);
  }
  if (m.deadlines > 0) {
    absl::StrAppend(&out, m.deadline_misses, " of ", m.deadlines, " deadlines missed\n");
  }
  absl::StrAppendFormat(&out, "%d events in %.3f s: %.0f a second\n", r.result.events, r.seconds,
                        static_cast<double>(r.result.events) / std::max(r.seconds, 1e-9));
  return out;
}

std::string ReportJson(const ReplayReport& r) {
  const Metrics& m = r.metrics;
  OrderedJson dropped = OrderedJson::object();
  for (const auto& [rule, count] : r.read.dropped) dropped[rule] = count;
  OrderedJson resources = OrderedJson::array(), queues = OrderedJson::array();
  for (const ResourceMetrics& d : m.resources) {
    resources.push_back(
        {{"name", d.name}, {"utilisation", d.utilisation}, {"fragmentation", d.fragmentation}});
  }
  for (const QueueMetrics& q : m.queues) {
    queues.push_back({{"name", q.name}, {"delivered", q.delivered}});
    if (q.deserved >= 0) queues.back()["deserved"] = q.deserved;
  }
  OrderedJson out = {{"trace", r.trace.name},
                     {"read",
                      {{"lines", r.read.lines},
                       {"jobs", r.read.jobs},
                       {"bad", r.read.bad},
                       {"bad_lines", r.read.bad_lines},
                       {"speeds", r.trace.speeds.size()},
                       {"dropped", dropped}}},
                     {"policy", r.result.policy},
                     {"clairvoyant", r.result.clairvoyant},
                     {"complete", r.result.complete},
                     {"processors", r.result.processors},
                     {"submitted", m.submitted},
                     {"started", m.started},
                     {"ended", m.ended},
                     {"refused", m.refused},
                     {"backfilled", m.backfilled},
                     {"longest_wait", m.longest_wait},
                     {"makespan", m.makespan},
                     {"utilisation", m.utilisation},
                     {"resources", resources},
                     {"queues", queues},
                     {"jain", m.jain},
                     {"share_deviation_mean", m.share_deviation_mean},
                     {"share_deviation_max", m.share_deviation_max},
                     {"deadlines", m.deadlines},
                     {"deadline_misses", m.deadline_misses},
                     {"stops", m.stops},
                     {"lost", m.lost},
                     {"goodput", m.goodput},
                     {"evictions", r.result.evictions},
                     {"node_failures", r.result.node_failures},
                     {"decisions", r.result.decisions},
                     {"work", r.result.work},
                     {"all", ToJson(m.all)},
                     {"by_size", ToJson(m.by_size)},
                     {"by_queue", ToJson(m.by_queue)},
                     {"by_user", ToJson(m.by_user)},
                     {"events", r.result.events},
                     {"passes", r.result.passes},
                     {"seconds", r.seconds}};
  if (r.bound.has_value()) {
    out["bound"] = {{"jobs", r.bound->jobs},
                    {"resource", r.bound->resource},
                    {"capacity", r.bound->capacity},
                    {"mean_wait", r.bound->mean_wait},
                    {"mean_bounded_slowdown", r.bound->mean_bounded_slowdown}};
  }
  return out.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace muster
