// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/field.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/times.h"

namespace muster {
namespace {

// A row's values are in the order of the text, so the way down to one leads through the last child
// before it.
std::string PathTo(const JsonRow& row, uint32_t index) {
  std::string path;
  for (Json at(&row, 0); at.index() != index;) {
    const bool array = at.kind() == JsonKind::kArray;
    Json child = at.first();
    size_t number = 0;
    while (child.next().exists() && child.next().index() <= index) {
      child = child.next();
      ++number;
    }
    absl::StrAppend(&path, array ? absl::StrCat("[", number, "]") : JsonPathStep(child.key()));
    at = child;
  }
  return path;
}

}  // namespace

Field Field::Absent(std::string_view key) const {
  return Field(source_, Json(nullptr, 0), key, exists() ? json_.index() : parent_);
}

Field Field::operator[](std::string_view key) const {
  ReadMarks* const marks = source_->marks;
  if (marks != nullptr) marks->Ask(key);
  if (exists() && json_.kind() == JsonKind::kObject) {
    for (Json member = json_.first(); member.exists(); member = member.next()) {
      if (member.key() != key) continue;
      if (marks != nullptr) marks->Read(member.index());
      return Field(source_, member, {});
    }
  }
  return Absent(key);
}

std::vector<Field> Field::Children() const {
  std::vector<Field> children;
  if (!exists() || (kind() != JsonKind::kArray && kind() != JsonKind::kObject)) return children;
  for (Json child = json_.first(); child.exists(); child = child.next()) {
    if (source_->marks != nullptr) source_->marks->Read(child.index());
    children.push_back(Field(source_, child, {}));
  }
  return children;
}

bool Field::truthy() const {
  if (!given()) return false;
  switch (kind()) {
    case JsonKind::kNull:
      return false;
    case JsonKind::kBool:
      return json_.boolean();
    case JsonKind::kInteger:
      return json_.magnitude() != 0;
    case JsonKind::kFloat:
      return json_.real() != 0;
    case JsonKind::kString:
      return !json_.text().empty();
    case JsonKind::kArray:
    case JsonKind::kObject:
      return json_.first().exists();
  }
  return false;
}

bool Field::Is(std::string_view text) const {
  return exists() && kind() == JsonKind::kString && json_.text() == text;
}

std::string Field::ScalarText() const {
  if (!exists()) return "";
  if (kind() == JsonKind::kString || kind() == JsonKind::kFloat) return std::string(json_.text());
  return kind() == JsonKind::kInteger ? json_.Describe() : "";
}

std::string Field::AsText(std::string_view fallback) const {
  if (!given()) return std::string(fallback);
  if (kind() == JsonKind::kString) return std::string(json_.text());
  RefuseKind("text");
  return std::string(fallback);
}

int64_t Field::Integer(std::string_view key, int64_t fallback, int64_t min, int64_t max) const {
  const Field member = (*this)[key];
  if (!member.given()) return fallback;
  const Json json = member.json_;
  if (json.kind() == JsonKind::kInteger) {
    // The magnitude of the smallest integer is one above that of the largest.
    const uint64_t most = static_cast<uint64_t>(max) + (json.negative() ? 1 : 0);
    if (json.magnitude() <= most) {
      return static_cast<int64_t>(json.negative() ? uint64_t{0} - json.magnitude()
                                                  : json.magnitude());
    }
    member.Refuse(absl::StrCat(json.Describe(), " is not in ", min, "..", max));
    return fallback;
  }
  member.RefuseKind("an integer");
  return fallback;
}

bool Field::Bool(std::string_view key, bool fallback) const {
  const Field member = (*this)[key];
  if (!member.given()) return fallback;
  if (member.kind() == JsonKind::kBool) return member.json_.boolean();
  member.RefuseKind("true or false");
  return fallback;
}

int64_t Field::Seconds(std::string_view key) const {
  const Field member = (*this)[key];
  const std::string text = member.AsText();
  if (text.empty()) return 0;
  const std::optional<int64_t> seconds = ParseTime(text);
  if (!seconds.has_value()) {
    member.Refuse(absl::StrCat(Quote(text),
                               " is not a time; expected RFC 3339 such as 2026-01-01T00:00:00Z"));
  }
  return seconds.value_or(0);
}

std::optional<int64_t> Field::Duration(std::string_view key, int64_t least) const {
  const Field member = (*this)[key];
  const std::string text = member.AsText();
  if (text.empty()) return std::nullopt;
  const std::optional<int64_t> seconds = ParseDuration(text);
  if (seconds && *seconds >= least) return seconds;
  member.Refuse(absl::StrCat(Quote(text), " is no duration", least == 0 ? " of 0 or more" : "",
                             "; expected one such as 1h30m"));
  return std::nullopt;
}

Field Field::Section(std::string_view key) const {
  const Field member = (*this)[key];
  if (!member.given()) return Absent(key);
  if (member.kind() == JsonKind::kObject) return member;
  member.RefuseKind("an object");
  return Absent(key);
}

std::vector<Field> Field::Items(std::string_view key) const {
  const Field list = (*this)[key];
  if (!list.given()) return {};
  if (list.kind() != JsonKind::kArray) {
    list.RefuseKind("an array");
    return {};
  }
  std::vector<Field> items = list.Children();
  for (const Field& item : items) {
    if (item.kind() == JsonKind::kObject) continue;
    item.RefuseKind("an object");
    return {};
  }
  return items;
}

std::vector<std::string> Field::Texts(std::string_view key) const {
  const Field list = (*this)[key];
  std::vector<std::string> texts;
  if (!list.given()) return texts;
  if (list.kind() != JsonKind::kArray) {
    list.RefuseKind("an array");
    return texts;
  }
  for (const Field& item : list.Children()) {
    if (item.kind() == JsonKind::kString) {
      texts.push_back(std::string(item.json_.text()));
    } else {
      item.RefuseKind("text");
    }
  }
  return texts;
}

Labels Field::TextMap(std::string_view key) const {
  Labels labels;
  for (const Field& member : Section(key).Children()) {
    if (member.kind() == JsonKind::kString) {
      labels.emplace_back(member.key(), member.json_.text());
    } else {
      member.RefuseKind("text");
    }
  }
  return labels;
}

void Field::Settle() const {
  if (source_->marks != nullptr && exists()) source_->marks->Settle(json_.index());
}

void Field::Quiet(std::span<const std::string_view> keys) const {
  for (const std::string_view key : keys) (*this)[key].Settle();
}

void Field::QuietRest() const {
  if (source_->marks == nullptr || !exists()) return;
  for (Json child = json_.first(); child.exists(); child = child.next()) {
    if (!source_->marks->is_read(child.index())) source_->marks->Settle(child.index());
  }
}

void Field::ReportUnread() const {
  const ReadMarks& marks = *source_->marks;
  if (!exists() || marks.is_settled(json_.index())) return;
  for (Json child = json_.first(); child.exists(); child = child.next()) {
    if (marks.is_settled(child.index())) continue;
    const Field field(source_, child, {});
    if (marks.is_read(child.index())) {
      field.ReportUnread();
    } else if (kind() == JsonKind::kArray) {
      return Ignored("its elements are not considered");
    } else {
      const std::vector<std::string_view> keys(marks.keys().begin(), marks.keys().end());
      const bool elsewhere = marks.keys().contains(child.key());
      const std::string hint = elsewhere ? "" : SuggestName(child.key(), keys);
      field.Ignored(hint.empty() ? "not considered" : absl::StrCat("not a known field", hint));
    }
  }
}

void Field::Ignored(std::string_view text) const {
  log()->Ignored(object(), Path(), text);
  Settle();
}

void Field::RequireKind(std::string_view kind) const {
  const Field member = (*this)["kind"];
  if (!member.given() || member.Is(kind)) return;
  member.RefuseKind(Quote(kind));
}

std::string Field::Path() const {
  std::string path = PathTo(*source_->row, exists() ? json_.index() : parent_);
  if (!exists()) absl::StrAppend(&path, JsonPathStep(missing_));
  return path.starts_with('.') ? path.substr(1) : path;
}

void Field::Refuse(std::string_view rule) const {
  if (!log()->ok()) return;
  const std::string path = Path();
  log()->Refuse(path.empty() ? object() : absl::StrCat(object(), ": ", path), rule);
}

void Field::RefuseKind(std::string_view expected) const {
  Refuse(absl::StrCat("expected ", ToAbsl(expected), ", got ", Describe()));
}

}  // namespace muster
