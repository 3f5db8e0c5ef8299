// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The victims for a task of an elastic quota group, or because the group uses too much: one
// question a request.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/import/api_object.h"
#include "lib/import/kubernetes.h"
#include "lib/kube/budgets.h"
#include "lib/peer/koordinator/quota/elastic_preemption.h"
#include "lib/peer/koordinator/quota/elastic_revoke.h"
#include "lib/share/resource_names.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

class Question {
 public:
  explicit Question(const json& question) : question_(question) {}

  json Answer() {
    const std::string ask = question_.value("ask", "");
    const ElasticPreemption preemption(
        {.default_is_safe = question_.value("default_is_safe", true)});
    const ElasticTask task = TaskOf(question_.value("task", json::object()));
    ElasticNode node;
    for (const json& one : question_.value("tasks", json::array()))
      node.tasks.push_back(TaskOf(one));
    if (ask == "spare") return Spare();
    if (ask == "may") return preemption.MayTakeFrom(task, node.tasks.at(0));
    if (ask == "right") {
      const bool nominated = question_.value("nominated", false);
      return preemption.RightOf(task, nominated ? &node : nullptr,
                                question_.value("never_fits", false)) ==
             ElasticPreemption::Right::kMay;
    }
    const Sparse used = Of(question_["used"]), limit = Of(question_["limit"]);
    if (ask == "revoke") {
      std::vector<RevocableTask> tasks;
      for (const ElasticTask& one : node.tasks) {
        tasks.push_back({one.request, one.priority, one.started, one.preemptible});
      }
      return TasksToRevoke(used, limit, tasks);
    }
    // A node that is never too small.
    ForEachResource(task.request.keys(), [&](size_t r) { node.capacity.Set(r, int64_t{1} << 62); });
    const auto result = preemption.DryRun(task, {used, limit, ~uint64_t{0}}, node);
    return {{"outcome", static_cast<int>(result.outcome)},
            {"victims", result.victims},
            {"broken_budgets", result.broken_budgets}};
  }

 private:
  // Which pods break a budget, of those in this order.
  json Spare() const {
    Budget reading;
    ImportLog log;
    Dump dump(ReadJsonObjects(question_["budgets"].dump(), &reading).value(), &log);
    const KindRule rule{"PodDisruptionBudget"};
    dump.Keep({&rule, 1}, "kube-scheduler");
    const std::vector<DisruptionBudgetSpec> budgets = ReadBudgets(dump);
    std::vector<int64_t> allowed;
    for (const DisruptionBudgetSpec& budget : budgets) allowed.push_back(budget.allowed);
    ElasticNode node;
    std::vector<size_t> candidates, breaking, others;
    for (const json& row : question_["pods"]) {
      const std::string name_space = row[0];
      const std::string name = absl::StrCat(name_space, "/", row[1].get<std::string>());
      Labels labels;
      for (const auto& [key, value] : row[2].items()) labels.push_back({key, value});
      ElasticTask task{.name = name};
      for (uint32_t b = 0; b < budgets.size(); ++b) {
        if (CoversTask(budgets[b], {name_space, name, labels})) task.budgets.push_back(b);
      }
      candidates.push_back(candidates.size());
      node.tasks.push_back(std::move(task));
    }
    ElasticPreemption preemption({});
    preemption.SetBudgets(allowed);
    preemption.SpareBudgets(node.tasks, candidates, &breaking, &others);
    return {breaking, others};
  }

  Sparse Of(const json& amounts) {
    NamedAmounts named;
    for (const auto& [name, amount] : amounts.items()) {
      named.emplace_back(name, amount.get<int64_t>());
    }
    return *names_.Intern(named);
  }
  ElasticTask TaskOf(const json& task) {
    return {.name = task.value("name", ""),
            .group = task.value("group", ""),
            .request = Of(task.value("request", json::object())),
            .priority = task.value("priority", 0),
            .started = task.value("started", int64_t{0}),
            .preemptible = task.value("preemptible", true),
            .preempts = task.value("preempts", true),
            .is_leaving = task.value("is_leaving", false),
            .is_counted = task.value("is_counted", true)};
  }

  const json& question_;
  ResourceNames names_;
};

}  // namespace

absl::StatusOr<json> AskQuotaVictims(const json& request) {
  return Question(request["quota_victims"]).Answer();
}

}  // namespace muster::testing
