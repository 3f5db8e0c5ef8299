// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rows of cells as aligned text for terminals.
//
//   TextTable table({{"QUEUE"}, {"SHARE", TextTable::kRight}});
//   table.AddRow({"vision", "0.5"});
//   table.AddRow({"speech", "12.25"});
//   table.ToString();
//   // QUEUE   SHARE
//   // vision    0.5
//   // speech  12.25
//
// Columns are two blanks apart and as wide as their widest cell, counted in characters of UTF-8,
// not bytes. Lines end without blanks. A control character in a cell becomes a blank, so a row
// stays one line.
#ifndef MUSTER_BASE_TEXT_TABLE_H_
#define MUSTER_BASE_TEXT_TABLE_H_

#include <string>
#include <utility>
#include <vector>

namespace muster {

class TextTable {
 public:
  enum Alignment { kLeft, kRight };

  struct Column {
    std::string title;
    Alignment alignment = kLeft;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Missing cells are empty; cells beyond the last column are dropped.
  void AddRow(std::vector<std::string> cells);

  // Titles and rows, each line with its newline. Without titles, if all of them are empty.
  std::string ToString() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace muster

#endif  // MUSTER_BASE_TEXT_TABLE_H_
