// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/extension/dispatcher.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/go_heap.h"
#include "lib/base/strings.h"
#include "lib/extension/cycle.h"

namespace muster {

std::string_view PointName(Point point) {
  static constexpr std::string_view kNames[kPointCount] = {"job_order",
                                                           "queue_order",
                                                           "task_order",
                                                           "fit",
                                                           "score",
                                                           "overused",
                                                           "allocatable",
                                                           "preemptive",
                                                           "valid",
                                                           "ready",
                                                           "pipelined",
                                                           "admit",
                                                           "starving",
                                                           "preemptable",
                                                           "reclaimable",
                                                           "evictable",
                                                           "victims",
                                                           "victim_queue_order",
                                                           "sub_group_order",
                                                           "sub_group_ready",
                                                           "sub_group_pipelined",
                                                           "domain_score",
                                                           "domain_search"};
  const auto number = static_cast<size_t>(point);
  return number < std::size(kNames) ? kNames[number] : "";
}

namespace {

// The interface that answers at a point.
struct PointInterface {
  std::string_view name;  // the function of Policy that returns it: "order"
  bool (*implemented)(const PolicyEntry& entry);
};

const PointInterface& InterfaceOf(Point point) {
  static constexpr PointInterface kOrder = {"order", [](auto& e) { return e.order != nullptr; }};
  static constexpr PointInterface kGate = {"gate", [](auto& e) { return e.gate != nullptr; }};
  static constexpr PointInterface kFit = {"fit", [](auto& e) { return e.fit != nullptr; }};
  static constexpr PointInterface kScore = {"score", [](auto& e) { return e.score != nullptr; }};
  static constexpr PointInterface kVictims = {"victims",
                                              [](auto& e) { return e.victims != nullptr; }};
  static constexpr PointInterface kDomains = {"domains",
                                              [](auto& e) { return e.domains != nullptr; }};
  switch (point) {
    case Point::kJobOrder:
    case Point::kQueueOrder:
    case Point::kTaskOrder:
    case Point::kVictimQueueOrder:
    case Point::kSubGroupOrder:
      return kOrder;
    case Point::kFit:
      return kFit;
    case Point::kScore:
      return kScore;
    case Point::kPreemptable:
    case Point::kReclaimable:
    case Point::kEvictable:
    case Point::kVictims:
      return kVictims;
    case Point::kDomainScore:
    case Point::kDomainSearch:
      return kDomains;
    default:
      return kGate;
  }
}

PolicyEntry EntryOf(Policy& policy) {
  return {&policy,        policy.order(), policy.gate(),    dynamic_cast<GateAhead*>(&policy),
          policy.fit(),   policy.score(), policy.victims(), policy.domains(),
          policy.traits()};
}

}  // namespace

absl::Status CheckPolicy(std::string_view name, Policy* policy) {
  const std::string place = absl::StrCat("policy ", Quote(name));
  if (policy == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": make returned null; must return a policy"));
  }
  const PolicyEntry entry = EntryOf(*policy);
  const PointSet points = policy->points();
  for (int p = 0; p < kPointCount; ++p) {
    const auto point = static_cast<Point>(p);
    const PointInterface& asked = InterfaceOf(point);
    if (!points.has(point) || asked.implemented(entry)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": points has ", ToAbsl(PointName(point)), ", and ", ToAbsl(asked.name),
                     "() returns null; must return the interface that answers there"));
  }
  return absl::OkStatus();
}

Dispatcher::Dispatcher(std::vector<std::vector<ActivePolicy>> tiers, Rules rules)
    : tiers_(std::move(tiers)), rules_(rules) {
  size_t count = 0;
  for (const auto& tier : tiers_) count += tier.size();
  entries_.reserve(count);  // by_point_ holds pointers to entries
  for (const auto& tier : tiers_) {
    const size_t first = entries_.size();
    for (const ActivePolicy& active : tier) {
      Policy& policy = *active.policy;
      entries_.push_back(EntryOf(policy));
      entries_.back().own = active.own;
    }
    for (int p = 0; p < kPointCount; ++p) {
      const auto point = static_cast<Point>(p);
      for (size_t i = 0; i < tier.size(); ++i) {
        const PolicyEntry& entry = entries_[first + i];
        if (tier[i].points.has(point) && InterfaceOf(point).implemented(entry)) {
          by_point_[p].push_back(&entry);
        }
      }
      tier_ends_[p].push_back(by_point_[p].size());
    }
  }
}

void Dispatcher::Open(const Cycle& cycle) {
  tables_ = &internal::DataOf(cycle).tables;
  domains_ = internal::DataOf(cycle).domains;
  for (PolicyEntry& entry : entries_) {
    entry.policy->Open(cycle);
    entry.traits = entry.policy->traits();
  }
  const Tables& t = *tables_;
  queue_ties_.Open(rules_.ties.queues, "queue", t.queues.names, t.queues.alive, cycle);
  job_ties_.Open(rules_.ties.jobs, "job", t.jobs.names, t.jobs.alive, cycle);
  node_ties_.Open(rules_.ties.nodes, "node", t.nodes.names, t.nodes.alive, cycle);
  opening_.clear();
  const auto& orders = at(Point::kQueueOrder);
  if (std::ranges::any_of(orders, [](const auto* e) { return e->traits.orders_by_turn; })) {
    for (QueueIndex q = 0; q < t.queues.alive.size(); ++q) {
      const auto held = internal::DataOf(cycle).ledger.queue_allocated(q);
      opening_.insert(opening_.end(), held.begin(), held.end());
    }
  }
}

std::span<const int64_t> Dispatcher::OpeningOf(QueueIndex queue) const {
  const size_t dimensions = tables_->dimension_count();
  return std::span(opening_).subspan(queue * dimensions, dimensions);
}

void Dispatcher::NoteTurn(JobIndex job) const {
  job_ties_.Use(job);
  if (!queue_ties_.recent()) return;
  const QueueTable& queues = tables_->queues;
  for (QueueIndex q = tables_->jobs.queue[job]; q != kNone; q = queues.parent[q]) {
    queue_ties_.Use(q);
  }
}

void Dispatcher::Recount() const {
  for (const PolicyEntry& entry : entries_) entry.policy->Recount();
}

int Dispatcher::CompareJobs(JobIndex a, JobIndex b) const {
  for (const PolicyEntry* entry : at(Point::kJobOrder)) {
    if (int order = entry->order->CompareJobs(a, b)) return order;
  }
  return 0;
}

int Dispatcher::CompareQueues(QueueIndex a, QueueIndex b) const {
  for (const PolicyEntry* entry : at(Point::kQueueOrder)) {
    if (int order = entry->order->CompareQueues(a, b)) return order;
  }
  return 0;
}

void Dispatcher::BeginTurns() const {
  for (const PolicyEntry* entry : at(Point::kQueueOrder)) entry->order->BeginTurns();
}

void Dispatcher::SetInLine(QueueIndex queue, bool in_line) const {
  for (const PolicyEntry* entry : at(Point::kQueueOrder)) entry->order->SetInLine(queue, in_line);
}

uint64_t Dispatcher::QueueOrderEpoch() const {
  uint64_t sum = 0;
  for (const PolicyEntry* entry : at(Point::kQueueOrder)) sum += entry->order->QueueOrderEpoch();
  return sum;
}

bool Dispatcher::FitsTrial(ClassIndex c, NodeIndex node, bool seen) const {
  for (const PolicyEntry* entry : at(Point::kFit)) {
    if (entry->traits.sees_trials == seen && !entry->fit->FitsTrial(c, node)) return false;
  }
  return true;
}

bool Dispatcher::JobBefore(JobIndex a, JobIndex b) const {
  if (int order = CompareJobs(a, b)) return order < 0;
  if (job_ties_.place(a) != job_ties_.place(b)) return job_ties_.place(a) < job_ties_.place(b);
  const JobSpec& left = tables_->jobs.spec[a];
  const JobSpec& right = tables_->jobs.spec[b];
  if (left.created != right.created) return left.created < right.created;
  if (left.uid_rank != right.uid_rank) return left.uid_rank < right.uid_rank;
  return a < b;
}

bool Dispatcher::QueueBefore(QueueIndex a, QueueIndex b) const {
  if (int order = CompareQueues(a, b)) return order < 0;
  return OlderQueue(a, b);
}

bool Dispatcher::QueueTurnBefore(const QueueTurn& a, const QueueTurn& b) const {
  for (const PolicyEntry* entry : at(Point::kQueueOrder)) {
    const int order = entry->traits.orders_by_turn ? entry->order->CompareQueueTurns(a, b)
                                                   : entry->order->CompareQueues(a.queue, b.queue);
    if (order != 0) return order < 0;
  }
  return OlderQueue(a.queue, b.queue);
}

bool Dispatcher::OlderQueue(QueueIndex a, QueueIndex b) const {
  const uint32_t place_a = queue_ties_.place(a), place_b = queue_ties_.place(b);
  if (place_a != place_b) return place_a < place_b;
  const QueueSpec& left = tables_->queues.spec[a];
  const QueueSpec& right = tables_->queues.spec[b];
  if (left.created != right.created) return left.created < right.created;
  if (left.uid_rank != right.uid_rank) return left.uid_rank < right.uid_rank;
  return a < b;
}

bool Dispatcher::TaskBefore(TaskIndex a, TaskIndex b) const {
  for (const PolicyEntry* entry : at(Point::kTaskOrder)) {
    if (int order = entry->order->CompareTasks(a, b)) return order < 0;
  }
  const TaskTable& tasks = tables_->tasks;
  if (rules_.tasks_by_ordinal && tasks.ordinal[a] != kAbsent && tasks.ordinal[b] != kAbsent &&
      tasks.ordinal[a] != tasks.ordinal[b]) {
    return tasks.ordinal[a] < tasks.ordinal[b];
  }
  if (tasks.created[a] != tasks.created[b]) return tasks.created[a] < tasks.created[b];
  if (tasks.uid_rank[a] != tasks.uid_rank[b]) return tasks.uid_rank[a] < tasks.uid_rank[b];
  return a < b;
}

bool Dispatcher::VictimQueueBefore(QueueIndex a, QueueIndex b, QueueIndex evictor) const {
  for (const PolicyEntry* entry : at(Point::kVictimQueueOrder)) {
    if (int order = entry->order->CompareVictimQueues(a, b, evictor)) return order < 0;
  }
  return !QueueBefore(a, b);
}

bool Dispatcher::VictimBefore(TaskIndex a, TaskIndex b, TaskIndex evictor) const {
  const auto& job_of = tables_->tasks.job;
  const JobIndex left = job_of[a], right = job_of[b];
  if (left == right) return !TaskBefore(a, b);
  if (left == kNone || right == kNone) return left == kNone;
  const auto& queue_of = tables_->jobs.queue;
  if (evictor != kNone && queue_of[left] != queue_of[right]) {
    return VictimQueueBefore(queue_of[left], queue_of[right], queue_of[job_of[evictor]]);
  }
  if (const int order = CompareJobs(left, right)) return order > 0;
  return !TaskBefore(a, b);
}

std::vector<TaskIndex> Dispatcher::InVictimOrder(TaskIndex evictor,
                                                 std::span<const TaskIndex> candidates) const {
  const auto before = [&](TaskIndex a, TaskIndex b) { return VictimBefore(a, b, evictor); };
  GoHeap<TaskIndex, decltype(before)> heap(before);
  for (TaskIndex t : candidates) heap.Push(t);
  std::vector<TaskIndex> ordered;
  while (!heap.empty()) ordered.push_back(heap.Pop());
  return ordered;
}

bool Dispatcher::TaskOrderMoves() const {
  const auto policies = at(Point::kTaskOrder);
  return std::any_of(policies.begin(), policies.end(),
                     [](const PolicyEntry* entry) { return entry->traits.task_order_moves; });
}

Verdict Dispatcher::MayTakeTurn(QueueIndex queue) const {
  for (const PolicyEntry* entry : at(Point::kOverused)) {
    if (!entry->gate->Overused(queue)) continue;
    Verdict verdict = Verdict::No();
    verdict.policy = entry->policy->name();
    return verdict;
  }
  return Verdict::Yes();
}

Verdict Dispatcher::Allocatable(QueueIndex queue, TaskIndex task) const {
  for (const PolicyEntry* entry : at(Point::kAllocatable)) {
    Verdict verdict = entry->gate->Allocatable(queue, task);
    if (verdict.ok()) continue;
    verdict.policy = entry->policy->name();
    return verdict;
  }
  return Verdict::Yes();
}

bool Dispatcher::AllocatableTrial(QueueIndex queue, TaskIndex task) const {
  for (const PolicyEntry* entry : at(Point::kAllocatable)) {
    if (!entry->gate->AllocatableTrial(queue, task)) return false;
  }
  return true;
}

Verdict Dispatcher::Preemptive(QueueIndex queue, std::span<const int64_t> request) const {
  for (const PolicyEntry* entry : at(Point::kPreemptive)) {
    Verdict verdict = entry->gate->Preemptive(queue, request);
    if (verdict.ok()) continue;
    verdict.policy = entry->policy->name();
    return verdict;
  }
  return Verdict::Yes();
}

bool Dispatcher::Valid(JobIndex job) const {
  for (const PolicyEntry* entry : at(Point::kValid)) {
    if (!entry->gate->Valid(job)) return false;
  }
  return true;
}

bool Dispatcher::Ready(JobIndex job) const {
  for (const PolicyEntry* entry : at(Point::kReady)) {
    if (!entry->gate->Ready(job)) return false;
  }
  return true;
}

// One no suffices: as long as any gate is sure of its own, the job is not ready.
int64_t Dispatcher::UnreadyAfter(JobIndex job) const {
  int64_t most = 0;
  for (const PolicyEntry* entry : at(Point::kReady)) {
    if (entry->ahead != nullptr) most = std::max(most, entry->ahead->UnreadyAfter(job));
  }
  return std::min(most, GateAhead::kMostAhead - 1);
}

bool Dispatcher::AllocatableAll(QueueIndex queue, std::span<const TaskIndex> tasks) const {
  for (const PolicyEntry* entry : at(Point::kAllocatable)) {
    if (entry->ahead == nullptr || !entry->ahead->AllocatableAll(queue, tasks)) return false;
  }
  return true;
}

bool Dispatcher::Starving(JobIndex job) const {
  const auto& policies = by_point_[static_cast<int>(Point::kStarving)];
  for (size_t end : tier_ends_[static_cast<int>(Point::kStarving)]) {
    if (end == 0) continue;  // no policy of this tier or before is at the point
    for (size_t i = 0; i < end; ++i) {
      if (!policies[i]->gate->Starving(job)) return false;
    }
    return true;
  }
  return false;
}

bool Dispatcher::Pipelined(JobIndex job) const {
  return VoteOn(
             Point::kPipelined, rules_.pipelined,
             [&](const PolicyEntry& entry) { return Verdict{.vote = entry.gate->Pipelined(job)}; })
      .ok();
}

bool Dispatcher::SubGroupReady(const SubGroup& group) const {
  if (!domains_->HasSubGroups(group.job)) return Ready(group.job);
  const auto entries = at(Point::kSubGroupReady);
  return std::all_of(entries.begin(), entries.end(),
                     [&](const PolicyEntry* entry) { return entry->gate->SubGroupReady(group); });
}

bool Dispatcher::SubGroupPipelined(const SubGroup& group) const {
  if (!domains_->HasSubGroups(group.job)) return Pipelined(group.job);
  return VoteOn(Point::kSubGroupPipelined, rules_.pipelined,
                [&](const PolicyEntry& entry) {
                  return Verdict{.vote = entry.gate->SubGroupPipelined(group)};
                })
      .ok();
}

bool Dispatcher::SubGroupBefore(const SubGroup& a, const SubGroup& b) const {
  for (const PolicyEntry* entry : at(Point::kSubGroupOrder)) {
    if (int order = entry->order->CompareSubGroups(a, b)) return order < 0;
  }
  const auto order_of = [&](const SubGroup& group) {
    return group.index == kNone ? 0 : tables_->jobs.spec[group.job].sub_groups[group.index].order;
  };
  const int64_t left = order_of(a), right = order_of(b);
  return left != right ? left < right : a.slot() < b.slot();
}

DomainLists Dispatcher::DomainsForJob(JobIndex job, DomainIndex within, DomainIndex allocated,
                                      bool evicting) const {
  const auto policies = at(Point::kDomainSearch);
  if (policies.empty()) return {{within}};
  return policies[0]->domains->DomainsForJob(job, within, allocated, evicting);
}

DomainLists Dispatcher::DomainsForGroup(const SubGroup& group, DomainIndex within,
                                        DomainIndex allocated, bool evicting) const {
  const auto policies = at(Point::kDomainSearch);
  if (policies.empty()) return {{within}};
  return policies[0]->domains->DomainsForGroup(group, within, allocated, evicting);
}

bool Dispatcher::OffersLeaf(const SubGroup& group, DomainIndex leaf) const {
  const auto policies = at(Point::kDomainSearch);
  return policies.empty() || policies[0]->domains->OffersLeaf(group, leaf);
}

void Dispatcher::ScoreDomains(const SubGroup& group, std::span<const DomainIndex> domains,
                              std::span<double> scores) const {
  for (const PolicyEntry* entry : at(Point::kDomainScore))
    entry->domains->ScoreDomains(group, domains, scores);
}

Verdict Dispatcher::Admit(JobIndex job) const {
  return VoteOn(Point::kAdmit, rules_.admit,
                [&](const PolicyEntry& entry) { return entry.gate->Admit(job); });
}

void Dispatcher::Admitted(JobIndex job) const {
  for (const PolicyEntry* entry : at(Point::kAdmit)) entry->gate->Admitted(job);
}

Verdict Dispatcher::VoteOn(Point point, VoteRule rule, AskGate ask) const {
  const auto& entries = by_point_[static_cast<int>(point)];
  size_t i = 0;
  for (size_t end : tier_ends_[static_cast<int>(point)]) {
    bool permitted = false;
    for (; i < end; ++i) {
      Verdict verdict = ask(*entries[i]);
      if (!verdict.ok()) {
        verdict.policy = entries[i]->policy->name();
        return verdict;
      }
      permitted |= verdict.vote == Vote::kPermit;
    }
    if (permitted && rule == VoteRule::kVote) break;
  }
  return Verdict::Yes();
}

std::vector<TaskIndex> Dispatcher::Preemptable(TaskIndex evictor,
                                               std::span<const TaskIndex> candidates) const {
  return Chosen(Point::kPreemptable, candidates,
                [&](const PolicyEntry& entry, std::span<const TaskIndex> asked, auto* chosen) {
                  return entry.victims->Preemptable(evictor, asked, chosen);
                });
}

std::vector<TaskIndex> Dispatcher::Reclaimable(TaskIndex evictor,
                                               std::span<const TaskIndex> candidates) const {
  return Chosen(Point::kReclaimable, candidates,
                [&](const PolicyEntry& entry, std::span<const TaskIndex> asked, auto* chosen) {
                  if (!entry.traits.reclaims_in_victim_order)
                    return entry.victims->Reclaimable(evictor, asked, chosen);
                  return entry.victims->Reclaimable(evictor, InVictimOrder(evictor, asked), chosen);
                });
}

std::vector<TaskIndex> Dispatcher::Evictable(JobIndex evictor, bool from_other_queues,
                                             std::span<const TaskIndex> candidates) const {
  return Chosen(Point::kEvictable, candidates,
                [&](const PolicyEntry& entry, std::span<const TaskIndex> asked, auto* chosen) {
                  return entry.victims->Evictable(evictor, from_other_queues, asked, chosen);
                });
}

bool Dispatcher::JudgesInOrder(Point point) const {
  const auto policies = at(point);
  return rules_.victims == VictimRule::kStrict &&
         std::all_of(policies.begin(), policies.end(), [&](const PolicyEntry* entry) {
           const Traits& traits = entry->traits;
           return traits.judges_in_order &&
                  !(point == Point::kReclaimable && traits.reclaims_in_victim_order);
         });
}

bool Dispatcher::RefusesAlike(Point point, TaskIndex evictor, TaskIndex candidate,
                              std::vector<TaskIndex>* scratch) const {
  if (rules_.victims != VictimRule::kStrict) return false;
  for (const PolicyEntry* entry : at(point)) {
    if (!entry->traits.judges_alike) continue;
    scratch->clear();
    const Vote vote = point == Point::kReclaimable
                          ? entry->victims->Reclaimable(evictor, {&candidate, 1}, scratch)
                          : entry->victims->Preemptable(evictor, {&candidate, 1}, scratch);
    if (vote != Vote::kAbstain && scratch->empty()) return true;
  }
  return false;
}

std::vector<TaskIndex> Dispatcher::Victims(std::span<const TaskIndex> candidates) const {
  const auto& policies = by_point_[static_cast<int>(Point::kVictims)];
  std::vector<TaskIndex> victims, chosen;
  size_t i = 0;
  for (size_t end : tier_ends_[static_cast<int>(Point::kVictims)]) {
    for (; i < end; ++i) policies[i]->victims->Victims(candidates, &chosen);
    if (chosen.empty()) continue;
    std::sort(chosen.begin(), chosen.end());
    for (TaskIndex t : candidates) {
      if (std::binary_search(chosen.begin(), chosen.end(), t)) victims.push_back(t);
    }
    break;
  }
  return victims;
}

// Asks each policy about the candidates that the policies before it left, so that a policy that
// counts victims counts those alone.
std::vector<TaskIndex> Dispatcher::Agreed(Point point, std::span<const TaskIndex> candidates,
                                          AskVictims ask) const {
  std::vector<TaskIndex> victims(candidates.begin(), candidates.end()), chosen;
  for (const PolicyEntry* entry : at(point)) {
    chosen.clear();
    chosen.reserve(victims.size());
    if (ask(*entry, victims, &chosen) != Vote::kAbstain) victims.swap(chosen);
  }
  return victims;
}

std::vector<TaskIndex> Dispatcher::Chosen(Point point, std::span<const TaskIndex> candidates,
                                          AskVictims ask) const {
  if (rules_.victims == VictimRule::kStrict) return Agreed(point, candidates, ask);
  const bool sticky = rules_.victims == VictimRule::kSticky;
  const auto& policies = by_point_[static_cast<int>(point)];
  std::vector<TaskIndex> victims, chosen;
  chosen.reserve(candidates.size());
  bool begun = false;  // sticky: some policy has answered already
  size_t i = 0;
  for (size_t end : tier_ends_[static_cast<int>(point)]) {
    for (; i < end; ++i) {
      chosen.clear();
      const Vote vote = ask(*policies[i], candidates, &chosen);
      if (!sticky) {
        if (vote == Vote::kAbstain) continue;
        if (chosen.empty()) {
          victims.clear();
          break;
        }
      }
      if (sticky ? !begun : victims.empty()) {
        victims = chosen;
        begun = true;
        continue;
      }
      if (chosen == victims) continue;
      std::sort(chosen.begin(), chosen.end());
      std::erase_if(victims, [&](TaskIndex t) {
        return !std::binary_search(chosen.begin(), chosen.end(), t);
      });
    }
    i = end;
    if (!victims.empty()) return victims;
  }
  return victims;
}

}  // namespace muster
