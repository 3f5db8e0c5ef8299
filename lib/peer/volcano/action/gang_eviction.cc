// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/action/gang_eviction.h"

#include <algorithm>
#include <optional>
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
    {"max_domains", OptionKind::kWhole, "8", 1, 1e9,
     "how many domains are looked into for a gang, the widest first"},
};

// How many sets are listed first, and how many times as many when they were not enough.
constexpr size_t kFewSets = 4;
constexpr size_t kAllSets = ~size_t{0};

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
      rules_(context, from_other_queues),
      whole_gangs_(options.flag("whole_gangs")),
      error_cache_(options.flag("error_cache")),
      max_domains_(static_cast<size_t>(options.number("max_domains"))),
      kept_(context, rules_),
      keeps_(rules_.ComparesKeys()),
      room_(context),
      cluster_room_(context),
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
  kept_.NoteTurn(job);
  Gang gang{.job = job,
            .sheet = MakeGroupSheet(context_, job, Wanting(job)),
            .need = std::vector<int64_t>(ledger_.dimensions(), 0),
            .was_ready = dispatcher_.Ready(job),
            .partial = false};
  if (gang.sheet.groups.empty()) return;
  std::vector<int64_t> held(ledger_.dimensions(), 0);
  int64_t tasks_left = ledger_.job(job).pending();
  for (GroupSheet rest = gang.sheet; !rest.groups.empty();) {
    TaskQueue& tasks = rest.of(rest.groups.Pop());
    while (!tasks.empty()) {
      const TaskIndex t = tasks.Pop();
      --tasks_left;
      if (gang.first == kNone) gang.first = t;
      const auto to_start = tables_.classes.initial_request.row(context_.ClassOf(t));
      const auto to_run = ledger_.request(t);
      for (DimensionIndex d = 0; d < held.size(); ++d) {
        gang.need[d] += to_start[d];
        held[d] += to_run[d];
      }
    }
    // A trial may end after one sub-group.
    gang.partial |= !rest.groups.empty();
    if (gang.was_ready) break;
  }
  gang.partial |= tasks_left > 0;
  if (!MayTake(job, held)) return;
  bool tried = false;
  for (DomainIndex domain : CandidateDomains(job)) {
    if (InDomain(gang, domain, &tried)) return;
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

bool GangEviction::InDomain(const Gang& gang, DomainIndex domain, bool* tried) {
  std::vector<int64_t> room = RoomIn(domain);
  std::vector<TaskIndex> victims;
  size_t evicted = 0;  // of the victims, in the books
  const auto evict_all = [&] {
    for (; evicted < victims.size(); ++evicted) Evict(context_, victims[evicted], gang.first);
  };
  Attempt attempt(context_);
  bool all = false, failed = false;
  size_t joined = 0;  // sets
  for (size_t limit = kFewSets; !all; limit *= kFewSets) {
    attempt.StartOver();  // sets are listed on the books without the evictions
    evicted = 0;
    const std::vector<VictimSet> sets = SetsFor(gang, domain, limit, &all);
    for (; joined < sets.size(); ++joined) {
      for (TaskIndex t : sets[joined].tasks) {
        victims.push_back(t);
        const auto request = ledger_.request(t);
        for (DimensionIndex d = 0; d < room.size(); ++d) room[d] += request[d];
      }
      if (!Covers(room, gang.need)) continue;
      evict_all();
      Trial trial{.again = false, .explain = gang.partial};
      if (PlaceAll(gang, domain, &trial)) {
        attempt.Commit();
        return true;
      }
      failed = true;
      if (trial.explain) Explain(gang.job, std::move(trial.failure));
    }
  }
  if (!failed) return false;
  *tried = true;
  if (gang.partial) return false;
  evict_all();
  Trial last{.again = true, .explain = true};
  PlaceAll(gang, domain, &last);
  Explain(gang.job, std::move(last.failure));
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

std::vector<VictimSet> GangEviction::AllSets(const Gang& gang, DomainIndex domain) const {
  std::vector<std::pair<JobIndex, TaskIndex>> candidates;
  for (NodeIndex n : context_.domains.nodes(domain)) {
    for (TaskIndex t : ledger_.tasks_on(n)) {
      if (!rules_.MayGo(t)) continue;
      const JobIndex other = tables_.tasks.job[t];
      if (rules_.MayTakeFrom(gang.job, other)) candidates.emplace_back(other, t);
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
    AddVictimSets(context_, other, std::move(tasks), &sets);
  }
  for (VictimSet& set : sets) set.worth = WorthOf(context_, set, gang.need);
  GoSort(sets,
         [&](const VictimSet& a, const VictimSet& b) { return rules_.Before(gang.job, a, b); });
  return sets;
}

// Returns those of `tasks` that the policies would let go whatever tasks stood behind these;
// nothing if that is not known. Where all of them judge one task after the other and agree on some
// task, each of them names that one in a longer list, too: none empties the answer of its tier, and
// the first tier decides.
std::optional<std::vector<TaskIndex>> GangEviction::EvictableSoFar(
    JobIndex job, std::span<const TaskIndex> tasks) const {
  const bool from_others = rules_.from_other_queues();
  if (!dispatcher_.JudgesInOrder(Point::kEvictable)) {
    std::vector<TaskIndex> agreed(tasks.begin(), tasks.end()), chosen;
    for (const PolicyEntry* entry : dispatcher_.at(Point::kEvictable)) {
      if (!entry->traits.judges_in_order) return std::nullopt;
      chosen.clear();
      if (entry->victims->Evictable(job, from_others, tasks, &chosen) == Vote::kAbstain) continue;
      if (std::ranges::equal(chosen, tasks)) continue;
      std::sort(chosen.begin(), chosen.end());
      std::erase_if(agreed, [&](TaskIndex t) {
        return !std::binary_search(chosen.begin(), chosen.end(), t);
      });
    }
    if (agreed.empty()) return std::nullopt;
  }
  return dispatcher_.Evictable(job, from_others, tasks);
}

std::vector<VictimSet> GangEviction::SetsFor(const Gang& gang, DomainIndex domain, size_t limit,
                                             bool* all) {
  const auto tasks_of = [](std::span<const VictimSet> sets) {
    std::vector<TaskIndex> tasks;
    for (const VictimSet& set : sets) {
      tasks.insert(tasks.end(), set.tasks.begin(), set.tasks.end());
    }
    return tasks;
  };
  const bool from_others = rules_.from_other_queues();
  std::vector<VictimSet> sets;
  std::optional<std::vector<TaskIndex>> allowed;
  if (keeps_ && domain == context_.domains.root()) {
    sets = kept_.First(gang.job, gang.need, limit);
    *all = sets.size() < limit;
    if (!*all) allowed = EvictableSoFar(gang.job, tasks_of(sets));
    if (!*all && !allowed) sets = kept_.First(gang.job, gang.need, kAllSets);
  } else {
    sets = AllSets(gang, domain);
  }
  *all = !allowed;
  if (!allowed) allowed = dispatcher_.Evictable(gang.job, from_others, tasks_of(sets));
  if (whole_gangs_ && *allowed == tasks_of(sets)) return sets;
  std::sort(allowed->begin(), allowed->end());
  std::erase_if(sets, [&](VictimSet& set) {
    const size_t refused = std::erase_if(set.tasks, [&](TaskIndex t) {
      return !std::binary_search(allowed->begin(), allowed->end(), t);
    });
    return set.tasks.empty() || (set.whole && (refused > 0 || !whole_gangs_));
  });
  return sets;
}

// Returns whether enough sub-groups got places and the job is pipelined. If not, no task is placed.
bool GangEviction::PlaceAll(const Gang& gang, DomainIndex domain, Trial* trial) {
  Attempt attempt(context_);
  GroupSheet sheet = gang.sheet;
  const bool bound = HasHardWish(context_, gang.job);
  bool pipelined = false;
  while (!sheet.groups.empty()) {
    const SubGroup group = sheet.groups.Pop();
    const TaskQueue& tasks = sheet.of(group);
    bool placed = false;
    trial->failure = Reason{ReasonKind::kGangUndone};
    if (!bound) {
      placed = PlaceGroup(group, domain, tasks, trial);
    } else {
      for (const std::vector<DomainIndex>& list :
           dispatcher_.DomainsForGroup(group, domain, context_.domains.allocated(group),
                                       /*evicting=*/true)) {
        for (DomainIndex d : list) {
          if (!placed) placed = PlaceGroup(group, d, tasks, trial);
        }
      }
    }
    if (!placed) return false;
    pipelined = dispatcher_.Pipelined(gang.job);
    if (gang.was_ready || pipelined) break;
  }
  trial->failure = Reason{ReasonKind::kGangUndone};
  if (pipelined) attempt.Keep();
  return pipelined;
}

// Returns whether all tasks of the group got places in the domain and it is ready or pipelined. If
// not, the books are as they were.
bool GangEviction::PlaceGroup(const SubGroup& group, DomainIndex domain, TaskQueue tasks,
                              Trial* trial) {
  const QueueIndex queue = tables_.jobs.queue[group.job];
  Attempt attempt(context_);
  const auto fail = [&](Reason reason) {
    const JobCounts& counts = ledger_.job(group.job);
    reason.placed = counts.ready() + counts.nominated();
    trial->failure = std::move(reason);
    return false;
  };
  memory_.Forget();
  while (!tasks.empty()) {
    const TaskIndex task = tasks.Pop();
    if (!trial->again) context_.meter.Spend();
    if (const Verdict verdict = dispatcher_.Allocatable(queue, task); !verdict.ok()) {
      if (!trial->explain) return false;
      return fail(context_.reasons.QueueReason(queue, verdict));
    }
    const NodeIndex node = NodeFor(task, domain);
    if (node == kNone) {
      if (!trial->explain) return false;
      Reason reason{ReasonKind::kGangUndone};
      reason.refusals = context_.reasons.NoNode(context_.ClassOf(task))->refusals;
      return fail(std::move(reason));
    }
    Nominate(context_, task, node, /*after_eviction=*/true);
  }
  if (dispatcher_.SubGroupReady(group) || dispatcher_.SubGroupPipelined(group)) {
    attempt.Keep();
    return true;
  }
  return fail(Reason{ReasonKind::kGangUndone});
}

// Returns the best of the nodes where the task fits now, or else of those where it will. Refusals
// that an eviction might cure do not count.
NodeIndex GangEviction::NodeFor(TaskIndex task, DomainIndex domain) {
  const ClassIndex c = context_.ClassOf(task);
  NodeSearch& search = context_.search;
  const std::vector<uint8_t>* hopeless = HopelessFor(task);
  std::vector<uint8_t>* refused = error_cache_ ? memory_.Of(task) : nullptr;
  if (refused != nullptr) NoteRefusals(c, domain, hopeless, refused);
  const auto may_go_to = [&](NodeIndex n) {
    if (!context_.domains.Holds(domain, n)) return false;
    if (hopeless != nullptr && n < hopeless->size() && (*hopeless)[n]) return false;
    return refused == nullptr || !(*refused)[n];
  };
  std::vector<NodeIndex> now, later;
  room_.ForEach(c, may_go_to, [&](NodeIndex n) {
    later.push_back(n);
    if (search.FitsIdle(c, n)) now.push_back(n);
  });
  NodeIndex node = kNone;
  if (!now.empty()) node = search.BestAmong(task, Want::kEvicting, now, nullptr);
  if (node == kNone && !later.empty()) {
    node = search.BestAmong(task, Want::kEvicting, later, nullptr);
  }
  return node;
}

// Returns a value per node, not 0 where no eviction would help the task; null: there is no such
// node. As in the peer, the memory of a task is ignored if it would leave out every node.
const std::vector<uint8_t>* GangEviction::HopelessFor(TaskIndex task) const {
  const std::vector<uint8_t>* hopeless = context_.memory<FitErrors>().hopeless(task);
  if (hopeless == nullptr) return nullptr;
  for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
    if (tables_.nodes.alive[n] && (n >= hopeless->size() || !(*hopeless)[n])) return hopeless;
  }
  return nullptr;
}

// Adds the nodes of the domain that refuse the class to those that refused its role.
void GangEviction::NoteRefusals(ClassIndex c, DomainIndex domain,
                                const std::vector<uint8_t>* hopeless,
                                std::vector<uint8_t>* refused) {
  const size_t nodes = tables_.nodes.alive.size();
  std::vector<uint8_t> accepts(nodes, 0);
  for (NodeIndex n : context_.search.ListForEviction(c, Want::kEvicting)) accepts[n] = 1;
  for (NodeIndex n = 0; n < nodes; ++n) {
    if (!tables_.nodes.alive[n] || !context_.domains.Holds(domain, n)) continue;
    if (hopeless != nullptr && n < hopeless->size() && (*hopeless)[n]) continue;
    if (!accepts[n] || !context_.search.FitsFutureIdle(c, n)) (*refused)[n] = kCurable;
  }
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
