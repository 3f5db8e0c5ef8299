// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Coscheduling within the cycles of the profile: jobs are groups, tasks their pods.
//
//   Gangs gangs(settings);
//   gangs.Open(&world, &memory, now);
//   kube::Status status = gangs.PreFilter(task);
//   kube::Permission permission = gangs.Permit(task);
//   gangs.Store(&memory);
//
// The rules are those of coscheduling.h, with times in ticks of the caller's clock. A job is a
// group with JobSpec::min_available as its least number, JobSpec::min_resources as its least
// amounts, and setting "scheduler-plugins/timeout" as the seconds that its pods wait at most. A pod
// without a job has no group, unless the label scheduling.x-k8s.io/pod-group names one: then the
// group is missing. A pod counts for its group while it holds a node, and after its end. What is
// remembered of groups is slot plugin-groups; of pods, when they came, and those that were rejected
// while they waited and have not left yet, slot plugin-pods.
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_GANGS_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_GANGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/peer/kube_scheduler/extra_plugins.h"
#include "lib/peer/scheduler_plugins/coscheduling.h"
#include "lib/peer/scheduler_plugins/plugin_settings.h"

namespace muster::scheduler_plugins {

// Refuses jobs of one pod group: "a/x", and "x" of which the pods are in namespace a. The timeouts
// of all jobs are checked, too.
absl::Status CheckGroups(const Tables& tables);

class Gangs {
 public:
  explicit Gangs(const PluginSettings& settings);

  void Open(kube::World* world, MemorySlots* memory, int64_t now);
  void Store(MemorySlots* memory) const;

  kube::QueueRank RankOf(TaskIndex t);
  // Returns the pods that were ranked otherwise before, once.
  std::vector<TaskIndex> Reranked();
  static bool Wakes(const kube::Happening& happening);
  kube::Status PreFilter(TaskIndex t);
  kube::Permission Permit(TaskIndex t);
  kube::Rejection Unreserve(TaskIndex t);
  kube::Rejection NothingFits(TaskIndex t);

  // Returns when the pod came, which it keeps until it is bound.
  int64_t CameAt(TaskIndex t);

 private:
  GroupPod PodOf(TaskIndex t) const;
  void OpenGroup(JobIndex job);
  std::vector<RoomNode> Rooms() const;
  std::string GapText(const GroupPod& pod, TaskIndex t) const;
  std::vector<TaskIndex> TasksOf(const std::vector<std::string>& names) const;
  void RankAgain(TaskIndex t);

  const CoschedulingOptions options_;
  const int64_t ticks_;
  PodGroups groups_;
  kube::World* world_ = nullptr;
  const Tables* tables_ = nullptr;
  int64_t now_ = 0;
  std::vector<std::string> name_space_of_, group_of_;  // by job
  HashMap<std::string, int64_t> came_, rejected_;      // by pod
  std::vector<TaskIndex> reranked_;
};

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_GANGS_H_
