// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/messages.h"

namespace muster::armada {
namespace {

// In the order of Reason.
constexpr std::string_view kMessages[] = {
    "",
    "job does not fit on any node",
    "unable to schedule gang since minimum cardinality not met",
    "maximum resources scheduled",
    "queue cordoned",
    "global scheduling rate limit exceeded",
    "gang cardinality too large: exceeds global max burst size",
    "gang would exceed global scheduling rate limit",
    "queue scheduling rate limit exceeded",
    "gang cardinality too large: exceeds queue max burst size",
    "gang would exceed queue scheduling rate limit",
    "resource limit exceeded",
    "floating resources not configured for pool ",
    "not enough floating resource ",
    "uniformity label ",
    "no nodes with uniformity label ",
    "at least one job in the gang does not fit on any node"};

}  // namespace

std::string_view MessageOf(Reason reason) { return kMessages[static_cast<size_t>(reason)]; }

}  // namespace muster::armada
