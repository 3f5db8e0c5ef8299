// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random changes of a living cluster. What is refused changes nothing, so outcomes are only
// counted.
//
//   RandomEdits edits(cluster, rng);
//   for (int i = 0; i < 100; ++i) edits.Step();
#ifndef MUSTER_TESTS_SUPPORT_RANDOM_EDITS_H_
#define MUSTER_TESTS_SUPPORT_RANDOM_EDITS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/rng.h"
#include "muster/cluster.h"
#include "tests/support/random_world.h"

namespace muster::testing {

class RandomEdits {
 public:
  RandomEdits(Cluster& cluster, Rng& rng, const WorldKnobs& knobs = {})
      : RandomEdits(cluster, rng, RandomWorld(rng.Next(), knobs)) {}
  // Rows come from the pool.
  RandomEdits(Cluster& cluster, Rng& rng, ClusterSpec pool)
      : cluster_(cluster), rng_(rng), pool_(std::move(pool)) {}

  void Step();
  int64_t done() const { return done_; }

 private:
  template <class T>
  T One(const std::vector<T>& items) {
    return items[rng_.Below(items.size())];
  }
  NodeSpec Renamed(const std::vector<NodeSpec>& nodes, const std::string& name);
  void Try(const absl::Status& status) { done_ += status.ok(); }

  Cluster& cluster_;
  Rng& rng_;
  const ClusterSpec pool_;
  int64_t names_ = 0, done_ = 0;
};

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_RANDOM_EDITS_H_
