// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// preempt: room for starving jobs, taken from lesser jobs of the same queue.
//
// Phase 1, queue by queue and job by job: each pending task of a starving job looks for a node
// where evicting tasks of other jobs of the queue makes room. The moves of a job are kept only if
// it is then pipelined (its gang has a place). Phase 2: tasks of a job may take the place of lesser
// tasks of the same job; each such exchange stands alone.
//
// For one task, nodes are tried one after the other, best score first. The policies name the
// victims, and together these must suffice. They go one by one, least important first, until the
// task is allocatable in its queue, fits what will be idle, and passes every fit again. A node
// where the task fits without eviction is taken as it is.
//
// topology_aware: nodes are tried in index order instead, without scores. On each, victims are
// spared again as far as the task still fits. Of the first nodes that need victims (a tenth of all,
// at most 100) the one that loses least is taken: lowest priority of its first victim, then least
// sum of priorities, fewest, latest started. While victims are tried, affinity is the only rule
// about other tasks that is checked.
//
// Peer. Volcano's preempt, both variants.
//
// Guarantee. No more victims than needed on the chosen node in victim order; not minimal over
// nodes.
//
// Ties. Node index, then Go's heap order.
//
// Cost. O(nodes) to rank them a task, then the nodes tried. A task that is like one before it that
// found no node costs O(1) (failed_alike.h), and where policies look at rows alone, a node on which
// victims were too few is passed over until it changes (hopeless_nodes.h).
#include <algorithm>
#include <string>

#include "lib/part/queue_round.h"
#include "lib/part/task_queue.h"
#include "lib/part/victims.h"
#include "lib/peer/volcano/action/failed_alike.h"
#include "lib/peer/volcano/action/fit_errors.h"
#include "lib/peer/volcano/action/hopeless_nodes.h"
#include "lib/peer/volcano/action/role_memory.h"
#include "lib/peer/volcano/actions.h"

namespace muster {
namespace {

class Preempt {
 public:
  Preempt(ActionContext& context, const Options& options)
      : topology_aware_(options.flag("topology_aware")),
        error_cache_(options.flag("error_cache")),
        context_(context),
        tables_(context.tables),
        ledger_(context.ledger),
        dispatcher_(context.dispatcher),
        errors_(context.memory<FitErrors>()),
        memory_(context),
        failures_(context, Point::kPreemptable),
        hopeless_(context, Point::kPreemptable),
        order_(context) {}

  void Run() {
    QueueRound round(context_);
    std::vector<std::vector<JobIndex>> candidates(tables_.queues.alive.size());
    for (JobIndex j = 0; j < tables_.jobs.alive.size(); ++j) {
      if (!tables_.jobs.alive[j] || context_.IsPending(j) || Wishes(j) || !dispatcher_.Valid(j) ||
          !dispatcher_.Starving(j)) {
        continue;
      }
      candidates[tables_.jobs.queue[j]].push_back(j);
      round.AddJob(j);
    }
    while (!round.empty()) {
      const QueueIndex queue = round.PopQueue();
      while (round.HasJobs(queue)) {
        if (context_.meter.Cut()) return;
        context_.meter.Spend();
        BetweenJobs(round.PopJob(queue));
      }
      for (JobIndex job : candidates[queue]) {
        if (context_.meter.Cut()) return;
        context_.meter.Spend();
        WithinJob(job);
      }
    }
  }

 private:
  // As in the peer, a job that wishes for a domain evicts nothing. A sub-group without tasks has no
  // wish.
  bool Wishes(JobIndex job) const {
    const JobSpec& spec = tables_.jobs.spec[job];
    if (spec.topology.has_value()) return true;
    return std::any_of(tables_.jobs.tasks[job].begin(), tables_.jobs.tasks[job].end(),
                       [&](TaskIndex t) {
                         const SubGroupIndex group = tables_.tasks.sub_group[t];
                         return group != kNone && spec.sub_groups[group].topology.has_value();
                       });
  }

  void BetweenJobs(JobIndex job) {
    Attempt attempt(context_);
    TaskQueue tasks(context_.dispatcher, context_.PendingTasks(job, /*with_best_effort=*/true));
    while (!tasks.empty() && dispatcher_.Starving(job)) {
      context_.meter.Spend();
      MakeRoom(tasks.Pop(), /*same_job=*/false);
    }
    CommitIfPipelined(context_, job, "preempt", &attempt);
  }

  void WithinJob(JobIndex job) {
    TaskQueue tasks(context_.dispatcher, context_.PendingTasks(job, /*with_best_effort=*/true));
    while (!tasks.empty()) {
      const TaskIndex task = tasks.Pop();
      context_.meter.Spend();
      Attempt attempt(context_);
      if (!MakeRoom(task, /*same_job=*/true)) return;
      attempt.Commit();
    }
  }

  // Nominates `task` on the best node where victims make room. Returns false if there is none;
  // everything is then as before.
  bool MakeRoom(TaskIndex task, bool same_job) {
    if (!Eligible(task) || failures_.FailsLike(task, same_job)) return false;
    found_victims_ = false;
    if (TryNodes(task, same_job)) return true;
    failures_.Note(task, same_job, /*for_want_of_victims=*/!found_victims_);
    return false;
  }

  bool TryNodes(TaskIndex task, bool same_job) {
    const ClassIndex c = context_.ClassOf(task);
    const bool samples = context_.search.samples();
    std::vector<NodeIndex> sample;
    const std::vector<uint8_t> passed_over = PassOver(task, &sample);
    const std::vector<uint8_t>* refused = passed_over.empty() ? nullptr : &passed_over;
    if (topology_aware_) {
      if (!samples) {
        sample = context_.search.ListForEviction(c, Want::kEvicting);
        if (refused != nullptr) std::erase_if(sample, [&](NodeIndex n) { return (*refused)[n]; });
      }
      return MakeRoomLosingLeast(task, c, same_job, sample);
    }
    hopeless_for_task_ = same_job ? nullptr : hopeless_.Of(task);
    // Without a candidate anywhere, a node serves only as it is.
    const bool as_is = same_job && HasNoVictimOfItsOwn(tables_.tasks.job[task]);
    return context_.search.VisitByScore(task, Want::kEvicting, refused, [&](NodeIndex node) {
      if (hopeless_for_task_ != nullptr && hopeless_for_task_->Has(node)) return false;
      const bool room =
          as_is ? VictimsSuffice(context_, task, node, {}) : CouldMakeRoom(context_, task, node);
      return room && TryNode(task, c, node, same_job);
    });
  }

  // Marks the nodes that are not tried for the task: those that refused its role before, those that
  // allocate gave up, and all but the sample where nodes are sampled. Empty: all are tried. Adds to
  // the memory of the role what this task finds.
  std::vector<uint8_t> PassOver(TaskIndex task, std::vector<NodeIndex>* sample) {
    const ClassIndex c = context_.ClassOf(task);
    std::vector<uint8_t>* memory = error_cache_ ? memory_.Of(task) : nullptr;
    const std::vector<uint8_t>* hopeless = errors_.hopeless(task);
    const bool samples = context_.search.samples();
    std::vector<uint8_t> examined, passed_over;
    if (samples) {
      *sample = context_.search.Sample(c, Want::kEvicting, hopeless, memory, &examined);
    }
    if (memory != nullptr) passed_over = *memory;
    if (hopeless != nullptr) {
      passed_over.resize(hopeless->size(), 0);
      for (NodeIndex n = 0; n < hopeless->size(); ++n) passed_over[n] |= (*hopeless)[n];
    }
    if (memory != nullptr) {
      std::vector<uint8_t> now = passed_over;
      context_.search.AddRefused(c, Want::kEvicting, /*tell_hopeless=*/true, &now);
      for (NodeIndex n = 0; n < now.size(); ++n) {
        if (!passed_over[n] && (!samples || examined[n])) (*memory)[n] = now[n];
      }
    }
    if (samples) {
      passed_over.assign(tables_.nodes.alive.size(), 1);
      for (NodeIndex n : *sample) passed_over[n] = 0;
    }
    return passed_over;
  }

  // Returns false while an earlier plan's nomination is still being waited for, and for a task that
  // must not preempt at all.
  bool Eligible(TaskIndex task) {
    const TaskTable& tasks = tables_.tasks;
    if (tasks.flags[task] & kTaskNeverPreempts) return false;
    const NodeIndex nominated = tasks.nominated[task];
    if (nominated == kNone) return true;
    bool hard = false;
    if (context_.search.FitsNode(context_.ClassOf(task), nominated, &hard)) return false;
    if (hard) return true;
    for (TaskIndex t : ledger_.tasks_on(nominated)) {
      if (tasks.status[t] == TaskStatus::kReleasing && tasks.priority[t] < tasks.priority[task]) {
        return false;
      }
    }
    return true;
  }

  // Returns whether no task of the job could be evicted.
  bool HasNoVictimOfItsOwn(JobIndex job) const {
    const JobCounts& counts = ledger_.job(job);
    return counts[TaskStatus::kBound] + counts[TaskStatus::kRunning] == 0;
  }

  bool IsCandidate(TaskIndex task, TaskIndex victim, bool same_job) const {
    const TaskStatus status = ledger_.status(victim);
    if (status != TaskStatus::kBound && status != TaskStatus::kRunning) return false;
    if (!(tables_.tasks.flags[victim] & kTaskPreemptable)) return false;
    const JobIndex job = tables_.tasks.job[task], other = tables_.tasks.job[victim];
    if (other == kNone || (job == other) != same_job) return false;
    if (tables_.jobs.queue[other] != tables_.jobs.queue[job]) return false;
    return !context_.IsBestEffort(task) || context_.IsBestEffort(victim);
  }

  // Finds the tasks that may go from the node for the task: named by the policies, and together
  // enough. Leaves `victims` empty and returns false if they are not enough.
  bool FindVictims(TaskIndex task, NodeIndex node, bool same_job, std::vector<TaskIndex>* victims) {
    const auto may_go = [&](TaskIndex t) { return IsCandidate(task, t, same_job); };
    ListTasksOn(context_, node, may_go, &candidates_);
    *victims = dispatcher_.Preemptable(task, candidates_);
    const bool suffice = VictimsSuffice(context_, task, node, *victims);
    found_victims_ |= suffice;
    return suffice;
  }

  bool FitsByAllRules(TaskIndex task, ClassIndex c, NodeIndex node) {
    return dispatcher_.Allocatable(context_.QueueOf(task), task).ok() &&
           context_.search.FitsFutureIdle(c, node) && context_.search.FitsNode(c, node);
  }
  // A trial compares nodes by their victims. Its queue and filters are checked as far as evictions
  // can change the result, as in the peer's dry runs.
  bool FitsByTrialRules(TaskIndex task, ClassIndex c, NodeIndex node) {
    return dispatcher_.AllocatableTrial(context_.QueueOf(task), task) &&
           context_.search.FitsFutureIdle(c, node) && dispatcher_.FitsTrial(c, node, /*seen=*/true);
  }

  bool TryNode(TaskIndex task, ClassIndex c, NodeIndex node, bool same_job) {
    std::vector<TaskIndex> victims;
    if (!FindVictims(task, node, same_job, &victims)) {
      if (hopeless_for_task_ != nullptr) hopeless_for_task_->Note(node);
      return false;
    }
    Attempt attempt(context_);
    order_.Start(task, victims);
    gone_.clear();
    const auto fits = [&] { return FitsByAllRules(task, c, node); };
    if (!EvictUntil(context_, task, &order_, fits, &gone_)) return false;
    const bool evicted = std::any_of(gone_.begin(), gone_.end(),
                                     [&](TaskIndex t) { return !context_.IsBestEffort(t); });
    Nominate(context_, task, node, evicted);
    attempt.Keep();
    return true;
  }

  // Returns the fewest of the node's victims in victim order that make room, the most important
  // first. Returns none if no task has to go, or evictions would not help. The books are as before.
  std::vector<TaskIndex> Losses(TaskIndex task, ClassIndex c, NodeIndex node, bool same_job) {
    std::vector<TaskIndex> victims, gone;
    if (!FindVictims(task, node, same_job, &victims)) return {};
    if (!dispatcher_.FitsTrial(c, node, /*seen=*/false)) return {};
    const auto fits = [&] { return FitsByTrialRules(task, c, node); };
    {
      TrialEvictions trial(context_);
      order_.Start(task, victims);
      while (!order_.empty()) {
        gone.push_back(order_.Pop());
        trial.Evict(gone.back());
        if (fits()) break;
      }
      if (gone.empty() || !dispatcher_.FitsTrial(c, node, /*seen=*/true)) return {};
    }
    return WithoutNeedless(context_, gone, fits);
  }

  bool LosesLess(const std::vector<TaskIndex>& l, const std::vector<TaskIndex>& r) const {
    const TaskTable& tasks = tables_.tasks;
    if (tasks.priority[l[0]] != tasks.priority[r[0]])
      return tasks.priority[l[0]] < tasks.priority[r[0]];
    const auto sum = [&](const std::vector<TaskIndex>& victims) {
      int64_t total = 0;
      for (TaskIndex t : victims) total += tasks.priority[t] + (int64_t{1} << 31);
      return total;
    };
    if (sum(l) != sum(r)) return sum(l) < sum(r);
    if (l.size() != r.size()) return l.size() < r.size();
    // Returns the earliest start among the victims of highest priority.
    const auto start = [&](const std::vector<TaskIndex>& victims) {
      std::pair<int32_t, int64_t> top{tasks.priority[victims[0]], tasks.created[victims[0]]};
      for (TaskIndex t : victims) {
        if (tasks.priority[t] > top.first) top = {tasks.priority[t], tasks.created[t]};
        if (tasks.priority[t] == top.first) top.second = std::min(top.second, tasks.created[t]);
      }
      return top.second;
    };
    return start(l) > start(r);
  }

  bool MakeRoomLosingLeast(TaskIndex task, ClassIndex c, bool same_job,
                           std::span<const NodeIndex> nodes) {
    for (size_t begin = 0; begin < nodes.size();) {
      size_t end = begin;
      while (end < nodes.size() &&
             context_.search.rank(nodes[end]) == context_.search.rank(nodes[begin])) {
        ++end;
      }
      if (MakeRoomLosingLeastOf(task, c, same_job, nodes.subspan(begin, end - begin))) return true;
      begin = end;
    }
    return false;
  }

  bool MakeRoomLosingLeastOf(TaskIndex task, ClassIndex c, bool same_job,
                             std::span<const NodeIndex> nodes) {
    const size_t wanted = std::clamp<size_t>(nodes.size() / 10, 1, 100);
    NodeIndex best = kNone;
    std::vector<TaskIndex> best_losses;
    size_t found = 0;
    for (NodeIndex node : nodes) {
      if (found == wanted) break;
      std::vector<TaskIndex> losses = Losses(task, c, node, same_job);
      if (losses.empty()) continue;
      ++found;
      if (best == kNone || LosesLess(losses, best_losses)) {
        best = node;
        best_losses = std::move(losses);
      }
    }
    if (best == kNone) return false;
    for (TaskIndex victim : best_losses) Evict(context_, victim, task);
    Nominate(context_, task, best, /*after_eviction=*/true);
    return true;
  }

  const bool topology_aware_, error_cache_;
  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const Dispatcher& dispatcher_;
  const FitErrors& errors_;
  RoleMemory memory_;  // of the whole action
  FailedAlike failures_;
  HopelessNodes hopeless_;
  HopelessNodes::Kind* hopeless_for_task_ = nullptr;  // for the task at hand; null: not known
  VictimOrder order_;
  bool found_victims_ = false;                // enough of them on some node, for the task at hand
  std::vector<TaskIndex> candidates_, gone_;  // of one node; kept for their memory
};

constexpr OptionDecl kPreemptOptions[] = {
    {"topology_aware", OptionKind::kFlag, "off", 0, 0,
     "of the first nodes that need victims, the one that loses least"},
    {"error_cache", OptionKind::kFlag, "on", 0, 0,
     "a node that refused one task of a role is not asked for another"},
};

void RunPreempt(ActionContext& context, const Options& options) { Preempt(context, options).Run(); }

}  // namespace

ActionDecl PreemptAction() {
  return {"preempt",        "takes room for starving jobs from lesser jobs of the same queue",
          kPreemptOptions,  RunPreempt,
          /*admits=*/false, /*evicts=*/true};
}

}  // namespace muster
