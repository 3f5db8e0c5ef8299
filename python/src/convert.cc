// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/convert.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/words.h"
#include "lib/scenario/json_rows.h"

namespace muster::python {
namespace {

std::string PathOf(const Place& place) {
  std::vector<const Place*> chain;
  for (const Place* p = &place; p != nullptr; p = p->above) chain.push_back(p);
  std::string path = absl::StrCat(ToAbsl(chain.back()->key), ": ");
  for (size_t i = chain.size() - 1; i-- > 0;) {
    std::string step =
        chain[i]->is_key ? JsonPathStep(chain[i]->key) : absl::StrCat("[", chain[i]->index, "]");
    if (i + 2 == chain.size() && step.starts_with('.')) step.erase(0, 1);
    path += step;
  }
  if (chain.size() > 1) path += ": ";
  return path;
}

// A text in UTF-8; nothing, where it has surrogates.
std::optional<std::string> Utf8(py::handle text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return std::string(bytes, static_cast<size_t>(size));
}

std::string Describe(py::handle value) {
  if (value.is_none()) return "None";
  const auto shown = py::reinterpret_steal<py::object>(PyObject_Repr(value.ptr()));
  if (!shown) {
    if (!PyErr_ExceptionMatches(PyExc_Exception)) throw py::error_already_set();
    PyErr_Clear();
  }
  std::string text = shown ? Utf8(shown).value_or("a value") : "a value";
  if (text.size() > 60) {
    size_t end = 57;
    while ((text[end] & 0xc0) == 0x80) --end;  // not within a character
    text = absl::StrCat(text.substr(0, end), "...");
  }
  return absl::StrCat(text, " (", Py_TYPE(value.ptr())->tp_name, ")");
}

}  // namespace

void RefuseAt(const Place& place, const std::string& rule) {
  Refuse(absl::StrCat(PathOf(place), rule));
}

void WrongType(const Place& place, std::string_view expected, py::handle value) {
  RefuseAt(place, absl::StrCat("expected ", ToAbsl(expected), ", got ", Describe(value)));
}

void UnknownKey(const Place& place, std::string_view key,
                const std::vector<std::string_view>& valid) {
  RefuseAt(place, absl::StrCat("unknown field ", Quote(key), SuggestWord(key, valid)));
}

bool IsInteger(py::handle value) {
  return !PyBool_Check(value.ptr()) && PyIndex_Check(value.ptr()) != 0;
}

int64_t ReadInteger(const Place& place, py::handle value, int64_t min, uint64_t max) {
  if (!IsInteger(value)) WrongType(place, "an integer", value);
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number) {  // an array of several is no index, though it has the method of one
    if (!PyErr_ExceptionMatches(PyExc_Exception)) throw py::error_already_set();
    PyErr_Clear();
    WrongType(place, "an integer", value);
  }
  int overflow = 0;
  const long long small = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow == 0 && small >= min && (small < 0 || static_cast<uint64_t>(small) <= max)) {
    return small;
  }
  if (overflow > 0) {
    const unsigned long long large = PyLong_AsUnsignedLongLong(number.ptr());
    if (!PyErr_Occurred() && large <= max) return static_cast<int64_t>(large);
    PyErr_Clear();
  }
  WrongType(place, absl::StrCat("an integer between ", min, " and ", max), value);
}

std::string ReadText(const Place& place, py::handle value) {
  if (!PyUnicode_Check(value.ptr())) WrongType(place, "a text", value);
  std::optional<std::string> text = Utf8(value);
  if (!text) RefuseAt(place, "the text is not valid Unicode");
  return *std::move(text);
}

std::string TextOrNothing(py::handle value) {
  return PyUnicode_Check(value.ptr()) ? Utf8(value).value_or("") : "";
}

bool ReadFlag(const Place& place, py::handle value) {
  if (PyBool_Check(value.ptr())) return value.ptr() == Py_True;
  // numpy.bool_ is no bool, but counts as one.
  if (std::string_view(Py_TYPE(value.ptr())->tp_name).starts_with("numpy.bool")) {
    return PyObject_IsTrue(value.ptr()) == 1;
  }
  WrongType(place, "True or False", value);
}

Quantity ReadQuantity(const Place& place, py::handle value) {
  if (PyUnicode_Check(value.ptr())) return Quantity(ReadText(place, value));
  if (IsInteger(value)) return Quantity(py::str(value).cast<std::string>());
  if (PyFloat_Check(value.ptr())) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (!std::isfinite(number)) WrongType(place, "an amount", value);
    char text[64];
    const auto end = std::to_chars(text, text + sizeof(text), number, std::chars_format::fixed);
    if (end.ec == std::errc()) return Quantity(std::string(text, end.ptr));
  }
  WrongType(place, "a number or a text such as \"500m\"", value);
}

int ReadWord(const Place& place, py::handle value, std::string_view what,
             std::span<const std::string_view> words) {
  const std::string text = ReadText(place, value);
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == text) return static_cast<int>(i);
  }
  RefuseAt(place, UnknownWord(what, text, words));
}

py::object Write(const Quantity& quantity) {
  int64_t number = 0;
  const char* end = quantity.text.data() + quantity.text.size();
  const auto parsed = std::from_chars(quantity.text.data(), end, number);
  if (parsed.ec == std::errc() && parsed.ptr == end) return py::int_(number);
  return Text(quantity.text);
}

}  // namespace muster::python
