// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Prefers nodes that have a task's images already. Kubernetes' ImageLocality.
//
//   images.Open(&view);
//   if (images.ScoreDepends(c)) images.Score(c, nodes, /*weight=*/1, scores);
//
// Each image on the node counts its size times the share of the cluster's nodes that have it, so
// that one node with a rare image does not attract every task. The sum scores 0 at 23 MiB and 100
// at 1000 MiB per container. It depends on no running task: it is a constant of class and node,
// computed once for all nodes.
//
// An image has the size that the first node reporting its name gives. Images of containers without
// a tag are those tagged "latest". Names on nodes are used as they are.
#ifndef MUSTER_KUBE_IMAGE_SPREAD_H_
#define MUSTER_KUBE_IMAGE_SPREAD_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/kube/inter_view.h"

namespace muster {

class ImageSpread {
 public:
  void Open(const InterView* view);
  bool ScoreDepends(ClassIndex c) { return !ScoresOf(c).empty(); }
  // Adds weight * score, an integer from 0 to 100.
  void Score(ClassIndex c, std::span<const NodeIndex> nodes, double weight,
             std::span<double> scores);

 private:
  struct Image {
    int64_t size;
    std::vector<NodeIndex> nodes;  // that have it, ascending
  };
  void IndexImages();
  // By node; empty: 0 everywhere.
  const std::vector<uint8_t>& ScoresOf(ClassIndex c);

  const InterView* view_ = nullptr;
  bool indexed_ = false;
  HashMap<std::string, Image> images_;
  std::vector<uint8_t> known_;                // by class
  std::vector<std::vector<uint8_t>> scores_;  // by class
};

}  // namespace muster

#endif  // MUSTER_KUBE_IMAGE_SPREAD_H_
