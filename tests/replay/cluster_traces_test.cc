// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Readers of Alibaba's and Google's traces, over small tables with the published columns
// (tests/data/traces): what becomes of a row, and every way a row can be bad.
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "muster/replay.h"
#include "muster/trace.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string Table(const std::string& name) {
  std::ifstream file(absl::StrCat("tests/data/traces/", name), std::ios::binary);
  EXPECT_TRUE(file) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string Message(const absl::Status& status) { return std::string(status.message()); }

std::string TextOf(const Resources& amounts, const std::string& name) {
  for (const auto& [resource, amount] : amounts) {
    if (resource == name) return amount.text;
  }
  return "";
}

class Pai : public ::testing::Test {
 protected:
  absl::StatusOr<Trace> Read(const ReadOptions& options = {}) {
    report_ = {};
    return ReadAlibaba2020({{"tasks", tasks_}, {"machines", machines_}, {"jobs", jobs_}}, options,
                           &report_);
  }
  std::string tasks_ = Table("pai_task_table.csv"), machines_ = Table("pai_machine_spec.csv"),
              jobs_ = Table("pai_job_table.csv");
  ReadReport report_;
};

TEST_F(Pai, MakesAGangOfEachRole) {
  const absl::StatusOr<Trace> trace = Read();
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_TRUE(CheckTrace(*trace).ok());
  EXPECT_EQ(report_.lines, 7);
  EXPECT_EQ(report_.jobs, 3);
  EXPECT_THAT(report_.dropped, ElementsAre(Pair("never ended", 1), Pair("never started", 1),
                                           Pair("no instances", 1), Pair("no run time", 1)));
  // By submission, the first at 0: b2 at 50, both roles of a1 at 100 as its job was.
  EXPECT_THAT(trace->names, ElementsAre("b2/tensorflow", "a1/worker", "a1/ps"));
  EXPECT_THAT(trace->submit, ElementsAre(0, 50, 50));
  EXPECT_THAT(trace->run, ElementsAre(40, 60, 62));
  EXPECT_THAT(trace->tasks, ElementsAre(1, 2, 1));
  EXPECT_EQ(trace->users[trace->user[0]], "bob");
  EXPECT_EQ(trace->users[trace->user[1]], "alice");
  const Resources& worker = trace->shapes[trace->shape[1]].request;
  EXPECT_EQ(TextOf(worker, "cpu"), "6000m");
  EXPECT_EQ(TextOf(worker, "memory"), absl::StrCat(int64_t{30000} << 20));
  EXPECT_EQ(TextOf(worker, "nvidia.com/gpu"), "1000m");
  EXPECT_EQ(TextOf(trace->shapes[trace->shape[0]].request, "nvidia.com/gpu"), "250m");
  EXPECT_EQ(TextOf(trace->shapes[trace->shape[2]].request, "nvidia.com/gpu"), "");
  ASSERT_EQ(trace->machine.nodes.size(), 3u);
  EXPECT_EQ(TextOf(trace->machine.nodes[1].capacity, "nvidia.com/gpu"), "8");
  EXPECT_EQ(TextOf(trace->machine.nodes[1].capacity, "cpu"), "96000m");
  EXPECT_EQ(trace->machine.nodes[1].labels[0].second, "V100");
  EXPECT_THAT(trace->machine.nodes[2].labels, IsEmpty());
  const absl::StatusOr<ReplayResult> result = Replay(*trace, "volcano");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->start, ElementsAre(0, 50, 50));
}

TEST_F(Pai, DoesWithoutUsersAndWithHeaders) {
  jobs_.clear();
  tasks_ = absl::StrCat(
      "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_"
      "type\n",
      tasks_);
  machines_ = absl::StrCat("machine,gpu_type,cap_cpu,cap_mem,cap_gpu\n", machines_);
  const absl::StatusOr<Trace> trace = Read();
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_THAT(trace->names, ElementsAre("b2/tensorflow", "a1/ps", "a1/worker"));
  EXPECT_THAT(trace->submit, ElementsAre(0, 58, 60));
  EXPECT_THAT(trace->users, IsEmpty());
}

TEST_F(Pai, SaysWhatIsBad) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"g7,w,1.0,Terminated,10.0,5.0,1,1,0,", "tasks:8: end_time: it ended before it started"},
      {"g7,w,1.0,Terminated,-1,5.0,1,1,0,", "tasks:8: start_time: \"-1\" is below 0"},
      {"g7,w,nan,Terminated,1,5.0,1,1,0,", "tasks:8: inst_num: \"nan\" is not a number"},
      {"g7,w,1,Terminated,1,5.0,x,1,0,", "tasks:8: plan_cpu: \"x\" is no number"},
      {"g7,w,1,Terminated,1,5.0,1,1,-50,", "tasks:8: plan_gpu: \"-50\" is below 0"},
      {"g7;w;1;Terminated", "tasks:8: 1 fields, the header has 10"}};
  const std::string good = tasks_;
  for (const auto& [line, message] : bad) {
    tasks_ = good + line + "\n";
    EXPECT_THAT(Message(Read().status()), HasSubstr(message));
    const absl::StatusOr<Trace> trace = Read({.skip_bad_lines = true});
    ASSERT_TRUE(trace.ok()) << trace.status();
    EXPECT_EQ(trace->size(), 3u);
    EXPECT_EQ(report_.bad, 1);
    EXPECT_THAT(report_.bad_lines, ElementsAre(HasSubstr(message)));
  }
  tasks_ = good;
  machines_ += "m-one,T4,96,512,2\n";
  EXPECT_THAT(Message(Read().status()),
              HasSubstr("machines:4: machine: the machine is there twice"));
  machines_ = "m,T4,96,many,2\n";
  EXPECT_THAT(Message(Read().status()), HasSubstr("machines:1: cap_mem: \"many\" is no number"));
  machines_ = Table("pai_machine_spec.csv");
  jobs_ += "h8,i,carol,Terminated,noon,\n";
  EXPECT_THAT(Message(Read().status()), HasSubstr("jobs:4: start_time: \"noon\" is no number"));
}

class Borg : public ::testing::Test {
 protected:
  absl::StatusOr<Trace> Read(const ReadOptions& options = {}) {
    report_ = {};
    return ReadGoogle2019({{"events", events_}, {"machines", machines_}, {"collections", owners_}},
                          options, &report_);
  }
  std::string events_ = Table("google_instance_events.csv"),
              machines_ = Table("google_machine_events.csv"),
              owners_ = Table("google_collection_events.csv");
  ReadReport report_;
};

TEST_F(Borg, TellsEachInstancesStory) {
  const absl::StatusOr<Trace> trace = Read();
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_TRUE(CheckTrace(*trace).ok());
  EXPECT_EQ(report_.lines, 18);
  EXPECT_THAT(report_.dropped,
              ElementsAre(Pair("never ended", 1), Pair("inside an alloc instance", 1),
                          Pair("never started", 1)));
  EXPECT_THAT(trace->names, ElementsAre("700-0", "800-0", "900-0"));
  EXPECT_THAT(trace->submit, ElementsAre(0, 3, 6));
  // Up to whole seconds; of 800-0 the stay after its eviction.
  EXPECT_THAT(trace->run, ElementsAre(9, 30, 60));
  EXPECT_THAT(trace->priority, ElementsAre(200, 25, 360));
  EXPECT_EQ(trace->queues[trace->queue[0]].name, "production");
  EXPECT_EQ(trace->queues[trace->queue[1]].name, "free");
  EXPECT_EQ(trace->queues[trace->queue[2]].name, "monitoring");
  EXPECT_EQ(trace->users[trace->user[0]], "alice");
  EXPECT_EQ(trace->user[2], kNone);
  const Resources& request = trace->shapes[trace->shape[1]].request;
  EXPECT_EQ(TextOf(request, "cpu"), "20000m");
  EXPECT_EQ(TextOf(request, "memory"), absl::StrCat(int64_t{4000} << 20));
  // As they were first added; the one of unknown capacity is not there.
  ASSERT_EQ(trace->machine.nodes.size(), 3u);
  EXPECT_EQ(trace->machine.nodes[0].name, "11");
  EXPECT_EQ(TextOf(trace->machine.nodes[0].capacity, "cpu"), "500000m");
  EXPECT_EQ(trace->machine.nodes[2].domain, "s2");
  EXPECT_EQ(trace->machine.domains.size(), 2u);
  // One was added later; one was removed and added again.
  using Kind = NodeEvent::Kind;
  const std::vector<std::tuple<int64_t, Kind, std::string>> expected = {
      {900, Kind::kJoin, "14"}, {950, Kind::kFail, "11"}, {990, Kind::kReturn, "11"}};
  ASSERT_EQ(trace->node_events.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const NodeEvent& event = trace->node_events[i];
    EXPECT_EQ(std::tuple(event.time, event.kind, event.name), expected[i]);
  }
  const absl::StatusOr<ReplayResult> result = Replay(*trace, "muster");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->end, ElementsAre(9, 33, 66));
}

TEST_F(Borg, TakesNamesOfFlatTablesAndRowsInAnyOrder) {
  const absl::StatusOr<Trace> before = Read();
  ASSERT_TRUE(before.ok()) << before.status();
  events_ = absl::StrReplaceAll(
      events_, {{"request.cpus", "request_cpus"}, {"request.memory", "request_memory"}});
  machines_ = absl::StrReplaceAll(machines_, {{"capacity.", "capacity_"}});
  const size_t header = events_.find('\n') + 1, first = events_.find('\n', header) + 1;
  // The first event last.
  events_ =
      events_.substr(0, header) + events_.substr(first) + events_.substr(header, first - header);
  owners_.clear();
  const absl::StatusOr<Trace> after = Read();
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(after->submit, before->submit);
  EXPECT_EQ(after->run, before->run);
  EXPECT_THAT(after->users, IsEmpty());
}

TEST_F(Borg, SaysWhatIsBad) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"-1,0,1,,,0,5,0,0,,,0.1,0.1,", "events:20: time: \"-1\" is below 0"},
      {"1,11,1,,,0,5,0,0,,,0.1,0.1,", "events:20: type: \"11\" is above 10"},
      {"1,0,1,,,0,5,0,-1,,,0.1,0.1,", "events:20: instance_index: \"-1\" is below 0"},
      {"1,0,1,,,0,5,0,0,,,NaN,0.1,", "events:20: resource_request.cpus: \"NaN\" is not a number"},
      {"1,0,1,,,0,5,0,0,,,0.1,-0.1,", "events:20: resource_request.memory: \"-0.1\" is below 0"},
      {"1,0", "events:20: 2 fields, the header has 14"}};
  const std::string good = events_;
  for (const auto& [line, message] : bad) {
    events_ = good + line + "\n";
    EXPECT_THAT(Message(Read().status()), HasSubstr(message));
    const absl::StatusOr<Trace> trace = Read({.skip_bad_lines = true});
    ASSERT_TRUE(trace.ok()) << trace.status();
    EXPECT_EQ(trace->size(), 3u);
    EXPECT_EQ(report_.bad, 1);
  }
  events_ = absl::StrReplaceAll(good, {{"instance_index", "index"}});
  EXPECT_THAT(Message(Read().status()),
              HasSubstr("events:1: there is no column \"instance_index\""));
  events_ = good;
  machines_ += "5,12,4,s,1,1,,\n";
  EXPECT_THAT(Message(Read().status()), HasSubstr("machines:8: type: \"4\" is above 3"));
}

}  // namespace
}  // namespace muster
