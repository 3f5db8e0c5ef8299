// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/events.h"

#include <limits>
#include <utility>
#include <vector>

#include "lib/model/access.h"
#include "python/src/convert.h"
#include "python/src/status.h"

namespace muster::python {
namespace {

template <class S>
Delta DeltaOfRow(uint64_t generation, const std::string& kind, const py::dict& fields) {
  return {.generation = generation, .object = ReadRow<S>(kind, fields)};
}

Delta DeltaOf(uint64_t generation, const std::string& kind, const py::object& object) {
  const Removal::Kind row = RemovalKind(kind);
  if (py::isinstance<py::str>(object)) {
    return {.generation = generation, .object = Removal{row, ReadText({nullptr, kind}, object)}};
  }
  const Place place{nullptr, kind};
  if (!py::isinstance<py::dict>(object)) WrongType(place, "a dict", object);
  const auto fields = object.cast<py::dict>();
  switch (row) {
    case Removal::Kind::kNode:
      return DeltaOfRow<NodeSpec>(generation, kind, fields);
    case Removal::Kind::kQueue:
      return DeltaOfRow<QueueSpec>(generation, kind, fields);
    case Removal::Kind::kJob:
      return DeltaOfRow<JobSpec>(generation, kind, fields);
    case Removal::Kind::kTask:
      return DeltaOfRow<TaskSpec>(generation, kind, fields);
    case Removal::Kind::kFlavor:
      return DeltaOfRow<FlavorSpec>(generation, kind, fields);
    case Removal::Kind::kPartition:
      return DeltaOfRow<PartitionSpec>(generation, kind, fields);
    case Removal::Kind::kReservation:
      return DeltaOfRow<ReservationSpec>(generation, kind, fields);
    case Removal::Kind::kDomain:
      return DeltaOfRow<DomainSpec>(generation, kind, fields);
    case Removal::Kind::kBudget:
      return DeltaOfRow<DisruptionBudgetSpec>(generation, kind, fields);
    case Removal::Kind::kNamespace:
      return DeltaOfRow<NamespaceSpec>(generation, kind, fields);
  }
  return {};
}

// The text of a key, or "".
std::string TextAt(const py::object& object, const char* key) {
  if (!py::isinstance<py::dict>(object)) return "";
  const auto fields = object.cast<py::dict>();
  return fields.contains(key) ? TextOrNothing(fields[key]) : "";
}

// Remembers the refusal of a row that could not be read, by the name that it has.
void NoteUnread(Cluster& cluster, const std::string& kind, const py::object& object,
                const absl::Status& why) {
  Delta delta;
  const std::string name = TextAt(object, "name");
  if (kind == "task") {
    delta.object = TaskSpec{.name = name, .job = TextAt(object, "job")};
  } else if (kind == "budget" && py::isinstance<py::dict>(object)) {
    const std::string name_space = TextAt(object, "namespace");
    delta.object = DisruptionBudgetSpec{.name = name,
                                        .name_space = name_space.empty() ? "default" : name_space};
  } else {
    delta.object = Removal{RemovalKind(kind), name};
  }
  NoteRefused(cluster, delta, why);
}

// The kind and the generation of an event.
std::pair<std::string, uint64_t> HeadOf(const py::tuple& event) {
  const Place place{nullptr, "delta"};
  std::string kind = ReadText(Place{&place, "kind"}, event[0]);
  const auto generation = static_cast<uint64_t>(
      ReadInteger(Place{&place, "generation"}, event[1], 0, std::numeric_limits<int64_t>::max()));
  return {std::move(kind), generation};
}

std::string_view OutcomeName(DeltaOutcome outcome) {
  switch (outcome) {
    case DeltaOutcome::kApplied:
      return "applied";
    case DeltaOutcome::kStale:
      return "stale";
    case DeltaOutcome::kWaiting:
      return "waiting";
    case DeltaOutcome::kRefused:
      return "refused";
  }
  return "";
}

}  // namespace

Removal::Kind RemovalKind(const std::string& kind) {
  const std::vector<std::string_view> words = {"node",   "queue",     "job",         "task",
                                               "flavor", "partition", "reservation", "domain",
                                               "budget", "namespace"};
  const Place root{nullptr, "delta"};
  return static_cast<Removal::Kind>(ReadWord(Place{&root, "kind"}, Text(kind), "kind", words));
}

Delta ReadEvent(const py::tuple& event) {
  const auto [kind, generation] = HeadOf(event);
  return DeltaOf(generation, kind, py::object(event[2]));
}

std::string_view ApplyEvent(Cluster& cluster, uint64_t generation, const std::string& kind,
                            const py::object& object) {
  RemovalKind(kind);
  Delta delta;
  try {
    delta = DeltaOf(generation, kind, object);
  } catch (const StatusError& refused) {
    NoteUnread(cluster, kind, object, refused.status());
    throw;
  }
  return OutcomeName(Value(cluster.ApplyDelta(delta)));
}

py::list ApplyEvents(Cluster& cluster, const py::list& events) {
  py::list results;
  for (const py::handle event : events) {
    const auto row = event.cast<py::tuple>();
    std::string_view outcome;
    std::string words;
    try {
      const auto [kind, generation] = HeadOf(row);
      outcome = ApplyEvent(cluster, generation, kind, py::object(row[2]));
    } catch (const StatusError& refused) {
      outcome = OutcomeName(DeltaOutcome::kRefused);
      words = refused.what();
    }
    results.append(py::make_tuple(Text(outcome), Text(words)));
  }
  return results;
}

}  // namespace muster::python
