// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The loop. Read Cycle first: it opens, runs the actions in order, and closes.
#include "lib/session/session.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <variant>

#include "lib/base/math.h"
#include "lib/model/editor.h"
#include "lib/model/spec_amounts.h"
#include "lib/part/elastic.h"
#include "lib/part/net_change.h"
#include "lib/part/settles.h"
#include "lib/session/cycle_meter.h"
#include "lib/session/places_tasks.h"

namespace muster {
namespace {

// Journals are cleared between cycles once they are longer than this; readers then start afresh.
constexpr size_t kJournalLimit = size_t{1} << 24;

bool IsWaiting(TaskStatus status) {
  return status == TaskStatus::kPending || status == TaskStatus::kPlaced ||
         status == TaskStatus::kNominated || status == TaskStatus::kWaiting;
}

}  // namespace

Session::Session(const Tables& tables, const ProfileConfig& config, const SpeedOptions& speed,
                 std::unique_ptr<Ledger> spare)
    : tables_(&tables), config_(config), speed_(speed), ledger_(std::move(spare)) {
  Build();
}

void Session::Build() {
  std::vector<std::vector<ActivePolicy>> tiers;
  counts_gangs_ = false;
  for (const auto& tier : config_.tiers) {
    tiers.emplace_back();
    for (const ConfiguredPolicy& policy : tier) {
      tiers.back().push_back({policy.decl.make(policy.options), policy.points, policy.own});
      counts_gangs_ |= tiers.back().back().policy->points().has(Point::kReady);
    }
  }
  search_.reset();
  keeps_.clear();
  if (ledger_ == nullptr) {
    ledger_ = std::make_unique<Ledger>(*tables_, config_.accounting);
  } else {
    ledger_->Restart(*tables_, config_.accounting);
  }
  dispatcher_ = std::make_unique<Dispatcher>(std::move(tiers), config_.rules);
  domains_changed_ = true;
  layout_ = tables_->layout;
  log_position_ = tables_->log_start + tables_->log.size();
  known_phases_.clear();
  phases_.clear();
  quiet_at_.clear();
  standing_.clear();
  waiting_.clear();
  restless_.clear();
  edited_.clear();
  journal_birth_ = 0;
}

// Makes the books follow the tables as they are now.
void Session::Follow() {
  const uint64_t end = tables_->log_start + tables_->log.size();
  bool nodes_changed = false;
  if (layout_ == tables_->layout && log_position_ >= tables_->log_start) {
    for (uint64_t p = log_position_; p < end; ++p) {
      const Change& change = tables_->log[p - tables_->log_start];
      nodes_changed |= change.table == Change::Table::kNode;
      domains_changed_ |= nodes_changed || change.table == Change::Table::kDomain;
      if (change.table == Change::Table::kJob && change.index < known_phases_.size()) {
        const JobIndex job(change.index);
        const JobPhase phase = tables_->jobs.spec[job].phase;
        known_phases_[job] = phases_[job] = phase;
        // Each is listed once: the list is never longer than that of jobs.
        if ((standing_[job] & kEdited) == 0) edited_.push_back(job);
        standing_[job] |= kEdited;
        quiet_at_[job] = 0;
      }
    }
  }
  if (!ledger_->Sync()) {
    Build();
    return;
  }
  log_position_ = end;
  ledger_->TrimJournals(kJournalLimit);
  if (nodes_changed && search_ != nullptr) search_.reset();
}

void Session::SyncTo(const Tables& tables) {
  tables_ = &tables;
  ledger_->set_tables(&tables);
  Follow();
}

Ledger& Session::SyncedBooks(const Tables& tables) {
  SyncTo(tables);
  return *ledger_;
}

PlanData Session::Run(const Tables& tables, const ScheduleOptions& options, PlanData spare) {
  SyncTo(tables);
  const Ledger::Savepoint opening = ledger_->Save();
  keeps_.resize(config_.actions.size());
  FindWaiting();
  PlanData plan = Cycle(options, std::move(spare), /*placements=*/0);
  ledger_->Restore(opening);
  return plan;
}

PlanData Session::RunOnce(const ScheduleOptions& options, std::unique_ptr<Ledger>* books) {
  FindWaiting();
  // Most waiting tasks may find a place: reserving memory for all at once is faster than growing.
  size_t placements = 0;
  for (const JobIndex job : waiting_) {
    placements += static_cast<size_t>(ledger_->job(job).pending());
  }
  ledger_->Reserve(placements);
  PlanData plan = Cycle(options, {}, placements);
  *books = std::move(ledger_);
  return plan;
}

PlanData Session::Cycle(const ScheduleOptions& options, PlanData spare, size_t placements) {
  PlanData plan = StartPlan(std::move(spare));
  plan.now = options.now;
  CycleMeter costs(options.metrics);
  const Memory& before = options.memory.has_value() ? *options.memory : tables_->memory;
  Open(options, before);
  CountShares(/*after=*/false, &plan.shares);

  WorkMeter meter(options.work_budget, options.should_stop ? &options.should_stop : nullptr);
  CycleFacts facts{.explains = explains_, .now = options.now, .cycle = &*view_};
  bool lists_sizes = false;
  for (const ConfiguredAction& action : config_.actions) {
    facts.admission |= action.decl.admits;
    facts.evicts |= action.decl.evicts;
    facts.grows |= action.decl.grows;
    lists_sizes |= action.decl.lists_sizes;
  }
  ActionContext context(*ledger_, *dispatcher_, *search_, domains_, meter, phases_, waiting_,
                        facts);
  context.decisions.Reserve(placements);
  if (const auto* next = std::get_if<NextDecisions>(&options.turn)) {
    meter.EndAfter(next->count, context.decisions.list());
  }
  search_->Measure(costs.searches());
  costs.Opened();
  // What actions keep rests on the order of jobs. A rule for ties may change it in any cycle.
  const bool keeps = !keeps_.empty() && config_.rules.ties.jobs == TieRule::kInsertion;
  for (uint32_t i = options.cursor; i < config_.actions.size(); ++i) {
    context.kept = keeps ? &keeps_[i] : nullptr;
    config_.actions[i].decl.run(context, config_.actions[i].options);
    costs.Ran(config_.actions[i].decl.name, meter.work(), context.decisions.list().size());
    if (meter.was_cut()) plan.cursor = i;
    if (meter.ended()) break;
  }
  plan.work = meter.work();
  plan.complete = !meter.was_cut();

  if (lists_sizes) ListSizes(context);
  CountShares(/*after=*/true, &plan.shares);
  Close(context, &plan);
  plan.memory = meter.was_cut() ? before : std::move(*data_->memory).After();
  search_->Measure(nullptr);
  costs.Closed(plan.decisions);
  ended_ = plan.complete && keeps;
  return plan;
}

bool Session::settled() const {
  if (!ended_) return false;
  size_t settled = 0;
  for (const std::unique_ptr<ActionKeep>& keep : keeps_) {
    if (const auto* settles = dynamic_cast<const Settles*>(keep.get())) {
      settled += settles->settled_actions();
    }
  }
  return settled == config_.actions.size();
}

// Returns an empty plan of this cycle, which reuses the allocations of another.
PlanData Session::StartPlan(PlanData spare) const {
  PlanData plan = std::move(spare);
  plan.tentative.clear();
  plan.pending.clear();
  plan.reasons.clear();
  plan.waiting_jobs.clear();
  plan.devices.clear();
  plan.names = nullptr;
  plan.cursor = 0;
  plan.profile = config_.name;
  plan.version = tables_->version;
  plan.shelf = tables_->shelf;
  return plan;
}

void Session::Open(const ScheduleOptions& options, const Memory& before) {
  domains_.Open(*tables_, domains_changed_);
  domains_changed_ = false;
  const bool one_event = KindOf(options.turn) == TurnKind::kEvent;
  data_.emplace(internal::CycleData{
      *tables_, *ledger_, options.now, phases_, &changed_, &domains_,
      std::make_shared<MemorySlots>(before, config_.memory, tables_->events, one_event),
      options.turn});
  data_->seed = options.seed;
  if (const auto* turn = std::get_if<Heartbeats>(&options.turn)) {
    for (const std::string& node : turn->nodes) {
      data_->heartbeats.push_back(*tables_->nodes.names.Find(node));
    }
  }
  view_.emplace(&*data_);
  dispatcher_->Open(*view_);
  for (Point point : {Point::kFit, Point::kScore}) {
    for (const PolicyEntry* entry : dispatcher_->at(point)) {
      if (entry->traits.kinds_changed) search_.reset();
    }
  }
  if (search_ == nullptr) {
    search_ = std::make_unique<NodeSearch>(*ledger_, *dispatcher_, RulesOfSearch(), speed_);
  }
  search_->BeginCycle();
}

SearchRules Session::RulesOfSearch() const {
  SearchRules rules;
  for (DimensionIndex d = 0; d < tables_->dimension_count(); ++d) {
    const bool milli = IsMilliDimension(tables_->dimensions.name(d));
    rules.slack.push_back(milli || d == kMemory ? config_.accounting.least.of(d) - 1 : 0);
  }
  rules.pods_are_a_resource = config_.pods_are_a_resource;
  rules.want_releasing = config_.want_releasing;
  rules.overfull_nodes_are_out = config_.overfull_nodes_are_out;
  return rules;
}

// Returns the jobs that may stand otherwise than when the last cycle opened, ascending: those that
// were restless then, and those that changed since. The others, most of a large cluster's, are not
// read: they are quiet, or wait as they did.
std::vector<JobIndex> Session::JobsToLookAt() {
  const auto known = static_cast<JobIndex>(known_phases_.size());
  const auto count = static_cast<JobIndex>(tables_->jobs.alive.size());
  marks_.resize(count, 0);
  std::vector<JobIndex> jobs = std::move(restless_);
  for (const JobIndex job : jobs) marks_[job] = kSeen;
  const auto first = static_cast<std::ptrdiff_t>(jobs.size());
  const auto add = [&](JobIndex job) {
    if (marks_[job] == 0) jobs.push_back(job);
    marks_[job] = kSeen;
  };
  const std::span<const JobIndex> journal = ledger_->job_journal();
  if (journal_birth_ != ledger_->birth()) {
    for (JobIndex job = 0; job < known; ++job) add(job);
  } else {
    for (const JobIndex job : journal.subspan(journal_position_)) add(job);
    for (const JobIndex job : edited_) add(job);
  }
  for (JobIndex job = known; job < count; ++job) add(job);
  journal_birth_ = ledger_->birth();
  journal_position_ = journal.size();
  restless_.clear();
  for (const JobIndex job : edited_) standing_[job] &= static_cast<uint8_t>(~kEdited);
  edited_.clear();
  for (const JobIndex job : jobs) marks_[job] = 0;
  std::sort(jobs.begin() + first, jobs.end());
  std::inplace_merge(jobs.begin(), jobs.begin() + first, jobs.end());
  return jobs;
}

// Lists the jobs that the cycle may decide about, and those that stand otherwise than before.
void Session::FindWaiting() {
  const JobTable& jobs = tables_->jobs;
  for (const JobIndex job : waiting_) phases_[job] = known_phases_[job];  // no cycle changes others
  const std::vector<JobIndex> candidates = JobsToLookAt();
  for (JobIndex j(known_phases_.size()); j < jobs.alive.size(); ++j) {
    known_phases_.push_back(jobs.spec[j].phase);
    phases_.push_back(jobs.spec[j].phase);
  }
  quiet_at_.resize(jobs.alive.size(), 0);
  standing_.resize(jobs.alive.size(), 0);
  changed_.clear();
  std::vector<JobIndex> came;
  bool left = false;
  for (const JobIndex j : candidates) {
    const bool waits = !IsQuiet(j) && LookAt(j);
    if (waits == ((standing_[j] & kWaits) != 0)) continue;
    standing_[j] ^= kWaits;
    if (waits) came.push_back(j);
    left |= !waits;
  }
  if (left) std::erase_if(waiting_, [&](JobIndex j) { return (standing_[j] & kWaits) == 0; });
  const auto stayed = static_cast<std::ptrdiff_t>(waiting_.size());
  waiting_.insert(waiting_.end(), came.begin(), came.end());
  std::inplace_merge(waiting_.begin(), waiting_.begin() + stayed, waiting_.end());
}

// Notes how a job stands that is not quiet. Returns whether the cycle may decide about it.
bool Session::LookAt(JobIndex job) {
  changed_.push_back(job);
  const bool alive = tables_->jobs.alive[job];
  const JobCounts& counts = ledger_->job(job);
  const bool waits = alive && (counts.pending() > 0 || phases_[job] == JobPhase::kPending);
  const bool settled =
      !alive || (counts.nominated() == 0 && PhaseAtClose(job, phases_[job]) == phases_[job]);
  if (!settled) {
    restless_.push_back(job);
  } else if (!waits) {
    quiet_at_[job] = ledger_->job_stamp(job) + 1;
  }
  return waits;
}

void Session::CountShares(bool after, std::vector<QueueShare>* shares) const {
  if (!lists_shares_) return shares->clear();
  size_t next = 0;
  shares->reserve(tables_->queues.alive.size());
  for (QueueIndex q = 0; q < tables_->queues.alive.size(); ++q) {
    if (!tables_->queues.alive[q]) continue;
    if (next == shares->size()) shares->emplace_back();
    QueueShare& share = (*shares)[next++];
    if (!after) {
      share.queue = q;
      share.deserved.clear();
      share.share_before = share.share_after = 0;
    }
    const auto allocated = ledger_->queue_allocated(q);
    (after ? share.allocated_after : share.allocated_before)
        .assign(allocated.begin(), allocated.end());
    for (const PolicyEntry* entry : dispatcher_->at(Point::kQueueOrder)) {
      if (entry->policy->PublishShare(q, &share.deserved,
                                      after ? &share.share_after : &share.share_before)) {
        break;
      }
    }
  }
  shares->resize(next);
}

// A job with a JobAdmission loses it by a decision, or when all of its tasks have ended: while it
// has tasks to place, it is admitted until a plan sets kPending, and then kPending until a plan
// admits it.
JobPhase Session::PhaseAtClose(JobIndex job, JobPhase phase) const {
  const JobCounts& counts = ledger_->job(job);
  const JobSpec& spec = tables_->jobs.spec[job];
  const int64_t need = spec.min_available;
  const bool is_evicted = spec.admission && phase == JobPhase::kPending;
  if (is_evicted && counts.allocated() == 0 &&
      counts.pending() + counts[TaskStatus::kNominated] + counts[TaskStatus::kReleasing] > 0) {
    return phase;
  }
  const bool is_admitted =
      spec.admission && phase != JobPhase::kPending && phase != JobPhase::kCompleted;
  if (config_.phase_rule == PhaseRule::kAllocated) {
    const bool ready = !counts_gangs_ || counts.ready() >= need;
    if (!ready && counts[TaskStatus::kRunning] > 0) return JobPhase::kDegraded;
    if (counts.allocated() >= need) return JobPhase::kRunning;
    return is_admitted ? JobPhase::kAdmitted : JobPhase::kPending;
  }
  const JobPhase waiting =
      is_admitted || phase == JobPhase::kAdmitted ? JobPhase::kAdmitted : JobPhase::kPending;
  // Without a policy that counts gangs no job is unschedulable.
  const bool ready = !counts_gangs_ || counts.ready() + counts.pending_best_effort >= need;
  const int64_t ended = counts[TaskStatus::kFailed] + counts[TaskStatus::kSucceeded];
  const int64_t scheduled = counts[TaskStatus::kRunning] + counts[TaskStatus::kBound] + ended +
                            counts[TaskStatus::kReleasing];
  const bool settled = scheduled >= need && counts.pending() == 0 && counts.nominated() == 0;
  if (!ready && !settled && counts[TaskStatus::kRunning] > 0) return JobPhase::kDegraded;
  if (scheduled < need) return waiting;
  if (scheduled > ended) return JobPhase::kRunning;
  const bool lives = counts.pending() + counts.nominated() + counts.allocated() > 0;
  const bool has_to_end = is_admitted || config_.phase_rule == PhaseRule::kScheduled;
  return HasCounts(spec) || (has_to_end && lives) ? waiting : JobPhase::kCompleted;
}

Reason Session::Fallback(const ActionContext& context, JobIndex job, TaskIndex task) const {
  Reason reason{ReasonKind::kNotReached};
  reason.queue = tables_->jobs.queue[job];
  if (context.IsGated(task)) {
    reason.kind = ReasonKind::kGated;
  } else if (phases_[job] == JobPhase::kPending && context.facts.admission) {
    reason.kind = ReasonKind::kNotAdmitted;
  } else if (const Reason* of_queue = context.reasons.of_queue(reason.queue)) {
    reason = *of_queue;
  } else if (context.facts.admission && !PlacesTasks(config_)) {
    reason.where = "admitted; no action of the profile places tasks";
  }
  return reason;
}

void Session::ListDevices(PlanData* plan) const {
  const DeviceBook* book = DeviceBook::Of(*ledger_);
  if (book == nullptr) return;
  for (const Decision& decision : plan->decisions) {
    const bool starts =
        decision.kind == DecisionKind::kBind ||
        (decision.kind == DecisionKind::kMove && !plan->by_kind.moves[decision.index].nominated);
    if (!starts || !book->has_devices(decision.node)) continue;
    const std::vector<DeviceSpec>& devices = tables_->nodes.spec[decision.node].devices;
    for (const DevicePart& grant : DeviceBook::Grants(*ledger_, decision.task)) {
      plan->devices.push_back(
          {decision.task, devices[grant.device].name, grant.amount.milli, grant.amount.memory});
    }
  }
}

// Lists the outcome of the cycle in the plan, before the books are rolled back.
void Session::Close(ActionContext& context, PlanData* plan) {
  plan->decisions = context.decisions.TakeList();
  plan->by_kind = context.decisions.TakeByKind();
  plan->domains = context.decisions.TakeDomains();
  plan->devices = context.decisions.TakeDevices();
  if (config_.plan_rule == PlanRule::kNetChange) KeepNetChange(*ledger_, plan);
  ListDevices(plan);
  // A phase is a decision if it differs from the tables and what this plan admits or withdraws.
  std::vector<JobIndex> withdrawn;
  for (const Decision& decision : plan->decisions) {
    if (decision.kind == DecisionKind::kAdmit && decision.phase == JobPhase::kPending) {
      marks_[decision.job] |= kAdmitted;
    }
    if (decision.kind != DecisionKind::kPhase) continue;
    marks_[decision.job] |= kWithdrawn;
    withdrawn.push_back(decision.job);
  }
  ReasonTable reasons(&plan->reasons);
  const std::vector<JobIndex> touched = TouchedJobs();
  for (const JobIndex job : touched) {
    JobPhase known = known_phases_[job];
    if ((marks_[job] & kAdmitted) != 0) known = JobPhase::kAdmitted;
    if ((marks_[job] & kWithdrawn) != 0) known = JobPhase::kPending;
    marks_[job] = 0;
    if (IsQuiet(job) || !tables_->jobs.alive[job]) continue;
    DecidePhase(job, known, plan);
    ListWaiting(context, job, &reasons, plan);
  }
  if (explains_) {
    std::vector<JobIndex> waiting;
    std::ranges::sort(withdrawn);
    std::ranges::set_union(touched, withdrawn, std::back_inserter(waiting));
    for (const JobIndex job : waiting) ListWaitingJob(context, job, &reasons, plan);
  }
  if (config_.places_lone_tasks && explains_) ListLone(context, &reasons, plan);
  ListByKind(plan);
  DropDecided(plan);
  for (const JobIndex job : withdrawn) {
    phases_[job] = known_phases_[job];
    marks_[job] = 0;
  }
}

// Returns the jobs of which the plan may list something, ascending: those that are restless or
// changed, those that the cycle moved or gave another phase, and, where reasons are wanted, all
// that wait. Any other job is as it was.
std::vector<JobIndex> Session::TouchedJobs() {
  std::vector<JobIndex> touched = changed_;
  for (const JobIndex job : changed_) marks_[job] |= kSeen;
  const auto add = [&](JobIndex job) {
    if ((marks_[job] & kSeen) != 0) return;
    marks_[job] |= kSeen;
    touched.push_back(job);
  };
  for (const JobIndex job : waiting_) {
    if (explains_ || phases_[job] != known_phases_[job] || marks_[job] != 0) add(job);
  }
  for (const Ledger::Entry& entry : ledger_->log()) {
    const JobIndex job = tables_->tasks.job[entry.task];
    if (job != kNone) add(job);
  }
  const auto first = touched.begin() + static_cast<std::ptrdiff_t>(changed_.size());
  std::sort(first, touched.end());
  std::inplace_merge(touched.begin(), first, touched.end());
  return touched;
}

void Session::DecidePhase(JobIndex job, JobPhase known, PlanData* plan) const {
  Decision decision{DecisionKind::kPhase};
  decision.job = job;
  decision.phase = PhaseAtClose(job, phases_[job]);
  if (decision.phase != known) plan->decisions.push_back(decision);
}

// Lists the job's waiting tasks, with their tentative places and the reasons why they wait.
void Session::ListWaiting(const ActionContext& context, JobIndex job, ReasonTable* reasons,
                          PlanData* plan) const {
  const JobCounts& counts = ledger_->job(job);
  const int32_t placed =
      counts[TaskStatus::kPlaced] + counts[TaskStatus::kWaiting] + counts.nominated();
  if (placed + (explains_ ? counts.pending() : 0) == 0) return;
  const Reason* of_job = context.reasons.of_job(job);
  Reason fallback;
  uint32_t fallback_number = kNone;
  for (TaskIndex task : tables_->jobs.tasks[job]) {
    const TaskStatus status = ledger_->status(task);
    if (!IsWaiting(status) || tables_->tasks.status[task] != TaskStatus::kPending) continue;
    if (status != TaskStatus::kPending) {
      plan->tentative.push_back({task, ledger_->node_of(task), status == TaskStatus::kNominated});
    }
    if (!explains_) continue;
    const Reason* known = context.reasons.of_task(task);
    if (known == nullptr && !context.IsGated(task)) known = of_job;
    if (known != nullptr) {
      plan->pending.push_back({task, reasons->NumberOf(known)});
      continue;
    }
    if (fallback_number == kNone ||
        context.IsGated(task) != (fallback.kind == ReasonKind::kGated)) {
      fallback = Fallback(context, job, task);
      fallback_number = reasons->NumberOfEqual(fallback);
    }
    plan->pending.push_back({task, fallback_number});
  }
}

// Lists the job if tasks of it wait that are no pending rows: counts, and those that leave after
// this cycle took the job's admission back.
void Session::ListWaitingJob(const ActionContext& context, JobIndex job, ReasonTable* reasons,
                             PlanData* plan) const {
  if (phases_[job] != JobPhase::kPending || !tables_->jobs.alive[job]) return;
  const JobSpec& spec = tables_->jobs.spec[job];
  const Reason* const known = context.reasons.of_job(job);
  int64_t tasks = CountedTasks(spec);
  if (known != nullptr && spec.admission) {
    tasks = SatAdd(tasks, ledger_->job(job)[TaskStatus::kReleasing]);
  }
  if (tasks == 0) return;
  if (known != nullptr) {
    plan->waiting_jobs.push_back({job, tasks, reasons->NumberOf(known)});
    return;
  }
  Reason reason{context.facts.admission ? ReasonKind::kNotAdmitted : ReasonKind::kNotReached};
  reason.queue = tables_->jobs.queue[job];
  plan->waiting_jobs.push_back({job, tasks, reasons->NumberOfEqual(reason)});
}

// Lists the waiting tasks without a job.
void Session::ListLone(const ActionContext& context, ReasonTable* reasons, PlanData* plan) const {
  const TaskTable& tasks = tables_->tasks;
  for (TaskIndex task = 0; task < tasks.alive.size(); ++task) {
    if (!tasks.alive[task] || tasks.job[task] != kNone) continue;
    if (tasks.status[task] != TaskStatus::kPending || !IsWaiting(ledger_->status(task))) continue;
    if (const Reason* known = context.reasons.of_task(task)) {
      plan->pending.push_back({task, reasons->NumberOf(known)});
      continue;
    }
    const bool gated = context.IsGated(task);
    const Reason fallback{gated ? ReasonKind::kGated : ReasonKind::kNotReached};
    plan->pending.push_back({task, reasons->NumberOfEqual(fallback)});
  }
}

// Removes nominations and reservations that became decisions: they are neither tentative nor
// pending.
void Session::DropDecided(PlanData* plan) {
  std::vector<TaskIndex> tasks;
  for (const Nomination& nomination : plan->by_kind.nominations) tasks.push_back(nomination.task);
  for (const Reservation& reservation : plan->by_kind.reservations) {
    tasks.push_back(reservation.task);
  }
  std::sort(tasks.begin(), tasks.end());
  const auto decided = [&](const auto& row) {
    return std::binary_search(tasks.begin(), tasks.end(), row.task);
  };
  const auto by_task = [](const auto& a, const auto& b) { return a.task < b.task; };
  if (!tasks.empty()) {
    std::erase_if(plan->tentative, decided);
    std::erase_if(plan->pending, decided);
  }
  std::sort(plan->tentative.begin(), plan->tentative.end(), by_task);
  std::sort(plan->pending.begin(), plan->pending.end(), by_task);
}

}  // namespace muster
