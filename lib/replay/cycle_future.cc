// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/replay/cycle_future.h"

#include <algorithm>
#include <utility>

#include "lib/base/math.h"

namespace muster {
namespace {

// Cycles at one instant; evictions that undo each other must not go on for ever.
constexpr int kMostCycles = 64;

}  // namespace

CycleFuture::CycleFuture(Cluster cluster, std::string profile,
                         std::shared_ptr<const Extensions> extensions, int64_t now,
                         std::function<Arrival()> arrivals)
    : cluster_(std::move(cluster)),
      profile_(std::move(profile)),
      extensions_(std::move(extensions)),
      now_(now),
      arrivals_(std::move(arrivals)) {
  next_ = arrivals_();
}

int64_t CycleFuture::Running(JobIndex job) const {
  int64_t running = 0;
  for (const TaskIndex task : tables().jobs.tasks[job]) {
    running += IsAllocated(tables().tasks.status[task]);
  }
  return running;
}

int64_t CycleFuture::Needed(JobIndex job) const {
  return std::max<int64_t>(1, tables().jobs.spec[job].min_available);
}

bool CycleFuture::Waits(JobIndex job) const {
  for (const TaskIndex task : tables().jobs.tasks[job]) {
    if (tables().tasks.status[task] == TaskStatus::kPending) return true;
  }
  return false;
}

bool CycleFuture::SomeWait() const {
  const JobTable& jobs = tables().jobs;
  for (JobIndex job = 0; job < jobs.alive.size(); ++job) {
    if (jobs.alive[job] && Waits(job)) return true;
  }
  return false;
}

void CycleFuture::Begin(JobIndex job, Known* known, int64_t start) {
  known->runs = true;
  if (known->start == kAbsent) {
    known->start = start;
    awaited_ -= known->awaited;
  }
  ends_.push(
      {std::max(SatAdd(start, known->run), now_ + 1), inserted_++, NameOf(job), ++known->turn});
}

void CycleFuture::Expect(JobIndex job, int64_t run) {
  expected_.resize(std::max<size_t>(expected_.size(), job + 1));
  expected_[job] = NameOf(job);
  Known& known = known_[expected_[job]];
  known.run = run;
  if (Running(job) < Needed(job)) {
    known.awaited = true;
    ++awaited_;
    return;
  }
  int64_t start = now_;
  for (const TaskIndex task : tables().jobs.tasks[job]) {
    const int64_t started = tables().tasks.started[task];
    if (started != kAbsent && IsAllocated(tables().tasks.status[task])) {
      start = std::min(start, started);
    }
  }
  Begin(job, &known, start);
}

int64_t CycleFuture::start(JobIndex job) const {
  const auto found = known_.find(expected_[job]);
  return found == known_.end() ? kAbsent : found->second.start;
}

absl::Status CycleFuture::Play(JobIndex target, int64_t most_events, int64_t* events) {
  const auto over = [&] { return target == kNone ? awaited_ == 0 : start(target) != kAbsent; };
  if (absl::Status s = Cycles(events); !s.ok()) return s;
  while (!over() && *events < most_events && !stopped_) {
    const int64_t end = ends_.empty() ? kNever : ends_.top().time;
    const int64_t now = std::min(end, next_.time);
    if (now == kNever) break;
    now_ = now;
    for (; !ends_.empty() && ends_.top().time == now_; ++*events) {
      const End ended = ends_.top();
      ends_.pop();
      if (absl::Status s = Finish(ended); !s.ok()) return s;
    }
    for (; next_.time == now_; ++*events) {
      if (absl::Status s = Arrive(); !s.ok()) return s;
    }
    if (absl::Status s = Cycles(events); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status CycleFuture::Cycles(int64_t* events) {
  for (int i = 0; i < kMostCycles && SomeWait(); ++i) {
    stopped_ = should_stop_ != nullptr && *should_stop_ && (*should_stop_)();
    if (stopped_) break;
    ScheduleOptions options;
    options.now = now_;
    options.extensions = extensions_;
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile_, options);
    if (!plan.ok()) return plan.status();
    ++*events;
    if (const auto report = cluster_.Apply(*plan); !report.ok()) return report.status();
    if (!Follow(*plan)) break;
  }
  return absl::OkStatus();
}

// Returns whether the plan changed anything.
bool CycleFuture::Follow(const Plan& plan) {
  bool moved = !plan.admissions().empty();
  std::vector<JobIndex> touched;
  for (const Decision& decision : plan.decisions()) {
    const bool binds = decision.kind == DecisionKind::kBind || decision.kind == DecisionKind::kMove;
    if (!binds && decision.kind != DecisionKind::kEvict) continue;
    const auto task = tables().tasks.names.Find(plan.task_name(decision.task));
    if (!task.has_value()) continue;
    const TaskStatus status = tables().tasks.status[*task];
    const JobIndex job = tables().tasks.job[*task];
    if (binds && status == TaskStatus::kBinding) {
      editor().SetPlace(*task, TaskStatus::kRunning, tables().tasks.node[*task], false);
      editor().SetStarted(*task, now_);
    } else if (status == TaskStatus::kReleasing) {
      editor().SetPlace(*task, TaskStatus::kPending, kNone, false);
      editor().SetStarted(*task, kAbsent);
    } else {
      continue;
    }
    moved = true;
    if (job != kNone) touched.push_back(job);
  }
  for (const JobIndex job : touched) {
    Known& known = known_[NameOf(job)];
    const bool enough = Running(job) >= Needed(job);
    if (enough && !known.runs) Begin(job, &known, now_);
    if (!enough && known.runs) Stop(job);
  }
  return moved;
}

// All its tasks wait again, and its work is lost.
void CycleFuture::Stop(JobIndex job) {
  Known& known = known_[NameOf(job)];
  known.runs = false;
  ++known.turn;
  for (const TaskIndex task : tables().jobs.tasks[job]) {
    if (!IsAllocated(tables().tasks.status[task])) continue;
    editor().SetPlace(task, TaskStatus::kPending, kNone, false);
    editor().SetStarted(task, kAbsent);
  }
}

absl::Status CycleFuture::Finish(const End& end) {
  Known& known = known_[end.job];
  if (!known.runs || known.turn != end.turn) return absl::OkStatus();
  known.runs = false;
  return cluster_.RemoveJob(end.job);
}

absl::Status CycleFuture::Arrive() {
  absl::Status added = cluster_.AddJob(next_.job);
  if (!added.ok()) return added;
  known_[next_.job.name].run = next_.run;
  next_ = arrivals_();
  return absl::OkStatus();
}

}  // namespace muster
