// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/domain_search.h"

#include <algorithm>

namespace muster {

std::vector<DomainIndex> DomainsUpTo(const ActionContext& context, int32_t tier) {
  const Domains& domains = context.domains;
  std::vector<DomainIndex> list;
  for (DomainIndex d = 0; d <= domains.root(); ++d) {
    const bool there = d == domains.root() || context.tables.domains.alive[d];
    if (there && domains.tier(d) <= tier) list.push_back(d);
  }
  std::sort(list.begin(), list.end(), [&](DomainIndex a, DomainIndex b) {
    return domains.tier(a) != domains.tier(b) ? domains.tier(a) < domains.tier(b)
                                              : domains.NameBefore(a, b);
  });
  return list;
}

DomainMemory::DomainMemory(ActionContext& context, DomainTwins* twins, const SubGroup& group,
                           const TaskQueue& tasks) {
  if (context.dispatcher.TaskOrderMoves()) return;
  bool of_twins = context.domains.allocated(group) == kNone;
  bool one_class = true;
  ClassIndex last = kNone;
  for (TaskIndex t : tasks.rest()) {
    const ClassIndex c = context.ClassOf(t);
    of_twins &= context.tables.tasks.nominated[t] == kNone;
    if (c == last) continue;
    one_class &= last == kNone;
    last = c;
    if (!context.search.LooksAtNodesAlone(c)) return;
  }
  domains_ = &context.domains;
  twins_ = twins;
  of_twins_ = of_twins;
  if (one_class) {
    one_class_ = last;
    return;
  }
  // With several classes, the nodes that the first tasks take decide whether the others fit. Tasks
  // without a wish choose by domain; a try would leave the state of another domain behind for
  // actions that evict.
  const JobCounts& counts = context.ledger.sub_group(group.job, group.index);
  int64_t all = 0;
  for (int32_t count : counts.by_status) all += count;
  of_twins_ &=
      context.domains.WishOf(group).there && !context.facts.evicts && counts.pending() == all;
}

std::optional<bool> DomainMemory::Tell(DomainIndex domain) {
  if (one_class_ != kNone && twins_->Room(domain, one_class_) <= hopeless_) return false;
  if (!of_twins_ || !IsLeafDomain(*domains_, domain)) return std::nullopt;
  const auto it = by_number_.find(twins_->Number(domain));
  if (it == by_number_.end()) return std::nullopt;
  return it->second;
}

void DomainMemory::Learn(DomainIndex domain, bool placed, int64_t hopeless) {
  if (!placed) hopeless_ = std::max(hopeless_, hopeless);
  if (of_twins_ && IsLeafDomain(*domains_, domain)) by_number_[twins_->Number(domain)] = placed;
}

}  // namespace muster
