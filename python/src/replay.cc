// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Traces and their replays for Python: columns go in and out as arrays, and the GIL is released
// while the engine runs.
#include "muster/replay.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/replay/batch_spec.h"
#include "lib/replay/mix_members.h"
#include "muster/metrics.h"
#include "muster/mix.h"
#include "python/src/bindings.h"
#include "python/src/columns.h"
#include "python/src/convert.h"
#include "python/src/policy.h"
#include "python/src/shared_trace.h"
#include "python/src/status.h"

namespace muster::python {
namespace {

// --- columns

template <class T>
void PutColumn(const char* name, const std::vector<T>& values, py::dict* out) {
  if (!values.empty()) (*out)[name] = NumberArray(values);
}

py::dict Columns(const Trace& t) {
  py::dict out;
  out["id"] = NumberArray(t.id);
  out["submit"] = NumberArray(t.submit);
  out["run"] = NumberArray(t.run);
  out["estimate"] = NumberArray(t.estimate);
  out["tasks"] = NumberArray(t.tasks);
  out["shape"] = NumberArray(t.shape);
  out["queue"] = NumberArray(t.queue);
  out["user"] = NumberArray(t.user);
  PutColumn("priority", t.priority, &out);
  PutColumn("min_tasks", t.min_tasks, &out);
  PutColumn("deadline", t.deadline, &out);
  PutColumn("preceding", t.preceding, &out);
  PutColumn("think", t.think, &out);
  if (!t.names.empty()) out["names"] = Write(t.names);
  return out;
}

template <class T>
void TakeColumn(const Place& place, const py::dict& columns, const char* name, size_t rows, T usual,
                bool is_optional, std::vector<T>* out) {
  if (!columns.contains(name)) {
    if (!is_optional) out->assign(rows, usual);
    return;
  }
  const Place at{&place, name};
  const py::array array = py::array::ensure(columns[name]);
  if (!array) WrongType(at, "an array", columns[name]);
  constexpr int64_t kMost = sizeof(T) < sizeof(int64_t)
                                ? static_cast<int64_t>(std::numeric_limits<T>::max())
                                : std::numeric_limits<int64_t>::max();
  const IntegerColumn column(at, array, static_cast<int64_t>(std::numeric_limits<T>::min()), kMost);
  out->reserve(column.size());
  for (size_t i = 0; i < column.size(); ++i) out->push_back(static_cast<T>(column[i]));
}

constexpr std::array<std::string_view, 4> kEventKinds = {"join", "drain", "fail", "return"};

// The members of a trace as Python values, and back; what the dict does not name has its default.
py::dict State(const SharedTrace& self) {
  const Trace& t = *self.trace;
  py::dict out;
  out["name"] = Text(t.name);
  out["processors"] = t.processors;
  out["nodes"] = Write(t.machine.nodes);
  out["domains"] = Write(t.machine.domains);
  out["shapes"] = Write(t.shapes);
  out["queues"] = Write(t.queues);
  out["users"] = Write(t.users);
  out["columns"] = Columns(t);
  if (!t.speeds.empty()) {
    py::list speeds;
    for (const SpeedRow& row : t.speeds) {
      speeds.append(py::make_tuple(Text(row.model), Text(row.type), row.workers, row.speed));
    }
    out["speeds"] = speeds;
  }
  if (t.node_events.empty()) return out;
  py::list events;
  for (const NodeEvent& event : t.node_events) {
    events.append(py::make_tuple(event.time, Text(kEventKinds[static_cast<size_t>(event.kind)]),
                                 Text(event.name)));
  }
  out["node_events"] = events;
  return out;
}

// A list of (time, kind, name).
void ReadNodeEvents(const Place& events, py::handle given, std::vector<NodeEvent>* out) {
  if (!py::isinstance<py::sequence>(given)) {
    WrongType(events, "a list of (time, kind, name)", given);
  }
  size_t i = 0;
  for (py::handle entry : py::reinterpret_borrow<py::sequence>(given)) {
    const Place at{&events, {}, i++, false};
    if (!py::isinstance<py::sequence>(entry) || py::len(entry) != 3) {
      WrongType(at, "(time, kind, name)", entry);
    }
    const auto row = py::reinterpret_borrow<py::sequence>(entry);
    NodeEvent event;
    event.time = ReadInteger(at, row[0], 0, static_cast<uint64_t>(kEndless));
    event.kind = static_cast<NodeEvent::Kind>(ReadWord(at, row[1], "kind", kEventKinds));
    event.name = ReadText(at, row[2]);
    out->push_back(std::move(event));
  }
}

// A list of (model, type, workers, millionths of a unit of work a second).
void ReadSpeedRows(const Place& speeds, py::handle given, std::vector<SpeedRow>* out) {
  constexpr std::string_view kForm = "(model, type, workers, speed)";
  if (!py::isinstance<py::sequence>(given)) WrongType(speeds, "a list of speeds", given);
  size_t i = 0;
  for (py::handle entry : py::reinterpret_borrow<py::sequence>(given)) {
    const Place at{&speeds, {}, i++, false};
    if (!py::isinstance<py::sequence>(entry) || py::len(entry) != 4) WrongType(at, kForm, entry);
    const auto row = py::reinterpret_borrow<py::sequence>(entry);
    SpeedRow speed;
    speed.model = ReadText(at, row[0]);
    speed.type = ReadText(at, row[1]);
    speed.workers = ReadInteger(at, row[2], 1, static_cast<uint64_t>(kEndless));
    speed.speed = ReadInteger(at, row[3], 1, static_cast<uint64_t>(kEndless));
    out->push_back(std::move(speed));
  }
}

template <class T>
void Take(const Place& place, const py::dict& from, const char* name, T* out) {
  if (from.contains(name)) ReadInto(Place{&place, name}, from[name], out);
}

SharedTrace FromState(const py::dict& state) {
  const Place root{nullptr, "trace"};
  Trace t;
  Take(root, state, "name", &t.name);
  Take(root, state, "processors", &t.processors);
  Take(root, state, "nodes", &t.machine.nodes);
  Take(root, state, "domains", &t.machine.domains);
  if (state.contains("node_events")) {
    ReadNodeEvents(Place{&root, "node_events"}, state["node_events"], &t.node_events);
  }
  if (state.contains("speeds")) {
    ReadSpeedRows(Place{&root, "speeds"}, state["speeds"], &t.speeds);
  }
  Take(root, state, "shapes", &t.shapes);
  Take(root, state, "queues", &t.queues);
  Take(root, state, "users", &t.users);
  const Place place{&root, "columns"};
  if (!state.contains("columns") || !py::isinstance<py::dict>(state["columns"])) {
    RefuseAt(place, "expected a dict of arrays");
  }
  const auto columns = state["columns"].cast<py::dict>();
  TakeColumn(place, columns, "submit", 0, int64_t{0}, false, &t.submit);
  const size_t rows = t.size();
  TakeColumn(place, columns, "run", rows, int64_t{0}, false, &t.run);
  if (columns.contains("id")) {
    TakeColumn(place, columns, "id", rows, int64_t{0}, false, &t.id);
  } else {
    for (size_t i = 0; i < rows; ++i) t.id.push_back(static_cast<int64_t>(i));
  }
  TakeColumn(place, columns, "estimate", rows, kAbsent, false, &t.estimate);
  TakeColumn(place, columns, "tasks", rows, uint32_t{1}, false, &t.tasks);
  TakeColumn(place, columns, "shape", rows, uint32_t{0}, false, &t.shape);
  TakeColumn(place, columns, "queue", rows, uint32_t{0}, false, &t.queue);
  TakeColumn(place, columns, "user", rows, uint32_t{kNone}, false, &t.user);
  TakeColumn(place, columns, "priority", rows, int32_t{0}, true, &t.priority);
  TakeColumn(place, columns, "min_tasks", rows, uint32_t{0}, true, &t.min_tasks);
  TakeColumn(place, columns, "deadline", rows, kAbsent, true, &t.deadline);
  TakeColumn(place, columns, "preceding", rows, uint32_t{kNone}, true, &t.preceding);
  TakeColumn(place, columns, "think", rows, int64_t{0}, true, &t.think);
  Take(place, columns, "names", &t.names);
  Check(CheckTrace(t));
  return {std::make_shared<const Trace>(std::move(t))};
}

// --- readers

using Files = std::map<std::string, std::pair<std::string, std::string>>;  // role: (name, bytes)

TraceFile File(const Files& files, const char* role) {
  const auto at = files.find(role);
  if (at == files.end()) return {};
  return {at->second.first, at->second.second};
}

absl::StatusOr<Trace> ReadKind(const std::string& kind, const Files& files, const py::dict& options,
                               ReadReport* report) {
  const Place root{nullptr, "options"};
  ReadOptions read;
  Take(root, options, "skip_bad_lines", &read.skip_bad_lines);
  if (options.contains("limits")) {
    read.limits = LimitsOf(options["limits"].cast<std::map<std::string, int64_t>>());
  }
  if (kind == "swf" || kind == "hpc") {
    LogOptions log;
    log.read = read;
    Take(root, options, "processors", &log.processors);
    bool runnable = false;
    Take(root, options, "runnable", &runnable);
    if (runnable) log.filter = LogFilter::kRunnable;
    const py::gil_scoped_release unlocked;
    return (kind == "swf" ? ReadSwf : ReadHpc)(File(files, "jobs"), log, report);
  }
  if (kind == "openb") {
    OpenbOptions openb;
    openb.read = read;
    Take(root, options, "seed", &openb.seed);
    Take(root, options, "devices", &openb.devices);
    const py::gil_scoped_release unlocked;
    return ReadOpenb({File(files, "nodes"), File(files, "pods"), File(files, "arrivals"),
                      File(files, "node_rank")},
                     openb, report);
  }
  if (kind == "philly") {
    const py::gil_scoped_release unlocked;
    return ReadPhilly({File(files, "jobs"), File(files, "vc_nodes")}, read, report);
  }
  if (kind == "alibaba2020") {
    const py::gil_scoped_release unlocked;
    return ReadAlibaba2020({File(files, "tasks"), File(files, "machines"), File(files, "jobs")},
                           read, report);
  }
  if (kind == "google2019") {
    const py::gil_scoped_release unlocked;
    return ReadGoogle2019(
        {File(files, "instances"), File(files, "machines"), File(files, "collections")}, read,
        report);
  }
  if (kind == "itp") {
    ItpOptions itp;
    itp.read = read;
    Take(root, options, "nodes", &itp.nodes);
    const py::gil_scoped_release unlocked;
    return ReadItp(File(files, "jobs"), itp, report);
  }
  CsvOptions csv;
  csv.read = read;
  Take(root, options, "processors", &csv.processors);
  const py::gil_scoped_release unlocked;
  return ReadCsv(
      {File(files, "jobs"), File(files, "nodes"), File(files, "queues"), File(files, "speeds")},
      csv, report);
}

py::tuple ReadTrace(const std::string& kind, const Files& files, const py::dict& options) {
  ReadReport report;
  SharedTrace trace{std::make_shared<const Trace>(Value(ReadKind(kind, files, options, &report)))};
  py::dict dropped, told;
  for (const auto& [rule, count] : report.dropped) dropped[Text(rule)] = count;
  told["lines"] = report.lines;
  told["jobs"] = report.jobs;
  told["bad"] = report.bad;
  told["bad_lines"] = Write(report.bad_lines);
  told["dropped"] = dropped;
  return py::make_tuple(trace, told);
}

// --- mixes

py::object NamedMix(const std::string& name) { return Write(Value(NamedTraceMix(name))); }

SharedTrace Generate(const py::dict& given, const py::dict& options) {
  const TraceMix mix = Read<TraceMix>("mix", given);
  const Place root{nullptr, "generate"};
  MixOptions o;
  Take(root, options, "jobs", &o.jobs);
  Take(root, options, "nodes", &o.nodes);
  Take(root, options, "processors", &o.processors);
  Take(root, options, "seed", &o.seed);
  if (options.contains("load")) {
    if (!py::isinstance<py::float_>(options["load"]) && !IsInteger(options["load"])) {
      WrongType(Place{&root, "load"}, "a number", options["load"]);
    }
    o.load = options["load"].cast<double>();
  }
  absl::StatusOr<Trace> trace = absl::UnknownError("");
  {
    const py::gil_scoped_release unlocked;
    trace = GenerateTrace(mix, o);
  }
  return {std::make_shared<const Trace>(Value(std::move(trace)))};
}

// --- replay

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
    *out = given[name].cast<double>();
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

Played Play(const SharedTrace& trace, const std::string& policy, const py::dict& given,
            const std::shared_ptr<PythonExtensions>& extensions) {
  ReplayOptions options = ReadOptionsOf(given);
  CycleState* state = nullptr;
  if (extensions != nullptr) {
    if (IsBatchPolicy(policy)) {
      Refuse("replay: policies: a batch policy such as " + policy + " takes none; a profile does");
    }
    options.extensions = extensions->list;
    state = extensions->state.get();
    state->Begin();
  }
  py::object progress = given.contains("progress") ? py::object(given["progress"]) : py::none();
  Interrupt interrupt(state, std::move(progress));
  options.progress = [&interrupt](int64_t now) { interrupt.time = now; };
  options.should_stop = [&interrupt] { return interrupt.Asked(); };
  std::optional<absl::StatusOr<ReplayResult>> result;
  {
    const py::gil_scoped_release unlocked;
    result.emplace(Replay(*trace.trace, policy, options));
  }
  if (state != nullptr) state->End();
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

py::dict ToDict(const Distribution& d) {
  py::dict out;
  out["count"] = d.count;
  out["mean"] = d.mean;
  out["p50"] = d.p50;
  out["p90"] = d.p90;
  out["p95"] = d.p95;
  out["p99"] = d.p99;
  out["max"] = d.max;
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
    entry["deserved"] = q.deserved;
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
  py::class_<SharedTrace>(module, "Trace")
      .def(py::init(&FromState), py::arg("state"))
      .def("__len__", [](const SharedTrace& self) { return self.trace->size(); })
      .def_property_readonly("name", [](const SharedTrace& self) { return Text(self.trace->name); })
      .def_property_readonly("processors",
                             [](const SharedTrace& self) { return self.trace->processors; })
      .def("columns", [](const SharedTrace& self) { return Columns(*self.trace); })
      .def("state", &State)
      .def("link_users",
           [](const SharedTrace& self) {
             Trace linked = *self.trace;
             LinkUsers(&linked);
             return SharedTrace{std::make_shared<const Trace>(std::move(linked))};
           })
      .def(py::pickle(&State, &FromState));
  module.def("named_mix", &NamedMix, py::arg("name"));
  module.def("generate_trace", &Generate, py::arg("mix"), py::arg("options"));
  module.attr("mixes") = py::cast(TraceMixNames());
  module.attr("mix_shares") = py::cast(std::vector<int64_t>(kMixShares.begin(), kMixShares.end()));
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
  module.def("read_trace", &ReadTrace, py::arg("kind"), py::arg("files"), py::arg("options"));
  module.def("replay", &Play, py::arg("trace"), py::arg("policy"), py::arg("options"),
             py::arg("policies") = std::shared_ptr<PythonExtensions>());
  py::list outcomes;
  for (std::string_view name : kOutcomes) outcomes.append(Text(name));
  module.attr("outcomes") = py::tuple(outcomes);
}

}  // namespace muster::python
