// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/read_world.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "lib/base/hash_map.h"
#include "lib/peer/armada/gang_parts.h"
#include "lib/peer/armada/read_nodes.h"
#include "lib/peer/armada/read_queues.h"
#include "lib/peer/armada/row_settings.h"

namespace muster::armada {
namespace {

class WorldReader {
 public:
  WorldReader(const muster::Tables& tables, const Ledger& ledger, const Config& config,
              const RunMemory& runs)
      : tables_(tables), ledger_(ledger), config_(config), runs_(runs) {}

  World Read() {
    State& state = world_.state;
    state.options = config_.options;
    state.classes = config_.classes;
    world_.dimensions = ReadResources(tables_, config_, &state);
    pools_ = ReadPools(tables_);
    place_of_ = ReadNodes(tables_, config_, pools_, &world_);
    queue_places_.assign(tables_.queues.alive.size(), -1);
    twins_.assign(config_.classes.size(), -1);
    Reserve();
    for (JobIndex j = 0; j < tables_.jobs.alive.size(); ++j) {
      if (tables_.jobs.alive[j]) ReadJob(j);
    }
    RankJobs();
    FillBuckets();
    FillBooks(tables_, ledger_, place_of_, &world_);
    ReadQueues(tables_, config_, &world_);
    return std::move(world_);
  }

 private:
  void Reserve() {
    const size_t tasks = tables_.tasks.alive.size();
    world_.state.jobs.reserve(tasks);
    world_.state.bound_priority.reserve(tasks);
    world_.task_of.reserve(tasks);
  }

  // Where a task is, as far as the round knows.
  struct Place {
    bool runs = false;
    muster::NodeIndex node = kNone;
    const RunRow* row = nullptr;
  };

  Place PlaceOf(TaskIndex task) const {
    const TaskStatus status = ledger_.status(task);
    if (IsAllocated(status) || status == TaskStatus::kNominated) {
      return {true, ledger_.node_of(task), runs_.Find(task)};
    }
    if (status != TaskStatus::kPending) return {};
    const RunRow* row = runs_.Find(task);
    if (row == nullptr) return {};
    return {true, row->node, row};
  }

  int QueuePlace(QueueIndex queue) {
    int& place = queue_places_[queue];
    if (place < 0) {
      place = static_cast<int>(world_.queue_of.size());
      world_.queue_of.push_back(queue);
      world_.state.queue_names.emplace_back(tables_.queues.names.name(queue));
    }
    return place;
  }

  void ReadJob(JobIndex j) {
    const JobSpec& spec = tables_.jobs.spec[j];
    if (!spec.settings.empty() || has_settings_) {
      settings_ = {};
      has_settings_ = !spec.settings.empty();
      if (!ReadJobSettings(spec, config_, &settings_).ok()) return;
      eligible_ = settings_.pools.empty() ||
                  std::ranges::find(settings_.pools, config_.pool) != settings_.pools.end();
    }
    ListTasks(j);
    const bool stays = spec.preemptable == false;
    if (!MayBeGang(tables_, j)) {
      for (const TaskIndex task : running_) AddRunning(j, task, -1, stays || IsKept(task));
      for (const TaskIndex task : queued_) AddQueued(j, task, -1, stays || IsKept(task));
      return;
    }
    const GangParts parts = DivideGang(tables_, j, running_, queued_, ended_);
    const bool kept = stays || HoldsKeptTask(parts.running);
    int gang = AddGang(parts.running.size(), "");
    for (const TaskIndex task : parts.running) AddRunning(j, task, gang, kept);
    for (const TaskIndex task : parts.running_alone) AddRunning(j, task, -1, stays || IsKept(task));
    gang = AddGang(parts.queued.size(), settings_.uniformity);
    for (const TaskIndex task : parts.queued) AddQueued(j, task, gang, stays);
    for (const TaskIndex task : parts.queued_alone) AddQueued(j, task, -1, stays || IsKept(task));
    world_.incomplete.insert(world_.incomplete.end(), parts.incomplete.begin(),
                             parts.incomplete.end());
  }

  // Lists the job's tasks that run, are queued, and have ended well.
  void ListTasks(JobIndex j) {
    running_.clear();
    queued_.clear();
    ended_.clear();
    for (const TaskIndex task : tables_.jobs.tasks[j]) {
      const TaskStatus status = ledger_.status(task);
      if (PlaceOf(task).runs) {
        running_.push_back(task);
      } else if (status == TaskStatus::kPending) {
        if ((tables_.tasks.flags[task] & kTaskGated) == 0) queued_.push_back(task);
      } else if (status == TaskStatus::kSucceeded) {
        ended_.push_back(task);
      }
    }
  }

  bool IsKept(TaskIndex task) const { return (tables_.tasks.flags[task] & kTaskPreemptable) == 0; }
  bool HoldsKeptTask(const std::vector<TaskIndex>& tasks) const {
    return std::ranges::any_of(tasks, [&](TaskIndex task) { return IsKept(task); });
  }

  // Returns -1 for a gang of one.
  int AddGang(size_t members, const std::string& uniformity) {
    if (members < 2) return -1;
    Gang& gang = world_.state.gangs.emplace_back();
    gang.cardinality = static_cast<int>(members);
    gang.uniformity = uniformity;
    return static_cast<int>(world_.state.gangs.size()) - 1;
  }

  // Returns the class of the task, or its twin that nothing preempts.
  int ClassOf(TaskIndex task, bool kept) {
    int own = settings_.priority_class;
    if (const uint32_t name = tables_.tasks.priority_class[task]; name != 0) {
      const int found = config_.FindClass(tables_.strings.name(name));
      if (found >= 0) own = found;
    }
    std::vector<PriorityClass>& classes = world_.state.classes;
    if (!kept || !classes[static_cast<size_t>(own)].preemptible) return own;
    int& twin = twins_[static_cast<size_t>(own)];
    if (twin < 0) {
      twin = static_cast<int>(classes.size());
      PriorityClass made = classes[static_cast<size_t>(own)];
      made.preemptible = false;
      made.away.clear();
      classes.push_back(std::move(made));
    }
    return twin;
  }

  int ShapeOf(TaskIndex task, int priority_class) {
    const ClassIndex c = tables_.tasks.task_class[task];
    const uint64_t key = uint64_t{c} << 32 | static_cast<uint32_t>(priority_class);
    if (key == last_shape_.first) return last_shape_.second;
    std::vector<Shape>& shapes = world_.state.shapes;
    const auto [found, is_new] = shapes_.try_emplace(key, static_cast<int>(shapes.size()));
    if (is_new) shapes.push_back(ReadShape(tables_, c, priority_class, world_.dimensions));
    last_shape_ = {key, found->second};
    return found->second;
  }

  Job& AddJob(JobIndex j, TaskIndex task, int gang, bool kept) {
    Job& job = world_.state.jobs.emplace_back();
    world_.task_of.push_back(task);
    job.queue = QueuePlace(tables_.jobs.queue[j]);
    job.shape = ShapeOf(task, ClassOf(task, kept));
    job.gang = gang;
    job.priority = -int64_t{tables_.tasks.priority[task]};
    job.submitted = tables_.tasks.created[task];
    job.eligible = eligible_;
    job.queued_bid = settings_.bid;
    job.running_bid = settings_.running_bid;
    world_.state.bound_priority.emplace_back();
    return job;
  }

  void AddQueued(JobIndex j, TaskIndex task, int gang, bool kept) {
    // No other pool sees a job before it runs.
    if (!eligible_) return;
    world_.queued.push_back(static_cast<int>(world_.task_of.size()));
    AddJob(j, task, gang, kept);
  }

  void AddRunning(JobIndex j, TaskIndex task, int gang, bool kept) {
    const Place place = PlaceOf(task);
    const std::string& pool = place.row != nullptr ? place.row->pool : pools_[place.node];
    const bool home = pool == config_.pool;
    if (!home && !config_.MayGoAway(pool, config_.pool)) return;
    const int node = place_of_[place.node];
    Job& job = AddJob(j, task, gang, kept);
    job.queued = false;
    const TaskStatus status = ledger_.status(task);
    if (node >= 0 && (status == TaskStatus::kPending || status == TaskStatus::kNominated)) {
      world_.leases.push_back(static_cast<int>(world_.task_of.size()) - 1);
    }
    const PriorityClass& own = world_.state.classes[static_cast<size_t>(
        world_.state.shapes[static_cast<size_t>(job.shape)].priority_class)];
    Run& run = job.run.emplace();
    run.node = node;
    run.away = !home;
    run.priority = place.row != nullptr ? place.row->priority : own.priority;
    const int64_t started = tables_.tasks.started[task];
    run.created = started != kAbsent     ? started
                  : place.row != nullptr ? place.row->created
                                         : job.submitted;
    run.leased = run.created * 1000;
    int32_t bound = *run.priority;
    if (run.away && world_.state.options.cross_pool_bucket) bound = kCrossPoolPriority;
    world_.state.bound_priority.back() = bound;
    if (node < 0) return;
    const int32_t cutoff = own.preemptible ? bound : std::numeric_limits<int32_t>::max();
    world_.state.nodes[static_cast<size_t>(node)].jobs.push_back(
        {static_cast<int>(world_.state.jobs.size()) - 1, cutoff, false});
  }

  // Ids decide the last ties, so ranks are enough.
  void RankJobs() {
    std::vector<int>& ranks = world_.state.job_ranks;
    ranks.resize(world_.task_of.size());
    const auto key = [&](TaskIndex task) {
      const JobIndex own = tables_.tasks.job[task];
      return std::tuple(tables_.jobs.spec[own].uid_rank, own.value(), tables_.tasks.uid_rank[task],
                        task.value());
    };
    if (std::ranges::is_sorted(world_.task_of, {}, key)) {
      std::iota(ranks.begin(), ranks.end(), 0);
      return;
    }
    std::vector<int> order(ranks.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {},
                      [&](int job) { return key(world_.task_of[static_cast<size_t>(job)]); });
    for (size_t rank = 0; rank < order.size(); ++rank) {
      ranks[static_cast<size_t>(order[rank])] = static_cast<int>(rank);
    }
  }

  // The priorities at which jobs may be scheduled, or were.
  void FillBuckets() {
    State& state = world_.state;
    std::vector<bool> used(state.classes.size());
    used[static_cast<size_t>(config_.default_class)] = true;
    for (const Shape& shape : state.shapes) used[static_cast<size_t>(shape.priority_class)] = true;
    state.buckets = {kEvictedPriority, kCrossPoolPriority};
    for (size_t c = 0; c < used.size(); ++c) {
      if (!used[c]) continue;
      state.buckets.push_back(state.classes[c].priority);
      for (const AwayNodeType& away : state.classes[c].away) {
        state.buckets.push_back(away.priority);
      }
    }
    std::optional<int32_t> last;
    for (const std::optional<int32_t>& bound : state.bound_priority) {
      if (bound && bound != last) state.buckets.push_back(*(last = bound));
    }
    std::ranges::sort(state.buckets);
    state.buckets.erase(std::unique(state.buckets.begin(), state.buckets.end()),
                        state.buckets.end());
  }

  const muster::Tables& tables_;
  const Ledger& ledger_;
  const Config& config_;
  const RunMemory& runs_;
  World world_;
  std::vector<int> place_of_;  // by node; -1: not of the pool
  std::vector<int> queue_places_, twins_;
  HashMap<uint64_t, int> shapes_;
  std::pair<uint64_t, int> last_shape_ = {~uint64_t{0}, -1};
  // Of the job that is read:
  JobSettings settings_;
  bool has_settings_ = true;
  bool eligible_ = true;
  std::vector<TaskIndex> running_, queued_, ended_;
  std::vector<std::string> pools_;  // by node
};

}  // namespace

World ReadWorld(const muster::Tables& tables, const Ledger& ledger, const Config& config,
                const RunMemory& runs) {
  return WorldReader(tables, ledger, config, runs).Read();
}

}  // namespace muster::armada
