// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Readers of batch logs: the archive's logs by their counts, the rules of -1, and every way a file
// can be bad.
#include "tests/replay/logs.h"

#include <zlib.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "muster/trace.h"

namespace muster {
namespace {

std::string Gzip(const std::string& text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string LogMessage(const absl::Status& status) { return std::string(status.message()); }

struct ArchiveLog {
  const char* file;
  int64_t lines, processors;  // by the header; 0: there is none
};

class Archive : public ::testing::TestWithParam<ArchiveLog> {};

TEST_P(Archive, HasTheJobsItsReadmeCounts) {
  const std::string path = absl::StrCat("hpc_swf/", GetParam().file, ".swf.gz");
  MUSTER_TRACE_FILE(bytes, path);
  ReadReport report;
  LogOptions options{.filter = LogFilter::kRunnable};
  if (GetParam().processors == 0) options.processors = 8192;
  const absl::StatusOr<Trace> trace = ReadSwf({path, *bytes}, options, &report);
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(report.lines, GetParam().lines);
  EXPECT_EQ(report.header_processors.value_or(0), GetParam().processors);
  int64_t dropped = 0;
  for (const auto& [rule, count] : report.dropped) dropped += count;
  EXPECT_EQ(report.jobs + dropped, report.lines);
  EXPECT_TRUE(CheckTrace(*trace).ok());
}

INSTANTIATE_TEST_SUITE_P(Logs, Archive,
                         ::testing::Values(ArchiveLog{"KTH-SP2-1996-2.1-cln", 28476, 100},
                                           ArchiveLog{"SDSC-BLUE-2000-4.2-cln", 243306, 1152},
                                           ArchiveLog{"HPC2N-2002-2.1-cln", 202876, 240},
                                           ArchiveLog{"LLNL-Thunder-2007-1.1-cln", 121039, 4008},
                                           ArchiveLog{"METACENTRUM-2009-2", 103656, 0},
                                           ArchiveLog{"RICC-2010-2", 447794, 0},
                                           ArchiveLog{"NASA-iPSC-1993-3.1-cln", 18239, 128},
                                           ArchiveLog{"lublin_256", 10000, 0}),
                         [](const auto& info) { return absl::StrCat("n", info.index); });

constexpr char kSwf[] =
    "; MaxProcs: 8\n"
    "\n"
    "3 20 -1 50 4 -1 -1 -1 60 -1 1 7 -1 -1 2 -1 1 5\n"
    "1 10 -1 99 4 -1 -1 8 60 -1 1 7 -1 -1 2 -1 -1 -1\n"
    "2 10 -1 50 4 -1 -1 9 60 -1 1 7 -1 -1 2 -1 -1 -1\n"
    "4 -1 -1 50 4 -1 -1 4 60 -1 1 7 -1 -1 2 -1 -1 -1\n"
    "5 30 -1 50 4 -1 -1 4 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n";

TEST(Swf, ReadsFieldsByTheirRules) {
  ReadReport report;
  const absl::StatusOr<Trace> trace = ReadSwf({"a.swf", kSwf}, {}, &report);
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->processors, 8);
  EXPECT_EQ(trace->id, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(trace->run, (std::vector<int64_t>{60, 50}));   // the first is cut to its requested time
  EXPECT_EQ(trace->tasks, (std::vector<uint32_t>{8, 4}));  // used, where none were requested
  EXPECT_EQ(trace->preceding, (std::vector<uint32_t>{kNone, 0}));
  EXPECT_EQ(trace->think, (std::vector<int64_t>{0, 5}));
  EXPECT_EQ(trace->users, (std::vector<std::string>{"7"}));
  const std::vector<std::pair<std::string, int64_t>> dropped = {
      {"more processors than the machine", 1},
      {"no requested time", 1},
      {"negative submit time", 1}};
  EXPECT_EQ(report.dropped, dropped);
  EXPECT_EQ(report.lines, 5);

  const absl::StatusOr<Trace> all = ReadSwf({"a.swf", kSwf}, {.filter = LogFilter::kRunnable});
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->id, (std::vector<int64_t>{1, 3, 5}));
  EXPECT_EQ(all->estimate[2], 50);
  EXPECT_EQ(all->user[2], kNone);
}

TEST(Swf, GzipIsRecognized) {
  const std::string one = Gzip(kSwf);
  EXPECT_EQ(ReadSwf({"a", one})->id.size(), 2u);
  // Members of a gzip file follow each other.
  const std::string two = Gzip("; MaxProcs: 8\n1 1 -1 5 4 -1 -1 4 60 -1 1 7 ") +
                          Gzip("-1 -1 2 -1 -1 -1\n2 1 -1 5 4 -1 -1 4 60 -1 1 7 -1 -1 2 -1 -1 -1");
  EXPECT_EQ(ReadSwf({"a", two})->id, (std::vector<int64_t>{1, 2}));
}

TEST(Swf, SaysWhatIsBad) {
  const auto message = [](const std::string& text) {
    return LogMessage(ReadSwf({"a.swf", text}).status());
  };
  const std::string head = "; MaxProcs: 8\n1 10 -1 99 4 -1 -1 8 60 -1 1 7 -1 -1 2 -1 -1 -1\n";
  EXPECT_EQ(message("; nothing\n1 2\n"),
            "a.swf: the header names no MaxProcs; set the number of processors");
  EXPECT_EQ(message("; MaxProcs: 8\n"), "a.swf: there is no job in it");
  EXPECT_EQ(message("; MaxProcs: 9223372036854775807\n" + head),
            "a.swf: 9223372036854775807 processors; a pool has at most 9007199254740");
  EXPECT_EQ(message(head + "2 10 -1 x 4 -1 -1 8 60 -1 1 7 -1 -1 2 -1 -1 -1\n"),
            "a.swf:3: field 4 (run): \"x\" is no integer");
  EXPECT_EQ(message(head + "2,10,-1\n"),
            "a.swf:3: 1 fields; there must be 18, separated by blanks");
  EXPECT_EQ(message(head + "1 10 -1 99 4 -1 -1 8 60 -1 1 7 -1 -1 2 -1 -1 -1\n"),
            "a.swf: job 1 is there twice");
  const std::string zipped = Gzip(head);
  EXPECT_EQ(message(zipped.substr(0, zipped.size() - 9)),
            "a.swf: the gzip data is cut off after line 2");
  std::string damaged = zipped;
  damaged[damaged.size() / 2] ^= 0x55;
  EXPECT_NE(message(damaged).find("a.swf"), std::string::npos);
}

TEST(Hpc, ReadsTheWorkloadColumns) {
  const std::string text =
      "job_id,submit,run,procs,req_time,user,wait_easy\n"
      "2,5,70,2,60,9,0\n"
      "1,0,10,1,20,8,0\r\n";
  const absl::StatusOr<Trace> trace = ReadHpc({"a.csv", text}, {.processors = 2});
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->id, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(trace->run, (std::vector<int64_t>{10, 60}));
  EXPECT_EQ(trace->users, (std::vector<std::string>{"9", "8"}));
}

TEST(Hpc, SaysWhatIsBad) {
  const auto message = [](const std::string& text, int64_t processors = 4) {
    return LogMessage(ReadHpc({"a.csv", text}, {.processors = processors}).status());
  };
  const std::string head = "job_id,submit,run,procs,req_time,user\n";
  EXPECT_EQ(message(head, 0), "a.csv: the number of processors is missing; set it");
  EXPECT_EQ(message(""), "a.csv: there is no header line");
  EXPECT_EQ(message("job_id;submit;run\n1;2;3\n"),
            "a.csv:1: \"job_id;submit;run\" is one column: commas separate columns");
  EXPECT_EQ(message("job_id,submit\n"),
            "a.csv:1: there is no column \"run\"; there are \"job_id\", \"submit\"");
  EXPECT_EQ(message(head + "1,2,3\n"), "a.csv:2: 3 fields, the header has 6");
  EXPECT_EQ(message(head + "1,nan,3,4,5,6\n"), "a.csv:2: submit: \"nan\" is no integer");
  EXPECT_EQ(message(head + "1,99999999999999999999,3,4,5,6\n"),
            "a.csv:2: submit: \"99999999999999999999\" is beyond 64 bits");
}

TEST(Hpc, LeavesBadLinesOutOnRequest) {
  std::string text = "job_id,submit,run,procs,req_time,user\n1,0,10,1,20,8\n";
  for (int i = 0; i < 12; ++i) text += "x,0,10,1,20,8\n";
  text += "2,0,-10,1,20,8\n3,0,10,1,20,8\n";
  ReadReport report;
  const absl::StatusOr<Trace> trace =
      ReadHpc({"a.csv", text}, {.processors = 4, .read = {.skip_bad_lines = true}}, &report);
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->id, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(report.lines, 15);
  EXPECT_EQ(report.bad, 12);
  EXPECT_EQ(report.bad_lines.size(), 10u);
  EXPECT_EQ(report.bad_lines[0], "a.csv:3: job_id: \"x\" is no integer");
  ASSERT_EQ(report.dropped.size(), 1u);
  EXPECT_EQ(report.dropped[0].first, "no run time");
}

TEST(TraceTest, RowsAndColumns) {
  Trace trace;
  trace.processors = 4;
  ASSERT_TRUE(AddJob({.submit = 1, .run = 2}, &trace).ok());
  EXPECT_TRUE(trace.priority.empty());
  ASSERT_TRUE(
      AddJob({.name = "b", .submit = 3, .run = 4, .priority = 5, .deadline = 9}, &trace).ok());
  EXPECT_EQ(trace.priority, (std::vector<int32_t>{0, 5}));
  EXPECT_EQ(JobOf(trace, 1).deadline, 9);
  EXPECT_EQ(JobOf(trace, 0).deadline, std::nullopt);
  EXPECT_EQ(JobName(trace, 0), "0");
  EXPECT_EQ(JobName(trace, 1), "b");
  EXPECT_TRUE(CheckTrace(trace).ok());
  const Trace turned = SelectJobs(trace, {1, 0});
  EXPECT_EQ(turned.submit, (std::vector<int64_t>{3, 1}));
}

TEST(TraceTest, ChecksSayWhichJob) {
  const auto message = [](const TraceJob& job) {
    Trace trace;
    trace.processors = 4;
    EXPECT_TRUE(AddJob(job, &trace).ok());
    return LogMessage(CheckTrace(trace));
  };
  EXPECT_EQ(message({.run = 1}), "");
  EXPECT_EQ(message({.submit = -1, .run = 1}), "job \"0\": submit is no time from 0 to 2^53");
  EXPECT_EQ(message({.run = -5}), "job \"0\": run is -5; must be above 0");
  EXPECT_EQ(message({.run = 5, .tasks = 0}), "job \"0\": it has no tasks");
  EXPECT_EQ(message({.run = 5, .queue = 1}), "job \"0\": there is no queue 1");
  EXPECT_EQ(message({.run = 5, .user = 0}), "job \"0\": there is no user 0");
  EXPECT_EQ(message({.run = 5, .preceding = 0}), "job \"0\": it comes after itself");
  Trace trace;
  EXPECT_EQ(LogMessage(CheckTrace(trace)),
            "trace: the machine is either a number of processors or a list of nodes");
  trace.processors = 1;
  ASSERT_TRUE(AddJob({.run = 1}, &trace).ok());
  trace.run.clear();
  EXPECT_EQ(LogMessage(CheckTrace(trace)), "trace: column run has 0 rows, column submit has 1");
}

}  // namespace
}  // namespace muster
