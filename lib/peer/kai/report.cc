// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/report.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/peer/kai/victim_words.h"

namespace muster {

TaskIndex KaiReport::TaskOf(const KaiPod& pod) const {
  return TaskIndex(session_.world->facts().task_origin[pod.task]);
}

NodeIndex KaiReport::NodeOf(const KaiPod& pod) const {
  return NodeIndex(session_.world->facts().node_origin[pod.node]);
}

// Returns whether a task that is not about to leave has the device for itself alone.
bool KaiReport::IsHeld(uint32_t node, uint32_t device) const {
  const auto first = std::ranges::lower_bound(session_.held, node, {}, &KaiHeldDevice::node);
  for (auto held = first; held != session_.held.end() && held->node == node; ++held) {
    const KaiPod& pod = session_.world->pod(held->task);
    if (held->device == device && pod.node == node &&
        (IsActiveAllocated(pod.status) || pod.status == KaiStatus::kStuckInReleasing)) {
      return true;
    }
  }
  return false;
}

// Returns the place of a group's device among those of the node. A new group gets the first device
// that no group in use has, nor a task for itself; kKaiNone: the node lists too few.
uint32_t KaiReport::DeviceOf(uint32_t group, uint32_t node) {
  std::vector<uint32_t>& device_of = session_.device_of;
  if (device_of.size() <= group) device_of.resize(group + 1, kKaiNone);
  if (device_of[group] != kKaiNone) return device_of[group];
  const KaiDeviceGroups& groups = session_.world->nodes.groups(node);
  const NodeIndex origin(session_.world->facts().node_origin[node]);
  const std::vector<DeviceSpec>& devices = context_.tables.nodes.spec[origin].devices;
  for (uint32_t d = 0; d < devices.size(); ++d) {
    if (devices[d].kind != "gpu") continue;
    bool taken = IsHeld(node, d);
    for (size_t g = 0; g < groups.ids.size(); ++g) {
      const uint32_t id = groups.ids[g];
      taken |= groups.devices[g].used != 0 && id < device_of.size() && device_of[id] == d;
    }
    if (!taken) return device_of[group] = d;
  }
  return kKaiNone;
}

void KaiReport::ChooseDevices(const KaiPod& pod) {
  const KaiShape& shape = session_.world->ShapeOf(pod);
  if (!shape.shares_gpu()) return;
  const int64_t memory = session_.world->nodes.facts(pod.node).gpu_memory;
  const double portion = KaiPortionOn(shape.gpu, memory);
  std::vector<ChosenDevice> chosen;
  for (const uint32_t group : pod.devices) {
    const uint32_t device = DeviceOf(group, pod.node);
    if (device == kKaiNone) continue;
    chosen.push_back({TaskOf(pod), context_.tables.nodes.spec[NodeOf(pod)].devices[device].name,
                      std::max<int64_t>(1, static_cast<int64_t>(portion * 1000)),
                      shape.gpu.memory << 20});
  }
  context_.decisions.ChooseDevices(TaskOf(pod), std::move(chosen));
}

void KaiReport::Bound(const KaiPod& pod) {
  const Ledger::Savepoint before = context_.ledger.Save();
  context_.ledger.Move(TaskOf(pod), TaskStatus::kPlaced, NodeOf(pod));
  context_.decisions.Commit(before);
  ChooseDevices(pod);
}

void KaiReport::Pipelined(const KaiPod& pod) {
  const TaskIndex task = TaskOf(pod);
  const Ledger::Savepoint before = context_.ledger.Save();
  if (context_.ledger.status(task) == TaskStatus::kReleasing) {
    context_.ledger.Promise(task, NodeOf(pod));
  } else {
    context_.ledger.Move(task, TaskStatus::kNominated, NodeOf(pod));
  }
  context_.decisions.NoteNominatedAfterEviction(task);
  context_.decisions.Commit(before);
  ChooseDevices(pod);
}

void KaiReport::Evicted(const KaiPod& pod, uint32_t beneficiary) {
  const TaskIndex task = TaskOf(pod);
  Ledger& ledger = context_.ledger;
  if (ledger.status(task) == TaskStatus::kReleasing) {
    ledger.Promise(task, kNone);
    context_.decisions.WithdrawNomination(task);
    return;
  }
  if (ledger.status(task) == TaskStatus::kNominated) {
    ledger.Move(task, TaskStatus::kPending, kNone);
    context_.decisions.WithdrawNomination(task);
    return;
  }
  if (ledger.node_of(task) == kNone) return;
  const Ledger::Savepoint before = ledger.Save();
  if (beneficiary != kKaiNone) {
    context_.decisions.NoteEviction(task,
                                    TaskIndex(session_.world->facts().task_origin[beneficiary]));
  }
  ledger.Move(task, TaskStatus::kReleasing, ledger.node_of(task));
  context_.decisions.Commit(before);
}

// Each node once, under its first rule.
std::vector<Refusal> KaiReport::RefusalsOf(const KaiFitErrors& errors) const {
  using Rule = KaiFitErrors::Rule;
  std::vector<Refusal> refusals;
  for (const KaiFitErrors::Row& row : errors.rows) {
    if (row.first == 0) continue;
    Refusal refusal{RefusalCode::kInsufficient};
    refusal.nodes = row.first;
    switch (row.rule) {
      case Rule::kNotReady:
        refusal.code = RefusalCode::kNotReady;
        break;
      case Rule::kCordoned:
        refusal.code = RefusalCode::kUnschedulable;
        break;
      case Rule::kLabels:
        refusal.code = RefusalCode::kNodeAffinity;
        break;
      case Rule::kTaints:
        refusal.code = RefusalCode::kTaint;
        break;
      case Rule::kHostPort:
        refusal.code = RefusalCode::kHostPort;
        break;
      case Rule::kNearby:
        refusal.code = RefusalCode::kAffinity;
        break;
      case Rule::kKind:
        refusal.code = RefusalCode::kPolicy;
        refusal.detail = "not a node for tasks of this kind";
        break;
      case Rule::kCapacity:
        refusal.code = RefusalCode::kPolicy;
        refusal.detail = "its queue may not hold the task";
        break;
      case Rule::kResource:
        refusal.dimension =
            context_.tables.dimensions.Find(session_.world->facts().resources[row.dimension])
                .value_or(kNone);
        if (row.dimension == kKaiPodsAt) refusal = {RefusalCode::kPodLimit, kNone, "", row.first};
        break;
    }
    refusals.push_back(std::move(refusal));
  }
  std::ranges::sort(refusals, [](const Refusal& a, const Refusal& b) {
    if (a.nodes != b.nodes) return a.nodes > b.nodes;
    return std::tie(a.code, a.dimension, a.detail) < std::tie(b.code, b.dimension, b.detail);
  });
  return refusals;
}

// A job that no action looks at: it is left alone, its queue is no leaf, or closed, or its gang has
// too few tasks.
void KaiReport::ExplainUntried(uint32_t j) {
  const KaiJob& job = session_.world->job(j);
  const JobIndex origin(job.facts().origin);
  const QueueIndex queue = context_.tables.jobs.queue[origin];
  Reason reason{ReasonKind::kInfeasible};
  if (!job.facts().takes_part()) {
    reason.where = "its scheduling backoff lets it have one attempt, which failed";
  } else if (!job.facts().schedulable) {
    const QueueSpec& spec = context_.tables.queues.spec[queue];
    reason.queue = queue;
    if (spec.state != QueueState::kOpen) {
      reason.kind = ReasonKind::kQueueClosed;
    } else if (context_.tables.queues.children[queue].empty()) {
      reason.where = absl::StrCat("queue ", Quote(spec.name), " is at the top, which is not read");
    } else if (!session_.world->options().full_hierarchy) {
      reason.where = absl::StrCat("queue ", Quote(spec.name), " is at the top; it runs no jobs");
    } else {
      reason.where =
          absl::StrCat("queue ", Quote(spec.name), " has queues below it; only leaves run jobs");
    }
  } else {
    reason.kind = ReasonKind::kInvalidGang;
    for (const uint32_t set : job.facts().pod_sets) {
      const KaiJob::Counts& counts = job.counts(set);
      if (counts.alive - counts.gated >= job.minimum(set)) continue;
      reason.placed = counts.alive - counts.gated;
      reason.needed = job.minimum(set);
      break;
    }
  }
  context_.reasons.ExplainJob(origin, std::move(reason));
}

// Tasks that are in no sub-group of their job which holds tasks.
void KaiReport::ExplainLoneTasks(uint32_t j) {
  const KaiJobFacts& facts = session_.world->job(j).facts();
  const JobIndex origin(facts.origin);
  const std::vector<TaskIndex>& tasks = context_.tables.jobs.tasks[origin];
  if (tasks.size() == facts.tasks.size()) return;
  for (const TaskIndex t : tasks) {
    const SubGroupIndex s = context_.tables.tasks.sub_group[t];
    const uint32_t group = s == kNone ? 0 : static_cast<uint32_t>(s) + 1;
    const bool waits = context_.ledger.status(t) == TaskStatus::kPending && !context_.IsGated(t);
    if (!waits || facts.groups[group].is_pod_set) continue;
    Reason reason{ReasonKind::kInfeasible};
    reason.where = "the task is in no sub-group of its job that has tasks";
    context_.reasons.Explain(t, std::move(reason));
  }
}

// The peer's message, and why no action evicts for the job.
std::string KaiReport::WordsOf(uint32_t j, const KaiRefusal& refusal) const {
  std::string words = refusal.message;
  if (words.empty() && refusal.errors != nullptr && refusal.needed == 1) {
    words = refusal.errors->Message(session_.world->facts());
  }
  const auto found = session_.victim_words.find(j);
  if (found == session_.victim_words.end()) return words;
  for (const std::string_view action : {"consolidation", "reclaim", "preempt"}) {
    const auto of_action = found->second.find(std::string(action));
    if (of_action == found->second.end() || words.ends_with(of_action->second)) continue;
    const bool ended = words.empty() || words.ends_with('.');
    absl::StrAppend(&words, words.empty() ? "" : ended ? " " : "; ", of_action->second);
  }
  return words;
}

void KaiReport::ExplainTried(uint32_t j) {
  const KaiWorld& world = *session_.world;
  const KaiRefusal& refusal = world.refusals[j];
  Reason reason{ReasonKind::kGangUndone};
  reason.placed = refusal.placed;
  reason.needed = refusal.needed;
  reason.where = WordsOf(j, refusal);
  if (refusal.errors != nullptr) reason.refusals = RefusalsOf(*refusal.errors);
  if (refusal.rule == KaiRefusal::Rule::kNoTopology) {
    reason = Reason{ReasonKind::kInfeasible};
    reason.where = refusal.message;
  } else if (refusal.rule == KaiRefusal::Rule::kNoRoom) {
    if (refusal.needed == 1) {
      reason.kind = ReasonKind::kNoNode;
      reason.placed = reason.needed = 0;
    }
  } else {
    reason.kind = refusal.rule == KaiRefusal::Rule::kOverLimit ? ReasonKind::kQueueLimit
                                                               : ReasonKind::kQueueDeserved;
    reason.policy = "kai-rules";
    reason.where = refusal.message;
    reason.queue = session_.queues[refusal.queue];
    const auto gpu = context_.tables.dimensions.Find("nvidia.com/gpu");
    reason.dimension = refusal.resource == kKaiCpu      ? kCpu
                       : refusal.resource == kKaiMemory ? kMemory
                                                        : gpu.value_or(kNone);
  }
  context_.reasons.ExplainJob(JobIndex(world.job(j).facts().origin), std::move(reason));
}

void KaiReport::Explain(std::string_view action) {
  if (!context_.reasons.wanted()) return;
  const KaiWorld& world = *session_.world;
  std::optional<KaiVictimWords> words;  // made for the first job that needs some
  for (uint32_t j = 0; j < world.job_count(); ++j) {
    const KaiJob& job = world.job(j);
    ExplainLoneTasks(j);
    if (job.CountOf(KaiStatus::kPending) == 0) continue;
    if (!job.facts().schedulable || !job.IsReady()) {
      ExplainUntried(j);
      continue;
    }
    if (world.refusals[j].rule == KaiRefusal::Rule::kNone) continue;
    if (world.refusals[j].rule == KaiRefusal::Rule::kNoRoom) {
      if (!words.has_value()) words.emplace(world, action);
      std::string of_action = words->Of(job);
      if (!of_action.empty()) session_.victim_words[j][std::string(action)] = std::move(of_action);
    }
    ExplainTried(j);
  }
}

}  // namespace muster
