// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The parser underneath is event driven and keeps its own stack, so depth costs no recursion. Depth
// and size are limited anyway, because the readers of a row recurse. No exception leaves: the
// parser reports its errors as an event, and the handler stops it by returning false.
#include "lib/scenario/json_rows.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "nlohmann/json.hpp"

namespace muster {
namespace {

constexpr uint32_t kNoValue = 0xFFFFFFFF;

class Handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  Handler(size_t size, RowSink* sink, std::string_view document)
      : size_(size), sink_(sink), document_(document) {}

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
  struct Level {
    uint32_t value;       // the open array or object
    uint32_t last_child;  // kNoValue: none yet
    size_t children;
  };

  bool Fail(std::string_view what) {
    status_ =
        absl::InvalidArgumentError(absl::StrCat(ToAbsl(document_), ": ", Path(), ToAbsl(what)));
    return false;
  }
  bool Fail(absl::Status status) {
    status_ = std::move(status);
    return false;
  }

  std::string Path() const;
  bool Scalar(JsonRow::Value value, std::string_view text = {});
  bool Open(JsonKind kind);
  bool Close();
  // Appends a value to the row; kNoValue when the row is full.
  uint32_t Append(JsonRow::Value value);
  bool EndRow();
  bool KeysDiffer(const Level& level);

  size_t size_;  // of the text
  RowSink* sink_;
  std::string_view document_;
  absl::Status status_;
  int depth_ = 0;  // open arrays and objects, the document included
  std::string section_;
  RowSink::Section section_kind_ = RowSink::Section::kOneRow;
  bool section_open_ = false;  // inside the array or object that holds a section's rows
  size_t next_row_ = 0;
  JsonRow row_;
  std::vector<Level> levels_;  // open values of the row
  std::string pending_key_;
  std::vector<std::string_view> keys_;  // scratch of KeysDiffer
};

std::string Handler::Path() const {
  std::string path = section_;
  if (section_open_ && section_kind_ == RowSink::Section::kRowsInArray) {
    absl::StrAppend(&path, "[", next_row_, "]");
  } else if (section_open_) {
    const std::string_view name = row_.values.empty() ? pending_key_ : Json(&row_, 0).key();
    if (!name.empty()) absl::StrAppend(&path, JsonPathStep(name));
  }
  for (size_t i = 0; i < levels_.size(); ++i) {
    const bool innermost = i + 1 == levels_.size();
    if (row_.values[levels_[i].value].kind == JsonKind::kArray) {
      absl::StrAppend(&path, "[", innermost ? levels_[i].children : levels_[i].children - 1, "]");
    } else if (!innermost) {
      absl::StrAppend(&path, JsonPathStep(Json(&row_, levels_[i + 1].value).key()));
    } else if (!pending_key_.empty()) {
      absl::StrAppend(&path, JsonPathStep(pending_key_));
    }
  }
  return path.empty() ? path : absl::StrCat(path, ": ");
}

uint32_t Handler::Append(JsonRow::Value value) {
  if (row_.values.size() >= kMaxRowValues) {
    Fail(absl::StrCat("more than ", kMaxRowValues, " values in one row"));
    return kNoValue;
  }
  const auto index = static_cast<uint32_t>(row_.values.size());
  value.key = row_.texts.size();
  value.key_size = pending_key_.size();
  row_.texts.append(pending_key_);
  pending_key_.clear();
  if (!levels_.empty()) {
    Level& parent = levels_.back();
    if (parent.last_child == kNoValue) {
      row_.values[parent.value].first_child = index;
    } else {
      row_.values[parent.last_child].next = index;
    }
    parent.last_child = index;
    ++parent.children;
  }
  row_.values.push_back(value);
  return index;
}

bool Handler::Scalar(JsonRow::Value value, std::string_view text) {
  if (depth_ == 0) return Fail("expected an object");
  value.text_size = text.size();
  if (!section_open_ && section_kind_ != RowSink::Section::kOneRow) {
    const JsonRow alone{{value}, std::string(text)};
    return Fail(absl::StrCat(section_kind_ == RowSink::Section::kRowsInArray ? "expected an array"
                                                                             : "expected an object",
                             ", got ", Json(&alone, 0).Describe()));
  }
  value.text = row_.texts.size();
  row_.texts.append(text);
  if (Append(value) == kNoValue) return false;
  return levels_.empty() ? EndRow() : true;
}

bool Handler::Open(JsonKind kind) {
  if (depth_ >= kMaxJsonDepth) return Fail(absl::StrCat("nested deeper than ", kMaxJsonDepth));
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
  const uint32_t index = Append({.kind = kind});
  if (index == kNoValue) return false;
  levels_.push_back({index, kNoValue, 0});
  return true;
}

bool Handler::Close() {
  --depth_;
  if (depth_ == 0) return true;
  if (levels_.empty()) {  // the end of a table
    section_open_ = false;
    section_.clear();
    return true;
  }
  const Level level = levels_.back();
  pending_key_.clear();
  if (row_.values[level.value].kind == JsonKind::kObject && !KeysDiffer(level)) return false;
  levels_.pop_back();
  return levels_.empty() ? EndRow() : true;
}

bool Handler::key(string_t& key) {
  if (depth_ == 1) {
    absl::StatusOr<RowSink::Section> section = sink_->OnSection(key);
    if (!section.ok()) return Fail(section.status());
    section_ = key;
    section_kind_ = *section;
    pending_key_.clear();
    return true;
  }
  pending_key_ = key;
  return true;
}

bool Handler::EndRow() {
  absl::Status status = sink_->OnRow(section_, next_row_, Json(&row_, 0));
  ++next_row_;
  row_.values.clear();
  row_.texts.clear();
  if (!section_open_) section_.clear();
  return status.ok() ? true : Fail(std::move(status));
}

bool Handler::KeysDiffer(const Level& level) {
  keys_.clear();
  for (Json c = Json(&row_, level.value).first(); c.exists(); c = c.next())
    keys_.push_back(c.key());
  std::sort(keys_.begin(), keys_.end());
  const auto twin = std::adjacent_find(keys_.begin(), keys_.end());
  if (twin == keys_.end()) return true;
  levels_.back().children = 0;
  return Fail(absl::StrCat("key ", Quote(*twin), " is given twice"));
}

bool Handler::parse_error(std::size_t position, const std::string&,
                          const nlohmann::detail::exception& error) {
  // The parser's own words, without its class of exception, without the production it was in and
  // without the text it has read, which may be of any length.
  std::string_view words = error.what();
  words = words.substr(0, words.find("; last read: "));
  if (const size_t at = words.find(" - "); at != words.npos) words.remove_prefix(at + 3);
  std::string rule = absl::StrCat("malformed JSON: ", ToAbsl(words));
  if (position > size_) rule = "unexpected end of input";
  if (words.find("number overflow") != words.npos) rule = "the number is too large";
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

absl::Status ReadJsonRows(std::string_view text, RowSink* sink, std::string_view document) {
  Handler handler(text.size(), sink, document);
  nlohmann::json::sax_parse(text.begin(), text.end(), &handler);
  return handler.status();
}

std::string JsonPathStep(std::string_view key) {
  const bool plain = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return c == '_' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
  });
  return plain ? absl::StrCat(".", ToAbsl(key)) : absl::StrCat("[", Quote(key), "]");
}

}  // namespace muster
