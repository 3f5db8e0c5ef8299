// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The fragmentation study, played again: every decision that is recorded, every count and every
// curve.
#include "muster/packing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/replay/line_reader.h"
#include "tests/replay/logs.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

// The study's words for policies.
constexpr std::pair<const char*, const char*> kPolicies[] = {
    {"FGD", "fgd"},
    {"BestFit", "fgd:best-fit"},
    {"DotProd", "fgd:dotprod"},
    {"GpuPacking", "fgd:gpu-packing"},
    {"GpuClustering", "fgd:gpu-clustering"}};

std::vector<std::vector<std::string>> Rows(const std::string& bytes) {
  std::vector<std::vector<std::string>> rows;
  Budget budget;
  LineReader lines({"rows", bytes}, &budget);
  std::string_view line;
  while (lines.Next(&line)) {
    rows.emplace_back(absl::StrSplit(absl::string_view(line.data(), line.size()), ','));
  }
  EXPECT_TRUE(lines.status().ok());
  return rows;
}

struct Openb {
  std::string nodes, pods, arrivals, rank;
  absl::StatusOr<PackingTrace> Read(int64_t seed) const {
    return ReadOpenbPacking(
        {{"nodes.csv", nodes}, {"pods.csv", pods}, {"arrivals.csv", arrivals}, {"rank.csv", rank}},
        {.seed = seed});
  }
};

std::optional<Openb> LoadOpenb(const std::string& list) {
  const auto nodes = testing::ReadTraceFile("openb/openb_node_list_gpu_node.csv");
  const auto pods =
      testing::ReadTraceFile(absl::StrCat("openb/pods/openb_pod_list_", list, ".csv.gz"));
  const auto arrivals =
      testing::ReadTraceFile(absl::StrCat("openb/orders/arrivals_", list, ".csv.gz"));
  const auto rank = testing::ReadTraceFile(absl::StrCat("openb/orders/noderank_", list, ".csv.gz"));
  if (!nodes || !pods || !arrivals || !rank) return std::nullopt;
  return Openb{*nodes, *pods, *arrivals, *rank};
}

std::string GpuIds(uint32_t gpus) {
  std::string out;
  for (int i = 0; i < 32; ++i) {
    if ((gpus >> i & 1) != 0) absl::StrAppend(&out, out.empty() ? "" : "-", i);
  }
  return out;
}

TEST(Packing, EveryDecisionIsTheRecordedOne) {
  const std::optional<Openb> openb = LoadOpenb("default");
  if (!openb.has_value()) GTEST_SKIP() << "openb is not there; set MUSTER_TRACES to its folder";
  const absl::StatusOr<PackingTrace> trace = openb->Read(42);
  ASSERT_TRUE(trace.ok()) << trace.status();
  for (const auto& [word, policy] : kPolicies) {
    MUSTER_TRACE_FILE(golden,
                      absl::StrCat("openb/golden/placements_default_", word, "_seed42.csv.gz"));
    const auto rows = Rows(*golden);
    const absl::StatusOr<PackingResult> result = ReplayPacking(*trace, policy);
    ASSERT_TRUE(result.ok()) << result.status();
    ASSERT_EQ(result->node.size() + 1, rows.size());
    int different = 0;
    for (size_t i = 0; i < result->node.size(); ++i) {
      const std::vector<std::string> row = {absl::StrCat(i), absl::StrCat(trace->arrivals[i]),
                                            absl::StrCat(result->node[i]), GpuIds(result->gpus[i])};
      different += row != rows[i + 1];
    }
    EXPECT_EQ(different, 0) << policy;
    if (policy == std::string("fgd")) {
      EXPECT_NEAR(result->fragments[0], 866232.55, 0.005);
      EXPECT_NEAR(result->fragments[1], 865816.03, 0.005);
      EXPECT_NEAR(result->fragments[2], 865680.05, 0.005);
    }
  }
}

// Curve by list, policy's word and seed.
using Curves = std::map<std::string, std::vector<double>>;
Curves ReadCurves(const std::string& bytes, size_t first) {
  Curves curves;
  const auto rows = Rows(bytes);
  for (size_t r = 1; r < rows.size(); ++r) {
    const std::string list = rows[r][0].substr(std::string("openb_pod_list_").size());
    std::vector<double>& curve =
        curves[absl::StrCat(list, "/", rows[r][1].substr(3), "/", rows[r][3])];
    for (size_t c = first; c < rows[r].size(); ++c) {
      double value = std::nan("");
      EXPECT_TRUE(absl::SimpleAtod(rows[r][c], &value)) << rows[r][c];
      curve.push_back(value);
    }
  }
  return curves;
}

int Differences(const std::vector<double>& got, const std::vector<double>& want, double margin) {
  int different = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    different += i >= got.size() || !(std::abs(got[i] - want[i]) <= margin);
  }
  return different;
}

TEST(Packing, EveryCountAndCurveOfTheStudyComesOutAgain) {
  MUSTER_TRACE_FILE(counts, "openb/expected/final_counts.csv");
  MUSTER_TRACE_FILE(allocated, "openb/expected/analysis_allo_discrete.csv.gz");
  MUSTER_TRACE_FILE(fragment, "openb/expected/analysis_frag_discrete.csv.gz");
  MUSTER_TRACE_FILE(ratio, "openb/expected/analysis_frag_ratio_discrete.csv.gz");
  const Curves allocated_curves = ReadCurves(*allocated, 5),
               fragment_curves = ReadCurves(*fragment, 4), ratio_curves = ReadCurves(*ratio, 4);
  std::map<std::string, std::vector<std::string>> expected;
  const auto count_rows = Rows(*counts);
  for (size_t r = 1; r < count_rows.size(); ++r) {
    const auto& row = count_rows[r];
    expected[absl::StrCat(row[0], "/", row[1], "/", row[2])] = {row.begin() + 3, row.end()};
  }
  EXPECT_EQ(expected.size(), 425U);
  int runs = 0, points = 0;
  std::string list;
  std::map<int, PackingTrace> traces;  // of the list, by seed
  for (const auto& [key, curve] : allocated_curves) {
    const std::vector<std::string> part = absl::StrSplit(key, '/');
    const auto* const policy = std::find_if(std::begin(kPolicies), std::end(kPolicies),
                                            [&](const auto& p) { return p.first == part[1]; });
    if (policy == std::end(kPolicies)) continue;  // Random
    if (part[0] != list) {
      list = part[0];
      traces.clear();
      const std::optional<Openb> openb = LoadOpenb(list);
      ASSERT_TRUE(openb.has_value()) << list;
      for (int seed = 42; seed < 52; ++seed) {
        absl::StatusOr<PackingTrace> trace = openb->Read(seed);
        ASSERT_TRUE(trace.ok()) << trace.status();
        traces[seed] = *std::move(trace);
      }
    }
    const absl::StatusOr<PackingResult> result =
        ReplayPacking(traces.at(std::stoi(part[2])), policy->second);
    ASSERT_TRUE(result.ok()) << result.status();
    ++runs;
    points += static_cast<int>(curve.size()) * 3;
    EXPECT_EQ(Differences(result->allocated, curve, 1e-9), 0) << key << " allocated";
    EXPECT_EQ(Differences(result->fragment, fragment_curves.at(key), 1e-9), 0)
        << key << " fragment";
    EXPECT_EQ(Differences(result->fragment_ratio, ratio_curves.at(key), 1e-9), 0)
        << key << " ratio";
    if (const auto row = expected.find(key); row != expected.end()) {
      const std::vector<std::string> got = {
          absl::StrCat(result->node.size()), absl::StrCat(result->failed),
          absl::StrCat(result->used_milli), absl::StrCat(result->arrived_milli),
          absl::StrCat(result->typical)};
      EXPECT_EQ(got, row->second) << key;
      expected.erase(row);
    }
  }
  EXPECT_TRUE(expected.empty()) << expected.begin()->first;
  EXPECT_EQ(runs, 850);
  EXPECT_EQ(points, 850 * 131 * 3);
}

TEST(Packing, ChanceAllocatesWhatTheStudysDid) {
  const std::optional<Openb> openb = LoadOpenb("default");
  if (!openb.has_value()) GTEST_SKIP() << "openb is not there; set MUSTER_TRACES to its folder";
  double sum = 0;
  for (int64_t seed = 42; seed < 52; ++seed) {
    const absl::StatusOr<PackingTrace> trace = openb->Read(seed);
    ASSERT_TRUE(trace.ok()) << trace.status();
    const auto result = ReplayPacking(*trace, "fgd:random", {.seed = static_cast<uint64_t>(seed)});
    ASSERT_TRUE(result.ok()) << result.status();
    sum += result->allocated.at(130);
  }
  EXPECT_NEAR(sum / 10, 87.47, 0.3);
}

// --- small and bad input

constexpr char kNodes[] = "sn,cpu_milli,memory_mib,gpu,model\nn0,8000,1024,2,A\nn1,8000,1024,2,B\n";
constexpr char kPods[] =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"
    "p0,1000,10,1,500,\np1,1000,10,2,1000,B|A\np2,1000,10,0,0,\np3,1000,10,1,600,B\n";
constexpr char kArrivals[] = "pos,seed1,seed2\n0,0,0\n1,1,3\n2,2,\n3,3,\n";
constexpr char kRank[] = "node_row,seed1,seed2\n0,1,0\n1,0,1\n";

absl::StatusOr<PackingTrace> ReadSmall(const std::string& nodes, const std::string& pods,
                                       const std::string& arrivals, const std::string& rank,
                                       int64_t seed = 1) {
  return Openb{nodes, pods, arrivals, rank}.Read(seed);
}

std::string ErrorOf(const absl::StatusOr<PackingTrace>& trace) {
  return trace.ok() ? "" : std::string(trace.status().message());
}

TEST(Packing, RanksDecideTiesAndWhatDoesNotFitIsDropped) {
  const absl::StatusOr<PackingTrace> trace = ReadSmall(kNodes, kPods, kArrivals, kRank);
  ASSERT_TRUE(trace.ok()) << trace.status();
  const absl::StatusOr<PackingResult> result = ReplayPacking(*trace, "fgd:gpu-packing");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->node, (std::vector<int32_t>{1, 0, 1, 1}));
  EXPECT_EQ(result->gpus, (std::vector<uint32_t>{1, 3, 0, 2}));
  EXPECT_EQ(result->failed, 0);
  EXPECT_EQ(result->used_milli, 3100);
  ASSERT_EQ(result->allocated.size(), 79U);
  EXPECT_EQ(result->allocated[12], 12.5);
  EXPECT_TRUE(std::isnan(result->allocated[20]));
  EXPECT_EQ(ReplayPacking(*trace, "fgd", {.curves = false})->allocated.size(), 0U);
}

TEST(Packing, BadInputIsRefusedByFileLineAndRule) {
  const auto pods = [](const std::string& row) {
    return ErrorOf(ReadSmall(kNodes, absl::StrCat(kPods, row), kArrivals, kRank));
  };
  EXPECT_THAT(pods("p4,1000,10,1,1001,\n"), HasSubstr("pods.csv:6: gpu_milli"));
  EXPECT_THAT(pods("p4,1000,10,1,0,\n"), HasSubstr("pods.csv:6: gpu_milli"));
  EXPECT_THAT(pods("p4,1000,10,2,500,\n"), HasSubstr("several GPUs are only given whole"));
  EXPECT_THAT(pods("p4,1000,10,17,1000,\n"), HasSubstr("pods.csv:6: num_gpu"));
  EXPECT_THAT(pods("p4,x,10,1,1000,\n"), HasSubstr("pods.csv:6: cpu_milli"));
  EXPECT_THAT(pods("p4,1000\n"), HasSubstr("pods.csv:6"));
  EXPECT_THAT(ErrorOf(ReadSmall("sn,cpu_milli\n", kPods, kArrivals, kRank)),
              HasSubstr("there is no column \"memory_mib\""));
  EXPECT_THAT(
      ErrorOf(ReadSmall(absl::StrCat(kNodes, "n2,8000,1024,99,A\n"), kPods, kArrivals, kRank)),
      HasSubstr("nodes.csv:4: gpu"));
  EXPECT_THAT(
      ErrorOf(ReadSmall("sn,cpu_milli,memory_mib,gpu,model\nn,1,1,0,A\n", kPods, kArrivals, "")),
      HasSubstr("no node has a GPU"));
  EXPECT_THAT(ErrorOf(ReadSmall(kNodes, kPods, "pos,seed1\n0,4\n", kRank)),
              HasSubstr("arrivals.csv:2: seed1"));
  EXPECT_THAT(ErrorOf(ReadSmall(kNodes, kPods, "pos,seed1\n1,0\n", kRank)),
              HasSubstr("it should be 0"));
  EXPECT_THAT(ErrorOf(ReadSmall(kNodes, kPods, kArrivals, kRank, 3)),
              HasSubstr("arrivals.csv:1: there is no column \"seed3\"; there are"));
  EXPECT_THAT(ErrorOf(ReadSmall(kNodes, kPods, "", kRank)),
              HasSubstr("an order of arrivals is needed"));
  EXPECT_THAT(ErrorOf(ReadSmall(kNodes, kPods, kArrivals, "node_row,seed1\n0,0\n1,0\n")),
              HasSubstr("two nodes have the rank 0"));
  EXPECT_THAT(ErrorOf(ReadSmall(kNodes, kPods, kArrivals, "node_row,seed1\n0,0\n")),
              HasSubstr("1 ranks for 2 nodes"));
  EXPECT_THAT(ErrorOf(ReadSmall(kNodes, kPods, kArrivals, "node_row,seed1\n")),
              HasSubstr("there are no ranks"));
}

TEST(Packing, BadTracesAndPoliciesAreRefused) {
  absl::StatusOr<PackingTrace> read = ReadSmall(kNodes, kPods, kArrivals, kRank);
  ASSERT_TRUE(read.ok());
  const PackingTrace good = *read;
  const auto error = [](const PackingTrace& trace, const char* policy = "fgd") {
    const auto result = ReplayPacking(trace, policy);
    return result.ok() ? "" : std::string(result.status().message());
  };
  EXPECT_EQ(error(good), "");
  EXPECT_THAT(error(good, "fgd:bestfit"), HasSubstr("did you mean \"fgd:best-fit\"?"));
  EXPECT_THAT(error(good, "volcano"), HasSubstr("there are fgd, fgd:best-fit"));
  EXPECT_THAT(error(good, ""), HasSubstr("does not pack GPUs"));
  PackingTrace bad = good;
  bad.arrivals.push_back(4);
  EXPECT_THAT(error(bad), HasSubstr("there is no task row 4"));
  bad = good;
  bad.shape[0] = 9;
  EXPECT_THAT(error(bad), HasSubstr("there is no shape 9"));
  bad = good;
  bad.shapes[0].gpu_milli = 1001;
  EXPECT_THAT(error(bad), HasSubstr("shape 0: gpu_milli is 1001; of 1 GPUs 1 to 1000"));
  bad = good;
  bad.shapes[0].gpus = -1;
  EXPECT_THAT(error(bad), HasSubstr("shape 0: -1 GPUs"));
  bad = good;
  bad.shapes[0].memory_mebi = -1;
  EXPECT_THAT(error(bad), HasSubstr("shape 0: cpu or memory"));
  bad = good;
  bad.nodes[1].cpu_milli = int64_t{1} << 22;
  EXPECT_THAT(error(bad), HasSubstr("node \"n1\": cpu_milli"));
  bad = good;
  bad.nodes[1].gpus = 17;
  EXPECT_THAT(error(bad), HasSubstr("node \"n1\": 17 GPUs"));
  bad = good;
  bad.rank[0] = 2;
  EXPECT_THAT(error(bad), HasSubstr("there is no rank 2"));
  bad = good;
  for (int i = 0; i < 70; ++i)
    bad.nodes.push_back({absl::StrCat("m", i), 1, 1, 1, absl::StrCat(i)});
  EXPECT_THAT(error(bad), HasSubstr("more than 64 models"));
  bad = good;
  for (uint32_t i = 0; i < 70000; ++i) {
    bad.shapes.push_back({.cpu_milli = 2000 + i});
    bad.shape.push_back(static_cast<uint32_t>(bad.shapes.size() - 1));
  }
  EXPECT_THAT(error(bad), HasSubstr("typical kinds of tasks; at most 65535"));
  bad = good;
  bad.nodes.clear();
  bad.rank.clear();
  EXPECT_THAT(error(bad), HasSubstr("no node has a GPU"));
}

}  // namespace
}  // namespace muster
