// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/muster/fair_promise.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "lib/base/math.h"
#include "lib/extension/cycle.h"
#include "lib/part/victims.h"

namespace muster {
namespace {

// Returns whether amounts do not decide if the task fits on a node beside others.
bool MeetsOthers(const ActionContext& context, TaskIndex task) {
  const TaskShape& shape = context.tables.classes.shape[context.ClassOf(task)];
  return !shape.devices.empty() || !shape.host_ports.empty() || !shape.spread.empty() ||
         !shape.required_affinity.empty() || !shape.required_anti_affinity.empty();
}

MemorySlots& SlotsOf(ActionContext& context) {
  return *internal::DataOf(*context.facts.cycle).memory;
}

// What the cluster has in sum, against the least that a gang needs: a search for places is not
// worth while before that is enough.
class Sums {
 public:
  Sums(const ActionContext& context, std::span<const TaskIndex> tasks, int64_t lacking)
      : ledger_(context.ledger), free_(ledger_.dimensions(), 0), needed_(free_) {
    for (DimensionIndex d = 0; d < needed_.size(); ++d) {
      if (d == kPods) continue;
      std::vector<int64_t> requests;
      for (TaskIndex t : tasks) {
        const int64_t request = ledger_.request(t)[d];
        // A request may exceed what is there by less than this.
        requests.push_back(std::max<int64_t>(request - ledger_.accounting().least.of(d), 0));
      }
      const auto count = std::min<size_t>(requests.size(), std::max<int64_t>(lacking, 0));
      std::sort(requests.begin(), requests.end());
      for (size_t i = 0; i < count; ++i) needed_[d] += requests[i];
      if (needed_[d] == 0) continue;
      for (NodeIndex n = 0; n < context.tables.nodes.alive.size(); ++n) {
        if (!context.tables.nodes.alive[n]) continue;
        free_[d] += std::max<int64_t>(ledger_.future_idle(n, d), 0);
      }
    }
  }
  void Leave(TaskIndex task) {
    for (DimensionIndex d = 0; d < free_.size(); ++d) free_[d] += ledger_.request(task)[d];
  }
  bool Suffice() const {
    for (DimensionIndex d = 0; d < free_.size(); ++d) {
      if (needed_[d] > 0 && needed_[d] > free_[d]) return false;
    }
    return true;
  }

 private:
  const Ledger& ledger_;
  std::vector<absl::int128> free_, needed_;
};

// What nodes have for one task, as others leave them.
class OneTask {
 public:
  OneTask(const ActionContext& context, TaskIndex task)
      : ledger_(context.ledger),
        request_(context.tables.classes.initial_request.row(context.ClassOf(task))),
        freed_(context.tables.nodes.alive.size() * request_.size(), 0) {}
  void Leave(TaskIndex other, NodeIndex node) {
    const auto request = ledger_.request(other);
    int64_t* freed = &freed_[node * request_.size()];
    for (size_t d = 0; d < request.size(); ++d) freed[d] += request[d];
  }
  std::vector<int64_t> Freed(NodeIndex node) const {
    const auto first = freed_.begin() + static_cast<std::ptrdiff_t>(node * request_.size());
    return {first, first + static_cast<std::ptrdiff_t>(request_.size())};
  }
  // Returns false only if the node has too little.
  bool MayFit(NodeIndex node) const {
    for (DimensionIndex d = 0; d < request_.size(); ++d) {
      // A request may exceed what is there by less than this.
      const int64_t needed = request_[d] - ledger_.accounting().least.of(d);
      if (d != kPods && request_[d] > 0 && needed > Room(node, d)) return false;
    }
    return true;
  }
  // Returns true only if it has enough.
  bool Fits(NodeIndex node) const {
    for (DimensionIndex d = 0; d < request_.size(); ++d) {
      if ((d <= kPods || request_[d] > 0) && request_[d] > Room(node, d)) return false;
    }
    return true;
  }

 private:
  int64_t Room(NodeIndex node, DimensionIndex d) const {
    return ledger_.future_idle(node, d) + freed_[node * request_.size() + d];
  }

  const Ledger& ledger_;
  const std::span<const int64_t> request_;
  std::vector<int64_t> freed_;  // by node and dimension
};

}  // namespace

void FairPromises::Start(const Options& options) {
  const std::string which = options.text("promise");
  on_ = which != "off";
  per_queue_ = which == "queue" || which == "heads";
  keeps_ = which == "first" || which == "queue";
  age_limit_ = static_cast<int64_t>(options.number("age_limit"));
  if (!on_ || !keeps_ || read_) return;
  read_ = true;
  std::vector<std::pair<int64_t, JobIndex>> ranked;
  for (const auto& [name, row] : SlotsOf(context_).Recall(kPromiseSlot.slot).rows()) {
    const std::optional<JobIndex> job = context_.tables.jobs.names.Find(name);
    if (!job || !context_.tables.jobs.alive[*job]) continue;
    const auto* rank = row.empty() ? nullptr : std::get_if<int64_t>(&row[0]);
    ranked.emplace_back(rank == nullptr ? 0 : *rank, *job);
  }
  std::sort(ranked.begin(), ranked.end());
  for (const auto& [rank, job] : ranked) promises_.push_back({job, context_.facts.now});
}

std::vector<JobIndex> FairPromises::TakeBack() {
  std::vector<JobIndex> jobs;
  for (const Promise& promise : promises_) {
    const auto& waiting = context_.waiting;
    if (!std::binary_search(waiting.begin(), waiting.end(), promise.job)) continue;
    if (!context_.dispatcher.Pipelined(promise.job)) jobs.push_back(promise.job);
  }
  promises_.clear();
  return jobs;
}

bool FairPromises::MayPromise(JobIndex job) const {
  if (!on_) return false;
  const auto& queue = context_.tables.jobs.queue;
  return std::none_of(promises_.begin(), promises_.end(), [&](const Promise& promise) {
    if (promise.job == job) return true;
    if (per_queue_ && queue[promise.job] != queue[job]) return false;
    return !context_.dispatcher.Pipelined(promise.job);
  });
}

JobIndex FairPromises::Holder() const {
  if (per_queue_) return kNone;
  for (const Promise& promise : promises_) {
    if (!context_.dispatcher.Pipelined(promise.job)) return promise.job;
  }
  return kNone;
}

bool FairPromises::NoneCanCome() {
  if (!on_) return true;
  if (!lists_ends_ || !context_.ledger.SameAs(ends_at_)) return false;
  // What is placed in this cycle may have an end.
  return ends_.empty() && !keeps_ && context_.tables.tasks.facts.empty() &&
         !known_.last_lines().some_end();
}

bool FairPromises::IsOld(JobIndex job) const {
  const int64_t created = context_.tables.jobs.spec[job].created;
  return created <= context_.facts.now && SatAdd(created, age_limit_) <= context_.facts.now;
}

void FairPromises::Make(JobIndex job, std::span<const TaskIndex> tasks, int64_t lacking, bool tried,
                        absl::FunctionRef<bool()> place) {
  // A gang that is whole would not be so while its tasks are gone.
  std::erase_if(promises_, [this](const Promise& promise) {
    return context_.dispatcher.Pipelined(promise.job);
  });
  Promise promise{job, context_.facts.now};
  planning_ = true;
  // Where no promise binds it, the gang is searched now as before.
  const bool found = Find(job, tasks, lacking, tried && promises_.empty(), place, &promise);
  planning_ = false;
  if (!found) return;
  promises_.push_back(std::move(promise));
  ++made_;
}

bool FairPromises::ComeAlike(absl::FunctionRef<void()> make) {
  std::vector<Promise> before = std::exchange(promises_, {});
  make();
  const bool alike = std::equal(
      before.begin(), before.end(), promises_.begin(), promises_.end(),
      [](const Promise& a, const Promise& b) {
        return a.job == b.job && a.time == b.time && a.closed == b.closed &&
               std::equal(a.places.begin(), a.places.end(), b.places.begin(), b.places.end(),
                          [](const Place& p, const Place& q) { return p.Equals(q); });
      });
  promises_ = std::move(before);
  return alike;
}

bool FairPromises::Find(JobIndex job, std::span<const TaskIndex> tasks, int64_t lacking, bool tried,
                        absl::FunctionRef<bool()> place, Promise* promise) {
  const std::vector<TaskIndex>& members = context_.tables.jobs.tasks[job];
  promise->closed = std::any_of(members.begin(), members.end(),
                                [this](TaskIndex t) { return MeetsOthers(context_, t); });
  const auto fits = [&](int64_t time) {
    Attempt attempt(context_);
    if (!place()) return false;
    promise->time = time;
    NotePlaces(attempt, promise);
    return true;
  };
  if (!tried && fits(context_.facts.now)) return true;
  const auto& job_of = context_.tables.tasks.job;
  Ends ends = KnownEnds();
  std::vector<FairEnds::End> all;
  if (keeps_ && IsOld(job)) {
    all.assign(ends.begin(), ends.end());
    const std::vector<FairEnds::End> unknown = FairEnds::Unknown(context_);
    all.insert(all.end(), unknown.begin(), unknown.end());
    ends = all;
  }
  std::vector<std::pair<int64_t, TaskIndex>> of_others;
  if (context_.ledger.job(job).allocated() > 0) {
    std::copy_if(ends.begin(), ends.end(), std::back_inserter(of_others),
                 [&](const auto& end) { return job_of[end.second] != job; });
    ends = of_others;
  }
  if (ends.empty()) return false;
  if (lacking == 1 && members.size() == 1 && !promise->closed) {
    const std::optional<bool> found = FindForOne(job, tasks.front(), ends, promise);
    if (found.has_value()) return *found;
  }
  return FindTime(ends, tasks, lacking, /*only_amounts=*/!promise->closed, fits);
}

// The list stays while the books do.
FairPromises::Ends FairPromises::KnownEnds() {
  if (lists_ends_ && context_.ledger.SameAs(ends_at_)) return ends_;
  lists_ends_ = true;
  ends_at_ = context_.ledger.moment();
  ends_ = known_.ends().Known(context_);
  return ends_;
}

// A task goes to a node that has room for it. While no node may have room, trials would find none;
// where one node alone may have room, the task goes there.
std::optional<bool> FairPromises::FindForOne(JobIndex job, TaskIndex task, Ends ends,
                                             Promise* promise) {
  const Ledger& ledger = context_.ledger;
  const Tables& tables = context_.tables;
  const ClassIndex c = context_.ClassOf(task);
  if (!promises_.empty() || tables.tasks.nominated[task] != kNone ||
      context_.domains.Concerns(job) || context_.search.FitDependsOnOthers(c) ||
      context_.search.Picks(c)) {
    return std::nullopt;
  }
  OneTask one(context_, task);
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (tables.nodes.alive[n] && one.MayFit(n)) return std::nullopt;
  }
  std::vector<NodeIndex> nodes;
  for (size_t i = 0; i < ends.size();) {
    const int64_t end = ends[i].first;
    nodes.clear();
    for (; i < ends.size() && ends[i].first == end; ++i) {
      const NodeIndex node = ledger.node_of(ends[i].second);
      one.Leave(ends[i].second, node);
      nodes.push_back(node);
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::erase_if(nodes, [&](NodeIndex n) { return !tables.nodes.alive[n] || !one.MayFit(n); });
    if (nodes.empty()) continue;
    if (nodes.size() > 1 || !one.Fits(nodes[0]) || !WouldBeWhole(job, task, nodes[0])) {
      return std::nullopt;
    }
    promise->time = end;
    const auto request = tables.classes.initial_request.row(c);
    promise->places = {{.node = nodes[0],
                        .amounts = {request.begin(), request.end()},
                        .ended = one.Freed(nodes[0]),
                        .ended_at = ledger.moment(),
                        .ended_in_log = ledger.log().size()}};
    return true;
  }
  return false;
}

// Returns whether nothing but room keeps the task from the node, and it makes the gang whole.
bool FairPromises::WouldBeWhole(JobIndex job, TaskIndex task, NodeIndex node) {
  const ClassIndex c = context_.ClassOf(task);
  if (!context_.dispatcher.Allocatable(context_.tables.jobs.queue[job], task).ok() ||
      !context_.search.FitsNode(c, node)) {
    return false;
  }
  Attempt attempt(context_);
  context_.ledger.Move(task, TaskStatus::kNominated, node);
  return context_.dispatcher.Pipelined(job);
}

// Calls `fits` for one end after the other, with all gone that should have ended, until it returns
// true. Returns whether it did. Where only amounts decide, a gang that finds no place with all gone
// finds none before. Most often the first time at which the sums suffice will do, so this is found
// out after that one has failed.
bool FairPromises::FindTime(Ends ends, std::span<const TaskIndex> tasks, int64_t lacking,
                            bool only_amounts, absl::FunctionRef<bool(int64_t)> fits) {
  const auto fits_without = [&](Ends rest) {
    TrialEvictions trial(context_);
    for (const auto& [end, task] : rest) trial.Evict(task);
    return fits(kUnknown);
  };
  Sums sums(context_, tasks, lacking);
  TrialEvictions trial(context_);
  bool hopeful = !only_amounts;
  for (size_t i = 0; i < ends.size();) {
    const int64_t end = ends[i].first;
    for (; i < ends.size() && ends[i].first == end; ++i) {
      trial.Evict(ends[i].second);
      sums.Leave(ends[i].second);
    }
    if (!sums.Suffice()) continue;
    if (fits(end)) return true;
    if (!hopeful && !fits_without(ends.subspan(i))) return false;
    hopeful = true;
  }
  return false;
}

void FairPromises::NotePlaces(const Attempt& attempt, Promise* promise) const {
  std::vector<Place>& places = promise->places;
  places.clear();
  for (const Ledger::Entry& move : attempt.moves()) {
    if (context_.tables.tasks.job[move.task] != promise->job || move.to_node == kNone) continue;
    const auto request = context_.tables.classes.initial_request.row(context_.ClassOf(move.task));
    const auto at = std::lower_bound(places.begin(), places.end(), move.to_node,
                                     [](const Place& p, NodeIndex n) { return p.node < n; });
    if (at == places.end() || at->node != move.to_node) {
      places.insert(at, {.node = move.to_node, .amounts = {request.begin(), request.end()}});
      continue;
    }
    for (size_t d = 0; d < request.size(); ++d) at->amounts[d] += request[d];
  }
}

void FairPromises::Store() {
  if (!on_ || !keeps_) return;
  MemorySlot slot;
  for (const Promise& promise : promises_) {
    if (context_.dispatcher.Pipelined(promise.job)) continue;
    const auto rank = static_cast<int64_t>(slot.rows().size());
    slot.Set(context_.tables.jobs.names.name(promise.job), {rank});
  }
  if (slot == SlotsOf(context_).Recall(kPromiseSlot.slot)) return;
  SlotsOf(context_).Remember(kPromiseSlot.slot) = std::move(slot);
}

bool FairPromises::EndsBy(JobIndex job, int64_t time) const {
  if (planning_ || time == kUnknown) return false;
  const int64_t run = RunOf(context_.tables.jobs.spec[job]);
  return run != kAbsent &&
         std::max(SatAdd(context_.facts.now, run), SatAdd(context_.facts.now, 1)) <= time;
}

bool FairPromises::Binds(const Promise& promise, JobIndex job) const {
  const auto& jobs = context_.tables.jobs.spec;
  return promise.job != job && !EndsBy(job, promise.time) &&
         (jobs[job].priority <= jobs[promise.job].priority ||
          (prefers_old() && IsOld(promise.job))) &&
         !context_.dispatcher.Pipelined(promise.job);
}

bool FairPromises::Bind(JobIndex job) const {
  return std::any_of(promises_.begin(), promises_.end(),
                     [&](const Promise& promise) { return Binds(promise, job); });
}

std::vector<uint8_t> FairPromises::Binding(JobIndex job) const {
  std::vector<uint8_t> binding;
  for (const Promise& promise : promises_) binding.push_back(Binds(promise, job));
  return binding;
}

bool FairPromises::WithinGuarantee(TaskIndex task) const {
  const QueueIndex queue = context_.QueueOf(task);
  const auto guaranteed = context_.tables.queues.guaranteed.row(queue);
  const auto held = context_.ledger.tree_allocated(queue);
  const auto request = context_.ledger.request(task);
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (request[d] <= 0 || d == kPods) continue;
    if (guaranteed[d] == kAbsent || held[d] > guaranteed[d] - request[d]) return false;
  }
  return true;
}

const FairPromises::Place* FairPromises::PlaceOn(const Promise& promise, NodeIndex node) const {
  const auto at = std::lower_bound(promise.places.begin(), promise.places.end(), node,
                                   [](const Place& p, NodeIndex n) { return p.node < n; });
  return at != promise.places.end() && at->node == node ? &*at : nullptr;
}

// Returns what ends on the node by the promised time.
const std::vector<int64_t>& FairPromises::EndedBy(const Promise& promise,
                                                  const Place& place) const {
  Ledger& ledger = context_.ledger;
  if (!place.ended.empty() && ledger.SameAs(place.ended_at)) return place.ended;
  if (!place.ended.empty() && ledger.OnlyPlacementsSince(place.ended_at)) {
    FollowMoves(promise, place);
    return place.ended;
  }
  place.ended.assign(ledger.dimensions(), 0);
  place.ended_at = ledger.moment();
  place.ended_in_log = ledger.log().size();
  for (TaskIndex t : ledger.tasks_on(place.node)) {
    if (promise.time == kUnknown) break;
    if (!IsAllocated(ledger.status(t)) || FairEnds::Of(context_, t) > promise.time) continue;
    for (size_t d = 0; d < place.ended.size(); ++d) place.ended[d] += ledger.request(t)[d];
  }
  return place.ended;
}

// Counts what was placed since the place's amounts were summed: they need not be summed anew.
void FairPromises::FollowMoves(const Promise& promise, const Place& place) const {
  const Ledger& ledger = context_.ledger;
  const auto count = [&](const Ledger::Entry& entry, NodeIndex node, TaskStatus status, int sign) {
    if (node != place.node || !IsAllocated(status)) return;
    if (promise.time == kUnknown || FairEnds::Of(context_, entry.task) > promise.time) return;
    const auto request = ledger.request(entry.task);
    for (size_t d = 0; d < request.size(); ++d) place.ended[d] += sign * request[d];
  };
  for (const Ledger::Entry& entry : ledger.log().subspan(place.ended_in_log)) {
    count(entry, entry.from_node, entry.from, -1);
    count(entry, entry.to_node, entry.to, 1);
  }
  place.ended_at = ledger.moment();
  place.ended_in_log = ledger.log().size();
}

// Returns whether the node has room at the promised time for the task beside the promised gang.
bool FairPromises::HasRoom(const Promise& promise, TaskIndex task, const Place& place) const {
  if (promise.closed || MeetsOthers(context_, task)) return false;
  const auto request = context_.tables.classes.initial_request.row(context_.ClassOf(task));
  const std::vector<int64_t>& ended = EndedBy(promise, place);
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (request[d] <= 0) continue;
    const int64_t then = context_.ledger.future_idle(place.node, d) + ended[d];
    if (request[d] > then - place.amounts[d]) return false;
  }
  return true;
}

bool FairPromises::LeavesPromisedRoom(TaskIndex task, NodeIndex node) const {
  const JobIndex job = context_.tables.tasks.job[task];
  const bool leaves = std::all_of(promises_.begin(), promises_.end(), [&](const Promise& promise) {
    const Place* place = PlaceOn(promise, node);
    return place == nullptr || !Binds(promise, job) || WithinGuarantee(task) ||
           HasRoom(promise, task, *place);
  });
  refused_ |= !leaves;
  return leaves;
}

bool FairPromises::Names(JobIndex job, NodeIndex node) const {
  return std::any_of(promises_.begin(), promises_.end(), [&](const Promise& promise) {
    return PlaceOn(promise, node) != nullptr && Binds(promise, job);
  });
}

std::vector<uint8_t> FairPromises::Refused(TaskIndex task) const {
  std::vector<uint8_t> refused(context_.tables.nodes.alive.size(), 0);
  for (const Promise& promise : promises_) {
    for (const Place& place : promise.places) {
      refused[place.node] |= !LeavesRoom(task, place.node);
    }
  }
  return refused;
}

NodeIndex FairPromises::Best(TaskIndex task, Want want, DomainIndex within) {
  NodeSearch& search = context_.search;
  const auto best = [&](const std::vector<uint8_t>* refused) {
    if (within != kNone) {
      return search.BestAmong(task, want, context_.domains.nodes(within), refused);
    }
    return refused == nullptr ? search.Best(task, want) : search.BestExcept(task, want, *refused);
  };
  const NodeIndex node = best(nullptr);
  if (node == kNone || LeavesRoom(task, node)) return node;
  const std::vector<uint8_t> refused = Refused(task);
  return best(&refused);
}

std::vector<Refusal> FairPromises::Refusals(TaskIndex task) const {
  std::vector<Refusal> refusals;
  const ClassIndex c = context_.ClassOf(task);
  const JobIndex job = context_.tables.tasks.job[task];
  for (const Promise& promise : promises_) {
    if (!Binds(promise, job)) continue;
    int64_t nodes = 0;
    for (const Place& place : promise.places) {
      nodes += context_.search.FitsFutureIdle(c, place.node) &&
               context_.search.FitsNode(c, place.node) && !LeavesRoom(task, place.node);
    }
    if (nodes == 0) continue;
    const std::string_view name = context_.tables.jobs.names.name(promise.job);
    refusals.push_back({RefusalCode::kPolicy, kNone, "kept for job " + std::string(name), nodes});
  }
  return refusals;
}

}  // namespace muster
