// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// lease on nodes: every try is made on a copy of the world, and no sum says that a try is hopeless.
// The first cycle of a round.
#include <algorithm>
#include <set>
#include <vector>

#include "lib/reference/cycle.h"
#include "lib/reference/kube/domains.h"
#include "lib/reference/peer/training/training.h"

namespace muster::reference {
namespace {

class LeaseTwin {
 public:
  explicit LeaseTwin(Cycle& cycle) : cycle_(cycle), tables_(cycle.tables()) {}

  void Run() {
    std::vector<JobIndex> waiting;
    for (JobIndex job : cycle_.world.session_jobs()) {
      JobPhase& phase = cycle_.world.phase[job];
      if (phase == JobPhase::kPending) phase = JobPhase::kAdmitted;
      const auto& tasks = cycle_.world.tasks_of(job);
      const bool waits = std::any_of(tasks.begin(), tasks.end(), [&](TaskIndex t) {
        return cycle_.world.status[t] == TaskStatus::kPending;
      });
      if (waits && JobValid(cycle_, job)) waiting.push_back(job);
      if (MayStop(job)) running_.push_back(job);
    }
    const auto before = [this](JobIndex a, JobIndex b) { return JobLess(cycle_, a, b); };
    std::sort(waiting.begin(), waiting.end(), before);
    std::sort(running_.begin(), running_.end(), before);
    for (JobIndex job : waiting) Serve(job);
  }

 private:
  bool Holds(TaskIndex task) const { return IsAllocated(cycle_.world.status[task]); }
  bool MayStop(JobIndex job) const {
    bool holds = false;
    for (TaskIndex t : cycle_.world.tasks_of(job)) {
      if (Holds(t) && !cycle_.world.preemptable(t)) return false;
      holds |= Holds(t);
    }
    return holds;
  }

  void Serve(JobIndex job) {
    if (stopped_.contains(job)) return;
    if (Try(job, /*later=*/false)) {
      Statement statement;
      Place(job, false, statement);
      Commit(cycle_, statement);
    } else if (Try(job, true)) {
      Statement kept;
      Place(job, true, kept);
    } else {
      Stop(job);
    }
  }

  bool Try(JobIndex job, bool later) {
    const World before = cycle_.world;
    Statement statement;
    const bool placed = Place(job, later, statement);
    cycle_.world = before;
    return placed;
  }
  bool TryWithout(JobIndex job, const std::vector<JobIndex>& gone) {
    const World before = cycle_.world;
    for (JobIndex other : gone) EvictAll(other);
    const bool placed = Try(job, true);
    cycle_.world = before;
    return placed;
  }
  void EvictAll(JobIndex job) {
    for (TaskIndex t : cycle_.world.tasks_of(job)) {
      if (Holds(t)) Evict(cycle_.world, t);
    }
  }

  void Stop(JobIndex job) {
    if (CountReady(cycle_.world, job) >= NeedOf(cycle_, job)) return;
    for (TaskIndex t : TasksToPlace(cycle_, job)) {
      if ((tables_.tasks.flags[t] & kTaskNeverPreempts) != 0) return;
    }
    std::vector<JobIndex> gone;
    bool fits = false;
    for (auto it = running_.rbegin(); !fits && it != running_.rend(); ++it) {
      if (CompareJobs(cycle_, job, *it) >= 0) break;
      gone.push_back(*it);
      fits = TryWithout(job, gone);
    }
    if (!fits) return;
    std::vector<JobIndex> needed = gone;
    for (auto it = gone.rbegin(); it != gone.rend(); ++it) {
      std::vector<JobIndex> fewer = needed;
      std::erase(fewer, *it);
      if (TryWithout(job, fewer)) needed = fewer;
    }
    Statement statement;
    const TaskIndex beneficiary = TasksToPlace(cycle_, job).front();
    for (JobIndex other : needed) {
      stopped_.insert(other);
      std::erase(running_, other);
      for (TaskIndex t : cycle_.world.tasks_of(other)) {
        if (Holds(t)) DoEvict(cycle_, statement, t, beneficiary);
      }
    }
    Commit(cycle_, statement);
    Statement kept;
    Place(job, true, kept);
  }

  // Puts the job's waiting tasks in order on nodes, without those of a class of which one found
  // none. Whether the gang has its places; if it has not, what was placed stays in the world.
  bool Place(JobIndex job, bool later, Statement& statement) {
    const int64_t ready = CountReady(cycle_.world, job);
    std::set<ClassIndex> failed;
    for (TaskIndex task : TasksToPlace(cycle_, job)) {
      const ClassIndex task_class = tables_.tasks.task_class[task];
      if (failed.contains(task_class)) continue;
      const auto may = [](NodeIndex) { return true; };
      if (!PlaceTask(cycle_, task, later, may, statement)) failed.insert(task_class);
    }
    const int64_t there = ready + static_cast<int64_t>(statement.size());
    return !statement.empty() && there >= NeedOf(cycle_, job);
  }

  Cycle& cycle_;
  const Tables& tables_;
  std::vector<JobIndex> running_;  // that may be stopped
  std::set<JobIndex> stopped_;
};

void RunLease(Cycle& cycle) { LeaseTwin(cycle).Run(); }

}  // namespace

int64_t NeedOf(const Cycle& cycle, JobIndex job) {
  const int64_t least = cycle.tables().jobs.spec[job].min_available;
  return least > 0 ? least : 1;
}

bool PlaceTask(Cycle& cycle, TaskIndex task, bool later, const std::function<bool(NodeIndex)>& may,
               Statement& statement) {
  const FilterState state = PrepareFilters(cycle, task);
  std::vector<NodeIndex> now, then;
  for (NodeIndex n : cycle.world.session_nodes()) {
    if (!may(n) || Judge(cycle, state, task, n).refusal || !HasRoomLater(cycle.world, task, n)) {
      continue;
    }
    (HasRoomNow(cycle.world, task, n) ? now : then).push_back(n);
  }
  const NodeIndex node = BestNode(cycle, task, now.empty() && later ? then : now);
  if (node == kNone) return false;
  if (later) {
    DoPipeline(cycle, statement, task, node, false);
  } else {
    DoAllocate(cycle, statement, task, node);
  }
  return true;
}

ActionTwins TrainingActions() { return {{"lease", RunLease}, {"rounds", RunRounds}}; }

}  // namespace muster::reference
