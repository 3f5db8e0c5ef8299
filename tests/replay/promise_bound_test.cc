// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How long a gang can wait under profile muster, from the outside, in random worlds where no job
// runs longer than estimated. E is the longest estimate, and a job is ahead of another one at a
// time if it has not started by then and goes first in order.
// - One queue: once every job ahead has started, the gang is first, and is promised a start within
//   E. So it starts at most E later for each job ahead of it at its submission, and once more. In
//   order of submission these are the older jobs. Under policy due, these are also those that are
//   submitted at most cap times the longest wait after it.
// - Several queues: a queue that holds less goes first, for any length of time. From `age_limit`
//   on the same bound holds, counted from then.
// - Several priorities: the same.
// Without promises, or without the age limit, some gangs wait longer, so the tests can fail.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/replay.h"

namespace muster {
namespace {

constexpr int64_t kCpus = 12, kLongest = 12;

enum class Kinds : uint8_t { kAlike, kQueues, kPriorities };

// A few wide gangs among many small jobs, on three nodes that are always requested. Of two queues
// of unequal weight, the first has most jobs; of two priorities, the lower one.
Trace Busy(uint64_t seed, Kinds kinds) {
  Rng rng(seed);
  Trace trace;
  for (int64_t i = 0; i < 3; ++i) {
    trace.machine.nodes.push_back({.name = absl::StrCat("n", i), .capacity = {{"cpu", 4}}});
  }
  trace.shapes = {{.request = {{"cpu", 1}}}};
  if (kinds == Kinds::kQueues) {
    trace.queues = {{.name = "large", .weight = 9}, {.name = "small", .weight = 1}};
  }
  int64_t submit = 0;
  for (int64_t j = 0; j < 80; ++j) {
    submit += static_cast<int64_t>(rng.Below(4));
    TraceJob job{.submit = submit};
    job.tasks = static_cast<int64_t>(1 + rng.Below(rng.Chance(0.15) ? kCpus : 3));
    job.estimate = static_cast<int64_t>(1 + rng.Below(kLongest));
    job.run = 1 + static_cast<int64_t>(rng.Below(*job.estimate));
    const int32_t kind = kinds != Kinds::kAlike && rng.Chance(0.3) ? 1 : 0;
    if (kinds == Kinds::kQueues) {
      job.queue = kind;
    } else {
      job.priority = kind;
    }
    EXPECT_TRUE(AddJob(job, &trace).ok());
  }
  return trace;
}

// Counts the jobs, in so many worlds, that start later than `age` seconds after their submission,
// and E for each job ahead and once more. `head_start(longest wait)`: how long after a job another
// one may be submitted and still be ahead of it.
int64_t CountLate(const std::string& profile, Kinds kinds, int64_t age,
                  const std::function<int64_t(int64_t)>& head_start) {
  int64_t late = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Trace trace = Busy(seed, kinds);
    const absl::StatusOr<ReplayResult> result = Replay(trace, profile, {});
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return late;
    int64_t longest = 0;
    for (size_t i = 0; i < trace.size(); ++i) {
      EXPECT_NE(result->start[i], kAbsent) << "seed " << seed << " job " << i;
      longest = std::max(longest, result->start[i] - result->submit[i]);
    }
    for (size_t i = 0; i < trace.size(); ++i) {
      const int64_t from = result->submit[i] + age, last = result->submit[i] + head_start(longest);
      int64_t ahead = 0;
      for (size_t j = 0; j < trace.size(); ++j) {
        ahead += j != i && result->submit[j] <= last && result->start[j] > from;
      }
      late += result->start[i] > from + (ahead + 1) * kLongest;
    }
  }
  return late;
}

int64_t None(int64_t) { return 0; }

TEST(PromiseBound, HoldsInOrderOfSubmission) {
  EXPECT_EQ(CountLate("muster:allocate(promise=head),-due", Kinds::kAlike, 0, None), 0);
  EXPECT_GT(CountLate("muster:allocate(promise=off),-due", Kinds::kAlike, 0, None), 0);
}

TEST(PromiseBound, HoldsInTheOrderOfDueJobs) {
  const auto cap = [](double part) {
    return [part](int64_t longest) { return static_cast<int64_t>(part * double(longest)); };
  };
  EXPECT_EQ(CountLate("muster", Kinds::kAlike, 0, cap(0.3)), 0);
  EXPECT_EQ(CountLate("muster:due(scale=1,cap=0.1)", Kinds::kAlike, 0, cap(0.1)), 0);
  EXPECT_GT(
      CountLate("muster:due(scale=1,cap=0.1),allocate(promise=off)", Kinds::kAlike, 0, cap(0.1)),
      0);
}

TEST(PromiseBound, AgeLimitBoundsTheWaitForOtherQueuesAndPriorities) {
  const std::string profile = "muster:actions=allocate(promise=head,age_limit=";
  for (const Kinds kinds : {Kinds::kQueues, Kinds::kPriorities}) {
    for (const int64_t age : {0, 10, 40}) {
      EXPECT_EQ(CountLate(absl::StrCat(profile, age, "),-due"), kinds, age, None), 0) << age;
    }
    EXPECT_GT(CountLate(profile + "1000000),-due", kinds, 10, None), 0);
  }
}

}  // namespace
}  // namespace muster
