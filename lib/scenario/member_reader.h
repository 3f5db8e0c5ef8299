// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// From a row of JSON to a spec: one overload of Read for each kind of member. Structs go by their
// lists of members (members.h), so this file has no key of any struct.
//
//   Reader reader("scenario");
//   const Place top{nullptr, "nodes", 0, true}, place{&top, {}, index, false};
//   absl::Status status = reader.ReadMembers(place, row, &node);
//   // scenario: nodes[3].capacity: expected an object, got 7
//
// The path is kept as a list on the stack and turned into text only when something is refused.
// Recursion is as deep as the row is, and rows are no deeper than kMostJsonDepth.
#ifndef MUSTER_SCENARIO_MEMBER_READER_H_
#define MUSTER_SCENARIO_MEMBER_READER_H_

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/words.h"
#include "lib/scenario/json_rows.h"
#include "lib/scenario/members.h"
#include "lib/scenario/scenario.h"

namespace muster {

// The place of a value: a section and row, or a step below another place.
struct Place {
  const Place* above;
  std::string_view key;  // or, when there is none, the index
  size_t index;
  bool is_key;
};

inline std::string PathOf(const Place& place) {
  std::vector<const Place*> chain;
  for (const Place* p = &place; p != nullptr; p = p->above) chain.push_back(p);
  std::string path(chain.back()->key);
  for (size_t i = chain.size() - 1; i-- > 0;) {
    absl::StrAppend(&path, chain[i]->is_key ? JsonPathStep(chain[i]->key)
                                            : absl::StrCat("[", chain[i]->index, "]"));
  }
  return path;
}

class Reader {
 public:
  // `document`: what messages call it, "scenario".
  explicit Reader(std::string_view document) : document_(document) {}

  // Shapes given by name, met since this was emptied, each with the index of what it is a member
  // of.
  std::vector<std::pair<size_t, std::string>> shape_names;

  absl::Status Read(const Place& place, Json json, std::string* out) {
    if (json.kind() != JsonKind::kString) return WrongType(place, "a string", json);
    *out = json.text();
    return absl::OkStatus();
  }

  absl::Status Read(const Place& place, Json json, bool* out) {
    if (json.kind() != JsonKind::kBool) return WrongType(place, "true or false", json);
    *out = json.boolean();
    return absl::OkStatus();
  }

  template <std::integral Integer>
  absl::Status Read(const Place& place, Json json, Integer* out) {
    if (json.kind() != JsonKind::kInteger) return WrongType(place, "an integer", json);
    const uint64_t magnitude = json.magnitude();
    const auto max = static_cast<uint64_t>(std::numeric_limits<Integer>::max());
    const bool fits =
        json.negative() ? std::is_signed_v<Integer> && magnitude <= max + 1 : magnitude <= max;
    if (!fits) {
      return WrongType(
          place,
          absl::StrCat("an integer between ", std::numeric_limits<Integer>::min(), " and ", max),
          json);
    }
    *out = static_cast<Integer>(json.negative() ? uint64_t{0} - magnitude : magnitude);
    return absl::OkStatus();
  }

  absl::Status Read(const Place& place, Json json, double* out) {
    if (json.kind() == JsonKind::kFloat) {
      *out = json.real();
    } else if (json.kind() == JsonKind::kInteger) {
      *out = static_cast<double>(json.magnitude()) * (json.negative() ? -1 : 1);
    } else {
      return WrongType(place, "a number", json);
    }
    return absl::OkStatus();
  }

  absl::Status Read(const Place& place, Json json, Quantity* out) {
    if (json.kind() == JsonKind::kString) {
      out->text = json.text();
    } else if (json.kind() == JsonKind::kInteger) {
      out->text = json.Describe();
    } else {
      return WrongType(place, "an integer or a text such as \"500m\"", json);
    }
    return absl::OkStatus();
  }

  template <HasWords Enum>
  absl::Status Read(const Place& place, Json json, Enum* out) {
    if (json.kind() != JsonKind::kString) return WrongType(place, "a string", json);
    const std::optional<Enum> value = ParseWord<Enum>(json.text());
    if (!value.has_value()) {
      const WordTable table = WordsOf(Enum());
      return Refuse(place, UnknownWord(table.what, json.text(), table.words));
    }
    *out = *value;
    return absl::OkStatus();
  }

  absl::Status Read(const Place& place, Json json, EventAspects* out) {
    std::vector<std::string> words;
    if (absl::Status s = Read(place, json, &words); !s.ok()) return s;
    std::vector<std::string_view> known;
    for (int bit = 0; bit < kEventAspectCount; ++bit) known.push_back(EventAspectName(bit));
    for (const std::string& word : words) {
      const auto found = std::find(known.begin(), known.end(), word);
      if (found == known.end()) return Refuse(place, UnknownWord("aspect", word, known));
      out->bits |= 1u << (found - known.begin());
    }
    return absl::OkStatus();
  }

  absl::Status Read(const Place& place, Json json, MemoryCell* out) {
    switch (json.kind()) {
      case JsonKind::kString:
        *out = std::string(json.text());
        return absl::OkStatus();
      case JsonKind::kFloat:
        *out = json.real();
        return absl::OkStatus();
      case JsonKind::kInteger:
        return Read(place, json, &out->emplace<int64_t>());
      default:
        return WrongType(place, "a number or a text", json);
    }
  }

  template <class T>
  absl::Status Read(const Place& place, Json json, std::optional<T>* out) {
    return Read(place, json, &out->emplace(Blank<T>()));
  }
  template <class T>
  absl::Status Read(const Place& place, Json json, Boxed<T>* out) {
    return Read(place, json, &out->emplace());
  }

  template <class T>
  absl::Status Read(const Place& place, Json json, std::vector<T>* out) {
    if (json.kind() != JsonKind::kArray) return WrongType(place, "an array", json);
    for (Json element = json.first(); element.exists(); element = element.next()) {
      const Place below{&place, {}, out->size(), false};
      absl::Status status = Read(below, element, &out->emplace_back());
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // {"name": value, ...}, in the order of the text.
  template <class T>
  absl::Status Read(const Place& place, Json json, Named<T>* out) {
    if (json.kind() != JsonKind::kObject) return WrongType(place, "an object", json);
    for (Json member = json.first(); member.exists(); member = member.next()) {
      auto& [name, value] = out->emplace_back(std::string(member.key()), Blank<T>());
      const Place below{&place, name, 0, true};
      absl::Status status = Read(below, member, &value);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // A member that is a shape: the shape itself, or the name of one.
  absl::Status Read(const Place& place, Json json, TaskShape* out) {
    if (json.kind() == JsonKind::kString) {
      shape_names.emplace_back(place.above->index, json.text());
      return absl::OkStatus();
    }
    if (json.kind() != JsonKind::kObject)
      return WrongType(place, "a shape or the name of one", json);
    return ReadMembers(place, json, out);
  }

  template <HasMembers S>
  absl::Status Read(const Place& place, Json json, S* out) {
    return ReadMembers(place, json, out);
  }

  // `extra`, where given, takes the value of a key that is no member.
  template <class S>
  absl::Status ReadMembers(const Place& place, Json json, S* out, std::string_view extra_key = {},
                           int64_t* extra = nullptr);

  absl::Status Refuse(const Place& place, std::string_view rule) const {
    return absl::InvalidArgumentError(
        absl::StrCat(ToAbsl(document_), ": ", PathOf(place), ": ", ToAbsl(rule)));
  }

 private:
  absl::Status WrongType(const Place& place, std::string_view expected, Json value) const {
    return Refuse(place, absl::StrCat("expected ", ToAbsl(expected), ", got ", value.Describe()));
  }
  template <class T>
  static T Blank() {
    if constexpr (std::is_same_v<T, Quantity>)
      return Quantity(0);
    else
      return T();
  }

  const std::string document_;
};

template <class S>
absl::Status Reader::ReadMembers(const Place& place, Json json, S* out, std::string_view extra_key,
                                 int64_t* extra) {
  if (json.kind() != JsonKind::kObject) return WrongType(place, "an object", json);
  absl::Status status;
  size_t present = 0, taken = 0;
  for (Json member = json.first(); member.exists(); member = member.next()) ++present;
  // Files mostly have the keys in the order of the list, so the search goes on where the last one
  // was found.
  Json from = json.first();
  const auto find = [&](std::string_view key) -> Json {
    Json member = from;
    for (size_t i = 0; i < present; ++i) {
      if (member.key() == key) {
        from = member.next().exists() ? member.next() : json.first();
        return member;
      }
      member = member.next().exists() ? member.next() : json.first();
    }
    return Json(nullptr, 0);
  };
  ForEachMember(*out, [&](auto m) {
    if (!status.ok()) return;
    const Json member = find(m.key);
    if (!member.exists()) {
      if (m.required) status = Refuse(place, absl::StrCat("key ", Quote(m.key), " is missing"));
      return;
    }
    ++taken;
    status = Read(Place{&place, m.key, 0, true}, member, &m.value);
  });
  if (!status.ok()) return status;
  if (extra != nullptr) {
    if (const Json member = find(extra_key); member.exists()) {
      ++taken;
      status = Read(Place{&place, extra_key, 0, true}, member, extra);
      if (!status.ok()) return status;
    }
  }
  if (taken == present) return absl::OkStatus();
  std::vector<std::string_view> valid;
  ForEachMember(*out, [&](auto m) { valid.push_back(m.key); });
  if (extra != nullptr) valid.push_back(extra_key);
  for (Json member = json.first(); member.exists(); member = member.next()) {
    if (std::find(valid.begin(), valid.end(), member.key()) == valid.end()) {
      return Refuse(place, UnknownWord("key", member.key(), valid));
    }
  }
  return absl::OkStatus();
}

}  // namespace muster

#endif  // MUSTER_SCENARIO_MEMBER_READER_H_
