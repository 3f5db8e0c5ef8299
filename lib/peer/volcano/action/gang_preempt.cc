// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// gangpreempt: room for a whole starving gang, from gangs of lesser priority in the same queue.
//
// All the pending tasks of a starving job get a node in one go, or nothing moves. Victims are taken from other jobs
// of the queue whose job priority is strictly lower, last in job order first: before any gang is taken apart, all
// that can spare tasks give those up. How the need becomes victims and places is told in gang_eviction.h.
// Peer. Volcano's gangpreempt over the whole cluster, which is what it does where no policy knows the topology. Its
// details that decide: a spared set goes as a whole, ten tasks where one would do; candidates need to be free of
// marks against it on the task and on the job, where no mark is a yes; a task that never preempts takes part; only
// hard refusals of a node count in the trial; and every pending task of the job must find a place, not only as many
// as it needs.
// Guarantee. No nomination without the gang pipelined; no gang is broken while spared tasks of others suffice in sum
// and in place. Ties. Node index; equal jobs by creation and uid, reversed. Cost. O(tasks) a job for the candidates,
// then O(pending x nodes) a trial, of which there are at most as many as sets.
#include "lib/peer/volcano/action/gang_eviction.h"
#include "lib/peer/volcano/actions.h"

namespace muster {
namespace {

constexpr std::string_view kGangPreempt = "gangpreempt";

class GangPreempt : public GangEviction {
 public:
  GangPreempt(ActionContext& context, const Options& options)
      : GangEviction(context, options, kGangPreempt, /*from_other_queues=*/false) {}

 protected:
  bool IsCandidate(JobIndex job, TaskIndex victim) const override {
    const TaskStatus status = ledger_.status(victim);
    if (status != TaskStatus::kBound && status != TaskStatus::kRunning) return false;
    const JobIndex other = tables_.tasks.job[victim];
    return tables_.jobs.queue[other] == tables_.jobs.queue[job] &&
           tables_.jobs.spec[other].priority < tables_.jobs.spec[job].priority;
  }
  int CompareVictims(JobIndex, JobIndex a, JobIndex b) const override {
    return dispatcher_.JobBefore(a, b) ? 1 : -1;
  }
};

void RunGangPreempt(ActionContext& context, const Options& options) {
  GangPreempt(context, options).Run();
}

}  // namespace

ActionDecl GangPreemptAction() {
  return {kGangPreempt,         "room for whole gangs, from lesser gangs of the same queue",
          kGangEvictionOptions, RunGangPreempt,
          /*admits=*/false,
          /*evicts=*/true};
}

}  // namespace muster
