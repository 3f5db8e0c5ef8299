// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The jobs of a replay by cycles, from submission to end, and the tasks that they have on nodes.
//
//   JobLives lives(trace, guesses, options, &world, &events, &result);
//   lives.AdvanceTo(now);
//   absl::StatusOr<bool> taken = lives.Submit(row);   // false: the machine is too small for it
//   lives.Begin(task);                                // as the plan binds it
//   lives.FinishPlan();                               // jobs that have enough tasks go
//   bool ended = lives.End(events.Pop());
//
// A job runs while at least min_tasks of its tasks do. When a stop leaves it fewer, all its tasks
// stop and wait again, and Recovery decides how much of its work is left. Each of these changes the
// cluster's tables by single edits, the columns of the result, and the events to come. The end of a
// job is void once its rate has changed, and that of an evicted task's time once the task has left.
//
// Cost. O(tasks of the job) a call, beside that of the edits.
#ifndef MUSTER_REPLAY_JOB_LIVES_H_
#define MUSTER_REPLAY_JOB_LIVES_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/replay/estimates.h"
#include "lib/replay/event_queue.h"
#include "lib/replay/held_places.h"
#include "lib/replay/placements.h"
#include "lib/replay/progress.h"
#include "lib/replay/world.h"
#include "muster/plan.h"
#include "muster/replay.h"

namespace muster {

class JobLives {
 public:
  // All are read or written as long as this lives.
  JobLives(const Trace& trace, const RunGuesses& guesses, const ReplayOptions& options,
           World* world, EventQueue* events, ReplayResult* result);

  // Everything that follows happens at `now`.
  void AdvanceTo(int64_t now) { now_ = now; }
  // Whether a job without an estimate gets one: its run time, or a guess.
  void TellRuns(bool tell) { tells_run_ = tell; }
  bool guesses_all() const { return estimates_.guesses_all(); }
  // Tells profiles when the work of jobs that run was saved: call it before a cycle of a profile
  // that reads it. Fails if the cluster refuses an edit. O(jobs that run) where there are
  // checkpoints, and an edit of each task of those with a new one; else O(1).
  absl::Status TellCheckpoints();

  int64_t wanting() const { return wanting_; }  // jobs with tasks that wait
  int64_t active() const { return active_; }    // jobs that run
  bool wants(uint32_t row) const { return jobs_[row].wants; }
  int64_t stops() const { return stops_; }  // of running jobs
  // Grows where the replay comes nearer to its end: a job ended, or one that will end was stopped
  // and keeps more work than ever before.
  int64_t advances() const { return advances_; }
  ReplayPlacements TakePlacements() { return placements_.Take(); }

  // --- events
  // Returns whether the empty machine is large enough for the job; else it is refused.
  absl::StatusOr<bool> Submit(uint32_t row);
  // Drops corrections of jobs that will have ended by then, or have stopped meanwhile.
  void DropVoidCorrections();
  // Gives a job that has outlived its guess another one. Changes no node and no queue.
  void Correct(uint32_t row);
  // Returns whether the job has ended, and does not go on by a later event.
  bool End(const Event& event);
  // Jobs that run exactly to their estimates give their places back before any other event of the
  // time is handled, and their ends are still events of their own: see docs/replay.md.
  void EndByEstimate();
  // The end of an evicted task's time. Returns whether the task has left.
  bool Leave(const Event& event);
  // The deadline of a task that holds its node. Returns whether it gives the node up: it was not
  // bound and has not got more time.
  bool Expire(const Event& event);
  // Stops all that is on the node.
  void Clear(NodeIndex node);

  // --- what a plan decided, in its order, the edits of Cluster::Apply done
  void Begin(TaskIndex task);
  void Hold(TaskIndex task, const Reservation& reservation);
  // The task goes on running on the node that the plan moved it to.
  void Migrate(TaskIndex task, std::string_view from);
  void Evict(TaskIndex task);
  // Call this last: what whole groups hold is bound, and jobs that have enough tasks go.
  void FinishPlan();

 private:
  struct Job {
    Progress progress;
    int64_t estimate = 0;
    uint32_t running = 0;  // tasks
    uint32_t turn = 0;     // grows when its end to come becomes void
    uint32_t beginnings = 0;
    int64_t kept = 0;             // the most work that it had after a stop
    int64_t began = 0, ends = 0;  // the last beginning, and when the job should end as things are
    int64_t saved = 0;            // when its work was saved, as all its tasks have it
    // Of its last stop: the seconds of its run that it kept, and those before it goes on.
    int64_t kept_seconds = 0, pause = 0;
    uint8_t corrections = 0;
    bool wants = false;  // some task waits
    bool stopped = false;
    bool begins = false;            // while a plan is followed
    std::vector<NodeIndex> places;  // of the turn before a stop, ascending; nodes are never dropped
  };

  const TaskTable& tasks() const { return world_.tables().tasks; }
  uint32_t RowOf(TaskIndex task) const { return world_.row_of(tasks().job[task]); }
  int64_t MinTasks(uint32_t row) const;
  void SetWants(uint32_t row);
  void PushEnd(uint32_t row, int64_t time);
  void Go(uint32_t row);
  int64_t EstimateLeft(uint32_t row) const;
  void TellEstimate(uint32_t row);
  void WatchEstimate(uint32_t row);
  std::vector<NodeIndex> Places(uint32_t row) const;
  int64_t RateOf(uint32_t row) const;
  int64_t IntervalOf(uint32_t row) const;
  uint32_t PlaceOf(uint32_t row, TaskIndex task) const;
  void GiveBack(uint32_t row);
  void Lose(uint32_t row, const std::vector<TaskIndex>& tasks, bool failed);
  void Release(uint32_t row, TaskIndex task);
  void NoteBegun(uint32_t row);
  void BeginOn(uint32_t row, TaskIndex task, bool held);

  const Trace& trace_;
  const ReplayOptions& options_;
  World& world_;
  EventQueue& events_;
  ReplayResult& result_;
  Estimates estimates_;
  std::vector<Job> jobs_;
  PlacementLog placements_;
  HeldPlaces held_;
  absl::btree_map<HeldPlaces::Place, int64_t> leaves_;  // when evicted tasks do
  std::optional<Lifetime> lifetime_;                    // what each job has at its submission
  absl::btree_set<uint32_t> saving_;                    // jobs that run and may reach a checkpoint
  std::vector<uint32_t> begun_;  // jobs of which a plan that is being followed starts tasks
  int64_t now_ = 0;
  int64_t wanting_ = 0, active_ = 0, stops_ = 0, advances_ = 0;
  bool tells_run_ = true;
};

}  // namespace muster

#endif  // MUSTER_REPLAY_JOB_LIVES_H_
