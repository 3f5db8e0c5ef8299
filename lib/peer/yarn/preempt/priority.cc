// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Room for reservations of queues below their guarantee, from queues of lower priority.
//
// Surprises. Whether a queue that gives holds more than its guarantee does not matter, nor whether
// it is exempt from preemption. Without priorities that differ, below parents that respect them,
// nothing is chosen. A reservation that was moved goes on to each later node with as much room.
#include <algorithm>
#include <utility>

#include "lib/peer/yarn/java_sort.h"
#include "lib/peer/yarn/preempt/selection.h"

namespace muster::yarn {
namespace {

class PrioritySelector {
 public:
  explicit PrioritySelector(Selection* selection)
      : s_(*selection),
        granted_(s_.scheduler.queues().size(), std::vector<Resource>(s_.trees.size())),
        is_touched_(s_.scheduler.nodes().size()) {}

  void Run(const PriorityRules& rules) {
    const std::vector<Node>& nodes = s_.scheduler.nodes();
    std::vector<ContainerIndex> reservations;
    for (const Node& node : nodes) {
      if (node.reserved != kNone && IsAboveAny(QueueOf(node.reserved))) {
        reservations.push_back(node.reserved);
      }
    }
    Sort(&reservations);
    for (const ContainerIndex r : reservations) {
      const Container& reservation = s_.scheduler.containers()[r];
      if (reservation.since > rules.latest) continue;
      const NodeIndex n = reservation.node;
      const QueueIndex queue = QueueOf(r);
      if (IsSatisfied(queue, nodes[n].partition)) continue;
      std::vector<ContainerIndex> chosen;
      if (MakesRoom(reservation.size, queue, n, false, &chosen)) {
        is_touched_[n] = true;
        granted_[queue][nodes[n].partition] += reservation.size;
        for (const ContainerIndex c : chosen) {
          s_.Choose(c);
          s_.allowed -= s_.scheduler.containers()[c].size;
        }
      } else if (rules.moves_reservations) {
        Move(r);
      }
    }
  }

 private:
  QueueIndex QueueOf(ContainerIndex c) const { return s_.QueueOf(s_.scheduler.containers()[c]); }

  // Returns whether `a` may take from `b`: below the lowest common ancestor its branch has the
  // higher priority.
  bool IsAbove(QueueIndex a, QueueIndex b) const {
    if (a == b) return false;
    const auto path_of = [&](QueueIndex q) {
      std::vector<QueueIndex> path;
      for (; q != kNone; q = s_.scheduler.queues()[q].parent) path.push_back(q);
      std::reverse(path.begin(), path.end());
      return path;
    };
    const std::vector<QueueIndex> left = path_of(a), right = path_of(b);
    size_t i = 0;
    while (left[i] == right[i]) ++i;
    const std::vector<QueueShare>& shares = s_.trees[kDefaultPartition].shares();
    return shares[left[i]].priority > shares[right[i]].priority;
  }

  bool IsAboveAny(QueueIndex a) const {
    for (QueueIndex b = 0; b < s_.scheduler.queues().size(); ++b) {
      if (s_.scheduler.queues()[b].is_leaf() && IsAbove(a, b)) return true;
    }
    return false;
  }

  void Sort(std::vector<ContainerIndex>* list) const {
    JavaSort(list, [&](ContainerIndex a, ContainerIndex b) {
      if (IsAbove(QueueOf(a), QueueOf(b))) return -1;
      if (IsAbove(QueueOf(b), QueueOf(a))) return 1;
      const Container& left = s_.scheduler.containers()[a];
      const Container& right = s_.scheduler.containers()[b];
      if (left.since != right.since) return left.since < right.since ? -1 : 1;
      return left.created < right.created ? -1 : left.created > right.created ? 1 : 0;
    });
  }

  bool IsSatisfied(QueueIndex queue, Partition partition) const {
    const QueueShare& share = s_.trees[partition].shares()[queue];
    const Resource held = share.used - share.reserved + granted_[queue][partition];
    return !Less(s_.by(), s_.scheduler.cluster(), held, share.guaranteed);
  }

  bool MakesRoom(const Resource& needed, QueueIndex queue, NodeIndex index, bool must_be_free,
                 std::vector<ContainerIndex>* chosen) const {
    const Node& node = s_.scheduler.nodes()[index];
    if (is_touched_[index] || (must_be_free && node.reserved != kNone)) return false;
    Resource lacking = needed - node.free, allowed = s_.allowed;
    std::vector<ContainerIndex> running = node.containers;
    std::ranges::sort(running, {},
                      [&](ContainerIndex c) { return s_.scheduler.containers()[c].id; });
    Sort(&running);
    for (const ContainerIndex c : running) {
      if (s_.Has(c)) lacking -= s_.scheduler.containers()[c].size;
    }
    if (FitsIn(s_.by(), lacking, {})) return true;
    for (const ContainerIndex c : running) {
      const Container& container = s_.scheduler.containers()[c];
      if (s_.Has(c) || container.is_master || container.is_spared) continue;
      if (!IsAbove(queue, QueueOf(c))) continue;
      if (!Less(s_.by(), s_.scheduler.cluster(), allowed, container.size)) {
        allowed -= container.size;
        lacking -= container.size;
        chosen->push_back(c);
      }
      if (FitsIn(s_.by(), lacking, {})) return true;
    }
    return false;
  }

  // The peer goes on to later nodes after a move.
  void Move(ContainerIndex r) {
    const Container& reservation = s_.scheduler.containers()[r];
    const std::vector<RequestKey>& keys = s_.scheduler.apps()[reservation.app].requests.keys();
    const auto key = std::ranges::find(keys, reservation.priority, &RequestKey::priority);
    if (key == keys.end() || !key->MayRelaxTo(kAnyPlace)) return;
    for (NodeIndex n = 0; n < s_.scheduler.nodes().size(); ++n) {
      const Node& node = s_.scheduler.nodes()[n];
      if (node.is_gone || node.partition != kDefaultPartition) continue;
      std::vector<ContainerIndex> unused;
      if (MakesRoom(reservation.size, QueueOf(r), n, true, &unused) &&
          s_.scheduler.MoveReservation(r, n)) {
        is_touched_[n] = true;
      }
    }
  }

  Selection& s_;
  std::vector<std::vector<Resource>> granted_;  // by queue and partition
  std::vector<bool> is_touched_;                // by node
};

}  // namespace

void SelectByPriority(const PriorityRules& rules, Selection* selection) {
  PrioritySelector(selection).Run(rules);
}

}  // namespace muster::yarn
