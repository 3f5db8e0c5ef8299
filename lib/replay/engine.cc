// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The event loop over a living cluster.
//
// Read Run first. Events of the world (submissions, ends, evicted tasks that have left, nodes)
// change the cluster's tables by single edits. Then a cycle of the profile plans on them, and the
// plan is applied: a bound task runs at once, an evicted one leaves after its time. Nothing is
// built anew. The loop's session follows the tables, and one plan's memory serves the next. A plan
// copies names only where it is followed later.
//
// Order of events at one time: corrections of estimates, submissions, ends, evicted tasks that
// leave, places that expire, nodes, late decisions; equal kinds by insertion. A job runs while at
// least min_tasks of its tasks do. When a stop leaves it fewer, all its tasks stop and wait again,
// and Recovery decides how much of its work is left.
#include "lib/replay/engine.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/hash_map.h"
#include "lib/base/math.h"
#include "lib/model/access.h"
#include "lib/peer/training/round_rows.h"
#include "lib/plan/plan_data.h"
#include "lib/policy/history_slots.h"
#include "lib/profile/profile.h"
#include "lib/replay/arrivals.h"
#include "lib/replay/estimate_readers.h"
#include "lib/replay/estimates.h"
#include "lib/replay/event_queue.h"
#include "lib/replay/held_places.h"
#include "lib/replay/node_faults.h"
#include "lib/replay/node_health.h"
#include "lib/replay/placements.h"
#include "lib/replay/progress.h"
#include "lib/replay/series.h"
#include "lib/replay/world.h"
#include "lib/session/session.h"
#include "muster/schedule.h"

namespace muster {
namespace {

constexpr uint32_t kGivenBack = kNone;  // the turn of an end after its job has left

struct Job {
  Progress progress;
  int64_t estimate = 0;
  uint32_t running = 0;  // tasks
  uint32_t turn = 0;     // grows when an event of it becomes void
  uint32_t beginnings = 0;
  int64_t began = 0, ends = 0;  // the last beginning, and when the job should end as things are
  uint8_t corrections = 0;
  bool wants = false;  // some task waits
  bool stopped = false;
  bool begins = false;            // while a plan is followed
  std::vector<NodeIndex> places;  // of the turn before a stop, ascending; nodes are never dropped
};

class Loop {
 public:
  Loop(const Trace& trace, std::string_view profile, const RunGuesses& guesses,
       const ReplayOptions& options)
      : trace_(trace),
        profile_(profile),
        options_(options),
        arrivals_(trace, options.follow_preceding),
        estimates_(trace, guesses),
        faults_(trace, options),
        health_(trace.machine.nodes),
        world_(trace),
        jobs_(trace.size()),
        placements_(options.record_placements),
        sampler_(world_, &result_.series) {}

  absl::StatusOr<ReplayResult> Run() {
    if (absl::Status s = Open(); !s.ok()) return s;
    while (status_.ok()) {
      DropVoidCorrections();
      int64_t now = std::min(arrivals_.next_time(), faults_.next_time());
      if (!events_.empty()) now = std::min(now, events_.top().time);
      const int64_t tick = NextTick();
      if (IsOver(tick)) break;
      now = std::min(now, tick);
      if (now > options_.until) break;
      if (options_.progress) options_.progress(now);
      if (options_.should_stop && options_.should_stop()) {
        result_.complete = false;
        break;
      }
      SampleUntil(now);
      now_ = now;
      HandleInstant();
      const bool rounds = options_.cycles == CycleTiming::kRounds;
      if (rounds && now == tick) Changed();
      if (rounds || options_.cycles == CycleTiming::kEachInstant || now == tick) {
        Cycle(/*again=*/true);
      }
    }
    if (!status_.ok()) return status_;
    SampleUntil(now_ + 1);
    result_.placements = placements_.Take();
    return std::move(result_);
  }

 private:
  absl::Status Open() {
    const size_t n = trace_.size();
    result_.policy = profile_;
    result_.processors = 0;
    result_.submit.assign(n, kAbsent);
    result_.start.assign(n, kAbsent);
    result_.end.assign(n, kAbsent);
    result_.outcome.assign(n, JobOutcome::kNotSubmitted);
    for (const auto* events : {&trace_.node_events, &options_.node_events}) {
      for (const NodeEvent& event : *events) {
        if (const auto nodes = world_.NodesOf(event.name); !nodes.ok()) return nodes.status();
      }
    }
    std::vector<uint8_t> absent(trace_.machine.nodes.size(), 0);
    for (const std::string& name : faults_.Absent()) {
      const absl::StatusOr<std::vector<uint32_t>> rows = world_.NodesOf(name);
      for (uint32_t row : *rows) absent[row] = 1;
    }
    for (uint32_t row = 0; row < absent.size(); ++row) {
      if (!absent[row]) health_.Take(row, NodeEvent::Kind::kJoin, /*by_chance=*/false);
    }
    if (absl::Status s = world_.Build(absent); !s.ok()) return s;
    const absl::StatusOr<ProfileConfig> config =
        ResolveProfile(profile_, options_.extensions.get());
    if (!config.ok()) return config.status();
    const EstimateUse use = UseOfEstimates(*config);
    result_.clairvoyant =
        LacksEstimates(trace_) && use == EstimateUse::kNeeded && !estimates_.guesses_all();
    tells_run_ = use != EstimateUse::kOptional || estimates_.guesses_all();
    const auto has_slot = [&](std::string_view slot) {
      return std::any_of(config->memory.begin(), config->memory.end(),
                         [slot](const MemoryDecl& d) { return d.slot == slot; });
    };
    acts_alone_ = has_slot(kHistorySlot.slot) || has_slot(kRoundsSlot.slot);
    session_ = std::make_unique<Session>(world_.tables(), *config, SpeedOptions());
    sampler_.Begin(trace_, options_.series_interval);
    return absl::OkStatus();
  }

  // Returns whether nothing can change any more: the only events to come are random ones of nodes,
  // and what waits found no place while no node was down by chance.
  bool IsOver(int64_t tick) const {
    if (arrivals_.next_time() != kNever || !events_.empty()) return false;
    if (tick != kNever && options_.cycles != CycleTiming::kRounds) return false;
    if (wanting_ == 0) return true;
    return faults_.list_is_over() && health_.held_by_chance() == 0 &&
           (faults_.next_time() == kNever || !dirty_);
  }

  int64_t NextTick() const {
    if (late_.has_value()) return kNever;
    if (options_.cycles == CycleTiming::kRounds) {
      // Something will end, or come: ticks are followed by an event of the world.
      const bool goes_on = arrivals_.next_time() != kNever || !events_.empty();
      if ((wanting_ == 0 && !acts_alone_) || !goes_on) return kNever;
    } else if (options_.cycles != CycleTiming::kPeriodic || !WantsCycle()) {
      return kNever;
    }
    const int64_t period = std::max<int64_t>(options_.period, 1);
    return (std::max<int64_t>(now_, last_tick_ + 1) + period - 1) / period * period;
  }

  void Changed() { dirty_ = true; }
  // A profile that learns run times sees each end when it happens, even if nothing waits. One that
  // gives types of GPUs to jobs that run moves them to better ones.
  bool WantsCycle() const { return dirty_ && (wanting_ > 0 || acts_alone_); }

  void HandleInstant() {
    const bool each = options_.cycles == CycleTiming::kEachEvent;
    for (; !events_.empty() && events_.top().time == now_ &&
           events_.top().kind == EventKind::kCorrect;
         DropVoidCorrections()) {
      ++result_.events;
      HandleTop();
    }
    if (each) EndByEstimate();
    while (status_.ok()) {
      ++result_.events;
      if (arrivals_.next_time() == now_) {
        Submit(arrivals_.Pop());
      } else if (!events_.empty() && events_.top().time == now_ &&
                 events_.top().kind <= EventKind::kExpired) {
        HandleTop();
      } else if (faults_.next_time() == now_) {
        HandleNode(faults_.Pop());
      } else if (!events_.empty() && events_.top().time == now_) {
        HandleTop();
      } else {
        --result_.events;
        return;
      }
      if (each) Cycle(/*again=*/false);
    }
  }

  void HandleTop() {
    const Event event = events_.Pop();
    switch (event.kind) {
      case EventKind::kCorrect:
        Correct(event.job);
        break;
      case EventKind::kEnd:
        if (event.turn == kGivenBack) {
          Ended(event.job);
        } else if (jobs_[event.job].turn == event.turn) {
          GiveBack(event.job);
          Ended(event.job);
        }
        break;
      case EventKind::kLeft:
        if (jobs_[event.job].turn == event.turn) Leave(event.job, event.task);
        break;
      case EventKind::kExpired:
        Expire(event.job, event.task);
        break;
      case EventKind::kDecided: {
        const Plan plan = *std::move(late_);
        late_.reset();
        Follow(plan);
        break;
      }
    }
  }

  // --- jobs

  int64_t MinTasks(uint32_t row) const {
    const uint32_t least = trace_.min_tasks.empty() ? 0 : trace_.min_tasks[row];
    return least == 0 ? trace_.tasks[row] : least;
  }

  void SetWants(uint32_t row) {
    Job& job = jobs_[row];
    const bool wants = result_.end[row] == kAbsent && job.running < trace_.tasks[row];
    wanting_ += wants - job.wants;
    job.wants = wants;
  }

  void Push(int64_t time, EventKind kind, uint32_t row, uint32_t task) {
    if (time > kEndless) return;
    events_.Push({time, kind, row, task, row == kNone ? 0 : jobs_[row].turn});
  }
  void PushEnd(uint32_t row, int64_t time) {
    jobs_[row].ends = time;
    Push(time, EventKind::kEnd, row, 0);
  }

  void Submit(uint32_t row) {
    result_.submit[row] = now_;
    if (!world_.FitsEmpty(trace_.shape[row], MinTasks(row))) {
      result_.outcome[row] = JobOutcome::kRefused;
      arrivals_.Refused(row, now_);
      return;
    }
    result_.outcome[row] = JobOutcome::kWaiting;
    jobs_[row].progress.Submit(trace_.run[row], trace_.tasks[row], world_.speeds().WorkUnit(row));
    jobs_[row].estimate = estimates_.First(row);
    const bool has_none = trace_.estimate[row] == kAbsent && !tells_run_;
    status_ = world_.AddJob(row, now_, MinTasks(row),
                            has_none ? std::nullopt : std::optional(jobs_[row].estimate));
    SetWants(row);
    Changed();
  }

  // Called after binds: the job begins, or goes on faster.
  void Go(uint32_t row) {
    Job& job = jobs_[row];
    SetWants(row);
    if (job.running < MinTasks(row)) return;
    ++job.turn;
    if (job.progress.active()) {
      PushEnd(row, job.progress.ChangeRate(now_, RateOf(row)));
      return;
    }
    int64_t pause = 0;
    if (job.stopped) {
      pause = options_.recovery.restart_seconds;
      if (Places(row) != job.places) pause += options_.recovery.migration_seconds;
    }
    if (result_.start[row] == kAbsent) result_.start[row] = now_;
    result_.outcome[row] = JobOutcome::kRunning;
    world_.editor().SetPhase(world_.job(row), JobPhase::kRunning);
    PushEnd(row, job.progress.Begin(now_, RateOf(row), pause));
    job.began = now_;
    ++job.beginnings;
    WatchEstimate(row);
    ++active_;
  }

  // A guess is checked when its time has come. The user's own estimate is never corrected.
  void WatchEstimate(uint32_t row) {
    const Job& job = jobs_[row];
    if (!estimates_.corrects() || job.estimate >= estimates_.User(row)) return;
    events_.Push({job.began + job.estimate, EventKind::kCorrect, row, 0, job.beginnings});
  }
  // Drops corrections of jobs that will have ended by then, or have stopped meanwhile.
  void DropVoidCorrections() {
    while (!events_.empty() && events_.top().kind == EventKind::kCorrect) {
      const Event& event = events_.top();
      const Job& job = jobs_[event.job];
      if (job.beginnings == event.turn && job.progress.active() && job.ends > event.time) return;
      events_.Pop();
    }
  }
  // A correction changes no node and no queue, and starts no cycle.
  void Correct(uint32_t row) {
    Job& job = jobs_[row];
    job.estimate = estimates_.Corrected(row, job.estimate, job.corrections++);
    world_.SetEstimate(row, job.estimate);
    WatchEstimate(row);
  }

  std::vector<NodeIndex> Places(uint32_t row) const {
    std::vector<NodeIndex> places;
    for (TaskIndex task : world_.tasks_of(row)) {
      const NodeIndex node = world_.tables().tasks.node[task];
      if (node != kNone) places.push_back(node);
    }
    std::sort(places.begin(), places.end());
    return places;
  }

  // Returns the units of work a second that its running tasks do.
  int64_t RateOf(uint32_t row) const {
    if (world_.speeds().WorkUnit(row) == 1) return jobs_[row].running;
    std::vector<uint32_t> nodes;
    const TaskTable& tasks = world_.tables().tasks;
    for (const TaskIndex task : world_.tasks_of(row)) {
      if (tasks.node[task] == kNone || tasks.status[task] == TaskStatus::kWaiting) continue;
      nodes.push_back(world_.machine_row(tasks.node[task]));
    }
    return world_.speeds().Rate(row, nodes);
  }

  // Returns a task's place among those of its job.
  uint32_t PlaceOf(uint32_t row, TaskIndex task) const {
    const std::vector<TaskIndex>& all = world_.tasks_of(row);
    return static_cast<uint32_t>(std::lower_bound(all.begin(), all.end(), task) - all.begin());
  }

  void GiveBack(uint32_t row) {
    Job& job = jobs_[row];
    for (TaskIndex task : world_.tasks_of(row)) {
      const NodeIndex node = world_.tables().tasks.node[task];
      if (node == kNone) continue;
      world_.Account(row, node, -1);
      const uint32_t place = PlaceOf(row, task);
      if (!held_.Take({row, place})) placements_.End(row, place, now_);
    }
    job.progress.Finish();
    ++job.turn;
    result_.end[row] = now_;
    result_.outcome[row] = JobOutcome::kDone;
    SetWants(row);
    --active_;
    world_.RemoveJob(row);
  }
  void Ended(uint32_t row) {
    estimates_.Ended(row);
    arrivals_.Ended(row, now_);
    Changed();
  }

  // Ends an evicted task's time.
  void Leave(uint32_t row, uint32_t place) {
    const TaskIndex task = world_.tasks_of(row)[place];
    if (world_.tables().tasks.status[task] != TaskStatus::kReleasing) return;
    Lose(row, {task}, /*failed=*/false);
  }

  // The deadline of a task that holds its node. It gives the node up, unless it was bound or has
  // got more time.
  void Expire(uint32_t row, uint32_t place) {
    if (result_.end[row] != kAbsent) return;
    const TaskTable& tasks = world_.tables().tasks;
    const TaskIndex task = world_.tasks_of(row)[place];
    if (tasks.status[task] != TaskStatus::kWaiting || tasks.waits_until[task] > now_) return;
    held_.Take({row, place});
    world_.Release(row, task);
    Changed();
  }

  void Lose(uint32_t row, const std::vector<TaskIndex>& tasks, bool failed) {
    Job& job = jobs_[row];
    const std::vector<NodeIndex> places = Places(row);
    for (TaskIndex task : tasks) Release(row, task);
    Changed();
    if (job.progress.active() && job.running >= MinTasks(row)) {
      // Events of its other tasks stay valid.
      PushEnd(row, job.progress.ChangeRate(now_, RateOf(row)));
      SetWants(row);
      return;
    }
    if (job.progress.active()) {
      const Recovery& recovery = options_.recovery;
      const int64_t unit = world_.speeds().WorkUnit(row);
      int64_t interval = SatMul(SatMul(recovery.checkpoint_interval, trace_.tasks[row]), unit);
      if (!failed && recovery.evicted_jobs_checkpoint) interval = -1;
      const int64_t lost = job.progress.Stop(now_, interval) / unit;
      result_.stops.resize(trace_.size(), 0);
      result_.lost.resize(trace_.size(), 0);
      ++result_.stops[row];
      result_.lost[row] += lost;
      result_.outcome[row] = JobOutcome::kWaiting;
      job.stopped = true;
      job.places = places;
      --active_;
    }
    ++job.turn;
    for (TaskIndex task : world_.tasks_of(row)) {
      if (world_.tables().tasks.node[task] == kNone) continue;
      Release(row, task);
    }
    SetWants(row);
  }
  void Release(uint32_t row, TaskIndex task) {
    const uint32_t place = PlaceOf(row, task);
    const bool ran = !held_.Take({row, place});
    if (ran) placements_.End(row, place, now_);
    world_.Release(row, task);
    jobs_[row].running -= ran;
  }

  // --- nodes

  void HandleNode(const NodeFault& fault) {
    const NodeEvent::Kind kind = fault.event.kind;
    const absl::StatusOr<std::vector<uint32_t>> rows = world_.NodesOf(fault.event.name);
    for (uint32_t row : *rows) {
      const bool was_up = health_.up(row);
      health_.Take(row, kind, fault.by_chance);
      std::optional<NodeIndex> node = world_.FindNode(row);
      if (kind == NodeEvent::Kind::kJoin && !node.has_value()) {
        status_ = world_.Join(row);
        if (!status_.ok()) return;
        node = world_.FindNode(row);
      }
      if (!node.has_value()) continue;
      result_.node_failures += kind == NodeEvent::Kind::kFail;
      if (was_up && !health_.up(row)) ClearNode(*node);
      Refresh(row, *node);
      if (!status_.ok()) return;
    }
    Changed();
  }

  // Sets the node of a row by its health.
  void Refresh(uint32_t row, NodeIndex node) {
    const NodeSpec& spec = world_.tables().nodes.spec[node];
    const bool up = health_.up(row), takes_tasks = health_.takes_tasks(row);
    if (spec.ready == up && spec.unschedulable == !takes_tasks) return;
    status_ = world_.SetUp(node, up, takes_tasks);
  }

  void ClearNode(NodeIndex node) {
    std::vector<std::pair<uint32_t, TaskIndex>> hit;
    for (TaskIndex task : world_.editor().TasksOn(node)) {
      hit.emplace_back(world_.row_of(world_.tables().tasks.job[task]), task);
    }
    std::sort(hit.begin(), hit.end());
    for (size_t i = 0; i < hit.size();) {
      std::vector<TaskIndex> tasks;
      const uint32_t row = hit[i].first;
      for (; i < hit.size() && hit[i].first == row; ++i) {
        // A gang that stopped has left already.
        if (world_.tables().tasks.node[hit[i].second] == node) tasks.push_back(hit[i].second);
      }
      if (!tasks.empty()) Lose(row, tasks, /*failed=*/true);
    }
  }

  // --- cycles

  void Cycle(bool again) {
    while (status_.ok() && WantsCycle() && !late_.has_value()) {
      dirty_ = false;
      last_tick_ = now_;
      explained_ = MayNeedReasons();
      session_->set_explains(explained_);
      ScheduleOptions schedule;
      schedule.now = now_;
      const int64_t begin = options_.clock ? options_.clock() : 0;
      auto data =
          std::make_shared<PlanData>(session_->Run(world_.tables(), schedule, std::move(spare_)));
      if (options_.clock) result_.decision_time.push_back(options_.clock() - begin);
      ++result_.passes;
      result_.work += data->work;
      result_.decisions += static_cast<int64_t>(data->decisions.size());
      sampler_.Learn(data.get());
      if (options_.latency > 0) {
        data->names = CopyNames(world_.tables(), *data);
        late_ = PlanOf(std::move(data));
        Push(now_ + options_.latency, EventKind::kDecided, kNone, 0);
        return;
      }
      const bool moved = Follow(PlanOf(data));
      spare_ = std::move(*data);
      if (!again || !moved) return;
      Changed();
    }
  }

  // Returns whether a sample may need the reasons of a plan made now. Where each instant has its
  // cycles, what happens next leads to another plan, unless it changes nothing.
  bool MayNeedReasons() const {
    int64_t next = kNever;
    if (options_.cycles == CycleTiming::kEachInstant && options_.latency == 0) {
      next = std::min(arrivals_.next_time(), faults_.next_time());
      if (!events_.empty()) next = std::min(next, events_.top().time);
    }
    return sampler_.IsDueBefore(next);
  }
  // Runs the last cycle again for its reasons alone: what came after it led to no other.
  void ExplainLastCycle() {
    ScheduleOptions schedule;
    schedule.now = last_tick_;
    explained_ = true;
    session_->set_explains(true);
    spare_ = session_->Run(world_.tables(), schedule, std::move(spare_));
    sampler_.Learn(&spare_);
  }

  // The task goes on running on the node that a plan moved it to.
  void Migrate(uint32_t row, TaskIndex task, std::string_view from) {
    const NodeTable& nodes = world_.tables().nodes;
    const NodeIndex to = world_.tables().tasks.node[task];
    placements_.End(row, PlaceOf(row, task), now_);
    if (const auto node = nodes.names.Find(from); node.has_value()) world_.Account(row, *node, -1);
    world_.Run(row, task, to, now_);
    placements_.Begin(row, PlaceOf(row, task), world_.machine_row(to), now_);
    if (world_.speeds().WorkUnit(row) != 1) NoteBegun(row);
  }
  // What it runs on has changed. In the order of the decisions, which orders events.
  void NoteBegun(uint32_t row) {
    if (!jobs_[row].begins) begun_.push_back(row);
    jobs_[row].begins = true;
  }

  // The task runs on its node from now on. `held`: it held the node before.
  void Begin(uint32_t row, TaskIndex task, bool held) {
    const NodeIndex node = world_.tables().tasks.node[task];
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
  void Hold(uint32_t row, TaskIndex task, const Reservation& reservation) {
    const uint32_t place = PlaceOf(row, task);
    if (!held_.Take({row, place})) world_.Account(row, world_.tables().tasks.node[task], 1);
    held_.Add({row, place}, reservation.waiting_group);
    if (reservation.until == kAbsent || reservation.until > kEndless) return;
    events_.Push({std::max(reservation.until, now_ + 1), EventKind::kExpired, row, place});
  }

  void BindWholeGroups() {
    const auto lacks = [this](uint32_t row) {
      return jobs_[row].running + held_.held(row) < MinTasks(row);
    };
    for (const HeldPlaces::Place& task : held_.TakeWhole(lacks)) {
      Begin(task.row, world_.tasks_of(task.row)[task.place], /*held=*/true);
    }
  }

  // Returns whether the plan admitted, bound, reserved, moved or evicted anything.
  bool Follow(const Plan& plan) {
    const bool current = plan.version() == world_.tables().version;
    if (plan.decisions().empty()) {
      world_.editor().KeepMemory(plan.memory(), current);
      return false;
    }
    if (const auto report = world_.cluster().Apply(plan); !report.ok()) {
      status_ = report.status();
      return false;
    }
    const TaskTable& tasks = world_.tables().tasks;
    bool moved = false;
    for (const Decision& decision : plan.decisions()) {
      moved |= decision.kind == DecisionKind::kAdmit;
      const bool evicts = decision.kind == DecisionKind::kEvict;
      const bool moves = decision.kind == DecisionKind::kMove;
      const bool reserves = decision.kind == DecisionKind::kReserve;
      if (decision.kind != DecisionKind::kBind && !evicts && !moves && !reserves) continue;
      const std::optional<TaskIndex> task =
          current ? decision.task : tasks.names.Find(plan.task_name(decision.task));
      if (!task.has_value()) continue;
      const uint32_t row = world_.row_of(tasks.job[*task]);
      if (decision.kind == DecisionKind::kBind && tasks.status[*task] == TaskStatus::kBinding) {
        moved = true;
        Begin(row, *task, held_.Take({row, PlaceOf(row, *task)}));
      } else if (reserves && tasks.status[*task] == TaskStatus::kWaiting) {
        moved = true;
        Hold(row, *task, plan.reservations()[decision.index]);
      } else if (moves && tasks.status[*task] == TaskStatus::kBinding) {
        moved = true;
        Migrate(row, *task, plan.node_name(plan.moves()[decision.index].from));
      } else if ((evicts || moves) && tasks.status[*task] == TaskStatus::kReleasing) {
        moved = true;
        ++result_.evictions;
        Push(now_ + std::max<int64_t>(options_.eviction_seconds, 1), EventKind::kLeft, row,
             PlaceOf(row, *task));
      }
    }
    BindWholeGroups();
    for (uint32_t row : begun_) {
      jobs_[row].begins = false;
      Go(row);
    }
    begun_.clear();
    if (options_.latency > 0 && moved) Changed();
    return moved;
  }

  // Jobs that run exactly to their estimates give their places back before any other event of the
  // time is handled, and their ends are still events of their own: see docs/replay.md.
  void EndByEstimate() {
    std::vector<Event> ends;
    while (!events_.empty() && events_.top().time == now_ &&
           events_.top().kind == EventKind::kEnd) {
      ends.push_back(events_.Pop());
    }
    for (Event& event : ends) {
      if (jobs_[event.job].turn == event.turn &&
          jobs_[event.job].estimate <= trace_.run[event.job]) {
        GiveBack(event.job);
        event.turn = kGivenBack;
      }
      events_.Push(event);
    }
  }

  void SampleUntil(int64_t time) {
    if (!explained_ && wanting_ > 0 && sampler_.IsDueBefore(time)) ExplainLastCycle();
    sampler_.SampleUntil(time, active_, wanting_,
                         [this](uint32_t row) { return jobs_[row].wants; });
  }

  const Trace& trace_;
  const std::string profile_;
  const ReplayOptions& options_;
  Arrivals arrivals_;
  Estimates estimates_;
  NodeFaults faults_;
  NodeHealth health_;
  World world_;
  std::vector<Job> jobs_;
  PlacementLog placements_;
  HeldPlaces held_;
  std::vector<uint32_t> begun_;  // jobs of which a plan that is being followed starts tasks
  ReplayResult result_;
  absl::Status status_;

  EventQueue events_;
  int64_t now_ = 0;
  int64_t wanting_ = 0, active_ = 0;  // jobs
  bool dirty_ = false;
  bool acts_alone_ = false;  // the profile decides even if nothing waits
  bool tells_run_ = true;    // a job without an estimate gets one: its run time, or a guess
  int64_t last_tick_ = -1;
  std::optional<Plan> late_;

  std::unique_ptr<Session> session_;
  bool explained_ = true;  // the last plan has reasons, if samples need them
  PlanData spare_;         // the last plan; the next one uses its memory
  SeriesSampler sampler_;
};

}  // namespace

absl::StatusOr<ReplayResult> ReplayCycles(const Trace& trace, std::string_view profile,
                                          const RunGuesses& guesses, const ReplayOptions& options) {
  return Loop(trace, profile, guesses, options).Run();
}

Trace AsOneNode(const Trace& trace) {
  Trace out = trace;
  out.processors = 0;
  out.machine.nodes = {{.name = "pool", .capacity = {{"cpu", trace.processors}}}};
  out.shapes.clear();
  out.min_tasks.clear();
  HashMap<uint32_t, uint32_t> shapes;  // by size
  for (size_t row = 0; row < out.size(); ++row) {
    const auto [at, added] =
        shapes.try_emplace(out.tasks[row], static_cast<uint32_t>(out.shapes.size()));
    if (added) out.shapes.push_back({.request = {{"cpu", int64_t{out.tasks[row]}}}});
    out.shape[row] = at->second;
    out.tasks[row] = 1;
  }
  return out;
}

}  // namespace muster
