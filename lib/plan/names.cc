// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A plan keeps its names in one of two ways. From a frozen snapshot it holds the tables and reads
// them. From a living cluster it copies the names it mentions, in order of index, into one buffer
// per table.
#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/plan/cycle_names.h"
#include "lib/plan/plan_data.h"

namespace muster {
namespace {

class FrozenNames : public CycleNames {
 public:
  FrozenNames(std::shared_ptr<const Tables> tables, bool tries_lone_tasks)
      : tables_(std::move(tables)), tries_lone_tasks_(tries_lone_tasks) {}

  std::string_view task(TaskIndex i) const override { return NameIn(tables_->tasks.names, i); }
  std::string_view node(NodeIndex i) const override { return NameIn(tables_->nodes.names, i); }
  std::string_view job(JobIndex i) const override { return NameIn(tables_->jobs.names, i); }
  std::string_view queue(QueueIndex i) const override { return NameIn(tables_->queues.names, i); }
  std::string_view dimension(DimensionIndex i) const override {
    return NameIn(tables_->dimensions, i);
  }
  TaskIndex FindTask(std::string_view name) const override {
    return tables_->tasks.names.Find(name).value_or(kNone);
  }
  JobIndex FindJob(std::string_view name) const override {
    return tables_->jobs.names.Find(name).value_or(kNone);
  }
  JobIndex job_of(TaskIndex task) const override {
    return task == kNone ? kNone : tables_->tasks.job[task];
  }
  std::string_view uid(TaskIndex task) const override { return UidOf(tables_->tasks, task); }
  bool IsLeftOut(std::string_view name) const override {
    const TaskIndex task = FindTask(name);
    return !tries_lone_tasks_ && task != kNone && !tables_->has_job(task) &&
           tables_->tasks.status[task] == TaskStatus::kPending;
  }

 private:
  template <class Id>
  static std::string_view NameIn(const IndexNames<Id>& names, Id index) {
    return index < names.size() ? names.name(index) : std::string_view();
  }

  std::shared_ptr<const Tables> tables_;
  const bool tries_lone_tasks_;
};

// The names of some rows of a table.
template <class Id>
class SomeNames {
 public:
  // `indices` in any order, repeated or kNone.
  void Copy(std::vector<Id> indices, const IndexNames<Id>& names) {
    Order(std::move(indices), names.size());
    ends_.reserve(indices_.size());
    for (const Id index : indices_) {
      text_.append(names.name(index));
      ends_.push_back(text_.size());
      text_.push_back('\0');  // texts of C, too
    }
  }

  const std::vector<Id>& indices() const { return indices_; }

  // Returns the position of the row among those copied; their number if it is not one.
  size_t Position(Id index) const {
    const auto at = std::lower_bound(indices_.begin(), indices_.end(), index);
    return at != indices_.end() && *at == index ? static_cast<size_t>(at - indices_.begin())
                                                : indices_.size();
  }

  std::string_view name(Id index) const {
    const size_t at = Position(index);
    return at == indices_.size() ? std::string_view() : NameAt(at);
  }

  Id Find(std::string_view name) const {
    for (size_t at = 0; at < indices_.size(); ++at) {
      if (NameAt(at) == name) return indices_[at];
    }
    return kNone;
  }

 private:
  // Sets indices_ to those of the list, ascending and once each.
  void Order(std::vector<Id> indices, size_t rows) {
    if (indices.size() < rows / 64) {
      std::sort(indices.begin(), indices.end());
      indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
      if (!indices.empty() && indices.back() == kNone) indices.pop_back();
      indices_ = std::move(indices);
      return;
    }
    // A mark for each row costs less than sorting this many.
    std::vector<bool> named(rows);
    for (const Id index : indices) {
      if (index != kNone) named[index] = true;
    }
    for (Id row = 0; row < rows; ++row) {
      if (named[row]) indices_.push_back(row);
    }
  }

  std::string_view NameAt(size_t at) const {
    const size_t begin = at == 0 ? 0 : ends_[at - 1] + 1;
    return std::string_view(text_).substr(begin, ends_[at] - begin);
  }

  std::vector<Id> indices_;
  std::vector<size_t> ends_;
  std::string text_;
};

class CopiedNames : public CycleNames {
 public:
  CopiedNames(const Tables& tables, const PlanData& data, LeftOutNames left_out);

  std::string_view task(TaskIndex i) const override { return tasks_.name(i); }
  std::string_view node(NodeIndex i) const override { return nodes_.name(i); }
  std::string_view job(JobIndex i) const override { return jobs_.name(i); }
  std::string_view queue(QueueIndex i) const override { return queues_.name(i); }
  std::string_view dimension(DimensionIndex i) const override { return dimensions_.name(i); }
  TaskIndex FindTask(std::string_view name) const override { return tasks_.Find(name); }
  JobIndex FindJob(std::string_view name) const override { return jobs_.Find(name); }
  JobIndex job_of(TaskIndex task) const override {
    const size_t at = tasks_.Position(task);
    return at == job_of_.size() ? kNone : job_of_[at];
  }
  std::string_view uid(TaskIndex task) const override {
    const auto found = uids_.find(task);
    return found == uids_.end() ? std::string_view() : found->second;
  }
  bool IsLeftOut(std::string_view task) const override {
    return left_out_ != nullptr && std::binary_search(left_out_->begin(), left_out_->end(), task);
  }

 private:
  SomeNames<TaskIndex> tasks_;
  SomeNames<NodeIndex> nodes_;
  SomeNames<JobIndex> jobs_;
  SomeNames<QueueIndex> queues_;
  SomeNames<DimensionIndex> dimensions_;
  std::vector<JobIndex> job_of_;          // beside tasks_.indices()
  HashMap<TaskIndex, std::string> uids_;  // of tasks that are decided about
  const LeftOutNames left_out_;
};

CopiedNames::CopiedNames(const Tables& tables, const PlanData& data, LeftOutNames left_out)
    : left_out_(std::move(left_out)) {
  std::vector<TaskIndex> tasks;
  std::vector<NodeIndex> nodes;
  std::vector<JobIndex> jobs;
  std::vector<QueueIndex> queues;
  std::vector<DimensionIndex> dimensions;
  for (const Decision& d : data.decisions) {
    for (const TaskIndex task : {d.task, d.beneficiary}) {
      if (const std::string_view uid = UidOf(tables.tasks, task); !uid.empty()) uids_[task] = uid;
    }
    tasks.insert(tasks.end(), {d.task, d.beneficiary});
    nodes.push_back(d.node);
    jobs.push_back(d.job);
  }
  for (const Move& move : data.by_kind.moves) nodes.push_back(move.from);
  for (const Offer& offer : data.by_kind.offers) queues.push_back(offer.queue);
  for (const Tentative& t : data.tentative) {
    tasks.push_back(t.task);
    nodes.push_back(t.node);
  }
  for (const PendingTask& p : data.pending) tasks.push_back(p.task);
  for (const WaitingJob& waiting : data.waiting_jobs) jobs.push_back(waiting.job);
  for (const Reason& reason : data.reasons) queues.push_back(reason.queue);
  for (const QueueShare& share : data.shares) queues.push_back(share.queue);
  for (DimensionIndex d = 0; d < tables.dimension_count(); ++d) dimensions.push_back(d);

  tasks_.Copy(std::move(tasks), tables.tasks.names);
  for (const TaskIndex task : tasks_.indices()) {
    job_of_.push_back(tables.tasks.job[task]);
    jobs.push_back(job_of_.back());
  }
  nodes_.Copy(std::move(nodes), tables.nodes.names);
  jobs_.Copy(std::move(jobs), tables.jobs.names);
  queues_.Copy(std::move(queues), tables.queues.names);
  dimensions_.Copy(std::move(dimensions), tables.dimensions);
}

}  // namespace

std::shared_ptr<const PlanNames> NamesOfCycle(std::shared_ptr<const Tables> tables,
                                              bool tries_lone_tasks) {
  auto names = std::make_shared<FrozenNames>(tables, tries_lone_tasks);
  names->refused = tables->refused;
  return names;
}

std::shared_ptr<const PlanNames> CopyNamesOfCycle(const Tables& tables, const PlanData& data,
                                                  LeftOutNames left_out,
                                                  std::vector<WaitingEvent> waiting) {
  auto names = std::make_shared<CopiedNames>(tables, data, std::move(left_out));
  names->refused = tables.refused;
  names->waiting = std::move(waiting);
  return names;
}

std::shared_ptr<const PlanNames> NamesOf(std::shared_ptr<const Tables> tables) {
  return NamesOfCycle(std::move(tables), /*tries_lone_tasks=*/true);
}

std::shared_ptr<const PlanNames> CopyNames(const Tables& tables, const PlanData& data) {
  return CopyNamesOfCycle(tables, data, /*left_out=*/nullptr, /*waiting=*/{});
}

}  // namespace muster
