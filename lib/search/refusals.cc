// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NodeSearch::Refusals: why each node refuses a class, counted.
//
// A waiting class is explained in every cycle, and between two cycles few nodes change. So where
// the answer of a node depends on its own books alone, each class keeps the answer of every node,
// and renews those that the ledger's journal names. Other classes ask every state, or every node.
//
// Cost. O(nodes that changed) a class, or O(states), or O(nodes).
#include <algorithm>
#include <tuple>

#include "lib/search/node_search.h"

namespace muster {

std::vector<Refusal> RefusalTally::Sorted() const {
  std::vector<Refusal> refusals;
  for (const auto& [key, nodes] : counts_) {
    const auto& [code, dimension, detail] = key;
    if (nodes > 0) refusals.push_back({code, dimension, detail, nodes});
  }
  std::sort(refusals.begin(), refusals.end(), [](const Refusal& a, const Refusal& b) {
    if (a.nodes != b.nodes) return a.nodes > b.nodes;
    return std::tie(a.code, a.dimension, a.detail) < std::tie(b.code, b.dimension, b.detail);
  });
  return refusals;
}

uint32_t NodeSearch::WhyNot(ClassIndex c, const ClassNeeds& needs, NodeIndex n,
                            RefusalTally* tally) const {
  const StateIndex slot = states_->state(n);
  if (slot == kNone) return RefusalTally::kFits;  // it counts as gone
  const KindIndex kind = states_->kind(slot);
  if (!kinds_->fits(needs.row, kind)) {
    const Refusal& refusal = kinds_->refusal(needs.row, kind);
    return tally->NumberOf({refusal.code, kNone, refusal.detail});
  }
  const auto request = ledger_.tables().classes.initial_request.row(c);
  for (DimensionIndex d : needs.compared) {
    const int64_t need = request[d] - rules_.slack[d];
    const int64_t have = rules_.want_releasing
                             ? std::max(ledger_.node(n, kIdle)[d], ledger_.node(n, kReleasing)[d])
                             : ledger_.future_idle(n, d);
    if (have < need) return tally->NumberOf({RefusalCode::kInsufficient, d, {}});
  }
  for (FitPolicy* policy : needs.pick_policies) {
    if (policy->CanPick(c, /*later=*/true, n)) continue;
    if (rules_.want_releasing && policy->CanPick(c, /*later=*/false, n)) continue;
    const NodeRefusal refusal = policy->PickRefusal(c, n);
    return tally->NumberOf({refusal.code, kNone, refusal.detail});
  }
  for (const PolicyEntry* entry : needs.fit_policies) {
    uint8_t fits = 1;
    entry->fit->FitStates(c, states_->columns(), slot, slot + 1, &fits);
    if (!fits) {
      const NodeRefusal refusal = entry->fit->StateRefusal();
      return tally->NumberOf({refusal.code, kNone, refusal.detail});
    }
  }
  return RefusalTally::kFits;
}

std::vector<Refusal> NodeSearch::Refusals(ClassIndex c) {
  const ClassNeeds& needs = SyncedNeeds(c);
  if (needs.cluster_fit || apart_) return RefusalsOfAll(c, needs);
  const size_t nodes = ledger_.tables().nodes.alive.size();
  if (tallies_.size() <= c) tallies_.resize(c + 1);
  if (tallies_[c] == nullptr) {
    const auto bytes = static_cast<int64_t>(nodes * sizeof(uint32_t));
    if (tally_bytes_ + bytes > speed_.memory_limit / 4) return RefusalsOfAll(c, needs);
    tally_bytes_ += bytes;
    tallies_[c] = std::make_unique<KeptTally>();
  }
  KeptTally& kept = *tallies_[c];
  const std::span<const NodeIndex> journal = ledger_.journal();
  const auto ask = [&](NodeIndex n) {
    const uint32_t why = WhyNot(c, needs, n, &kept.tally);
    if (why == kept.why[n]) return;
    kept.tally.Add(kept.why[n], -1);
    kept.tally.Add(why, 1);
    kept.why[n] = why;
  };
  if (kept.birth != ledger_.birth() || kept.why.size() != nodes ||
      journal.size() - kept.position > nodes) {
    if (kept.birth != ledger_.birth() || kept.why.size() != nodes) {
      kept.tally = {};
      kept.why.assign(nodes, RefusalTally::kFits);
    }
    for (NodeIndex n = 0; n < nodes; ++n) ask(n);
  } else {
    for (size_t p = kept.position; p < journal.size(); ++p) ask(journal[p]);
  }
  kept.birth = ledger_.birth();
  kept.position = journal.size();
  return kept.tally.Sorted();
}

// Asks every state, and every node where the answer differs between nodes of a state.
std::vector<Refusal> NodeSearch::RefusalsOfAll(ClassIndex c, const ClassNeeds& needs) {
  RefusalTally tally;
  std::vector<NodeIndex> undecided;
  std::vector<uint8_t> asked(states_->slots(), 0), fits_alone(states_->slots(), 0);
  for (NodeIndex n = 0; n < ledger_.tables().nodes.alive.size(); ++n) {
    const StateIndex slot = states_->state(n);
    if (slot == kNone) continue;
    if (!asked[slot]) {
      asked[slot] = 1;
      const uint32_t why = WhyNot(c, needs, n, &tally);
      tally.Add(why, states_->population(slot));
      fits_alone[slot] = why == RefusalTally::kFits;
    }
    if (fits_alone[slot] && needs.cluster_fit) undecided.push_back(n);
  }
  std::vector<uint8_t> fits(undecided.size(), 1), hard(undecided.size(), 0), told(hard);
  std::vector<RefusalCode> codes(undecided.size());
  for (const PolicyEntry* entry : dispatcher_.at(Point::kFit)) {
    if (undecided.empty() || entry->fit->FitScope(c) != Scope::kCluster) continue;
    entry->fit->FitNodes(c, undecided, fits, codes, hard);
    for (size_t i = 0; i < undecided.size(); ++i) {
      if (fits[i] || told[i]) continue;
      told[i] = 1;
      tally.Add(tally.NumberOf({codes[i], kNone, entry->fit->NodeRefusalDetail(c, undecided[i])}),
                1);
    }
  }
  return tally.Sorted();
}

}  // namespace muster
