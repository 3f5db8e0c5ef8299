// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Places that an admission assigns to tasks of a group: domains of the topology of their flavor.
//
//   // Levels "block" and "rack": three tasks in rack r7 of block b1.
//   muster::AssignedPlace place{.values = {"b1", "r7"}, .count = 3};
//
// Promise. Values are those of FlavorTopology::levels (flavor.h), the widest first. Where the
// lowest level is kubernetes.io/hostname, a place is a host, and its hostname is the only value. A
// place may have gone since: it then counts for nothing.
// Failure. A job is refused with InvalidArgument if a place of its admission has no value, or no
// task.
// Ownership, threads. Plain values.
// Cost. What the texts take.
#ifndef MUSTER_ASSIGNED_PLACE_H_
#define MUSTER_ASSIGNED_PLACE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace muster {

// Tasks of a group in one domain.
struct AssignedPlace {
  // What names the domain: 1 to 16 values of labels. Required.
  std::vector<std::string> values = {};
  // The number of tasks: 1 to 2,147,483,647. Required.
  int64_t count = 0;
  friend bool operator==(const AssignedPlace&, const AssignedPlace&) = default;
};

}  // namespace muster

#endif  // MUSTER_ASSIGNED_PLACE_H_
