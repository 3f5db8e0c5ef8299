// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// fair_evict.cc has the rules of a turn.
#include "lib/peer/muster/fair_round.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/numeric/int128.h"
#include "lib/base/hash_map.h"
#include "lib/part/attempt.h"
#include "lib/part/queue_tree_walk.h"
#include "lib/peer/muster/fair_exchange.h"
#include "lib/peer/muster/fair_fill.h"
#include "lib/peer/muster/fair_lines.h"
#include "lib/peer/muster/victim_choices.h"

namespace muster {
namespace {

// One way of taking, once around all jobs.
class FairRound {
 public:
  FairRound(ActionContext& context, const EvictRules& rules, Taking taking)
      : context_(context),
        tables_(context.tables),
        ledger_(context.ledger),
        dispatcher_(context.dispatcher),
        taking_(taking),
        promises_(context.memory<FairPromises>()),
        lines_(context.memory<FairKnown>().lines()),
        pay_(rules.pay),
        exchange_(context, taking, rules.pay),
        choices_(context, taking, rules.min_runtime, rules.by_loss) {}

  // Returns whether any task was evicted.
  bool Run() {
    idle_ = context_.waiting.empty();
    // A turn that evicts nothing leaves everything as it was. So if no first turn can evict, no
    // later one can.
    if (idle_ || !AnyMayTake() || !AnyCouldPay()) return false;
    QueueTreeWalk walk(context_);
    for (JobIndex j : context_.waiting) {
      if (TakesPart(j)) walk.Add(j);
    }
    bool evicted = false;
    for (;;) {
      const JobIndex job = walk.Next();
      if (job == kNone || context_.meter.Cut()) break;
      context_.meter.Spend();
      givers_.clear();
      const bool took = TakesPart(job) && Turn(job);
      evicted |= took;
      walk.Done(job, took && ledger_.job(job).pending() > 0);
      if (took) walk.Resort(givers_);
    }
    return evicted;
  }
  // After Run: as RoundEnd::idle.
  bool idle() const { return idle_; }

 private:
  struct Step {
    TaskIndex task;
    NodeIndex node;                            // where the task is nominated
    std::vector<VictimChoices::Unit> victims;  // the victims for it
  };
  struct Failure {
    ClassIndex task_class = kNone;
    QueueIndex queue = kNone;
    int64_t priority = 0, missing = 0;
    Ledger::Moment moment;
    std::vector<uint8_t> binding = {};  // promises that bound it
  };

  // Returns whether any job might take a task. Of like jobs all might, or none.
  bool AnyMayTake() {
    if (taking_ == Taking::kFromLesserJobs) {
      std::vector<uint8_t> waits(tables_.queues.alive.size(), 0);
      bool any = false;
      for (size_t i = 0; i < lines_.size(); ++i) {
        if (lines_[i].jobs.empty()) continue;
        const QueueIndex queue = lines_[i].key.queue;
        const int64_t priority = tables_.jobs.spec[lines_[i].jobs.front()].priority;
        waits[queue] |= lines_.LeastPriority(queue) < priority;
        any |= waits[queue];
      }
      idle_ = !any;
      if (idle_) return false;
      lowest_ = LowestPriorities(waits);
    }
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (!lines_[i].jobs.empty() && MayTake(lines_[i].jobs.front())) return true;
    }
    idle_ = taking_ == Taking::kFromOtherQueues;
    return false;
  }

  // Returns, by queue, the lowest priority of a job with tasks to lose. Of queues with `waits` 0,
  // where no job takes from others, it returns the largest number.
  std::vector<int64_t> LowestPriorities(const std::vector<uint8_t>& waits) const {
    const JobTable& jobs = tables_.jobs;
    std::vector<int64_t> lowest(tables_.queues.alive.size(), std::numeric_limits<int64_t>::max());
    for (JobIndex j = 0; j < jobs.alive.size(); ++j) {
      if (!jobs.alive[j] || !waits[jobs.queue[j]]) continue;
      const JobCounts& counts = ledger_.job(j);
      if (counts[TaskStatus::kRunning] + counts[TaskStatus::kBound] == 0) continue;
      int64_t& of_queue = lowest[jobs.queue[j]];
      of_queue = std::min<int64_t>(of_queue, jobs.spec[j].priority);
    }
    return lowest;
  }

  bool HasLesser(JobIndex job) const {
    return lowest_[tables_.jobs.queue[job]] < tables_.jobs.spec[job].priority;
  }

  // Returns whether the books hold any task that the job might take.
  bool MayTake(JobIndex job) {
    if (taking_ == Taking::kFromLesserJobs) {
      return ledger_.job(job).pending() > 0 && HasLesser(job);
    }
    const QueueIndex queue = tables_.jobs.queue[job];
    if (!OthersHold(queue)) return false;
    ClassIndex last = kNone;
    for (TaskIndex task : tables_.jobs.tasks[job]) {
      if (ledger_.status(task) != TaskStatus::kPending || context_.ClassOf(task) == last) continue;
      last = context_.ClassOf(task);
      const auto [at, added] = takers_.try_emplace(uint64_t{queue} << 32 | last, false);
      if (added) at->second = dispatcher_.Preemptive(queue, ledger_.request(task)).ok();
      if (at->second) return true;
    }
    return false;
  }
  // Returns whether a queue other than this one holds anything and lets it be reclaimed.
  bool OthersHold(QueueIndex queue) {
    if (holders_.empty()) {
      holders_.resize(tables_.queues.alive.size(), 0);
      for (QueueIndex q = 0; q < holders_.size(); ++q) {
        const auto allocated = ledger_.queue_allocated(q);
        holders_[q] = tables_.queues.alive[q] && tables_.queues.spec[q].reclaimable &&
                      std::any_of(allocated.begin(), allocated.end(),
                                  [](int64_t amount) { return amount > 0; });
        holding_ += holders_[q];
      }
    }
    return holding_ > holders_[queue];
  }

  bool TakesPart(JobIndex job) const {
    if (taking_ == Taking::kFromLesserJobs && !HasLesser(job)) return false;
    return ledger_.job(job).pending() > 0 && !context_.domains.Bounds(job) &&
           dispatcher_.Valid(job);
  }

  // Returns false if no job's turn evicts anything on these books. Where some jobs may take nothing
  // or could not pay, the others are tried first, and what they take is undone: most often it is
  // nothing, and a walk around all jobs in their order has no point.
  bool AnyCouldPay() {
    const std::vector<size_t> takers = LinesThatMayTake();
    idle_ = NoneCouldPayLater(takers);
    if (idle_) return false;
    std::vector<JobIndex> hopeful;
    bool all = takers.size() == lines_in_use_;
    for (const size_t i : takers) {
      // Of like jobs, the one that has waited longest can pay most.
      if (!exchange_.CouldPay(lines_.OldestOf(i))) {
        all = false;
        continue;
      }
      for (const JobIndex j : lines_[i].jobs) {
        const bool could = exchange_.CouldPay(j);
        if (could && TakesPart(j)) hopeful.push_back(j);
        all &= could;
      }
    }
    if (all) return true;
    std::sort(hopeful.begin(), hopeful.end());
    bool any = false;
    trying_ = true;
    for (const JobIndex j : hopeful) {
      if (context_.meter.Cut()) break;
      context_.meter.Spend();
      any = Turn(j);
      if (any) break;
    }
    trying_ = false;
    choices_.Forget();
    return any;
  }

  // Returns the lines of which the jobs may take some task, on these books.
  std::vector<size_t> LinesThatMayTake() {
    std::vector<size_t> takers;
    lines_in_use_ = 0;
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].jobs.empty()) continue;
      const JobIndex job = lines_[i].jobs.front();
      if (taking_ == Taking::kFromLesserJobs && !HasLesser(job)) continue;
      ++lines_in_use_;
      if (taking_ == Taking::kFromLesserJobs || MayTake(job)) takers.push_back(i);
    }
    return takers;
  }

  // Returns true only if no job of the lines could pay now, nor once what this cycle has placed
  // runs. It is found out only for callers that may leave out the next cycle.
  bool NoneCouldPayLater(const std::vector<size_t>& takers) {
    if (taking_ == Taking::kFromLesserJobs || context_.reasons.wanted()) return false;
    if (context_.decisions.list().empty()) return false;  // no cycle follows
    FairExchange later(context_, taking_, pay_, /*counts_starting=*/true);
    return std::none_of(takers.begin(), takers.end(),
                        [&](size_t i) { return later.CouldPay(lines_.OldestOf(i)); });
  }

  // Valid until another job is asked about for the first time. Of the jobs that wait, few have a
  // turn.
  std::vector<TaskIndex>& SheetOf(JobIndex job) { return sheets_[job]; }

  bool Turn(JobIndex job) {
    if (!exchange_.CouldPay(job)) {
      choices_.Forget();
      return false;
    }
    std::vector<TaskIndex>& sheet = SheetOf(job);
    if (sheet.empty()) sheet = context_.PendingTasks(job, /*with_best_effort=*/true);
    std::erase_if(sheet, [&](TaskIndex t) { return ledger_.status(t) != TaskStatus::kPending; });
    const bool one_by_one = dispatcher_.Pipelined(job);
    if (sheet.empty() || FailedAlike(job, one_by_one)) return false;
    const Ledger::Moment moment = ledger_.moment();
    choices_.NewTurn();
    lacked_ = false;
    bool took = one_by_one ? AnyTask(job) : Gang(job);
    if (!took && choices_.TookOld()) {
      // Older choices may have missed something since.
      choices_.Forget();
      took = one_by_one ? AnyTask(job) : Gang(job);
    }
    if (!took) {
      choices_.Forget();
      if (lacked_) Remember(job, one_by_one, moment);
    }
    return took;
  }

  bool AnyTask(JobIndex job) {
    ClassIndex failed = kNone;
    for (TaskIndex task : SheetOf(job)) {
      if (context_.ClassOf(task) == failed) continue;
      Attempt attempt(context_);
      steps_.clear();
      if (!PlaceTask(task)) {
        lacked_ = true;
      } else if (Keep(&attempt)) {
        return true;
      } else if (!pays_) {
        continue;  // the next task may take what is cheaper to lose
      }
      // Other tasks of the class may still evict where this one never does.
      if (!(tables_.tasks.flags[task] & kTaskNeverPreempts)) failed = context_.ClassOf(task);
    }
    return false;
  }

  bool Gang(JobIndex job) {
    const FairGang gang(context_, job);
    const std::vector<TaskIndex>& sheet = SheetOf(job);
    Attempt attempt(context_);
    steps_.clear();
    for (size_t i = 0; i < sheet.size(); ++i) {
      if (!gang.Wants(tables_.tasks.group[sheet[i]])) continue;
      if (!PlaceTask(sheet[i]) && !gang.Hopeful({sheet.begin() + i + 1, sheet.end()})) {
        lacked_ = true;
        break;
      }
      if (!dispatcher_.Pipelined(job)) continue;
      return Keep(&attempt);
    }
    return false;
  }

  bool PlaceTask(TaskIndex task) {
    context_.meter.Spend();
    const QueueIndex queue = tables_.jobs.queue[tables_.tasks.job[task]];
    if (taking_ == Taking::kFromOtherQueues &&
        !dispatcher_.Preemptive(queue, ledger_.request(task)).ok())
      return false;
    if (dispatcher_.Allocatable(queue, task).ok()) {
      NodeIndex node = promises_.Best(task, Want::kNow, kNone);
      if (node == kNone) node = promises_.Best(task, Want::kLater, kNone);
      if (node != kNone) {
        Do({task, node, {}});
        return true;
      }
    }
    if (tables_.tasks.flags[task] & kTaskNeverPreempts) return false;
    VictimChoices::Choice choice;
    if (!choices_.Take(task, &choice)) return false;
    Do({task, choice.node, std::move(choice.units)});
    choices_.Renew(task, choice.node);
    return true;
  }

  void Evict(const Step& step) {
    for (const VictimChoices::Unit& unit : step.victims) {
      for (TaskIndex victim : unit) {
        ledger_.Move(victim, TaskStatus::kReleasing, ledger_.node_of(victim));
      }
    }
  }

  void Do(Step step) {
    Evict(step);
    ledger_.Move(step.task, TaskStatus::kNominated, step.node);
    steps_.push_back(std::move(step));
  }

  // Turns the turn into decisions. Returns false if there was no victim: filling then found no
  // place for reasons of its own.
  bool Keep(Attempt* attempt) {
    GiveBack(attempt);
    pays_ = Pays();
    if (!pays_) return false;
    const bool any = std::any_of(steps_.begin(), steps_.end(),
                                 [](const Step& step) { return !step.victims.empty(); });
    if (!any || trying_) return any;
    for (const Step& step : steps_) {
      for (const VictimChoices::Unit& unit : step.victims) {
        for (TaskIndex victim : unit) {
          context_.decisions.NoteEviction(victim, step.task);
          givers_.push_back(tables_.jobs.queue[tables_.tasks.job[victim]]);
        }
      }
      if (!step.victims.empty()) context_.decisions.NoteNominatedAfterEviction(step.task);
    }
    attempt->Commit();
    return true;
  }

  // Returns whether what the victims lose is worth what the tasks of the turn have waited for.
  bool Pays() const {
    std::vector<TaskIndex> takers, victims;
    for (const Step& step : steps_) {
      takers.push_back(step.task);
      for (const VictimChoices::Unit& unit : step.victims) {
        victims.insert(victims.end(), unit.begin(), unit.end());
      }
    }
    return exchange_.Pays(takers, victims);
  }

  // Tries the turn without each unit, last one first.
  void GiveBack(Attempt* attempt) {
    for (size_t s = steps_.size(); s-- > 0;) {
      for (size_t u = steps_[s].victims.size(); u-- > 0;) {
        if (!LeavesRoomFor(steps_[s].victims[u])) continue;
        std::vector<Step> steps = steps_;
        steps[s].victims.erase(steps[s].victims.begin() + u);
        if (!Holds(attempt, steps)) steps = std::move(steps_);
        attempt->StartOver();
        steps_.clear();
        for (Step& step : steps) Do(std::move(step));
      }
    }
  }

  // With the whole turn in the books: returns whether its nodes have room for all of the unit
  // beside it. If not, there is no point in trying.
  bool LeavesRoomFor(const VictimChoices::Unit& unit) const {
    return std::all_of(unit.begin(), unit.end(), [&](TaskIndex victim) {
      const NodeIndex node = ledger_.node_of(victim);
      const bool wanted = std::any_of(steps_.begin(), steps_.end(),
                                      [&](const Step& step) { return step.node == node; });
      const auto request = ledger_.request(victim);
      for (DimensionIndex d = 0; wanted && d <= kPods; ++d) {
        if (request[d] > ledger_.future_idle(node, d)) return false;
      }
      return true;
    });
  }

  // Returns whether every task has a place once all victims are gone, and no gang is cut. The moves
  // stay in the books; the caller undoes them.
  bool Holds(Attempt* attempt, const std::vector<Step>& steps) {
    attempt->StartOver();
    for (const Step& step : steps) Evict(step);
    for (const Step& step : steps) {
      for (const VictimChoices::Unit& unit : step.victims) {
        for (TaskIndex victim : unit) {
          if (!FairGang(context_, tables_.tasks.job[victim]).StandsOrIsGone()) return false;
        }
      }
    }
    for (const Step& step : steps) {
      if (!choices_.Fits(step.task, step.node)) return false;
      if (!promises_.LeavesRoom(step.task, step.node)) return false;
      ledger_.Move(step.task, TaskStatus::kNominated, step.node);
    }
    return true;
  }

  // A gang of one class fails if an equal one, of no more tasks, found no place for all of them on
  // these books.
  bool FailedAlike(JobIndex job, bool one_by_one) {
    return OneClass(job) && ledger_.SameAs(failure_.moment) &&
           failure_.task_class == context_.ClassOf(SheetOf(job)[0]) &&
           failure_.queue == tables_.jobs.queue[job] &&
           failure_.priority == tables_.jobs.spec[job].priority &&
           failure_.missing <= Missing(job, one_by_one) &&
           failure_.binding == promises_.Binding(job);
  }
  void Remember(JobIndex job, bool one_by_one, const Ledger::Moment& moment) {
    if (!OneClass(job)) return;
    failure_ = {context_.ClassOf(SheetOf(job)[0]),
                tables_.jobs.queue[job],
                tables_.jobs.spec[job].priority,
                Missing(job, one_by_one),
                moment,
                promises_.Binding(job)};
  }
  bool OneClass(JobIndex job) {
    const std::vector<TaskIndex>& sheet = SheetOf(job);
    return ledger_.job(job).allocated() == 0 &&
           std::all_of(sheet.begin(), sheet.end(), [&](TaskIndex t) {
             return context_.ClassOf(t) == context_.ClassOf(sheet[0]) &&
                    !(tables_.tasks.flags[t] & kTaskNeverPreempts);
           });
  }
  int64_t Missing(JobIndex job, bool one_by_one) const {
    const FairGang gang(context_, job);
    return one_by_one ? 1 : gang.needed() - gang.placed();
  }

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const Dispatcher& dispatcher_;
  const Taking taking_;
  FairPromises& promises_;
  FairLines& lines_;  // on the books as they were when the round began
  const EvictionPay pay_;
  FairExchange exchange_;
  size_t lines_in_use_ = 0;  // with jobs that have others to take from, as far as that is known
  bool idle_ = false;
  bool pays_ = true;     // the last turn that Keep looked at
  bool trying_ = false;  // turns are only tried: nothing is committed
  VictimChoices choices_;
  std::vector<int64_t> lowest_;     // kFromLesserJobs: see LowestPriorities
  std::vector<uint8_t> holders_;    // kFromOtherQueues: queues that hold something reclaimable,
  int64_t holding_ = 0;             // their number,
  HashMap<uint64_t, bool> takers_;  // and by queue and class, whether a task may take
  HashMap<JobIndex, std::vector<TaskIndex>> sheets_;  // pending tasks
  std::vector<Step> steps_;                           // of the turn
  bool lacked_ = false;                               // a task of it had no place
  std::vector<QueueIndex> givers_;                    // queues that lose by it
  Failure failure_;                                   // the last one
};

}  // namespace

RoundEnd RunFairRound(ActionContext& context, const EvictRules& rules, Taking way) {
  FairRound round(context, rules, way);
  const bool evicted = round.Run();
  return {evicted, round.idle()};
}

}  // namespace muster
