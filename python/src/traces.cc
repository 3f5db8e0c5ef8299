// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Traces for Python: their columns as arrays, their readers, and mixes. The GIL is released while
// files are read and traces are made.
#include <pybind11/stl.h>

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/replay/mix_members.h"
#include "muster/mix.h"
#include "muster/replay.h"
#include "python/src/bindings.h"
#include "python/src/columns.h"
#include "python/src/convert.h"
#include "python/src/shared_trace.h"
#include "python/src/status.h"

namespace muster::python {
namespace {

constexpr std::array<std::string_view, 4> kEventKinds = {"join", "drain", "fail", "return"};

// --- columns

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

py::tuple ReadTrace(const TextArg& kind, const Files& files, const py::dict& options) {
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

py::object NamedMix(const TextArg& name) { return Write(Value(NamedTraceMix(name))); }

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
    o.load = py::float_(py::object(options["load"]));  // raises what the object does
  }
  absl::StatusOr<Trace> trace = absl::UnknownError("");
  {
    const py::gil_scoped_release unlocked;
    trace = GenerateTrace(mix, o);
  }
  return {std::make_shared<const Trace>(Value(std::move(trace)))};
}

}  // namespace

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

void BindTraces(py::module_& module) {
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
  module.def("read_trace", &ReadTrace, py::arg("kind"), py::arg("files"), py::arg("options"));
}

}  // namespace muster::python
