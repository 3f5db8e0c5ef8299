// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Small pools for the tests of Armada's rounds: one resource, cpu, and the preemptible classes
// "low" (10) and "high" (20).
#ifndef MUSTER_TESTS_PEER_ARMADA_POOL_H_
#define MUSTER_TESTS_PEER_ARMADA_POOL_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/peer/armada/armada.h"

namespace muster::armada {

class Pool {
 public:
  static constexpr int kLow = 0, kHigh = 1;

  // `cpus` has the size of each node.
  explicit Pool(const std::vector<int64_t>& cpus) {
    state.resources = {{"cpu"}};
    state.indexed = {{0, 1}};
    state.buckets = {kEvictedPriority, kCrossPoolPriority, 10, 20};
    state.classes = {{"low", 10, true}, {"high", 20, true}};
    state.node_types.emplace_back();
    state.total = state.allocated = {0};
    state.multipliers = {1};
    for (const int64_t cpu : cpus) {
      Node node{.id = absl::StrCat("n", state.nodes.size()), .total = {cpu}};
      node.index = static_cast<int64_t>(state.nodes.size());
      node.free.assign(4, {cpu});
      state.nodes.push_back(std::move(node));
      state.total[0] += cpu;
    }
  }

  // Returns the number of the queue, which demands everything.
  int AddQueue(const std::string& name, double weight = 1) {
    Queue queue{.name = name, .weight = weight, .constrained_demand = state.total, .penalty = {0}};
    queue.allocated.assign(2, {0});
    queue.limits.resize(2);
    state.queues.push_back(std::move(queue));
    state.queue_names.push_back(name);
    return static_cast<int>(state.queues.size()) - 1;
  }

  // Returns the number of the job, which is queued.
  int AddJob(int queue, int64_t cpu, int priority_class = kLow, int gang = -1) {
    const int job = static_cast<int>(state.jobs.size());
    state.shapes.push_back({priority_class, {cpu}});
    state.jobs.push_back({.id = absl::StrCat("j", 100 + job),
                          .queue = queue,
                          .shape = static_cast<int>(state.shapes.size()) - 1,
                          .gang = gang,
                          .submitted = job});
    state.bound_priority.emplace_back();
    return job;
  }

  int AddGang(int queue, int members, int64_t cpu, int priority_class = kLow) {
    state.gangs.push_back({.cardinality = members});
    const int gang = static_cast<int>(state.gangs.size()) - 1;
    for (int i = 0; i < members; ++i) AddJob(queue, cpu, priority_class, gang);
    return gang;
  }

  // The job runs on the node since before the round.
  void Seat(int job, int node) {
    const auto place = static_cast<size_t>(job);
    Job& own = state.jobs[place];
    const Shape& shape = state.shapes[static_cast<size_t>(own.shape)];
    const auto priority_class = static_cast<size_t>(shape.priority_class);
    const int32_t priority = state.classes[priority_class].priority;
    own.queued = false;
    own.run = {.node = node, .created = job, .priority = priority};
    state.bound_priority[place] = priority;
    Node& on = state.nodes[static_cast<size_t>(node)];
    on.jobs.push_back({job, priority, false});
    for (size_t b = 0; b < state.buckets.size(); ++b) {
      if (state.buckets[b] <= priority) on.free[b][0] -= shape.requests[0];
    }
    Queue& queue = state.queues[static_cast<size_t>(own.queue)];
    queue.allocated[priority_class][0] += shape.requests[0];
    state.allocated[0] += shape.requests[0];
  }

  // Runs a round, and checks its books.
  const Round& Run() {
    const Cost cost(state.total, state.multipliers);
    std::vector<Claim> claims;
    double weights = 0;
    for (const Queue& queue : state.queues) {
      claims.push_back(ClaimOf(queue, cost));
      weights += queue.weight;
    }
    const std::vector<Shares> shares = DivideShares(claims, weights);
    for (size_t q = 0; q < shares.size(); ++q) state.queues[q].shares = shares[q];
    round_ = std::move(Round::Make(state)).value();
    EXPECT_TRUE(round_->Run().ok());
    EXPECT_TRUE(round_->BooksBalance());
    if (!state.options.optimiser.enabled) RunAgain();
    return *round_;
  }

  // Runs the same round once more, which comes to the same.
  void RunAgain() {
    const std::vector<int> scheduled = round_->scheduled(), preempted = round_->preempted();
    std::vector<int> nodes, again;
    for (const int job : scheduled) nodes.push_back(round_->context(job).attempt.node);
    Round::Rates rates{state.limiter, state.preemption_limiter};
    for (const Queue& queue : state.queues) rates.of_queues.push_back(queue.limiter);
    round_->Restart(rates);
    EXPECT_TRUE(round_->scheduled().empty());
    EXPECT_TRUE(round_->Run().ok());
    EXPECT_TRUE(round_->BooksBalance());
    EXPECT_EQ(round_->scheduled(), scheduled);
    EXPECT_EQ(round_->preempted(), preempted);
    for (const int job : round_->scheduled()) again.push_back(round_->context(job).attempt.node);
    EXPECT_EQ(again, nodes);
  }

  // The nodes of the scheduled jobs.
  std::map<int, int> Placed() {
    std::map<int, int> placed;
    const Round& round = Run();
    for (const int job : round.scheduled()) placed[job] = round.context(job).attempt.node;
    return placed;
  }

  State state;

 private:
  std::unique_ptr<Round> round_;
};

}  // namespace muster::armada

#endif  // MUSTER_TESTS_PEER_ARMADA_POOL_H_
