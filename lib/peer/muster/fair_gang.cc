// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/muster/fair_gang.h"

#include <algorithm>
#include <vector>

namespace muster {

FairGang::FairGang(const ActionContext& context, JobIndex job)
    : tables_(context.tables), ledger_(context.ledger), job_(job) {
  int64_t of_groups = 0;
  for (const GroupRow& group : tables_.jobs.groups[job]) of_groups += OrZero(group.min_available);
  group_needs_ = of_groups > 0;
  needed_ = std::max(tables_.jobs.spec[job].min_available, of_groups);
}

int64_t FairGang::placed() const {
  return ledger_.job(job_).ready() + ledger_.job(job_).nominated();
}

int64_t FairGang::Lacking(GroupIndex group) const {
  const JobCounts& counts = ledger_.group(job_, group);
  const int64_t needed = OrZero(tables_.jobs.groups[job_][group].min_available);
  return std::max<int64_t>(needed - counts.ready() - counts.nominated(), 0);
}

bool FairGang::Wants(GroupIndex group) const {
  if (!group_needs_) return true;
  int64_t lacking = 0;
  for (GroupIndex g = 0; g < tables_.jobs.groups[job_].size(); ++g) lacking += Lacking(g);
  return Lacking(group) > 0 || needed_ - placed() > lacking;
}

bool FairGang::Hopeful(std::span<const TaskIndex> rest) const {
  if (placed() + static_cast<int64_t>(rest.size()) < needed_) return false;
  if (!group_needs_) return true;
  std::vector<int64_t> left(tables_.jobs.groups[job_].size(), 0);
  for (TaskIndex t : rest) ++left[tables_.tasks.group[t]];
  for (GroupIndex g = 0; g < left.size(); ++g) {
    if (Lacking(g) > left[g]) return false;
  }
  return true;
}

bool FairGang::CanSpare(GroupIndex group, int64_t taken, int64_t taken_of_group) const {
  if (ledger_.job(job_).ready() - taken < needed_) return false;
  if (!group_needs_) return true;
  for (GroupIndex g = 0; g < tables_.jobs.groups[job_].size(); ++g) {
    const int64_t left = ledger_.group(job_, g).ready() - (g == group ? taken_of_group : 0);
    if (left < OrZero(tables_.jobs.groups[job_][g].min_available)) return false;
  }
  return true;
}

bool FairGang::StandsOrIsGone() const {
  return ledger_.job(job_).allocated() == 0 || CanSpare(0, 0, 0);
}

}  // namespace muster
