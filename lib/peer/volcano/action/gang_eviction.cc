// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/action/gang_eviction.h"

#include <algorithm>
#include <string>
#include <utility>

#include "lib/base/go_sort.h"
#include "lib/part/queue_round.h"
#include "lib/part/victims.h"
#include "lib/peer/volcano/action/fit_errors.h"

namespace muster {
namespace {

constexpr OptionDecl kEvictionOptions[] = {
    {"whole_gangs", OptionKind::kFlag, "on", 0, 0,
     "gangs may be taken apart, not only lose what they can spare"},
    {"error_cache", OptionKind::kFlag, "on", 0, 0,
     "within a trial, a node that refused one task of a role is not asked for another"},
    {"max_domains", OptionKind::kNumber, "8", 1, 1e9,
     "how many domains are looked into for a gang, the widest first"},
};

// A node without a limit on tasks has room for any number: sums stop there.
constexpr int64_t kEnough = int64_t{1} << 60;

bool Covers(std::span<const int64_t> room, std::span<const int64_t> need) {
  for (DimensionIndex d = 0; d < need.size(); ++d) {
    if (d > kPods && need[d] == 0) continue;
    if (need[d] > room[d]) return false;
  }
  return true;
}

}  // namespace

const std::span<const OptionDecl> kGangEvictionOptions = kEvictionOptions;

GangEviction::GangEviction(ActionContext& context, const Options& options, std::string_view name,
                           bool from_other_queues)
    : context_(context),
      tables_(context.tables),
      ledger_(context.ledger),
      dispatcher_(context.dispatcher),
      name_(name),
      from_other_queues_(from_other_queues),
      whole_gangs_(options.flag("whole_gangs")),
      error_cache_(options.flag("error_cache")),
      max_domains_(static_cast<size_t>(options.number("max_domains"))),
      memory_(context) {}

void GangEviction::Run() {
  QueueRound round = StarvingRound(context_);
  while (!round.empty()) {
    const QueueIndex queue = round.PopQueue();
    if (!MayAsk(queue)) continue;
    while (round.HasJobs(queue)) {
      if (context_.meter.Cut()) return;
      context_.meter.Spend();
      ForJob(round.PopJob(queue));
    }
  }
}

void GangEviction::ForJob(JobIndex job) {
  const GroupSheet sheet = MakeGroupSheet(context_, job, Wanting(job));
  if (sheet.groups.empty()) return;
  // A job that is ready requests one sub-group at a time.
  const bool was_ready = dispatcher_.Ready(job);
  TaskIndex first = kNone;
  std::vector<int64_t> need(ledger_.dimensions(), 0), held(ledger_.dimensions(), 0);
  for (GroupSheet rest = sheet; !rest.groups.empty();) {
    TaskQueue& tasks = rest.of(rest.groups.Pop());
    while (!tasks.empty()) {
      const TaskIndex t = tasks.Pop();
      if (first == kNone) first = t;
      const auto to_start = tables_.classes.initial_request.row(context_.ClassOf(t));
      const auto to_run = ledger_.request(t);
      for (DimensionIndex d = 0; d < need.size(); ++d) {
        need[d] += to_start[d];
        held[d] += to_run[d];
      }
    }
    if (was_ready) break;
  }
  if (!MayTake(job, held)) return;
  bool tried = false;
  for (DomainIndex domain : CandidateDomains(job)) {
    if (InDomain(job, domain, sheet, first, need, &tried)) return;
  }
  if (!tried) Explain(job, Reason{ReasonKind::kGangUndone});
}

std::vector<DomainIndex> GangEviction::CandidateDomains(JobIndex job) const {
  Domains& domains = context_.domains;
  std::vector<DomainIndex> candidates;
  for (const std::vector<DomainIndex>& list :
       dispatcher_.DomainsForJob(job, domains.root(), domains.allocated(job), /*evicting=*/true)) {
    for (DomainIndex d : list) {
      if (candidates.size() < max_domains_) candidates.push_back(d);
    }
  }
  if (candidates.empty() && !HasHardWish(context_, job)) candidates.push_back(domains.root());
  return candidates;
}

bool GangEviction::InDomain(JobIndex job, DomainIndex domain, const GroupSheet& sheet,
                            TaskIndex first, std::span<const int64_t> need, bool* tried) {
  const std::vector<VictimSet> sets = VictimSets(job, domain, need);
  if (sets.empty()) return false;
  // What is promised to nominated tasks counts as free here; the trial finds that it is not.
  std::vector<int64_t> room(need.size(), 0);
  for (NodeIndex n : context_.domains.nodes(domain)) {
    const auto idle = ledger_.node(n, kIdle), releasing = ledger_.node(n, kReleasing);
    for (DimensionIndex d = 0; d < room.size(); ++d) {
      room[d] = std::min(kEnough, room[d] + std::min(kEnough, idle[d]) + releasing[d]);
    }
  }
  std::vector<TaskIndex> victims;
  for (const VictimSet& set : sets) {
    for (TaskIndex t : set.tasks) {
      victims.push_back(t);
      const auto request = ledger_.request(t);
      for (DimensionIndex d = 0; d < room.size(); ++d) room[d] += request[d];
    }
    if (!Covers(room, need)) continue;
    *tried = true;
    if (Try(job, domain, sheet, first, victims)) return true;
  }
  return false;
}

// Returns the pending tasks of the job that request something.
std::vector<TaskIndex> GangEviction::Wanting(JobIndex job) const {
  std::vector<TaskIndex> tasks = context_.PendingTasks(job, /*with_best_effort=*/true);
  std::erase_if(tasks, [&](TaskIndex t) {
    const auto request = ledger_.request(t);
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      if (d != kPods && request[d] > 0) return false;
    }
    return true;
  });
  return tasks;
}

// Returns the victim sets in the order in which they are to go.
std::vector<VictimSet> GangEviction::VictimSets(JobIndex job, DomainIndex domain,
                                                std::span<const int64_t> need) {
  std::vector<std::pair<JobIndex, TaskIndex>> candidates;
  for (NodeIndex n : context_.domains.nodes(domain)) {
    for (TaskIndex t : ledger_.tasks_on(n)) {
      const JobIndex other = tables_.tasks.job[t];
      if (other == kNone || !(tables_.tasks.flags[t] & kTaskPreemptable)) continue;
      if (!tables_.jobs.spec[other].preemptable.value_or(true)) continue;
      if (IsCandidate(job, t)) candidates.emplace_back(other, t);
    }
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<VictimSet> sets;
  for (size_t i = 0; i < candidates.size();) {
    const JobIndex other = candidates[i].first;
    std::vector<TaskIndex> tasks;
    while (i < candidates.size() && candidates[i].first == other) {
      tasks.push_back(candidates[i++].second);
    }
    AddVictimSets(context_, other, std::move(tasks), need, &sets);
  }
  GoSort(sets, [&](const VictimSet& a, const VictimSet& b) {
    if (a.whole != b.whole) return b.whole;
    if (const int order = a.job == b.job ? 0 : CompareVictims(job, a.job, b.job)) return order < 0;
    if (a.worth != b.worth) return a.worth > b.worth;
    const JobSpec &left = tables_.jobs.spec[a.job], &right = tables_.jobs.spec[b.job];
    return left.uid_rank != right.uid_rank ? left.uid_rank < right.uid_rank : a.job < b.job;
  });

  std::vector<TaskIndex> all;
  for (const VictimSet& set : sets) {
    all.insert(all.end(), set.tasks.begin(), set.tasks.end());
  }
  std::vector<TaskIndex> allowed = dispatcher_.Evictable(job, from_other_queues_, all);
  std::sort(allowed.begin(), allowed.end());
  std::erase_if(sets, [&](VictimSet& set) {
    const size_t refused = std::erase_if(set.tasks, [&](TaskIndex t) {
      return !std::binary_search(allowed.begin(), allowed.end(), t);
    });
    return set.tasks.empty() || (set.whole && (refused > 0 || !whole_gangs_));
  });
  return sets;
}

bool GangEviction::Try(JobIndex job, DomainIndex domain, const GroupSheet& sheet, TaskIndex first,
                       std::span<const TaskIndex> victims) {
  Attempt attempt(context_);
  const bool was_ready = dispatcher_.Ready(job);
  for (TaskIndex victim : victims) Evict(context_, victim, first);
  if (std::optional<Reason> failure = PlaceAll(job, domain, sheet, was_ready)) {
    attempt.Undo();
    Explain(job, *std::move(failure));
    return false;
  }
  attempt.Commit();
  return true;
}

// Returns nothing if enough sub-groups have places and the job is pipelined.
std::optional<Reason> GangEviction::PlaceAll(JobIndex job, DomainIndex domain, GroupSheet sheet,
                                             bool was_ready) {
  const bool bound = HasHardWish(context_, job);
  bool pipelined = false;
  while (!sheet.groups.empty()) {
    const SubGroup group = sheet.groups.Pop();
    const TaskQueue& tasks = sheet.of(group);
    std::optional<Reason> failure = Reason{ReasonKind::kGangUndone};
    if (!bound) {
      failure = PlaceGroup(group, domain, tasks);
    } else {
      for (const std::vector<DomainIndex>& list :
           dispatcher_.DomainsForGroup(group, domain, context_.domains.allocated(group),
                                       /*evicting=*/true)) {
        for (DomainIndex d : list) {
          if (failure) failure = PlaceGroup(group, d, tasks);
        }
      }
    }
    if (failure) return failure;
    pipelined = dispatcher_.Pipelined(job);
    if (was_ready || pipelined) break;
  }
  if (!pipelined) return Reason{ReasonKind::kGangUndone};
  return std::nullopt;
}

// Returns nothing if all tasks of the group have places in the domain and it is ready or pipelined.
// Else the books are as they were.
std::optional<Reason> GangEviction::PlaceGroup(const SubGroup& group, DomainIndex domain,
                                               TaskQueue tasks) {
  const QueueIndex queue = tables_.jobs.queue[group.job];
  Attempt attempt(context_);
  const auto fail = [&](Reason reason) {
    const JobCounts& counts = ledger_.job(group.job);
    reason.placed = counts.ready() + counts.nominated();
    return reason;
  };
  memory_.Forget();
  while (!tasks.empty()) {
    const TaskIndex task = tasks.Pop();
    context_.meter.Spend();
    if (const Verdict verdict = dispatcher_.Allocatable(queue, task); !verdict.ok()) {
      return fail(context_.reasons.QueueReason(queue, verdict));
    }
    const NodeIndex node = NodeFor(task, domain);
    if (node == kNone) {
      Reason reason{ReasonKind::kGangUndone};
      reason.refusals = context_.reasons.NoNode(context_.ClassOf(task))->refusals;
      return fail(std::move(reason));
    }
    Nominate(context_, task, node, /*after_eviction=*/true);
  }
  if (dispatcher_.SubGroupReady(group) || dispatcher_.SubGroupPipelined(group)) {
    attempt.Keep();
    return std::nullopt;
  }
  return fail(Reason{ReasonKind::kGangUndone});
}

// Returns the best of the nodes where the task fits now, or else of those where it will. Refusals
// that an eviction might cure do not count.
NodeIndex GangEviction::NodeFor(TaskIndex task, DomainIndex domain) {
  const ClassIndex c = context_.ClassOf(task);
  NodeSearch& search = context_.search;
  const size_t nodes = tables_.nodes.alive.size();
  std::vector<uint8_t> except(nodes, 0);
  const std::vector<uint8_t>* hopeless = context_.memory<FitErrors>().hopeless(task);
  if (hopeless != nullptr) {
    bool any_left = false;
    for (NodeIndex n = 0; n < nodes; ++n) {
      except[n] = n < hopeless->size() && (*hopeless)[n];
      any_left |= tables_.nodes.alive[n] && !except[n];
    }
    // The peer ignores the memory of a task if it would leave out every node.
    if (!any_left) std::fill(except.begin(), except.end(), 0);
  }
  for (NodeIndex n = 0; n < nodes; ++n) {
    if (!context_.domains.Holds(domain, n)) except[n] = 1;
  }
  std::vector<uint8_t>* memory = error_cache_ ? memory_.Of(task) : nullptr;
  std::vector<uint8_t> accepts;
  if (memory != nullptr) {
    accepts.assign(nodes, 0);
    for (NodeIndex n : search.ListForEviction(c, Want::kEvicting)) accepts[n] = 1;
  }
  std::vector<uint8_t> except_now(nodes, 1);
  for (NodeIndex n = 0; n < nodes; ++n) {
    if (!tables_.nodes.alive[n] || except[n]) continue;
    const bool fits = search.FitsFutureIdle(c, n);
    if (memory != nullptr) {
      if (!fits || !accepts[n]) (*memory)[n] = kCurable;
      except[n] = (*memory)[n];
    } else {
      except[n] = !fits;
    }
    if (!except[n] && search.FitsIdle(c, n)) except_now[n] = 0;
  }
  const NodeIndex now = search.BestExcept(task, Want::kEvicting, except_now);
  return now != kNone ? now : search.BestExcept(task, Want::kEvicting, except);
}

void GangEviction::Explain(JobIndex job, Reason reason) {
  if (reason.kind == ReasonKind::kGangUndone) {
    reason.policy = std::string(name_);
    reason.placed =
        std::max<int64_t>(reason.placed, ledger_.job(job).ready() + ledger_.job(job).nominated());
    reason.needed = tables_.jobs.spec[job].min_available;
  }
  context_.reasons.ExplainJob(job, std::move(reason));
}

}  // namespace muster
