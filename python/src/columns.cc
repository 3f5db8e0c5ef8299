// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/columns.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace muster::python {
namespace {

void RequireOneDimension(const Place& place, const py::array& array) {
  if (array.ndim() != 1) {
    RefuseAt(place, absl::StrCat("expected an array of one dimension, got ", array.ndim()));
  }
}

PyObject* ObjectAt(const py::array& array, size_t row) {
  const auto* cell =
      static_cast<const char*>(array.data()) + static_cast<py::ssize_t>(row) * array.strides(0);
  PyObject* object = nullptr;
  std::memcpy(&object, cell, sizeof(object));
  return object == nullptr ? Py_None : object;
}

bool IsMissing(PyObject* object) {
  if (object == Py_None) return true;
  if (PyFloat_Check(object)) return std::isnan(PyFloat_AS_DOUBLE(object));
  const std::string_view type = Py_TYPE(object)->tp_name;
  return type == "NAType" || type == "NaTType" || type == "pandas._libs.missing.NAType";
}

void AppendUtf8(uint32_t c, std::string* out) {
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out->push_back(static_cast<char>(0xC0 | c >> 6));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | c >> 12));
    out->push_back(static_cast<char>(0x80 | (c >> 6 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else {
    out->push_back(static_cast<char>(0xF0 | c >> 18));
    out->push_back(static_cast<char>(0x80 | (c >> 12 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (c >> 6 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  }
}

}  // namespace

TextColumn::TextColumn(const Place& place, const py::array& array) : array_(array) {
  RequireOneDimension(place, array);
  const auto rows = static_cast<size_t>(array.shape(0));
  views_.reserve(rows);
  const char kind = array.dtype().kind();
  if (kind == 'O') {
    for (size_t i = 0; i < rows; ++i) {
      PyObject* cell = ObjectAt(array, i);
      if (IsMissing(cell)) {
        views_.emplace_back();
        continue;
      }
      const Place at{&place, {}, i, false};
      if (!PyUnicode_Check(cell)) WrongType(at, "a text", cell);
      Py_ssize_t size = 0;
      const char* text = PyUnicode_AsUTF8AndSize(cell, &size);
      if (text == nullptr) {
        PyErr_Clear();
        RefuseAt(at, "the text is not valid Unicode");
      }
      views_.emplace_back(text, static_cast<size_t>(size));
    }
    return;
  }
  if (kind != 'U') {
    RefuseAt(place, absl::StrCat("expected texts, got an array of ",
                                 py::str(array.dtype()).cast<std::string>()));
  }
  const auto width = static_cast<size_t>(array.dtype().itemsize()) / 4;
  std::vector<size_t> ends;
  ends.reserve(rows);
  converted_.reserve(rows * width);
  for (size_t i = 0; i < rows; ++i) {
    const auto* cell =
        static_cast<const char*>(array.data()) + static_cast<py::ssize_t>(i) * array.strides(0);
    size_t length = width;
    const auto at = [&](size_t k) {
      uint32_t c = 0;
      std::memcpy(&c, cell + 4 * k, 4);
      return c;
    };
    while (length > 0 && at(length - 1) == 0) --length;
    for (size_t k = 0; k < length; ++k) {
      const uint32_t c = at(k);
      if ((c >= 0xD800 && c < 0xE000) || c > 0x10FFFF) {
        RefuseAt({&place, {}, i, false}, "the text is not valid Unicode");
      }
      AppendUtf8(c, &converted_);
    }
    ends.push_back(converted_.size());
  }
  size_t begin = 0;
  for (size_t end : ends) {
    views_.push_back(std::string_view(converted_).substr(begin, end - begin));
    begin = end;
  }
}

IntegerColumn::IntegerColumn(const Place& place, const py::array& array, int64_t min, int64_t max,
                             bool may_miss) {
  RequireOneDimension(place, array);
  const auto rows = static_cast<size_t>(array.shape(0));
  values_.resize(rows);
  const char kind = array.dtype().kind();
  const auto check = [&](size_t i) {
    if (values_[i] < min || values_[i] > max) {
      RefuseAt({&place, {}, i, false}, absl::StrCat("expected an integer between ", min, " and ",
                                                    max, ", got ", values_[i]));
    }
  };
  const auto miss = [&](size_t i) {
    if (missing_.empty()) missing_.resize(rows);
    missing_[i] = true;
  };
  if (kind == 'i' || kind == 'u' || (kind == 'b' && max == 1)) {
    if (kind == 'u' && array.dtype().itemsize() == 8) {
      const py::array_t<uint64_t> wide(array);
      for (size_t i = 0; i < rows; ++i) {
        const uint64_t value = wide.data()[i];
        if (value > static_cast<uint64_t>(max)) {
          RefuseAt({&place, {}, i, false}, absl::StrCat("expected at most ", max, ", got ", value));
        }
        values_[i] = static_cast<int64_t>(value);
      }
    } else {
      const py::array_t<int64_t, py::array::c_style | py::array::forcecast> wide(array);
      if (rows > 0) std::memcpy(values_.data(), wide.data(), rows * sizeof(int64_t));
    }
  } else if (kind == 'f') {
    const py::array_t<double, py::array::c_style | py::array::forcecast> wide(array);
    for (size_t i = 0; i < rows; ++i) {
      const double value = wide.data()[i];
      if (may_miss && std::isnan(value)) {
        miss(i);
        continue;
      }
      if (!(value == std::floor(value) && std::abs(value) < 9e15)) {
        RefuseAt({&place, {}, i, false}, absl::StrCat("expected an integer, got ", value));
      }
      values_[i] = static_cast<int64_t>(value);
    }
  } else if (kind == 'O') {
    for (size_t i = 0; i < rows; ++i) {
      PyObject* cell = ObjectAt(array, i);
      if (may_miss && IsMissing(cell)) {
        miss(i);
        continue;
      }
      const bool is_flag = max == 1 && PyBool_Check(cell);
      values_[i] = is_flag
                       ? int64_t{cell == Py_True}
                       : ReadInteger({&place, {}, i, false}, cell, min, static_cast<uint64_t>(max));
    }
  } else {
    RefuseAt(place, absl::StrCat("expected integers, got an array of ",
                                 py::str(array.dtype()).cast<std::string>()));
  }
  for (size_t i = 0; i < rows; ++i) {
    if (has(i)) check(i);
  }
}

QuantityColumn::QuantityColumn(const Place& place, const py::array& array) {
  RequireOneDimension(place, array);
  const auto rows = static_cast<size_t>(array.shape(0));
  codes_.reserve(rows);
  absl::flat_hash_map<std::string, uint32_t> known;
  const auto add = [&](std::string text) {
    const auto [it, is_new] = known.try_emplace(text, static_cast<uint32_t>(distinct_.size()));
    if (is_new) distinct_.emplace_back(std::move(text));
    codes_.push_back(it->second);
  };
  const char kind = array.dtype().kind();
  if (kind == 'i' || kind == 'u') {
    // Numbers are looked up as numbers: most columns hold few different ones.
    const bool is_unsigned = kind == 'u';
    const py::array_t<int64_t, py::array::c_style | py::array::forcecast> wide(array);
    absl::flat_hash_map<int64_t, uint32_t> numbers;
    for (size_t i = 0; i < rows; ++i) {
      const int64_t value = wide.data()[i];
      if (is_unsigned && value < 0) RefuseAt({&place, {}, i, false}, "the amount is beyond int64");
      const auto [it, is_new] = numbers.try_emplace(value, static_cast<uint32_t>(distinct_.size()));
      if (is_new) distinct_.emplace_back(value);
      codes_.push_back(it->second);
    }
  } else if (kind == 'f') {
    const py::array_t<double, py::array::c_style | py::array::forcecast> wide(array);
    absl::flat_hash_map<double, uint32_t> numbers;
    uint32_t missing = kNone;
    for (size_t i = 0; i < rows; ++i) {
      const double value = wide.data()[i];
      if (std::isnan(value)) {
        if (missing == kNone) {
          missing = static_cast<uint32_t>(distinct_.size());
          distinct_.emplace_back(std::string());
        }
        codes_.push_back(missing);
        continue;
      }
      const auto [it, is_new] = numbers.try_emplace(value, static_cast<uint32_t>(distinct_.size()));
      if (is_new) distinct_.push_back(ReadQuantity({&place, {}, i, false}, py::float_(value)));
      codes_.push_back(it->second);
    }
  } else if (kind == 'U') {
    const TextColumn texts(place, array);
    for (size_t i = 0; i < rows; ++i) add(std::string(texts[i]));
  } else if (kind == 'O') {
    for (size_t i = 0; i < rows; ++i) {
      PyObject* cell = ObjectAt(array, i);
      add(IsMissing(cell) ? std::string() : ReadQuantity({&place, {}, i, false}, cell).text);
    }
  } else {
    RefuseAt(place, absl::StrCat("expected amounts, got an array of ",
                                 py::str(array.dtype()).cast<std::string>()));
  }
}

ObjectColumn::ObjectColumn(const Place& place, const py::array& array) : array_(array) {
  RequireOneDimension(place, array);
  if (array.dtype().kind() != 'O') {
    RefuseAt(place, absl::StrCat("expected lists or dicts, got an array of ",
                                 py::str(array.dtype()).cast<std::string>()));
  }
  const auto rows = static_cast<size_t>(array.shape(0));
  for (size_t i = 0; i < rows; ++i) cells_.emplace_back(ObjectAt(array, i));
}

bool ObjectColumn::is_missing(size_t row) const { return IsMissing(cells_[row].ptr()); }

py::object TextArray(const std::vector<std::string_view>& texts) {
  py::array out(py::dtype("O"), static_cast<py::ssize_t>(texts.size()));
  auto** cells = static_cast<PyObject**>(out.mutable_data());
  absl::flat_hash_map<const char*, py::object> known;  // names are kept in one place each
  const char* last = nullptr;
  PyObject* last_text = nullptr;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string_view text = texts[i];
    const char* key = text.empty() ? nullptr : text.data();
    if (last_text == nullptr || key != last) {
      auto [it, is_new] = known.try_emplace(key);
      if (is_new) it->second = Text(text);
      last = key;
      last_text = it->second.ptr();
    }
    Py_INCREF(last_text);
    Py_XSETREF(cells[i], last_text);
  }
  return out;
}

}  // namespace muster::python
