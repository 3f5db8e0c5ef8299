// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Users: the owner of a job, and what users of a queue may hold.
//
//   muster::JobSpec job;
//   job.owner = muster::JobOwner{.user = "ann", .groups = {"vision"}};
//   muster::QueueSpec queue;
//   queue.users = muster::UserRules{.limits = {{.name = "ann", .limit = {{{"cpu", 100}}}},
//                                              {.name = "*", .max_jobs = 5}}};
//
// Promise. Users and groups of users are names, and no rows: a limit may name a user before the
// first job of that user arrives. A job without an owner has no user.
// Failure. Rows are refused with InvalidArgument for an empty name, a group listed twice, two
// limits of one user or of one group, and negative or unreadable numbers.
// Ownership, threads. Plain values.
// Cost. A job without an owner and a queue without such rules have a null pointer.
#ifndef MUSTER_OWNER_H_
#define MUSTER_OWNER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/shape.h"

namespace muster {

// The user that a job belongs to.
struct JobOwner {
  // The name of the user. Required: not empty.
  std::string user = {};
  // The groups that the user is in, the most important first, each once. Default: none.
  std::vector<std::string> groups = {};
  friend bool operator==(const JobOwner&, const JobOwner&) = default;
};

// What one user, or one group of users, may hold in the queue. The name "*" stands for each user,
// or all groups together, that no other limit of the list names.
struct UserLimit {
  // The name of the user or group. Required: not empty. A user and a group may have one name.
  std::string name = {};
  // True: `name` is a group of users. Default: false, a user.
  bool group = false;
  // The most that may be held in the queue, by resource. A resource that the list does not name has
  // no limit. Absent: no limits.
  std::optional<Resources> limit = {};
  // The most jobs that may run in the queue: 0 or more. Absent: no limit.
  std::optional<int64_t> max_jobs = {};
  // The weight against other users of the queue: 0 or more. Default: 1.
  Quantity weight = 1;
  friend bool operator==(const UserLimit&, const UserLimit&) = default;
};

// What users of one queue may hold.
struct UserRules {
  // Limits of users and groups, each named once. Default: none.
  std::vector<UserLimit> limits = {};
  // `least_percent` is the least part of the queue that each active user gets, in percent; absent:
  // 100. `factor` is how many times the queue's capacity one user may use; absent: 1. Both are 0 or
  // more, and may have a fraction.
  std::optional<Quantity> least_percent = {}, factor = {};
  friend bool operator==(const UserRules&, const UserRules&) = default;
};

}  // namespace muster

#endif  // MUSTER_OWNER_H_
