// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A world that is followed by the change log, against one that is read anew.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/peer/armada/read_world.h"
#include "lib/peer/armada/round.h"
#include "muster/schedule.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

using armada::Config;
using armada::Round;
using armada::RunMemory;
using armada::State;
using armada::WorldReader;

constexpr const char* kOptions =
    "classes=low:1:preemptible+high:2:preemptible,default_class=low,protected=0";

Config ConfigOf(const std::string& options) {
  std::vector<std::pair<std::string, std::string>> words;
  size_t at = 0;
  while (at < options.size()) {
    const size_t end = std::min(options.find(',', at), options.size());
    const std::string word = options.substr(at, end - at);
    words.emplace_back(word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
    at = end + 1;
  }
  const auto checked = muster::Options::Check("round", armada::RoundOptionDecls(), words);
  EXPECT_TRUE(checked.ok()) << checked.status();
  const auto config = Config::Parse(*checked);
  EXPECT_TRUE(config.ok()) << config.status();
  return *config;
}

// What happens to the jobs of a cluster from one cycle to the next.
class JobEdits {
 public:
  JobEdits(Cluster& cluster, Rng& rng, const WorldKnobs& knobs)
      : cluster_(cluster), rng_(rng), pool_(RandomWorld(rng.Next(), knobs)) {}

  void Step() {
    const ClusterSpec now = cluster_.Describe();
    switch (rng_.Below(6)) {
      case 0:
      case 1:
        return Arrive(now);
      case 2:
        return Leave(now);
      case 3:
        return End(now);
      case 4:
        return Change(now);
      default:
        return Close(now);
    }
  }

 private:
  void Arrive(const ClusterSpec& now) {
    if (pool_.jobs.empty() || now.queues.empty()) return;
    JobSpec job = pool_.jobs[rng_.Below(pool_.jobs.size())];
    const std::string old = std::exchange(job.name, "new" + std::to_string(++names_));
    job.queue = now.queues[rng_.Below(now.queues.size())].name;
    if (rng_.Chance(0.4)) job.settings.emplace_back("armada/class", "high");
    if (!cluster_.AddJob(job).ok()) return;
    for (TaskSpec task : pool_.tasks) {
      if (task.job != old) continue;
      task.name = job.name + "/" + task.name;
      task.job = job.name;
      task.node.clear();
      task.status = TaskStatus::kPending;
      (void)cluster_.AddTask(task).ok();
    }
  }

  void Leave(const ClusterSpec& now) {
    if (now.jobs.empty()) return;
    const std::string& job = now.jobs[rng_.Below(now.jobs.size())].name;
    for (const TaskSpec& task : now.tasks) {
      if (task.job == job) ASSERT_TRUE(cluster_.RemoveTask(task.name).ok());
    }
    (void)cluster_.RemoveJob(job).ok();
  }

  void End(const ClusterSpec& now) {
    if (now.tasks.empty()) return;
    const TaskSpec& task = now.tasks[rng_.Below(now.tasks.size())];
    const TaskStatus status = rng_.Chance(0.5) ? TaskStatus::kSucceeded : TaskStatus::kReleasing;
    (void)cluster_.SetTaskStatus(task.name, status, task.node).ok();
  }

  void Change(const ClusterSpec& now) {
    if (now.tasks.empty()) return;
    TaskSpec task = now.tasks[rng_.Below(now.tasks.size())];
    task.priority = static_cast<int32_t>(rng_.Below(3));
    task.preemptable = rng_.Chance(0.7);
    (void)cluster_.UpdateTask(task).ok();
  }

  void Close(const ClusterSpec& now) {
    if (now.queues.empty()) return;
    QueueSpec queue = now.queues[rng_.Below(now.queues.size())];
    queue.state = rng_.Chance(0.5) ? QueueState::kClosed : QueueState::kOpen;
    queue.weight = 1 + static_cast<int32_t>(rng_.Below(3));
    (void)cluster_.UpdateQueue(queue).ok();
  }

  Cluster& cluster_;
  Rng& rng_;
  const ClusterSpec pool_;
  int64_t names_ = 0;
};

// A world that follows the tables of a cluster, with the books that it reads.
class Follower {
 public:
  explicit Follower(const Config& config) : config_(config), reader_(config) {}

  // Returns whether the world was followed.
  bool Update(const Tables& tables) {
    Ledger ledger(tables, {});
    MemorySlots memory(tables.memory, std::span(&armada::kRunSlot, 1), tables.events, false);
    const RunMemory runs(&memory, tables, ledger);
    const bool followed = Follow(tables, ledger, runs);
    if (!followed) {
      reader_.Read(tables, ledger, runs);
      round_ = Made(&reader_);
    }
    layout_ = tables.layout;
    position_ = tables.log_start + tables.log.size();
    WorldReader anew(config_);
    anew.Read(tables, ledger, runs);
    Compare(&anew);
    return followed;
  }

 private:
  static std::unique_ptr<Round> Made(WorldReader* reader) {
    State& state = reader->world().state;
    if (state.jobs.empty() || state.nodes.empty()) return nullptr;
    absl::StatusOr<std::unique_ptr<Round>> round = Round::Make(std::move(state));
    EXPECT_TRUE(round.ok()) << round.status();
    return round.ok() ? *std::move(round) : nullptr;
  }

  bool Follow(const Tables& tables, const Ledger& ledger, const RunMemory& runs) {
    if (round_ == nullptr || layout_ != tables.layout || position_ < tables.log_start) return false;
    // Rows of the memory come and go with the plans that the test applies: all are looked at.
    std::vector<TaskIndex> tasks;
    for (TaskIndex task = 0; task < tables.tasks.alive.size(); ++task) {
      if (tables.tasks.alive[task]) tasks.push_back(task);
    }
    auto amendment = reader_.Follow(tables, ledger, runs,
                                    std::span(tables.log).subspan(position_ - tables.log_start),
                                    tasks, round_->state());
    if (!amendment) return false;
    Round::Rates rates;
    rates.of_queues.resize(amendment->queues.size());
    return round_->Amend(*std::move(amendment), rates);
  }

  using Outcome = std::vector<std::pair<TaskIndex, int>>;
  static std::pair<Outcome, Outcome> OutcomeOf(const Round& round, const armada::World& world) {
    Outcome scheduled, preempted;
    for (const int job : round.scheduled()) {
      scheduled.emplace_back(world.task_of[static_cast<size_t>(job)],
                             round.context(job).attempt.node);
    }
    for (const int job : round.preempted()) {
      preempted.emplace_back(world.task_of[static_cast<size_t>(job)], 0);
    }
    return {scheduled, preempted};
  }

  void Compare(WorldReader* anew) {
    const std::unique_ptr<Round> fresh = Made(anew);
    ASSERT_EQ(fresh == nullptr, round_ == nullptr);
    if (fresh == nullptr) return;
    ASSERT_TRUE(round_->BooksBalance());
    EXPECT_EQ(Tasks(reader_.world(), reader_.world().queued),
              Tasks(anew->world(), anew->world().queued));
    EXPECT_EQ(Tasks(reader_.world(), reader_.world().leases),
              Tasks(anew->world(), anew->world().leases));
    EXPECT_EQ(round_->state().allocated, fresh->state().allocated);
    const absl::Status mine = round_->Run(), theirs = fresh->Run();
    ASSERT_EQ(mine.ok(), theirs.ok());
    if (mine.ok()) {
      EXPECT_EQ(OutcomeOf(*round_, reader_.world()), OutcomeOf(*fresh, anew->world()));
    }
  }

  static std::vector<TaskIndex> Tasks(const armada::World& world, const std::vector<int>& jobs) {
    std::vector<TaskIndex> tasks;
    for (const int job : jobs) tasks.push_back(world.task_of[static_cast<size_t>(job)]);
    return tasks;
  }

  const Config& config_;
  WorldReader reader_;
  std::unique_ptr<Round> round_;
  uint64_t layout_ = 0, position_ = 0;
};

TEST(ArmadaFollow, RoundsOfAFollowedWorldAreThoseOfANewOne) {
  const Config config = ConfigOf(kOptions);
  const std::string profile = std::string("armada:round(") + kOptions + ")";
  int64_t followed = 0, cycles = 0, binds = 0;
  for (uint64_t seed = 0; seed < WorldCount(600); ++seed) {
    Rng rng(seed);
    const WorldKnobs knobs{
        .nodes = 6, .queues = 3, .jobs = 8, .tasks = 4, .between_tasks = false, .extremes = false};
    Cluster cluster = MakeCluster(RandomWorld(rng.Next(), knobs));
    JobEdits edits(cluster, rng, knobs);
    Follower follower(config);
    for (int64_t cycle = 0; cycle < 8; ++cycle) {
      const absl::StatusOr<Plan> living = cluster.Schedule(profile, {.now = cycle});
      ASSERT_TRUE(living.ok()) << living.status();
      const absl::StatusOr<Plan> frozen = Schedule(cluster.Freeze(), profile, {.now = cycle});
      ASSERT_TRUE(frozen.ok()) << frozen.status();
      ASSERT_EQ(living->Digest(), frozen->Digest()) << "seed " << seed << ", cycle " << cycle;
      followed += follower.Update(TablesOf(cluster));
      ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", cycle " << cycle;
      ++cycles;
      binds += static_cast<int64_t>(living->binds().size());
      ASSERT_TRUE(cluster.Apply(*living).ok());
      for (uint64_t edit = rng.Below(4); edit > 0; --edit) edits.Step();
    }
  }
  EXPECT_GT(binds, 1000);
  EXPECT_GT(followed, cycles / 4) << "of " << cycles;
}

TEST(ArmadaFollow, AChangedRowIsCheckedAsAllRowsAre) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 8}}}).ok());
  ASSERT_TRUE(cluster.AddQueue({.name = "q"}).ok());
  ASSERT_TRUE(cluster.AddJob({.name = "a", .queue = "q"}).ok());
  ASSERT_TRUE(cluster.Schedule("armada").ok());
  const auto refused = [&cluster] {
    const absl::StatusOr<Plan> living = cluster.Schedule("armada");
    const absl::StatusOr<Plan> frozen = Schedule(cluster.Freeze(), "armada");
    EXPECT_FALSE(living.ok());
    EXPECT_EQ(living.status(), frozen.status());
    return !living.ok();
  };
  JobSpec wrong{.name = "b", .queue = "q"};
  wrong.settings = {{"armada/class", "none"}};
  ASSERT_TRUE(cluster.AddJob(wrong).ok());
  EXPECT_TRUE(refused());
  // The first wrong row is named, whichever changed last.
  wrong.name = "a";
  ASSERT_TRUE(cluster.UpdateJob(wrong).ok());
  EXPECT_TRUE(refused());
  ASSERT_TRUE(cluster.UpdateJob({.name = "a", .queue = "q"}).ok());
  ASSERT_TRUE(cluster.UpdateJob({.name = "b", .queue = "q"}).ok());
  EXPECT_TRUE(cluster.Schedule("armada").ok());
  QueueSpec queue{.name = "q"};
  queue.settings = {{"armada/priority_factor", "x"}};
  ASSERT_TRUE(cluster.UpdateQueue(queue).ok());
  EXPECT_TRUE(refused());
}

}  // namespace
}  // namespace muster::testing
