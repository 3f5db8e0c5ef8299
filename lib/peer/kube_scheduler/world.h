// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cluster as a scheduling cycle sees it: what pods hold on each node, and the order in which
// nodes are examined. A dry run changes copies of single nodes.
//
//   World world(&classes, tree);
//   world.Add(task, node);                     // the pod counts there from now on
//   NodeBooks books = world.books(node);       // a copy for a dry run
//   books.Remove(classes.at(c), c);
//   const Topology& zones = world.ByLabel("zone");
#ifndef MUSTER_PEER_KUBE_SCHEDULER_WORLD_H_
#define MUSTER_PEER_KUBE_SCHEDULER_WORLD_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/base/hash_map.h"
#include "lib/base/names.h"
#include "lib/extension/ties.h"
#include "lib/kube/inter_view.h"
#include "lib/peer/kube_scheduler/nodes_by_state.h"
#include "lib/peer/kube_scheduler/pod_classes.h"
#include "lib/share/sparse.h"

namespace muster::kube {

class ExtraPlugins;  // extra_plugins.h

// Absent amounts are 0, but for pods, of which there is then no limit.
inline int64_t AllocatableOf(const Tables& tables, NodeIndex n, DimensionIndex d) {
  const int64_t amount = tables.nodes.allocatable.at(n, d);
  if (amount == kAbsent && d == kPods) return std::numeric_limits<int64_t>::max();
  return OrZero(amount);
}

// A terminating pod with this label was evicted by a preemption (condition DisruptionTarget with
// reason PreemptionByScheduler). The memory has those that earlier plans evicted.
inline constexpr std::string_view kPreemptedLabel = "kube-scheduler/preempted";

// How a pod leaves its node: not at all, for any reason, or evicted by a preemption.
enum class Leaving : uint8_t { kNo, kTerminating, kPreempted };

// What the pods of one node hold.
struct NodeBooks {
  absl::InlinedVector<int64_t, 4> requested;  // by dimension
  int64_t scored_cpu = 0, scored_memory = 0;
  int64_t pods = 0;
  std::vector<const HostPort*> ports;

  void Add(const PodClass& pod);
  void Remove(const PodClass& pod);
  // Adds amounts by dimension, and places of pods.
  void Keep(const Sparse& amounts, int64_t places);
};

// A pod of the class came to the node or left it (`pods`), or so did one that is not terminating
// (`staying`): 1, 0 or -1 each.
struct WorldChange {
  ClassIndex pod_class;
  NodeIndex node;
  int8_t pods = 0, staying = 0;
};

// What all nodes of a state (World::StateOf) have and hold.
class StateAmounts {
 public:
  explicit StateAmounts(const int64_t* row) : row_(row) {}
  int64_t pods() const { return row_[0]; }
  int64_t scored(DimensionIndex d) const {
    if (d == kCpu) return row_[1];
    return d == kMemory ? row_[2] : requested(d);
  }
  int64_t requested(DimensionIndex d) const { return row_[3 + 2 * d]; }
  int64_t allocatable(DimensionIndex d) const { return row_[4 + 2 * d]; }

 private:
  const int64_t* row_;  // pods, scored cpu and memory; then by dimension requested, allocatable
};

class World {
 public:
  // Takes the places of all tasks that hold a node. `classes` must outlive this.
  explicit World(PodClasses* classes);

  const Tables& tables() const { return classes_.tables(); }
  PodClasses& classes() const { return classes_; }
  ClassIndex class_of(TaskIndex t) const { return tables().tasks.task_class[t]; }
  const PodClass& pod(TaskIndex t) const { return classes_.at(class_of(t)); }
  int32_t priority(TaskIndex t) const { return tables().tasks.priority[t]; }

  // The nodes in the order of the snapshot.
  const std::vector<NodeIndex>& order() const { return order_; }
  void SetOrder(std::vector<NodeIndex> order);
  // The number of the node in the order; kNone: it is not there.
  uint32_t place_of(NodeIndex n) const { return order_place_[n]; }

  // The nodes of the order, by name.
  const std::vector<NodeIndex>& by_name();

  const NodeSpec& spec(NodeIndex n) const { return tables().nodes.spec[n]; }
  int64_t allocatable(NodeIndex n, DimensionIndex d) const { return AllocatableOf(tables(), n, d); }
  const NodeBooks& books(NodeIndex n) const { return books_[n]; }
  // Returns a number that is equal for nodes of equal amounts, allocatable and held. Ports aside.
  // Numbers are those of the epoch.
  uint32_t StateOf(NodeIndex n);
  // Returns StateOf of the nodes, in the order of the snapshot.
  const std::vector<uint32_t>& StatesInOrder();
  size_t states() const { return states_.size(); }
  // Returns the amounts of the nodes of the state, valid until another state is made.
  StateAmounts AmountsOf(uint32_t state) const {
    return StateAmounts(&state_amounts_[state * (3 + 2 * tables().dimension_count())]);
  }
  // Returns a number that scores keep for the state (resource_scores.h); below 0: not found yet.
  int64_t& evenness_of(uint32_t state) { return evenness_[state]; }
  // Forgets the states that no node has any longer, once they are many: a new epoch begins, in
  // which states have other numbers. O(1), or O(nodes) after as many changes.
  void ForgetOldStates();
  uint64_t epoch() const { return epoch_; }
  // Returns the nodes by their states, to be brought up to date by NodesByState::Follow.
  NodesByState& nodes_by_state() { return nodes_by_state_; }
  // Returns a number that grows when the order changes, or books that the journal does not list, or
  // states get new numbers.
  uint64_t foundation() const { return foundation_; }
  // Returns for each place of a heap of as many entries as there are nodes when it is visited, from
  // the root down, left before right.
  const std::vector<uint32_t>& HeapVisits();
  std::span<const TaskIndex> pods_on(NodeIndex n) const { return on_node_[n]; }
  // All pods that hold a node.
  const std::vector<TaskIndex>& placed() const { return placed_; }
  NodeIndex node_of(TaskIndex t) const { return node_of_[t]; }
  // Returns a number that grows when a pod comes to the node or leaves it.
  uint32_t changes_of(NodeIndex n) const { return changes_of_[n]; }
  Leaving leaving(TaskIndex t) const { return leaving_[t]; }
  bool terminating(TaskIndex t) const { return leaving_[t] != Leaving::kNo; }
  int64_t started(TaskIndex t) const { return started_[t]; }
  // Pods on nodes with any affinity term, and with a required term of anti-affinity.
  size_t with_affinity() const { return with_affinity_; }
  size_t repelling() const { return repelling_; }

  // Keeps amounts of the node and places of pods from all pods; negative: less of them. What was
  // derived from the node's books learns of it when a pod next comes to the node or leaves it.
  void Keep(NodeIndex n, const Sparse& amounts, int64_t pods);
  void Add(TaskIndex t, NodeIndex n, int64_t started);
  void Remove(TaskIndex t);
  void SetLeaving(TaskIndex t, Leaving leaving);

  // All changes since the world was taken, in their order. What is derived from it follows them.
  const std::vector<WorldChange>& journal() const { return journal_; }
  // Return a place in the journal from which on no pod with any affinity term, or with a required
  // term of anti-affinity, came or left.
  size_t affinity_until() const { return affinity_until_; }
  size_t repelling_until() const { return repelling_until_; }

  // By node: on how many nodes each of its image names is, in the order of the node's list. The
  // scheduler counts anew only where something of the node changed.
  std::vector<std::vector<int64_t>>& image_counts() { return image_counts_; }
  // Returns whether some node has images.
  bool has_images() const { return has_images_; }

  // Nodes by the value of a label.
  const Topology& ByLabel(const std::string& key);

  // Plug-ins beyond the default ones; null: there are none.
  ExtraPlugins* extra() const { return extra_; }
  void SetExtra(ExtraPlugins* extra) { extra_ = extra; }
  // By which of equal sums the profile chooses; null: by the heap.
  const TieRanks* ties() const { return ties_; }
  void SetTies(const TieRanks& ties) { ties_ = ties.any() ? &ties : nullptr; }
  // Reasons in words of such plug-ins, by number.
  uint32_t Words(std::string_view text) { return words_.Intern(text); }
  std::string_view words(uint32_t number) const { return words_.name(number); }

 private:
  bool HaveEqualAmounts(NodeIndex a, NodeIndex b) const;
  // Notes that a pod of the class came or left.
  void NoteTerms(const PodClass& pod);

  PodClasses& classes_;
  ExtraPlugins* extra_ = nullptr;
  const TieRanks* ties_ = nullptr;
  NameTable words_;
  std::vector<NodeIndex> order_;
  std::vector<NodeIndex> by_name_;     // empty: not asked for yet
  std::vector<uint32_t> order_place_;  // by node
  std::vector<uint32_t> state_of_;     // by node; kNone: to be found again
  HashMap<std::vector<int64_t>, uint32_t> states_;
  std::vector<int64_t> state_amounts_;  // the keys of states_, one after the other
  std::vector<int64_t> evenness_;       // by state
  uint64_t epoch_ = 0;
  size_t most_states_ = 0;        // from which on the old ones are forgotten
  std::vector<int64_t> amounts_;  // of the node of which the state is looked up
  NodeIndex last_asked_ = kNone;  // for its state
  NodesByState nodes_by_state_{this};
  uint64_t foundation_ = 0;
  std::vector<uint32_t> states_in_order_;  // empty: not asked for yet
  size_t states_position_ = 0;             // in the journal
  std::vector<uint32_t> heap_visits_;
  std::vector<uint32_t> changes_of_;  // by node
  std::vector<NodeBooks> books_;
  std::vector<std::vector<TaskIndex>> on_node_;
  std::vector<TaskIndex> placed_;
  std::vector<uint32_t> place_of_;  // in placed_
  std::vector<NodeIndex> node_of_;
  std::vector<Leaving> leaving_;
  std::vector<int64_t> started_;
  std::vector<std::vector<int64_t>> image_counts_;
  bool has_images_ = false;
  std::vector<WorldChange> journal_;
  size_t with_affinity_ = 0, repelling_ = 0;
  size_t affinity_until_ = 0, repelling_until_ = 0;
  HashMap<std::string, std::unique_ptr<Topology>> by_label_;
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_WORLD_H_
