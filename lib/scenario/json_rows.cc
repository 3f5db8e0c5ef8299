// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The parser underneath is event driven and keeps its own stack, so depth costs no recursion. Depth
// and size are limited anyway, because the readers of a row recurse. No exception leaves: the
// parser reports its errors as an event, and the handler stops it by returning false.
#include "lib/scenario/json_rows.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/scenario/row_builder.h"
#include "nlohmann/json.hpp"

namespace muster {
namespace {

class Handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  Handler(size_t size, RowSink* sink, std::string_view document, Budget* budget)
      : size_(size), sink_(sink), document_(document), budget_(budget) {}

  const absl::Status& status() const { return status_; }

  bool null() override { return Scalar({.kind = JsonKind::kNull}); }
  bool boolean(bool b) override { return Scalar({.kind = JsonKind::kBool, .number = b}); }
  bool number_integer(number_integer_t n) override {
    // The magnitude of the smallest integer is computed without overflow.
    const uint64_t magnitude =
        n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
    return Scalar({.kind = JsonKind::kInteger, .negative = n < 0, .number = magnitude});
  }
  bool number_unsigned(number_unsigned_t n) override {
    return Scalar({.kind = JsonKind::kInteger, .number = n});
  }
  bool number_float(number_float_t x, const string_t& text) override {
    return Scalar({.kind = JsonKind::kFloat, .real = x}, text);
  }
  bool string(string_t& text) override { return Scalar({.kind = JsonKind::kString}, text); }
  bool binary(binary_t&) override { return Fail("binary data"); }  // JSON text has none

  bool start_object(std::size_t) override { return Open(JsonKind::kObject); }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override { return Open(JsonKind::kArray); }
  bool end_array() override { return Close(); }
  bool key(string_t& key) override;

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override;

 private:
  bool Fail(std::string_view what) {
    status_ =
        absl::InvalidArgumentError(absl::StrCat(ToAbsl(document_), ": ", Path(), ToAbsl(what)));
    return false;
  }
  bool Exhausted(std::string_view what) {
    Fail(what);
    return Fail(absl::ResourceExhaustedError(status_.message()));
  }
  bool Fail(absl::Status status) {
    status_ = std::move(status);
    return false;
  }

  std::string Path() const;
  bool Scalar(JsonRow::Value value, std::string_view text = {});
  bool Open(JsonKind kind);
  bool Close();
  // Called after an event of the row; `taken` is the builder's answer.
  bool Built(bool taken);
  bool EndRow();

  size_t size_;  // of the text
  RowSink* sink_;
  std::string_view document_;
  Budget* budget_;
  absl::Status status_;
  int depth_ = 0;                  // open arrays and objects, the document included
  HashSet<std::string> sections_;  // that have begun
  std::string section_;
  RowSink::Section section_kind_ = RowSink::Section::kOneRow;
  bool section_open_ = false;  // inside the array or object that holds a section's rows
  size_t next_row_ = 0;
  RowBuilder builder_;
};

std::string Handler::Path() const {
  std::string path = section_;
  if (section_open_ && section_kind_ == RowSink::Section::kRowsInArray) {
    absl::StrAppend(&path, "[", next_row_, "]");
  } else if (section_open_) {
    const std::string_view name =
        builder_.started() ? Json(&builder_.row(), 0).key() : builder_.pending_key();
    if (!name.empty()) absl::StrAppend(&path, JsonPathStep(name));
  }
  absl::StrAppend(&path, builder_.Path());
  return path.empty() ? path : absl::StrCat(path, ": ");
}

bool Handler::Built(bool taken) {
  if (!taken) return Fail(builder_.error());
  return builder_.whole() ? EndRow() : true;
}

bool Handler::Scalar(JsonRow::Value value, std::string_view text) {
  if (depth_ == 0) return Fail("expected an object");
  if (!section_open_ && section_kind_ != RowSink::Section::kOneRow) {
    value.text_size = text.size();
    const JsonRow alone{{value}, std::string(text)};
    return Fail(absl::StrCat(section_kind_ == RowSink::Section::kRowsInArray ? "expected an array"
                                                                             : "expected an object",
                             ", got ", Json(&alone, 0).Describe()));
  }
  return Built(builder_.Scalar(value, text));
}

bool Handler::Open(JsonKind kind) {
  if (depth_ >= budget_->depth()) {
    return Fail(absl::StrCat("nested deeper than ", budget_->depth()));
  }
  ++depth_;
  if (depth_ == 1) {
    if (kind != JsonKind::kObject) return Fail("expected an object");
    return true;
  }
  if (!section_open_ && section_kind_ != RowSink::Section::kOneRow) {
    const bool wants_array = section_kind_ == RowSink::Section::kRowsInArray;
    if ((kind == JsonKind::kArray) != wants_array) {
      return Fail(wants_array ? "expected an array, got an object"
                              : "expected an object, got an array");
    }
    section_open_ = true;
    next_row_ = 0;
    return true;
  }
  return Built(builder_.Open(kind));
}

bool Handler::Close() {
  --depth_;
  if (depth_ == 0) return true;
  if (!builder_.started()) {  // the end of a table
    section_open_ = false;
    section_.clear();
    return true;
  }
  return Built(builder_.Close());
}

bool Handler::key(string_t& key) {
  if (depth_ == 1) {
    absl::StatusOr<RowSink::Section> section = sink_->OnSection(key);
    if (!section.ok()) return Fail(section.status());
    if (!sections_.insert(key).second) {
      return Fail(absl::StrCat("key ", Quote(key), " is given twice"));
    }
    section_ = key;
    section_kind_ = *section;
    return true;
  }
  builder_.Key(key);
  return true;
}

bool Handler::EndRow() {
  if (section_open_) {
    if (const std::string rule = budget_->AddRows(1); !rule.empty()) return Exhausted(rule);
  }
  absl::Status status = sink_->OnRow(section_, next_row_, Json(&builder_.row(), 0));
  ++next_row_;
  builder_.Clear();
  if (!section_open_) section_.clear();
  return status.ok() ? true : Fail(std::move(status));
}

bool Handler::parse_error(std::size_t position, const std::string&,
                          const nlohmann::detail::exception& error) {
  const std::string rule = ParserRule(error.what(), position > size_);
  position = std::min(position, size_);
  const std::string path = Path();
  status_ = absl::InvalidArgumentError(absl::StrCat(ToAbsl(document_), ": byte ", position,
                                                    path.empty() ? ": " : ", in ", path, rule));
  return false;
}

}  // namespace

std::string Json::Describe() const {
  switch (kind()) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kBool:
      return boolean() ? "true" : "false";
    case JsonKind::kInteger:
      return absl::StrCat(negative() ? "-" : "", magnitude());
    case JsonKind::kFloat:
      return std::string(text().substr(0, 40));
    case JsonKind::kString:
      return Quote(text());
    case JsonKind::kArray:
      return "an array";
    case JsonKind::kObject:
      return "an object";
  }
  return "";
}

absl::Status ReadJsonRows(std::string_view text, RowSink* sink, std::string_view document,
                          Budget* budget) {
  Budget fresh;
  if (budget == nullptr) budget = &fresh;
  if (const std::string rule = budget->AddBytes(static_cast<int64_t>(text.size())); !rule.empty()) {
    return absl::ResourceExhaustedError(absl::StrCat(ToAbsl(document), ": ", rule));
  }
  Handler handler(text.size(), sink, document, budget);
  nlohmann::json::sax_parse(text.begin(), text.end(), &handler);
  return handler.status();
}

std::string ParserRule(std::string_view words, bool at_end) {
  // Without the class of exception, the production the parser was in and the text it has read,
  // which may be of any length.
  words = words.substr(0, words.find("; last read: "));
  if (const size_t at = words.find(" - "); at != words.npos) words.remove_prefix(at + 3);
  if (words.find("number overflow") != words.npos) return "the number is too large";
  if (at_end) return "unexpected end of input";
  return absl::StrCat("malformed JSON: ", ToAbsl(words));
}

std::string JsonPathStep(std::string_view key) {
  const bool plain = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return c == '_' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
  });
  return plain ? absl::StrCat(".", ToAbsl(key)) : absl::StrCat("[", Quote(key), "]");
}

}  // namespace muster
