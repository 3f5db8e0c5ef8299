// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Sums over the tree, the order of its domains, and the distribution of slots.
#include "lib/peer/koordinator/gangs/topology_places.h"

#include <algorithm>

namespace muster::koordinator {
namespace {

int64_t MultipleOf(const Multiples& multiples, const std::string& layer) {
  const auto found = multiples.find(layer);
  return found == multiples.end() || found->second <= 1 ? 1 : found->second;
}

int64_t RoundedDown(int64_t slots, int64_t multiple) { return slots / multiple * multiple; }

void RoundBelow(const Multiples& multiples, size_t domain, PlaceTree* tree) {
  PlaceDomain& row = (*tree)[domain];
  if (!row.is_node) {
    row.slots = 0;
    for (const size_t child : row.children) {
      RoundBelow(multiples, child, tree);
      row.slots += (*tree)[child].slots;
    }
  }
  row.slots = RoundedDown(row.slots, MultipleOf(multiples, row.layer));
}

// Compares an amount of two domains and of those above them; 0: all are equal.
template <class AmountOf>
int CompareUpwards(const PlaceTree& tree, size_t a, size_t b, AmountOf amount) {
  while (a != kNoPlace && b != kNoPlace) {
    const int64_t left = amount(tree[a]), right = amount(tree[b]);
    if (left != right) return left < right ? -1 : 1;
    a = tree[a].parent;
    b = tree[b].parent;
  }
  return 0;
}

void DistributeBelow(const PlaceTree& tree, size_t domain, int64_t wanted,
                     const Multiples& multiples, Distribution* out) {
  const PlaceDomain& row = tree[domain];
  const int64_t most = RoundedDown(std::min(row.slots, wanted), MultipleOf(multiples, row.layer));
  if (row.is_node) {
    out->nodes.emplace_back(row.name, most);
    out->slots += most;
    return;
  }
  std::vector<size_t> children = row.children;
  std::sort(children.begin(), children.end(),
            [&tree](size_t a, size_t b) { return IsBefore(tree, a, b, false); });
  const int64_t before = out->slots;
  for (const size_t child : children) {
    DistributeBelow(tree, child, most - (out->slots - before), multiples, out);
  }
}

}  // namespace

void SumUp(const std::vector<PlaceLeaf>& leaves, PlaceTree* tree) {
  std::map<std::string, size_t> nodes;
  for (size_t i = 0; i < tree->size(); ++i) {
    if ((*tree)[i].is_node) nodes[(*tree)[i].name] = i;
  }
  for (const PlaceLeaf& leaf : leaves) {
    const auto found = nodes.find(leaf.node);
    for (size_t i = found == nodes.end() ? kNoPlace : found->second; i != kNoPlace;
         i = (*tree)[i].parent) {
      (*tree)[i].slots += leaf.slots;
      (*tree)[i].existing += leaf.existing;
      (*tree)[i].score += leaf.score;
    }
  }
}

void RoundSlots(const Multiples& multiples, PlaceTree* tree) {
  if (!multiples.empty() && !tree->empty()) RoundBelow(multiples, 0, tree);
}

bool IsBefore(const PlaceTree& tree, size_t a, size_t b, bool fewer_slots_first) {
  const int existing =
      CompareUpwards(tree, a, b, [](const PlaceDomain& row) { return row.existing; });
  if (existing != 0) return existing > 0;
  const int slots = CompareUpwards(tree, a, b, [](const PlaceDomain& row) { return row.slots; });
  if (slots != 0) return (slots < 0) == fewer_slots_first;
  if (tree[a].score != tree[b].score) return tree[a].score > tree[b].score;
  return tree[a].name < tree[b].name;
}

std::vector<size_t> DomainsOf(const PlaceTree& tree, const std::string& layer) {
  std::vector<size_t> found;
  if (tree.empty()) return found;
  if (layer.empty()) return {0};
  std::vector<size_t> level = {0};
  while (found.empty() && !level.empty()) {
    std::vector<size_t> next;
    for (const size_t domain : level) {
      if (tree[domain].layer == layer) {
        found.push_back(domain);
      } else {
        next.insert(next.end(), tree[domain].children.begin(), tree[domain].children.end());
      }
    }
    level = std::move(next);
  }
  return found;
}

std::vector<size_t> LowestWithSlots(const PlaceTree& tree, const std::vector<size_t>& from,
                                    int64_t slots) {
  std::vector<size_t> lowest, level = from;
  while (!level.empty()) {
    std::vector<size_t> here, next;
    for (const size_t domain : level) {
      if (tree[domain].slots < slots) continue;
      here.push_back(domain);
      next.insert(next.end(), tree[domain].children.begin(), tree[domain].children.end());
    }
    if (!here.empty()) lowest = std::move(here);
    level = std::move(next);
  }
  return lowest;
}

Distribution Distribute(const PlaceTree& tree, size_t domain, int64_t slots,
                        const Multiples& multiples) {
  Distribution out;
  DistributeBelow(tree, domain, slots, multiples, &out);
  return out;
}

std::optional<std::vector<std::string>> PlaceGang(const GatherRules& rules, PlaceTree* tree) {
  RoundSlots(rules.multiples, tree);
  std::vector<size_t> candidates =
      LowestWithSlots(*tree, DomainsOf(*tree, rules.layer), rules.slots);
  std::sort(candidates.begin(), candidates.end(),
            [tree](size_t a, size_t b) { return IsBefore(*tree, a, b, true); });
  for (const size_t candidate : candidates) {
    const Distribution given = Distribute(*tree, candidate, rules.slots, rules.multiples);
    if (given.slots < rules.slots) continue;
    std::vector<std::string> nodes;
    for (const auto& [node, slots] : given.nodes) {
      nodes.insert(nodes.end(), static_cast<size_t>(slots), node);
    }
    return nodes;
  }
  return std::nullopt;
}

}  // namespace muster::koordinator
