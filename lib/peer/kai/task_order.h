// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which task of a KAI Scheduler job goes first.
//
//   const KaiTaskKey key = KaiTaskKeyOf(labels, created, uid);
//   KaiTaskBefore(rules, left, right);
//
// Idea. Comparators in the order of the configured plugins; the first that tells two tasks apart
// decides:
//   kubeflow    a master or launcher goes before the others
//   ray         the head goes before the others
//   taskorder   a task with the task-priority label before one without; a higher number first
// Then the older task, then the smaller UID.
//
// Peer. A label that is no number loses against every other label: of two such tasks each comes
// after the other, and which one goes first depends on the heap they are in. OrderKaiTasks then
// gives the order in which a heap would release all of them, pushed in ascending UID.
//
// Cost. O(1) a comparison; numbers are read once.
#ifndef MUSTER_PEER_KAI_TASK_ORDER_H_
#define MUSTER_PEER_KAI_TASK_ORDER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

enum class KaiTaskRule : uint8_t { kKubeflow, kRay, kTaskPriority };

struct KaiTaskKey {
  enum class Label : uint8_t { kUnset, kNumber, kNoNumber };
  bool is_kubeflow_master = false;
  bool is_ray_head = false;
  Label label = Label::kUnset;
  int64_t priority = 0;  // of kNumber
  int64_t created = 0;
  std::string uid;
};

// Values of the labels training.kubeflow.org/job-role, ray.io/node-type and
// kai.scheduler/task-priority, if the task has them.
KaiTaskKey KaiTaskKeyOf(std::optional<std::string_view> job_role,
                        std::optional<std::string_view> node_type,
                        std::optional<std::string_view> task_priority);

// -1: the left task goes first; 0: this rule does not tell.
int CompareKaiTasks(KaiTaskRule rule, const KaiTaskKey& left, const KaiTaskKey& right);
bool KaiTaskBefore(std::span<const KaiTaskRule> rules, const KaiTaskKey& left,
                   const KaiTaskKey& right);

// Returns the positions of `keys` in task order.
std::vector<uint32_t> OrderKaiTasks(std::span<const KaiTaskRule> rules,
                                    std::span<const KaiTaskKey> keys);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_TASK_ORDER_H_
