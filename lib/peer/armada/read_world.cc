// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/read_world.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "lib/base/math.h"
#include "lib/peer/armada/gang_parts.h"
#include "lib/peer/armada/read_nodes.h"
#include "lib/peer/armada/read_queues.h"
#include "lib/peer/armada/row_settings.h"

namespace muster::armada {

void WorldReader::Look(const muster::Tables& tables, const Ledger& ledger, const RunMemory& runs) {
  tables_ = &tables;
  ledger_ = &ledger;
  runs_ = &runs;
}

void WorldReader::Read(const muster::Tables& tables, const Ledger& ledger, const RunMemory& runs) {
  Look(tables, ledger, runs);
  state_ = nullptr;
  world_ = {};
  State& state = world_.state;
  state.options = config_.options;
  state.classes = config_.classes;
  world_.dimensions = ReadResources(tables, config_, &state);
  pools_ = ReadPools(tables);
  place_of_ = ReadNodes(tables, config_, pools_, &world_);
  queue_places_.assign(tables.queues.alive.size(), -1);
  twins_.assign(config_.classes.size(), -1);
  shapes_.clear();
  last_shape_ = {~uint64_t{0}, -1};
  has_settings_ = true;
  names_nodes_ = NamesNodes(tables);
  Reserve();
  for (JobIndex j = 0; j < tables.jobs.alive.size(); ++j) {
    if (tables.jobs.alive[j]) ReadJob(j);
  }
  RankJobs();
  with_shape_.assign(state.shapes.size(), 0);
  with_class_.assign(state.classes.size(), 0);
  with_priority_.clear();
  world_.sums.resize(world_.queue_of.size());
  const std::vector<Amounts> none(state.classes.size(), Amounts(world_.dimensions.size()));
  for (QueueSums& sums : world_.sums) sums.queued = sums.allocated = sums.away_allocated = none;
  state.allocated.assign(world_.dimensions.size(), 0);
  for (size_t j = 0; j < state.jobs.size(); ++j) Count(state.jobs[j], state.bound_priority[j], 1);
  state.buckets = Buckets();
  FillBooks(tables, ledger, place_of_, &world_);
  ReadQueues(tables, config_, &world_);
  amended_ = 0;
}

void WorldReader::Reserve() {
  const size_t tasks = tables_->tasks.alive.size();
  world_.state.jobs.reserve(tasks);
  world_.state.bound_priority.reserve(tasks);
  world_.task_of.reserve(tasks);
  job_of_.assign(tasks, -1);
  job_known_ = tables_->tasks.job;
  incomplete_.clear();
  owner_.clear();
  owner_.reserve(tasks);
  ids_.clear();
  ids_.reserve(tasks);
  last_owner_ = 0;
}

WorldReader::Place WorldReader::PlaceOf(TaskIndex task) const {
  const TaskStatus status = ledger_->status(task);
  if (IsAllocated(status) || status == TaskStatus::kNominated) {
    return {true, ledger_->node_of(task), runs_->Find(task)};
  }
  if (status != TaskStatus::kPending) return {};
  const RunRow* row = runs_->Find(task);
  if (row == nullptr) return {};
  return {true, row->node, row};
}

int WorldReader::QueuePlace(QueueIndex queue) {
  if (queue >= queue_places_.size()) queue_places_.resize(queue.value() + 1, -1);
  int& place = queue_places_[queue];
  if (place < 0) {
    failed_ = true;
    place = static_cast<int>(world_.queue_of.size());
    world_.queue_of.push_back(queue);
    world_.state.queue_names.emplace_back(tables_->queues.names.name(queue));
  }
  return place;
}

void WorldReader::ReadJob(JobIndex j) {
  const JobSpec& spec = tables_->jobs.spec[j];
  if (!spec.settings.empty() || has_settings_) {
    settings_ = {};
    has_settings_ = !spec.settings.empty();
    if (!ReadJobSettings(spec, config_, &settings_).ok()) return;
    eligible_ = settings_.pools.empty() ||
                std::ranges::find(settings_.pools, config_.pool) != settings_.pools.end();
  }
  ListTasks(j);
  const bool stays = spec.preemptable == false;
  if (!MayBeGang(*tables_, j)) {
    for (const TaskIndex task : running_) AddRunning(j, task, -1, stays || IsKept(task));
    for (const TaskIndex task : queued_) AddQueued(j, task, -1, stays || IsKept(task));
    return;
  }
  const GangParts parts = DivideGang(*tables_, j, running_, queued_, ended_);
  const bool kept = stays || HoldsKeptTask(parts.running);
  int gang = AddGang(parts.running.size(), "");
  for (const TaskIndex task : parts.running) AddRunning(j, task, gang, kept);
  for (const TaskIndex task : parts.running_alone) AddRunning(j, task, -1, stays || IsKept(task));
  gang = AddGang(parts.queued.size(), settings_.uniformity);
  for (const TaskIndex task : parts.queued) AddQueued(j, task, gang, stays);
  for (const TaskIndex task : parts.queued_alone) AddQueued(j, task, -1, stays || IsKept(task));
  if (!parts.incomplete.empty()) incomplete_.push_back(j);
  world_.incomplete.insert(world_.incomplete.end(), parts.incomplete.begin(),
                           parts.incomplete.end());
}

// Lists the job's tasks that run, are queued, and have ended well.
void WorldReader::ListTasks(JobIndex j) {
  running_.clear();
  queued_.clear();
  ended_.clear();
  for (const TaskIndex task : tables_->jobs.tasks[j]) {
    const TaskStatus status = ledger_->status(task);
    if (PlaceOf(task).runs) {
      running_.push_back(task);
    } else if (status == TaskStatus::kPending) {
      if ((tables_->tasks.flags[task] & kTaskGated) == 0) queued_.push_back(task);
    } else if (status == TaskStatus::kSucceeded) {
      ended_.push_back(task);
    }
  }
}

bool WorldReader::HoldsKeptTask(const std::vector<TaskIndex>& tasks) const {
  return std::ranges::any_of(tasks, [&](TaskIndex task) { return IsKept(task); });
}

// Returns -1 for a gang of one.
int WorldReader::AddGang(size_t members, const std::string& uniformity) {
  if (members < 2) return -1;
  std::vector<Gang>& gangs = state_ == nullptr ? world_.state.gangs : amendment_.gangs;
  Gang& gang = gangs.emplace_back();
  gang.cardinality = static_cast<int>(members);
  gang.uniformity = uniformity;
  const size_t known = state_ == nullptr ? 0 : state_->gangs.size();
  return static_cast<int>(known + gangs.size()) - 1;
}

// Returns the class of the task, or its twin that nothing preempts.
int WorldReader::ClassOf(TaskIndex task, bool kept) {
  int own = settings_.priority_class;
  if (const uint32_t name = tables_->tasks.priority_class[task]; name != 0) {
    const int found = config_.FindClass(tables_->strings.name(name));
    if (found >= 0) own = found;
  }
  if (!kept || !config_.classes[static_cast<size_t>(own)].preemptible) return own;
  int& twin = twins_[static_cast<size_t>(own)];
  if (twin < 0) {
    failed_ = true;
    std::vector<PriorityClass>& classes = world_.state.classes;
    twin = static_cast<int>(classes.size());
    PriorityClass made = config_.classes[static_cast<size_t>(own)];
    made.preemptible = false;
    made.away.clear();
    classes.push_back(std::move(made));
  }
  return twin;
}

int WorldReader::ShapeOf(TaskIndex task, int priority_class) {
  const ClassIndex c = tables_->tasks.task_class[task];
  const uint64_t key = uint64_t{c} << 32 | static_cast<uint32_t>(priority_class);
  if (key == last_shape_.first) return last_shape_.second;
  std::vector<Shape>& shapes = state_ == nullptr ? world_.state.shapes : amendment_.shapes;
  const size_t known = state_ == nullptr ? 0 : state_->shapes.size();
  const auto [found, is_new] = shapes_.try_emplace(key, static_cast<int>(known + shapes.size()));
  if (is_new) shapes.push_back(ReadShape(*tables_, c, priority_class, world_.dimensions));
  last_shape_ = {key, found->second};
  return found->second;
}

const PriorityClass& WorldReader::ClassOfShape(int shape) const {
  const State& state = state_ == nullptr ? world_.state : *state_;
  const auto place = static_cast<size_t>(shape);
  const Shape& own = place < state.shapes.size() ? state.shapes[place]
                                                 : amendment_.shapes[place - state.shapes.size()];
  return state.classes[static_cast<size_t>(own.priority_class)];
}

WorldReader::Row& WorldReader::StartRow(JobIndex j, TaskIndex task, int gang, bool kept) {
  row_.task = task;
  row_.bound.reset();
  row_.leased = false;
  Job& job = row_.job;
  job = {};
  job.queue = QueuePlace(tables_->jobs.queue[j]);
  job.shape = ShapeOf(task, ClassOf(task, kept));
  job.gang = gang;
  job.priority = -int64_t{tables_->tasks.priority[task]};
  job.submitted = tables_->tasks.created[task];
  job.eligible = eligible_;
  job.queued_bid = settings_.bid;
  job.running_bid = settings_.running_bid;
  return row_;
}

void WorldReader::AddQueued(JobIndex j, TaskIndex task, int gang, bool kept) {
  // No other pool sees a job before it runs.
  if (!eligible_) return;
  StartRow(j, task, gang, kept);
  EndRow();
}

void WorldReader::AddRunning(JobIndex j, TaskIndex task, int gang, bool kept) {
  const Place place = PlaceOf(task);
  const std::string& pool = place.row != nullptr ? place.row->pool : pools_[place.node];
  const bool home = pool == config_.pool;
  if (!home && !config_.MayGoAway(pool, config_.pool)) return;
  const int node = place_of_[place.node];
  Row& made = StartRow(j, task, gang, kept);
  if (failed_ && state_ != nullptr) return;
  made.job.queued = false;
  const TaskStatus status = ledger_->status(task);
  made.leased = node >= 0 && (status == TaskStatus::kPending || status == TaskStatus::kNominated);
  const PriorityClass& own = ClassOfShape(made.job.shape);
  Run& run = made.job.run.emplace();
  run.node = node;
  run.away = !home;
  run.priority = place.row != nullptr ? place.row->priority : own.priority;
  const int64_t started = tables_->tasks.started[task];
  run.created = started != kAbsent     ? started
                : place.row != nullptr ? place.row->created
                                       : made.job.submitted;
  run.leased = SatMul(run.created, 1000);
  int32_t bound = *run.priority;
  if (run.away && config_.options.cross_pool_bucket) bound = kCrossPoolPriority;
  made.bound = bound;
  made.cutoff = own.preemptible ? bound : std::numeric_limits<int32_t>::max();
  EndRow();
}

void WorldReader::EndRow() {
  if (state_ != nullptr) return rows_.push_back(row_);
  State& state = world_.state;
  const auto place = static_cast<int>(state.jobs.size());
  const TaskIndex task = row_.task;
  if (row_.job.queued) world_.queued.push_back(place);
  if (row_.leased) world_.leases.push_back(place);
  if (row_.job.run && row_.job.run->node >= 0) {
    state.nodes[static_cast<size_t>(row_.job.run->node)].jobs.push_back(
        {place, row_.cutoff, false});
  }
  state.jobs.push_back(std::move(row_.job));
  state.bound_priority.push_back(row_.bound);
  world_.task_of.push_back(task);
  job_of_[task] = place;
  owner_.push_back(tables_->tasks.job[task]);
  ids_.push_back(IdsOf(task));
}

WorldReader::Ids WorldReader::IdsOf(TaskIndex task) const {
  return {tables_->jobs.spec[tables_->tasks.job[task]].uid_rank, tables_->tasks.uid_rank[task]};
}

WorldReader::Key WorldReader::KeyOf(size_t place) const {
  return {ids_[place].job, owner_[place].value(), ids_[place].task, world_.task_of[place].value()};
}

void WorldReader::RankJobs() {
  std::vector<int>& ranks = world_.state.job_ranks;
  ranks.resize(world_.task_of.size());
  std::vector<int> order(ranks.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [this](int job) { return KeyOf(static_cast<size_t>(job)); };
  if (!std::ranges::is_sorted(order, {}, key)) std::ranges::sort(order, {}, key);
  for (size_t rank = 0; rank < order.size(); ++rank) {
    ranks[static_cast<size_t>(order[rank])] = static_cast<int>(rank);
  }
  last_key_ = order.empty() ? Key() : key(order.back());
  if (!owner_.empty()) last_owner_ = owner_.back();
}

void WorldReader::Count(const Job& job, const std::optional<int32_t>& bound, int64_t sign) {
  const State& state = state_ == nullptr ? world_.state : *state_;
  const auto place = static_cast<size_t>(job.shape);
  const Shape& shape = place < state.shapes.size() ? state.shapes[place]
                                                   : amendment_.shapes[place - state.shapes.size()];
  const auto priority_class = static_cast<size_t>(shape.priority_class);
  with_shape_[place] += sign;
  with_class_[priority_class] += sign;
  if (bound) {
    auto found = std::ranges::find(with_priority_, *bound, &std::pair<int32_t, int64_t>::first);
    if (found == with_priority_.end()) found = with_priority_.insert(found, {*bound, 0});
    found->second += sign;
  }
  QueueSums& sums = world_.sums[static_cast<size_t>(job.queue)];
  const bool away = job.run && job.run->away;
  (away ? sums.away : sums.home) += sign;
  std::vector<Amounts>& of_classes = job.queued ? sums.queued
                                     : away     ? sums.away_allocated
                                                : sums.allocated;
  Amounts& amounts = of_classes[priority_class];
  Amounts& all = state_ == nullptr ? world_.state.allocated : amendment_.allocated;
  for (size_t r = 0; r < amounts.size(); ++r) {
    const int64_t amount = sign * shape.requests[r];
    amounts[r] += amount;
    if (!job.queued) all[r] += amount;
  }
}

// The priorities at which jobs may be scheduled, or were.
std::vector<int32_t> WorldReader::Buckets() const {
  const State& state = state_ == nullptr ? world_.state : *state_;
  std::vector<int32_t> buckets = {kEvictedPriority, kCrossPoolPriority};
  for (size_t c = 0; c < state.classes.size(); ++c) {
    if (with_class_[c] == 0 && static_cast<int>(c) != config_.default_class) continue;
    buckets.push_back(state.classes[c].priority);
    for (const AwayNodeType& away : state.classes[c].away) buckets.push_back(away.priority);
  }
  for (const auto& [priority, jobs] : with_priority_) {
    if (jobs > 0) buckets.push_back(priority);
  }
  std::ranges::sort(buckets);
  buckets.erase(std::unique(buckets.begin(), buckets.end()), buckets.end());
  return buckets;
}

}  // namespace muster::armada
