// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The steps of device_allocator.h: what each kind amounts to on this machine, the joint kinds, then
// the others.
#include "lib/peer/koordinator/device/device_allocator.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "lib/peer/koordinator/device/gpu_places.h"

namespace muster {
namespace {

using R = DeviceResource;
using Grants = std::vector<DeviceGrant>;

size_t At(DeviceKind kind) { return static_cast<size_t>(kind); }

// What a request for one kind amounts to on this machine.
struct Part {
  bool asked = false;
  DeviceAmounts each;
  int64_t count = 1;
};

bool Matches(const DeviceWish& wish, const Device& device) {
  return !wish.selector.has_value() || wish.selector->Matches(device.labels);
}

class Chooser {
 public:
  Chooser(const MachineDevices& machine, const DeviceClaim& request, const DeviceScorer* scorer,
          const DeviceLimits* limits)
      : machine_(machine), request_(request), scorer_(scorer), limits_(limits) {
    for (size_t k = 0; k < kDeviceKinds; ++k) Narrow(k);
    for (DeviceKind kind : request.joint) {
      const DeviceWish& wish = request.of(kind);
      if (wish.strategy != DeviceStrategy::kAllMatching && !wish.total.IsZero()) {
        joint_.push_back(kind);
      }
    }
  }

  // Returns false if the request cannot be met on this machine.
  bool Prepare(bool final) {
    const DeviceWish& gpus = request_.of(DeviceKind::kGpu);
    const bool granted = !final && machine_.secondary_well_planned && !joint_.empty() &&
                         !gpus.total.IsZero() && !gpus.partial;
    for (size_t k = 0; k < kDeviceKinds; ++k) {
      const DeviceKind kind = static_cast<DeviceKind>(k);
      if (request_.wishes[k].total.IsZero() || (granted && kind != joint_[0])) continue;
      if (!Measure(kind)) return false;
      parts_[k].asked = true;
    }
    for (size_t k = 0; k < kDeviceKinds; ++k) {
      const std::vector<Device>& devices = machine_.books[k].devices;
      if (!parts_[k].asked || !request_.wishes[k].function_selector.has_value()) continue;
      if (std::all_of(devices.begin(), devices.end(),
                      [](const Device& device) { return device.virtual_groups.empty(); })) {
        return Refuse(DeviceReason::kNoFunctions, static_cast<DeviceKind>(k));
      }
    }
    return true;
  }

  void Choose() {
    const auto asked = [](const Part& part) { return part.asked; };
    if (std::count_if(parts_.begin(), parts_.end(), asked) > 1 && !joint_.empty() && !Joint()) {
      return;
    }
    for (size_t k = 0; k < kDeviceKinds; ++k) {
      const DeviceKind kind = static_cast<DeviceKind>(k);
      if (!parts_[k].asked || !answer_.grants[k].empty()) continue;
      if (!OneKind(kind, parts_[k].count, {})) return;
    }
    for (DeviceGrant& grant : answer_.grants[At(DeviceKind::kGpu)]) {
      FillGpuMemory(*Find(DeviceKind::kGpu, grant.minor), &grant.amounts);
    }
  }

  int64_t Score() const {
    int64_t score = 0;
    for (size_t k = 0; k < kDeviceKinds; ++k) {
      if (!parts_[k].asked) continue;
      const DeviceAccount& book = machine_.books[k];
      DeviceAmounts total, free;
      for (size_t i = 0; i < book.devices.size(); ++i) {
        if (!candidates_[k][i]) continue;
        total.Add(book.devices[i].total);
        free.Add(free_[k][i]);
      }
      score += scorer_->Score(parts_[k].each, total, free);
    }
    return score;
  }

  // Of each kind, 0 where none is requested.
  std::array<int64_t, kDeviceKinds> Counts() const {
    std::array<int64_t, kDeviceKinds> counts = {};
    for (size_t k = 0; k < kDeviceKinds; ++k) {
      if (parts_[k].asked) counts[k] = parts_[k].count;
    }
    return counts;
  }

  DeviceAnswer Answer() && {
    if (!answer_.ok()) answer_.grants = {};
    return std::move(answer_);
  }

 private:
  using Buses = std::set<std::string>;

  bool Refuse(DeviceReason reason, DeviceKind kind) {
    answer_.reason = reason;
    answer_.kind = kind;
    return false;
  }

  const Device* Find(DeviceKind kind, int minor) const {
    const DeviceAccount& book = machine_.book(kind);
    return &book.devices[*book.Find(minor)];
  }

  // What device i of kind k has free within the limits; nothing if it is outside of them.
  std::optional<DeviceAmounts> FreeWithin(size_t k, size_t i) const {
    const DeviceAccount& book = machine_.books[k];
    const Device& device = book.devices[i];
    DeviceAmounts free = book.Free(i);
    const auto freed = limits_->freed[k].find(device.minor);
    if (freed != limits_->freed[k].end()) {
      DeviceAmounts used = book.used[i], left = device.total;
      used.SubtractDownToZero(freed->second);
      left.SubtractDownToZero(used);
      if (!left.IsZero()) free = left;
    }
    if (!limits_->most.has_value() || (*limits_->most)[k].empty()) return free;
    const auto most = (*limits_->most)[k].find(device.minor);
    if (most == (*limits_->most)[k].end()) return std::nullopt;
    DeviceAmounts less;
    device.total.ForEach([&](R r, int64_t) {
      const bool named = free.has(r) && most->second.has(r);
      less.Set(r, named ? std::max<int64_t>(std::min(free.at(r), most->second.at(r)), 0) : 0);
    });
    return less;
  }

  // Finds the devices of a kind that may be taken, and what each has free.
  void Narrow(size_t k) {
    const DeviceAccount& book = machine_.books[k];
    bool any_free = limits_ == nullptr;
    candidates_[k].reserve(book.devices.size());
    free_[k].reserve(book.devices.size());
    for (size_t i = 0; i < book.devices.size(); ++i) {
      const Device& device = book.devices[i];
      bool candidate = Matches(request_.wishes[k], device);
      std::optional<DeviceAmounts> free = limits_ == nullptr ? book.Free(i) : FreeWithin(k, i);
      if (free.has_value()) any_free |= !free->IsZero();
      if (limits_ != nullptr && limits_->zones.has_value()) {
        const bool near = device.zone < 0 || (*limits_->zones >> device.zone & 1) != 0;
        candidate &= device.placed && near;
      }
      candidates_[k].push_back(candidate && free.has_value());
      free_[k].push_back(free.value_or(DeviceAmounts()));
    }
    // Without anything free the kind is not there at all.
    if (!any_free) candidates_[k].assign(book.devices.size(), false);
  }

  bool Measure(DeviceKind kind) {
    const DeviceAccount& book = machine_.book(kind);
    const DeviceWish& wish = request_.of(kind);
    Part& part = parts_[At(kind)];
    if (book.devices.empty()) return Refuse(DeviceReason::kNoDevices, kind);
    if (kind == DeviceKind::kGpu) {
      part.each = wish.each;
      part.count = wish.count;
      return true;
    }
    const R resource = kind == DeviceKind::kRdma ? R::kRdma : R::kFpga;
    const int64_t amount = wish.total.at(resource);
    part.each = wish.total;
    if (amount > 100) {
      part.count = amount / 100;
      part.each.Set(resource, amount / part.count);
    } else if (wish.strategy == DeviceStrategy::kAllMatching) {
      part.count = std::count_if(book.devices.begin(), book.devices.end(),
                                 [&](const Device& device) { return Matches(wish, device); });
      if (part.count == 0) return Refuse(DeviceReason::kNoDevices, kind);
    } else if (wish.strategy == DeviceStrategy::kAsCount) {
      part.count = amount;
      part.each.Set(resource, wish.whole_device ? 100 : 1);
    }
    return true;
  }

  Buses BusesOf(DeviceKind kind) const {
    Buses buses;
    for (const DeviceGrant& grant : answer_.grants[At(kind)]) {
      const Device* device = Find(kind, grant.minor);
      if (device->placed) buses.insert(device->bus);
    }
    return buses;
  }

  bool Joint() {
    if (!OneKind(joint_[0], parts_[At(joint_[0])].count, {})) return false;
    const Buses buses = BusesOf(joint_[0]);
    for (size_t i = 1; i < joint_.size(); ++i) {
      int64_t count = parts_[At(joint_[i])].count;
      if (request_.joint_same_bus) count = std::max(count, static_cast<int64_t>(buses.size()));
      if (!OneKind(joint_[i], count, buses)) return false;
    }
    if (!request_.joint_same_bus) return true;
    for (size_t i = 1; i < joint_.size(); ++i) {
      if (BusesOf(joint_[i]) != buses) return Refuse(DeviceReason::kOffTheBus, joint_[i]);
    }
    return true;
  }

  // Takes at least `count` devices, one for each of `near` if there are that many.
  bool OneKind(DeviceKind kind, int64_t count, const Buses& near) {
    const int64_t most = std::max(count, static_cast<int64_t>(near.size()));
    return kind == DeviceKind::kGpu ? Gpus(count, most) : OneByOne(kind, count, most, near);
  }

  bool Gpus(int64_t count, int64_t most) {
    const DeviceAccount& book = machine_.book(DeviceKind::kGpu);
    const size_t k = At(DeviceKind::kGpu);
    GpuView view{.book = book, .usable = 0, .used = 0, .free = free_[k]};
    for (size_t i = 0; i < book.devices.size(); ++i) {
      const Device& gpu = book.devices[i];
      bool used = !book.used[i].IsZero();
      if (limits_ != nullptr && candidates_[k][i]) {
        DeviceAmounts taken = gpu.total;
        taken.SubtractDownToZero(free_[k][i]);
        used = !taken.IsZero();
      }
      if (used) view.used |= uint64_t{1} << gpu.minor;
      if (!gpu.total.IsZero() && candidates_[k][i]) view.usable |= uint64_t{1} << gpu.minor;
    }
    bool by_template = false;
    if (request_.templates.has_value()) {
      const auto matching = request_.templates->find(machine_.model);
      if (matching == request_.templates->end() || matching->second.empty()) {
        return Refuse(DeviceReason::kNoTemplate, DeviceKind::kGpu);
      }
      by_template = matching->second.size() == 1;
    }
    return by_template ? ByTemplate(view, count, most) : ByPlace(view, count, most);
  }

  // Takes a share by the only template that fits, and names it.
  bool ByTemplate(const GpuView& view, int64_t count, int64_t most) {
    if (!NearEachOther(view, count, most)) return false;
    for (DeviceGrant& grant : answer_.grants[At(DeviceKind::kGpu)]) {
      grant.share_template = request_.templates->at(machine_.model).front();
    }
    return true;
  }

  bool Grant(const std::vector<int>& minors) {
    const DeviceAmounts& each = request_.of(DeviceKind::kGpu).each;
    for (int minor : minors) {
      answer_.grants[At(DeviceKind::kGpu)].push_back(
          {.minor = minor, .amounts = each, .function = {}});
    }
    return true;
  }

  bool ByPlace(const GpuView& view, int64_t count, int64_t most) {
    if (!request_.of(DeviceKind::kGpu).partial) {
      const GpuChoice choice = ChoosePartition(machine_.partitions, view, request_);
      if (choice.reason == DeviceReason::kNone) return Grant(choice.minors);
      if (request_.by_partition || machine_.honors_partitions) {
        return Refuse(choice.reason, DeviceKind::kGpu);
      }
    }
    return NearEachOther(view, count, most);
  }

  bool NearEachOther(const GpuView& view, int64_t count, int64_t most) {
    const GpuChoice choice = ChooseInTree(view, request_, scorer_);
    if (choice.reason == DeviceReason::kNone) return Grant(choice.minors);
    // Without a requested scope, a request that the tree cannot answer is decided one by one.
    const bool unknown =
        choice.reason == DeviceReason::kNoTopology || choice.reason == DeviceReason::kSharedGpus;
    if (request_.scope != GpuScope::kAny || !unknown)
      return Refuse(choice.reason, DeviceKind::kGpu);
    return OneByOne(DeviceKind::kGpu, count, most, {});
  }

  struct Ranked {
    bool preferred;
    int64_t score;
    int minor;
    size_t at;
    bool operator<(const Ranked& other) const {
      if (preferred != other.preferred) return preferred;
      return score != other.score ? score > other.score : minor < other.minor;
    }
  };

  // The first device on each of `near`, then the second on each, ..., then all others.
  std::vector<Ranked> InOrder(DeviceKind kind, const Buses& near) const {
    const DeviceAccount& book = machine_.book(kind);
    const DeviceAmounts& each = parts_[At(kind)].each;
    std::vector<Ranked> all;
    const uint64_t preferred = limits_ == nullptr ? 0 : limits_->preferred[At(kind)];
    for (size_t i = 0; i < book.devices.size(); ++i) {
      const Device& device = book.devices[i];
      if (!candidates_[At(kind)][i]) continue;
      const int64_t score =
          scorer_ == nullptr ? 0 : scorer_->Score(each, device.total, free_[At(kind)][i]);
      all.push_back({(preferred >> device.minor & 1) != 0, score, device.minor, i});
    }
    std::sort(all.begin(), all.end());
    if (near.empty() || preferred != 0) return all;
    std::map<std::string, size_t> seen;
    std::vector<std::pair<size_t, Ranked>> rounds;
    for (const Ranked& ranked : all) {
      const Device& device = book.devices[ranked.at];
      const bool is_near = device.placed && near.count(device.bus) > 0;
      rounds.emplace_back(is_near ? seen[device.bus]++ : book.devices.size(), ranked);
    }
    std::stable_sort(rounds.begin(), rounds.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < all.size(); ++i) all[i] = rounds[i].second;
    return all;
  }

  // Returns the smallest address that is free, or an empty string.
  std::string FreeFunction(DeviceKind kind, const Device& device) const {
    const DeviceAccount& book = machine_.book(kind);
    const std::set<std::string>* named = nullptr;
    if (limits_ != nullptr) {
      const auto of_device = limits_->functions.find({kind, device.minor});
      if (of_device != limits_->functions.end()) named = &of_device->second;
    }
    std::string best;
    for (const Device::VirtualGroup& group : device.virtual_groups) {
      if (!request_.of(kind).function_selector->Matches(group.labels)) continue;
      for (const std::string& function : group.functions) {
        if (book.used_functions.count({device.minor, function}) > 0) continue;
        if (named != nullptr && named->count(function) == 0) continue;
        if (best.empty() || function < best) best = function;
      }
    }
    return best;
  }

  bool OneByOne(DeviceKind kind, int64_t count, int64_t most, const Buses& near) {
    const DeviceAccount& book = machine_.book(kind);
    const DeviceAmounts& each = parts_[At(kind)].each;
    Grants grants;
    for (const Ranked& ranked : InOrder(kind, near)) {
      const uint64_t required = limits_ == nullptr ? 0 : limits_->required[At(kind)];
      if (required != 0 && (required >> ranked.minor & 1) == 0) continue;
      const DeviceAmounts& free = free_[At(kind)][ranked.at];
      if (free.IsZero() || !each.FitsIn(free)) continue;
      DeviceGrant grant{.minor = ranked.minor, .amounts = each, .function = {}};
      if (request_.of(kind).function_selector.has_value()) {
        grant.function = FreeFunction(kind, book.devices[ranked.at]);
        if (grant.function.empty()) continue;
      }
      grants.push_back(std::move(grant));
      if (static_cast<int64_t>(grants.size()) == most) break;
    }
    if (static_cast<int64_t>(grants.size()) < count) return Refuse(DeviceReason::kFewDevices, kind);
    answer_.grants[At(kind)] = std::move(grants);
    return true;
  }

  const MachineDevices& machine_;
  const DeviceClaim& request_;
  const DeviceScorer* const scorer_;
  const DeviceLimits* const limits_;
  std::array<std::vector<DeviceAmounts>, kDeviceKinds> free_;
  std::array<std::vector<bool>, kDeviceKinds> candidates_;
  std::vector<DeviceKind> joint_;
  std::array<Part, kDeviceKinds> parts_;
  DeviceAnswer answer_;
};

}  // namespace

void FillGpuMemory(const Device& gpu, DeviceAmounts* amounts) {
  const int64_t total = gpu.total.at(R::kMemory);
  if (amounts->has(R::kMemory) && amounts->has(R::kRatio)) return;
  if (!amounts->has(R::kMemory)) {
    amounts->Set(R::kMemory, amounts->at(R::kRatio) * total / 100);
  } else if (total > 0) {
    const double share =
        static_cast<double>(amounts->at(R::kMemory)) / static_cast<double>(total) * 100;
    amounts->Set(R::kRatio, static_cast<int64_t>(share));
  }
}

int64_t DeviceScorer::Score(const DeviceAmounts& request, const DeviceAmounts& total,
                            const DeviceAmounts& free) const {
  int64_t sum = 0, weight_sum = 0;
  weights.ForEach([&](R resource, int64_t weight) {
    const int64_t most = total.at(resource);
    if (most == 0) return;
    int64_t used = most;
    if (most >= free.at(resource)) used += request.at(resource) - free.at(resource);
    const int64_t score = prefer_full    ? std::min(used, most) * 100 / most
                          : used <= most ? (most - used) * 100 / most
                                         : 0;
    sum += score * weight;
    weight_sum += weight;
  });
  return weight_sum == 0 ? 0 : sum / weight_sum;
}

DeviceAnswer ChooseDevices(const MachineDevices& machine, const DeviceClaim& request,
                           const DeviceScorer* scorer, bool final, const DeviceLimits* limits) {
  Chooser chooser(machine, request, scorer, limits);
  if (chooser.Prepare(final)) chooser.Choose();
  return std::move(chooser).Answer();
}

int64_t ScoreMachine(const MachineDevices& machine, const DeviceClaim& request,
                     const DeviceScorer& scorer, const DeviceLimits* limits) {
  Chooser chooser(machine, request, &scorer, limits);
  return chooser.Prepare(/*final=*/false) ? chooser.Score() : 0;
}

std::optional<std::array<int64_t, kDeviceKinds>> DevicesNeeded(const MachineDevices& machine,
                                                               const DeviceClaim& request) {
  Chooser chooser(machine, request, nullptr, nullptr);
  if (!chooser.Prepare(/*final=*/false)) return std::nullopt;
  return chooser.Counts();
}

void Take(const DeviceGrants& grants, MachineDevices* machine) {
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    DeviceAccount& book = machine->books[k];
    for (const DeviceGrant& grant : grants[k]) {
      book.used[*book.Find(grant.minor)].Add(grant.amounts);
      if (!grant.function.empty()) book.used_functions.insert({grant.minor, grant.function});
    }
  }
}

void Release(const DeviceGrants& grants, MachineDevices* machine) {
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    DeviceAccount& book = machine->books[k];
    for (const DeviceGrant& grant : grants[k]) {
      book.used[*book.Find(grant.minor)].SubtractDownToZero(grant.amounts);
      book.used_functions.erase({grant.minor, grant.function});
    }
  }
}

}  // namespace muster
