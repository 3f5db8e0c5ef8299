// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Headers, fields and rows. A field may be quoted ("a,b", with "" for a quote); it may not hold a
// line end.
#include "lib/replay/table_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

// The names of the columns, as far as an error may be long.
std::string ColumnsText(const std::vector<std::string>& columns) {
  constexpr size_t kMostText = 1000;
  std::string text;
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string name = Quote(columns[i]);
    if (text.size() + name.size() > kMostText) {
      return absl::StrCat(text, i > 0 ? " and " : "", columns.size() - i, i > 0 ? " more" : "");
    }
    absl::StrAppend(&text, i > 0 ? ", " : "", name);
  }
  return text;
}

constexpr size_t kBadLinesKept = 10;
constexpr std::string_view kOpenQuote = "a quote is not closed on its line";

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

absl::Status BadLines::Note(std::string_view file, int64_t line, std::string_view field,
                            std::string_view rule) {
  const std::string message = absl::StrCat(ToAbsl(file), ":", line, ": ", ToAbsl(field),
                                           field.empty() ? "" : ": ", ToAbsl(rule));
  if (!options_.skip_bad_lines) return absl::InvalidArgumentError(message);
  if (report_ != nullptr) {
    ++report_->bad;
    if (report_->bad_lines.size() < kBadLinesKept) report_->bad_lines.push_back(message);
  }
  return absl::OkStatus();
}

TableReader::TableReader(const TraceFile& file, const ReadOptions& options, ReadReport* report,
                         Budget* budget, std::initializer_list<std::string_view> columns)
    : lines_(file, budget), bad_(options, report), budget_(budget), report_(report) {
  std::string_view line;
  if (!lines_.Next(&line)) {
    status_ = lines_.status().ok()
                  ? absl::InvalidArgumentError(absl::StrCat(file.name, ": there is no header line"))
                  : lines_.status();
    return;
  }
  if (!IsValidUtf8(line)) {
    status_ = absl::InvalidArgumentError(absl::StrCat(file.name, ":1: the line is not UTF-8"));
    return;
  }
  Split(line);
  if (open_quote_) {
    status_ = absl::InvalidArgumentError(absl::StrCat(file.name, ":1: ", ToAbsl(kOpenQuote)));
    return;
  }
  for (std::string_view field : fields_) columns_.emplace_back(Trim(field));
  if (columns.size() > 0 && columns_[0] != *columns.begin()) {
    first_row_ = std::string(line);
    first_is_row_ = true;
    columns_.assign(columns.begin(), columns.end());
  }
  if (columns_.size() == 1 && columns_[0].find_first_of(";\t|") != std::string::npos) {
    status_ = absl::InvalidArgumentError(absl::StrCat(file.name, ":1: ", Quote(columns_[0]),
                                                      " is one column: commas separate columns"));
  }
}

int TableReader::Optional(std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

int TableReader::Require(std::string_view column) {
  const int position = Optional(column);
  if (position < 0 && status_.ok()) {
    status_ = absl::InvalidArgumentError(absl::StrCat(
        file(), ":1: there is no column ", Quote(column), "; there are ", ColumnsText(columns_)));
  }
  return position;
}

void TableReader::Split(std::string_view line) {
  fields_.clear();
  unquoted_.clear();
  open_quote_ = false;
  if (line.find('"') == std::string_view::npos) {
    size_t begin = 0;
    for (size_t comma = line.find(','); comma != std::string_view::npos;
         comma = line.find(',', begin)) {
      fields_.push_back(line.substr(begin, comma - begin));
      begin = comma + 1;
    }
    fields_.push_back(line.substr(begin));
    return;
  }
  // Views into unquoted_ stay valid while it does not grow beyond its capacity.
  unquoted_.reserve(std::count(line.begin(), line.end(), ',') + 1);
  size_t at = 0;
  for (;;) {
    std::string& field = unquoted_.emplace_back();
    if (at < line.size() && line[at] == '"') {
      for (++at; at < line.size(); ++at) {
        if (line[at] != '"') {
          field += line[at];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          field += line[++at];
        } else {
          break;
        }
      }
      open_quote_ |= at == line.size();
      if (at < line.size()) ++at;
    }
    while (at < line.size() && line[at] != ',') field += line[at++];
    fields_.push_back(field);
    if (at == line.size()) return;
    ++at;
  }
}

bool TableReader::NextRow() {
  if (!status_.ok()) return false;
  std::string_view line;
  do {
    if (first_is_row_) {
      first_is_row_ = false;
      line = first_row_;
    } else if (!lines_.Next(&line)) {
      status_ = lines_.status();
      return false;
    }
  } while (Trim(line).empty());
  if (report_ != nullptr) ++report_->lines;
  row_is_good_ = true;
  Split(line);
  if (open_quote_) {
    row_is_good_ = false;
    bad_field_.clear();
    bad_rule_ = std::string(kOpenQuote);
  } else if (fields_.size() != columns_.size()) {
    row_is_good_ = false;
    bad_field_.clear();
    bad_rule_ = absl::StrCat(fields_.size(), " fields, the header has ", columns_.size());
  } else if (!IsValidUtf8(line)) {  // names end up in documents of JSON
    row_is_good_ = false;
    bad_field_.clear();
    bad_rule_ = "the line is not UTF-8";
  }
  return true;
}

std::string_view TableReader::Text(int column) const {
  if (column < 0 || static_cast<size_t>(column) >= fields_.size()) return {};
  return Trim(fields_[column]);
}

void TableReader::Refuse(int column, std::string_view rule) {
  if (!row_is_good_) return;
  row_is_good_ = false;
  bad_field_ = columns_[column];
  bad_rule_ = std::string(rule);
}

int64_t TableReader::InRange(int column, const absl::StatusOr<int64_t>& value, int64_t least,
                             int64_t most, int64_t scale) {
  if (!value.ok()) {
    Refuse(column, std::string(value.status().message()));
  } else if (*value < least) {
    Refuse(column, absl::StrCat(Quote(Text(column)), " is below ", least / scale));
  } else if (*value > most) {
    Refuse(column, absl::StrCat(Quote(Text(column)), " is above ", most / scale));
  } else {
    return *value;
  }
  return 0;
}

int64_t TableReader::Integer(int column, int64_t least, int64_t most) {
  if (column < 0 || !row_is_good_) return 0;
  return InRange(column, ParseInteger(Text(column)), least, most, /*scale=*/1);
}

int64_t TableReader::Scaled(int column, int64_t scale, int64_t least, int64_t most) {
  if (column < 0 || !row_is_good_) return 0;
  return InRange(column, ParseScaled(Text(column), scale), least, most, scale);
}

bool TableReader::Charge(int64_t rows) {
  const std::string rule = budget_->AddRows(rows);
  if (rule.empty()) return true;
  status_ = absl::ResourceExhaustedError(absl::StrCat(file(), ":", line(), ": ", rule));
  return false;
}

bool TableReader::EndRow() {
  if (row_is_good_) return true;
  if (absl::Status s = bad_.Note(file(), line(), bad_field_, bad_rule_); !s.ok()) status_ = s;
  return false;
}

}  // namespace muster
