// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// reclaim and preempt of the muster profile. Each task that has no free place takes the best offer;
// when the whole turn has a place, what is not needed for it is given back; rounds go on until
// one evicts no task.
//
// Offers are ranked when a kind of asker comes first, and each is looked at anew before it is
// taken. The list serves the next of that kind, too, until a turn fails or the list is used up; a
// turn that failed with offers of an older list is tried again with a new one.
#include <algorithm>
#include <tuple>

#include "lib/reference/peer/muster/fair.h"

namespace muster::reference {

namespace {

enum class Taking { kFromOtherQueues, kFromLesserJobs };

using Tasks = std::vector<TaskIndex>;
using Units = std::vector<Tasks>;  // of each all go, or none

struct Step {
  TaskIndex task;
  NodeIndex node;
  Units victims;
};

bool Has(const Tasks& tasks, TaskIndex task) {
  return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
}

Tasks AllOf(const Units& units) {
  Tasks all;
  for (const Tasks& unit : units) all.insert(all.end(), unit.begin(), unit.end());
  return all;
}

bool MayRun(const Cycle& cycle, TaskIndex task, NodeIndex node) {
  const World& world = cycle.world;
  return HasRoomLater(world, task, node) && Allocatable(cycle, world.queue_of(task), task) &&
         !Judge(cycle, task, node).refusal && LeavesRoom(cycle, task, node);
}

struct Price {
  int64_t victims = 0, highest = INT64_MIN, lost = 0, oldest = INT64_MIN;
  NodeIndex node = kNone;
  friend auto operator<=>(const Price&, const Price&) = default;
};

struct Ranking {
  std::optional<std::tuple<ClassIndex, QueueIndex, int32_t, JobIndex, bool>> asker;
  std::vector<Price> prices;
  std::vector<TaskStatus> books;  // when the offers were ranked
  bool old = false;               // before this turn
};

class Taker {
 public:
  Taker(Cycle& cycle, const std::string& action, Taking taking)
      : cycle_(cycle),
        taking_(taking),
        min_runtime_(ActionNumber(cycle, action, "min_runtime", 0)),
        exchange_(ActionNumber(cycle, action, "exchange", 0)),
        slack_(ActionNumber(cycle, action, "slack", 0)),
        by_loss_(ActionSwitch(cycle, action, "by_loss", false)) {}

  // Once around all jobs. Whether a task was evicted.
  bool Round() {
    std::set<JobIndex> jobs;
    opening_ = cycle_.world.status;
    for (JobIndex j : cycle_.world.session_jobs()) {
      if (Waits(j) && JobValid(cycle_, j) && HasLessers(j)) jobs.insert(j);
      wanting_[j] = TasksToPlace(cycle_, j);
    }
    bool evicted = false;
    for (JobIndex j; (j = NextInFairOrder(cycle_, jobs)) != kNone;) {
      const bool took =
          JobValid(cycle_, j) && !MustBeTogether(cycle_, j) && HasLessers(j) && Turn(j);
      evicted = evicted || took;
      if (!took || !Waits(j)) jobs.erase(j);
    }
    return evicted;
  }

 private:
  const TaskTable& tasks() const { return cycle_.tables().tasks; }
  const JobSpec& job_of(TaskIndex t) const { return cycle_.tables().jobs.spec[tasks().job[t]]; }

  bool Waits(JobIndex job) const {
    const auto& mine = cycle_.world.tasks_of(job);
    return std::any_of(mine.begin(), mine.end(),
                       [&](TaskIndex t) { return cycle_.world.status[t] == TaskStatus::kPending; });
  }

  // Of jobs that take from lesser jobs, those with one in their queue when the round began.
  bool HasLessers(JobIndex job) const {
    const auto& jobs = cycle_.tables().jobs;
    for (TaskIndex t = 0; t < opening_.size() && taking_ == Taking::kFromLesserJobs; ++t) {
      const bool there = opening_[t] == TaskStatus::kRunning || opening_[t] == TaskStatus::kBound;
      if (!tasks().alive[t] || tasks().job[t] == kNone || !there) continue;
      if (jobs.queue[tasks().job[t]] != jobs.queue[job]) continue;
      if (job_of(t).priority < jobs.spec[job].priority) return true;
    }
    return taking_ != Taking::kFromLesserJobs;
  }

  bool Turn(JobIndex job) {
    Tasks& wanting = wanting_[job];
    std::erase_if(wanting,
                  [&](TaskIndex t) { return cycle_.world.status[t] != TaskStatus::kPending; });
    if (wanting.empty()) return false;
    ranking_.old = true;
    took_old_ = false;
    if (TryTurn(job, wanting)) return true;
    if (took_old_) {
      ranking_ = {};
      if (TryTurn(job, wanting)) return true;
    }
    ranking_ = {};
    return false;
  }

  bool TryTurn(JobIndex job, const Tasks& wanting) {
    const World before = cycle_.world;
    if (JobPipelined(cycle_, job)) {
      for (TaskIndex task : wanting) {
        std::vector<Step> steps;
        if (PlaceOne(task, steps) && Keep(before, steps)) return true;
        cycle_.world = before;
      }
      return false;
    }
    std::vector<Step> steps;
    for (size_t i = 0; i < wanting.size(); ++i) {
      if (!GangWants(cycle_, job, tasks().group[wanting[i]])) continue;
      if (!PlaceOne(wanting[i], steps) &&
          !GangCouldBeWhole(cycle_, job, {wanting.begin() + i + 1, wanting.end()})) {
        break;
      }
      if (!JobPipelined(cycle_, job)) continue;
      if (Keep(before, steps)) return true;
      break;
    }
    cycle_.world = before;
    return false;
  }

  bool PlaceOne(TaskIndex task, std::vector<Step>& steps) {
    const QueueIndex queue = cycle_.world.queue_of(task);
    if (taking_ == Taking::kFromOtherQueues && !Preemptive(cycle_, queue, task)) return false;
    Step step{task, kNone, {}};
    if (Allocatable(cycle_, queue, task))
      step.node = FreePlace(cycle_, task, cycle_.world.session_nodes());
    const bool never = (tasks().flags[task] & kTaskNeverPreempts) != 0;
    const bool offered = step.node == kNone && !never && TakeOffer(task, step);
    if (step.node == kNone) return false;
    for (TaskIndex victim : AllOf(step.victims)) Evict(cycle_.world, victim);
    Place(cycle_.world, task, step.node, TaskStatus::kNominated);
    if (offered && ranking_.asker == AskerOf(task)) RankNode(task, step.node);
    steps.push_back(step);
    return true;
  }

  std::tuple<ClassIndex, QueueIndex, int32_t, JobIndex, bool> AskerOf(TaskIndex task) const {
    bool holds = false;  // its own job is then no candidate, where another job's would be
    for (TaskIndex t : cycle_.world.tasks_of(tasks().job[task])) {
      const TaskStatus status = cycle_.world.status[t];
      holds = holds || status == TaskStatus::kRunning || status == TaskStatus::kBound;
    }
    const bool bound = BoundByPromise(cycle_, tasks().job[task]);
    return {tasks().task_class[task], cycle_.world.queue_of(task), job_of(task).priority,
            holds || bound ? tasks().job[task] : kNone, bound};
  }

  void RankNode(TaskIndex task, NodeIndex node) {
    if (const std::optional<Units> offer = OfferOf(task, node)) {
      ranking_.prices.push_back(PriceOf(node, *offer));
    }
  }

  void RankAll(TaskIndex task) {
    ranking_ = {AskerOf(task), {}, cycle_.world.status, false};
    // Where evicting on the node alone could not help, no task is asked.
    for (NodeIndex n : cycle_.world.session_nodes()) {
      if (KeptFromJob(cycle_, tasks().job[task], n)) continue;
      if (!Judge(cycle_, task, n).unresolvable) RankNode(task, n);
    }
  }

  bool TakeOffer(TaskIndex task, Step& step) {
    if (ranking_.asker != AskerOf(task)) RankAll(task);
    if (TakeRanked(task, step)) return true;
    if (ranking_.books == cycle_.world.status) return false;
    RankAll(task);
    return TakeRanked(task, step);
  }

  bool TakeRanked(TaskIndex task, Step& step) {
    std::vector<Price>& prices = ranking_.prices;
    while (!prices.empty()) {
      const auto first = std::min_element(prices.begin(), prices.end());
      const Price price = *first;
      prices.erase(first);
      const std::optional<Units> offer = OfferOf(task, price.node);
      if (!offer) continue;
      if (const Price now = PriceOf(price.node, *offer); now != price) {
        prices.push_back(now);
        continue;
      }
      step.node = price.node;
      step.victims = *offer;
      took_old_ = took_old_ || ranking_.old;
      return true;
    }
    return false;
  }

  Price PriceOf(NodeIndex node, const Units& units) const {
    Price price;
    price.node = node;
    for (TaskIndex v : AllOf(units)) {
      ++price.victims;
      price.highest = std::max<int64_t>(price.highest, job_of(v).priority);
      price.lost += WorkLost(v);
      price.oldest = std::max(price.oldest, -tasks().created[v]);
    }
    return price;
  }

  std::optional<Units> OfferOf(TaskIndex task, NodeIndex node) {
    const World before = cycle_.world;
    Tasks candidates;
    for (TaskIndex t : before.on_node[node]) {
      if (MayGo(task, t) && !RefusedAlike(task, t)) candidates.push_back(t);
    }
    std::sort(candidates.begin(), candidates.end(), [&](TaskIndex l, TaskIndex r) {
      if (job_of(l).priority != job_of(r).priority) return job_of(l).priority < job_of(r).priority;
      if (WorkLost(l) != WorkLost(r)) return WorkLost(l) < WorkLost(r);
      if (tasks().created[l] != tasks().created[r]) return tasks().created[l] > tasks().created[r];
      return l > r;
    });
    Units units;
    for (TaskIndex t : candidates) {
      if (FitsWithout(before, task, node, units)) break;
      if (!GangCanSpare(cycle_, tasks().job[t], {t}) || Unprotected(task, {t}).empty()) continue;
      if (FitsWithout(before, task, node, {{t}})) return Units{{t}};
    }
    for (TaskIndex t : Spare(task, candidates)) {
      if (FitsWithout(before, task, node, units)) break;
      units.push_back({t});
    }
    for (TaskIndex t : candidates) {
      if (FitsWithout(before, task, node, units)) break;
      if (!Has(AllOf(units), t)) AddGang(task, tasks().job[t], units);
    }
    if (!FitsWithout(before, task, node, units)) {
      // In this order no task makes room, but another set may.
      if (!FitsWithout(before, task, node, {candidates})) return std::nullopt;
      return Cheapest(before, task, node, candidates, std::nullopt);
    }
    for (size_t i = units.size(); i-- > 0;) {
      Units fewer = units;
      fewer.erase(fewer.begin() + i);
      if (FitsWithout(before, task, node, fewer)) units = fewer;
    }
    if (AllOf(units).size() < 2) return units;
    return Cheapest(before, task, node, candidates, units);
  }

  // Where several have to go and few could, all sets are tried: single tasks, and gangs of which
  // not all candidates can be spared as a whole.
  std::optional<Units> Cheapest(const World& before, TaskIndex task, NodeIndex node,
                                const Tasks& candidates, std::optional<Units> units) {
    Units items;
    for (TaskIndex t : candidates) {
      if (GangCanSpare(cycle_, tasks().job[t], {t})) items.push_back({t});
    }
    const size_t singles = items.size();
    std::set<JobIndex> seen;
    for (TaskIndex t : candidates) {
      const JobIndex gang = tasks().job[t];
      Tasks mates;
      for (TaskIndex mate : candidates) {
        if (tasks().job[mate] == gang) mates.push_back(mate);
      }
      if (!seen.insert(gang).second || GangCanSpare(cycle_, gang, mates)) continue;
      if (const std::optional<Tasks> all = WholeGang(task, gang)) items.push_back(*all);
    }
    if (items.size() > 16) return units;
    const auto goes = [&](const Units& set, const std::set<JobIndex>& whole) {
      const Tasks all = AllOf(set);
      for (TaskIndex v : all) {
        const JobIndex gang = tasks().job[v];
        Tasks of_gang;
        for (TaskIndex other : all) {
          if (tasks().job[other] == gang) of_gang.push_back(other);
        }
        if (!whole.contains(gang) && !GangCanSpare(cycle_, gang, of_gang)) return false;
      }
      return Unprotected(task, all).size() == all.size() && FitsWithout(before, task, node, set);
    };
    // The first item counts most: so sets come in the order of their items.
    for (uint32_t chosen = (1u << items.size()) - 1; chosen > 0; --chosen) {
      Units set;
      std::set<JobIndex> whole, in_part;
      for (size_t i = 0; i < items.size(); ++i) {
        if ((chosen >> (items.size() - 1 - i) & 1) == 0) continue;
        set.push_back(items[i]);
        (i < singles ? in_part : whole).insert(tasks().job[items[i][0]]);
      }
      const bool twice = std::any_of(whole.begin(), whole.end(),
                                     [&](JobIndex gang) { return in_part.contains(gang); });
      if (twice || (units && PriceOf(node, set) >= PriceOf(node, *units))) continue;
      if (goes(set, whole)) units = set;
    }
    return units;
  }

  // All of a gang that holds anything, if all may go and none is on its way in.
  std::optional<Tasks> WholeGang(TaskIndex task, JobIndex gang) const {
    Tasks all;
    for (TaskIndex t : cycle_.world.tasks_of(gang)) {
      const TaskStatus status = cycle_.world.status[t];
      if (status == TaskStatus::kPlaced || status == TaskStatus::kBinding ||
          status == TaskStatus::kNominated) {
        return std::nullopt;
      }
      if (!IsAllocated(status)) continue;
      if (!MayGo(task, t)) return std::nullopt;
      all.push_back(t);
    }
    return all;
  }

  // Those that their gangs can do without and no policy protects. A protected task does not count
  // against its gang-mates.
  Tasks Spare(TaskIndex task, Tasks candidates) {
    for (;;) {
      Tasks spare;
      for (TaskIndex t : candidates) {
        Tasks with = spare;
        with.push_back(t);
        if (GangCanSpare(cycle_, tasks().job[t], with)) spare.push_back(t);
      }
      const Tasks free_to_go = Unprotected(task, spare);
      bool again = false;
      for (TaskIndex t : spare) {
        if (Has(free_to_go, t)) continue;
        again = again || std::any_of(candidates.begin(), candidates.end(), [&](TaskIndex mate) {
                  return tasks().job[mate] == tasks().job[t] && !Has(spare, mate);
                });
      }
      if (!again) return free_to_go;
      std::erase_if(candidates, [&](TaskIndex t) { return Has(spare, t) && !Has(free_to_go, t); });
    }
  }

  // The whole gang, with those of it that go already.
  void AddGang(TaskIndex task, JobIndex gang, Units& units) {
    const std::optional<Tasks> members = WholeGang(task, gang);
    if (!members) return;
    Tasks rest;
    for (TaskIndex t : *members) {
      if (!Has(AllOf(units), t)) rest.push_back(t);
    }
    Tasks all = AllOf(units);
    all.insert(all.end(), rest.begin(), rest.end());
    if (Unprotected(task, all).size() != all.size()) return;
    Tasks unit;
    Units others;
    for (const Tasks& u : units) {
      if (u.size() == 1 && tasks().job[u[0]] == gang) {
        unit.push_back(u[0]);
      } else {
        others.push_back(u);
      }
    }
    unit.insert(unit.end(), rest.begin(), rest.end());
    others.push_back(unit);
    units = others;
  }

  bool FitsWithout(const World& before, TaskIndex task, NodeIndex node, const Units& units) {
    for (TaskIndex victim : AllOf(units)) Evict(cycle_.world, victim);
    const bool fits = MayRun(cycle_, task, node);
    cycle_.world = before;
    return fits;
  }

  bool MayGo(TaskIndex task, TaskIndex victim) const {
    const TaskStatus status = cycle_.world.status[victim];
    if (status != TaskStatus::kRunning && status != TaskStatus::kBound) return false;
    const JobIndex job = tasks().job[task], other = tasks().job[victim];
    if (!cycle_.world.preemptable(victim) || other == kNone || other == job) return false;
    const int64_t started = tasks().started[victim];
    if (started != kAbsent && min_runtime_ > 0 && cycle_.now < started + min_runtime_) return false;
    const QueueIndex queue = cycle_.world.queue_of(task), giver = cycle_.world.queue_of(victim);
    if (taking_ == Taking::kFromOtherQueues) {
      return giver != queue && cycle_.tables().queues.spec[giver].reclaimable;
    }
    return giver == queue && job_of(victim).priority < job_of(task).priority;
  }

  // Policies to which all tasks of one queue and class are alike.
  bool RefusedAlike(TaskIndex task, TaskIndex victim) const {
    if (taking_ != Taking::kFromOtherQueues) return false;
    for (const ReferencePolicy* policy : PoliciesAt(cycle_, "reclaimable")) {
      if (policy->name != "fairshare" && policy->name != "borrowing") continue;
      const Tasks one = {victim};
      if (TwinOf(cycle_, *policy).reclaimable(cycle_, *policy, task, one).empty()) return true;
    }
    return false;
  }

  Tasks Unprotected(TaskIndex task, const Tasks& victims) const {
    return taking_ == Taking::kFromOtherQueues ? Reclaimable(cycle_, task, victims)
                                               : Preemptable(cycle_, task, victims);
  }

  // False: no task has to go, so there is nothing to decide.
  bool Keep(const World& before, std::vector<Step> steps) {
    for (size_t s = steps.size(); s-- > 0;) {
      for (size_t u = steps[s].victims.size(); u-- > 0;) {
        std::vector<Step> fewer = steps;
        fewer[s].victims.erase(fewer[s].victims.begin() + u);
        if (Holds(before, fewer)) steps = fewer;
      }
    }
    cycle_.world = before;
    if (!Pays(steps)) return false;
    Statement statement;
    bool any = false;
    for (const Step& step : steps) {
      for (TaskIndex victim : AllOf(step.victims)) {
        DoEvict(cycle_, statement, victim, step.task);
        any = true;
      }
      DoPipeline(cycle_, statement, step.task, step.node, !step.victims.empty());
    }
    if (any) Commit(cycle_, statement);
    return any;
  }

  // Whether every task has a place once all victims are gone, and no gang is cut.
  bool Holds(const World& before, const std::vector<Step>& steps) {
    cycle_.world = before;
    Tasks victims;
    for (const Step& step : steps) {
      for (TaskIndex victim : AllOf(step.victims)) victims.push_back(victim);
    }
    for (TaskIndex victim : victims) {
      const JobIndex gang = tasks().job[victim];
      const bool all_go = std::all_of(
          before.tasks_of(gang).begin(), before.tasks_of(gang).end(),
          [&](TaskIndex t) { return !IsAllocated(before.status[t]) || Has(victims, t); });
      if (!all_go && !GangCanSpare(cycle_, gang, victims)) return false;
    }
    for (TaskIndex victim : victims) Evict(cycle_.world, victim);
    for (const Step& step : steps) {
      if (!MayRun(cycle_, step.task, step.node)) return false;
      Place(cycle_.world, step.task, step.node, TaskStatus::kNominated);
    }
    return true;
  }

  // What is lost of the cluster's work, against what was waited for.
  bool Pays(const std::vector<Step>& steps) const {
    if (exchange_ == 0) return true;
    double lost = 0, waited = 0, requested = 0;
    for (size_t d = 0; d < cycle_.world.dimensions(); ++d) {
      absl::int128 total = 0, lost_here = 0, waited_here = 0, requested_here = 0;
      for (NodeIndex n : cycle_.world.session_nodes()) total += cycle_.world.capacity[n][d];
      for (const Step& step : steps) {
        const int64_t wait = std::max<int64_t>(cycle_.now - job_of(step.task).created, 0);
        waited_here += absl::int128(wait) * OrZero(cycle_.world.request(step.task)[d]);
        requested_here += OrZero(cycle_.world.request(step.task)[d]);
        for (TaskIndex v : AllOf(step.victims)) {
          lost_here += absl::int128(SecondsLost(v)) * OrZero(cycle_.world.request(v)[d]);
        }
      }
      if (d == kPods || total == 0) continue;
      lost = std::max(lost, static_cast<double>(lost_here) / static_cast<double>(total));
      waited = std::max(waited, static_cast<double>(waited_here) / static_cast<double>(total));
      requested =
          std::max(requested, static_cast<double>(requested_here) / static_cast<double>(total));
    }
    return lost <= exchange_ * waited + slack_ * requested;
  }
  // The work that the victim loses, in billionths of the cluster and seconds; 0 where it does not
  // count.
  int64_t WorkLost(TaskIndex victim) const {
    absl::int128 part = 0;
    for (size_t d = 0; d < cycle_.world.dimensions() && by_loss_; ++d) {
      absl::int128 total = 0;
      for (NodeIndex n : cycle_.world.session_nodes()) total += cycle_.world.capacity[n][d];
      if (d == kPods || total == 0) continue;
      const absl::int128 request = OrZero(cycle_.world.request(victim)[d]);
      part = std::max(part, request * 1'000'000'000 / total);
    }
    return static_cast<int64_t>(part * SecondsLost(victim));
  }
  int64_t SecondsLost(TaskIndex victim) const {
    const std::optional<Lifetime> lifetime = KnownLifetime(cycle_, victim);
    int64_t since = tasks().started[victim] == kAbsent ? cycle_.now : tasks().started[victim];
    if (lifetime && lifetime->checkpointed) since = std::max(since, *lifetime->checkpointed);
    const int64_t restart = lifetime ? lifetime->restart_cost.value_or(0) : 0;
    return std::max<int64_t>(cycle_.now - since, 0) + restart;
  }

  Cycle& cycle_;
  const Taking taking_;
  const double min_runtime_, exchange_, slack_;
  const bool by_loss_;
  Ranking ranking_;
  bool took_old_ = false;              // an offer of a ranking from before this turn
  std::map<JobIndex, Tasks> wanting_;  // in task order as the round began
  std::vector<TaskStatus> opening_;
};

void TakeUntilSettled(Cycle& cycle, const std::string& action, const std::vector<Taking>& ways) {
  for (;;) {
    bool evicted = false;
    for (Taking way : ways) evicted = Taker(cycle, action, way).Round() || evicted;
    if (!evicted) return;
    if (FindPolicy(cycle, "fairshare") != nullptr) CountDeserved(cycle);
    FillFree(cycle, action);
  }
}

void RunFairReclaim(Cycle& cycle) {
  Fair(cycle).reclaims = true;
  TakeUntilSettled(cycle, "reclaim", {Taking::kFromOtherQueues});
}

// Both repeat: room that is freed within a queue may let other queues reclaim.
void RunFairPreempt(Cycle& cycle) {
  if (Fair(cycle).reclaims) {
    TakeUntilSettled(cycle, "preempt", {Taking::kFromLesserJobs, Taking::kFromOtherQueues});
  } else {
    TakeUntilSettled(cycle, "preempt", {Taking::kFromLesserJobs});
  }
}

void RunFairAllocate(Cycle& cycle) {
  Fair(cycle).promises_on = true;
  FillFree(cycle, "allocate");
}

}  // namespace

ActionTwins FairActions() {
  return {{"allocate", RunFairAllocate},
          {"preempt", RunFairPreempt},
          {"reclaim", RunFairReclaim},
          {"shrink", RunFairShrink},
          {"grow", RunFairGrow}};
}

}  // namespace muster::reference
