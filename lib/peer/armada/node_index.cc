// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/node_index.h"

#include <algorithm>

namespace muster::armada {

NodeIndex::NodeIndex(const Tables& tables, const int64_t* free)
    : tables_(&tables),
      free_(free),
      width_(tables.state.indexed.size()),
      scratch_(tables.state.indexed.size()) {}

void NodeIndex::WriteKey(int node, int64_t* key) const {
  const int64_t* amounts = free(node);
  for (const IndexedResource& indexed : tables_->state.indexed) {
    *key++ = amounts[indexed.dimension] / indexed.resolution * indexed.resolution;
  }
}

bool NodeIndex::Before(const Entry& a, const int64_t* key_a, const Entry& b,
                       const int64_t* key_b) const {
  if (a.first != b.first) return a.first < b.first;
  for (size_t i = 1; i < width_; ++i) {
    if (key_a[i] != key_b[i]) return key_a[i] < key_b[i];
  }
  const std::vector<Node>& nodes = tables_->state.nodes;
  return nodes[static_cast<size_t>(a.node)].index < nodes[static_cast<size_t>(b.node)].index;
}

void NodeIndex::Build() {
  const std::vector<Node>& nodes = tables_->state.nodes;
  keys_.resize(nodes.size() * width_);
  pending_.assign(nodes.size(), false);
  by_type_.resize(tables_->state.node_types.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    int64_t* own = keys_.data() + n * width_;
    WriteKey(static_cast<int>(n), own);
    by_type_[static_cast<size_t>(nodes[n].type)].push_back({own[0], static_cast<int>(n)});
  }
  for (std::vector<Entry>& entries : by_type_) {
    std::ranges::sort(entries, [this](const Entry& a, const Entry& b) {
      return Before(a, key(a.node), b, key(b.node));
    });
  }
  built_ = true;
}

void NodeIndex::Move(int node) {
  int64_t* own = keys_.data() + static_cast<size_t>(node) * width_;
  WriteKey(node, scratch_.data());
  if (std::equal(scratch_.begin(), scratch_.end(), own)) return;
  std::vector<Entry>& entries =
      by_type_[static_cast<size_t>(tables_->state.nodes[static_cast<size_t>(node)].type)];
  const Entry old{own[0], node}, now{scratch_[0], node};
  const auto from = std::ranges::lower_bound(
      entries, old, [&](const Entry& a, const Entry& b) { return Before(a, key(a.node), b, own); });
  // Most nodes keep their place.
  const auto after = from + 1;
  const bool stays =
      (from == entries.begin() ||
       Before(*(from - 1), key((from - 1)->node), now, scratch_.data())) &&
      (after == entries.end() || Before(now, scratch_.data(), *after, key(after->node)));
  const auto to =
      stays ? from : std::ranges::lower_bound(entries, now, [&](const Entry& a, const Entry& b) {
        return Before(a, key(a.node), b, scratch_.data());
      });
  if (to <= from) {
    std::move_backward(to, from, after);
    *to = now;
  } else {
    std::move(after, to, from);
    *(to - 1) = now;
  }
  std::ranges::copy(scratch_, own);
}

void NodeIndex::Refresh() {
  if (!built_) {
    Build();
    return;
  }
  for (const int node : touched_) {
    pending_[static_cast<size_t>(node)] = false;
    Move(node);
  }
  touched_.clear();
}

void TypeCursor::Start(const NodeIndex& index, int type, const int64_t* requests) {
  index_ = &index;
  nodes_ = &index.by_type_[static_cast<size_t>(type)];
  requests_ = requests;
  bound_.clear();
  for (const IndexedResource& indexed : index.tables_->state.indexed) {
    bound_.push_back(requests[indexed.dimension]);
  }
  next_bound_ = bound_;
  reached_ = 0;
  Seek();
}

void TypeCursor::Seek() {
  const auto found = std::ranges::partition_point(*nodes_, [this](const NodeIndex::Entry& entry) {
    if (entry.first != bound_[0]) return entry.first < bound_[0];
    const int64_t* key = index_->key(entry.node);
    for (size_t i = 1; i < bound_.size(); ++i) {
      if (key[i] != bound_[i]) return key[i] < bound_[i];
    }
    return false;
  });
  place_ = static_cast<size_t>(found - nodes_->begin());
}

int TypeCursor::Next() {
  const std::vector<IndexedResource>& indexed = index_->tables_->state.indexed;
  while (place_ < nodes_->size()) {
    // The places that were looked at before must not come again.
    if (place_ < reached_) return kLoop;
    const int node = (*nodes_)[place_++].node;
    reached_ = place_;
    const int64_t* amounts = index_->free(node);
    const int64_t* key = index_->key(node);
    size_t i = 0;
    while (i < indexed.size() && amounts[indexed[i].dimension] >= requests_[indexed[i].dimension]) {
      next_bound_[i] = key[i];
      ++i;
    }
    if (i == indexed.size()) return node;
    for (; i < indexed.size(); ++i) next_bound_[i] = requests_[indexed[i].dimension];
    if (bound_ < next_bound_) {
      bound_.swap(next_bound_);
      Seek();
    }
  }
  return kEnd;
}

}  // namespace muster::armada
