// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The queue of events against a list that is sorted anew for each question.
#include "lib/replay/event_queue.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster {
namespace {

auto Fields(const Event& event) {
  return std::tuple(event.time, event.kind, event.job, event.task, event.turn);
}

TEST(EventQueue, GivesEventsByTimeKindAndInsertion) {
  int64_t popped = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    EventQueue queue;
    std::vector<Event> list;  // by insertion
    const uint64_t times = 1 + rng.Below(40);
    for (uint32_t step = 0; step < 400; ++step) {
      ASSERT_EQ(queue.empty(), list.empty());
      // Now more come and now fewer, so that it runs empty and links are used again.
      const bool pushes = rng.Chance(step / 100 % 2 == 0 ? 0.7 : 0.3);
      if (pushes || list.empty()) {
        const Event event{static_cast<int64_t>(rng.Below(times)) - 5,
                          static_cast<EventKind>(rng.Below(5)), step,
                          static_cast<uint32_t>(rng.Below(3)), static_cast<uint32_t>(rng.Below(3))};
        queue.Push(event);
        list.push_back(event);
        continue;
      }
      const auto first =
          std::min_element(list.begin(), list.end(), [](const Event& a, const Event& b) {
            return std::tie(a.time, a.kind) < std::tie(b.time, b.kind);
          });
      ASSERT_EQ(Fields(queue.top()), Fields(*first));
      ASSERT_EQ(Fields(queue.Pop()), Fields(*first));
      list.erase(first);
      ++popped;
    }
  }
  EXPECT_GT(popped, 30000);
}

// Events taken out and put back, as they were, are before those that come later.
TEST(EventQueue, WhatIsPutBackKeepsItsOrder) {
  EventQueue queue;
  for (uint32_t job = 0; job < 3; ++job) queue.Push({.time = 4, .job = job});
  queue.Push({.time = 4, .kind = EventKind::kLeft, .job = 9});
  std::vector<Event> taken;
  while (queue.top().kind == EventKind::kEnd) taken.push_back(queue.Pop());
  for (const Event& event : taken) queue.Push(event);
  queue.Push({.time = 4, .job = 7});
  std::vector<uint32_t> jobs;
  while (!queue.empty()) jobs.push_back(queue.Pop().job);
  EXPECT_EQ(jobs, (std::vector<uint32_t>{0, 1, 2, 7, 9}));
}

}  // namespace
}  // namespace muster
