// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What Koordinator's DeviceShare reads: devices of nodes, and what pods and reservations hold of
// them.
//
//   ReadDevices(source.dump, &cluster);            // after nodes and their zones
//   ReadDeviceHoldings(pods, &cluster);            // `pods` are those of cluster.tasks, in order
//   ReadReservedDevices(*object, node, &reservation.shape);
//
// A Device lists the GPUs, RDMA cards and FPGAs of the node of its name, here in the order of their
// minors, with names of kind and minor: "gpu-0". A PCIe switch is a link. The model is that of the
// label node.koordinator.sh/gpu-model of the Device, or of the node. Annotation device-allocated of
// pods becomes devices of their tasks, of reservations a label of their shapes, and
// device-joint-allocate, device-allocate-hint and gpu-partition-spec of pods labels of their shapes
// (lib/peer/koordinator/profile/device_plugin.h, reserved_parts.h).
//
// Not read, with an entry where a pod has some: virtual functions, isolation of shared GPUs by
// others than HAMi. Not read: tables of partitions.
//
// Cost. O(objects), O(devices x log devices) a node.
#ifndef MUSTER_IMPORT_KOORDINATOR_DEVICES_H_
#define MUSTER_IMPORT_KOORDINATOR_DEVICES_H_

#include "lib/import/api_object.h"
#include "muster/snapshot.h"

namespace muster {

void ReadDevices(const Dump& dump, ClusterSpec* cluster);
void ReadDeviceHoldings(const Dump::Objects& pods, ClusterSpec* cluster);
// Of a Reservation that is available on the node.
void ReadReservedDevices(const ApiObject& object, const NodeSpec& node, TaskShape* shape);

}  // namespace muster

#endif  // MUSTER_IMPORT_KOORDINATOR_DEVICES_H_
