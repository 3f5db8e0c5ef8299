// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// fcfs and easy: the policies of batch systems, for nodes of several resources. batch.h has the
// loop, the guarantee, the ties and the cost.
//
// Peer. On one node with one resource this is easy on a pool (lib/replay/pool_easy.cc), start by
// start; tests compare. One resource is no special case here.
#include <algorithm>
#include <map>

#include "lib/part/victims.h"
#include "lib/peer/batch/batch.h"
#include "lib/peer/batch/batch_queue.h"

namespace muster {
namespace {

class Batch {
 public:
  Batch(ActionContext& context, const Options& options, bool goes_ahead)
      : context_(context),
        tables_(context.tables),
        ledger_(context.ledger),
        order_(options.text("order")),
        goes_ahead_(goes_ahead) {}

  void Run() {
    std::vector<JobIndex> queue = BatchQueue(context_);
    if (!goes_ahead_) SortByBatchOrder(context_, order_, &queue);
    size_t head = 0;
    for (; head < queue.size(); ++head) {
      if (context_.meter.Cut()) return;
      context_.meter.Spend();
      if (!Start(queue[head], /*keeps_promise=*/true)) break;
    }
    if (!goes_ahead_ || head + 1 >= queue.size()) return;
    Promise(queue[head]);
    std::vector<JobIndex> others(queue.begin() + static_cast<std::ptrdiff_t>(head) + 1,
                                 queue.end());
    SortByBatchOrder(context_, order_, &others);
    for (const JobIndex job : others) {
      if (context_.meter.Cut()) return;
      context_.meter.Spend();
      Start(job, EndsBy(job, shadow_));
    }
  }

 private:
  int64_t Estimate(JobIndex job) const { return BatchEstimateOf(tables_, job); }
  bool EndsBy(JobIndex job, int64_t time) const {
    const int64_t estimate = Estimate(job);
    return time == kNever || (estimate != kNever && now() <= time - estimate);
  }
  int64_t now() const { return context_.facts.now; }

  // Places the job's waiting tasks and commits them, if enough find a node.
  bool Start(JobIndex job, bool keeps_promise) {
    Attempt attempt(context_);
    std::map<NodeIndex, std::vector<int64_t>> extra_before;
    if (!keeps_promise) extra_before = extra_;
    ReasonPtr failure;
    for (TaskIndex task : context_.PendingTasks(job, /*with_best_effort=*/true)) {
      context_.meter.Spend();
      const ClassIndex c = context_.ClassOf(task);
      const NodeIndex node =
          keeps_promise ? context_.search.Best(task, Want::kNow) : BestBesidePromise(task);
      if (node == kNone) {
        failure = context_.reasons.NoNode(c);
        context_.reasons.Explain(task, failure);
        break;
      }
      ledger_.Move(task, TaskStatus::kPlaced, node);
      if (keeps_promise) continue;
      if (const auto promised = extra_.find(node); promised != extra_.end()) {
        for (size_t d = 0; d < promised->second.size(); ++d) {
          promised->second[d] -= ledger_.request(task)[d];
        }
      }
    }
    const JobCounts& counts = ledger_.job(job);
    if (!attempt.moves().empty() && counts.ready() >= tables_.jobs.spec[job].min_available) {
      attempt.Commit();
      return failure == nullptr;
    }
    BatchExplainUndone(context_, job, failure);
    if (!keeps_promise) extra_ = std::move(extra_before);
    return false;
  }

  // The best node on which the task takes nothing that is promised.
  NodeIndex BestBesidePromise(TaskIndex task) {
    const NodeIndex node = context_.search.Best(task, Want::kNow);
    if (node == kNone || IsBesidePromise(task, node)) return node;
    std::vector<uint8_t> refused(tables_.nodes.alive.size(), 0);
    for (const auto& [promised, extra] : extra_)
      refused[promised] = !IsBesidePromise(task, promised);
    return context_.search.BestExcept(task, Want::kNow, refused);
  }
  bool IsBesidePromise(TaskIndex task, NodeIndex node) const {
    const auto promised = extra_.find(node);
    if (promised == extra_.end()) return true;
    const auto request = ledger_.request(task);
    for (size_t d = 0; d < request.size(); ++d) {
      if (request[d] > 0 && d != kPods && request[d] > promised->second[d]) return false;
    }
    return true;
  }

  // Finds the shadow of the head and what is extra on the nodes it will have.
  void Promise(JobIndex head) {
    shadow_ = kNever;
    extra_.clear();
    const std::vector<std::pair<int64_t, TaskIndex>> ends = BatchEnds(context_);
    TrialEvictions trial(context_);
    for (size_t i = 0; i < ends.size() && shadow_ == kNever;) {
      const int64_t end = ends[i].first;
      for (; i < ends.size() && ends[i].first == end; ++i) {
        trial.Evict(ends[i].second);
      }
      if (FitsThen(head)) shadow_ = end;
    }
  }

  // Returns whether the head finds nodes among what is idle or being released. Sets `extra_` of
  // those nodes to what remains beside it.
  bool FitsThen(JobIndex head) {
    Attempt attempt(context_);
    int64_t placed = ledger_.job(head).ready();
    std::vector<NodeIndex> nodes;
    for (TaskIndex task : context_.PendingTasks(head, /*with_best_effort=*/true)) {
      const NodeIndex now_node = context_.search.Best(task, Want::kNow);
      const NodeIndex node =
          now_node != kNone ? now_node : context_.search.Best(task, Want::kLater);
      if (node == kNone) break;
      ledger_.Move(task, now_node != kNone ? TaskStatus::kPlaced : TaskStatus::kNominated, node);
      nodes.push_back(node);
      ++placed;
    }
    const bool fits = !nodes.empty() && placed >= tables_.jobs.spec[head].min_available;
    for (NodeIndex node : nodes) {
      if (!fits) break;
      std::vector<int64_t>& extra = extra_[node];
      extra.clear();
      for (DimensionIndex d = 0; d < ledger_.dimensions(); ++d) {
        extra.push_back(ledger_.future_idle(node, d));
      }
    }
    return fits;
  }

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const std::string order_;
  const bool goes_ahead_;
  // kNever: no end would help the head, and nothing is promised.
  int64_t shadow_ = kNever;
  std::map<NodeIndex, std::vector<int64_t>> extra_;  // on promised nodes, by dimension
};

}  // namespace

ActionDecl FcfsAction() {
  return {"fcfs", "starts gangs in order, up to the first that does not fit", kBatchOptions,
          [](ActionContext& context, const Options& options) {
            Batch(context, options, /*goes_ahead=*/false).Run();
          }};
}

ActionDecl EasyAction() {
  return {"easy", "starts gangs in order, and others ahead of the first that does not fit",
          kBatchOptions, [](ActionContext& context, const Options& options) {
            Batch(context, options, /*goes_ahead=*/true).Run();
          }};
}

}  // namespace muster
