// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What is free of a node's devices, where a request is a part of one device or whole ones.
//
//   DeviceParts parts(/*devices=*/2, /*unit=*/1000);
//   if (parts.Holds(600)) parts.Take(600);           // one device is left whole, 400 of the other
//   parts.Holds(1500);                               // false: neither a part nor whole devices
//
// A part comes from the device with the least room that is enough, as in Ray.
//
// Cost. O(devices in part use) a call, whatever the number of devices.
#ifndef MUSTER_PEER_RAY_DEVICE_PARTS_H_
#define MUSTER_PEER_RAY_DEVICE_PARTS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace muster {

class DeviceParts {
 public:
  // Constructs what holds every request: nothing is counted by device.
  DeviceParts() = default;
  // `unit`: the amount of one device, above 0.
  DeviceParts(int64_t devices, int64_t unit) : unit_(unit), devices_(devices), whole_(devices) {}

  // Returns whether anything is counted by device.
  bool counts() const { return unit_ > 0; }
  // Returns whether the request fits the devices as they are, or if all were free.
  bool Holds(int64_t request) const { return Fits(request, whole_, &free_); }
  bool HoldsWhenFree(int64_t request) const { return Fits(request, devices_, nullptr); }

  // REQUIRES: Holds(request).
  void Take(int64_t request) {
    if (unit_ == 0 || request == 0) return;
    if (request >= unit_) {
      whole_ -= request / unit_;
      return;
    }
    auto best = free_.end();
    for (auto part = free_.begin(); part != free_.end(); ++part) {
      if (*part >= request && (best == free_.end() || *part < *best)) best = part;
    }
    if (best == free_.end()) {
      --whole_;
      best = free_.insert(best, unit_);
    }
    *best -= request;
    if (*best == 0) free_.erase(best);
  }
  // Takes what is there of a request that may not fit: of an overfull node.
  void TakeWhatIsThere(int64_t request) {
    if (Holds(request)) return Take(request);
    if (unit_ == 0 || request < unit_) return;
    const int64_t devices = request / unit_ + (request % unit_ == 0 ? 0 : 1);
    whole_ -= std::min(whole_, devices);
  }
  // Returns the same node with all devices free.
  DeviceParts Freed() const { return DeviceParts(devices_, unit_); }

 private:
  bool Fits(int64_t request, int64_t whole, const std::vector<int64_t>* parts) const {
    if (unit_ == 0 || request == 0) return true;
    if (request > unit_) return request % unit_ == 0 && request / unit_ <= whole;
    if (whole > 0) return true;
    return parts != nullptr &&
           std::ranges::any_of(*parts, [&](int64_t part) { return part >= request; });
  }

  int64_t unit_ = 0;  // 0: nothing is counted
  int64_t devices_ = 0, whole_ = 0;
  std::vector<int64_t> free_;  // of devices in part use
};

}  // namespace muster

#endif  // MUSTER_PEER_RAY_DEVICE_PARTS_H_
