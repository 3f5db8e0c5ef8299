// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Policies that a caller brings along, for one call of Schedule.
//
//   auto extensions = std::make_shared<Extensions>();
//   extensions->policies.push_back({"oldest-first", "by age", {}, [](const Options&) {
//     return std::make_unique<OldestFirst>(); }});
//   ScheduleOptions options{.extensions = extensions};
//   cluster.Schedule("volcano:tiers=oldest-first/priority+gang/predicates+proportion+nodeorder", options);
//
// They are asked like policies of our own. A living cluster keeps its session while it is handed the same object, so
// hand in the same one cycle after cycle, and a new one where the policies changed their minds.
#ifndef MUSTER_PROFILE_EXTENSIONS_H_
#define MUSTER_PROFILE_EXTENSIONS_H_

#include <vector>

#include "lib/extension/options.h"

namespace muster {

struct Extensions {
  // Names and options are views: what they look at lives as long as this does.
  std::vector<PolicyDecl> policies;
};

}  // namespace muster

#endif  // MUSTER_PROFILE_EXTENSIONS_H_
