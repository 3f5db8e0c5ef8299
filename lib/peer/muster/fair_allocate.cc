// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// allocate of the profile muster: what is free goes to the queue that has least for its weight,
// gang by gang. fair_fill.h has the rules. The actions that evict fill again after each round of
// evictions.
#include "lib/peer/muster/actions.h"
#include "lib/peer/muster/fair_fill.h"

namespace muster {
namespace {

constexpr OptionDecl kAllocateOptions[] = {
    kTriesOption,
    {"promise", OptionKind::kChoice, "off", 0, 0,
     "off|first|queue|head|heads: no gang that waits, the first of all, or of each queue, is "
     "promised a start; head, heads: the same for the first of each cycle anew"},
    {"age_limit", OptionKind::kWhole, "86400", 0, 1e12,
     "seconds after which a gang is promised nodes on which tasks have no expected end; head, "
     "heads: after which the first of its queue and priority gets the promise before all turns"},
};

void RunFairAllocate(ActionContext& context, const Options& options) {
  context.memory<FairPromises>().Start(options);
  FairFill fill(context, static_cast<int64_t>(options.number("tries")));
  fill.Run();
  if (fill.HasSettled()) context.memory<FairKnown>().NoteSettled();
}

}  // namespace

ActionDecl FairAllocateAction() {
  ActionDecl action;
  action.name = "allocate";
  action.summary = "gives what is free to gangs, in fair order";
  action.options = kAllocateOptions;
  action.run = RunFairAllocate;
  action.memory = {kPromiseSlot};
  return action;
}

}  // namespace muster
