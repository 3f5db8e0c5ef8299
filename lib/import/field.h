// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A value of a decoded object with its place, so that every refusal names the object and the field.
//
//   Field spec = object.spec();
//   int32_t priority = spec.Int32("priority", 0);   // Pod ns/p: spec.priority: expected ...
//   for (Field container : spec.Items("containers")) {
//     std::string image = container.Text("image");
//   }
//
// A member that is absent or null reads as its default, at any depth. A member of another kind is
// refused in the log and reads as its default, too. A Field is a few words, valid while its
// FieldSource and the row are.
//
// Cost. Finding a member is O(members of the object); a place is put together only where it is
// requested. Under ReadWhole, a look at a member also costs O(length of its key).
#ifndef MUSTER_IMPORT_FIELD_H_
#define MUSTER_IMPORT_FIELD_H_

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/import/import_log.h"
#include "lib/import/read_marks.h"
#include "lib/model/words.h"
#include "lib/scenario/json_rows.h"
#include "muster/spec.h"

namespace muster {

// What the fields of one object have in common.
struct FieldSource {
  std::string object;  // begins every place: "Pod ns/p"
  const JsonRow* row = nullptr;
  ImportLog* log = nullptr;
  ReadMarks* marks = nullptr;  // null: what is not read is not reported
};

class Field {
 public:
  // The whole row.
  explicit Field(const FieldSource* source) : Field(source, Json(source->row, 0), {}) {}

  // The member `key`, whatever it is. Absent below what is no object.
  Field operator[](std::string_view key) const;
  // The members of an object, the elements of an array; none of anything else.
  std::vector<Field> Children() const;

  bool exists() const { return json_.exists(); }  // may be null
  bool given() const { return exists() && json_.kind() != JsonKind::kNull; }
  // Neither absent nor null, false, 0, empty.
  bool truthy() const;
  JsonKind kind() const { return json_.kind(); }  // if it exists
  Json json() const { return json_; }
  std::string_view key() const { return json_.key(); }
  // Returns whether the value is this text.
  bool Is(std::string_view text) const;
  // The text, or the digits of a number as they are written; "" for all else.
  std::string ScalarText() const;

  // The value itself, or its member `key`, as a value of one kind.
  std::string AsText(std::string_view fallback = {}) const;
  std::string Text(std::string_view key, std::string_view fallback = {}) const {
    return (*this)[key].AsText(fallback);
  }
  int64_t Int64(std::string_view key, int64_t fallback) const {
    return Integer(key, fallback, std::numeric_limits<int64_t>::min(),
                   std::numeric_limits<int64_t>::max());
  }
  int32_t Int32(std::string_view key, int32_t fallback) const {
    return static_cast<int32_t>(Integer(key, fallback, std::numeric_limits<int32_t>::min(),
                                        std::numeric_limits<int32_t>::max()));
  }
  bool Bool(std::string_view key, bool fallback) const;
  // Returns a word of an enum. Absent and empty texts read as `fallback`.
  template <HasWords Enum>
  Enum AsWord(Enum fallback = {}) const {
    const std::string text = AsText();
    if (text.empty()) return fallback;
    const std::optional<Enum> value = ParseWord<Enum>(text);
    const WordTable table = WordsOf(fallback);
    if (!value.has_value()) Refuse(UnknownWord(table.what, text, table.words));
    return value.value_or(fallback);
  }
  // Returns the seconds since 1970 of a time stamp (RFC 3339), fractions dropped; 0 if absent or
  // empty.
  int64_t Seconds(std::string_view key) const;
  // Returns the whole seconds of a duration such as "1h30m" (times.h); nothing if absent or empty.
  // Refuses other texts and durations below `least`, and then returns nothing.
  std::optional<int64_t> Duration(std::string_view key, int64_t least = 0) const;

  // An object; absent where it is not given.
  Field Section(std::string_view key) const;
  // The objects of an array.
  std::vector<Field> Items(std::string_view key) const;
  std::vector<std::string> Texts(std::string_view key) const;
  // Returns an object of texts.
  Labels TextMap(std::string_view key) const;

  // Calls read(field) with this value, and then reports each member and element, at any depth, that
  // `read` neither looked at, nor settled, nor found below what it settled. `read` settles a value
  // by Ignored, Quiet or QuietRest. The field is valid during the call.
  template <class Read>
  void ReadWhole(Read read) const {
    ReadMarks marks(source_->row->values.size());
    FieldSource source = *source_;
    source.marks = &marks;
    const Field field(&source, json_, missing_, parent_);
    read(field);
    if (log()->ok()) field.ReportUnread();
  }
  // Settles members that decide nothing.
  void Quiet(std::span<const std::string_view> keys) const;
  void Quiet(std::initializer_list<std::string_view> keys) const {
    Quiet(std::span(keys.begin(), keys.size()));
  }
  // Settles the members that were not looked at.
  void QuietRest() const;
  // Refuses a document of another kind than `kind`. One without a kind is fine.
  void RequireKind(std::string_view kind) const;

  // "spec.containers[0]"
  std::string Path() const;
  const std::string& object() const { return source_->object; }
  ImportLog* log() const { return source_->log; }
  void Refuse(std::string_view rule) const;
  // Refuses the value for not being `expected`.
  void RefuseKind(std::string_view expected) const;
  void Ignored(std::string_view text) const;
  // The value for messages: "x" quoted, numbers as they were written.
  std::string Describe() const { return exists() ? json_.Describe() : "nothing"; }

 private:
  Field(const FieldSource* source, Json json, std::string_view missing, uint32_t parent = 0)
      : source_(source), json_(json), missing_(missing), parent_(parent) {}
  Field Absent(std::string_view key) const;
  void Settle() const;
  void ReportUnread() const;
  int64_t Integer(std::string_view key, int64_t fallback, int64_t min, int64_t max) const;

  const FieldSource* source_;
  Json json_;
  std::string_view missing_;  // of what is absent: the key, below parent_
  uint32_t parent_;
};

}  // namespace muster

#endif  // MUSTER_IMPORT_FIELD_H_
