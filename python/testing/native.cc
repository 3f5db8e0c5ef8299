// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// For tests and bench/python_cost.py alone; no wheel has it. A policy in C++ with the same score as
// one in Python, passed in the same way, to compare the decisions and the cost of the two; an
// action that makes a decision of each kind; and one that throws.
#include <pybind11/pybind11.h>

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "python/src/bindings.h"
#include "python/src/policy.h"
#include "tests/support/every_kind.h"

namespace muster::python {
namespace {

// 10 * idle / allocatable cpu at the opening of the cycle, and 0.001 * (index % 97); once a class.
class NativeFrozen : public Policy, public ScorePolicy {
 public:
  std::string_view name() const override { return "frozen"; }
  PointSet points() const override { return {Point::kScore}; }
  Traits traits() const override {
    Traits traits;
    traits.tells_nodes_apart = true;
    return traits;
  }
  ScorePolicy* score() override { return this; }
  Scope ScoreScope(ClassIndex) override { return Scope::kState; }
  void Open(const Cycle& cycle) override {
    const NodeTable& nodes = internal::DataOf(cycle).tables.nodes;
    idle_.assign(nodes.alive.size(), 0);
    allocatable_.assign(nodes.alive.size(), 1);
    for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
      idle_[n] = static_cast<double>(internal::DataOf(cycle).ledger.node(n, kIdle)[kCpu]);
      allocatable_[n] = static_cast<double>(OrZero(nodes.allocatable.at(n, kCpu)));
    }
    scores_.assign(internal::DataOf(cycle).tables.classes.shape.size(), {});
  }
  void ScoreStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                   double* order, double* batch) override {
    std::vector<double>& mine = scores_[c];
    if (mine.empty()) {
      for (NodeIndex n = 0; n < idle_.size(); ++n) {
        mine.push_back(10 * idle_[n] / allocatable_[n] + 1e-3 * (n % 97));
      }
    }
    for (size_t i = begin; i < end; ++i) order[i - begin] += mine[states.node[i]];
  }

 private:
  std::vector<double> idle_, allocatable_;   // by node
  std::vector<std::vector<double>> scores_;  // by class, by node
};

}  // namespace

void BindTesting(py::module_& module) {
  module.def("native_frozen", [] {
    auto extensions = std::make_shared<Extensions>();
    extensions->policies.push_back(
        {"frozen", "", {}, [](const Options&) { return std::make_unique<NativeFrozen>(); }});
    return std::make_shared<PythonExtensions>(std::move(extensions));
  });
  // The extensions with an action "throws" in C++ behind them, which ends as where memory runs out.
  module.def("with_native_throws", [](const std::shared_ptr<PythonExtensions>& own) {
    auto extensions = std::make_shared<Extensions>(*own->list);
    CustomAction action;
    action.name = "throws";
    action.run = [own](Workbench&, const Options&) { throw std::bad_alloc(); };
    extensions->actions.push_back(std::move(action));
    auto with = std::make_shared<PythonExtensions>(std::move(extensions));
    with->state = own->state;
    return with;
  });
  module.def("native_every_kind", [] {
    auto extensions = std::make_shared<Extensions>();
    extensions->actions.push_back(testing::EveryKind());
    return std::make_shared<PythonExtensions>(std::move(extensions));
  });
}

}  // namespace muster::python
