// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Users: who a job belongs to, and what users of a queue may hold.
//
//   job.owner = muster::JobOwner{.user = "ann", .groups = {"vision"}};
//   queue.users = muster::UserRules{.limits = {{.name = "ann", .limit = {{{"cpu", 100}}}},
//                                              {.name = "*", .max_jobs = 5}}};
#ifndef MUSTER_OWNER_H_
#define MUSTER_OWNER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/shape.h"

namespace muster {

struct JobOwner {
  std::string user = {};                 // not empty
  std::vector<std::string> groups = {};  // of users, the first one first
  friend bool operator==(const JobOwner&, const JobOwner&) = default;
};

// "*" stands for each user, or all groups together, that no other limit of the list names.
struct UserLimit {
  std::string name = {};  // not empty; a user and a group may have one name
  bool group = false;     // of users
  std::optional<Resources> limit = {};
  std::optional<int64_t> max_jobs = {};
  Quantity weight = 1;  // against other users of the queue
  friend bool operator==(const UserLimit&, const UserLimit&) = default;
};

struct UserRules {
  std::vector<UserLimit> limits = {};
  // The least part of the queue that each active user gets, in percent, and how many times the
  // queue's capacity one user may use; absent: 100 and 1.
  std::optional<Quantity> least_percent = {}, factor = {};
  friend bool operator==(const UserRules&, const UserRules&) = default;
};

}  // namespace muster

#endif  // MUSTER_OWNER_H_
