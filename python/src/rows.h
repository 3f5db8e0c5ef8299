// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Many specs from columns. Constants set the fields that a row does not set.
//
//   RowReader<TaskSpec> rows("task", columns, constants);
//   for (size_t i = 0; i < rows.size(); ++i) Check(cluster.AddTask(rows.Fill(i)));
//
// A column is named by the key of a member; members that are themselves maps have one column for
// each of their keys: "capacity.cpu", "labels.zone", "shape.request.memory",
// "shape.node_selector.disk". A row with an empty cell (None, NaN, "") does not have the key. Maps,
// lists and structs may also be one column, of objects in the form of a constant.
#ifndef MUSTER_PYTHON_SRC_ROWS_H_
#define MUSTER_PYTHON_SRC_ROWS_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "python/src/columns.h"
#include "python/src/convert.h"

namespace muster::python {

template <class S>
class RowReader {
 public:
  // `columns`: dict of NumPy arrays of one length; `constants`: a dict for Read<S>. `name_key` is
  // the column of the member "name".
  RowReader(std::string_view what, const py::dict& columns, const py::dict& constants,
            std::string_view name_key = "name")
      : what_(what), name_key_(name_key) {
    const Place place{nullptr, what_};
    ReadInto(place, constants, &spec_);
    for (auto [key, column] : columns) {
      if (!py::isinstance<py::array>(column)) WrongType(place, "NumPy arrays", column);
      columns_.push_back({ReadText(place, key), py::reinterpret_borrow<py::array>(column), false});
      const py::array& array = columns_.back().array;
      const size_t rows = array.ndim() == 0 ? 0 : static_cast<size_t>(array.shape(0));
      if (columns_.size() == 1) size_ = rows;
      if (rows != size_) RefuseLengths(columns_.front().name, size_, columns_.back().name, rows);
    }
    Collect("", &spec_);
    for (const Column& column : columns_) {
      if (!column.taken) UnknownKey(place, column.name, valid_);
    }
  }
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  size_t size() const { return size_; }
  // Refuses columns that are not as long as those of `rows`; fine where one of both has none.
  template <class T>
  void RequireLengthOf(const RowReader<T>& rows) const {
    if (columns_.empty() || rows.first_column().empty() || rows.size() == size_) return;
    RefuseLengths(rows.first_column(), rows.size(), first_column(), size_);
  }
  // The name of the first column; empty: there is none.
  std::string_view first_column() const {
    return columns_.empty() ? std::string_view() : columns_.front().name;
  }
  // The spec of a row; the next call changes it.
  const S& Fill(size_t row) {
    for (const auto& set : setters_) set(row);
    return spec_;
  }
  S& spec() { return spec_; }

 private:
  void RefuseLengths(std::string_view a, size_t a_rows, std::string_view b, size_t b_rows) const {
    RefuseAt(Place{nullptr, what_}, absl::StrCat("columns differ in length: ", Quote(a), " has ",
                                                 a_rows, " rows, ", Quote(b), " has ", b_rows));
  }

  struct Column {
    std::string name;
    py::array array;
    bool taken;
  };

  template <class T>
  void Collect(const std::string& prefix, T* spec) {
    ForEachMember(*spec, [&](auto member) {
      const std::string_view key = prefix.empty() && member.key == "name" ? name_key_ : member.key;
      Bind(absl::StrCat(prefix, ToAbsl(key)), &member.value);
    });
  }

  template <class Make>
  void IfGiven(const std::string& key, const Make& make) {
    valid_names_.push_back(std::make_unique<std::string>(key));
    valid_.push_back(*valid_names_.back());
    for (Column& column : columns_) {
      if (column.name != key) continue;
      column.taken = true;
      const Place top{nullptr, what_};
      make(Place{&top, column.name}, column.array);
    }
  }

  void Bind(const std::string& key, std::string* out) {
    IfGiven(key, [&](const Place& place, const py::array& array) {
      auto column = std::make_shared<TextColumn>(place, array);
      setters_.push_back([column, out](size_t row) { *out = (*column)[row]; });
    });
  }
  template <std::integral Integer>
  void Bind(const std::string& key, Integer* out) {
    IfGiven(key, [&](const Place& place, const py::array& array) {
      const int64_t min = std::is_signed_v<Integer> ? std::numeric_limits<Integer>::min() : 0;
      const auto max = static_cast<int64_t>(std::numeric_limits<Integer>::max());
      auto column = std::make_shared<IntegerColumn>(place, array, min, max, /*may_miss=*/true);
      setters_.push_back([column, out, unset = *out](size_t row) {
        *out = column->has(row) ? static_cast<Integer>((*column)[row]) : unset;
      });
    });
  }
  template <std::integral Integer>
  void Bind(const std::string& key, std::optional<Integer>* out) {
    IfGiven(key, [&](const Place& place, const py::array& array) {
      const int64_t min = std::is_signed_v<Integer> ? std::numeric_limits<Integer>::min() : 0;
      const auto max = static_cast<int64_t>(std::numeric_limits<Integer>::max());
      auto column = std::make_shared<IntegerColumn>(place, array, min, max, /*may_miss=*/true);
      setters_.push_back([column, out](size_t row) {
        if (column->has(row)) {
          *out = static_cast<Integer>((*column)[row]);
        } else {
          out->reset();
        }
      });
    });
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void Bind(const std::string& key, Enum* out) {
    IfGiven(key, [&](const Place& place, const py::array& array) {
      auto column = std::make_shared<TextColumn>(place, array);
      std::vector<Enum> values(column->size());
      std::string_view last;
      for (size_t i = 0; i < values.size(); ++i) {
        if (i > 0 && (*column)[i] == last) {
          values[i] = values[i - 1];
          continue;
        }
        last = (*column)[i];
        values[i] = *out;  // an empty cell
        if (!last.empty()) ReadInto(Place{&place, {}, i, false}, Text(last), &values[i]);
      }
      setters_.push_back([values = std::move(values), out](size_t row) { *out = values[row]; });
    });
  }
  void Bind(const std::string& key, Labels* out) {
    BindCells(key, out);
    Family(key, [&](std::string_view name, const Place& place, const py::array& array) {
      auto column = std::make_shared<TextColumn>(place, array);
      setters_.push_back([column, out, name = std::string(name)](size_t row) {
        Put(name, std::string((*column)[row]), (*column)[row].empty(), out);
      });
    });
  }
  void Bind(const std::string& key, Resources* out) {
    BindCells(key, out);
    BindKeys(key, out);
  }
  void BindKeys(const std::string& key, Resources* out) {
    Family(key, [&](std::string_view name, const Place& place, const py::array& array) {
      auto column = std::make_shared<QuantityColumn>(place, array);
      uint32_t last = kNone;
      setters_.push_back([column, out, name = std::string(name), last](size_t row) mutable {
        if (column->code(row) == last) return;
        last = column->code(row);
        Put(name, (*column)[row], (*column)[row].text.empty(), out);
      });
    });
  }
  void Bind(const std::string& key, std::optional<Resources>* out) {
    BindCells(key, out);
    if (!HasFamily(key)) return;
    const auto map = std::make_shared<Resources>(out->value_or(Resources()));
    BindKeys(key, map.get());
    setters_.push_back([map, out, unset = *out](size_t) {
      if (map->empty()) {
        *out = unset;
      } else {
        *out = *map;
      }
    });
  }
  void Bind(const std::string& key, TaskShape* out) { Collect(key + ".", out); }
  // Lists and other structs; also maps as a whole. A cell has the form of a constant.
  template <class T>
  void Bind(const std::string& key, T* out) {
    BindCells(key, out);
  }
  template <class T>
  void BindCells(const std::string& key, T* out) {
    IfGiven(key, [&](const Place& place, const py::array& array) {
      if (HasFamily(key)) RefuseAt(place, "is a column as a whole and by its keys");
      auto column = std::make_shared<ObjectColumn>(place, array);
      setters_.push_back([this, key, column, out, unset = *out](size_t row) {
        *out = unset;
        if (column->is_missing(row)) return;
        const Place top{nullptr, what_}, named{&top, key};
        ReadInto(Place{&named, {}, row, false}, (*column)[row], out);
      });
    });
  }

  bool HasFamily(const std::string& key) const {
    for (const Column& column : columns_) {
      if (column.name.starts_with(key + ".")) return true;
    }
    return false;
  }
  template <class Make>
  void Family(const std::string& key, const Make& make) {
    for (Column& column : columns_) {
      if (!column.name.starts_with(key + ".")) continue;
      column.taken = true;
      const Place top{nullptr, what_};
      make(std::string_view(column.name).substr(key.size() + 1), Place{&top, column.name},
           column.array);
    }
  }

  template <class T>
  static void Put(const std::string& name, const T& value, bool missing, Named<T>* out) {
    auto it =
        std::find_if(out->begin(), out->end(), [&](const auto& e) { return e.first == name; });
    if (missing) {
      if (it != out->end()) out->erase(it);
    } else if (it != out->end()) {
      it->second = value;
    } else {
      out->emplace_back(name, value);
    }
  }

  const std::string what_;
  const std::string_view name_key_;
  S spec_;
  std::vector<Column> columns_;
  size_t size_ = 0;
  std::vector<std::function<void(size_t)>> setters_;
  std::vector<std::unique_ptr<std::string>> valid_names_;
  std::vector<std::string_view> valid_;
};

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_ROWS_H_
