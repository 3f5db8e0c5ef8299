// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/context.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace muster {

bool WorkMeter::Cut() {
  if (cut_) return true;
  cut_ = (budget_.has_value() && work_ >= *budget_) ||
         (should_stop_ != nullptr && *should_stop_ && (*should_stop_)());
  return cut_;
}

ActionContext::ActionContext(const Tables& tables, Ledger& ledger, const Dispatcher& dispatcher,
                             NodeSearch& search, WorkMeter& meter, std::vector<JobPhase>& phases,
                             std::span<const JobIndex> waiting, Domains& domains, bool admission,
                             bool evicts)
    : tables(tables),
      ledger(ledger),
      dispatcher(dispatcher),
      search(search),
      meter(meter),
      phases(phases),
      waiting(waiting),
      domains(domains),
      admission(admission),
      evicts(evicts) {}

TaskQueue::TaskQueue(const ActionContext& context, std::vector<TaskIndex> tasks)
    : tasks_(std::move(tasks)) {
  if (!context.dispatcher.TaskOrderMoves()) return;
  std::sort(tasks_.begin(), tasks_.end());
  heap_.emplace(Before{&context.dispatcher});
  for (TaskIndex t : tasks_) heap_->Push(t);
}

void ActionContext::Admit(JobIndex job) {
  dispatcher.Admitted(job);
  phases[job] = JobPhase::kAdmitted;
  Decision decision{DecisionKind::kAdmit};
  decision.job = job;
  decisions_.push_back(decision);
}

void ActionContext::Bind(TaskIndex task) {
  const NodeIndex node = ledger.node_of(task);
  ledger.Move(task, TaskStatus::kBinding, node);
  Decision decision{DecisionKind::kBind};
  decision.task = task;
  decision.node = node;
  decision.job = tables.tasks.job[task];
  decisions_.push_back(decision);
}

void ActionContext::Commit(const Ledger::Savepoint& before) {
  const size_t end = ledger.log().size();
  for (size_t i = before.position; i < end; ++i) {
    const Ledger::Entry entry = ledger.log()[i];
    if (entry.to == TaskStatus::kPlaced) {
      Bind(entry.task);
      continue;
    }
    Decision decision{DecisionKind::kNominate};
    decision.task = entry.task;
    decision.job = tables.tasks.job[entry.task];
    decision.node = entry.to_node;
    if (entry.to == TaskStatus::kReleasing) {
      decision.kind = DecisionKind::kEvict;
      const auto it = beneficiary_.find(entry.task);
      if (it != beneficiary_.end()) decision.beneficiary = it->second;
    } else if (entry.to == TaskStatus::kNominated) {
      const auto it = after_eviction_.find(entry.task);
      decision.after_eviction = it != after_eviction_.end() && it->second;
    } else {
      continue;
    }
    decisions_.push_back(decision);
  }
}

void ActionContext::WithdrawNomination(TaskIndex task) {
  std::erase_if(decisions_, [&](const Decision& d) {
    return d.kind == DecisionKind::kNominate && d.task == task;
  });
}

void ActionContext::Explain(TaskIndex task, ReasonPtr reason) {
  task_reason_[task] = std::move(reason);
}

void ActionContext::Explain(TaskIndex task, Reason reason) {
  Explain(task, std::make_shared<const Reason>(std::move(reason)));
}

void ActionContext::ExplainJob(JobIndex job, Reason reason) {
  job_reason_[job] = std::make_shared<const Reason>(std::move(reason));
}

void ActionContext::ExplainQueue(QueueIndex queue, Reason reason) {
  queue_reason_[queue] = std::make_shared<const Reason>(std::move(reason));
}

ActionContext::ReasonPtr ActionContext::NoNode(ClassIndex c) {
  Remembered& remembered = no_node_[c];
  const uint64_t content = ledger.moment().content;
  if (remembered.content != content) {
    remembered.content = content;
    Reason reason{ReasonKind::kNoNode};
    reason.refusals = search.Refusals(c);
    remembered.reason = std::make_shared<const Reason>(std::move(reason));
  }
  return remembered.reason;
}

Reason ActionContext::QueueReason(ReasonKind kind, QueueIndex queue, const Verdict& verdict) const {
  Reason reason{kind};
  reason.policy = std::string(verdict.policy);
  reason.queue = queue;
  reason.dimension = verdict.dimension;
  if (!verdict.binding.empty()) {
    reason.where = absl::StrCat("binding \"", std::string(verdict.binding), "\"");
  } else if (verdict.queue != kNone) {
    reason.where = absl::StrCat("queue \"", tables.queues.spec[verdict.queue].name, "\"");
  }
  return reason;
}

ActionContext::ReasonPtr ActionContext::GangReason(ReasonKind kind, int64_t placed, int64_t needed,
                                                   const ReasonPtr& failure) {
  OfGangs& known = gang_reasons_[failure.get()];
  if (known.reason == nullptr || known.reason->kind != kind || known.reason->placed != placed ||
      known.reason->needed != needed) {
    Reason reason{kind};
    reason.placed = placed;
    reason.needed = needed;
    if (failure != nullptr) reason.refusals = failure->refusals;
    known = {failure, std::make_shared<const Reason>(std::move(reason))};
  }
  return known.reason;
}

void ActionContext::NoteNoNode(TaskIndex task, Want want, const std::vector<uint8_t>* refused) {
  const JobIndex job = tables.tasks.job[task];
  const GroupIndex group = tables.tasks.group[task];
  const ClassIndex c = ClassOf(task);
  FitErrors::Nodes hopeless;
  // For all other tasks it is the same nodes at any time, and the search leaves them out by itself. (A sample is drawn
  // from a list without them.)
  if (evicts && (search.samples() || search.FitDependsOnOthers(c) || IsMixed(job, group))) {
    std::vector<uint8_t> nodes;
    if (refused != nullptr) {
      nodes = *refused;
    } else {
      nodes.resize(tables.nodes.alive.size(), kNotRefused);
      search.AddRefused(c, want, /*tell_hopeless=*/true, &nodes);
    }
    for (uint8_t& node : nodes) node = node == kHopeless;
    hopeless = std::make_shared<const std::vector<uint8_t>>(std::move(nodes));
  }
  fit_errors.Note(job, group, task, std::move(hopeless));
}

bool ActionContext::IsMixed(JobIndex job, GroupIndex group) {
  if (tables.jobs.groups[job][group].name.empty()) return false;
  const auto [it, added] = mixed_.try_emplace(job);
  std::vector<uint8_t>& mixed = it->second;
  if (added) {
    mixed.resize(tables.jobs.groups[job].size(), 0);
    std::vector<ClassIndex> first(mixed.size(), kNone);
    for (TaskIndex t : tables.jobs.tasks[job]) {
      const GroupIndex g = tables.tasks.group[t];
      if (first[g] == kNone) first[g] = ClassOf(t);
      mixed[g] |= first[g] != ClassOf(t);
    }
  }
  return mixed[group];
}

const Reason* ActionContext::ReasonOf(TaskIndex task) const {
  const auto it = task_reason_.find(task);
  return it == task_reason_.end() ? nullptr : it->second.get();
}

const Reason* ActionContext::ReasonOfJob(JobIndex job) const {
  const auto it = job_reason_.find(job);
  return it == job_reason_.end() ? nullptr : it->second.get();
}

const Reason* ActionContext::ReasonOfQueue(QueueIndex queue) const {
  const auto it = queue_reason_.find(queue);
  return it == queue_reason_.end() ? nullptr : it->second.get();
}

void ActionContext::ForgetReason(TaskIndex task) { task_reason_.erase(task); }

std::vector<TaskIndex> ActionContext::PendingTasks(JobIndex job, bool with_best_effort) const {
  std::vector<TaskIndex> pending;
  for (TaskIndex t : tables.jobs.tasks[job]) {
    if (ledger.status(t) == TaskStatus::kPending && !IsGated(t) &&
        (with_best_effort || !IsBestEffort(t))) {
      pending.push_back(t);
    }
  }
  return InTaskOrder(std::move(pending));
}

std::vector<TaskIndex> ActionContext::InTaskOrder(std::vector<TaskIndex> tasks) const {
  const auto before = [this](TaskIndex a, TaskIndex b) { return dispatcher.TaskBefore(a, b); };
  // Tasks with and without an ordinal do not compare transitively; then the peer's heap decides.
  const auto& ordinal = tables.tasks.ordinal;
  const size_t numbered =
      std::count_if(tasks.begin(), tasks.end(), [&](TaskIndex t) { return ordinal[t] != kAbsent; });
  if (numbered == 0 || numbered == tasks.size()) {
    if (!std::is_sorted(tasks.begin(), tasks.end(), before)) {
      std::sort(tasks.begin(), tasks.end(), before);
    }
    return tasks;
  }
  GoHeap<TaskIndex, decltype(before)> heap(before);
  for (TaskIndex t : tasks) heap.Push(t);
  for (TaskIndex& t : tasks) t = heap.Pop();
  return tasks;
}

}  // namespace muster
