// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// conformance: what keeps the cluster alive is never evicted.
//
// Promise. Tasks of the priority classes system-cluster-critical and system-node-critical, and
// tasks of the namespace kube-system, are no victims. Where the first tier that names victims
// decides, this policy in an earlier tier hides quota policies in a later one.
// Cost. O(candidates).
#include <algorithm>
#include <array>
#include <string_view>

#include "lib/extension/alike_evictors.h"
#include "lib/extension/cycle.h"
#include "lib/policy/policies.h"

namespace muster {
namespace {

class Conformance : public Policy, public VictimPolicy, public AlikeEvictors {
 public:
  std::string_view name() const override { return "conformance"; }
  PointSet points() const override {
    return {Point::kPreemptable, Point::kReclaimable, Point::kEvictable};
  }
  Traits traits() const override {
    Traits traits;
    traits.judges_in_order = true;
    return traits;
  }
  VictimPolicy* victims() override { return this; }
  bool JudgesByRows(Point) const override { return true; }
  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    for (size_t i = 0; i < kCritical.size(); ++i) {
      critical_[i] = tables_->strings.Find(kCritical[i]).value_or(kNone);
    }
  }

  Vote Preemptable(TaskIndex, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    return LeaveCritical(candidates, chosen);
  }
  Vote Reclaimable(TaskIndex, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    return LeaveCritical(candidates, chosen);
  }
  Vote Evictable(JobIndex, bool, std::span<const TaskIndex> candidates,
                 std::vector<TaskIndex>* chosen) override {
    return LeaveCritical(candidates, chosen);
  }

 private:
  Vote LeaveCritical(std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen) {
    const TaskTable& tasks = tables_->tasks;
    for (TaskIndex t : candidates) {
      const bool critical =
          std::ranges::find(critical_, tasks.priority_class[t]) != critical_.end();
      if (critical || tables_->classes.shape[tasks.task_class[t]].name_space == kSystem) continue;
      chosen->push_back(t);
    }
    return Vote::kPermit;
  }

  static constexpr std::array<std::string_view, 2> kCritical = {"system-cluster-critical",
                                                                "system-node-critical"};
  static constexpr std::string_view kSystem = "kube-system";

  const Tables* tables_ = nullptr;
  std::array<uint32_t, 2> critical_ = {kNone,
                                       kNone};  // as the tables know them; kNone: no task has it
};

}  // namespace

PolicyDecl ConformancePolicy() {
  return {
      "conformance",
      "what keeps the cluster alive is never evicted",
      {},
      [](const Options&) -> std::unique_ptr<Policy> { return std::make_unique<Conformance>(); }};
}

}  // namespace muster
