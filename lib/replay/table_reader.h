// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Tables with a header line, field by field, and the handling of bad rows.
//
//   Budget budget(options.limits);                    // of all files of the trace
//   TableReader table(file, options, report, &budget);
//   const int submit = table.Require("submit"), user = table.Optional("user");
//   while (table.NextRow()) {
//     const int64_t s = table.Integer(submit, 0, kMost);
//     const std::string_view u = table.Text(user);       // empty where there is no such column
//     if (!table.EndRow() || !table.Charge(1)) continue;  // the row is bad, and noted; too much
//     Use(s, u);
//   }
//   if (!table.status().ok()) return table.status();
//
// An error names the first rule that a row breaks: `a.csv:7: submit: "x" is no integer`.
#ifndef MUSTER_REPLAY_TABLE_READER_H_
#define MUSTER_REPLAY_TABLE_READER_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/replay/line_reader.h"
#include "muster/trace.h"

namespace muster {

// Bad rows: an error, or counted.
class BadLines {
 public:
  BadLines(const ReadOptions& options, ReadReport* report) : options_(options), report_(report) {}
  // Returns OK if the row is to be left out and reading goes on.
  absl::Status Note(std::string_view file, int64_t line, std::string_view field,
                    std::string_view rule);

 private:
  const ReadOptions options_;
  ReadReport* report_;
};

// How the files of one trace are read, and what that came to.
struct Reading {
  const ReadOptions& options;
  ReadReport* report;
  Budget* budget;
};

class TableReader {
 public:
  // Reads the header line. Without `columns` it is the first line. Otherwise a first line that does
  // not begin with the first of `columns` is a row already, and `columns` is the header.
  // Lines are charged to the budget as they are read.
  TableReader(const TraceFile& file, const ReadOptions& options, ReadReport* report, Budget* budget,
              std::initializer_list<std::string_view> columns = {});

  int Require(std::string_view column);  // its position; an error in status() when there is none
  int Optional(std::string_view column) const;  // -1: there is none
  const std::vector<std::string>& columns() const { return columns_; }

  bool NextRow();
  // Returns a field of the row; 0 or "" where the row is bad already, or `column` is -1.
  std::string_view Text(int column) const;
  bool Has(int column) const { return column >= 0 && !Text(column).empty(); }
  int64_t Integer(int column, int64_t least, int64_t most);
  // See ParseScaled. Limits are multiples of the scale.
  int64_t Scaled(int column, int64_t scale, int64_t least, int64_t most);
  void Refuse(int column, std::string_view rule);
  bool EndRow();
  // Charges rows that the line makes. Returns false where they are beyond the budget: an error in
  // status(), also where bad lines are left out.
  bool Charge(int64_t rows);

  int64_t line() const { return lines_.number(); }
  const std::string& file() const { return lines_.file(); }
  const absl::Status& status() const { return status_; }

 private:
  void Split(std::string_view line);
  int64_t InRange(int column, const absl::StatusOr<int64_t>& value, int64_t least, int64_t most,
                  int64_t scale);

  LineReader lines_;
  BadLines bad_;
  Budget* budget_;
  ReadReport* report_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> fields_;
  std::vector<std::string> unquoted_;  // fields that were quoted
  std::string first_row_;
  bool open_quote_ = false;  // the line ends inside of a field that is quoted
  bool first_is_row_ = false;
  bool row_is_good_ = true;
  std::string bad_field_, bad_rule_;
  absl::Status status_;
};

}  // namespace muster

#endif  // MUSTER_REPLAY_TABLE_READER_H_
