// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The books against a recount from nothing: after every random move, rollback and change of the
// tables, each account is what summing over all tasks gives, journals name every node that changed,
// and no moment is believed longer than it is true.
#include "lib/ledger/ledger.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "tests/ledger/recount.h"
#include "tests/support/random_devices.h"
#include "tests/support/random_domains.h"
#include "tests/support/random_edits.h"
#include "tests/support/random_world.h"

namespace muster::testing {
namespace {

ClusterSpec WorldInDomains(uint64_t seed) {
  ClusterSpec world = RandomWorld(seed);
  Rng rng(seed);
  if (seed % 2 == 0) AddDomains(rng, &world);
  if (seed % 3 == 0) AddDevices(rng, &world);
  return world;
}

// A ledger, what the test knows about it, and what it said earlier.
class Follower {
 public:
  Follower(const Tables& tables, const Accounting& rules, Rng& rng)
      : rng_(rng),
        rules_(rules),
        ledger_(tables, rules),
        states_(FromTables(tables, rules)),
        beginning_(ledger_.Save()) {
    StartJournals();
    if (!tables.nodes.alive.empty() && rng.Chance(0.5)) (void)ledger_.tasks_on(0);
  }

  Ledger& ledger() { return ledger_; }
  size_t given() const { return given_; }        // devices, over all moves
  size_t promised() const { return promised_; }  // nodes to leaving tasks

  void Step() {
    if (rng_.Chance(0.2)) {
      savepoints_.push_back({ledger_.Save(), states_, ledger_.moment(), evicted_.size()});
    }
    if (!savepoints_.empty() && rng_.Chance(0.2)) {
      Back(rng_.Below(savepoints_.size()));
    } else {
      MoveSomething();
    }
    if (rng_.Chance(0.3)) moments_.push_back({ledger_.moment(), states_});
    Check();
  }

  void Back(size_t index) {
    const Saved saved = savepoints_[index];
    savepoints_.resize(index);
    ledger_.Rollback(saved.point);
    states_ = saved.states;
    // What was evicted since then is taken back, but for what its peer forgets.
    std::vector<TaskIndex> evicted(evicted_.begin() + saved.evicted, evicted_.end());
    evicted_.resize(saved.evicted);
    for (TaskIndex t : evicted) {
      if (!rules_.undone_eviction_lingers || !states_[t].view) continue;
      states_[t].status = TaskStatus::kRunning;
      states_[t].view = false;
      evicted_.push_back(t);
    }
    if (evicted_.size() == saved.evicted) {
      EXPECT_TRUE(ledger_.SameAs(saved.moment)) << "a rollback does not restore the moment";
      EXPECT_TRUE(ledger_.OnlyPlacementsSince(saved.moment));
    }
    Check();
  }

  void BackToTheBeginning() {
    ledger_.Restore(beginning_);
    savepoints_.clear();
    evicted_.clear();
    states_ = FromTables(ledger_.tables(), rules_);
    Check();
  }

  // After the tables changed and nothing is moved.
  void Follow(const Tables& tables) {
    ledger_.set_tables(&tables);
    if (!ledger_.Sync()) {
      if (rng_.Chance(0.5)) {
        ledger_ = Ledger(tables, rules_);
      } else {
        ledger_.Restart(tables, rules_);
      }
      StartJournals();
    }
    moments_.clear();
    states_ = FromTables(tables, rules_);
    beginning_ = ledger_.Save();
    Check();
    const Ledger fresh(tables, rules_);
    EXPECT_EQ(FirstDifference(Read(fresh), Read(ledger_)), "") << "against a ledger made afresh";
  }

 private:
  struct Saved {
    Ledger::Savepoint point;
    States states;
    Ledger::Moment moment;
    size_t evicted;  // how many evictions there were
  };

  void MoveSomething() {
    const Tables& tables = ledger_.tables();
    if (states_.empty()) return;
    const TaskIndex t = static_cast<TaskIndex>(rng_.Below(states_.size()));
    if (!tables.tasks.alive[t]) return;
    TaskState& state = states_[t];
    switch (state.status) {
      case TaskStatus::kPending: {
        const NodeIndex n = static_cast<NodeIndex>(rng_.Below(tables.nodes.alive.size() + 1));
        if (n == tables.nodes.alive.size() || !tables.nodes.alive[n]) return;
        const TaskStatus places[] = {TaskStatus::kPlaced, TaskStatus::kPlaced,
                                     TaskStatus::kNominated, TaskStatus::kWaiting};
        state = {places[rng_.Below(4)], n, true};
        break;
      }
      case TaskStatus::kPlaced:
        if (rng_.Chance(0.5)) {
          state.status = TaskStatus::kBinding;
        } else {
          state = {TaskStatus::kPending, kNone, false};
        }
        break;
      case TaskStatus::kNominated:
        if (tables.tasks.status[t] != TaskStatus::kPending) return;
        state = {TaskStatus::kPending, kNone, false};
        break;
      case TaskStatus::kBound:
      case TaskStatus::kRunning:
        state.status = TaskStatus::kReleasing;
        state.view = state.view && rules_.statuses[TaskStatus::kReleasing].in_view;
        if (!rules_.statuses[TaskStatus::kReleasing].in_view) evicted_.push_back(t);
        break;
      case TaskStatus::kReleasing:
        MoveLeaving(t);
        return;
      case TaskStatus::kWaiting:
        state.status = TaskStatus::kPlaced;
        break;
      default:
        return;
    }
    ledger_.Move(t, state.status, state.node);
    // Tasks that are placed get devices, others keep or lose theirs.
    const auto grants = DeviceBook::Grants(ledger_, t);
    if (state.status == TaskStatus::kPlaced || state.status == TaskStatus::kNominated ||
        state.status == TaskStatus::kWaiting) {
      state.grants.assign(grants.begin(), grants.end());
      given_ += grants.size();
    } else if (state.node == kNone) {
      state.grants.clear();
    }
  }

  // A leaving task is promised a node, another one or its own, or loses the promise; or it comes
  // back, which ends the promise.
  void MoveLeaving(TaskIndex t) {
    const Tables& tables = ledger_.tables();
    TaskState& state = states_[t];
    if (tables.tasks.status[t] != TaskStatus::kReleasing && rng_.Chance(0.2)) {
      ledger_.Move(t, TaskStatus::kRunning, state.node);
      state.status = TaskStatus::kRunning;
      state.promised = kNone;
      state.promised_grants.clear();
      return;
    }
    const NodeIndex n = static_cast<NodeIndex>(rng_.Below(tables.nodes.alive.size() + 1));
    if (n < tables.nodes.alive.size() && !tables.nodes.alive[n]) return;
    state.promised = n == tables.nodes.alive.size() ? kNone : n;
    ledger_.Promise(t, state.promised);
    const auto grants = PromisedGrants(t);
    state.promised_grants.assign(grants.begin(), grants.end());
    promised_ += state.promised != kNone;
    given_ += grants.size();
  }

  std::span<const DevicePart> PromisedGrants(TaskIndex t) const {
    DeviceBook* devices = DeviceBook::Of(ledger_);
    if (devices == nullptr) return {};
    return devices->states().grants(GrantsIndex(ledger_.promised_memo(*devices, t)));
  }

  void Check() {
    const Tables& tables = ledger_.tables();
    for (TaskIndex t = 0; t < states_.size(); ++t) {
      if (!tables.tasks.alive[t]) continue;
      ASSERT_EQ(ledger_.status(t), states_[t].status) << "task " << t;
      ASSERT_EQ(ledger_.node_of(t), states_[t].node) << "task " << t;
      ASSERT_EQ(ledger_.in_view(t), states_[t].view) << "task " << t;
      const auto grants = DeviceBook::Grants(ledger_, t);
      ASSERT_EQ(std::vector<DevicePart>(grants.begin(), grants.end()), states_[t].grants);
      ASSERT_EQ(ledger_.promised_node(t), states_[t].promised) << "task " << t;
      const auto promised = PromisedGrants(t);
      ASSERT_EQ(std::vector<DevicePart>(promised.begin(), promised.end()),
                states_[t].promised_grants);
    }
    ASSERT_EQ(FirstDifference(Recount(tables, states_, rules_), Read(ledger_)), "");
    CheckJournals();
    for (const auto& [moment, then] : moments_) CheckMoment(moment, then);
    for (NodeIndex n = 0; n < tables.nodes.alive.size() && lists_; ++n) {
      std::vector<TaskIndex> expected;
      for (TaskIndex t = 0; t < states_.size(); ++t) {
        if (states_[t].node == n || states_[t].promised == n) expected.push_back(t);
      }
      const auto list = ledger_.tasks_on(n);
      ASSERT_EQ(std::vector<TaskIndex>(list.begin(), list.end()), expected);
    }
    lists_ |= rng_.Chance(0.05);
  }

  // A moment may be forgotten too early, never too late.
  void CheckMoment(const Ledger::Moment& moment, const States& then) {
    bool same = true, placements = true;
    for (TaskIndex t = 0; t < then.size(); ++t) {
      const TaskState &a = then[t], &b = states_[t];
      same &= a == b;
      const bool placed = a.status == TaskStatus::kPending &&
                          (IsAllocated(b.status) || b.status == TaskStatus::kNominated);
      const bool alike = a.node == b.node && (a.promised == kNone || a.promised == b.promised) &&
                         (a.status == b.status || (IsAllocated(a.status) && IsAllocated(b.status)));
      placements &= placed || alike;
    }
    if (ledger_.SameAs(moment)) ASSERT_TRUE(same) << "a moment is taken for the present";
    if (ledger_.OnlyPlacementsSince(moment)) ASSERT_TRUE(placements) << "something was released";
  }

  void StartJournals() {
    birth_ = ledger_.birth();
    journal_ = ledger_.journal().size();
    rows_.clear();
    for (NodeIndex n = 0; n < ledger_.tables().nodes.alive.size(); ++n) {
      rows_.push_back(Copy(ledger_.node_row(n)));
    }
    job_journal_ = ledger_.job_journal().size();
    job_books_.clear();
    for (JobIndex j = 0; j < ledger_.tables().jobs.alive.size(); ++j) {
      job_books_.push_back(BooksOf(j));
    }
    view_journal_ = ledger_.view_journal().size();
    seen_on_.clear();
    for (TaskIndex t = 0; t < ledger_.tables().tasks.alive.size(); ++t) {
      seen_on_.push_back(InViewOf(t));
    }
  }

  // The nodes that count the task in their view: its own, and the one that it is promised.
  std::multiset<NodeIndex> InViewOf(TaskIndex t) const {
    std::multiset<NodeIndex> nodes;
    if (ledger_.in_view(t)) nodes.insert(ledger_.node_of(t));
    if (ledger_.promised_node(t) != kNone) nodes.insert(ledger_.promised_node(t));
    return nodes;
  }

  // Of a job: what it holds, and how many of its tasks request something.
  struct JobBooks {
    Cells allocated;
    int32_t pending = 0;
    std::array<int32_t, kTaskStatusCount> by_status{};
    uint64_t stamp = 0;
  };
  JobBooks BooksOf(JobIndex j) const {
    const JobCounts& counts = ledger_.job(j);
    return {Copy(ledger_.job_allocated(j)), counts.pending(), counts.by_status,
            ledger_.job_stamp(j)};
  }

  void CheckJournals() {
    if (ledger_.birth() != birth_) {
      StartJournals();
      return;
    }
    std::vector<bool> named(ledger_.tables().nodes.alive.size(), false);
    for (const NodeIndex n : ledger_.journal().subspan(journal_)) named[n] = true;
    for (NodeIndex n = 0; n < named.size(); ++n) {
      const bool changed = n >= rows_.size() || rows_[n] != Copy(ledger_.node_row(n));
      ASSERT_TRUE(named[n] || !changed) << "the journal misses node " << n;
    }
    CheckJobJournal();
    CheckViewJournal();
    StartJournals();
    if (rng_.Chance(0.05)) ledger_.TrimJournals(0);
  }

  void CheckJobJournal() {
    std::vector<bool> named(ledger_.tables().jobs.alive.size(), false);
    for (const JobIndex j : ledger_.job_journal().subspan(job_journal_)) named[j] = true;
    for (JobIndex j = 0; j < job_books_.size(); ++j) {
      const JobBooks &before = job_books_[j], now = BooksOf(j);
      const bool changed = before.allocated != now.allocated || before.pending != now.pending;
      ASSERT_TRUE(named[j] || !changed) << "the journal misses job " << j;
      ASSERT_TRUE(before.stamp < now.stamp || before.by_status == now.by_status)
          << "the stamp of job " << j << " stands still";
    }
  }

  // Entries are true one after the other, and lead to what is in the view now.
  void CheckViewJournal() {
    seen_on_.resize(ledger_.tables().tasks.alive.size());
    for (const auto& change : ledger_.view_journal().subspan(view_journal_)) {
      std::multiset<NodeIndex>& nodes = seen_on_[change.task];
      if (change.sign > 0) {
        nodes.insert(change.node);
        continue;
      }
      ASSERT_TRUE(nodes.contains(change.node)) << "task " << change.task << " left another node";
      nodes.erase(nodes.find(change.node));
    }
    for (TaskIndex t = 0; t < seen_on_.size(); ++t) {
      ASSERT_EQ(seen_on_[t], InViewOf(t)) << "task " << t;
    }
  }

  Rng& rng_;
  const Accounting rules_;
  Ledger ledger_;
  States states_;
  Ledger::Savepoint beginning_;
  std::vector<Saved> savepoints_;
  std::vector<TaskIndex> evicted_;  // out of the view, in the order in which they left it
  std::vector<std::pair<Ledger::Moment, States>> moments_;
  uint64_t birth_ = 0;
  size_t journal_ = 0, job_journal_ = 0, view_journal_ = 0;
  std::vector<Cells> rows_;
  std::vector<JobBooks> job_books_;
  std::vector<std::multiset<NodeIndex>> seen_on_;  // by task: the nodes that count it in their view
  bool lists_ = false;
  size_t given_ = 0, promised_ = 0;
};

class LedgerWorlds : public ::testing::TestWithParam<int> {
 protected:
  static Accounting Rules(int variant) {
    Accounting rules;
    rules.undone_eviction_lingers = variant == 1 || variant == 4;
    if (variant == 3) rules.books = {DeviceBook::Factory({.strategy = DevicePick::kPack})};
    if (variant == 4) rules.books = {DeviceBook::Factory({.strategy = DevicePick::kBestFit})};
    if (variant == 2) {
      rules.statuses[TaskStatus::kNominated].pipelined = 0;
      rules.statuses[TaskStatus::kNominated].releasing = -1;
      rules.statuses[TaskStatus::kNominated].used = 1;
      rules.statuses[TaskStatus::kReleasing].in_view = 1;
      rules.score_main_containers = true;
    }
    return rules;
  }
};

TEST_P(LedgerWorlds, MovesAndRollbacks) {
  size_t given = 0, promised = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const Cluster cluster = MakeCluster(WorldInDomains(seed));
    Follower follower(TablesOf(cluster), Rules(GetParam()), rng);
    const Ledger fresh(TablesOf(cluster), Rules(GetParam()));
    for (int step = 0; step < 60; ++step) {
      follower.Step();
      if (HasFatalFailure()) return;
    }
    follower.BackToTheBeginning();
    EXPECT_EQ(FirstDifference(Read(fresh), Read(follower.ledger())), "");
    given += follower.given();
    promised += follower.promised();
    if (HasFailure()) return;
  }
  EXPECT_GT(promised, 500);
  if (!Rules(GetParam()).books.empty()) EXPECT_GT(given, 100);
}

TEST_P(LedgerWorlds, FollowsTheTables) {
  int64_t edits = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    Cluster cluster = MakeCluster(WorldInDomains(seed));
    RandomEdits editor(cluster, rng);
    Follower follower(TablesOf(cluster), Rules(GetParam()), rng);
    for (int round = 0; round < 25; ++round) {
      for (uint64_t step = rng.Below(4); step > 0; --step) follower.Step();
      follower.BackToTheBeginning();
      if (rng.Chance(0.1)) (void)cluster.Freeze();
      for (uint64_t edit = rng.Below(4); edit > 0; --edit) editor.Step();
      follower.Follow(TablesOf(cluster));
      if (HasFailure()) return;
    }
    edits += editor.done();
  }
  EXPECT_GT(edits, 2000) << "the random changes are refused: the test sees nothing";
}

// Whatever a ledger was used for, and however it was left, one written into its memory is like any
// other.
TEST_P(LedgerWorlds, BeginsAnewInOldMemory) {
  const Cluster first = MakeCluster(WorldInDomains(1));
  Ledger reused(TablesOf(first), Rules(0));
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const Cluster cluster = MakeCluster(WorldInDomains(seed));
    const Tables& tables = TablesOf(cluster);
    const uint64_t birth = reused.birth();
    reused.Restart(tables, Rules(GetParam()));
    const Ledger fresh(tables, Rules(GetParam()));
    EXPECT_EQ(FirstDifference(Read(fresh), Read(reused)), "");
    EXPECT_NE(reused.birth(), birth);
    EXPECT_TRUE(reused.log().empty() && reused.journal().empty());
    EXPECT_TRUE(reused.view_journal().empty() && reused.job_journal().empty());
    EXPECT_TRUE(reused.SameAs(fresh.moment()) && reused.OnlyPlacementsSince(fresh.moment()));
    // It is left with moves that are not taken back.
    Follower follower(tables, Rules(GetParam()), rng);
    for (int step = 0; step < 20; ++step) follower.Step();
    reused = std::move(follower.ledger());
    if (HasFailure()) return;
  }
}

// A task that is named again as it is charged touches no account, and readers of more than accounts
// are told.
TEST(Ledger, ChargesATaskOnceHoweverOftenItIsNamed) {
  ClusterSpec world;
  world.nodes = {{.name = "n", .capacity = {{"cpu", 4}}}};
  world.queues = {{.name = "default"}, {.name = "other"}};
  world.jobs = {{.name = "j"}};
  for (const char* name : {"a", "b"}) {
    world.tasks.push_back({.name = name,
                           .job = "j",
                           .shape = {.request = {{"cpu", 1}}},
                           .status = TaskStatus::kRunning,
                           .node = "n"});
  }
  for (const bool devices : {false, true}) {
    Cluster cluster = MakeCluster(world);
    const Tables& tables = TablesOf(cluster);
    Editor& editor = ImplOf(cluster).editor;
    Accounting rules;
    if (devices) rules.books = {DeviceBook::Factory({.strategy = DevicePick::kPack})};
    Ledger ledger(tables, rules);
    const TaskIndex a = *tables.tasks.names.Find("a");
    const JobIndex j = tables.tasks.job[a];
    const Cells row = Copy(ledger.node_row(0));
    const uint64_t job = ledger.job_stamp(j), queue = ledger.queue_stamp(tables.jobs.queue[j]);
    editor.SetStarted(a, 7);
    editor.SetStarted(a, 8);
    ASSERT_TRUE(ledger.Sync());
    // What it holds of devices may be counted otherwise since its node changed: there it is charged
    // anew.
    EXPECT_EQ(ledger.journal().size(), devices ? 2 : 0);
    EXPECT_EQ(Copy(ledger.node_row(0)), row);
    ASSERT_EQ(ledger.view_journal().size(), 2);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(ledger.view_journal()[i].task, a);
      EXPECT_EQ(ledger.view_journal()[i].sign, i % 2 == 0 ? -1 : 1);
      EXPECT_EQ(ledger.view_journal()[i].status, TaskStatus::kRunning);
    }
    EXPECT_EQ(ledger.job_journal().back(), j);
    EXPECT_GT(ledger.job_stamp(j), job);
    EXPECT_GT(ledger.queue_stamp(tables.jobs.queue[j]), queue);
    EXPECT_EQ(std::ranges::count(ledger.job_journal(), j), devices ? 2 : 1);
    // Its job moves: both its tasks are charged elsewhere.
    JobSpec moved = world.jobs[0];
    moved.queue = "other";
    ASSERT_TRUE(cluster.UpdateJob(moved).ok());
    ASSERT_TRUE(ledger.Sync());
    const QueueIndex other = *tables.queues.names.Find("other");
    EXPECT_EQ(Copy(ledger.queue_allocated(other)), Copy(ledger.job_allocated(j)));
    EXPECT_EQ(ledger.queue_allocated(other)[kCpu], 2000);
    EXPECT_EQ(ledger.queue_allocated(*tables.queues.names.Find("default"))[kCpu], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Accountings, LedgerWorlds, ::testing::Values(0, 1, 2, 3, 4));

}  // namespace
}  // namespace muster::testing
