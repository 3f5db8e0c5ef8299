// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How fast quotas and shares answer. Rows:
//   elastic/event/<leaves>         Koordinator's tree, 10 x 10 groups of leaves, two resources: a
//                                  task comes, its leaf's runtime is read
//   elastic/forest/<leaves>/<trees>  as event, where the leaves are in so many trees
//   elastic/leaves/<leaves>        every leaf's runtime read one by one, nothing changed in
//                                  between
//   elastic/all/<leaves>           all groups brought up to date after the total has changed
//   elastic/edit/<leaves>          a leaf's maximum changes
//   elastic/{grow,change,renew,put}/<leaves>/<levels>/<resources>  trees of any shape, weights of 1
//                                                                  to 8: the tree comes to be,
//                                  tasks and all; a task comes and its leaf's runtime is read; all is brought up
//                                  to date after the total has changed; a leaf's maximum changes and its runtime is
//                                  asked for
//   capacity/admit                 a task of a namespace that borrows from ten others
//   capacity/dry_run/{reclaim,own} victims on 1,000 nodes of eight tasks: of borrowers, or of its own namespace
//   drf/pick/<leaves>, hdrf/pick/<leaves>  the next leaf and a task of it, users with a weight
//                                          each; flat, or in groups of
//                                  about the square or cube root of the leaves; picks_per_s
// Counters. ratio: the recorded time of the peer over ours. twin_ratio: the slow twin's time over
// ours.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/thread_clock.h"
#include "lib/peer/koordinator/quota/elastic_forest.h"
#include "lib/peer/koordinator/quota/elastic_tree.h"
#include "lib/peer/scheduler_plugins/capacity_preemption.h"
#include "lib/peer/transwarp/drf_tree.h"
#include "lib/reference/peer/koordinator/elastic_quota.h"
#include "lib/reference/peer/scheduler_plugins/namespace_quotas.h"
#include "lib/reference/peer/transwarp/drf_tree.h"

namespace muster::bench {
namespace {

// Time of an iteration since `before`.
double Spent(const benchmark::State& state, double before) {
  return (Seconds() - before) / static_cast<double>(state.iterations());
}

// The generator with which the peer's figures were made.
class Lcg {
 public:
  explicit Lcg(uint64_t seed) : x_(seed) {}
  int64_t Below(uint64_t n) {
    x_ = x_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((x_ >> 33) % n);
  }

 private:
  uint64_t x_;
};

constexpr int64_t kGi = int64_t{1} << 30;

struct Tree {
  ElasticTree tree{ElasticTree::Options{}};
  std::vector<std::string> leaves;
};

Tree Grown(int64_t leaves) {
  Tree grown;
  const int64_t each = leaves / 100;
  const auto put = [&](const std::string& name, const std::string& parent, int64_t below) {
    QuotaGroup group{.name = name, .parent = parent, .is_parent = below > 1};
    group.max = {{"cpu", 200'000 * below}, {"memory", 400 * kGi * below}};
    group.min = {{"cpu", 10'000 * below}, {"memory", 20 * kGi * below}};
    (void)grown.tree.Put(group);
  };
  Lcg lcg(1);
  int64_t cpu = 0, memory = 0;
  for (int a = 0; a < 10; ++a) {
    const std::string top = "a" + std::to_string(a);
    put(top, "", 10 * each);
    for (int b = 0; b < 10; ++b) {
      const std::string middle = top + "-b" + std::to_string(b);
      put(middle, top, each);
      for (int64_t c = 0; c < each; ++c) {
        grown.leaves.push_back(middle + "-c" + std::to_string(c));
        put(grown.leaves.back(), middle, 1);
      }
    }
  }
  for (const std::string& leaf : grown.leaves) {
    const int64_t cores = lcg.Below(200), gib = lcg.Below(400);
    cpu += cores * 1000;
    memory += gib * kGi;
    (void)grown.tree.AddTask(
        leaf, {.name = "t", .request = {{"cpu", cores * 1000}, {"memory", gib * kGi}}});
  }
  (void)grown.tree.AddTotal({{"cpu", cpu * 2 / 3}, {"memory", memory / 3 * 2}});
  return grown;
}

void ElasticEvent(benchmark::State& state) {
  Tree grown = Grown(state.range(0));
  for (const std::string& leaf : grown.leaves) grown.tree.Refresh(leaf);
  Lcg lcg(7);
  int64_t number = 0;
  const double before = Seconds();
  for (auto _ : state) {
    const std::string& leaf = grown.leaves[static_cast<size_t>(lcg.Below(grown.leaves.size()))];
    const QuotaTask task{
        .name = "u" + std::to_string(number++),
        .request = {{"cpu", 1000 + 1000 * lcg.Below(8)}, {"memory", kGi * (1 + lcg.Below(16))}}};
    (void)grown.tree.AddTask(leaf, task);
    benchmark::DoNotOptimize(grown.tree.Refresh(leaf));
  }
  const double recorded = state.range(0) == 2'000    ? 65.4e-6
                          : state.range(0) == 10'000 ? 202.6e-6
                                                     : 0;
  if (recorded > 0) state.counters["ratio"] = recorded / Spent(state, before);
}
BENCHMARK(ElasticEvent)->Name("elastic/event")->Arg(100)->Arg(2'000)->Arg(10'000);

// The same event where the leaves are in several trees of 10 x 10 groups, the default one and those
// of roots.
void ForestEvent(benchmark::State& state) {
  const int64_t trees = state.range(1), each = state.range(0) / trees / 100;
  ElasticForest forest({});
  std::vector<std::string> leaves;
  const NamedAmounts all = {{"cpu", 60'000 * 100 * each}, {"memory", 120 * kGi * 100 * each}};
  for (int64_t i = 0; i <= trees; ++i) (void)forest.PutNode("n" + std::to_string(i), all);
  Lcg lcg(1);
  for (int64_t t = 0; t < trees; ++t) {
    const std::string id = t == 0 ? "" : "t" + std::to_string(t), top = "top" + std::to_string(t);
    const auto put = [&](const std::string& name, const std::string& parent, int64_t below) {
      QuotaGroup group{.name = name, .parent = parent, .is_parent = below > 1};
      group.max = {{"cpu", 200'000 * below}, {"memory", 400 * kGi * below}};
      group.min = {{"cpu", 10'000 * below}, {"memory", 20 * kGi * below}};
      ForestGroup quota{.group = group, .tree = id};
      if (name == top && t > 0) quota.total = all;
      (void)forest.Put(quota);
    };
    put(top, "", 100 * each);
    for (int64_t b = 0; b < 100; ++b) {
      const std::string middle = top + "-b" + std::to_string(b);
      put(middle, top, each);
      for (int64_t c = 0; c < each; ++c) {
        leaves.push_back(middle + "-c" + std::to_string(c));
        put(leaves.back(), middle, 1);
        const int64_t cores = lcg.Below(200), gib = lcg.Below(400);
        (void)forest.AddTask(
            leaves.back(),
            {.name = "t", .request = {{"cpu", cores * 1000}, {"memory", gib * kGi}}});
      }
    }
    forest.Find(id)->RefreshAll();
  }
  int64_t number = 0;
  for (auto _ : state) {
    const std::string& leaf = leaves[static_cast<size_t>(lcg.Below(leaves.size()))];
    const QuotaTask task{
        .name = "u" + std::to_string(number++),
        .request = {{"cpu", 1000 + 1000 * lcg.Below(8)}, {"memory", kGi * (1 + lcg.Below(16))}}};
    (void)forest.AddTask(leaf, task);
    const ElasticForest::Place place = forest.PlaceOf(leaf);
    benchmark::DoNotOptimize(place.tree->Refresh(place.group));
  }
}
BENCHMARK(ForestEvent)->Name("elastic/forest")->Args({10'000, 1})->Args({10'000, 10});

void ElasticLeaves(benchmark::State& state) {
  Tree grown = Grown(state.range(0));
  for (const std::string& leaf : grown.leaves) grown.tree.Refresh(leaf);
  const double before = Seconds();
  for (auto _ : state) {
    for (const std::string& leaf : grown.leaves) benchmark::DoNotOptimize(grown.tree.Refresh(leaf));
  }
  const double recorded = state.range(0) == 2'000 ? 103e-3 : 0;
  if (recorded > 0) state.counters["ratio"] = recorded / Spent(state, before);
}
BENCHMARK(ElasticLeaves)->Name("elastic/leaves")->Arg(2'000)->Arg(10'000);

void ElasticAll(benchmark::State& state) {
  Tree grown = Grown(state.range(0));
  int64_t step = 1'000;
  for (auto _ : state) {
    (void)grown.tree.AddTotal({{"cpu", step}});
    grown.tree.RefreshAll();
    step = -step;
  }
}
BENCHMARK(ElasticAll)->Name("elastic/all")->Arg(2'000)->Arg(10'000)->Arg(100'000);

void ElasticEdit(benchmark::State& state) {
  Tree grown = Grown(state.range(0));
  Lcg lcg(3);
  for (auto _ : state) {
    const std::string& leaf = grown.leaves[static_cast<size_t>(lcg.Below(grown.leaves.size()))];
    (void)grown.tree.Put({.name = leaf,
                          .parent = leaf.substr(0, leaf.rfind('-')),
                          .max = {{"cpu", 100'000 + lcg.Below(100'000)}, {"memory", 400 * kGi}},
                          .min = {{"cpu", 10'000}, {"memory", 20 * kGi}}});
  }
}
BENCHMARK(ElasticEdit)->Name("elastic/edit")->Arg(2'000)->Arg(10'000);

// A tree as wide on each level as it is deep, with its tasks; and the same for the twin.
struct Shape {
  int64_t leaves, levels, resources;
};

struct Shaped {
  explicit Shaped(const Shape& shape)
      : resources(shape.resources), has_twin(shape.leaves <= kLargestTwin) {
    const double width = std::pow(static_cast<double>(shape.leaves), 1.0 / shape.levels);
    std::vector<std::string> above = {""};
    double wide = 1;
    for (int64_t level = 1; level <= shape.levels; ++level) {
      wide *= width;
      const bool last = level == shape.levels;
      const int64_t count = last ? shape.leaves : std::max<int64_t>(1, std::llround(wide));
      std::vector<std::string> here;
      for (int64_t i = 0; i < count; ++i) {
        QuotaGroup group{.name = "l" + std::to_string(level) + "-" + std::to_string(i),
                         .parent = above[static_cast<size_t>(i) % above.size()],
                         .is_parent = !last};
        const int64_t below = shape.leaves / count;
        group.max = Each([&](int64_t) { return 200'000 * below; });
        group.min = Each([&](int64_t) { return 10'000 * below; });
        group.weight = Each([&](int64_t) { return 1 + lcg.Below(8); });
        Put(group);
        here.push_back(group.name);
        if (last) parents.push_back(group.parent);
      }
      above = std::move(here);
    }
    leaves = std::move(above);
    for (const std::string& leaf : leaves) Add(leaf, 200'000);
    Total(Each([&](int64_t) { return shape.leaves * 66'000; }));
  }

  template <typename Amount>
  NamedAmounts Each(Amount amount) {
    static constexpr const char* kNames[] = {"cpu",  "memory", "gpu",  "disk",
                                             "rdma", "npu",    "fpga", "license"};
    NamedAmounts amounts;
    for (int64_t r = 0; r < resources; ++r) amounts.emplace_back(kNames[r], amount(r));
    return amounts;
  }
  static reference::QuotaAmounts Map(const NamedAmounts& amounts) {
    return {amounts.begin(), amounts.end()};
  }
  void Put(const QuotaGroup& group) {
    (void)tree.Put(group);
    if (!has_twin) return;
    world.groups.push_back({group.name, group.parent, group.lends, Map(group.max), Map(group.min),
                            Map(*group.weight)});
  }
  void Add(const std::string& leaf, uint64_t below) {
    const QuotaTask task{.name = "t",
                         .request = Each([&](int64_t) { return 1 + lcg.Below(below); })};
    (void)tree.AddTask(leaf, task);
    if (!has_twin) return;
    world.tasks.push_back({leaf, Map(task.request), false});
  }
  void Total(const NamedAmounts& delta) {
    (void)tree.AddTotal(delta);
    for (const auto& [name, amount] : delta) world.total[name] += amount;
  }
  const std::string& AnyLeaf() { return leaves[static_cast<size_t>(lcg.Below(leaves.size()))]; }

  static constexpr int64_t kLargestTwin = 1'000;
  int64_t resources;
  bool has_twin;
  Lcg lcg{1};
  ElasticTree tree{ElasticTree::Options{}};
  reference::QuotaWorld world;
  std::vector<std::string> leaves, parents;  // of each leaf
};

void CountTwin(benchmark::State& state, const Shaped& shaped, double spent) {
  if (!shaped.has_twin) return;
  const double before = Seconds();
  benchmark::DoNotOptimize(reference::SettledQuota(shaped.world));
  state.counters["twin_ratio"] = (Seconds() - before) / spent;
}

void ElasticGrow(benchmark::State& state) {
  for (auto _ : state) {
    Shaped shaped({state.range(0), state.range(1), state.range(2)});
    shaped.tree.RefreshAll();
    benchmark::DoNotOptimize(shaped.tree);
  }
}

void ElasticChange(benchmark::State& state) {
  Shaped shaped({state.range(0), state.range(1), state.range(2)});
  shaped.tree.RefreshAll();
  const double before = Seconds();
  int64_t number = 0;
  for (auto _ : state) {
    const QuotaTask task{
        .name = "u" + std::to_string(number++),
        .request = shaped.Each([&](int64_t) { return 1'000 + 1'000 * shaped.lcg.Below(8); })};
    const std::string& leaf = shaped.AnyLeaf();
    (void)shaped.tree.AddTask(leaf, task);
    benchmark::DoNotOptimize(shaped.tree.Refresh(leaf));
  }
  CountTwin(state, shaped, Spent(state, before));
}

void ElasticRenew(benchmark::State& state) {
  Shaped shaped({state.range(0), state.range(1), state.range(2)});
  int64_t step = 1'000;
  const double before = Seconds();
  for (auto _ : state) {
    (void)shaped.tree.AddTotal(shaped.Each([&](int64_t) { return step; }));
    shaped.tree.RefreshAll();
    step = -step;
  }
  CountTwin(state, shaped, Spent(state, before));
}

void ElasticPut(benchmark::State& state) {
  Shaped shaped({state.range(0), state.range(1), state.range(2)});
  shaped.tree.RefreshAll();
  const double before = Seconds();
  for (auto _ : state) {
    const size_t leaf = static_cast<size_t>(shaped.lcg.Below(shaped.leaves.size()));
    QuotaGroup group{.name = shaped.leaves[leaf], .parent = shaped.parents[leaf]};
    group.max = shaped.Each([&](int64_t) { return 100'000 + shaped.lcg.Below(100'000); });
    group.min = shaped.Each([&](int64_t) { return 10'000; });
    group.weight = shaped.Each([&](int64_t) { return 1 + shaped.lcg.Below(8); });
    (void)shaped.tree.Put(group);
    benchmark::DoNotOptimize(shaped.tree.Refresh(group.name));
  }
  CountTwin(state, shaped, Spent(state, before));
}

void Shapes(benchmark::internal::Benchmark* row) {
  for (int64_t leaves : {10, 100, 1'000, 10'000, 100'000}) {
    for (int64_t levels : {3, 6}) {
      for (int64_t resources : {2, 8}) row->Args({leaves, levels, resources});
    }
  }
}
BENCHMARK(ElasticGrow)->Name("elastic/grow")->Apply(Shapes)->Unit(benchmark::kMillisecond);
BENCHMARK(ElasticChange)->Name("elastic/change")->Apply(Shapes)->Unit(benchmark::kMicrosecond);
BENCHMARK(ElasticRenew)->Name("elastic/renew")->Apply(Shapes)->Unit(benchmark::kMicrosecond);
BENCHMARK(ElasticPut)->Name("elastic/put")->Apply(Shapes)->Unit(benchmark::kMicrosecond);

// --- quotas of namespaces

// 1,000 nodes of 32 cpu, 128Gi and 8 GPUs, full of eight tasks each; ten namespaces share them, an
// eleventh is empty.
struct Lent {
  CapacityCluster cluster;
  reference::CapacityWorld slow;
};

void Fill(Lent* lent) {
  const auto slow_of = [](const NamedAmounts& amounts) {
    return reference::CapacityWorld::Amounts(amounts.begin(), amounts.end());
  };
  const NamedAmounts min = {{"cpu", 3'000'000}, {"memory", 12'000 * kGi}, {"gpu", 750}};
  for (int i = 0; i < 11; ++i) {
    const std::string name = "ns" + std::to_string(i);
    (void)lent->cluster.quotas().Add(name, {.min = min});
    lent->slow.quotas[name] = {slow_of(min), {}};
  }
  const NamedAmounts request = {{"cpu", 4'000}, {"memory", 16 * kGi}, {"gpu", 1}};
  for (int i = 0; i < 1'000; ++i) {
    const CapacityNode node{.name = "n" + std::to_string(i),
                            .capacity = {{"cpu", 32'000}, {"memory", 128 * kGi}, {"gpu", 8}}};
    (void)lent->cluster.AddNode(node);
    lent->slow.nodes[node.name] = slow_of(node.capacity);
    for (int k = 0; k < 8; ++k) {
      const CapacityTask task{.name = "t" + std::to_string(8 * i + k),
                              .name_space = "ns" + std::to_string((i + k) % 10),
                              .request = request,
                              .priority = (7 * i + 3 * k) % 5,
                              .started = 8 * i + k};
      (void)lent->cluster.Run(task, node.name);
      (void)lent->cluster.quotas().Use(task.name_space, task.name, request);
      lent->slow.tasks.push_back(
          {task.name, task.name_space, node.name, slow_of(request), task.priority, task.started});
    }
  }
}

CapacityTask Reclaiming() {
  return {.name = "in",
          .name_space = "ns10",
          .request = {{"cpu", 8'000}, {"memory", 32 * kGi}, {"gpu", 2}},
          .priority = 10};
}
CapacityTask Own() {
  return {.name = "in",
          .name_space = "ns0",
          .request = {{"cpu", 4'000}, {"memory", 16 * kGi}, {"gpu", 1}},
          .priority = 10};
}

void CapacityAdmit(benchmark::State& state) {
  Lent lent;
  Fill(&lent);
  const CapacityTask task = Reclaiming();
  const double before = Seconds();
  for (auto _ : state) {
    benchmark::DoNotOptimize(lent.cluster.Admit(*lent.cluster.DemandOf(task)));
  }
  state.counters["ratio"] = 1101e-6 / Spent(state, before);
}
BENCHMARK(CapacityAdmit)->Name("capacity/admit");

void CapacityDryRun(benchmark::State& state, const CapacityTask& task, double recorded) {
  Lent lent;
  Fill(&lent);
  const CapacityCluster::Demand demand = *lent.cluster.DemandOf(task);
  int64_t victims = 0;
  double before = Seconds();
  for (auto _ : state) {
    std::vector<CapacityCluster::DryRunResult> results;
    for (size_t i = 0; i < lent.cluster.nodes(); ++i) {
      results.push_back(lent.cluster.DryRun(demand, i));
      victims += static_cast<int64_t>(results.back().victims.size());
    }
    benchmark::DoNotOptimize(lent.cluster.Choose(results));
  }
  const double spent = Spent(state, before);
  state.counters["victims"] =
      static_cast<double>(victims) / static_cast<double>(state.iterations());
  state.counters["ratio"] = recorded / spent;
  reference::CapacityWorld::Task slow{.name = task.name, .name_space = task.name_space};
  slow.request = {task.request.begin(), task.request.end()};
  slow.priority = task.priority;
  before = Seconds();
  benchmark::DoNotOptimize(lent.slow.DryRun(slow, "n0"));
  state.counters["twin_ratio"] = (Seconds() - before) * 1'000 / spent;
}
BENCHMARK_CAPTURE(CapacityDryRun, reclaim, Reclaiming(), 2.1817)->Name("capacity/dry_run/reclaim");
BENCHMARK_CAPTURE(CapacityDryRun, own, Own(), 1.5755)->Name("capacity/dry_run/own");

// --- turns

void Picks(benchmark::State& state, int levels, DrfForm form) {
  const int64_t leaves = state.range(0);
  const int64_t width = levels == 1 ? leaves : std::llround(std::pow(leaves, 1.0 / levels));
  DrfTree tree({.form = form}, {int64_t{1} << 40, int64_t{1} << 42});
  reference::DrfWorld slow{.capacity = {int64_t{1} << 40, int64_t{1} << 42}, .nodes = {{}}};
  std::vector<DrfTree::Index> groups = {DrfTree::kRoot}, users;
  Lcg lcg(1);
  for (int level = 1; level <= levels; ++level) {
    std::vector<DrfTree::Index> below;
    for (DrfTree::Index group : groups) {
      for (int64_t i = 0; i < width; ++i) {
        reference::DrfWorld::Node node{.weight = 1 + lcg.Below(3)};
        const double weight = static_cast<double>(node.weight);
        if (level == levels) {
          node.task = {1 + lcg.Below(8), 1 + lcg.Below(32)};
          users.push_back(*tree.AddLeaf(group, {node.task, weight}));
        } else {
          below.push_back(*tree.AddGroup(group, weight));
        }
        slow.nodes[group].children.push_back(slow.nodes.size());
        slow.nodes.push_back(node);
      }
    }
    groups = std::move(below);
  }
  benchmark::DoNotOptimize(tree.Next());
  double before = Seconds();
  for (auto _ : state) tree.Start(*tree.Next());
  const double spent = Spent(state, before);
  state.counters["picks_per_s"] = 1 / spent;
  if (leaves > 1'000) return;
  before = Seconds();
  benchmark::DoNotOptimize(slow.Next());
  state.counters["twin_ratio"] = (Seconds() - before) / spent;
}
BENCHMARK_CAPTURE(Picks, drf, 1, DrfForm::kDynamic)->Name("drf/pick")->Arg(1'000)->Arg(10'000);
BENCHMARK_CAPTURE(Picks, two, 2, DrfForm::kDynamic)
    ->Name("hdrf/pick/2_levels")
    ->Arg(1'000)
    ->Arg(10'000);
BENCHMARK_CAPTURE(Picks, three, 3, DrfForm::kDynamic)
    ->Name("hdrf/pick/3_levels")
    ->Arg(1'000)
    ->Arg(100'000);

}  // namespace
}  // namespace muster::bench
