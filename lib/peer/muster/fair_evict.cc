// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// reclaim and preempt of the profile muster: as few victims as possible, and no needless one.
// muster.h has the loop.
//
// reclaim takes from other queues what they hold beyond what they deserve, for a queue that holds
// less than it deserves. preempt takes from jobs of lower priority in the same queue. Jobs take
// turns in fair order as in allocate, with the same tasks: all that a gang still needs, or one more
// of a whole gang.
//
// A turn (fair_round.cc):
// 1. Each task gets a free place if there is one, else the best choice of victims
//    (victim_choices.h).
// 2. If all have a place, needless victims are given back, last one first. A victim of a later
//    task, or a gang that had to go, may have freed more than it was chosen for.
// 3. Then the victims are evicted and the whole turn is nominated. Otherwise everything is rolled
//    back.
// With option `exchange` the turn must pay. What its victims lose, in parts of the cluster times
// seconds, is at most so many times what its tasks have waited for, and what they request for
// `slack` seconds (docs/policies.md has the sums).
// Most jobs that wait could not pay for any victim, and take no turn (fair_exchange.h).
// With `min_runtime` a task that has just started is no candidate. Where a promise binds the job,
// the turn takes nothing that the promise needs (fair_promise.h).
// A job that must be in one domain of the tree evicts nothing: it waits for free nodes.
//
// Fixed point. After evictions, what queues deserve is computed again, what is free is filled
// again, and turns are taken again, until a round evicts nothing. The next cycle starts from there
// and finds its nominations first, then the same books and the same shares, so it evicts nothing
// either. No queue is reclaimed from below what it deserves, and none reclaims beyond that, so
// nothing goes back and forth.
//
// Settling. The action has settled (lib/part/settles.h) if no job could take anything, or none
// could pay for it. What has just started has nothing to lose, so it counts among the victims: the
// next cycle may evict it for a queue that holds less.
//
// Cost. A look at the tasks of every node for each kind of asker, then at one node a task; see
// victim_choices.h. A round in which no job could take anything, or pay for it, takes no turns: it
// is found out once for all like jobs (fair_lines.h), by that which has waited longest.
#include <algorithm>
#include <initializer_list>

#include "lib/part/action.h"
#include "lib/peer/muster/actions.h"
#include "lib/peer/muster/fair_fill.h"
#include "lib/peer/muster/fair_lines.h"
#include "lib/peer/muster/fair_round.h"

namespace muster {
namespace {

constexpr OptionDecl kEvictOptions[] = {
    kTriesOption,
    {"min_runtime", OptionKind::kWhole, "0", 0, 1e12,
     "seconds that a task runs before it may be evicted"},
    {"exchange", OptionKind::kNumber, "0", 0, 1e12,
     "evict only for this many times the work that was waited for; 0: whatever is lost"},
    {"slack", OptionKind::kNumber, "0", 0, 1e12,
     "and for what the task that waits requests, for so many seconds; read with exchange above 0"},
    {"by_loss", OptionKind::kFlag, "off", 0, 0,
     "of victims alike in number and priority those that lose the least work go, not the youngest"},
};

struct FairMemory : CycleMemory {
  explicit FairMemory(ActionContext&) {}
  // The last round of one way that evicted nothing. On the same books it would do so again, unless
  // what queues deserve was computed anew.
  struct Settled {
    Ledger::Moment moment;
    EvictRules rules;
    int64_t work = 0;
    bool idle = false;  // as RoundEnd::idle
  };
  bool reclaims = false;  // an action of this cycle took from other queues, and may do so again
  Settled settled[2];     // by way
};

// Returns whether any task was evicted.
bool RunRound(ActionContext& context, const EvictRules& rules, Taking way) {
  FairMemory::Settled& known = context.memory<FairMemory>().settled[static_cast<int>(way)];
  if (context.ledger.SameAs(known.moment) && known.rules.TakesAlike(rules) &&
      context.meter.SpendAgain(known.work)) {
    return false;
  }
  const int64_t before = context.meter.work();
  const RoundEnd end = RunFairRound(context, rules, way);
  if (end.evicted) return true;
  if (context.meter.ended()) return false;
  known = {context.ledger.moment(), rules, context.meter.work() - before, end.idle};
  return false;
}

void TakeUntilSettled(ActionContext& context, const EvictRules& rules,
                      std::initializer_list<Taking> ways) {
  // Without a job in line no round has a turn.
  if (context.memory<FairKnown>().lines().empty()) {
    context.memory<FairKnown>().NoteSettled();
    return;
  }
  for (;;) {
    bool evicted = false;
    for (Taking way : ways) {
      evicted |= RunRound(context, rules, way);
      if (context.meter.ended()) return;
    }
    if (!evicted) {
      const auto& settled = context.memory<FairMemory>().settled;
      const bool idle = std::all_of(ways.begin(), ways.end(), [&](Taking way) {
        return settled[static_cast<int>(way)].idle;
      });
      if (idle) context.memory<FairKnown>().NoteSettled();
      return;
    }
    context.dispatcher.Recount();
    for (FairMemory::Settled& known : context.memory<FairMemory>().settled) known = {};
    FairFill(context, rules.tries).Run();
    if (context.meter.ended()) return;
  }
}

void RunFairReclaim(ActionContext& context, const Options& options) {
  context.memory<FairMemory>().reclaims = true;
  TakeUntilSettled(context, EvictRules(options), {Taking::kFromOtherQueues});
}

// What preempt frees may open a way for reclaim, so both go on until both have settled.
void RunFairPreempt(ActionContext& context, const Options& options) {
  const EvictRules rules(options);
  if (context.memory<FairMemory>().reclaims) {
    TakeUntilSettled(context, rules, {Taking::kFromLesserJobs, Taking::kFromOtherQueues});
  } else {
    TakeUntilSettled(context, rules, {Taking::kFromLesserJobs});
  }
}

}  // namespace

ActionDecl FairReclaimAction() {
  return {
      "reclaim",        "takes back what other queues borrowed, with as few victims as possible",
      kEvictOptions,    RunFairReclaim,
      /*admits=*/false, /*evicts=*/true};
}

ActionDecl FairPreemptAction() {
  return {
      "preempt",        "takes from lesser jobs of the same queue, with as few victims as possible",
      kEvictOptions,    RunFairPreempt,
      /*admits=*/false, /*evicts=*/true};
}

}  // namespace muster
