// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Specs from Python values and back, by the lists of lib/scenario/members.h: the keys of a dict are
// the keys of a scenario, and errors have the same words.
//
//   NodeSpec node = Read<NodeSpec>("node", dict);   // node: capacity["cpu"]: expected ..., got ...
//   py::object dict = Write(node);                  // without fields that are not set
#ifndef MUSTER_PYTHON_SRC_CONVERT_H_
#define MUSTER_PYTHON_SRC_CONVERT_H_

#include <pybind11/pybind11.h>

#include <algorithm>
#include <concepts>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/words.h"
#include "lib/scenario/members.h"
#include "python/src/status.h"

namespace muster::python {

namespace py = pybind11;

inline py::str Text(std::string_view text) { return py::str(text.data(), text.size()); }

// Where a value stands: the root's name, or a step below another place.
struct Place {
  const Place* above;
  std::string_view key;
  size_t index = 0;
  bool is_key = true;
};

[[noreturn]] void RefuseAt(const Place& place, const std::string& rule);
[[noreturn]] void WrongType(const Place& place, std::string_view expected, py::handle value);
[[noreturn]] void UnknownKey(const Place& place, std::string_view key,
                             const std::vector<std::string_view>& valid);
// True where `value` is an integer (also a NumPy one) that is no bool.
bool IsInteger(py::handle value);
int64_t ReadInteger(const Place& place, py::handle value, int64_t min, uint64_t max);
std::string ReadText(const Place& place, py::handle value);
// Returns "" where the value is no text, or has what UTF-8 cannot write.
std::string TextOrNothing(py::handle value);
bool ReadFlag(const Place& place, py::handle value);
Quantity ReadQuantity(const Place& place, py::handle value);
// Returns the index of `value` among `words`.
int ReadWord(const Place& place, py::handle value, std::string_view what,
             std::span<const std::string_view> words);

// A text that a function of the module takes. Unlike those of a std::string, no bytes: a TypeError.
struct TextArg : std::string {};

// --- reading

inline void ReadInto(const Place& place, py::handle value, std::string* out) {
  *out = ReadText(place, value);
}
inline void ReadInto(const Place& place, py::handle value, bool* out) {
  *out = ReadFlag(place, value);
}
inline void ReadInto(const Place& place, py::handle value, Quantity* out) {
  *out = ReadQuantity(place, value);
}
template <std::integral Integer>
requires(!std::same_as<Integer, bool>) void ReadInto(const Place& place, py::handle value,
                                                     Integer* out) {
  *out = static_cast<Integer>(
      ReadInteger(place, value, static_cast<int64_t>(std::numeric_limits<Integer>::min()),
                  static_cast<uint64_t>(std::numeric_limits<Integer>::max())));
}

template <HasWords Enum>
void ReadInto(const Place& place, py::handle value, Enum* out) {
  const WordTable table = WordsOf(Enum());
  *out = static_cast<Enum>(ReadWord(place, value, table.what, table.words));
}

template <HasMembers S>
void ReadInto(const Place& place, py::handle value, S* out);

template <class T>
T Blank() {
  if constexpr (std::is_same_v<T, Quantity>) {
    return Quantity(0);
  } else {
    return T();
  }
}

template <class T>
void ReadInto(const Place& place, py::handle value, std::optional<T>* out) {
  if (value.is_none()) {
    out->reset();
    return;
  }
  ReadInto(place, value, &out->emplace(Blank<T>()));
}

template <class T>
void ReadInto(const Place& place, py::handle value, Boxed<T>* out) {
  if (value.is_none()) {
    out->reset();
    return;
  }
  ReadInto(place, value, &out->emplace());
}

template <class T>
void ReadInto(const Place& place, py::handle value, std::vector<T>* out) {
  if (!py::isinstance<py::sequence>(value) || py::isinstance<py::str>(value)) {
    WrongType(place, "a list", value);
  }
  // A copy: reading an element may run code that changes the list.
  const auto elements = py::reinterpret_steal<py::tuple>(PySequence_Tuple(value.ptr()));
  if (!elements) {
    if (!PyErr_ExceptionMatches(PyExc_Exception)) throw py::error_already_set();
    PyErr_Clear();  // as an array of no dimension, which has no elements
    WrongType(place, "a list", value);
  }
  out->clear();
  for (py::handle element : elements) {
    const Place below{&place, {}, out->size(), false};
    ReadInto(below, element, &out->emplace_back());
  }
}

template <class T>
void ReadInto(const Place& place, py::handle value, Named<T>* out) {
  if (!py::isinstance<py::dict>(value)) WrongType(place, "a dict", value);
  out->clear();
  for (auto [key, element] : py::reinterpret_borrow<py::dict>(value)) {
    auto& [name, cell] = out->emplace_back(ReadText(place, key), Blank<T>());
    const Place below{&place, name};
    ReadInto(below, element, &cell);
  }
}

// What `value` does not name stays as it is in *out.
template <HasMembers S>
void ReadInto(const Place& place, py::handle value, S* out) {
  if (!py::isinstance<py::dict>(value)) WrongType(place, "a dict", value);
  const auto dict = py::reinterpret_borrow<py::dict>(value);
  size_t taken = 0;
  ForEachMember(*out, [&](auto member) {
    const py::str key(member.key.data(), member.key.size());
    PyObject* found = PyDict_GetItemWithError(dict.ptr(), key.ptr());
    if (found == nullptr) {
      if (PyErr_Occurred()) throw py::error_already_set();
      return;
    }
    ++taken;
    const Place below{&place, member.key};
    ReadInto(below, found, &member.value);
  });
  if (taken == dict.size()) return;
  std::vector<std::string_view> valid;
  ForEachMember(*out, [&](auto member) { valid.push_back(member.key); });
  for (auto [key, element] : dict) {
    const std::string text = ReadText(place, key);
    if (std::find(valid.begin(), valid.end(), text) == valid.end()) UnknownKey(place, text, valid);
  }
}

template <class S>
S Read(std::string_view place, py::handle value) {
  S spec;
  ReadInto(Place{nullptr, place}, value, &spec);
  return spec;
}

// `node "n1"`; the plain kind where there is no name to quote.
inline std::string PlaceFor(std::string_view kind, const py::dict& fields) {
  const std::string name = fields.contains("name") ? TextOrNothing(fields["name"]) : std::string();
  return name.empty() ? std::string(kind) : absl::StrCat(ToAbsl(kind), " ", Quote(name));
}

// Reads what a dict has by this name; without it, *out stays as it is.
template <class T>
void Take(const Place& place, const py::dict& from, const char* name, T* out) {
  if (from.contains(name)) ReadInto(Place{&place, name}, from[name], out);
}

template <class S>
S ReadRow(std::string_view kind, const py::dict& fields) {
  return Read<S>(PlaceFor(kind, fields), fields);
}

// --- writing

inline py::object Write(const std::string& text) { return Text(text); }
inline py::object Write(bool flag) { return py::bool_(flag); }
template <std::integral Integer>
requires(!std::same_as<Integer, bool>) py::object Write(Integer number) { return py::int_(number); }
// As a number where it is a whole one.
py::object Write(const Quantity& quantity);
template <HasWords Enum>
py::object Write(Enum value) {
  return Text(Word(value));
}
// Declared before they use each other: argument-dependent lookup would not find them.
template <HasMembers S>
py::object Write(const S& spec);
template <class T>
py::object Write(const std::optional<T>& value);
template <class T>
py::object Write(const Boxed<T>& value);
template <class T>
py::object Write(const std::vector<T>& values);
template <class T>
py::object Write(const Named<T>& values);

template <class T>
py::object Write(const std::optional<T>& value) {
  return value.has_value() ? Write(*value) : py::none();
}
template <class T>
py::object Write(const Boxed<T>& value) {
  return value.has_value() ? Write(*value) : py::none();
}
template <class T>
py::object Write(const std::vector<T>& values) {
  py::list list;
  for (const T& value : values) list.append(Write(value));
  return list;
}
template <class T>
py::object Write(const Named<T>& values) {
  py::dict dict;
  for (const auto& [name, value] : values) dict[Text(name)] = Write(value);
  return dict;
}

// Whether a member says what an unset one does. (Lists are unset when they are empty.)
template <class T>
bool IsUnset(const T& value, const T& unset) {
  return value == unset;
}
template <class T>
bool IsUnset(const std::vector<T>& value, const std::vector<T>&) {
  return value.empty();
}
template <class T>
bool IsUnset(const Boxed<T>& value, const Boxed<T>&) {
  return !value.has_value();
}
template <HasMembers S>
bool IsUnset(const S& value, const S& unset) {
  bool same = true;
  const auto a = Members(value), b = Members(unset);
  [&]<size_t... i>(std::index_sequence<i...>) {
    ((same &= IsUnset(std::get<i>(a).value, std::get<i>(b).value)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(a)>>());
  return same;
}

// Members that are as an unset one are left out.
template <HasMembers S>
py::object Write(const S& spec) {
  const S unset;
  py::dict dict;
  const auto members = Members(spec), defaults = Members(unset);
  const auto write = [&](const auto& member, const auto& fallback) {
    if (!member.required && IsUnset(member.value, fallback.value)) return;
    dict[Text(member.key)] = Write(member.value);
  };
  [&]<size_t... i>(std::index_sequence<i...>) {
    (write(std::get<i>(members), std::get<i>(defaults)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(members)>>());
  return dict;
}

}  // namespace muster::python

namespace pybind11::detail {

template <>
struct type_caster<muster::python::TextArg> {
  PYBIND11_TYPE_CASTER(muster::python::TextArg, const_name("str"));
  bool load(handle text, bool) {
    if (!PyUnicode_Check(text.ptr())) return false;
    value.assign(muster::python::ReadText({nullptr, "argument"}, text));
    return true;
  }
};

}  // namespace pybind11::detail

#endif  // MUSTER_PYTHON_SRC_CONVERT_H_
