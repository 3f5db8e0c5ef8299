// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/tables.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/model/tables.h"
#include "lib/scenario/members.h"
#include "muster/quantity.h"
#include "python/src/columns.h"
#include "python/src/convert.h"

namespace muster::python {
namespace {

std::vector<uint32_t> Living(const std::vector<uint8_t>& alive) {
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < alive.size(); ++i) {
    if (alive[i]) rows.push_back(i);
  }
  return rows;
}

// An amount in the engine's units as a number of cores, devices or bytes.
double InKeywordUnits(int64_t amount, std::string_view dimension) {
  return static_cast<double>(amount) / (IsMilliDimension(dimension) ? 1000 : 1);
}

// Integers where all are whole and none is NaN.
py::object AmountArray(const std::vector<double>& amounts) {
  const auto whole = [](double amount) {
    return amount == std::floor(amount) && std::abs(amount) < 9e15;
  };
  if (!std::all_of(amounts.begin(), amounts.end(), whole)) return NumberArray(amounts);
  return NumberArray(std::vector<int64_t>(amounts.begin(), amounts.end()));
}

// An array of the objects that `get` returns for each row.
template <class Row, class F>
py::object ObjectArray(const std::vector<Row>& rows, const F& get) {
  py::array out(py::dtype("O"), static_cast<py::ssize_t>(rows.size()));
  auto** cells = static_cast<PyObject**>(out.mutable_data());
  for (size_t i = 0; i < rows.size(); ++i) Py_XSETREF(cells[i], get(rows[i]).release().ptr());
  return out;
}

// --- nodes: a column for each member of NodeSpec

using Specs = std::vector<const NodeSpec*>;

// A column "KEY.NAME" for each dimension that a row names; NaN where a row does not name it.
template <class F>
void PutAmounts(std::string_view key, const Specs& specs, const F& map_of, py::dict* table) {
  std::vector<std::pair<std::string_view, std::vector<double>>> columns;
  for (size_t row = 0; row < specs.size(); ++row) {
    const Resources* map = map_of(*specs[row]);
    if (map == nullptr) continue;
    for (const auto& [name, quantity] : *map) {
      auto column =
          std::ranges::find(columns, std::string_view(name), [](const auto& c) { return c.first; });
      if (column == columns.end()) {
        columns.emplace_back(name, std::vector<double>(specs.size(), std::nan("")));
        column = std::prev(columns.end());
      }
      const Unit unit = IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole;
      column->second[row] =
          InKeywordUnits(ParseQuantity(quantity.text, unit).value_or(0), column->first);
    }
  }
  for (const auto& [name, amounts] : columns) {
    (*table)[Text(absl::StrCat(ToAbsl(key), ".", ToAbsl(name)))] = AmountArray(amounts);
  }
}

// Puts the column of the member with number `i`, unless no row sets the member. A list, a map or a
// struct is an object of Python; None where it is unset.
template <size_t i>
void PutMember(const Specs& specs, const NodeSpec& unset, py::dict* table) {
  const auto fallback = std::get<i>(Members(unset));
  const std::string_view key = fallback.key;
  const auto cell = [](const NodeSpec& spec) -> const auto& {
    return std::get<i>(Members(spec)).value;
  };
  using Value = std::remove_cvref_t<decltype(fallback.value)>;
  const bool always = key == "name" || key == "unschedulable" || key == "ready";
  const auto sets = [&](const NodeSpec* spec) { return !IsUnset(cell(*spec), fallback.value); };
  if (!always && std::none_of(specs.begin(), specs.end(), sets)) return;
  if constexpr (std::is_same_v<Value, Resources>) {
    PutAmounts(
        key, specs, [&](const NodeSpec& spec) { return &cell(spec); }, table);
  } else if constexpr (std::is_same_v<Value, std::optional<Resources>>) {
    const auto map_of = [&](const NodeSpec& spec) {
      return cell(spec).has_value() ? &*cell(spec) : nullptr;
    };
    PutAmounts(key, specs, map_of, table);
  } else if constexpr (std::is_same_v<Value, std::string>) {
    std::vector<std::string_view> texts;
    for (const NodeSpec* spec : specs) texts.push_back(cell(*spec));
    (*table)[Text(key)] = TextArray(texts);
  } else if constexpr (std::is_same_v<Value, bool>) {
    std::vector<int64_t> flags;
    for (const NodeSpec* spec : specs) flags.push_back(cell(*spec));
    (*table)[Text(key)] = NumberArray(flags);
  } else {
    (*table)[Text(key)] = ObjectArray(specs, [&](const NodeSpec* spec) -> py::object {
      return sets(spec) ? Write(cell(*spec)) : py::none();
    });
  }
}

py::dict RowsOfNodes(const Tables& t) {
  Specs specs;
  for (const uint32_t row : Living(t.nodes.alive)) specs.push_back(&t.nodes.spec[row]);
  const NodeSpec unset;
  py::dict table;
  [&]<size_t... i>(std::index_sequence<i...>) { (PutMember<i>(specs, unset, &table), ...); }
  (std::make_index_sequence<std::tuple_size_v<decltype(Members(unset))>>());
  return table;
}

// --- the other tables

class RowColumns {
 public:
  explicit RowColumns(const std::vector<uint8_t>& alive) : rows_(Living(alive)) {}
  py::dict table() && { return std::move(table_); }

  template <class F>
  void Texts(const char* key, const F& get) {
    std::vector<std::string_view> values;
    values.reserve(rows_.size());
    for (const uint32_t row : rows_) values.push_back(get(row));
    table_[key] = TextArray(values);
  }
  template <class F>
  void Numbers(const char* key, const F& get) {
    std::vector<int64_t> values;
    values.reserve(rows_.size());
    for (const uint32_t row : rows_) values.push_back(get(row));
    table_[key] = NumberArray(values);
  }
  template <class F>
  void Amounts(std::string_view key, const Tables& t, const F& get) {
    for (DimensionIndex d = 0; d < t.dimension_count(); ++d) {
      const std::string_view name = t.dimensions.name(d);
      std::vector<double> values;
      values.reserve(rows_.size());
      for (const uint32_t row : rows_) values.push_back(InKeywordUnits(OrZero(get(row, d)), name));
      table_[Text(absl::StrCat(ToAbsl(key), ".", ToAbsl(name)))] = AmountArray(values);
    }
  }

 private:
  const std::vector<uint32_t> rows_;
  py::dict table_;
};

std::string_view NameOrNone(const NameTable& names, uint32_t index) {
  return index == kNone ? std::string_view() : names.name(index);
}

py::dict RowsOfQueues(const Tables& t) {
  RowColumns columns(t.queues.alive);
  columns.Texts("name", [&](uint32_t q) { return t.queues.names.name(QueueIndex(q)); });
  columns.Texts("parent",
                [&](uint32_t q) { return NameOrNone(t.queues.names, t.queues.parent[q]); });
  columns.Numbers("weight", [&](uint32_t q) { return t.queues.spec[q].weight; });
  columns.Numbers("priority", [&](uint32_t q) { return t.queues.spec[q].priority; });
  columns.Texts("state", [&](uint32_t q) { return QueueStateName(t.queues.spec[q].state); });
  columns.Numbers("jobs", [&](uint32_t q) { return t.queues.jobs[q]; });
  return std::move(columns).table();
}

py::dict RowsOfJobs(const Tables& t) {
  RowColumns columns(t.jobs.alive);
  columns.Texts("name", [&](uint32_t j) { return t.jobs.names.name(JobIndex(j)); });
  columns.Texts("queue", [&](uint32_t j) { return NameOrNone(t.queues.names, t.jobs.queue[j]); });
  columns.Texts("phase", [&](uint32_t j) { return JobPhaseName(t.jobs.spec[j].phase); });
  columns.Numbers("priority", [&](uint32_t j) { return t.jobs.spec[j].priority; });
  columns.Numbers("min_available", [&](uint32_t j) { return t.jobs.spec[j].min_available; });
  columns.Numbers("tasks", [&](uint32_t j) { return t.jobs.tasks[j].size(); });
  return std::move(columns).table();
}

py::dict RowsOfTasks(const Tables& t) {
  RowColumns columns(t.tasks.alive);
  columns.Texts("name", [&](uint32_t k) { return t.tasks.names.name(TaskIndex(k)); });
  columns.Texts("job", [&](uint32_t k) { return NameOrNone(t.jobs.names, t.tasks.job[k]); });
  columns.Texts("status", [&](uint32_t k) { return TaskStatusName(t.tasks.status[k]); });
  columns.Texts("node", [&](uint32_t k) { return NameOrNone(t.nodes.names, t.tasks.node[k]); });
  columns.Numbers("priority", [&](uint32_t k) { return t.tasks.priority[k]; });
  columns.Numbers("task_class", [&](uint32_t k) { return t.tasks.task_class[k]; });
  columns.Amounts("request", t, [&](uint32_t k, DimensionIndex d) {
    return t.classes.request.at(t.tasks.task_class[k], d);
  });
  return std::move(columns).table();
}

}  // namespace

py::dict Table(const Cluster& cluster, const std::string& kind) {
  const Tables& t = TablesOf(cluster);
  if (kind == "nodes") return RowsOfNodes(t);
  if (kind == "queues") return RowsOfQueues(t);
  return kind == "jobs" ? RowsOfJobs(t) : RowsOfTasks(t);
}

py::dict AllocatableTotals(const Cluster& cluster) {
  const Tables& t = TablesOf(cluster);
  py::dict totals;
  for (DimensionIndex d = 0; d < t.dimension_count(); ++d) {
    const std::string_view name = t.dimensions.name(d);
    double total = 0;
    for (const uint32_t n : Living(t.nodes.alive)) {
      total += InKeywordUnits(OrZero(t.nodes.allocatable.at(n, d)), name);
    }
    totals[Text(name)] = total;
  }
  return totals;
}

}  // namespace muster::python
