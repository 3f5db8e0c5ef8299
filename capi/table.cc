// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Fills a muster_table: each setter checks the form of its arguments and copies them. Columns are
// bound to fields when the table is put (rows.h).
#include "capi/table.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "capi/boundary.h"
#include "lib/base/strings.h"

namespace muster::capi {
namespace {

constexpr int64_t kMostRows = int64_t{1} << 27;
constexpr size_t kMostColumns = 4096;
constexpr size_t kMostNameBytes = 4096;

absl::Status CheckRows(int64_t rows) {
  if (rows >= 0 && rows <= kMostRows) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("table: rows is ", rows, "; must be 0 to ", kMostRows));
}

std::string PlaceOfColumn(const muster_table& table, std::string_view column) {
  return absl::StrCat("table of ", ToAbsl(TableName(table.kind)), ", column ", Quote(column));
}

absl::Status Refuse(const muster_table& table, std::string_view column, std::string rule) {
  return absl::InvalidArgumentError(absl::StrCat(PlaceOfColumn(table, column), ": ", rule));
}

absl::Status CheckCount(const muster_table& table, std::string_view column, int64_t count) {
  if (count == static_cast<int64_t>(table.rows)) return absl::OkStatus();
  return Refuse(table, column,
                absl::StrCat("has ", count, " entries; the table has ", table.rows, " rows"));
}

absl::Status CheckOffsets(const muster_table& table, std::string_view column,
                          const int64_t* offsets, int64_t count, int64_t size) {
  if (size < 0) return Refuse(table, column, absl::StrCat("size of its bytes is ", size));
  if (count > 0 && offsets == nullptr) return Refuse(table, column, "offsets is NULL");
  int64_t last = 0;
  for (int64_t i = 0; i <= count && offsets != nullptr; ++i) {
    if (offsets[i] < last || offsets[i] > size) {
      return Refuse(
          table, column,
          absl::StrCat("offset ", i, " is ", offsets[i], "; must be ", last, " to ", size));
    }
    last = offsets[i];
  }
  return absl::OkStatus();
}

// Returns the column of that name, empty and to be filled.
absl::StatusOr<TableColumn*> Prepare(muster_table* table, std::string_view name) {
  if (name.empty() || name.size() > kMostNameBytes || !IsValidUtf8(name)) {
    return Refuse(*table, name, "is no name of a column");
  }
  TableColumn* column = nullptr;
  for (TableColumn& known : table->columns) {
    if (known.name == name) column = &known;
  }
  if (column == nullptr) {
    if (table->columns.size() == kMostColumns) return Refuse(*table, name, "is one too many");
    table->columns.emplace_back(table->memory);
    column = &table->columns.back();
    column->name = name;
  }
  column->form = TableColumn::Form::kUnset;
  return column;
}

void CopyTexts(const int64_t* offsets, int64_t count, const char* bytes, int64_t size,
               TableColumn* column) {
  if (offsets == nullptr) {
    column->offsets.assign(1, 0);
  } else {
    column->offsets.assign(offsets, offsets + count + 1);
  }
  column->bytes.assign(bytes == nullptr ? "" : bytes,
                       bytes == nullptr ? 0 : static_cast<size_t>(size));
}

// Runs `body` in Guard, after the checks that all setters begin with.
template <class F>
muster_status Set(muster_table* table, const char* name, int64_t count, muster_error* error,
                  const F& fill) {
  return Guard(error, [&]() -> absl::Status {
    if (table == nullptr) return NullArgument("table");
    if (name == nullptr) return NullArgument("column");
    if (absl::Status s = CheckCount(*table, name, count); !s.ok()) return s;
    return fill();
  });
}

}  // namespace

std::string_view TableName(int32_t kind) {
  switch (kind) {
    case MUSTER_KIND_NODES:
      return "nodes";
    case MUSTER_KIND_QUEUES:
      return "queues";
    case MUSTER_KIND_JOBS:
      return "jobs";
    case MUSTER_KIND_TASKS:
      return "tasks";
    case MUSTER_KIND_DOMAINS:
      return "domains";
    case MUSTER_KIND_BUDGETS:
      return "budgets";
    case MUSTER_KIND_NAMESPACES:
      return "namespaces";
    case MUSTER_KIND_FLAVORS:
      return "flavors";
    case MUSTER_KIND_PARTITIONS:
      return "partitions";
    case MUSTER_KIND_RESERVATIONS:
      return "reservations";
    default:
      return {};
  }
}

std::string_view RowName(int32_t kind) {
  const std::string_view table = TableName(kind);
  return table.empty() ? table : table.substr(0, table.size() - 1);
}

}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's

muster_status muster_table_new(int32_t kind, int64_t rows, const muster_allocator* allocator,
                               muster_table** out, muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (out == nullptr) return NullArgument("out");
    if (TableName(kind).empty()) {
      return absl::InvalidArgumentError(absl::StrCat("table: there are no rows of kind ", kind));
    }
    if (absl::Status s = CheckRows(rows); !s.ok()) return s;
    auto memory = MakeMemory(allocator);
    if (!memory.ok()) return memory.status();
    auto table = std::make_unique<muster_table>();
    table->kind = kind;
    table->rows = static_cast<size_t>(rows);
    table->memory = *std::move(memory);
    *out = table.release();
    return absl::OkStatus();
  });
}

void muster_table_free(muster_table* table) { delete table; }

muster_status muster_table_reset(muster_table* table, int64_t rows, muster_error* error) {
  return Guard(error, [&]() -> absl::Status {
    if (table == nullptr) return NullArgument("table");
    if (absl::Status s = CheckRows(rows); !s.ok()) return s;
    for (TableColumn& column : table->columns) column.form = TableColumn::Form::kUnset;
    table->defaults.clear();
    table->rows = static_cast<size_t>(rows);
    return absl::OkStatus();
  });
}

muster_status muster_table_set_numbers(muster_table* table, const char* column,
                                       const int64_t* values, int64_t count, muster_error* error) {
  return Set(table, column, count, error, [&]() -> absl::Status {
    if (values == nullptr && count > 0) return Refuse(*table, column, "values is NULL");
    const auto target = Prepare(table, column);
    if (!target.ok()) return target.status();
    (*target)->numbers.assign(values, values + count);
    (*target)->form = TableColumn::Form::kNumbers;
    return absl::OkStatus();
  });
}

muster_status muster_table_set_texts(muster_table* table, const char* column,
                                     const int64_t* offsets, int64_t count, const char* bytes,
                                     int64_t size, muster_error* error) {
  return Set(table, column, count, error, [&]() -> absl::Status {
    if (bytes == nullptr && size > 0) return Refuse(*table, column, "bytes is NULL");
    if (absl::Status s = CheckOffsets(*table, column, offsets, count, size); !s.ok()) return s;
    const auto target = Prepare(table, column);
    if (!target.ok()) return target.status();
    CopyTexts(offsets, count, bytes, size, *target);
    (*target)->form = TableColumn::Form::kTexts;
    return absl::OkStatus();
  });
}

muster_status muster_table_set_codes(muster_table* table, const char* column, const int32_t* codes,
                                     int64_t count, const int64_t* offsets, int64_t texts,
                                     const char* bytes, int64_t size, muster_error* error) {
  return Set(table, column, count, error, [&]() -> absl::Status {
    if (codes == nullptr && count > 0) return Refuse(*table, column, "codes is NULL");
    if (bytes == nullptr && size > 0) return Refuse(*table, column, "bytes is NULL");
    if (texts < 0 || texts > kMostRows) {
      return Refuse(*table, column, absl::StrCat("number of its texts is ", texts));
    }
    if (absl::Status s = CheckOffsets(*table, column, offsets, texts, size); !s.ok()) return s;
    for (int64_t i = 0; i < count; ++i) {
      if (codes[i] < -1 || codes[i] >= texts) {
        return Refuse(
            *table, column,
            absl::StrCat("row ", i, ": code is ", codes[i], "; must be -1 to ", texts - 1));
      }
    }
    const auto target = Prepare(table, column);
    if (!target.ok()) return target.status();
    (*target)->codes.assign(codes, codes + count);
    CopyTexts(offsets, texts, bytes, size, *target);
    (*target)->form = TableColumn::Form::kCodes;
    return absl::OkStatus();
  });
}

muster_status muster_table_set_strings(muster_table* table, const char* column,
                                       const char* const* texts, int64_t count,
                                       muster_error* error) {
  return Set(table, column, count, error, [&]() -> absl::Status {
    if (texts == nullptr && count > 0) return Refuse(*table, column, "texts is NULL");
    for (int64_t i = 0; i < count; ++i) {
      if (texts[i] == nullptr) {
        return Refuse(*table, column, absl::StrCat("row ", i, ": text is NULL"));
      }
    }
    const auto target = Prepare(table, column);
    if (!target.ok()) return target.status();
    TableColumn& filled = **target;
    filled.bytes.clear();
    filled.offsets.assign(1, 0);
    for (int64_t i = 0; i < count; ++i) {
      filled.bytes.append(texts[i]);
      filled.offsets.push_back(static_cast<int64_t>(filled.bytes.size()));
    }
    filled.form = TableColumn::Form::kTexts;
    return absl::OkStatus();
  });
}

muster_status muster_table_set_defaults(muster_table* table, const char* json, int64_t size,
                                        muster_error* error) {
  return Guard(error, [&]() -> absl::Status {
    if (table == nullptr) return NullArgument("table");
    const auto text = TextIn("json", json, size);
    if (!text.ok()) return text.status();
    table->defaults = *text;
    return absl::OkStatus();
  });
}
