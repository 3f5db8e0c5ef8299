// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Chooses a machine for one task at a time: the local one while it is not busy, each in turn, any,
// or a certain one.
//
//   MachineChoice choice(nodes, {.counted = {0, 1}});
//   choice.Hybrid(request, {.preferred = 0}, &rng);
//
// - Hybrid. A node's score is its critical use: the largest used part of the resources that count;
//   below the threshold it is 0. Nodes with room now come before those that would only hold the
//   task when empty. The preferred node wins if no score is lower; else one of the first k by score
//   is drawn. A task that needs no accelerator may try nodes without one first.
// - In turn. The first node with room from where the last call ended, else the first that could
//   hold the task.
// - Any. The first node with room, from a drawn node on.
// - A certain one. It is taken if it could hold the task, or only if it has room now. If not,
//   nothing is chosen, or hybrid decides.
//
// Peer. Ray's scheduling policies. Scores are single precision, as there. Equal scores: the first
// node in order.
//
// Cost. O(nodes), and a sort of the scores only where more than the first is drawn from.
#ifndef MUSTER_PEER_RAY_NODE_CHOICE_H_
#define MUSTER_PEER_RAY_NODE_CHOICE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lib/base/rng.h"
#include "lib/peer/ray/bundles.h"

namespace muster {

struct ChoiceWishes {
  std::optional<size_t> preferred = {};  // usually the node of the caller
  bool avoids_preferred = false;
  bool needs_room = false;  // a node where the task would wait is not returned
  bool avoids_accelerators = false;
  float threshold = 0.5F;
  size_t top = 1;                              // draw from so many of the best
  float top_fraction = 0.0F;                   // or from this part of all nodes, if that is more
  const std::vector<bool>* allowed = nullptr;  // nodes that labels and the like allow; null: all
};

class MachineChoice {
 public:
  struct Options {
    std::vector<size_t> counted = {};        // resources that make a node busy by their use
    std::optional<size_t> accelerator = {};  // the resource of nodes to avoid
  };
  // The nodes stay the caller's; what is free may change between calls.
  MachineChoice(std::span<const BundleNode> nodes, const Options& options)
      : nodes_(nodes), options_(options) {}

  // Where the next call of InTurn begins. Default: at the first node.
  void BeginAt(size_t node) { next_ = node; }
  float CriticalUse(size_t node) const;
  std::optional<size_t> Hybrid(const BundleAmounts& request, const ChoiceWishes& wishes,
                               Rng* rng) const;
  std::optional<size_t> InTurn(const BundleAmounts& request, const ChoiceWishes& wishes);
  std::optional<size_t> Any(const BundleAmounts& request, const ChoiceWishes& wishes,
                            Rng* rng) const;
  // `or_elsewhere`: chooses by hybrid when the node cannot hold the task at all, or has no room and
  // `only_with_room` is set.
  std::optional<size_t> Certain(const BundleAmounts& request, std::optional<size_t> node,
                                bool only_with_room, bool or_elsewhere, const ChoiceWishes& wishes,
                                Rng* rng) const;

 private:
  // Returns whether the node is no choice, whatever room it has.
  static bool IsOut(const ChoiceWishes& wishes, size_t node) {
    return (wishes.avoids_preferred && wishes.preferred == node) ||
           (wishes.allowed != nullptr && !(*wishes.allowed)[node]);
  }
  std::optional<size_t> Best(const BundleAmounts& request, const ChoiceWishes& wishes,
                             bool without_accelerators, Rng* rng) const;

  std::span<const BundleNode> nodes_;
  Options options_;
  size_t next_ = 0;
};

}  // namespace muster

#endif  // MUSTER_PEER_RAY_NODE_CHOICE_H_
