// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// stalegangeviction: evicts what is left of gangs that lost some of their tasks a while ago.
#include "lib/base/math.h"
#include "lib/peer/kai/actions.h"

namespace muster {

void RunKaiStaleGangEviction(const KaiCycle& cycle) {
  KaiWorld& world = *cycle.world;
  for (uint32_t j = 0; j < world.job_count(); ++j) {
    KaiJob& job = world.job(j);
    std::optional<int64_t>& since = world.stale_since[j];
    if (!job.IsStale() || !job.facts().takes_part()) {
      since.reset();
      continue;
    }
    // The clock of a gang begins when it is first seen stale.
    since = since.value_or(world.facts().now);
    const int64_t grace = job.facts().staleness_grace.value_or(world.options().staleness_grace);
    if (grace < 0 || SatSub(world.facts().now, *since) < grace) continue;
    const std::vector<KaiPod*> pods(job.pods().begin(), job.pods().end());
    for (KaiPod* pod : pods) {
      if (!IsActiveAllocated(pod->status)) continue;
      job.SetStatus(pod, KaiStatus::kReleasing);
      world.nodes.Update(pod->node, pod);
      world.Discharge(*pod);
      world.evicted_now[j] = 1;
      cycle.listener->Evicted(*pod, kKaiNone);
    }
  }
}

}  // namespace muster
