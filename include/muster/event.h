// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What happened to a cluster between two cycles.
//
//   const muster::ClusterEvents events = cycle.EventsSince("my-slot");   // in Policy::Open
//   bool wake_all = events.everything;       // the list is not known: anything may have changed
//   for (const muster::ClusterEvent& event : events.list) wake_all |= muster::FreesNode(event);
//
// Promise. A cluster that holds a memory with slots records the events of every change, in order,
// until each slot has seen them; Freeze() copies them, and a scenario lists them under "events". A
// cycle sees those that its slot has not seen, and its plan's memory has seen them. What
// Cluster::Apply does to rows is recorded like any other change.
// Failure. None is reported. The list is bounded: by the number of living rows, and never below
// 1,024. Beyond that the oldest half is dropped, and slots that have not seen it get `everything`.
// A slot that does not exist yet gets `everything`, too.
// Ownership. A ClusterEvent owns its texts. The list of ClusterEvents is valid until the cycle
// ends.
// Threads. Events are plain values, and may be read by any thread.
// Cost. A string per event; nothing in a cluster without a memory.
#ifndef MUSTER_EVENT_H_
#define MUSTER_EVENT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "muster/export.h"

namespace muster {

// What happened to a row. A scenario writes the word of ClusterEventKindName.
enum class ClusterEventKind : uint8_t {
  // Nodes. A change has aspects, such as kCapacityGrew.
  kNodeAdded,
  kNodeChanged,
  kNodeRemoved,
  // Queues. A change has no aspects.
  kQueueAdded,
  kQueueChanged,
  kQueueRemoved,
  // Jobs. A change has aspects: kStatusChanged for its phase, kOtherChanged for all else.
  kJobAdded,
  kJobChanged,
  kJobRemoved,
  // Tasks. kTaskAdded has `node` if the task already holds one.
  kTaskAdded,
  // Its aspects have what changed.
  kTaskChanged,
  // The task got `node`.
  kTaskBound,
  // The task no longer holds `node`; its row is still there.
  kTaskEnded,
  // The row is gone; the task held `node` until then, unless that is empty.
  kTaskRemoved,
  // Domains of the topology tree. One that changes is removed and added.
  kDomainAdded,
  kDomainRemoved,
  // A disruption budget was added, replaced or removed. `name` is its namespace and name, with a
  // slash between them.
  kBudgetSet,
  // A namespace was added, replaced or removed. `name` is that of the namespace.
  kNamespaceSet,
};
// The number of kinds: valid kinds are below it.
inline constexpr int kClusterEventKindCount = 18;

// What of a row changed. Bits of ClusterEvent::aspects; one event may have several.
//
//   const uint32_t gains = muster::kCapacityGrew | muster::kBecameSchedulable;
//   const bool fits_more = (event.aspects & gains) != 0;
//
enum EventAspect : uint32_t {
  // Nodes: allocatable of some dimension grew, or shrank. One event may have both.
  kCapacityGrew = 1 << 0,
  kCapacityShrank = 1 << 1,
  // Nodes and tasks: labels.
  kLabelsChanged = 1 << 2,
  // Nodes: taints were added, removed or changed.
  kTaintsChanged = 1 << 3,
  // Nodes: ready and not cordoned now, and not so before.
  kBecameSchedulable = 1 << 4,
  // Nodes: ready and not cordoned before, and not so now.
  kBecameUnschedulable = 1 << 5,
  // Nodes: another place in the topology tree.
  kDomainChanged = 1 << 6,
  // Tasks: request or constraints.
  kShapeChanged = 1 << 7,
  // Tasks: a status that neither took nor freed a node. Jobs: the phase.
  kStatusChanged = 1 << 8,
  // Tasks: the node to which a task is nominated.
  kNominationChanged = 1 << 9,
  // Tasks: scheduling gates were added or removed.
  kGatesChanged = 1 << 10,
  // Tasks: priority.
  kPriorityChanged = 1 << 11,
  // Anything else: a field that no other aspect names.
  kOtherChanged = 1 << 12,
};
// The number of aspects: valid bits are below it.
// EventAspectName(i) names bit i.
inline constexpr int kEventAspectCount = 13;

// One change of one row.
struct ClusterEvent {
  // What happened. Required.
  ClusterEventKind kind;
  // EventAspect bits, or-ed. Default: none. Of kNodeChanged, kJobChanged and kTaskChanged; events
  // of added and removed tasks have kNominationChanged if the task is, or was, nominated.
  uint32_t aspects = 0;
  // The name of the row.
  std::string name;
  // The node that a task holds or held. Default: none. Only events of tasks have one.
  std::string node = {};
  // Returns true if all fields are equal.
  friend bool operator==(const ClusterEvent&, const ClusterEvent&) = default;
};

// The events that a slot has not seen, oldest first. A policy that keeps something by row must
// start anew if `everything` is true.
struct ClusterEvents {
  // True if the list is not known, and is empty: anything may have changed.
  bool everything = false;
  // Events in the order in which they happened. Empty if `everything` is true.
  std::span<const ClusterEvent> list = {};
};

// Returns whether the event gave back what a task held of a node: the task ended, or its row was
// removed while it held one. O(1).
inline bool FreesNode(const ClusterEvent& event) {
  return event.kind == ClusterEventKind::kTaskEnded ||
         (event.kind == ClusterEventKind::kTaskRemoved && !event.node.empty());
}

// Return the words of scenarios: "node_added", ... for a kind, and "capacity_grew", ... for bit
// `bit` of the aspects. The texts are constants. docs/memory.md lists them all.
MUSTER_EXPORT std::string_view ClusterEventKindName(ClusterEventKind kind);
MUSTER_EXPORT std::string_view EventAspectName(int bit);

}  // namespace muster

#endif  // MUSTER_EVENT_H_
