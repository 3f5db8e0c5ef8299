// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/muster/victim_choices.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "lib/base/math.h"
#include "lib/part/victims.h"
#include "lib/peer/muster/fair_gang.h"

namespace muster {

// Adds units until the task fits, and gives back those that were not needed. Where limits and fits
// hold before any victim left, and the task requests no devices, only the sums on the node matter
// and are counted here. Otherwise the books are really changed, and rolled back.
class VictimChoices::Draft {
 public:
  Draft(VictimChoices& choices, TaskIndex task, NodeIndex node)
      : choices_(choices),
        ledger_(choices.context_.ledger),
        task_(task),
        node_(node),
        trial_(choices.context_),
        units_(choices.made_.units) {
    choices.made_.node = node;
    units_.clear();
    ActionContext& context = choices.context_;
    const ClassIndex c = context.ClassOf(task);
    counts_ = choices.SumsDecide(task) && context.search.FitsNode(c, node);
    if (!counts_) return;
    const auto request = context.tables.classes.initial_request.row(c);
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      if (d <= kPods || request[d] > 0) {
        short_.emplace_back(d, request[d] - ledger_.future_idle(node, d));
      }
    }
  }

  bool Fits() {
    if (!counts_) return choices_.Fits(task_, node_);
    return std::all_of(short_.begin(), short_.end(), [](const auto& s) { return s.second <= 0; });
  }
  void Add(Unit unit) {
    Leave(unit);
    units_.push_back(std::move(unit));
  }
  // Returns whether nothing but the victim's room is lacking; the victim is then the only unit.
  bool AddIfAlone(TaskIndex victim) {
    Add({victim});
    if (Fits()) return true;
    const Unit unit = std::move(units_.back());
    units_.pop_back();
    Stay(unit);
    return false;
  }
  // Returns false if, without a look at anything else, the victim's room is not enough.
  bool CouldDoAlone(TaskIndex victim) const {
    const auto request = ledger_.request(victim);
    return !counts_ || std::all_of(short_.begin(), short_.end(),
                                   [&](const auto& s) { return s.second <= request[s.first]; });
  }
  // Where sums decide: how much more is needed of each dimension.
  using Missing = absl::InlinedVector<std::pair<DimensionIndex, int64_t>, 6>;
  bool counts() const { return counts_; }
  const Missing& missing() const { return short_; }
  // Returns whether `more` may go as well, on the books as they were before any victim left.
  bool MayGo(std::span<const TaskIndex> more) {
    Tasks all;
    for (const Unit& unit : units_) all.insert(all.end(), unit.begin(), unit.end());
    all.insert(all.end(), more.begin(), more.end());
    if (!counts_) trial_.Clear();
    const bool may = choices_.Unprotected(task_, all).size() == all.size();
    if (!counts_) LeaveAll();
    return may;
  }
  // Makes units of one task of `job` part of the gang that goes as a whole.
  void AddGang(JobIndex job, const Tasks& members) {
    Unit all;
    std::erase_if(units_, [&](const Unit& unit) {
      if (unit.size() != 1 || choices_.context_.tables.tasks.job[unit[0]] != job) return false;
      all.push_back(unit[0]);
      return true;
    });
    Leave(members);
    all.insert(all.end(), members.begin(), members.end());
    units_.push_back(std::move(all));
  }
  void GiveBack() {
    for (size_t i = units_.size(); i-- > 0;) {
      // A unit that the sums forbid need not be tried.
      if (counts_ && !SumsFitWith(units_[i])) continue;
      Unit unit = std::move(units_[i]);
      units_.erase(units_.begin() + i);
      Stay(unit);
      if (Fits()) continue;
      Leave(unit);
      units_.insert(units_.begin() + i, std::move(unit));
    }
  }
  bool Has(TaskIndex victim) const {
    for (const Unit& unit : units_) {
      if (std::find(unit.begin(), unit.end(), victim) != unit.end()) return true;
    }
    return false;
  }

 private:
  void Leave(std::span<const TaskIndex> unit) {
    if (counts_) {
      Count(unit, -1);
      return;
    }
    trial_.Evict(unit);
  }
  void Stay(const Unit& unit) {
    if (counts_) {
      Count(unit, 1);
      return;
    }
    trial_.Clear();
    LeaveAll();
  }
  void LeaveAll() {
    for (const Unit& unit : units_) Leave(unit);
  }
  void Count(std::span<const TaskIndex> unit, int sign) {
    for (TaskIndex victim : unit) {
      if (ledger_.node_of(victim) != node_) continue;
      const auto request = ledger_.request(victim);
      for (auto& [d, amount] : short_) amount += sign * request[d];
    }
  }
  bool SumsFitWith(const Unit& unit) const {
    return std::all_of(short_.begin(), short_.end(), [&](const auto& s) {
      int64_t amount = s.second;
      for (TaskIndex victim : unit) {
        if (ledger_.node_of(victim) == node_) amount += ledger_.request(victim)[s.first];
      }
      return amount <= 0;
    });
  }

  VictimChoices& choices_;
  Ledger& ledger_;
  const TaskIndex task_;
  const NodeIndex node_;
  TrialEvictions trial_;
  bool counts_ = false;
  Missing short_;
  std::vector<Unit>& units_;
};

VictimChoices::VictimChoices(ActionContext& context, Taking taking, int64_t min_runtime,
                             bool by_loss)
    : context_(context),
      taking_(taking),
      min_runtime_(min_runtime),
      by_loss_(by_loss),
      promises_(context.memory<FairPromises>()),
      point_(taking == Taking::kFromOtherQueues ? Point::kReclaimable : Point::kPreemptable),
      in_order_(context.dispatcher.JudgesInOrder(point_)) {}

bool VictimChoices::Take(TaskIndex task, Choice* choice) {
  if (asker_ != AskerOf(task)) Rank(task);
  if (TakeRanked(task, choice)) return true;
  if (context_.ledger.SameAs(ranked_)) return false;
  Rank(task);
  return TakeRanked(task, choice);
}

bool VictimChoices::TakeRanked(TaskIndex task, Choice* choice) {
  while (!ranking_.empty()) {
    const Price price = Pop();
    if (!Make(task, price.node)) continue;
    const Price now = PriceOf(made_);
    if (now == price) {
      took_old_ |= old_;
      *choice = made_;
      return true;
    }
    Push(now);
  }
  return false;
}

void VictimChoices::Renew(TaskIndex task, NodeIndex node) {
  if (asker_ == AskerOf(task) && Make(task, node)) Push(PriceOf(made_));
}

VictimChoices::Asker VictimChoices::AskerOf(TaskIndex task) const {
  const Tables& tables = context_.tables;
  const JobIndex job = tables.tasks.job[task];
  const bool holds = context_.ledger.job(job)[TaskStatus::kRunning] > 0 ||
                     context_.ledger.job(job)[TaskStatus::kBound] > 0;
  const bool bound = promises_.Bind(job);
  return {context_.ClassOf(task), tables.jobs.queue[job], tables.jobs.spec[job].priority,
          holds || bound ? job : kNone, bound};
}

void VictimChoices::Rank(TaskIndex task) {
  asker_ = AskerOf(task);
  ranked_ = context_.ledger.moment();
  old_ = false;
  looked_at_ = 0;
  ranking_.clear();
  if (!AnyTaskMayGo(task)) return;
  const JobIndex job = context_.tables.tasks.job[task];
  for (NodeIndex node : context_.search.ListForEviction(context_.ClassOf(task), Want::kEvicting)) {
    if (asker_.bound && promises_.Names(job, node)) continue;
    if (Make(task, node)) ranking_.push_back(PriceOf(made_));
  }
  std::make_heap(ranking_.begin(), ranking_.end(), std::greater<>());
}

// A look at the queues, which may save a look at all tasks of all nodes.
bool VictimChoices::AnyTaskMayGo(TaskIndex task) {
  if (taking_ == Taking::kFromOtherQueues) return AnyKindMayGo(task);
  const Tables& tables = context_.tables;
  const auto allocated = context_.ledger.queue_allocated(tables.jobs.queue[tables.tasks.job[task]]);
  return std::ranges::any_of(allocated, [](int64_t amount) { return amount > 0; });
}

bool VictimChoices::AnyKindMayGo(TaskIndex task) {
  if (!kinds_) ListKinds();
  FollowBooks(task);
  const Tables& tables = context_.tables;
  const QueueIndex queue = tables.jobs.queue[tables.tasks.job[task]];
  return std::ranges::any_of(*kinds_, [&](TaskIndex kind) {
    const QueueIndex giver = tables.jobs.queue[tables.tasks.job[kind]];
    return giver != queue && tables.queues.spec[giver].reclaimable && !IsRefusedAlike(task, kind);
  });
}

void VictimChoices::ListKinds() {
  const TaskTable& tasks = context_.tables.tasks;
  kinds_.emplace();
  kind_of_.assign(tasks.alive.size(), kNone);
  HashMap<uint64_t, uint32_t> numbers;
  std::pair<uint64_t, uint32_t> last = {~uint64_t{0}, kNone};  // tasks of a job follow each other
  for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
    if (!tasks.alive[t] || tasks.job[t] == kNone || !(tasks.flags[t] & kTaskPreemptable)) continue;
    const TaskStatus status = context_.ledger.status(t);
    if (status != TaskStatus::kRunning && status != TaskStatus::kBound) continue;
    const QueueIndex giver = context_.tables.jobs.queue[tasks.job[t]];
    const uint64_t kind = uint64_t{giver} << 32 | context_.ClassOf(t);
    if (kind != last.first) {
      const auto number = static_cast<uint32_t>(kinds_->size());
      const auto [row, added] = numbers.try_emplace(kind, number);
      if (added) kinds_->push_back(t);
      last = {kind, row->second};
    }
    kind_of_[t] = last.second;
  }
  refused_alike_.assign(kinds_->size(), Refused::kUnasked);
}

// Returns whether limits hold for the task as the books are, and fits depend on the node alone.
bool VictimChoices::SumsDecide(TaskIndex task) {
  if (task == summed_task_ && context_.ledger.SameAs(summed_)) return sums_decide_;
  summed_task_ = task;
  summed_ = context_.ledger.moment();
  const ClassIndex c = context_.ClassOf(task);
  const QueueIndex queue = context_.tables.jobs.queue[context_.tables.tasks.job[task]];
  sums_decide_ = !context_.search.FitDependsOnOthers(c) && !context_.search.Picks(c) &&
                 context_.dispatcher.Allocatable(queue, task).ok();
  return sums_decide_;
}

// Returns the first of the candidates that ListCandidates would list; kNone: there is none. Most
// tasks are passed over by their place in the order, without a question whether they may go.
TaskIndex VictimChoices::FirstCandidate(TaskIndex task, NodeIndex node) {
  const TaskTable& tasks = context_.tables.tasks;
  const auto& jobs = context_.tables.jobs.spec;
  FollowBooks(task);
  TaskIndex first = kNone;
  int64_t priority = 0, loss = 0, created = 0;  // of the first
  const std::span<const TaskIndex> there = context_.ledger.tasks_on(node);
  for (size_t i = there.size(); i-- > 0;) {
    const TaskIndex t = there[i];
    if (tasks.job[t] == kNone) continue;
    const int64_t own = jobs[tasks.job[t]].priority, lost = LossOf(t);
    const bool earlier =
        first == kNone || own < priority ||
        (own == priority && (lost < loss || (lost == loss && tasks.created[t] > created)));
    if (!earlier || !MayGo(task, t) || IsRefusedAlike(task, t)) continue;
    first = t;
    priority = own;
    loss = lost;
    created = tasks.created[t];
  }
  return first;
}

// Lists the tasks that may be evicted for the task, in the order in which they go.
void VictimChoices::ListCandidates(TaskIndex task, NodeIndex node) {
  const TaskTable& tasks = context_.tables.tasks;
  const auto& jobs = context_.tables.jobs.spec;
  candidates_.clear();
  FollowBooks(task);
  const std::span<const TaskIndex> there = context_.ledger.tasks_on(node);
  // Candidates that differ only by index are in order from the last one on.
  for (size_t i = there.size(); i-- > 0;) {
    const TaskIndex t = there[i];
    if (!MayGo(task, t) || IsRefusedAlike(task, t)) continue;
    candidates_.push_back({jobs[tasks.job[t]].priority, LossOf(t), tasks.created[t], t});
  }
  const auto before = [](const Candidate& a, const Candidate& b) {
    if (a.priority != b.priority) return a.priority < b.priority;
    if (a.loss != b.loss) return a.loss < b.loss;
    if (a.created != b.created) return a.created > b.created;
    return a.task > b.task;
  };
  if (!std::is_sorted(candidates_.begin(), candidates_.end(), before)) {
    std::sort(candidates_.begin(), candidates_.end(), before);
  }
}

// Forgets refusals of other books and other kinds of evictors.
void VictimChoices::FollowBooks(TaskIndex task) {
  if (context_.ledger.SameAs(refused_at_) && AsksAlike(refused_for_, task)) return;
  std::ranges::fill(refused_alike_, Refused::kUnasked);
  refused_at_ = context_.ledger.moment();
  refused_for_ = task;
}

// REQUIRES: FollowBooks(task), and books as they were then.
bool VictimChoices::IsRefusedAlike(TaskIndex task, TaskIndex victim) {
  if (!kinds_) ListKinds();
  const auto ask = [&] {
    return context_.dispatcher.RefusesAlike(point_, task, victim, &scratch_) ? Refused::kYes
                                                                             : Refused::kNo;
  };
  const uint32_t kind = kind_of_[victim];
  if (kind == kNone) return ask() == Refused::kYes;
  Refused& known = refused_alike_[kind];
  if (known == Refused::kUnasked) known = ask();
  return known == Refused::kYes;
}

// Returns whether tasks of one queue and class are the evictors.
bool VictimChoices::AsksAlike(TaskIndex a, TaskIndex b) const {
  if (a == kNone || context_.ClassOf(a) != context_.ClassOf(b)) return false;
  const Tables& tables = context_.tables;
  return tables.jobs.queue[tables.tasks.job[a]] == tables.jobs.queue[tables.tasks.job[b]];
}

bool VictimChoices::Make(TaskIndex task, NodeIndex node) {
  const TaskTable& tasks = context_.tables.tasks;
  // Tasks of one class and job are equal to all rules, and often come right after each other.
  if (made_for_ != kNone && made_.node == node && context_.ledger.SameAs(made_at_) &&
      tasks.job[made_for_] == tasks.job[task] &&
      context_.ClassOf(made_for_) == context_.ClassOf(task)) {
    return true;
  }
  made_for_ = kNone;
  if (!CouldMakeRoom(context_, task, node)) return false;
  if (MakeInOrder(task, node)) {
    Cheapen(task);
  } else if (!MakeOutOfOrder(task)) {
    return false;
  }
  made_for_ = task;
  made_at_ = context_.ledger.moment();
  return true;
}

// Takes candidates in their order until the task fits, and gives back those that it does not need.
// Often the first one suffices alone: all are listed only if it does not.
bool VictimChoices::MakeInOrder(TaskIndex task, NodeIndex node) {
  const TaskTable& tasks = context_.tables.tasks;
  Draft draft(*this, task, node);
  const auto suffices_alone = [&](TaskIndex t) {
    return FairGang(context_, tasks.job[t]).CanSpare(tasks.group[t], 1, 1) &&
           draft.MayGo({&t, 1}) && draft.AddIfAlone(t);
  };
  bool fits = draft.Fits();
  if (!fits) {
    const TaskIndex first = FirstCandidate(task, node);
    fits = first != kNone && draft.CouldDoAlone(first) && suffices_alone(first);
  }
  if (!fits) ListCandidates(task, node);
  ClassIndex too_small = kNone;
  for (size_t i = 0; i < candidates_.size() && !fits; ++i) {
    const TaskIndex t = candidates_[i].task;
    if (context_.ClassOf(t) == too_small) continue;
    if (!draft.CouldDoAlone(t)) {
      too_small = context_.ClassOf(t);
      continue;
    }
    fits = suffices_alone(t);
  }
  if (!fits && FirstSuffice(task, draft)) {
    for (TaskIndex t : first_) draft.Add({t});
    fits = true;
  }
  for (TaskIndex t : fits ? Tasks() : Spare(task)) {
    if (fits) break;
    draft.Add({t});
    fits = draft.Fits();
  }
  for (size_t i = 0; i < candidates_.size() && !fits; ++i) {
    if (draft.Has(candidates_[i].task)) continue;
    const JobIndex gang = tasks.job[candidates_[i].task];
    Tasks members;
    if (!GangMayGo(task, gang, &members)) continue;
    std::erase_if(members, [&](TaskIndex t) { return draft.Has(t); });
    if (!draft.MayGo(members)) continue;
    draft.AddGang(gang, members);
    fits = draft.Fits();
  }
  if (fits) draft.GiveBack();
  return fits;
}

// Returns whether the victim's gang can spare it, too. Candidates of one node are few: counting
// among them beats a map.
bool VictimChoices::GangSpares(TaskIndex victim, const Tasks& spared) const {
  const TaskTable& tasks = context_.tables.tasks;
  const JobIndex job = tasks.job[victim];
  int64_t of_job = 1, of_group = 1;
  for (TaskIndex s : spared) {
    if (tasks.job[s] != job) continue;
    ++of_job;
    of_group += tasks.group[s] == tasks.group[victim];
  }
  return FairGang(context_, job).CanSpare(tasks.group[victim], of_job, of_group);
}

// Returns whether Spare begins with first_, after which the task fits. Sums and the policies' order
// decide that without a look at more candidates.
bool VictimChoices::FirstSuffice(TaskIndex task, const Draft& draft) {
  if (!in_order_ || !draft.counts()) return false;
  first_.clear();
  Draft::Missing missing = draft.missing();
  for (const Candidate& candidate : candidates_) {
    if (!GangSpares(candidate.task, first_)) continue;
    first_.push_back(candidate.task);
    const auto request = context_.ledger.request(candidate.task);
    bool enough = true;
    for (auto& [d, amount] : missing) {
      amount -= request[d];
      enough &= amount <= 0;
    }
    if (enough) return Unprotected(task, first_).size() == first_.size();
  }
  return false;
}

// Returns the candidates that their gangs can spare and that no policy protects. A protected
// candidate does not count against its gang: the candidates that its gang can spare are then looked
// at once more.
VictimChoices::Tasks VictimChoices::Spare(TaskIndex task) const {
  const TaskTable& tasks = context_.tables.tasks;
  Tasks candidates, spare, kept;
  for (const Candidate& candidate : candidates_) candidates.push_back(candidate.task);
  for (;;) {
    spare.clear();
    kept.clear();
    for (TaskIndex t : candidates) (GangSpares(t, spare) ? spare : kept).push_back(t);
    Tasks free_to_go = Unprotected(task, spare);
    if (kept.empty() || free_to_go.size() == spare.size()) return free_to_go;
    std::erase_if(spare, [&](TaskIndex t) {
      return std::find(free_to_go.begin(), free_to_go.end(), t) != free_to_go.end();
    });
    const bool again = std::any_of(kept.begin(), kept.end(), [&](TaskIndex k) {
      return std::any_of(spare.begin(), spare.end(),
                         [&](TaskIndex s) { return tasks.job[s] == tasks.job[k]; });
    });
    if (!again) return free_to_go;
    std::erase_if(candidates, [&](TaskIndex t) {
      return std::find(spare.begin(), spare.end(), t) != spare.end();
    });
  }
}

VictimChoices::Price VictimChoices::PriceOf(const Choice& choice) const {
  const TaskTable& tasks = context_.tables.tasks;
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  Price price{.priority = kLeast, .age = kLeast, .node = choice.node};
  for (const Unit& unit : choice.units) {
    for (TaskIndex t : unit) {
      ++price.victims;
      price.priority =
          std::max<int64_t>(price.priority, context_.tables.jobs.spec[tasks.job[t]].priority);
      price.loss = SatAdd(price.loss, LossOf(t));
      price.age = std::max(price.age, -tasks.created[t]);
    }
  }
  return price;
}

bool VictimChoices::MayGo(TaskIndex task, TaskIndex victim) const {
  const Tables& tables = context_.tables;
  const TaskStatus status = context_.ledger.status(victim);
  if (status != TaskStatus::kRunning && status != TaskStatus::kBound) return false;
  const JobIndex job = tables.tasks.job[task], other = tables.tasks.job[victim];
  if (!(tables.tasks.flags[victim] & kTaskPreemptable) || other == kNone || other == job) {
    return false;
  }
  const int64_t started = tables.tasks.started[victim];
  if (min_runtime_ > 0 && started != kAbsent &&
      absl::int128(context_.facts.now) - started < min_runtime_) {
    return false;
  }
  const QueueIndex queue = tables.jobs.queue[job], giver = tables.jobs.queue[other];
  if (taking_ == Taking::kFromOtherQueues) {
    return giver != queue && tables.queues.spec[giver].reclaimable;
  }
  return giver == queue && tables.jobs.spec[other].priority < tables.jobs.spec[job].priority;
}

// A gang goes as a whole: no task of it may be on its way in, and all of them must be free to go.
bool VictimChoices::GangMayGo(TaskIndex task, JobIndex gang, Tasks* members) const {
  const JobCounts& counts = context_.ledger.job(gang);
  if (counts[TaskStatus::kPlaced] + counts[TaskStatus::kBinding] + counts.nominated() > 0) {
    return false;
  }
  for (TaskIndex t : context_.tables.jobs.tasks[gang]) {
    if (!IsAllocated(context_.ledger.status(t))) continue;
    if (!MayGo(task, t)) return false;
    members->push_back(t);
  }
  return true;
}

VictimChoices::Tasks VictimChoices::Unprotected(TaskIndex task,
                                                std::span<const TaskIndex> victims) const {
  return taking_ == Taking::kFromOtherQueues ? context_.dispatcher.Reclaimable(task, victims)
                                             : context_.dispatcher.Preemptable(task, victims);
}

bool VictimChoices::Fits(TaskIndex task, NodeIndex node) {
  const ClassIndex c = context_.ClassOf(task);
  const QueueIndex queue = context_.tables.jobs.queue[context_.tables.tasks.job[task]];
  return context_.search.FitsFutureIdle(c, node) &&
         context_.dispatcher.Allocatable(queue, task).ok() && context_.search.FitsNode(c, node);
}

void VictimChoices::Push(const Price& price) {
  ranking_.push_back(price);
  std::push_heap(ranking_.begin(), ranking_.end(), std::greater<>());
}

VictimChoices::Price VictimChoices::Pop() {
  std::pop_heap(ranking_.begin(), ranking_.end(), std::greater<>());
  const Price price = ranking_.back();
  ranking_.pop_back();
  return price;
}

}  // namespace muster
