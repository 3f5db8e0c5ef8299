// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Promises to gangs that wait: a start, and places that others leave free for it.
//
//   FairPromises& promises = context.memory<FairPromises>();
//   promises.Make(job, room, place);                       // its gang found no place now
//   NodeIndex node = promises.Best(task, Want::kNow, kNone);   // the best that breaks no promise
//   bool kept = promises.LeavesRoom(task, node);
//
// A promise is a time and, on named nodes, the amounts that the gang takes there. The time is the
// earliest of these at which the gang finds places by the ordinary search: now, and each time at
// which a task should end, with all tasks gone that should have ended by then. A task should end at
// its `expected_end`; else `estimate` or `max_runtime` seconds after its start, whichever is less;
// and just after now if that has passed.
//
// A task with none of these never ends, and a gang that waits for it is promised nothing. But with
// `first` and `queue`, once the gang has waited `age_limit` seconds, such tasks count as ending
// last, at an unknown time, and the gang is promised places then.
//
// A task of another job may take a place on a named node if one of these holds:
// - The job should end by the promised time. No job should end by an unknown time.
// - What will be idle there at that time, beside the promised gang, is enough. At an unknown time
//   this is what is idle beside the gang now, so the nodes drain.
// - The job has a higher priority than the promised one. With `head` and `heads` this is no way
//   once the promised one has waited `age_limit` seconds.
// - With the task the job's queue holds no more than `guaranteed`.
// Where amounts do not decide, because a task of the promised gang or the task itself requests
// devices or ports, or has affinity, anti-affinity or spread constraints, the second is no way.
//
// Which gangs. With `promise=first` the first gang that finds no place in fair order, and no other
// while it waits. With `promise=queue` the first of each queue. With `promise=head` the first of
// each cycle, whichever had it before, and with `promise=heads` the first of each queue in each
// cycle. The order alone decides then how long a gang can wait, so it has to be one in which every
// job comes first some day (policy due). But queues that hold less go first in fair order, and so
// do jobs of higher priority, for any length of time. So where jobs of several queues or priorities
// wait, the first job of a queue and priority that has waited `age_limit` seconds gets the promise
// before all turns; of several such jobs the one that was created first.
//
// With `first` and `queue` a gang keeps its promise from cycle to cycle until it is whole: slot
// "promise" has a row for each such job, in the order in which they got them. Times and nodes are
// found anew in each cycle, in that order, and each gang keeps clear of the promises before its
// own. A gang that is promised nothing any more loses its row.
//
// Guarantee. While tasks run no longer than they should, nothing fails and no other job has a
// higher priority or less than its guarantee, a promised time never moves to a later one: what was
// promised is still there when it is looked for again. With `head` and `heads` this holds while the
// gang stays first. A queue's limit may still keep the gang waiting, and zones of nodes are not
// promised. Gangs of unlike tasks are searched one task after another, and a search may miss what
// it found before.
//
// Ties. Ends of one time are one time. Nodes by the ordinary search.
//
// Cost. A promise: one search of the gang for each time at which the cluster has enough in sum, and
// one with all ended if the first of these fails; O(tasks log tasks) after a change of the books. A
// place on a named node: a look at the tasks there. Off: nothing.
#ifndef MUSTER_PEER_MUSTER_FAIR_PROMISE_H_
#define MUSTER_PEER_MUSTER_FAIR_PROMISE_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/numeric/int128.h"
#include "lib/part/attempt.h"
#include "lib/part/context.h"
#include "lib/peer/muster/fair_ends.h"
#include "lib/peer/muster/fair_lines.h"
#include "muster/policy.h"

namespace muster {

// The slot of the memory, of every action that fills.
inline constexpr MemoryDecl kPromiseSlot = {"promise", 1};

class FairPromises : public CycleMemory {
 public:
  explicit FairPromises(ActionContext& context)
      : context_(context), known_(context.memory<FairKnown>()) {}

  // Reads the options `promise` and `age_limit`, and the memory.
  void Start(const Options& options);
  // Takes back all promises, and returns the jobs that had one, in the order in which they got it.
  // They are to be promised anew.
  std::vector<JobIndex> TakeBack();
  // Returns whether the job may be promised a start: it has no promise, and none stands in its way.
  bool MayPromise(JobIndex job) const;
  // Returns the job with a promise that allows no other; kNone: there is none.
  JobIndex Holder() const;
  // Returns true only if there can be no promise: a promise was looked for on these books, and it
  // is not known when anything ends.
  bool NoneCanCome();
  // Returns whether promises are kept from cycle to cycle.
  bool keeps() const { return on_ && keeps_; }
  // Returns whether jobs that have waited too long get the promise before others have their turn.
  bool prefers_old() const { return on_ && !keeps_; }
  // Returns whether the job has waited `age_limit` seconds.
  bool IsOld(JobIndex job) const;
  // Promises the job a start, unless it finds places at no time. `lacking`: so many tasks of
  // `tasks` are needed. `place` puts the gang into the books, and returns whether it is whole; what
  // it did is undone here. `tried`: `place` would return false if it was called before.
  void Make(JobIndex job, std::span<const TaskIndex> tasks, int64_t lacking, bool tried,
            absl::FunctionRef<bool()> place);
  // Writes the jobs that wait with a promise to the memory.
  void Store();

  // Returns whether any promise binds the job.
  bool Bind(JobIndex job) const;
  // Returns whether one gang at most has a promise.
  bool one_at_most() const { return !per_queue_; }
  // Returns, by promise, whether it binds the job. Equal answers bind equal tasks of one queue
  // alike.
  std::vector<uint8_t> Binding(JobIndex job) const;
  // Returns whether the task, on that node, breaks no promise.
  bool LeavesRoom(TaskIndex task, NodeIndex node) const {
    return promises_.empty() || LeavesPromisedRoom(task, node);
  }
  // Returns whether a promise has kept any task from a node in this cycle, and the number of
  // promises that were made in it.
  bool refused() const { return refused_; }
  int64_t made() const { return made_; }
  // Returns whether `make` makes the promises that there are, if there were none. They stay.
  bool ComeAlike(absl::FunctionRef<void()> make);
  // Returns whether a promise that binds the job names the node.
  bool Names(JobIndex job, NodeIndex node) const;
  // Returns the best node for the task in the domain (kNone: anywhere) that breaks no promise.
  NodeIndex Best(TaskIndex task, Want want, DomainIndex within);
  // Returns the refusals of nodes that fit the task and are kept for others; empty: there are none.
  std::vector<Refusal> Refusals(TaskIndex task) const;

 private:
  static constexpr int64_t kUnknown = FairEnds::kUnknown;
  struct Place {
    NodeIndex node;
    std::vector<int64_t> amounts;
    // What ends there by the promised time, on the books of that moment, when the ledger's log was
    // so long. Empty: not known.
    mutable std::vector<int64_t> ended = {};
    mutable Ledger::Moment ended_at = {};
    mutable size_t ended_in_log = 0;
    bool Equals(const Place& other) const { return node == other.node && amounts == other.amounts; }
  };
  struct Promise {
    JobIndex job;
    int64_t time;               // kUnknown: once tasks without an end have ended
    bool closed = false;        // others take nothing of its nodes
    std::vector<Place> places;  // by node, ascending
  };

  bool EndsBy(JobIndex job, int64_t time) const;
  bool Binds(const Promise& promise, JobIndex job) const;
  bool WithinGuarantee(TaskIndex task) const;
  const std::vector<int64_t>& EndedBy(const Promise& promise, const Place& place) const;
  void FollowMoves(const Promise& promise, const Place& place) const;
  bool HasRoom(const Promise& promise, TaskIndex task, const Place& place) const;
  bool LeavesPromisedRoom(TaskIndex task, NodeIndex node) const;
  const Place* PlaceOn(const Promise& promise, NodeIndex node) const;
  std::vector<uint8_t> Refused(TaskIndex task) const;
  bool Find(JobIndex job, std::span<const TaskIndex> tasks, int64_t lacking, bool tried,
            absl::FunctionRef<bool()> place, Promise* promise);
  // By end, ascending; those that are not known come last.
  using Ends = std::span<const FairEnds::End>;
  Ends KnownEnds();
  bool FindTime(Ends ends, std::span<const TaskIndex> tasks, int64_t lacking, bool only_amounts,
                absl::FunctionRef<bool(int64_t)> fits);
  // Does what FindTime does for a job of one task, and notes its place, without a search. None: it
  // takes a search to tell.
  std::optional<bool> FindForOne(JobIndex job, TaskIndex task, Ends ends, Promise* promise);
  bool WouldBeWhole(JobIndex job, TaskIndex task, NodeIndex node);
  void NotePlaces(const Attempt& attempt, Promise* promise) const;

  ActionContext& context_;
  bool on_ = false, per_queue_ = false, keeps_ = true, read_ = false;
  bool planning_ = false;  // the job placed now starts later, and its end is not known
  mutable bool refused_ = false;
  int64_t made_ = 0;
  int64_t age_limit_ = 0;
  std::vector<Promise> promises_;  // in the order in which they were first given
  bool lists_ends_ = false;        // on the books of that moment:
  Ledger::Moment ends_at_;
  Ends ends_;
  FairKnown& known_;
};

}  // namespace muster

#endif  // MUSTER_PEER_MUSTER_FAIR_PROMISE_H_
