// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/image_counts.h"

#include <variant>

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
  forgotten_.emplace_back(node);
  changed_ = true;
}

void ImageCounts::CountAll(const NodeTable& nodes) {
  having_.emplace();
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    if (!nodes.alive[n]) continue;
    for (const ImageSpec& image : nodes.spec[n].images) {
      for (const std::string& name : image.names) ++(*having_)[name];
    }
  }
}

void ImageCounts::FillNode(const NodeTable& nodes, NodeIndex n, std::vector<int64_t>* counts) {
  if (!nodes.alive[n] || nodes.spec[n].images.empty()) return;
  const auto [it, added] = known_.try_emplace(std::string(nodes.names.name(n)));
  if (added) {
    if (!having_) CountAll(nodes);
    for (const ImageSpec& image : nodes.spec[n].images) {
      for (const std::string& name : image.names) it->second.push_back((*having_)[name]);
    }
    changed_ = true;
  }
  *counts = it->second;
}

void ImageCounts::Fill(const Tables& tables, std::vector<std::vector<int64_t>>* by_node) {
  const NodeTable& nodes = tables.nodes;
  if (!filled_) {
    for (NodeIndex n = 0; n < nodes.alive.size(); ++n) FillNode(nodes, n, &(*by_node)[n]);
    filled_ = true;
  }
  for (const std::string& name : forgotten_) {
    const auto n = nodes.names.Find(name);
    if (n) FillNode(nodes, *n, &(*by_node)[*n]);
  }
  forgotten_.clear();
}

}  // namespace muster::kube
