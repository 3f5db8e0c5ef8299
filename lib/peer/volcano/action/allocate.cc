// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// allocate: places the tasks of admitted jobs, gang by gang. volcano.h has the loop.
//
// Peer. Volcano's allocate; for jobs with wishes for domains or sub-groups see domain_allocate.h.
// These details decide:
// - Nodes that fit what is idle now are compared among themselves, before those that fit what will
//   be.
// - A task that fails ends its job's turn, unless the job can still become ready without it.
// - A role of which a task found no node is not tried again in this cycle.
// - Within one turn, a node that refused one task of a role is not asked again for another task of
//   that role, even with another request or other constraints.
//
// Ties. The node of smallest index among equal scores.
//
// Cost. One query of the class's scoreboard a task. Tasks of few kinds are placed in runs, as many
// as surely leave the gang unready and the queue below its bounds: policies are asked, and job and
// queues charged, once for each run.
#include <algorithm>
#include <utility>

#include "lib/part/attempt.h"
#include "lib/part/queue_round.h"
#include "lib/part/task_placer.h"
#include "lib/peer/volcano/action/domain_allocate.h"
#include "lib/peer/volcano/action/fit_errors.h"
#include "lib/peer/volcano/action/role_memory.h"
#include "lib/peer/volcano/actions.h"

namespace muster {
namespace {

// The part of a job's worksheet that is left.
struct Worksheet {
  TaskQueue tasks;
  ClassIndex first_class = kNone;
  bool one_class = true;  // all of one task class
  bool empty() const { return tasks.empty(); }
};

// How many tasks are looked at before a run. What a look costs stays in proportion to what is
// placed: after runs that end early the next looks are shorter, and where one places nothing, as
// many tasks are placed one by one.
struct LookAhead {
  static constexpr size_t kFirst = 64, kLeast = 8, kMost = 256;
  size_t window = kFirst;
  size_t alone = 0;  // so many tasks are placed one by one

  void Learn(size_t looked_at, size_t placed) {
    alone = placed == 0 ? looked_at : 0;
    window = placed == looked_at ? std::min(4 * window, kMost) : std::max(2 * placed, kLeast);
  }
};

class Allocate {
 public:
  Allocate(ActionContext& context, const Options& options)
      : error_cache_(options.flag("error_cache")),
        context_(context),
        tables_(context.tables),
        ledger_(context.ledger),
        dispatcher_(context.dispatcher),
        errors_(context.memory<FitErrors>()),
        memory_(context, /*within_turn=*/true),
        placer_(context),
        by_domain_(context, error_cache_) {
    sheets_.reserve(context.waiting.size());
  }

  void Run() {
    QueueRound round(context_);
    for (const JobIndex job : context_.waiting) {
      if (Prepare(job)) round.AddJob(job);
    }
    while (!round.empty()) {
      const QueueIndex queue = round.PopQueue();
      if (IsOverused(queue) || !round.HasJobs(queue)) continue;
      if (context_.meter.Cut()) return;
      context_.meter.Spend();
      const JobIndex job = round.PopJob(queue);
      if (TakeTurn(job)) round.PushJob(job);
      round.PushQueue(queue);
    }
  }

 private:
  bool IsOverused(QueueIndex queue) {
    const Verdict verdict = dispatcher_.MayTakeTurn(queue);
    if (verdict.ok()) return false;
    context_.reasons.ExplainQueue(
        queue, context_.reasons.QueueReason(ReasonKind::kQueueOverused, queue, verdict));
    return true;
  }

  // Returns whether the job takes another turn.
  bool TakeTurn(JobIndex job) {
    Attempt attempt(context_);
    const bool by_domain = by_domain_.Has(job);
    if (!(by_domain ? by_domain_.Place(job) : PlaceTasks(job))) return false;
    if (!dispatcher_.Ready(job)) {
      attempt.Keep();
      return false;
    }
    attempt.Commit();
    if (!by_domain) return !sheets_[job].empty();
    by_domain_.Committed(job);
    return by_domain_.HasWork(job);
  }

  // Returns whether the job takes part; fills its worksheet.
  bool Prepare(JobIndex job) {
    const JobTable& jobs = tables_.jobs;
    if (context_.IsPending(job)) {
      if (context_.facts.admission) return false;
      context_.phases[job] = JobPhase::kAdmitted;
    }
    if (ledger_.job(job).pending() == 0) return false;
    if (!dispatcher_.Valid(job)) {
      Reason reason{ReasonKind::kInvalidGang};
      reason.placed = static_cast<int64_t>(jobs.tasks[job].size());
      reason.needed = jobs.spec[job].min_available;
      context_.reasons.ExplainJob(job, std::move(reason));
      return false;
    }
    std::vector<TaskIndex> tasks = context_.PendingTasks(job, /*with_best_effort=*/false);
    if (tasks.empty()) return false;
    if (context_.domains.Concerns(job)) {
      by_domain_.Add(job, tasks);
      return true;
    }
    Worksheet& sheet = sheets_[job];
    sheet.first_class = context_.ClassOf(tasks[0]);
    for (TaskIndex t : tasks) sheet.one_class &= context_.ClassOf(t) == sheet.first_class;
    sheet.tasks = TaskQueue(context_.dispatcher, std::move(tasks));
    return true;
  }

  // Places tasks until the job is ready. Returns false if the turn is to be undone.
  bool PlaceTasks(JobIndex job) {
    Worksheet& sheet = sheets_[job];
    const QueueIndex queue = tables_.jobs.queue[job];
    std::vector<TaskIndex> tried;
    ahead_ = {};
    memory_.Forget();
    remember_ = error_cache_ && (!sheet.one_class || memory_.Needs(sheet.first_class));
    ReasonPtr failure;
    while (!sheet.empty()) {
      if (PlaceRun(job, queue, &sheet, &tried)) {
        if (dispatcher_.Ready(job)) break;
        continue;
      }
      const TaskIndex task = sheet.tasks.Pop();
      tried.push_back(task);
      context_.meter.Spend();
      if (const Verdict verdict = dispatcher_.Allocatable(queue, task); !verdict.ok()) {
        context_.reasons.Explain(task, context_.reasons.QueueReason(queue, verdict));
        continue;
      }
      const GroupIndex group = tables_.tasks.group[task];
      const bool named = !tables_.jobs.groups[job][group].name.empty();
      if (named && !placer_.IsKept(task) && errors_.Has(job, group)) {
        errors_.NoteUntried(task);
        context_.reasons.Explain(task, context_.reasons.NoNode(context_.ClassOf(task)));
        continue;
      }
      if (Place(task)) {
        if (dispatcher_.Ready(job)) break;
        continue;
      }
      failure = placer_.WhyNot(task);
      context_.reasons.Explain(task, failure);
      if (!MayContinue(job)) break;
    }
    if (dispatcher_.Ready(job)) return true;
    const bool waits = dispatcher_.Pipelined(job);
    ExplainGang(job, tried, waits, failure);
    return waits;
  }

  // Places the next tasks at once, where that does what placing them one by one would do: as many
  // as surely leave the gang unready until the last, and its queue below its bounds. Returns
  // whether any was placed.
  bool PlaceRun(JobIndex job, QueueIndex queue, Worksheet* sheet, std::vector<TaskIndex>* tried) {
    if (sheet->tasks.moves()) return false;
    if (ahead_.alone > 0) {
      --ahead_.alone;
      return false;
    }
    std::span<const TaskIndex> tasks = sheet->tasks.rest();
    const auto most = static_cast<size_t>(dispatcher_.UnreadyAfter(job) + 1);
    tasks = tasks.first(std::min({most, ahead_.window, tasks.size()}));
    const size_t looked_at = tasks.size();
    size_t plain = 0;
    while (plain < tasks.size() && IsPlain(job, tasks[plain])) ++plain;
    tasks = tasks.first(plain);
    const bool may = plain >= 2 && dispatcher_.AllocatableAll(queue, tasks);
    tasks = tasks.first(may ? placer_.PlaceRun(tasks) : 0);
    ahead_.Learn(looked_at, tasks.size());
    tried->insert(tried->end(), tasks.begin(), tasks.end());
    sheet->tasks.Skip(tasks.size());
    context_.meter.Spend(static_cast<int64_t>(tasks.size()));
    return !tasks.empty();
  }

  // Returns whether no task of the role has failed, and its role needs no memory.
  bool IsPlain(JobIndex job, TaskIndex task) {
    const GroupIndex group = tables_.tasks.group[task];
    if (remember_ && memory_.Of(task) != nullptr) return false;
    return errors_.groups(job).empty() || tables_.jobs.groups[job][group].name.empty() ||
           !errors_.Has(job, group);
  }

  bool Place(TaskIndex task) {
    std::vector<uint8_t>* refused = remember_ ? memory_.Of(task) : nullptr;
    if (placer_.Place(task, kNone, refused)) return true;
    if (!placer_.IsKept(task)) errors_.NoteNoNode(task, Want::kNow, refused);
    return false;
  }

  // After a task failed: returns whether the job can still become ready with others.
  bool MayContinue(JobIndex job) const {
    const int64_t need = tables_.jobs.spec[job].min_available;
    const auto& groups = tables_.jobs.groups[job];
    if (need >= static_cast<int64_t>(tables_.jobs.tasks[job].size())) return false;
    int64_t group_needs = 0;
    for (const GroupRow& group : groups) group_needs += OrZero(group.min_available);
    if (need < group_needs) {
      int64_t hopeful = ledger_.job(job).ready();
      for (TaskIndex t : tables_.jobs.tasks[job]) {
        hopeful +=
            ledger_.status(t) == TaskStatus::kPending && !errors_.Has(job, tables_.tasks.group[t]);
      }
      return hopeful >= need;
    }
    for (GroupIndex g : errors_.groups(job)) {
      const int64_t group_need = OrZero(groups[g].min_available);
      const JobCounts& counts = ledger_.group(job, g);
      if (group_need > 0 && counts.ready() + counts.pending_best_effort < group_need) return false;
    }
    return true;
  }

  void ExplainGang(JobIndex job, std::span<const TaskIndex> tried, bool waits,
                   const ReasonPtr& failure) {
    for (TaskIndex task : tried) {
      if (ledger_.status(task) != TaskStatus::kPending) context_.reasons.Forget(task);
    }
    context_.reasons.ExplainJob(
        job, context_.reasons.GangReason(waits ? ReasonKind::kGangWaits : ReasonKind::kGangUndone,
                                         ledger_.job(job).ready() + ledger_.job(job).nominated(),
                                         tables_.jobs.spec[job].min_available, failure));
  }

  const bool error_cache_;
  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const Dispatcher& dispatcher_;
  FitErrors& errors_;
  RoleMemory memory_;  // of one turn
  LookAhead ahead_;    // of one turn
  TaskPlacer placer_;
  DomainAllocate by_domain_;  // jobs with wishes for domains, or sub-groups
  bool remember_ = true;      // whether the memory can have an effect in this turn
  HashMap<JobIndex, Worksheet> sheets_;
};

constexpr OptionDecl kAllocateOptions[] = {
    {"error_cache", OptionKind::kFlag, "on", 0, 0,
     "within a turn, a node that refused one task of a role is not asked for another"},
};

void RunAllocate(ActionContext& context, const Options& options) {
  Allocate(context, options).Run();
}

}  // namespace

ActionDecl AllocateAction() {
  return {"allocate", "places admitted jobs, gang by gang", kAllocateOptions, RunAllocate};
}

}  // namespace muster
