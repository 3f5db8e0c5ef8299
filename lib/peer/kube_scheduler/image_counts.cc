// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/image_counts.h"

#include <variant>

#include "lib/base/hash_map.h"

namespace muster::kube {

void ImageCounts::Load(const MemorySlot& slot) {
  for (const auto& [name, row] : slot.rows()) {
    std::vector<int64_t>& counts = known_[name];
    for (const MemoryCell& cell : row) {
      const int64_t* count = std::get_if<int64_t>(&cell);
      counts.push_back(count == nullptr ? 0 : *count);
    }
  }
}

void ImageCounts::Store(MemorySlot* slot) const {
  *slot = MemorySlot();
  for (const auto& [name, counts] : known_) {
    slot->Set(name, MemoryRow(counts.begin(), counts.end()));
  }
}

void ImageCounts::Forget(std::string_view node) {
  const auto it = known_.find(node);
  if (it == known_.end()) return;
  known_.erase(it);
  changed_ = true;
}

void ImageCounts::Fill(const Tables& tables, std::vector<std::vector<int64_t>>* by_node) {
  const NodeTable& nodes = tables.nodes;
  HashMap<std::string, int64_t> having;
  bool counted = false;
  const auto count_all = [&] {
    counted = true;
    for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
      if (!nodes.alive[n]) continue;
      for (const ImageSpec& image : nodes.spec[n].images) {
        for (const std::string& name : image.names) ++having[name];
      }
    }
  };
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    if (!nodes.alive[n] || nodes.spec[n].images.empty()) continue;
    const std::string_view node = nodes.names.name(n);
    auto it = known_.find(node);
    if (it == known_.end()) {
      if (!counted) count_all();
      it = known_.try_emplace(std::string(node)).first;
      for (const ImageSpec& image : nodes.spec[n].images) {
        for (const std::string& name : image.names) it->second.push_back(having[name]);
      }
      changed_ = true;
    }
    (*by_node)[n] = it->second;
  }
}

}  // namespace muster::kube
