// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which events may make a pod schedulable that some plug-ins have rejected: the queueing hints.
//
//   Happening happening{.kind = Happened::kPodDeleted, .old_pod = &shape};
//   if (Wakes(classes, task, rejectors, happening)) ... // the pod is tried again
//
// A plug-in that did not reject the pod is not asked. Cost. O(terms) a pod.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_WAKE_H_
#define MUSTER_PEER_KUBE_SCHEDULER_WAKE_H_

#include <cstdint>

#include "lib/peer/kube_scheduler/memos.h"
#include "lib/peer/kube_scheduler/pod_classes.h"
#include "lib/peer/kube_scheduler/settings.h"

namespace muster::kube {

enum class Happened : uint8_t {
  // Pods on nodes, or with a nominated node that they lose.
  kPodAssigned,
  kPodRelabelled,
  kPodDeleted,
  kNodeAdded,
  kNodeAllocatable,
  kNodeLabels,
  kNodeTaints,
  kNodeDeleted,
  // The pod itself, while it waits.
  kOwnLabels,
  kOwnTolerations,
  kOwnGatesGone,
  // Members of pod groups, and groups.
  kPodWaits,
  kPodStillWaits,  // with a node, since an earlier plan
  kGroupAdded,
  kGroupChanged,
  // Queues, which are quotas to some plug-ins.
  kQuotaChanged,
};

struct Happening {
  Happened kind;
  const TaskShape* old_pod = nullptr;
  const TaskShape* new_pod = nullptr;
  const NodeBefore* old_node = nullptr;
  NodeIndex new_node = kNone;
  JobIndex group = kNone;
  TaskIndex task = kNone;  // of kPodAssigned, kPodWaits and kPodStillWaits
};

// Returns whether a plug-in of `rejectors` takes the event for a reason to try the pod again. A pod
// that no plug-in rejected wakes at any event. `group`: of the pod.
bool Wakes(PodClasses& classes, TaskIndex task, JobIndex group, PluginSet rejectors,
           const Happening& happening);

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_WAKE_H_
