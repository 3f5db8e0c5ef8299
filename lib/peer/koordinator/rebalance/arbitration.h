// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which of the waiting migrations may start: in one order, within limits per node, namespace and
// workload, and over all.
//
//   MigrationWorld world{.tasks = tasks, .jobs = jobs, .workloads = workloads};
//   const auto fits_now = [&](const MigratedTask& task) {
//     return FitsLimits(world, limits, task);
//   };
//   for (const Verdict& v : Arbitrate(waiting, may_leave, fits_now, &world)) ...
//
// Idea. Jobs are sorted four times, each time keeping the order of equal ones: newest first; then
// by task as eviction_order.h has it; then those of one batch job side by side; then batch jobs
// with more migrations first. In this order each job is refused for good, waits, or passes. A
// passed job counts against the limits of all later ones.
//
// Limits count jobs that run or that passed before, without the job's own task. A limit of a
// workload is a number or a percentage of its replicas, and at least one.
//
// Peer. Koordinator's arbitrator. Where it surprises:
// - Outside of arbitration every pending job counts, passed or not.
// - A job without a task passes.
// - A workload with as many replicas as one of its limits, or with one, never moves a task.
// - The limit of migrations of a workload only binds if one already migrates.
// - Without a limit a workload of 11 or more replicas may lack 10 %, one of 4 or more two, any
//   other one; never more than all.
// - Only tasks of batch jobs are gathered; other owners leave the order alone.
//
// Ties. Tasks of equal rank lie as Go's sort leaves them; the peer takes jobs from a map, and
// these functions in the given order.
//
// Cost. O(jobs * (tasks of a node + tasks of a workload)), and O(jobs) for each of them where the
// total or a namespace is limited.
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_ARBITRATION_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_ARBITRATION_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "lib/base/hash_map.h"
#include "lib/peer/koordinator/rebalance/eviction_order.h"

namespace muster::koordinator {

// A number, or a percentage.
struct Portion {
  int64_t value = 0;
  bool is_percent = false;
};

struct MigratedTask {
  std::string id = {}, name_space = {}, name = {}, node = {};
  std::string owner = {};  // its controller; empty: none
  bool is_of_batch_job = false;
  bool has_evict_mark = false;
  EvictionRank rank = {};
};

enum class MigrationPhase : uint8_t { kPending, kRunning, kEnded };

struct MigrationJob {
  // Of the task; an empty id with a name is possible.
  struct Target {
    std::string id = {}, name_space = {}, name = {};
  };
  int64_t created = 0;  // seconds
  MigrationPhase phase = MigrationPhase::kPending;
  bool has_passed = false;  // known to the arbitrator
  bool is_marked = false;   // shown on the job
  std::optional<Target> target = {};
};

struct Workload {
  int64_t replicas = 0;
  std::vector<std::string> unavailable = {};  // tasks, as "name_space/name"
};

// Where to find tasks and jobs: made by the questions, and followed as both grow. Texts become
// numbers once, so that questions about all tasks of a node compare none.
struct MigrationIndex {
  struct Numbers {
    size_t id = 0, name = 0;
  };
  HashMap<std::string, size_t> ids = {}, names = {};  // numbers; of names with their name spaces
  std::vector<Numbers> of_task = {};                  // by task
  HashMap<std::string, std::vector<size_t>> tasks_on = {}, tasks_of = {};  // by node, by owner
  std::vector<std::vector<size_t>> jobs_by_id = {}, jobs_named = {};       // by number, of targets
  std::vector<size_t> first_named = {};  // by number of the name: a task; kNoTask: none
  size_t jobs = 0;                       // that it has
  static constexpr size_t kNoTask = ~size_t{0};
};

struct MigrationWorld {
  // Once a question was asked, both are only added to, or taken back, and names and nodes stay.
  std::vector<MigratedTask> tasks = {};
  std::vector<MigrationJob> jobs = {};
  std::map<std::string, Workload> workloads = {};  // by owner
  mutable MigrationIndex index = {};
};

// Returns the first task of the target's name, or null. O(1), and O(tasks) at the first question.
const MigratedTask* TaskNamed(const MigrationWorld& world, const MigrationJob::Target& target);

// Absent or not above zero: unlimited.
struct MigrationLimits {
  std::optional<int64_t> total = {}, per_node = {}, per_namespace = {};
  std::optional<Portion> migrating = {}, unavailable = {};  // per workload
  bool skips_migrating = false, skips_unavailable = false;  // do not look at these two
  bool checks_replicas = true;
};

// Returns how many tasks of a workload may be away.
int64_t MostAway(int64_t replicas, const std::optional<Portion>& limit);

// Which jobs count: in arbitration those that run or passed; else all that are not ended.
enum class Counting : uint8_t { kAll, kArbitrated };

bool HasMigration(const MigrationWorld& world, const MigratedTask& task, Counting counting);
bool FitsTotal(const MigrationWorld& world, const MigrationLimits& limits, const MigratedTask& task,
               Counting counting);
bool FitsNode(const MigrationWorld& world, const MigrationLimits& limits, const MigratedTask& task,
              Counting counting);
bool FitsNamespace(const MigrationWorld& world, const MigrationLimits& limits,
                   const MigratedTask& task, Counting counting);
bool FitsWorkload(const MigrationWorld& world, const MigrationLimits& limits,
                  const MigratedTask& task, Counting counting);
// Returns whether a task fits all of these in arbitration, or has a mark that permits it to leave.
bool FitsLimits(const MigrationWorld& world, const MigrationLimits& limits,
                const MigratedTask& task);

// Returns whether the workload has replicas enough to move one at all.
bool HasSpareReplicas(const MigrationWorld& world, const MigrationLimits& limits,
                      const MigratedTask& task);

// Orders of jobs, by index into world.jobs; each is stable.
using JobOrder = std::vector<size_t>;
void SortNewestFirst(const MigrationWorld& world, JobOrder* jobs);
void SortByTask(const MigrationWorld& world, JobOrder* jobs);
void GatherBatchJobs(const MigrationWorld& world, JobOrder* jobs);
void SortByMigrations(const MigrationWorld& world, JobOrder* jobs);
// Returns how many migrations of an owner's tasks run or are marked as passed.
int64_t MigrationsOf(const MigrationWorld& world, const std::string& owner);

enum class Ruling : uint8_t { kPassed, kWaits, kRefused };
struct Verdict {
  size_t job;
  Ruling ruling;
};

// Rules on the waiting jobs in their order. `may_leave` refuses for good, `fits_now` for this time.
// Passed jobs are marked in the world, refused ones end.
using TaskRule = absl::FunctionRef<bool(const MigratedTask&)>;
std::vector<Verdict> Arbitrate(const JobOrder& waiting, TaskRule may_leave, TaskRule fits_now,
                               MigrationWorld* world);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_ARBITRATION_H_
