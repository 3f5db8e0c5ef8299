// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// allocate of the profile muster: what is free goes to the queue that has least for its weight,
// gang by gang. fair_fill.h has the rules. The actions that evict fill again after each round of
// evictions.
#include "lib/peer/muster/actions.h"
#include "lib/peer/muster/fair_fill.h"

namespace muster {
namespace {

void RunFairAllocate(ActionContext& context, const Options& options) {
  FairFill(context, static_cast<int64_t>(options.number("tries"))).Run();
}

}  // namespace

ActionDecl FairAllocateAction() {
  return {"allocate", "gives what is free to gangs, in fair order", kFairFillOptions,
          RunFairAllocate};
}

}  // namespace muster
