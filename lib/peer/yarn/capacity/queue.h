// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Queues and applications as the capacity scheduler keeps them.
#ifndef MUSTER_PEER_YARN_CAPACITY_QUEUE_H_
#define MUSTER_PEER_YARN_CAPACITY_QUEUE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/peer/yarn/capacity/config.h"
#include "lib/peer/yarn/capacity/users.h"
#include "lib/peer/yarn/containers.h"
#include "lib/peer/yarn/requests.h"

namespace muster::yarn {

using QueueIndex = uint32_t;

// Of a queue, `used` includes reservations; of an application it does not.
struct Usage {
  Resource used, reserved, pending, masters;
};

// What a queue may hold of one partition.
struct Capacity {
  float capacity = 0, absolute = 0, max = 0, absolute_max = 0;  // fractions
  float weight = -1, normalized_weight = 0;
  Resource guaranteed, most;               // effective minimum and maximum
  float min_ratio[kResources] = {-1, -1};  // of children's absolute minima; -1: not scaled
  float used = 0, absolute_used = 0;       // fractions
  std::optional<Resource> master_limit;    // as last computed
};

struct Queue {
  QueueSettings settings;
  QueueIndex parent = kNone;
  std::vector<QueueIndex> children;
  std::vector<Usage> usage;        // by partition
  std::vector<Capacity> capacity;  // by partition
  int64_t runnable = 0;            // applications below it

  bool is_leaf() const { return children.empty(); }
};

// What walks over a leaf's applications found out about users, until the version of users changes.
class UserMemory {
 public:
  struct Entry {
    bool is_set = false, may_assign = true;
    Resource limit;
    Resource reserved;  // by the application that was refused
  };
  Entry* Find(UserIndex user) {
    return user < entries_.size() && entries_[user].is_set ? &entries_[user] : nullptr;
  }
  Entry* Add(UserIndex user, const Resource& limit) {
    if (user >= entries_.size()) entries_.resize(user + 1);
    entries_[user] = {.is_set = true, .limit = limit};
    return &entries_[user];
  }
  void Clear() { entries_.clear(); }

 private:
  std::vector<Entry> entries_;
};

// The part of a queue that only leaves have.
struct Leaf {
  explicit Leaf(size_t partitions) : users(partitions), memory_(2 * partitions) {}

  Users users;
  int64_t max_applications = 0, max_applications_per_user = 0;
  Resource current_limit;                 // of the default partition, at the last visit
  Resource headroom_limit;                // the same, at the last look at an application
  std::vector<AppIndex> pending, active;  // in order
  std::vector<AppIndex> waiting;          // not runnable, in order of arrival
  std::vector<AppIndex> dirty;            // with old keys in the fair order

  UserMemory& MemoryOf(Partition partition, Exclusivity mode) {
    if (memory_version_ != users.version()) {
      memory_version_ = users.version();
      for (UserMemory& memory : memory_) memory.Clear();
    }
    return memory_[2 * partition + static_cast<size_t>(mode)];
  }

 private:
  std::vector<UserMemory> memory_;
  int64_t memory_version_ = -1;
};

enum class AppState : uint8_t { kWaiting, kPending, kActive, kEnded };

struct App {
  uint32_t id = 0;
  QueueIndex queue = kNone;
  UserIndex user = kNone;
  int32_t priority = 0;
  int64_t started = 0;
  Resource master;  // its size
  Partition master_partition = kDefaultPartition;
  bool waits_for_master = false;
  AppState state = AppState::kWaiting;
  bool is_wanting = false;  // counted among the active applications of its user
  bool is_dirty = false;
  bool has_headroom = false;  // a leaf looked at it once
  int64_t generation = 0;     // of its user then
  Requests requests;
  std::vector<Usage> usage;                    // by partition
  std::vector<Partition> asked_partitions;     // ever
  int64_t cached_used = 0, cached_demand = 0;  // memory, as the fair order knows it
  std::vector<ContainerIndex> live, reserved;  // reserved: by node name
  uint32_t made = 0;                           // containers so far
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_CAPACITY_QUEUE_H_
