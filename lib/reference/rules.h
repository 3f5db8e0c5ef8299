// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What presets of the slow twin differ in, as data. The shared loops read it and know no scheduler.
//
//   Rules rules;                                   // the defaults
//   rules.group_minimums = GroupMinimums::kAlways;
//   if (cycle.rules.sub_group_minimums) ...        // in a shared loop
//
// `Rules` holds one named field for each difference. `PolicyTwin` holds the answers of a policy
// that belongs to one scheduler. `Keepsakes` holds what such a policy or action remembers within a
// cycle. lib/reference/reference.cc sets them for each preset.
#ifndef MUSTER_REFERENCE_RULES_H_
#define MUSTER_REFERENCE_RULES_H_

#include <any>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "lib/reference/amount.h"
#include "lib/reference/reference.h"

namespace muster::reference {

struct Cycle;
using TaskList = std::vector<TaskIndex>;

// When the minimums of a job's groups count.
enum class GroupMinimums {
  kNever,
  kWithinJob,  // if their sum is at most the job's minimum
  kAlways,
};

// How the victims that policies name are combined.
enum class VictimAgreement {
  // The answers of one tier are intersected, and the first tier that is left with a task decides.
  // An empty answer ends its tier. An empty intersection lets the next policy start afresh.
  kRestarting,
  // The first policy starts, every later one intersects, and the first tier that is left with a
  // task decides.
  kSticky,
  // Every policy must agree. Each is asked about what the policies before it left.
  kStrict,
};

// The version of the filters and scores of Kubernetes.
struct KubernetesRules {
  bool ready_always = false;            // the ready condition counts without option node_ready
  bool network_available = false;       // the network condition counts
  bool unschedulable_tolerated = true;  // a toleration lets a task onto an unschedulable node
  bool spread = true;                   // the filter of required topology spread
  bool fields = true;                   // preferred node terms match fields as well as labels
  bool init_containers = true;          // scores count what init containers request
  bool every_task_has_terms = true;     // affinity by terms one by one, over tasks of all kinds
  bool percent = true;                  // scores of 0..100 with images and taints; else 0..10
};

// Amounts that differ by less are equal.
struct Tolerance {
  double milli, memory, other;
};

struct Rules {
  // Gangs.
  bool best_effort_is_placed = true;  // a pending task that requests nothing counts as placed
  GroupMinimums group_minimums = GroupMinimums::kWithinJob;
  bool sub_group_minimums = true;
  bool asks_valid = true;           // a job with fewer tasks than it needs is not tried
  bool yes_ends_waiting = true;     // a tier with a yes decides that a job may wait
  bool phase_by_allocated = false;  // the phase at the end counts what holds resources
  bool none_completes = false;      // a job that needs no task is completed while none runs

  // Orders.
  bool queue_priority = true;    // proportion: queues of higher priority come first
  bool task_ordinals = true;     // the number in a task's name comes before its creation time
  bool victims_by_owner = true;  // victims are ordered by queue and job before their own order

  // Victims.
  VictimAgreement victims = VictimAgreement::kRestarting;
  bool counts_victims_down = true;       // gang: each victim lowers the number for the next
  bool own_job_by_task_priority = true;  // priority: tasks of one job are compared by their own
  bool evicted_tasks_show = false;       // to the filters of Kubernetes

  // Amounts.
  bool pods_are_a_resource = true;
  bool queue_limits = true;        // proportion knows guarantees, limits and promises
  bool shares_of_nothing = false;  // a share counts dimensions that the cluster has none of
  bool releasing_apart = false;    // a request fits what is idle or what is released, not their sum
  bool overfull_nodes_leave = false;   // a node that holds more than it has is out of the session
  std::optional<Tolerance> tolerance;  // fits, shares and proportion compare within it

  KubernetesRules kubernetes;
};

// Below 0: l goes first. 0: no preference.
template <typename Index>
using Compare = int (*)(const Cycle&, const ReferencePolicy&, Index l, Index r);
template <typename Evictor>
using NameVictims = TaskList (*)(const Cycle&, const ReferencePolicy&, Evictor, const TaskList&);

// The answers of one policy. A member that is null: the policy does not answer there.
struct PolicyTwin {
  std::string_view name;
  void (*open)(Cycle&, const ReferencePolicy&) = nullptr;

  Compare<JobIndex> job_order = nullptr;
  Compare<QueueIndex> queue_order = nullptr;
  Compare<TaskIndex> task_order = nullptr;
  int (*victim_queue_order)(const Cycle&, const ReferencePolicy&, QueueIndex l, QueueIndex r,
                            QueueIndex evictor) = nullptr;

  // nullopt: no opinion. false: no.
  std::optional<bool> (*pipelined)(const Cycle&, const ReferencePolicy&, JobIndex) = nullptr;
  bool (*starving)(const Cycle&, const ReferencePolicy&, JobIndex) = nullptr;

  bool open_queues_only = false;  // refuses whatever a queue that is not open takes
  bool (*allocatable)(const Cycle&, const ReferencePolicy&, QueueIndex, TaskIndex) = nullptr;
  bool (*preemptive)(const Cycle&, const ReferencePolicy&, QueueIndex, const Row&) = nullptr;
  int (*admit)(const Cycle&, const ReferencePolicy&, JobIndex) = nullptr;  // -1, 0 or 1
  void (*admitted)(Cycle&, const ReferencePolicy&, JobIndex, const Amount&) = nullptr;

  NameVictims<TaskIndex> preemptable = nullptr, reclaimable = nullptr;
  // Of its own queue, or of other queues.
  NameVictims<JobIndex> evictable = nullptr, evictable_elsewhere = nullptr;

  std::optional<Refusal> (*refuse)(const Cycle&, const ReferencePolicy&, TaskIndex,
                                   NodeIndex) = nullptr;
  double (*score)(const Cycle&, const ReferencePolicy&, TaskIndex, NodeIndex) = nullptr;
  // One score a node, compared over all of them.
  std::vector<double> (*scores)(const Cycle&, const ReferencePolicy&, TaskIndex,
                                const std::vector<NodeIndex>&) = nullptr;
  // Parts of the nodes that are tried one after the other; empty: it does not part them.
  std::vector<std::vector<NodeIndex>> (*divide)(const Cycle&, const ReferencePolicy&,
                                                const std::vector<NodeIndex>&) = nullptr;

  double (*share)(const Cycle&, QueueIndex) = nullptr;
  std::optional<std::vector<double>> (*deserved)(const Cycle&, QueueIndex) = nullptr;
};
using PolicyTwins = std::vector<PolicyTwin>;
using ActionTwins = std::map<std::string, void (*)(Cycle&)>;

// One value of each type, made when it is first asked for. A copy of a cycle copies them.
class Keepsakes {
 public:
  template <typename T>
  T& Of() {
    std::any& kept = kept_[typeid(T)];
    if (!kept.has_value()) kept = T();
    return *std::any_cast<T>(&kept);
  }
  template <typename T>
  const T& Of() const {
    static const T nothing;
    const auto found = kept_.find(typeid(T));
    return found == kept_.end() ? nothing : *std::any_cast<T>(&found->second);
  }

 private:
  std::map<std::type_index, std::any> kept_;
};

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_RULES_H_
