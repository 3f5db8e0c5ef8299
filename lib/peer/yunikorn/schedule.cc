// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// schedule: decisions of the core, one a call, until none is left.
//
// What the core allocates is bound at once. What it stops becomes an eviction with the request that
// gets the room; the room is free only once the caller reports the end, so that request waits with
// a reservation, which the memory keeps. A placeholder that has a node is a member of status
// waiting; when all of a gang have one, the pods replace them in the same plan, and are bound. What
// is left of a gang that is not whole is reserved up to its deadline.
//
// The peer's core returns nothing when it reserves a node, and is called again a tenth of a second
// later. Here it is called again at once, as long as reservations change or something is stopped,
// and at most as often in a row as there are open requests. Two requests for one node may reserve
// it by turns forever.
//
// Node filter. The peer asks the predicates of kube-scheduler before it allocates. Policy
// predicates of the profile answers; without it, all nodes of enough room are permitted. For
// preemption, victims are taken away in their order until the policies permit the node.
//
// Reasons. "Not enough user quota", the queue's limit, a maximum of running applications, a
// rejected application, a gang that gathers, or what each node refused; with the peer's words for
// the limit, and for why a preemption did not help. Cuts fall between calls.
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/extension/cycle.h"
#include "lib/peer/yunikorn/profile.h"
#include "lib/peer/yunikorn/read_config.h"
#include "lib/peer/yunikorn/read_world.h"
#include "lib/peer/yunikorn/yunikorn.h"

namespace muster {
namespace {

using yunikorn::Allocation;
using yunikorn::Gang;
using yunikorn::Index;
using yunikorn::kYuniKornSlot;
using yunikorn::Result;
using yunikorn::ResultType;
using yunikorn::Termination;

constexpr OptionDecl kYuniKornOptions[] = {
    {"node_sort", OptionKind::kChoice, "fair", 0, 0,
     "fair|binpacking: the least or the most used node first"},
    {"weight.*", OptionKind::kNumber, "1", 0, 1e6,
     "of a resource in the order of nodes; without any, cpu and memory count alike"},
    {"preemption", OptionKind::kFlag, "on", 0, 0, "pods are stopped for guarantees of queues"},
    {"quota_preemption", OptionKind::kFlag, "off", 0, 0,
     "pods are stopped over limits that were lowered, after the queue's delay"},
    {"reservation_delay", OptionKind::kWhole, "2", 0, 1e9,
     "seconds; a request that is not older reserves no node"},
    {"strict", OptionKind::kFlag, "off", 0, 0,
     "guarantees and limits that the peer's file may not have refuse the cycle"},
    {"cycles", OptionKind::kWhole, "1000000000", 1, 1e9, "calls of the core in one plan at most"},
};

// What a living cluster keeps of a cycle.
struct KeptWorld : ActionKeep {
  std::optional<yunikorn::World> world;
  uint64_t layout = 0, position = 0;  // of the tables and their log, as far as the world has them
};

// Returns the world that the last cycle kept, brought up to date, or a new one.
std::unique_ptr<KeptWorld> WorldFor(ActionContext& context, const Options& options,
                                    const MemorySlot& slot) {
  const Tables& tables = context.tables;
  if (context.kept != nullptr && *context.kept != nullptr) {
    std::unique_ptr<KeptWorld> kept(static_cast<KeptWorld*>(context.kept->release()));
    if (kept->layout == tables.layout && kept->position >= tables.log_start &&
        kept->world->Follow(tables,
                            std::span(tables.log).subspan(kept->position - tables.log_start),
                            context.facts.now, slot)) {
      return kept;
    }
  }
  auto made = std::make_unique<KeptWorld>();
  made->world.emplace(tables, options, context.facts.now, slot);
  return made;
}

class YuniKornRun {
 public:
  YuniKornRun(ActionContext& context, const Options& options)
      : context_(context),
        memory_(*internal::DataOf(*context.facts.cycle).memory),
        kept_(WorldFor(context, options, memory_.Recall(kYuniKornSlot.slot))),
        world_(*kept_->world) {
    world_.partition.host.predicate = [this](const Allocation& request, const yunikorn::Node& node,
                                             bool allocate) {
      return Permits(world_.TaskOf(request), NodeOf(node), allocate);
    };
    world_.partition.host.preemption = [this](const Allocation& request, const yunikorn::Node& node,
                                              const std::vector<Index>& victims, int start) {
      return VictimsNeeded(world_.TaskOf(request), NodeOf(node), victims, start);
    };
  }

  // Makes one decision, or all that belong to one gang. Returns false if there is nothing to decide
  // any more.
  bool Step() {
    do {
      const uint64_t reservations = world_.partition.reservation_changes;
      const std::optional<Result> result = world_.partition.Cycle();
      const bool stopped = StopVictims();
      if (result) {
        Follow(*result);
        idle_calls_ = 0;
        continue;
      }
      const bool changed = stopped || world_.partition.reservation_changes != reservations;
      if (!changed || ++idle_calls_ > OpenRequests()) return false;
    } while (replacing_ > 0);
    return true;
  }

  // The peer enforces lowered limits beside its decisions, once a second: here it comes first.
  void EnforceQuotas() {
    if (!world_.partition.quota_preemption) return;
    world_.partition.TryQuotaPreemption();
    (void)StopVictims();
  }

  void ReserveForGangs();
  void ExplainAll();
  void Remember() { memory_.Remember(kYuniKornSlot.slot) = world_.Remember(); }
  // Leaves the world to the next cycle. It is the last call.
  void Keep() {
    if (context_.kept == nullptr || !world_.CanBeFollowed()) return;
    world_.partition.host = {};
    kept_->layout = context_.tables.layout;
    kept_->position = context_.tables.log_start + context_.tables.log.size();
    *context_.kept = std::move(kept_);
  }

 private:
  NodeIndex NodeOf(const yunikorn::Node& node) const {
    return world_.NodeOf(static_cast<Index>(&node - world_.partition.nodes.data()));
  }
  ClassIndex ClassOf(TaskIndex task) const { return context_.tables.tasks.task_class[task]; }

  // A pod may be where a placeholder of its task group is, and a reservation needs no room.
  bool Permits(TaskIndex task, NodeIndex node, bool allocate) {
    const ClassIndex c = ClassOf(task);
    if (!allocate) return HoldsPlaceholder(task, node) || context_.search.FitsNode(c, node);
    return context_.search.FitsNode(c, node) && context_.search.FitsIdle(c, node);
  }
  bool HoldsPlaceholder(TaskIndex task, NodeIndex node) {
    const Gang* gang = world_.GangOf(context_.tables.tasks.job[task]);
    return gang != nullptr && std::ranges::any_of(gang->members, [&](TaskIndex member) {
             return context_.ledger.status(member) == TaskStatus::kWaiting &&
                    context_.ledger.node_of(member) == node && ClassOf(member) == ClassOf(task);
           });
  }

  int VictimsNeeded(TaskIndex task, NodeIndex node, const std::vector<Index>& victims, int start);
  void Follow(const Result& result);
  void Replace(const Result& result);
  void Bind(TaskIndex task, NodeIndex node);
  bool StopVictims();
  void Explain(yunikorn::Application& app, Index request);
  void ExplainNoNode(TaskIndex task, std::string_view words);
  size_t OpenRequests() const {
    size_t open = 0;
    for (const yunikorn::Application& app : world_.partition.applications) {
      open += app.open_priorities.size();
    }
    return open;
  }

  ActionContext& context_;
  MemorySlots& memory_;
  std::unique_ptr<KeptWorld> kept_;
  yunikorn::World& world_;
  size_t replacing_ = 0;   // members of whole gangs that are not bound yet
  size_t idle_calls_ = 0;  // in a row
  // By the peer's words: the last reason without them, and the one with them.
  std::map<std::string_view, std::pair<ReasonPtr, ReasonPtr>> worded_;
};

// Takes victims away until the policies permit the node. Returns the number of the last one, which
// is `start` at least, or -1.
int YuniKornRun::VictimsNeeded(TaskIndex task, NodeIndex node, const std::vector<Index>& victims,
                               int start) {
  const ClassIndex c = ClassOf(task);
  if (context_.search.FitsNode(c, node)) return start;
  const Ledger::Savepoint before = context_.ledger.Save();
  int needed = -1;
  for (size_t i = 0; i < victims.size() && needed < 0; ++i) {
    const TaskIndex victim = world_.TaskOf(world_.partition.allocations[victims[i]]);
    context_.ledger.Move(victim, TaskStatus::kReleasing, node);
    if (static_cast<int>(i) >= start && context_.search.FitsNode(c, node)) {
      needed = static_cast<int>(i);
    }
  }
  context_.ledger.Rollback(before);
  return needed;
}

void YuniKornRun::Bind(TaskIndex task, NodeIndex node) {
  const Ledger::Savepoint before = context_.ledger.Save();
  context_.ledger.Move(task, TaskStatus::kPlaced, node);
  context_.decisions.Commit(before);
}

void YuniKornRun::Follow(const Result& result) {
  if (result.type == ResultType::kReplaced) return Replace(result);
  const Allocation& allocation = world_.partition.allocations[result.request];
  const TaskIndex task = world_.TaskOf(allocation);
  world_.NoteDecision(task);
  const NodeIndex node = world_.NodeOf(result.node);
  if (!allocation.placeholder) return Bind(task, node);
  // No decision yet: most gangs are whole before the cycle ends.
  context_.ledger.Move(task, TaskStatus::kWaiting, node);
  const JobIndex job = context_.tables.tasks.job[task];
  Gang* gang = world_.GangOf(job);
  if (gang == nullptr) return;
  ++gang->placed;
  if (gang->deadline == kAbsent) gang->deadline = context_.facts.now + gang->timeout;
  world_.SubmitIfWhole(job);
  if (gang->submitted) replacing_ += gang->members.size();
}

// The pod takes a placeholder's place. No pod stands behind the placeholder, so its end is
// confirmed at once.
void YuniKornRun::Replace(const Result& result) {
  const Allocation& request = world_.partition.allocations[result.request];
  const TaskIndex task = world_.TaskOf(request);
  const std::string application = world_.partition.applications[request.application].id;
  const std::string key = world_.partition.allocations[request.release].key;
  const TaskIndex other = world_.TaskOf(key);
  // Any placeholder of the task group serves. All that it stands for are alike, so the member that
  // waits there is the one to be bound.
  if (other != task) world_.SwapPods(task, other);
  world_.partition.Release(application, key, Termination::kReplaced);
  Bind(other, world_.NodeOf(result.node));
  replacing_ -= replacing_ > 0 ? 1 : 0;
}

// Returns whether something is stopped.
bool YuniKornRun::StopVictims() {
  const std::vector<yunikorn::Stop> stops = std::exchange(world_.partition.stops, {});
  for (const yunikorn::Stop& stop : stops) {
    const TaskIndex victim = world_.TaskOf(stop.key);
    world_.NoteDecision(victim);
    const NodeIndex node = context_.ledger.node_of(victim);
    if (context_.ledger.status(victim) == TaskStatus::kWaiting &&
        context_.tables.tasks.status[victim] != TaskStatus::kWaiting) {
      // A placeholder of this plan: its place is free at once.
      context_.ledger.Move(victim, TaskStatus::kPending, kNone);
      world_.partition.Release(stop.application, stop.key, stop.type);
      continue;
    }
    const Ledger::Savepoint before = context_.ledger.Save();
    context_.ledger.Move(victim, TaskStatus::kReleasing, node);
    if (stop.beneficiary != yunikorn::kNone) {
      const Allocation& request = world_.partition.allocations[stop.beneficiary];
      context_.decisions.NoteEviction(victim, world_.TaskOf(request));
    }
    context_.decisions.Commit(before);
  }
  return !stops.empty();
}

// Placeholders of gangs that are not whole are decided now.
void YuniKornRun::ReserveForGangs() {
  const TaskTable& tasks = context_.tables.tasks;
  for (const auto& [job, gang] : world_.gangs) {
    if (gang.submitted) continue;
    for (const TaskIndex member : gang.members) {
      const bool held = context_.ledger.status(member) == TaskStatus::kWaiting;
      if (!held || tasks.status[member] == TaskStatus::kWaiting) continue;
      const NodeIndex node = context_.ledger.node_of(member);
      context_.ledger.Move(member, TaskStatus::kPending, kNone);
      const Ledger::Savepoint before = context_.ledger.Save();
      context_.ledger.Move(member, TaskStatus::kWaiting, node);
      context_.decisions.NoteReservation(member, gang.deadline,
                                         context_.tables.jobs.spec[job].name);
      context_.decisions.Commit(before);
    }
  }
}

// --- reasons

Reason YuniKornRefusal(std::string message) {
  Reason reason{ReasonKind::kNotAdmitted};
  reason.policy = "yunikorn";
  reason.where = std::move(message);
  return reason;
}

std::string_view PreemptionWords(const Allocation& ask) {
  if (ask.preemption_triggered) return "";
  switch (ask.preemption_refusal) {
    case yunikorn::PreemptionRefusal::kNone:
      return "";
    case yunikorn::PreemptionRefusal::kPreconditions:
      return "Preemption preconditions failed";
    case yunikorn::PreemptionRefusal::kGuarantees:
      return "Preemption queue guarantees check failed";
    case yunikorn::PreemptionRefusal::kNoHelp:
      return "Preemption does not help";
    case yunikorn::PreemptionRefusal::kShortfall:
      return "Preemption helped but short of resources";
    case yunikorn::PreemptionRefusal::kRequiredNode:
      return "No fit on required node, preemption does not help";
  }
  return "";
}

// Of many tasks alike the node counts stand once in memory for each of the peer's words.
void YuniKornRun::ExplainNoNode(TaskIndex task, std::string_view words) {
  ReasonPtr plain = context_.reasons.NoNode(ClassOf(task));
  if (words.empty()) return context_.reasons.Explain(task, std::move(plain));
  auto& [of, worded] = worded_[words];
  if (of != plain) {
    Reason reason = *plain;
    reason.where = std::string(words);
    worded = std::make_shared<const Reason>(std::move(reason));
    of = std::move(plain);
  }
  context_.reasons.Explain(task, worded);
}

void YuniKornRun::Explain(yunikorn::Application& app, Index request) {
  yunikorn::Partition& partition = world_.partition;
  const Allocation& ask = partition.allocations[request];
  const TaskIndex task = world_.TaskOf(ask);
  if (!FitsInLimits(partition.limits.Headroom(app.usage), ask.resource)) {
    return context_.reasons.Explain(task, YuniKornRefusal("Not enough user quota"));
  }
  const std::string_view words = PreemptionWords(ask);
  // The limit of root is the size of the cluster, which is a matter of nodes.
  QueueIndex row = context_.QueueOf(task);
  for (Index q = app.queue; q != 0; q = partition.queues[q].parent) {
    const yunikorn::Queue& queue = partition.queues[q];
    const yunikorn::Resource left = SubOnlyExisting(queue.most, queue.allocated);
    for (int type : ask.resource.types()) {
      if (!left.Has(type) || left.Get(type) >= ask.resource.Get(type)) continue;
      Reason reason{ReasonKind::kQueueLimit};
      reason.queue = row;
      reason.dimension = DimensionIndex(static_cast<uint32_t>(type));
      reason.where =
          absl::StrCat("Not enough queue quota", words.empty() ? "" : "; ", ToAbsl(words));
      return context_.reasons.Explain(task, std::move(reason));
    }
    row = context_.tables.queues.parent[row];
  }
  ExplainNoNode(task, words);
}

void YuniKornRun::ExplainAll() {
  yunikorn::Partition& partition = world_.partition;
  for (const yunikorn::Rejected& rejected : world_.rejected) {
    context_.reasons.ExplainJob(rejected.job, rejected.too_few_tasks
                                                  ? Reason{ReasonKind::kInvalidGang}
                                                  : YuniKornRefusal(rejected.message));
  }
  for (Index index = 0; index < partition.applications.size(); ++index) {
    yunikorn::Application& app = partition.applications[index];
    if (!app.in_queue || app.requests.empty()) continue;
    const std::optional<JobIndex> job = context_.tables.jobs.names.Find(app.id);
    if (!job) continue;
    if (partition.queues[app.queue].state == yunikorn::QueueState::kStopped) {
      Reason reason{ReasonKind::kQueueClosed};
      reason.queue = context_.tables.jobs.queue[*job];
      context_.reasons.ExplainJob(*job, std::move(reason));
      continue;
    }
    const bool by_user = partition.limits.CanRun(app.usage);
    if (app.state == yunikorn::AppState::kAccepted &&
        (!by_user || !partition.CanRun(app.queue, index))) {
      const absl::string_view whose = by_user ? "queue" : "user or group";
      context_.reasons.ExplainJob(
          *job, YuniKornRefusal(absl::StrCat("max running applications of the ", whose)));
      continue;
    }
    for (size_t i = app.first_open; i < app.sorted_requests.size(); ++i) {
      const Index request = app.sorted_requests[i];
      if (!partition.allocations[request].allocated) Explain(app, request);
    }
    if (const Gang* gang = world_.GangOf(*job); gang != nullptr && !gang->submitted) {
      Reason reason{ReasonKind::kGangWaits};
      reason.placed = static_cast<int64_t>(gang->placed);
      reason.needed = static_cast<int64_t>(gang->members.size());
      context_.reasons.ExplainJob(*job, std::move(reason));
    }
  }
}

void RunYuniKorn(ActionContext& context, const Options& options) {
  YuniKornRun run(context, options);
  const int64_t cycles = static_cast<int64_t>(options.number("cycles"));
  if (context.meter.Cut()) return;
  run.EnforceQuotas();
  bool more = true;
  for (int64_t cycle = 0; more && cycle < cycles; ++cycle) {
    if (context.meter.Cut()) break;
    context.meter.Spend();
    more = run.Step();
  }
  if (!context.meter.ended()) run.ReserveForGangs();
  run.ExplainAll();
  run.Remember();
  if (!context.meter.ended()) run.Keep();
}

}  // namespace

ActionDecl YuniKornScheduleAction() {
  ActionDecl action;
  action.name = "schedule";
  action.summary = "decisions of the core, one a call: reserved, placeholders, then requests";
  action.options = kYuniKornOptions;
  action.run = RunYuniKorn;
  action.evicts = true;
  action.memory = {kYuniKornSlot};
  action.check = yunikorn::CheckTables;
  action.check_changes = yunikorn::CheckChanges;
  action.points = PointSet{Point::kFit};
  return action;
}

}  // namespace muster
