// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The fragmentation study for Python: files in, decisions and curves out as arrays.
#include "muster/packing.h"

#include <pybind11/stl.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "python/src/bindings.h"
#include "python/src/columns.h"
#include "python/src/convert.h"
#include "python/src/status.h"

namespace muster::python {
namespace {

struct SharedPacking {
  using Bound = void;
  std::shared_ptr<const PackingTrace> trace;
};

using Files = std::map<std::string, std::pair<std::string, std::string>>;  // role: (name, bytes)

SharedPacking ReadPacking(const Files& files, int64_t seed) {
  const auto file = [&files](const char* role) -> TraceFile {
    const auto at = files.find(role);
    return at == files.end() ? TraceFile{} : TraceFile{at->second.first, at->second.second};
  };
  std::optional<absl::StatusOr<PackingTrace>> trace;
  {
    const py::gil_scoped_release unlocked;
    trace.emplace(ReadOpenbPacking(
        {file("nodes"), file("pods"), file("arrivals"), file("node_rank")}, {.seed = seed}));
  }
  return {std::make_shared<const PackingTrace>(Value(*std::move(trace)))};
}

py::dict PlayPacking(const SharedPacking& self, const TextArg& policy, uint64_t seed, bool curves) {
  std::optional<absl::StatusOr<PackingResult>> played;
  {
    const py::gil_scoped_release unlocked;
    played.emplace(ReplayPacking(*self.trace, policy, {.seed = seed, .curves = curves}));
  }
  const PackingResult result = Value(*std::move(played));
  py::dict out;
  out["policy"] = Text(result.policy);
  out["typical"] = result.typical;
  out["failed"] = result.failed;
  out["arrived_milli"] = result.arrived_milli;
  out["used_milli"] = result.used_milli;
  out["gpu_milli"] = self.trace->gpu_milli();
  out["task"] = NumberArray(self.trace->arrivals);
  out["node"] = NumberArray(result.node);
  out["gpus"] = NumberArray(result.gpus);
  if (curves) {
    out["fragments"] = NumberArray(result.fragments);
    out["allocated"] = NumberArray(result.allocated);
    out["fragment"] = NumberArray(result.fragment);
    out["fragment_ratio"] = NumberArray(result.fragment_ratio);
  }
  return out;
}

}  // namespace

void BindPacking(py::module_& module) {
  py::class_<SharedPacking>(module, "PackingTrace")
      .def_property_readonly("tasks",
                             [](const SharedPacking& self) { return self.trace->shape.size(); })
      .def_property_readonly("nodes",
                             [](const SharedPacking& self) { return self.trace->nodes.size(); })
      .def("__len__", [](const SharedPacking& self) { return self.trace->arrivals.size(); })
      .def("replay", &PlayPacking, py::arg("policy"), py::arg("seed"), py::arg("curves"));
  module.def("read_packing", &ReadPacking, py::arg("files"), py::arg("seed"));
  module.def("packing_policies", [] {
    py::list words;
    for (std::string_view word : PackingPolicies()) words.append(Text(word));
    return words;
  });
}

}  // namespace muster::python
