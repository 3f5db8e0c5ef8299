// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Jobs by count: tasks that are numbers until they are placed, and what a job was admitted with.
//
//   muster::JobSpec job{.name = "sweep", .queue = "research"};
//   job.groups = {{.name = "w", .shape = {.request = {{"cpu", 1}}},
//                  .by_count = muster::ByCount{.count = 10'000, .parallelism = 500}}};
//   cluster.AddJob(job);                 // no rows of tasks
//   cluster.MakeTasks("sweep", "w", 3);  // sweep-w-0 to -2 are rows now, and count is 9,997
//
// A profile that places rows only refuses a cycle on a cluster with such jobs, and names one: it
// would otherwise take the job for empty. Profiles() says which profiles count.
#ifndef MUSTER_JOB_COUNTS_H_
#define MUSTER_JOB_COUNTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster {

// Tasks of a group that are no rows, of the group's shape. All numbers are 0 or more.
struct ByCount {
  int64_t count = 0;                        // 1 or more
  std::optional<int64_t> min_count = {};    // fewest it may be admitted with; absent: all
  std::optional<int64_t> parallelism = {};  // most that run at a time; absent: all
  int64_t admitted = 0;                     // of count
  int64_t running = 0;                      // of those admitted
  int64_t succeeded = 0, failed = 0;        // have ended; no part of count
  friend bool operator==(const ByCount&, const ByCount&) = default;
};

// What a group was admitted with.
struct GroupAdmission {
  std::string group = {};
  int64_t count = 0;
  std::vector<std::pair<std::string, std::string>> flavors = {};  // resource -> flavor
  friend bool operator==(const GroupAdmission&, const GroupAdmission&) = default;
};

// An admission that holds quota. Groups are those of the job, each once.
struct JobAdmission {
  std::string queue = {};  // that the quota is of; empty: the job's
  int64_t time = 0;        // when
  std::vector<GroupAdmission> groups = {};
  friend bool operator==(const JobAdmission&, const JobAdmission&) = default;
};

}  // namespace muster

#endif  // MUSTER_JOB_COUNTS_H_
