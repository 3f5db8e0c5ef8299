// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How fast the rules of KAI Scheduler answer by themselves. Rows:
//   peer/kai/division/<queues>  fair shares of one level, three resources, k = 1: GPU quotas 0 to 4,
//                               weights 1 to 4, requests 0 to 19; cpu and memory without limit;
//                               8 GPUs a queue in all
// Counters. ratio: the recorded time of the peer (its SetResourcesShare, CPU time a call) over
// ours.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "bench/thread_clock.h"
#include "lib/base/rng.h"
#include "lib/peer/kai/fair_share.h"

namespace muster::bench {
namespace {

KaiQueueTree Level(int64_t queues) {
  KaiQueueTree tree;
  Rng rng(7);
  const auto below = [&](uint64_t n) { return static_cast<double>(rng.Below(n)); };
  for (int64_t q = 0; q < queues; ++q) {
    tree.Add({.created = q});
    KaiShares& share = tree.share.back();
    share[kKaiGpu] = {.deserved = below(5),
                      .max_allowed = kKaiUnlimited,
                      .over_quota_weight = 1 + below(4),
                      .request = below(20)};
    share[kKaiCpu] = {.deserved = kKaiUnlimited,
                      .max_allowed = kKaiUnlimited,
                      .over_quota_weight = 1,
                      .request = below(20000)};
    share[kKaiMemory] = {.deserved = kKaiUnlimited,
                         .max_allowed = kKaiUnlimited,
                         .over_quota_weight = 1,
                         .request = 1e9 * below(20)};
  }
  return tree;
}

void Division(benchmark::State& state) {
  const int64_t queues = state.range(0);
  const double n = static_cast<double>(queues);
  KaiQueueTree tree = Level(queues);
  const double before = Seconds();
  for (auto _ : state) {
    SetKaiFairShares({64000 * n, 256e9 * n, 8 * n}, /*k=*/1, &tree);
    benchmark::DoNotOptimize(tree.share.data());
  }
  const double ours = (Seconds() - before) / static_cast<double>(state.iterations());
  const double recorded = queues == 10      ? 43e-6
                          : queues == 100   ? 0.51e-3
                          : queues == 1'000 ? 6.5e-3
                                            : 93e-3;
  state.counters["ratio"] = recorded / ours;
}
BENCHMARK(Division)->Name("peer/kai/division")->Arg(10)->Arg(100)->Arg(1'000)->Arg(10'000);

}  // namespace
}  // namespace muster::bench
