// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Settings of the capacity scheduler and of its queues.
//
// Queues are listed parents first; siblings in the order in which ties are broken. Numbers that the
// peer reads as 32-bit floats are floats here. Partition 0 is the default one; it exists always.
#ifndef MUSTER_PEER_YARN_CAPACITY_CONFIG_H_
#define MUSTER_PEER_YARN_CAPACITY_CONFIG_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/yarn/resource.h"

namespace muster::yarn {

enum class CapacityMode : uint8_t { kPercent, kWeight, kAbsolute };

struct PartitionSettings {
  bool is_accessible = false;
  CapacityMode mode = CapacityMode::kPercent;
  float capacity = 0;  // of the parent's, 0..1; or the weight
  Resource amount;     // absolute mode
  float max_capacity = 1;
  Resource max_amount;  // absolute mode; zero: the parent's
  float master_percent = 0.1F;
};

struct QueueSettings {
  std::string path;  // "root", "root.a", ...
  int32_t priority = 0;
  bool respects_priority = false;  // the order of a parent's children
  bool is_fair = false;            // the order of a leaf's applications
  bool size_based_weight = false;
  float user_limit_percent = 100, user_limit_factor = 1;  // factor -1: none
  int64_t max_applications = -1;                          // -1: from the system's
  int64_t max_parallel = std::numeric_limits<int32_t>::max();
  std::optional<bool> disable_preemption, disable_intra_preemption;  // none: as the parent's
  std::vector<std::pair<std::string, float>> user_weights;
  std::vector<PartitionSettings> partitions;
};

struct CapacitySettings {
  Calculator calculator = Calculator::kMemory;
  Resource min_allocation{1024, 1}, max_allocation{8192, 4};
  int64_t node_locality_delay = 40, rack_locality_delay = -1;
  bool rack_locality_full_reset = true;
  bool multiple_assignments = true;
  int64_t max_assignments = 100, max_off_switch = 1;  // of one heartbeat; -1: no limit
  bool continue_looking = true;
  int64_t max_applications = 10000;
  // Of one user at once, in all queues; "*": of each user that is not listed. None: no limit.
  HashMap<std::string, int64_t> max_parallel_of_users;
  std::vector<bool> exclusive_partitions{true};  // one for each partition
  std::vector<QueueSettings> queues;
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_CAPACITY_CONFIG_H_
