// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a gang still needs, and what it can spare.
#ifndef MUSTER_PEER_MUSTER_FAIR_GANG_H_
#define MUSTER_PEER_MUSTER_FAIR_GANG_H_

#include <cstdint>
#include <span>

#include "lib/part/context.h"

namespace muster {

class FairGang {
 public:
  FairGang(const ActionContext& context, JobIndex job);

  // Tasks it must have in place: its minimum, and no less than those of its groups together.
  int64_t needed() const { return needed_; }
  // Tasks in place or nominated.
  int64_t placed() const;
  // Tasks of the group that its own minimum lacks.
  int64_t Lacking(GroupIndex group) const;
  // Whether a task of the group brings the gang nearer to being whole.
  bool Wants(GroupIndex group) const;
  // Whether it could be whole with all of `rest`.
  bool Hopeful(std::span<const TaskIndex> rest) const;
  // Whether what is bound and running stays whole without `taken` of its tasks, `taken_of_group` of them from the
  // group; those taken from other groups were asked about before.
  bool CanSpare(GroupIndex group, int64_t taken, int64_t taken_of_group) const;
  // Whether what is bound and running is a whole gang, or nothing at all.
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
