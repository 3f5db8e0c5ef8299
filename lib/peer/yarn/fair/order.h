// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which sibling is served first: the comparators of the policies fair, drf and fifo.
//
//   OrderKey a = KeyOf(Policy::kDrf, {.usage = {1000, 1}}, cluster);
//   OrderKey b = KeyOf(Policy::kDrf, {.usage = {2000, 1}}, cluster);
//   Compare(a, b) < 0;  // a is served first
//
// A key holds all that a comparison needs, so siblings are measured once a visit.
//
// Tie-break: start time, then name. Surprises. Under drf demand plays no role, so siblings without
// demand are visited too. A ratio 0/0 compares as equal to every other, which is no order; then
// the order is that of the peer's tree (java_order.h).
#ifndef MUSTER_PEER_YARN_FAIR_ORDER_H_
#define MUSTER_PEER_YARN_FAIR_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/peer/yarn/fair/config.h"
#include "lib/peer/yarn/resource.h"

namespace muster::yarn::fair {

// An application or a queue, as its parent sees it.
struct Sibling {
  float weight = 1;
  Resource usage, min, demand;
  int64_t start_time = 0;   // 0 for queues
  uint64_t name_order = 0;  // place of the name in the order of texts
};

struct OrderKey {
  uint8_t group = 0;        // needy siblings, others, and those without demand (fair)
  bool weightless = false;  // fair: the weight is 0
  double first = 0;
  double second = 0;
  int64_t start_time = 0;
  uint64_t name_order = 0;
  bool comparable = true;  // no ratio is NaN
};

OrderKey KeyOf(Policy policy, const Sibling& sibling, const Resource& cluster);

// Negative if `a` is served before `b`, positive if after it; 0 only for equal names.
int Compare(const OrderKey& a, const OrderKey& b);

// The siblings of one visit, from the first to the last. Finding the first needs no sort. The keys
// must live until the visit ends.
class Candidates {
 public:
  void Clear() {
    all_.clear();
    next_ = 0;
    comparable_ = true;
    sorted_ = false;
  }
  void Add(const OrderKey* key, uint32_t index) {
    comparable_ &= key->comparable;
    all_.push_back({key, index});
  }
  // Sets `*index` to that of the next one; false after the last.
  bool Next(uint32_t* index);

 private:
  struct Candidate {
    const OrderKey* key;
    uint32_t index;
  };
  void SortNext();

  std::vector<Candidate> all_;
  size_t next_ = 0;
  bool comparable_ = true;
  bool sorted_ = false;  // all from next_ on, not only the first
};

}  // namespace muster::yarn::fair

#endif  // MUSTER_PEER_YARN_FAIR_ORDER_H_
