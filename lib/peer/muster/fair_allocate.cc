// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// allocate, as muster does it: what is free goes to the queue that has least for its weight, gang by gang. The rules
// stand at the top of fair_fill.h; the eviction action fills again after what it evicted.
#include "lib/peer/muster/actions.h"
#include "lib/peer/muster/fair_fill.h"

namespace muster {
namespace {

void RunFairAllocate(ActionContext& context, const Options& options) {
  FairFill(context, static_cast<int64_t>(options.number("tries"))).Run();
}

}  // namespace

ActionDecl FairAllocateAction() {
  return {"allocate", "give what is free to gangs, in fair order", kFairFillOptions,
          RunFairAllocate};
}

}  // namespace muster
