// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// rounds: each job gets the part of its time on each type of GPU that is its due, round by round.
//
// Rules.
// 1. A job takes part that waits or runs, requests GPUs, and has no task on a node that must not be
//    preempted. One that only waits takes no part if a task of it never preempts. A type has as
//    many GPUs as are free there, as leave, and as jobs hold that take part.
// 2. In the first cycle of a round the dues are computed: the parts x of its time that a job spends
//    on each type (gpu_types.h has the rules, lib/share/rate_filling.h the guarantee).
// 3. Pairs of a job and a type go by priority: x over the part of the time on the type, of all that
//    jobs had there, that the job had. Half a round is added to the time of each. Of equal ones the
//    job that is owed more goes first, then the larger x, then job order, the higher speed, and the
//    order of types. Pairs without due have priority 0.
// 4. In this order a job gets the type for the round if it has no other and enough GPUs are left. A
//    job keeps its nodes if it runs on its type. All others that run are stopped. Jobs that wait
//    start on nodes of their types, those with the most GPUs first, or have places kept that leave.
// 5. A job that would not find nodes of the type once all those have left does not get it, and rule
//    4 begins anew without that pair. A job that changes its type is taken to fit.
// 6. Other cycles of the round stop nothing. Jobs that got a type and have left another start
//    first. What is left of a type goes to others, in the order of pairs.
// 7. Jobs that take no part come behind them, and take what is free. A job that was stopped places
//    nothing in the same cycle. A gang starts if its minimum finds nodes; a job without a minimum
//    is a gang of one.
// 8. Tasks beyond gangs come last. They start where their job runs, and only if no gang that has a
//    due waits: a job counts with all that it holds, and one that has grown is stopped as a whole.
//    A gang that waits counts with the least that its minimum can be.
//
// Time had is forgotten when dues have changed, `reset` seconds after the last time at the
// earliest. What a job is owed is never forgotten: with many jobs of equal dues it alone decides.
//
// Guarantee. Gangs are whole: of no job a part is stopped. A job runs on to the end of the round at
// least. Memory: round_rows.h.
//
// Ties. Rule 3; nodes: as the search has them. Cost. In the first cycle of a round ShareTypes,
// O(pairs log pairs), and a search a task that starts, twice; in others a search a task for each
// type on which enough GPUs are left.
#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "lib/base/go_sort.h"
#include "lib/base/hash_map.h"
#include "lib/base/math.h"
#include "lib/part/victims.h"
#include "lib/peer/training/gpu_types.h"
#include "lib/peer/training/round_rows.h"
#include "lib/peer/training/training.h"
#include "lib/share/rate_filling.h"

namespace muster {
namespace {

constexpr int64_t kMostHad = int64_t{1} << 41, kMostTogether = int64_t{1} << 55;
constexpr OptionDecl kRoundsOptions[] = {
    {"round", OptionKind::kWhole, "360", 1, 1e9, "seconds of a round"},
    {"reset", OptionKind::kWhole, "1920", 0, 1e9,
     "seconds after which the time that jobs had is forgotten, where dues have changed"},
    {"resource", OptionKind::kText, "nvidia.com/gpu", 0, 0, "what GPUs are counted in"},
    {"label", OptionKind::kText, "gpu-model", 0, 0, "of nodes: the type of their GPUs"},
};

// A job that takes part.
struct Player {
  JobIndex job = kNone;
  int64_t amount = 0;          // of the resource: what it holds, and what its gang lacks
  std::vector<int64_t> speed;  // by type
  RoundJob row;
  size_t holds = kNone;  // the type on which it runs; kNone: it does not, or on several
  bool runs = false;
};

struct TypePair {
  size_t player, type;
  int64_t due, owed;
  int64_t had, together;  // in half seconds: of the job, and of all on the type
  bool banned = false;
};

class Rounds {
 public:
  Rounds(ActionContext& context, const Options& options)
      : context_(context),
        tables_(context.tables),
        ledger_(context.ledger),
        types_(context.tables, options.text("resource"), options.text("label")),
        rows_(*context.facts.cycle, types_),
        round_(static_cast<int64_t>(options.number("round"))),
        reset_(static_cast<int64_t>(options.number("reset"))),
        is_stopped_(context.tables.jobs.alive.size(), 0),
        is_kept_(is_stopped_) {}

  void Run() {
    const bool begins = rows_.Begins(round_);
    ListJobs(begins);
    SetCapacity();
    if (begins) ShareTime();
    ListPairs();
    if (begins) {
      do {
        GiveTypes();
      } while (BanPairsWithoutRoom());
      StopOthers();
    }
    PlaceThoseWithTypes();
    PlaceOthers();
    PlaceBeyondGangs();
    ExplainAll();
    for (const Player& player : players_) rows_.Write(player.job, player.row);
  }

 private:
  bool Holds(TaskIndex task) const { return IsAllocated(ledger_.status(task)); }
  bool Waits(JobIndex job) const {
    return ledger_.job(job).pending() > 0 && is_stopped_[job] == 0 &&
           context_.dispatcher.Valid(job);
  }
  // Returns how many tasks the gang has at least.
  int64_t Need(JobIndex job) const {
    return std::max<int64_t>(tables_.jobs.spec[job].min_available, 1);
  }
  // Returns how many tasks must start for the job to run.
  int64_t Lacks(JobIndex job) const {
    const JobCounts& account = ledger_.job(job);
    return std::max<int64_t>(Need(job) - static_cast<int64_t>(account.ready()),
                             account.allocated() > 0 ? 0 : 1);
  }

  // Lists the jobs that take part, and those that wait and do not, in job order. Within a round,
  // jobs that leave may come back, and keep what they got.
  void ListJobs(bool begins) {
    for (const JobIndex job : context_.waiting) {
      if (context_.IsPending(job)) context_.phases[job] = JobPhase::kAdmitted;
    }
    std::vector<JobIndex> jobs;
    for (JobIndex job = 0; job < tables_.jobs.alive.size(); ++job) {
      if (!tables_.jobs.alive[job]) continue;
      const bool runs = ledger_.job(job).allocated() > 0;
      if (runs || Waits(job) || (!begins && Leaves(job))) jobs.push_back(job);
    }
    GoSort(jobs, [&](JobIndex a, JobIndex b) { return context_.dispatcher.JobBefore(a, b); });
    for (const JobIndex job : jobs) {
      if (TakesPart(job)) {
        players_.push_back(MakePlayer(job));
      } else if (Waits(job)) {
        others_.push_back(job);
      }
    }
  }
  bool Leaves(JobIndex job) const {
    const std::vector<TaskIndex>& tasks = tables_.jobs.tasks[job];
    return std::any_of(tasks.begin(), tasks.end(), [this](TaskIndex task) {
      return ledger_.status(task) == TaskStatus::kReleasing;
    });
  }

  Player MakePlayer(JobIndex job) const {
    Player player{.job = job, .speed = types_.SpeedsOf(job), .row = rows_.Read(job)};
    player.runs = ledger_.job(job).allocated() > 0;
    bool is_one = true;
    for (const TaskIndex task : tables_.jobs.tasks[job]) {
      if (!Holds(task)) continue;
      const size_t type = types_.of_node(ledger_.node_of(task));
      is_one = is_one && (player.holds == kNone || player.holds == type);
      player.holds = type;
    }
    if (!is_one || player.holds == types_.size()) player.holds = kNone;
    player.amount = SatAdd(HeldBy(job), LackingOf(job));
    return player;
  }
  int64_t HeldBy(JobIndex job) const {
    int64_t held = 0;
    for (const TaskIndex task : tables_.jobs.tasks[job]) {
      if (Holds(task)) held = SatAdd(held, AmountOf(task));
    }
    return held;
  }
  // Returns the least that the tasks request with which the gang would be whole.
  int64_t LackingOf(JobIndex job) const {
    std::vector<int64_t> amounts;
    for (const TaskIndex task : tables_.jobs.tasks[job]) {
      if (MayStart(task)) amounts.push_back(AmountOf(task));
    }
    std::sort(amounts.begin(), amounts.end());
    amounts.resize(std::min(amounts.size(), static_cast<size_t>(Lacks(job))));
    int64_t sum = 0;
    for (const int64_t amount : amounts) sum = SatAdd(sum, amount);
    return sum;
  }

  // Whether the task waits, or leaves and may come back.
  bool MayStart(TaskIndex task) const {
    const TaskStatus status = ledger_.status(task);
    return status == TaskStatus::kReleasing ||
           (status == TaskStatus::kPending && !context_.IsGated(task));
  }
  int64_t AmountOf(TaskIndex task) const {
    if (types_.dimension() == kNone || !(Holds(task) || MayStart(task))) return 0;
    return std::max<int64_t>(ledger_.request(task)[types_.dimension()], 0);
  }

  bool TakesPart(JobIndex job) const {
    bool has_gpus = false, holds = false, never = false;
    for (const TaskIndex task : tables_.jobs.tasks[job]) {
      has_gpus = has_gpus || AmountOf(task) > 0;
      if (Holds(task) && !context_.facts.cycle->preemptable(task)) return false;
      holds = holds || Holds(task);
      never = never || (ledger_.status(task) == TaskStatus::kPending &&
                        (tables_.tasks.flags[task] & kTaskNeverPreempts) != 0);
    }
    return has_gpus && (holds || !never);
  }

  // Sets the amounts of each type for which jobs play, and the nodes that are not of it.
  void SetCapacity() {
    capacity_.assign(types_.size(), 0);
    refused_.assign(types_.size(), std::vector<uint8_t>(tables_.nodes.alive.size(), 1));
    for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
      const size_t type = types_.of_node(n);
      if (type == types_.size()) continue;
      refused_[type][n] = 0;
      const NodeSpec& spec = tables_.nodes.spec[n];
      if (!spec.ready || spec.unschedulable) continue;
      const int64_t idle = ledger_.future_idle(n, types_.dimension());
      capacity_[type] = SatAdd(capacity_[type], std::max<int64_t>(idle, 0));
    }
    for (const Player& player : players_) {
      for (const TaskIndex task : tables_.jobs.tasks[player.job]) {
        if (!Holds(task)) continue;
        const size_t type = types_.of_node(ledger_.node_of(task));
        if (type < types_.size()) capacity_[type] = SatAdd(capacity_[type], AmountOf(task));
      }
    }
  }

  // Sets the dues of this round, and forgets what jobs had where it is time to.
  void ShareTime() {
    std::vector<TypeJob> jobs;
    for (const Player& player : players_) {
      const int64_t gpus = player.amount / types_.unit() + (player.amount % types_.unit() > 0);
      jobs.push_back({.speed = player.speed, .gpus = gpus});
    }
    std::vector<int64_t> gpus;
    for (const int64_t amount : capacity_) gpus.push_back(amount / types_.unit());
    const std::vector<std::vector<int64_t>> dues = ShareTypes(jobs, gpus);
    for (size_t i = 0; i < players_.size(); ++i) {
      context_.meter.Spend();
      std::vector<int64_t> due;
      for (const int64_t time : dues[i]) due.push_back(MulDiv(time, kDueParts, kWholeTime));
      if (!players_[i].row.noted || due != players_[i].row.due) rows_.Change();
      players_[i].row.due = std::move(due);
    }
    if (!rows_.Reset(reset_)) return;
    for (Player& player : players_) player.row.had.assign(types_.size(), 0);
  }

  void ListPairs() {
    std::vector<int64_t> together(types_.size(), 0);
    const auto had = [&](const Player& player, size_t type) {
      return std::min(2 * player.row.had[type] + round_, kMostHad);
    };
    for (const Player& player : players_) {
      for (size_t type = 0; type < types_.size(); ++type) {
        together[type] = std::min(together[type] + had(player, type), kMostTogether);
      }
    }
    for (size_t i = 0; i < players_.size(); ++i) {
      const Player& player = players_[i];
      const size_t first = pairs_.size();
      for (size_t type = 0; type < types_.size(); ++type) {
        if (player.speed[type] == 0) continue;
        pairs_.push_back({i, type, player.row.due[type], player.row.owed[type], had(player, type),
                          together[type]});
      }
      std::stable_sort(pairs_.begin() + static_cast<std::ptrdiff_t>(first), pairs_.end(),
                       [&](const TypePair& a, const TypePair& b) {
                         return player.speed[a.type] > player.speed[b.type];
                       });
    }
    std::stable_sort(pairs_.begin(), pairs_.end(), PairBefore);
  }

  static bool PairBefore(const TypePair& a, const TypePair& b) {
    const auto product = [](int64_t due, int64_t together, int64_t had) {
      return absl::int128(due) * together * had;
    };
    const absl::int128 left = product(a.due, a.together, b.had);
    const absl::int128 right = product(b.due, b.together, a.had);
    if (left != right) return left > right;
    return a.owed != b.owed ? a.owed > b.owed : a.due > b.due;
  }

  void GiveTypes() {
    left_ = capacity_;
    for (Player& player : players_) player.row.type = types_.size();
    for (const TypePair& pair : pairs_) {
      Player& player = players_[pair.player];
      const bool has_type = player.row.type < types_.size();
      if (pair.banned || has_type || left_[pair.type] < player.amount) continue;
      player.row.type = pair.type;
      left_[pair.type] -= player.amount;
    }
  }

  bool Keeps(const Player& player) const {
    return player.runs && player.row.type < types_.size() && player.holds == player.row.type;
  }

  // Bans pairs of jobs that wait and would not find nodes if all that give way had left. Returns
  // whether there are any.
  bool BanPairsWithoutRoom() {
    std::vector<uint8_t> is_without(players_.size(), 0);
    bool any = false;
    {
      TrialEvictions trial(context_);
      for (const Player& player : players_) {
        if (!player.runs || Keeps(player)) continue;
        for (const TaskIndex task : tables_.jobs.tasks[player.job]) {
          if (Holds(task)) trial.Evict(task);
        }
      }
      Attempt attempt(context_);
      for (const size_t i : ByAmount()) {
        const Player& player = players_[i];
        if (player.runs || player.row.type == types_.size()) continue;
        Attempt gang(context_);
        if (Place(player.job, player.row.type, Want::kLater, nullptr)) {
          gang.Keep();
        } else {
          is_without[i] = 1;
          any = true;
        }
      }
    }
    for (TypePair& pair : pairs_) {
      if (is_without[pair.player] && players_[pair.player].row.type == pair.type) {
        pair.banned = true;
      }
    }
    return any;
  }

  // Returns the players, those that request the most first.
  std::vector<size_t> ByAmount() const {
    std::vector<size_t> order(players_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return players_[a].amount > players_[b].amount; });
    return order;
  }

  void StopOthers() {
    Attempt attempt(context_);
    for (const Player& player : players_) {
      if (!player.runs || Keeps(player)) continue;
      is_stopped_[player.job] = 1;
      for (const TaskIndex task : tables_.jobs.tasks[player.job]) {
        if (Holds(task)) Evict(context_, task, kNone);
      }
    }
    attempt.Commit();
  }

  // Starts jobs on the types that they have, or keeps places there until the cycle ends.
  void PlaceThoseWithTypes() {
    for (const size_t i : ByAmount()) {
      const Player& player = players_[i];
      if (player.row.type == types_.size() || !LacksGang(player.job)) continue;
      if (Tired()) return;
      if (!Start(player.job, player.row.type)) Keep(player.job, player.row.type);
    }
  }
  bool LacksGang(JobIndex job) const { return Waits(job) && Lacks(job) > 0; }

  // Gives what is left to jobs without a type, then what is free to jobs that take no part.
  void PlaceOthers() {
    left_ = capacity_;
    for (const Player& player : players_) {
      const size_t type = TypeOf(player);
      if (type < types_.size()) left_[type] -= std::max(player.amount, HeldBy(player.job));
    }
    for (const TypePair& pair : pairs_) {
      Player& player = players_[pair.player];
      if (player.row.type < types_.size() || player.runs || !LacksGang(player.job)) continue;
      if (left_[pair.type] < player.amount) continue;
      if (Tired()) return;
      if (!Start(player.job, pair.type)) continue;
      player.row.type = pair.type;
      left_[pair.type] -= HeldBy(player.job);
    }
    for (const JobIndex job : others_) {
      if (!LacksGang(job)) continue;
      if (Tired()) return;
      Start(job, types_.size());
    }
  }
  // The type that the job has in the round, or else the one on which it runs.
  size_t TypeOf(const Player& player) const {
    return player.row.type < types_.size() ? player.row.type
                                           : std::min(player.holds, types_.size());
  }

  void PlaceBeyondGangs() {
    const bool is_short = std::any_of(players_.begin(), players_.end(), [&](const Player& player) {
      const std::vector<int64_t>& due = player.row.due;
      return LacksGang(player.job) &&
             std::any_of(due.begin(), due.end(), [](int64_t part) { return part > 0; });
    });
    if (is_short) return;
    for (const Player& player : players_) {
      if (TypeOf(player) < types_.size()) Grow(player.job, TypeOf(player));
    }
    for (const JobIndex job : others_) Grow(job, types_.size());
    has_grown_ = true;
  }
  // Starts tasks beyond the gang on nodes of the type (types_.size(): on any).
  void Grow(JobIndex job, size_t type) {
    if (!Waits(job) || Lacks(job) > 0) return;
    Attempt attempt(context_);
    HashMap<ClassIndex, bool> failed;
    for (const TaskIndex task : context_.PendingTasks(job, /*with_best_effort=*/true)) {
      const ClassIndex task_class = context_.ClassOf(task);
      if (failed.contains(task_class)) continue;
      if (Tired()) break;
      const int64_t amount = AmountOf(task);
      const bool has_left = type == types_.size() || amount <= left_[type];
      const NodeIndex node = has_left ? Best(task, type, Want::kNow) : NodeIndex(kNone);
      if (node == kNone) {
        failed[task_class] = true;
        continue;
      }
      ledger_.Move(task, TaskStatus::kPlaced, node);
      if (type < types_.size()) left_[type] -= amount;
    }
    attempt.Commit();
  }

  void ExplainAll() {
    for (const Player& player : players_) {
      if (Waits(player.job) && is_kept_[player.job] == 0) ExplainPlayer(player);
    }
    for (const JobIndex job : others_) {
      if (Waits(job)) ExplainWaiting(job);
    }
  }
  void ExplainPlayer(const Player& player) {
    const bool suits = std::any_of(player.speed.begin(), player.speed.end(),
                                   [](int64_t speed) { return speed > 0; });
    if (suits || types_.size() == 0 || Lacks(player.job) == 0) return ExplainWaiting(player.job);
    std::string text = "the job's speed is 0 on each type of GPU:";
    for (size_t type = 0; type < types_.size(); ++type) {
      absl::StrAppend(&text, type == 0 ? " \"" : ", \"", types_.name(type), "\"");
    }
    for (const TaskIndex task : context_.PendingTasks(player.job, /*with_best_effort=*/true)) {
      Reason reason = *context_.reasons.NoNode(context_.ClassOf(task));
      reason.where = text;
      context_.reasons.Explain(task, std::move(reason));
    }
  }
  bool Tired() {
    if (context_.meter.Cut()) return true;
    context_.meter.Spend();
    return false;
  }

  bool Start(JobIndex job, size_t type) {
    Attempt attempt(context_);
    int64_t places = 0;
    if (!Place(job, type, Want::kNow, &places)) {
      int64_t& most = places_[job];
      most = std::max(most, places);
      return false;
    }
    attempt.Commit();
    return true;
  }
  void Keep(JobIndex job, size_t type) {
    Attempt attempt(context_);
    if (!Place(job, type, Want::kLater, nullptr)) return;
    const int64_t needed = Need(job);
    const auto places = static_cast<int64_t>(ledger_.job(job).ready() + attempt.moves().size());
    context_.reasons.ExplainJob(
        job, context_.reasons.GangReason(ReasonKind::kGangWaits, std::min(places, needed), needed,
                                         nullptr));
    for (const TaskIndex task : context_.PendingTasks(job, /*with_best_effort=*/true)) {
      context_.reasons.Explain(task, context_.reasons.NoNode(context_.ClassOf(task)));
    }
    is_kept_[job] = 1;
    attempt.Keep();
  }

  // Puts the tasks that the gang lacks on nodes of the type (types_.size(): on any), and returns
  // whether it has all of them. The books are changed either way. With Want::kLater the tasks are
  // nominated, also those that would fit now. `places` (may be null): how many the gang then has.
  bool Place(JobIndex job, size_t type, Want want, int64_t* places) {
    const auto ready = static_cast<int64_t>(ledger_.job(job).ready());
    const int64_t lacks = Lacks(job);
    int64_t placed = 0;
    HashMap<ClassIndex, bool> failed;
    for (const TaskIndex task : context_.PendingTasks(job, /*with_best_effort=*/true)) {
      if (placed == lacks) break;
      const ClassIndex task_class = context_.ClassOf(task);
      if (failed.contains(task_class)) continue;
      context_.meter.Spend();
      NodeIndex node = Best(task, type, Want::kNow);
      if (node == kNone && want == Want::kLater) node = Best(task, type, Want::kLater);
      if (node == kNone) {
        failed[task_class] = true;
        continue;
      }
      ledger_.Move(task, want == Want::kNow ? TaskStatus::kPlaced : TaskStatus::kNominated, node);
      ++placed;
    }
    if (places != nullptr) *places = ready + placed;
    return placed == lacks;
  }
  NodeIndex Best(TaskIndex task, size_t type, Want want) {
    if (type == types_.size()) return context_.search.Best(task, want);
    return context_.search.BestExcept(task, want, refused_[type]);
  }

  // Of a gang: how many of its tasks found places on the type where most did. Of tasks beyond it:
  // that no node fits, or that gangs come first.
  void ExplainWaiting(JobIndex job) {
    const std::vector<TaskIndex> tasks = context_.PendingTasks(job, /*with_best_effort=*/true);
    if (tasks.empty()) return;
    const ReasonPtr failure = context_.reasons.NoNode(context_.ClassOf(tasks.front()));
    const auto ready = static_cast<int64_t>(ledger_.job(job).ready());
    if (Lacks(job) == 0) {
      for (const TaskIndex task : tasks) {
        if (has_grown_) {
          context_.reasons.Explain(task, context_.reasons.NoNode(context_.ClassOf(task)));
        } else {
          context_.reasons.Explain(task, Reason{.kind = ReasonKind::kNotReached});
        }
      }
      return;
    }
    const auto places = places_.find(job);
    context_.reasons.ExplainJob(
        job, context_.reasons.GangReason(ReasonKind::kGangUndone,
                                         places == places_.end() ? ready : places->second,
                                         Need(job), failure));
  }

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const GpuTypes types_;
  RoundRows rows_;
  const int64_t round_, reset_;
  std::vector<Player> players_;                // in job order
  std::vector<JobIndex> others_;               // that wait and take no part, in job order
  std::vector<TypePair> pairs_;                // in the order of rule 3
  std::vector<int64_t> capacity_, left_;       // by type, amounts of the resource
  std::vector<std::vector<uint8_t>> refused_;  // by type: nodes that are not of it
  std::vector<uint8_t> is_stopped_, is_kept_;  // by job: in this cycle
  HashMap<JobIndex, int64_t> places_;          // by job that found too few: the most that it found
  bool has_grown_ = false;                     // tasks beyond gangs were tried
};

}  // namespace

ActionDecl RoundsAction() {
  ActionDecl action = {
      .name = "rounds",
      .summary = "gives jobs their time on each type of GPU, round by round",
      .options = kRoundsOptions,
      .run = [](ActionContext& context, const Options& options) { Rounds(context, options).Run(); },
      .evicts = true,
      .memory = {kRoundsSlot}};
  action.check = [](const Tables& tables, const Options&) { return CheckSpeedSettings(tables); };
  return action;
}

}  // namespace muster
