// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a scheduler of pods distinguishes about a group of pods.
//
//   muster::JobSpec job{.name = "train", .min_available = 4};
//   job.pod_group = muster::PodGroupTraits{.evicted_whole = true};
//
// Promise. The fields are data: a profile that does not read them decides as without them. Profile
// kube-scheduler reads them.
// Failure. None: every value is valid.
// Ownership, threads. Plain values.
// Cost. A job without these traits has a null pointer.
#ifndef MUSTER_POD_GROUP_H_
#define MUSTER_POD_GROUP_H_

namespace muster {

// Traits of a job that is a group of pods.
struct PodGroupTraits {
  // True: a task that gets room by preemption evicts all tasks of the job or none. Default: false,
  // tasks are evicted one by one.
  bool evicted_whole = false;
  // Returns true if all fields are equal.
  friend bool operator==(const PodGroupTraits&, const PodGroupTraits&) = default;
};

}  // namespace muster

#endif  // MUSTER_POD_GROUP_H_
