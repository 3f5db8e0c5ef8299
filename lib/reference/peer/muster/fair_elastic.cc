// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// shrink and grow of the muster preset, slowly, restated from docs/policies.md. A dry run is a copy
// of the world. lib/reference/policy/elastic.cc says which jobs are elastic, and lists sizes.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "absl/numeric/int128.h"
#include "lib/reference/peer/muster/fair.h"

namespace muster::reference {
namespace {

using Tasks = std::vector<TaskIndex>;

const JobSpec& SpecOf(const Cycle& cycle, JobIndex job) { return cycle.tables().jobs.spec[job]; }

bool Waits(const Cycle& cycle, JobIndex job) {
  const bool admits = HasAction(cycle, "admit");
  if (admits && cycle.world.phase[job] == JobPhase::kPending) return false;
  const Tasks& mine = cycle.world.tasks_of(job);
  return JobValid(cycle, job) && std::any_of(mine.begin(), mine.end(), [&](TaskIndex t) {
           return cycle.world.status[t] == TaskStatus::kPending;
         });
}

class Shrinker {
 public:
  explicit Shrinker(Cycle& cycle) : cycle_(cycle) {}

  // Returns whether any task was given back.
  bool Run() {
    bool any = false;
    for (NodeIndex n : cycle_.world.session_nodes()) {
      for (TaskIndex t : cycle_.world.on_node[n]) any = any || (Runs(t) && IsOfElastic(t));
    }
    if (!any) return false;
    std::set<JobIndex> jobs;
    for (JobIndex j : cycle_.world.session_jobs()) {
      if (TakesPart(j)) jobs.insert(j);
    }
    bool took_any = false;
    for (JobIndex j; (j = NextInFairOrder(cycle_, jobs)) != kNone;) {
      const bool took = TakesPart(j) && Turn(j);
      took_any = took_any || took;
      if (!took || !Waits(cycle_, j)) jobs.erase(j);
    }
    return took_any;
  }

 private:
  struct Step {
    TaskIndex task;
    NodeIndex node;
    Tasks victims;
  };

  bool TakesPart(JobIndex job) const { return Waits(cycle_, job) && !SpecOf(cycle_, job).topology; }
  bool Runs(TaskIndex task) const {
    const TaskStatus status = cycle_.world.status[task];
    return status == TaskStatus::kRunning || status == TaskStatus::kBound;
  }
  bool IsOfElastic(TaskIndex task) const {
    const JobIndex job = cycle_.tables().tasks.job[task];
    return job != kNone && IsElastic(cycle_, job);
  }
  bool CanGive(TaskIndex task) const {
    const JobIndex job = cycle_.tables().tasks.job[task];
    const JobSpec& spec = SpecOf(cycle_, job);
    const GroupIndex group = cycle_.tables().tasks.group[task];
    return PlacedOf(cycle_, job, kNone) > spec.min_available &&
           PlacedOf(cycle_, job, kNone) > spec.gang->elastic->least.value_or(0) &&
           PlacedOf(cycle_, job, group) >
               std::max<int64_t>(0, cycle_.tables().jobs.groups[job][group].min_available);
  }

  bool Turn(JobIndex job) {
    const World before = cycle_.world;
    const bool one = JobPipelined(cycle_, job);
    std::vector<Step> steps;
    bool whole = false;
    ClassIndex failed = kNone;
    for (TaskIndex t : TasksToPlace(cycle_, job)) {
      if (whole || cycle_.tables().tasks.task_class[t] == failed) continue;
      if (!PlaceOne(t, &steps)) {
        failed = cycle_.tables().tasks.task_class[t];
        continue;
      }
      whole = one || JobPipelined(cycle_, job);
    }
    if (whole) Spare(before, &steps);
    cycle_.world = before;
    const bool gives = whole && std::any_of(steps.begin(), steps.end(),
                                            [](const Step& s) { return !s.victims.empty(); });
    if (!gives) return false;
    Statement statement;
    for (const Step& step : steps) {
      for (TaskIndex victim : step.victims) DoEvict(cycle_, statement, victim, step.task);
      DoPipeline(cycle_, statement, step.task, step.node, !step.victims.empty());
    }
    Commit(cycle_, statement);
    return true;
  }

  bool PlaceOne(TaskIndex task, std::vector<Step>* steps) {
    Step step{task, kNone, {}};
    if (Allocatable(cycle_, cycle_.world.queue_of(task), task)) {
      step.node = FreePlace(cycle_, task, cycle_.world.session_nodes());
    }
    const bool never = (cycle_.tables().tasks.flags[task] & kTaskNeverPreempts) != 0;
    for (NodeIndex n : cycle_.world.session_nodes()) {
      if (never || (step.node != kNone && step.victims.empty())) break;
      const std::optional<Tasks> victims = MakeRoom(task, n);
      if (!victims || (step.node != kNone && victims->size() >= step.victims.size())) continue;
      step.node = n;
      step.victims = *victims;
    }
    if (step.node == kNone) return false;
    for (TaskIndex victim : step.victims) Evict(cycle_.world, victim);
    Place(cycle_.world, task, step.node, TaskStatus::kNominated);
    steps->push_back(step);
    return true;
  }

  // Those that go from the node until the task fits.
  std::optional<Tasks> MakeRoom(TaskIndex task, NodeIndex node) {
    const World before = cycle_.world;
    Heap<TaskIndex> order = VictimHeap(cycle_, task);
    for (TaskIndex t : Candidates(task, node)) order.Push(t);
    Tasks gone;
    bool fits = false;
    while (!order.empty() && !fits) {
      const TaskIndex victim = order.Pop();
      if (!CanGive(victim)) continue;
      Evict(cycle_.world, victim);
      gone.push_back(victim);
      fits = Fits(task, node);
    }
    cycle_.world = before;
    if (!fits) return std::nullopt;
    return gone;
  }

  Tasks Candidates(TaskIndex task, NodeIndex node) const {
    const JobIndex job = cycle_.tables().tasks.job[task];
    const QueueIndex queue = cycle_.world.queue_of(task);
    Tasks own, others, all;
    for (TaskIndex t : cycle_.world.on_node[node]) {
      const JobIndex giver = cycle_.tables().tasks.job[t];
      if (!Runs(t) || !IsOfElastic(t) || giver == job || !cycle_.world.preemptable(t)) continue;
      if (!CanGive(t)) continue;
      const QueueIndex other = cycle_.world.queue_of(t);
      if (other == queue && SpecOf(cycle_, giver).priority < SpecOf(cycle_, job).priority) {
        own.push_back(t);
      }
      if (other != queue && cycle_.tables().queues.spec[other].reclaimable) others.push_back(t);
    }
    if (!own.empty()) all = Preemptable(cycle_, task, own);
    if (!others.empty() && Preemptive(cycle_, queue, task)) {
      for (TaskIndex t : Reclaimable(cycle_, task, others)) all.push_back(t);
    }
    return all;
  }

  bool Fits(TaskIndex task, NodeIndex node) const {
    return HasRoomLater(cycle_.world, task, node) &&
           Allocatable(cycle_, cycle_.world.queue_of(task), task) &&
           !Judge(cycle_, task, node).refusal && LeavesRoom(cycle_, task, node);
  }

  void Spare(const World& before, std::vector<Step>* steps) {
    for (size_t s = steps->size(); s-- > 0;) {
      for (size_t v = (*steps)[s].victims.size(); v-- > 0;) {
        std::vector<Step> fewer = *steps;
        fewer[s].victims.erase(fewer[s].victims.begin() + static_cast<std::ptrdiff_t>(v));
        if (Holds(before, fewer)) *steps = fewer;
      }
    }
  }
  bool Holds(const World& before, const std::vector<Step>& steps) {
    cycle_.world = before;
    for (const Step& step : steps) {
      for (TaskIndex victim : step.victims) Evict(cycle_.world, victim);
    }
    for (const Step& step : steps) {
      if (!Fits(step.task, step.node)) return false;
      Place(cycle_.world, step.task, step.node, TaskStatus::kNominated);
    }
    return true;
  }

  Cycle& cycle_;
};

bool MayGrow(const Cycle& cycle, JobIndex job) {
  if (!IsElastic(cycle, job) || !Waits(cycle, job) || !JobReady(cycle, job)) return false;
  const std::optional<int64_t> most = SpecOf(cycle, job).gang->elastic->most;
  return !most || PlacedOf(cycle, job, kNone) + CountWaiting(cycle.world, job) < *most;
}

void TakeFrom(const Cycle& cycle, TaskIndex task, std::vector<absl::int128>* spare) {
  const auto request = cycle.world.request(task);
  for (size_t d = 0; d < spare->size(); ++d) {
    if (request[d] > 0) (*spare)[d] -= request[d];
  }
}

std::vector<absl::int128> IdleBeyondWaiting(const Cycle& cycle) {
  const World& world = cycle.world;
  std::vector<absl::int128> spare(world.dimensions(), 0);
  for (NodeIndex n = 0; n < world.in_session.size(); ++n) {
    const NodeTable& nodes = cycle.tables().nodes;
    if (!nodes.alive[n] || !nodes.spec[n].ready || nodes.spec[n].unschedulable) continue;
    const Row later = world.future_idle(n);
    for (size_t d = 0; d < spare.size(); ++d) {
      spare[d] += std::max<int64_t>(0, std::min(world.idle[n][d], later[d]));
    }
  }
  for (JobIndex j : world.session_jobs()) {
    if (!Waits(cycle, j)) continue;
    Tasks tasks = AllTasksToPlace(cycle, j);
    std::erase_if(tasks, [&](TaskIndex t) { return world.best_effort(t); });
    if (IsElastic(cycle, j)) tasks = OfTheGang(cycle, j, tasks);
    if (tasks.empty() || !Allocatable(cycle, cycle.tables().jobs.queue[j], tasks[0])) continue;
    for (TaskIndex t : tasks) TakeFrom(cycle, t, &spare);
  }
  return spare;
}

bool Grow(Cycle& cycle, TaskIndex task, std::vector<absl::int128>* spare) {
  const auto request = cycle.world.request(task);
  for (size_t d = 0; d < spare->size(); ++d) {
    if (d != kPods && request[d] > 0 && request[d] > (*spare)[d]) return false;
  }
  if (!Allocatable(cycle, cycle.world.queue_of(task), task)) return false;
  const NodeIndex node = IdlePlace(cycle, task, cycle.world.session_nodes());
  if (node == kNone || !HasRoomNow(cycle.world, task, node)) return false;
  Statement statement;
  DoAllocate(cycle, statement, task, node);
  Commit(cycle, statement);
  TakeFrom(cycle, task, spare);
  return true;
}

}  // namespace

void RunFairShrink(Cycle& cycle) {
  if (!Shrinker(cycle).Run()) return;
  if (FindPolicy(cycle, "fairshare") != nullptr) CountDeserved(cycle);
}

void RunFairGrow(Cycle& cycle) {
  std::set<JobIndex> jobs;
  std::map<JobIndex, Tasks> tasks;
  for (JobIndex j : cycle.world.session_jobs()) {
    if (!MayGrow(cycle, j)) continue;
    jobs.insert(j);
    tasks[j] = AllTasksToPlace(cycle, j);
  }
  if (jobs.empty()) return;
  std::vector<absl::int128> spare = IdleBeyondWaiting(cycle);
  for (JobIndex j; (j = NextInFairOrder(cycle, jobs)) != kNone;) {
    bool grew = false;
    ClassIndex failed = kNone;
    while (!grew && !tasks[j].empty()) {
      const TaskIndex task = tasks[j].front();
      tasks[j].erase(tasks[j].begin());
      const ClassIndex c = cycle.tables().tasks.task_class[task];
      if (c == failed) continue;
      grew = Grow(cycle, task, &spare);
      if (!grew) failed = c;
    }
    if (!grew || !MayGrow(cycle, j)) jobs.erase(j);
  }
}

}  // namespace muster::reference
