// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Bad input of every kind: each is refused with the place and the rule, none crashes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lib/base/rng.h"
#include "lib/scenario/scenario.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

// The error for `text`, or "ok".
std::string ErrorOf(std::string_view text) {
  const absl::StatusOr<Scenario> scenario = ParseScenario(text);
  if (scenario.ok()) return "ok";
  EXPECT_EQ(scenario.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(scenario.status().message());
}

struct BadCase {
  const char* text;
  const char* error;
};

TEST(Parse, NamesThePlaceAndTheRule) {
  const BadCase cases[] = {
      // Types.
      {R"({"muster": 1, "jobs": [{"name": "a", "groups": [{"count": "x"}]}]})",
       R"(scenario: jobs[0].groups[0].count: expected an integer, got "x")"},
      {R"({"muster": 1, "jobs": [{"name": "a"}, {"name": "b", "min_available": 8.5}]})",
       "scenario: jobs[1].min_available: expected an integer, got 8.5"},
      {R"({"muster": 1, "jobs": [{"name": "b", "min_available": 1e3}]})",
       "scenario: jobs[0].min_available: expected an integer, got 1e3"},
      {R"({"muster": 1, "jobs": [{"name": "b", "priority": 3000000000}]})",
       "scenario: jobs[0].priority: expected an integer between -2147483648 and 2147483647, got "
       "3000000000"},
      {R"({"muster": 1, "jobs": [{"name": "b", "created": 9223372036854775808}]})",
       "scenario: jobs[0].created: expected an integer between -9223372036854775808 and "
       "9223372036854775807, "
       "got 9223372036854775808"},
      {R"({"muster": 1, "jobs": [{"name": "b", "created": 99999999999999999999}]})",
       "scenario: jobs[0].created: expected an integer, got 99999999999999999999"},
      {R"({"muster": 1, "options": {"seed": -1}})",
       "scenario: options.seed: expected an integer between 0 and 18446744073709551615, got -1"},
      {R"({"muster": 1, "nodes": [{"name": 5}]})",
       "scenario: nodes[0].name: expected a string, got 5"},
      {R"({"muster": 1, "nodes": [{"name": null}]})",
       "scenario: nodes[0].name: expected a string, got null"},
      {R"({"muster": 1, "nodes": [{"name": "a", "ready": 1}]})",
       "scenario: nodes[0].ready: expected true or false, got 1"},
      {R"({"muster": 1, "nodes": [{"name": "a", "taints": {}}]})",
       "scenario: nodes[0].taints: expected an array, got an object"},
      {R"({"muster": 1, "nodes": [{"name": "a", "labels": []}]})",
       "scenario: nodes[0].labels: expected an object, got an array"},
      {R"({"muster": 1, "nodes": [{"name": "a", "labels": {"b.c/d": 1}}]})",
       R"(scenario: nodes[0].labels["b.c/d"]: expected a string, got 1)"},
      {R"({"muster": 1, "nodes": [{"name": "a", "capacity": {"cpu": 0.5}}]})",
       R"(scenario: nodes[0].capacity.cpu: expected an integer or a text such as "500m", got 0.5)"},
      {R"({"muster": 1, "nodes": [7]})", "scenario: nodes[0]: expected an object, got 7"},
      {R"({"muster": 1, "nodes": 7})", "scenario: nodes: expected an array, got 7"},
      {R"({"muster": 1, "nodes": {}})", "scenario: nodes: expected an array, got an object"},
      {R"({"muster": 1, "shapes": []})", "scenario: shapes: expected an object, got an array"},
      {R"({"muster": 1, "shapes": {"s": 1}})", "scenario: shapes.s: expected an object, got 1"},
      {R"({"muster": 1, "profile": []})", "scenario: profile: expected a string, got an array"},
      {R"({"muster": 1, "expect": {"shares": {"q": {"share": "1"}}}})",
       R"(scenario: expect.shares.q.share: expected a number, got "1")"},
      {R"([1])", "scenario: expected an object"},
      {R"(7)", "scenario: expected an object"},
      // Keys and words.
      {R"({"muster": 1, "nodes": [{"name": "a", "lables": {}}]})",
       R"(scenario: nodes[0]: unknown key "lables", did you mean "labels"?)"},
      {R"({"muster": 1, "node": []})", R"(scenario: unknown key "node", did you mean "nodes"?)"},
      {R"({"muster": 1, "nodes": [{"name": "a", "taints": [{"k": "x"}]}]})",
       R"(scenario: nodes[0].taints[0]: unknown key "k", expected one of key, value, effect)"},
      {R"({"muster": 1, "tasks": [{"name": "a", "status": "runing"}]})",
       R"(scenario: tasks[0].status: unknown status "runing", did you mean "running"?)"},
      {R"({"muster": 1, "queues": [{"name": "a", "state": "x"}]})",
       R"(scenario: queues[0].state: unknown state "x", expected one of open, closed)"},
      {R"({"muster": 1, "shapes": {"s": {"guaranteed": true}}})",
       R"(scenario: shapes.s: unknown key "guaranteed", renamed to "guaranteed_qos")"},
      {R"({"muster": 1, "jobs": [{"name": "a", "phase": "unknown"}]})",
       R"(scenario: jobs[0].phase: unknown phase "unknown", renamed to "degraded")"},
      {R"({"muster": 1, "nodes": [{"name": "a", "taints": [{"key": "k", "effect": "Never"}]}]})",
       R"(scenario: nodes[0].taints[0].effect: unknown effect "Never", expected one of "", )"
       "NoSchedule, PreferNoSchedule, NoExecute"},
      {R"({"muster": 1, "shapes": {"s": {"tolerations": [{"op": "Like"}]}}})",
       R"(scenario: shapes.s.tolerations[0].op: unknown operator "Like", expected one of Equal, )"
       "Exists"},
      {R"({"muster": 1, "shapes": {"s": {"devices": [{"kind": "gpu", "same": "rack"}]}}})",
       R"(scenario: shapes.s.devices[0].same: unknown same "rack", expected one of "", zone, link)"},
      {R"({"muster": 1, "nodes": [{"name": "a", "alignment": "single-numa"}]})",
       R"(scenario: nodes[0].alignment: unknown alignment "single-numa", expected one of "", none)"},
      {R"({"muster": 1, "jobs": [{"name": "a", "bundle_strategy": "strictpack"}]})",
       R"(scenario: jobs[0].bundle_strategy: unknown bundle_strategy "strictpack", did you mean )"
       R"("strict_pack"?)"},
      {R"({"muster": 1, "jobs": [{"name": "a", "shape": {}}]})",
       R"(scenario: jobs[0]: unknown key "shape")"},
      {R"({"muster": 1, "nodes": [{}]})", R"(scenario: nodes[0]: key "name" is missing)"},
      {R"({"muster": 1, "jobs": [{"name": "a", "name": "b"}]})",
       R"(scenario: jobs[0]: key "name" is given twice)"},
      {R"({"muster": 1, "nodes": [{"name": "a", "capacity": {"cpu": 1, "x": 2, "cpu": 1}}]})",
       R"(scenario: nodes[0].capacity: key "cpu" is given twice)"},
      {R"({"muster": 1, "nodes": [], "nodes": []})", R"(scenario: key "nodes" is given twice)"},
      {R"({"muster": 1, "shapes": {"s": {}, "s": {}}})",
       "scenario: shapes.s: this shape is given twice"},
      {R"({"muster": 2})", "scenario: muster: format 2 is not known; this reads 1"},
      {R"({})", R"(scenario: key "muster" is missing)"},
      {R"({"muster": 1, "tasks": [{"name": "a"}, {"name": "t", "shape": "s"}]})",
       R"(scenario: tasks[1].shape: no shape is named "s")"},
      {R"({"muster": 1, "jobs": [{"name": "j", "groups": [{}, {"shape": "s"}]}]})",
       R"(scenario: jobs[0].groups[1].shape: no shape is named "s")"},
      {R"({"muster": 1, "nodes": [{"name": "a", "count": -1}]})",
       "scenario: nodes[0].count: expected a count, got -1"},
      // Text that is no JSON.
      {"", "scenario: byte 0: unexpected end of input"},
      {"{", "scenario: byte 1: unexpected end of input"},
      {R"({"muster": 1, "jobs": [{"name": "tr)",
       "scenario: byte 35, in jobs[0].name: unexpected end of input"},
      {R"({"muster": 1, "jobs": [{"name": "a")",
       "scenario: byte 35, in jobs[0]: unexpected end of input"},
      {R"({"muster": 1, "jobs": [{"name": "a"}, )",
       "scenario: byte 38, in jobs[1]: unexpected end of input"},
      {R"({"muster": 1, "jobs": [{"name": tru)",
       "scenario: byte 35, in jobs[0].name: unexpected end of input"},
      {R"({"muster": NaN})", "scenario: byte 12, in muster: malformed JSON: invalid literal"},
      {R"({"muster": 1, "options": {"now": Infinity}})",
       "in options.now: malformed JSON: invalid literal"},
      {R"({"muster": 1, "expect": {"shares": {"q": {"share": 1e999}}}})",
       "in expect.shares.q.share: the number is too large"},
      {R"({"muster": 1} x)", "malformed JSON: invalid literal"},
      {R"({"muster": 1,})", "malformed JSON: unexpected '}'"},
      {R"({"muster" 1})", "malformed JSON: unexpected number literal; expected ':'"},
      {R"({"options": {"now": 01}})", "in options: malformed JSON: unexpected number literal"},
      {"{\"muster\": 1, \"profile\": \"a\nb\"}",
       "in profile: malformed JSON: invalid string: control character U+000A"},
      {"{\"muster\": 1, \"profile\": \"\xff\"}",
       "in profile: malformed JSON: invalid string: ill-formed UTF-8 byte"},
      {"{\"muster\": 1, \"profile\": \"\xc0\x80\"}", "ill-formed UTF-8 byte"},
      {R"({"muster": 1, "profile": "\ud800"})", "surrogate"},
      {R"({"muster": 1, "profile": "\x"})", "forbidden character after backslash"},
      {"{\"muster\": 1, /* no */ \"nodes\": []}", "malformed JSON"},
  };
  for (const BadCase& c : cases) EXPECT_THAT(ErrorOf(c.text), HasSubstr(c.error)) << c.text;
}

TEST(Parse, WhatATextLooksLikeIsTold) {
  const std::string todo = "; a scenario is JSON; muster import makes a scenario of a dump";
  EXPECT_EQ(ErrorOf("muster: 1\nnodes: []\n"), "scenario: this is YAML" + todo);
  EXPECT_EQ(ErrorOf("<html></html>"),
            "scenario: this is HTML, such as the page of a log-in" + todo);
  EXPECT_EQ(ErrorOf("Error from server"),
            "scenario: this is plain text: \"Error from server\"" + todo);
  EXPECT_EQ(ErrorOf(""), "scenario: byte 0: unexpected end of input; the text is empty");
  EXPECT_EQ(ErrorOf("{\"muster\": 1"),
            "scenario: byte 12: unexpected end of input; the text is cut off");
  EXPECT_EQ(ErrorOf("[{\"foo\": 1}]"),
            "scenario: expected an object; muster import makes a scenario of a dump");
  EXPECT_THAT(ErrorOf(R"({"timestamp": 1, "partitions": []})"),
              HasSubstr("; muster import makes a scenario of a dump"));
}

TEST(Parse, EveryTruncationIsRefused) {
  const std::string text =
      R"({"muster": 1, "shapes": {"s": {"request": {"cpu": "1"}}}, "nodes": [{"name": "n\u00e9", "ready": true,)"
      R"( "capacity": {"cpu": -12}}], "jobs": [{"name": "j", "groups": [{"count": 3, "shape": "s"}]}],)"
      R"( "expect": {"shares": {"q": {"share": 0.25}}, "binds": {}}})";
  ASSERT_EQ(ErrorOf(text), "ok");
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_THAT(ErrorOf(std::string_view(text).substr(0, size)),
                HasSubstr("unexpected end of input"))
        << size;
  }
}

TEST(Parse, FlippedBytesNeverCrash) {
  const std::string text =
      R"({"muster": 1, "shapes": {"s": {"request": {"cpu": "1"}}}, "tasks": [{"name": "t", "shape": "s"}],)"
      R"( "nodes": [{"name": "a", "count": 2}], "jobs": [{"name": "j", "groups": [{"count": 3, "shape": {}}]}]})";
  Rng rng(7);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string bad = text;
    for (uint64_t flips = 1 + rng.Below(3); flips > 0; --flips) {
      bad[static_cast<size_t>(rng.Below(bad.size()))] = static_cast<char>(rng.Below(256));
    }
    refused += ErrorOf(bad) != "ok";
  }
  EXPECT_GT(refused, 15000);
}

std::string Repeat(std::string_view piece, size_t times) {
  std::string out;
  out.reserve(piece.size() * times);
  for (size_t i = 0; i < times; ++i) out.append(piece);
  return out;
}

TEST(Parse, DeepNestingIsRefused) {
  for (const size_t depth : {size_t{300}, size_t{10000}, size_t{1000000}}) {
    for (const char* head :
         {"", R"({"muster": 1, "nodes": )", R"({"muster": 1, "jobs": [{"name": "a", "x": )",
          R"({"muster": 1, "shapes": {"s": )", R"({"muster": 1, "expect": {"binds": )"}) {
      EXPECT_NE(ErrorOf(head + Repeat("[", depth)), "ok");
      EXPECT_NE(ErrorOf(head + Repeat("[", depth) + Repeat("]", depth) + "}"), "ok");
      EXPECT_NE(ErrorOf(head + Repeat(R"({"a":)", depth)), "ok");
    }
    EXPECT_THAT(ErrorOf(R"({"muster": 1, "profile": )" + Repeat("[", depth)),
                HasSubstr("nested deeper than 256"));
  }
}

TEST(Parse, NestingWithinTheLimitIsReadAndRefusedForWhatItIs) {
  EXPECT_THAT(ErrorOf(R"({"muster": 1, "profile": )" + Repeat("[", 255) + Repeat("]", 255) + "}"),
              HasSubstr("profile: expected a string, got an array"));
}

TEST(Parse, NamesMayBeAnyUnicodeAndVeryLong) {
  const std::string name = Repeat("日本🎈 ", 100000);
  const absl::StatusOr<Scenario> scenario = ParseScenario(
      R"({"muster": 1, "nodes": [{"name": ")" + name + R"("}, {"name": "\u0000\ud83c\udf88"}]})");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_EQ(scenario->cluster.nodes[0].name, name);
  EXPECT_EQ(scenario->cluster.nodes[1].name, std::string("\0🎈", 5));
  // A message shows foreign text in short.
  EXPECT_LT(ErrorOf(R"({"muster": 1, ")" + name + R"(": 1})").size(), 500u);
  EXPECT_LT(
      ErrorOf(R"({"muster": 1, "nodes": [{"name": "a", "capacity": {"x": [")" + name + R"("]}}]})")
          .size(),
      500u);
  EXPECT_LT(ErrorOf(R"({"muster": 1, "nodes": [{"labels": {")" + name + R"(": 1}}]})").size(),
            500u);
  EXPECT_LT(ErrorOf(R"({"muster": 1, "nodes": [{")" + name + R"(": "\x"}]})").size(), 500u);
}

TEST(Parse, ShapesMayStandBehindTheirUses) {
  const absl::StatusOr<Scenario> scenario = ParseScenario(
      R"({"tasks": [{"name": "t", "shape": "s"}], "jobs": [{"name": "j", "groups": [{"shape": {}}, {"shape": "s"}]}],
          "shapes": {"s": {"request": {"cpu": "1"}}}, "muster": 1})");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  const TaskShape shape{.request = {{"cpu", "1"}}};
  EXPECT_EQ(scenario->cluster.tasks[0].shape, shape);
  EXPECT_EQ(scenario->cluster.jobs[0].groups[0].shape, TaskShape());
  EXPECT_EQ(scenario->cluster.jobs[0].groups[1].shape, shape);
}

TEST(Parse, NodesWithACountAreExpanded) {
  const absl::StatusOr<Scenario> scenario = ParseScenario(
      R"({"muster": 1, "nodes": [{"name": "x", "count": 0}, {"name": "n", "count": 3, "capacity": {"cpu": 1}}]})");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  ASSERT_EQ(scenario->cluster.nodes.size(), 3u);
  EXPECT_EQ(scenario->cluster.nodes[2].name, "n2");
  EXPECT_EQ(scenario->cluster.nodes[2].capacity, (Resources{{"cpu", 1}}));
}

TEST(Parse, TheSmallestAndLargestIntegersAreRead) {
  const absl::StatusOr<Scenario> scenario = ParseScenario(
      R"({"muster": 1, "options": {"now": -9223372036854775808, "seed": 18446744073709551615},
          "nodes": [{"name": "n", "capacity": {"a": -9223372036854775808, "b": 18446744073709551615}}]})");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_EQ(scenario->options.now, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(scenario->options.seed, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(scenario->cluster.nodes[0].capacity[0].second.text, "-9223372036854775808");
  EXPECT_EQ(scenario->cluster.nodes[0].capacity[1].second.text, "18446744073709551615");
}

// Sanitizers, by which a byte costs ten times as much, get a tenth of it.
TEST(Parse, HundredMegabytesTakeBoundedTime) {
  const size_t size = size_t{std::getenv("MUSTER_SANITIZED") == nullptr ? 100u : 10u} << 20;
  const auto start = std::chrono::steady_clock::now();
  // One row that is far too large, one text, blanks, keys, digits, and rows by the hundred
  // thousand.
  EXPECT_THAT(ErrorOf(R"({"muster": 1, "nodes": [{"name": )" + Repeat("[1,", size / 3)),
              HasSubstr("nested deeper"));
  EXPECT_THAT(ErrorOf(R"({"muster": 1, "nodes": [{"name": [)" + Repeat("1,", size / 2)),
              HasSubstr("more than 4194304 values in one row"));
  EXPECT_THAT(ErrorOf(R"({"muster": 1, "profile": ")" + std::string(size, 'x')),
              HasSubstr("unexpected end"));
  EXPECT_THAT(ErrorOf(R"({"muster": )" + std::string(size, ' ')), HasSubstr("unexpected end"));
  EXPECT_THAT(ErrorOf(R"({"muster": )" + std::string(size, '1') + "}"),
              HasSubstr("the number is too large"));
  std::string rows = R"({"muster": 1, "nodes": [{"name": "first"})";
  for (int i = 0; rows.size() < size / 10; ++i) {
    rows += R"(, {"name": "node-)" + std::to_string(i) + R"(", "labels": {"some-label": ")" +
            std::string(500, 'v') + R"("}})";
  }
  EXPECT_EQ(ErrorOf(rows + "]}"), "ok");
  EXPECT_THAT(ErrorOf(rows + ", {}]}"), HasSubstr("key \"name\" is missing"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(3));
}

}  // namespace
}  // namespace muster
