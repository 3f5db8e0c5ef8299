// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "capi/rows.h"

#include <algorithm>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/tables.h"
#include "lib/model/words.h"
#include "lib/scenario/json_rows.h"
#include "lib/scenario/members.h"
#include "lib/scenario/scenario.h"
#include "muster/c.h"
#include "muster/quantity.h"

namespace muster::capi {
namespace {

// Accepts the document {"v": VALUE}.
class OneValue : public RowSink {
 public:
  absl::StatusOr<Section> OnSection(std::string_view key) override {
    if (key != "v") return absl::InvalidArgumentError("more than one value");
    return Section::kOneRow;
  }
  absl::Status OnRow(std::string_view section, size_t index, const Json& row) override {
    return absl::OkStatus();
  }
};

size_t RowCount(int32_t kind, const ClusterSpec& spec) {
  switch (kind) {
    case MUSTER_KIND_NODES:
      return spec.nodes.size();
    case MUSTER_KIND_QUEUES:
      return spec.queues.size();
    case MUSTER_KIND_JOBS:
      return spec.jobs.size();
    case MUSTER_KIND_TASKS:
      return spec.tasks.size();
    case MUSTER_KIND_DOMAINS:
      return spec.domains.size();
    case MUSTER_KIND_BUDGETS:
      return spec.budgets.size();
    case MUSTER_KIND_FLAVORS:
      return spec.flavors.size();
    case MUSTER_KIND_PARTITIONS:
      return spec.partitions.size();
    case MUSTER_KIND_RESERVATIONS:
      return spec.reservations.size();
    default:
      return spec.namespaces.size();
  }
}

}  // namespace

int32_t Names(int32_t table, std::string_view key) {
  switch (table) {
    case MUSTER_KIND_NODES:
      return key == "domain" ? MUSTER_KIND_DOMAINS : 0;
    case MUSTER_KIND_QUEUES:
      return key == "parent" ? MUSTER_KIND_QUEUES : 0;
    case MUSTER_KIND_JOBS:
      return key == "queue" ? MUSTER_KIND_QUEUES : 0;
    case MUSTER_KIND_DOMAINS:
      return key == "parent" ? MUSTER_KIND_DOMAINS : 0;
    case MUSTER_KIND_TASKS:
      if (key == "job") return MUSTER_KIND_JOBS;
      return key == "node" || key == "nominated_node" ? MUSTER_KIND_NODES : 0;
    case MUSTER_KIND_RESERVATIONS:
      return key == "node" ? MUSTER_KIND_NODES : 0;
    default:
      return 0;
  }
}

absl::Status CheckOneJsonValue(std::string_view json) {
  OneValue sink;
  return ReadJsonRows(absl::StrCat("{\"v\": ", ToAbsl(json), "}"), &sink);
}

absl::StatusOr<ClusterSpec> ParseRow(int32_t kind, std::string_view json) {
  if (absl::Status s = CheckOneJsonValue(json); !s.ok()) return s;
  absl::StatusOr<Scenario> scenario = ParseScenario(
      absl::StrCat("{\"muster\": 1, \"", ToAbsl(TableName(kind)), "\": [", ToAbsl(json), "]}"));
  if (!scenario.ok()) return scenario.status();
  if (RowCount(kind, scenario->cluster) != 1) {
    return absl::InvalidArgumentError("a count stands for other rows; a table has its own");
  }
  return std::move(scenario->cluster);
}

// Binds columns to the fields of a spec. A spec is given by its address alone, and its fields by
// functions of that, so that each kind of field is compiled once, not for each kind of row.
class ColumnBinder {
 public:
  ColumnBinder(const muster_table& table, Resolver resolver)
      : table_(table), resolver_(std::move(resolver)), taken_(table.columns.size(), false) {}
  ColumnBinder(const ColumnBinder&) = delete;
  ColumnBinder& operator=(const ColumnBinder&) = delete;

  // S: the spec of the table's kind. `blank`: a row that sets no field.
  template <class S>
  void Bind(S* blank) {
    if (!table_.defaults.empty()) {
      absl::StatusOr<ClusterSpec> row = ParseDefaults();
      if (!row.ok()) {
        status_ = absl::InvalidArgumentError(
            absl::StrCat(Place(), ", defaults: ", row.status().message()));
        return;
      }
      *blank = std::move(RowsOf<S>(*row).front());
      blank->name.clear();
    }
    first_ = [](ClusterSpec& rows) -> void* { return &RowsOf<S>(rows).front(); };
    Collect<S>("", [](void* s) -> S& { return *static_cast<S*>(s); });
    if constexpr (std::is_same_v<S, JobSpec>) CollectGroup();
    RefuseOthers();
  }

  const absl::Status& status() const { return status_; }
  size_t size() const { return table_.rows; }
  bool has_defaults() const { return !table_.defaults.empty(); }

  absl::Status Fill(size_t row, void* spec) const {
    for (const Setter& set : setters_) {
      if (absl::Status s = set(row, spec); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

 private:
  using Setter = std::function<absl::Status(size_t row, void* spec)>;
  // Returns the member of a row's spec.
  template <class T>
  using Get = std::function<T&(void* spec)>;

  std::string Place() const { return absl::StrCat("table of ", ToAbsl(TableName(table_.kind))); }
  absl::Status Refuse(const TableColumn& column, size_t row, std::string_view rule) const {
    return absl::InvalidArgumentError(
        absl::StrCat(Place(), ", row ", row, ", column ", Quote(column.name), ": ", ToAbsl(rule)));
  }

  // A row must have a name, which defaults do not give.
  absl::StatusOr<ClusterSpec> ParseDefaults() const {
    constexpr std::string_view kSpaces = " \n\t\r";
    std::string_view json = table_.defaults;
    json.remove_prefix(std::min(json.size(), json.find_first_not_of(kSpaces)));
    if (json.empty() || json.front() != '{') {
      return absl::InvalidArgumentError("expected a JSON object");
    }
    json.remove_prefix(1);
    const size_t next = json.find_first_not_of(kSpaces);
    const bool empty = next != std::string_view::npos && json[next] == '}';
    return ParseRow(table_.kind, absl::StrCat("{\"name\": \"x\"", empty ? "" : ", ", ToAbsl(json)));
  }

  // Refuses columns that no field is bound to.
  void RefuseOthers() {
    for (size_t i = 0; i < table_.columns.size() && status_.ok(); ++i) {
      const TableColumn& column = table_.columns[i];
      if (column.form == TableColumn::Form::kUnset || taken_[i]) continue;
      status_ = absl::InvalidArgumentError(absl::StrCat(
          Place(), ": there is no column ", Quote(column.name),
          SuggestWord(column.name, std::vector<std::string_view>(valid_.begin(), valid_.end()))));
    }
  }

  // Calls make(column) where the table has the column.
  template <class Make>
  void IfGiven(const std::string& key, const Make& make) {
    valid_.push_back(key);
    for (size_t i = 0; i < table_.columns.size(); ++i) {
      const TableColumn& column = table_.columns[i];
      if (column.form == TableColumn::Form::kUnset || column.name != key) continue;
      taken_[i] = true;
      make(column);
    }
  }

  template <class T>
  void Collect(const std::string& prefix, const Get<T>& path) {
    T shape{};
    // Members of a value and of the value that is filled have the same place in their lists.
    std::apply(
        [&](auto... member) {
          size_t index = 0;
          (BindMember<T, std::remove_reference_t<decltype(member.value)>>(prefix, member.key,
                                                                          index++, path),
           ...);
        },
        Members(shape));
  }

  template <class T, class Value>
  void BindMember(const std::string& prefix, std::string_view key, size_t index,
                  const Get<T>& path) {
    Get<Value> get = [path, index](void* s) -> Value& {
      Value* found = nullptr;
      std::apply(
          [&](auto... member) {
            size_t i = 0;
            (
                [&] {
                  if (i++ != index) return;
                  if constexpr (std::is_same_v<decltype(&member.value), Value*>) {
                    found = &member.value;
                  }
                }(),
                ...);
          },
          Members(path(s)));
      return *found;
    };
    Bind(absl::StrCat(prefix, ToAbsl(key)), std::move(get));
  }

  // --- one binding for each type of member

  void Bind(const std::string& key, Get<std::string> get) {
    IfGiven(key, [&](const TableColumn& column) {
      const int32_t kind = Names(table_.kind, key);
      setters_.push_back([this, &column, get, kind](size_t row, void* s) {
        if (column.is_text()) {
          std::string_view text;
          if (column.Text(row, &text)) get(s) = text;
          return absl::OkStatus();
        }
        if (kind == 0) return Refuse(column, row, "is a text, but the column has numbers");
        const int64_t index = column.numbers[row];
        if (index == MUSTER_NONE || index == kAbsent) return absl::OkStatus();
        const std::string_view name = resolver_(kind, index);
        if (name.empty()) {
          return Refuse(column, row,
                        absl::StrCat("there is no ", ToAbsl(RowName(kind)), " ", index));
        }
        get(s) = name;
        return absl::OkStatus();
      });
    });
  }

  template <class Integer>
  absl::Status ReadInteger(const TableColumn& column, size_t row, Integer* out) const {
    if (column.form != TableColumn::Form::kNumbers) {
      return Refuse(column, row, "is a number, but the column has texts");
    }
    const int64_t value = column.numbers[row];
    if (value < static_cast<int64_t>(std::numeric_limits<Integer>::min()) ||
        value > static_cast<int64_t>(std::numeric_limits<Integer>::max())) {
      return Refuse(column, row, absl::StrCat(value, " is out of range"));
    }
    *out = static_cast<Integer>(value);
    return absl::OkStatus();
  }
  static bool Absent(const TableColumn& column, size_t row) {
    return column.form == TableColumn::Form::kNumbers && column.numbers[row] == kAbsent;
  }

  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) void Bind(const std::string& key, Get<Integer> get) {
    IfGiven(key, [&](const TableColumn& column) {
      setters_.push_back([this, &column, get](size_t row, void* s) -> absl::Status {
        if (Absent(column, row)) return absl::OkStatus();
        return ReadInteger(column, row, &get(s));
      });
    });
  }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) void Bind(const std::string& key,
                                                   Get<std::optional<Integer>> get) {
    IfGiven(key, [&](const TableColumn& column) {
      setters_.push_back([this, &column, get](size_t row, void* s) -> absl::Status {
        if (Absent(column, row)) return absl::OkStatus();
        Integer value = 0;
        if (absl::Status status = ReadInteger(column, row, &value); !status.ok()) return status;
        get(s) = value;
        return absl::OkStatus();
      });
    });
  }
  template <class Flag>
  absl::Status ReadFlag(const TableColumn& column, size_t row, Flag* out) const {
    int64_t value = 0;
    if (absl::Status status = ReadInteger(column, row, &value); !status.ok()) return status;
    if (value != 0 && value != 1) return Refuse(column, row, "a flag is 0 or 1");
    *out = value == 1;
    return absl::OkStatus();
  }
  void Bind(const std::string& key, Get<bool> get) {
    IfGiven(key, [&](const TableColumn& column) {
      setters_.push_back([this, &column, get](size_t row, void* s) -> absl::Status {
        if (Absent(column, row)) return absl::OkStatus();
        return ReadFlag(column, row, &get(s));
      });
    });
  }
  void Bind(const std::string& key, Get<std::optional<bool>> get) {
    IfGiven(key, [&](const TableColumn& column) {
      setters_.push_back([this, &column, get](size_t row, void* s) -> absl::Status {
        if (Absent(column, row)) return absl::OkStatus();
        return ReadFlag(column, row, &get(s));
      });
    });
  }

  // Binds a word of the enum, or its number.
  template <HasWords Enum>
  void Bind(const std::string& key, Get<Enum> get) {
    IfGiven(key, [&](const TableColumn& column) {
      setters_.push_back([this, &column, get](size_t row, void* s) -> absl::Status {
        if (column.is_text()) {
          std::string_view text;
          if (!column.Text(row, &text)) return absl::OkStatus();
          const std::optional<Enum> value = ParseWord<Enum>(text);
          if (!value.has_value()) {
            const WordTable table = WordsOf(Enum());
            return Refuse(column, row, UnknownWord(table.what, text, table.words));
          }
          get(s) = *value;
          return absl::OkStatus();
        }
        const int64_t value = column.numbers[row];
        if (value == kAbsent) return absl::OkStatus();
        if (value < 0 || value >= static_cast<int64_t>(WordsOf(Enum()).words.size())) {
          return Refuse(column, row, absl::StrCat(value, " is out of range"));
        }
        get(s) = static_cast<Enum>(value);
        return absl::OkStatus();
      });
    });
  }

  void Bind(const std::string& key, Get<Labels> get) {
    BindJson(key, get);
    Family(key, [&](const std::string& name, const TableColumn& column) {
      setters_.push_back([this, &column, get, name](size_t row, void* s) {
        if (!column.is_text()) return Refuse(column, row, "is a text, but the column has numbers");
        std::string_view text;
        const bool said = column.Text(row, &text) && !text.empty();
        Put(name, std::string(text), !said, &get(s));
        return absl::OkStatus();
      });
    });
  }
  template <class Map>
  absl::Status PutAmount(const std::string& name, const TableColumn& column, size_t row,
                         const Map& map) const {
    if (column.is_text()) {
      std::string_view text;
      const bool said = column.Text(row, &text) && !text.empty();
      Put(name, Quantity(std::string(text)), !said, &map());
      return absl::OkStatus();
    }
    const int64_t value = column.numbers[row];
    if (value < 0 && value != kAbsent) {
      return Refuse(column, row, absl::StrCat("amount is ", value, "; must be 0 or more"));
    }
    const Unit unit = IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole;
    Put(name, Quantity(value == kAbsent ? std::string() : FormatQuantity(value, unit)),
        value == kAbsent, &map());
    return absl::OkStatus();
  }
  void Bind(const std::string& key, Get<Resources> get) {
    BindJson(key, get);
    Family(key, [&](const std::string& name, const TableColumn& column) {
      setters_.push_back([this, &column, get, name](size_t row, void* s) {
        return PutAmount(name, column, row, [&]() -> Resources& { return get(s); });
      });
    });
  }
  void Bind(const std::string& key, Get<std::optional<Resources>> get) {
    BindJson(key, get);
    Family(key, [&](const std::string& name, const TableColumn& column) {
      setters_.push_back([this, &column, get, name](size_t row, void* s) {
        return PutAmount(name, column, row, [&]() -> Resources& {
          std::optional<Resources>& map = get(s);
          return map.has_value() ? *map : map.emplace();
        });
      });
    });
  }
  void Bind(const std::string& key, Get<TaskShape> get) {
    BindJson(key, get);
    Collect<TaskShape>(key + ".", get);
  }
  // Binds lists, and objects without columns of their own.
  template <class T>
  void Bind(const std::string& key, Get<T> get) {
    BindJson(key, std::move(get));
  }

  // Collects the one group of a job: columns "group.count", "group.shape.request.cpu", ...
  void CollectGroup() {
    for (const TableColumn& column : table_.columns) {
      if (column.form != TableColumn::Form::kUnset && column.name.starts_with("group.")) {
        setters_.push_back([](size_t, void* s) {
          static_cast<JobSpec*>(s)->groups.assign(1, GroupSpec{});
          return absl::OkStatus();
        });
        break;
      }
    }
    Collect<GroupSpec>(
        "group.", [](void* s) -> GroupSpec& { return static_cast<JobSpec*>(s)->groups.front(); });
  }

  // Parses the text of a cell as the member that it stands for, inside a row of its own.
  template <class T>
  void BindJson(const std::string& key, Get<T> get) {
    IfGiven(key, [&](const TableColumn& column) {
      std::string before = "{\"name\": \"x\"", after = "}";
      std::string_view rest = key;
      const bool of_group = table_.kind == MUSTER_KIND_JOBS && rest.starts_with("group.");
      if (of_group) {
        rest.remove_prefix(6);
        before += ", \"groups\": [{\"count\": 0";
        after = "}]}";
      }
      const size_t dot = rest.find('.');
      if (dot != std::string_view::npos) {
        absl::StrAppend(&before, ", \"", ToAbsl(rest.substr(0, dot)), "\": {\"",
                        ToAbsl(rest.substr(dot + 1)), "\": ");
        after.insert(0, "}");
      } else {
        absl::StrAppend(&before, ", \"", ToAbsl(rest), "\": ");
      }
      struct Last {
        std::string text;
        ClusterSpec rows;
        bool known = false;
      };
      auto last = std::make_shared<Last>();
      setters_.push_back(
          [this, &column, get, before, after, last](size_t row, void* s) -> absl::Status {
            if (!column.is_text())
              return Refuse(column, row, "is JSON, but the column has numbers");
            std::string_view text;
            if (!column.Text(row, &text)) return absl::OkStatus();
            if (!last->known || last->text != text) {
              last->known = false;
              if (absl::Status one = CheckOneJsonValue(text); !one.ok()) {
                return Refuse(column, row, std::string(one.message()));
              }
              absl::StatusOr<ClusterSpec> parsed =
                  ParseRow(table_.kind, absl::StrCat(before, ToAbsl(text), after));
              if (!parsed.ok()) return Refuse(column, row, std::string(parsed.status().message()));
              last->text = text;
              last->rows = *std::move(parsed);
              last->known = true;
            }
            get(s) = get(first_(last->rows));
            return absl::OkStatus();
          });
    });
  }

  template <class Make>
  void Family(const std::string& key, const Make& make) {
    const std::string prefix = key + ".";
    for (size_t i = 0; i < table_.columns.size(); ++i) {
      const TableColumn& column = table_.columns[i];
      if (column.form == TableColumn::Form::kUnset || !column.name.starts_with(prefix)) continue;
      taken_[i] = true;
      make(column.name.substr(prefix.size()), column);
    }
  }
  template <class T>
  static void Put(const std::string& name, T value, bool missing, Named<T>* out) {
    auto it = out->begin();
    while (it != out->end() && it->first != name) ++it;
    if (missing) {
      if (it != out->end()) out->erase(it);
    } else if (it != out->end()) {
      it->second = std::move(value);
    } else {
      out->emplace_back(name, std::move(value));
    }
  }

  const muster_table& table_;
  const Resolver resolver_;
  void* (*first_)(ClusterSpec& rows) = nullptr;  // row of the table's kind
  absl::Status status_;
  std::vector<Setter> setters_;
  std::vector<std::string> valid_;
  std::vector<bool> taken_;
};

template <class S>
RowReader<S>::RowReader(const muster_table& table, Resolver resolver)
    : binder_(std::make_unique<ColumnBinder>(table, std::move(resolver))) {
  binder_->Bind(&blank_);
}
template <class S>
RowReader<S>::~RowReader() = default;

template <class S>
const absl::Status& RowReader<S>::status() const {
  return binder_->status();
}
template <class S>
size_t RowReader<S>::size() const {
  return binder_->size();
}
template <class S>
bool RowReader<S>::has_defaults() const {
  return binder_->has_defaults();
}
template <class S>
absl::Status RowReader<S>::Fill(size_t row, S* spec) const {
  return binder_->Fill(row, spec);
}

template class RowReader<NodeSpec>;
template class RowReader<QueueSpec>;
template class RowReader<JobSpec>;
template class RowReader<TaskSpec>;
template class RowReader<DomainSpec>;
template class RowReader<DisruptionBudgetSpec>;
template class RowReader<NamespaceSpec>;
template class RowReader<FlavorSpec>;
template class RowReader<PartitionSpec>;
template class RowReader<ReservationSpec>;

}  // namespace muster::capi
