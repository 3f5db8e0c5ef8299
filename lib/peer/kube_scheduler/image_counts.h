// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// On how many nodes each image is, as the scheduler's snapshot has it: node by node, counted when
// something of the node changed last. A node that comes with an image raises the count that its own
// pods see, and not that of an idle node that has the image, too.
//
//   ImageCounts counts;
//   counts.Load(slot);
//   counts.Forget("n1");                    // it changed
//   counts.Fill(tables, &world.image_counts());
#ifndef MUSTER_PEER_KUBE_SCHEDULER_IMAGE_COUNTS_H_
#define MUSTER_PEER_KUBE_SCHEDULER_IMAGE_COUNTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/model/tables.h"
#include "muster/memory.h"

namespace muster::kube {

class ImageCounts {
 public:
  void Load(const MemorySlot& slot);
  void Store(MemorySlot* slot) const;
  bool changed() const { return changed_; }

  void Forget(std::string_view node);
  // Counts for nodes without counts, and hands out all that is new since the last call. The tables
  // must be those of the first call. O(images of nodes) once, then O(nodes that were forgotten).
  void Fill(const Tables& tables, std::vector<std::vector<int64_t>>* by_node);

 private:
  void CountAll(const NodeTable& nodes);
  void FillNode(const NodeTable& nodes, NodeIndex n, std::vector<int64_t>* counts);

  std::map<std::string, std::vector<int64_t>, std::less<>> known_;
  bool changed_ = false;
  bool filled_ = false;
  std::vector<std::string> forgotten_;                   // since the last Fill
  std::optional<HashMap<std::string, int64_t>> having_;  // nodes, by image
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_IMAGE_COUNTS_H_
