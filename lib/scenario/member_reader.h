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
// Each member comes as its address and a pointer to the function that reads it: the loop over the
// members is compiled once and not for each struct.
//
// The path is kept as a list on the stack and turned into text only when something is refused.
// Recursion is as deep as the row is, and rows are no deeper than kMostJsonDepth.
#ifndef MUSTER_SCENARIO_MEMBER_READER_H_
#define MUSTER_SCENARIO_MEMBER_READER_H_

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
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

std::string PathOf(const Place& place);

class Reader {
 public:
  // `document`: what messages call it, "scenario".
  explicit Reader(std::string_view document) : document_(document) {}

  // Shapes given by name, met since this was emptied, each with the index of what it is a member
  // of.
  std::vector<std::pair<size_t, std::string>> shape_names;

  absl::Status Read(const Place& place, Json json, std::string* out);
  absl::Status Read(const Place& place, Json json, bool* out);
  absl::Status Read(const Place& place, Json json, double* out);
  absl::Status Read(const Place& place, Json json, Quantity* out);
  absl::Status Read(const Place& place, Json json, EventAspects* out);
  absl::Status Read(const Place& place, Json json, MemoryCell* out);
  // A member that is a shape: the shape itself, or the name of one.
  absl::Status Read(const Place& place, Json json, TaskShape* out);

  template <std::integral Integer>
  absl::Status Read(const Place& place, Json json, Integer* out) {
    using Limits = std::numeric_limits<Integer>;
    uint64_t bits = 0;
    absl::Status status = ReadInteger(place, json, static_cast<int64_t>(Limits::min()),
                                      static_cast<uint64_t>(Limits::max()), &bits);
    if (status.ok()) *out = static_cast<Integer>(bits);
    return status;
  }

  template <HasWords Enum>
  absl::Status Read(const Place& place, Json json, Enum* out) {
    size_t index = 0;
    absl::Status status = ReadWord(place, json, WordsOf(Enum()), &index);
    if (status.ok()) *out = static_cast<Enum>(index);
    return status;
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

  template <HasMembers S>
  absl::Status Read(const Place& place, Json json, S* out) {
    return ReadMembers(place, json, out);
  }

  // `extra`, where given, takes the value of a key that is no member.
  template <class S>
  absl::Status ReadMembers(const Place& place, Json json, S* out, std::string_view extra_key = {},
                           int64_t* extra = nullptr) {
    const auto slots =
        std::apply([](auto... member) { return std::array{SlotOf(member)...}; }, Members(*out));
    return ReadSlots(place, json, slots, extra_key, extra);
  }

  absl::Status Refuse(const Place& place, std::string_view rule) const;

 private:
  // A member without its type: one loop reads the structs of every kind.
  struct Slot {
    std::string_view key;
    bool required;
    void* value;
    absl::Status (*read)(Reader& reader, const Place& place, Json json, void* value);
  };
  template <class T>
  static Slot SlotOf(Member<T> member) {
    return {member.key, member.required, &member.value,
            [](Reader& reader, const Place& place, Json json, void* value) {
              return reader.Read(place, json, static_cast<T*>(value));
            }};
  }
  absl::Status ReadSlots(const Place& place, Json json, absl::Span<const Slot> slots,
                         std::string_view extra_key, int64_t* extra);

  // `bits`: the integer in two's complement; it is at least `min` and at most `max`.
  absl::Status ReadInteger(const Place& place, Json json, int64_t min, uint64_t max,
                           uint64_t* bits) const;
  absl::Status ReadWord(const Place& place, Json json, const WordTable& table, size_t* index) const;
  absl::Status WrongType(const Place& place, std::string_view expected, Json value) const;
  template <class T>
  static T Blank() {
    if constexpr (std::is_same_v<T, Quantity>)
      return Quantity(0);
    else
      return T();
  }

  const std::string document_;
};

}  // namespace muster

#endif  // MUSTER_SCENARIO_MEMBER_READER_H_
