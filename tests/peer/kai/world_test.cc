// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Worlds of KAI Scheduler worked out by hand: books of shared devices, statements that are taken
// back, and actions on clusters of one or two nodes.
#include "lib/peer/kai/world.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/peer/kai/actions.h"
#include "lib/peer/kai/statement.h"

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// Lists what is committed: "bind 0@1", task 0 on node 1.
class Listed : public KaiListener {
 public:
  void Bound(const KaiPod& pod) override { Add("bind", pod); }
  void Pipelined(const KaiPod& pod) override { Add("pipeline", pod); }
  void Evicted(const KaiPod& pod, uint32_t) override { Add("evict", pod); }
  std::vector<std::string> list;

 private:
  void Add(const std::string& word, const KaiPod& pod) {
    list.push_back(word + " " + std::to_string(pod.task) + "@" + std::to_string(pod.node));
  }
};

// A cluster in the making: nodes of GPUs, two queues below one top, jobs of GPU tasks.
class Maker {
 public:
  explicit Maker(const std::vector<double>& gpus) {
    facts_.slice_gpus.assign(4, 0);
    facts_.options.consolidation_victims = -1;
    facts_.options.signatures = false;
    for (const double count : gpus) {
      KaiNodeFacts node;
      node.name = "n" + std::to_string(facts_.nodes.size());
      node.allocatable = {1e6, 1e12, count, 110};
      node.gpu_memory_known = true;
      node.gpus = static_cast<int64_t>(count);
      facts_.node_origin.push_back(static_cast<uint32_t>(facts_.nodes.size()));
      facts_.nodes.push_back(std::move(node));
    }
    facts_.allowed = facts_.selected = {std::vector<uint8_t>(gpus.size(), 1)};
    top_ = AddQueue("top", kKaiNone, kKaiUnlimited);
  }

  uint32_t AddQueue(const std::string& name, uint32_t parent, double deserved) {
    const uint32_t q = tree_.Add({.name = name, .parent = parent});
    for (KaiShare& share : tree_.share[q]) {
      share = {.deserved = kKaiUnlimited, .max_allowed = kKaiUnlimited, .over_quota_weight = 1};
    }
    tree_.share[q][kKaiGpu].deserved = deserved;
    tree_.share[q][kKaiGpu].over_quota_weight = 0;
    return q;
  }
  uint32_t AddQueue(const std::string& name, double deserved) {
    return AddQueue(name, top_, deserved);
  }

  // Adds a job with one pod set; each task requests that many GPUs, or a part of one.
  uint32_t AddJob(uint32_t queue, double gpus, int32_t minimum, std::vector<KaiOpening> tasks,
                  int64_t priority = 50) {
    KaiShape shape;
    shape.gpu = KaiGpuRequestOf(gpus, 0);
    shape.type = gpus < 1 && gpus > 0 ? KaiRequestType::kFraction : KaiRequestType::kRegular;
    shape.request = {1000, 1e9, KaiGpus(shape.gpu), 1};
    shape.quota = KaiGpuQuota(shape.gpu);
    shape.amounts = facts_.Quantify(shape.request.data());
    shape.cpu_only = gpus == 0;
    KaiJobFacts job;
    job.queue = queue;
    job.priority = priority;
    job.preemptible = priority < 100;
    job.created = job.uid = static_cast<int64_t>(facts_.jobs.size());
    job.groups = {{.name = "", .pod_sets = {1}},
                  {.name = "default", .parent = 0, .is_pod_set = true, .minimum = minimum}};
    job.pod_sets = {1};
    for (KaiOpening& task : tasks) {
      const auto place = static_cast<uint32_t>(job.tasks.size());
      job.tasks.push_back(static_cast<uint32_t>(facts_.tasks.size()));
      facts_.task_origin.push_back(job.tasks.back());
      facts_.tasks.push_back({.shape = static_cast<uint32_t>(facts_.shapes.size()),
                              .job = static_cast<uint32_t>(facts_.jobs.size()),
                              .place = place,
                              .pod_set = 1,
                              .rank = place});
      opening_.push_back(std::move(task));
    }
    facts_.shapes.push_back(std::move(shape));
    facts_.jobs.push_back(std::move(job));
    return static_cast<uint32_t>(facts_.jobs.size() - 1);
  }

  KaiFacts& facts() { return facts_; }
  std::unique_ptr<KaiWorld> Make() {
    return std::make_unique<KaiWorld>(std::move(facts_), std::move(tree_),
                                      std::vector<KaiTopology>{}, opening_);
  }

 private:
  KaiFacts facts_;
  KaiQueueTree tree_;
  std::vector<KaiOpening> opening_;
  uint32_t top_ = 0;
};

KaiOpening Pending() { return {}; }
KaiOpening On(uint32_t node, KaiStatus status = KaiStatus::kRunning,
              std::vector<uint32_t> devices = {}) {
  return {status, node, std::move(devices)};
}

std::vector<std::string> RunAction(KaiWorld* world,
                                   void (*action)(const KaiCycle&, const KaiActionRules&)) {
  Listed listed;
  action({.world = world, .listener = &listed, .cut = [] { return false; }}, {});
  return listed.list;
}

double Gpus(const double* vector) { return vector[kKaiGpuAt]; }

TEST(KaiNodes, AFirstPartTakesADeviceAndTheLastGivesItBack) {
  Maker maker({2});
  const uint32_t q = maker.AddQueue("q", 2);
  maker.AddJob(q, 0.5, 1, {On(0, KaiStatus::kRunning, {0})});
  maker.AddJob(q, 0.25, 1, {On(0, KaiStatus::kRunning, {0})});
  const auto world = maker.Make();
  EXPECT_EQ(Gpus(world->nodes.idle(0)), 1);
  EXPECT_EQ(Gpus(world->nodes.used(0)), 0);  // a shared device is used by no task as a whole
  world->nodes.Remove(0, 0);
  EXPECT_EQ(Gpus(world->nodes.idle(0)), 1);
  world->nodes.Remove(0, 1);
  EXPECT_EQ(Gpus(world->nodes.idle(0)), 2);
}

TEST(KaiNodes, ADeviceIsReleasedWithItsLastTask) {
  Maker maker({1});
  const uint32_t q = maker.AddQueue("q", 2);
  maker.AddJob(q, 0.5, 1, {On(0, KaiStatus::kReleasing, {0})});
  maker.AddJob(q, 0.25, 1, {On(0, KaiStatus::kRunning, {0})});
  const auto world = maker.Make();
  EXPECT_EQ(Gpus(world->nodes.releasing(0)), 0);
  KaiStatement statement(world.get());
  KaiPod* const pod = world->job(1).pods()[0];
  EXPECT_TRUE(statement.Evict(pod));
  EXPECT_EQ(Gpus(world->nodes.releasing(0)), 1);
  statement.Discard();
  EXPECT_EQ(Gpus(world->nodes.releasing(0)), 0);
  EXPECT_EQ(pod->status, KaiStatus::kRunning);
}

TEST(KaiStatement, APlaceWhereTheTaskWasIsNoEviction) {
  Maker maker({2});
  const uint32_t q = maker.AddQueue("q", 2);
  maker.AddJob(q, 1, 1, {On(0)});
  const auto world = maker.Make();
  KaiPod* const pod = world->job(0).pods()[0];
  KaiStatement statement(world.get());
  statement.Evict(pod);
  EXPECT_EQ(world->tree.allocated(q)[kKaiGpu], 0);
  EXPECT_TRUE(statement.Pipeline(pod, 0, /*update=*/false));
  EXPECT_EQ(pod->status, KaiStatus::kRunning);
  EXPECT_EQ(world->tree.allocated(q)[kKaiGpu], 1);
  Listed listed;
  statement.Commit(&listed, kKaiNone);
  EXPECT_THAT(listed.list, IsEmpty());
}

// The peer takes the node that the task is leaving for one where its eviction can be undone. The
// eviction that it undoes is that of the promise, which others have taken by then.
TEST(KaiStatement, AMovedTaskThatWouldReturnKeepsItsPromise) {
  Maker maker({1, 1});
  const uint32_t q = maker.AddQueue("q", 2);
  maker.AddJob(q, 1, 1, {On(0)});
  maker.AddJob(q, 1, 1, {On(1, KaiStatus::kReleasing)});
  maker.AddJob(q, 1, 1, {Pending()});
  const auto world = maker.Make();
  KaiPod* const moved = world->job(0).pods()[0];
  KaiPod* const other = world->job(2).pods()[0];
  Listed listed;
  KaiStatement first(world.get());
  EXPECT_TRUE(first.Evict(moved));
  EXPECT_TRUE(first.Pipeline(moved, 1, /*update=*/false));
  first.Commit(&listed, kKaiNone);
  EXPECT_EQ(world->nodes.NotAllocated(1, kKaiGpuAt), 0);
  KaiStatement second(world.get());
  EXPECT_TRUE(second.Evict(moved));
  EXPECT_TRUE(second.Pipeline(other, 1, /*update=*/false));
  EXPECT_TRUE(second.Pipeline(moved, 0, /*update=*/false));
  EXPECT_EQ(moved->node, 1U);
  EXPECT_EQ(moved->status, KaiStatus::kPipelined);
  EXPECT_EQ(world->nodes.NotAllocated(1, kKaiGpuAt), -1);
  EXPECT_EQ(world->nodes.NotAllocated(0, kKaiGpuAt), 1);
}

TEST(KaiAllocate, FillsTheFullerNodeFirst) {
  Maker maker({2, 2});
  const uint32_t q = maker.AddQueue("q", 4);
  maker.AddJob(q, 1, 1, {On(1)});
  maker.AddJob(q, 1, 1, {Pending()});
  EXPECT_THAT(RunAction(maker.Make().get(), RunKaiAllocate), ElementsAre("bind 1@1"));
}

TEST(KaiAllocate, AGangIsPlacedWholeOrNotAtAll) {
  Maker maker({1});
  const uint32_t q = maker.AddQueue("q", 2);
  maker.AddJob(q, 1, 2, {Pending(), Pending()});
  EXPECT_THAT(RunAction(maker.Make().get(), RunKaiAllocate), IsEmpty());
}

TEST(KaiAllocate, AGangWaitsAsAWholeForWhatIsReleased) {
  Maker maker({2});
  const uint32_t q = maker.AddQueue("q", 2);
  maker.AddJob(q, 1, 1, {On(0, KaiStatus::kReleasing)});
  maker.AddJob(q, 1, 2, {Pending(), Pending()});
  EXPECT_THAT(RunAction(maker.Make().get(), RunKaiAllocate),
              ElementsAre("pipeline 2@0", "pipeline 1@0"));
}

TEST(KaiAllocate, PartsShareADevice) {
  Maker maker({2});
  const uint32_t q = maker.AddQueue("q", 2);
  maker.AddJob(q, 0.5, 1, {Pending()});
  maker.AddJob(q, 0.5, 1, {Pending()});
  const auto world = maker.Make();
  RunAction(world.get(), RunKaiAllocate);
  EXPECT_EQ(world->pod(0).devices, world->pod(1).devices);
  EXPECT_EQ(Gpus(world->nodes.idle(0)), 1);
}

TEST(KaiReclaim, TakesFromTheQueueBeyondItsQuota) {
  Maker maker({2});
  const uint32_t a = maker.AddQueue("a", 1), b = maker.AddQueue("b", 1);
  maker.AddJob(a, 1, 1, {On(0)});
  maker.AddJob(a, 1, 1, {On(0)});
  maker.AddJob(b, 1, 1, {Pending()});
  EXPECT_THAT(RunAction(maker.Make().get(), RunKaiReclaim),
              ElementsAre("evict 1@0", "pipeline 2@0"));
}

TEST(KaiPreempt, TakesTheLessImportantJobOfTheQueue) {
  Maker maker({2});
  const uint32_t q = maker.AddQueue("q", 2);
  maker.AddJob(q, 1, 1, {On(0)}, /*priority=*/60);
  maker.AddJob(q, 1, 1, {On(0)}, /*priority=*/50);
  maker.AddJob(q, 1, 1, {Pending()}, /*priority=*/75);
  EXPECT_THAT(RunAction(maker.Make().get(), RunKaiPreempt),
              ElementsAre("evict 1@0", "pipeline 2@0"));
}

TEST(KaiConsolidation, MovesAVictimThatFindsAnotherPlace) {
  Maker maker({4, 4});
  const uint32_t q = maker.AddQueue("q", 2);
  maker.AddJob(q, 2, 1, {On(0)});
  maker.AddJob(q, 2, 1, {On(1)});
  maker.AddJob(q, 3, 1, {Pending()});
  // The record of the peer is compared by action, not by the order within one.
  EXPECT_THAT(RunAction(maker.Make().get(), RunKaiConsolidation),
              UnorderedElementsAre("evict 1@0", "pipeline 2@1", "pipeline 1@0"));
}

TEST(KaiConsolidation, LeavesAVictimWithoutAnotherPlace) {
  Maker maker({4, 4});
  const uint32_t q = maker.AddQueue("q", 2);
  maker.AddJob(q, 3, 1, {On(0)});
  maker.AddJob(q, 3, 1, {On(1)});
  maker.AddJob(q, 3, 1, {Pending()});
  EXPECT_THAT(RunAction(maker.Make().get(), RunKaiConsolidation), IsEmpty());
}

}  // namespace
}  // namespace muster::testing
