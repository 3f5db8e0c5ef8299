// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// task-topology: groups of a job on one node, or on different ones, as far as that goes.
//
// Idea. A job's `group_topology` lists which groups should be together and which apart. Its tasks
// are dealt into buckets, each of which should become the tasks of one node: those that have a node
// by that node, the others one by one, the best connected groups first, into the bucket where most
// friends and fewest foes are, the one that requests least among equals; where foes prevail, into a
// new one. Tasks of large buckets go first, and a node scores by what there is of the bucket on it
// and what of the rest will fit, in parts of the largest bucket, times 100 and `weight`. A task
// of a group that no wish names has no bucket. Wishes that name a group without tasks, or one
// twice in a list, make all wishes of the job void.
// Peer. Volcano's task-topology. It hears of placements and never of their undoing: what a failed
// turn had placed has left its bucket for good and counts as on that node, a second attempt counts
// twice, and that is kept. What gangpreempt and gangreclaim place counts once here and twice there.
// Tasks that have ended are in no bucket here.
// Ties. Unbound tasks of one rank by name, buckets by index; to make the rest of a bucket fit,
// tasks are left out by index (the peer: as its map has them). Cost. A bucket's tasks a node that
// cannot hold the bucket.
#include <memory>
#include <vector>

#include "lib/extension/cycle.h"
#include "lib/peer/volcano/policies.h"
#include "lib/peer/volcano/policy/task_buckets.h"

namespace muster {
namespace {

constexpr OptionDecl kTaskTopologyOptions[] = {
    {"weight", OptionKind::kNumber, "1", -1e6, 1e6, "how much the score counts"},
};

class TaskTopology : public Policy, public OrderPolicy, public ScorePolicy {
 public:
  explicit TaskTopology(const Options& options) : weight_(options.number("weight")) {}

  std::string_view name() const override { return "task-topology"; }
  PointSet points() const override { return {Point::kTaskOrder, Point::kScore}; }
  Traits traits() const override {
    Traits traits;
    traits.task_order_moves = any_;
    return traits;
  }
  OrderPolicy* order() override { return this; }
  ScorePolicy* score() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    position_ = ledger_->view_journal().size();
    jobs_.clear();
    jobs_.resize(tables_->jobs.alive.size());
    any_ = false;
    for (JobIndex j = 0; j < jobs_.size(); ++j) {
      if (!tables_->jobs.alive[j] || !tables_->jobs.spec[j].group_topology) continue;
      if (ledger_->job(j).pending() == 0 || !WishesHold(*tables_, j)) continue;
      jobs_[j] = std::make_unique<TaskBuckets>(*tables_, *ledger_, j);
      any_ = true;
    }
  }

  int CompareTasks(TaskIndex a, TaskIndex b) override {
    Follow();
    const JobIndex job = tables_->tasks.job[a], other = tables_->tasks.job[b];
    if (job == kNone || other == kNone || !jobs_[job] || !jobs_[other]) return 0;
    const bool in_bucket = jobs_[job]->bucket(a) != kNone;
    if (in_bucket != (jobs_[other]->bucket(b) != kNone)) return in_bucket ? -1 : 1;
    return job == other && in_bucket ? jobs_[job]->Compare(a, b) : 0;
  }

  Scope ScoreScope(ClassIndex) override { return any_ ? Scope::kCluster : Scope::kNone; }
  void ScoreNodes(TaskIndex task, std::span<const NodeIndex> nodes, std::span<double> order,
                  std::span<double>) override {
    const JobIndex job = tables_->tasks.job[task];
    if (job == kNone || !jobs_[job]) return;
    Follow();
    const TaskBuckets& buckets = *jobs_[job];
    for (size_t i = 0; i < nodes.size(); ++i) {
      const double score = static_cast<double>(buckets.Score(task, nodes[i])) * weight_;
      const int64_t largest = buckets.largest();
      order[i] += largest == 0 ? score : score * 100.0 / static_cast<double>(largest);
    }
  }

 private:
  // Placements since the last look; those that were undone are not reported.
  void Follow() {
    const auto journal = ledger_->view_journal();
    for (; position_ < journal.size(); ++position_) {
      const Ledger::ViewChange& change = journal[position_];
      if (change.sign < 0 ||
          (change.status != TaskStatus::kPlaced && change.status != TaskStatus::kNominated)) {
        continue;
      }
      const JobIndex job = tables_->tasks.job[change.task];
      if (job != kNone && jobs_[job]) jobs_[job]->Placed(change.task, change.node);
    }
  }

  const double weight_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  std::vector<std::unique_ptr<TaskBuckets>> jobs_;  // null: no wishes
  bool any_ = false;
  size_t position_ = 0;  // in the ledger's view journal
};

}  // namespace

PolicyDecl TaskTopologyPolicy() {
  return {"task-topology", "groups of a job on one node, or on different ones",
          kTaskTopologyOptions, [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<TaskTopology>(options);
          }};
}

}  // namespace muster
