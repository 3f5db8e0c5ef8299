// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What is left on nodes while a plan is applied to a cluster that has changed since.
//
//   Room room(editor);
//   std::string refusal = room.Take(task, node, holds);   // empty: it has its place
//   room.BackTo(0);                                       // as if nothing had been taken
#ifndef MUSTER_MODEL_APPLY_ROOM_H_
#define MUSTER_MODEL_APPLY_ROOM_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "lib/base/hash_map.h"
#include "lib/model/device_holds.h"
#include "lib/model/editor.h"

namespace muster {

// What is left on nodes, less the binds that were let through.
class Room {
 public:
  explicit Room(const Editor& editor) : editor_(editor) {}

  // Returns why the node cannot take the task with these holds beside what is held and was let
  // through; empty: it takes it.
  std::string Take(TaskIndex task, NodeIndex node, const std::vector<DeviceHold>& holds) {
    if (!Fits(task, node)) return "node has no room left";
    std::vector<DeviceHold> all = taken_[node];
    if (!TakeDevices(task, node, holds, &all)) return "its devices are no longer free";
    log_.push_back({task, node, std::exchange(taken_[node], std::move(all))});
    AddRequest(task, node, 1);
    return "";
  }

  // Gives back what was let through since there were `mark` entries.
  size_t mark() const { return log_.size(); }
  void BackTo(size_t mark) {
    for (; log_.size() > mark; log_.pop_back()) {
      AddRequest(log_.back().task, log_.back().node, -1);
      taken_[log_.back().node] = std::move(log_.back().devices);
    }
  }

 private:
  struct Taken {
    TaskIndex task;
    NodeIndex node;
    std::vector<DeviceHold> devices;  // of the node, before
  };

  bool Fits(TaskIndex task, NodeIndex node) {
    const Tables& t = editor_.tables();
    const std::vector<absl::int128>& held = Held(node);
    const auto request = t.classes.request.row(t.tasks.task_class[task]);
    const auto allocatable = t.nodes.allocatable.row(node);
    for (size_t d = 0; d < request.size(); ++d) {
      if (request[d] == 0 || (d == kPods && allocatable[d] == kAbsent)) continue;
      if (held[d] + request[d] > OrZero(allocatable[d])) return false;
    }
    return true;
  }

  void AddRequest(TaskIndex task, NodeIndex node, int sign) {
    const Tables& t = editor_.tables();
    std::vector<absl::int128>& held = Held(node);
    const auto request = t.classes.request.row(t.tasks.task_class[task]);
    for (size_t d = 0; d < request.size(); ++d) held[d] += sign * absl::int128(request[d]);
  }

  // Adds the holds to `all` that the node's devices bear beside what is held. Returns whether they
  // bear the sum.
  bool TakeDevices(TaskIndex task, NodeIndex node, const std::vector<DeviceHold>& holds,
                   std::vector<DeviceHold>* all) const {
    const NodeSpec& spec = editor_.tables().nodes.spec[node];
    for (const DeviceHold& hold : holds) {
      if (!HoldProblem(spec, hold).empty() || !FindDevice(spec, hold.device)->healthy) return false;
      const auto there = std::ranges::find(*all, hold.device, &DeviceHold::device);
      if (there == all->end()) {
        all->push_back(hold);
      } else {
        there->milli += hold.milli;
        there->memory = Quantity(MemoryOf(there->memory) + MemoryOf(hold.memory));
      }
    }
    return holds.empty() || OverheldProblem(editor_, node, *all, task).empty();
  }

  // Sums are wider than a quantity: an overfull node may hold more than any int64.
  std::vector<absl::int128>& Held(NodeIndex node) {
    const auto [found, is_new] = held_.try_emplace(node);
    if (is_new) {
      const Tables& t = editor_.tables();
      found->second.resize(t.dimension_count());
      for (TaskIndex task : editor_.TasksOn(node)) {
        if (t.tasks.status[task] == TaskStatus::kNominated) continue;
        const auto request = t.classes.request.row(t.tasks.task_class[task]);
        for (size_t d = 0; d < request.size(); ++d) found->second[d] += request[d];
      }
    }
    return found->second;
  }

  const Editor& editor_;
  HashMap<NodeIndex, std::vector<absl::int128>> held_;
  HashMap<NodeIndex, std::vector<DeviceHold>> taken_;
  std::vector<Taken> log_;
};

}  // namespace muster

#endif  // MUSTER_MODEL_APPLY_ROOM_H_
