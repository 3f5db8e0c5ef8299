// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/long_life/life.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace muster::long_life {
namespace {

constexpr uint32_t kNoSlot = UINT32_MAX;
// Jobs that may wait after a plan: their users lose patience beyond that.
constexpr size_t kMostWaiting = 40;

}  // namespace

const std::vector<NodeSpec>& NodeTypes() {
  static const auto* const kTypes = new std::vector<NodeSpec>{
      {.capacity = {{"cpu", 16}, {"memory", "64Gi"}, {"pods", 110}},
       .labels = {{"pool", "small"}, {"zone", "a"}}},
      {.capacity = {{"cpu", 32}, {"memory", "128Gi"}, {"pods", 110}},
       .labels = {{"pool", "large"}, {"zone", "b"}}},
      {.capacity = {{"cpu", 32}, {"memory", "256Gi"}, {"pods", 110}, {"nvidia.com/gpu", 8}},
       .labels = {{"pool", "gpu"}, {"zone", "a"}},
       .taints = {{"gpu", "only", TaintEffect::kNoSchedule}}}};
  return *kTypes;
}

const std::vector<TaskShape>& Shapes() {
  static const auto* const kShapes = [] {
    auto* shapes = new std::vector<TaskShape>;
    for (const int cpu : {2, 4, 6, 10, 14}) {
      TaskShape& shape = shapes->emplace_back();
      shape.request = {{"cpu", cpu}, {"memory", absl::StrCat(3 * cpu, "Gi")}};
    }
    TaskShape zoned = (*shapes)[2];
    zoned.node_selector = {{"zone", "b"}};
    shapes->push_back(zoned);
    for (const int gpus : {1, 1, 2, 4}) {
      TaskShape& shape = shapes->emplace_back();
      shape.request = {{"cpu", 3 * gpus}, {"memory", "20Gi"}, {"nvidia.com/gpu", gpus}};
      shape.tolerations = {{.key = "gpu", .op = TolerationOp::kExists}};
    }
    return shapes;
  }();
  return *kShapes;
}

Life::Life(std::string profile, const LifeOptions& options)
    : profile_(std::move(profile)), options_(options), rng_(options.seed) {
  // One tree of queues with jobs in its leaves alone: every profile can divide it.
  Done(cluster_.AddQueue({.name = "root"}));
  Done(cluster_.UpdateQueue({.name = "default", .parent = "root"}));
  for (const char* parent : {"batch", "serve"}) {
    Done(cluster_.AddQueue({.name = parent, .parent = "root", .weight = 2}));
    for (int i = 0; i < 4; ++i) {
      leaves_.push_back(absl::StrCat(parent, "-", i));
      Done(cluster_.AddQueue({.name = leaves_.back(), .parent = parent, .weight = 1 + i}));
    }
  }
  nodes_.resize(static_cast<size_t>(options.nodes));
  for (size_t place = 0; place < nodes_.size(); ++place) NewNode(place);
  counts_ = {};
}

absl::Status Life::Cycle() {
  for (int64_t i = 0; i < options_.events_a_cycle; ++i) Event();
  if (rng_.Chance(0.05)) {
    now_ -= static_cast<int64_t>(rng_.Below(500));
    ++counts_.steps_back;
  } else {
    now_ += static_cast<int64_t>(rng_.Below(60));
  }
  absl::StatusOr<Plan> plan = cluster_.Schedule(profile_, schedule_options());
  if (!plan.ok()) return plan.status();
  digest_.Add(plan->Digest());
  if (rng_.Chance(0.1)) {  // the caller was slow, and some of the plan has become impossible
    ++counts_.late_plans;
    for (int i = 0; i < 20; ++i) Event();
  }
  const absl::StatusOr<ApplyReport> report = cluster_.Apply(*plan);
  if (!report.ok()) return report.status();
  digest_.Add(report->applied);
  Learn(*plan);
  for (size_t i = kMostWaiting; i < waiting_.size(); ++i) {
    const uint32_t job = waiting_[i - kMostWaiting];
    follow_ups_.push_back({FollowUp::Kind::kRemoveJob, job, jobs_[job].spec.name});
  }
  ++counts_.cycles;
  return absl::OkStatus();
}

bool Life::Done(const absl::Status& status) {
  ++counts_.events;
  counts_.refused += !status.ok();
  return status.ok();
}

void Life::Learn(const Plan& plan) {
  constexpr size_t kMostListed = 64;
  for (const Bind& bind : plan.binds()) {
    const std::string name(plan.task_name(bind.task));
    const uint32_t slot = SlotOf(name);
    const auto place = node_places_.find(std::string(plan.node_name(bind.node)));
    if (slot == kNoSlot || place == node_places_.end()) continue;
    ++counts_.binds;
    const auto node = static_cast<int32_t>(place->second);
    tasks_[slot].node = node;
    std::vector<uint32_t>& listed = nodes_[place->second].tasks;
    if (listed.size() > kMostListed) {
      std::erase_if(listed, [&](uint32_t task) { return tasks_[task].node != node; });
    }
    listed.push_back(slot);
    WaitsNoMore(tasks_[slot].job);
    const bool fails = rng_.Chance(0.02);
    follow_ups_.push_back(
        {fails ? FollowUp::Kind::kBindFailed : FollowUp::Kind::kStarted, slot, name});
  }
  const auto leaves = [&](TaskIndex task) {
    const std::string name(plan.task_name(task));
    const uint32_t slot = SlotOf(name);
    if (slot == kNoSlot) return;
    ++counts_.evictions;
    RunsNoMore(slot);
    follow_ups_.push_back({FollowUp::Kind::kLeft, slot, name});
  };
  for (const Eviction& eviction : plan.evictions()) leaves(eviction.task);
  for (const Move& move : plan.moves()) leaves(move.task);
}

uint32_t Life::SlotOf(std::string_view task) const {
  const auto found = slots_.find(std::string(task));
  return found == slots_.end() ? kNoSlot : found->second;
}

void Life::NewJob(const JobSpec& spec) {
  const auto take = [](std::vector<uint32_t>* free, auto* rows) {
    if (free->empty()) {
      rows->emplace_back();
      return static_cast<uint32_t>(rows->size() - 1);
    }
    const uint32_t slot = free->back();
    free->pop_back();
    return slot;
  };
  const uint32_t slot = take(&free_jobs_, &jobs_);
  jobs_[slot] = Job{.spec = spec, .is_there = true};
  Waits(slot);
  for (const GroupSpec& group : spec.groups) {
    for (int64_t i = 0; i < group.count; ++i) {
      const uint32_t task = take(&free_tasks_, &tasks_);
      tasks_[task] = Task{
          .name = absl::StrCat(spec.name, "-", group.name, "-", i), .job = slot, .is_there = true};
      slots_[tasks_[task].name] = task;
      jobs_[slot].tasks.push_back(task);
    }
  }
}

void Life::ForgetJob(uint32_t job) {
  WaitsNoMore(job);
  for (const uint32_t task : jobs_[job].tasks) {
    if (!tasks_[task].is_there) continue;
    RunsNoMore(task);
    slots_.erase(tasks_[task].name);
    tasks_[task] = {};
    free_tasks_.push_back(task);
  }
  jobs_[job] = {};
  free_jobs_.push_back(job);
}

void Life::StartsToRun(uint32_t task) {
  if (tasks_[task].runs) return;
  tasks_[task].runs = true;
  tasks_[task].at = running_.size();
  running_.push_back(task);
}

void Life::RunsNoMore(uint32_t task) {
  if (!tasks_[task].runs) return;
  tasks_[task].runs = false;
  running_[tasks_[task].at] = running_.back();
  tasks_[running_.back()].at = tasks_[task].at;
  running_.pop_back();
}

bool Life::AnyRuns(uint32_t job) const {
  return std::ranges::any_of(jobs_[job].tasks, [&](uint32_t task) { return tasks_[task].runs; });
}

void Life::Waits(uint32_t job) {
  if (!jobs_[job].is_there || jobs_[job].waits || AnyRuns(job)) return;
  jobs_[job].waits = true;
  jobs_[job].at = waiting_.size();
  waiting_.push_back(job);
}

void Life::WaitsNoMore(uint32_t job) {
  if (!jobs_[job].waits) return;
  jobs_[job].waits = false;
  waiting_[jobs_[job].at] = waiting_.back();
  jobs_[waiting_.back()].at = jobs_[job].at;
  waiting_.pop_back();
}

NodeSpec Life::NodeOf(const Node& node) const {
  NodeSpec spec = NodeTypes()[node.type];
  spec.name = node.name;
  spec.unschedulable = node.is_cordoned;
  return spec;
}

JobSpec Life::RandomJob() {
  static constexpr int64_t kSizes[] = {1, 1, 1, 1, 2, 2, 3, 4, 8, 16};
  JobSpec job;
  job.name = absl::StrCat("j", ++names_);
  job.queue = One(leaves_);
  job.priority = static_cast<int32_t>(10 * rng_.Below(3));
  job.created = now_;
  job.estimate = static_cast<int64_t>(60 + rng_.Below(3600));
  const int64_t size = kSizes[rng_.Below(std::size(kSizes))];
  job.groups = {{.name = "w", .count = size, .shape = One(Shapes()), .priority = job.priority}};
  if (size > 2 && rng_.Chance(0.3)) {
    job.groups.insert(
        job.groups.begin(),
        GroupSpec{.name = "m", .count = 1, .shape = Shapes()[0], .priority = job.priority});
  }
  job.min_available = rng_.Chance(0.7) ? size : 1;
  return job;
}

}  // namespace muster::long_life
