// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How long a task runs, and what it loses when it is evicted.
//
//   job.lifetime = muster::Lifetime{.max_runtime = 3600, .restart_cost = 120};
//   task.lifetime = muster::Lifetime{.expected_end = 5000, .checkpointed = 4400};
//
// Of a job: for each of its tasks that has no lifetime of its own.
#ifndef MUSTER_LIFETIME_H_
#define MUSTER_LIFETIME_H_

#include <cstdint>
#include <optional>

namespace muster {

struct Lifetime {
  std::optional<int64_t> max_runtime = {};   // seconds, 0 or more; it is then ended
  std::optional<int64_t> expected_end = {};  // when
  std::optional<int64_t> checkpointed = {};  // when it last saved its work; absent: never
  std::optional<int64_t> restart_cost = {};  // seconds lost by a restart besides, 0 or more
  friend bool operator==(const Lifetime&, const Lifetime&) = default;
};

}  // namespace muster

#endif  // MUSTER_LIFETIME_H_
