// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// lease: jobs in order, each on free places or on those of whole jobs that go later.
//
// Rules.
// 1. Jobs with pending tasks go in job order. A task without a node is passed, and so are the later
//    ones of its class. A gang starts if its minimum finds nodes, with all tasks that find some.
// 2. Where the gang would find nodes once leaving tasks have gone, these are kept for it until the
//    cycle ends, undecided; the next cycle places it.
// 3. Else, in the first cycle of a round, jobs that the policies place behind it are stopped, the
//    last first, until the gang would find nodes. Those that turn out to be needless are spared,
//    the first in job order first. If all of them are not enough, none is stopped.
// 4. A job that finds nothing waits, and later jobs are tried.
//
// Only policies decide which jobs are stopped: jobs that they do not tell apart, such as those of
// one level of policy attained, never stop each other. A job with a task that must not be preempted
// is never stopped. No job is stopped for one with a waiting task that never preempts, nor for
// tasks beyond a gang that has its minimum; a job without a minimum is a gang of one. A job that
// was stopped places nothing in the same cycle.
//
// `round` is the length of a round in seconds: a cycle is the first of its round if
// no cycle ran since the last multiple of it. 0: each cycle may stop jobs. Memory: slot "lease",
// row "round" has the number of the last round.
//
// Guarantee. Gangs are whole: of no job a part is stopped. With round > 0 a job runs on to the
// next multiple of it at least.
//
// Ties. Job order. Cost. A search a task; for each job that may stop others, a look at each node
// and at the jobs it could stop, and a search a task for each of them from where their sum is
// enough on.
#include <algorithm>
#include <span>
#include <vector>

#include "lib/base/go_sort.h"
#include "lib/base/hash_map.h"
#include "lib/part/victims.h"
#include "lib/peer/training/training.h"

namespace muster {
namespace {

constexpr MemoryDecl kLeaseSlot = {"lease", 1};
constexpr OptionDecl kLeaseOptions[] = {
    {"round", OptionKind::kWhole, "0", 0, 1e9,
     "seconds, in each of which jobs are stopped once; 0: in every cycle"},
};

class Lease {
 public:
  Lease(ActionContext& context, const Options& options)
      : context_(context),
        tables_(context.tables),
        ledger_(context.ledger),
        round_(static_cast<int64_t>(options.number("round"))),
        is_stopped_(context.tables.jobs.alive.size(), 0) {}

  void Run() {
    if (BeginsRound()) ListRunning();
    std::vector<JobIndex> queue;
    for (const JobIndex job : context_.waiting) {
      if (context_.IsPending(job)) context_.phases[job] = JobPhase::kAdmitted;
      if (ledger_.job(job).pending() > 0 && context_.dispatcher.Valid(job)) queue.push_back(job);
    }
    SortJobs(&queue);
    for (const JobIndex job : queue) {
      if (context_.meter.Cut()) return;
      context_.meter.Spend();
      Serve(job);
    }
  }

 private:
  void SortJobs(std::vector<JobIndex>* jobs) const {
    GoSort(*jobs, [&](JobIndex a, JobIndex b) { return context_.dispatcher.JobBefore(a, b); });
  }

  // Notes the round. Returns whether this cycle may stop jobs.
  bool BeginsRound() {
    if (round_ == 0) return true;
    const int64_t now = context_.facts.now;
    const int64_t number = now / round_ - (now % round_ < 0);
    MemorySlot& slot = context_.facts.cycle->Remember(kLeaseSlot.slot);
    if (slot.Find("round") != nullptr && slot.Integer("round") == number) return false;
    slot.Set("round", {number});
    return true;
  }

  void ListRunning() {
    for (JobIndex job = 0; job < tables_.jobs.alive.size(); ++job) {
      if (!tables_.jobs.alive[job] || ledger_.job(job).allocated() == 0) continue;
      const std::vector<TaskIndex>& tasks = tables_.jobs.tasks[job];
      const bool may_stop = std::all_of(tasks.begin(), tasks.end(), [&](TaskIndex task) {
        return !Holds(task) || context_.facts.cycle->preemptable(task);
      });
      if (may_stop) running_.push_back(job);
    }
    SortJobs(&running_);
  }
  bool Holds(TaskIndex task) const { return IsAllocated(ledger_.status(task)); }

  // How a try to start a gang went.
  struct Outcome {
    int64_t places = 0;  // of its tasks, those that it had before included
    ReasonPtr failure;   // why the last class that found no node found none; null: all found one
  };

  void Serve(JobIndex job) {
    Outcome outcome;
    if (!is_stopped_[job] && Start(job, &outcome)) return;
    if (is_stopped_[job] || Keep(job)) return;
    const std::vector<TaskIndex> tasks = context_.PendingTasks(job, /*with_best_effort=*/true);
    const bool never = std::any_of(tasks.begin(), tasks.end(), [this](TaskIndex task) {
      return (tables_.tasks.flags[task] & kTaskNeverPreempts) != 0;
    });
    const bool has_gang = static_cast<int64_t>(ledger_.job(job).ready()) >= Need(job);
    if (has_gang) return;  // each task has its own reason
    if (never) return Explain(job, outcome);
    const std::vector<JobIndex> victims = VictimsFor(job);
    if (victims.empty()) return Explain(job, outcome);
    {
      Attempt attempt(context_);
      for (const JobIndex victim : victims) {
        is_stopped_[victim] = 1;
        for (const TaskIndex task : tables_.jobs.tasks[victim]) {
          if (Holds(task)) Evict(context_, task, tasks.front());
        }
      }
      attempt.Commit();
    }
    std::erase_if(running_, [this](JobIndex other) { return is_stopped_[other] != 0; });
    Keep(job);
  }

  // Returns how many tasks the gang has at least. A job without a minimum is a gang of one.
  int64_t Need(JobIndex job) const {
    return std::max<int64_t>(tables_.jobs.spec[job].min_available, 1);
  }

  bool Start(JobIndex job, Outcome* outcome) {
    Attempt attempt(context_);
    if (!Place(job, Want::kNow, outcome)) return false;
    attempt.Commit();
    return true;
  }
  // Keeps places for the gang among those that are free or will be, until the cycle ends.
  bool Keep(JobIndex job) {
    Attempt attempt(context_);
    if (!Place(job, Want::kLater, nullptr)) return false;
    ExplainKept(job, attempt.moves());
    attempt.Keep();
    return true;
  }
  // Says of tasks with kept places, whatever was said before, that the gang waits, and of others
  // that no node fits.
  void ExplainKept(JobIndex job, std::span<const Ledger::Entry> moves) {
    for (const Ledger::Entry& move : moves) context_.reasons.Forget(move.task);
    for (const TaskIndex task : context_.PendingTasks(job, /*with_best_effort=*/true)) {
      if (context_.reasons.of_task(task) != nullptr) continue;
      context_.reasons.Explain(task, context_.reasons.NoNode(context_.ClassOf(task)));
    }
    const int64_t needed = Need(job);
    const auto places = static_cast<int64_t>(ledger_.job(job).ready() + moves.size());
    context_.reasons.ExplainJob(
        job, context_.reasons.GangReason(ReasonKind::kGangWaits, std::min(places, needed), needed,
                                         nullptr));
  }
  bool WouldFit(JobIndex job) {
    Attempt attempt(context_);
    return Place(job, Want::kLater, nullptr);
  }

  // Puts the job's pending tasks on nodes, and returns whether the gang has its places. The books
  // are changed either way. With Want::kLater the tasks are nominated, also those that would fit
  // now. With `outcome` (may be null), tasks that find no node are explained.
  bool Place(JobIndex job, Want want, Outcome* outcome) {
    int64_t places = static_cast<int64_t>(ledger_.job(job).ready());
    bool any = false;
    HashMap<ClassIndex, ReasonPtr> failed;
    for (const TaskIndex task : context_.PendingTasks(job, /*with_best_effort=*/true)) {
      const ClassIndex task_class = context_.ClassOf(task);
      if (const auto it = failed.find(task_class); it != failed.end()) {
        if (outcome != nullptr) context_.reasons.Explain(task, it->second);
        continue;
      }
      context_.meter.Spend();
      NodeIndex node = context_.search.Best(task, Want::kNow);
      if (node == kNone && want == Want::kLater) node = context_.search.Best(task, Want::kLater);
      if (node == kNone) {
        ReasonPtr& reason = failed[task_class];
        if (outcome == nullptr) continue;
        reason = outcome->failure = context_.reasons.NoNode(task_class);
        context_.reasons.Explain(task, reason);
        continue;
      }
      ledger_.Move(task, want == Want::kNow ? TaskStatus::kPlaced : TaskStatus::kNominated, node);
      any = true;
      ++places;
    }
    if (outcome != nullptr) outcome->places = places;
    return any && places >= Need(job);
  }

  // Returns the jobs to stop for the job, or none.
  std::vector<JobIndex> VictimsFor(JobIndex job) {
    std::vector<int64_t> lack = LackOf(job);
    std::vector<JobIndex> gone;
    {
      TrialEvictions trial(context_);
      bool fits = false;
      for (size_t i = running_.size(); !fits && i-- > 0;) {
        if (context_.dispatcher.CompareJobs(job, running_[i]) >= 0) return {};
        gone.push_back(running_[i]);
        StopTrial(running_[i], &trial, &lack);
        const bool enough = std::all_of(lack.begin(), lack.end(), [](int64_t l) { return l <= 0; });
        fits = enough && WouldFit(job);
      }
      if (!fits) return {};
    }
    // The last one is needed: without it the gang did not fit.
    for (size_t i = gone.empty() ? 0 : gone.size() - 1; i-- > 0;) {
      std::vector<JobIndex> fewer = gone;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      TrialEvictions trial(context_);
      for (const JobIndex victim : fewer) StopTrial(victim, &trial, nullptr);
      if (WouldFit(job)) gone = std::move(fewer);
    }
    return gone;
  }

  // Returns what the gang lacks of each dimension at least, beside all that is or will be idle: it
  // needs no more than its smallest requests.
  std::vector<int64_t> LackOf(JobIndex job) const {
    std::vector<int64_t> lack(ledger_.dimensions(), 0);
    const std::vector<TaskIndex> tasks = context_.PendingTasks(job, /*with_best_effort=*/true);
    const int64_t missing = Need(job) - static_cast<int64_t>(ledger_.job(job).ready());
    const size_t count = std::min(tasks.size(), static_cast<size_t>(std::max<int64_t>(missing, 0)));
    std::vector<int64_t> requests(tasks.size());
    for (DimensionIndex d = 0; d < lack.size(); ++d) {
      if (d == kPods) continue;
      for (size_t i = 0; i < tasks.size(); ++i) requests[i] = ledger_.request(tasks[i])[d];
      const auto end = requests.begin() + static_cast<std::ptrdiff_t>(count);
      std::nth_element(requests.begin(), end, requests.end());
      for (size_t i = 0; i < count; ++i) lack[d] += requests[i];
      for (NodeIndex n = 0; n < tables_.nodes.alive.size() && lack[d] > 0; ++n) {
        if (tables_.nodes.alive[n]) lack[d] -= std::max<int64_t>(ledger_.future_idle(n, d), 0);
      }
    }
    return lack;
  }

  void StopTrial(JobIndex job, TrialEvictions* trial, std::vector<int64_t>* lack) const {
    for (const TaskIndex task : tables_.jobs.tasks[job]) {
      if (!Holds(task)) continue;
      trial->Evict(task);
      if (lack == nullptr) continue;
      const auto request = ledger_.request(task);
      for (DimensionIndex d = 0; d < lack->size(); ++d) (*lack)[d] -= request[d];
    }
  }

  void Explain(JobIndex job, const Outcome& outcome) {
    context_.reasons.ExplainJob(
        job, context_.reasons.GangReason(ReasonKind::kGangUndone, outcome.places, Need(job),
                                         outcome.failure));
  }

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const int64_t round_;
  std::vector<JobIndex> running_;    // that may be stopped, in job order; none: in none of its jobs
  std::vector<uint8_t> is_stopped_;  // by job: in this cycle
};

}  // namespace

ActionDecl LeaseAction() {
  return {
      .name = "lease",
      .summary = "starts gangs in order, and stops jobs that go later once a round",
      .options = kLeaseOptions,
      .run = [](ActionContext& context, const Options& options) { Lease(context, options).Run(); },
      .evicts = true,
      .memory = {kLeaseSlot}};
}

}  // namespace muster
