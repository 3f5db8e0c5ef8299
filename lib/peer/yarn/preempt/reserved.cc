// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Containers on nodes with a reservation, where enough may leave to make room for it.
#include <algorithm>
#include <optional>

#include "lib/peer/yarn/preempt/selection.h"

namespace muster::yarn {
namespace {

class ReservedSelector {
 public:
  explicit ReservedSelector(Selection* selection) : s_(*selection) {
    for (QueueIndex q = 0; q < s_.scheduler.queues().size(); ++q) {
      obtain_.push_back(s_.ObtainOf(q));
    }
  }

  void Run() {
    struct Candidate {
      float cost;
      NodeIndex node;
    };
    std::vector<Candidate> candidates;
    for (NodeIndex n = 0; n < s_.scheduler.nodes().size(); ++n) {
      if (s_.scheduler.nodes()[n].reserved == kNone) continue;
      if (const auto cost = TryNode(n, false)) candidates.push_back({*cost, n});
    }
    std::ranges::stable_sort(candidates, {}, &Candidate::cost);
    for (const Candidate& candidate : candidates) TryNode(candidate.node, true);
  }

 private:
  bool Take(const Container& c, bool spends) {
    std::optional<Resource>& obtain = obtain_[s_.QueueOf(c)][s_.PartitionOf(c)];
    if (!obtain || !FitsIn(s_.by(), c.size, *obtain) || !FitsIn(s_.by(), c.size, s_.allowed)) {
      return false;
    }
    if (spends) {
      *obtain -= c.size;
      s_.allowed -= c.size;
    }
    return true;
  }

  // Returns what part of the reservation must be chosen for it; none if there is no way or need.
  std::optional<float> TryNode(NodeIndex index, bool spends) {
    const Node& node = s_.scheduler.nodes()[index];
    const Resource needed = s_.scheduler.containers()[node.reserved].size;
    Resource room = node.free, chosen_size;
    if (FitsIn(s_.by(), needed, room)) return std::nullopt;
    std::vector<ContainerIndex> running = node.containers, chosen;
    std::ranges::sort(running, std::ranges::greater{},
                      [&](ContainerIndex c) { return s_.scheduler.containers()[c].id; });
    bool has_room = false;
    for (const ContainerIndex c : running) {
      const Container& container = s_.scheduler.containers()[c];
      if (container.is_master || container.is_spared || !Take(container, spends)) continue;
      if (!s_.Has(c)) {
        if (spends) chosen.push_back(c);
        chosen_size += container.size;
      }
      room += container.size;
      has_room = FitsIn(s_.by(), needed, room);
      if (has_room) break;
    }
    if (!has_room) {
      // The allowance is not given back.
      for (const ContainerIndex c : chosen) {
        const Container& container = s_.scheduler.containers()[c];
        *obtain_[s_.QueueOf(container)][s_.PartitionOf(container)] += container.size;
      }
      return std::nullopt;
    }
    for (const ContainerIndex c : chosen) s_.Choose(c);
    return Ratio(s_.by(), chosen_size, needed);
  }

  Selection& s_;
  std::vector<Obtain> obtain_;  // by queue
};

}  // namespace

void SelectForReserved(const ShareRules& rules, Selection* selection) {
  selection->Compute(rules);
  ReservedSelector(selection).Run();
}

}  // namespace muster::yarn
