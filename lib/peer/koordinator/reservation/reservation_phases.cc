// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <algorithm>

#include "lib/peer/koordinator/reservation/reservation_choice.h"
#include "lib/peer/koordinator/reservation/reservation_cycle.h"

namespace muster {
namespace {

constexpr int64_t kBestNode = 100;

std::vector<Sparse> RequestsOf(const std::vector<ReservationBook::Held>& tasks) {
  std::vector<Sparse> requests;
  for (const ReservationBook::Held& task : tasks) requests.push_back(task.request);
  return requests;
}

std::vector<std::string> UidsOf(const std::vector<ReservationBook::Held>& tasks) {
  std::vector<std::string> uids;
  for (const ReservationBook::Held& task : tasks) uids.push_back(task.task);
  return uids;
}

std::vector<ReservationBook::Held> BestFirst(std::vector<ReservationBook::Held> tasks,
                                             const Reserved& reserved) {
  std::vector<ReservationBook::Held> sorted;
  for (const size_t i : BestFillFirst(RequestsOf(tasks), reserved)) sorted.push_back(tasks[i]);
  return sorted;
}

Reserved AsReserved(const PlacedReservation& placed) {
  return ReservationBook::Entry{.record = placed.record, .tasks = {}, .used = {}}.AsReserved();
}

}  // namespace

const ReservationCycle::Node* ReservationCycle::FindNode(const std::string& name) const {
  const auto found = state_.nodes.find(name);
  return found == state_.nodes.end() ? nullptr : &found->second;
}

ReservationRules ReservationCycle::RulesFor(bool required) const {
  ReservationRules rules = options_.rules;
  rules.has_affinity = state_.has_affinity;
  rules.required = required;
  rules.skips_node = options_.skips_node;
  return rules;
}

Sparse ReservationCycle::PreemptedOf(const std::string& node, const std::string& uid) const {
  const auto of_node = state_.preempted_of.find(node);
  if (of_node == state_.preempted_of.end()) return {};
  const auto found = of_node->second.find(uid);
  return found == of_node->second.end() ? Sparse() : found->second;
}

ReservedNode ReservationCycle::AsReservedNode(const Node* node, const ReservationView& view) const {
  ReservedNode reserved{.capacity = view.capacity,
                        .requested = {},
                        .held_by_owners = {},
                        .preempted = {},
                        .tasks = static_cast<int64_t>(view.tasks.size()),
                        .most_tasks = view.most_tasks};
  if (node != nullptr) {
    reserved.requested = node->requested;
    reserved.held_by_owners = node->held_by_owners;
    reserved.matched = static_cast<int64_t>(node->matched.size());
  }
  const auto preempted = state_.preempted.find(view.node.name);
  if (preempted != state_.preempted.end()) reserved.preempted = preempted->second;
  return reserved;
}

ReservationCode ReservationCycle::PreFilter(std::optional<std::vector<std::string>>* only) const {
  only->reset();
  const bool is_held_to_nodes = state_.own ? state_.own->must_take_over : state_.has_affinity;
  if (is_held_to_nodes) {
    if (state_.nodes.empty()) return ReservationCode::kUnresolvable;
    *only = StateNodes();
    return ReservationCode::kSuccess;
  }
  if (state_.own || !state_.nodes.empty()) return ReservationCode::kSuccess;
  return ReservationCode::kSkip;
}

bool ReservationCycle::MaySharePlace(const std::string& node) const {
  const std::vector<const ReservationBook::Entry*> others = books_.book.MatchableOn(node);
  return std::all_of(others.begin(), others.end(), [&](const ReservationBook::Entry* other) {
    return MayShareNode(state_.own->record.policy, other->record.policy);
  });
}

ReservationCycle::Answer ReservationCycle::FilterMatched(
    const std::vector<ReservationBook::Entry>& matched, const ReservationView& view,
    bool required) const {
  std::vector<Reserved> asked;
  for (const ReservationBook::Entry& entry : matched) {
    if (!state_.wished.empty() && state_.wished != entry.record.offered.name) continue;
    Reserved& reserved = asked.emplace_back(entry.AsReserved());
    reserved.preempted = PreemptedOf(view.node.name, entry.record.uid);
    reserved.preempted_tasks = reserved.preempted.at(options_.tasks_resource);
  }
  ReservationRules rules = RulesFor(required);
  rules.skips_node = rules.skips_node && matched.size() <= 1;
  const ReservationAnswer answer = FilterByReservations(
      state_.request, AsReservedNode(FindNode(view.node.name), view), asked, rules);
  return {.code = answer.fits ? ReservationCode::kSuccess : ReservationCode::kUnschedulable,
          .node = answer.node,
          .reservations = answer.reservations};
}

ReservationCycle::Answer ReservationCycle::FilterTakeOver(
    std::vector<ReservationBook::Held> tasks, const ReservationView& view, bool required,
    bool several, std::vector<ReservationBook::Held>* chosen) const {
  const PlacedReservation& placed = *state_.own;
  const Reserved reserved = AsReserved(placed);
  if (several && !placed.of_cluster) tasks = BestFirst(std::move(tasks), reserved);
  const Node* node = FindNode(view.node.name);
  ReservedNode place = AsReservedNode(node, view);
  if (node == nullptr || !node->is_restored) place.requested = view.Requested();
  const PreAllocationAnswer answer =
      FilterByPreAllocation(placed.request, place, reserved, RequestsOf(tasks),
                            {.rules = RulesFor(required),
                             .takes_several = several,
                             .prefers_none = options_.prefers_none});
  chosen->clear();
  for (const size_t i : answer.taken) chosen->push_back(tasks[i]);
  return {.code = answer.fits ? ReservationCode::kSuccess : ReservationCode::kUnschedulable,
          .node = answer.node,
          .reservations = answer.reservation};
}

ReservationCycle::Answer ReservationCycle::Filter(const ReservationView& view, bool ignores) {
  const std::string& name = view.node.name;
  if (state_.own) {
    if (!state_.own->node.empty() && state_.own->node != name) {
      return {.code = ReservationCode::kUnresolvable};
    }
    if (!MaySharePlace(name)) return {.code = ReservationCode::kUnresolvable};
    if (!state_.own->takes_over) return {};
    const Node* node = FindNode(name);
    std::vector<ReservationBook::Held> chosen;
    Answer answer =
        FilterTakeOver(node == nullptr ? std::vector<ReservationBook::Held>() : node->candidates,
                       view, state_.own->must_take_over, state_.own->takes_several, &chosen);
    if (node != nullptr) state_.nodes[name].chosen = std::move(chosen);
    return answer;
  }
  const Node* node = FindNode(name);
  if (node == nullptr || node->matched.empty()) {
    if (state_.has_affinity) return {.code = ReservationCode::kUnresolvable};
    const bool has_victims = state_.preempted.contains(name) || state_.preempted_of.contains(name);
    if (!has_victims) return {};
    const Lacks lacks =
        LacksOfNode(state_.request, AsReservedNode(node, view), Sparse(), RulesFor(false));
    return {.code = lacks.none() ? ReservationCode::kSuccess : ReservationCode::kUnschedulable,
            .node = lacks};
  }
  if (ignores) return {};
  return FilterMatched(node->matched, view, state_.has_affinity);
}

ReservationCycle::Answer ReservationCycle::FilterOne(const ReservationBook::Entry& entry,
                                                     const ReservationView& view, bool ignores) {
  if (entry.record.allocate_once && !entry.tasks.empty()) {
    return {.code = ReservationCode::kUnschedulable};
  }
  if (ignores) return {};
  return FilterMatched({entry}, view, true);
}

ReservationCycle::Answer ReservationCycle::FilterOne(const ReservationBook::Held& task,
                                                     const ReservationView& view) const {
  std::vector<ReservationBook::Held> chosen;
  return FilterTakeOver({task}, view, true, state_.own->takes_several, &chosen);
}

std::string ReservationCycle::Nominate(const std::string& task, const ReservationView& view) {
  const std::string& name = view.node.name;
  const Node* node = FindNode(name);
  if (state_.own || node == nullptr || node->matched.empty()) return {};
  if (node->matched.size() == 1 && state_.has_affinity) return node->matched[0].record.uid;
  std::string promised = books_.nominations.ReservationOf(task, name);
  if (!promised.empty() && books_.book.Find(promised) != nullptr) return promised;
  std::vector<ReservationOffer> offers;
  std::vector<std::string> uids;
  for (const ReservationBook::Entry& entry : node->matched) {
    if (FilterOne(entry, view, false).code != ReservationCode::kSuccess) continue;
    Reserved reserved = entry.AsReserved();
    reserved.preempted = PreemptedOf(name, entry.record.uid);
    offers.push_back(
        {.order = entry.record.order, .score = ReservationScore(state_.request, reserved)});
    uids.push_back(entry.record.uid);
  }
  const size_t chosen = NominateReservation(offers);
  return chosen == kNoReservation ? std::string() : uids[chosen];
}

std::vector<std::string> ReservationCycle::NominateTasks(const ReservationView& view) const {
  const PlacedReservation& placed = *state_.own;
  const Node* node = FindNode(view.node.name);
  if (!placed.takes_over || node == nullptr || node->chosen.empty()) return {};
  const std::optional<std::vector<std::string>> promised =
      books_.nominations.TasksFor(placed.record.uid, view.node.name);
  if (placed.takes_several) return promised ? *promised : UidsOf(node->chosen);
  if (node->chosen.size() == 1 && placed.must_take_over) return {node->chosen[0].task};
  if (promised) return *promised;
  std::vector<ReservationBook::Held> fitting;
  for (const ReservationBook::Held& task : node->chosen) {
    if (FilterOne(task, view).code == ReservationCode::kSuccess) fitting.push_back(task);
  }
  if (fitting.empty()) return {};
  return {BestFirst(std::move(fitting), AsReserved(placed))[0].task};
}

ReservationCode ReservationCycle::PromiseTask(const std::string& uid, const PromiseFacts& facts,
                                              bool ignores, const ReservationView& view,
                                              std::string* chosen) {
  chosen->clear();
  if (ignores) return ReservationCode::kSuccess;
  const std::string& node = view.node.name;
  *chosen = books_.nominations.ReservationOf(uid, node);
  if (books_.book.Find(*chosen) != nullptr) return ReservationCode::kSuccess;
  *chosen = Nominate(uid, view);
  if (chosen->empty()) {
    return state_.has_affinity ? ReservationCode::kUnschedulable : ReservationCode::kSuccess;
  }
  if (MayPromise(facts)) books_.nominations.Promise(uid, node, *chosen);
  return ReservationCode::kSuccess;
}

ReservationCode ReservationCycle::PromiseReservation(const ReservationView& view,
                                                     std::vector<std::string>* chosen) {
  const PlacedReservation& placed = *state_.own;
  chosen->clear();
  if (!placed.takes_over) return ReservationCode::kSuccess;
  const std::string& node = view.node.name;
  if (const auto promised = books_.nominations.TasksFor(placed.record.uid, node)) {
    *chosen = *promised;
    return ReservationCode::kSuccess;
  }
  *chosen = NominateTasks(view);
  if (chosen->empty()) {
    return placed.must_take_over ? ReservationCode::kUnschedulable : ReservationCode::kSuccess;
  }
  books_.nominations.PromiseTasks(placed.record.uid, node, *chosen);
  return ReservationCode::kSuccess;
}

ReservationCode ReservationCycle::ReserveTask(const std::string& uid, const PromiseFacts& facts,
                                              bool ignores, const ReservationView& view) {
  std::string chosen;
  const ReservationCode code = PromiseTask(uid, facts, ignores, view, &chosen);
  if (code != ReservationCode::kSuccess || chosen.empty()) return code;
  const ReservationBook::Held held{.task = uid, .request = state_.request};
  if (books_.book.AddTasks(chosen, {&held, 1}) != ReservationBook::Answer::kDone) {
    return ReservationCode::kError;
  }
  state_.assumed = chosen;
  state_.taken = {uid};
  return ReservationCode::kSuccess;
}

ReservationCode ReservationCycle::ReserveReservation(const ReservationView& view) {
  const std::string& node = view.node.name;
  ReservationBook::Record record = state_.own->record;
  record.node = node;
  books_.book.Put(record);
  std::vector<std::string> uids;
  const ReservationCode code = PromiseReservation(view, &uids);
  if (code != ReservationCode::kSuccess || uids.empty()) return code;
  std::vector<ReservationBook::Held> held;
  const Node* state = FindNode(node);
  for (const std::string& uid : uids) {
    ReservationBook::Held& task = held.emplace_back();
    task.task = uid;
    if (state == nullptr) continue;
    for (const ReservationBook::Held& candidate : state->chosen) {
      if (candidate.task == uid) task.request = candidate.request;
    }
  }
  if (books_.book.AddTasks(record.uid, held) != ReservationBook::Answer::kDone) {
    return ReservationCode::kError;
  }
  state_.assumed = record.uid;
  state_.taken = uids;
  return ReservationCode::kSuccess;
}

void ReservationCycle::Unreserve(const std::string& node) {
  if (state_.own) {
    books_.book.Remove(state_.own->record.uid, node);
    if (state_.taken.empty()) return;
    books_.nominations.ForgetTasks(state_.own->record.uid);
  }
  if (!state_.assumed.empty()) books_.book.RemoveTasks(state_.assumed, state_.taken);
  state_.assumed.clear();
  state_.taken.clear();
}

void ReservationCycle::CountVictim(const ReservationBook::Held& victim, const std::string& node,
                                   bool leaves) {
  Sparse amounts = victim.request;
  amounts.Set(options_.tasks_resource, 1);
  const ReservationBook::Entry* entry = books_.book.OfTask(victim.task, node);
  if (entry == nullptr) {
    entry = books_.book.Find(books_.nominations.ReservationOf(victim.task, node));
  }
  Sparse& sum =
      entry == nullptr ? state_.preempted[node] : state_.preempted_of[node][entry->record.uid];
  if (leaves) {
    sum.Add(amounts);
  } else {
    sum.Subtract(amounts);
  }
}

int64_t ReservationCycle::TakeOverScore(const ReservationView& view) const {
  const PlacedReservation& placed = *state_.own;
  const Node* node = FindNode(view.node.name);
  if (placed.takes_several) {
    const size_t taken = node == nullptr ? 0 : node->chosen.size();
    return kBestNode / static_cast<int64_t>(1 + taken);
  }
  const std::optional<std::vector<std::string>> promised =
      books_.nominations.TasksFor(placed.record.uid, view.node.name);
  if (!promised || promised->empty() || node == nullptr) return 0;
  for (const ReservationBook::Held& task : node->chosen) {
    if (task.task == promised->front()) return ReservationScore(task.request, AsReserved(placed));
  }
  return 0;
}

}  // namespace muster
