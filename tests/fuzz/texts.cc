// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Targets of texts: scenarios, documents, spec strings, saved states, records of calls.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/base/strings.h"
#include "lib/profile/profile.h"
#include "lib/scenario/scenario.h"
#include "lib/scenario/state.h"
#include "muster/mix.h"
#include "muster/what_if.h"
#include "tests/fuzz/checks.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"
#include "tools/muster/record_player.h"

namespace muster::fuzz {
namespace {

// Gangs, borrowing, running tasks and a reason to evict.
constexpr std::string_view kWorld = R"({
  "muster": 1,
  "nodes": [{"name": "n", "count": 3, "capacity": {"cpu": 4, "memory": "8Gi", "pods": 9}}],
  "queues": [{"name": "a", "weight": 2}, {"name": "b", "guaranteed": {"cpu": 4}}],
  "jobs": [
    {"name": "x", "queue": "a", "min_available": 2,
     "groups": [{"count": 3, "shape": {"request": {"cpu": 2}}}]},
    {"name": "y", "queue": "b", "priority": 5, "min_available": 1,
     "groups": [{"count": 2, "shape": {"request": {"cpu": 1}}}]},
    {"name": "z", "queue": "a"}],
  "tasks": [
    {"name": "z0", "job": "z", "node": "n0", "status": "running", "shape": {"request": {"cpu": 3}}},
    {"name": "z1", "job": "z", "node": "n1", "status": "running", "shape": {"request": {"cpu": 3}}}]
})";

Cluster WorldOf(std::string_view text) {
  const absl::StatusOr<Scenario> scenario = ParseScenario(text);
  if (!scenario.ok()) Fail(scenario.status().ToString());
  Cluster cluster;
  Require(Fill(*scenario, &cluster).ok(), "the world of this file is refused");
  return cluster;
}

// The fields of a state with their lengths, and the digest behind them. Where the text has lengths
// of its own, they would hide all else from the fuzzer.
std::string StateOf(std::string_view fields) {
  std::string text = "muster state 1\n";
  while (!fields.empty()) {
    const std::string_view field = NextPart(&fields);
    absl::StrAppend(&text, field.size(), ":", ToAbsl(field), "\n");
  }
  Digest digest;
  digest.Add(text);
  absl::StrAppend(&text, 32, ":", digest.Hex(), "\n");
  return text;
}

}  // namespace

void FuzzScenario(std::string_view bytes) {
  const absl::StatusOr<Scenario> scenario = ParseScenario(bytes, kFuzzLimits);
  if (!scenario.ok()) {
    CheckWords(scenario.status());
    return;
  }
  CheckRoundTrip(*scenario);
  Cluster cluster;
  if (!Fill(*scenario, &cluster).ok()) return;
  const std::string profile = scenario->profile.empty() ? "muster" : scenario->profile;
  const absl::StatusOr<Plan> plan = CheckedSchedule(&cluster, profile, scenario->options);
  if (plan.ok()) {
    CheckExpectation(*plan, cluster.Freeze(), scenario->expect);
    if (!cluster.Apply(*plan).ok()) Fail("a plan cannot be applied");
  }
  CheckCopies(&cluster, profile, scenario->options);
}

void FuzzDocument(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string_view text = bytes.substr(1);
  switch (bytes[0]) {
    case 'c': {
      const absl::StatusOr<std::vector<WhatIfChange>> changes = ParseChanges(text, kFuzzLimits);
      if (!changes.ok()) return;
      Cluster cluster = WorldOf(kWorld);
      const std::string before = RowsOf(cluster);
      for (const char* profile : {"muster", "volcano"}) {
        const absl::StatusOr<Outlook> outlook = WhatIf(cluster, profile, *changes);
        if (outlook.ok()) CheckJson(WriteOutlook(*outlook), "an outlook");
        const absl::StatusOr<Outlook> frozen = WhatIf(cluster.Freeze(), profile, *changes);
        Require(outlook.ok() == frozen.ok(), "a what-if differs between cluster and snapshot");
        if (outlook.ok()) {
          Require(WriteOutlook(*outlook) == WriteOutlook(*frozen), "a what-if over a snapshot");
        }
      }
      Require(RowsOf(cluster) == before, "a what-if changed the rows");
      return;
    }
    case 't': {
      const absl::StatusOr<Turn> turn = ParseTurn(text);
      if (!turn.ok()) return;
      const absl::StatusOr<Turn> again = ParseTurn(WriteTurn(*turn));
      Require(again.ok() && *again == *turn, "a turn that is written is read as another");
      Cluster cluster = WorldOf(kWorld);
      CheckedSchedule(&cluster, "muster", {.turn = *turn}).IgnoreError();
      return;
    }
    case 'm': {
      const absl::StatusOr<Memory> memory = Memory::Parse(text);
      if (!memory.ok()) return;
      const absl::StatusOr<Memory> again = Memory::Parse(memory->ToText());
      Require(again.ok() && *again == *memory, "a memory that is written is read as another");
      Cluster cluster = WorldOf(kWorld);
      cluster.SetMemory(*memory);
      CheckCopies(&cluster, "volcano:predicates(sampling=adaptive)", {});
      CheckCopies(&cluster, "koordinator", {.now = 5});
      return;
    }
    default: {
      const absl::StatusOr<TraceMix> mix = ParseTraceMix({"mix", text});
      if (!mix.ok()) return;
      Require(CheckMix(*mix).ok(), "a mix that was read is refused");
      const absl::StatusOr<Trace> trace =
          GenerateTrace(*mix, {.jobs = 20, .nodes = 3, .limits = kFuzzLimits});
      if (trace.ok()) Require(CheckTrace(*trace).ok(), "a trace that was made is refused");
    }
  }
}

void FuzzSpec(std::string_view bytes) {
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(bytes);
  if (!config.ok()) {
    CheckWords(config.status());
    return;
  }
  Cluster cluster = WorldOf(kWorld);
  const absl::StatusOr<Plan> plan = CheckedSchedule(&cluster, bytes, {.now = 10, .seed = 3});
  if (plan.ok() && cluster.Apply(*plan).ok()) {
    CheckedSchedule(&cluster, bytes, {.now = 20}).IgnoreError();
  }
}

void FuzzState(std::string_view bytes) {
  const std::string text = StateOf(bytes);
  Cluster cluster;
  Require(cluster.AddNode({.name = "kept"}).ok(), "a node is refused");
  const std::string before = RowsOf(cluster);
  if (!LoadState(text, &cluster, kFuzzLimits).ok()) {
    Require(RowsOf(cluster) == before, "a state that was refused changed the cluster");
    return;
  }
  const std::string saved = SaveState(&cluster);
  Cluster again;
  const absl::Status loaded = LoadState(saved, &again);
  if (!loaded.ok()) Fail(absl::StrCat("a saved state is refused: ", loaded.ToString()));
  Require(SaveState(&again) == saved, "a state that was loaded is saved as another");
  CheckCopies(&cluster, "muster", {.now = 1});
}

void FuzzRecord(std::string_view bytes) {
  RecordPlayer player({.other = "volcano", .shown = 1, .limits = kFuzzLimits});
  std::string out;
  player.PlayAll(bytes, &out).IgnoreError();
  CheckCopies(&player.cluster(), "muster", {.now = 1});
}

}  // namespace muster::fuzz
