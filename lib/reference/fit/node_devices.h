// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which devices of its node a task gets, slowly: by names, counted from the tasks on the node every
// time.
#ifndef MUSTER_REFERENCE_FIT_NODE_DEVICES_H_
#define MUSTER_REFERENCE_FIT_NODE_DEVICES_H_

#include <map>
#include <optional>
#include <string>

#include "lib/reference/world.h"

namespace muster::reference {

// What the task would hold; nullopt: the node has not what it asks for. Of what is free now, and
// will be, or of what will be free `later`.
std::optional<HeldDevices> ChooseDevices(const World& world, TaskIndex task, NodeIndex node,
                                         bool later);
// Whether it would get them; true where no policy gives out devices, or it asks for none.
bool HasDevices(const World& world, TaskIndex task, NodeIndex node, bool later);
// All that could tell the devices of two nodes apart: what they are, and what of them is free now
// and later.
std::string DevicesInWords(const World& world, NodeIndex node);
// The share that is free of healthy devices of that kind, and of one of those models.
int64_t FreeShareFor(const World& world, const DeviceRequest& request, NodeIndex node, bool later);
// 0 to 100; 0 where the node does not have them.
double DeviceScore(const World& world, TaskIndex task, NodeIndex node);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_FIT_NODE_DEVICES_H_
