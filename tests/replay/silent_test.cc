// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A replay makes reasons only where a sample may show them, and a cycle without reasons leaves out
// turns that could do nothing. Random traces end alike with a sample at every second and with none.
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/replay.h"

namespace muster {
namespace {

// More jobs than three nodes hold, of few shapes, over three queues. `estimates`: some in ten tell
// one, others more than the truth.
Trace Crowded(Rng& rng, int64_t estimates) {
  Trace trace;
  for (int64_t i = 0; i < 3; ++i) {
    trace.machine.nodes.push_back({.name = absl::StrCat("n", i), .capacity = {{"cpu", 8}}});
  }
  for (const int64_t cpu : {1, 2, 5, 8}) trace.shapes.push_back({.request = {{"cpu", cpu}}});
  for (const char* name : {"a", "b", "c"}) trace.queues.push_back({.name = name});
  int64_t submit = 0;
  for (int64_t j = 0; j < 60; ++j) {
    TraceJob job;
    submit += static_cast<int64_t>(rng.Below(6));
    job.submit = submit;
    job.run = 1 + static_cast<int64_t>(rng.Below(40));
    job.tasks = static_cast<uint32_t>(1 + rng.Below(3));
    job.shape = static_cast<uint32_t>(rng.Below(4));
    job.queue = static_cast<uint32_t>(rng.Below(3));
    job.priority = static_cast<int32_t>(rng.Below(2));
    if (static_cast<int64_t>(rng.Below(10)) < estimates) {
      job.estimate = job.run * static_cast<int64_t>(1 + rng.Below(3));
    }
    EXPECT_TRUE(AddJob(job, &trace).ok());
  }
  return trace;
}

class SilentReplay : public ::testing::TestWithParam<const char*> {};

TEST_P(SilentReplay, DecidesAlike) {
  int64_t waits = 0, less = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Rng rng(seed);
    const Trace trace = Crowded(rng, static_cast<int64_t>(seed % 3) * 5);
    ReplayOptions each;
    each.series_interval = 1;
    ReplayOptions none;
    none.series_interval = -1;
    const absl::StatusOr<ReplayResult> talks = Replay(trace, GetParam(), each);
    const absl::StatusOr<ReplayResult> silent = Replay(trace, GetParam(), none);
    ASSERT_TRUE(talks.ok() && silent.ok()) << talks.status() << silent.status();
    ASSERT_EQ(talks->start, silent->start);
    ASSERT_EQ(talks->end, silent->end);
    ASSERT_EQ(talks->stops, silent->stops);
    ASSERT_EQ(talks->decisions, silent->decisions);
    for (size_t j = 0; j < trace.size(); ++j) waits += talks->start[j] - talks->submit[j];
    less += talks->work - silent->work;
  }
  EXPECT_GT(waits, 10000);
  // Where each queue may have a promise, another one may always come, and no turn is left out.
  const bool leaves_out = std::string_view(GetParam()) != "muster:allocate(promise=queue)";
  EXPECT_EQ(less > 0, leaves_out);
}

INSTANTIATE_TEST_SUITE_P(Profiles, SilentReplay,
                         ::testing::Values("muster", "muster:allocate(promise=head,age_limit=20)",
                                           "muster:allocate(promise=first)",
                                           "muster:allocate(promise=queue)",
                                           "muster:allocate(promise=off)", "muster:-due",
                                           "transwarp"),
                         [](const auto& info) { return absl::StrCat("Profile", info.index); });

}  // namespace
}  // namespace muster
