// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A cycle as JSON, for the memory slot kube-trace: what was examined, scored, tried and decided.
//
//   trace = TraceOf(world, cycle, ...);
//   memory.Remember("kube-trace").Set("cycle", {trace});
#ifndef MUSTER_PEER_KUBE_SCHEDULER_TRACE_H_
#define MUSTER_PEER_KUBE_SCHEDULER_TRACE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/kube_scheduler/pod_cycle.h"
#include "lib/peer/kube_scheduler/preemption.h"

namespace muster::kube {

// The outcome of one pod's attempt, as far as it is known.
struct AttemptTrace {
  const PodCycle* cycle = nullptr;
  const Preemption* preemption = nullptr;  // null: not tried
  uint64_t start = 0;
  int64_t attempt = 0;
  NodeIndex hint = kNone;  // of batching
  NodeIndex node = kNone;  // chosen
  bool failed = false;
  std::string message;
  bool nominates = false;  // the nomination is set to `nominated`
  NodeIndex nominated = kNone;
  std::vector<TaskIndex> deleted;
  std::vector<std::pair<TaskIndex, NodeIndex>> nominations;  // that change, in order
};

std::string TraceOf(const World& world, const AttemptTrace& attempt);

// A member of a group that did not get a place.
struct MemberTrace {
  TaskIndex task = kNone;
  std::string message;
  PluginSet rejectors;
  bool nominates = false;
  NodeIndex nominated = kNone;
};
// The cycle of a pod group. `attempts`: each as AttemptOf returned it.
struct GroupTrace {
  std::string group;
  uint64_t start = 0;
  std::vector<std::string> attempts;
  std::vector<TaskIndex> members, deleted;
  std::vector<std::pair<TaskIndex, NodeIndex>> bound, nominations;
  std::vector<MemberTrace> failed;
  std::string status, reason, message;  // the group's condition
};
std::string AttemptOf(const World& world, const PodCycle& cycle, NodeIndex node);
std::string TraceOf(const World& world, const GroupTrace& group);

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_TRACE_H_
