// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tasks that a gang still needs, and those that it can spare.
#ifndef MUSTER_PEER_MUSTER_FAIR_GANG_H_
#define MUSTER_PEER_MUSTER_FAIR_GANG_H_

#include <cstdint>
#include <span>

#include "lib/part/context.h"

namespace muster {

class FairGang {
 public:
  FairGang(const ActionContext& context, JobIndex job);

  // Returns the number of tasks that must be in place: the gang's minimum, and no less than those
  // of its groups together.
  int64_t needed() const { return needed_; }
  // Returns whether some group has a minimum of its own.
  bool has_group_needs() const { return group_needs_; }
  // Returns the number of tasks in place or nominated.
  int64_t placed() const;
  // Returns the number of tasks that the group lacks to its own minimum.
  int64_t Lacking(GroupIndex group) const;
  // Returns whether a task of the group brings the gang nearer to being whole.
  bool Wants(GroupIndex group) const;
  // Returns whether the gang could be whole with all of `rest`.
  bool Hopeful(std::span<const TaskIndex> rest) const;
  // Returns whether what is bound and running stays whole without `taken` of its tasks,
  // `taken_of_group` of them from the group. Tasks taken from other groups were checked before.
  bool CanSpare(GroupIndex group, int64_t taken, int64_t taken_of_group) const;
  // Returns whether what is bound and running is a whole gang, or nothing at all.
  bool StandsOrIsGone() const;

 private:
  const Tables& tables_;
  const Ledger& ledger_;
  const JobIndex job_;
  bool group_needs_ = false;  // some group has a minimum of its own
  int64_t needed_ = 0;
};

}  // namespace muster

#endif  // MUSTER_PEER_MUSTER_FAIR_GANG_H_
