// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Where the tasks of drained nodes go (upkeep.h).
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/advice/changes.h"
#include "lib/advice/ends.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"
#include "lib/model/access.h"
#include "lib/model/change_guard.h"
#include "lib/model/checker.h"
#include "lib/plan/plan_data.h"
#include "lib/profile/cycle_tables.h"
#include "lib/profile/profile.h"
#include "lib/session/places_tasks.h"
#include "muster/upkeep.h"

namespace muster {
namespace {

constexpr char kNodeName[] = "metadata.name";

// Returns whether the task may run on this node alone, by its name: daemon sets mark their tasks
// so, and imports mark static pods.
bool IsPinnedTo(const TaskShape& shape, const std::string& node) {
  const std::optional<std::vector<NodeTerm>>& terms = shape.required_node_affinity;
  return terms.has_value() && !terms->empty() &&
         std::ranges::all_of(*terms, [&node](const NodeTerm& term) {
           return std::ranges::any_of(term.match_fields, [&node](const Requirement& field) {
             return field.key == kNodeName && field.op == RequirementOp::kIn &&
                    field.values == std::vector<std::string>{node};
           });
         });
}

// Keeps the task away from the node of this name, whatever it tolerates.
void KeepAwayFrom(const std::string& node, TaskShape* shape) {
  if (!shape->required_node_affinity) shape->required_node_affinity.emplace(1);
  for (NodeTerm& term : *shape->required_node_affinity) {
    term.match_fields.push_back({kNodeName, RequirementOp::kNotIn, {node}});
  }
}

class Drainer {
 public:
  Drainer(Cluster clone, std::string_view profile, bool keep_lone, const ScheduleOptions& options)
      : cluster_(std::move(clone)), profile_(profile), keep_lone_(keep_lone), options_(options) {}

  absl::Status Close(const std::vector<std::string>& nodes) {
    closed_ = nodes;
    for (const std::string& name : nodes) {
      const WhatIfChange change{.nodes = NodeEdit{.name = name, .unschedulable = true}};
      if (absl::Status s = MakeChange(change, &cluster_); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<DrainStep> Empty(const std::string& node) {
    DrainStep step{.node = node};
    step.broken_budgets = BudgetsBrokenOn(node);
    const std::set<std::string> whole = WholeGangsOn(node);
    const std::vector<std::string> names = AllOn(node);
    const std::set<std::string> pinned = TakePinnedOff(node);
    const std::vector<std::string> waiting =
        TakeTasksOff(*TablesOf(cluster_).nodes.names.Find(node), keep_lone_, &cluster_);
    if (absl::Status s = KeepAway(waiting); !s.ok()) return s;
    displaced_.insert(waiting.begin(), waiting.end());
    const Snapshot snapshot = cluster_.Freeze();
    const absl::StatusOr<Plan> plan = Schedule(snapshot, profile_, options_);
    if (!plan.ok()) return plan.status();
    const Ends ends = EndsOf(TablesOf(snapshot), *plan);
    for (const std::string& name : names) {
      step.tasks.push_back(Report(name, snapshot, *plan, ends));
      if (pinned.contains(name)) {
        step.tasks.back().reason = "it may run on this node alone, and goes with it";
      }
    }
    for (const std::string& job : whole) {
      if (!IsWhole(TablesOf(snapshot), job, ends)) step.broken_gangs.push_back(job);
    }
    if (absl::Status s = CarryOut(*plan); !s.ok()) return s;
    return step;
  }

 private:
  const Tables& tables() const { return TablesOf(cluster_); }
  std::vector<TaskIndex> TasksOn(const std::string& node) const {
    return ImplOf(cluster_).editor.TasksOn(*tables().nodes.names.Find(node));
  }
  std::vector<std::string> AllOn(const std::string& node) const {
    std::vector<std::string> names;
    for (const TaskIndex t : TasksOn(node)) names.emplace_back(tables().tasks.names.name(t));
    return names;
  }

  // Removes the tasks that may run nowhere else. Returns their names. A drain leaves them alone, so
  // no budget counts them.
  std::set<std::string> TakePinnedOff(const std::string& node) {
    std::set<std::string> pinned;
    for (const TaskIndex t : TasksOn(node)) {
      if (IsPinned(t, node)) pinned.emplace(tables().tasks.names.name(t));
    }
    for (const std::string& name : pinned) cluster_.RemoveTask(name).IgnoreError();  // it exists
    return pinned;
  }
  bool IsPinned(TaskIndex t, const std::string& node) const {
    return IsPinnedTo(tables().classes.shape[tables().tasks.task_class[t]], node);
  }

  // No task goes to a node that is being drained, also if it tolerates that the node is closed.
  absl::Status KeepAway(const std::vector<std::string>& waiting) {
    for (const std::string& name : waiting) {
      TaskSpec spec = Unplaced(cluster_, *tables().tasks.names.Find(name));
      if (!ToleratesUnschedulable(spec.shape)) continue;
      for (const std::string& node : closed_) KeepAwayFrom(node, &spec.shape);
      if (absl::Status s = cluster_.UpdateTask(spec); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  // Whether the budget counts an eviction of the task.
  bool Counts(const DisruptionBudgetSpec& budget, TaskIndex t) const {
    const TaskShape& shape = tables().classes.shape[tables().tasks.task_class[t]];
    return budget.selector.has_value() && shape.name_space == budget.name_space &&
           Matches(*budget.selector, shape.labels) &&
           std::ranges::find(budget.disrupted, tables().tasks.names.name(t)) ==
               budget.disrupted.end();
  }
  // How many tasks that steps before evicted still wait.
  int64_t DisruptedOf(const DisruptionBudgetSpec& budget) const {
    return std::ranges::count_if(displaced_, [&](const std::string& name) {
      const std::optional<TaskIndex> t = tables().tasks.names.Find(name);
      return t && tables().tasks.node[*t] == kNone && Counts(budget, *t);
    });
  }
  std::vector<std::string> BudgetsBrokenOn(const std::string& node) const {
    std::vector<std::string> broken;
    for (const DisruptionBudgetSpec& budget : tables().budgets) {
      const int64_t evicted = std::ranges::count_if(TasksOn(node), [&](TaskIndex t) {
        return IsAllocated(tables().tasks.status[t]) && !IsPinned(t, node) && Counts(budget, t);
      });
      if (evicted > 0 && evicted + DisruptedOf(budget) > budget.allowed) {
        const std::string place = absl::StrCat(budget.name_space, "/");
        broken.push_back(budget.name.starts_with(place) ? budget.name : place + budget.name);
      }
    }
    return broken;
  }

  // Whether as many tasks as the gang needs have a node; by where tasks end, or as they are.
  static bool IsWhole(const Tables& tables, std::string_view name, const Ends& ends) {
    const JobIndex job = *tables.jobs.names.Find(name);
    const int64_t placed = std::ranges::count_if(
        tables.jobs.tasks[job], [&ends](TaskIndex t) { return ends.node[t] != kNone; });
    return placed >= tables.jobs.spec[job].min_available;
  }
  std::set<std::string> WholeGangsOn(const std::string& node) const {
    const Ends now = EndsOf(tables(), Plan());
    std::set<std::string> whole;
    for (const TaskIndex t : TasksOn(node)) {
      if (!tables().has_job(t) || IsPinned(t, node)) continue;
      const std::string name(tables().jobs.names.name(tables().tasks.job[t]));
      if (IsWhole(tables(), name, now)) whole.insert(name);
    }
    return whole;
  }

  DrainedTask Report(const std::string& name, const Snapshot& snapshot, const Plan& plan,
                     const Ends& ends) const {
    const Tables& then = TablesOf(snapshot);
    const std::optional<TaskIndex> t = then.tasks.names.Find(name);
    if (!t) return {.task = name, .ends = true};
    if (ends.node[*t] != kNone) {
      return {.task = name, .to = std::string(then.nodes.names.name(ends.node[*t]))};
    }
    // A profile may leave a task out of its plan.
    const bool told = ends.reason[*t] != Ends::kNoReason;
    return {.task = name,
            .reason = told ? ReasonText(plan.reasons()[ends.reason[*t]], *DataOf(plan)->names)
                           : "the profile does not decide about it"};
  }

  // Tasks that the plan evicts wait again for the next step.
  absl::Status CarryOut(const Plan& plan) {
    const absl::StatusOr<ApplyReport> applied = cluster_.Apply(plan);
    if (!applied.ok()) return applied.status();
    std::vector<TaskSpec> evicted;
    for (const Eviction& eviction : plan.evictions()) {
      const std::optional<TaskIndex> t = tables().tasks.names.Find(plan.task_name(eviction.task));
      if (!t || tables().tasks.status[*t] != TaskStatus::kReleasing) continue;
      evicted.push_back(Unplaced(cluster_, *t));
      displaced_.insert(evicted.back().name);
    }
    for (const TaskSpec& spec : evicted) {
      if (absl::Status s = cluster_.UpdateTask(spec); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  Cluster cluster_;
  std::vector<std::string> closed_;  // nodes that are drained, now or later
  std::set<std::string> displaced_;  // tasks that lost their node in a step
  const std::string_view profile_;
  const bool keep_lone_;
  const ScheduleOptions& options_;
};

}  // namespace

absl::StatusOr<DrainReport> Drain(const Cluster& cluster, std::string_view profile,
                                  std::span<const std::string> nodes,
                                  const ScheduleOptions& options) {
  if (IsLost(ImplOf(cluster))) return LostError();
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(profile, options.extensions.get());
  if (!config.ok()) return config.status();
  if (!PlacesTasks(*config)) {
    return absl::InvalidArgumentError(
        absl::StrCat("profile ", Quote(config->name),
                     " places no task on a node; drain under a profile that does"));
  }
  std::vector<std::pair<size_t, std::string>> order;  // by number of tasks
  std::set<std::string> seen;
  for (const std::string& name : nodes) {
    if (!seen.insert(name).second) {
      return absl::InvalidArgumentError(absl::StrCat(PlaceOf("node", name), " is listed twice"));
    }
    const std::optional<NodeIndex> n = TablesOf(cluster).nodes.names.Find(name);
    order.emplace_back(n ? ImplOf(cluster).editor.TasksOn(*n).size() : 0, name);
  }
  std::ranges::stable_sort(order, {}, [](const auto& entry) { return entry.first; });
  Drainer drainer(cluster.Clone(), profile, TriesLoneTasks(*config), options);
  if (absl::Status s = drainer.Close({nodes.begin(), nodes.end()}); !s.ok()) return s;
  DrainReport report;
  for (const auto& [tasks, name] : order) {
    absl::StatusOr<DrainStep> step = drainer.Empty(name);
    if (!step.ok()) return step.status();
    for (const DrainedTask& task : step->tasks) {
      if (!task.ends) ++(task.to.empty() ? report.waiting : report.moved);
    }
    report.steps.push_back(*std::move(step));
  }
  return report;
}

}  // namespace muster
