// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Replays under a profile that admits by quota: queues of traces have none by flavor.
#include <string>

#include "gtest/gtest.h"
#include "muster/forecast.h"
#include "muster/replay.h"

namespace muster {
namespace {

Trace QueuesWithGuarantees() {
  absl::StatusOr<Trace> trace =
      ReadCsv({{"j", "submit,run,tasks,queue,request.cpu\n0,10,1,a,3\n0,10,1,a,3\n0,10,1,b,1\n"},
               {"n", "name,capacity.cpu\nn1,4\n"},
               {"q", "name,weight,guaranteed.cpu,limit.cpu\na,1,2,4\nb,1,2,4\n"}});
  EXPECT_TRUE(trace.ok()) << trace.status();
  return *std::move(trace);
}

ReplayResult Replayed(const std::string& policy) {
  const absl::StatusOr<ReplayResult> result = Replay(QueuesWithGuarantees(), policy);
  EXPECT_TRUE(result.ok()) << result.status();
  return *result;
}

TEST(PlainQueues, GuaranteesOfATraceAreQuota) {
  const ReplayResult result = Replayed("kueue:+allocate");
  EXPECT_EQ(result.policy, "kueue:+allocate,plain_queues=on");
  EXPECT_EQ(result.start, (std::vector<int64_t>{0, 10, 0}));
  EXPECT_EQ(result.end, (std::vector<int64_t>{10, 20, 10}));
}

TEST(PlainQueues, TheOptionOfTheSpecGoesFirst) {
  const std::string off = "kueue:+allocate,plain_queues=off";
  const ReplayResult result = Replayed(off);
  EXPECT_EQ(result.policy, off);
  EXPECT_EQ(result.start[0], kAbsent);
}

// The second job starts when the first has ended, in each future as in the replay.
TEST(PlainQueues, FuturesHaveTheQuotaOfTheReplay) {
  const absl::StatusOr<TraceForecast> forecast =
      ForecastTrace(QueuesWithGuarantees(), "kueue:+allocate", {.futures = 3, .arrivals = false});
  ASSERT_TRUE(forecast.ok()) << forecast.status();
  EXPECT_EQ(forecast->job, std::vector<uint32_t>{1});
  EXPECT_EQ(forecast->started, std::vector<int64_t>{10});
  EXPECT_NE(forecast->start[0], kAbsent);
}

TEST(PlainQueues, OtherProfilesHaveNoSuchOption) {
  EXPECT_EQ(Replayed("volcano").policy, "volcano");
}

}  // namespace
}  // namespace muster
