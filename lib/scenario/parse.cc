// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A scenario's sections, row by row, to specs; member_reader.h reads the rows.
#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/float_env.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/model/words.h"
#include "lib/scenario/amounts.h"
#include "lib/scenario/charge.h"
#include "lib/scenario/foreign_text.h"
#include "lib/scenario/member_reader.h"
#include "lib/scenario/memory_rows.h"
#include "lib/scenario/scenario.h"

namespace muster {
namespace {

// A shape given by name. It is filled in once all of "shapes" is known, which may come last in the
// document.
struct ShapeUse {
  enum class Table : uint8_t { kJobs, kTasks, kReservations } table;
  size_t row, group;
  std::string name;
};

class ScenarioSink : public RowSink {
 public:
  explicit ScenarioSink(Budget* budget) : budget_(budget) {}

  absl::StatusOr<Section> OnSection(std::string_view key) override {
    static constexpr std::string_view kKeys[] = {
        "muster",  "shapes",     "nodes",   "queues",        "jobs",         "tasks",   "domains",
        "budgets", "namespaces", "flavors", "partitions",    "reservations", "profile", "options",
        "memory",  "events",     "expect",  "default_queue", "left_out"};
    const auto* known = std::find(std::begin(kKeys), std::end(kKeys), key);
    if (known == std::end(kKeys)) {
      static constexpr std::string_view kOfDumps[] = {
          "apiVersion", "kind", "items", "applications", "clusterInfo", "timestamp", "MyType"};
      const bool of_dump = std::ranges::find(kOfDumps, key) != std::end(kOfDumps);
      return absl::InvalidArgumentError(
          absl::StrCat("scenario: ", UnknownWord("key", key, kKeys),
                       of_dump ? "; muster import makes a scenario of a dump" : ""));
    }
    has_version_ |= key == "muster";
    if (key == "shapes") return Section::kRowsInObject;
    if (key == "events") scenario_.events.emplace();
    const bool whole = key == "muster" || key == "profile" || key == "options" || key == "memory" ||
                       key == "expect" || key == "default_queue";
    return whole ? Section::kOneRow : Section::kRowsInArray;
  }

  absl::Status OnRow(std::string_view section, size_t index, const Json& row) override;
  absl::StatusOr<Scenario> Finish() &&;

 private:
  template <class T>
  absl::Status Add(const Place& place, Json row, std::vector<T>* table) {
    return reader_.ReadMembers(place, row, &table->emplace_back());
  }
  absl::Status AddNodes(const Place& place, Json row);
  absl::Status AddJob(const Place& place, Json row);
  absl::Status AddShape(const Place& place, Json row);
  // A row with a shape of its own.
  template <class T>
  absl::Status AddShaped(const Place& place, Json row, ShapeUse::Table table, std::vector<T>* rows);
  TaskShape& ShapeOf(const ShapeUse& use);
  absl::Status ReadMemory(const Place& place, Json row);
  absl::Status AddEvent(const Place& place, Json row);
  absl::Status Refuse(const Place& place, std::string_view rule) const {
    return reader_.Refuse(place, rule);
  }
  // Charges `more` rows.
  absl::Status Charge(const Place& place, int64_t more) {
    return ChargeRows(reader_, place, more, budget_);
  }

  Reader reader_{"scenario"};
  Scenario scenario_;
  bool has_version_ = false;
  HashMap<std::string, TaskShape> shapes_;
  std::vector<ShapeUse> uses_;
  Budget* budget_;
};

absl::Status ScenarioSink::OnRow(std::string_view section, size_t index, const Json& row) {
  const Place top{nullptr, section, 0, true};
  const Place place{&top, row.key(), index, section == "shapes"};
  ClusterSpec& cluster = scenario_.cluster;
  if (section == "nodes") return AddNodes(place, row);
  if (section == "queues") return Add(place, row, &cluster.queues);
  if (section == "jobs") return AddJob(place, row);
  if (section == "domains") return Add(place, row, &cluster.domains);
  if (section == "budgets") return Add(place, row, &cluster.budgets);
  if (section == "namespaces") return Add(place, row, &cluster.namespaces);
  if (section == "shapes") return AddShape(place, row);
  if (section == "default_queue") return reader_.Read(top, row, &scenario_.default_queue);
  if (section == "profile") return reader_.Read(top, row, &scenario_.profile);
  if (section == "expect") return reader_.ReadMembers(top, row, &scenario_.expect);
  if (section == "memory") return ReadMemory(top, row);
  if (section == "events") return AddEvent(place, row);
  if (section == "flavors") return Add(place, row, &cluster.flavors);
  if (section == "partitions") return Add(place, row, &cluster.partitions);
  if (section == "left_out") return Add(place, row, &scenario_.left_out);
  if (section == "tasks") return AddShaped(place, row, ShapeUse::Table::kTasks, &cluster.tasks);
  if (section == "reservations") {
    return AddShaped(place, row, ShapeUse::Table::kReservations, &cluster.reservations);
  }
  if (section == "options") {
    ScenarioOptions options;
    absl::Status status = reader_.ReadMembers(top, row, &options);
    scenario_.options.now = options.now;
    scenario_.options.seed = options.seed;
    scenario_.options.work_budget = options.work_budget;
    if (!status.ok()) return status;
    absl::StatusOr<Turn> turn = TurnOf(options.turn, reader_, Place{&top, "turn", 0, true});
    if (turn.ok()) scenario_.options.turn = *std::move(turn);
    return turn.status();
  }
  int64_t format = 0;  // "muster"
  absl::Status status = reader_.Read(top, row, &format);
  if (!status.ok()) return status;
  return format == 1 ? status
                     : Refuse(top, absl::StrCat("format ", format, " is not known; this reads 1"));
}

absl::Status ScenarioSink::ReadMemory(const Place& place, Json row) {
  MemoryDocument document;
  if (absl::Status s = reader_.ReadMembers(place, row, &document); !s.ok()) return s;
  absl::StatusOr<Memory> memory = MemoryOf(document, reader_, place);
  if (memory.ok()) scenario_.memory = *std::move(memory);
  return memory.status();
}

absl::Status ScenarioSink::AddEvent(const Place& place, Json row) {
  EventRow event;
  if (absl::Status s = reader_.ReadMembers(place, row, &event); !s.ok()) return s;
  scenario_.events->push_back({event.kind, event.aspects.bits, event.name, event.node});
  return absl::OkStatus();
}

template <class T>
absl::Status ScenarioSink::AddShaped(const Place& place, Json row, ShapeUse::Table table,
                                     std::vector<T>* rows) {
  absl::Status status = Add(place, row, rows);
  for (auto& [row_index, name] : reader_.shape_names) {
    uses_.push_back({table, row_index, 0, std::move(name)});
  }
  reader_.shape_names.clear();
  return status;
}

TaskShape& ScenarioSink::ShapeOf(const ShapeUse& use) {
  ClusterSpec& cluster = scenario_.cluster;
  switch (use.table) {
    case ShapeUse::Table::kJobs:
      return cluster.jobs[use.row].groups[use.group].shape;
    case ShapeUse::Table::kTasks:
      return cluster.tasks[use.row].shape;
    case ShapeUse::Table::kReservations:
      break;
  }
  return cluster.reservations[use.row].shape;
}

absl::Status ScenarioSink::AddNodes(const Place& place, Json row) {
  constexpr int64_t kNoCount = std::numeric_limits<int64_t>::min();
  NodeSpec node;
  int64_t count = kNoCount;
  absl::Status status = reader_.ReadMembers(place, row, &node, "count", &count);
  if (!status.ok()) return status;
  std::vector<NodeSpec>& nodes = scenario_.cluster.nodes;
  if (count == kNoCount) {
    nodes.push_back(std::move(node));
    return absl::OkStatus();
  }
  const Place at{&place, "count", 0, true};
  if (count < 0) return Refuse(at, absl::StrCat("expected a count, got ", count));
  // The row itself is charged as one.
  if (absl::Status s = Charge(at, std::max<int64_t>(count - 1, 0)); !s.ok()) return s;
  const std::string stem = node.name;
  for (int64_t i = 0; i < count; ++i) {
    node.name = absl::StrCat(stem, i);
    nodes.push_back(node);
  }
  return absl::OkStatus();
}

absl::Status ScenarioSink::AddJob(const Place& place, Json row) {
  std::vector<JobSpec>& jobs = scenario_.cluster.jobs;
  absl::Status status = Add(place, row, &jobs);
  if (!status.ok()) return status;
  const std::vector<GroupSpec>& groups = jobs.back().groups;
  for (auto& [group, name] : reader_.shape_names) {
    uses_.push_back({ShapeUse::Table::kJobs, jobs.size() - 1, group, std::move(name)});
  }
  reader_.shape_names.clear();
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].count <= 0) continue;  // the cluster refuses counts below zero itself
    const Place in_groups{&place, "groups", 0, true}, in_group{&in_groups, {}, g, false};
    const Place at{&in_group, "count", 0, true};
    if (absl::Status s = Charge(at, groups[g].count); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status ScenarioSink::AddShape(const Place& place, Json row) {
  const auto [entry, is_new] = shapes_.try_emplace(std::string(row.key()));
  if (!is_new) return Refuse(place, "this shape is given twice");
  return reader_.ReadMembers(place, row, &entry->second);
}

absl::StatusOr<Scenario> ScenarioSink::Finish() && {
  if (!has_version_) {
    return absl::InvalidArgumentError(
        "scenario: key \"muster\" is missing; it holds the version of the format, 1");
  }
  if (scenario_.events.has_value() && scenario_.memory.empty()) {
    return absl::InvalidArgumentError(
        "scenario: events: there is no memory; events are what a memory has not seen");
  }
  const std::vector<QueueSpec>& queues = scenario_.cluster.queues;
  if (!scenario_.default_queue && std::any_of(queues.begin(), queues.end(), [](const auto& queue) {
        return queue.name == "default";
      })) {
    return absl::InvalidArgumentError(
        "scenario: default_queue: false, but queues has a row named \"default\"");
  }
  for (const ShapeUse& use : uses_) {
    const auto shape = shapes_.find(use.name);
    if (shape == shapes_.end()) {
      const bool of_job = use.table == ShapeUse::Table::kJobs;
      const char* table = use.table == ShapeUse::Table::kTasks ? "tasks[" : "reservations[";
      const std::string path = of_job ? absl::StrCat("jobs[", use.row, "].groups[", use.group, "]")
                                      : absl::StrCat(table, use.row, "]");
      return absl::InvalidArgumentError(
          absl::StrCat("scenario: ", path, ".shape: no shape is named ", Quote(use.name)));
    }
    ShapeOf(use) = shape->second;
  }
  if (absl::Status s = CheckAmounts(scenario_.cluster, *budget_); !s.ok()) return s;
  return std::move(scenario_);
}

class ChangesSink : public RowSink {
 public:
  ChangesSink(bool has_profile, Budget* budget) : has_profile_(has_profile), budget_(budget) {}

  absl::StatusOr<Section> OnSection(std::string_view key) override {
    static constexpr std::string_view kKeys[] = {"changes", "profile"};
    if (key == kKeys[0]) return Section::kRowsInArray;
    if (has_profile_ && key == kKeys[1]) return Section::kOneRow;
    const std::span<const std::string_view> known(kKeys, has_profile_ ? 2 : 1);
    return absl::InvalidArgumentError(absl::StrCat("what-if: ", UnknownWord("key", key, known)));
  }

  absl::Status OnRow(std::string_view section, size_t index, const Json& row) override {
    const Place top{nullptr, section, 0, true}, place{&top, {}, index, false};
    if (section == "profile") return reader_.Read(top, row, &text.profile);
    absl::Status status = reader_.ReadMembers(place, row, &text.changes.emplace_back());
    if (status.ok() && !reader_.shape_names.empty()) {
      status = reader_.Refuse(place, "shapes have no names here");
    }
    return status.ok() ? ChargeRows(reader_, place, RowsOf(text.changes.back()), budget_) : status;
  }

  ChangesText text;

 private:
  Reader reader_{"what-if"};
  bool has_profile_;
  Budget* budget_;
};

}  // namespace

namespace {

absl::StatusOr<ChangesText> ReadChanges(std::string_view json, bool has_profile,
                                        const Limits& limits) {
  const DefaultFloats floats;
  Budget budget(limits);
  ChangesSink sink(has_profile, &budget);
  if (absl::Status s = ReadJsonRows(json, &sink, "what-if", &budget); !s.ok()) return s;
  return std::move(sink.text);
}

}  // namespace

absl::StatusOr<std::vector<WhatIfChange>> ParseChanges(std::string_view json,
                                                       const Limits& limits) {
  absl::StatusOr<ChangesText> text = ReadChanges(json, /*has_profile=*/false, limits);
  if (!text.ok()) return text.status();
  return std::move(text->changes);
}

absl::StatusOr<ChangesText> ParseChangesText(std::string_view json, const Limits& limits) {
  return ReadChanges(json, /*has_profile=*/true, limits);
}

namespace {

// What the text looks like, and what to do, where it is no scenario at all.
absl::Status WithAdvice(std::string_view text, const absl::Status& status) {
  constexpr std::string_view kImport = "muster import makes a scenario of a dump";
  const std::string message(status.message());
  const bool at_end = message.ends_with("unexpected end of input");
  if (message == "scenario: expected an object") {
    return absl::InvalidArgumentError(absl::StrCat(message, "; ", ToAbsl(kImport)));
  }
  if (!at_end && message.find("malformed JSON") == message.npos) return status;
  const std::string foreign = ForeignText(text);
  if (foreign.empty() && !at_end) return status;
  if (foreign.empty()) return absl::InvalidArgumentError(message + "; the text is cut off");
  if (at_end) return absl::InvalidArgumentError(absl::StrCat(message, "; the text is ", foreign));
  return absl::InvalidArgumentError(
      absl::StrCat("scenario: this is ", foreign, "; a scenario is JSON; ", ToAbsl(kImport)));
}

}  // namespace

absl::StatusOr<Scenario> ParseScenario(std::string_view json, const Limits& limits) {
  Budget budget(limits);
  return ParseScenario(json, &budget);
}

absl::StatusOr<Scenario> ParseScenario(std::string_view json, Budget* budget) {
  const DefaultFloats floats;
  ScenarioSink sink(budget);
  absl::Status status = ReadJsonRows(json, &sink, "scenario", budget);
  if (!status.ok()) return WithAdvice(json, status);
  return std::move(sink).Finish();
}

}  // namespace muster
