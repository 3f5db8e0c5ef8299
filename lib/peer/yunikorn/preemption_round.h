// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// PreemptionRound: one attempt to get a queue its guarantee by stopping pods of other queues.
//
//   PreemptionRound round(partition, request, /*nodes_tried=*/true);
//   PreemptionRefusal refusal;   // set where there is no result
//   std::optional<Result> result = round.Try(&refusal);   // reserves a node, and marks the victims
//
// Victims are pods of queues above their guarantee, below the nearest fence above the request's
// queue: a queue with that policy, or one that the request would put over its limit. On each node
// victims are taken, those that may be preempted and the newest first, until the request fits; a
// queue gives nothing once it is down to its guarantee, and the request's queue takes nothing above
// its own. The node with the fewest wins, then the one with the smallest id.
//
// Guarantees are compared on copies of what queues have allocated. They are kept in one array,
// which starting over for the next node copies.
#ifndef MUSTER_PEER_YUNIKORN_PREEMPTION_ROUND_H_
#define MUSTER_PEER_YUNIKORN_PREEMPTION_ROUND_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "lib/peer/yunikorn/partition.h"

namespace muster::yunikorn {

// Whether a queue has more than its guarantee of one of the types of `ask`, by what remains of it.
bool AboveGuarantee(const Resource& ask, const Resource& remaining);

// A queue as it was when the round began.
struct QueueSnapshot {
  Index queue = kNone;
  int parent = -1;         // a place in the list of snapshots
  bool knows_ask = false;  // all but root
  Resource allocated, preempting;
  Resource guaranteed = Resource::Nil();
  std::vector<Index> victims;
};

class PreemptionRound {
 public:
  PreemptionRound(Partition& partition, Index request, bool nodes_tried);

  std::optional<Result> Try(PreemptionRefusal* refusal);

  // --- the steps, each on what those before found

  void FindVictims();
  // Whether stopping all victims would get the request's queue what it may have.
  bool GuaranteesHelp();
  void FindNodes();
  struct NodeVictims {
    Index node = kNone;
    int start = -1;  // so many and one more must go; -1: the node has room
    std::vector<Index> victims;
  };
  // Nothing if the node cannot get the room.
  std::optional<NodeVictims> VictimsOn(Index node, const Resource& available,
                                       const std::vector<Index>& potential);
  std::optional<NodeVictims> ChooseNode();
  // Victims anywhere that the queue's guarantee also covers; nothing if it then has too much.
  std::optional<std::vector<Index>> MoreVictims(const std::vector<Index>& chosen);

  // What a queue may still use of guarantees; nil: no guarantee counts.
  Resource Remaining(int snapshot) const;
  const std::vector<QueueSnapshot>& snapshots() const { return snapshots_; }
  int SnapshotOf(Index queue) const;
  int ask_snapshot() const { return ask_; }
  void StartOver();

 private:
  struct NodeState {
    Index node = kNone;
    Resource available;
    std::vector<Index> victims;
  };
  Index FenceRoot();
  int Snapshot(Index queue);
  void Collect(Index queue, int64_t priority, bool fenced);
  void CollectLeaf(Index leaf, int64_t priority, bool fenced);
  bool Usable(Index node);
  bool NothingToStop() const;
  void Add(int snapshot, const Resource& resource);
  void Remove(int snapshot, const Resource& resource);
  bool TakeIfOver(Index victim);
  bool AskMayTake(const Resource& resource) const;
  std::vector<Index> HeadAndTail(const Resource& available, const std::vector<Index>& potential);
  const NodeVictims* Best(const std::vector<NodeVictims>& choices, int* taken);
  uint64_t ScoreOf(Index node, int index) const;
  std::optional<std::vector<Index>> Select(const NodeVictims& node,
                                           const std::vector<Index>& victims) const;

  Partition& world_;
  const Index request_;
  const Resource ask_resource_;
  const Index ask_queue_;
  const bool nodes_tried_;
  std::vector<std::pair<Index, int64_t>> path_priorities_;
  std::vector<QueueSnapshot> snapshots_;
  std::vector<int> snapshot_of_;         // by queue
  std::vector<int> snapshot_of_victim_;  // by allocation; empty: there are no victims
  int ask_ = -1;
  Resource ask_remaining_ = Resource::Nil();  // of the ask's own guarantee, at the start
  std::vector<Resource> allocated_;           // by snapshot, as the step at hand has it
  std::vector<NodeState> node_states_;
};

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_PREEMPTION_ROUND_H_
