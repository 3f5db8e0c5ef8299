// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// shrink and grow of the profile muster: as lib/part/elastic.h has them, on places that keep what
// is promised to others (fair_promise.h).
#include "lib/part/elastic.h"
#include "lib/peer/muster/actions.h"
#include "lib/peer/muster/fair_promise.h"

namespace muster {
namespace {

ElasticPlaces FairPlaces(ActionContext& context) {
  FairPromises& promises = context.memory<FairPromises>();
  return {[&promises](TaskIndex task, Want want) { return promises.Best(task, want, kNone); },
          [&promises](TaskIndex task, NodeIndex node) { return promises.LeavesRoom(task, node); }};
}

void RunFairShrink(ActionContext& context, const Options&) {
  RunShrink(context, FairPlaces(context));
}

void RunFairGrow(ActionContext& context, const Options&) { RunGrow(context, FairPlaces(context)); }

}  // namespace

ActionDecl FairShrinkAction() {
  ActionDecl action = ShrinkAction();
  action.run = RunFairShrink;
  return action;
}

ActionDecl FairGrowAction() {
  ActionDecl action = GrowAction();
  action.run = RunFairGrow;
  return action;
}

}  // namespace muster
