// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// priority: the higher number first, and it may evict the lower one.
//
// Promise. Jobs and tasks of higher priority go first. A task of another job may be evicted only if
// its job's priority is strictly lower; one of the same job only if its own priority is. A job
// starves while any of its tasks has no place, so that it may grow by eviction beyond its minimum
// where no stricter policy of the same tier objects. The policy does not judge reclaiming.
// own_job=off: jobs alone are compared, so no task is evicted for one of its own job.
// Ties. Equal priorities are left to the next policy. Cost. O(1) a comparison, O(candidates) for
// victims.
#include <algorithm>

#include "lib/extension/alike_evictors.h"
#include "lib/extension/cycle.h"
#include "lib/extension/job_keep.h"
#include "lib/extension/keyed_jobs.h"
#include "lib/policy/policies.h"

namespace muster {
namespace {

constexpr OptionDecl kPriorityOptions[] = {
    {"own_job", OptionKind::kFlag, "on", 0, 0,
     "a task may take from tasks of its own job that have a lower priority"},
};

class Priority : public Policy,
                 public OrderPolicy,
                 public GatePolicy,
                 public VictimPolicy,
                 public AlikeEvictors,
                 public KeyedJobs,
                 public JobKeep {
 public:
  explicit Priority(const Options& options) : own_job_(options.flag("own_job")) {}

  std::string_view name() const override { return "priority"; }
  PointSet points() const override {
    return {Point::kTaskOrder, Point::kJobOrder,  Point::kPreemptable,
            Point::kStarving,  Point::kEvictable, Point::kSubGroupOrder};
  }
  Traits traits() const override {
    Traits traits;
    traits.judges_in_order = true;
    return traits;
  }
  OrderPolicy* order() override { return this; }
  GatePolicy* gate() override { return this; }
  VictimPolicy* victims() override { return this; }
  bool JudgesByRows(Point) const override { return true; }
  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
  }

  int CompareTasks(TaskIndex a, TaskIndex b) override {
    const auto& priority = tables_->tasks.priority;
    return Sign(static_cast<int64_t>(priority[b]) - priority[a]);
  }
  int CompareJobs(JobIndex a, JobIndex b) override { return Sign(OfJob(b) - OfJob(a)); }
  double KeyOf(JobIndex job) override { return static_cast<double>(-OfJob(job)); }

  // By the highest priority of their tasks; below 0 all are equal.
  int CompareSubGroups(const SubGroup& a, const SubGroup& b) override {
    return Sign(OfSubGroup(b) - OfSubGroup(a));
  }

  Vote Preemptable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    const TaskTable& tasks = tables_->tasks;
    const JobIndex own = tasks.job[evictor];
    for (TaskIndex t : candidates) {
      const JobIndex job = tasks.job[t];
      if (job == kNone) continue;
      const bool lower = job == own && own_job_ ? tasks.priority[t] < tasks.priority[evictor]
                                                : OfJob(job) < OfJob(own);
      if (lower) chosen->push_back(t);
    }
    return Vote::kPermit;
  }

  Vote Evictable(JobIndex evictor, bool from_other_queues, std::span<const TaskIndex> candidates,
                 std::vector<TaskIndex>* chosen) override {
    for (TaskIndex t : candidates) {
      const JobIndex job = tables_->tasks.job[t];
      if (from_other_queues || OfJob(job) < OfJob(evictor)) chosen->push_back(t);
    }
    return Vote::kPermit;
  }

  bool Starving(JobIndex job) override {
    const JobCounts& counts = ledger_->job(job);
    return counts.ready() + counts.nominated() <
           static_cast<int64_t>(tables_->jobs.tasks[job].size());
  }

 private:
  int64_t OfJob(JobIndex job) const { return tables_->jobs.spec[job].priority; }

  int64_t OfSubGroup(const SubGroup& group) const {
    int64_t highest = 0;
    for (TaskIndex t : tables_->jobs.tasks[group.job]) {
      if (tables_->tasks.sub_group[t] != group.index) continue;
      highest = std::max<int64_t>(highest, tables_->tasks.priority[t]);
    }
    return highest;
  }

  const bool own_job_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
};

}  // namespace

PolicyDecl PriorityPolicy() {
  return {"priority", "the higher number first, and it may evict the lower one", kPriorityOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Priority>(options);
          }};
}

}  // namespace muster
