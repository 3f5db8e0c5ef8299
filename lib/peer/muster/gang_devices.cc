// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/muster/gang_devices.h"

#include <algorithm>
#include <string>
#include <utility>

#include "lib/fit/gang_packing.h"

namespace muster {
namespace {

constexpr uint32_t kUnknownLoad = kNoParts - 1;

}  // namespace

uint32_t GangDevices::Add(Load load) {
  load.one_more.assign(classes_.size(), kUnknownLoad);
  loads_.push_back(std::move(load));
  return static_cast<uint32_t>(loads_.size() - 1);
}

uint32_t GangDevices::AddNode(NodeIndex node, DeviceStateIndex state) {
  const auto found = empty_.find(state);
  if (found != empty_.end()) {
    ++loads_[found->second].nodes;
    return found->second;
  }
  const uint32_t load = Add({.fresh = state,
                             .state = state,
                             .tasks = std::vector<int64_t>(classes_.size(), 0),
                             .node = node,
                             .nodes = 1});
  empty_[state] = load;
  return load;
}

int64_t GangDevices::SizeOf(size_t shape) const {
  int64_t size = 0;
  for (const DeviceRequest& request : tables_.classes.shape[classes_[shape]].devices) {
    __int128 all = 0;
    for (const Load& load : loads_) {
      if (load.nodes == 0) continue;
      const std::vector<DeviceAmount> free = states_.Free(load.fresh, later_);
      const std::vector<DeviceSpec>& devices = tables_.nodes.spec[load.node].devices;
      for (size_t d = 0; d < devices.size(); ++d) {
        const std::vector<std::string>& models = request.models;
        if (!devices[d].healthy || devices[d].kind != request.kind) continue;
        if (!models.empty() &&
            std::find(models.begin(), models.end(), devices[d].model) == models.end())
          continue;
        all += static_cast<__int128>(load.nodes) * std::max<int64_t>(free[d].milli, 0);
      }
    }
    if (all == 0) continue;
    const __int128 part = static_cast<__int128>(request.count) * request.milli * 1'000'000 / all;
    size += static_cast<int64_t>(std::min<__int128>(part, 1'000'000));
  }
  return size;
}

uint32_t GangDevices::With(size_t shape, uint32_t load) {
  const uint32_t known = loads_[load].one_more[shape];
  if (known != kUnknownLoad) return known;
  Load more = loads_[load];
  more.nodes = 0;
  ++more.tasks[shape];
  const size_t size = more.order.size() + 1;
  bool stands = false;
  if (more.orders <= kMostOrders)
    more.orders = more.orders * static_cast<int64_t>(size) / more.tasks[shape];
  // Like tasks, of which there may be any number, have one order: the former one with the new task
  // at its end.
  if (more.orders > 1 && more.orders <= kMostOrders) {
    more.order.clear();
    std::vector<int64_t> left = more.tasks;
    stands = Arrange(more.fresh, size, &left, &more);
  } else {
    more.order.push_back(static_cast<uint32_t>(shape));
    more.state = After(static_cast<uint32_t>(shape), more.state);
    stands = more.state != kNone;
  }
  const uint32_t made = stands ? Add(std::move(more)) : kNoParts;
  loads_[load].one_more[shape] = made;
  return made;
}

// Lines up the tasks that are left, `more` in all. If it cannot, leaves them, and the load's order,
// as they were.
bool GangDevices::Arrange(DeviceStateIndex state, size_t more, std::vector<int64_t>* left,
                          Load* load) {
  if (more == 0) {
    load->state = state;
    return true;
  }
  for (uint32_t shape = 0; shape < classes_.size(); ++shape) {
    if ((*left)[shape] == 0) continue;
    const DeviceStateIndex after = After(shape, state);
    if (after == kNone) continue;
    load->order.push_back(shape);
    --(*left)[shape];
    if (Arrange(after, more - 1, left, load)) return true;
    ++(*left)[shape];
    load->order.pop_back();
  }
  return false;
}

// Returns the state of devices after a task of the shape took its own; kNone: there are none for
// it.
DeviceStateIndex GangDevices::After(uint32_t shape, DeviceStateIndex state) {
  const uint64_t key = (uint64_t{shape} << 32) | state;
  const auto found = after_.find(key);
  if (found != after_.end()) return found->second;
  DeviceStateIndex after = kNone;
  if (states_.Find(tables_, classes_[shape], state, later_, /*score=*/nullptr)) {
    const GrantsIndex grants = states_.Choose(tables_, classes_[shape], state, later_);
    after = states_.With(state, grants, later_ ? 0 : -1, /*later=*/-1);
  }
  after_[key] = after;
  return after;
}

}  // namespace muster
