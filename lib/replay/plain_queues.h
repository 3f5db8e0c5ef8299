// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Quota for the queues of a trace.
#ifndef MUSTER_REPLAY_PLAIN_QUEUES_H_
#define MUSTER_REPLAY_PLAIN_QUEUES_H_

#include <string>

namespace muster {

struct Extensions;

// Returns the profile with plain_queues=on, if an action of it has that option and it does not set
// it. Queues of a trace have guarantees, and no quota by flavor. A profile that admits by quota
// alone starts nothing then, unless its action reads the one as the other. A profile that does not
// resolve comes back unchanged. `extensions` may be null.
std::string WithPlainQueues(const std::string& profile, const Extensions* extensions);

}  // namespace muster

#endif  // MUSTER_REPLAY_PLAIN_QUEUES_H_
