// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/scheduler.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/peer/kube_scheduler/trace.h"

namespace muster::kube {
namespace {

constexpr std::string_view kTold = "told", kPreempted = "preempted";

// Sets the row to the names, each once. They ascend, so that equal states have equal memories.
void SetNames(std::string_view key, std::vector<std::string_view> names, MemorySlot* slot) {
  if (names.empty()) return;
  if (!std::is_sorted(names.begin(), names.end())) std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  WordWriter words;
  for (const std::string_view name : names) words.Word(name);
  slot->Set(key, {std::string(words.text())});
}

Refusal RefusalFor(Cause cause, const World& world) {
  constexpr RefusalCode kCodes[] = {RefusalCode::kUnschedulable,
                                    RefusalCode::kTaint,
                                    RefusalCode::kNodeAffinity,
                                    RefusalCode::kNodeAffinity,
                                    RefusalCode::kHostPort,
                                    RefusalCode::kPodLimit,
                                    RefusalCode::kSpread,
                                    RefusalCode::kSpreadLabel,
                                    RefusalCode::kAffinity,
                                    RefusalCode::kAntiAffinity,
                                    RefusalCode::kExistingAntiAffinity};
  Refusal refusal{RefusalCode::kNodeAffinity};
  if (cause >= Cause::kWords) {
    refusal.code = RefusalCode::kPolicy;
    refusal.detail = CauseText(cause, world);
  } else if (cause >= Cause::kInsufficient) {
    refusal.code = RefusalCode::kInsufficient;
    refusal.dimension =
        DimensionIndex(static_cast<uint32_t>(cause) - static_cast<uint32_t>(Cause::kInsufficient));
  } else if (static_cast<size_t>(cause) < std::size(kCodes)) {
    refusal.code = kCodes[static_cast<size_t>(cause)];
  }
  return refusal;
}

// Returns the words of the nodes that the cause counts, with their numbers. Empty: it has none, or
// too many to tell apart, or a search that ended early counted only some of the nodes.
RefusalWords WordsFor(Cause cause, int64_t nodes, const PodCycle& cycle) {
  constexpr size_t kMostWords = 8;
  if (cause != Cause::kTaint && cause != Cause::kNodeAffinity) return {};
  RefusalWords words =
      cycle.words(cause == Cause::kTaint ? NodeAnswer::kTaint : NodeAnswer::kNodeAffinity);
  if (words.size() == 1) words[0].second = nodes;
  int64_t named = 0;
  for (const auto& word : words) named += word.second;
  return named == nodes && words.size() <= kMostWords ? words : RefusalWords();
}

}  // namespace

std::string FailureText(const World& world, const PodCycle& cycle, const std::string& after) {
  std::string text;
  if (cycle.rejected_by_pre_filter()) {
    // Another plug-in's step after filtering fails there, for lack of what it would have prepared.
    // It comes before preemption, which is therefore not tried.
    text = absl::StrCat("0/", world.order().size(),
                        " nodes are available: ", CauseText(cycle.absent().causes[0], world),
                        cycle.rejected_by_extra() ? "." : ". not found");
  } else {
    FewCounts<Cause> counts = cycle.counted().causes;
    const int64_t others = static_cast<int64_t>(world.order().size()) - cycle.counted().listed;
    for (const Cause cause : cycle.absent().causes) {
      if (others > 0) counts.Add(cause, others);
    }
    text = HistogramText(world, counts.list());
  }
  if (!after.empty()) absl::StrAppend(&text, " ", after);
  return text;
}

std::vector<Refusal> RefusalsOf(const World& world, const PodCycle& cycle) {
  FewCounts<Cause> counts = cycle.counted().first_causes;
  const int64_t others = static_cast<int64_t>(world.order().size()) - cycle.counted().in_order;
  const absl::InlinedVector<Cause, 2>& absent = cycle.absent().causes;
  if (others > 0) counts.Add(absent.empty() ? Cause::kNodeAffinity : absent[0], others);
  std::vector<Refusal> refusals;
  const auto add = [&refusals](const Refusal& refusal, int64_t nodes) {
    const auto same = [&](const Refusal& known) {
      return known.code == refusal.code && known.dimension == refusal.dimension &&
             known.detail == refusal.detail;
    };
    const auto it = std::find_if(refusals.begin(), refusals.end(), same);
    (it == refusals.end() ? refusals.emplace_back(refusal) : *it).nodes += nodes;
  };
  for (const auto& [cause, nodes] : counts.list()) {
    Refusal refusal = RefusalFor(cause, world);
    const RefusalWords words = WordsFor(cause, nodes, cycle);
    if (words.empty()) add(refusal, nodes);
    for (const auto& [word, of_word] : words) {
      refusal.detail = word;
      add(refusal, of_word);
    }
  }
  std::sort(refusals.begin(), refusals.end(), [](const Refusal& a, const Refusal& b) {
    if (a.nodes != b.nodes) return a.nodes > b.nodes;
    return std::tie(a.code, a.dimension, a.detail) < std::tie(b.code, b.dimension, b.detail);
  });
  return refusals;
}

Scheduler::Scheduler(const Tables& tables, MemorySlots* memory, const Settings& settings,
                     int64_t now, ExtraPlugins* extra)
    : tables_(tables),
      memory_(*memory),
      settings_(settings),
      now_(now),
      extra_(extra),
      classes_(tables),
      world_(&classes_),
      states_(&world_, &settings),
      queue_(&classes_, &settings) {
  world_.SetExtra(extra);
  queue_.SetExtra(extra);
}

bool Scheduler::Waits(TaskIndex t) const {
  return tables_.tasks.alive[t] && tables_.tasks.status[t] == TaskStatus::kPending;
}

void Scheduler::Follow() {
  const ClusterEvents events = memory_.EventsSince("kube-queue");
  const MemorySlot& numbers = memory_.Recall("kube-cycle");
  const bool known = numbers.Find("clock") != nullptr;
  start_ = static_cast<uint64_t>(std::max<int64_t>(0, numbers.Integer("start")));
  for (WordReader names(numbers.Text(kTold)); !names.AtEnd();) told_.emplace(names.Word());
  for (WordReader names(numbers.Text(kPreempted)); !names.AtEnd();) {
    preempted_.emplace(names.Word());
  }
  pods_.Load(memory_.Recall("kube-pods"));
  tree_.Load(memory_.Recall("kube-nodes"));
  images_.Load(memory_.Recall("kube-images"));
  cycle_number_ = AsCount(numbers.Integer("cycles"));
  if (settings_.batches) batch_.Load(memory_.Recall("kube-batch"), tables_);
  if (extra_ != nullptr) extra_->Open(&world_, &nominations_, &memory_, now_);
  queue_.Load(memory_.Recall("kube-queue"), memory_.Recall("kube-groups"),
              known ? numbers.Integer("clock") : now_, numbers.Integer("sequence"));
  queue_.Tick(now_);
  if (!events.everything) {
    for (const ClusterEvent& event : events.list) See(event);
  } else {
    Begin();
    if (known) queue_.WakeAll();
  }
  if (extra_ != nullptr && extra_->WakesAll()) queue_.WakeAll();
  AddMissing();
  world_.SetOrder(tree_.Order(tables_));
  TakeNominations();
  TakePreempted();
  if (extra_ == nullptr) return;
  FindWaiting();
  Evict(extra_->Revoked(), kNone, Leaving::kTerminating);
}

void Scheduler::TakeNominations() {
  // They come from an earlier queue or from the tasks.
  const std::vector<NodeIndex>& of_tasks = tables_.tasks.nominated;
  const bool any =
      std::any_of(of_tasks.begin(), of_tasks.end(), [](NodeIndex node) { return node != kNone; });
  if (!any && memory_.Recall("kube-queue").rows().empty()) return;
  std::vector<const Member*> nominated;
  for (const auto& entity : queue_.entities()) {
    for (const Member& member : entity->members) {
      if (member.task != kNone && !member.nominated.empty()) nominated.push_back(&member);
    }
  }
  std::sort(nominated.begin(), nominated.end(),
            [](const Member* a, const Member* b) { return a->nominated_at < b->nominated_at; });
  for (const Member* member : nominated) {
    const auto node = tables_.nodes.names.Find(member->nominated);
    if (node) nominations_.Set(member->task, *node);
  }
}

// Of pods that earlier plans preempted, those that are still there.
void Scheduler::TakePreempted() {
  std::vector<std::string> gone;
  for (const std::string& name : preempted_) {
    const auto task = tables_.tasks.names.Find(name);
    if (!task || !tables_.tasks.alive[*task] || world_.node_of(*task) == kNone) {
      gone.push_back(name);
    } else if (world_.terminating(*task)) {
      world_.SetLeaving(*task, Leaving::kPreempted);
    }
  }
  for (const std::string& name : gone) preempted_.erase(name);
}

void Scheduler::Begin() {
  tree_.Reconcile(tables_);
  std::vector<std::string> gone;
  pods_.ForEach([&](std::string_view name, std::string_view) {
    if (!tables_.tasks.names.Find(name)) gone.emplace_back(name);
  });
  std::sort(gone.begin(), gone.end());  // rows are in an order that depends on changes long ago
  for (const std::string& name : gone) SeeTaskGone(name, /*held_node=*/false);
  const bool none = pods_.size() == 0;
  const std::vector<uint8_t>& alive = tables_.tasks.alive;
  if (none) pods_.Reserve(static_cast<size_t>(std::count(alive.begin(), alive.end(), 1)));
  for (TaskIndex t = 0; t < alive.size(); ++t) {
    if (!alive[t]) continue;
    if (none) {
      pods_.Add(tables_.tasks.names.name(t), MemoOfTask(t));
    } else {
      Remember(t);
    }
  }
}

// Pods that wait without an event of it: the first that is heard of them, or a bind that failed.
void Scheduler::AddMissing() {
  std::vector<std::string> gone;
  for (const auto& entity : queue_.entities()) {
    for (const Member& member : entity->members) {
      if (member.task == kNone) gone.push_back(member.name);
    }
  }
  for (const std::string& name : gone) queue_.Remove(name);
  for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
    if (!Waits(t) || queue_.Find(tables_.tasks.names.name(t)) != nullptr) continue;
    queue_.Add(t);
    SetFirstNomination(t);
  }
}

void Scheduler::SetFirstNomination(TaskIndex t) {
  const NodeIndex nominated = tables_.tasks.nominated[t];
  if (nominated == kNone) return;
  Member* member = queue_.FindMember(tables_.tasks.names.name(t));
  member->nominated = std::string(tables_.nodes.names.name(nominated));
  member->nominated_at = queue_.NextSequence();
}

const std::string& Scheduler::MemoOfTask(TaskIndex t) {
  const ClassIndex c = tables_.tasks.task_class[t];
  std::string& memo = memos_[c];
  if (memo.empty()) memo = MemoOf(classes_.shape(c));
  return memo;
}

void Scheduler::Remember(TaskIndex t) {
  const std::string& memo = MemoOfTask(t);
  const std::string_view name = tables_.tasks.names.name(t);
  if (pods_.Find(name) != memo) pods_.Set(name, memo);
}

void Scheduler::See(const ClusterEvent& event) {
  switch (event.kind) {
    case ClusterEventKind::kNodeAdded:
    case ClusterEventKind::kNodeChanged:
    case ClusterEventKind::kNodeRemoved:
      SeeNode(event);
      break;
    case ClusterEventKind::kTaskAdded:
    case ClusterEventKind::kTaskChanged:
    case ClusterEventKind::kTaskBound:
    case ClusterEventKind::kTaskEnded:
    case ClusterEventKind::kTaskRemoved:
      SeeTask(event);
      break;
    case ClusterEventKind::kJobAdded:
    case ClusterEventKind::kJobChanged:
      if (const auto job = tables_.jobs.names.Find(event.name)) {
        queue_.Happen({.kind = Happened::kGroupAdded, .group = *job});
      }
      break;
    case ClusterEventKind::kQueueAdded:
    case ClusterEventKind::kQueueChanged:
    case ClusterEventKind::kQueueRemoved:
      if (extra_ != nullptr) queue_.Happen({.kind = Happened::kQuotaChanged});
      break;
    default:
      break;
  }
}

void Scheduler::SeeNode(const ClusterEvent& event) {
  images_.Forget(event.name);
  if (event.kind == ClusterEventKind::kNodeRemoved) {
    const NodeBefore before = tree_.Remove(event.name);
    queue_.Happen({.kind = Happened::kNodeDeleted, .old_node = &before});
    return;
  }
  const auto node = tables_.nodes.names.Find(event.name);
  if (!node || !tables_.nodes.alive[*node]) return;
  if (event.kind == ClusterEventKind::kNodeAdded || !tree_.has(event.name)) {
    tree_.Add(tables_, *node);
    queue_.Happen({.kind = Happened::kNodeAdded, .new_node = *node});
    return;
  }
  const NodeBefore before = tree_.Change(tables_, *node);
  const NodeSpec& now = tables_.nodes.spec[*node];
  const auto happen = [&](Happened kind) {
    queue_.Happen({.kind = kind, .old_node = &before, .new_node = *node});
  };
  if (before.spec.unschedulable && !now.unschedulable) happen(Happened::kNodeTaints);
  if (event.aspects & (kCapacityGrew | kCapacityShrank)) happen(Happened::kNodeAllocatable);
  if (event.aspects & kLabelsChanged) happen(Happened::kNodeLabels);
  if (event.aspects & kTaintsChanged) happen(Happened::kNodeTaints);
}

void Scheduler::SeeTask(const ClusterEvent& event) {
  if (!event.node.empty()) images_.Forget(event.node);
  if (event.kind == ClusterEventKind::kTaskRemoved) {
    SeeTaskGone(event.name, !event.node.empty());
    return;
  }
  const auto task = tables_.tasks.names.Find(event.name);
  if (!task || !tables_.tasks.alive[*task]) return;
  const TaskShape& shape = classes_.shape(tables_.tasks.task_class[*task]);
  switch (event.kind) {
    case ClusterEventKind::kTaskAdded:
      Remember(*task);
      if (!event.node.empty()) {
        Assigned(*task);
      } else if (Waits(*task) && queue_.Find(event.name) == nullptr) {
        queue_.Add(*task);
        SetFirstNomination(*task);
        const JobIndex group = GroupOf(world_, settings_.groups, *task);
        if (group != kNone || extra_ != nullptr) {
          queue_.Happen({.kind = Happened::kPodWaits, .group = group, .task = *task});
        }
      }
      break;
    case ClusterEventKind::kTaskChanged:
      SeeTaskChange(event.name, *task, event.aspects);
      break;
    case ClusterEventKind::kTaskBound:
      if (told_.erase(event.name) > 0) break;
      queue_.Remove(event.name);
      Assigned(*task);
      break;
    default:
      queue_.Happen({.kind = Happened::kPodDeleted, .old_pod = &shape});
      break;
  }
}

void Scheduler::SeeTaskChange(const std::string& name, TaskIndex task, uint32_t aspects) {
  const TaskShape before = PodFromMemo(pods_.Find(name).value_or(""));
  const TaskShape& now = classes_.shape(tables_.tasks.task_class[task]);
  Remember(task);
  const bool relabelled = before.labels != now.labels;
  Member* member = queue_.FindMember(name);
  if (member == nullptr) {
    const NodeIndex on = tables_.tasks.node[task];
    if (on != kNone) images_.Forget(tables_.nodes.names.name(on));
    if (relabelled) {
      queue_.Happen({.kind = Happened::kPodRelabelled, .old_pod = &before, .new_pod = &now});
    }
    return;
  }
  member->priority = tables_.tasks.priority[task];
  member->nominated_at = queue_.NextSequence();
  std::vector<Happening> changes;
  const auto add = [&](Happened kind) {
    changes.push_back({.kind = kind, .old_pod = &before, .new_pod = &now});
  };
  if (relabelled) add(Happened::kOwnLabels);
  const bool gated = tables_.tasks.flags[task] & kTaskGated;
  if ((aspects & kGatesChanged) && !gated) add(Happened::kOwnGatesGone);
  if (before.tolerations.size() != now.tolerations.size()) add(Happened::kOwnTolerations);
  queue_.Update(name, changes);
  if (aspects & kNominationChanged) SetNomination(name, tables_.tasks.nominated[task]);
}

void Scheduler::SeeTaskGone(const std::string& name, bool held_node) {
  const TaskShape shape = PodFromMemo(pods_.Find(name).value_or(""));
  if (held_node) {
    queue_.Happen({.kind = Happened::kPodDeleted, .old_pod = &shape});
  } else if (const Member* member = queue_.FindMember(name)) {
    const int32_t priority = member->priority;
    const bool nominated = !member->nominated.empty();
    queue_.Remove(name);
    if (nominated) LostNomination(shape, priority);
  }
  told_.erase(name);
  preempted_.erase(name);
  pods_.Erase(name);
}

void Scheduler::Assigned(TaskIndex t) {
  const TaskShape& shape = classes_.shape(tables_.tasks.task_class[t]);
  queue_.Happen({.kind = Happened::kPodAssigned,
                 .new_pod = &shape,
                 .group = GroupOf(world_, settings_.groups, t),
                 .task = t});
}

void Scheduler::LostNomination(const TaskShape& pod, int32_t priority) {
  queue_.Happen({.kind = Happened::kPodDeleted, .old_pod = &pod}, priority);
}

void Scheduler::SetNomination(const std::string& name, NodeIndex n) {
  Member* member = queue_.FindMember(name);
  if (member == nullptr) return;
  const std::string before = member->nominated;
  member->nominated_at = queue_.NextSequence();
  member->nominated = n == kNone ? std::string() : std::string(tables_.nodes.names.name(n));
  if (member->task != kNone) nominations_.Set(member->task, n);
  if (n == kNone && !before.empty() && member->task != kNone) {
    made_.push_back({Made::Kind::kWithdraw, member->task});
  }
  if (before.empty() || before == member->nominated || member->task == kNone) return;
  LostNomination(classes_.shape(tables_.tasks.task_class[member->task]), member->priority);
}

void Scheduler::Store() {
  queue_.WakeRested();
  if (extra_ != nullptr) {
    queue_.WakeParked();
    extra_->Store(&memory_);
  }
  queue_.Store(&memory_.Remember("kube-queue"), &memory_.Remember("kube-groups"));
  MemorySlot& numbers = memory_.Remember("kube-cycle");
  numbers = MemorySlot();
  numbers.Set("start", {static_cast<int64_t>(start_)});
  numbers.Set("clock", {queue_.clock()});
  numbers.Set("cycles", {cycle_number_});
  if (settings_.batches) batch_.Store(&memory_.Remember("kube-batch"), tables_);
  numbers.Set("sequence", {queue_.sequence()});
  // What an earlier plan bound in vain may be bound again.
  std::vector<std::string_view> told(told_.begin(), told_.end());
  for (const TaskIndex t : told_now_) told.push_back(tables_.tasks.names.name(t));
  SetNames(kTold, std::move(told), &numbers);
  SetNames(kPreempted, std::vector<std::string_view>(preempted_.begin(), preempted_.end()),
           &numbers);
  if (pods_.changed()) pods_.Store(&memory_.Remember("kube-pods"));
  if (images_.changed()) images_.Store(&memory_.Remember("kube-images"));
  if (tree_.changed()) tree_.Store(&memory_.Remember("kube-nodes"));
  if (settings_.traces) memory_.Remember("kube-trace").Set("cycle", {trace_});
}

bool Scheduler::RunCycle() {
  trace_.clear();
  std::unique_ptr<Entity> entity = extra_ == nullptr ? nullptr : NextOfTurn();
  if (entity == nullptr) entity = queue_.Pop();
  if (entity == nullptr) return false;
  if (world_.has_images()) images_.Fill(tables_, &world_.image_counts());
  ++cycle_number_;
  if (entity->group != kNone) {
    TryGroup(std::move(entity));
  } else {
    TryPod(std::move(entity));
  }
  return true;
}

NodeIndex Scheduler::ChooseByBoard(TaskIndex t) {
  if (settings_.traces || settings_.batches || !nominations_.empty()) return kNone;
  if (world_.ties() != nullptr) return kNone;
  const ClassIndex c = world_.class_of(t);
  const std::shared_ptr<ClassState> state = states_.At(c);
  if (!ClassBoard::Serves(world_, c, *state)) return kNone;
  if (state->board == nullptr) {
    state->board = std::make_unique<ClassBoard>(world_, settings_, c, state.get());
  }
  const int64_t nodes = static_cast<int64_t>(world_.order().size());
  return state->board->Choose(&start_, static_cast<size_t>(NodesToFind(settings_, nodes)));
}

void Scheduler::TryPod(std::unique_ptr<Entity> entity) {
  const TaskIndex task = entity->members[0].task;
  if (world_.order().empty()) {
    unplaced_[task] = {std::string(kNoNodes), {}};
    queue_.Fail(std::move(entity), {});
    return;
  }
  if (extra_ == nullptr) {
    const NodeIndex chosen = ChooseByBoard(task);
    if (chosen != kNone) {
      Place(task, chosen);
      return;
    }
  }
  AttemptTrace attempt;
  attempt.start = start_;
  attempt.attempt = entity->members[0].attempts;
  PodCycle cycle(world_, states_, settings_, nominations_, task);
  attempt.cycle = &cycle;
  if (extra_ != nullptr && !cycle.rejected_by_pre_filter() && !extra_->LooksAtNodes(task)) {
    attempt.node = ChooseByBoard(task);
    if (attempt.node != kNone) {
      PlaceOrWait(std::move(entity), attempt.node);
      return;
    }
  }
  if (settings_.batches) {
    attempt.hint = batch_.Hint(&cycle, world_, cycle_number_, now_, settings_.ticks);
  }
  start_ = cycle.Search(start_, attempt.hint);
  if (!cycle.feasible().empty()) {
    attempt.node = cycle.Best();
    if (settings_.batches) batch_.Note(cycle, attempt.hint, attempt.node, cycle_number_, now_);
    if (settings_.traces) trace_ = TraceOf(world_, attempt);
    if (extra_ != nullptr) {
      PlaceOrWait(std::move(entity), attempt.node);
    } else {
      Place(task, attempt.node);
    }
    return;
  }
  if (extra_ != nullptr && extra_->PreemptsJointly(task)) {
    FailJointly(std::move(entity), &cycle, &attempt);
  } else {
    FailPod(std::move(entity), &cycle, &attempt);
  }
}

// Rejects what waits because the pod failed.
void Scheduler::RejectWith(const Rejection& rejection, const std::string& failed) {
  if (extra_ == nullptr) return;
  if (!rejection.rejected.empty()) queue_.Park(failed);
  RejectWaiting(rejection);
}

void Scheduler::Place(TaskIndex t, NodeIndex n) {
  world_.Add(t, n, now_);
  images_.Forget(tables_.nodes.names.name(n));
  nominations_.Clear(t);
  told_now_.push_back(t);
  Bound(t, n);
}

void Scheduler::Bound(TaskIndex t, NodeIndex n) {
  made_.push_back({Made::Kind::kBind, t, n});
  unplaced_.erase(t);
  Assigned(t);
}

void Scheduler::Preempt(const std::vector<TaskIndex>& victims, TaskIndex beneficiary) {
  Evict(victims, beneficiary, Leaving::kPreempted);
}

// Victims that wait with their nodes are rejected, the others evicted.
void Scheduler::Evict(const std::vector<TaskIndex>& victims, TaskIndex beneficiary,
                      Leaving leaving) {
  Rejection preempted;
  preempted.why = "preempted";
  for (const TaskIndex t : victims) {
    if (waiting_.contains(t)) {
      preempted.rejected.push_back(t);
      continue;
    }
    made_.push_back({Made::Kind::kEvict, t, world_.node_of(t), beneficiary});
    world_.SetLeaving(t, leaving);
    if (leaving == Leaving::kPreempted) preempted_.emplace(tables_.tasks.names.name(t));
    images_.Forget(tables_.nodes.names.name(world_.node_of(t)));
  }
  if (!preempted.rejected.empty()) RejectWaiting(preempted);
}

void Scheduler::WithdrawBelow(NodeIndex n, int32_t priority) {
  std::vector<std::string> below;
  for (const TaskIndex t : nominations_.on(n)) {
    if (world_.priority(t) < priority) below.emplace_back(tables_.tasks.names.name(t));
  }
  for (const std::string& name : below) SetNomination(name, kNone);
}

}  // namespace muster::kube
