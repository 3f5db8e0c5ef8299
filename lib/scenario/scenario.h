// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A scenario: one JSON document with a cluster, a profile, options and, optionally, what the plan
// must be. docs/scenario.md describes how to write one.
//
//   absl::StatusOr<Scenario> scenario = ParseScenario(text);
//   Cluster cluster;
//   absl::Status filled = Fill(*scenario, &cluster);
//   absl::StatusOr<Plan> plan = cluster.Schedule(scenario->profile, scenario->options);
//   for (const std::string& difference : CheckExpectation(*plan, snapshot, scenario->expect)) ...
//
// Promises. ParseScenario takes any bytes: it never crashes, recurses no deeper than 256, and needs
// time linear in the text and in the rows that it makes, which are limited. A refusal names the
// place and the rule:
//
//   scenario: jobs[3].groups[0].count: expected an integer, got "x"
//   scenario: nodes[0]: unknown key "lables", did you mean "labels"?
//   scenario: byte 120, in jobs[3].name: unexpected end of input
//
// WriteScenario and ParseScenario are inverse: a written document reads back equal, field by field.
// A shape of several groups or tasks is written once and named. Nodes that differ in a running
// number take one row.
#ifndef MUSTER_SCENARIO_SCENARIO_H_
#define MUSTER_SCENARIO_SCENARIO_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/scenario/budget.h"
#include "muster/cluster.h"
#include "muster/event.h"
#include "muster/limits.h"
#include "muster/memory.h"
#include "muster/plan.h"
#include "muster/schedule.h"
#include "muster/snapshot.h"
#include "muster/types.h"
#include "muster/what_if.h"

namespace muster {

template <class T>
using Named = std::vector<std::pair<std::string, T>>;

struct ExpectedShare {
  std::optional<Named<double>>
      deserved;  // by dimension, in the units of a plan; those not named may be anything
  std::optional<double> share;  // after the cycle
  friend bool operator==(const ExpectedShare&, const ExpectedShare&) = default;
};

// A field that is set is compared whole; an absent field is not compared.
struct Expectation {
  std::optional<Named<std::string>> binds, nominations, tentative;  // task -> node
  std::optional<Named<std::string>> moves, reservations;            // task -> node
  std::optional<std::vector<std::string>> evictions;                // tasks, in any order
  std::optional<std::vector<std::string>> admitted;                 // jobs, in any order
  // job -> its phase after the cycle. Whole: every job that changes its phase must be named.
  std::optional<Named<JobPhase>> phases;
  std::optional<Named<ExpectedShare>> shares;  // only the queues named
  // job or task -> words that its explanation must contain
  std::optional<Named<std::string>> reasons;
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

// Something of another scheduler's dump that is no row, or not the row that it was.
struct LeftOut {
  std::string name;  // as a row would be named: "namespace/pod"
  std::string why;
  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

struct Scenario {
  // False: the cluster has no queue "default", which a new one has.
  bool default_queue = true;
  ClusterSpec cluster;  // jobs with groups and counts; tasks holds only those listed one by one
  std::string profile;  // empty: the reader's choice
  // now, seed, work_budget and turn; the rest is no part of a scenario
  ScheduleOptions options;
  Memory memory;  // that the cluster keeps
  // What its oldest slot has not seen. Absent: not known, anything may have changed.
  std::optional<std::vector<ClusterEvent>> events;
  Expectation expect;
  // For explanations alone: no cycle reads it.
  std::vector<LeftOut> left_out;
};

// Charge one budget for all that the text makes: each row of a table, and each node or task that a
// count stands for. `limits` are those of this text alone.
absl::StatusOr<Scenario> ParseScenario(std::string_view json, const Limits& limits = {});
absl::StatusOr<Scenario> ParseScenario(std::string_view json, Budget* budget);
std::string WriteScenario(const Scenario& scenario);
// Return a row, or a task's shape, as the object that a document has for it, on one line.
std::string WriteRow(const NodeSpec& node);
std::string WriteRow(const QueueSpec& queue);
std::string WriteRow(const JobSpec& job);
std::string WriteRow(const TaskSpec& task);
std::string WriteRow(const DomainSpec& domain);
std::string WriteRow(const TaskShape& shape);
std::string WriteRow(const WhatIfChange& change);
// Parses
//   {"changes": [{"queue": {"name": "vision", "weight": 3}},
//                {"remove_nodes": {"labels": {"pool": "b"}}}]}
// Errors are those of a scenario, with "what-if" for its place.
absl::StatusOr<std::vector<WhatIfChange>> ParseChanges(std::string_view json,
                                                       const Limits& limits = {});
// The same, and the spec string to plan by after the changes, as a remedy has one:
//   {"changes": [], "profile": "volcano:+preempt"}
struct ChangesText {
  std::vector<WhatIfChange> changes;
  std::string profile;  // empty: the same as before
};
absl::StatusOr<ChangesText> ParseChangesText(std::string_view json, const Limits& limits = {});
// Writes {"dimensions": [...], "queues": [{"name": ..., "deserved_before": {...}, ...}]}.
std::string WriteOutlook(const Outlook& outlook);

// Replaces *cluster by the scenario's. Rows get their indices in the order of the file;
// parents may stand behind their children. On error *cluster stays as it was.
absl::Status Fill(const Scenario& scenario, Cluster* cluster);

// Fills a new cluster. On error it holds some of the rows.
absl::Status FillEmpty(const Scenario& scenario, Cluster* cluster);

// Parses a turn as the options of a scenario hold it: {"decisions": 3}, {"heartbeats": ["n1",
// "n0"]}, {"event": true}, or {} for a whole cycle. Errors are those of a scenario, with "turn" for
// its place.
absl::StatusOr<Turn> ParseTurn(std::string_view json);
std::string WriteTurn(const Turn& turn);

// The memory of a scenario into a filled cluster.
void FillMemory(const Scenario& scenario, Cluster* cluster);
// Returns a scenario that Fill makes an equal cluster of: rows and memory.
Scenario Describe(const Cluster& cluster);
Scenario Describe(const Snapshot& snapshot);

// Returns one line for each difference between the plan and the expectation; none if they agree.
// `snapshot` is the one that the plan was made from.
std::vector<std::string> CheckExpectation(const Plan& plan, const Snapshot& snapshot,
                                          const Expectation& expect);

}  // namespace muster

#endif  // MUSTER_SCENARIO_SCENARIO_H_
