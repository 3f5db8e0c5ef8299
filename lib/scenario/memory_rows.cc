// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/scenario/memory_rows.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/float_env.h"
#include "lib/model/memory_data.h"
#include "lib/plan/json_text.h"

namespace muster {
namespace {

// The text of a memory alone. Slots are its rows.
class MemorySink : public RowSink {
 public:
  absl::StatusOr<Section> OnSection(std::string_view key) override {
    static constexpr std::string_view kKeys[] = {"version", "slots"};
    if (key == kKeys[0]) return Section::kOneRow;
    if (key == kKeys[1]) return Section::kRowsInObject;
    return absl::InvalidArgumentError(absl::StrCat("memory: ", UnknownWord("key", key, kKeys)));
  }

  absl::Status OnRow(std::string_view section, size_t index, const Json& row) override {
    const Place top{nullptr, section, 0, true};
    if (section == "version") {
      has_version_ = true;
      return reader_.Read(top, row, &document_.version);
    }
    auto& [name, slot] = document_.slots.emplace_back(std::string(row.key()), SlotRow());
    return reader_.ReadMembers(Place{&top, name, index, true}, row, &slot);
  }

  absl::StatusOr<Memory> Finish() const {
    if (!has_version_) {
      return absl::InvalidArgumentError("memory: key \"version\" is missing");
    }
    return MemoryOf(document_, reader_, std::nullopt);
  }

  static absl::StatusOr<Memory> MemoryOf(const MemoryDocument& document, const Reader& reader,
                                         std::optional<Place> place);

 private:
  Reader reader_{"memory"};
  MemoryDocument document_;
  bool has_version_ = false;
};

absl::StatusOr<Memory> MemorySink::MemoryOf(const MemoryDocument& document, const Reader& reader,
                                            std::optional<Place> place) {
  const Place* above = place.has_value() ? &*place : nullptr;
  if (document.version != internal::kMemoryVersion) {
    return reader.Refuse(
        {above, "version", 0, true},
        absl::StrCat(document.version, " is not known; this reads ", internal::kMemoryVersion));
  }
  const Place in_slots{above, "slots", 0, true};
  internal::MemoryData data;
  for (const auto& [name, row] : document.slots) {
    const Place in_slot{&in_slots, name, 0, true};
    if (row.version < 1 || row.version > std::numeric_limits<int32_t>::max()) {
      return reader.Refuse({&in_slot, "version", 0, true},
                           absl::StrCat(row.version, " is no version; versions begin with 1"));
    }
    constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
    if (row.generation > kMost) {
      return reader.Refuse({&in_slot, "generation", 0, true},
                           absl::StrCat(row.generation, " is not in 0..", kMost));
    }
    internal::MemoryData::Slot& slot = data.slots[name];
    slot.version = static_cast<int32_t>(row.version);
    slot.generation = row.generation;
    MemorySlot rows;
    for (const auto& [key, cells] : row.rows) rows.Set(key, cells);
    slot.rows = internal::SharedRows(std::move(rows));
  }
  return internal::MakeMemory(std::move(data));
}

// The text of a turn alone. Its members are sections.
class TurnSink : public RowSink {
 public:
  absl::StatusOr<Section> OnSection(std::string_view key) override {
    std::vector<std::string_view> keys;
    ForEachMember(row_, [&](const auto& member) { keys.push_back(member.key); });
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) return Section::kOneRow;
    return absl::InvalidArgumentError(absl::StrCat("turn: ", UnknownWord("key", key, keys)));
  }

  absl::Status OnRow(std::string_view section, size_t /*index*/, const Json& row) override {
    absl::Status status;
    ForEachMember(row_, [&](auto member) {
      if (member.key != section) return;
      status = reader_.Read(Place{nullptr, section, 0, true}, row, &member.value);
    });
    return status;
  }

  absl::StatusOr<Turn> Finish() const {
    return TurnOf(row_, reader_, Place{nullptr, "turn", 0, true});
  }

 private:
  Reader reader_{"turn"};
  TurnRow row_;
};

}  // namespace

absl::StatusOr<Memory> MemoryOf(const MemoryDocument& document, const Reader& reader,
                                const Place& place) {
  return MemorySink::MemoryOf(document, reader, place);
}

absl::StatusOr<Memory> Memory::Parse(std::string_view text) {
  const DefaultFloats floats;
  MemorySink sink;
  if (absl::Status s = ReadJsonRows(text, &sink, "memory"); !s.ok()) return s;
  return sink.Finish();
}

absl::StatusOr<Turn> TurnOf(const TurnRow& row, const Reader& reader, const Place& place) {
  const int set = row.decisions.has_value() + row.heartbeats.has_value() + row.event.has_value();
  if (set > 1) return reader.Refuse(place, "more than one kind of turn; a turn is of one kind");
  if (row.decisions.has_value()) return Turn(NextDecisions{*row.decisions});
  if (row.heartbeats.has_value()) return Turn(Heartbeats{*row.heartbeats});
  if (row.event.value_or(false)) return Turn(OneEvent());
  return Turn();
}

absl::StatusOr<Turn> ParseTurn(std::string_view json) {
  TurnSink sink;
  if (absl::Status s = ReadJsonRows(json, &sink, "turn"); !s.ok()) return s;
  return sink.Finish();
}

std::string WriteTurn(const Turn& turn) {
  const TurnRow row = RowOf(turn);
  std::string out = "{";
  if (row.decisions.has_value()) {
    out.append("\"decisions\": ");
    AppendJson(*row.decisions, &out);
  }
  if (row.heartbeats.has_value()) {
    out.append("\"heartbeats\": [");
    for (size_t i = 0; i < row.heartbeats->size(); ++i) {
      if (i > 0) out.append(", ");
      AppendJson(std::string_view((*row.heartbeats)[i]), &out);
    }
    out.push_back(']');
  }
  if (row.event.has_value()) out.append("\"event\": true");
  out.push_back('}');
  return out;
}

TurnRow RowOf(const Turn& turn) {
  TurnRow row;
  if (const auto* next = std::get_if<NextDecisions>(&turn)) row.decisions = next->count;
  if (const auto* beats = std::get_if<Heartbeats>(&turn)) row.heartbeats = beats->nodes;
  if (std::holds_alternative<OneEvent>(turn)) row.event = true;
  return row;
}

void AppendJson(const ClusterEvent& event, std::string* out) {
  out->append("{\"kind\": ");
  AppendJson(ClusterEventKindName(event.kind), out);
  out->append(", \"name\": ");
  AppendJson(std::string_view(event.name), out);
  const char* before = ", \"aspects\": [";
  for (int bit = 0; bit < kEventAspectCount; ++bit) {
    if ((event.aspects >> bit & 1) == 0) continue;
    out->append(before);
    before = ", ";
    AppendJson(EventAspectName(bit), out);
  }
  if (event.aspects != 0) out->push_back(']');
  if (!event.node.empty()) {
    out->append(", \"node\": ");
    AppendJson(std::string_view(event.node), out);
  }
  out->push_back('}');
}

}  // namespace muster
