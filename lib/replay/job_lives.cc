// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/replay/job_lives.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/base/math.h"

namespace muster {
namespace {

constexpr uint32_t kGivenBack = kNone;  // the turn of an end after its job has left

// Returns the costs of a stop that are known at submission. Absent: nothing is kept, and a restart
// costs nothing. An evicted job seldom comes back to nodes that were taken from it.
std::optional<Lifetime> LifetimeBy(const Recovery& recovery) {
  Lifetime lifetime;
  const int64_t restart = SatAdd(recovery.restart_seconds, recovery.migration_seconds);
  if (restart > 0) lifetime.restart_cost = std::min(restart, kEndless);
  // What is saved on eviction is saved whenever that is.
  if (recovery.evicted_jobs_checkpoint) lifetime.checkpointed = kEndless;
  return lifetime == Lifetime() ? std::nullopt : std::optional(lifetime);
}

}  // namespace

JobLives::JobLives(const Trace& trace, const RunGuesses& guesses, const ReplayOptions& options,
                   World* world, EventQueue* events, ReplayResult* result)
    : trace_(trace),
      options_(options),
      world_(*world),
      events_(*events),
      result_(*result),
      estimates_(trace, guesses),
      jobs_(trace.size()),
      placements_(options.record_placements),
      lifetime_(LifetimeBy(options.recovery)) {}

int64_t JobLives::MinTasks(uint32_t row) const {
  const uint32_t least = trace_.min_tasks.empty() ? 0 : trace_.min_tasks[row];
  return least == 0 ? trace_.tasks[row] : least;
}

void JobLives::SetWants(uint32_t row) {
  Job& job = jobs_[row];
  const bool wants = result_.end[row] == kAbsent && job.running < trace_.tasks[row];
  wanting_ += wants - job.wants;
  job.wants = wants;
}

// An end that was to come before is void.
void JobLives::PushEnd(uint32_t row, int64_t time) {
  Job& job = jobs_[row];
  job.ends = time;
  ++job.turn;
  if (time <= kEndless) events_.Push({time, EventKind::kEnd, row, 0, job.turn});
}

absl::StatusOr<bool> JobLives::Submit(uint32_t row) {
  result_.submit[row] = now_;
  if (!world_.FitsEmpty(trace_.shape[row], MinTasks(row))) {
    result_.outcome[row] = JobOutcome::kRefused;
    return false;
  }
  result_.outcome[row] = JobOutcome::kWaiting;
  jobs_[row].progress.Submit(trace_.run[row], trace_.tasks[row], world_.speeds().WorkUnit(row));
  jobs_[row].estimate = estimates_.First(row);
  const bool has_none = trace_.estimate[row] == kAbsent && !tells_run_;
  const absl::Status added =
      world_.AddJob(row, now_, MinTasks(row),
                    has_none ? std::nullopt : std::optional(jobs_[row].estimate), lifetime_);
  if (!added.ok()) return added;
  SetWants(row);
  return true;
}

// Called after binds: the job begins, or goes on faster.
void JobLives::Go(uint32_t row) {
  Job& job = jobs_[row];
  SetWants(row);
  if (job.running < MinTasks(row)) return;
  if (job.progress.active()) {
    PushEnd(row, job.progress.ChangeRate(now_, RateOf(row)));
    job.saved = kAbsent;  // tasks that have just begun do not have it
    return;
  }
  if (job.stopped) {
    job.pause = options_.recovery.restart_seconds;
    if (Places(row) != job.places) job.pause += options_.recovery.migration_seconds;
    TellEstimate(row);
  }
  if (result_.start[row] == kAbsent) result_.start[row] = now_;
  result_.outcome[row] = JobOutcome::kRunning;
  world_.editor().SetPhase(world_.job(row), JobPhase::kRunning);
  PushEnd(row, job.progress.Begin(now_, RateOf(row), job.pause));
  job.began = now_;
  job.saved = now_;
  const Recovery& recovery = options_.recovery;
  if (recovery.checkpoint_interval > 0 && !recovery.evicted_jobs_checkpoint) saving_.insert(row);
  ++job.beginnings;
  WatchEstimate(row);
  ++active_;
}

// Returns the estimate from the job's last beginning, or the one to come: without the work that it
// has kept, and with the pause before it goes on.
int64_t JobLives::EstimateLeft(uint32_t row) const {
  const Job& job = jobs_[row];
  if (!job.stopped) return job.estimate;
  return SatAdd(std::max<int64_t>(job.estimate - job.kept_seconds, 1), job.pause);
}

// A job that was told no estimate gets none.
void JobLives::TellEstimate(uint32_t row) {
  const std::optional<int64_t>& told = world_.tables().jobs.spec[world_.job(row)].estimate;
  const int64_t left = EstimateLeft(row);
  if (told.has_value() && *told != left) world_.SetEstimate(row, left);
}

// A guess is checked when its time has come. The user's own estimate is never corrected.
void JobLives::WatchEstimate(uint32_t row) {
  const Job& job = jobs_[row];
  if (!estimates_.corrects() || job.estimate >= estimates_.User(row)) return;
  events_.Push({SatAdd(job.began, EstimateLeft(row)), EventKind::kCorrect, row, 0, job.beginnings});
}

absl::Status JobLives::TellCheckpoints() {
  for (const uint32_t row : saving_) {
    Job& job = jobs_[row];
    const int64_t saved = job.progress.SavedAt(now_, IntervalOf(row));
    if (saved == job.saved) continue;
    job.saved = saved;
    Lifetime lifetime = lifetime_.value_or(Lifetime());
    lifetime.checkpointed = saved;
    if (absl::Status s = world_.SetLifetime(row, lifetime); !s.ok()) return s;
  }
  return absl::OkStatus();
}

void JobLives::DropVoidCorrections() {
  while (!events_.empty() && events_.top().kind == EventKind::kCorrect) {
    const Event& event = events_.top();
    const Job& job = jobs_[event.job];
    if (job.beginnings == event.turn && job.progress.active() && job.ends > event.time) return;
    events_.Pop();
  }
}

void JobLives::Correct(uint32_t row) {
  Job& job = jobs_[row];
  job.estimate = estimates_.Corrected(row, job.estimate, job.corrections++);
  TellEstimate(row);
  WatchEstimate(row);
}

std::vector<NodeIndex> JobLives::Places(uint32_t row) const {
  std::vector<NodeIndex> places;
  for (TaskIndex task : world_.tasks_of(row)) {
    const NodeIndex node = tasks().node[task];
    if (node != kNone) places.push_back(node);
  }
  std::sort(places.begin(), places.end());
  return places;
}

// Returns the units of work a second that its running tasks do.
int64_t JobLives::RateOf(uint32_t row) const {
  if (world_.speeds().WorkUnit(row) == 1) return jobs_[row].running;
  std::vector<uint32_t> nodes;
  for (const TaskIndex task : world_.tasks_of(row)) {
    if (tasks().node[task] == kNone || tasks().status[task] == TaskStatus::kWaiting) continue;
    nodes.push_back(world_.machine_row(tasks().node[task]));
  }
  return world_.speeds().Rate(row, nodes);
}

// Returns the units of work between two checkpoints; 0: there are none.
int64_t JobLives::IntervalOf(uint32_t row) const {
  const int64_t unit = world_.speeds().WorkUnit(row);
  return SatMul(SatMul(options_.recovery.checkpoint_interval, trace_.tasks[row]), unit);
}

// Returns a task's place among those of its job.
uint32_t JobLives::PlaceOf(uint32_t row, TaskIndex task) const {
  const std::vector<TaskIndex>& all = world_.tasks_of(row);
  return static_cast<uint32_t>(std::lower_bound(all.begin(), all.end(), task) - all.begin());
}

bool JobLives::End(const Event& event) {
  if (event.turn != kGivenBack) {
    if (jobs_[event.job].turn != event.turn) return false;
    GiveBack(event.job);
  }
  estimates_.Ended(event.job);
  return true;
}

void JobLives::GiveBack(uint32_t row) {
  Job& job = jobs_[row];
  for (TaskIndex task : world_.tasks_of(row)) {
    const NodeIndex node = tasks().node[task];
    if (node == kNone) continue;
    world_.Account(row, node, -1);
    const uint32_t place = PlaceOf(row, task);
    leaves_.erase(HeldPlaces::Place{row, place});
    if (!held_.Take({row, place})) placements_.End(row, place, now_);
  }
  job.progress.Finish();
  ++job.turn;
  result_.end[row] = now_;
  result_.outcome[row] = JobOutcome::kDone;
  ++advances_;
  SetWants(row);
  saving_.erase(row);
  --active_;
  world_.RemoveJob(row);
}

void JobLives::EndByEstimate() {
  std::vector<Event> ends;
  while (!events_.empty() && events_.top().time == now_ && events_.top().kind == EventKind::kEnd) {
    ends.push_back(events_.Pop());
  }
  for (Event& event : ends) {
    if (jobs_[event.job].turn == event.turn && jobs_[event.job].estimate <= trace_.run[event.job]) {
      GiveBack(event.job);
      event.turn = kGivenBack;
    }
    events_.Push(event);
  }
}

bool JobLives::Leave(const Event& event) {
  const auto leaves = leaves_.find(HeldPlaces::Place{event.job, event.task});
  if (leaves == leaves_.end() || leaves->second != event.time) return false;
  Lose(event.job, {world_.tasks_of(event.job)[event.task]}, /*failed=*/false);
  return true;
}

bool JobLives::Expire(const Event& event) {
  if (result_.end[event.job] != kAbsent) return false;
  const TaskIndex task = world_.tasks_of(event.job)[event.task];
  if (tasks().status[task] != TaskStatus::kWaiting || tasks().waits_until[task] > now_) {
    return false;
  }
  held_.Take({event.job, event.task});
  world_.Release(event.job, task);
  return true;
}

void JobLives::Lose(uint32_t row, const std::vector<TaskIndex>& tasks, bool failed) {
  Job& job = jobs_[row];
  const std::vector<NodeIndex> places = Places(row);
  for (TaskIndex task : tasks) Release(row, task);
  if (job.progress.active() && job.running >= MinTasks(row)) {
    PushEnd(row, job.progress.ChangeRate(now_, RateOf(row)));
    SetWants(row);
    return;
  }
  if (job.progress.active()) {
    const Recovery& recovery = options_.recovery;
    int64_t interval = IntervalOf(row);
    if (!failed && recovery.evicted_jobs_checkpoint) interval = -1;
    const int64_t lost = job.progress.Stop(now_, interval) / world_.speeds().WorkUnit(row);
    ++stops_;
    if (job.progress.done() > job.kept && trace_.run[row] != kEndless) {
      job.kept = job.progress.done();
      ++advances_;
    }
    result_.stops.resize(trace_.size(), 0);
    result_.lost.resize(trace_.size(), 0);
    ++result_.stops[row];
    result_.lost[row] = SatAdd(result_.lost[row], lost);
    result_.outcome[row] = JobOutcome::kWaiting;
    job.stopped = true;
    job.places = places;
    const int64_t each_second = int64_t{trace_.tasks[row]} * world_.speeds().WorkUnit(row);
    job.kept_seconds = job.progress.done() / each_second;
    // It seldom comes back to the nodes that it has lost.
    job.pause = SatAdd(recovery.restart_seconds, recovery.migration_seconds);
    TellEstimate(row);
    saving_.erase(row);
    --active_;
  }
  ++job.turn;
  for (TaskIndex task : world_.tasks_of(row)) {
    if (world_.tables().tasks.node[task] == kNone) continue;
    Release(row, task);
  }
  SetWants(row);
}

void JobLives::Release(uint32_t row, TaskIndex task) {
  const uint32_t place = PlaceOf(row, task);
  leaves_.erase(HeldPlaces::Place{row, place});
  const bool ran = !held_.Take({row, place});
  if (ran) placements_.End(row, place, now_);
  world_.Release(row, task);
  jobs_[row].running -= ran;
}

void JobLives::Clear(NodeIndex node) {
  std::vector<std::pair<uint32_t, TaskIndex>> hit;
  for (TaskIndex task : world_.editor().TasksOn(node)) hit.emplace_back(RowOf(task), task);
  std::sort(hit.begin(), hit.end());
  for (size_t i = 0; i < hit.size();) {
    std::vector<TaskIndex> lost;
    const uint32_t row = hit[i].first;
    for (; i < hit.size() && hit[i].first == row; ++i) {
      // A gang that stopped has left already.
      if (tasks().node[hit[i].second] == node) lost.push_back(hit[i].second);
    }
    if (!lost.empty()) Lose(row, lost, /*failed=*/true);
  }
}

// What it runs on has changed. In the order of the decisions, which orders events.
void JobLives::NoteBegun(uint32_t row) {
  if (!jobs_[row].begins) begun_.push_back(row);
  jobs_[row].begins = true;
}

void JobLives::Migrate(TaskIndex task, std::string_view from) {
  const uint32_t row = RowOf(task);
  const NodeIndex to = tasks().node[task];
  placements_.End(row, PlaceOf(row, task), now_);
  if (const auto node = world_.tables().nodes.names.Find(from); node.has_value()) {
    world_.Account(row, *node, -1);
  }
  // It is the same run, from its start on.
  const int64_t started = tasks().started[task];
  world_.Run(row, task, to, started == kAbsent ? now_ : started);
  placements_.Begin(row, PlaceOf(row, task), world_.machine_row(to), now_);
  if (world_.speeds().WorkUnit(row) != 1) NoteBegun(row);
}

void JobLives::Evict(TaskIndex task) {
  const uint32_t row = RowOf(task);
  const uint32_t place = PlaceOf(row, task);
  ++result_.evictions;
  const int64_t time = now_ + std::max<int64_t>(options_.eviction_seconds, 1);
  leaves_.try_emplace(HeldPlaces::Place{row, place}, time);  // it may leave already
  if (time <= kEndless) events_.Push({time, EventKind::kLeft, row, place});
}

void JobLives::Begin(TaskIndex task) {
  const uint32_t row = RowOf(task);
  BeginOn(row, task, held_.Take({row, PlaceOf(row, task)}));
}

// The task runs on its node from now on. `held`: it held the node before.
void JobLives::BeginOn(uint32_t row, TaskIndex task, bool held) {
  const NodeIndex node = tasks().node[task];
  if (held) {
    world_.Start(task, node, now_);
  } else {
    world_.Run(row, task, node, now_);
  }
  placements_.Begin(row, PlaceOf(row, task), world_.machine_row(node), now_);
  ++jobs_[row].running;
  NoteBegun(row);
}

// The task holds its node, and waits there for its group or its deadline.
void JobLives::Hold(TaskIndex task, const Reservation& reservation) {
  const uint32_t row = RowOf(task);
  const uint32_t place = PlaceOf(row, task);
  if (!held_.Take({row, place})) world_.Account(row, tasks().node[task], 1);
  held_.Add({row, place}, reservation.waiting_group);
  if (reservation.until == kAbsent || reservation.until > kEndless) return;
  events_.Push({std::max(reservation.until, now_ + 1), EventKind::kExpired, row, place});
}

void JobLives::FinishPlan() {
  const auto lacks = [this](uint32_t row) {
    return jobs_[row].running + held_.held(row) < MinTasks(row);
  };
  for (const HeldPlaces::Place& task : held_.TakeWhole(lacks)) {
    BeginOn(task.row, world_.tasks_of(task.row)[task.place], /*held=*/true);
  }
  for (uint32_t row : begun_) {
    jobs_[row].begins = false;
    Go(row);
  }
  begun_.clear();
}

}  // namespace muster
