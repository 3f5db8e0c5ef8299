// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The order of nodes after random changes, against one that is written from its description.
#include "lib/peer/kube_scheduler/node_tree.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "muster/cluster.h"

namespace muster::kube {
namespace {

struct Zone {
  std::string name;
  std::vector<std::string> nodes;
};

// Zones by first arrival, each with its nodes by arrival.
class SlowTree {
 public:
  void Enter(const std::string& node, const std::string& zone) {
    const auto same = [&](const Zone& z) { return z.name == zone; };
    const auto known = std::find_if(zones_.begin(), zones_.end(), same);
    (known == zones_.end() ? zones_.emplace_back(Zone{zone, {}}) : *known).nodes.push_back(node);
  }
  void Leave(const std::string& node) {
    for (Zone& zone : zones_) std::erase(zone.nodes, node);
    std::erase_if(zones_, [](const Zone& zone) { return zone.nodes.empty(); });
  }
  std::vector<std::string> Order() const {
    std::vector<std::string> order;
    for (size_t turn = 0; turn < 100; ++turn) {
      for (const Zone& zone : zones_) {
        if (turn < zone.nodes.size()) order.push_back(zone.nodes[turn]);
      }
    }
    return order;
  }

 private:
  std::vector<Zone> zones_;
};

class NodeTreeTest : public ::testing::Test {
 protected:
  const Tables& tables() { return *ImplOf(cluster_).tables; }
  NodeIndex At(const std::string& node) { return *tables().nodes.names.Find(node); }
  static NodeSpec Spec(const std::string& node, const std::string& zone) {
    return {.name = node, .labels = {{"topology.kubernetes.io/zone", zone}}};
  }
  std::vector<std::string> Order() {
    std::vector<std::string> order;
    for (const NodeIndex n : tree_.Order(tables())) {
      order.emplace_back(tables().nodes.names.name(n));
    }
    return order;
  }

  Cluster cluster_;
  NodeTree tree_;
  SlowTree slow_;
};

TEST_F(NodeTreeTest, GoesInTurnThroughZones) {
  Rng rng(7);
  MemorySlot slot;
  for (int step = 0; step < 600; ++step) {
    const std::string node = "n" + std::to_string(rng.Below(30));
    const std::string zone = "z" + std::to_string(rng.Below(5));
    if (!tables().nodes.names.Find(node)) {
      ASSERT_TRUE(cluster_.AddNode(Spec(node, zone)).ok());
      tree_.Add(tables(), At(node));
      slow_.Enter(node, zone);
    } else if (rng.Below(2) == 0) {
      const std::string before = tables().nodes.spec[At(node)].labels[0].second;
      ASSERT_TRUE(cluster_.UpdateNode(Spec(node, zone)).ok());
      EXPECT_EQ(tree_.Change(tables(), At(node)).spec.labels[0].second, before);
      if (zone != before) {
        slow_.Leave(node);
        slow_.Enter(node, zone);
      }
    } else {
      ASSERT_TRUE(cluster_.RemoveNode(node).ok());
      EXPECT_EQ(tree_.Remove(node).spec.labels.size(), 1u);
      slow_.Leave(node);
    }
    ASSERT_EQ(Order(), slow_.Order()) << "step " << step;
    if (step % 7 != 0) continue;
    // As the next cycle has it.
    EXPECT_TRUE(tree_.changed());
    tree_.Store(&slot);
    tree_ = NodeTree();
    tree_.Load(slot);
    EXPECT_FALSE(tree_.changed());
    tree_.Reconcile(tables());
    EXPECT_FALSE(tree_.changed());
  }
}

// The memory of a cluster may have been written by hand.
TEST_F(NodeTreeTest, ANodeThatARowHasTwiceIsOnceInTheOrder) {
  for (const char* node : {"a", "b", "c"}) ASSERT_TRUE(cluster_.AddNode(Spec(node, "z")).ok());
  tree_.Reconcile(tables());
  MemorySlot slot;
  tree_.Store(&slot);
  WordWriter twice;  // the same seats, and then "a" and "b" in zones of their own
  twice.Append(slot.Text("0000000"));
  for (const char* node : {"a", "b"}) {
    WordWriter row;
    row.Word(node);
    row.Number(7);
    row.Number(9);
    twice.Word(node);
    twice.Word(row.text());
  }
  slot.Set("0000000", {std::string(twice.text())});
  tree_ = NodeTree();
  tree_.Load(slot);
  tree_.Reconcile(tables());
  EXPECT_EQ(Order(), (std::vector<std::string>{"a", "b", "c"}));
}

// As many pods as fit, whatever the memory lists.
TEST_F(NodeTreeTest, ANodeThatARowHasTwiceIsFilledOnce) {
  ASSERT_TRUE(cluster_.AddNode({.name = "a", .capacity = {{"cpu", 4}, {"pods", 100}}}).ok());
  const absl::StatusOr<Plan> first = cluster_.Schedule("kube-scheduler", {});
  ASSERT_TRUE(first.ok()) << first.status();
  const MemorySlot* const slot = first->memory().Find("kube-nodes");
  ASSERT_NE(slot, nullptr);
  const std::string row(slot->Text("0000000"));
  std::string twice = first->memory().ToText();
  const size_t at = twice.find(row);
  ASSERT_NE(at, std::string::npos);
  twice.insert(at, row);
  for (int i = 0; i < 12; ++i) {
    TaskSpec pod;
    pod.name = "p" + std::to_string(i);
    pod.shape.request = {{"cpu", 1}};
    ASSERT_TRUE(cluster_.AddTask(pod).ok());
  }
  ScheduleOptions options;
  const absl::StatusOr<Memory> memory = Memory::Parse(twice);
  ASSERT_TRUE(memory.ok()) << memory.status();
  options.memory = *memory;
  const absl::StatusOr<Plan> plan = Schedule(cluster_.Freeze(), "kube-scheduler", options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->binds().size(), 4u);
}

TEST_F(NodeTreeTest, SharesTheRowsOfNodesThatStay) {
  for (int n = 10; n < 99; ++n) {
    ASSERT_TRUE(cluster_.AddNode(Spec("n" + std::to_string(n), "z")).ok());
  }
  tree_.Reconcile(tables());
  MemorySlot before, after;
  tree_.Store(&before);
  NodeTree next;
  next.Load(before);
  next.Store(&after);
  EXPECT_TRUE(before.rows().SharesAllWith(after.rows()));
  ASSERT_TRUE(cluster_.UpdateNode(Spec("n50", "y")).ok());
  next.Change(tables(), At("n50"));
  next.Store(&after);
  size_t changed = 0;
  for (const auto& [key, row] : before.rows()) changed += after.Find(key) != &row;
  EXPECT_GT(before.rows().size(), 2u);
  EXPECT_EQ(changed, 2u);  // the row with the node, and the numbers of all
}

}  // namespace
}  // namespace muster::kube
