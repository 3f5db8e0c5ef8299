// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/pod_tables.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/part/task_bounds.h"
#include "lib/peer/kueue/pod_changes.h"

namespace muster::kueue {
namespace {

// What a pod gets beyond its shape.
struct PodChange {
  std::vector<std::string> flavors;  // ascending, each once
  Labels place;
  bool empty() const { return flavors.empty() && place.empty(); }
  friend bool operator<(const PodChange& a, const PodChange& b) {
    return std::tie(a.flavors, a.place) < std::tie(b.flavors, b.place);
  }
};

class PodTableMaker {
 public:
  explicit PodTableMaker(ActionContext& context)
      : context_(context),
        bounds_(context.memory<TaskBounds>()),
        changes_(context.memory<PodChanges>()),
        tables_(context.tables) {
    for (const uint32_t number : tables_.classes.constraints) {
      next_constraints_ = std::max(next_constraints_, number + 1);
    }
  }

  Tables Make() && {
    TaskTable& tasks = tables_.tasks;
    for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
      if (!tasks.alive[t]) continue;
      tasks.status[t] = context_.ledger.status(t);
      tasks.node[t] = context_.ledger.node_of(t);
      if (tasks.status[t] != TaskStatus::kPending) continue;
      if (!Exists(t)) {
        if (changes_.IsKeptBack(t)) ExplainKeptBack(t);
        tasks.alive[t] = 0;
        tasks.names.Erase(context_.tables.tasks.names.name(t));
      } else if (const PodChange change = ChangeOf(t); !change.empty()) {
        tasks.task_class[t] = ClassWith(tasks.task_class[t], change);
      }
    }
    for (JobIndex j = 0; j < tables_.jobs.alive.size(); ++j) {
      std::erase_if(tables_.jobs.tasks[j], [&](TaskIndex t) { return !tasks.alive[t]; });
    }
    return std::move(tables_);
  }

 private:
  bool Exists(TaskIndex t) const {
    return tables_.has_job(t) && !context_.IsPending(tables_.tasks.job[t]) &&
           !changes_.IsKeptBack(t);
  }

  void ExplainKeptBack(TaskIndex t) {
    Reason reason{ReasonKind::kNoNode};
    if (const TaskBounds::Bound* const bound = bounds_.Of(t)) reason.where = bound->refusal;
    context_.reasons.Explain(t, std::move(reason));
  }

  PodChange ChangeOf(TaskIndex t) const {
    PodChange change;
    const JobIndex job = tables_.tasks.job[t];
    const std::string& group = tables_.jobs.groups[job][tables_.tasks.group[t]].name;
    if (const auto now = changes_.admitted.find(job); now != changes_.admitted.end()) {
      for (const GroupAssignment& assigned : now->second) {
        if (assigned.group != group) continue;
        for (const AssignedFlavor& flavor : assigned.flavors)
          change.flavors.push_back(flavor.flavor);
      }
    } else if (const JobSpec& spec = tables_.jobs.spec[job]; spec.admission) {
      for (const GroupAdmission& admitted : spec.admission->groups) {
        if (admitted.group != group) continue;
        for (const auto& [resource, flavor] : admitted.flavors) change.flavors.push_back(flavor);
      }
    }
    std::ranges::sort(change.flavors);
    change.flavors.erase(std::unique(change.flavors.begin(), change.flavors.end()),
                         change.flavors.end());
    if (const Labels* const place = changes_.PlaceOf(t)) change.place = *place;
    return change;
  }

  static void AddLabels(const Labels& labels, TaskShape* shape) {
    for (const auto& label : labels) {
      const bool known = std::ranges::any_of(
          shape->node_selector, [&](const auto& has) { return has.first == label.first; });
      if (!known) shape->node_selector.push_back(label);
    }
    std::ranges::sort(shape->node_selector);
  }

  ClassIndex ClassWith(ClassIndex base, const PodChange& change) {
    const auto [known, is_new] = classes_.try_emplace({base, change}, ClassIndex(kNone));
    if (!is_new) return known->second;
    TaskShape shape = tables_.classes.shape[base];
    for (const std::string& name : change.flavors) {
      const auto row = tables_.flavors.names.Find(name);
      if (!row || !tables_.flavors.alive[*row]) continue;
      const FlavorSpec& flavor = tables_.flavors.spec[*row];
      AddLabels(flavor.node_labels, &shape);
      shape.tolerations.insert(shape.tolerations.end(), flavor.tolerations.begin(),
                               flavor.tolerations.end());
    }
    AddLabels(change.place, &shape);
    return known->second = AddClass(base, std::move(shape));
  }

  // A class of equal requests.
  ClassIndex AddClass(ClassIndex base, TaskShape shape) {
    ClassTable& classes = tables_.classes;
    const ClassIndex added(static_cast<uint32_t>(classes.shape.size()));
    const auto again = [base](auto& column) { column.push_back(column[base]); };
    classes.shape.push_back(std::move(shape));
    again(classes.queue);
    classes.plain.push_back(added);
    const std::vector<int64_t> request(classes.request.row(base).begin(),
                                       classes.request.row(base).end());
    const std::vector<int64_t> initial(classes.initial_request.row(base).begin(),
                                       classes.initial_request.row(base).end());
    classes.request.Append(request);
    classes.initial_request.Append(initial);
    again(classes.best_effort);
    again(classes.scoring_cpu);
    again(classes.scoring_memory);
    again(classes.scoring_cpu_main);
    again(classes.scoring_memory_main);
    classes.constraints.push_back(next_constraints_++);
    classes.tasks.push_back(1);
    return added;
  }

  ActionContext& context_;
  const TaskBounds& bounds_;
  const PodChanges& changes_;
  Tables tables_;
  std::map<std::pair<ClassIndex, PodChange>, ClassIndex> classes_;
  uint32_t next_constraints_ = 0;
};

}  // namespace

Tables PodTables(ActionContext& context) { return PodTableMaker(context).Make(); }

}  // namespace muster::kueue
