// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Checks what tasks hold of the devices of their node.
//
// A single hold must be of a device that the node has, and no more than all of it. Resolve checks
// this for every task. All holds of a device together must not exceed it, either. This is checked
// when a call adds or changes a task, and not for events, which report the state of the world in
// any order.
#ifndef MUSTER_MODEL_DEVICE_HOLDS_H_
#define MUSTER_MODEL_DEVICE_HOLDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/model/editor.h"
#include "muster/spec.h"

namespace muster {

// The node's device of that name; null: it has none.
const DeviceSpec* FindDevice(const NodeSpec& node, std::string_view name);

// Returns why the node cannot give so much of one of its devices to any task: `device "g" is not on
// node "n"`; empty: it can.
std::string HoldProblem(const NodeSpec& node, const DeviceHold& hold);

// Why the node's devices cannot bear these holds beside those of the tasks that run there (`except`
// aside, and nominated ones): `device "g" of node "n" is held to 1500 of 1000 milli`; empty: they
// can.
std::string OverheldProblem(const Editor& editor, NodeIndex node,
                            const std::vector<DeviceHold>& holds, TaskIndex except);

// The bytes of a quantity that was checked.
int64_t MemoryOf(const Quantity& memory);

}  // namespace muster

#endif  // MUSTER_MODEL_DEVICE_HOLDS_H_
