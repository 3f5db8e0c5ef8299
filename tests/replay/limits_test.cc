// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The budget of a trace: one for all of its files, checked before nodes and jobs are made.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/replay/progress.h"
#include "muster/mix.h"
#include "muster/replay.h"
#include "muster/trace.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

constexpr char kTwoJobs[] = "submit,run\n0,10\n1,10\n";

void ExpectExhausted(const absl::Status& status, const std::string& message) {
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(std::string(status.message()), message);
}

absl::Status Csv(const std::string& nodes, const ReadOptions& read = {}) {
  return ReadCsv({{"j", kTwoJobs}, {"n", nodes}, {}}, {.read = read}).status();
}

TEST(TraceLimits, NodesOfAllLinesCountTogether) {
  const std::string nodes = "name,count,capacity.cpu\na,200,4\nb,200,4\nc,1,4\n";
  ExpectExhausted(Csv(nodes, {.limits = {.rows = 400}}),
                  "n:4: 401 rows in all; at most 400 are read");
  ExpectExhausted(Csv("name,count,capacity.cpu\na,9007199254740992,4\n"),
                  "n:2: 9007199254740992 rows in all; at most 4000000 are read");
  const std::string few = "name,count,capacity.cpu\na,2,4\nb,1,4\n";
  EXPECT_TRUE(Csv(few, {.limits = {.rows = 5}}).ok());
  ExpectExhausted(Csv(few, {.limits = {.rows = 4}}), "j:3: 5 rows in all; at most 4 are read");
  // A limit is no bad line.
  ExpectExhausted(Csv(few, {.skip_bad_lines = true, .limits = {.rows = 4}}),
                  "j:3: 5 rows in all; at most 4 are read");
}

TEST(ReplayLimits, SecondsAreSmallEnoughToAdd) {
  const absl::StatusOr<Trace> trace =
      ReadCsv({{"j", kTwoJobs}, {"n", "name,capacity.cpu\na,4\n"}, {}}, {});
  ASSERT_TRUE(trace.ok()) << trace.status();
  const auto error = [&](const ReplayOptions& options) {
    return std::string(Replay(*trace, "easy", options).status().message());
  };
  EXPECT_EQ(error({.period = 0}), "period is 0; must be from 1 to 9007199254740992");
  EXPECT_EQ(error({.latency = kEndless + 1}),
            "latency is 9007199254740993; must be from 0 to 9007199254740992");
  EXPECT_EQ(error({.eviction_seconds = -1}),
            "eviction_seconds is -1; must be from 0 to 9007199254740992");
  EXPECT_EQ(error({.recovery = {.checkpoint_interval = -1}}),
            "checkpoint_interval is -1; must be from 0 to 9007199254740992");
  EXPECT_EQ(error({.cycles = CycleTiming::kPeriodic, .period = kEndless}), "");
}

TEST(TraceLimits, TaskSecondsOfAJobAreAnInteger) {
  const auto error = [](const std::string& run, const std::string& tasks) {
    const absl::StatusOr<Trace> trace =
        ReadCsv({{"j", "submit,run,tasks\n0," + run + "," + tasks + "\n"},
                 {"n", "name,capacity.cpu,count\na,64,100\n"},
                 {}},
                {});
    return std::string(trace.status().message());
  };
  EXPECT_EQ(error("4503599627370496", "1024"), "");
  EXPECT_THAT(error("4503599627370496", "1025"), HasSubstr("run times tasks is above 2^62"));
  EXPECT_EQ(error("9007199254740992", "4096"), "");  // it never ends
}

TEST(ReplayLimits, WorkOfAnEndlessJobStaysAtTheMost) {
  Progress progress;
  progress.Submit(kEndless, 4096, /*unit=*/1);
  EXPECT_EQ(progress.Begin(/*now=*/0, /*rate=*/4096, /*pause=*/0), INT64_MAX);
  EXPECT_EQ(progress.ChangeRate(kEndless, 4096), INT64_MAX);
  EXPECT_EQ(progress.Stop(kEndless, /*interval=*/0), INT64_MAX);
}

TEST(TraceLimits, BytesOfAllFilesCountTogether) {
  const std::string nodes = "name,capacity.cpu\na,4\n";
  const auto size = static_cast<int64_t>(nodes.size() + std::string(kTwoJobs).size());
  EXPECT_TRUE(Csv(nodes, {.limits = {.bytes = size}}).ok());
  ExpectExhausted(Csv(nodes, {.limits = {.bytes = size - 1}}),
                  absl::StrCat("j:1: ", size, " bytes in all; at most ", size - 1, " are read"));
}

TEST(TraceLimits, NodesThatPhillysClustersStandForAreCounted) {
  std::string clusters = "vc,nodes\n";
  for (int i = 0; i < 5; ++i) absl::StrAppend(&clusters, "v", i, ",1000000\n");
  ExpectExhausted(
      ReadPhilly({{"j", "timestamp,duration,num_gpus,cluster\n"}, {"v", clusters}}).status(),
      "v:5: 4000004 rows in all; at most 4000000 are read");
}

TEST(TraceLimits, NodesThatItpIsGivenAreCounted) {
  const std::string busy = "job_id,submission_time,duration,num_gpu\n1,0,1000000000,8\n2,100,1,1\n";
  ExpectExhausted(ReadItp({"i", busy}).status(),
                  "i: with 12500001 nodes, 12500003 rows in all; at most 4000000 are read");
  // No sum of these has a place in an integer.
  std::string endless = "job_id,submission_time,duration,num_gpu\n";
  for (int i = 0; i < 9; ++i) absl::StrAppend(&endless, i, ",0,9007199254740992,1048576\n");
  ExpectExhausted(ReadItp({"i", endless}).status(),
                  "i: with 9007199254740993 nodes, 9007199254741002 rows in all; at most 4000000 "
                  "are read");
  ExpectExhausted(ReadItp({"i", busy}, {.nodes = 5'000'000}).status(),
                  "i: with 5000000 nodes, 5000002 rows in all; at most 4000000 are read");
}

TEST(TraceLimits, LinesOfLogsAreCounted) {
  const std::string log = "1 0 -1 5 1 -1 -1 1 5 -1 1 1 1 1 1 1 -1 -1\n";
  const LogOptions options{.processors = 4, .read = {.limits = {.rows = 1}}};
  EXPECT_TRUE(ReadSwf({"l", log}, options).ok());
  ExpectExhausted(ReadSwf({"l", log + "2" + log.substr(1)}, options).status(),
                  "l:2: 2 rows in all; at most 1 are read");
  const std::string table = "job_id,submit,run,procs,req_time\n1,0,1,1,1\n";
  EXPECT_TRUE(ReadHpc({"h", table}, options).ok());
  ExpectExhausted(ReadHpc({"h", table + "2,0,1,1,1\n"}, options).status(),
                  "h:3: 2 rows in all; at most 1 are read");
}

TEST(TraceLimits, NodesThatAMixAsksForAreCounted) {
  absl::StatusOr<TraceMix> mix = NamedTraceMix("philly");
  ASSERT_TRUE(mix.ok());
  mix->nodes[0].count = 5'000'000;
  EXPECT_EQ(GenerateTrace(*mix, {.jobs = 1}).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(GenerateTrace(*mix, {.jobs = 1, .nodes = 4}).ok());
}

TEST(CheckTrace, RefusesWhatReplayRefuses) {
  EXPECT_EQ(std::string(Csv("name,count,capacity.cpu\nn,1,4\nn,1,4\n").message()),
            "n:3: name: node \"n0\" is there twice");
  EXPECT_EQ(std::string(Csv("name,count,capacity.cpu\nn,12,4\nn1,1,4\n").message()),
            "n:3: name: node \"n10\" is there twice");
  Trace trace;
  trace.machine.nodes = {{.name = "n", .capacity = {{"cpu", 1}}}};
  trace.shapes = {{.request = {{"cpu", 1}}}};
  ASSERT_TRUE(AddJob({.run = 1}, &trace).ok());
  trace.queues = {{.name = "q"}, {.name = "q"}};
  for (const char* rule :
       {"trace: queue \"q\" is there twice", "trace: node \"n\" is there twice"}) {
    EXPECT_EQ(std::string(CheckTrace(trace).message()), rule);
    EXPECT_FALSE(Replay(trace, "muster").ok());
    trace.queues.pop_back();
    trace.machine.nodes.push_back(trace.machine.nodes[0]);
  }
}

}  // namespace
}  // namespace muster
