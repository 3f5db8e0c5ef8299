// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Traces of jobs, nodes and queues in CSV: what is read, and what is refused.
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "muster/replay.h"

namespace muster {
namespace {

using Times = std::vector<int64_t>;

ReplayResult Replayed(const Trace& trace, const std::string& profile) {
  absl::StatusOr<ReplayResult> result = Replay(trace, profile, {});
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : ReplayResult();
}
TEST(Csv, ReadsJobsNodesAndQueues) {
  const std::string jobs =
      "name,submit,run,tasks,queue,user,request.cpu,request.memory,selector.zone,id,preceding,"
      "think\n"
      "a,0,10.5,2,q,ann,500m,1Gi,z1,7,,\n"
      "b,5,10,,r,bob,500m,1Gi,,8,7,3\n";
  const std::string nodes =
      "name,count,domain,capacity.cpu,capacity.memory,label.zone\nn,2,r0,4,8Gi,z1\nm,,,4,8Gi,\n";
  const std::string queues = "name,weight,guaranteed.cpu\nq,2,1\nr,1,\n";
  const absl::StatusOr<Trace> trace = ReadCsv({{"j", jobs}, {"n", nodes}, {"q", queues}});
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->machine.nodes.size(), 3u);
  EXPECT_EQ(trace->machine.nodes[1].name, "n1");
  EXPECT_EQ(trace->run, (Times{11, 10}));
  EXPECT_EQ(trace->shapes.size(), 2u);
  EXPECT_EQ(trace->preceding, (std::vector<uint32_t>{kNone, 0}));
  EXPECT_TRUE(CheckTrace(*trace).ok());
  EXPECT_EQ(Replayed(*trace, "volcano").start, (Times{0, 5}));

  const absl::StatusOr<Trace> pool =
      ReadCsv({{"j", "submit,run,tasks\n0,5,3\n"}, {}, {}}, {.processors = 4});
  ASSERT_TRUE(pool.ok()) << pool.status();
  EXPECT_EQ(Replayed(*pool, "easy").end, (Times{5}));
}

TEST(Csv, ShapesDifferWhateverTheirTextsHold) {
  const std::string jobs =
      "submit,run,request.cpu,selector.a,selector.b\n0,10,1,\"x,@b=y\",\n0,10,1,x,y\n";
  const std::string nodes = "name,capacity.cpu,label.a,label.b\nn,4,x,y\n";
  const absl::StatusOr<Trace> trace = ReadCsv({{"j", jobs}, {"n", nodes}, {}});
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->shapes.size(), 2u);
  EXPECT_EQ(Replayed(*trace, "volcano").start, (Times{kAbsent, 0}));
}

TEST(Csv, ARowThatIsLeftOutLeavesNothing) {
  const CsvOptions skip{.processors = 4, .read = {.skip_bad_lines = true}};
  ReadReport report;
  const std::string jobs = "submit,run,queue,user\n0,bad,ghost,eve\n0,5,q,ann\n0,-1,,\n";
  absl::StatusOr<Trace> trace = ReadCsv({{"j", jobs}, {}, {}}, skip, &report);
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(report.bad, 2);
  ASSERT_EQ(trace->queues.size(), 1u);
  EXPECT_EQ(trace->queues[0].name, "q");
  EXPECT_EQ(trace->queue, (std::vector<uint32_t>{0}));
  EXPECT_EQ(trace->users, (std::vector<std::string>{"ann"}));
  // A queue that is not listed is not there for the next row, either.
  const std::string twice = "submit,run,queue\n0,5,ghost\n0,5,ghost\n0,5,q\n";
  trace = ReadCsv({{"j", twice}, {}, {"q", "name\nq\n"}}, skip, &report);
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->size(), 1u);
  EXPECT_EQ(trace->queues.size(), 1u);
}

TEST(Csv, SaysWhatIsBad) {
  const auto message = [](const std::string& text) {
    return std::string(ReadCsv({{"j", text}, {}, {}}, {.processors = 4}).status().message());
  };
  EXPECT_EQ(message("submit,run,taks\n0,5,3\n"),
            "j:1: column \"taks\" is not known, did you mean \"tasks\"?");
  EXPECT_EQ(message("submit,run\n0,NaN\n"), "j:2: run: \"NaN\" is not a number");
  EXPECT_EQ(message("submit,run\n0,-1\n"), "j:2: run: \"-1\" is below 1");
  EXPECT_EQ(message("submit\trun\n0\t1\n"),
            "j:1: \"submit\\trun\" is one column: commas separate columns");
  EXPECT_EQ(message("submit,run,request.cpu\n0,1,4x\n").substr(0, 18), "j:2: request.cpu: ");
  EXPECT_EQ(std::string(ReadCsv({{"j", "submit,run\n"}, {}, {}}).status().message()),
            "j: a table of nodes or a number of processors is needed");
}

TEST(Csv, AQuoteIsClosedOnItsLine) {
  const auto message = [](const std::string& text, const std::string& queues = "") {
    return std::string(
        ReadCsv({{"j", text}, {}, {queues.empty() ? "" : "q", queues}}, {.processors = 4})
            .status()
            .message());
  };
  EXPECT_EQ(message("submit,run,user\n0,5,\"ann\n"), "j:2: a quote is not closed on its line");
  EXPECT_EQ(message("submit,run,\"user\n0,5,ann\n"), "j:1: a quote is not closed on its line");
  EXPECT_EQ(message("submit,run,queue\n0,5,a\n", "name\na\n\"b\n"),
            "q:3: a quote is not closed on its line");
  EXPECT_EQ(message("submit,run,user\n0,5,\"ann\"\n0,5,\"a\"\"\"\n"), "");
  ReadReport report;
  const CsvOptions skip{.processors = 4, .read = {.skip_bad_lines = true}};
  const absl::StatusOr<Trace> trace =
      ReadCsv({{"j", "submit,run,user\n0,5,\"\n0,5,b\n"}, {}, {}}, skip, &report);
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->size(), 1u);
  EXPECT_EQ(report.bad, 1);
}

TEST(Csv, AnEmptyFileIsNoTable) {
  constexpr char kEmptyJobs[] = "submit,run\n0,5\n";
  const auto message = [&](const CsvFiles& files) {
    return std::string(ReadCsv(files, {.processors = 4}).status().message());
  };
  EXPECT_EQ(message({{"j", kEmptyJobs}, {}, {"q", ""}}), "q: there is no header line");
  EXPECT_EQ(message({{"j", kEmptyJobs}, {"n", ""}, {}}), "n: there is no header line");
  EXPECT_EQ(message({{"j", kEmptyJobs}, {}, {}}), "");
}

}  // namespace
}  // namespace muster
