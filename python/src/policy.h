// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Policies written in Python, as the engine calls them.
//
//   PythonExtensions extensions(policies, actions);   // lists of adapters
//   schedule.extensions = extensions.list;
//
// muster/policy.py wraps each policy in an adapter that answers in NumPy arrays of the right form.
// Questions reach it through lib/binding, which keeps the answers: the engine's questions about one
// node or two jobs need no call into Python. The first exception is kept. Every answer after it
// abstains, the cycle stops before its next gang, and RunCycle throws the exception.
#ifndef MUSTER_PYTHON_SRC_POLICY_H_
#define MUSTER_PYTHON_SRC_POLICY_H_

#include <pybind11/pybind11.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/extension/cycle.h"
#include "muster/policy.h"
#include "python/src/set_object.h"

namespace muster::python {

namespace py = pybind11;

// What the Python policies of one call have in common.
class CycleState {
 public:
  void Begin();  // with the GIL
  void End();    // with the GIL; throws what a policy threw
  void Close();  // with the GIL: ends what the policies were shown, and forgets what they threw
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  void Fail(py::error_already_set&& error);  // the first one is kept

  // While a policy is asked, no action may go on.
  class Asking {
   public:
    explicit Asking(CycleState* state) : state_(*state) { ++state_.asking_; }
    ~Asking() { --state_.asking_; }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;

   private:
    CycleState& state_;
  };
  bool asking() const { return asking_ > 0; }

  // `opener` is a policy, or null for an action. A policy that opens a second time begins another
  // cycle, as in a replay. Without policies, each action reads the books anew.
  void Open(const Cycle& cycle, const void* opener);
  // Ends the cycle that `opener` has opened, if it is open: its session ends, and with it what the
  // policies were shown. Another session may lie where it lay.
  void Forget(const void* opener);
  // Throw where the cycle is over: Python may have kept the view.
  const Tables& tables() const;
  const Ledger& ledger() const;
  const std::vector<JobPhase>& phases() const;
  const Domains& domains() const;
  int64_t now() const { return now_; }

  // The alive nodes and their books.
  struct Nodes {
    std::vector<NodeIndex> index;
    std::vector<int64_t> rows;  // as Ledger::node_row
    size_t stride = 0, dimensions = 0;
  };
  // As they were when the cycle opened, and as they are.
  std::shared_ptr<const Nodes> opening() const { return opening_; }
  std::shared_ptr<const Nodes> NodesNow(bool with_books = true) const;
  bool needs_opening = false;

 private:
  void RequireOpen() const;
  std::atomic<bool> failed_{false};
  std::optional<py::error_already_set> error_;
  bool open_ = false;
  std::vector<const void*> openers_;  // policies that have opened the present cycle
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  const std::vector<JobPhase>* phases_ = nullptr;
  const Domains* domains_ = nullptr;
  int asking_ = 0;
  int64_t now_ = 0;
  std::shared_ptr<const Nodes> opening_;
};

// A Python object that may be let go of without the GIL being held.
std::shared_ptr<py::object> Share(py::object object);

struct OwnedExtensions : Extensions {
  std::deque<std::string> names;
};

// muster._core.Extensions: lists of adapters.
struct PythonExtensions {
  using Bound = void;
  PythonExtensions(const py::list& policies, const py::list& actions);
  explicit PythonExtensions(std::shared_ptr<const Extensions> list) : list(std::move(list)) {}
  std::shared_ptr<CycleState> state = std::make_shared<CycleState>();
  std::shared_ptr<const Extensions> list;
};

void BindPolicies(py::module_& module);

}  // namespace muster::python

namespace pybind11::detail {

// Holders have a caster of their own, which would not refuse an object that holds nothing.
template <>
class type_caster<std::shared_ptr<muster::python::PythonExtensions>>
    : public copyable_holder_caster<muster::python::PythonExtensions,
                                    std::shared_ptr<muster::python::PythonExtensions>> {
 public:
  bool load(handle object, bool convert) {
    muster::python::RefuseUnset(object, typeid(muster::python::PythonExtensions));
    return copyable_holder_caster::load(object, convert);
  }
};

}  // namespace pybind11::detail

#endif  // MUSTER_PYTHON_SRC_POLICY_H_
