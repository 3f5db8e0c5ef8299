// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Equal nodes, counted once.
//
//   states.Sync();                        // follow the ledger's journal, O(nodes changed)
//   for (StateChange change : unread part of states.journal()) rescore(change.slot);
//   NodeIndex n = states.head(best);      // the oldest node in a state
//
// A state is (kind, books). Large clusters consist of a few machine types that hold a few mixes of
// tasks, so ten thousand nodes are often in a few hundred states. Every question about a node (does
// it fit, how well) is a question about a state. A placement takes the oldest node out of one state
// and puts it into another: two entries in the journal that scoreboards read.
//
// A state without nodes keeps its slot until the slot is needed, so coming back (a rollback) costs
// nothing. StateChange::content separates a slot that is reused from one with other nodes.
#ifndef MUSTER_SEARCH_NODE_STATES_H_
#define MUSTER_SEARCH_NODE_STATES_H_

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/ledger/device_book.h"
#include "lib/ledger/ledger.h"
#include "lib/search/node_kinds.h"
#include "muster/policy/columns.h"

namespace muster {

using StateIndex = Index<struct StateTag>;  // a state, as the slot that it is in

// In the column of heads: no node is in the state.
inline constexpr double kNoHead = std::numeric_limits<double>::infinity();

struct StateChange {
  uint32_t slot : 31;
  uint32_t content : 1;  // the slot is another state now; 0: another node of it is the oldest
};

class NodeStates {
 public:
  // `share` false: every node is a state of its own (for the test that flips it). `overdraft`:
  // nodes that hold more than they have by more than this, per dimension, are in no state, as if
  // they were gone; empty: all nodes are in.
  NodeStates(const Ledger& ledger, const NodeKinds& kinds, bool share,
             std::vector<int64_t> overdraft = {});

  // Follows the ledger, and the kinds after they split.
  void Sync();
  // Returns whether there is nothing to follow. Follows the ledger first where so many nodes were
  // looked at since the last time that this costs less than to look at more.
  bool Followed();
  // Returns columns of which row 0 is the node's state as the ledger has it now; null: the node
  // counts as gone. Without `free`, columns of what is free are not filled. Valid until the next
  // call. Costs less than Sync, which keeps all states.
  const StateColumns* Look(NodeIndex n, bool free);
  // Follows the latest change in the ledger's journal: the row of the node has gained `cells`, and
  // `change` is SumOf(cells). Costs less than Sync, because sums of rows add up as rows do.
  // REQUIRES: all earlier changes were followed.
  void Add(NodeIndex n, uint64_t change);
  uint64_t SumOf(std::span<const int64_t> cells) const;

  const StateColumns& columns() const { return columns_; }
  size_t slots() const { return columns_.size; }
  size_t live() const { return live_; }  // states that hold nodes
  StateIndex state(NodeIndex n) const { return state_[n]; }
  std::span<const StateIndex> states() const { return state_; }  // by node; valid until Sync
  KindIndex kind(StateIndex slot) const { return kind_[slot]; }
  uint32_t population(StateIndex slot) const { return population_[slot]; }
  NodeIndex head(StateIndex slot) const {  // kNone: no node is in it
    return population_[slot] == 0 ? kNone : NodeIndex(static_cast<uint32_t>(columns_.head[slot]));
  }

  // Slots with a changed head or content, oldest first; position journal_start() + i.
  std::span<const StateChange> journal() const { return journal_; }
  uint64_t journal_start() const { return journal_start_; }
  uint64_t journal_end() const { return journal_start_ + journal_.size(); }
  // Grows when all slots changed meaning.
  uint64_t epoch() const { return epoch_; }
  // Returns whether every amount is exact as a double. Once false, states are not to be used.
  bool exact() const { return exact_; }

 private:
  void Rebuild();
  bool Rebuilt() const;   // whether Sync would build all states anew
  size_t Behind() const;  // nodes that Sync would place, with repetitions
  void Place(NodeIndex n);
  bool Overdrawn(NodeIndex n) const;
  void PutInto(NodeIndex n, uint64_t sum);
  bool HoldsRow(StateIndex slot, std::span<const int64_t> row) const;
  StateIndex Intern(NodeIndex n, uint64_t sum);
  void Fill(StateColumns& columns, StateIndex slot, NodeIndex n);
  void FillFree(StateColumns& columns, StateIndex slot, NodeIndex n);
  double Cell(int64_t value);
  static uint64_t HashOf(uint64_t sum);
  void Leave(NodeIndex n, StateIndex slot);
  void Enter(NodeIndex n, StateIndex slot);
  void Rehash(size_t buckets);
  void EraseFromIndex(StateIndex slot);
  void SetHead(StateIndex slot, NodeIndex n);

  const Ledger& ledger_;
  const NodeKinds& kinds_;
  const bool share_;
  const std::vector<int64_t> overdraft_;
  const DeviceBook* const devices_;  // null: the ledger has none
  size_t key_size_ = 0;              // cells of a node's row
  std::vector<uint64_t> factors_;    // of the sum: per cell of a row, of the kind, of the node

  StateColumns columns_;
  StateColumns look_;  // of Look; a row, or none yet
  size_t looks_ = 0;   // since the last Sync
  // A state is the row of its nodes, their kind, and the node itself where states are not shared.
  std::vector<int64_t> keys_;  // key_size_ cells per slot
  std::vector<uint64_t> sum_;  // per slot: of the cells times their factors, from which the hash is
  std::vector<KindIndex> kind_;
  std::vector<uint32_t> population_;
  // A binary min-heap of nodes per slot. Nodes that left are dropped when they come to the top.
  std::vector<absl::InlinedVector<NodeIndex, 4>> members_;
  std::vector<StateIndex> free_;  // slots without nodes, oldest first from free_begin_
  size_t free_begin_ = 0;
  std::vector<uint8_t> in_free_;
  std::vector<StateIndex> index_;  // open addressing over slots; kNone empty, kNone - 1 erased
  size_t index_used_ = 0;

  std::vector<StateIndex> state_;  // per node
  size_t live_ = 0;
  std::vector<StateChange> journal_;
  uint64_t journal_start_ = 0;
  uint64_t epoch_ = 1;
  uint64_t ledger_birth_ = 0;
  size_t ledger_position_ = 0;
  uint64_t kinds_version_ = 0;
  bool exact_ = true;
};

}  // namespace muster

#endif  // MUSTER_SEARCH_NODE_STATES_H_
