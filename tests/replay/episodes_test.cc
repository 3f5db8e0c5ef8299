// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Episodes on nodes against a plain account of what is free on each, over random allowed actions.
#include "muster/episodes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster {
namespace {

constexpr size_t kNodes = 6, kJobs = 12;
using CpuAndGpu = std::array<int64_t, 2>;  // cpu and gpu

struct Node {
  CpuAndGpu has;
  bool labeled;
};
struct Shape {
  CpuAndGpu request;
  bool selects;
};
constexpr Node kMachine[kNodes] = {{{4, 0}, false}, {{8, 2}, true}, {{4, 4}, true},
                                   {{8, 0}, false}, {{6, 1}, true}, {{2, 2}, false}};
constexpr Shape kShapes[] = {{{1, 0}, false}, {{2, 1}, false}, {{3, 0}, true}, {{1, 2}, true}};
constexpr CpuAndGpu kMost = {8, 4};

Resources Named(const CpuAndGpu& amounts) { return {{"cpu", amounts[0]}, {"gpu", amounts[1]}}; }

std::shared_ptr<const Trace> Draw(Rng& rng) {
  auto trace = std::make_shared<Trace>();
  for (size_t n = 0; n < kNodes; ++n) {
    NodeSpec node{.name = absl::StrCat("n", n), .capacity = Named(kMachine[n].has)};
    if (kMachine[n].labeled) node.labels = {{"disk", "ssd"}};
    trace->machine.nodes.push_back(std::move(node));
  }
  for (const Shape& shape : kShapes) {
    TaskShape drawn{.request = Named(shape.request)};
    if (shape.selects) drawn.node_selector = {{"disk", "ssd"}};
    trace->shapes.push_back(std::move(drawn));
  }
  int64_t submit = 0;
  for (size_t j = 0; j < kJobs; ++j) {
    submit += static_cast<int64_t>(rng.Below(4));
    const TraceJob job{.submit = submit,
                       .run = static_cast<int64_t>(1 + rng.Below(20)),
                       .tasks = static_cast<int64_t>(1 + rng.Below(2)),
                       .shape = static_cast<uint32_t>(rng.Below(std::size(kShapes)))};
    EXPECT_TRUE(AddJob(job, trace.get()).ok());
  }
  return trace;
}

// The rules of the header, for jobs by their place in Episodes::rows().
class Account {
 public:
  Account(const Trace& trace, const std::vector<uint32_t>& rows) : trace_(trace), rows_(rows) {
    for (size_t n = 0; n < kNodes; ++n) free_[n] = kMachine[n].has;
    now_ = trace_.submit[rows_[0]];
    Arrive();
  }

  bool over() const { return begun_ == rows_.size(); }
  bool MayWait() const { return !runs_.empty() || came_ < rows_.size(); }
  bool Fits(size_t node) const {
    const Shape& shape = kShapes[trace_.shape[rows_[begun_]]];
    return (!shape.selects || kMachine[node].labeled) && free_[node][0] >= shape.request[0] &&
           free_[node][1] >= shape.request[1];
  }
  const CpuAndGpu& free(size_t node) const { return free_[node]; }

  void Act(size_t action) {
    if (action == kNodes) {
      Wait();
    } else {
      Hold(begun_, action, -1);
      chosen_.push_back(action);
      const uint32_t row = rows_[begun_];
      if (chosen_.size() == trace_.tasks[row]) {
        runs_.push_back({now_ + trace_.run[row], begun_++, std::exchange(chosen_, {})});
      }
    }
    while (begun_ == came_ && came_ < rows_.size()) Wait();
  }

 private:
  struct Run {
    int64_t end;
    size_t job;
    std::vector<size_t> nodes;
  };
  void Hold(size_t job, size_t node, int64_t sign) {
    const CpuAndGpu& request = kShapes[trace_.shape[rows_[job]]].request;
    for (size_t r = 0; r < request.size(); ++r) free_[node][r] += sign * request[r];
  }
  void Wait() {
    for (const size_t node : chosen_) Hold(begun_, node, 1);
    chosen_.clear();
    int64_t then = came_ < rows_.size() ? trace_.submit[rows_[came_]] : kEndless;
    for (const Run& run : runs_) then = std::min(then, run.end);
    now_ = then;
    std::erase_if(runs_, [&](const Run& run) {
      if (run.end > now_) return false;
      for (const size_t node : run.nodes) Hold(run.job, node, 1);
      return true;
    });
    Arrive();
  }
  void Arrive() {
    while (came_ < rows_.size() && trace_.submit[rows_[came_]] <= now_) ++came_;
  }

  const Trace& trace_;
  const std::vector<uint32_t>& rows_;
  CpuAndGpu free_[kNodes];
  std::vector<Run> runs_;
  std::vector<size_t> chosen_;  // nodes of the first job that has not begun
  size_t begun_ = 0, came_ = 0;
  int64_t now_ = 0;
};

// Returns whether the action is allowed after those that were made: episode 1 repeats them.
bool AllowsAfter(Episodes& episodes, const std::vector<size_t>& made, size_t action) {
  episodes.Reset(1, 0);
  for (const size_t a : made) EXPECT_TRUE(episodes.Act(1, a).allowed);
  return episodes.Act(1, action).allowed;
}

void ExpectShown(const std::vector<float>& machine, const Account& account) {
  const auto share = [](int64_t part, int64_t whole) {
    return whole == 0 ? 0 : static_cast<float>(static_cast<double>(part) / whole);
  };
  for (size_t n = 0; n < kNodes; ++n) {
    for (size_t r = 0; r < kMost.size(); ++r) {
      const float* shown = &machine[(n * kMost.size() + r) * 2];
      EXPECT_EQ(shown[0], share(account.free(n)[r], kMachine[n].has[r])) << n << " " << r;
      EXPECT_EQ(shown[1], share(kMachine[n].has[r], kMost[r])) << n << " " << r;
    }
  }
}

TEST(EpisodesTest, MaskAndMachineAreWhatIsFreeOnEachNode) {
  int refused = 0, allowed = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Rng rng(seed);
    const std::shared_ptr<const Trace> trace = Draw(rng);
    auto episodes = Episodes::Make(trace, {.nodes = true, .jobs = kJobs}, /*count=*/2);
    ASSERT_TRUE(episodes.ok()) << episodes.status();
    ASSERT_EQ(episodes->machine_features(), 2 * kMost.size());
    Account account(*trace, episodes->rows());
    std::vector<float> jobs(episodes->job_features()), machine(kNodes * 2 * kMost.size());
    std::vector<int8_t> mask(kNodes + 1);
    std::vector<size_t> made;
    while (!episodes->over(0)) {
      ASSERT_FALSE(account.over());
      episodes->Look(0, jobs.data(), machine.data(), mask.data());
      ExpectShown(machine, account);
      std::vector<size_t> may;
      for (size_t action = 0; action <= kNodes; ++action) {
        const bool fits = action == kNodes ? account.MayWait() : account.Fits(action);
        ASSERT_EQ(mask[action], fits) << "step " << made.size() << ", action " << action;
        ASSERT_EQ(AllowsAfter(*episodes, made, action), fits) << "step " << made.size();
        ++(fits ? allowed : refused);
        if (fits) may.push_back(action);
      }
      ASSERT_FALSE(may.empty());
      made.push_back(may[rng.Below(may.size())]);
      ASSERT_TRUE(episodes->Act(0, made.back()).allowed);
      account.Act(made.back());
    }
    EXPECT_TRUE(account.over());
  }
  EXPECT_GT(allowed, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace muster
