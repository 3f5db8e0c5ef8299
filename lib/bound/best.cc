// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The most tasks that can be placed at once, by branch and bound (BestOf).
//
// Idea. Tasks are decided one after the other, those of a job together. Each goes to a node or
// stays. A branch ends where its tasks and all that are left are no more than the best so far, and
// where a gang that has begun cannot become whole. Two symmetries are cut: of alike tasks of a job
// the later one goes to no earlier node, and stays if the earlier one does; of nodes that are alike
// at the moment only the first is tried. Both can be cut together: the tasks of a job that are
// alike and not yet decided are on later nodes, so exchanging two alike nodes keeps their order.
#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/bound/facts.h"
#include "lib/model/access.h"
#include "muster/bound.h"

namespace muster {
namespace {

class Branches {
 public:
  explicit Branches(const BoundFacts& facts)
      : facts_(facts), tables_(facts.tables), room_(facts.room), held_(facts.held) {
    tasks_ = facts.waiting;
    std::stable_sort(tasks_.begin(), tasks_.end(), [&](TaskIndex a, TaskIndex b) {
      if (tables_.tasks.job[a] != tables_.tasks.job[b]) {
        return tables_.tasks.job[a] < tables_.tasks.job[b];
      }
      return tables_.tasks.task_class[a] < tables_.tasks.task_class[b];
    });
    for (NodeIndex n = 0; n < room_.size(); ++n) {
      std::vector<bool>& admits = admits_.emplace_back();
      for (size_t s = 0; s < facts.first_of_set.size(); ++s) admits.push_back(facts.Admits(s, n));
    }
  }

  Best Run() {
    Decide(0, 0, 0, 0);
    best_.proven = !spent_;
    return best_;
  }

 private:
  std::span<const int64_t> RequestOf(TaskIndex t) const {
    return tables_.classes.request.row(tables_.tasks.task_class[t]);
  }

  bool LimitsAdmit(TaskIndex t) const {
    if (!facts_.options.queue_limits) return true;
    const auto request = RequestOf(t);
    for (QueueIndex q = tables_.jobs.queue[tables_.tasks.job[t]]; q != kNone;
         q = tables_.queues.parent[q]) {
      const auto limit = tables_.queues.limit.row(q);
      for (size_t d = 0; d < request.size(); ++d) {
        if (request[d] == 0 || limit[d] == kAbsent) continue;
        if (request[d] > limit[d] || held_[q][d] > limit[d] - request[d]) return false;
      }
    }
    return true;
  }

  bool Holds(NodeIndex n, TaskIndex t) const {
    const auto request = RequestOf(t);
    if (!admits_[n][facts_.set_of[tables_.tasks.task_class[t]]]) return false;
    for (size_t d = 0; d < request.size(); ++d) {
      if (request[d] > 0 && room_[n][d] < request[d]) return false;
    }
    return true;
  }

  void Charge(NodeIndex n, TaskIndex t, int64_t sign) {
    const auto request = RequestOf(t);
    for (size_t d = 0; d < request.size(); ++d) {
      if (room_[n][d] != kUnlimited) room_[n][d] -= sign * request[d];
      for (QueueIndex q = tables_.jobs.queue[tables_.tasks.job[t]]; q != kNone;
           q = tables_.queues.parent[q]) {
        if (held_[q][d] != kUnlimited) held_[q][d] += sign * request[d];
      }
    }
  }

  // Returns whether a node from `first` on, before `n`, is like it at the moment.
  bool IsLikeAnEarlier(NodeIndex first, NodeIndex n) const {
    for (NodeIndex m = first; m < n; ++m) {
      if (!room_[m].empty() && room_[m] == room_[n] && admits_[m] == admits_[n]) return true;
    }
    return false;
  }

  // Whether the job that ends before `at` is whole or absent. `of_job` of its tasks were placed,
  // `light` of them request nothing and were counted as there.
  bool EndsWell(size_t at, int64_t of_job, int64_t light) const {
    if (!facts_.options.gangs || at == 0 || of_job == 0) return true;
    const JobIndex job = tables_.tasks.job[tasks_[at - 1]];
    return facts_.there[job] + of_job - light >= tables_.jobs.spec[job].min_available;
  }

  void Decide(size_t at, int64_t placed, int64_t of_job, int64_t light) {
    if (spent_) return;
    const bool begins = at == tasks_.size() || at == 0 ||
                        tables_.tasks.job[tasks_[at]] != tables_.tasks.job[tasks_[at - 1]];
    if (begins) {
      if (!EndsWell(at, of_job, light)) return;
      best_.tasks = std::max(best_.tasks, placed);
      of_job = light = 0;
    }
    if (placed + static_cast<int64_t>(tasks_.size() - at) <= best_.tasks) return;
    const TaskIndex t = tasks_[at];
    const ClassIndex c = tables_.tasks.task_class[t];
    const bool alike = !begins && tables_.tasks.task_class[tasks_[at - 1]] == c;
    const NodeIndex first = alike ? last_ : NodeIndex(0);
    if (first != kNone && LimitsAdmit(t)) {
      for (NodeIndex n = first; n < room_.size() && !spent_; ++n) {
        if (room_[n].empty() || !Holds(n, t) || IsLikeAnEarlier(first, n)) continue;
        if (++best_.work > facts_.options.work) {
          spent_ = true;
          return;
        }
        Charge(n, t, 1);
        last_ = n;
        Decide(at + 1, placed + 1, of_job + 1, light + tables_.classes.best_effort[c]);
        Charge(n, t, -1);
      }
    }
    last_ = kNone;
    Decide(at + 1, placed, of_job, light);
  }

  const BoundFacts& facts_;
  const Tables& tables_;
  std::vector<TaskIndex> tasks_;
  std::vector<std::vector<int64_t>> room_, held_;
  std::vector<std::vector<bool>> admits_;
  // The node of the task decided last; kNone: it stays.
  NodeIndex last_ = 0;
  bool spent_ = false;
  Best best_;
};

constexpr size_t kMostTasks = 1000;

}  // namespace

absl::StatusOr<Best> BestOf(const Snapshot& snapshot, const BoundOptions& options) {
  if (options.work < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("work: ", options.work, " is not in 1..", kUnlimited));
  }
  const Tables& tables = TablesOf(snapshot);
  const BoundFacts facts(tables, options);
  if (facts.waiting.size() > kMostTasks) {
    return absl::InvalidArgumentError(
        absl::StrCat("tasks: ", facts.waiting.size(), " wait; must be ", kMostTasks, " at most"));
  }
  for (TaskIndex t : facts.waiting) {
    if (tables.classes.shape[tables.tasks.task_class[t]].devices.empty()) continue;
    return absl::UnimplementedError(absl::StrCat("task ", Quote(tables.tasks.names.name(t)),
                                                 " requests devices; the best is known without"));
  }
  return Branches(facts).Run();
}

}  // namespace muster
