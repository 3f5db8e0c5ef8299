// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A round of turns of reclaim or preempt: once around all jobs. fair_evict.cc has the rules, and
// the loop of rounds.
//
//   const RoundEnd end = RunFairRound(context, EvictRules(options), Taking::kFromOtherQueues);
//   if (!end.evicted) ...  // settled
#ifndef MUSTER_PEER_MUSTER_FAIR_ROUND_H_
#define MUSTER_PEER_MUSTER_FAIR_ROUND_H_

#include <cstdint>

#include "lib/part/action.h"
#include "lib/peer/muster/fair_exchange.h"

namespace muster {

// The options as numbers.
struct EvictRules {
  EvictRules() = default;
  explicit EvictRules(const Options& options)
      : tries(static_cast<int64_t>(options.number("tries"))),
        min_runtime(static_cast<int64_t>(options.number("min_runtime"))),
        pay{.rate = options.number("exchange"), .slack = options.number("slack")},
        by_loss(options.flag("by_loss")) {}
  // Returns whether a round that evicts nothing by these evicts nothing by the others.
  bool TakesAlike(const EvictRules& other) const {
    return min_runtime == other.min_runtime && pay == other.pay && by_loss == other.by_loss;
  }

  int64_t tries = 0, min_runtime = 0;
  EvictionPay pay;
  bool by_loss = false;
};

struct RoundEnd {
  bool evicted = false;  // any task was
  // True only if a round on the same books evicts nothing, whichever of the tasks that hold places
  // run by then.
  bool idle = false;
};

// Takes one way, once around all jobs. fair_evict.cc has the cost.
RoundEnd RunFairRound(ActionContext& context, const EvictRules& rules, Taking way);

}  // namespace muster

#endif  // MUSTER_PEER_MUSTER_FAIR_ROUND_H_
