// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Samples of a replay against a recount from where every task was and what happened to every node:
// to the bit.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/replay/deserved.h"
#include "muster/replay.h"
#include "tests/support/world_loop.h"

namespace muster {
namespace {

using Kind = NodeEvent::Kind;

constexpr size_t kResources = 2;
constexpr const char* kNames[kResources] = {"cpu", "gpu"};

// Few nodes in racks, some with GPUs; shapes by amounts, which the recount has as numbers.
struct World {
  Trace trace;
  std::vector<std::vector<int64_t>> capacity;  // by node
  std::vector<std::vector<int64_t>> request;   // by shape
};

Resources AmountsOf(const std::vector<int64_t>& amounts) {
  Resources out;
  for (size_t d = 0; d < kResources; ++d) {
    if (amounts[d] > 0) out.emplace_back(kNames[d], amounts[d]);
  }
  return out;
}

World RandomWorld(Rng& rng) {
  World world;
  Trace& trace = world.trace;
  const auto below = [&](uint64_t n) { return static_cast<int64_t>(rng.Below(n)); };
  trace.machine.domains = {{.name = "rack-0"}, {.name = "rack-1"}};
  for (int64_t i = 0; i < 5; ++i) {
    world.capacity.push_back({2 + 2 * below(3), i < 3 ? 1 + below(3) : 0});
    trace.machine.nodes.push_back({.name = absl::StrCat("n", i),
                                   .capacity = AmountsOf(world.capacity.back()),
                                   .domain = absl::StrCat("rack-", i % 2)});
  }
  world.request = {{1, 0}, {2, 1}, {3, 0}, {1, 2}};
  for (const auto& request : world.request) trace.shapes.push_back({.request = AmountsOf(request)});
  trace.queues = {{.name = "a", .weight = 2}, {.name = "b", .weight = 1}};
  for (int64_t i = 0; i < 30; ++i) {
    EXPECT_TRUE(AddJob({.submit = below(120),
                        .run = 1 + below(40),
                        .tasks = 1 + below(3),
                        .shape = static_cast<uint32_t>(rng.Below(4)),
                        .queue = static_cast<uint32_t>(rng.Below(2)),
                        .priority = static_cast<int32_t>(rng.Below(3))},
                       &trace)
                    .ok());
  }
  // A node or a rack joins, drains, fails, returns; one that has not joined is not there.
  for (int64_t i = 0, time = 0; i < 8; ++i, time += below(30)) {
    const std::string name = absl::StrCat(rng.Chance(0.3) ? "rack-" : "n", rng.Below(2));
    trace.node_events.push_back({time, static_cast<Kind>(rng.Below(4)), name});
  }
  return world;
}

struct NodeState {
  bool there = true;
  int64_t down = 0;
  bool up() const { return there && down == 0; }
};

std::vector<NodeState> NodesAt(const Trace& trace, int64_t time) {
  std::vector<NodeState> nodes(trace.machine.nodes.size());
  std::vector<std::string> seen;
  const auto each = [&](const std::string& name, auto&& change) {
    for (size_t n = 0; n < nodes.size(); ++n) {
      const NodeSpec& node = trace.machine.nodes[n];
      if (node.name == name || node.domain == name) change(nodes[n]);
    }
  };
  // Names of nodes that join later.
  for (const NodeEvent& event : trace.node_events) {
    if (std::find(seen.begin(), seen.end(), event.name) != seen.end()) continue;
    seen.push_back(event.name);
    if (event.kind == Kind::kJoin) each(event.name, [](NodeState& n) { n.there = false; });
  }
  for (const NodeEvent& event : trace.node_events) {
    if (event.time > time) break;
    each(event.name, [&](NodeState& n) {
      // What happens to one that is not there yet counts, too: it joins as it then is.
      if (event.kind == Kind::kJoin) n.there = true;
      if (event.kind == Kind::kFail) ++n.down;
      if (event.kind == Kind::kReturn && n.down > 0) --n.down;
    });
  }
  return nodes;
}

// The shape that most tasks have of those that request the resource.
size_t TypicalShape(const World& world, size_t resource) {
  std::vector<int64_t> tasks(world.request.size(), 0);
  for (size_t row = 0; row < world.trace.size(); ++row) {
    if (world.request[world.trace.shape[row]][resource] > 0) {
      tasks[world.trace.shape[row]] += world.trace.tasks[row];
    }
  }
  return static_cast<size_t>(std::max_element(tasks.begin(), tasks.end()) - tasks.begin());
}

// What queues deserve, by the jobs that were submitted and have not ended.
std::vector<double> DeservedAt(const World& world, const ReplayResult& result, int64_t time,
                               const std::vector<int64_t>& total) {
  const Trace& trace = world.trace;
  std::vector<std::vector<double>> wanted(2, {0, 0});
  for (size_t row = 0; row < trace.size(); ++row) {
    const bool has_ended = result.end[row] != kAbsent && result.end[row] <= time;
    const bool is_refused = result.outcome[row] == JobOutcome::kRefused;
    if (trace.submit[row] > time || has_ended || is_refused) continue;
    for (size_t d = 0; d < kResources; ++d) {
      wanted[trace.queue[row]][d] +=
          static_cast<double>(world.request[trace.shape[row]][d] * trace.tasks[row]);
    }
  }
  std::vector<DivisionQueue> queues;
  for (const QueueSpec& queue : trace.queues) {
    queues.push_back({.parent = kNoParent, .weight = queue.weight});
  }
  return MachineDivision(queues).Divide(wanted, total);
}

void Compare(const World& world, const ReplayResult& result, size_t k) {
  const Trace& trace = world.trace;
  const ReplaySeries& series = result.series;
  const ReplayPlacements& stays = result.placements;
  const int64_t time = series.time[k];
  std::vector<std::vector<int64_t>> on_node(world.capacity.size(), {0, 0}), in_queue(2, {0, 0});
  for (size_t i = 0; i < stays.job.size(); ++i) {
    if (stays.from[i] > time || (stays.to[i] != kAbsent && stays.to[i] <= time)) continue;
    for (size_t d = 0; d < kResources; ++d) {
      const int64_t amount = world.request[trace.shape[stays.job[i]]][d];
      on_node[stays.node[i]][d] += amount;
      in_queue[trace.queue[stays.job[i]]][d] += amount;
    }
  }
  const std::vector<NodeState> nodes = NodesAt(trace, time);
  std::vector<int64_t> total(kResources, 0);
  for (size_t column = 0; column < series.dimensions.size(); ++column) {
    const size_t d = series.dimensions[column] == "cpu" ? 0 : 1;
    constexpr int64_t kUnit = 1000;  // both are counted in thousandths
    const std::vector<int64_t>& typical = world.request[TypicalShape(world, d)];
    int64_t used = 0, idle = 0, unusable = 0;
    for (size_t n = 0; n < nodes.size(); ++n) {
      used += on_node[n][d];
      if (!nodes[n].up()) continue;
      total[d] += world.capacity[n][d];
      const int64_t left = world.capacity[n][d] - on_node[n][d];
      idle += left;
      bool fits = true;
      for (size_t e = 0; e < kResources; ++e) {
        fits &= typical[e] <= world.capacity[n][e] - on_node[n][e];
      }
      if (!fits) unusable += left;
    }
    ASSERT_EQ(series.used[column][k], used * kUnit) << "at " << time;
    ASSERT_EQ(series.capacity[column][k], total[d] * kUnit) << "at " << time;
    ASSERT_EQ(
        series.fragmentation[column][k],
        idle == 0 ? 0.0 : static_cast<double>(unusable * kUnit) / static_cast<double>(idle * kUnit))
        << "at " << time;
  }
  const std::vector<double> deserved = DeservedAt(world, result, time, total);
  for (size_t q = 0; q < 2; ++q) {
    ASSERT_NEAR(series.queue_deserved[q][k], deserved[q], 1e-9) << "at " << time;
    double share = 0;
    for (size_t d = 0; d < kResources; ++d) {
      if (total[d] == 0) continue;
      share = std::max(share, static_cast<double>(in_queue[q][d]) / static_cast<double>(total[d]));
    }
    ASSERT_EQ(series.queue_share[q][k], share) << "at " << time;
  }
}

TEST(Series, EqualsARecount) {
  const uint64_t count = testing::WorldCount(200);
  constexpr const char* kProfiles[] = {"muster", "volcano:+preempt,+reclaim", "kube-batch", "easy"};
  for (uint64_t seed = 1; seed <= count; ++seed) {
    Rng rng(seed);
    const World world = RandomWorld(rng);
    ReplayOptions options;
    options.record_placements = true;
    options.series_interval = static_cast<int64_t>(1 + rng.Below(3));
    options.eviction_seconds = static_cast<int64_t>(1 + rng.Below(5));
    options.until = 400;
    const char* profile = kProfiles[rng.Below(4)];
    const absl::StatusOr<ReplayResult> result = Replay(world.trace, profile, options);
    ASSERT_TRUE(result.ok()) << result.status();
    ASSERT_GT(result->series.time.size(), 30u);
    for (size_t k = 0; k < result->series.time.size(); ++k) {
      Compare(world, *result, k);
      if (HasFatalFailure()) FAIL() << "seed " << seed << " " << profile;
    }
  }
}

// Plans have reasons only where a sample may need them: what a sample says does not depend on which
// others are taken.
TEST(Series, SamplesDoNotDependOnEachOther) {
  constexpr const char* kProfiles[] = {"muster", "volcano:+preempt,+reclaim", "kube-batch", "easy"};
  int64_t waiting = 0;
  for (uint64_t seed = 1; seed <= testing::WorldCount(80); ++seed) {
    Rng rng(seed);
    const World world = RandomWorld(rng);
    ReplayOptions options;
    options.until = 400;
    const char* profile = kProfiles[rng.Below(4)];
    options.series_interval = 1;
    const absl::StatusOr<ReplayResult> all = Replay(world.trace, profile, options);
    ASSERT_TRUE(all.ok()) << all.status();
    options.series_interval = static_cast<int64_t>(5 + rng.Below(40));
    const absl::StatusOr<ReplayResult> few = Replay(world.trace, profile, options);
    ASSERT_TRUE(few.ok()) << few.status();
    EXPECT_EQ(few->start, all->start);
    const ReplaySeries &fine = all->series, &coarse = few->series;
    for (size_t k = 0; k < coarse.time.size(); ++k) {
      const size_t same = k * options.series_interval;
      ASSERT_LT(same, fine.time.size());
      ASSERT_EQ(coarse.time[k], fine.time[same]);
      waiting += coarse.waiting[k];
      for (size_t r = 0; r < coarse.reasons.size(); ++r) {
        const auto at = std::find(fine.reasons.begin(), fine.reasons.end(), coarse.reasons[r]);
        ASSERT_NE(at, fine.reasons.end()) << coarse.reasons[r];
        ASSERT_EQ(coarse.waiting_by_reason[r][k],
                  fine.waiting_by_reason[at - fine.reasons.begin()][same])
            << coarse.reasons[r] << " at " << coarse.time[k] << ", seed " << seed << " " << profile;
      }
      for (size_t q = 0; q < coarse.queue_deserved.size(); ++q) {
        ASSERT_EQ(coarse.queue_deserved[q][k], fine.queue_deserved[q][same]);
      }
    }
  }
  EXPECT_GT(waiting, 500);
}

// A sample costs what changed, not what there is: after the last submission 65,000 samples of
// 20,000 nodes are few milliseconds' work, and a recount of each would be minutes'.
TEST(Series, LongTailsOfLargeMachines) {
  Trace trace;
  for (int64_t i = 0; i < 20000; ++i) {
    trace.machine.nodes.push_back({.name = absl::StrCat("n", i), .capacity = {{"cpu", 4}}});
  }
  trace.shapes = {{.request = {{"cpu", 1}}}};
  ASSERT_TRUE(AddJob({.submit = 0, .run = 50, .tasks = 3}, &trace).ok());
  ASSERT_TRUE(AddJob({.submit = 100, .run = 10'000'000, .tasks = 3}, &trace).ok());
  const absl::StatusOr<ReplayResult> result = Replay(trace, "easy");
  ASSERT_TRUE(result.ok()) << result.status();
  const ReplaySeries& series = result->series;
  ASSERT_EQ(series.time.size(), size_t{1} << 16);
  for (size_t k = 0; k < series.time.size(); ++k) {
    const int64_t time = series.time[k];
    ASSERT_EQ(series.used[0][k], time < 50 || time >= 100 ? 3000 : 0) << time;
    ASSERT_EQ(series.capacity[0][k], 80'000'000);
  }
}

}  // namespace
}  // namespace muster
