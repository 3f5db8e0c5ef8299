// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/fit/node_devices.h"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

constexpr uint32_t kAnywhere = UINT32_MAX;

bool Has(const std::vector<uint32_t>& list, uint32_t number) {
  return std::find(list.begin(), list.end(), number) != list.end();
}

// Whether the device is in that zone, or on that link.
bool IsIn(const NodeDevice& device, DeviceTogether together, uint32_t group) {
  if (group == kAnywhere) return true;
  return together == DeviceTogether::kZone ? device.zone == group : Has(device.links, group);
}

// Thousandths of the share and of the memory that would be left.
int64_t LeftOver(const NodeDevice& device, const DeviceAmount& free, const DeviceAsk& ask) {
  int64_t left = (free.milli - ask.each.milli) * 1000 / device.total.milli;
  if (device.total.memory > 0) {
    left += (free.memory - ask.each.memory) * 1000 / device.total.memory;
  }
  return left;
}

// Smaller is better.
std::pair<int64_t, int64_t> Rank(const NodeDevice& device, const DeviceAmount& free,
                                 const DeviceAsk& ask, DevicePick strategy) {
  switch (strategy) {
    case DevicePick::kPack:
      break;
    case DevicePick::kSpread:
      return {-free.milli, -free.memory};
    case DevicePick::kBestFit:
      return {LeftOver(device, free, ask), 0};
  }
  return {free.milli, free.memory};
}

class Chooser {
 public:
  Chooser(std::span<const NodeDevice> devices, std::span<const DeviceAmount> free,
          DevicePick strategy, std::vector<DevicePart>* grants)
      : devices_(devices), free_(free), strategy_(strategy), grants_(grants) {}

  // The devices for one request, from one group.
  bool Take(const DeviceAsk& ask, uint32_t group) {
    if (ask.count == 1) return TakeOne(ask, group);
    std::vector<std::pair<std::pair<int64_t, int64_t>, uint32_t>> able;
    for (uint32_t d = 0; d < devices_.size(); ++d) {
      if (!CanServe(devices_[d], free_[d], ask) || !IsIn(devices_[d], ask.together, group))
        continue;
      able.emplace_back(Rank(devices_[d], free_[d], ask, strategy_), d);
    }
    if (static_cast<int64_t>(able.size()) < ask.count) return false;
    std::sort(able.begin(), able.end());
    for (int64_t i = 0; i < ask.count; ++i) Grant(ask, able[static_cast<size_t>(i)].second);
    return true;
  }

  // The devices for all requests that are to be together in this way.
  bool TakeTogether(std::span<const DeviceAsk> asks, DeviceTogether together) {
    std::vector<uint32_t> groups;
    const auto add = [&](uint32_t group) {
      if (!Has(groups, group)) groups.push_back(group);
    };
    for (const NodeDevice& device : devices_) {
      if (together == DeviceTogether::kLink) {
        for (uint32_t link : device.links) add(link);
      } else if (device.zone != NodeDevice::kNoZone) {
        add(device.zone);
      }
    }
    bool found = false;
    int64_t best_room = 0;
    uint32_t best = kAnywhere;
    for (uint32_t group : groups) {
      int64_t room = 0;
      if (!HasRoom(asks, together, group, &room)) continue;
      if (strategy_ == DevicePick::kSpread) room = -room;
      if (found && room >= best_room) continue;
      found = true;
      best_room = room;
      best = group;
    }
    if (!found) return false;
    for (const DeviceAsk& ask : asks) {
      if (ask.together == together) Take(ask, best);
    }
    return true;
  }

 private:
  bool TakeOne(const DeviceAsk& ask, uint32_t group) {
    uint32_t best = kAnywhere;
    std::pair<int64_t, int64_t> best_rank;
    for (uint32_t d = 0; d < devices_.size(); ++d) {
      if (!CanServe(devices_[d], free_[d], ask) || !IsIn(devices_[d], ask.together, group))
        continue;
      const auto rank = Rank(devices_[d], free_[d], ask, strategy_);
      if (best != kAnywhere && rank >= best_rank) continue;
      best = d;
      best_rank = rank;
    }
    if (best == kAnywhere) return false;
    Grant(ask, best);
    return true;
  }

  bool HasRoom(std::span<const DeviceAsk> asks, DeviceTogether together, uint32_t group,
               int64_t* room) const {
    for (const DeviceAsk& ask : asks) {
      if (ask.together != together) continue;
      int64_t able = 0;
      for (uint32_t d = 0; d < devices_.size(); ++d) {
        if (!IsIn(devices_[d], together, group) || !CanServe(devices_[d], free_[d], ask)) continue;
        ++able;
        *room += free_[d].milli;
      }
      if (able < ask.count) return false;
    }
    return true;
  }

  void Grant(const DeviceAsk& ask, uint32_t d) {
    grants_->push_back({d, ask.exclusive ? devices_[d].total : ask.each});
  }

  const std::span<const NodeDevice> devices_;
  const std::span<const DeviceAmount> free_;
  const DevicePick strategy_;
  std::vector<DevicePart>* grants_;
};

const DeviceAsk* AskOf(std::span<const DeviceAsk> asks, uint32_t kind) {
  for (const DeviceAsk& ask : asks) {
    if (ask.kind == kind) return &ask;
  }
  return nullptr;
}

}  // namespace

bool CanServe(const NodeDevice& device, const DeviceAmount& free, const DeviceAsk& ask) {
  if (device.kind != ask.kind || !device.healthy) return false;
  if (free.milli < ask.each.milli || free.memory < ask.each.memory) return false;
  if (ask.exclusive && free != device.total) return false;
  return ask.models.empty() || Has(ask.models, device.model);
}

bool ChooseNodeDevices(std::span<const NodeDevice> devices, std::span<const DeviceAmount> free,
                       std::span<const DeviceAsk> asks, DevicePick strategy,
                       std::vector<DevicePart>* grants) {
  grants->clear();
  Chooser chooser(devices, free, strategy, grants);
  bool zone = false, link = false;
  for (const DeviceAsk& ask : asks) {
    zone |= ask.together == DeviceTogether::kZone;
    link |= ask.together == DeviceTogether::kLink;
    if (ask.together == DeviceTogether::kAnyhow && !chooser.Take(ask, kAnywhere)) return false;
  }
  if (zone && !chooser.TakeTogether(asks, DeviceTogether::kZone)) return false;
  if (link && !chooser.TakeTogether(asks, DeviceTogether::kLink)) return false;
  if (grants->size() > 1) {
    std::sort(grants->begin(), grants->end(),
              [](const DevicePart& a, const DevicePart& b) { return a.device < b.device; });
  }
  return true;
}

size_t FirstShortAsk(std::span<const NodeDevice> devices, std::span<const DeviceAmount> free,
                     std::span<const DeviceAsk> asks) {
  for (size_t a = 0; a < asks.size(); ++a) {
    int64_t able = 0;
    for (size_t d = 0; d < devices.size(); ++d) able += CanServe(devices[d], free[d], asks[a]);
    if (able < asks[a].count) return a;
  }
  return asks.size();
}

double ScoreNodeDevices(std::span<const NodeDevice> devices, std::span<const DeviceAmount> free,
                        std::span<const DeviceAsk> asks, std::span<const DevicePart> grants,
                        DevicePick strategy) {
  if (strategy == DevicePick::kBestFit) {
    int64_t left = 0;
    for (const DevicePart& grant : grants) {
      const NodeDevice& device = devices[grant.device];
      left += LeftOver(device, free[grant.device], *AskOf(asks, device.kind));
    }
    return 100.0 - static_cast<double>(left) / (20.0 * static_cast<double>(grants.size()));
  }
  int64_t total = 0, left = 0;
  for (size_t d = 0; d < devices.size(); ++d) {
    if (!devices[d].healthy || AskOf(asks, devices[d].kind) == nullptr) continue;
    total += devices[d].total.milli;
    left += free[d].milli;
  }
  for (const DevicePart& grant : grants) left -= grant.amount.milli;
  const int64_t counted = strategy == DevicePick::kSpread ? left : total - left;
  return 100.0 * static_cast<double>(counted) / static_cast<double>(total);
}

}  // namespace muster
