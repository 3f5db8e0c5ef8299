// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Accounts of devices that several tasks share, as the peer keeps them, part by part.
#include <algorithm>
#include <cmath>

#include "lib/peer/kai/nodes.h"

namespace muster {
namespace {

// All that is used of the device is being released.
bool AllReleasing(const KaiSharedDevice& device) {
  return device.used != 0 && device.releasing == device.used;
}

}  // namespace

size_t KaiNodes::Group(uint32_t n, uint32_t id) {
  KaiDeviceGroups& groups = groups_[n];
  const auto at = std::ranges::lower_bound(groups.ids, id);
  const auto g = at - groups.ids.begin();
  if (at == groups.ids.end() || *at != id) {
    groups.ids.insert(at, id);
    groups.devices.insert(groups.devices.begin() + g, KaiSharedDevice{});
    groups.marks.insert(groups.marks.begin() + g, KaiDeviceGroups::Marks{});
  }
  return static_cast<size_t>(g);
}

int KaiNodes::UsedDevices(uint32_t n) const {
  int count = static_cast<int>(used(n)[kKaiGpuAt]);
  for (const KaiSharedDevice& device : groups_[n].devices) count += device.used > 0;
  return count;
}

void KaiNodes::TakeDevice(uint32_t n) {
  double& idle = cells(n, 0)[kKaiGpuAt];
  if (facts_.nodes[n].gpus < static_cast<int>(idle) + UsedDevices(n)) idle -= 1;
}

void KaiNodes::ReturnDevice(uint32_t n) {
  double& idle = cells(n, 0)[kKaiGpuAt];
  if (facts_.nodes[n].gpus >= static_cast<int>(idle) + UsedDevices(n)) idle += 1;
}

void KaiNodes::AddParts(uint32_t n, uint32_t task, const Note& note) {
  if (note.received != KaiReceived::kFraction) return;
  const int64_t memory = KaiMemoryOn(facts_.shape_of(task).gpu, facts_.nodes[n].gpu_memory);
  for (const uint32_t id : note.devices) AddPart(n, note.status, memory, id);
}

void KaiNodes::RemoveParts(uint32_t n, uint32_t task, const Note& note) {
  if (note.received != KaiReceived::kFraction) return;
  const int64_t memory = KaiMemoryOn(facts_.shape_of(task).gpu, facts_.nodes[n].gpu_memory);
  for (const uint32_t id : note.devices) RemovePart(n, note.status, memory, id);
}

void KaiNodes::AddPart(uint32_t n, KaiStatus status, int64_t memory, uint32_t id) {
  const size_t g = Group(n, id);
  KaiSharedDevice& group = groups_[n].devices[g];
  KaiDeviceGroups::Marks& marks = groups_[n].marks[g];
  double& releasing = cells(n, 2)[kKaiGpuAt];
  group.used += memory;
  if (status == KaiStatus::kReleasing) {
    group.releasing += memory;
    group.allocated += memory;
    marks.allocated = true;
    if (group.used != group.releasing) return;
    if (!marks.releasing) {
      releasing += 1;
      marks.releasing = true;
    }
    TakeDevice(n);
  } else if (status == KaiStatus::kPipelined) {
    group.releasing -= memory;
    if (group.used - memory == group.releasing + memory) releasing -= 1;
  } else {
    group.allocated += memory;
    marks.allocated = true;
    if (group.used <= memory) TakeDevice(n);
    if (marks.releasing) {
      releasing -= 1;
      marks.releasing = false;
    }
  }
}

void KaiNodes::RemovePart(uint32_t n, KaiStatus status, int64_t memory, uint32_t id) {
  const size_t g = Group(n, id);
  KaiSharedDevice& group = groups_[n].devices[g];
  KaiDeviceGroups::Marks& marks = groups_[n].marks[g];
  double& releasing = cells(n, 2)[kKaiGpuAt];
  group.used -= memory;
  if (status == KaiStatus::kReleasing) {
    group.releasing -= memory;
    group.allocated -= memory;
    marks.allocated = true;
    if (group.used > 0) return;
    ReturnDevice(n);
    if (marks.releasing) {
      releasing -= 1;
      marks.releasing = false;
    }
  } else if (status == KaiStatus::kPipelined) {
    group.releasing += memory;
    const bool took_all = group.used + memory == group.releasing - memory;
    if (took_all || (group.used == 0 && group.releasing == 0)) releasing += 1;
  } else {
    group.allocated -= memory;
    marks.allocated = true;
    if (group.used <= 0) ReturnDevice(n);
    if (AllReleasing(group) && !marks.releasing) {
      releasing += 1;
      marks.releasing = true;
    }
  }
}

void KaiNodes::CountFree(uint32_t n) const {
  const int64_t device = facts_.nodes[n].gpu_memory;
  const std::vector<KaiSharedDevice>& shared = groups_[n].devices;
  const double idle = KaiIdleGpus(facts_.Quantify(this->idle(n))[kKaiGpu], shared, device);
  const double leaving = KaiReleasingGpus(facts_.Quantify(releasing(n))[kKaiGpu], shared, device);
  has_free_[n] = idle > 0 || leaving > 0;
  const double before = std::exchange(free_[n], idle + leaving);
  if ((before != 0) == (free_[n] != 0)) return;
  const auto at = std::ranges::lower_bound(with_gpus_, n);
  if (before != 0) {
    with_gpus_.erase(at);
  } else {
    with_gpus_.insert(at, n);
  }
}

void KaiNodes::Recount() const {
  for (const uint32_t n : stale_) {
    is_stale_[n] = 0;
    CountFree(n);
  }
  stale_.clear();
}

const std::vector<double>& KaiNodes::FreeGpusOfAll() const {
  Recount();
  return free_;
}

const std::vector<uint32_t>& KaiNodes::NodesWithGpus() const {
  Recount();
  return with_gpus_;
}

const std::vector<uint8_t>& KaiNodes::HasFreeGpus() const {
  Recount();
  return has_free_;
}

int64_t KaiNodes::FreeGpuMemory(uint32_t n) const {
  const int64_t device = facts_.nodes[n].gpu_memory;
  int64_t sum = (static_cast<int64_t>(facts_.Quantify(idle(n))[kKaiGpu]) +
                 static_cast<int64_t>(facts_.Quantify(releasing(n))[kKaiGpu])) *
                device;
  for (const KaiSharedDevice& group : groups_[n].devices) {
    if (group.allocated > 0) sum += device - group.allocated;
    if (group.releasing > 0 && !AllReleasing(group)) sum += group.releasing;
  }
  return sum;
}

}  // namespace muster
