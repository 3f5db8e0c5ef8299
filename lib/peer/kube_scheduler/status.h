// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What filters say about a pod on a node.
//
//   Status status = cycle.Filter(node, books);
//   if (status.code == Code::kUnschedulable) ...   // an eviction could help
#ifndef MUSTER_PEER_KUBE_SCHEDULER_STATUS_H_
#define MUSTER_PEER_KUBE_SCHEDULER_STATUS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/peer/kube_scheduler/settings.h"

namespace muster::kube {

// Whether an eviction on the node could help.
enum class Code : uint8_t { kFits, kUnschedulable, kUnresolvable };

// A reason in the scheduler's words. From kInsufficient on, the rest is a dimension; from kWords
// on, the number of a text (World::words).
enum class Cause : uint32_t {
  kUnschedulable,
  kTaint,
  kNodeAffinity,
  kAddedAffinity,
  kPorts,
  kTooManyPods,
  kSpread,
  kSpreadLabel,
  kAffinity,
  kAntiAffinity,
  kExistingAntiAffinity,
  kNoVictims,
  kUnhelpful,
  kNotInSet,
  kConflict,
  kInsufficient,
  kWords = 1 << 30,
};

struct Status {
  Code code = Code::kFits;
  Plugin plugin = Plugin::kNone;
  absl::InlinedVector<Cause, 2> causes;

  friend bool operator==(const Status&, const Status&) = default;
};

// How many nodes have each of a few keys; neighbors often have the same.
template <class Key>
class FewCounts {
 public:
  void Add(Key key, int64_t nodes) {
    if (last_ >= counts_.size() || counts_[last_].first != key) {
      const auto found = std::ranges::find(counts_, key, &std::pair<Key, int64_t>::first);
      last_ = static_cast<size_t>(found - counts_.begin());
      if (found == counts_.end()) counts_.emplace_back(key, 0);
    }
    counts_[last_].second += nodes;
  }
  // Some may be 0.
  const std::vector<std::pair<Key, int64_t>>& list() const { return counts_; }

 private:
  std::vector<std::pair<Key, int64_t>> counts_;
  size_t last_ = 0;
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_STATUS_H_
