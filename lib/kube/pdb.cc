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
// Cost. O(candidates x budgets that match), a class being matched once a cycle. Budgets of one
// namespace and selector are one: the smallest of them decides.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/extension/alike_evictors.h"
#include "lib/extension/cycle.h"
#include "lib/kube/policies.h"
#include "lib/kube/selectors.h"
#include "lib/model/key.h"

namespace muster {
namespace {

constexpr OptionDecl kPdbOptions[] = {
    {"whole_plan", OptionKind::kFlag, "off", 0, 0,
     "budgets last for the whole plan, and only tasks they match are asked about"},
};

class Pdb : public Policy, public VictimPolicy, public AlikeEvictors {
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
    evicted_.clear();
    known_ = false;
    taken_.clear();
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
    if (tables_->budgets.empty()) return Vote::kAbstain;
    Follow();
    for (TaskIndex t : candidates) {
      const std::vector<uint32_t>& budgets = BudgetsOf(t);
      bool allowed = true;
      for (uint32_t b : budgets) allowed &= left_[b] > 0;
      if (!allowed) continue;
      Take(budgets);
      chosen->push_back(t);
    }
    GiveBack();
    return Vote::kPermit;
  }

  Vote AskAfresh(std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen) {
    for (TaskIndex t : candidates) {
      if (tables_->classes.shape[tables_->tasks.task_class[t]].labels.empty()) continue;
      const std::vector<uint32_t>& budgets = BudgetsOf(t);
      Take(budgets);
      bool violated = false;
      for (uint32_t b : budgets) violated |= left_[b] < 0;
      if (!violated) chosen->push_back(t);
    }
    GiveBack();
    return Vote::kPermit;
  }

  // Takes one from each budget until the question is answered.
  void Take(const std::vector<uint32_t>& budgets) {
    for (uint32_t b : budgets) --left_[b];
    taken_.insert(taken_.end(), budgets.begin(), budgets.end());
  }
  void GiveBack() {
    for (uint32_t b : taken_) ++left_[b];
    taken_.clear();
  }

  // Makes one budget of those that match the same tasks. They lose and regain evictions together,
  // so the smallest of them stays the smallest.
  void Learn() {
    known_ = true;
    left_.clear();
    representative_.clear();
    HashMap<std::string, uint32_t> numbers;
    for (const DisruptionBudgetSpec& budget : tables_->budgets) {
      if (!budget.selector.has_value()) continue;
      Key key;
      key.Add(budget.name_space);
      key.Add(*budget.selector);
      const uint32_t next = static_cast<uint32_t>(left_.size());
      const auto [known, is_new] = numbers.try_emplace(key.Take(), next);
      if (is_new) {
        left_.push_back(budget.allowed);
        representative_.push_back(&budget);
      }
      int64_t& left = left_[known->second];
      left = std::min(left, budget.allowed);
    }
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
      if (!known_) Learn();
      const TaskShape& shape = tables_->classes.shape[c];
      std::vector<uint32_t>& budgets = budgets_of_[c].emplace();
      for (uint32_t b = 0; b < representative_.size(); ++b) {
        const DisruptionBudgetSpec& spec = *representative_[b];
        if (spec.name_space != shape.name_space) continue;
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
  bool known_ = false;                                       // the next three are of this cycle
  std::vector<const DisruptionBudgetSpec*> representative_;  // of budgets that match the same
  std::vector<int64_t> left_;    // per these: what evictions until `followed_` left of the smallest
  std::vector<uint32_t> taken_;  // of them, for the question at hand
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
