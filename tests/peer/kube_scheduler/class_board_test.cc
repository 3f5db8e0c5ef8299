// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Boards of classes against the search that looks at each node: a plan with a trace goes there for
// every pod. Clusters are drawn so that many nodes are alike, as boards want them, and so that
// states, trees and scans each have their turn.
#include "lib/peer/kube_scheduler/class_board.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/peer/kube_scheduler/class_state.h"
#include "lib/peer/kube_scheduler/run_cycles.h"
#include "muster/cluster.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

int Draw(Rng& rng, int n) { return static_cast<int>(rng.Below(static_cast<uint64_t>(n))); }

void DrawNodes(Rng& rng, int kinds, Cluster* cluster) {
  const int nodes = 8 + Draw(rng, 120), zones = 1 + Draw(rng, 4);
  const bool tainted = Draw(rng, 4) == 0;
  for (int n = 0; n < nodes; ++n) {
    const int kind = Draw(rng, kinds);
    NodeSpec node{.name = "n" + std::to_string(n),
                  .capacity = {{"cpu", 2 + kind}, {"memory", "8Gi"}, {"pods", 10}}};
    if (kind % 3 == 1) node.capacity.emplace_back("nvidia.com/gpu", 4);
    node.labels = {{"topology.kubernetes.io/zone", "z" + std::to_string(Draw(rng, zones))},
                   {"kubernetes.io/hostname", node.name}};
    if (tainted && n % 5 == 0) node.taints = {{.key = "t", .effect = TaintEffect::kNoSchedule}};
    Accept(cluster->AddNode(node));
  }
}

// Gives the pod a label, and maybe a rule about pods with some label.
void DrawTerms(Rng& rng, TaskSpec* pod) {
  pod->shape.labels = {{"app", std::string(1, static_cast<char>('a' + Draw(rng, 4)))}};
  AffinityTerm term;
  term.topology_key = Draw(rng, 3) == 0 ? "topology.kubernetes.io/zone" : "kubernetes.io/hostname";
  term.selector.emplace();
  term.selector->match_labels = {{"app", std::string(1, static_cast<char>('a' + Draw(rng, 4)))}};
  switch (Draw(rng, 8)) {
    case 0:
      pod->shape.required_affinity = {term};
      break;
    case 1:
      pod->shape.preferred_anti_affinity = {{10, term}};
      break;
    case 2:
    case 3:
      pod->shape.required_anti_affinity = {term};
      break;
    default:
      break;
  }
}

void DrawPods(Rng& rng, int classes, int pods, Cluster* cluster) {
  const bool has_terms = Draw(rng, 2) == 0;
  for (int i = 0; i < pods; ++i) {
    const int c = Draw(rng, classes);
    TaskSpec pod{.name = "p" + std::to_string(i)};
    pod.shape.request = {{"cpu", std::to_string(100 + 150 * c) + "m"},
                         {"memory", std::to_string(1 + c % 3) + "Gi"}};
    if (c % 4 == 3) pod.shape.request.emplace_back("nvidia.com/gpu", 1);
    if (c % 5 == 4) pod.shape.request.clear();
    if (has_terms) DrawTerms(rng, &pod);
    Accept(cluster->AddTask(pod));
  }
}

TEST(ClassBoard, ChoosesAsASearchOfEachNode) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    Cluster cluster;
    DrawNodes(rng, /*kinds=*/1 + Draw(rng, 3), &cluster);
    DrawPods(rng, /*classes=*/1 + Draw(rng, 30), /*pods=*/200, &cluster);
    for (const char* options :
         {"percentage=100", "percentage=100,strategy=most", "percentage=0",
          "percentage=100,kubernetes=1.35", "percentage=100,balanced=cpu+memory+nvidia.com/gpu"}) {
      const std::string profile = "kube-scheduler:schedule(" + std::string(options);
      const std::string fast = Decide(cluster, profile + ")");
      EXPECT_FALSE(fast.empty());
      EXPECT_EQ(fast, Decide(cluster, profile + ",trace=on)")) << options << ", seed " << seed;
    }
  }
}

// Each pod is of a kind of its own, so the amounts of nodes never come back. States that no node
// has are forgotten, and the choice stays that of a search.
TEST(ClassBoard, PodsOfEverNewKindsLeaveFewStates) {
  Cluster cluster;
  constexpr int kNodes = 24, kPods = 2000;
  for (int n = 0; n < kNodes; ++n) {
    Accept(cluster.AddNode({.name = "n" + std::to_string(n),
                            .capacity = {{"cpu", 500}, {"memory", "500Gi"}, {"pods", 500}}}));
  }
  for (int i = 0; i < kPods; ++i) {
    TaskSpec pod{.name = "p" + std::to_string(i)};
    pod.shape.request = {{"cpu", std::to_string(1000 + i) + "m"}, {"memory", "1Gi"}};
    Accept(cluster.AddTask(pod));
  }
  const std::string profile = "kube-scheduler:schedule(percentage=100,strategy=most";
  const std::string fast = Decide(cluster, profile + ")");
  EXPECT_EQ(fast, Decide(cluster, profile + ",trace=on)"));

  const Tables& tables = *ImplOf(cluster).tables;
  const auto options = Options::Check("schedule", kube::ScheduleOptionDecls(),
                                      {{"percentage", "100"}, {"strategy", "most"}});
  ASSERT_TRUE(options.ok()) << options.status();
  const kube::Settings settings = kube::Settings::From(*options);
  kube::PodClasses classes(tables);
  kube::World world(&classes);
  std::vector<NodeIndex> order;
  for (NodeIndex n = 0; n < kNodes; ++n) order.push_back(n);
  world.SetOrder(order);
  kube::ClassStates states(&world, &settings);
  uint64_t start = 0;
  std::string slow;
  for (TaskIndex t = 0; t < kPods; ++t) {
    const ClassIndex c = world.class_of(t);
    const std::shared_ptr<kube::ClassState> state = states.At(c);
    ASSERT_TRUE(kube::ClassBoard::Serves(world, c, *state));
    const NodeIndex n = kube::ClassBoard(world, settings, c, state.get()).Choose(&start, kNodes);
    ASSERT_NE(n, kNone);
    world.Add(t, n, 0);
    EXPECT_LE(world.states(), 2u * kNodes + kNodes / 8 + 256 + 1);
    slow += (slow.empty() ? "bind p" : "; bind p") + std::to_string(t) + " n" +
            std::to_string(n.value());
  }
  EXPECT_EQ(fast, slow);
}

}  // namespace
}  // namespace muster::testing
