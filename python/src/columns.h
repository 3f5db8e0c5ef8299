// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NumPy arrays as columns of a table, read without a Python object or call for each row.
//
//   TextColumn names(place, array);      // any form of NumPy's texts, or objects that are texts
//   names[i]                             // a view
//   NumberColumn cpu(place, array);      // integers, floats or amounts as text
//
// The columns keep the arrays they read; both are used while the GIL is held.
#ifndef MUSTER_PYTHON_SRC_COLUMNS_H_
#define MUSTER_PYTHON_SRC_COLUMNS_H_

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "muster/spec.h"
#include "python/src/convert.h"

namespace muster::python {

// Text. None and NaN read as the empty text, which is what a spec has where nothing is said.
class TextColumn {
 public:
  TextColumn(const Place& place, const py::array& array);
  size_t size() const { return views_.size(); }
  std::string_view operator[](size_t row) const { return views_[row]; }

 private:
  py::array array_;
  std::vector<std::string_view> views_;
  std::string converted_;  // where the views do not look into Python's own texts
};

// int64, whatever integers NumPy has; floats that are whole numbers.
class IntegerColumn {
 public:
  // `may_miss`: cells may be empty (None or NaN); otherwise they are refused.
  IntegerColumn(const Place& place, const py::array& array, int64_t min, int64_t max,
                bool may_miss = false);
  size_t size() const { return values_.size(); }
  int64_t operator[](size_t row) const { return values_[row]; }
  bool has(size_t row) const { return missing_.empty() || !missing_[row]; }

 private:
  std::vector<int64_t> values_;
  std::vector<bool> missing_;  // empty: none is
};

// Amounts, interned: rows with the same amount have the same number.
class QuantityColumn {
 public:
  QuantityColumn(const Place& place, const py::array& array);
  size_t size() const { return codes_.size(); }
  uint32_t code(size_t row) const { return codes_[row]; }
  // Empty text: the row says nothing (None or NaN).
  const Quantity& operator[](size_t row) const { return distinct_[codes_[row]]; }

 private:
  std::vector<uint32_t> codes_;
  std::vector<Quantity> distinct_;
};

// Values of any form, as Python has them.
class ObjectColumn {
 public:
  ObjectColumn(const Place& place, const py::array& array);
  py::handle operator[](size_t row) const { return cells_[row]; }
  // None or NaN.
  bool is_missing(size_t row) const;

 private:
  py::array array_;
  std::vector<py::handle> cells_;
};

// Returns an object array of texts, with one Python text for equal views that follow each other.
py::object TextArray(const std::vector<std::string_view>& texts);
template <class T>
py::array_t<T> NumberArray(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

// Puts a column into *out, unless it is empty.
template <class T>
void PutColumn(const char* name, const std::vector<T>& values, py::dict* out) {
  if (!values.empty()) (*out)[name] = NumberArray(values);
}

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_COLUMNS_H_
