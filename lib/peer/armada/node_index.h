// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The nodes of one bucket in the order in which a job tries them: by what is free of the indexed
// resources, the least first.
//
//   NodeIndex index(tables, bucket, &free);
//   index.Touch(node);  // its amounts have changed
//   index.Refresh();
//   TypeCursor cursor(index);
//   cursor.Start(type, requests);
//   while ((node = cursor.Next()) >= 0) ...
//
// Idea. A sorted array of each node type; the sort key has amounts rounded down to resolutions, and
// then the node's index. A node that changes moves over few others when nodes fill up one by one.
// Nothing is built until the first Refresh.
//
// Surprises. A cursor jumps over nodes that lack an indexed resource, and its bound mixes rounded
// amounts with requests that are not. So a node may be missed although it would suit: one of which
// the rounded amount is below a request that is no multiple of the resolution.
#ifndef MUSTER_PEER_ARMADA_NODE_INDEX_H_
#define MUSTER_PEER_ARMADA_NODE_INDEX_H_

#include <cstdint>
#include <vector>

#include "lib/peer/armada/tables.h"

namespace muster::armada {

class NodeIndex {
 public:
  // `free` is the row of the first node; the rows of the bucket follow each other.
  NodeIndex(const Tables& tables, const int64_t* free);

  void Touch(int node) {
    if (!built_ || pending_[static_cast<size_t>(node)]) return;
    pending_[static_cast<size_t>(node)] = true;
    touched_.push_back(node);
  }
  void Refresh();

  const int64_t* free(int node) const {
    return free_ + static_cast<size_t>(node) * tables_->dimensions;
  }
  const Tables& tables() const { return *tables_; }

 private:
  friend class TypeCursor;
  struct Entry {
    int64_t first;  // the first rounded amount, so that most comparisons end here
    int node;
  };

  const int64_t* key(int node) const { return keys_.data() + static_cast<size_t>(node) * width_; }
  void WriteKey(int node, int64_t* key) const;
  bool Before(const Entry& a, const int64_t* key_a, const Entry& b, const int64_t* key_b) const;
  void Build();
  void Move(int node);

  const Tables* tables_;
  const int64_t* free_;
  size_t width_;
  bool built_ = false;
  std::vector<int64_t> keys_, scratch_;
  std::vector<std::vector<Entry>> by_type_;
  std::vector<bool> pending_;
  std::vector<int> touched_;
};

class TypeCursor {
 public:
  static constexpr int kEnd = -1;
  static constexpr int kLoop = -2;  // the peer gives up on the round

  void Start(const NodeIndex& index, int type, const int64_t* requests);
  // Returns the next node that has the requested indexed resources, kEnd or kLoop.
  int Next();

 private:
  void Seek();

  const NodeIndex* index_ = nullptr;
  const std::vector<NodeIndex::Entry>* nodes_ = nullptr;
  const int64_t* requests_ = nullptr;
  size_t place_ = 0, reached_ = 0;
  std::vector<int64_t> bound_, next_bound_;
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_NODE_INDEX_H_
