// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/containers.h"

namespace muster::yarn {

ContainerIndex ContainerPool::Add(const Container& container) {
  if (free_.empty()) {
    containers_.push_back(container);
    return static_cast<ContainerIndex>(containers_.size() - 1);
  }
  const ContainerIndex index = free_.back();
  free_.pop_back();
  containers_[index] = container;
  return index;
}

void Node::Hold(ContainerIndex container, ContainerPool* pool) {
  (*pool)[container].at_node = static_cast<uint32_t>(containers.size());
  containers.push_back(container);
  free -= (*pool)[container].size;
}

void Node::Release(ContainerIndex container, ContainerPool* pool) {
  const uint32_t at = (*pool)[container].at_node;
  containers[at] = containers.back();
  (*pool)[containers[at]].at_node = at;
  containers.pop_back();
  free += (*pool)[container].size;
}

}  // namespace muster::yarn
