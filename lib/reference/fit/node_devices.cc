// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/reference/fit/node_devices.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "muster/quantity.h"

namespace muster::reference {

namespace {

int64_t Bytes(const Quantity& quantity) {
  return ParseQuantity(quantity.text, Unit::kWhole).value_or(0);
}

// A device as the asking task would find it.
struct Found {
  const DeviceSpec* spec;
  int64_t place;  // on its node
  int64_t milli, memory;
  int64_t all_memory;

  // Thousandths that would be left of both together.
  int64_t Left(const DeviceRequest& request) const {
    int64_t left = (milli - request.milli) * 1000 / spec->milli;
    if (all_memory > 0) left += (memory - Bytes(request.memory)) * 1000 / all_memory;
    return left;
  }
};

struct Free {
  int64_t now_milli, then_milli, now_memory, then_memory;
};

Free FreeOf(const World& world, NodeIndex node, const DeviceSpec& spec) {
  Free free{spec.milli, spec.milli, Bytes(spec.memory), Bytes(spec.memory)};
  for (TaskIndex t : world.on_node[node]) {
    const auto hold = world.held[t].find(spec.name);
    if (hold == world.held[t].end()) continue;
    if (world.status[t] != TaskStatus::kNominated) {
      free.now_milli -= hold->second.milli;
      free.now_memory -= hold->second.memory;
    }
    if (world.status[t] != TaskStatus::kReleasing) {
      free.then_milli -= hold->second.milli;
      free.then_memory -= hold->second.memory;
    }
  }
  return free;
}

std::vector<Found> Look(const World& world, NodeIndex node, bool later) {
  std::vector<Found> all;
  for (const DeviceSpec& spec : world.tables->nodes.spec[node].devices) {
    const Free free = FreeOf(world, node, spec);
    all.push_back({&spec, static_cast<int64_t>(all.size()),
                   later ? free.then_milli : std::min(free.now_milli, free.then_milli),
                   later ? free.then_memory : std::min(free.now_memory, free.then_memory),
                   Bytes(spec.memory)});
  }
  return all;
}

std::vector<Found> Able(const std::vector<Found>& all, const DeviceRequest& request,
                        const std::string& group) {
  std::vector<Found> able;
  for (const Found& device : all) {
    const DeviceSpec& spec = *device.spec;
    const auto listed = [](const std::vector<std::string>& list, const std::string& name) {
      return std::count(list.begin(), list.end(), name) > 0;
    };
    bool fits = spec.healthy && spec.kind == request.kind;
    fits = fits && (request.models.empty() || listed(request.models, spec.model));
    fits = fits && device.milli >= request.milli && device.memory >= Bytes(request.memory);
    if (request.exclusive) {
      fits = fits && device.milli == spec.milli && device.memory == device.all_memory;
    }
    if (!group.empty() && request.same == SamePart::kZone) fits = fits && spec.zone == group;
    if (!group.empty() && request.same == SamePart::kLink) fits = fits && listed(spec.links, group);
    if (fits) able.push_back(device);
  }
  return able;
}

// The best of them come first.
void Sort(const World& world, const DeviceRequest& request, std::vector<Found>& able) {
  const auto rank = [&](const Found& d) {
    if (*world.device_strategy == "pack") return std::tuple(d.milli, d.memory, d.place);
    if (*world.device_strategy == "spread") return std::tuple(-d.milli, -d.memory, d.place);
    return std::tuple(d.Left(request), int64_t{0}, d.place);
  };
  std::sort(able.begin(), able.end(),
            [&](const Found& a, const Found& b) { return rank(a) < rank(b); });
}

// The zone, or link, from which all requests with that word are served; nullopt: there is none.
// Empty: none has it.
std::optional<std::string> GroupFor(const World& world, const std::vector<Found>& all,
                                    const std::vector<DeviceRequest>& requests, SamePart same) {
  std::vector<DeviceRequest> mine;
  for (const DeviceRequest& request : requests) {
    if (request.same == same) mine.push_back(request);
  }
  if (mine.empty()) return "";
  std::vector<std::string> groups;
  for (const Found& device : all) {
    std::vector<std::string> of_device = device.spec->links;
    if (same == SamePart::kZone) of_device = {device.spec->zone};
    for (const std::string& group : of_device) {
      if (!group.empty() && std::count(groups.begin(), groups.end(), group) == 0)
        groups.push_back(group);
    }
  }
  std::optional<std::string> best;
  int64_t best_room = 0;
  for (const std::string& group : groups) {
    int64_t room = 0;
    bool serves = true;
    for (const DeviceRequest& request : mine) {
      const std::vector<Found> able = Able(all, request, group);
      serves = serves && static_cast<int64_t>(able.size()) >= request.count;
      for (const Found& device : able) room += device.milli;
    }
    const bool better = *world.device_strategy == "spread" ? room > best_room : room < best_room;
    if (serves && (!best || better)) {
      best = group;
      best_room = room;
    }
  }
  return best;
}

struct Choice {
  HeldDevices held;
  int64_t left = 0;  // over the devices that it gets
};

std::optional<Choice> Choose(const World& world, TaskIndex task, NodeIndex node, bool later) {
  const std::vector<DeviceRequest>& requests = world.shape(task).devices;
  const std::vector<Found> all = Look(world, node, later);
  const auto zone = GroupFor(world, all, requests, SamePart::kZone);
  const auto link = GroupFor(world, all, requests, SamePart::kLink);
  if (!zone || !link) return std::nullopt;
  Choice choice;
  for (const DeviceRequest& request : requests) {
    std::vector<Found> able = Able(all, request, request.same == SamePart::kZone ? *zone : *link);
    if (static_cast<int64_t>(able.size()) < request.count) return std::nullopt;
    Sort(world, request, able);
    for (int64_t i = 0; i < request.count; ++i) {
      const Found& device = able[static_cast<size_t>(i)];
      choice.left += device.Left(request);
      choice.held[device.spec->name] = request.exclusive
                                           ? HeldDevice{device.spec->milli, device.all_memory}
                                           : HeldDevice{request.milli, Bytes(request.memory)};
    }
  }
  return choice;
}

}  // namespace

std::optional<HeldDevices> ChooseDevices(const World& world, TaskIndex task, NodeIndex node,
                                         bool later) {
  std::optional<Choice> choice = Choose(world, task, node, later);
  if (!choice) return std::nullopt;
  return choice->held;
}

bool HasDevices(const World& world, TaskIndex task, NodeIndex node, bool later) {
  if (!world.device_strategy || world.shape(task).devices.empty()) return true;
  return Choose(world, task, node, later).has_value();
}

std::string DevicesInWords(const World& world, NodeIndex node) {
  std::string words;
  for (const DeviceSpec& spec : world.tables->nodes.spec[node].devices) {
    const Free free = FreeOf(world, node, spec);
    for (const std::string* text : {&spec.kind, &spec.model, &spec.zone})
      words.append(*text).append("/");
    for (const std::string& link : spec.links) words.append(link).append("+");
    for (const int64_t number :
         {spec.milli, Bytes(spec.memory), int64_t{spec.healthy}, free.now_milli, free.then_milli,
          free.now_memory, free.then_memory})
      words.append(",").append(std::to_string(number));
    words += "\n";
  }
  return words;
}

int64_t FreeShareFor(const World& world, const DeviceRequest& request, NodeIndex node, bool later) {
  int64_t share = 0;
  for (const Found& device : Look(world, node, later)) {
    const bool wanted =
        request.models.empty() ||
        std::count(request.models.begin(), request.models.end(), device.spec->model) > 0;
    if (device.spec->healthy && device.spec->kind == request.kind && wanted)
      share += std::max<int64_t>(device.milli, 0);
  }
  return share;
}

double DeviceScore(const World& world, TaskIndex task, NodeIndex node) {
  if (world.shape(task).devices.empty()) return 0;
  bool later = false;
  std::optional<Choice> choice = Choose(world, task, node, later);
  if (!choice) {
    later = true;
    choice = Choose(world, task, node, later);
  }
  if (!choice) return 0;
  if (*world.device_strategy == "best-fit") {
    return 100.0 -
           static_cast<double>(choice->left) / (20.0 * static_cast<double>(choice->held.size()));
  }
  int64_t all = 0, free = 0;
  for (const Found& device : Look(world, node, later)) {
    bool asked = false;
    for (const DeviceRequest& request : world.shape(task).devices)
      asked = asked || request.kind == device.spec->kind;
    if (!asked || !device.spec->healthy) continue;
    all += device.spec->milli;
    free += device.milli;
    const auto hold = choice->held.find(device.spec->name);
    if (hold != choice->held.end()) free -= hold->second.milli;
  }
  const int64_t counted = *world.device_strategy == "spread" ? free : all - free;
  return 100.0 * static_cast<double>(counted) / static_cast<double>(all);
}

}  // namespace muster::reference
