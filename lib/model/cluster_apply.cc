// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Makes the cluster follow a plan. Every decision is first checked against the cluster as it is
// now. Then gangs that can no longer start whole are refused, and others may take the room that
// those took. The rest is put. So no row needs to be taken back.
//
// At the version the plan was computed from, indices are valid and there was room. Later, rows are
// found again by name, and each bind must still fit into what its node has left.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/apply_room.h"
#include "lib/model/change_guard.h"
#include "lib/model/validate.h"

namespace muster {
namespace {

struct Step {
  const Decision* decision;
  TaskIndex task = kNone;
  NodeIndex node = kNone;
  JobIndex job = kNone;
  std::string refusal;      // empty: it will be done
  bool needs_room = false;  // on its node, beside what is there
  bool fell = false;        // was refused with its gang
};

class Application {
 public:
  Application(const Plan& plan, Editor& editor)
      : plan_(plan), editor_(editor), room_(editor), is_current_(IsOf(plan, editor.tables())) {
    for (const ChosenDevice& chosen : plan.devices()) {
      devices_[chosen.task].push_back({chosen.device, chosen.milli, Quantity(chosen.memory)});
    }
  }

  ApplyReport Run() {
    for (const Decision& decision : plan_.decisions()) {
      Step step{&decision};
      Find(step);
      step.refusal = Check(step);
      if (step.refusal.empty() && step.needs_room) step.refusal = TakeRoom(step);
      if (step.refusal.empty() && IsBind(step)) coming_[step.task] = step.node;
      steps_.push_back(std::move(step));
    }
    const std::vector<JobIndex> broken = RefuseBrokenGangs();
    if (!broken.empty()) TryAgain(broken);
    ApplyReport report;
    for (const Step& step : steps_) {
      if (step.refusal.empty()) {
        Do(step);
        ++report.applied;
      } else {
        report.refused.push_back(absl::StrCat(Words(*step.decision), ": ", step.refusal));
      }
    }
    return report;
  }

 private:
  template <class Id>
  Id FindRow(Id index, std::string_view name, const IndexNames<Id>& names,
             const std::vector<uint8_t>& alive) const {
    if (index == kNone) return kNone;
    if (is_current_) return index < alive.size() && alive[index] ? index : kNone;
    return names.Find(name).value_or(kNone);
  }
  TaskIndex FindTask(TaskIndex task) const {
    const TaskTable& tasks = editor_.tables().tasks;
    const TaskIndex found = FindRow(task, plan_.task_name(task), tasks.names, tasks.alive);
    // Another task may have the name by now.
    if (found == kNone || is_current_) return found;
    return AreOfTwo(UidOf(tasks, found), plan_.task_uid(task)) ? kNone : found;
  }

  NodeIndex FindNode(NodeIndex node) const {
    const NodeTable& nodes = editor_.tables().nodes;
    return FindRow(node, plan_.node_name(node), nodes.names, nodes.alive);
  }

  void Find(Step& step) const {
    const Tables& t = editor_.tables();
    const Decision& d = *step.decision;
    step.task = FindTask(d.task);
    step.node = FindNode(d.node);
    step.job = FindRow(d.job, plan_.job_name(d.job), t.jobs.names, t.jobs.alive);
  }

  // Why the step cannot be done; empty if it can.
  std::string Check(Step& step) {
    const DecisionKind kind = step.decision->kind;
    switch (kind) {
      case DecisionKind::kAdmit:
      case DecisionKind::kPhase:
        if (step.job == kNone) return "job is gone";
        if (kind == DecisionKind::kAdmit) return CheckAdmission(step);
        return "";
      case DecisionKind::kOffer:
      case DecisionKind::kResize:
      case DecisionKind::kSplit:
        return "the caller carries it out";
      default:
        return CheckPlace(step);
    }
  }

  // Why the job cannot be admitted, or cannot get other places.
  std::string CheckAdmission(const Step& step) const {
    const JobSpec& spec = editor_.tables().jobs.spec[step.job];
    const bool waits = spec.phase == JobPhase::kPending;
    if (!GivesPlaces(step)) return waits ? "" : "job is no longer pending";
    if (waits || !spec.admission) return "job is no longer admitted";
    const size_t at = step.decision->index;
    const std::span<const Admission> admissions = plan_.admissions();
    const bool holds = at >= admissions.size() || Holds(*spec.admission, admissions[at]);
    return holds ? "" : "job is admitted otherwise by now";
  }

  // Whether the admission has each group of the other one, with its count and flavors.
  bool Holds(const JobAdmission& held, const Admission& admission) const {
    return std::ranges::all_of(admission.assignment, [&](const GroupAssignment& group) {
      const auto has = std::ranges::find(held.groups, group.group, &GroupAdmission::group);
      if (has == held.groups.end() || has->count != group.count) return false;
      return std::ranges::all_of(group.flavors, [&](const AssignedFlavor& flavor) {
        const std::pair<std::string, std::string> pair(plan_.dimension_name(flavor.dimension),
                                                       flavor.flavor);
        return std::ranges::find(has->flavors, pair) != has->flavors.end();
      });
    });
  }

  // Whether the step is about the places of a job that is admitted already.
  static bool GivesPlaces(const Step& step) { return step.decision->phase != JobPhase::kPending; }

  // The same for a decision about the place of a task.
  std::string CheckPlace(Step& step) {
    const DecisionKind kind = step.decision->kind;
    if (step.task == kNone) return "task is gone";
    if (step.node == kNone) return "node is gone";
    if (kind == DecisionKind::kEvict) return CheckLeaving(step, step.node);
    if (kind == DecisionKind::kMove) {
      std::string refusal = CheckLeaving(step, FindNode(MoveOf(step).from));
      if (!refusal.empty() || MoveOf(step).nominated) return refusal;
    } else if (!Waits(step.task) && !leaving_.contains(step.task)) {
      return "task is no longer pending";
    }
    if (kind == DecisionKind::kReserve) {
      const Reservation& reservation = plan_.reservations()[step.decision->index];
      Checker check("task", editor_.tables().tasks.names.name(step.task));
      CheckWait(Known(reservation.until), reservation.waiting_group, check);
      if (!check.ok()) return std::string(check.status().message());
    }
    if (kind == DecisionKind::kNominate || is_current_) return "";
    const TaskTable& tasks = editor_.tables().tasks;
    const bool has_place = tasks.status[step.task] == TaskStatus::kWaiting;
    if (has_place && tasks.node[step.task] == step.node) return "";
    step.needs_room = true;
    return "";
  }

  static std::optional<int64_t> Known(int64_t time) {
    return time == kAbsent ? std::nullopt : std::optional(time);
  }

  std::string TakeRoom(const Step& step) {
    const auto devices = devices_.find(step.decision->task);
    const bool holds = devices != devices_.end();
    return room_.Take(step.task, step.node, holds ? devices->second : no_devices_);
  }

  // Why the step's task cannot leave the node.
  std::string CheckLeaving(const Step& step, NodeIndex from) {
    const Tables& t = editor_.tables();
    // A log may bind a task and evict it again.
    const auto coming = coming_.find(step.task);
    const bool comes = coming != coming_.end();
    const NodeIndex node = comes ? coming->second : t.tasks.node[step.task];
    if (from == kNone || node != from) return "task is no longer there";
    if (!comes && t.tasks.status[step.task] == TaskStatus::kReleasing) {
      return "task is leaving already";
    }
    if (step.decision->beneficiary != kNone) {
      const TaskIndex beneficiary = FindTask(step.decision->beneficiary);
      if (beneficiary == kNone) return "the task it was to make room for is gone";
      if (!Waits(beneficiary)) return "the task it was to make room for is no longer pending";
    }
    leaving_.insert(step.task);
    return "";
  }

  bool Waits(TaskIndex task) const {
    const TaskStatus status = editor_.tables().tasks.status[task];
    return status == TaskStatus::kPending || status == TaskStatus::kNominated ||
           status == TaskStatus::kWaiting;
  }

  const Move& MoveOf(const Step& step) const { return plan_.moves()[step.decision->index]; }

  static bool IsBind(const Step& step) { return step.decision->kind == DecisionKind::kBind; }

  // A gang of which some binds were refused starts without them if it still reaches its minimum, as
  // a whole and in each group; otherwise none of its binds is done and its phase stays. Returns the
  // gangs that were refused.
  std::vector<JobIndex> RefuseBrokenGangs() {
    absl::btree_map<JobIndex, std::string> broken;
    for (const Step& step : steps_) {
      if (IsBind(step) && !step.refusal.empty() && step.job != kNone) broken.try_emplace(step.job);
    }
    if (broken.empty()) return {};
    HashMap<JobIndex, std::vector<const Step*>> steps;
    for (const Step& step : steps_) {
      if (step.refusal.empty() && broken.contains(step.job)) steps[step.job].push_back(&step);
    }
    std::vector<JobIndex> refused;
    for (auto& [job, words] : broken) {
      words = Shortfall(job, steps[job]);
      if (!words.empty()) refused.push_back(job);
    }
    for (Step& step : steps_) {
      if (!step.refusal.empty() || !FallsWithGang(step)) continue;
      const auto found = broken.find(step.job);
      if (found == broken.end() || found->second.empty()) continue;
      step.refusal = found->second;
      step.fell = true;
    }
    return refused;
  }

  // Whether the step is not done if its gang is refused.
  bool FallsWithGang(const Step& step) const {
    const DecisionKind kind = step.decision->kind;
    const bool undone = kind == DecisionKind::kEvict && coming_.contains(step.task);
    return IsBind(step) || kind == DecisionKind::kPhase || undone;
  }

  // Gangs were refused, so that others may have been refused for room that is free. What was
  // refused for room is checked again, in its order: a refused gang as a whole, others by
  // themselves. Room only fills up meanwhile, so that once is enough.
  void TryAgain(const std::vector<JobIndex>& broken) {
    HashMap<JobIndex, std::vector<Step*>> gangs;
    for (const JobIndex job : broken) gangs[job];
    room_.BackTo(0);
    for (Step& step : steps_) {
      const bool done = step.refusal.empty();
      if (done && step.needs_room) TakeRoom(step);
      const auto gang = gangs.find(step.job);
      if (gang == gangs.end()) continue;
      if (done || step.needs_room || step.fell) gang->second.push_back(&step);
    }
    for (Step& step : steps_) {
      if (step.refusal.empty() || !step.needs_room) continue;
      const auto gang = gangs.find(step.job);
      if (gang == gangs.end() || !FallsWithGang(step)) {
        step.refusal = TakeRoom(step);
      } else {
        TryGang(step.job, std::exchange(gang->second, {}));
      }
    }
  }

  // Lets the gang's steps through if they are enough.
  void TryGang(JobIndex job, const std::vector<Step*>& steps) {
    const size_t mark = room_.mark();
    std::vector<const Step*> done;
    std::vector<std::string> refusals(steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      const Step& step = *steps[i];
      if (!step.refusal.empty() && step.needs_room) refusals[i] = TakeRoom(step);
      if (refusals[i].empty()) done.push_back(&step);
    }
    if (steps.empty() || !Shortfall(job, done).empty()) return room_.BackTo(mark);
    for (size_t i = 0; i < steps.size(); ++i) steps[i]->refusal = std::move(refusals[i]);
  }

  // Why the gang has not enough once the steps, which are its own, are done; empty: it has.
  std::string Shortfall(JobIndex job, const std::vector<const Step*>& steps) const {
    const Tables& t = editor_.tables();
    HashMap<TaskIndex, bool> stays;  // of tasks that steps place or evict
    for (const Step* step : steps) {
      const DecisionKind kind = step->decision->kind;
      if (kind == DecisionKind::kBind || kind == DecisionKind::kReserve) stays[step->task] = true;
      if (kind == DecisionKind::kMove) stays[step->task] = !MoveOf(*step).nominated;
      if (kind == DecisionKind::kEvict) stays[step->task] = false;
    }
    const std::vector<GroupRow>& groups = t.jobs.groups[job];
    std::vector<int64_t> placed(groups.size(), 0);
    for (TaskIndex task : t.jobs.tasks[job]) {
      const TaskStatus status = t.tasks.status[task];
      const auto found = stays.find(task);
      placed[t.tasks.group[task]] += found != stays.end()
                                         ? found->second
                                         : IsAllocated(status) || status == TaskStatus::kSucceeded;
    }
    int64_t all = 0;
    for (size_t g = 0; g < groups.size(); ++g) {
      all += placed[g];
      if (placed[g] < groups[g].min_available) {
        return absl::StrCat("its gang would have ", placed[g], " of ", groups[g].min_available,
                            " tasks of group ", Quote(groups[g].name));
      }
    }
    const int64_t needed = t.jobs.spec[job].min_available;
    if (all < needed) return absl::StrCat("its gang would have ", all, " of ", needed, " tasks");
    return "";
  }

  // The quota that the plan assigns stays with the job, from the time of the cycle on.
  void DoAdmit(const Step& step) {
    const size_t at = step.decision->index;
    const std::span<const Admission> admissions = plan_.admissions();
    if (at >= admissions.size() || admissions[at].assignment.empty()) {
      if (!GivesPlaces(step)) editor_.SetPhase(step.job, JobPhase::kAdmitted);
      return;
    }
    const Admission& admission = admissions[at];
    JobSpec spec = editor_.tables().jobs.spec[step.job];
    if (GivesPlaces(step)) {
      for (const GroupAssignment& group : admission.assignment) {
        const auto has =
            std::ranges::find(spec.admission->groups, group.group, &GroupAdmission::group);
        if (has != spec.admission->groups.end()) has->places = group.places;
      }
      return PutJob(step, spec);
    }
    spec.phase = JobPhase::kAdmitted;
    JobAdmission held;
    held.time = plan_.now();
    for (const GroupAssignment& group : admission.assignment) {
      GroupAdmission& got = held.groups.emplace_back();
      got.group = group.group;
      got.count = group.count;
      got.places = group.places;
      for (const AssignedFlavor& flavor : group.flavors) {
        got.flavors.emplace_back(plan_.dimension_name(flavor.dimension), flavor.flavor);
      }
    }
    for (GroupSpec& group : spec.groups) {
      if (!group.by_count) continue;
      const auto got = std::ranges::find(held.groups, group.name, &GroupAdmission::group);
      if (got != held.groups.end()) {
        group.by_count->admitted = std::min(got->count, group.by_count->count);
      }
    }
    spec.admission = std::move(held);
    PutJob(step, spec);
  }

  // The spec differs from a checked one by names that the tables have, so neither call fails.
  void PutJob(const Step& step, const JobSpec& spec) {
    const absl::StatusOr<Amounts> amounts = CheckJob(spec);
    JobRefs refs;
    if (!amounts.ok() || editor_.Resolve(spec, step.job, &refs)) {
      return editor_.SetPhase(step.job, spec.phase);
    }
    editor_.PutJob(step.job, spec, *amounts, refs);
  }

  void Do(const Step& step) {
    switch (step.decision->kind) {
      case DecisionKind::kAdmit:
        DoAdmit(step);
        break;
      case DecisionKind::kPhase:
        editor_.SetPhase(step.job, step.decision->phase);
        if (step.decision->phase == JobPhase::kPending) editor_.SuspendCounts(step.job);
        break;
      case DecisionKind::kBind:
        Put(step, TaskStatus::kBinding);
        break;
      case DecisionKind::kReserve: {
        const Reservation& reservation = plan_.reservations()[step.decision->index];
        Put(step, TaskStatus::kWaiting);
        editor_.SetWait(step.task, reservation.until, reservation.waiting_group);
        break;
      }
      case DecisionKind::kMove:
        if (!MoveOf(step).nominated) {
          Put(step, TaskStatus::kBinding);
          break;
        }
        Assume(step.task, TaskStatus::kReleasing, editor_.tables().tasks.node[step.task]);
        editor_.SetNominated(step.task, editor_.tables().nodes.names.name(step.node));
        break;
      case DecisionKind::kOffer:
      case DecisionKind::kResize:
      case DecisionKind::kSplit:
        break;
      case DecisionKind::kNominate:
        editor_.SetNominated(step.task, editor_.tables().nodes.names.name(step.node));
        break;
      case DecisionKind::kEvict:
        Assume(step.task, TaskStatus::kReleasing, step.node);
        break;
    }
  }

  void Assume(TaskIndex task, TaskStatus status, NodeIndex node) {
    editor_.SetPlace(task, status, node, /*assumed=*/true);
    editor_.SetAssumedSince(task, plan_.now());
  }

  // The task takes its node now.
  void Put(const Step& step, TaskStatus status) {
    Assume(step.task, status, step.node);
    if (const auto holds = devices_.find(step.decision->task); holds != devices_.end()) {
      editor_.SetDevices(step.task, holds->second);
    }
    editor_.SetNominated(step.task, {});
  }

  std::string Words(const Decision& d) const {
    const std::string task = Quote(plan_.task_name(d.task)), node = Quote(plan_.node_name(d.node));
    const std::string job = Quote(plan_.job_name(d.job));
    switch (d.kind) {
      case DecisionKind::kAdmit:
        return absl::StrCat("admit ", job);
      case DecisionKind::kPhase:
        return absl::StrCat("phase of ", job);
      case DecisionKind::kBind:
        return absl::StrCat("bind ", task, " to ", node);
      case DecisionKind::kNominate:
        return absl::StrCat("nominate ", task, " to ", node);
      case DecisionKind::kEvict:
        return absl::StrCat("evict ", task, " from ", node);
      case DecisionKind::kMove:
        return absl::StrCat("move ", task, " to ", node);
      case DecisionKind::kReserve:
        return absl::StrCat("reserve ", node, " for ", task);
      case DecisionKind::kOffer:
        return absl::StrCat("offer of ", node);
      case DecisionKind::kResize:
        return absl::StrCat("resize ", job);
      case DecisionKind::kSplit:
        return absl::StrCat("split ", task);
    }
    return "";
  }

  const Plan& plan_;
  Editor& editor_;
  Room room_;
  bool is_current_;
  HashMap<TaskIndex, std::vector<DeviceHold>> devices_;  // by the plan's index
  const std::vector<DeviceHold> no_devices_;
  HashSet<TaskIndex> leaving_;            // the plan makes them leave their nodes
  HashMap<TaskIndex, NodeIndex> coming_;  // the plan binds them
  std::vector<Step> steps_;
};

// The assumptions that `counts` returns true for, by row.
std::vector<Assumption> AssumptionsOf(const Tables& t, const auto& counts) {
  std::vector<std::pair<TaskIndex, int64_t>> by_row(t.tasks.assumed_since.begin(),
                                                    t.tasks.assumed_since.end());
  std::sort(by_row.begin(), by_row.end());
  std::vector<Assumption> result;
  for (const auto& [task, since] : by_row) {
    Assumption assumption{std::string(t.tasks.names.name(task)), t.tasks.status[task],
                          std::string(t.nodes.names.name(t.tasks.node[task])), since};
    if (counts(assumption)) result.push_back(std::move(assumption));
  }
  return result;
}

}  // namespace

absl::StatusOr<ApplyReport> Cluster::Apply(const Plan& plan) {
  if (IsLost(*impl_)) return LostError();
  const Memory memory = plan.memory();
  const ChangeGuard change(*impl_);
  // The empty plan is of no cycle.
  if (DataOf(plan) != nullptr) {
    impl_->editor.KeepMemory(memory, IsOf(plan, *impl_->tables));
  }
  return Application(plan, impl_->editor).Run();
}

namespace {

// The task, if it has the status in which a failed decision left it.
absl::StatusOr<TaskIndex> TaskOfFailure(const TaskTable& tasks, std::string_view name,
                                        TaskStatus status) {
  const std::optional<TaskIndex> task = tasks.names.Find(name);
  if (!task) return absl::NotFoundError(absl::StrCat(PlaceOf("task", name), ": does not exist"));
  if (tasks.status[*task] == status) return *task;
  return absl::FailedPreconditionError(absl::StrCat(PlaceOf("task", name), ": status is ",
                                                    ToAbsl(TaskStatusName(tasks.status[*task])),
                                                    "; must be ", ToAbsl(TaskStatusName(status))));
}

}  // namespace

std::vector<Assumption> Cluster::Assumptions() const {
  if (IsLost(*impl_)) return {};
  return AssumptionsOf(*impl_->tables, [](const Assumption&) { return true; });
}

absl::StatusOr<std::vector<Assumption>> Cluster::ExpireAssumptions(int64_t now,
                                                                   const AssumptionLimits& limits) {
  if (IsLost(*impl_)) return LostError();
  for (const auto& limit : {limits.bind, limits.evict}) {
    if (limit.value_or(0) >= 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("limit of assumptions is ", *limit, "; must be 0 or more"));
  }
  const auto is_over = [&](const Assumption& assumption) {
    if (assumption.status == TaskStatus::kWaiting) return false;
    const bool comes = assumption.status == TaskStatus::kBinding;
    const std::optional<int64_t> limit = comes ? limits.bind : limits.evict;
    return limit.has_value() &&
           absl::int128(now) - absl::int128(assumption.since) >= absl::int128(*limit);
  };
  std::vector<Assumption> expired = AssumptionsOf(*impl_->tables, is_over);
  if (expired.empty()) return expired;
  const ChangeGuard change(*impl_);
  for (const Assumption& assumption : expired) {
    const TaskTable& tasks = impl_->tables->tasks;
    const TaskIndex task = *tasks.names.Find(assumption.task);
    const bool comes = assumption.status == TaskStatus::kBinding;
    impl_->editor.SetPlace(task, comes ? TaskStatus::kPending : TaskStatus::kRunning,
                           comes ? NodeIndex(kNone) : tasks.node[task], /*assumed=*/false);
  }
  return expired;
}

absl::Status Cluster::ReportBindFailed(std::string_view name) {
  if (IsLost(*impl_)) return LostError();
  const auto task = TaskOfFailure(impl_->tables->tasks, name, TaskStatus::kBinding);
  if (!task.ok()) return task.status();
  const ChangeGuard change(*impl_);
  impl_->editor.SetPlace(*task, TaskStatus::kPending, kNone, /*assumed=*/false);
  return absl::OkStatus();
}

absl::Status Cluster::ReportEvictFailed(std::string_view name) {
  if (IsLost(*impl_)) return LostError();
  const auto task = TaskOfFailure(impl_->tables->tasks, name, TaskStatus::kReleasing);
  if (!task.ok()) return task.status();
  const NodeIndex node = impl_->tables->tasks.node[*task];
  const ChangeGuard change(*impl_);
  impl_->editor.SetPlace(*task, TaskStatus::kRunning, node, /*assumed=*/false);
  return absl::OkStatus();
}

}  // namespace muster
