// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Sequences of calls on a living cluster. Each byte chooses a call, a row or a number (rows.h).
//
// Checked: a call that is refused changes no row and no version. A living cluster, a snapshot of
// it, a loaded saved state and a cluster rebuilt from its scenario make one plan. A snapshot gives
// the plan of its moment, whatever happened to the cluster since.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/scenario/state.h"
#include "muster/bound.h"
#include "muster/forecast.h"
#include "muster/rehearsal.h"
#include "muster/remedy.h"
#include "muster/trace.h"
#include "muster/upkeep.h"
#include "muster/what_if.h"
#include "tests/fuzz/checks.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/rows.h"
#include "tests/fuzz/target.h"

namespace muster::fuzz {
namespace {

constexpr int kMostClusterCalls = 48;
constexpr size_t kMostRows = 64;

class CallSequence {
 public:
  explicit CallSequence(std::string_view bytes) : in_(bytes), make_(&in_) {}

  void Run() {
    for (int calls = 0; calls < kMostClusterCalls && !in_.empty(); ++calls) {
      const std::string before = RowsOf(cluster_);
      const uint64_t version = cluster_.version();
      const absl::Status done = Call();
      if (done.ok()) continue;
      const std::string after = RowsOf(cluster_);
      if (before != after || version != cluster_.version()) {
        Fail(absl::StrCat("refused, but changed: ", done.ToString(), "\n", before, "\n", after));
      }
    }
    CheckFrozen();
    CheckCopies(&cluster_, SpecOf(&in_), {.now = 3});
  }

 private:
  // A plan of the moment that a snapshot was taken.
  struct Frozen {
    Snapshot snapshot;
    std::string spec, digest;
  };

  absl::Status Call() {
    switch (in_.Below(8)) {
      case 0:
        return Add();
      case 1:
        return Update();
      case 2:
        return Remove();
      case 3:
        return Report();
      case 4:
        return Deltas();
      case 5:
        return SetOthers();
      case 6:
        return Cycle();
      default:
        return Rest();
    }
  }

  absl::Status Add() {
    const Snapshot now = cluster_.Freeze();
    if (now.task_count() + now.job_count() + now.node_count() > kMostRows) return {};
    switch (in_.Below(6)) {
      case 0:
        return cluster_.AddNode(make_.Row<NodeSpec>());
      case 1:
        return cluster_.AddNodes(static_cast<int64_t>(in_.Below(4)), make_.Row<NodeSpec>());
      case 2:
        return cluster_.AddQueue(make_.Row<QueueSpec>());
      case 3:
        return cluster_.AddJob(make_.Row<JobSpec>());
      case 4:
        return cluster_.AddTask(make_.Row<TaskSpec>());
      default:
        return cluster_.AddDomain(make_.Row<DomainSpec>());
    }
  }

  absl::Status Update() {
    switch (in_.Below(4)) {
      case 0:
        return cluster_.UpdateNode(make_.Row<NodeSpec>());
      case 1:
        return cluster_.UpdateQueue(make_.Row<QueueSpec>());
      case 2:
        return cluster_.UpdateJob(make_.Row<JobSpec>());
      default:
        return cluster_.UpdateTask(make_.Row<TaskSpec>());
    }
  }

  absl::Status Remove() {
    const std::string name = make_.Name();
    switch (in_.Below(8)) {
      case 0:
        return cluster_.RemoveNode(name);
      case 1:
        return cluster_.RemoveQueue(name);
      case 2:
        return cluster_.RemoveJob(name);
      case 3:
        return cluster_.RemoveTask(name);
      case 4:
        return cluster_.RemoveDomain(name);
      case 5:
        return cluster_.RemoveFlavor(name);
      case 6:
        return cluster_.RemovePartition(name);
      default:
        return cluster_.RemoveReservation(name);
    }
  }

  absl::Status Report() {
    const std::string name = TaskName();
    switch (in_.Below(5)) {
      case 0:
        return cluster_.ReportBindFailed(name);
      case 1:
        return cluster_.ReportEvictFailed(name);
      case 2:
        return cluster_.MakeTasks(make_.Name(), make_.Name(), static_cast<int64_t>(in_.Below(4)));
      default: {
        TaskStatus status = TaskStatus::kPending;
        make_.Fill(&status);
        return cluster_.SetTaskStatus(name, status, in_.OneIn(2) ? NodeName() : "");
      }
    }
  }

  absl::Status Deltas() {
    Delta delta{.generation = in_.Below(8)};
    switch (in_.Below(8)) {
      case 0:
        delta.object = make_.Row<NodeSpec>();
        break;
      case 1:
        delta.object = make_.Row<QueueSpec>();
        break;
      case 2:
        delta.object = make_.Row<JobSpec>();
        break;
      case 3:
        delta.object = make_.Row<TaskSpec>();
        break;
      case 4:
        delta.object = make_.Row<FlavorSpec>();
        break;
      case 5:
        delta.object = make_.Row<ReservationSpec>();
        break;
      case 6:
        delta.object = make_.Row<PartitionSpec>();
        break;
      default:
        delta.object = Removal{static_cast<Removal::Kind>(in_.Below(7)), make_.Name()};
    }
    return cluster_.ApplyDelta(delta).status();
  }

  absl::Status SetOthers() {
    switch (in_.Below(5)) {
      case 0:
        return cluster_.SetDisruptionBudget(make_.Row<DisruptionBudgetSpec>());
      case 1:
        return cluster_.SetNamespace(make_.Row<NamespaceSpec>());
      case 2:
        return cluster_.SetFlavor(make_.Row<FlavorSpec>());
      case 3:
        return cluster_.SetPartition(make_.Row<PartitionSpec>());
      default:
        return cluster_.SetReservation(make_.Row<ReservationSpec>());
    }
  }

  ScheduleOptions Options() {
    ScheduleOptions options{.now = in_.Number(), .seed = in_.Below(3)};
    switch (in_.Below(8)) {
      case 0:
        options.work_budget = in_.Number();
        break;
      case 1:
        options.turn = NextDecisions{in_.Number()};
        break;
      case 2:
        options.turn = Heartbeats{{NodeName(), NodeName()}};
        break;
      case 3:
        options.turn = OneEvent{};
        break;
      case 4:
        options.cursor = static_cast<uint32_t>(in_.Number());
        break;
      default:
        break;
    }
    options.speed.block_winners = !in_.OneIn(4);
    return options;
  }

  absl::Status Cycle() {
    const std::string spec = SpecOf(&in_);
    const ScheduleOptions options = Options();
    absl::StatusOr<Plan> plan = CheckedSchedule(&cluster_, spec, options);
    if (!plan.ok()) return plan.status();
    plans_.push_back(*std::move(plan));
    return in_.OneIn(2) ? cluster_.Apply(plans_.back()).status() : absl::OkStatus();
  }

  absl::Status Rest() {
    switch (in_.Below(8)) {
      case 0: {
        if (plans_.empty()) return {};  // of any moment: decisions may have become impossible
        return cluster_.Apply(plans_[in_.Below(plans_.size())]).status();
      }
      case 1: {
        ClusterSpec full = cluster_.Describe();
        if (in_.OneIn(2)) full.nodes.push_back(make_.Row<NodeSpec>());
        if (in_.OneIn(2)) full.queues.push_back(make_.Row<QueueSpec>());
        if (in_.OneIn(2) && !full.tasks.empty()) full.tasks.pop_back();
        if (in_.OneIn(2) && !full.jobs.empty()) full.jobs[0].queue = make_.Name();
        return cluster_.Reconcile(full).status();
      }
      case 2: {
        const std::string spec = SpecOf(&in_);
        const Snapshot snapshot = cluster_.Freeze();
        const absl::StatusOr<Plan> plan = Schedule(snapshot, spec);
        if (plan.ok()) frozen_.push_back({snapshot, spec, plan->Digest()});
        return {};
      }
      case 3:
        CheckCopies(&cluster_, SpecOf(&in_), {.now = 1});
        return {};
      case 4: {
        if (plans_.empty()) return {};
        cluster_.SetMemory(plans_[in_.Below(plans_.size())].memory());
        return {};
      }
      case 5:
      case 6: {
        const uint64_t version = cluster_.version();
        const absl::Status answered = Ask();
        Require(version == cluster_.version(), "a question changed the cluster");
        return answered;
      }
      default: {
        WhatIfChange change;
        make_.Fill(&change);
        if (change.add_nodes) change.add_nodes->count %= 4;
        return WhatIf(cluster_, SpecOf(&in_), {{change}}).status();
      }
    }
  }

  // Questions about a cluster, which change nothing.
  absl::Status Ask() {
    const std::string spec = SpecOf(&in_);
    switch (in_.Below(7)) {
      case 0: {
        WhatIfChange change;
        make_.Fill(&change);
        if (change.add_nodes) change.add_nodes->count %= 4;
        return Rehearse(cluster_, spec, std::vector<WhatIfChange>{change}).status();
      }
      case 1:
        return Diagnose(cluster_, spec, make_.Name(), {.trials = 3}).status();
      case 2:
        return Drain(cluster_, spec, std::vector<std::string>{NodeName()}).status();
      case 3: {
        const std::vector<NodeOffer> offers = {{.node = make_.Row<NodeSpec>()}};
        return NeedNodes(cluster_, spec, offers, {.most = 2}).status();
      }
      case 4:
        return BoundOf(cluster_.Freeze(), {.work = 1000}).status();
      case 5:
        if (plans_.empty()) return BestOf(cluster_.Freeze(), {.work = 100}).status();
        return GapOf(cluster_.Freeze(), plans_[in_.Below(plans_.size())], {.work = 1000}).status();
      default:
        return Forecast(cluster_, spec, Trace(), {.futures = 3, .work_budget = 20'000}).status();
    }
  }

  void CheckFrozen() {
    for (const Frozen& frozen : frozen_) {
      const absl::StatusOr<Plan> plan = Schedule(frozen.snapshot, frozen.spec);
      Require(plan.ok() && plan->Digest() == frozen.digest, "a frozen cluster changed");
    }
  }

  // Of rows that there are, mostly.
  std::string TaskName() {
    const Snapshot now = cluster_.Freeze();
    if (now.task_count() == 0 || in_.OneIn(8)) return make_.Name();
    return std::string(now.task_name(TaskIndex(in_.Below(now.task_count()))));
  }
  std::string NodeName() {
    const Snapshot now = cluster_.Freeze();
    if (now.node_count() == 0 || in_.OneIn(8)) return make_.Name();
    return std::string(now.node_name(NodeIndex(in_.Below(now.node_count()))));
  }

  Input in_;
  RowMaker make_;
  Cluster cluster_;
  std::vector<Plan> plans_;
  std::vector<Frozen> frozen_;
};

}  // namespace

void FuzzCalls(std::string_view bytes) { CallSequence(bytes).Run(); }

}  // namespace muster::fuzz
