// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a policy in Python reads: columns on demand. muster/policy.py names and caches them. Calls
// on a view of a cycle that has ended raise an error.
#ifndef MUSTER_PYTHON_SRC_VIEWS_H_
#define MUSTER_PYTHON_SRC_VIEWS_H_

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/policy/columns.h"
#include "python/src/columns.h"
#include "python/src/policy.h"

namespace muster::python {

using IndexArray = py::array_t<int64_t, py::array::c_style | py::array::forcecast>;

// Rows as NumPy and Python are told them: none is -1, or None.
template <class Rows>
py::array_t<int64_t> RowArray(const Rows& rows) {
  std::vector<int64_t> index;
  for (const uint32_t row : rows) index.push_back(row == kNone ? -1 : int64_t{row});
  return NumberArray(index);
}
inline py::object RowOrNone(uint32_t row) {
  return row == kNone ? py::object(py::none()) : py::int_(int64_t{row});
}

// A task class.
struct ClassView {
  using Bound = void;
  ClassView(std::shared_ptr<CycleState> state, ClassIndex index)
      : state(std::move(state)), index(index) {}
  std::shared_ptr<CycleState> state;
  ClassIndex index;
};

// Nodes with their books: all as the cycle found them, or some as they are now.
class NodeView {
 public:
  using Bound = void;

  NodeView(std::shared_ptr<CycleState> state, std::shared_ptr<const CycleState::Nodes> nodes);
  NodeView(std::shared_ptr<CycleState> state, const StateColumns& columns, size_t begin,
           size_t end);
  void Close() { columns_ = nullptr; }  // `columns` may change from now on

  size_t size() const { return index_.size(); }
  py::array_t<int64_t> index() const;
  py::object names() const;
  py::object labels(const std::string& key) const;  // None where a node does not have it
  // idle, releasing, future_idle, used, requested, allocatable
  py::array_t<double> amounts(std::string_view what, std::string_view dimension) const;

 private:
  std::shared_ptr<CycleState> state_;
  std::vector<int64_t> index_;
  std::shared_ptr<const CycleState::Nodes> opening_;
  const StateColumns* columns_ = nullptr;
  size_t begin_ = 0;
};

// Jobs, queues and tasks, by lists of their indices.
class CycleView {
 public:
  using Bound = void;

  explicit CycleView(std::shared_ptr<CycleState> state) : state_(std::move(state)) {}
  int64_t now() const { return state_->now(); }
  py::list dimensions() const;
  std::shared_ptr<NodeView> nodes() const {
    return std::make_shared<NodeView>(state_, state_->opening());
  }

  py::array_t<int64_t> jobs() const;  // alive ones
  py::array_t<int64_t> queues() const;
  py::array_t<int64_t> tasks() const;    // of jobs
  py::array_t<int64_t> domains() const;  // the whole cluster comes last
  py::object job_column(std::string_view what, const IndexArray& index) const;
  py::object queue_column(std::string_view what, const IndexArray& index) const;
  py::object task_column(std::string_view what, const IndexArray& index) const;
  py::object domain_column(std::string_view what, const IndexArray& index) const;
  // Of sub-groups, by their jobs and their indices in these.
  py::object group_column(std::string_view what, const IndexArray& jobs,
                          const IndexArray& index) const;
  py::array_t<double> job_amounts(std::string_view what, std::string_view dimension,
                                  const IndexArray& index) const;
  py::array_t<double> queue_amounts(std::string_view what, std::string_view dimension,
                                    const IndexArray& index) const;
  py::array_t<double> task_amounts(std::string_view what, std::string_view dimension,
                                   const IndexArray& index) const;
  py::array_t<double> domain_amounts(std::string_view what, std::string_view dimension,
                                     const IndexArray& index) const;

 private:
  std::shared_ptr<CycleState> state_;
};

void BindViews(py::module_& module);

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_VIEWS_H_
