// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Two passes: the widths, then the lines.
#include "lib/base/text_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace muster {
namespace {

// Characters, counted as bytes that do not continue one.
size_t Width(const std::string& text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

void ReplaceControls(std::string* cell) {
  for (char& c : *cell) {
    if (static_cast<uint8_t>(c) < 0x20 || c == 0x7F) c = ' ';
  }
}

}  // namespace

void TextTable::AddRow(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::ToString() const {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  const bool titled = std::any_of(titles.begin(), titles.end(),
                                  [](const std::string& title) { return !title.empty(); });
  if (titled) lines.push_back(std::move(titles));
  lines.insert(lines.end(), rows_.begin(), rows_.end());

  std::vector<size_t> widths(columns_.size(), 0);
  for (std::vector<std::string>& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      ReplaceControls(&line[i]);
      widths[i] = std::max(widths[i], Width(line[i]));
    }
  }

  std::string out;
  for (const std::vector<std::string>& line : lines) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string padding(widths[i] - Width(line[i]), ' ');
      if (i > 0) text += "  ";
      text += columns_[i].alignment == kRight ? padding + line[i] : line[i] + padding;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

}  // namespace muster
