// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a profile reads of its queues, for what-if questions.
//
//   if (edit.limit.has_value() && !FieldsReadBy(config).limit) ...   // it changes nothing
#ifndef MUSTER_PROFILE_QUEUE_FIELDS_H_
#define MUSTER_PROFILE_QUEUE_FIELDS_H_

#include "lib/session/config.h"

namespace muster {

// Values that a what-if may change.
struct QueueFieldsRead {
  bool weight = false, guaranteed = false, deserved = false, limit = false;
};

// Returns true for each value that the profile's actions or policies may read; a value that is
// false changes no plan of the profile. Policies and actions of callers may read all.
QueueFieldsRead FieldsReadBy(const ProfileConfig& config);

// Returns whether the shares that the profile publishes follow from more than queues, sums and the
// total: only a cycle has them.
bool SharesNeedACycle(const ProfileConfig& config);

}  // namespace muster

#endif  // MUSTER_PROFILE_QUEUE_FIELDS_H_
