// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Progressive filling: gangs onto what is free or about to be, in fair order.
//
//   FairFill(context, tries).Run();   // after evictions, again
//
// What earlier cycles nominated comes first. A job that is whole, or becomes whole, by its tasks
// that are nominated takes its turn before all others, so its places cannot be taken by them. Then
// jobs take turns in fair order (queue_tree_walk.h). In a turn a gang that is not whole gets all
// the places it lacks, or none. A whole one gets one task's place, so shares are compared again
// between any two.
// A gang's turn has three ends:
//   whole on what is idle        bound
//   whole, but not yet all idle  nominated as a whole: the places are held, and no task starts
//                                before all can; what else the job gets is nominated, too
//   not whole                    rolled back; the others go on
//
// Devices are assigned as tasks come, and what is free later is not what is free now. So a gang
// with devices that is whole, but not yet all idle, is whole only if each task gets its devices
// when all are nominated. One that found no place for all tries once more with all that it gets
// nominated.
//
// A gang of unlike tasks that found no place one task after another is searched as a whole
// (gang_repack.h) with a budget of `tries`. Like tasks need no such search, because such a gang
// takes from every node what fits there.
//
// Where promises are made (fair_promise.h), a gang that finds no place may be promised a start, and
// later turns take only what breaks no promise.
//
// A job with a topology wish has all its tasks in one domain up to the tier that it allows. Domains
// are tried in this order: where some of its tasks are placed, that domain and those above; where
// its tasks are nominated; else each domain, the narrowest first, by name. A soft wish ends with
// the whole cluster. Wishes of sub-groups are not read.
//
// Ties. Fair order and job order are total; the node of smallest index among equal scores.
//
// Cost. One query of the class's scoreboard a task and one path of the queue tree a turn. A gang of
// one class that failed is not tried again for another job while the books are the same. Where no
// reasons are wanted, a job of one class that fits no node has no turn, unless it may be promised a
// start: filling only takes, so it would find no place later.
//
// Only the first job of each line of like jobs (fair_lines.h) is in line for a turn at the
// beginning, and the next follows when it had its turn. That changes no order, as a line is in job
// order. Where no reasons are wanted and no other promise can come, a line ends with the first job
// that finds no place: none of those behind it finds one. So a cycle costs what changed, the lines,
// and the jobs that find places, and not the number of jobs that wait.
//
// Settling. Filling ends when every job that waits was refused, by the nodes, by a gate or by a
// promise, on books that have only become fuller since. The cycle after it finds these books again,
// where all that was placed runs. It places nothing if four things hold:
// - No promise is kept from cycle to cycle, as a cycle may make one that matters later.
// - Every job that waits is in a line of like jobs, of a class that looks at each node alone and
//   takes no parts of it. Others may find later what a search missed.
// - All gates keep their answers (lib/extension/gate_keep.h).
// - No promise has kept a task from a node, or the cycle has made one promise alone, and the next
//   one would make the same: its first job is the one with the promise, which is promised the same
//   on these books. Fuller books leave no more room beside a promise.
// So a caller that runs cycle after cycle may leave that one out (Session::settled). It is found
// out only for callers that want no reasons: others would pay for it in vain.
#ifndef MUSTER_PEER_MUSTER_FAIR_FILL_H_
#define MUSTER_PEER_MUSTER_FAIR_FILL_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "lib/part/attempt.h"
#include "lib/part/queue_tree_walk.h"
#include "lib/peer/muster/fair_gang.h"
#include "lib/peer/muster/fair_lines.h"
#include "lib/peer/muster/fair_promise.h"
#include "muster/policy.h"

namespace muster {

// The option of every action that fills.
inline constexpr OptionDecl kTriesOption = {
    "tries", OptionKind::kWhole,
    "200",   0,
    100000,  "tries to place a gang of unlike tasks that found no place one after another"};

class FairFill {
 public:
  // `tries`: the most placements that are tried for a gang of unlike tasks in each domain
  // (gang_packing.h); 0: none.
  FairFill(ActionContext& context, int64_t tries);

  // Fills until no job gets a place. Sets a reason for every task that was tried and found no
  // place.
  void Run();
  // Returns true only if, once what was placed runs, filling again would place nothing. Call it
  // after Run.
  bool HasSettled();

 private:
  // A job's pending tasks in task order, and the number that its turns have reached.
  struct Sheet {
    std::vector<TaskIndex> tasks;
    size_t next = 0;
    // All tasks are of one class, with a fit that does not depend on other nodes, and none is
    // nominated.
    bool one_class = false;
    bool wishes = false;  // has a topology wish
    // With a wish: the narrowest domain with all its places; kNone: it has none.
    DomainIndex holds = kNone;
  };
  // The failure of a gang of one class on these books.
  struct Failure {
    Ledger::Moment moment;
    int64_t placed = 0;  // so many of its tasks found a place, one more did not
    ReasonPtr reason;
    QueueIndex queue;
    std::vector<uint8_t> binding;  // promises that bound it
  };
  enum class Place : uint8_t { kIdle, kLater, kNowhere };
  // The result of trying a gang in one domain.
  struct Try {
    bool whole = false;
    bool skipped = false;  // some task before `end` was passed over
    bool broke = false;    // it was whole until its tasks were to be nominated
    size_t end = 0;        // of the tasks tried
    int64_t placed = 0;
  };

  void RunTurns();
  bool TakeNominated();  // returns false if the cycle ends
  void FillWalk(QueueTreeWalk* walk);
  // After the job's turn: the next job of its line gets in line for a turn, unless it is known that
  // no other of them finds a place.
  void Advance(JobIndex job, bool leaves_out, QueueTreeWalk* walk);
  void Prepare(JobIndex job, Sheet& sheet);
  void ExplainInvalid();
  // Leaves out jobs of the walk that find no place and are promised none, if that can be told and
  // no reasons are wanted. Returns whether it did. `last`: the job that had the last turn.
  bool LeaveOutHopeless(JobIndex last, QueueTreeWalk* walk);
  bool FitsNowhere(const Sheet& sheet);  // no node has room for a task, and none will
  bool FitsNowhere(size_t line);         // its jobs that are left
  bool HasNode(TaskIndex task);
  // Returns true only if no node has, or will have, as much as a task of the class requests: no
  // task of it finds a place in this cycle. Of many nodes, which are not looked at one by one, it
  // returns false.
  bool LacksRoom(ClassIndex c) const;
  Sheet& SheetOf(JobIndex job);
  bool Waits(JobIndex job) { return SheetOf(job).next < SheetOf(job).tasks.size(); }
  bool HasNominated(const Sheet& sheet) const;
  bool NominatedSuffice(JobIndex job, const Sheet& sheet) const;  // to make the gang whole
  bool Turn(JobIndex job);  // returns whether the job takes another
  bool GangTurn(JobIndex job, Sheet& sheet);
  // `tried`: its turn has just found no place for it.
  void PromiseStart(JobIndex job, Sheet& sheet, bool tried);
  void PromiseOldest();
  // Returns the job that was created first, of these jobs that are the first of their queue and
  // priority and have waited too long; kNone: there is none, or all jobs are of one queue and
  // priority.
  JobIndex OldestOf(const std::vector<JobIndex>& jobs) const;
  // Returns whether filling again would promise what is promised now. `first`: the jobs that would
  // be in line.
  bool WouldPromiseAlike(const std::vector<JobIndex>& first);
  bool WantsDevices(const Sheet& sheet);  // any of its tasks that are left
  Try TryDomain(const FairGang& gang, JobIndex job, const Sheet& sheet, DomainIndex within);
  Try TryGang(const FairGang& gang, JobIndex job, const Sheet& sheet, DomainIndex within,
              bool hold);
  bool PlaceAsAWhole(const FairGang& gang, JobIndex job, const Sheet& sheet, DomainIndex within);
  void FindReach(JobIndex job, const Sheet& sheet);
  void NoteHeld(Sheet& sheet, const Attempt& attempt);
  // Returns the reason of a job with a wish, made from the reason of one without.
  Reason ForWish(JobIndex job, Reason reason) const;
  bool KnownToFail(JobIndex job, const Sheet& sheet, const FairGang& gang);
  bool TaskTurn(JobIndex job, Sheet& sheet, bool may_start);
  // `hold`: the task is nominated wherever it gets a place.
  Place PlaceTask(TaskIndex task, DomainIndex within, bool hold);
  Place At(TaskIndex task, NodeIndex node, bool hold);
  void NoteNoNode(TaskIndex task);
  static bool AllIdle(const Attempt& attempt);
  // Nominates what the attempt placed instead. Returns false if devices that will be free do not
  // suffice for all, taken in turn; what was done until then is in the books.
  bool NominateInstead(Attempt* attempt);
  void ExplainGang(JobIndex job, const Sheet& sheet, Reason reason, size_t first, size_t end);

  ActionContext& context_;
  const int64_t tries_;
  FairPromises& promises_;
  FairLines& lines_;
  // Which jobs of a line are in line for a turn.
  struct Turns {
    size_t next = 0;        // the number of its jobs that have been,
    JobIndex last = kNone;  // and the last of them; kNone: it had its turn, and no other follows
    bool out = false;       // none of its jobs finds a place
  };
  std::vector<Turns> turns_;     // by line
  bool several_queues_ = false;  // several queues have jobs that wait
  bool several_priorities_ = false;
  bool failed_alike_ = false;  // the last turn failed, and those of like jobs would
  bool quiet_ = false;  // what finds no place needs no reason: it is placed for a promise only
  std::deque<Sheet> sheets_;
  HashMap<JobIndex, uint32_t> sheet_of_;     // of jobs that were looked at
  Reason refusal_{ReasonKind::kNotReached};  // of the last task that found no place, unless...
  ReasonPtr no_node_;                        // ...no node took it: then this
  HashMap<ClassIndex, Failure> failures_;
  // By class of like tasks: a gang that finds places at no time.
  struct Hopeless {
    QueueIndex queue;
    int64_t created, lacking;
  };
  HashMap<ClassIndex, Hopeless> hopeless_;
  HashMap<ClassIndex, bool> has_node_;  // some node had room for a task, when it was asked
  std::vector<DomainIndex> reach_;      // domains to be tried, in order; kNone: the whole cluster
  HashMap<int32_t, std::vector<DomainIndex>> up_to_tier_;
};

}  // namespace muster

#endif  // MUSTER_PEER_MUSTER_FAIR_FILL_H_
