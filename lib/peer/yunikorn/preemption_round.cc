// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yunikorn/preemption_round.h"

#include <algorithm>

#include "lib/base/math.h"
#include "lib/peer/yunikorn/victim_orders.h"

namespace muster::yunikorn {
namespace {

constexpr Nanos kBetweenAttempts = 15 * kSecond;
constexpr Nanos kReservationWait = 3600 * kSecond;
constexpr size_t kBatch = 10;  // nodes that the host checks at once

}  // namespace

bool AboveGuarantee(const Resource& ask, const Resource& remaining) {
  for (int type : Types(ask.bits() & remaining.bits())) {
    if (remaining.Get(type) < 0) return true;
  }
  return false;
}

// Whether the request may stop pods of others now: not too soon, and not twice.
bool Partition::MayPreempt(Index request) const {
  const Allocation& ask = allocations[request];
  if (!ask.may_preempt || ask.preemption_triggered || !ask.required_node.empty()) return false;
  const Queue& queue = queues[applications[ask.application].queue];
  if (now < SatAdd(ask.create_time, queue.rules.preemption_delay)) return false;
  return now >= SatAdd(ask.preempt_check_time, kBetweenAttempts);
}

std::optional<Result> Partition::TryPreemption(Index request, int& preemptions_left,
                                               bool nodes_tried) {
  Allocation& ask = allocations[request];
  ask.preemption_refusal = PreemptionRefusal::kPreconditions;
  if (preemptions_left == 0 || !MayPreempt(request)) return std::nullopt;
  ask.preempt_check_time = now;
  ++attempt_changes;
  --preemptions_left;
  PreemptionRefusal refusal = PreemptionRefusal::kNone;
  const std::optional<Result> result = PreemptionRound(*this, request, nodes_tried).Try(&refusal);
  allocations[request].preemption_refusal = refusal;
  return result;
}

PreemptionRound::PreemptionRound(Partition& partition, Index request, bool nodes_tried)
    : world_(partition),
      request_(request),
      ask_resource_(partition.allocations[request].resource),
      ask_queue_(partition.applications[partition.allocations[request].application].queue),
      nodes_tried_(nodes_tried),
      snapshot_of_(partition.queues.size(), -1) {}

// --- victims

// Walks up from the request's queue. On the way the request's priority becomes that which it has
// among each queue's siblings.
Index PreemptionRound::FenceRoot() {
  int64_t priority = world_.allocations[request_].priority;
  for (Index index = ask_queue_;; index = world_.queues[index].parent) {
    const Queue& queue = world_.queues[index];
    const int64_t offset = queue.rules.priority_offset;
    priority = queue.rules.priority_fence ? offset : priority + offset;
    path_priorities_.emplace_back(index, priority);
    const Resource most = world_.MaxResource(index);
    const bool over =
        !most.empty() && !AtLeastOnlyExisting(most, yunikorn::Add(queue.allocated, ask_resource_));
    if (queue.parent == kNone || queue.rules.preemption == PreemptionPolicy::kFence || over) {
      return index;
    }
  }
}

int PreemptionRound::SnapshotOf(Index queue) const { return snapshot_of_[queue]; }

// Returns the snapshot of a queue; made, with those above it, if there is none.
int PreemptionRound::Snapshot(Index queue) {
  std::vector<Index> missing;
  for (Index i = queue; i != kNone && snapshot_of_[i] < 0; i = world_.queues[i].parent) {
    missing.push_back(i);
  }
  for (size_t k = missing.size(); k-- > 0;) {
    const Queue& here = world_.queues[missing[k]];
    QueueSnapshot snapshot{.queue = missing[k],
                           .parent = here.parent == kNone ? -1 : snapshot_of_[here.parent],
                           .knows_ask = here.parent != kNone,
                           .allocated = here.allocated,
                           .preempting = here.preempting,
                           .guaranteed = here.guaranteed};
    snapshot_of_[missing[k]] = static_cast<int>(snapshots_.size());
    allocated_.push_back(snapshot.allocated);
    snapshots_.push_back(std::move(snapshot));
  }
  return snapshot_of_[queue];
}

void PreemptionRound::CollectLeaf(Index leaf, int64_t priority, bool fenced) {
  const Queue& queue = world_.queues[leaf];
  if (queue.rules.preemption == PreemptionPolicy::kDisabled) return;
  const int snapshot = Snapshot(leaf);
  const Resource remaining = Remaining(snapshot);
  if (!remaining.nil() && AtLeast(remaining, {})) return;
  for (Index application : queue.applications) {
    for (Index victim : world_.AllocationsOf(world_.applications[application])) {
      const Allocation& alloc = world_.allocations[victim];
      if (!MatchAny(ask_resource_, alloc.resource) || !alloc.required_node.empty()) continue;
      if (alloc.released || alloc.preempted) continue;
      if (!fenced && alloc.priority > priority) continue;
      snapshots_[static_cast<size_t>(snapshot)].victims.push_back(victim);
      if (snapshot_of_victim_.empty()) snapshot_of_victim_.resize(world_.allocations.size(), -1);
      snapshot_of_victim_[victim] = snapshot;
    }
  }
}

// The depth is that of the queue tree.
void PreemptionRound::Collect(Index index, int64_t priority, bool fenced) {
  if (index == ask_queue_) return;
  const Queue& queue = world_.queues[index];
  if (queue.leaf) return CollectLeaf(index, priority, fenced);
  for (Index child : queue.children) {
    const auto on_path =
        std::ranges::find(path_priorities_, child, &std::pair<Index, int64_t>::first);
    if (on_path != path_priorities_.end()) {
      Collect(child, on_path->second, fenced);
      continue;
    }
    const QueueRules& rules = world_.queues[child].rules;
    if (!rules.priority_fence) {
      Collect(child, priority - rules.priority_offset, fenced);
    } else if (rules.priority_offset <= priority) {
      Collect(child, priority, /*fenced=*/true);
    }
  }
}

void PreemptionRound::FindVictims() {
  const Index fence = FenceRoot();
  ask_ = Snapshot(ask_queue_);
  const QueueSnapshot& own = snapshots_[static_cast<size_t>(ask_)];
  ask_remaining_ = SubOnlyExisting(own.guaranteed, SubOnlyExisting(own.allocated, own.preempting));
  Collect(fence, path_priorities_.back().second, /*fenced=*/false);
}

// --- guarantees

void PreemptionRound::StartOver() {
  for (size_t i = 0; i < snapshots_.size(); ++i) allocated_[i] = snapshots_[i].allocated;
}

void PreemptionRound::Add(int snapshot, const Resource& resource) {
  for (; snapshot >= 0; snapshot = snapshots_[static_cast<size_t>(snapshot)].parent) {
    allocated_[static_cast<size_t>(snapshot)].AddTo(resource);
  }
}

void PreemptionRound::Remove(int snapshot, const Resource& resource) {
  for (; snapshot >= 0; snapshot = snapshots_[static_cast<size_t>(snapshot)].parent) {
    allocated_[static_cast<size_t>(snapshot)].SubFrom(resource);
  }
}

// From root down: each level's guarantee less its use bounds the next. Guarantees above the
// request's queue do not bound the queues that they are shared with.
Resource PreemptionRound::Remaining(int snapshot) const {
  std::vector<int> path;
  for (int i = snapshot; i >= 0; i = snapshots_[static_cast<size_t>(i)].parent) path.push_back(i);
  const std::string& ask_path = world_.queues[ask_queue_].path;
  Resource above = Resource::Nil();
  for (size_t k = path.size(); k-- > 0;) {
    const size_t at = static_cast<size_t>(path[k]);
    const QueueSnapshot& here = snapshots_[at];
    if (above.empty() && here.guaranteed.empty()) {
      above = Resource::Nil();
      continue;
    }
    const Resource own =
        SubOnlyExisting(here.guaranteed, SubOnlyExisting(allocated_[at], here.preempting));
    if (here.knows_ask && here.queue == ask_queue_ && !own.empty()) {
      above = MergeIfNotPresent(own, above);
    } else if (here.knows_ask && !own.empty() && !ask_remaining_.empty() &&
               ask_path.starts_with(world_.queues[here.queue].path)) {
      above = Resource::Nil();
    } else {
      above = Min(own, above);
    }
  }
  return above;
}

bool PreemptionRound::GuaranteesHelp() {
  StartOver();
  const Resource before = Remaining(ask_);
  if (!before.nil() && FitsInActual(before, ask_resource_)) return true;
  Add(ask_, ask_resource_);
  for (size_t i = 0; i < snapshots_.size(); ++i) {
    for (Index victim : snapshots_[i].victims) {
      Remove(static_cast<int>(i), world_.allocations[victim].resource);
      const Resource remaining = Remaining(ask_);
      if (!remaining.nil() && !AboveGuarantee(ask_resource_, remaining)) return true;
    }
  }
  return false;
}

// Takes the victim from its queue if that has more than its guarantee.
bool PreemptionRound::TakeIfOver(Index victim) {
  const int snapshot = snapshot_of_victim_[victim];
  const Resource remaining = Remaining(snapshot);
  if (!remaining.nil() && !AboveGuarantee(ask_resource_, remaining)) return false;
  Remove(snapshot, world_.allocations[victim].resource);
  return true;
}

bool PreemptionRound::AskMayTake(const Resource& resource) const {
  const Resource remaining = Remaining(ask_);
  return !remaining.nil() && FitsInActual(remaining, resource);
}

// --- nodes

// Whether the node may be used: no other request has it reserved. Reservations of requests with
// less priority that have waited long end.
bool PreemptionRound::Usable(Index index) {
  const Allocation& ask = world_.allocations[request_];
  bool reserved_by_others = false;
  if (!world_.nodes[index].reservations.empty() &&
      !world_.IsReservedFor(world_.nodes[index], request_)) {
    reserved_by_others = true;
    const std::vector<Reservation> list = world_.nodes[index].reservations;
    for (const Reservation& reservation : list) {
      const Allocation& other = world_.allocations[reservation.request];
      if (!other.required_node.empty() || other.preemption_triggered) continue;
      const Nanos waited =
          world_.now - (other.create_time + kReservationWait + world_.reservation_delay);
      if (other.priority >= ask.priority || waited <= kReservationWait) continue;
      const int released = world_.Unreserve(reservation.application, reservation.request);
      world_.CountReservations(world_.applications[reservation.application].queue,
                               reservation.application, released);
      reserved_by_others = false;
    }
  }
  const Node& node = world_.nodes[index];
  return node.schedulable && !reserved_by_others && FitsIn(node.total, ask_resource_);
}

void PreemptionRound::FindNodes() {
  std::vector<std::vector<Index>> victims(world_.nodes.size());
  for (const QueueSnapshot& snapshot : snapshots_) {
    for (Index victim : snapshot.victims) {
      const Index node = world_.allocations[victim].node;
      if (node != kNone) victims[node].push_back(victim);
    }
  }
  for (Index node : world_.NodesInOrder()) {
    if (!Usable(node)) continue;
    SortNodeVictims(world_.allocations, victims[node]);
    node_states_.push_back({node, world_.nodes[node].available, std::move(victims[node])});
  }
}

// First those that bring the request nearer to fitting, then the others that may go.
std::vector<Index> PreemptionRound::HeadAndTail(const Resource& available,
                                                const std::vector<Index>& potential) {
  std::vector<Index> head, tail;
  Resource free = available;
  StartOver();
  for (Index victim : potential) {
    const Resource& resource = world_.allocations[victim].resource;
    const int snapshot = snapshot_of_victim_[victim];
    if (!TakeIfOver(victim)) continue;
    if (!AskMayTake(resource)) {
      Add(snapshot, resource);
      break;
    }
    Add(ask_, resource);
    const Resource short_before = SubNonNegative(ask_resource_, free);
    const Resource short_after = SubNonNegative(ask_resource_, yunikorn::Add(free, resource));
    if (EqualsOrEmpty(short_before, short_after)) {
      Remove(ask_, resource);
      Add(snapshot, resource);
      tail.push_back(victim);
    } else {
      free.AddTo(resource);
      head.push_back(victim);
    }
  }
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

std::optional<PreemptionRound::NodeVictims> PreemptionRound::VictimsOn(
    Index node, const Resource& available, const std::vector<Index>& potential) {
  NodeVictims choice{.node = node};
  if (FitsIn(available, ask_resource_)) return choice;
  if (potential.empty()) return std::nullopt;
  const std::vector<Index> ordered = HeadAndTail(available, potential);
  Resource free = available;
  StartOver();
  for (Index victim : ordered) {
    if (!TakeIfOver(victim)) continue;
    free.AddTo(world_.allocations[victim].resource);
    if (choice.start < 0 && FitsIn(free, ask_resource_)) {
      choice.start = static_cast<int>(choice.victims.size());
    }
    choice.victims.push_back(victim);
  }
  if (choice.start < 0) return std::nullopt;
  return choice;
}

uint64_t PreemptionRound::ScoreOf(Index node, int index) const {
  const auto state = std::ranges::find(node_states_, node, &NodeState::node);
  if (state == node_states_.end() || state->victims.empty()) return kScoreUnfit;
  if (index < 0) return 0;
  if (index >= static_cast<int>(state->victims.size())) return kScoreUnfit;
  uint64_t score = 0;
  for (int i = 0; i <= index; ++i) {
    score |= VictimScore(world_.allocations[state->victims[static_cast<size_t>(i)]]);
  }
  return score + static_cast<uint64_t>(index) + 1;
}

// The best of what the host permits. Sets how many victims beyond the first must go.
const PreemptionRound::NodeVictims* PreemptionRound::Best(const std::vector<NodeVictims>& choices,
                                                          int* taken) {
  const HostChecks& host = world_.host;
  const NodeVictims* best = nullptr;
  uint64_t least = kScoreUnfit;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (i % kBatch == 0 && least < kScoreFits) break;
    const NodeVictims& choice = choices[i];
    const Allocation& ask = world_.allocations[request_];
    int index = choice.start;
    if (choice.victims.empty()) {
      if (!world_.Permits(request_, choice.node, /*allocate=*/true)) continue;
    } else if (host.preemption) {
      index = host.preemption(ask, world_.nodes[choice.node], choice.victims, choice.start);
      if (index < 0) continue;
    }
    const uint64_t score = ScoreOf(choice.node, index);
    if (best != nullptr && score >= least) continue;
    best = &choice;
    least = score;
    *taken = index;
  }
  return best;
}

std::optional<PreemptionRound::NodeVictims> PreemptionRound::ChooseNode() {
  std::vector<NodeVictims> choices;
  for (const NodeState& state : node_states_) {
    std::optional<NodeVictims> choice = VictimsOn(state.node, state.available, state.victims);
    if (!choice || (choice->victims.empty() && nodes_tried_)) continue;
    choices.push_back(*std::move(choice));
  }
  if (choices.empty()) return std::nullopt;
  std::ranges::sort(choices, [&](const NodeVictims& l, const NodeVictims& r) {
    if (l.start != r.start) return l.start < r.start;
    return world_.nodes[l.node].id < world_.nodes[r.node].id;
  });
  const bool checks = world_.host.predicate || world_.host.preemption;
  int taken = choices[0].start;
  const NodeVictims* best = checks ? Best(choices, &taken) : &choices[0];
  if (best == nullptr || taken >= static_cast<int>(best->victims.size())) return std::nullopt;
  NodeVictims chosen = *best;
  chosen.victims.resize(static_cast<size_t>(taken + 1));
  return chosen;
}

// --- the decision

std::optional<std::vector<Index>> PreemptionRound::MoreVictims(const std::vector<Index>& chosen) {
  StartOver();
  for (Index victim : chosen) {
    Remove(snapshot_of_victim_[victim], world_.allocations[victim].resource);
  }
  std::vector<Index> potential, victims;
  for (const QueueSnapshot& snapshot : snapshots_) {
    for (Index victim : snapshot.victims) {
      if (std::ranges::find(chosen, victim) == chosen.end()) potential.push_back(victim);
    }
  }
  SortMoreVictims(world_.allocations, potential);
  for (Index victim : potential) {
    const Resource& resource = world_.allocations[victim].resource;
    const int snapshot = snapshot_of_victim_[victim];
    if (!TakeIfOver(victim)) continue;
    const Resource before = Remaining(ask_);
    if (before.nil() || !FitsInActual(before, resource)) {
      Add(snapshot, resource);
      break;
    }
    Add(ask_, resource);
    if (EqualsOrEmpty(before, Remaining(ask_))) {
      Remove(ask_, resource);
      Add(snapshot, resource);
    } else {
      victims.push_back(victim);
    }
  }
  if (victims.empty()) return victims;
  const Resource remaining = Remaining(ask_);
  if (remaining.nil() || AboveGuarantee(ask_resource_, remaining)) return std::nullopt;
  return victims;
}

// Of the victims those that the request needs. What is not taken counts, too.
std::optional<std::vector<Index>> PreemptionRound::Select(const NodeVictims& node,
                                                          const std::vector<Index>& victims) const {
  const bool fits = FitsIn(world_.nodes[node.node].available, ask_resource_);
  std::vector<Index> selected;
  Resource sum;
  for (Index victim : victims) {
    const Allocation& alloc = world_.allocations[victim];
    if (!fits && alloc.node != node.node) continue;
    if (AboveOnlyExisting(ask_resource_, sum)) selected.push_back(victim);
    sum.AddTo(alloc.resource);
  }
  if (AboveOnlyExisting(ask_resource_, sum)) return std::nullopt;
  return selected;
}

// Whether a look at the nodes is in vain: it finds no victims, and no reservation to end.
bool PreemptionRound::NothingToStop() const {
  return snapshot_of_victim_.empty() &&
         std::ranges::all_of(world_.applications,
                             [](const Application& app) { return app.reservations.empty(); });
}

std::optional<Result> PreemptionRound::Try(PreemptionRefusal* refusal) {
  FindVictims();
  *refusal = PreemptionRefusal::kGuarantees;
  if (!GuaranteesHelp()) return std::nullopt;
  *refusal = PreemptionRefusal::kNoHelp;
  if (NothingToStop()) return std::nullopt;
  FindNodes();
  const std::optional<NodeVictims> node = ChooseNode();
  if (!node) return std::nullopt;
  const std::optional<std::vector<Index>> more = MoreVictims(node->victims);
  if (!more) return std::nullopt;
  std::vector<Index> victims = node->victims;
  victims.insert(victims.end(), more->begin(), more->end());
  if (victims.empty()) return std::nullopt;
  const std::optional<std::vector<Index>> selected = Select(*node, victims);
  *refusal = PreemptionRefusal::kShortfall;
  if (!selected) return std::nullopt;
  *refusal = PreemptionRefusal::kNone;
  for (Index victim : *selected) {
    Allocation& alloc = world_.allocations[victim];
    alloc.preempted = true;
    world_.IncPreempting(world_.applications[alloc.application].queue, alloc.resource);
  }
  world_.allocations[request_].preemption_triggered = true;
  world_.StopAll(*selected, Termination::kPreempted, request_);
  return Result{.type = ResultType::kReserved, .request = request_, .node = node->node};
}

}  // namespace muster::yunikorn
