// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Names in traces: what no row of a cluster can have is refused where it is read, and CheckTrace
// refuses every row that Replay would.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "muster/replay.h"
#include "muster/trace.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

TEST(Names, ALineThatIsNotUtf8IsBad) {
  const TraceFile jobs{"jobs.csv", "submit,run,user\n0,60,a\n5,60,\xFF\n"};
  const absl::StatusOr<Trace> refused = ReadCsv({jobs}, {.processors = 4});
  EXPECT_EQ(std::string(refused.status().message()), "jobs.csv:3: the line is not UTF-8");
  ReadReport report;
  const absl::StatusOr<Trace> rest =
      ReadCsv({jobs}, {.processors = 4, .read = {.skip_bad_lines = true}}, &report);
  ASSERT_TRUE(rest.ok()) << rest.status();
  EXPECT_EQ(rest->size(), 1u);
  EXPECT_EQ(report.bad, 1);
}

TEST(Names, AHeaderThatIsNotUtf8IsRefused) {
  const absl::StatusOr<Trace> refused =
      ReadCsv({{"jobs.csv", "submit,run,request.\xC3\n0,60,1\n"}}, {.processors = 4});
  EXPECT_EQ(std::string(refused.status().message()), "jobs.csv:1: the line is not UTF-8");
}

TEST(Names, ATraceThatReplayRefusesIsNotRead) {
  const absl::StatusOr<Trace> refused =
      ReadCsv({{"jobs.csv", "submit,run,queue,request.cpu\n0,60,a,1\n"},
               {"nodes.csv", "name,capacity.cpu\nn,4\n"},
               {"queues.csv", "name,parent\na,b\n"}});
  EXPECT_EQ(std::string(refused.status().message()),
            "jobs.csv: queue \"a\": parent \"b\" does not exist");
}

Trace Valid() {
  Trace trace{.name = "t"};
  trace.machine.domains = {{.name = "d"}};
  trace.machine.nodes = {{.name = "n", .capacity = {{"cpu", 4}}, .domain = "d"}};
  trace.shapes = {{.request = {{"cpu", 1}}}};
  trace.queues = {{.name = "a"}, {.name = "b", .parent = "a"}};
  trace.users = {"u"};
  EXPECT_TRUE(AddJob({.name = "j", .run = 60, .queue = 1, .user = 0}, &trace).ok());
  return trace;
}

TEST(Names, CheckTraceRefusesWhatReplayWould) {
  ASSERT_TRUE(CheckTrace(Valid()).ok());
  ASSERT_TRUE(Replay(Valid(), "muster").ok());
  const std::string long_name(5000, 'x');
  struct Case {
    const char* words;
    std::function<void(Trace&)> break_it;
  };
  const Case cases[] = {
      {"name is empty", [](Trace& t) { t.machine.nodes[0].name = ""; }},
      {"longer than 4096", [&](Trace& t) { t.machine.nodes[0].name = long_name; }},
      {"not UTF-8", [](Trace& t) { t.machine.nodes[0].name = "\xFF"; }},
      {"unknown unit",
       [](Trace& t) {
         t.machine.nodes[0].capacity = {{"cpu", "5x"}};
       }},
      {"does not exist", [](Trace& t) { t.machine.nodes[0].domain = "e"; }},
      {"not UTF-8", [](Trace& t) { t.machine.domains[0].tier_name = "\xFF"; }},
      {"name is empty", [](Trace& t) { t.queues[0].name = ""; }},
      {"does not exist", [](Trace& t) { t.queues[1].parent = "c"; }},
      {"unknown unit",
       [](Trace& t) {
         t.shapes[0].request = {{"cpu", "5x"}};
       }},
      {"not UTF-8", [](Trace& t) { t.users[0] = "\xFF"; }},
      {"not UTF-8", [](Trace& t) { t.names[0] = "\xFF"; }},
      {"not UTF-8", [](Trace& t) { t.name = "\xFF"; }},
      {"no node or domain of nodes", [](Trace& t) { t.node_events = {{.name = "m"}}; }},
      {"at most 134217728 tasks", [](Trace& t) { t.tasks[0] = 1u << 31; }},
  };
  for (const Case& one : cases) {
    Trace trace = Valid();
    one.break_it(trace);
    const absl::Status status = CheckTrace(trace);
    EXPECT_FALSE(status.ok()) << one.words;
    EXPECT_THAT(std::string(status.message()), HasSubstr(one.words));
  }
}

}  // namespace
}  // namespace muster
