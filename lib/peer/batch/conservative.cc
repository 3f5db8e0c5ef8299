// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// conservative: backfilling that delays no earlier job, for nodes of several resources. batch.h has
// the loop, the guarantee and the cost.
//
// How it is done. The times tried are now, and those at which a task or a promise should end. At a
// time, tasks that should have ended by then are gone. A node serves if it has room beside the
// promises during the job's whole stay. Tasks take the best of these nodes by the ordinary search.
// As under easy (easy.cc), a node that is free now comes before one that will be.
//
// Peer. On one node with one resource this is lib/replay/pool_conservative.cc with
// reservations=afresh, start by start; tests compare.
//
// Ties. Job order, or `order`; then the earliest time.
#include <algorithm>
#include <utility>

#include "lib/part/victims.h"
#include "lib/peer/batch/batch.h"
#include "lib/peer/batch/batch_queue.h"
#include "lib/peer/batch/node_timeline.h"

namespace muster {
namespace {

class Conservative {
 public:
  Conservative(ActionContext& context, const Options& options)
      : context_(context),
        tables_(context.tables),
        ledger_(context.ledger),
        order_(options.text("order")) {}

  void Run() {
    std::vector<JobIndex> queue = BatchQueue(context_);
    SortByBatchOrder(context_, order_, &queue);
    ends_ = BatchEnds(context_);
    const NodeTimeline empty(ledger_.dimensions());
    ended_.resize(tables_.nodes.alive.size(), empty);
    room_ = ended_;
    promised_.resize(ended_.size(), 0);
    for (const auto& [end, task] : ends_) NoteEnd(end, task);
    for (const JobIndex job : queue) {
      if (context_.meter.Cut()) return;
      context_.meter.Spend();
      if (Start(job)) {
        Insert(job);
      } else {
        Promise(job);
      }
    }
  }

 private:
  using Amounts = std::vector<int64_t>;

  // Places the job's waiting tasks and commits them, if enough of them find a node that they can
  // keep.
  bool Start(JobIndex job) {
    Attempt attempt(context_);
    ReasonPtr failure;
    if (Place(job, context_.facts.now, &failure)) {
      attempt.Commit();
      return true;
    }
    BatchExplainUndone(context_, job, failure);
    return false;
  }

  // Puts the job's tasks on nodes, from `time` on. Returns whether these are enough; the books are
  // changed either way.
  bool Place(JobIndex job, int64_t time, ReasonPtr* failure) {
    const size_t before = ledger_.log().size();
    const int64_t estimate = BatchEstimateOf(tables_, job);
    const int64_t end = estimate > kNever - std::max<int64_t>(time, 0) ? kNever : time + estimate;
    int64_t placed = ledger_.job(job).ready();
    std::vector<uint8_t> refused(promised_.size(), 0);
    ClassIndex refused_class = kNone;
    for (TaskIndex task : context_.PendingTasks(job, /*with_best_effort=*/true)) {
      context_.meter.Spend();
      if (context_.ClassOf(task) != refused_class) {
        refused_class = context_.ClassOf(task);
        for (NodeIndex n = 0; n < refused.size(); ++n) refused[n] = !HasRoom(n, task, time, end);
      }
      NodeIndex node = context_.search.BestExcept(task, Want::kNow, refused);
      const bool now = node != kNone;
      if (!now && time > context_.facts.now)
        node = context_.search.BestExcept(task, Want::kLater, refused);
      if (node == kNone) {
        if (failure != nullptr) {
          *failure = context_.reasons.NoNode(context_.ClassOf(task));
          context_.reasons.Explain(task, *failure);
        }
        break;
      }
      ledger_.Move(task, now ? TaskStatus::kPlaced : TaskStatus::kNominated, node);
      refused[node] = !HasRoom(node, task, time, end);
      ++placed;
    }
    return ledger_.log().size() > before && placed >= tables_.jobs.spec[job].min_available;
  }

  // Returns whether the node has room for another task like this one from `from` to `to`, beside
  // the promises there. The books are as of `from`: tasks that ended by then are gone.
  bool HasRoom(NodeIndex node, TaskIndex task, int64_t from, int64_t to) {
    if (!promised_[node]) return true;
    const auto request = ledger_.request(task);
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      if (request[d] <= 0 || d == kPods) continue;
      const int64_t later = room_[node].Least(d, from, to) - ended_[node].Least(d, from, from);
      if (request[d] > later + ledger_.future_idle(node, d)) return false;
    }
    return true;
  }

  // Promises the job the earliest time after now, if there is one.
  void Promise(JobIndex job) {
    TrialEvictions trial(context_);
    const Amounts needed = Needed(job);
    size_t gone = 0, next_promise = 0;
    while (gone < ends_.size() || next_promise < promise_ends_.size()) {
      const int64_t time =
          std::min(gone < ends_.size() ? ends_[gone].first : kNever,
                   next_promise < promise_ends_.size() ? promise_ends_[next_promise] : kNever);
      for (; gone < ends_.size() && ends_[gone].first == time; ++gone) {
        trial.Evict(ends_[gone].second);
      }
      while (next_promise < promise_ends_.size() && promise_ends_[next_promise] == time) {
        ++next_promise;
      }
      if (!ClusterHasRoom(needed)) continue;
      Attempt attempt(context_);
      if (!Place(job, time, nullptr)) continue;
      Keep(job, time);
      break;
    }
  }

  // Returns what the job needs of the whole cluster at least: by tasks of one class, without those
  // that may be left out.
  Amounts Needed(JobIndex job) const {
    Amounts needed(ledger_.dimensions(), 0);
    const std::vector<TaskIndex> tasks = context_.PendingTasks(job, /*with_best_effort=*/true);
    const bool alike = std::all_of(tasks.begin(), tasks.end(), [&](TaskIndex t) {
      return context_.ClassOf(t) == context_.ClassOf(tasks[0]);
    });
    if (tasks.empty() || !alike) return needed;
    const int64_t least =
        std::max<int64_t>(tables_.jobs.spec[job].min_available - ledger_.job(job).ready(), 1);
    const auto request = ledger_.request(tasks[0]);
    for (size_t d = 0; d < needed.size(); ++d) needed[d] = d == kPods ? 0 : least * request[d];
    return needed;
  }

  bool ClusterHasRoom(const Amounts& needed) const {
    for (DimensionIndex d = 0; d < needed.size(); ++d) {
      int64_t room = 0;
      for (NodeIndex n = 0; n < tables_.nodes.alive.size() && room < needed[d]; ++n) {
        if (tables_.nodes.alive[n]) room += std::max<int64_t>(ledger_.future_idle(n, d), 0);
      }
      if (room < needed[d]) return false;
    }
    return true;
  }

  // Promises the job's tasks, which are in the books, their nodes from `time` on.
  void Keep(JobIndex job, int64_t time) {
    const int64_t estimate = BatchEstimateOf(tables_, job);
    const int64_t end = estimate > kNever - std::max<int64_t>(time, 0) ? kNever : time + estimate;
    for (TaskIndex task : tables_.jobs.tasks[job]) {
      const TaskStatus status = ledger_.status(task);
      if (status != TaskStatus::kPlaced && status != TaskStatus::kNominated) continue;
      const NodeIndex node = ledger_.node_of(task);
      promised_[node] = 1;
      room_[node].Add(time, ledger_.request(task), -1);
      room_[node].Add(end, ledger_.request(task), 1);
    }
    if (end == kNever) return;
    promise_ends_.insert(std::lower_bound(promise_ends_.begin(), promise_ends_.end(), end), end);
  }

  // Adds the ends of tasks that have just started.
  void Insert(JobIndex job) {
    const int64_t estimate = BatchEstimateOf(tables_, job);
    if (estimate > kNever - std::max<int64_t>(context_.facts.now, 0)) return;
    const int64_t end = std::max(context_.facts.now + estimate, context_.facts.now + 1);
    for (TaskIndex task : tables_.jobs.tasks[job]) {
      if (ledger_.status(task) != TaskStatus::kBinding ||
          tables_.tasks.status[task] != TaskStatus::kPending) {
        continue;
      }
      const std::pair<int64_t, TaskIndex> entry(end, task);
      ends_.insert(std::lower_bound(ends_.begin(), ends_.end(), entry), entry);
      NoteEnd(end, task);
    }
  }

  // Notes that the task, which holds its node, should end then.
  void NoteEnd(int64_t end, TaskIndex task) {
    const NodeIndex node = ledger_.node_of(task);
    ended_[node].Add(end, ledger_.request(task), 1);
    room_[node].Add(end, ledger_.request(task), 1);
  }

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const std::string order_;
  std::vector<std::pair<int64_t, TaskIndex>> ends_;  // of tasks that hold their nodes now
  // By node: what has ended by a time, and the same less what is promised at that time.
  std::vector<NodeTimeline> ended_, room_;
  std::vector<uint8_t> promised_;      // by node: something is
  std::vector<int64_t> promise_ends_;  // ascending
};

}  // namespace

ActionDecl ConservativeAction() {
  return {
      "conservative", "starts gangs where that delays no earlier promise", kBatchOptions,
      [](ActionContext& context, const Options& options) { Conservative(context, options).Run(); }};
}

}  // namespace muster
