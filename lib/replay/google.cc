// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Google's cells of May 2019: what happened to every instance, event by event.
//
// The trace has no table of jobs, so each instance is reconstructed from its events, by time (equal
// times in the order of the file). Time 0 is before the trace, 2^63 - 1 after it: an instance that
// was there before is submitted at 0, one that ends afterwards has no end. Amounts are parts of the
// largest machine; in parts of a million they are exact enough and integers.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/hash_map.h"
#include "lib/replay/table_reader.h"
#include "lib/replay/trace_parts.h"

namespace muster {
namespace {

constexpr int64_t kMicro = 1'000'000;
constexpr int64_t kAfterTheEnd = std::numeric_limits<int64_t>::max();
// A millionth of the unit is a thousandth of a cpu, and a mebibyte.
constexpr int64_t kMostMillionths = int64_t{1} << 40;

enum EventType {
  kSubmit = 0,
  kSchedule = 3,
  kEvict = 4,
  kFail,
  kFinish,
  kKill,
  kLost,
  kLastType = 10
};
enum MachineEvent { kAdd = 1, kRemove = 2, kLastMachineEvent = 3 };
constexpr int64_t kAllocSet = 1;  // as collection_type

// Tiers as the trace's authors define them; a queue each.
struct Tier {
  const char* name;
  int64_t most;  // priority
};
constexpr Tier kTiers[] = {{"free", 99},
                           {"batch", 115},
                           {"mid", 119},
                           {"production", 359},
                           {"monitoring", std::numeric_limits<int32_t>::max()}};

// A field of a record: "capacity.cpus", or as databases name it in a flat table.
int Record(TableReader* table, std::string_view column) {
  const std::string flat =
      absl::StrReplaceAll(absl::string_view(column.data(), column.size()), {{".", "_"}});
  const int found = table->Optional(flat);
  return found >= 0 ? found : table->Require(column);
}

absl::Status ReadMachineEvents(const TraceFile& file, Budget* budget, Trace* trace) {
  TableReader table(file, {}, nullptr, budget);
  const int time = table.Require("time"), id = table.Require("machine_id"),
            type = table.Require("type"), rack = table.Optional("switch_id"),
            cpus = Record(&table, "capacity.cpus"), memory = Record(&table, "capacity.memory");
  struct Row {
    int64_t time, kind;
    bool told;  // its capacity
    NodeSpec node;
  };
  std::vector<Row> rows;
  while (table.NextRow()) {
    const int64_t at = table.Integer(time, 0, kAfterTheEnd);
    const int64_t kind = table.Integer(type, 0, kLastMachineEvent);
    table.Integer(id, std::numeric_limits<int64_t>::min(), kAfterTheEnd);
    // Some machines' capacity is not known until they are updated.
    const bool told = table.Has(cpus) && table.Has(memory);
    const int64_t milli = told ? table.Scaled(cpus, kMicro, 0, kMostMillionths) : 0;
    const int64_t mebi = told ? table.Scaled(memory, kMicro, 0, kMostMillionths) : 0;
    if (!table.EndRow() || (kind != kAdd && kind != kRemove) || at == kAfterTheEnd) continue;
    if (!table.Charge(1)) break;
    Row& row = rows.emplace_back(Row{at, kind, told, {}});
    row.node.name = std::string(table.Text(id));
    row.node.capacity = {{"cpu", absl::StrCat(milli, "m")}, {"memory", mebi * kMebi}};
    row.node.domain = std::string(table.Text(rack));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.time < b.time; });
  Numbers names, racks;
  std::vector<uint8_t> is_there;  // by machine
  for (Row& row : rows) {
    const bool adds = row.kind == kAdd;
    if (!(adds && row.told) && !names.Has(row.node.name)) continue;
    const auto [machine, is_new] = names.Of(row.node.name);
    const int64_t seconds = row.time / kMicro;
    if (is_new) {
      is_there.push_back(1);
      if (!row.node.domain.empty() && racks.Of(row.node.domain).second) {
        trace->machine.domains.push_back({.name = row.node.domain});
      }
      if (seconds > 0) {
        trace->node_events.push_back({seconds, NodeEvent::Kind::kJoin, row.node.name});
      }
      trace->machine.nodes.push_back(std::move(row.node));
    } else if (adds != (is_there[machine] != 0)) {
      is_there[machine] = adds;
      const auto kind = adds ? NodeEvent::Kind::kReturn : NodeEvent::Kind::kFail;
      trace->node_events.push_back({seconds, kind, row.node.name});
    }
  }
  return table.status();
}

absl::Status ReadUsers(const TraceFile& file, const Reading& reading,
                       HashMap<int64_t, uint32_t>* user_of, Trace* trace) {
  TableReader table(file, reading.options, reading.report, reading.budget);
  const int id = table.Require("collection_id"), user = table.Require("user");
  Numbers users;
  while (table.NextRow()) {
    const int64_t collection = table.Integer(id, std::numeric_limits<int64_t>::min(), kAfterTheEnd);
    if (!table.EndRow() || !table.Has(user)) continue;
    const auto [number, added] = users.Of(table.Text(user));
    if (added) trace->users.emplace_back(table.Text(user));
    user_of->try_emplace(collection, number);
  }
  if (reading.report != nullptr) reading.report->lines = 0;  // those of the events are counted
  return table.status();
}

// What is known of an instance, up to an event.
struct Instance {
  int64_t collection, index;
  int64_t submit = kAbsent, began = kAbsent, ended = kAbsent;
  int64_t milli = 0, mebi = 0, priority = 0;
  bool inside_alloc = false;
};

struct InstanceEvent {
  int64_t time;
  uint32_t instance;
  uint8_t type;
};

void Tell(const InstanceEvent& event, Instance* told) {
  if (event.type == kSubmit && told->submit == kAbsent) told->submit = event.time;
  if (event.type == kSchedule) {
    if (told->submit == kAbsent) told->submit = event.time;
    told->began = event.time;
    told->ended = kAbsent;
  }
  const bool ends = event.type >= kEvict && event.type <= kLost;
  if (ends && told->began != kAbsent && told->ended == kAbsent) told->ended = event.time;
}

// All instances in the order of their first rows, and what happened to them.
struct InstanceEvents {
  std::vector<Instance> instances;
  std::vector<InstanceEvent> events;
};

// The columns of the table of events.
struct EventColumns {
  explicit EventColumns(TableReader* table)
      : time(table->Require("time")),
        type(table->Require("type")),
        collection(table->Require("collection_id")),
        index(table->Require("instance_index")),
        kind(table->Require("collection_type")),
        priority(table->Require("priority")),
        alloc(table->Require("alloc_collection_id")),
        cpus(Record(table, "resource_request.cpus")),
        memory(Record(table, "resource_request.memory")) {}

  const int time, type, collection, index, kind, priority, alloc, cpus, memory;
};

constexpr int64_t kLeastId = std::numeric_limits<int64_t>::min();

// Reads what a row tells of its instance, with requests of 0 where it has none.
Instance ReadInstance(const EventColumns& at, TableReader* table) {
  constexpr int64_t kMostNumber = std::numeric_limits<int32_t>::max();
  Instance row = {};
  row.collection = table->Integer(at.collection, kLeastId, kAfterTheEnd);
  row.index = table->Integer(at.index, 0, kMostNumber);
  if (table->Has(at.priority)) row.priority = table->Integer(at.priority, 0, kMostNumber);
  const bool is_alloc = table->Has(at.kind) && table->Integer(at.kind, 0, kAllocSet) == kAllocSet;
  row.inside_alloc =
      !is_alloc && table->Has(at.alloc) && table->Integer(at.alloc, kLeastId, kAfterTheEnd) != 0;
  if (table->Has(at.cpus) && table->Has(at.memory)) {
    row.milli = table->Scaled(at.cpus, kMicro, 0, kMostMillionths);
    row.mebi = table->Scaled(at.memory, kMicro, 0, kMostMillionths);
  }
  return row;
}

absl::StatusOr<InstanceEvents> ReadEvents(const TraceFile& file, const Reading& reading) {
  TableReader table(file, reading.options, reading.report, reading.budget);
  const EventColumns columns(&table);
  InstanceEvents read;
  HashMap<std::pair<int64_t, int64_t>, uint32_t> known;
  while (table.NextRow()) {
    const int64_t at = table.Integer(columns.time, 0, kAfterTheEnd);
    const int64_t what = table.Integer(columns.type, 0, kLastType);
    const Instance row = ReadInstance(columns, &table);
    if (!table.EndRow()) continue;
    const auto [found, added] = known.try_emplace(std::pair(row.collection, row.index),
                                                  static_cast<uint32_t>(read.instances.size()));
    if (added && !table.Charge(1)) break;
    if (added) read.instances.push_back({.collection = row.collection, .index = row.index});
    Instance& instance = read.instances[found->second];
    instance.inside_alloc = row.inside_alloc;
    instance.priority = row.priority;
    instance.milli = std::max(instance.milli, row.milli);
    instance.mebi = std::max(instance.mebi, row.mebi);
    if (at != kAfterTheEnd) read.events.push_back({at, found->second, static_cast<uint8_t>(what)});
  }
  if (!table.status().ok()) return table.status();
  return read;
}

// Returns why the instance makes no job; null where it makes one.
const char* WhatLacks(const Instance& told) {
  if (told.inside_alloc) return "inside an alloc instance";
  if (told.began == kAbsent) return "never started";
  if (told.ended == kAbsent) return "never ended";
  return told.ended == told.began ? "no run time" : nullptr;
}

}  // namespace

absl::StatusOr<Trace> ReadGoogle2019(const Google2019Files& files, const ReadOptions& options,
                                     ReadReport* report) {
  Trace trace;
  trace.name = files.instances.name;
  Budget budget(options.limits);
  for (const Tier& tier : kTiers) trace.queues.push_back({.name = tier.name});
  if (absl::Status s = ReadMachineEvents(files.machines, &budget, &trace); !s.ok()) return s;
  HashMap<int64_t, uint32_t> user_of;
  if (!files.collections.bytes.empty()) {
    absl::Status read = ReadUsers(files.collections, {options, report, &budget}, &user_of, &trace);
    if (!read.ok()) return read;
  }

  absl::StatusOr<InstanceEvents> read = ReadEvents(files.instances, {options, report, &budget});
  if (!read.ok()) return read.status();
  auto& [instances, events] = *read;
  std::stable_sort(events.begin(), events.end(),
                   [](const InstanceEvent& a, const InstanceEvent& b) { return a.time < b.time; });
  for (const InstanceEvent& event : events) Tell(event, &instances[event.instance]);
  Numbers shapes;
  for (size_t row = 0; row < instances.size(); ++row) {
    const Instance& told = instances[row];
    if (const char* lacks = WhatLacks(told); lacks != nullptr) {
      Drop(lacks, report);
      continue;
    }
    TraceJob job;
    job.id = static_cast<int64_t>(row);
    job.name = absl::StrCat(told.collection, "-", told.index);
    job.submit = told.submit / kMicro;
    job.run = (told.ended - told.began + kMicro - 1) / kMicro;
    job.priority = static_cast<int32_t>(told.priority);
    while (told.priority > kTiers[job.queue].most) ++job.queue;
    if (const auto user = user_of.find(told.collection); user != user_of.end()) {
      job.user = user->second;
    }
    const auto [shape, added] = shapes.Of(absl::StrCat(told.milli, "/", told.mebi));
    if (added) {
      trace.shapes.push_back(
          {.request = {{"cpu", absl::StrCat(told.milli, "m")}, {"memory", told.mebi * kMebi}}});
    }
    job.shape = shape;
    if (absl::Status s = AddJob(job, &trace); !s.ok()) return s;
  }
  SortBySubmission(&trace);
  if (report != nullptr) report->jobs = static_cast<int64_t>(trace.size());
  return Checked(std::move(trace));
}

}  // namespace muster
