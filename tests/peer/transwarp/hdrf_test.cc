// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Policy hdrf: the papers' worked scenarios in whole plans, turns by exact products, and plans
// beside the tree without nodes and jobs.
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/transwarp/drf_tree.h"
#include "tests/support/drf_scenarios.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

constexpr const char* kNames[] = {"cpu", "memory", "nvidia.com/gpu"};
constexpr int64_t kMany = 40;  // tasks, more than any leaf gets

using Shape = DrfShape;

// One node, a queue for each vertex, and a job in each leaf, all in the order of the shapes.
class World {
 public:
  World(const std::vector<int64_t>& capacity, const std::vector<Shape>& shapes) {
    Resources all = {{"pods", 9999}};
    for (size_t r = 0; r < capacity.size(); ++r) all.emplace_back(kNames[r], capacity[r]);
    Accept(cluster_.AddNode({.name = "n", .capacity = all}));
    Grow(shapes, "");
  }

  Cluster& cluster() { return cluster_; }
  const std::vector<std::string>& leaves() const { return leaves_; }

  // The leaf of each bind, in order.
  std::vector<size_t> Turns(const std::string& form) {
    const absl::StatusOr<Plan> plan =
        Schedule(cluster_.Freeze(), "transwarp:actions=allocate,hdrf(form=" + form + ")");
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::vector<size_t> turns;
    for (const Bind& d : plan->binds()) {
      const std::string task(plan->task_name(d.task));
      turns.push_back(std::stoul(task.substr(0, task.find('.'))));
    }
    return turns;
  }
  std::vector<int64_t> Filled(const std::string& form) {
    std::vector<int64_t> tasks(leaves_.size(), 0);
    for (size_t leaf : Turns(form)) ++tasks[leaf];
    return tasks;
  }

 private:
  void Grow(const std::vector<Shape>& shapes, const std::string& parent) {
    for (const Shape& shape : shapes) {
      const std::string queue = "q" + std::to_string(queues_++);
      Accept(cluster_.AddQueue(
          {.name = queue, .parent = parent, .weight = static_cast<int64_t>(shape.weight)}));
      if (shape.task.empty()) {
        Grow(shape.children, queue);
        continue;
      }
      Resources request;
      for (size_t r = 0; r < shape.task.size(); ++r) {
        if (shape.task[r] > 0) request.emplace_back(kNames[r], shape.task[r]);
      }
      const std::string job = std::to_string(leaves_.size()) + ".";
      const int64_t tasks = shape.tasks < 0 ? kMany : shape.tasks;
      AddJob(cluster_, {.name = job, .queue = queue, .min_available = 1}, static_cast<int>(tasks),
             request);
      leaves_.push_back(queue);
    }
  }

  Cluster cluster_;
  std::vector<std::string> leaves_;
  int queues_ = 0;
};

TEST(Hdrf, WorkedScenarios) {
  std::vector<DrfScenario> scenarios = WorkedDrfScenarios();
  scenarios.push_back({"DRF", {9, 18}, {User({1, 4}), User({3, 1})}, {3, 2}, {3, 2}, {3, 2}});
  scenarios.push_back(
      {"weighted DRF", {9, 18}, {User({1, 4}, 2), User({3, 1})}, {4, 1}, {4, 1}, {4, 1}});
  // A queue that requests nothing does not count; in the tree of drf_tree.h it holds its group down
  // in the static form.
  scenarios.push_back({"an idle child",
                       {24},
                       {Team({User({1}, 4), User({1}, 2), User({1}, 4, 0)}, 5), User({1}, 5)},
                       {8, 4, 0, 12},
                       {8, 4, 0, 12},
                       {8, 4, 0, 12}});
  scenarios.push_back({"a child that has all it wants",
                       {24},
                       {Team({User({1}), User({1}, 1, 1)}), User({1})},
                       {11, 1, 12},
                       {21, 1, 2},
                       {11, 1, 12}});
  for (const DrfScenario& s : scenarios) {
    World world(s.capacity, s.shapes);
    EXPECT_EQ(world.Filled("naive"), s.naive) << s.name;
    EXPECT_EQ(world.Filled("static"), s.static_form) << s.name;
    EXPECT_EQ(world.Filled("dynamic"), s.dynamic) << s.name;
  }
}

TEST(Hdrf, WeightsOfZeroGoLastAndLargerPrioritiesFirst) {
  World zero({4}, {User({1}, 0), User({1})});
  for (const char* form : {"naive", "static", "dynamic"}) {
    EXPECT_THAT(zero.Turns(form), ::testing::ElementsAre(1, 1, 1, 1)) << form;
  }
  World two({4}, {User({1}), User({1})});
  Accept(two.cluster().UpdateQueue({.name = "q1", .priority = 1}));
  for (const char* form : {"naive", "static", "dynamic"}) {
    EXPECT_THAT(two.Turns(form), ::testing::ElementsAre(1, 0, 1, 0)) << form;
  }
}

TEST(Hdrf, UnknownFormsAreRefused) {
  EXPECT_EQ(Schedule(Cluster().Freeze(), "transwarp:hdrf(form=other)").status().message(),
            "policy hdrf: option \"form\" is \"other\"; must be one of naive|static|dynamic");
}

// --- random trees

struct RandomTree {
  std::vector<int64_t> capacity;
  std::vector<Shape> shapes;
};
RandomTree SomeTree(uint64_t seed) {
  Rng rng(seed);
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(rng.Below(static_cast<uint64_t>(high - low) + 1));
  };
  const auto user = [&] {
    std::vector<int64_t> task = {between(0, 4), between(0, 4)};
    if (task[0] + task[1] == 0) task[0] = 1;
    return User(task, between(1, 5), between(1, 12));
  };
  const std::function<Shape(int)> vertex = [&](int depth) {
    if (depth == 0 || rng.Chance(0.5)) return user();
    Shape team = Team({}, between(1, 5));
    for (int i = between(1, 3); i > 0; --i) team.children.push_back(vertex(depth - 1));
    return team;
  };
  RandomTree tree{{between(5, 60), between(5, 60)}, {}};
  for (int i = between(1, 4); i > 0; --i) tree.shapes.push_back(vertex(2));
  return tree;
}

// At each bind, in every family on the way from the root: no queue that still gets a task later has
// a smaller share over weight than the one in turn. By products of integers.
TEST(Hdrf, WhoHasTheTurnHasTheSmallestShare) {
  int64_t compared = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    const RandomTree random = SomeTree(seed);
    World world(random.capacity, random.shapes);
    const std::vector<size_t> turns = world.Turns("naive");
    // Vertices in the order of their making; 0 is the root.
    struct Vertex {
      size_t parent;
      int64_t weight;
      std::vector<int64_t> held = {0, 0};
      int later = 0;
    };
    std::vector<Vertex> vertices = {{0, 1}};
    std::vector<std::pair<size_t, std::vector<int64_t>>> leaves;
    const std::function<void(const std::vector<Shape>&, size_t)> grow =
        [&](const std::vector<Shape>& shapes, size_t parent) {
          for (const Shape& shape : shapes) {
            vertices.push_back({parent, static_cast<int64_t>(shape.weight)});
            if (!shape.task.empty()) leaves.emplace_back(vertices.size() - 1, shape.task);
            grow(shape.children, vertices.size() - 1);
          }
        };
    grow(random.shapes, 0);
    for (size_t turn : turns) {
      for (size_t v = leaves[turn].first; v != 0; v = vertices[v].parent) ++vertices[v].later;
    }
    // Whether the share of `a` is at most that of `b`.
    const auto at_most = [&](const Vertex& a, const Vertex& b) {
      for (size_t r = 0; r < 2; ++r) {
        bool below_some = false;
        for (size_t s = 0; s < 2; ++s) {
          below_some |= absl::int128(a.held[r]) * random.capacity[s] * b.weight <=
                        absl::int128(b.held[s]) * random.capacity[r] * a.weight;
        }
        if (!below_some) return false;
      }
      return true;
    };
    for (size_t turn : turns) {
      for (size_t v = leaves[turn].first; v != 0; v = vertices[v].parent) {
        for (size_t other = 1; other < vertices.size(); ++other) {
          if (vertices[other].parent != vertices[v].parent || vertices[other].later == 0) continue;
          ++compared;
          EXPECT_TRUE(at_most(vertices[v], vertices[other])) << "seed " << seed;
        }
      }
      for (size_t v = leaves[turn].first; v != 0; v = vertices[v].parent) {
        --vertices[v].later;
        for (size_t r = 0; r < 2; ++r) vertices[v].held[r] += leaves[turn].second[r];
      }
    }
  }
  EXPECT_GT(compared, 5000);
}

// lib/quota's tree has the same picks, where no shares are equal but for rounding: naive shares of
// the tree that are equal are so exactly here.
TEST(Hdrf, PlansAreThoseOfTheTreeOfShares) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    const RandomTree random = SomeTree(seed);
    World world(random.capacity, random.shapes);
    DrfTree tree({.form = DrfForm::kNaive}, {random.capacity[0], random.capacity[1]});
    std::map<DrfTree::Index, size_t> leaves;
    const std::function<void(const std::vector<Shape>&, DrfTree::Index)> grow = [&](const std::
                                                                                        vector<
                                                                                            Shape>&
                                                                                            shapes,
                                                                                    DrfTree::Index
                                                                                        parent) {
      for (const Shape& shape : shapes) {
        if (shape.task.empty()) {
          grow(shape.children, *tree.AddGroup(parent, shape.weight));
          continue;
        }
        const DrfTree::Index leaf = *tree.AddLeaf(parent, {shape.task, shape.weight, shape.tasks});
        leaves.emplace(leaf, leaves.size());
      }
    };
    grow(random.shapes, DrfTree::kRoot);
    std::vector<size_t> picks;
    while (const auto next = tree.Next()) {
      tree.Start(*next);
      picks.push_back(leaves.at(*next));
    }
    EXPECT_EQ(world.Turns("naive"), picks) << "seed " << seed;
  }
}

}  // namespace
}  // namespace muster::testing
