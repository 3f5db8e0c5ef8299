// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The struct behind a muster_table: copies of the caller's columns.
#ifndef MUSTER_CAPI_TABLE_H_
#define MUSTER_CAPI_TABLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capi/memory.h"

namespace muster::capi {

struct TableColumn {
  explicit TableColumn(const std::shared_ptr<Memory>& memory)
      : numbers(Allocator<int64_t>(memory)),
        offsets(Allocator<int64_t>(memory)),
        codes(Allocator<int32_t>(memory)),
        bytes(Allocator<char>(memory)) {}

  enum class Form : uint8_t { kUnset, kNumbers, kTexts, kCodes };
  std::string name;
  Form form = Form::kUnset;
  Column<int64_t> numbers;
  Column<int64_t> offsets;  // of rows, or of the texts that codes mean
  Column<int32_t> codes;
  Bytes bytes;

  std::string_view entry(size_t i) const {
    return {bytes.data() + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i])};
  }
  size_t entries() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  bool is_text() const { return form == Form::kTexts || form == Form::kCodes; }
  // Sets `*text` to the cell. Returns false if it leaves its field unset. REQUIRES: is_text().
  bool Text(size_t row, std::string_view* text) const {
    if (form == Form::kTexts) {
      *text = entry(row);
      return true;
    }
    if (codes[row] < 0) return false;
    *text = entry(static_cast<size_t>(codes[row]));
    return true;
  }
};

}  // namespace muster::capi

struct muster_table {
  int32_t kind = 0;
  size_t rows = 0;
  std::string defaults;  // JSON; empty: none
  // A reset leaves them here unset, with their memory.
  std::vector<muster::capi::TableColumn> columns;
  std::shared_ptr<muster::capi::Memory> memory;

  const muster::capi::TableColumn* Find(std::string_view name) const {
    for (const auto& column : columns) {
      if (column.form != muster::capi::TableColumn::Form::kUnset && column.name == name) {
        return &column;
      }
    }
    return nullptr;
  }
};

namespace muster::capi {

// Returns the name of the table in a scenario: "nodes" for MUSTER_KIND_NODES; empty for no kind of
// rows.
std::string_view TableName(int32_t kind);
// Returns the word for one row: "node".
std::string_view RowName(int32_t kind);

}  // namespace muster::capi

#endif  // MUSTER_CAPI_TABLE_H_
