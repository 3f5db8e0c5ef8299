// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// From a JSON parser's events to a JsonRow.
//
//   RowBuilder builder;
//   builder.Open(JsonKind::kObject);
//   builder.Key("name");
//   builder.Scalar({.kind = JsonKind::kString}, "n1");
//   builder.Close();                                     // builder.whole() is true now
//
// A call returns false if the row is refused: it has more than kMaxRowValues values, or an object
// has a key twice. error() then has the rule, and Path() the place below the row. Nesting is the
// caller's to bound. Each call costs amortized constant time; Close() of an object with n keys
// costs O(n log n).
#ifndef MUSTER_SCENARIO_ROW_BUILDER_H_
#define MUSTER_SCENARIO_ROW_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/scenario/json_rows.h"

namespace muster {

class RowBuilder {
 public:
  // The key of the next value.
  void Key(std::string_view key) { pending_key_ = key; }
  // `text` is the value's, where it has one.
  bool Scalar(JsonRow::Value value, std::string_view text);
  bool Open(JsonKind kind);
  bool Close();

  // Whether the last event ended the row.
  bool whole() const { return levels_.empty() && !row_.values.empty(); }
  bool started() const { return !row_.values.empty(); }
  const JsonRow& row() const { return row_; }
  // The row itself; the builder is then as new.
  JsonRow Take();
  // Forgets the row and keeps its memory.
  void Clear();

  const std::string& error() const { return error_; }
  // The key of the next value, where one was given.
  const std::string& pending_key() const { return pending_key_; }
  // Of the value that comes next, below the row: ".groups[0].count".
  std::string Path() const;

 private:
  struct Level {
    uint32_t value;       // the open array or object
    uint32_t last_child;  // kNoValue: none yet
    size_t children;
  };

  uint32_t Append(JsonRow::Value value);
  bool KeysDiffer(const Level& level);

  JsonRow row_;
  std::vector<Level> levels_;  // open values of the row
  std::string pending_key_, error_;
  std::vector<std::string_view> keys_;  // scratch of KeysDiffer
};

}  // namespace muster

#endif  // MUSTER_SCENARIO_ROW_BUILDER_H_
