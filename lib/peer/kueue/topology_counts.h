// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How many pods of a request each domain of a topology has room for, kept up to date.
//
//   TopologyCounts counts(&books, &filters);
//   TopologyCounts::Board& board = counts.Find(key);
//   board.at[level][domain].pods;
//   counts.Assume(assumed, &board);     // as if this were used, too
//   counts.Restore(&board);
//
// A board is a set of counts for one key: requests, filter and slices. Equal keys find the same
// board. Find brings it up to date from the books' journal: leaves that changed are counted again,
// and domains above them are summed up again where a sum changed.
//
// Cost. O(leaves) for a new board; later O(leaves that changed * (requested resources + levels *
// children)). A board takes 32 bytes a domain; the least recently used of more than kBoards goes.
#ifndef MUSTER_PEER_KUEUE_TOPOLOGY_COUNTS_H_
#define MUSTER_PEER_KUEUE_TOPOLOGY_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/kueue/topology_books.h"
#include "lib/peer/kueue/topology_filters.h"
#include "lib/peer/kueue/topology_order.h"

namespace muster::kueue {

// By level and domain.
using LevelCounts = std::vector<std::vector<DomainCounts>>;

// Amounts beside the books', by leaf: what earlier pod sets of a workload got.
class TopologyAssumed {
 public:
  explicit TopologyAssumed(size_t resources) : width_(resources) {}
  bool empty() const { return leaves_.empty(); }
  const std::vector<uint32_t>& leaves() const { return leaves_; }
  std::span<const int64_t> row(size_t i) const { return {rows_.data() + i * width_, width_}; }
  // Adds pods of a request, as TopologyBooks::Use.
  void Add(const TopologyPlaces& places, std::span<const PodAmount> pod, uint32_t pods_resource);
  void AddRow(uint32_t leaf, std::span<const int64_t> amounts);

 private:
  int64_t* RowOf(uint32_t leaf);
  size_t width_;
  std::vector<uint32_t> leaves_;
  std::vector<int64_t> rows_;
  HashMap<uint32_t, uint32_t> index_;
};

// How the counts of a domain follow from its children's.
struct SumRule {
  int32_t slice_size = 1;
  bool at_slice_level = false;
  int32_t child_size = 0;  // children take multiples of it; 0: any number
  bool leader = false;     // a leader is placed, too
};
DomainCounts SumOf(std::span<const DomainCounts> children, const SumRule& rule);

class TopologyCounts {
 public:
  static constexpr size_t kBoards = 64;

  struct Key {
    PodRequest pod = {};                    // with the pod itself
    std::optional<PodRequest> leader = {};  // with the pod itself
    uint32_t filter = 0;
    bool empty = false, scored = false;  // as if nothing was used; scores of affinity count
    int32_t slice_size = 1;
    uint32_t slice_level = 0;
    std::vector<int32_t> sizes = {};  // by level, of slices in slices; 0: none
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Board {
    Key key;
    LevelCounts at;
    size_t journal = 0;  // entries before it are counted
    uint64_t last_use = 0;
    struct Before {
      uint32_t level, domain;
      DomainCounts counts;
    };
    std::vector<Before> undo;
  };

  TopologyCounts(const TopologyBooks* books, const LeafFilters* filters);

  Board& Find(const Key& key);

  // Counts as if this were used beside what the books have.
  void Assume(const TopologyAssumed& assumed, Board* board);
  // Counts as if only the leaves first .. last - 1 existed.
  void Confine(uint32_t first, uint32_t last, Board* board);
  // Ends Assume and Confine.
  static void Restore(Board* board);

  // The resource that gives the leaf room for no more pods: of several the first by name.
  uint32_t LimitOf(const Key& key, uint32_t leaf, const TopologyAssumed* assumed) const;

 private:
  DomainCounts CountLeaf(const Key& key, uint32_t leaf, const int64_t* assumed) const;
  int64_t Room(const Key& key, uint32_t leaf, uint32_t resource, const int64_t* assumed) const;
  SumRule RuleAt(const Key& key, uint32_t level) const;
  void CountAll(Board* board) const;
  void Follow(Board* board);
  // Sets the counts of a leaf; its parent is summed up at the next SumUp.
  void Set(uint32_t leaf, const DomainCounts& counts, bool undoable, Board* board);
  void SumUp(bool undoable, Board* board);

  const TopologyBooks* books_;
  const TopologyTree* tree_;
  const LeafFilters* filters_;
  std::vector<std::unique_ptr<Board>> boards_;
  uint64_t uses_ = 0;
  std::vector<std::vector<uint32_t>> stale_;    // by level: domains to sum up
  std::vector<std::vector<uint8_t>> is_stale_;  // by level and domain
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_TOPOLOGY_COUNTS_H_
