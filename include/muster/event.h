// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What happened to a cluster between two cycles.
//
//   const muster::ClusterEvents events = cycle.EventsSince("my-slot");   // in Policy::Open
//   bool wake_all = events.everything;       // the list is not known: anything may have changed
//   for (const muster::ClusterEvent& event : events.list) wake_all |= muster::FreesNode(event);
//
// A cluster that holds a memory with slots records the events of every change, in order, until each
// slot has seen them; Freeze() copies them, and a scenario lists them under "events". A cycle sees
// those that its slot has not seen, and its plan's memory has seen them. What Cluster::Apply does
// to rows is recorded like any other change.
// Overflow. The list is bounded: by the number of living rows, and never below 1,024. Beyond that
// the oldest half is dropped, and slots that have not seen it get `everything`. A slot that does
// not exist yet gets `everything`, too.
// Cost. A string per event; nothing in a cluster without a memory.
#ifndef MUSTER_EVENT_H_
#define MUSTER_EVENT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "muster/export.h"

namespace muster {

enum class ClusterEventKind : uint8_t {
  kNodeAdded,
  kNodeChanged,
  kNodeRemoved,
  kQueueAdded,
  kQueueChanged,
  kQueueRemoved,
  kJobAdded,
  kJobChanged,
  kJobRemoved,
  kTaskAdded,
  kTaskChanged,
  kTaskBound,    // the task got `node`
  kTaskEnded,    // the task no longer holds `node`; its row is still there
  kTaskRemoved,  // the row is gone; the task held `node` until then, unless that is empty
  kDomainAdded,
  kDomainRemoved,
  kBudgetSet,     // name: namespace and name, with a slash between
  kNamespaceSet,  // name: of the namespace
};
inline constexpr int kClusterEventKindCount = 18;

// What of a row changed. Bits of ClusterEvent::aspects.
enum EventAspect : uint32_t {
  kCapacityGrew = 1 << 0,         // nodes: allocatable of some dimension
  kCapacityShrank = 1 << 1,       // nodes: the same
  kLabelsChanged = 1 << 2,        // nodes, tasks
  kTaintsChanged = 1 << 3,        // nodes
  kBecameSchedulable = 1 << 4,    // nodes: ready and not cordoned, and was not so before
  kBecameUnschedulable = 1 << 5,  // nodes: no longer ready and not cordoned
  kDomainChanged = 1 << 6,        // nodes: another place in the topology tree
  kShapeChanged = 1 << 7,         // tasks: request or constraints
  kStatusChanged = 1 << 8,  // tasks: a status that neither took nor freed a node; jobs: the phase
  kNominationChanged = 1 << 9,  // tasks
  kGatesChanged = 1 << 10,      // tasks
  kPriorityChanged = 1 << 11,   // tasks
  kOtherChanged = 1 << 12,      // anything else
};
inline constexpr int kEventAspectCount = 13;

struct ClusterEvent {
  ClusterEventKind kind;
  uint32_t aspects = 0;  // of kNodeChanged, kJobChanged and kTaskChanged; EventAspect, or-ed
  std::string name;      // of the row
  std::string node = {};
  friend bool operator==(const ClusterEvent&, const ClusterEvent&) = default;
};

// The events that a slot has not seen, oldest first.
struct ClusterEvents {
  bool everything = false;  // the list is not known, and is empty: anything may have changed
  std::span<const ClusterEvent> list = {};
};

// Returns whether the event gave back what a task held of a node.
inline bool FreesNode(const ClusterEvent& event) {
  return event.kind == ClusterEventKind::kTaskEnded ||
         (event.kind == ClusterEventKind::kTaskRemoved && !event.node.empty());
}

// The words of scenarios: "node_added", ... and "capacity_grew", ... for bit i of the aspects.
MUSTER_EXPORT std::string_view ClusterEventKindName(ClusterEventKind kind);
MUSTER_EXPORT std::string_view EventAspectName(int bit);

}  // namespace muster

#endif  // MUSTER_EVENT_H_
