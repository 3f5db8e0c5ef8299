// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Episodes for Python: one call steps all of them, and writes observations into the caller's
// arrays.
#include "muster/episodes.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <utility>

#include "python/src/bindings.h"
#include "python/src/shared_trace.h"
#include "python/src/status.h"

namespace py = pybind11;

namespace muster::python {
namespace {

template <class T>
using Array = py::array_t<T, py::array::c_style>;

// The arrays of observations: jobs, machine, mask, a row an episode.
struct Seen {
  float* jobs;
  float* machine;
  int8_t* mask;
};

class Batch {
 public:
  using Bound = void;

  Batch(const SharedTrace& trace, size_t count, bool nodes, int64_t jobs, int64_t places)
      : episodes_(Value(
            Episodes::Make(trace.trace, {.nodes = nodes, .jobs = jobs, .places = places}, count))),
        shown_(nodes ? 1 : static_cast<size_t>(places)),
        units_(nodes ? episodes_.choices() : 1) {}

  py::array_t<uint32_t> Rows() const {
    return py::array_t<uint32_t>(static_cast<py::ssize_t>(episodes_.rows().size()),
                                 episodes_.rows().data());
  }
  // (shown jobs, numbers of each), (nodes, numbers of each), actions.
  py::tuple Shape() const {
    return py::make_tuple(py::make_tuple(shown_, episodes_.job_features()),
                          py::make_tuple(units_, episodes_.machine_features()),
                          episodes_.choices() + 1);
  }

  void Reset(size_t e, size_t first, Array<float>& jobs, Array<float>& machine,
             Array<int8_t>& mask) {
    if (e >= episodes_.count()) throw py::index_error("no such episode");
    const Seen seen = Room(jobs, machine, mask);
    episodes_.Reset(e, first);
    Look(e, seen);
  }

  // Acts in every episode that is not over. Where one is, its row is left as it is.
  void Step(const py::array_t<int64_t, py::array::c_style | py::array::forcecast>& actions,
            Array<float>& jobs, Array<float>& machine, Array<int8_t>& mask, Array<double>& rewards,
            Array<bool>& over, Array<bool>& allowed) {
    const Seen seen = Room(jobs, machine, mask);
    CheckSize(actions, episodes_.count(), "actions");
    CheckSize(rewards, episodes_.count(), "rewards");
    CheckSize(over, episodes_.count(), "over");
    CheckSize(allowed, episodes_.count(), "allowed");
    const int64_t* action = actions.data();
    double* reward = rewards.mutable_data();
    bool* is_over = over.mutable_data();
    bool* is_allowed = allowed.mutable_data();
    for (size_t e = 0; e < episodes_.count(); ++e) {
      if (!episodes_.over(e) &&
          (action[e] < 0 || action[e] > static_cast<int64_t>(episodes_.choices()))) {
        throw py::value_error("an action is out of range");
      }
    }
    const py::gil_scoped_release unlocked;
    for (size_t e = 0; e < episodes_.count(); ++e) {
      if (episodes_.over(e)) continue;
      const Episodes::Outcome outcome = episodes_.Act(e, static_cast<size_t>(action[e]));
      reward[e] = outcome.reward;
      is_over[e] = outcome.over;
      is_allowed[e] = outcome.allowed;
      Look(e, seen);
    }
  }

  py::array_t<int64_t> Starts(size_t e) const {
    if (e >= episodes_.count()) throw py::index_error("no such episode");
    const std::vector<int64_t>& starts = episodes_.starts(e);
    return py::array_t<int64_t>(static_cast<py::ssize_t>(starts.size()), starts.data());
  }

 private:
  template <class A>
  static void CheckSize(const A& array, size_t size, const char* name) {
    if (static_cast<size_t>(array.size()) == size) return;
    throw py::value_error(std::string(name) + ": expected " + std::to_string(size) + " entries");
  }
  Seen Room(Array<float>& jobs, Array<float>& machine, Array<int8_t>& mask) const {
    CheckSize(jobs, episodes_.count() * shown_ * episodes_.job_features(), "jobs");
    CheckSize(machine, episodes_.count() * units_ * episodes_.machine_features(), "machine");
    CheckSize(mask, episodes_.count() * (episodes_.choices() + 1), "mask");
    return {jobs.mutable_data(), machine.mutable_data(), mask.mutable_data()};
  }
  void Look(size_t e, const Seen& seen) const {
    episodes_.Look(e, seen.jobs + e * shown_ * episodes_.job_features(),
                   seen.machine + e * units_ * episodes_.machine_features(),
                   seen.mask + e * (episodes_.choices() + 1));
  }

  Episodes episodes_;
  const size_t shown_, units_;
};

}  // namespace

void BindEpisodes(py::module_& module) {
  py::class_<Batch>(module, "Episodes")
      .def(py::init<const SharedTrace&, size_t, bool, int64_t, int64_t>(), py::arg("trace"),
           py::arg("count"), py::arg("nodes"), py::arg("jobs"), py::arg("places"))
      .def_property_readonly("rows", &Batch::Rows)
      .def_property_readonly("shape", &Batch::Shape)
      .def("reset", &Batch::Reset, py::arg("episode"), py::arg("first"),
           py::arg("jobs").noconvert(), py::arg("machine").noconvert(), py::arg("mask").noconvert())
      .def("step", &Batch::Step, py::arg("actions"), py::arg("jobs").noconvert(),
           py::arg("machine").noconvert(), py::arg("mask").noconvert(),
           py::arg("rewards").noconvert(), py::arg("over").noconvert(),
           py::arg("allowed").noconvert())
      .def("starts", &Batch::Starts, py::arg("episode"));
}

}  // namespace muster::python
