// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// gangpreempt: room for a whole starving gang, from gangs of lesser priority in the same queue.
//
// All the pending tasks of a starving job get a node at once, or nothing moves. Victims are taken
// from other jobs of the queue with strictly lower job priority, last in job order first. Before
// any gang is taken apart, all gangs that can spare tasks give those up. gang_eviction.h describes
// how the need becomes victims and places.
//
// Peer. Volcano's gangpreempt over the whole cluster, as it does where no policy has a topology.
// These details decide:
// - A spared set goes as a whole, ten tasks where one would do.
// - Neither the task nor the job of a candidate may be marked as not preemptable; an absent mark
//   permits.
// - A task that never preempts takes part.
// - Only hard refusals of a node count in the trial.
// - Every pending task of the job must find a place, not only as many as it needs.
//
// Guarantee. No nomination without the gang pipelined. No gang is broken while spared tasks of
// others suffice in sum and in place.
//
// Ties. Node index; equal jobs by creation and uid, reversed.
//
// Cost. O(tasks + nodes) once to list what can be given up and what is free. A job then costs a
// look at each node and job that changed, and O(log jobs) for each job that gave something up. A
// trial costs a look at a node of each state with room (room_later.h) for each pending task, and
// at most as many trials are made as there are sets. Where sets cannot be kept (gang_eviction.h),
// a job costs O(tasks).
#include "lib/peer/volcano/action/gang_eviction.h"
#include "lib/peer/volcano/actions.h"

namespace muster {
namespace {

constexpr std::string_view kGangPreempt = "gangpreempt";

class GangPreempt : public GangEviction {
 public:
  GangPreempt(ActionContext& context, const Options& options)
      : GangEviction(context, options, kGangPreempt, /*from_other_queues=*/false) {}
};

void RunGangPreempt(ActionContext& context, const Options& options) {
  GangPreempt(context, options).Run();
}

}  // namespace

ActionDecl GangPreemptAction() {
  return {kGangPreempt,         "takes room for whole gangs from lesser gangs of the same queue",
          kGangEvictionOptions, RunGangPreempt,
          /*admits=*/false,
          /*evicts=*/true};
}

}  // namespace muster
