// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// spending: a queue's tasks cost no more than it may spend, by the hour and in its period.
//
// Promise. A queue has limits (SpendingRules, muster/queue_rules.h) and what it has spent in the
// period (UsageHistory::spent). With a task among them, all tasks that hold places or promises of
// places in the queue and below it
// - cost no more an hour than `hourly_limit`, and
// - cost in the next `ahead` seconds no more than what is left of `limit`.
// All queues from the task's own to the root are asked, each with its own prices, or those of the
// nearest queue above that has some. A task that costs nothing there is never refused. No task is
// evicted for a limit: what runs goes on, and more is spent.
//
// The caller reports what was spent: no clock runs here, and a new period begins when `spent` is
// set to 0. The reason names the queue and the numbers:
//   queue "nlp" has spent 90.00 of 100.00 this month and costs 7.50 an hour; this job costs 2.50 an
//   hour
// What a job costs is the price of all its tasks that have not ended.
//
// Ties. None.
// Cost. Open: O(queues that changed), and O(queues) if one of these or any other has a limit. A
// question: O(priced dimensions) for each queue above with a limit; of a refusal also O(tasks of
// the job), once a cycle. Queues without limits cost nothing.
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/extension/cycle.h"
#include "lib/extension/gate_keep.h"
#include "lib/policy/policies.h"
#include "lib/policy/queue_tree.h"
#include "lib/policy/spending_costs.h"

namespace muster {
namespace {

// Returns `a + b`, and the largest number where that is too large. REQUIRES: b > 0.
int64_t CappedSum(int64_t a, int64_t b) {
  return a > std::numeric_limits<int64_t>::max() - b ? std::numeric_limits<int64_t>::max() : a + b;
}

constexpr OptionDecl kSpendingOptions[] = {
    {"ahead", OptionKind::kWhole, "3600", 0, 1e9,
     "seconds that all that runs must be paid for by what is left of the period's limit"},
};

class Spending : public Policy, public GatePolicy, public GateKeep {
 public:
  explicit Spending(const Options& options)
      : ahead_(static_cast<int64_t>(options.number("ahead"))) {}
  std::string_view name() const override { return "spending"; }
  PointSet points() const override { return {Point::kAllocatable}; }
  GatePolicy* gate() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    job_costs_.clear();
    words_.clear();
    // A queue without rules of its own matters only to queues with a budget.
    const auto may_matter = [this](QueueIndex q) {
      const Boxed<QueueRules>& rules = tables_->queues.spec[q].rules;
      return !budgets_.empty() || q >= nearest_.size() || (rules && rules->spending);
    };
    if (!watch_.Changed(*tables_, may_matter)) return;
    budgets_.clear();
    nearest_.assign(tables_->queues.alive.size(), kNoBudget);
    for (const QueueIndex q : QueuesFromTheTop(tables_->queues)) ReadQueue(q);
  }

  Verdict Allocatable(QueueIndex queue, TaskIndex task) override {
    const Answer answer = Ask(queue, task);
    if (answer.budget == kNoBudget) return Verdict::Yes();
    const Budget& budget = budgets_[answer.budget];
    Verdict verdict =
        Verdict::No(Cause::kSpending, kNone, budget.queue != queue ? budget.queue : kNone);
    verdict.binding = Words(budget, answer.hourly, tables_->tasks.job[task]);
    return verdict;
  }
  bool AllocatableTrial(QueueIndex queue, TaskIndex task) override {
    return Ask(queue, task).budget == kNoBudget;
  }

 private:
  static constexpr uint32_t kNoBudget = ~uint32_t{0};
  struct Budget {
    QueueIndex queue;
    uint32_t above = kNoBudget;  // of the next queue above that has one
    SpendingPrices prices = {};
    int64_t hourly_limit = kAbsent, limit = kAbsent, spent = 0;
    std::string period = {};
  };
  // The budget that refuses, and whether it does so by the hour.
  struct Answer {
    uint32_t budget = kNoBudget;
    bool hourly = false;
  };

  void ReadQueue(QueueIndex q) {
    const QueueTable& queues = tables_->queues;
    const QueueSpec& spec = queues.spec[q];
    if (queues.parent[q] != kNone) nearest_[q] = nearest_[queues.parent[q]];
    if (!spec.rules || !spec.rules->spending) return;
    const SpendingRules& rules = *spec.rules->spending;
    if (!rules.limit && !rules.hourly_limit) return;
    Budget budget{.queue = q, .above = nearest_[q]};
    budget.prices = PricesAbove(*tables_, q);
    if (budget.prices.empty()) return;
    if (rules.hourly_limit) budget.hourly_limit = MoneyOf(rules.hourly_limit->text);
    if (rules.limit) budget.limit = MoneyOf(rules.limit->text);
    if (spec.history && spec.history->spent) budget.spent = MoneyOf(spec.history->spent->text);
    budget.period = rules.period;
    nearest_[q] = static_cast<uint32_t>(budgets_.size());
    budgets_.push_back(std::move(budget));
  }
  Answer Ask(QueueIndex queue, TaskIndex task) {
    for (uint32_t b = nearest_[queue]; b != kNoBudget; b = budgets_[b].above) {
      const Budget& budget = budgets_[b];
      const auto request = ledger_->request(task);
      if (HourlyCost(budget.prices, request) == 0) continue;
      const auto held = ledger_->tree_allocated(budget.queue);
      after_.assign(held.begin(), held.end());
      for (DimensionIndex d = 0; d < after_.size(); ++d) {
        if (request[d] > 0) after_[d] = CappedSum(after_[d], request[d]);
      }
      const int64_t hourly = HourlyCost(budget.prices, after_);
      if (budget.hourly_limit != kAbsent && hourly > budget.hourly_limit) return {b, true};
      if (budget.limit == kAbsent) continue;
      const int64_t left = budget.limit - budget.spent;
      if (left <= 0 || CostOf(hourly, ahead_) > left) return {b, false};
    }
    return {};
  }

  // Returns the numbers of a refusal, valid until the cycle ends.
  std::string_view Words(const Budget& budget, bool hourly, JobIndex job) {
    const int64_t now = HourlyCost(budget.prices, ledger_->tree_allocated(budget.queue));
    std::string text = absl::StrCat("queue ", Quote(tables_->queues.names.name(budget.queue)));
    if (hourly) {
      absl::StrAppend(&text, " costs ", MoneyText(now), " of ", MoneyText(budget.hourly_limit),
                      " an hour");
    } else {
      absl::StrAppend(&text, " has spent ", MoneyText(budget.spent), " of ",
                      MoneyText(budget.limit), " this ", ToAbsl(budget.period), " and costs ",
                      MoneyText(now), " an hour");
    }
    absl::StrAppend(&text, "; this job costs ", MoneyText(JobCost(budget, job)), " an hour");
    const auto [at, is_new] = words_.try_emplace(text);
    if (is_new) at->second = std::make_unique<const std::string>(std::move(text));
    return *at->second;
  }
  int64_t JobCost(const Budget& budget, JobIndex job) {
    const auto [at, is_new] = job_costs_.try_emplace(job);
    if (is_new) {
      std::vector<int64_t>& sum = at->second;
      sum.assign(tables_->dimension_count(), 0);
      for (const TaskIndex t : tables_->jobs.tasks[job]) {
        const TaskStatus status = ledger_->status(t);
        if (status == TaskStatus::kSucceeded || status == TaskStatus::kFailed) continue;
        const auto request = ledger_->request(t);
        for (DimensionIndex d = 0; d < sum.size(); ++d) {
          if (request[d] > 0) sum[d] = CappedSum(sum[d], request[d]);
        }
      }
    }
    return HourlyCost(budget.prices, at->second);
  }

  const int64_t ahead_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  QueueWatch watch_;  // of the budgets, and the nearest ones
  std::vector<Budget> budgets_;
  std::vector<uint32_t> nearest_;                      // the first budget upwards, by queue
  std::vector<int64_t> after_;                         // of one question
  HashMap<JobIndex, std::vector<int64_t>> job_costs_;  // what all tasks request
  HashMap<std::string, std::unique_ptr<const std::string>> words_;
};

}  // namespace

PolicyDecl SpendingPolicy() {
  return {"spending", "limits what the tasks of queues cost, by the hour and in a period",
          kSpendingOptions, [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Spending>(options);
          }};
}

}  // namespace muster
