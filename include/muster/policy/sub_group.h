// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A sub-group of a job, as policies and actions refer to it.
//
//   SubGroup group{job, /*index=*/0};
#ifndef MUSTER_POLICY_SUB_GROUP_H_
#define MUSTER_POLICY_SUB_GROUP_H_

#include <cstdint>

#include "muster/types.h"

namespace muster {

struct SubGroup {
  JobIndex job = kNone;
  uint32_t index = kNone;  // in JobSpec::sub_groups; kNone: the job's tasks that are in none
  friend bool operator==(const SubGroup&, const SubGroup&) = default;
};

}  // namespace muster

#endif  // MUSTER_POLICY_SUB_GROUP_H_
