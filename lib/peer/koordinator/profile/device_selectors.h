// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Labels of devices, and what tasks demand of them, as texts.
//
//   const auto labels = ReadDeviceLabels("gpu-0:a=b+c=d,rdma-1:a=e");
//   const auto selector = ReadDeviceSelector("a=b+e;!old;c=*");
//
// The first is setting koordinator/device_labels of a node: devices by name. The second are labels
// koordinator/gpu-selector, rdma-selector and fpga-selector of a task (selector_text.h).
//
// Cost. O(length).
#ifndef MUSTER_PEER_KOORDINATOR_PROFILE_DEVICE_SELECTORS_H_
#define MUSTER_PEER_KOORDINATOR_PROFILE_DEVICE_SELECTORS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/peer/koordinator/device/devices.h"
#include "muster/spec.h"

namespace muster::koordinator {

using NamedDeviceLabels = std::vector<std::pair<std::string, DeviceLabels>>;

// Each fails with InvalidArgument for text of another form: `"x" is not ...`.
absl::StatusOr<NamedDeviceLabels> ReadDeviceLabels(std::string_view text);
absl::StatusOr<LabelSelector> ReadDeviceSelector(std::string_view text);

// Returns the labels that the setting of a node has. Fails where it cannot be read, names a device
// that the node does not have, or one twice: `node "n", setting "koordinator/device_labels": ...`.
absl::StatusOr<NamedDeviceLabels> DeviceLabelsOf(const NodeSpec& node);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_PROFILE_DEVICE_SELECTORS_H_
