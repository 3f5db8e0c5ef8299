// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// round: one round of a pool, and what a plan makes of it.
//
// A scheduled job becomes a bind if its node has room now, or a nomination if it waits for evicted
// or leaving tasks; the members of a gang become binds together, or nominations. The round has
// leased the place all the same: RunMemory keeps it, later rounds count the job as running there,
// and it is bound once all of its gang has room. A preempted job becomes an eviction, for the job
// that took its place where there is one; a lease that is preempted is forgotten.
//
// Decisions are listed gang by gang: first leases of earlier rounds, then new jobs, each behind the
// evictions on its nodes, then evictions for nothing. Cuts fall between gangs. Tokens are taken for
// what was listed.
//
// A round that ends with an error decides nothing, and the error is the reason of all queued jobs.
//
// Ties. As the core breaks them (armada.h).
// Cost. O(rows) for the world, and the round (round.h). A living cluster keeps world and round. As
// long as rows, books and runs of the memory stay the same, a cycle costs what the last round did;
// where jobs, tasks and queues have changed, those are read beside (read_world.h).
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/extension/cycle.h"
#include "lib/peer/armada/config.h"
#include "lib/peer/armada/explain.h"
#include "lib/peer/armada/memory.h"
#include "lib/peer/armada/profile.h"
#include "lib/peer/armada/read_world.h"
#include "lib/peer/armada/round.h"
#include "lib/peer/armada/row_settings.h"
#include "lib/peer/armada/short_jobs.h"

namespace muster {
namespace armada {
namespace {

constexpr std::string_view kRoundKey = "round", kPreemptionKey = "preemption";

// What a living cluster keeps of a round.
struct KeptRound : ActionKeep {
  explicit KeptRound(Config c) : config(std::move(c)), reader(config) {}

  // Returns whether the world would be read as it was.
  bool IsOf(const ActionContext& context, const MemorySlot& slot, const ShortJobs& ended) const {
    return version == context.tables.version && context.ledger.SameAs(moment) && runs == slot &&
           short_jobs == ended;
  }

  // Returns whether the log has all that has changed since the world was read, and no action before
  // this one has moved tasks in either cycle.
  bool CanFollow(const ActionContext& context) const {
    const muster::Tables& tables = context.tables;
    return version != 0 && round != nullptr && opening && context.ledger.log().empty() &&
           layout == tables.layout && position >= tables.log_start;
  }

  // Remembers what the world was read from.
  void Note(const ActionContext& context, const MemorySlot& slot, const ShortJobs& ended) {
    version = context.tables.version;
    layout = context.tables.layout;
    position = context.tables.log_start + context.tables.log.size();
    opening = context.ledger.log().empty();
    moment = context.ledger.moment();
    runs = slot;
    short_jobs = ended;
  }

  Config config;
  WorldReader reader;
  std::unique_ptr<Round> round;  // null: there is nothing to do
  // When the world was read: of the tables, 0 for never; of the books and the memory.
  uint64_t version = 0, layout = 0, position = 0;
  bool opening = false;  // the books were those of a cycle's opening
  Ledger::Moment moment;
  MemorySlot runs;
  ShortJobs short_jobs{0};
};

class PlannedRound {
 public:
  PlannedRound(ActionContext& context, KeptRound* kept)
      : context_(context),
        kept_(*kept),
        config_(kept->config),
        memory_(*internal::DataOf(*context.facts.cycle).memory),
        runs_(&memory_, context.tables, context.ledger),
        tokens_(&memory_, context.facts.now),
        world_(kept->reader.world()) {}

  void Run() {
    if (absl::Status status = Prepare(); !status.ok()) return Fail(status);
    if (round_ == nullptr) {
      ExplainIncomplete(context_, world_);
      return runs_.Store();
    }
    absl::Status status = round_->Run();
    if (!status.ok() && follows_) {
      // An error names a job by its place, which is another where jobs have left.
      if (status = ReadAnew(); !status.ok()) return Fail(status);
      status = round_->Run();
    }
    if (!status.ok()) return Fail(status);
    // The optimiser changes more than Restart takes back.
    if (optimises_) kept_.version = 0;
    Explainer explainer(context_, world_, *round_, config_.pool);
    explainer_ = &explainer;
    explainer.All();
    Group();
    const bool whole = EmitAll();
    CloseLimiters(whole);
    if (optimises_ && whole) tokens_.NoteOptimiser();
    runs_.Store();
  }

 private:
  using Unit = std::span<const int>;  // jobs that are placed together

  // Makes the round that is to be run, unless there is nothing to do.
  absl::Status Prepare() {
    optimises_ =
        config_.options.optimiser.enabled && tokens_.OptimiserIsDue(config_.optimiser_interval);
    slot_ = memory_.Recall(kRunSlot.slot);
    short_jobs_ = FollowShortJobs();
    if (kept_.IsOf(context_, slot_, short_jobs_)) {
      round_ = kept_.round.get();
      if (round_ != nullptr) round_->Restart(OpenLimiters(round_->state().queues));
      return absl::OkStatus();
    }
    if (kept_.CanFollow(context_) && Follow()) return absl::OkStatus();
    return ReadAnew();
  }

  absl::Status ReadAnew() {
    kept_.version = 0;
    kept_.round = nullptr;
    round_ = nullptr;
    follows_ = false;
    kept_.reader.Read(context_.tables, context_.ledger, runs_);
    State& state = world_.state;
    if (config_.short_job_cutoff > 0) SetPenalties(state.resources, &state.queues);
    if (!state.nodes.empty() && !state.jobs.empty()) {
      Round::SetRates(OpenLimiters(state.queues), &state);
      absl::StatusOr<std::unique_ptr<Round>> made = Round::Make(std::move(state));
      if (!made.ok()) return made.status();
      kept_.round = *std::move(made);
    }
    round_ = kept_.round.get();
    kept_.Note(context_, slot_, short_jobs_);
    return absl::OkStatus();
  }

  // Brings world and round up to date by what has changed. Returns false if that is not possible.
  bool Follow() {
    kept_.version = 0;
    const muster::Tables& tables = context_.tables;
    // What the memory tells of a run decides, too.
    std::vector<TaskIndex> tasks;
    for (const MemorySlot* slot : {&kept_.runs, &slot_}) {
      if (kept_.runs == slot_) break;
      for (const auto& [name, row] : slot->rows()) {
        if (const auto task = tables.tasks.names.Find(name)) tasks.push_back(*task);
      }
    }
    const State& state = kept_.round->state();
    std::optional<Amendment> amendment = kept_.reader.Follow(
        tables, context_.ledger, runs_,
        std::span(tables.log).subspan(kept_.position - tables.log_start), tasks, state);
    if (!amendment) return false;
    if (config_.short_job_cutoff > 0) SetPenalties(state.resources, &amendment->queues);
    const Round::Rates rates = OpenLimiters(amendment->queues);
    if (!kept_.round->Amend(*std::move(amendment), rates)) return false;
    round_ = kept_.round.get();
    follows_ = true;
    kept_.Note(context_, slot_, short_jobs_);
    return true;
  }

  // Takes the jobs that have ended since the last round into the memory.
  ShortJobs FollowShortJobs() {
    ShortJobs jobs(config_.short_job_cutoff);
    if (config_.short_job_cutoff == 0) return jobs;
    const MemorySlot& slot = memory_.Recall(kShortJobSlot.slot);
    jobs.Load(slot);
    jobs.SetNow(context_.facts.now);
    ReportEnded(context_.tables, context_.ledger, config_, &jobs);
    MemorySlot stored = jobs.Stored();
    if (stored != slot) memory_.Remember(kShortJobSlot.slot) = std::move(stored);
    return jobs;
  }

  // Queues of jobs of other pools are named otherwise, and have no penalty.
  void SetPenalties(std::span<const Resource> resources, std::vector<Queue>* queues) const {
    for (Queue& queue : *queues) queue.penalty = short_jobs_.PenaltyOf(queue.name, resources);
  }

  void Fail(const absl::Status& status) {
    kept_.version = 0;
    muster::Reason reason{ReasonKind::kNotAdmitted};
    reason.policy = "armada";
    reason.where = absl::StrCat("the round failed: ", status.message());
    const auto shared = std::make_shared<const muster::Reason>(std::move(reason));
    for (const int j : world_.queued) context_.reasons.Explain(task(j), shared);
    runs_.Store();
  }

  Round::Rates OpenLimiters(const std::vector<Queue>& queues) {
    Round::Rates rates;
    rates.optimises = optimises_;
    rates.now = SatMul(context_.facts.now, 1000);
    rates.limiter = tokens_.Open(kRoundKey, config_.rate);
    rates.preemption_limiter = tokens_.Open(absl::StrCat(ToAbsl(kPreemptionKey), "/", config_.pool),
                                            config_.preemption_rate);
    for (const Queue& queue : queues) {
      rates.of_queues.push_back(
          tokens_.Open(absl::StrCat("queue/", queue.name), config_.queue_rate));
    }
    return rates;
  }

  void CloseLimiters(bool whole) {
    const Accounts& accounts = round_->accounts();
    const auto taken = [&](const Limiter& before, const Limiter& after, int64_t listed) {
      return whole ? static_cast<int64_t>(before.tokens - after.tokens) : listed;
    };
    const State& state = round_->state();
    tokens_.Close(kRoundKey, state.limiter, taken(state.limiter, accounts.limiter, listed_new_));
    tokens_.Close(absl::StrCat(ToAbsl(kPreemptionKey), "/", config_.pool), state.preemption_limiter,
                  taken(state.preemption_limiter, accounts.preemption_limiter, listed_victims_));
    for (size_t c = 0; c < accounts.size(); ++c) {
      const int context = static_cast<int>(c);
      const Queue& queue = round_->tables().queue(context);
      const auto listed = listed_of_.find(context);
      tokens_.Close(absl::StrCat("queue/", queue.name), queue.limiter,
                    taken(queue.limiter, accounts.account(context).limiter,
                          listed == listed_of_.end() ? 0 : listed->second));
    }
  }

  TaskIndex task(int job) const { return world_.task_of[static_cast<size_t>(job)]; }
  const Job& job(int place) const { return round_->state().jobs[static_cast<size_t>(place)]; }
  muster::NodeIndex node(int place) const { return world_.node_of[static_cast<size_t>(place)]; }

  // Returns whether the job counts for its gang in the books.
  bool Counts(int j) const {
    const TaskStatus status = context_.ledger.status(task(j));
    return IsAllocated(status) || status == TaskStatus::kNominated;
  }

  // Lists what is to be placed together, and the victims of each node.
  void Group() {
    std::vector<bool> preempted(world_.task_of.size());
    for (const int j : round_->preempted()) {
      preempted[static_cast<size_t>(j)] = true;
      if (Counts(j)) ++lost_[context_.tables.tasks.job[task(j)]];
      const int on = job(j).run->node;
      if (on >= 0) victims_on_[on].push_back(j);
      if (round_->tables().gang(j) >= 0) victims_of_[round_->tables().gang(j)].push_back(j);
    }
    // A job that has a node since an earlier round, and does not run there yet.
    std::vector<int> leases;
    for (const int j : world_.leases) {
      if (!preempted[static_cast<size_t>(j)]) leases.push_back(j);
    }
    GroupByGang(leases);
    GroupByGang(round_->scheduled());
  }

  // Members of a gang are a unit, in the place of the first.
  void GroupByGang(const std::vector<int>& jobs) {
    HashMap<int, size_t> unit_of;  // by gang
    std::vector<size_t> sizes, own;
    for (const int j : jobs) {
      const int gang = round_->tables().gang(j);
      size_t unit = sizes.size();
      if (gang >= 0) unit = unit_of.try_emplace(gang, unit).first->second;
      if (unit == sizes.size()) sizes.push_back(0);
      ++sizes[unit];
      own.push_back(unit);
    }
    std::vector<size_t> places;
    size_t end = members_.size();
    for (const size_t size : sizes) {
      places.push_back(end);
      ends_.push_back(end += size);
    }
    members_.resize(end);
    for (size_t i = 0; i < jobs.size(); ++i) members_[places[own[i]]++] = jobs[i];
  }

  // Returns whether all decisions are listed.
  bool EmitAll() {
    size_t begin = 0;
    for (const size_t end : ends_) {
      if (context_.meter.Cut()) return false;
      context_.meter.Spend();
      Emit({members_.data() + begin, end - begin});
      begin = end;
    }
    for (const int j : round_->preempted()) {
      if (evicted_.contains(j)) continue;
      if (context_.meter.Cut()) return false;
      context_.meter.Spend();
      EvictWithGang(j, kNone);
    }
    return true;
  }

  int PlaceOf(int j) const {
    return job(j).queued ? round_->context(j).attempt.node : job(j).run->node;
  }

  void Emit(Unit unit) {
    for (const int j : unit) {
      const auto victims = victims_on_.find(PlaceOf(j));
      if (victims == victims_on_.end()) continue;
      for (const int victim : victims->second) EvictWithGang(victim, task(j));
    }
    if (!Place(unit, TaskStatus::kPlaced) && !Place(unit, TaskStatus::kNominated)) {
      return Undo(unit);
    }
    for (const int j : unit) NoteRun(j);
  }

  void Undo(Unit unit) {
    for (const int j : unit) {
      runs_.Forget(task(j));
      explainer_->Undone(j);
    }
  }

  // Places the jobs if their nodes have room: now, or once what leaves is gone.
  bool Place(Unit unit, TaskStatus status) {
    Ledger& ledger = context_.ledger;
    const Ledger::Savepoint before = ledger.Save();
    for (const int j : unit) {
      const muster::NodeIndex on = node(PlaceOf(j));
      if (ledger.status(task(j)) == TaskStatus::kNominated) {
        ledger.Move(task(j), TaskStatus::kPending, kNone);
      }
      if (!HasRoom(task(j), on, status)) {
        ledger.Rollback(before);
        return false;
      }
      ledger.Move(task(j), status, on);
      if (status != TaskStatus::kNominated) continue;
      context_.decisions.NoteNominatedAfterEviction(task(j), evicted_on_.contains(on));
    }
    if (!IsWhole(unit, status)) {
      ledger.Rollback(before);
      return false;
    }
    context_.decisions.Commit(before);
    for (const int j : unit) context_.reasons.Forget(task(j));
    return true;
  }

  // Returns whether the job has enough tasks with the unit. Others of it may have gone since the
  // unit was leased: then it waits for its node. Others may lose their places in the same round:
  // then it gets none.
  bool IsWhole(Unit unit, TaskStatus status) const {
    const JobIndex own = context_.tables.tasks.job[task(unit[0])];
    const JobCounts& counts = context_.ledger.job(own);
    const auto lost = lost_.find(own);
    const int32_t leaving = lost == lost_.end() ? 0 : lost->second;
    if (leaving == 0 && status == TaskStatus::kNominated) return true;
    return counts.ready() + counts.nominated() - leaving >=
           context_.tables.jobs.spec[own].min_available;
  }

  bool HasRoom(TaskIndex t, muster::NodeIndex on, TaskStatus status) const {
    const auto request = context_.ledger.request(t);
    const auto idle = context_.ledger.node(on, kIdle);
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      const int64_t amount = OrZero(request[d]);
      if (amount == 0 || IsFloating(d)) continue;
      if (status == TaskStatus::kPlaced && amount > idle[d]) return false;
      if (amount > context_.ledger.future_idle(on, d)) return false;
    }
    return true;
  }

  bool IsFloating(DimensionIndex d) const {
    for (size_t r = 0; r < world_.dimensions.size(); ++r) {
      if (world_.dimensions[r] == d) return round_->state().resources[r].floating;
    }
    return false;
  }

  void NoteRun(int j) {
    const TaskIndex own = task(j);
    const bool nominated = context_.ledger.status(own) == TaskStatus::kNominated;
    const Attempt& attempt = round_->context(j).attempt;
    RunRow row;
    row.node = node(PlaceOf(j));
    row.priority = job(j).queued ? attempt.scheduled_at : *job(j).run->priority;
    row.created = job(j).queued ? context_.facts.now : job(j).run->created;
    row.pool = config_.pool;
    NodeSettings settings;
    const bool reads = ReadNodeSettings(context_.tables.nodes.spec[row.node], &settings).ok();
    const bool plain = row.priority == round_->tables().priority_class(j).priority && reads &&
                       settings.pool == config_.pool;
    if (nominated || !plain) {
      runs_.Note(own, std::move(row));
    } else {
      runs_.Forget(own);
    }
    if (!job(j).queued) return;
    ++listed_new_;
    ++listed_of_[round_->tables().home_context(j)];
  }

  // Evicts the job, and the others of its gang, unless that is done.
  void EvictWithGang(int j, TaskIndex beneficiary) {
    const int gang = round_->tables().gang(j);
    if (gang < 0) return Evict(j, beneficiary);
    for (const int member : victims_of_.at(gang)) Evict(member, beneficiary);
  }

  void Evict(int j, TaskIndex beneficiary) {
    if (!evicted_.insert(j).second) return;
    if (Counts(j)) --lost_[context_.tables.tasks.job[task(j)]];
    const TaskIndex victim = task(j);
    runs_.Forget(victim);
    if (round_->CauseOf(j) == Cause::kFairShare) ++listed_victims_;
    Ledger& ledger = context_.ledger;
    const TaskStatus status = ledger.status(victim);
    if (status == TaskStatus::kPending) return explainer_->Undone(j);
    if (status == TaskStatus::kNominated) {
      ledger.Move(victim, TaskStatus::kPending, kNone);
      return explainer_->Undone(j);
    }
    const Ledger::Savepoint before = ledger.Save();
    evicted_on_.insert(ledger.node_of(victim));
    const int preemptor = round_->context(j).preemptor;
    const bool named = preemptor >= 0 && round_->accounts().scheduled(preemptor);
    context_.decisions.NoteEviction(victim, named ? task(preemptor) : beneficiary);
    ledger.Move(victim, TaskStatus::kReleasing, ledger.node_of(victim));
    context_.decisions.Commit(before);
  }

  ActionContext& context_;
  KeptRound& kept_;
  const Config& config_;
  MemorySlots& memory_;
  RunMemory runs_;
  TokenMemory tokens_;
  World& world_;
  Round* round_ = nullptr;
  bool optimises_ = false;
  bool follows_ = false;  // the round was amended
  MemorySlot slot_;       // as the cycle found it
  ShortJobs short_jobs_{0};
  Explainer* explainer_ = nullptr;
  // Units one after the other, and where each ends.
  std::vector<int> members_;
  std::vector<size_t> ends_;
  HashMap<int, std::vector<int>> victims_on_, victims_of_;  // by node, by gang
  HashMap<JobIndex, int32_t> lost_;  // tasks that count for their jobs and are still to be evicted
  HashSet<int> evicted_;
  HashSet<muster::NodeIndex> evicted_on_;
  int64_t listed_new_ = 0, listed_victims_ = 0;
  HashMap<int, int64_t> listed_of_;  // new jobs, by context
};

void RunRound(ActionContext& context, const muster::Options& options) {
  std::unique_ptr<KeptRound> kept;
  if (context.kept != nullptr && *context.kept != nullptr) {
    kept.reset(static_cast<KeptRound*>(context.kept->release()));
  } else {
    absl::StatusOr<Config> config = Config::Parse(options);
    if (!config.ok()) return;
    kept = std::make_unique<KeptRound>(*std::move(config));
  }
  if (!context.meter.Cut()) {
    context.meter.Spend();
    PlannedRound(context, kept.get()).Run();
  }
  if (context.kept != nullptr) *context.kept = std::move(kept);
}

absl::Status CheckRound(const muster::Tables& tables, const muster::Options& options) {
  const absl::StatusOr<Config> config = Config::Parse(options);
  return config.ok() ? CheckRows(tables, *config) : config.status();
}

absl::Status CheckChanges(const muster::Tables& tables, const muster::Options& options,
                          std::span<const Change> changes) {
  const absl::StatusOr<Config> config = Config::Parse(options);
  return config.ok() ? CheckChangedRows(tables, *config, changes) : config.status();
}

}  // namespace
}  // namespace armada

ActionDecl ArmadaRoundAction() {
  ActionDecl action;
  action.name = "round";
  action.summary = "one round of a pool: evicts by fair share, then places gangs in fair order";
  action.options = armada::RoundOptionDecls();
  action.run = armada::RunRound;
  action.evicts = true;
  action.memory = {armada::kRunSlot, armada::kTokenSlot, armada::kShortJobSlot};
  action.check = armada::CheckRound;
  action.check_changes = armada::CheckChanges;
  action.points = PointSet{};
  return action;
}

}  // namespace muster
