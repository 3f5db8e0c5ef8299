// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whether a group of an elastic quota tree may take one more task.
//
// Idea. With the task the group must stay within its runtime. A task that cannot be preempted must
// also stay within the group's minimum, together with all others of its kind: what cannot be taken
// back is not borrowed.
//
// Peer. Koordinator's. Only resources that the group's maximum names are counted, and only those
// that the limit names are compared. Groups above are checked on demand, as the refresh of the path
// left them, and only for what the task requests. The built-in groups have no runtime, so only
// their maximums refuse.
#include "lib/peer/koordinator/quota/elastic_tree.h"

namespace muster {

std::optional<ElasticTree::Room> ElasticTree::RoomOf(std::string_view group) const {
  const Index at = IndexOf(group);
  if (at == kNone) return std::nullopt;
  const Numbers& numbers = groups_[at].numbers;
  return Room{numbers.used, RuntimeOf(groups_[at]), numbers.max.keys()};
}

ElasticTree::Admission ElasticTree::Admit(Index at, const Sparse& request, bool preemptible,
                                          const AdmitOptions& options) {
  using Verdict = Admission::Verdict;
  Admission admission;
  const auto within = [&](Index group, const SparseSum& used, uint64_t keys, const Sparse& most,
                          const Sparse& more, Verdict verdict) {
    ForEachResource(keys & most.keys(), [&](size_t r) {
      if (admission.verdict != Verdict::kFits) return;
      if (used.exact(r) + more.at(r) > most.at(r)) admission = {verdict, group, r};
    });
    return admission.verdict == Verdict::kFits;
  };
  if (!options.by_max) Refresh(at);
  const auto limit = [&](Index group) {
    return options.by_max ? groups_[group].numbers.max : RuntimeOf(groups_[group]);
  };
  const Numbers& numbers = groups_[at].numbers;
  const Sparse more = request.Only(numbers.max.keys());
  if (!within(at, numbers.used, numbers.used.keys() | more.keys(), limit(at), more,
              Verdict::kAboveRuntime)) {
    return admission;
  }
  if (!preemptible && !within(at, numbers.fixed_used, numbers.fixed_used.keys() | more.keys(),
                              numbers.min, more, Verdict::kAboveMin)) {
    return admission;
  }
  if (!options.asks_parents) return admission;
  for (Index up = groups_[at].parent; up != kRoot && up != kNone; up = groups_[up].parent) {
    if (!within(up, groups_[up].numbers.used, more.keys(), limit(up), more,
                Verdict::kAboveRuntime)) {
      break;
    }
  }
  return admission;
}

}  // namespace muster
