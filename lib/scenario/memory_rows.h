// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a document says of a memory, of events and of a turn, as values and back.
//
//   MemoryDocument document;
//   absl::Status status = reader.ReadMembers(place, json, &document);
//   absl::StatusOr<Memory> memory = MemoryOf(document, reader, place);
#ifndef MUSTER_SCENARIO_MEMORY_ROWS_H_
#define MUSTER_SCENARIO_MEMORY_ROWS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/scenario/member_reader.h"
#include "lib/scenario/members.h"
#include "muster/event.h"
#include "muster/memory.h"
#include "muster/turn.h"

namespace muster {

// Refuse what is out of range, at `place`.
absl::StatusOr<Memory> MemoryOf(const MemoryDocument& document, const Reader& reader,
                                const Place& place);
absl::StatusOr<Turn> TurnOf(const TurnRow& row, const Reader& reader, const Place& place);

TurnRow RowOf(const Turn& turn);
// Appends an event as an object on one line.
void AppendJson(const ClusterEvent& event, std::string* out);

}  // namespace muster

#endif  // MUSTER_SCENARIO_MEMORY_ROWS_H_
