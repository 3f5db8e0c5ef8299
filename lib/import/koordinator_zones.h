// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What Koordinator's NodeNUMAResource reads: CPUs and zones of nodes, policies of pods, and what
// pods and reservations hold of both.
//
//   ReadNodeTopologies(source.dump, &cluster);     // after nodes
//   ReadCpuWishes(pods, &cluster);                 // `pods` are those of cluster.tasks, in order
//   ReadZoneHoldings(pods, scenario);              // after both
//   ReadReservedZones(*object, node, &reservation.shape);
//
// A NodeResourceTopology gives the node of its name zones with what is allocatable of them, its
// topology policy, and CPUs, from the annotations of koordlet. CPUs that the kubelet or the node
// keeps, or gave to pods itself, and those of system pods alone, are not healthy. Zones are in the
// order of their numbers. Where zones have more together than the node, the last ones get less.
//
// The annotations of pods become labels of their shapes, and the policy of zones their alignment
// (lib/peer/koordinator/profile/numa_sites.h). The CPUs of resource-status are devices of the task,
// and its amounts of zones a row of the memory. Of reservations both become labels of the shape
// (lib/peer/koordinator/profile/reserved_parts.h).
//
// Not read: pools of shared CPUs, which follow from what pods hold, and the distances of zones.
//
// Cost. O(objects), and O(CPUs) a node.
#ifndef MUSTER_IMPORT_KOORDINATOR_ZONES_H_
#define MUSTER_IMPORT_KOORDINATOR_ZONES_H_

#include "lib/import/api_object.h"
#include "lib/import/importer.h"
#include "muster/snapshot.h"

namespace muster {

// Takes what the annotation node.koordinator.sh/reservation of a node keeps, by amounts or by CPUs,
// off what is allocatable of it. Settings have it, too.
void TrimReservedAmounts(const Dump& dump, ClusterSpec* cluster);
void ReadNodeTopologies(const Dump& dump, ClusterSpec* cluster);
void ReadCpuWishes(const Dump::Objects& pods, ClusterSpec* cluster);
// The same of one object; what the shape has already stays.
void ReadCpuWishesOf(const ApiObject& object, TaskShape* shape);
void ReadZoneHoldings(const Dump::Objects& pods, Scenario* scenario);
// Of a Reservation that is available on the node.
void ReadReservedZones(const ApiObject& object, const NodeSpec& node, TaskShape* shape);

}  // namespace muster

#endif  // MUSTER_IMPORT_KOORDINATOR_ZONES_H_
