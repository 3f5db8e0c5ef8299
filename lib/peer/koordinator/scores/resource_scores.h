// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How good nodes are by the kinds of resources: each by its own strategy, and scarce ones avoided.
//
//   std::vector<StrategyShare> shares = {{.requested = 20000, .capacity = 96000, .weight = 1}};
//   ScoreByStrategies(shares);               // 0..100
//   ScoreWithoutScarce(4, 1);                // the task leaves four kinds idle, one of them scarce
//
// Idea. ScoreByStrategies() is the weighted mean over the resources that the task requests, where
// each resource is better either full or empty. ScoreWithoutScarce() prefers nodes of which a task
// leaves no scarce resource idle.
//
// Peer. Koordinator's plug-ins NodeResourcesFitPlus and ScarceResourceAvoidance. Surprises: without
// a resource that counts, both give 100. The request of the first counts the peer's least amounts
// for containers that name none, and adds up containers before it looks at the next of the init
// containers: one that starts first and restarts is added to whatever came before it.
//
// Cost. O(resources), or O(containers).
#ifndef MUSTER_PEER_KOORDINATOR_SCORES_RESOURCE_SCORES_H_
#define MUSTER_PEER_KOORDINATOR_SCORES_RESOURCE_SCORES_H_

#include <cstdint>
#include <optional>
#include <span>

namespace muster {

struct StrategyShare {
  int64_t requested = 0;  // with the task
  int64_t capacity = 0;
  int64_t weight = 1;
  bool prefer_full = false;
};

// Returns 0..100.
int64_t ScoreByStrategies(std::span<const StrategyShare> shares);

// `idle`: the kinds of resources that the node has and the task does not request; `scarce`: how
// many of them are scarce. Returns 0..100.
int64_t ScoreWithoutScarce(int64_t idle, int64_t scarce);

// Brings scores of nodes to one range: the best one becomes 100. Those that are all 0 stay.
void ScaleScores(std::span<int64_t> scores);

struct ContainerRequest {
  std::optional<int64_t> amount;  // of one resource; nothing: `least` counts
  bool restarts = false;          // an init container that runs along
};

// Returns what a task requests of one resource.
int64_t RequestWithLeast(std::span<const ContainerRequest> containers,
                         std::span<const ContainerRequest> init_containers, int64_t least,
                         int64_t overhead);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_SCORES_RESOURCE_SCORES_H_
