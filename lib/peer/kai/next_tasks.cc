// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which tasks of a job are tried next, and which it loses next: walks over its tree of sub-groups.
//
// Idea. Leaves are pod sets with a minimum of tasks; an inner group needs K of its members, by
// default all. Placing has two phases. While a group lacks members, the K first ones hand out what
// they lack. Afterwards the first member that has a task hands out one step: a task, or what it
// lacks. Giving up goes the other way round: one task of a pod set above its minimum; else a whole
// member that a group has beyond its K; else everything.
//
// Peer. In the first phase a group turns to its K first members in the order of sub_groups.h even
// if later ones have tasks and the first ones have none; the chunk is then short. A member that is
// satisfied is skipped but still counts toward K. Recursion into a satisfied member's surplus
// happens only in the second phase.
//
// Ties. By name; pod sets that are emptied together go in the order of their names. Tasks go by
// their rank in task order (task_order.h), which both directions follow.
#include <algorithm>

#include "lib/peer/kai/pods.h"
#include "lib/peer/kai/sub_groups.h"

namespace muster {

bool KaiJob::GroupBefore(uint32_t a, uint32_t b) const {
  const int order = CompareKaiMembers({ActiveMembers(a), MembersToSatisfy(a)},
                                      {ActiveMembers(b), MembersToSatisfy(b)});
  return order != 0 ? order < 0 : own_->groups[a].name < own_->groups[b].name;
}

std::vector<uint32_t> KaiJob::MembersInOrder(uint32_t set, bool reversed) const {
  const KaiGroup& own = own_->groups[set];
  std::vector<uint32_t> members = own.sets;
  members.insert(members.end(), own.pod_sets.begin(), own.pod_sets.end());
  if (members.size() < 2) return members;
  std::ranges::stable_sort(members, [&](uint32_t a, uint32_t b) {
    return reversed ? GroupBefore(b, a) : GroupBefore(a, b);
  });
  return members;
}

void KaiJob::CollectPodSet(uint32_t pod_set, bool real, std::vector<KaiPod*>* out) const {
  const size_t first = out->size();
  for (KaiPod* pod : pods_) {
    if (pod == nullptr || facts_->tasks[pod->task].pod_set != pod_set) continue;
    if (pod->ToAllocate(real)) out->push_back(pod);
  }
  const int32_t missing = groups_[pod_set].minimum - groups_[pod_set].counts.active_allocated;
  const size_t count =
      std::min(out->size() - first, missing <= 0 ? size_t{1} : static_cast<size_t>(missing));
  const auto begin = out->begin() + static_cast<std::ptrdiff_t>(first);
  std::partial_sort(begin, begin + static_cast<std::ptrdiff_t>(count), out->end(),
                    [&](const KaiPod* a, const KaiPod* b) { return PodBefore(a, b); });
  out->resize(first + count);
}

void KaiJob::CollectNext(uint32_t set, bool real, std::vector<KaiPod*>* out) const {
  const std::vector<uint32_t> members = MembersInOrder(set, /*reversed=*/false);
  const auto collect = [&](uint32_t member) {
    if (own_->groups[member].is_pod_set) {
      CollectPodSet(member, real, out);
    } else {
      CollectNext(member, real, out);
    }
  };
  if (!IsSatisfied(set)) {
    const auto need = static_cast<size_t>(MembersToSatisfy(set));
    for (size_t i = 0; i < std::min(need, members.size()); ++i) {
      const uint32_t member = members[i];
      const bool whole = ActiveMembers(member) >= MembersToSatisfy(member);
      if (!whole) collect(member);
    }
    return;
  }
  const size_t before = out->size();
  for (const uint32_t member : members) {
    collect(member);
    if (out->size() > before) return;
  }
}

const std::vector<KaiPod*>& KaiJob::Next(bool real) const {
  if (knows_next_) return next_;
  next_.clear();
  CollectNext(0, real, &next_);
  knows_next_ = !next_.empty();  // nothing is kept of nothing
  return next_;
}

const KaiNext& KaiJob::NextRequest(bool real) const {
  if (next_request_.has_value()) return *next_request_;
  std::vector<double> sum(facts_->dimensions, 0.0);
  for (const KaiPod* pod : Next(real)) {
    if (!pod->ToAllocate(real)) continue;
    const KaiShape& shape = facts_->shape_of(pod->task);
    for (size_t d = 0; d < sum.size(); ++d) sum[d] += shape.request[d];
    if (shape.type == KaiRequestType::kGpuMemory) {
      sum[kKaiGpuAt] += KaiMemoryAsGpus(shape.gpu, facts_->least_gpu_memory);
    }
  }
  next_request_ = KaiNext{facts_->Quantify(sum.data()), sum[kKaiGpuAt]};
  return *next_request_;
}

void KaiJob::ActiveOf(uint32_t pod_set, std::vector<KaiPod*>* out) const {
  const auto first = static_cast<std::ptrdiff_t>(out->size());
  for (KaiPod* pod : pods_) {
    if (pod == nullptr || facts_->tasks[pod->task].pod_set != pod_set) continue;
    if (IsActiveAllocated(pod->status)) out->push_back(pod);
  }
  std::sort(out->begin() + first, out->end(),
            [&](const KaiPod* a, const KaiPod* b) { return PodBefore(b, a); });
}

void KaiJob::PodSetsBelow(uint32_t set, std::vector<uint32_t>* out) const {
  const KaiGroup& own = own_->groups[set];
  out->insert(out->end(), own.pod_sets.begin(), own.pod_sets.end());
  for (const uint32_t member : own.sets) PodSetsBelow(member, out);
}

void KaiJob::CollectActive(uint32_t group, std::vector<KaiPod*>* out) const {
  if (own_->groups[group].is_pod_set) return ActiveOf(group, out);
  std::vector<uint32_t> sets;
  PodSetsBelow(group, &sets);
  std::ranges::sort(sets, {},
                    [&](uint32_t set) -> const std::string& { return own_->groups[set].name; });
  for (const uint32_t set : sets) ActiveOf(set, out);
}

bool KaiJob::HasSurplus(uint32_t group) const {
  if (ActiveMembers(group) > MembersToSatisfy(group)) return true;
  const KaiGroup& own = own_->groups[group];
  const auto has = [&](uint32_t member) { return HasSurplus(member); };
  return std::ranges::any_of(own.sets, has) || std::ranges::any_of(own.pod_sets, has);
}

void KaiJob::CollectElastic(uint32_t set, std::vector<KaiPod*>* out) const {
  const int32_t whole = ActiveMembers(set);
  if (whole == 0) return;
  const std::vector<uint32_t> members = MembersInOrder(set, /*reversed=*/true);
  if (HasSurplus(set)) {
    for (const uint32_t member : members) {
      if (!own_->groups[member].is_pod_set) {
        CollectElastic(member, out);
      } else if (groups_[member].counts.active_allocated > groups_[member].minimum) {
        ActiveOf(member, out);
        if (out->size() > 1) out->erase(out->begin() + 1, out->end());
      }
      if (!out->empty()) return;
    }
  }
  if (MembersToSatisfy(set) >= whole) return;
  for (const uint32_t member : members) {
    CollectActive(member, out);
    if (!out->empty()) return;
  }
}

bool KaiJob::MayLoseSome() const {
  if (!may_lose_some_.has_value()) {
    may_lose_some_ = counted_active_ != active_allocated_ || HasSurplus(0);
  }
  return *may_lose_some_;
}

std::vector<KaiPod*> KaiJob::NextVictims(bool* has_more) const {
  std::vector<KaiPod*> victims;
  CollectElastic(0, &victims);
  if (victims.empty()) CollectActive(0, &victims);
  *has_more = static_cast<int32_t>(victims.size()) < active_allocated_;
  return victims;
}

}  // namespace muster
