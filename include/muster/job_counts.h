// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Jobs by count: tasks that are numbers until they are placed, and what a job was admitted with.
//
//   muster::Cluster cluster;
//   cluster.AddQueue({.name = "research"});
//   muster::JobSpec job{.name = "sweep", .queue = "research"};
//   job.groups = {{.name = "w", .shape = {.request = {{"cpu", 1}}},
//                  .by_count = muster::ByCount{.count = 10'000, .parallelism = 500}}};
//   cluster.AddJob(job);                 // no rows of tasks
//   cluster.MakeTasks("sweep", "w", 3);  // sweep-w-0 to -2 are rows now, and count is 9,997
//
// Promise. Tasks by count take no rows, and are equal to each other. MakeTasks turns some of them
// into rows; those that remain stay numbers.
// Failure. AddJob and UpdateJob fail with InvalidArgument for numbers outside the ranges below, and
// for an admission of a group that the job does not have. A profile that places rows only refuses a
// cycle on a cluster with such jobs, and names one: it would otherwise take the job for empty.
// Profiles() lists which profiles count.
// Ownership, threads. Plain values.
// Cost. O(1) for a group, whatever its count. A job without such groups has a null pointer.
#ifndef MUSTER_JOB_COUNTS_H_
#define MUSTER_JOB_COUNTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/assigned_place.h"

namespace muster {

// Tasks of a group that are no rows, of the group's shape. GroupSpec::count is 0 beside it.
struct ByCount {
  // The number of tasks that have not ended. Required: 1 or more.
  int64_t count = 0;
  // The fewest tasks that the group may be admitted with: 0 to `count`. Absent: all.
  std::optional<int64_t> min_count = {};
  // The most tasks that run at a time: 1 or more. Absent: all.
  std::optional<int64_t> parallelism = {};
  // How many of `count` are admitted: 0 to `count`.
  int64_t admitted = 0;
  // How many of those admitted run: 0 to `admitted`.
  int64_t running = 0;
  // How many have ended; no part of `count`. 0 or more.
  int64_t succeeded = 0, failed = 0;
  friend bool operator==(const ByCount&, const ByCount&) = default;
};

// What a group was admitted with.
struct GroupAdmission {
  // The name of a group of the job. Empty: the job's unnamed group.
  std::string group = {};
  // The number of admitted tasks: 0 or more.
  int64_t count = 0;
  // Pairs of a resource and the flavor (flavor.h) that its quota is taken from. Each resource is
  // named once. Empty: no flavor is assigned.
  std::vector<std::pair<std::string, std::string>> flavors = {};
  // Where its tasks are to run, in the topology of their flavor. Each place is listed once. Empty:
  // no places are assigned.
  std::vector<AssignedPlace> places = {};
  friend bool operator==(const GroupAdmission&, const GroupAdmission&) = default;
};

// An admission that holds quota. Groups are those of the job, each once.
struct JobAdmission {
  // The queue that the quota is taken from. Empty: the job's queue.
  std::string queue = {};
  // The time of the admission, in seconds on the caller's clock. Default: 0.
  int64_t time = 0;
  // What each group got.
  std::vector<GroupAdmission> groups = {};
  friend bool operator==(const JobAdmission&, const JobAdmission&) = default;
};

}  // namespace muster

#endif  // MUSTER_JOB_COUNTS_H_
