// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which devices of a node a task gets.
//
//   std::vector<DevicePart> grants;
//   if (ChooseNodeDevices(devices, free, asks, DevicePick::kPack, &grants)) ...  // by position
//
// Idea. A device can serve a request when it is healthy, of the kind and of one of the models, and
// has the share and the memory free. An exclusive request needs a device without a holder, and
// takes all of it. Requests are of different kinds, so they never compete. Requests for one zone
// are served by the first zone, in the strategy's order, in which all of them find enough devices.
// Requests for one link, a group of devices by name, are served likewise. All others are served by
// any devices.
//
// A strategy orders devices, and zones and links:
// - kPack: devices with the least share free, then the least memory; zones and links with the least
//   share free.
// - kSpread: the opposite of both.
// - kBestFit: devices of which the least is left over, as thousandths of the share and of the
//   memory together; zones and links as kPack does.
//
// Among equals the first goes first. What counts as free in a zone or link is the share of the
// devices that can serve.
//
// Guarantee. Devices are found exactly if there are any that fit. The answer is a function of the
// arguments alone.
//
// Cost. O(devices x requests), and a sort of those that can serve when several are requested.
#ifndef MUSTER_FIT_NODE_DEVICES_H_
#define MUSTER_FIT_NODE_DEVICES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster {

enum class DevicePick : uint8_t { kPack, kSpread, kBestFit };
enum class DeviceTogether : uint8_t { kAnyhow, kZone, kLink };

struct DeviceAmount {
  int64_t milli = 0, memory = 0;
  friend bool operator==(const DeviceAmount&, const DeviceAmount&) = default;
};

// What never changes about a device. Kinds, models, zones and links are the caller's numbers for
// names.
struct NodeDevice {
  static constexpr uint32_t kNoZone = UINT32_MAX;
  uint32_t kind = 0, model = 0, zone = kNoZone;
  std::vector<uint32_t> links;
  DeviceAmount total;
  bool healthy = true;
  friend bool operator==(const NodeDevice&, const NodeDevice&) = default;
};

struct DeviceAsk {
  uint32_t kind = 0;
  int64_t count = 1;
  DeviceAmount each;             // its share is at least 1
  std::vector<uint32_t> models;  // empty: any
  bool exclusive = false;
  DeviceTogether together = DeviceTogether::kAnyhow;
  friend bool operator==(const DeviceAsk&, const DeviceAsk&) = default;
};

struct DevicePart {
  uint32_t device;  // position on the node
  DeviceAmount amount;
  friend bool operator==(const DevicePart&, const DevicePart&) = default;
};

// Returns whether one device can serve the request, wherever it is.
bool CanServe(const NodeDevice& device, const DeviceAmount& free, const DeviceAsk& ask);

// Returns whether the devices can serve all of `asks`, and sets `*grants` if so.
// REQUIRES: `asks` are of different kinds; `free` has an entry for each device.
bool ChooseNodeDevices(std::span<const NodeDevice> devices, std::span<const DeviceAmount> free,
                       std::span<const DeviceAsk> asks, DevicePick strategy,
                       std::vector<DevicePart>* grants);

// Returns the first of `asks` for which not enough devices could serve, wherever they are, or
// asks.size() if there are enough for each, but not together.
size_t FirstShortAsk(std::span<const NodeDevice> devices, std::span<const DeviceAmount> free,
                     std::span<const DeviceAsk> asks);

// Returns how good the choice is, 0 to 100. kPack: how much of the share of the node's healthy
// devices of these kinds would be in use; kSpread: how much would be free; kBestFit: 100 less the
// part, over share and memory, that is left over of the granted devices, on average.
double ScoreNodeDevices(std::span<const NodeDevice> devices, std::span<const DeviceAmount> free,
                        std::span<const DeviceAsk> asks, std::span<const DevicePart> grants,
                        DevicePick strategy);

}  // namespace muster

#endif  // MUSTER_FIT_NODE_DEVICES_H_
