// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What is remembered between questions, against what is computed anew: how queues stand, and which
// GPUs are free, in random worlds.
#include "lib/peer/kai/job_queue.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/go_heap.h"
#include "lib/base/rng.h"
#include "lib/peer/kai/node_fit.h"
#include "lib/peer/kai/statement.h"

namespace muster::testing {
namespace {

// The order of jobs without any memory: each comparison of two queues judges both.
class PlainJobQueue {
 public:
  PlainJobQueue(const KaiWorld* world, KaiJobQueue::Rules rules)
      : world_(world), rules_(rules), tops_(QueueLess{this}) {
    for (uint32_t q = 0; q < world->tree.queues.size(); ++q) nodes_.emplace_back(this);
  }

  bool empty() const { return tops_.empty(); }

  void Push(const KaiJob* job) {
    uint32_t q = job->facts().queue;
    nodes_[q].jobs.Push(job);
    const auto size = static_cast<int64_t>(nodes_[q].jobs.size());
    if (rules_.depth >= 0 && size > rules_.depth) {
      nodes_[q].jobs.Remove(static_cast<size_t>(rules_.depth));
    }
    for (bool linked = std::exchange(nodes_[q].linked, true); !linked;) {
      const uint32_t parent = Parent(q);
      HeapOf(parent).Push(q);
      if (parent == kKaiNone) break;
      q = parent;
      linked = std::exchange(nodes_[q].linked, true);
    }
    MarkUp(job->facts().queue);
  }

  const KaiJob* Pop() {
    uint32_t q = Top(tops_);
    while (nodes_[q].jobs.empty()) q = Top(nodes_[q].below);
    const KaiJob* const job = nodes_[q].jobs.Pop();
    nodes_[q].taken.push_back(job->allocated());
    while (q != kKaiNone && IsEmpty(q)) {
      HeapOf(Parent(q)).Pop();
      nodes_[q].linked = nodes_[q].misplaced = false;
      q = Parent(q);
    }
    MarkUp(q);
    return job;
  }

 private:
  struct QueueLess {
    PlainJobQueue* queue;
    bool operator()(uint32_t a, uint32_t b) const { return queue->Before(a, b); }
  };
  struct JobLess {
    const PlainJobQueue* queue;
    bool operator()(const KaiJob* a, const KaiJob* b) const {
      return JobBefore(*a, *b) != queue->rules_.victims;
    }
  };
  struct Row {
    explicit Row(PlainJobQueue* queue) : jobs(JobLess{queue}), below(QueueLess{queue}) {}
    GoHeap<const KaiJob*, JobLess> jobs;
    GoHeap<uint32_t, QueueLess> below;
    bool linked = false, misplaced = false;
    std::vector<KaiAmounts> taken;
  };

  static bool JobBefore(const KaiJob& a, const KaiJob& b) {
    if (a.facts().priority != b.facts().priority) return a.facts().priority > b.facts().priority;
    if (a.AtMinimum() != b.AtMinimum()) return a.AtMinimum() < b.AtMinimum();
    if (a.facts().created != b.facts().created) return a.facts().created < b.facts().created;
    return a.facts().uid < b.facts().uid;
  }
  uint32_t Parent(uint32_t q) const { return world_->tree.queues[q].parent; }
  GoHeap<uint32_t, QueueLess>& HeapOf(uint32_t parent) {
    return parent == kKaiNone ? tops_ : nodes_[parent].below;
  }
  bool IsEmpty(uint32_t q) const { return nodes_[q].jobs.empty() && nodes_[q].below.empty(); }
  void MarkUp(uint32_t q) {
    for (; q != kKaiNone; q = Parent(q)) nodes_[q].misplaced = true;
  }
  uint32_t Top(GoHeap<uint32_t, QueueLess>& heap) {
    while (nodes_[heap.elements()[0]].misplaced) {
      const uint32_t q = heap.elements()[0];
      heap.FixTop();
      nodes_[q].misplaced = false;
    }
    return heap.elements()[0];
  }
  bool Before(uint32_t a, uint32_t b) {
    if (IsEmpty(a)) return !rules_.victims;
    if (IsEmpty(b)) return rules_.victims;
    KaiQueueSide sides[2] = {{.queue = a}, {.queue = b}};
    std::vector<KaiAmounts> victims[2];
    for (size_t i = 0; i < 2; ++i) {
      uint32_t leaf = sides[i].queue;
      while (nodes_[leaf].jobs.empty()) leaf = nodes_[leaf].below.elements()[0];
      const KaiJob* const job = nodes_[leaf].jobs.elements()[0];
      if (rules_.victims) {
        victims[i] = nodes_[leaf].taken;
        victims[i].push_back(job->allocated());
        sides[i].victims = victims[i];
      } else {
        sides[i].job = &job->NextRequest(/*real=*/false).amounts;
      }
    }
    return (CompareKaiQueues(world_->tree, sides[0], sides[1], world_->total) < 0) !=
           rules_.victims;
  }

  const KaiWorld* world_;
  const KaiJobQueue::Rules rules_;
  std::vector<Row> nodes_;
  GoHeap<uint32_t, QueueLess> tops_;
};

// Three departments of three queues each; jobs of one to three tasks, half of them running.
std::unique_ptr<KaiWorld> RandomKaiWorld(Rng& rng) {
  KaiFacts facts;
  facts.slice_gpus.assign(4, 0);
  KaiQueueTree tree;
  std::vector<KaiOpening> opening;
  std::vector<uint32_t> leaves;
  const auto draw = [&](uint64_t most) { return static_cast<double>(rng.Below(most + 1)); };
  for (uint32_t d = 0; d < 3; ++d) {
    const uint32_t top = tree.Add({.name = "d" + std::to_string(d)});
    for (uint32_t q = 0; q < 3; ++q) {
      leaves.push_back(tree.Add({.name = "q" + std::to_string(d * 3 + q),
                                 .parent = top,
                                 .priority = 100 + static_cast<int64_t>(rng.Below(2)),
                                 .created = static_cast<int64_t>(rng.Below(2))}));
    }
  }
  for (KaiShares& shares : tree.share) {
    for (KaiShare& share : shares) {
      share = {.deserved = draw(1) - 1, .max_allowed = kKaiUnlimited, .over_quota_weight = 1};
    }
    shares[kKaiGpu].deserved = draw(8);
  }
  for (uint32_t n = 0; n < 6; ++n) {
    KaiNodeFacts node;
    node.name = "n" + std::to_string(n);
    node.allocatable = {1e6, 1e12, 8, 110};
    node.gpu_memory_known = true;
    node.gpus = 8;
    facts.node_origin.push_back(n);
    facts.nodes.push_back(std::move(node));
  }
  facts.allowed = facts.selected = {std::vector<uint8_t>(facts.nodes.size(), 1)};
  for (const double gpus : {0.25, 0.5, 1.0, 2.0}) {
    KaiShape shape;
    shape.gpu = KaiGpuRequestOf(gpus, 0);
    shape.type = gpus < 1 ? KaiRequestType::kFraction : KaiRequestType::kRegular;
    shape.request = {1000, 1e9, KaiGpus(shape.gpu), 1};
    shape.quota = KaiGpuQuota(shape.gpu);
    shape.amounts = facts.Quantify(shape.request.data());
    facts.shapes.push_back(std::move(shape));
  }
  for (uint32_t j = 0; j < 40; ++j) {
    KaiJobFacts job;
    job.queue = leaves[rng.Below(leaves.size())];
    job.priority = 50 + static_cast<int64_t>(rng.Below(2));
    job.preemptible = true;
    job.created = static_cast<int64_t>(rng.Below(4));
    job.uid = j;
    const auto shape = static_cast<uint32_t>(rng.Below(4));
    const auto tasks = static_cast<uint32_t>(1 + rng.Below(3));
    job.groups = {{.name = "", .pod_sets = {1}},
                  {.name = "default",
                   .parent = 0,
                   .is_pod_set = true,
                   .minimum = static_cast<int32_t>(1 + rng.Below(tasks))}};
    job.pod_sets = {1};
    const bool runs = rng.Below(2) == 0;
    for (uint32_t place = 0; place < tasks; ++place) {
      job.tasks.push_back(static_cast<uint32_t>(facts.tasks.size()));
      facts.task_origin.push_back(job.tasks.back());
      facts.tasks.push_back(
          {.shape = shape, .job = j, .place = place, .pod_set = 1, .rank = place});
      KaiOpening& open = opening.emplace_back();
      if (!runs) continue;
      open.status = KaiStatus::kRunning;
      open.node = static_cast<uint32_t>(rng.Below(facts.nodes.size()));
      if (shape < 2) open.devices = {j};
    }
    facts.jobs.push_back(std::move(job));
  }
  return std::make_unique<KaiWorld>(std::move(facts), std::move(tree), std::vector<KaiTopology>{},
                                    opening);
}

TEST(KaiJobQueue, RememberedStandingsChangeNoOrder) {
  Rng rng(5);
  int64_t popped = 0;
  for (int round = 0; round < 300; ++round) {
    const std::unique_ptr<KaiWorld> world = RandomKaiWorld(rng);
    const KaiJobQueue::Rules rules{.victims = rng.Below(2) == 0,
                                   .depth = rng.Below(3) == 0 ? 2 : -1};
    KaiJobQueue kept(world.get(), rules), queue(world.get(), rules);
    for (int turn = 0; turn < 3; ++turn) {  // the queues keep what they remember
      PlainJobQueue plain(world.get(), rules);
      kept.Clear();
      std::vector<const KaiJob*> order;
      for (uint32_t j = 0; j < world->job_count(); ++j) order.push_back(&world->job(j));
      rng.Shuffle(order);
      for (const KaiJob* job : order) {
        if (rules.victims != job->HasActive()) continue;
        kept.Push(job);
        plain.Push(job);
      }
      queue.CopyFrom(kept);
      while (!plain.empty()) {
        ASSERT_FALSE(queue.empty());
        const KaiJob* const job = plain.Pop();
        ASSERT_EQ(queue.Pop()->number(), job->number()) << "round " << round;
        ++popped;
        if (rng.Below(3) == 0) {
          const KaiAmounts amounts = {1000.0 * static_cast<double>(rng.Below(3)), 0,
                                      static_cast<double>(rng.Below(3))};
          world->tree.Charge(job->facts().queue, amounts, /*preemptible=*/true);
        }
      }
      EXPECT_TRUE(queue.empty());
    }
  }
  EXPECT_GT(popped, 5'000);
}

TEST(KaiNodes, FreeGpusAreThoseThatAreCountedAnew) {
  Rng rng(6);
  int64_t changes = 0;
  for (int round = 0; round < 60; ++round) {
    const std::unique_ptr<KaiWorld> world = RandomKaiWorld(rng);
    KaiStatement statement(world.get());
    for (int step = 0; step < 40; ++step) {
      KaiJob& job = world->job(static_cast<uint32_t>(rng.Below(world->job_count())));
      KaiPod* const pod = job.pods()[rng.Below(job.pods().size())];
      const uint64_t kind = rng.Below(8);
      if (kind == 0) statement.Discard();
      if (pod->status == KaiStatus::kRunning) {
        changes += statement.Evict(pod);
      } else if (pod->status == KaiStatus::kPending) {
        if (world->ShapeOf(*pod).shares_gpu()) pod->devices = {world->nodes.NewGroup()};
        const auto node = static_cast<uint32_t>(rng.Below(world->nodes.size()));
        changes += kind < 4 ? statement.Allocate(pod, node)
                            : statement.Pipeline(pod, node, /*update=*/false);
      }
      if (rng.Below(3) != 0) continue;  // several changes may lie between two questions
      const KaiNodes& nodes = world->nodes;
      std::vector<uint32_t> some;
      for (uint32_t n = 0; n < nodes.size(); ++n) {
        const int64_t device = nodes.facts(n).gpu_memory;
        const auto& shared = nodes.groups(n).devices;
        const double idle = KaiIdleGpus(nodes.idle(n)[kKaiGpuAt], shared, device);
        const double leaving = KaiReleasingGpus(nodes.releasing(n)[kKaiGpuAt], shared, device);
        ASSERT_EQ(nodes.FreeGpus(n), idle + leaving) << "round " << round << " step " << step;
        ASSERT_EQ(nodes.HasFreeGpus()[n] != 0, idle > 0 || leaving > 0);
        if (idle + leaving != 0) some.push_back(n);
      }
      ASSERT_EQ(nodes.NodesWithGpus(), some);
    }
  }
  EXPECT_GT(changes, 500);
}

}  // namespace
}  // namespace muster::testing
