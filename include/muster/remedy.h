// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Why a job waits, in numbers, and what would help: each remedy was tried before it is returned.
//
//   absl::StatusOr<muster::Diagnosis> answer = muster::Diagnose(cluster, "volcano", "nlp/train");
//   if (!answer.ok()) return Report(answer.status());  // no such job, or profile
//   for (const std::string& fact : answer->facts) std::cout << fact << "\n";
//   for (const muster::Remedy& remedy : answer->remedies) std::cout << remedy.words << "\n";
//
// Promise. A remedy is a list of changes and a spec string. With the changes made in a clone of the
// cluster, the plan of that profile starts all tasks of the job that wait: of a smaller gang at
// least one, and so of a job that may be admitted in part (ByCount::min_count) where nothing was
// found that starts all of it. This was tried by a cycle, so queues, other jobs and evictions are
// part of it. Equal arguments give equal answers. The cluster does not change.
// The name may be a task's. That of a task of a job stands for the job; a task without a job counts
// as a job of one, without a queue.
// Remedies are proposals: no list of them is complete, and the numbers in them are the smallest
// that the search found, not a proven minimum.
// Failure. NotFound for a name that is no job and no task; a profile that does not resolve fails as
// in Schedule; InvalidArgument for options out of range. A job that does not wait has no remedies,
// which is no failure.
// Ownership. Arguments are read during the call; the answer holds copies.
// Threads. As Cluster::Schedule: one thread at a time on one cluster. With
// RemedyOptions::executor, trials run at once on its threads.
// Cost. Each trial clones the cluster, O(rows), and runs a cycle. RemedyOptions::trials bounds the
// number of trials; each remedy costs one more.
#ifndef MUSTER_REMEDY_H_
#define MUSTER_REMEDY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/cluster.h"
#include "muster/executor.h"
#include "muster/export.h"
#include "muster/schedule.h"
#include "muster/what_if.h"

namespace muster {

// What a remedy changes.
enum class RemedyKind : uint8_t {
  // Nodes like one of the cluster join.
  kMoreNodes,
  // A limit of the queue, or of queues above it, is raised.
  kQueueLimit,
  // What the queue is guaranteed, or deserves, or its weight, is raised.
  kQueueShare,
  // The job goes to another queue.
  kAnotherQueue,
  // Its tasks tolerate a taint.
  kToleration,
  // A node takes tasks again.
  kUncordon,
  // The gang needs fewer tasks.
  kSmallerGang,
  // Each task requests less.
  kSmallerRequest,
  // The profile evicts others for it.
  kEvictions,
  // The job gets a higher priority.
  kPriority,
  // Jobs with known ends are over.
  kWait,
  // What the queue, or a queue above it, may spend is raised.
  kSpendingLimit,
  // A closed queue takes new tasks again.
  kOpenQueue,
  // The queue's own quota of a flavor, or what it may borrow, is raised.
  kQuota,
  // Its tasks require a label of their node no more, or another value of it.
  kSelector,
  // A node gets a label that its tasks require.
  kNodeLabel,
  // A scheduling gate of its tasks is taken off.
  kGate,
};

// One way to start the job. Where nothing alone starts the job as it is without more evictions, the
// limits of the job's queues are raised, too: `words` and `changes` of such a remedy begin with
// that, and `kind` is what is changed besides.
struct Remedy {
  RemedyKind kind;
  // In words: `add 2 nodes like "gpu3"`.
  std::string words = {};
  // The changes, for Rehearse and MakeChanges.
  std::vector<WhatIfChange> changes = {};
  // The spec string to schedule with: that of the question, unless `kind` is kEvictions.
  std::string profile = {};
  // How many tasks of the job start with it; under a profile that places no tasks: are admitted.
  int64_t starts = 0;
  // How many more tasks are evicted than without it. Below 0: fewer.
  int64_t evictions = 0;
  // How many more tasks of other jobs start than without it. Below 0: it is at their cost.
  int64_t others = 0;
};

// The answer.
struct Diagnosis {
  // How many tasks of the job wait in the plan of the cluster as it is. 0: nothing to remedy.
  int64_t waiting = 0;
  // What Plan::Explain says about the job.
  std::string reason = {};
  // The numbers behind it, a line each: `queue nlp: 24 of 24 nvidia.com/gpu held, ...`.
  std::vector<std::string> facts = {};
  // What helps: nodes, queues, taints, labels, gates, sizes, evictions and ends, in this order.
  // Empty, though the job waits: no trial helped.
  std::vector<Remedy> remedies = {};
  // How many trials were made.
  int64_t trials = 0;
};

struct RemedyOptions {
  // Of each cycle.
  ScheduleOptions schedule = {};
  // The most trials, 1 or more. What is not tried for want of trials is not in the answer.
  int64_t trials = 200;
  // Where trials run at once (executor.h). The answer does not depend on it. Default: null, one
  // after another. It is not used with `schedule.extensions` or `schedule.metrics`, which are of
  // one thread. ScheduleOptions::should_stop is then called on several threads at once.
  Executor* executor = nullptr;
};

// Returns why the job waits and what would start it.
MUSTER_EXPORT absl::StatusOr<Diagnosis> Diagnose(const Cluster& cluster, std::string_view profile,
                                                 std::string_view name,
                                                 const RemedyOptions& options = {});

}  // namespace muster

#endif  // MUSTER_REMEDY_H_
