// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Tasks that hold a node and are not bound yet (reservations of a plan), by waiting group.
//
//   held.Add({row, place}, reservation.waiting_group);
//   for (const HeldPlaces::Place& task : held.TakeWhole(lacks)) Begin(task.row, task.place);
//
// A group is whole once no job with a task in it lacks tasks that hold a node. Tasks without a
// group wait for their own job alone.
// Cost. O(log tasks) to add and take one; TakeWhole is O(held tasks).
#ifndef MUSTER_REPLAY_HELD_PLACES_H_
#define MUSTER_REPLAY_HELD_PLACES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "lib/base/hash_map.h"
#include "muster/types.h"

namespace muster {

class HeldPlaces {
 public:
  struct Place {
    uint32_t row, place;  // of the trace; among the tasks of its job
    friend bool operator<(const Place& a, const Place& b) {
      return std::tie(a.row, a.place) < std::tie(b.row, b.place);
    }
  };

  void Add(Place task, std::string_view group) {
    group_of_[task] = {std::string(group), group.empty() ? task.row : uint32_t{kNone}};
    ++held_of_[task.row];
  }
  // Returns whether the task held a place that it was not bound to; it no longer does.
  bool Take(Place task) {
    if (group_of_.erase(task) == 0) return false;
    if (--held_of_[task.row] == 0) held_of_.erase(task.row);
    return true;
  }
  // How many tasks of the job hold a node and are not bound.
  int64_t held(uint32_t row) const {
    const auto found = held_of_.find(row);
    return found == held_of_.end() ? 0 : found->second;
  }
  // Takes the tasks of all whole groups, in ascending order. `lacks(row)`: the job needs more tasks
  // that hold a node.
  template <class Lacks>
  std::vector<Place> TakeWhole(const Lacks& lacks) {
    absl::btree_map<Group, bool> whole;
    for (const auto& [task, group] : group_of_) {
      bool& is_whole = whole.try_emplace(group, true).first->second;
      is_whole = is_whole && !lacks(task.row);
    }
    std::vector<Place> tasks;
    for (const auto& [task, group] : group_of_) {
      if (whole[group]) tasks.push_back(task);
    }
    for (const Place& task : tasks) Take(task);
    return tasks;
  }

 private:
  using Group = std::pair<std::string, uint32_t>;  // a name, or a job without one

  absl::btree_map<Place, Group> group_of_;
  HashMap<uint32_t, int64_t> held_of_;  // by job
};

}  // namespace muster

#endif  // MUSTER_REPLAY_HELD_PLACES_H_
