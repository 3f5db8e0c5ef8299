// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// pdb: no more victims than disruption budgets allow.
//
// Promise. A task is no victim where a budget of its namespace with a selector that matches its
// labels has none left. With `whole_plan` a budget counts every eviction of the plan so far, and
// gets back one that is undone. Tasks that no budget matches may then be evicted, and an empty
// selector matches all.
//
// Rules. Without `whole_plan` every question counts afresh, so two questions about one budget may
// both be answered with yes. A refused task uses up its budgets all the same. An empty selector
// matches nothing. A task without labels is never a victim. The policy also answers
// at the point `victims`, where answers add up: every task that budgets allow to go is named there.
//
// Ties. Candidates are counted in the order in which they are named.
//
// Cost. O(candidates x budgets that match), a class being matched once a cycle.
#include <map>
#include <optional>
#include <vector>

#include "lib/extension/cycle.h"
#include "lib/kube/policies.h"
#include "lib/kube/selectors.h"

namespace muster {
namespace {

constexpr OptionDecl kPdbOptions[] = {
    {"whole_plan", OptionKind::kFlag, "off", 0, 0,
     "budgets last for the whole plan, and only tasks they match are asked about"},
};

class Pdb : public Policy, public VictimPolicy {
 public:
  explicit Pdb(const Options& options) : whole_plan_(options.flag("whole_plan")) {}

  std::string_view name() const override { return "pdb"; }
  PointSet points() const override {
    return {Point::kPreemptable, Point::kReclaimable, Point::kVictims};
  }
  Traits traits() const override {
    Traits traits;
    traits.judges_in_order = true;
    return traits;
  }
  VictimPolicy* victims() override { return this; }
  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    budgets_of_.clear();
    left_.clear();
    evicted_.clear();
    for (const DisruptionBudgetSpec& budget : tables_->budgets) left_.push_back(budget.allowed);
    followed_ = ledger_->view_journal().size();
  }

  Vote Preemptable(TaskIndex, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    return Ask(candidates, chosen);
  }
  Vote Reclaimable(TaskIndex, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    return Ask(candidates, chosen);
  }
  void Victims(std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen) override {
    if (Ask(candidates, chosen) == Vote::kAbstain)
      chosen->insert(chosen->end(), candidates.begin(), candidates.end());
  }

 private:
  Vote Ask(std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen) {
    if (!whole_plan_) return AskAfresh(candidates, chosen);
    if (left_.empty()) return Vote::kAbstain;
    Follow();
    std::vector<int64_t> left = left_;
    for (TaskIndex t : candidates) {
      const std::vector<uint32_t>& budgets = BudgetsOf(t);
      bool allowed = true;
      for (uint32_t b : budgets) allowed &= left[b] > 0;
      if (!allowed) continue;
      for (uint32_t b : budgets) --left[b];
      chosen->push_back(t);
    }
    return Vote::kPermit;
  }

  Vote AskAfresh(std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen) {
    std::vector<int64_t> left = left_;
    for (TaskIndex t : candidates) {
      if (tables_->classes.shape[tables_->tasks.task_class[t]].labels.empty()) continue;
      bool violated = false;
      for (uint32_t b : BudgetsOf(t)) violated |= --left[b] < 0;
      if (!violated) chosen->push_back(t);
    }
    return Vote::kPermit;
  }

  // A task that was bound or running leaves the view when it is evicted, and comes back when that
  // is undone; where undone evictions linger it stays out of the view, and its status tells.
  void Follow() {
    const auto journal = ledger_->view_journal();
    for (; followed_ < journal.size(); ++followed_) {
      const Ledger::ViewChange& change = journal[followed_];
      if (change.status != TaskStatus::kRunning && change.status != TaskStatus::kBound) continue;
      bool& evicted = evicted_[change.task];
      Count(change.task, change.sign < 0, &evicted);
    }
    if (!ledger_->accounting().undone_eviction_lingers) return;
    for (auto& [task, evicted] : evicted_) {
      Count(task, ledger_->status(task) == TaskStatus::kReleasing, &evicted);
    }
  }
  void Count(TaskIndex task, bool is_evicted, bool* evicted) {
    if (*evicted == is_evicted) return;
    for (uint32_t b : BudgetsOf(task)) left_[b] += is_evicted ? -1 : 1;
    *evicted = is_evicted;
  }

  const std::vector<uint32_t>& BudgetsOf(TaskIndex task) {
    const ClassIndex c = tables_->tasks.task_class[task];
    if (c >= budgets_of_.size()) budgets_of_.resize(tables_->classes.shape.size());
    if (!budgets_of_[c].has_value()) {
      const TaskShape& shape = tables_->classes.shape[c];
      std::vector<uint32_t>& budgets = budgets_of_[c].emplace();
      for (uint32_t b = 0; b < tables_->budgets.size(); ++b) {
        const DisruptionBudgetSpec& spec = tables_->budgets[b];
        if (spec.name_space != shape.name_space || !spec.selector.has_value()) continue;
        if (!whole_plan_ && *spec.selector == Selector()) continue;
        if (Matches(*spec.selector, shape.labels)) budgets.push_back(b);
      }
    }
    return *budgets_of_[c];
  }

  const bool whole_plan_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  std::vector<std::optional<std::vector<uint32_t>>> budgets_of_;  // per class, once asked about
  std::vector<int64_t> left_;  // per budget: what evictions until `followed_` left of it
  std::map<TaskIndex, bool>
      evicted_;          // tasks that left the view at some time, and whether they are evicted now
  size_t followed_ = 0;  // in the ledger's view journal
};

}  // namespace

PolicyDecl PdbPolicy() {
  return {"pdb", "no more victims than disruption budgets allow", kPdbOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Pdb>(options);
          }};
}

}  // namespace muster
