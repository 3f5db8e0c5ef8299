// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// gangreclaim: a queue takes back room for a whole gang from what other queues borrowed.
//
// Overused queues are passed over. A job gets no turn if its queue may not take all that its
// pending tasks request together. Victims run in other, reclaimable queues, those of the last queue
// in queue order first. Within a queue a gang that is taken apart should serve much of the need and
// lose little besides. gang_eviction.h describes how the need becomes victims and places.
//
// Peer. Volcano's gangreclaim over the whole cluster. As in the peer, fair shares are not compared,
// so with conformance alone a queue may be taken from below its share.
//
// Guarantee, cost. As gangpreempt.
//
// Ties. Node index; equal sets of a queue by the job's uid.
#include <string>

#include "lib/peer/volcano/action/gang_eviction.h"
#include "lib/peer/volcano/actions.h"

namespace muster {
namespace {

constexpr std::string_view kGangReclaim = "gangreclaim";

class GangReclaim : public GangEviction {
 public:
  GangReclaim(ActionContext& context, const Options& options)
      : GangEviction(context, options, kGangReclaim, /*from_other_queues=*/true) {}

 protected:
  bool MayAsk(QueueIndex queue) override { return dispatcher_.MayTakeTurn(queue).ok(); }
  bool MayTake(JobIndex job, std::span<const int64_t> request) override {
    const QueueIndex queue = tables_.jobs.queue[job];
    const Verdict verdict = dispatcher_.Preemptive(queue, request);
    if (verdict.ok()) return true;
    context_.reasons.ExplainJob(job, context_.reasons.QueueReason(queue, verdict));
    return false;
  }
};

void RunGangReclaim(ActionContext& context, const Options& options) {
  GangReclaim(context, options).Run();
}

}  // namespace

ActionDecl GangReclaimAction() {
  return {kGangReclaim,         "takes back room for whole gangs from what other queues borrowed",
          kGangEvictionOptions, RunGangReclaim,
          /*admits=*/false,
          /*evicts=*/true};
}

}  // namespace muster
