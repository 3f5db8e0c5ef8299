// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// bindings: limits what a tenant's tasks hold together in several queues.
//
// Promise. A namespace lists bindings (QueueBindingSpec). A binding's limit covers the tasks of the
// namespace that its selector matches, in one of its queues or below it. With a task among them,
// all such tasks together hold no more than the limit, in the dimensions that the task requests.
// What they hold are places and promises of places, as with queues' limits. Several bindings hold
// together. A queue that does not exist is ignored. No task is evicted for a binding: tasks beyond
// it stay, and get no more.
//
// Ties. None.
//
// Cost. Open: the tasks of jobs in bound queues, where there are any. Then O(dimensions) for each
// binding of its queue after a change of a job; all tasks of a job where a selector matches only
// some. A question: O(bindings of the queue * dimensions).
#include <algorithm>
#include <memory>
#include <vector>

#include "lib/extension/cycle.h"
#include "lib/kube/selectors.h"
#include "lib/peer/transwarp/policies.h"
#include "lib/policy/queue_tree.h"
#include "muster/quantity.h"

namespace muster {
namespace {

class Bindings : public Policy, public GatePolicy {
 public:
  std::string_view name() const override { return "bindings"; }
  PointSet points() const override { return {Point::kAllocatable}; }
  GatePolicy* gate() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    dimensions_ = tables_->dimension_count();
    followed_ = ledger_->job_journal().size();
    books_.clear();
    Resolve();
    if (books_.empty()) return;
    parts_.assign(tables_->jobs.alive.size(), {});
    for (JobIndex job = 0; job < parts_.size(); ++job) {
      if (tables_->jobs.alive[job]) Count(job);
    }
  }

  Verdict Allocatable(QueueIndex queue, TaskIndex task) override {
    if (books_.empty()) return Verdict::Yes();
    Follow();
    const ClassIndex c = tables_->tasks.task_class[task];
    const auto request = ledger_->request(task);
    for (uint32_t b : of_queue_[queue]) {
      const Book& book = books_[b];
      if (!Speaks(b, c)) continue;
      for (DimensionIndex d = 0; d < dimensions_; ++d) {
        if (book.limit[d] == kAbsent || request[d] <= 0) continue;
        if (book.held[d] <= book.limit[d] - request[d]) continue;
        Verdict verdict = Verdict::No(Cause::kLimit, d);
        verdict.binding = book.name;
        return verdict;
      }
    }
    return Verdict::Yes();
  }

 private:
  enum class Says : uint8_t { kUnknown, kNo, kYes };
  struct Book {
    std::string_view name_space, name;
    const Selector* selector;
    std::vector<int64_t> limit, held;
    std::vector<Says> speaks;  // of classes
  };
  // What a job's tasks add to one book.
  struct Part {
    enum class Of : uint8_t { kNone, kSome, kAll } of = Of::kNone;
    std::vector<int64_t> held;
  };

  void Resolve() {
    const QueueTable& queues = tables_->queues;
    of_queue_.assign(queues.alive.size(), {});
    for (const NamespaceSpec& name_space : tables_->namespaces) {
      for (const QueueBindingSpec& binding : name_space.bindings) {
        const auto b = static_cast<uint32_t>(books_.size());
        Book& book = books_.emplace_back();
        book.name_space = name_space.name;
        book.name = binding.name;
        book.selector = &binding.selector;
        book.held.assign(dimensions_, 0);
        book.limit.assign(dimensions_, kAbsent);
        for (const auto& [name, quantity] : binding.limit) {
          const auto d = tables_->dimensions.Find(name);
          if (!d) continue;
          const Unit unit = IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole;
          book.limit[*d] = ParseQuantity(quantity.text, unit).value();
        }
        book.speaks.assign(tables_->classes.shape.size(), Says::kUnknown);
        for (const std::string& name : binding.queues) {
          if (const auto queue = queues.names.Find(name)) of_queue_[*queue].push_back(b);
        }
      }
    }
    if (books_.empty()) return;
    // A binding of a queue holds for those below it.
    for (QueueIndex q : QueuesFromTheTop(queues)) {
      std::vector<uint32_t>& mine = of_queue_[q];
      if (queues.parent[q] != kNone) {
        const auto& above = of_queue_[queues.parent[q]];
        mine.insert(mine.end(), above.begin(), above.end());
      }
      std::sort(mine.begin(), mine.end());
      mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    }
  }

  bool Speaks(uint32_t b, ClassIndex c) {
    Says& says = books_[b].speaks[c];
    if (says == Says::kUnknown) {
      const TaskShape& shape = tables_->classes.shape[c];
      const bool yes =
          shape.name_space == books_[b].name_space && Matches(*books_[b].selector, shape.labels);
      says = yes ? Says::kYes : Says::kNo;
    }
    return says == Says::kYes;
  }

  void Count(JobIndex job) {
    const auto& of_queue = of_queue_[tables_->jobs.queue[job]];
    parts_[job].resize(of_queue.size());
    for (size_t i = 0; i < of_queue.size(); ++i) {
      Part& part = parts_[job][i];
      size_t matched = 0;
      for (TaskIndex t : tables_->jobs.tasks[job]) {
        matched += Speaks(of_queue[i], tables_->tasks.task_class[t]);
      }
      if (matched == 0) continue;
      part.of = matched == tables_->jobs.tasks[job].size() ? Part::Of::kAll : Part::Of::kSome;
      part.held.assign(dimensions_, 0);
      Update(job, i);
    }
  }

  void Follow() {
    const auto journal = ledger_->job_journal();
    for (; followed_ < journal.size(); ++followed_) {
      const JobIndex job = journal[followed_];
      for (size_t i = 0; i < parts_[job].size(); ++i) {
        if (parts_[job][i].of != Part::Of::kNone) Update(job, i);
      }
    }
  }

  void Update(JobIndex job, size_t i) {
    const uint32_t b = of_queue_[tables_->jobs.queue[job]][i];
    Part& part = parts_[job][i];
    std::vector<int64_t> now(ledger_->job_allocated(job).begin(),
                             ledger_->job_allocated(job).end());
    if (part.of == Part::Of::kSome) {
      std::fill(now.begin(), now.end(), 0);
      for (TaskIndex t : tables_->jobs.tasks[job]) {
        const TaskStatus status = ledger_->status(t);
        if (!IsAllocated(status) && status != TaskStatus::kNominated) continue;
        if (!Speaks(b, tables_->tasks.task_class[t])) continue;
        for (DimensionIndex d = 0; d < dimensions_; ++d) now[d] += ledger_->request(t)[d];
      }
    }
    for (DimensionIndex d = 0; d < dimensions_; ++d) books_[b].held[d] += now[d] - part.held[d];
    part.held = std::move(now);
  }

  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  size_t dimensions_ = 0;
  size_t followed_ = 0;  // of the ledger's journal
  std::vector<Book> books_;
  std::vector<std::vector<uint32_t>> of_queue_;  // books, ascending
  std::vector<std::vector<Part>> parts_;         // of jobs, beside of_queue_
};

}  // namespace

PolicyDecl BindingsPolicy() {
  return {"bindings",
          "limits what a tenant's tasks hold together in several queues",
          {},
          [](const Options&) -> std::unique_ptr<Policy> { return std::make_unique<Bindings>(); }};
}

}  // namespace muster
