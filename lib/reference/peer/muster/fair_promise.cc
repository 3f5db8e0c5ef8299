// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Promises of the muster profile: a gang that finds no place is promised the first time at which it
// finds places when all are gone that should have ended by then. Every such time is tried, in a
// copy of the world. What a promise leaves of a node is added up at every question.
#include <algorithm>
#include <map>
#include <set>

#include "lib/reference/peer/muster/fair.h"

namespace muster::reference {

namespace {

std::string PromiseOption(const Cycle& cycle, const std::string& key, const std::string& usual) {
  const auto action = cycle.profile->action_options.find("allocate");
  if (action == cycle.profile->action_options.end()) return usual;
  const auto option = action->second.find(key);
  return option == action->second.end() ? usual : option->second;
}

std::optional<int64_t> RunOf(const Cycle& cycle, JobIndex job,
                             const std::optional<Lifetime>& lifetime) {
  std::optional<int64_t> run;
  if (job != kNone) run = cycle.tables().jobs.spec[job].estimate;
  if (!lifetime || !lifetime->max_runtime) return run;
  return run ? std::min(*run, *lifetime->max_runtime) : *lifetime->max_runtime;
}

std::optional<Lifetime> LifetimeOfJob(const Cycle& cycle, JobIndex job) {
  if (job == kNone || !cycle.tables().jobs.spec[job].lifetime) return std::nullopt;
  return *cycle.tables().jobs.spec[job].lifetime;
}

// When the task should end; nullopt: it is not known.
std::optional<int64_t> EndOf(const Cycle& cycle, TaskIndex task) {
  const Tables& tables = cycle.tables();
  const std::optional<Lifetime> lifetime = KnownLifetime(cycle, task);
  if (lifetime && lifetime->expected_end) return std::max(*lifetime->expected_end, cycle.now + 1);
  const std::optional<int64_t> run = RunOf(cycle, tables.tasks.job[task], lifetime);
  if (!run) return std::nullopt;
  const int64_t started = tables.tasks.started[task];
  return std::max((started == kAbsent ? cycle.now : started) + *run, cycle.now + 1);
}

bool EndsBy(const Cycle& cycle, JobIndex job, std::optional<int64_t> time) {
  const std::optional<int64_t> run = RunOf(cycle, job, LifetimeOfJob(cycle, job));
  return run && time && cycle.now + std::max<int64_t>(*run, 1) <= *time;
}

// Whether no promise lasts longer than a cycle.
bool ComesAnew(const std::string& kind) { return kind == "head" || kind == "heads"; }

bool HasWaitedTooLong(const Cycle& cycle, JobIndex job) {
  const double limit = std::stod(PromiseOption(cycle, "age_limit", "86400"));
  const int64_t age = cycle.now - cycle.tables().jobs.spec[job].created;
  return age >= 0 && static_cast<double>(age) >= limit;
}

bool Binds(const Cycle& cycle, const FairPromise& promise, JobIndex job) {
  const auto& specs = cycle.tables().jobs.spec;
  if (promise.job == job) return false;
  const bool too_old =
      ComesAnew(PromiseOption(cycle, "promise", "off")) && HasWaitedTooLong(cycle, promise.job);
  if (!too_old && specs[job].priority > specs[promise.job].priority) return false;
  if (!Fair(cycle).planning && JobPipelined(cycle, promise.job)) return false;
  return Fair(cycle).planning || !EndsBy(cycle, job, promise.time);
}

bool WithinGuarantee(const Cycle& cycle, TaskIndex task) {
  const Tables& tables = cycle.tables();
  const QueueIndex queue = cycle.world.queue_of(task);
  for (size_t d = 0; d < cycle.world.dimensions(); ++d) {
    const int64_t request = cycle.world.request(task)[d];
    if (request <= 0 || d == kPods) continue;
    int64_t held = request;
    for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
      QueueIndex above = q;
      while (above != kNone && above != queue) above = tables.queues.parent[above];
      if (tables.queues.alive[q] && above == queue) held += cycle.world.queue_allocated[q][d];
    }
    const int64_t guaranteed = tables.queues.guaranteed.row(queue)[d];
    if (guaranteed == kAbsent || held > guaranteed) return false;
  }
  return true;
}

// Whether amounts do not tell if the task fits beside others.
bool MeetsOthers(const TaskShape& shape) {
  return !shape.devices.empty() || !shape.host_ports.empty() || !shape.spread.empty() ||
         !shape.required_affinity.empty() || !shape.required_anti_affinity.empty();
}

bool HasRoom(const Cycle& cycle, const FairPromise& promise, TaskIndex task, NodeIndex node) {
  const World& world = cycle.world;
  for (TaskIndex t : world.tasks_of(promise.job)) {
    if (MeetsOthers(world.shape(t)) || MeetsOthers(world.shape(task))) return false;
  }
  Row room = world.future_idle(node);
  for (TaskIndex t : world.on_node[node]) {
    const std::optional<int64_t> end = EndOf(cycle, t);
    if (!IsAllocated(world.status[t]) || !promise.time || !end || *end > *promise.time) continue;
    AddTo(room, world.request(t), 1);
  }
  AddTo(room, promise.places.at(node), -1);
  for (size_t d = 0; d < world.dimensions(); ++d) {
    if (d == kPods && !world.counts_pods[node]) continue;
    const int64_t request = world.initial_request(task)[d];
    if (request > 0 && request > room[d]) return false;
  }
  return true;
}

// Whether the gang finds places in the world as it is; then they are the promise's, at that time.
bool FitsAt(Cycle& cycle, std::optional<int64_t> time, const FairWay& place, FairPromise& promise) {
  const World before = cycle.world;
  Statement statement;
  const bool fits = place(statement);
  promise.time = time;
  promise.places.clear();
  for (const Operation& operation : statement) {
    const auto [at, added] =
        promise.places.try_emplace(operation.node, Row(cycle.world.dimensions(), 0));
    AddTo(at->second, cycle.world.initial_request(operation.task), 1);
  }
  cycle.world = before;
  return fits;
}

bool FindStart(Cycle& cycle, JobIndex job, const FairWay& place, FairPromise& promise) {
  if (FitsAt(cycle, cycle.now, place, promise)) return true;
  std::map<int64_t, std::vector<TaskIndex>> ends;
  std::vector<TaskIndex> others;
  for (TaskIndex t = 0; t < cycle.world.status.size(); ++t) {
    if (!cycle.tables().tasks.alive[t] || !IsAllocated(cycle.world.status[t])) continue;
    if (cycle.tables().tasks.job[t] == job) continue;
    if (const auto end = EndOf(cycle, t)) {
      ends[*end].push_back(t);
    } else {
      others.push_back(t);
    }
  }
  const World before = cycle.world;
  bool found = false;
  for (auto it = ends.begin(); it != ends.end() && !found; ++it) {
    for (TaskIndex t : it->second) Evict(cycle.world, t);
    found = FitsAt(cycle, it->first, place, promise);
  }
  const bool drains = !ComesAnew(PromiseOption(cycle, "promise", "off"));
  if (!found && drains && HasWaitedTooLong(cycle, job) && !others.empty()) {
    for (TaskIndex t : others) Evict(cycle.world, t);
    found = FitsAt(cycle, std::nullopt, place, promise);
  }
  cycle.world = before;
  return found;
}

}  // namespace

std::optional<Lifetime> KnownLifetime(const Cycle& cycle, TaskIndex task) {
  const Tables& tables = cycle.tables();
  const auto facts = tables.tasks.facts.find(task);
  if (facts != tables.tasks.facts.end() && facts->second.lifetime) {
    return *facts->second.lifetime;
  }
  return LifetimeOfJob(cycle, tables.tasks.job[task]);
}

bool LeavesRoom(const Cycle& cycle, TaskIndex task, NodeIndex node) {
  for (const FairPromise& promise : Fair(cycle).promises) {
    if (promise.places.count(node) == 0) continue;
    if (!Binds(cycle, promise, cycle.tables().tasks.job[task])) continue;
    if (!WithinGuarantee(cycle, task) && !HasRoom(cycle, promise, task, node)) return false;
  }
  return true;
}

bool BoundByPromise(const Cycle& cycle, JobIndex job) {
  const auto& promises = Fair(cycle).promises;
  return std::any_of(promises.begin(), promises.end(),
                     [&](const FairPromise& promise) { return Binds(cycle, promise, job); });
}

bool KeptFromJob(const Cycle& cycle, JobIndex job, NodeIndex node) {
  const auto& promises = Fair(cycle).promises;
  return std::any_of(promises.begin(), promises.end(), [&](const FairPromise& promise) {
    return promise.places.count(node) > 0 && Binds(cycle, promise, job);
  });
}

void PromiseStart(Cycle& cycle, JobIndex job, const FairWay& place) {
  const std::string kind = PromiseOption(cycle, "promise", "off");
  std::vector<FairPromise>& promises = Fair(cycle).promises;
  std::erase_if(promises,
                [&](const FairPromise& promise) { return JobPipelined(cycle, promise.job); });
  if (kind == "off" || !Fair(cycle).promises_on) return;
  const auto& queue = cycle.tables().jobs.queue;
  for (const FairPromise& promise : promises) {
    const bool per_queue = kind == "queue" || kind == "heads";
    if (promise.job == job || !per_queue || queue[promise.job] == queue[job]) return;
  }
  FairPromise promise{job};
  Fair(cycle).planning = true;
  const bool found = FindStart(cycle, job, place, promise);
  Fair(cycle).planning = false;
  if (found) promises.push_back(promise);
}

JobIndex OldestToPromise(const Cycle& cycle, const std::set<JobIndex>& jobs) {
  if (!Fair(cycle).promises_on || !ComesAnew(PromiseOption(cycle, "promise", "off"))) return kNone;
  const auto& table = cycle.tables().jobs;
  std::map<std::pair<QueueIndex, int64_t>, JobIndex> firsts;
  for (JobIndex job : jobs) {
    const auto [at, added] = firsts.try_emplace({table.queue[job], table.spec[job].priority}, job);
    if (JobLess(cycle, job, at->second)) at->second = job;
  }
  if (firsts.size() < 2) return kNone;
  JobIndex oldest = kNone;
  for (const auto& [kind, job] : firsts) {
    if (!HasWaitedTooLong(cycle, job) || JobPipelined(cycle, job)) continue;
    const int64_t created = table.spec[job].created;
    const bool as_old = oldest != kNone && created == table.spec[oldest].created;
    if (oldest == kNone || created < table.spec[oldest].created ||
        (as_old && JobLess(cycle, job, oldest))) {
      oldest = job;
    }
  }
  return oldest;
}

std::vector<JobIndex> TakePromisesBack(Cycle& cycle) {
  std::vector<JobIndex> jobs;
  for (const FairPromise& promise : Fair(cycle).promises) {
    if (!JobPipelined(cycle, promise.job)) jobs.push_back(promise.job);
  }
  Fair(cycle).promises.clear();
  return jobs;
}

}  // namespace muster::reference
