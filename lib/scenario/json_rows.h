// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reads JSON row by row: the document's tables are passed on one row at a time, each as a small
// tree that is freed when the next one starts. So a document of any size needs the memory of its
// largest row.
//
//   class Sink : public RowSink { ... };
//   absl::Status status = ReadJsonRows(text, &sink);
//
// The document must be one object. For each of its keys, the sink returns whether the value is a
// table (an array or object of rows) or one row itself. Refused, with the byte or the place:
// - text that is no JSON, including NaN and malformed UTF-8;
// - what is beyond the budget: bytes of the text, depth, and rows of tables, each as one;
// - a key given twice in one object;
// - rows of more than four million values.
#ifndef MUSTER_SCENARIO_JSON_ROWS_H_
#define MUSTER_SCENARIO_JSON_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/scenario/budget.h"

namespace muster {

inline constexpr size_t kMaxRowValues = size_t{1} << 22;

enum class JsonKind : uint8_t { kNull, kBool, kInteger, kFloat, kString, kArray, kObject };

// The values of one row in the order of the text; texts lie in one buffer.
struct JsonRow {
  struct Value {
    JsonKind kind;
    bool negative = false;           // of kInteger
    uint64_t number = 0;             // kInteger: its magnitude; kBool: 0 or 1
    double real = 0;                 // kFloat
    size_t text = 0, text_size = 0;  // kString; kFloat as it was written
    size_t key = 0, key_size = 0;    // of a member of an object
    uint32_t next = 0;               // sibling, 0: none
    uint32_t first_child = 0;        // 0: none
  };
  std::vector<Value> values;  // 0 is the row itself
  std::string texts;
};

// One value of a row; as cheap as a pointer, valid while its row is.
class Json {
 public:
  Json(const JsonRow* row, uint32_t index) : row_(row), index_(index) {}

  JsonKind kind() const { return value().kind; }
  bool boolean() const { return value().number != 0; }
  bool negative() const { return value().negative; }
  uint64_t magnitude() const { return value().number; }
  double real() const { return value().real; }
  std::string_view text() const { return {row_->texts.data() + value().text, value().text_size}; }
  std::string_view key() const { return {row_->texts.data() + value().key, value().key_size}; }

  uint32_t index() const { return index_; }  // among the row's values

  // Children of arrays and objects: for (Json c = v.first(); c.exists(); c = c.next())
  bool exists() const { return row_ != nullptr; }
  Json first() const { return At(value().first_child); }
  Json next() const { return At(value().next); }

  // For error messages: "x" quoted, numbers as they were written, `an object`, `null`.
  std::string Describe() const;

 private:
  const JsonRow::Value& value() const { return row_->values[index_]; }
  Json At(uint32_t index) const { return {index == 0 ? nullptr : row_, index}; }

  const JsonRow* row_;
  uint32_t index_;
};

class RowSink {
 public:
  enum class Section : uint8_t { kRowsInArray, kRowsInObject, kOneRow };

  virtual ~RowSink() = default;
  // A key of the document, before its value is read.
  virtual absl::StatusOr<Section> OnSection(std::string_view key) = 0;
  // A row: element `index` of that section, or its member key `row.key()`, or the section itself.
  virtual absl::Status OnRow(std::string_view section, size_t index, const Json& row) = 0;
};

// `document`: what messages call it. `budget`: charged for the text and each row of a table; null:
// one of its own, with the defaults of Limits.
absl::Status ReadJsonRows(std::string_view text, RowSink* sink,
                          std::string_view document = "scenario", Budget* budget = nullptr);

// The rule that malformed text breaks, from the words of the parser underneath; `at_end`: behind
// the last byte.
std::string ParserRule(std::string_view words, bool at_end);

// `.key`, or `["key"]` where the key is no plain word.
std::string JsonPathStep(std::string_view key);

}  // namespace muster

#endif  // MUSTER_SCENARIO_JSON_ROWS_H_
