// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Traces made from mixes: equal for equal seeds, true to the tables, of the load requested, and
// what is wrong with a mix.
#include "muster/mix.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "muster/replay.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Trace Made(const TraceMix& mix, const MixOptions& options) {
  absl::StatusOr<Trace> trace = GenerateTrace(mix, options);
  EXPECT_TRUE(trace.ok()) << trace.status();
  return trace.ok() ? *std::move(trace) : Trace();
}

std::vector<int64_t> Flat(int64_t value) { return std::vector<int64_t>(kMixShares.size(), value); }

// Two kinds of jobs on four nodes of two kinds.
TraceMix Small() {
  TraceMix mix;
  mix.name = "small";
  mix.nodes = {{{.name = "a-", .capacity = {{"cpu", 8}}}, 3},
               {{.name = "b-", .capacity = {{"cpu", 4}, {"gpu", 1}}}, 1}};
  mix.jobs = {{.weight = 3, .tasks = 2, .shape = {.request = {{"cpu", 2}}}, .run = Flat(100)},
              {.weight = 1, .shape = {.request = {{"cpu", 1}, {"gpu", 1}}}}};
  mix.queues = {{{.name = "q", .weight = 2}, 1}, {{.name = "r"}, 4}};
  mix.users = {2, 1};
  mix.run = Flat(50);
  mix.gaps = Flat(10);
  mix.estimate = Flat(150);
  return mix;
}

TEST(MixTrace, IsMadeOfTheTables) {
  const Trace trace = Made(Small(), {.jobs = 8000, .seed = 3});
  ASSERT_EQ(trace.size(), 8000u);
  std::vector<std::string> names;
  for (const NodeSpec& node : trace.machine.nodes) names.push_back(node.name);
  EXPECT_THAT(names, ElementsAre("a-0", "a-1", "a-2", "b-0"));
  std::vector<int64_t> of_shape(2), of_queue(2), of_user(2);
  for (size_t row = 0; row < trace.size(); ++row) {
    EXPECT_EQ(trace.submit[row], static_cast<int64_t>(row) * 10);
    EXPECT_EQ(trace.run[row], trace.shape[row] == 0 ? 100 : 50);
    EXPECT_EQ(trace.estimate[row], trace.shape[row] == 0 ? 150 : 75);
    EXPECT_EQ(trace.tasks[row], trace.shape[row] == 0 ? 2 : 1);
    ++of_shape[trace.shape[row]];
    ++of_queue[trace.queue[row]];
    ++of_user[trace.user[row]];
  }
  EXPECT_NEAR(of_shape[0], 6000, 200);
  EXPECT_NEAR(of_queue[0], 1600, 200);
  EXPECT_NEAR(of_user[0], 5333, 200);
}

TEST(MixTrace, DrawsByEqualFactorsBetweenShares) {
  TraceMix mix = Small();
  mix.jobs[0].run.clear();
  for (size_t i = 0; i < kMixShares.size(); ++i) mix.run[i] = (int64_t{16} << i) - 1;
  Trace trace = Made(mix, {.jobs = 100000, .seed = 1});
  std::sort(trace.run.begin(), trace.run.end());
  // Half way between shares i and i + 1, of which there are enough, one less than 16 times 2^i
  // times the root of 2.
  for (size_t i : {0, 2, 5, 9, 10}) {
    const auto middle = static_cast<size_t>((kMixShares[i] + kMixShares[i + 1]) * 5);
    const double value = static_cast<double>(int64_t{16} << i) * 1.41421356 - 1;
    EXPECT_NEAR(static_cast<double>(trace.run[middle]), value, 0.06 * value) << i;
  }
  EXPECT_GE(trace.run.front(), 15);
  EXPECT_LE(trace.run.back(), (int64_t{16} << 17) - 1);
}

TEST(MixTrace, IsAFunctionOfTheSeedAndOneStreamADrawing) {
  for (const std::string& name : TraceMixNames()) {
    const TraceMix mix = *NamedTraceMix(name);
    const Trace a = Made(mix, {.jobs = 500, .seed = 5}), b = Made(mix, {.jobs = 500, .seed = 5}),
                c = Made(mix, {.jobs = 500, .seed = 6});
    EXPECT_EQ(a.submit, b.submit);
    EXPECT_EQ(a.run, b.run);
    EXPECT_NE(a.run, c.run);
    TraceMix longer = mix;
    longer.run = Flat(7);
    for (MixJobs& kind : longer.jobs) kind.run.clear();
    const Trace d = Made(longer, {.jobs = 500, .seed = 5});
    EXPECT_EQ(d.submit, a.submit);
    EXPECT_EQ(d.shape, a.shape);
    EXPECT_EQ(d.queue, a.queue);
  }
}

// The first numbers of each named mix, reckoned apart from the definition of SplitMix64,
// xoshiro256++ and the mix.
TEST(MixTrace, Golden) {
  std::map<std::string, std::string> seen;
  for (const std::string& name : TraceMixNames()) {
    const Trace trace = Made(*NamedTraceMix(name), {.jobs = 3, .seed = 1});
    for (size_t row = 0; row < 3; ++row) {
      absl::StrAppend(&seen[name], trace.submit[row], "+", trace.run[row], "x", trace.tasks[row],
                      " ");
    }
  }
  EXPECT_EQ(seen["openb"], "0+335x1 1024+2437x1 1497+8016x1 ");
  EXPECT_EQ(seen["philly"], "0+764x1 725+3637x1 960+10250x1 ");
  EXPECT_EQ(seen["hpc"], "0+153x16 872+2326x64 1201+10327x32 ");
}

// What jobs hold on average until the last one comes, if all start at once.
double Held(const Trace& trace, const std::vector<double>& part_of_shape) {
  double held = 0;
  for (size_t row = 0; row < trace.size(); ++row) {
    const int64_t seconds = std::min(trace.run[row], trace.submit.back() - trace.submit[row]);
    held += static_cast<double>(seconds) * trace.tasks[row] * part_of_shape[trace.shape[row]];
  }
  return held / static_cast<double>(trace.submit.back());
}

TEST(MixTrace, HasTheLoadAskedFor) {
  // 28 cpus, 1 gpu: a task of the second kind takes the whole of what is scarcest.
  for (double load : {0.5, 1.0, 3.0}) {
    EXPECT_NEAR(Held(Made(Small(), {.jobs = 5000, .load = load}), {0, 1}), load, 0.01);
  }
  // Long jobs count as far as they lie in the time of submissions.
  TraceMix hpc = *NamedTraceMix("hpc");
  hpc.hours.clear();
  for (int64_t jobs : {300, 20000}) {
    const Trace pool = Made(hpc, {.jobs = jobs, .processors = 2304, .load = 0.8});
    EXPECT_EQ(pool.processors, 2304);
    EXPECT_NEAR(Held(pool, std::vector<double>(8, 1.0 / 2304)), 0.8, 0.01);
  }
  // Gaps of nothing cannot be spread, and nothing is closer together than one instant.
  TraceMix still = Small();
  still.gaps = Flat(0);
  EXPECT_EQ(Made(still, {.jobs = 10, .load = 0.5}).submit.back(), 0);
  EXPECT_LE(Made(Small(), {.jobs = 3, .load = 1000}).submit.back(), 1);
}

TEST(MixTrace, GivesHoursTheirWeights) {
  TraceMix mix = Small();
  mix.gaps = Flat(61);
  mix.hours.assign(24, 0);
  mix.hours[3] = 1;
  mix.hours[10] = 3;
  const Trace trace = Made(mix, {.jobs = 50000});
  std::vector<int64_t> of_hour(24);
  for (int64_t time : trace.submit) ++of_hour[time % 86400 / 3600];
  EXPECT_NEAR(of_hour[3], 12500, 600);
  EXPECT_NEAR(of_hour[10], 37500, 600);
  EXPECT_TRUE(std::is_sorted(trace.submit.begin(), trace.submit.end()));
  mix.hours.assign(24, 5);
  const Trace even = Made(mix, {.jobs = 1000});
  mix.hours.clear();
  EXPECT_EQ(even.submit, Made(mix, {.jobs = 1000}).submit);
}

TEST(MixTrace, KeepsProportionsOfNodesAndLeavesOutWhatDoesNotFit) {
  const TraceMix openb = *NamedTraceMix("openb");
  EXPECT_EQ(Made(openb, {.jobs = 1}).machine.nodes.size(), 1213u);
  EXPECT_EQ(Made(openb, {.jobs = 1, .nodes = 100}).machine.nodes.size(), 100u);
  // 8 nodes of 8 GPUs hold no gang of 128.
  const TraceMix philly = *NamedTraceMix("philly");
  const Trace small = Made(philly, {.jobs = 200000, .nodes = 8});
  EXPECT_EQ(*std::max_element(small.tasks.begin(), small.tasks.end()), 8u);
  const Trace whole = Made(philly, {.jobs = 200000});
  EXPECT_EQ(*std::max_element(whole.tasks.begin(), whole.tasks.end()), 16u);
}

TEST(MixTrace, TablesOfCsvSayTheSame) {
  const Trace trace = Made(Small(), {.jobs = 300, .seed = 2});
  const CsvText text = WriteCsv(trace);
  const absl::StatusOr<Trace> read =
      ReadCsv({{"jobs", text.jobs}, {"nodes", text.nodes}, {"queues", text.queues}});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->submit, trace.submit);
  EXPECT_EQ(read->run, trace.run);
  EXPECT_EQ(read->queue, trace.queue);
  EXPECT_EQ(read->machine.nodes.size(), trace.machine.nodes.size());
  const absl::StatusOr<ReplayResult> a = Replay(trace, "muster"), b = Replay(*read, "muster");
  ASSERT_TRUE(a.ok() && b.ok()) << a.status() << b.status();
  EXPECT_EQ(a->start, b->start);
  EXPECT_EQ(a->end, b->end);
}

TEST(MixTrace, SaysWhatIsBad) {
  const auto refusal = [](const MixOptions& options, auto change) {
    TraceMix mix = Small();
    change(&mix);
    return std::string(GenerateTrace(mix, options).status().message());
  };
  using M = TraceMix*;
  EXPECT_THAT(refusal({}, [](M m) { m->jobs.clear(); }),
              HasSubstr("mix \"small\": jobs: there are none"));
  EXPECT_THAT(refusal({}, [](M m) { m->processors = 4; }),
              HasSubstr("nodes or processors, and not both"));
  EXPECT_THAT(refusal({}, [](M m) { m->nodes.clear(); }),
              HasSubstr("nodes or processors, and not both"));
  EXPECT_THAT(refusal({}, [](M m) { m->nodes[1].count = 0; }),
              HasSubstr("nodes \"b-\": counts must be above 0"));
  EXPECT_THAT(refusal({}, [](M m) { m->run.pop_back(); }),
              HasSubstr("run: 17 values, there must be 18"));
  EXPECT_THAT(refusal({}, [](M m) { m->run[3] = 51; }),
              HasSubstr("run: values must be 1 or more, none above the next"));
  EXPECT_THAT(refusal({}, [](M m) { m->jobs[0].run = Flat(0); }),
              HasSubstr("jobs: run: values must be 1 or more"));
  EXPECT_THAT(refusal({}, [](M m) { m->gaps = Flat(-1); }),
              HasSubstr("gaps: values must be 0 or more"));
  EXPECT_THAT(refusal({}, [](M m) { m->jobs[0].weight = -1; }),
              HasSubstr("jobs: weights must be between 0 and 2^40"));
  EXPECT_THAT(refusal({}, [](M m) { m->users = {0, 0}; }), HasSubstr("users: weights must be"));
  EXPECT_THAT(refusal({},
                      [](M m) {
                        m->hours = {1, 2};
                      }),
              HasSubstr("hours: 2 weights, a day has 24"));
  EXPECT_THAT(refusal({}, [](M m) { m->jobs[1].tasks = 0; }),
              HasSubstr("jobs: tasks must be above 0"));
  EXPECT_THAT(refusal({},
                      [](M m) {
                        m->jobs[1].shape.request = {{"cpu", "much"}};
                      }),
              HasSubstr("much"));
  EXPECT_THAT(refusal({},
                      [](M m) {
                        m->jobs = {{.tasks = 1000, .shape = {.request = {{"cpu", 8}}}}};
                      }),
              HasSubstr("none of its jobs fits the machine"));
  const auto same = [](M) {};
  EXPECT_THAT(refusal({.jobs = -1}, same),
              HasSubstr("jobs: expected between 0 and 100000000, got -1"));
  EXPECT_THAT(refusal({.processors = 5}, same), HasSubstr("processors: its machine has nodes"));
  EXPECT_THAT(refusal({.load = -1}, same), HasSubstr("load: expected between 0 and 1000, got -1"));
  EXPECT_THAT(refusal({.load = 0.0 / 0.0}, same),
              HasSubstr("load: expected between 0 and 1000, got nan"));
  EXPECT_THAT(std::string(NamedTraceMix("phily").status().message()),
              HasSubstr("did you mean \"philly\"?"));
  EXPECT_THAT(std::string(NamedTraceMix("x").status().message()), HasSubstr("openb, philly, hpc"));
}

std::string SmallAsJson() {
  std::string flat;
  for (size_t i = 0; i < kMixShares.size(); ++i) absl::StrAppend(&flat, i > 0 ? "," : "", "%");
  const auto of = [&](int64_t value) {
    return absl::StrCat("[", absl::StrReplaceAll(flat, {{"%", absl::StrCat(value)}}), "]");
  };
  return absl::StrCat(
      R"({"muster_mix": 1, "name": "small", "nodes": [
            {"node": {"name": "a-", "capacity": {"cpu": 8}}, "count": 3},
            {"node": {"name": "b-", "capacity": {"cpu": 4, "gpu": "1"}}, "count": 1}],
          "jobs": [{"weight": 3, "tasks": 2, "shape": {"request": {"cpu": 2}}, "run": )",
      of(100), R"(}, {"weight": 1, "shape": {"request": {"cpu": 1, "gpu": 1}}}],
          "queues": [{"queue": {"name": "q", "weight": 2}, "jobs": 1}, {"queue": {"name": "r"}, "jobs": 4}],
          "users": [2, 1], "run": )",
      of(50), R"(, "gaps": )", of(10), R"(, "estimate": )", of(150), "}");
}

TEST(MixJson, IsTheMixItSays) {
  const std::string json = SmallAsJson();
  const absl::StatusOr<TraceMix> mix = ParseTraceMix({"mine.json", json});
  ASSERT_TRUE(mix.ok()) << mix.status();
  const MixOptions options = {.jobs = 500, .seed = 11};
  const Trace read = Made(*mix, options), made = Made(Small(), options);
  EXPECT_EQ(read.submit, made.submit);
  EXPECT_EQ(read.run, made.run);
  EXPECT_EQ(read.tasks, made.tasks);
  EXPECT_EQ(read.queue, made.queue);
  EXPECT_EQ(read.user, made.user);
  EXPECT_EQ(read.estimate, made.estimate);
  EXPECT_EQ(read.machine.nodes.size(), made.machine.nodes.size());
}

TEST(MixJson, SaysWhatIsWrong) {
  const auto refusal = [](const std::string& from, const std::string& to) {
    const std::string json = absl::StrReplaceAll(SmallAsJson(), {{from, to}});
    return std::string(ParseTraceMix({"mine.json", json}).status().message());
  };
  EXPECT_EQ(refusal(R"("muster_mix": 1, )", ""),
            "mine.json: key \"muster_mix\" is missing; it holds the version of the form, 1");
  EXPECT_EQ(refusal(R"("muster_mix": 1)", R"("muster_mix": 2)"),
            "mine.json: muster_mix: form 2 is not known; this reads 1");
  EXPECT_EQ(refusal(R"("gaps")", R"("gap")"),
            "mine.json: unknown key \"gap\", did you mean \"gaps\"?");
  EXPECT_EQ(refusal(R"("weight": 3)", R"("weight": "3")"),
            "mine.json: jobs[0].weight: expected an integer, got \"3\"");
  EXPECT_EQ(refusal(R"("count": 3)", R"("cont": 3)"),
            "mine.json: nodes[0]: unknown key \"cont\", did you mean \"count\"?");
  EXPECT_THAT(refusal(R"({"request": {"cpu": 2}})", R"("big")"),
              HasSubstr("mine.json: jobs: shape \"big\": a mix spells its shapes out"));
  EXPECT_THAT(refusal(R"("count": 3)", R"("count": 0)"),
              HasSubstr("mine.json: mix \"small\": nodes \"a-\": counts must be above 0"));
  EXPECT_THAT(refusal("}]", "}"), HasSubstr("mine.json: byte "));
  EXPECT_THAT(refusal(R"("users": [2, 1])", R"("users": NaN)"), HasSubstr("mine.json: byte "));
  EXPECT_THAT(std::string(ParseTraceMix({"empty.json", ""}).status().message()),
              HasSubstr("empty.json: "));
}

}  // namespace
}  // namespace muster
