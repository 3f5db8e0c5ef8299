// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Memories as text, alone and in scenarios, with their events and turns; what cannot be read is
// refused by place.
#include "muster/memory.h"

#include <string>

#include "gtest/gtest.h"
#include "lib/model/memory_data.h"
#include "lib/scenario/scenario.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

Memory SampleMemory() {
  internal::MemoryData data;
  internal::MemoryData::Slot& slot = data.slots["a \"slot\""];
  slot.version = 3;
  slot.generation = 41;
  MemorySlot rows;
  rows.Set("task/1", {int64_t{-7}, 2.0, 0.1, -0.0, 1e300, std::string("x\ny")});
  rows.Set("", {});
  slot.rows = internal::SharedRows(std::move(rows));
  data.slots["empty"].generation = 7;
  return internal::MakeMemory(std::move(data));
}

TEST(MemoryText, ReadsBackEqual) {
  const Memory memory = SampleMemory();
  const absl::StatusOr<Memory> read = Memory::Parse(memory.ToText());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(*read == memory);
  EXPECT_EQ(read->ToText(), memory.ToText());
  const absl::StatusOr<Memory> none = Memory::Parse(Memory().ToText());
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_TRUE(none->empty());
}

TEST(MemoryText, WhatIsCutOrDamagedIsRefused) {
  const std::string text = SampleMemory().ToText();
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(Memory::Parse(text.substr(0, size)).ok()) << size;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    for (const char byte : {'\0', '"', '{', '9', '\xff'}) {
      std::string damaged = text;
      damaged[i] = byte;
      const absl::StatusOr<Memory> read = Memory::Parse(damaged);
      if (read.ok()) {
        EXPECT_TRUE(Memory::Parse(read->ToText()).ok()) << damaged;
      } else {
        EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument) << damaged;
      }
    }
  }
}

TEST(MemoryText, RefusalsNamePlaceAndRule) {
  const struct {
    const char *text, *message;
  } rows[] = {
      {R"({"version": 2, "slots": {}})", "memory: version: 2 is not known; this reads 1"},
      {R"({"slots": {}})", "memory: key \"version\" is missing"},
      {R"({"version": 1, "slots": {"s": {"version": 0, "generation": 1, "rows": {}}}})",
       "memory: slots.s.version: 0 is no version; versions begin with 1"},
      {R"({"version": 1, "slots": {"s": {"version": 1, "generation": 9223372036854775808, "rows": {}}}})",
       "memory: slots.s.generation: 9223372036854775808 is not in 0..9223372036854775807"},
      {R"({"version": 1, "slots": {"s": {"version": 1, "generation": 1, "rows": {"k": [true]}}}})",
       "memory: slots.s.rows.k[0]: expected a number or a text, got true"},
      {R"({"version": 1, "slots": {"s": {"version": 1, "rows": {}}}})",
       "memory: slots.s: key \"generation\" is missing"},
      {R"({"version": 1, "slots": {}, "version": 1})", "memory: key \"version\" is given twice"},
      {R"({"version": 1, "slot": {}})", "memory: unknown key \"slot\", did you mean \"slots\"?"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Memory::Parse(row.text).status().message(), row.message) << row.text;
  }
}

constexpr char kHead[] = R"({"muster": 1, "options": {"turn": {"heartbeats": ["n"]}},
  "memory": {"version": 1, "slots": {"s": {"version": 1, "generation": 5, "rows": {"k": [1]}}}})";

TEST(MemoryInScenario, WithItsEventsAndTurn) {
  const absl::StatusOr<Scenario> scenario =
      ParseScenario(std::string(kHead) + R"(, "events": [{"kind": "node_changed", "name": "n",
        "aspects": ["taints", "capacity_grew"]}, {"kind": "task_ended", "name": "t", "node": "n"}]})");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_EQ(scenario->memory.Find("s")->Integer("k"), 1);
  EXPECT_TRUE(scenario->options.turn == Turn(Heartbeats{{"n"}}));
  ASSERT_EQ(scenario->events->size(), 2u);
  EXPECT_EQ((*scenario->events)[0].aspects, uint32_t{kTaintsChanged | kCapacityGrew});
  EXPECT_TRUE(FreesNode((*scenario->events)[1]));

  const absl::StatusOr<Scenario> again = ParseScenario(WriteScenario(*scenario));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->memory == scenario->memory);
  EXPECT_TRUE(again->events == scenario->events);
  EXPECT_TRUE(again->options.turn == scenario->options.turn);

  Cluster cluster;
  Accept(Fill(*scenario, &cluster));
  const Scenario described = Describe(cluster);
  EXPECT_TRUE(described.memory == scenario->memory);
  EXPECT_TRUE(described.events == scenario->events);
}

TEST(MemoryInScenario, NoListIsNotAnEmptyList) {
  for (const bool listed : {false, true}) {
    const absl::StatusOr<Scenario> scenario =
        ParseScenario(std::string(kHead) + (listed ? ", \"events\": []}" : "}"));
    ASSERT_TRUE(scenario.ok()) << scenario.status();
    EXPECT_EQ(scenario->events.has_value(), listed);
    const absl::StatusOr<Scenario> again = ParseScenario(WriteScenario(*scenario));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->events.has_value(), listed);
    Cluster cluster;
    Accept(Fill(*scenario, &cluster));
    const Scenario described = Describe(cluster);
    EXPECT_EQ(described.events.has_value(), listed);
  }
}

TEST(MemoryInScenario, Refusals) {
  const struct {
    const char *text, *message;
  } rows[] = {
      {R"({"muster": 1, "memory": {"version": 9, "slots": {}}})",
       "scenario: memory.version: 9 is not known; this reads 1"},
      {R"({"muster": 1, "events": []})",
       "scenario: events: there is no memory; events are what a memory has not seen"},
      {R"({"muster": 1, "events": [{"kind": "node_chang", "name": "n"}]})",
       "scenario: events[0].kind: unknown kind \"node_chang\", did you mean \"node_changed\"?"},
      {R"({"muster": 1, "events": [{"kind": "node_changed", "name": "n", "aspects": ["taint"]}]})",
       "scenario: events[0].aspects: unknown aspect \"taint\", did you mean \"taints\"?"},
      {R"({"muster": 1, "options": {"turn": {"decisions": 1, "event": true}}})",
       "scenario: options.turn: more than one kind of turn; a turn is of one kind"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(ParseScenario(row.text).status().message(), row.message) << row.text;
  }
}

}  // namespace
}  // namespace muster::testing
