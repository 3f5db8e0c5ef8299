// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// allocate: places jobs on what is free, and promises them what is being released.
#include "lib/peer/kai/actions.h"
#include "lib/peer/kai/placing.h"
#include "lib/peer/kai/statement.h"

namespace muster {

void RunKaiAllocate(const KaiCycle& cycle, const KaiActionRules& rules) {
  KaiWorld& world = *cycle.world;
  KaiJobQueue queue(&world, {.depth = rules.depth});
  for (uint32_t j = 0; j < world.job_count(); ++j) {
    const KaiJob& job = world.job(j);
    if (!job.facts().schedulable || !job.IsReady()) continue;
    if (job.CountOf(KaiStatus::kPending) > 0) queue.Push(&job);
  }
  while (!queue.empty() && !cycle.cut()) {
    const KaiJob& job = *queue.Pop();
    cycle.spend();
    KaiStatement statement(&world);
    const bool had_tasks = job.CountAllocated() > 0;
    job.NextRequest(/*real=*/true);  // is known from here on
    KaiPlacer placer(&world, &statement, /*pipeline_only=*/false);
    if (!placer.Place(job, world.all_nodes())) {
      statement.Discard();
      world.Settle();
      continue;
    }
    const bool waits = job.ShouldPipeline();
    if (waits) statement.PipelineAll(job.number());
    statement.Commit(cycle.listener, kKaiNone);
    world.Settle();
    if (!waits && !had_tasks) world.started_now[job.number()] = 1;
    if (job.HasToAllocate(/*real=*/true)) queue.Push(&job);
  }
}

}  // namespace muster
