// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/scenario/member_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster {

std::string PathOf(const Place& place) {
  std::vector<const Place*> chain;
  for (const Place* p = &place; p != nullptr; p = p->above) chain.push_back(p);
  std::string path(chain.back()->key);
  for (size_t i = chain.size() - 1; i-- > 0;) {
    absl::StrAppend(&path, chain[i]->is_key ? JsonPathStep(chain[i]->key)
                                            : absl::StrCat("[", chain[i]->index, "]"));
  }
  return path;
}

absl::Status Reader::Refuse(const Place& place, std::string_view rule) const {
  return absl::InvalidArgumentError(
      absl::StrCat(ToAbsl(document_), ": ", PathOf(place), ": ", ToAbsl(rule)));
}

absl::Status Reader::WrongType(const Place& place, std::string_view expected, Json value) const {
  return Refuse(place, absl::StrCat("expected ", ToAbsl(expected), ", got ", value.Describe()));
}

absl::Status Reader::Read(const Place& place, Json json, std::string* out) {
  if (json.kind() != JsonKind::kString) return WrongType(place, "a string", json);
  *out = json.text();
  return absl::OkStatus();
}

absl::Status Reader::Read(const Place& place, Json json, bool* out) {
  if (json.kind() != JsonKind::kBool) return WrongType(place, "true or false", json);
  *out = json.boolean();
  return absl::OkStatus();
}

absl::Status Reader::Read(const Place& place, Json json, double* out) {
  if (json.kind() == JsonKind::kFloat) {
    *out = json.real();
  } else if (json.kind() == JsonKind::kInteger) {
    *out = static_cast<double>(json.magnitude()) * (json.negative() ? -1 : 1);
  } else {
    return WrongType(place, "a number", json);
  }
  return absl::OkStatus();
}

absl::Status Reader::Read(const Place& place, Json json, Quantity* out) {
  if (json.kind() == JsonKind::kString) {
    out->text = json.text();
  } else if (json.kind() == JsonKind::kInteger) {
    out->text = json.Describe();
  } else {
    return WrongType(place, "an integer or a text such as \"500m\"", json);
  }
  return absl::OkStatus();
}

absl::Status Reader::Read(const Place& place, Json json, EventAspects* out) {
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

absl::Status Reader::Read(const Place& place, Json json, MemoryCell* out) {
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

absl::Status Reader::Read(const Place& place, Json json, TaskShape* out) {
  if (json.kind() == JsonKind::kString) {
    shape_names.emplace_back(place.above->index, json.text());
    return absl::OkStatus();
  }
  if (json.kind() != JsonKind::kObject) {
    return WrongType(place, "a shape or the name of one", json);
  }
  return ReadMembers(place, json, out);
}

absl::Status Reader::ReadInteger(const Place& place, Json json, int64_t min, uint64_t max,
                                 uint64_t* bits) const {
  if (json.kind() != JsonKind::kInteger) return WrongType(place, "an integer", json);
  const uint64_t magnitude = json.magnitude();
  const bool fits = json.negative() ? min < 0 && magnitude <= max + 1 : magnitude <= max;
  if (!fits) {
    return WrongType(place, absl::StrCat("an integer between ", min, " and ", max), json);
  }
  *bits = json.negative() ? uint64_t{0} - magnitude : magnitude;
  return absl::OkStatus();
}

absl::Status Reader::ReadWord(const Place& place, Json json, const WordTable& table,
                              size_t* index) const {
  if (json.kind() != JsonKind::kString) return WrongType(place, "a string", json);
  const auto found = std::find(table.words.begin(), table.words.end(), json.text());
  if (found == table.words.end()) {
    return Refuse(place, UnknownWord(table.what, json.text(), table.words));
  }
  *index = static_cast<size_t>(found - table.words.begin());
  return absl::OkStatus();
}

absl::Status Reader::ReadSlots(const Place& place, Json json, absl::Span<const Slot> slots,
                               std::string_view extra_key, int64_t* extra) {
  if (json.kind() != JsonKind::kObject) return WrongType(place, "an object", json);
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
  for (const Slot& slot : slots) {
    const Json member = find(slot.key);
    if (!member.exists()) {
      if (slot.required) return Refuse(place, absl::StrCat("key ", Quote(slot.key), " is missing"));
      continue;
    }
    ++taken;
    absl::Status status = slot.read(*this, Place{&place, slot.key, 0, true}, member, slot.value);
    if (!status.ok()) return status;
  }
  if (extra != nullptr) {
    if (const Json member = find(extra_key); member.exists()) {
      ++taken;
      absl::Status status = Read(Place{&place, extra_key, 0, true}, member, extra);
      if (!status.ok()) return status;
    }
  }
  if (taken == present) return absl::OkStatus();
  std::vector<std::string_view> valid;
  for (const Slot& slot : slots) valid.push_back(slot.key);
  if (extra != nullptr) valid.push_back(extra_key);
  for (Json member = json.first(); member.exists(); member = member.next()) {
    if (std::find(valid.begin(), valid.end(), member.key()) == valid.end()) {
      return Refuse(place, UnknownWord("key", member.key(), valid));
    }
  }
  return absl::OkStatus();
}

}  // namespace muster
