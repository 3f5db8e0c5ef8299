// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Replays of traces for Python: results are arrays, and the GIL is released while the engine runs.
#include "muster/replay.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/replay/batch_spec.h"
#include "muster/metrics.h"
#include "python/src/bindings.h"
#include "python/src/columns.h"
#include "python/src/convert.h"
#include "python/src/policy.h"
#include "python/src/run.h"
#include "python/src/shared_trace.h"
#include "python/src/status.h"

namespace muster::python {
namespace {

constexpr std::array<std::string_view, 5> kOutcomes = {"done", "running", "waiting",
                                                       "not_submitted", "refused"};

ReplayOptions ReadOptionsOf(const py::dict& given) {
  ReplayOptions o;
  const Place root{nullptr, "replay"};
  const std::vector<std::string_view> known = {"cycles",
                                               "period",
                                               "latency",
                                               "eviction_seconds",
                                               "learnt_quantile",
                                               "checkpoint_interval",
                                               "evicted_jobs_checkpoint",
                                               "restart_seconds",
                                               "migration_seconds",
                                               "node_events",
                                               "node_seconds_between",
                                               "node_repair_seconds",
                                               "domain_seconds_between",
                                               "domain_repair_seconds",
                                               "seed",
                                               "until",
                                               "series_interval",
                                               "follow_preceding",
                                               "record_placements",
                                               "measure_decisions",
                                               "progress"};
  for (auto [key, value] : given) {
    const std::string name = ReadText(root, key);
    if (std::find(known.begin(), known.end(), name) == known.end()) UnknownKey(root, name, known);
  }
  if (given.contains("cycles")) {
    constexpr std::string_view kTimings[] = {"instant", "event", "periodic", "rounds"};
    o.cycles = static_cast<CycleTiming>(
        ReadWord(Place{&root, "cycles"}, given["cycles"], "cycles", kTimings));
  }
  Take(root, given, "period", &o.period);
  Take(root, given, "latency", &o.latency);
  Take(root, given, "eviction_seconds", &o.eviction_seconds);
  Take(root, given, "checkpoint_interval", &o.recovery.checkpoint_interval);
  Take(root, given, "evicted_jobs_checkpoint", &o.recovery.evicted_jobs_checkpoint);
  Take(root, given, "restart_seconds", &o.recovery.restart_seconds);
  Take(root, given, "migration_seconds", &o.recovery.migration_seconds);
  Take(root, given, "seed", &o.seed);
  Take(root, given, "until", &o.until);
  Take(root, given, "series_interval", &o.series_interval);
  Take(root, given, "follow_preceding", &o.follow_preceding);
  Take(root, given, "record_placements", &o.record_placements);
  bool measured = false;
  Take(root, given, "measure_decisions", &measured);
  if (measured) {
    o.clock = [] {
      return std::chrono::duration_cast<std::chrono::nanoseconds>(
                 std::chrono::steady_clock::now().time_since_epoch())
          .count();
    };
  }
  const auto take_number = [&](const char* name, double* out) {
    if (!given.contains(name)) return;
    if (!py::isinstance<py::float_>(given[name]) && !IsInteger(given[name])) {
      WrongType(Place{&root, name}, "a number", given[name]);
    }
    *out = py::float_(py::object(given[name]));  // raises what the object does
  };
  take_number("learnt_quantile", &o.learnt_quantile);
  take_number("node_seconds_between", &o.failures.node_seconds_between);
  take_number("node_repair_seconds", &o.failures.node_repair_seconds);
  take_number("domain_seconds_between", &o.failures.domain_seconds_between);
  take_number("domain_repair_seconds", &o.failures.domain_repair_seconds);
  if (given.contains("node_events")) {
    ReadNodeEvents(Place{&root, "node_events"}, given["node_events"], &o.node_events);
  }
  return o;
}

struct Played {
  using Bound = void;
  std::shared_ptr<const Trace> trace;
  ReplayResult result;
};

// Checks for Ctrl-C now and then. KeyboardInterrupt ends the replay with what it has; any other
// exception of a signal handler is raised.
class Interrupt {
 public:
  // `progress` is None, or called with the time in the trace.
  Interrupt(CycleState* policies, py::object progress)
      : policies_(policies), progress_(std::move(progress)) {}
  int64_t time = 0;  // in the trace

  bool Asked() {
    if (policies_ != nullptr && policies_->failed()) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_look_ < kBetweenLooks) return false;
    last_look_ = now;
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) {
      error_.emplace();
      return true;
    }
    if (progress_.is_none()) return false;
    try {
      progress_(time);
      return false;
    } catch (py::error_already_set& error) {
      error_.emplace(std::move(error));
      return true;
    }
  }
  void Raise() {
    if (error_.has_value() && !error_->matches(PyExc_KeyboardInterrupt)) throw std::move(*error_);
  }

 private:
  static constexpr auto kBetweenLooks = std::chrono::milliseconds(20);
  CycleState* const policies_;
  const py::object progress_;
  std::chrono::steady_clock::time_point last_look_ = std::chrono::steady_clock::now();
  std::optional<py::error_already_set> error_;
};

Played Play(const SharedTrace& trace, const TextArg& policy, const py::dict& given,
            const std::shared_ptr<PythonExtensions>& extensions) {
  ReplayOptions options = ReadOptionsOf(given);
  if (extensions != nullptr && IsBatchPolicy(policy)) {
    Refuse("replay: policies: a batch policy such as " + policy + " takes none; a profile does");
  }
  PolicyCall call(extensions, &options.extensions);
  py::object progress = given.contains("progress") ? py::object(given["progress"]) : py::none();
  Interrupt interrupt(call.state(), std::move(progress));
  options.progress = [&interrupt](int64_t now) { interrupt.time = now; };
  options.should_stop = [&interrupt] { return interrupt.Asked(); };
  std::optional<absl::StatusOr<ReplayResult>> result;
  {
    const py::gil_scoped_release unlocked;
    result.emplace(Replay(*trace.trace, policy, options));
  }
  call.End();
  interrupt.Raise();
  return {trace.trace, Value(*std::move(result))};
}

py::dict JobColumns(const Played& self) {
  const ReplayResult& r = self.result;
  py::dict out;
  out["submit"] = NumberArray(r.submit);
  out["start"] = NumberArray(r.start);
  out["end"] = NumberArray(r.end);
  std::vector<uint8_t> outcome;
  outcome.reserve(r.outcome.size());
  for (JobOutcome o : r.outcome) outcome.push_back(static_cast<uint8_t>(o));
  out["outcome"] = NumberArray(outcome);
  PutColumn("backfilled", r.backfilled, &out);
  PutColumn("stops", r.stops, &out);
  PutColumn("lost", r.lost, &out);
  return out;
}

py::dict Counts(const Played& self) {
  const ReplayResult& r = self.result;
  py::dict out;
  out["events"] = r.events;
  out["passes"] = r.passes;
  out["decisions"] = r.decisions;
  out["work"] = r.work;
  out["evictions"] = r.evictions;
  out["node_failures"] = r.node_failures;
  return out;
}

// The names are the columns' in include/muster/replay.h; those by dimension or queue are dicts.
py::dict Series(const Played& self) {
  const ReplaySeries& s = self.result.series;
  py::dict out;
  out["time"] = NumberArray(s.time);
  out["running"] = NumberArray(s.running);
  out["waiting"] = NumberArray(s.waiting);
  const auto put = [&out](const char* name, const std::vector<std::string>& keys,
                          const auto& columns) {
    py::dict by_key;
    for (size_t k = 0; k < keys.size() && k < columns.size(); ++k) {
      by_key[Text(keys[k])] = NumberArray(columns[k]);
    }
    out[name] = by_key;
  };
  put("used", s.dimensions, s.used);
  put("capacity", s.dimensions, s.capacity);
  put("fragmentation", s.dimensions, s.fragmentation);
  put("queue_share", s.queues, s.queue_share);
  put("queue_deserved", s.queues, s.queue_deserved);
  put("waiting_by_reason", s.reasons, s.waiting_by_reason);
  return out;
}

py::dict Placements(const Played& self) {
  const ReplayPlacements& p = self.result.placements;
  py::dict out;
  out["job"] = NumberArray(p.job);
  out["task"] = NumberArray(p.task);
  out["node"] = NumberArray(p.node);
  out["from"] = NumberArray(p.from);
  out["to"] = NumberArray(p.to);
  return out;
}

// Of nothing, all but the count is NaN: a mean of 0 would be the best of all.
py::dict ToDict(const Distribution& d) {
  const auto known = [&d](double value) { return d.count > 0 ? value : std::nan(""); };
  py::dict out;
  out["count"] = d.count;
  out["mean"] = known(d.mean);
  out["p50"] = known(d.p50);
  out["p90"] = known(d.p90);
  out["p95"] = known(d.p95);
  out["p99"] = known(d.p99);
  out["max"] = known(d.max);
  return out;
}

py::dict ToDict(const JobMetrics& m) {
  py::dict out;
  out["wait"] = ToDict(m.wait);
  out["turnaround"] = ToDict(m.turnaround);
  out["bounded_slowdown"] = ToDict(m.bounded_slowdown);
  out["finish_time_ratio"] = ToDict(m.finish_time_ratio);
  out["finish_time_fairness"] = ToDict(m.finish_time_fairness);
  return out;
}

py::dict MetricsOf(const Played& self, int64_t slowdown_bound) {
  const Metrics m = Measure(*self.trace, self.result, {.slowdown_bound = slowdown_bound});
  py::dict out;
  out["submitted"] = m.submitted;
  out["started"] = m.started;
  out["ended"] = m.ended;
  out["refused"] = m.refused;
  out["backfilled"] = m.backfilled;
  out["longest_wait"] = m.longest_wait;
  out["makespan"] = m.makespan;
  out["utilisation"] = m.utilisation;
  out["deadlines"] = m.deadlines;
  out["deadline_misses"] = m.deadline_misses;
  out["stops"] = m.stops;
  out["lost"] = m.lost;
  out["goodput"] = m.goodput;
  out["jain"] = m.jain;
  out["share_deviation_mean"] = m.share_deviation_mean;
  out["share_deviation_max"] = m.share_deviation_max;
  out["decision_time"] = ToDict(m.decision_time);
  py::dict resources, queues;
  for (const ResourceMetrics& r : m.resources) {
    py::dict entry;
    entry["utilisation"] = r.utilisation;
    entry["fragmentation"] = r.fragmentation;
    resources[Text(r.name)] = entry;
  }
  for (const QueueMetrics& q : m.queues) {
    py::dict entry;
    entry["delivered"] = q.delivered;
    entry["deserved"] = q.deserved >= 0 ? q.deserved : std::nan("");
    queues[Text(q.name)] = entry;
  }
  out["resources"] = resources;
  out["queues"] = queues;
  out["all"] = ToDict(m.all);
  for (const auto& [name, groups] :
       {std::pair("by_size", &m.by_size), {"by_queue", &m.by_queue}, {"by_user", &m.by_user}}) {
    py::dict by_name;
    for (const JobGroup& group : *groups) by_name[Text(group.name)] = ToDict(group.jobs);
    out[name] = by_name;
  }
  return out;
}

}  // namespace

void BindReplay(py::module_& module) {
  py::class_<Played>(module, "Replay")
      .def_property_readonly("policy", [](const Played& self) { return Text(self.result.policy); })
      .def_property_readonly("complete", [](const Played& self) { return self.result.complete; })
      .def_property_readonly("clairvoyant",
                             [](const Played& self) { return self.result.clairvoyant; })
      .def_property_readonly("processors",
                             [](const Played& self) { return self.result.processors; })
      .def("jobs", &JobColumns)
      .def("counts", &Counts)
      .def("series", &Series)
      .def("placements", &Placements)
      .def("metrics", &MetricsOf, py::arg("slowdown_bound") = 10);
  module.def("replay", &Play, py::arg("trace"), py::arg("policy"), py::arg("options"),
             py::arg("policies") = std::shared_ptr<PythonExtensions>());
  py::list outcomes;
  for (std::string_view name : kOutcomes) outcomes.append(Text(name));
  module.attr("outcomes") = py::tuple(outcomes);
}

}  // namespace muster::python
