// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Names without tables, so that plans can be made by hand: task 3 is "t3", of job 1 named "j1" if
// it is 30-39.
#ifndef MUSTER_TESTS_PLAN_FAKE_NAMES_H_
#define MUSTER_TESTS_PLAN_FAKE_NAMES_H_

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/model/access.h"
#include "lib/plan/plan_data.h"

namespace muster {

// Tasks 10 j .. 10 j + 9 are of job j; tasks from 100 on are of none.
class FakeNames : public PlanNames {
 public:
  FakeNames() {
    for (int i = 0; i < 200; ++i) texts_.push_back(std::to_string(i));
    for (int i = 0; i < 200; ++i) tasks_.push_back("t" + texts_[static_cast<size_t>(i)]);
    for (int i = 0; i < 10; ++i) jobs_.push_back("j" + texts_[static_cast<size_t>(i)]);
    for (int i = 0; i < 10; ++i) nodes_.push_back("n" + texts_[static_cast<size_t>(i)]);
  }
  std::string_view task(TaskIndex i) const override {
    return i == kNone ? "" : std::string_view(tasks_[i]);
  }
  std::string_view node(NodeIndex i) const override {
    return i == kNone ? "" : std::string_view(nodes_[i]);
  }
  std::string_view job(JobIndex i) const override {
    return i == kNone ? "" : std::string_view(jobs_[i]);
  }
  std::string_view queue(QueueIndex i) const override {
    return i == kNone ? "" : i == 0 ? "default" : "vision";
  }
  std::string_view dimension(DimensionIndex i) const override {
    constexpr std::string_view kNames[] = {"cpu", "memory", "pods", "nvidia.com/gpu"};
    return i == kNone ? "" : kNames[i];
  }
  TaskIndex FindTask(std::string_view name) const override { return TaskIndex(Find(tasks_, name)); }
  JobIndex FindJob(std::string_view name) const override { return JobIndex(Find(jobs_, name)); }
  JobIndex job_of(TaskIndex task) const override {
    return task < 100 ? JobIndex(task / 10) : kNone;
  }

 private:
  static uint32_t Find(const std::deque<std::string>& names, std::string_view name) {
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return static_cast<uint32_t>(i);
    }
    return kNone;
  }
  std::deque<std::string> texts_, tasks_, jobs_, nodes_;
};

// A plan of hand-made data.
inline Plan MakePlan(PlanData data) {
  data.names = std::make_shared<FakeNames>();
  ListByKind(&data);
  return PlanOf(std::make_shared<const PlanData>(std::move(data)));
}

inline Decision BindOf(TaskIndex task, NodeIndex node) {
  return {.kind = DecisionKind::kBind,
          .task = task,
          .node = node,
          .job = task < 100 ? JobIndex(task / 10) : kNone};
}

}  // namespace muster

#endif  // MUSTER_TESTS_PLAN_FAKE_NAMES_H_
