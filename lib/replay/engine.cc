// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The event loop over a living cluster.
//
// Read Run first. Events of the world (submissions, ends, evicted tasks that have left, nodes)
// change the cluster's tables by single edits. Then a cycle of the profile plans on them, and the
// plan is applied: a bound task runs at once, an evicted one leaves after its time. Nothing is
// built anew. The loop's session follows the tables, and one plan's memory serves the next. A plan
// copies names only where it is followed later.
//
// Order of events at one time: corrections of estimates, submissions, ends, evicted tasks that
// leave, places that expire, nodes, late decisions; equal kinds by insertion. What becomes of jobs
// is in job_lives.h.
#include "lib/replay/engine.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/math.h"
#include "lib/model/access.h"
#include "lib/plan/plan_data.h"
#include "lib/policy/history_slots.h"
#include "lib/policy/round_slot.h"
#include "lib/profile/profile.h"
#include "lib/replay/arrivals.h"
#include "lib/replay/estimate_readers.h"
#include "lib/replay/event_queue.h"
#include "lib/replay/job_lives.h"
#include "lib/replay/node_faults.h"
#include "lib/replay/node_health.h"
#include "lib/replay/series.h"
#include "lib/replay/world.h"
#include "lib/session/session.h"
#include "muster/schedule.h"

namespace muster {
namespace {

class Loop {
 public:
  Loop(const Trace& trace, std::string_view profile, const RunGuesses& guesses,
       const ReplayOptions& options)
      : trace_(trace),
        profile_(profile),
        options_(options),
        arrivals_(trace, options.follow_preceding),
        faults_(trace, options),
        health_(trace.machine.nodes),
        world_(trace),
        lives_(trace, guesses, options, &world_, &events_, &result_),
        sampler_(world_, &result_.series) {}

  absl::StatusOr<ReplayResult> Run() {
    if (absl::Status s = Open(); !s.ok()) return s;
    while (status_.ok()) {
      lives_.DropVoidCorrections();
      int64_t now = std::min(arrivals_.next_time(), faults_.next_time());
      if (!events_.empty()) now = std::min(now, events_.top().time);
      const int64_t tick = NextTick();
      if (IsOver(tick)) break;
      now = std::min(now, tick);
      if (now > options_.until) break;
      if (options_.progress) options_.progress(now);
      if (options_.should_stop && options_.should_stop()) {
        result_.complete = false;
        break;
      }
      SampleUntil(now);
      now_ = now;
      lives_.AdvanceTo(now);
      HandleInstant();
      const bool rounds = options_.cycles == CycleTiming::kRounds;
      if (rounds && now == tick) Changed();
      if (rounds || options_.cycles == CycleTiming::kEachInstant || now == tick) {
        Cycle(/*again=*/true);
      }
    }
    if (!status_.ok()) return status_;
    SampleUntil(now_ + 1);
    result_.placements = lives_.TakePlacements();
    return std::move(result_);
  }

 private:
  absl::Status Open() {
    const size_t n = trace_.size();
    result_.policy = profile_;
    result_.processors = 0;
    result_.submit.assign(n, kAbsent);
    result_.start.assign(n, kAbsent);
    result_.end.assign(n, kAbsent);
    result_.outcome.assign(n, JobOutcome::kNotSubmitted);
    for (const auto* events : {&trace_.node_events, &options_.node_events}) {
      for (const NodeEvent& event : *events) {
        if (const auto nodes = world_.NodesOf(event.name); !nodes.ok()) return nodes.status();
      }
    }
    std::vector<uint8_t> absent(trace_.machine.nodes.size(), 0);
    for (const std::string& name : faults_.Absent()) {
      const absl::StatusOr<std::vector<uint32_t>> rows = world_.NodesOf(name);
      for (uint32_t row : *rows) absent[row] = 1;
    }
    for (uint32_t row = 0; row < absent.size(); ++row) {
      if (!absent[row]) health_.Take(row, NodeEvent::Kind::kJoin, /*by_chance=*/false);
    }
    if (absl::Status s = world_.Build(absent); !s.ok()) return s;
    const absl::StatusOr<ProfileConfig> config =
        ResolveProfile(profile_, options_.extensions.get());
    if (!config.ok()) return config.status();
    const EstimateUse use = UseOfEstimates(*config);
    result_.clairvoyant =
        LacksEstimates(trace_) && use == EstimateUse::kNeeded && !lives_.guesses_all();
    lives_.TellRuns(use != EstimateUse::kOptional || lives_.guesses_all());
    const auto has_slot = [&](std::string_view slot) {
      return std::any_of(config->memory.begin(), config->memory.end(),
                         [slot](const MemoryDecl& d) { return d.slot == slot; });
    };
    learns_ = has_slot(kHistorySlot.slot);
    moves_ = has_slot(kRoundsSlot.slot);
    reads_checkpoints_ = ReadsCheckpoints(*config);
    session_ = std::make_unique<Session>(world_.tables(), *config, SpeedOptions());
    session_->set_lists_shares(false);
    sampler_.Begin(trace_, options_.series_interval);
    return absl::OkStatus();
  }

  // Returns whether nothing can change any more: the only events to come are random ones of nodes,
  // and what waits found no place while no node was down by chance.
  bool IsOver(int64_t tick) const {
    if (arrivals_.next_time() != kNever || !events_.empty()) return false;
    if (tick != kNever && options_.cycles != CycleTiming::kRounds) return false;
    if (lives_.wanting() == 0) return true;
    return faults_.list_is_over() && health_.held_by_chance() == 0 &&
           (faults_.next_time() == kNever || !dirty_);
  }

  int64_t NextTick() const {
    if (late_.has_value()) return kNever;
    if (options_.cycles == CycleTiming::kRounds) {
      // Something will end, or come: ticks are followed by an event of the world.
      const bool goes_on = arrivals_.next_time() != kNever || !events_.empty();
      if ((lives_.wanting() == 0 && !moves_) || !goes_on) return kNever;
    } else if (options_.cycles != CycleTiming::kPeriodic || !WantsCycle()) {
      return kNever;
    }
    const int64_t period = std::max<int64_t>(options_.period, 1);
    return (std::max<int64_t>(now_, last_tick_ + 1) + period - 1) / period * period;
  }

  void Changed() { dirty_ = true; }
  // A profile that learns run times sees each end when it happens, even if nothing waits. One that
  // shares out time in rounds moves jobs that run.
  bool WantsCycle() const { return dirty_ && (lives_.wanting() > 0 || learns_ || moves_); }

  void HandleInstant() {
    const bool each = options_.cycles == CycleTiming::kEachEvent;
    for (; !events_.empty() && events_.top().time == now_ &&
           events_.top().kind == EventKind::kCorrect;
         lives_.DropVoidCorrections()) {
      ++result_.events;
      HandleTop();
    }
    if (each) lives_.EndByEstimate();
    while (status_.ok()) {
      ++result_.events;
      if (arrivals_.next_time() == now_) {
        Submit(arrivals_.Pop());
      } else if (!events_.empty() && events_.top().time == now_ &&
                 events_.top().kind <= EventKind::kExpired) {
        HandleTop();
      } else if (faults_.next_time() == now_) {
        HandleNode(faults_.Pop());
      } else if (!events_.empty() && events_.top().time == now_) {
        HandleTop();
      } else {
        --result_.events;
        return;
      }
      if (each) Cycle(/*again=*/false);
    }
  }

  void HandleTop() {
    const Event event = events_.Pop();
    switch (event.kind) {
      case EventKind::kCorrect:
        lives_.Correct(event.job);
        break;
      case EventKind::kEnd:
        if (!lives_.End(event)) break;
        arrivals_.Ended(event.job, now_);
        Changed();
        break;
      case EventKind::kLeft:
        if (lives_.Leave(event)) Changed();
        break;
      case EventKind::kExpired:
        if (lives_.Expire(event)) Changed();
        break;
      case EventKind::kDecided: {
        const Plan plan = *std::move(late_);
        late_.reset();
        Follow(plan);
        break;
      }
    }
  }

  void Submit(uint32_t row) {
    const absl::StatusOr<bool> taken = lives_.Submit(row);
    if (!taken.ok()) {
      status_ = taken.status();
    } else if (*taken) {
      Changed();
    } else {
      arrivals_.Refused(row, now_);
    }
  }

  // --- nodes

  void HandleNode(const NodeFault& fault) {
    const NodeEvent::Kind kind = fault.event.kind;
    const absl::StatusOr<std::vector<uint32_t>> rows = world_.NodesOf(fault.event.name);
    for (uint32_t row : *rows) {
      const bool was_up = health_.up(row);
      health_.Take(row, kind, fault.by_chance);
      std::optional<NodeIndex> node = world_.FindNode(row);
      if (kind == NodeEvent::Kind::kJoin && !node.has_value()) {
        status_ = world_.Join(row);
        if (!status_.ok()) return;
        node = world_.FindNode(row);
      }
      if (!node.has_value()) continue;
      result_.node_failures += kind == NodeEvent::Kind::kFail;
      if (was_up && !health_.up(row)) lives_.Clear(*node);
      Refresh(row, *node);
      if (!status_.ok()) return;
    }
    Changed();
    if (fault.by_chance && kind == NodeEvent::Kind::kFail) CountInVain();
  }

  // A replay in which random failures come faster than any job gets on would not end. So failures
  // are counted, once nothing else is to come, that stopped a job or before which none ran, and no
  // job advanced meanwhile.
  void CountInVain() {
    if (lives_.advances() != advances_) in_vain_ = 0;
    const bool waits = lives_.wanting() > 0 && arrivals_.next_time() == kNever;
    const bool vain = lives_.stops() != stops_ || lives_.active() == 0;
    if (waits && vain && faults_.list_is_over()) ++in_vain_;
    advances_ = lives_.advances();
    stops_ = lives_.stops();
    const auto nodes = static_cast<int64_t>(trace_.machine.nodes.size());
    if (in_vain_ <= 10'000 + 100 * nodes) return;
    const bool of_nodes = options_.failures.node_seconds_between > 0;
    status_ = absl::ResourceExhaustedError(
        absl::StrCat(of_nodes ? "node_seconds_between is " : "domain_seconds_between is ",
                     of_nodes ? options_.failures.node_seconds_between
                              : options_.failures.domain_seconds_between,
                     ": in ", in_vain_,
                     " failures no job ended or kept more work; must be longer, or jobs must "
                     "keep work (checkpoint_interval)"));
  }

  // Sets the node of a row by its health.
  void Refresh(uint32_t row, NodeIndex node) {
    const NodeSpec& spec = world_.tables().nodes.spec[node];
    const bool up = health_.up(row), takes_tasks = health_.takes_tasks(row);
    if (spec.ready == up && spec.unschedulable == !takes_tasks) return;
    status_ = world_.SetUp(node, up, takes_tasks);
  }

  // --- cycles

  void Cycle(bool again) {
    while (status_.ok() && WantsCycle() && !late_.has_value()) {
      dirty_ = false;
      last_tick_ = now_;
      explained_ = MayNeedReasons();
      session_->set_explains(explained_);
      ScheduleOptions schedule;
      schedule.now = now_;
      if (reads_checkpoints_) status_ = lives_.TellCheckpoints();
      if (!status_.ok()) return;
      const int64_t begin = options_.clock ? options_.clock() : 0;
      auto data =
          std::make_shared<PlanData>(session_->Run(world_.tables(), schedule, std::move(spare_)));
      if (options_.clock) result_.decision_time.push_back(options_.clock() - begin);
      ++result_.passes;
      result_.work += data->work;
      result_.decisions += static_cast<int64_t>(data->decisions.size());
      sampler_.Learn(data.get());
      if (options_.latency > 0) {
        data->names = CopyNames(world_.tables(), *data);
        late_ = PlanOf(std::move(data));
        const int64_t time = now_ + options_.latency;
        if (time <= kEndless) events_.Push({time, EventKind::kDecided});
        return;
      }
      const bool moved = Follow(PlanOf(data));
      const bool settled = !explained_ && session_->settled() && OnlyStarts(*data);
      spare_ = std::move(*data);
      if (!again || !moved || settled) return;
      Changed();
    }
  }

  // Returns whether the plan starts jobs, and does nothing else. All that it binds runs at once.
  static bool OnlyStarts(const PlanData& plan) {
    return std::ranges::all_of(plan.decisions, [](const Decision& decision) {
      return decision.kind == DecisionKind::kBind;
    });
  }

  // Returns whether a sample may need the reasons of a plan made now. Where each instant has its
  // cycles, what happens next leads to another plan, unless it changes nothing.
  bool MayNeedReasons() const {
    int64_t next = kNever;
    if (options_.cycles == CycleTiming::kEachInstant && options_.latency == 0) {
      next = std::min(arrivals_.next_time(), faults_.next_time());
      if (!events_.empty()) next = std::min(next, events_.top().time);
    }
    return sampler_.IsDueBefore(next);
  }
  // Runs the last cycle again for its reasons alone: what came after it led to no other.
  void ExplainLastCycle() {
    ScheduleOptions schedule;
    schedule.now = last_tick_;
    explained_ = true;
    session_->set_explains(true);
    spare_ = session_->Run(world_.tables(), schedule, std::move(spare_));
    sampler_.Learn(&spare_);
  }

  // Returns whether the plan admitted, bound, reserved, moved or evicted anything.
  bool Follow(const Plan& plan) {
    const bool current = IsOf(plan, world_.tables());
    if (plan.decisions().empty()) {
      world_.editor().KeepMemory(plan.memory(), current);
      return false;
    }
    if (const auto report = world_.cluster().Apply(plan); !report.ok()) {
      status_ = report.status();
      return false;
    }
    const TaskTable& tasks = world_.tables().tasks;
    bool moved = false;
    for (const Decision& decision : plan.decisions()) {
      moved |= decision.kind == DecisionKind::kAdmit;
      const bool evicts = decision.kind == DecisionKind::kEvict;
      const bool moves = decision.kind == DecisionKind::kMove;
      const bool reserves = decision.kind == DecisionKind::kReserve;
      if (decision.kind != DecisionKind::kBind && !evicts && !moves && !reserves) continue;
      const std::optional<TaskIndex> task =
          current ? decision.task : tasks.names.Find(plan.task_name(decision.task));
      if (!task.has_value()) continue;
      const TaskStatus status = tasks.status[*task];
      if (decision.kind == DecisionKind::kBind && status == TaskStatus::kBinding) {
        moved = true;
        lives_.Begin(*task);
      } else if (reserves && status == TaskStatus::kWaiting) {
        moved = true;
        lives_.Hold(*task, plan.reservations()[decision.index]);
      } else if (moves && status == TaskStatus::kBinding) {
        moved = true;
        lives_.Migrate(*task, plan.node_name(plan.moves()[decision.index].from));
      } else if ((evicts || moves) && status == TaskStatus::kReleasing) {
        moved = true;
        lives_.Evict(*task);
      }
    }
    lives_.FinishPlan();
    if (options_.latency > 0 && moved) Changed();
    return moved;
  }

  void SampleUntil(int64_t time) {
    const bool lacks = !explained_ && (lives_.wanting() > 0 || learns_);
    if (lacks && sampler_.IsDueBefore(time)) ExplainLastCycle();
    sampler_.SampleUntil(time, lives_.active(), lives_.wanting(),
                         [this](uint32_t row) { return lives_.wants(row); });
  }

  const Trace& trace_;
  const std::string profile_;
  const ReplayOptions& options_;
  ReplayResult result_;
  absl::Status status_;
  EventQueue events_;
  Arrivals arrivals_;
  NodeFaults faults_;
  NodeHealth health_;
  World world_;
  JobLives lives_;

  int64_t now_ = 0;
  bool dirty_ = false;
  bool learns_ = false, moves_ = false;  // the profile does, though nothing waits
  bool reads_checkpoints_ = false;
  int64_t last_tick_ = -1;
  int64_t in_vain_ = 0, stops_ = 0, advances_ = 0;  // as CountInVain counts
  std::optional<Plan> late_;

  std::unique_ptr<Session> session_;
  bool explained_ = true;  // the last plan has reasons, if samples need them
  PlanData spare_;         // the last plan; the next one uses its memory
  SeriesSampler sampler_;
};

}  // namespace

absl::StatusOr<ReplayResult> ReplayCycles(const Trace& trace, std::string_view profile,
                                          const RunGuesses& guesses, const ReplayOptions& options) {
  return Loop(trace, profile, guesses, options).Run();
}

Trace AsOneNode(const Trace& trace) {
  Trace out = trace;
  out.processors = 0;
  out.machine.nodes = {{.name = "pool", .capacity = {{"cpu", trace.processors}}}};
  out.shapes.clear();
  out.min_tasks.clear();
  HashMap<uint32_t, uint32_t> shapes;  // by size
  for (size_t row = 0; row < out.size(); ++row) {
    const auto [at, added] =
        shapes.try_emplace(out.tasks[row], static_cast<uint32_t>(out.shapes.size()));
    if (added) out.shapes.push_back({.request = {{"cpu", int64_t{out.tasks[row]}}}});
    out.shape[row] = at->second;
    out.tasks[row] = 1;
  }
  return out;
}

}  // namespace muster
