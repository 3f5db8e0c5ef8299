// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Searches for victims that are ruled out: bounds worked out by hand, and random worlds in which
// every search is made, against the same worlds in which hopeless ones are not.
#include "lib/peer/kai/victim_room.h"

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/kai/actions.h"
#include "lib/peer/kai/statement.h"

namespace muster::testing {
namespace {

constexpr double kCore = 1000, kGigabyte = 1e9;

// Facts in the making: nodes, shapes and jobs of one or two pod sets.
class RoomMaker {
 public:
  RoomMaker() { facts_.slice_gpus.assign(4, 0); }

  uint32_t AddNode(double cores, double gigabytes, double gpus, double pods = 110) {
    const auto n = static_cast<uint32_t>(facts_.nodes.size());
    KaiNodeFacts node;
    node.name = "n" + std::to_string(n);
    node.allocatable = {cores * kCore, gigabytes * kGigabyte, gpus, pods};
    node.gpu_memory_known = true;
    node.gpus = static_cast<int64_t>(gpus);
    facts_.node_origin.push_back(n);
    facts_.nodes.push_back(std::move(node));
    if (facts_.allowed.empty()) facts_.allowed = facts_.selected = {{}};
    facts_.allowed[0].push_back(1);
    facts_.selected[0].push_back(1);
    return n;
  }

  uint32_t AddQueue(uint32_t parent, double deserved_gpus) {
    const uint32_t q =
        tree_.Add({.name = "q" + std::to_string(tree_.queues.size()), .parent = parent});
    for (KaiShare& share : tree_.share[q]) {
      share = {.deserved = kKaiUnlimited, .max_allowed = kKaiUnlimited, .over_quota_weight = 1};
    }
    tree_.share[q][kKaiGpu].deserved = deserved_gpus;
    return q;
  }

  uint32_t AddShape(double cores, double gigabytes, double gpus) {
    KaiShape shape;
    shape.gpu = KaiGpuRequestOf(gpus, 0);
    shape.type = gpus < 1 && gpus > 0 ? KaiRequestType::kFraction : KaiRequestType::kRegular;
    shape.request = {cores * kCore, gigabytes * kGigabyte, KaiGpus(shape.gpu), 1};
    shape.quota = KaiGpuQuota(shape.gpu);
    shape.amounts = facts_.Quantify(shape.request.data());
    shape.cpu_only = gpus == 0;
    facts_.shapes.push_back(std::move(shape));
    return static_cast<uint32_t>(facts_.shapes.size() - 1);
  }

  // Adds a job with a task for each shape; those from `second` on are a pod set of their own.
  KaiJobFacts& AddJob(uint32_t queue, int32_t minimum, const std::vector<uint32_t>& shapes,
                      size_t second = ~size_t{0}) {
    const auto j = static_cast<uint32_t>(facts_.jobs.size());
    KaiJobFacts& job = facts_.jobs.emplace_back();
    job.queue = queue;
    job.created = job.uid = j;
    job.groups = {{.name = "", .pod_sets = {1}},
                  {.name = "a", .parent = 0, .is_pod_set = true, .minimum = minimum}};
    job.pod_sets = {1};
    if (second < shapes.size()) {
      job.groups[0].pod_sets = job.pod_sets = {1, 2};
      job.groups.push_back({.name = "b", .parent = 0, .is_pod_set = true, .minimum = 1});
    }
    for (uint32_t place = 0; place < shapes.size(); ++place) {
      job.tasks.push_back(static_cast<uint32_t>(facts_.tasks.size()));
      facts_.task_origin.push_back(job.tasks.back());
      facts_.tasks.push_back({.shape = shapes[place],
                              .job = j,
                              .place = place,
                              .pod_set = place < second ? 1u : 2u,
                              .rank = place});
      opening_.emplace_back();
    }
    return job;
  }
  // Adds a job of one task, which runs on the node; kKaiNone: it waits.
  void AddTask(uint32_t queue, uint32_t shape, uint32_t node, int64_t priority = 50) {
    AddJob(queue, 1, {shape}).priority = priority;
    if (node != kKaiNone) opening_.back() = {KaiStatus::kRunning, node};
  }

  KaiFacts& facts() { return facts_; }
  KaiQueueTree& tree() { return tree_; }
  std::vector<KaiOpening>& opening() { return opening_; }
  std::vector<KaiTopology>& topologies() { return topologies_; }
  std::unique_ptr<KaiWorld> Make() {
    return std::make_unique<KaiWorld>(std::move(facts_), std::move(tree_), std::move(topologies_),
                                      opening_);
  }

 private:
  KaiFacts facts_;
  KaiQueueTree tree_;
  std::vector<KaiTopology> topologies_;
  std::vector<KaiOpening> opening_;
};

// Two nodes of four cores, each with a job of three cores; a job that needs `cores` waits.
std::unique_ptr<KaiWorld> TwoHalfFullNodes(double cores, int32_t tasks) {
  RoomMaker maker;
  const uint32_t q = maker.AddQueue(kKaiNone, kKaiUnlimited);
  const uint32_t three = maker.AddShape(3, 1, 0), wanted = maker.AddShape(cores, 1, 0);
  for (int n = 0; n < 2; ++n) maker.AddTask(q, three, maker.AddNode(4, 100, 0));
  maker.AddJob(q, tasks, std::vector<uint32_t>(static_cast<size_t>(tasks), wanted));
  return maker.Make();
}

// Returns whether victims could make room for the last job. The jobs before it are candidates.
bool RoomSuffices(const KaiWorld& world, const std::vector<bool>& may_go) {
  KaiVictimRoom room(&world);
  const auto last = static_cast<uint32_t>(world.job_count() - 1);
  room.Begin(world.job(last).Next(/*real=*/false));
  for (uint32_t j = 0; j < may_go.size(); ++j) room.Add(world.job(j), may_go[j]);
  const bool suffices = room.Suffices();
  EXPECT_LE(room.SufficesAlready(), suffices);
  return suffices;
}

TEST(KaiVictimRoom, WhatIsFreeAndWhatMayGoBoundTheTasks) {
  const auto two = TwoHalfFullNodes(2, 1);
  EXPECT_TRUE(RoomSuffices(*two, {false, false}));  // 2 <= 1 + 1: one could be moved
  EXPECT_FALSE(RoomSuffices(*two, {}));             // no node has 2
  const auto three = TwoHalfFullNodes(3, 1);
  EXPECT_FALSE(RoomSuffices(*three, {false, false}));
  EXPECT_TRUE(RoomSuffices(*three, {true, false}));
  const auto gang = TwoHalfFullNodes(4, 2);
  EXPECT_FALSE(RoomSuffices(*gang, {true, false}));  // 8 > 1 + 1 + 3
  EXPECT_TRUE(RoomSuffices(*gang, {true, true}));
  EXPECT_FALSE(RoomSuffices(*TwoHalfFullNodes(5, 1), {true, true}));  // on no node
}

TEST(KaiVictimRoom, TheFirstCandidatesMayShowTheRoom) {
  const auto world = TwoHalfFullNodes(4, 2);
  KaiVictimRoom room(world.get());
  room.Begin(world->job(2).Next(/*real=*/false));
  EXPECT_FALSE(room.SufficesAlready());
  room.Add(world->job(0), /*may_go=*/true);
  EXPECT_FALSE(room.SufficesAlready());
  room.Add(world->job(1), /*may_go=*/false);
  EXPECT_FALSE(room.SufficesAlready());  // 8 > 1 + 1 + 3
  room.Begin(world->job(2).Next(/*real=*/false));
  room.Add(world->job(1), /*may_go=*/true);
  EXPECT_FALSE(room.SufficesAlready());
  room.Add(world->job(0), /*may_go=*/true);
  EXPECT_TRUE(room.SufficesAlready());
}

TEST(KaiVictimRoom, AsksWhatIsFreeAnewAfterAChange) {
  const auto world = TwoHalfFullNodes(2, 1);
  KaiVictimRoom room(world.get());
  room.Begin(world->job(2).Next(/*real=*/false));
  EXPECT_TRUE(room.IsFree());
  KaiStatement statement(world.get());
  EXPECT_TRUE(statement.Allocate(world->job(2).pods()[0], 0));  // node 0 has -1 then
  room.Begin(std::vector<KaiPod*>{world->job(2).pods()[0]});
  EXPECT_FALSE(room.IsFree());
  statement.Discard();
  room.Begin(world->job(2).Next(/*real=*/false));
  EXPECT_TRUE(room.IsFree());
  EXPECT_FALSE(room.Suffices());  // candidates of an earlier question do not count
}

TEST(KaiVictimRoom, NodesThatDoNotAdmitTheTaskHaveNoRoom) {
  for (const bool is_ready : {false, true}) {
    RoomMaker maker;
    const uint32_t q = maker.AddQueue(kKaiNone, kKaiUnlimited);
    const uint32_t shape = maker.AddShape(4, 1, 0);
    maker.AddTask(q, shape, maker.AddNode(4, 100, 0));
    maker.AddTask(q, shape, kKaiNone);
    maker.facts().nodes[0].ready = is_ready;
    EXPECT_EQ(RoomSuffices(*maker.Make(), {true}), is_ready);
  }
  for (const bool is_allowed : {false, true}) {
    RoomMaker maker;
    const uint32_t q = maker.AddQueue(kKaiNone, kKaiUnlimited);
    const uint32_t shape = maker.AddShape(4, 1, 0);
    maker.AddTask(q, shape, maker.AddNode(4, 100, 0));
    maker.AddTask(q, shape, kKaiNone);
    maker.facts().allowed[0][0] = is_allowed ? 1 : 0;
    EXPECT_EQ(RoomSuffices(*maker.Make(), {true}), is_allowed);
  }
}

KaiFacts FactsOf(double cores, double gigabytes, double gpus) {
  RoomMaker maker;
  maker.AddNode(8, 100, 4);
  maker.AddTask(0, maker.AddShape(cores, gigabytes, gpus), kKaiNone);
  return maker.facts();
}

TEST(KaiHasExactBooks, HoldsForWholeAmountsWithoutSharedDevices) {
  EXPECT_TRUE(KaiHasExactBooks(FactsOf(1, 1, 1)));
  EXPECT_TRUE(KaiHasExactBooks(FactsOf(0, 0, 0)));
  EXPECT_FALSE(KaiHasExactBooks(FactsOf(1, 1, 0.5)));                 // shares a device
  EXPECT_FALSE(KaiHasExactBooks(FactsOf(0.0001, 1, 1)));              // a tenth of a milli core
  EXPECT_FALSE(KaiHasExactBooks(FactsOf(1, 0x1p63 / kGigabyte, 1)));  // too large to be looked at
  KaiFacts facts = FactsOf(1, 1, 1);
  facts.nodes[0].allocatable[kKaiMemoryAt] = 0x1p60;
  EXPECT_TRUE(KaiHasExactBooks(facts));
  facts.shapes[0].request[kKaiMemoryAt] = 1;  // 2^60 + 1 has 61 bits
  EXPECT_FALSE(KaiHasExactBooks(facts));
  facts = FactsOf(1, 1, 1);
  facts.nodes[0].foreign = facts.nodes[0].foreign_releasing = {0, 0, 0, 0};
  facts.nodes[0].foreign[kKaiCpuAt] = 0.5;
  EXPECT_FALSE(KaiHasExactBooks(facts));
  facts = FactsOf(1, 1, 1);
  facts.shapes[0].gpu.claimed = 1;  // nodes are charged for two devices, the request has one
  EXPECT_FALSE(KaiHasExactBooks(facts));
}

// Lists what is committed, with beneficiaries.
class RoomEvents : public KaiListener {
 public:
  void Bound(const KaiPod& pod) override { Add("bind", pod); }
  void Pipelined(const KaiPod& pod) override { Add("pipeline", pod); }
  void Evicted(const KaiPod& pod, uint32_t beneficiary) override {
    Add("evict for " + std::to_string(beneficiary), pod);
    ++evicted;
  }
  std::vector<std::string> list;
  int64_t evicted = 0;

 private:
  void Add(const std::string& word, const KaiPod& pod) {
    list.push_back(word + " " + std::to_string(pod.task) + "@" + std::to_string(pod.node));
  }
};

// Two tasks that this cycle moved away from node 0 give up their places for the last job. Each
// finds node 0 with room for one of them, and is back on node 1, which holds three jobs then.
TEST(KaiVictimRoom, MovedTasksMayNeedNoRoom) {
  for (const bool every_search : {false, true}) {
    RoomMaker maker;
    const uint32_t q = maker.AddQueue(kKaiNone, kKaiUnlimited);
    const uint32_t two = maker.AddShape(2, 1, 0), four = maker.AddShape(4, 1, 0);
    maker.facts().options.consolidation_victims = -1;
    const uint32_t from = maker.AddNode(4, 100, 0), to = maker.AddNode(4, 100, 0);
    maker.facts().allowed.push_back({0, 1});
    maker.facts().selected.push_back({0, 1});
    maker.facts().shapes[four].constraints = 1;
    for (int i = 0; i < 2; ++i) maker.AddTask(q, two, from);
    maker.AddTask(q, two, kKaiNone);
    maker.AddTask(q, four, kKaiNone, /*priority=*/60);
    const auto world = maker.Make();
    world->searches_leave_marks = every_search;
    RoomEvents events;
    KaiStatement statement(world.get());
    for (uint32_t t = 0; t < 2; ++t) {
      KaiPod* const moved = world->job(t).pods()[0];
      EXPECT_TRUE(statement.Evict(moved));
      EXPECT_TRUE(statement.Pipeline(moved, to, /*update=*/false));
    }
    EXPECT_TRUE(statement.Pipeline(world->job(2).pods()[0], from, /*update=*/false));
    EXPECT_FALSE(world->has_moved_tasks);
    statement.Commit(&events, kKaiNone);
    EXPECT_TRUE(world->has_moved_tasks);
    EXPECT_EQ(world->nodes.CountNotes(0), 2u);
    EXPECT_EQ(world->nodes.CountNotes(2), 1u);
    EXPECT_TRUE(RoomSuffices(*world, {false, false}));
    EXPECT_FALSE(RoomSuffices(*world, {true}));
    events.list.clear();
    RunKaiConsolidation({.world = world.get(), .listener = &events, .cut = [] { return false; }},
                        {});
    EXPECT_EQ(events.list, std::vector<std::string>{"pipeline 3@1"});
    EXPECT_EQ(world->nodes.NotAllocated(to, kKaiCpuAt), -4 * kCore);
  }
}

// Cores, gigabytes and GPUs of small numbers, so that every kind of shortage occurs.
class RandomRoom {
 public:
  explicit RandomRoom(uint64_t seed) : rng_(seed) {}

  std::unique_ptr<KaiWorld> Make() {
    AddNodes();
    AddQueues();
    AddOptions();
    const bool shares = Sometimes(8);
    for (int s = 0; s < 5; ++s) {
      const double gpus = shares && s == 0 ? 0.5 : Draw(3);
      maker_.AddShape(Draw(3), Draw(3), gpus);
      KaiShape& shape = maker_.facts().shapes.back();
      if (Sometimes(4)) shape.constraints = 1;
      shape.selects_nodes = shape.constraints == 1;
    }
    const uint64_t jobs = 4 + rng_.Below(10);
    for (uint64_t j = 0; j < jobs; ++j) AddJob();
    return maker_.Make();
  }

 private:
  double Draw(uint64_t most) { return static_cast<double>(rng_.Below(most + 1)); }
  bool Sometimes(uint64_t one_in) { return rng_.Below(one_in) == 0; }

  void AddNodes() {
    const uint64_t count = 2 + rng_.Below(4);
    for (uint64_t i = 0; i < count; ++i) {
      const uint32_t n = maker_.AddNode(4 + Draw(4), 4 + Draw(4), Draw(4), 3 + Draw(6));
      KaiNodeFacts& node = maker_.facts().nodes[n];
      node.ready = !Sometimes(12);
      if (!Sometimes(6)) continue;
      node.foreign = node.foreign_releasing = {Draw(6) * kCore, Draw(3) * kGigabyte, 0, 1};
      if (Sometimes(2)) node.foreign_releasing = {0, 0, 0, 0};
    }
    KaiFacts& facts = maker_.facts();
    std::vector<uint8_t> some;
    for (uint64_t n = 0; n < count; ++n) some.push_back(Sometimes(2) ? 1 : 0);
    facts.allowed.push_back(some);
    facts.selected.push_back(some);
    if (!Sometimes(3)) return;
    KaiTopology racks("racks", {"rack"});
    for (uint32_t n = 0; n < count; ++n) {
      const uint32_t rack = 1 + n % 2;
      facts.levels["rack"].push_back(rack);
      const std::string name = std::to_string(rack);
      racks.AddNode(n, std::vector<std::string_view>{name});
    }
    maker_.topologies().push_back(std::move(racks));
  }

  void AddQueues() {
    for (int d = 0; d < 2; ++d) {
      const uint32_t top = maker_.AddQueue(kKaiNone, Sometimes(2) ? kKaiUnlimited : Draw(6));
      for (int q = 0; q < 2; ++q) {
        leaves_.push_back(maker_.AddQueue(top, Sometimes(3) ? kKaiUnlimited : Draw(3)));
        KaiShares& shares = maker_.tree().share[leaves_.back()];
        if (Sometimes(2)) shares[kKaiCpu].deserved = Draw(4) * kCore;
        if (Sometimes(3)) shares[kKaiGpu].over_quota_weight = 0;
        if (Sometimes(4)) shares[kKaiCpu].max_allowed = 6 * kCore;
      }
    }
  }

  void AddOptions() {
    KaiOptions& options = maker_.facts().options;
    options.signatures = Sometimes(2);
    options.consolidating_reclaim = !Sometimes(4);
    options.consolidation_victims = Sometimes(3) ? 1 : -1;
    options.saturation_multiplier = 1 + Draw(1);
    if (Sometimes(5)) options.preempt_min_runtime = options.reclaim_min_runtime = 50;
    maker_.facts().now = 100;
  }

  void AddJob() {
    std::vector<uint32_t> shapes(1 + rng_.Below(3), static_cast<uint32_t>(rng_.Below(5)));
    for (uint32_t& shape : shapes) {
      if (Sometimes(3)) shape = static_cast<uint32_t>(rng_.Below(5));
    }
    const uint64_t second = Sometimes(4) ? 1 : shapes.size();
    const auto minimum = static_cast<int32_t>(1 + rng_.Below(second));
    KaiJobFacts& job = maker_.AddJob(leaves_[rng_.Below(leaves_.size())], minimum, shapes, second);
    constexpr int64_t kPriorities[] = {50, 60, 70, 110};
    job.priority = kPriorities[rng_.Below(4)];
    job.preemptible = job.priority < 100;
    if (Sometimes(2)) job.last_start = static_cast<int64_t>(rng_.Below(100));
    if (!maker_.topologies().empty() && Sometimes(2)) {
      job.groups[0].topology = {.name = "racks", .topology = 0, .named = true, .required = "rack"};
    }
    const bool runs = Sometimes(2);
    for (const uint32_t task : job.tasks) {
      if (runs != Sometimes(8)) Open(task);
    }
  }

  // Lets the task run, mostly on a node that has cores for it.
  void Open(uint32_t task) {
    KaiFacts& facts = maker_.facts();
    const std::vector<double>& request = facts.shape_of(task).request;
    used_.resize(facts.nodes.size());
    auto node = static_cast<uint32_t>(rng_.Below(facts.nodes.size()));
    for (uint32_t n = 0; n < used_.size() && !Sometimes(10); ++n) {
      bool fits = true;
      used_[n].resize(request.size());
      for (size_t d = 0; d < request.size(); ++d) {
        fits &= used_[n][d] + request[d] <= facts.nodes[n].allocatable[d];
      }
      if (fits) node = n;
    }
    used_[node].resize(request.size());
    for (size_t d = 0; d < request.size(); ++d) used_[node][d] += request[d];
    constexpr KaiStatus kStatuses[] = {
        KaiStatus::kRunning, KaiStatus::kRunning,   KaiStatus::kRunning,   KaiStatus::kRunning,
        KaiStatus::kBound,   KaiStatus::kReleasing, KaiStatus::kPipelined, KaiStatus::kRunning};
    KaiOpening& open = maker_.opening()[task];
    open = {kStatuses[rng_.Below(8)], node};
    if (facts.shape_of(task).shares_gpu()) open.devices = {task};
  }

  Rng rng_;
  RoomMaker maker_;
  std::vector<uint32_t> leaves_;
  std::vector<std::vector<double>> used_;  // by node
};

struct RoomRun {
  std::unique_ptr<KaiWorld> world;
  RoomEvents events;
  int64_t spent = 0;
};

RoomRun RunRoom(uint64_t seed, bool every_search) {
  RoomRun run{.world = RandomRoom(seed).Make()};
  run.world->searches_leave_marks = every_search;
  const KaiCycle cycle{.world = run.world.get(),
                       .listener = &run.events,
                       .cut = [] { return false; },
                       .spend = [&run] { ++run.spent; }};
  RunKaiAllocate(cycle, {});
  for (int turn = 0; turn < 2; ++turn) {
    RunKaiConsolidation(cycle, {});
    RunKaiReclaim(cycle, {});
    RunKaiPreempt(cycle, {});
  }
  RunKaiStaleGangEviction(cycle);
  return run;
}

// All that the next question could depend on, as text.
std::vector<std::string> BooksOf(const KaiWorld& world) {
  std::vector<std::string> books;
  const auto add = [&](const std::string& name, const auto&... values) {
    std::string line = name;
    ((line += ' ' + std::to_string(values)), ...);
    books.push_back(std::move(line));
  };
  for (uint32_t t = 0; t < world.facts().tasks.size(); ++t) {
    const KaiPod& pod = world.pod(t);
    add("task", t, static_cast<int>(pod.status), pod.node, pod.is_virtual, pod.devices.size(),
        world.nodes.CountNotes(t));
  }
  for (uint32_t n = 0; n < world.nodes.size(); ++n) {
    for (size_t d = 0; d < world.facts().dimensions; ++d) {
      add("node", n, d, world.nodes.idle(n)[d], world.nodes.used(n)[d],
          world.nodes.releasing(n)[d]);
    }
  }
  for (uint32_t q = 0; q < world.tree.queues.size(); ++q) {
    for (const KaiShare& share : world.tree.share[q]) {
      add("queue", q, share.allocated, share.allocated_not_preemptible);
    }
  }
  for (uint32_t j = 0; j < world.job_count(); ++j) {
    const KaiRefusal& refusal = world.refusals[j];
    const KaiJob& job = world.job(j);
    // A job of which nothing waits is asked for its next tasks after a change only.
    const int32_t waiting = job.CountOf(KaiStatus::kPending);
    add("job", j, job.active_allocated(), waiting, waiting > 0 ? job.Next(true).size() : 0,
        static_cast<int>(refusal.rule), refusal.queue, refusal.resource, refusal.placed,
        refusal.needed);
  }
  return books;
}

TEST(KaiVictimRoom, SearchesThatAreNotMadeChangeNothing) {
  int64_t fewer = 0, evicting = 0, moving = 0, marked = 0, skipping_after_moves = 0;
  for (uint64_t seed = 0; seed < 4'000; ++seed) {
    const RoomRun every = RunRoom(seed, /*every_search=*/true);
    const RoomRun some = RunRoom(seed, /*every_search=*/false);
    ASSERT_EQ(some.events.list, every.events.list) << "seed " << seed;
    const std::vector<std::string> books = BooksOf(*some.world), wanted = BooksOf(*every.world);
    ASSERT_EQ(books.size(), wanted.size());
    for (size_t i = 0; i < books.size(); ++i) ASSERT_EQ(books[i], wanted[i]) << "seed " << seed;
    ASSERT_LE(some.spent, every.spent) << "seed " << seed;
    fewer += some.spent < every.spent;
    evicting += some.events.evicted > 0;
    moving += some.world->has_moved_tasks;
    marked += some.world->searches_leave_marks;
    skipping_after_moves += some.world->has_moved_tasks && some.spent < every.spent;
  }
  // Worlds of each kind, of 4,000.
  EXPECT_GT(fewer, 400);
  EXPECT_GT(evicting, 400);
  EXPECT_GT(moving, 100);
  EXPECT_GT(marked, 40);
  EXPECT_GT(skipping_after_moves, 20);
}

}  // namespace
}  // namespace muster::testing
