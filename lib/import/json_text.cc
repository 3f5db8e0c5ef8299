// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Two handlers of one parser's events. The parser keeps its own stack, reports errors as events and
// stops when a handler answers false, so no exception leaves it and depth costs no recursion.
//
// A list's kind may come behind its items (kubectl sorts keys), so objects with "items" are taken
// for lists until they end.
#include "lib/import/json_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/scenario/foreign_text.h"
#include "lib/scenario/row_builder.h"
#include "nlohmann/json.hpp"

namespace muster {
namespace {

// The bytes of a text, and the position of the parser, which copies iterators.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  Cursor& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  friend bool operator==(const Cursor& a, const Cursor& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  const char** reached_;
};

// Events with the kinds of values separated; a subclass decides what becomes of them.
class Handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  Handler(std::string_view what, std::string_view text, Budget* budget)
      : what_(what), size_(text.find_last_not_of(" \t\r\n") + 1), budget_(budget) {}

  const absl::Status& status() const { return status_; }

  bool null() override { return Scalar({.kind = JsonKind::kNull}, {}); }
  bool boolean(bool b) override { return Scalar({.kind = JsonKind::kBool, .number = b}, {}); }
  bool number_integer(number_integer_t n) override {
    // The magnitude of the smallest integer is computed without overflow.
    const uint64_t magnitude =
        n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
    return Scalar({.kind = JsonKind::kInteger, .negative = n < 0, .number = magnitude}, {});
  }
  bool number_unsigned(number_unsigned_t n) override {
    return Scalar({.kind = JsonKind::kInteger, .number = n}, {});
  }
  bool number_float(number_float_t x, const string_t& text) override {
    return Scalar({.kind = JsonKind::kFloat, .real = x}, text);
  }
  bool string(string_t& text) override { return Scalar({.kind = JsonKind::kString}, text); }
  bool binary(binary_t&) override { return Fail("binary data"); }  // JSON text has none

  bool start_object(std::size_t) override { return Deeper() && Open(JsonKind::kObject); }
  bool start_array(std::size_t) override { return Deeper() && Open(JsonKind::kArray); }
  bool end_object() override { return --depth_, Close(); }
  bool end_array() override { return --depth_, Close(); }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    const size_t byte = std::min(begin + position, size_);
    status_ = absl::InvalidArgumentError(absl::StrCat(
        ToAbsl(what_), ": byte ", byte, ": ", ParserRule(error.what(), begin + position > size_)));
    return false;
  }

  size_t begin = 0;  // where the document that is parsed begins in the text

 protected:
  virtual bool Scalar(JsonRow::Value value, std::string_view text) = 0;
  virtual bool Open(JsonKind kind) = 0;
  virtual bool Close() = 0;
  virtual std::string Place() const { return ""; }

  // Charges rows for an object.
  bool Charge(int64_t rows) {
    const std::string rule = budget_->AddRows(rows);
    return rule.empty() || Exhausted(rule);
  }
  bool Exhausted(std::string_view rule) {
    Fail(rule);
    status_ = absl::ResourceExhaustedError(status_.message());
    return false;
  }
  bool Fail(std::string_view rule) {
    const std::string place = Place();
    status_ = absl::InvalidArgumentError(
        absl::StrCat(ToAbsl(what_), ": ", place, place.empty() ? "" : ": ", ToAbsl(rule)));
    return false;
  }

 private:
  bool Deeper() {
    if (depth_ < budget_->depth()) return ++depth_, true;
    return Fail(absl::StrCat("nested deeper than ", budget_->depth()));
  }

  std::string_view what_;
  size_t size_;  // without blanks at the end: a line break there ends no text that was cut off
  Budget* budget_;
  absl::Status status_;
  int depth_ = 0;
};

class ValueHandler : public Handler {
 public:
  using Handler::Handler;
  bool key(string_t& key) override { return builder_.Key(key), true; }
  JsonRow Take() { return builder_.Take(); }

 protected:
  bool Scalar(JsonRow::Value value, std::string_view text) override {
    return builder_.Scalar(value, text) || Fail(builder_.error());
  }
  bool Open(JsonKind kind) override { return builder_.Open(kind) || Fail(builder_.error()); }
  bool Close() override { return builder_.Close() || Fail(builder_.error()); }

 private:
  RowBuilder builder_;
};

// The member `key` of an object where it is text, else "".
std::string TextMember(const JsonRow& row, std::string_view key) {
  for (Json member = Json(&row, 0).first(); member.exists(); member = member.next()) {
    if (member.key() == key && member.kind() == JsonKind::kString) {
      return std::string(member.text());
    }
  }
  return "";
}

// The kind of an answer of YARN's resource manager, which has one member alone; else "".
std::string_view KindOfAnswer(const JsonRow& row) {
  const Json member = Json(&row, 0).first();
  if (!member.exists() || member.next().exists()) return "";
  if (member.kind() != JsonKind::kObject && member.kind() != JsonKind::kNull) return "";
  const std::string_view key = member.key();
  return key == "nodes"        ? "Nodes"
         : key == "apps"       ? "Apps"
         : key == "scheduler"  ? "Scheduler"
         : key == "containers" ? "Containers"
                               : "";
}

// The kind of an answer of a Mesos master: /state has agents and frameworks, /roles has roles
// alone; else "".
std::string_view KindOfMasterAnswer(const JsonRow& row) {
  bool agents = false, frameworks = false, roles = false;
  size_t members = 0;
  for (Json member = Json(&row, 0).first(); member.exists(); member = member.next()) {
    ++members;
    if (member.kind() != JsonKind::kArray) continue;
    agents |= member.key() == "slaves";
    frameworks |= member.key() == "frameworks";
    roles |= member.key() == "roles";
  }
  return agents && frameworks ? "State" : roles && members == 1 ? "Roles" : "";
}

// What Ray's state API lists, one object for each element, and the load report of a Pulsar broker.
// They have no kind: members of these kinds tell what they are.
struct RawKind {
  std::string_view first, second, kind, api_version;
};
constexpr RawKind kRawKinds[] = {
    {"node_id", "resources_total", "Nodes", "state.ray.io/v1"},
    {"placement_group_id", "state", "PlacementGroups", "state.ray.io/v1"},
    {"webServiceUrl", "lastStats", "LoadReport", "pulsar.apache.org/v1"}};

// Or null.
const RawKind* RawKindOf(const JsonRow& row) {
  for (const RawKind& raw : kRawKinds) {
    int found = 0;
    for (Json member = Json(&row, 0).first(); member.exists(); member = member.next()) {
      found += member.key() == raw.first || member.key() == raw.second;
    }
    if (found == 2) return &raw;
  }
  return nullptr;
}

// Whether this is what /ws/v1/fullstatedump of YuniKorn answers.
bool IsStateDump(const JsonRow& row) {
  bool partitions = false, other = false;
  for (Json member = Json(&row, 0).first(); member.exists(); member = member.next()) {
    const std::string_view key = member.key();
    if (member.kind() != JsonKind::kArray) continue;
    partitions |= key == "partitions";
    other |= key == "queues" || key == "applications" || key == "nodes" || key == "placementRules";
  }
  return partitions && other;
}

std::string NoKind(const JsonRow& row) {
  const Json first = Json(&row, 0).first();
  return absl::StrCat(
      "key \"kind\" is missing; each object has one",
      first.exists() ? absl::StrCat("; this one begins with ", Quote(first.key())) : "");
}

class ObjectsHandler : public Handler {
 public:
  ObjectsHandler(std::string_view text, Budget* budget) : Handler("dump", text, budget) {}
  bool key(string_t& key) override;
  void BeginDocument() { ++document_; }
  std::vector<RawObject> Take() { return std::move(objects_); }

 protected:
  bool Scalar(JsonRow::Value value, std::string_view text) override;
  bool Open(JsonKind kind) override;
  bool Close() override;
  std::string Place() const override;

 private:
  // An open array of objects, or an open object that may be a list.
  struct Frame {
    bool is_array = false;
    size_t next = 0;  // of an array: the index of the element that comes next
    // Of an object:
    RowBuilder builder;            // all of it but its items
    int depth = 0;                 // open values of the builder
    bool at_items = false;         // the next value is that of "items"
    bool is_list = false;          // it has an array of items, or null for one
    size_t first_object = 0;       // the first of its items among the objects
    std::vector<size_t> nameless;  // items without a kind
  };

  bool InObject() const { return !frames_.empty() && !frames_.back().is_array; }
  bool EndObject();
  bool Built(bool taken) { return taken || Fail(frames_.back().builder.error()); }

  int document_ = 0;
  std::vector<Frame> frames_;
  std::vector<RawObject> objects_;
};

std::string ObjectsHandler::Place() const {
  std::string place = absl::StrCat("document ", document_);
  for (const Frame& frame : frames_) {
    if (frame.is_array) {
      absl::StrAppend(&place, "[", frame.next, "]");
    } else if (frame.at_items) {
      absl::StrAppend(&place, ".items");
    } else {
      absl::StrAppend(&place, frame.builder.Path());
    }
  }
  return place;
}

bool ObjectsHandler::key(string_t& key) {
  Frame& frame = frames_.back();
  frame.at_items = frame.depth == 1 && key == "items";
  if (!frame.at_items) frame.builder.Key(key);
  return true;
}

bool ObjectsHandler::Scalar(JsonRow::Value value, std::string_view text) {
  if (!InObject() || (frames_.back().at_items && value.kind != JsonKind::kNull)) {
    value.text_size = text.size();
    const JsonRow alone{{value}, std::string(text)};
    return Fail(absl::StrCat("expected ", InObject() ? "an array" : "an object", ", got ",
                             Json(&alone, 0).Describe()));
  }
  Frame& frame = frames_.back();
  if (!frame.at_items) return Built(frame.builder.Scalar(value, text));
  frame.at_items = false;
  frame.is_list = true;
  return true;
}

bool ObjectsHandler::Open(JsonKind kind) {
  if (InObject() && !frames_.back().at_items) {
    ++frames_.back().depth;
    return Built(frames_.back().builder.Open(kind));
  }
  const bool array = kind == JsonKind::kArray;
  if (InObject() && !array) return Fail("expected an array, got an object");
  if (InObject()) frames_.back().is_list = true;
  Frame& frame = frames_.emplace_back();
  frame.is_array = array;
  if (array) return true;
  frame.first_object = objects_.size();
  frame.depth = 1;
  return Built(frame.builder.Open(kind));
}

bool ObjectsHandler::Close() {
  Frame& frame = frames_.back();
  if (!frame.is_array) {
    if (!Built(frame.builder.Close())) return false;
    if (--frame.depth == 0 && !EndObject()) return false;
    if (frame.depth > 0) return true;
  }
  frames_.pop_back();
  if (frames_.empty()) return true;
  frames_.back().at_items = false;
  if (frames_.back().is_array) ++frames_.back().next;
  return true;
}

bool ObjectsHandler::EndObject() {
  Frame& frame = frames_.back();
  RawObject object{frame.builder.Take(), "", ""};
  object.kind = TextMember(object.row, "kind");
  object.api_version = TextMember(object.row, "apiVersion");
  // An ad names its kind so.
  if (object.kind.empty()) object.kind = TextMember(object.row, "MyType");
  if (object.api_version.empty() && !TextMember(object.row, "MyType").empty()) {
    object.api_version = "classad/1";
  }
  if (const std::string_view answer = KindOfAnswer(object.row); !answer.empty()) {
    object.kind = answer;
    object.api_version = "yarn.apache.org/v1";
  }
  if (const std::string_view answer = KindOfMasterAnswer(object.row);
      object.kind.empty() && !answer.empty()) {
    object.kind = answer;
    object.api_version = "mesos.apache.org/v1";
  }
  if (const RawKind* raw = object.kind.empty() ? RawKindOf(object.row) : nullptr) {
    object.kind = raw->kind;
    object.api_version = raw->api_version;
  }
  if (object.kind.empty() && IsStateDump(object.row)) {
    object.kind = "StateDump";
    object.api_version = "yunikorn.apache.org/v1";
  }
  if (frame.is_list && object.kind.ends_with("List")) {
    const std::string kind = object.kind.substr(0, object.kind.size() - 4);
    for (size_t i : frame.nameless) {
      if (kind.empty()) return Fail("an item has no key \"kind\"; each object has one");
      objects_[i].kind = kind;
      if (objects_[i].api_version.empty()) objects_[i].api_version = object.api_version;
    }
    return true;
  }
  if (!Charge(1)) return false;
  if (object.kind == "Status" && TextMember(object.row, "status") == "Failure") {
    return Fail(absl::StrCat("this is an error of the API server: ",
                             Quote(TextMember(object.row, "message"))));
  }
  // What no list has is a part of the object that is not read.
  objects_.resize(frame.first_object);
  if (object.kind.empty()) {
    const size_t depth = frames_.size();
    const bool an_item = depth > 2 && frames_[depth - 2].is_array && !frames_[depth - 3].is_array;
    if (!an_item || frame.is_list) return Fail(NoKind(object.row));
    frames_[depth - 3].nameless.push_back(objects_.size());
  }
  objects_.push_back(std::move(object));
  return true;
}

absl::Status ChargeText(std::string_view text, std::string_view what, Budget* budget) {
  const std::string rule = budget->AddBytes(static_cast<int64_t>(text.size()));
  if (rule.empty()) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(ToAbsl(what), ": ", rule));
}

absl::Status NoDump(std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("dump: this is ", ToAbsl(what), "; a dump is JSON: kubectl get ... -o json"));
}

// What the text looks like, and what to do, where it is no JSON, or not all of it.
absl::Status WithAdvice(std::string_view text, const absl::Status& status) {
  const std::string message(status.message());
  const bool at_end = message.ends_with("unexpected end of input");
  if (!at_end && message.find("malformed JSON") == message.npos) return status;
  const std::string foreign = ForeignText(text);
  if (!foreign.empty()) return NoDump(foreign);
  if (!at_end) return status;
  return absl::InvalidArgumentError(message + "; the text is cut off: get it anew");
}

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

absl::StatusOr<std::vector<RawObject>> ReadJsonObjects(std::string_view text, Budget* budget) {
  if (absl::Status s = ChargeText(text, "dump", budget); !s.ok()) return s;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  ObjectsHandler handler(text, budget);
  const char* const end = text.data() + text.size();
  const char* at = text.data() + (text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  while (true) {
    at = std::find_if_not(at, end, IsBlank);
    if (at == end) return handler.Take();
    handler.begin = static_cast<size_t>(at - text.data());
    handler.BeginDocument();
    const Cursor begin(at, &at);
    const bool read = nlohmann::json::sax_parse(begin, Cursor(end, &at), &handler,
                                                nlohmann::json::input_format_t::json, false);
    if (read) continue;
    return WithAdvice(text, handler.status());
  }
}

absl::StatusOr<JsonRow> ReadJsonValue(std::string_view text, std::string_view what,
                                      Budget* budget) {
  if (absl::Status s = ChargeText(text, what, budget); !s.ok()) return s;
  ValueHandler handler(what, text, budget);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &handler)) return handler.status();
  return handler.Take();
}

}  // namespace muster
