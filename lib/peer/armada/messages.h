// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Why a job waits, in Armada's words.
//
//   MessageOf(Reason::kRateLimit)   // "global scheduling rate limit exceeded"
//
// Messages that end in a name (of a pool, a resource, a label) end in a space here.
#ifndef MUSTER_PEER_ARMADA_MESSAGES_H_
#define MUSTER_PEER_ARMADA_MESSAGES_H_

#include <string_view>

#include "lib/peer/armada/job_context.h"

namespace muster::armada {

// Returns the text; empty for kNone.
std::string_view MessageOf(Reason reason);
// Returns whether a name follows.
inline bool EndsInName(std::string_view message) { return message.ends_with(' '); }

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_MESSAGES_H_
