// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin of DRF over a tree: every share from the definition, as an exact fraction, before
// every turn.
#ifndef MUSTER_REFERENCE_PEER_TRANSWARP_DRF_TREE_H_
#define MUSTER_REFERENCE_PEER_TRANSWARP_DRF_TREE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace muster::reference {

struct DrfWorld {
  enum class Form { kNaive, kStatic, kDynamic };
  struct Node {
    int64_t weight = 1, weight_divisor = 1;
    std::vector<size_t> children;  // of a group; the root is node 0
    std::vector<int64_t> task;     // of a leaf
    int64_t tasks = 0, cap = -1;   // -1: none
  };
  Form form = Form::kDynamic;
  std::vector<int64_t> capacity;
  std::vector<Node> nodes;

  std::optional<size_t> Next() const;
  double Share(size_t node) const;
};

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_TRANSWARP_DRF_TREE_H_
