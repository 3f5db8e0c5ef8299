// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which nodes are near tasks that a task of KAI Scheduler wants near, or apart; and where its host
// ports are taken.
//
//   KaiAffinity affinity(facts);
//   affinity.Count(node, shape, +1);        // with each task that enters a node
//   if (!affinity.Admits(node, shape)) ...
//
// Idea. The required terms of Kubernetes' inter-pod affinity, over the session's own pods: what the
// session has placed or evicted counts as it stands. Counts are kept by node and shape, of the
// shapes that some term or host port asks for. A term lists the shapes that it selects, and a shape
// the terms that bar it: no other pair is looked at.
//
// Peer. Tasks that are being released count until they are gone, and so do their host ports.
// Preferred terms are not read: the peer's plugin for them is off by default.
//
// Cost. O(nodes) for each shape that a term of the question lists, and O(1) for each that could
// hold one of its host ports. Memory: nodes * shapes that are asked for.
#ifndef MUSTER_PEER_KAI_POD_AFFINITY_H_
#define MUSTER_PEER_KAI_POD_AFFINITY_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lib/peer/kai/facts.h"

namespace muster {

class KaiAffinity {
 public:
  explicit KaiAffinity(const KaiFacts& facts);

  // Returns whether some shape has terms.
  bool any() const { return any_; }
  void Count(uint32_t node, uint32_t shape, int times) {
    if (column_of_[shape] != kKaiNone) counts_[node * columns_ + column_of_[shape]] += times;
  }
  // Return whether terms, and host ports, admit a task of the shape.
  bool Admits(uint32_t node, uint32_t shape) const;
  bool AdmitsPorts(uint32_t node, uint32_t shape) const {
    return !HasAny(node, facts_.shapes[shape].port_rivals);
  }

 private:
  // A term of a shape that another shape finds there.
  struct Bar {
    uint32_t owner;
    const KaiNearTerm* term;
  };

  void NumberShapes();
  // Returns whether the node has a pod of one of the shapes, each of which has a column.
  bool HasAny(uint32_t node, std::span<const uint32_t> shapes) const;
  // Returns whether a pod of one of the shapes is in the node's domain of the term.
  bool HasNear(const KaiNearTerm& term, uint32_t node, std::span<const uint32_t> shapes) const;
  bool AdmitsNear(uint32_t node, const KaiShape& shape, uint32_t number) const;

  const KaiFacts& facts_;
  bool any_ = false;
  size_t columns_ = 0;
  std::vector<uint32_t> column_of_;     // by shape; kKaiNone: nothing asks for it
  std::vector<int32_t> counts_;         // by node and column
  std::vector<std::vector<Bar>> bars_;  // by shape that comes
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_POD_AFFINITY_H_
