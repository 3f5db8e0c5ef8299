// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One cycle: translates the caller's options for the engine, and ends it at a limit or a stop.
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "capi/handles.h"
#include "capi/plan.h"
#include "capi/policy.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/scenario/scenario.h"
#include "muster/cycle_metrics.h"

namespace muster::capi {
namespace {

using Clock = std::chrono::steady_clock;
using Nanosecond = std::chrono::nanoseconds;

// Checks, between gangs, whether the cycle must end.
class Watch {
 public:
  Watch(const muster_schedule_options& options, const PolicyList* policies)
      : stop_(options.stop), policies_(policies), limit_(options.time_limit) {
    if (limit_ > 0) end_ = Clock::now() + std::chrono::nanoseconds(std::min(limit_, kLongest));
  }
  bool is_needed() const { return stop_ != nullptr || policies_ != nullptr || limit_ != 0; }

  bool ShouldStop() {
    if (policies_ != nullptr && policies_->failed()) return true;
    if (stop_ != nullptr && stop_->is_set.load(std::memory_order_relaxed) != 0) {
      stopped_ = true;
      return true;
    }
    if (limit_ == 0 || (limit_ > 0 && Clock::now() < end_)) return false;
    expired_ = true;
    return true;
  }
  bool stopped() const { return stopped_; }
  bool expired() const { return expired_; }

 private:
  static constexpr int64_t kLongest = int64_t{1} << 60;  // what may be added to a time
  const muster_stop* stop_;
  const PolicyList* policies_;
  const int64_t limit_;
  Clock::time_point end_;
  bool stopped_ = false, expired_ = false;
};

constexpr uint32_t kSwitches = MUSTER_SWITCH_NO_BLOCK_WINNERS | MUSTER_SWITCH_NO_EQUAL_STATES |
                               MUSTER_SWITCH_NO_INFEASIBILITY_MEMORY |
                               MUSTER_SWITCH_NO_VECTOR_KERNELS;

}  // namespace

absl::Status RunCycle(const char* profile, const muster_schedule_options* options,
                      const std::function<absl::StatusOr<Plan>(const ScheduleOptions&)>& cycle,
                      const Snapshot* snapshot, const std::shared_ptr<Memory>& memory,
                      muster_plan** out, ScheduleOptions* said) {
  if (profile == nullptr) return NullArgument("profile");
  if (out == nullptr) return NullArgument("out");
  muster_schedule_options given = MUSTER_SCHEDULE_OPTIONS_INIT;
  if (absl::Status s = ReadStruct("muster_schedule_options", options, &given); !s.ok()) return s;
  if ((given.switches & ~kSwitches) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("muster_schedule_options: switches is ", given.switches));
  }
  if (given.keep_cut != 0 && given.keep_cut != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("muster_schedule_options: keep_cut is ", given.keep_cut, "; must be 0 or 1"));
  }
  constexpr uint32_t kMeasures = MUSTER_MEASURE_COSTS | MUSTER_MEASURE_CHOICES;
  if ((given.measure & ~kMeasures) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("muster_schedule_options: measure is ", given.measure));
  }
  ScheduleOptions& schedule = *said;
  CycleMetrics metrics;
  if (given.measure != 0) {
    metrics.clock = [] { return int64_t{Clock::now().time_since_epoch() / Nanosecond(1)}; };
    metrics.explain_nodes = (given.measure & MUSTER_MEASURE_CHOICES) != 0;
    schedule.metrics = &metrics;
  }
  schedule.now = given.now;
  schedule.seed = given.seed;
  schedule.cursor = given.cursor;
  if (given.work_budget != 0) schedule.work_budget = std::max<int64_t>(given.work_budget, 0);
  schedule.speed.block_winners = (given.switches & MUSTER_SWITCH_NO_BLOCK_WINNERS) == 0;
  schedule.speed.share_equal_states = (given.switches & MUSTER_SWITCH_NO_EQUAL_STATES) == 0;
  schedule.speed.infeasibility_memory =
      (given.switches & MUSTER_SWITCH_NO_INFEASIBILITY_MEMORY) == 0;
  schedule.speed.vector_kernels = (given.switches & MUSTER_SWITCH_NO_VECTOR_KERNELS) == 0;
  if (given.memory_limit != 0) {
    schedule.speed.memory_limit = std::max<int64_t>(given.memory_limit, 0);
  }
  if (given.turn != nullptr) {
    absl::StatusOr<Turn> turn = ParseTurn(given.turn);
    if (!turn.ok()) return turn.status();
    schedule.turn = *std::move(turn);
  }
  if (given.memory != nullptr) {
    absl::StatusOr<muster::Memory> remembered = muster::Memory::Parse(given.memory);
    if (!remembered.ok()) return remembered.status();
    schedule.memory = *std::move(remembered);
  }
  PolicyTurn policies;
  if (absl::Status s = policies.Begin("muster_schedule_options", given.policies); !s.ok()) return s;
  schedule.extensions = policies.list();
  Watch watch(given, policies.list().get());
  if (watch.is_needed()) schedule.should_stop = [&watch] { return watch.ShouldStop(); };
  absl::StatusOr<Plan> plan = cycle(schedule);
  schedule.should_stop = nullptr;
  schedule.metrics = nullptr;
  if (policies.failed()) return policies.status();
  if (!plan.ok()) return plan.status();
  if (!plan->complete() && given.keep_cut == 0) {
    if (watch.stopped()) {
      return absl::CancelledError("schedule: stopped before the cycle ended; nothing is decided");
    }
    if (watch.expired()) {
      return absl::DeadlineExceededError(
          "schedule: time_limit passed before the cycle ended; nothing is decided");
    }
  }
  return MakePlan(*std::move(plan), snapshot, given.measure == 0 ? nullptr : &metrics, memory, out);
}

}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's
using muster::Plan;
using muster::ScheduleOptions;

muster_status muster_cluster_schedule(muster_cluster* cluster, const char* profile,
                                      const muster_schedule_options* options, muster_plan** out,
                                      muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return OnCluster(cluster, error, [&]() -> absl::Status {
    ScheduleOptions said;
    muster_plan* made = nullptr;
    try {
      const auto cycle = [&](const ScheduleOptions& o) {
        return cluster->cluster.Schedule(profile, o);
      };
      const absl::Status done = RunCycle(profile, options, cycle, nullptr, cluster->memory,
                                         out == nullptr ? nullptr : &made, &said);
      if (!done.ok()) {
        // Answers of a failed policy must not be kept.
        if (said.extensions != nullptr) ImplOf(cluster->cluster).cycle.reset();
        return done;
      }
    } catch (...) {
      // The books of the session may be half written; the rows are as they were.
      ImplOf(cluster->cluster).cycle.reset();
      throw;
    }
    *out = made;
    const Plan& plan = PlanOf(*made);
    if (cluster->recorder != nullptr) {
      cluster->recorder->Schedule(profile, said, said.extensions != nullptr, plan);
    }
    cluster->log.SayThat(MUSTER_LOG_INFO, [&] {
      return absl::StrCat("schedule ", profile, ": ", plan.binds().size(), " bound, ",
                          plan.nominations().size(), " nominated, ", plan.evictions().size(),
                          " evicted, ", plan.pending().size(), " pending, work ", plan.work(),
                          plan.complete() ? "" : ", cut");
    });
    return absl::OkStatus();
  });
}

muster_status muster_snapshot_schedule(const muster_snapshot* snapshot, const char* profile,
                                       const muster_schedule_options* options, muster_plan** out,
                                       muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (snapshot == nullptr) return NullArgument("snapshot");
    auto memory = MakeMemory(nullptr);
    if (!memory.ok()) return memory.status();
    ScheduleOptions said;
    return RunCycle(
        profile, options,
        [&](const ScheduleOptions& o) { return muster::Schedule(snapshot->snapshot, profile, o); },
        &snapshot->snapshot, *memory, out, &said);
  });
}

muster_status muster_cluster_apply(muster_cluster* cluster, const muster_plan* plan,
                                   int64_t* applied, muster_text** refused, muster_error* error) {
  if (applied != nullptr) *applied = 0;
  if (refused != nullptr) *refused = nullptr;
  return OnCluster(cluster, error, [&]() -> absl::Status {
    if (plan == nullptr) return NullArgument("plan");
    const absl::Status done = Changing(cluster, [&]() -> absl::Status {
      const auto report = cluster->cluster.Apply(PlanOf(*plan));
      if (!report.ok()) return report.status();
      if (applied != nullptr) *applied = report->applied;
      std::string lines;
      for (const std::string& line : report->refused) {
        cluster->log.Say(MUSTER_LOG_WARNING, line);
        absl::StrAppend(&lines, line, "\n");
      }
      return refused == nullptr ? absl::OkStatus() : GiveText(cluster->memory, lines, refused);
    });
    if (done.ok() && cluster->recorder != nullptr) cluster->recorder->Apply(PlanOf(*plan));
    return done;
  });
}

muster_status muster_stop_new(muster_stop** out, muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (out == nullptr) return NullArgument("out");
    *out = new muster_stop;
    return absl::OkStatus();
  });
}
void muster_stop_set(muster_stop* stop, int32_t stopped) {
  if (stop != nullptr) stop->is_set.store(stopped, std::memory_order_relaxed);
}
void muster_stop_free(muster_stop* stop) { delete stop; }
