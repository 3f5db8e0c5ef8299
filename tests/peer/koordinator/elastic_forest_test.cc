// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/quota/elastic_forest.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/koordinator/quota/quota_profile.h"
#include "lib/reference/peer/koordinator/elastic_quota.h"
#include "tests/support/quota_amounts.h"

namespace muster {
namespace {

constexpr int64_t kForestMost = std::numeric_limits<int64_t>::max();

int64_t TotalOf(ElasticForest& forest, const std::string& tree) {
  return CpuOf(forest.Find(tree)->Refresh(kRootQuota));
}

int64_t UsedIn(const ElasticForest& forest, const std::string& tree, std::string_view group) {
  return forest.Find(tree)->Find(group)->used.at(0);
}

ForestGroup Root(const std::string& name, const std::string& tree, int64_t total) {
  return {.group = {.name = name, .is_parent = true, .max = Cpu(200), .min = Cpu(200)},
          .tree = tree,
          .total = Cpu(total)};
}

ForestGroup Leaf(const std::string& name, const std::string& parent, const std::string& tree) {
  return {.group = {.name = name, .parent = parent, .max = Cpu(100), .min = Cpu(40)}, .tree = tree};
}

// Koordinator's own example of a root that comes, grows and goes.
TEST(ElasticForest, TheDefaultTreeGoesWithoutWhatRootsHave) {
  ElasticForest forest({});
  for (const char* node : {"n1", "n2", "n3"}) ASSERT_TRUE(forest.PutNode(node, Cpu(100)).ok());
  EXPECT_EQ(TotalOf(forest, ""), 300);
  ASSERT_TRUE(forest.Put(Root("pool", "a", 200)).ok());
  EXPECT_EQ(TotalOf(forest, "a"), 200);
  EXPECT_EQ(TotalOf(forest, ""), 100);
  ASSERT_TRUE(forest.Put(Root("pool", "a", 250)).ok());
  EXPECT_EQ(TotalOf(forest, "a"), 250);
  EXPECT_EQ(TotalOf(forest, ""), 50);
  // An edit of something else leaves the total as it was.
  ForestGroup edited = Root("pool", "a", 0);
  edited.total.reset();
  edited.group.max = Cpu(500);
  ASSERT_TRUE(forest.Put(edited).ok());
  EXPECT_EQ(TotalOf(forest, "a"), 250);
  ASSERT_TRUE(forest.Remove("pool").ok());
  EXPECT_EQ(TotalOf(forest, ""), 300);
  EXPECT_EQ(forest.Find("a"), nullptr);
  EXPECT_EQ(forest.Trees(), std::vector<std::string>{""});
}

TEST(ElasticForest, ARootNeedNotTakeFromTheDefaultTree) {
  ElasticForest forest({});
  ASSERT_TRUE(forest.PutNode("n", Cpu(300)).ok());
  ForestGroup root = Root("pool", "a", 200);
  root.takes_from_default = false;
  ASSERT_TRUE(forest.Put(root).ok());
  EXPECT_EQ(TotalOf(forest, "a"), 200);
  EXPECT_EQ(TotalOf(forest, ""), 300);
  root.takes_from_default = true;
  ASSERT_TRUE(forest.Put(root).ok());
  EXPECT_EQ(TotalOf(forest, ""), 100);
  root.takes_from_default = false;
  ASSERT_TRUE(forest.Put(root).ok());
  EXPECT_EQ(TotalOf(forest, ""), 300);
  ASSERT_TRUE(forest.Remove("pool").ok());
  EXPECT_EQ(TotalOf(forest, ""), 300);
}

TEST(ElasticForest, NodesComeChangeAndGo) {
  ElasticForest forest({});
  ASSERT_TRUE(forest.PutNode("n", Cpu(100)).ok());
  ASSERT_TRUE(forest.PutNode("n", Cpu(100)).ok());
  EXPECT_EQ(TotalOf(forest, ""), 100);
  ASSERT_TRUE(forest.PutNode("n", {{"memory", 5}, {"cpu", 60}}).ok());
  EXPECT_EQ(TotalOf(forest, ""), 60);
  forest.RemoveNode("m");
  forest.RemoveNode("n");
  forest.RemoveNode("n");
  EXPECT_EQ(TotalOf(forest, ""), 0);
}

// Koordinator's test of a task that changes its group: from none to one tree, to another, and back.
TEST(ElasticForest, TasksGoFromTreeToTree) {
  for (const bool takes_strangers : {true, false}) {
    SCOPED_TRACE(takes_strangers);
    ElasticForest forest(
        {.tree = {.default_max = Cpu(kForestMost)}, .takes_strangers = takes_strangers});
    for (const char* i : {"1", "2"}) {
      ASSERT_TRUE(forest.Put(Root(absl::StrCat("g", i), absl::StrCat("t", i), 10)).ok());
    }
    const QuotaTask task{.name = "task", .request = Cpu(1), .assigned = true};
    const auto used = [&] {
      return std::vector<int64_t>{UsedIn(forest, "", kDefaultQuota), UsedIn(forest, "t1", "g1"),
                                  UsedIn(forest, "t2", "g2")};
    };
    const int64_t stranger = takes_strangers ? 1 : 0;
    ASSERT_TRUE(forest.AddTask("", task).ok());
    EXPECT_EQ(used(), (std::vector<int64_t>{stranger, 0, 0}));
    ASSERT_TRUE(forest.UpdateTask("", task, "g1", task).ok());
    EXPECT_EQ(used(), (std::vector<int64_t>{0, 1, 0}));
    ASSERT_TRUE(forest.UpdateTask("g1", task, "g2", task).ok());
    EXPECT_EQ(used(), (std::vector<int64_t>{0, 0, 1}));
    ASSERT_TRUE(forest.UpdateTask("g2", task, "nobody's", task).ok());
    EXPECT_EQ(used(), (std::vector<int64_t>{stranger, 0, 0}));
    ASSERT_TRUE(forest.RemoveTask("no such group", task).ok());
    EXPECT_EQ(used(), (std::vector<int64_t>{0, 0, 0}));
  }
}

TEST(ElasticForest, ReservesAndAdmitsInTheTreeOfTheGroup) {
  ElasticForest forest({});
  ASSERT_TRUE(forest.Put(Root("pool", "a", 50)).ok());
  ASSERT_TRUE(forest.Put(Leaf("g", "pool", "a")).ok());
  const QuotaTask task{.name = "task", .request = Cpu(30)};
  ASSERT_TRUE(forest.AddTask("g", task).ok());
  EXPECT_FALSE(forest.MayFitWithout("g", "g", "task", false));
  ASSERT_TRUE(forest.Reserve("g", task).ok());
  EXPECT_EQ(UsedIn(forest, "a", "g"), 30);
  ASSERT_TRUE(forest.AddTask("g", {.name = "other", .request = Cpu(30)}).ok());
  const ElasticForest::Place place = forest.PlaceOf("g");
  ASSERT_EQ(place.tree, forest.Find("a"));
  using Verdict = ElasticTree::Admission::Verdict;
  const auto admits = [&](int64_t cpu) {
    return place.tree->Admit(place.group, *place.tree->Intern(Cpu(cpu)), true, {}).verdict;
  };
  EXPECT_EQ(admits(20), Verdict::kFits);
  EXPECT_EQ(admits(21), Verdict::kAboveRuntime);
  ASSERT_TRUE(forest.Unreserve("g", task).ok());
  EXPECT_EQ(admits(21), Verdict::kFits);
}

TEST(ElasticForest, RefusesWhatWouldTangleItsTrees) {
  ElasticForest forest({});
  ASSERT_TRUE(forest.PutNode("n", Cpu(300)).ok());
  ASSERT_TRUE(forest.Put(Root("pool", "a", 100)).ok());
  ASSERT_TRUE(forest.Put(Leaf("g", "pool", "a")).ok());
  const auto message = [](const absl::Status& status) { return std::string(status.message()); };
  EXPECT_EQ(message(forest.Put(Leaf("g", "", "b"))), "quota \"g\": tree \"a\" cannot become \"b\"");
  EXPECT_EQ(message(forest.Put(Leaf("h", "pool", "b"))),
            "quota \"h\": parent \"pool\" is in tree \"a\", not in \"b\"");
  EXPECT_EQ(message(forest.Put(Root("second", "a", 10))),
            "quota \"second\": tree \"a\" has the root \"pool\" already");
  EXPECT_EQ(message(forest.Put(Root("second", "", 10))),
            "quota \"second\": the total of the default tree is that of its nodes");
  EXPECT_EQ(message(forest.Put(Root("second", "b", -1))),
            "quota \"second\": total: must not be below zero");
  ForestGroup twice = Root("second", "b", 1);
  twice.total->emplace_back("cpu", 2);
  EXPECT_EQ(message(forest.Put(twice)), "quota \"second\": total: resource \"cpu\" is named twice");
  EXPECT_EQ(message(forest.Put(Leaf("h", "nowhere", "b"))),
            "quota \"h\": parent \"nowhere\" does not exist");
  for (const std::string_view name : {kRootQuota, kSystemQuota, kDefaultQuota}) {
    EXPECT_FALSE(forest.Put(Leaf(std::string(name), "", "b")).ok());
    EXPECT_FALSE(forest.Put(Leaf(std::string(name), "", "")).ok());
    EXPECT_FALSE(forest.Remove(name).ok());
  }
  EXPECT_EQ(message(forest.Remove("pool")), "quota \"pool\": tree \"a\" still has quota \"g\"");
  EXPECT_EQ(message(forest.Remove("nowhere")), "quota \"nowhere\": does not exist");
  EXPECT_EQ(message(forest.PutNode("", Cpu(1))), "node \"\": a name is required");
  EXPECT_EQ(message(forest.PutNode("n", Cpu(-1))),
            "node \"n\": allocatable must not be below zero");
  // None of that left anything behind.
  EXPECT_EQ(forest.Trees(), (std::vector<std::string>{"", "a"}));
  EXPECT_EQ(TotalOf(forest, ""), 200);
  EXPECT_EQ(TotalOf(forest, "a"), 100);
  EXPECT_EQ(forest.PlaceOf("h").tree, forest.Find(""));
}

TEST(ElasticForest, ATaskThatAnotherTreeCannotHoldStays) {
  ElasticForest forest({});
  ASSERT_TRUE(forest.Put(Leaf("x", "", "a")).ok());
  ASSERT_TRUE(forest.Put(Leaf("y", "", "b")).ok());
  const QuotaTask task{.name = "task", .request = Cpu(7), .assigned = true};
  ASSERT_TRUE(forest.AddTask("x", task).ok());
  QuotaTask wide{.name = "task"};
  for (int i = 0; i < 65; ++i) wide.request.emplace_back(absl::StrCat("r", i), 1);
  EXPECT_EQ(forest.UpdateTask("x", task, "y", wide).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(UsedIn(forest, "a", "x"), 7);
}

// Roots may claim more than there is, up to the last number.
TEST(ElasticForest, ADefaultTreeWithLessThanNothingHandsOutNone) {
  ElasticForest forest({});
  ASSERT_TRUE(forest.PutNode("n", Cpu(100)).ok());
  ASSERT_TRUE(forest.Put(Leaf("g", "", "")).ok());
  ASSERT_TRUE(forest.AddTask("g", {.name = "task", .request = Cpu(50)}).ok());
  for (const char* i : {"1", "2", "3"}) {
    ASSERT_TRUE(forest.Put(Root(absl::StrCat("r", i), absl::StrCat("t", i), kForestMost)).ok());
  }
  EXPECT_EQ(TotalOf(forest, "t3"), kForestMost);
  EXPECT_EQ(CpuOf(forest.Find("")->Refresh("g")), 0);
  for (const char* i : {"1", "2", "3"}) ASSERT_TRUE(forest.Remove(absl::StrCat("r", i)).ok());
  EXPECT_EQ(TotalOf(forest, ""), 100);
  EXPECT_EQ(CpuOf(forest.Find("")->Refresh("g")), 50);
}

TEST(ElasticForest, ATreeBeginsWithItsFirstGroupAndAGroupMayComeAgain) {
  ElasticForest forest({});
  ASSERT_TRUE(forest.Put(Leaf("x", "", "a")).ok());
  EXPECT_EQ(TotalOf(forest, "a"), 0);
  ASSERT_TRUE(forest.Put(Root("pool", "a", 30)).ok());
  EXPECT_EQ(TotalOf(forest, "a"), 30);
  ASSERT_TRUE(forest.Remove("x").ok());
  ASSERT_TRUE(forest.Remove("pool").ok());
  ASSERT_TRUE(forest.Put(Leaf("x", "", "b")).ok());
  ASSERT_TRUE(forest.Remove("x").ok());
  // Never had a root: it stays.
  EXPECT_EQ(forest.Trees(), (std::vector<std::string>{"", "b"}));
}

// Koordinator's hints, case for case.
TEST(ElasticForest, WhoMayTryAgainOnceATaskIsGone) {
  ElasticForest forest({});
  ASSERT_TRUE(forest.Put(Leaf("parent", "", "a")).ok());
  ASSERT_TRUE(forest.Put(Leaf("child", "parent", "a")).ok());
  ASSERT_TRUE(forest.Put(Leaf("sibling", "", "a")).ok());
  ASSERT_TRUE(forest.Put(Leaf("far", "", "b")).ok());
  for (const char* group : {"parent", "child", "sibling", "far", ""}) {
    ASSERT_TRUE(forest.AddTask(group, {.name = "t", .request = Cpu(1), .assigned = true}).ok());
  }
  for (const bool asks_parents : {false, true}) {
    EXPECT_TRUE(forest.MayFitWithout("child", "child", "t", asks_parents));
    EXPECT_EQ(forest.MayFitWithout("child", "parent", "t", asks_parents), asks_parents);
    EXPECT_FALSE(forest.MayFitWithout("parent", "child", "t", asks_parents));
    EXPECT_FALSE(forest.MayFitWithout("child", "sibling", "t", asks_parents));
    EXPECT_FALSE(forest.MayFitWithout("child", "far", "t", asks_parents));
    EXPECT_FALSE(forest.MayFitWithout("child", "", "t", asks_parents));
    EXPECT_TRUE(forest.MayFitWithout("", "", "t", asks_parents));
    EXPECT_FALSE(forest.MayFitWithout("child", "child", "not there", asks_parents));
  }
  ElasticForest strict({.takes_strangers = false});
  EXPECT_FALSE(strict.MayFitWithout("", "", "t", true));
}

TEST(ElasticForest, WhoMayTryAgainAfterAnEdit) {
  ElasticForest forest({});
  const ForestGroup parent = Leaf("parent", "", "a"), child = Leaf("child", "parent", "a");
  ASSERT_TRUE(forest.Put(parent).ok());
  ASSERT_TRUE(forest.Put(child).ok());
  ForestGroup more = parent;
  more.group.max = Cpu(101);
  EXPECT_TRUE(forest.MayFitAfter("child", parent, more, true));
  EXPECT_FALSE(forest.MayFitAfter("child", parent, more, false));
  EXPECT_TRUE(forest.MayFitAfter("parent", parent, more, false));
  EXPECT_FALSE(forest.MayFitAfter("", parent, more, true));
  EXPECT_FALSE(forest.MayFitAfter("parent", parent, parent, true));
  // What is written otherwise and means the same is no change; each of these is one.
  ForestGroup same = parent;
  same.group.parent = kRootQuota;
  same.group.weight = Cpu(100);
  EXPECT_FALSE(forest.MayFitAfter("parent", parent, same, false));
  same.group.weight = Cpu(0);
  EXPECT_FALSE(forest.MayFitAfter("parent", parent, same, false));
  same.group.weight = Cpu(7);
  EXPECT_TRUE(forest.MayFitAfter("parent", parent, same, false));
  ForestGroup lends = parent;
  lends.group.lends = false;
  EXPECT_TRUE(forest.MayFitAfter("parent", parent, lends, false));
  ForestGroup far = more;
  far.tree = "b";
  EXPECT_FALSE(forest.MayFitAfter("parent", parent, far, true));
  ForestGroup unknown = more;
  unknown.group.name = "unknown";
  EXPECT_FALSE(forest.MayFitAfter("child", parent, unknown, true));
}

// --- profiles

TEST(QuotaProfile, ARootHasAPartOfItsNodes) {
  const std::vector<ProfiledNode> nodes = {
      {.allocatable = {{"cpu", 10000}, {"memory", 1000}, {"storage", 999}}},
      {.allocatable = {{"cpu", 10000}, {"memory", 1000}}, .takes_tasks = false}};
  const absl::StatusOr<ProfiledRoot> made =
      RootOf({.name = "profile1", .group = "pool", .ratio = 0.9}, nodes);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->root.tree, "2862972692226656278");
  EXPECT_EQ(*made->root.total, (NamedAmounts{{"cpu", 18000}, {"memory", 1800}, {"storage", 899}}));
  EXPECT_EQ(made->idle, (NamedAmounts{{"cpu", 9000}, {"memory", 900}}));
  EXPECT_EQ(made->root.group.min, (NamedAmounts{{"cpu", 18000}, {"memory", 1800}}));
  EXPECT_EQ(made->root.group.max,
            (NamedAmounts{{"cpu", kForestMost / 2000 * 1000}, {"memory", kForestMost / 2000}}));
  ElasticForest forest({});
  ASSERT_TRUE(forest.Put(made->root).ok());
  EXPECT_EQ(TotalOf(forest, made->root.tree), 18000);
}

TEST(QuotaProfile, NamesTreesAsThePeerDoes) {
  EXPECT_EQ(TreeOf({.name = "profile2"}), "2862971592715028067");
  EXPECT_EQ(TreeOf({.name = "profile2", .tree = "mine"}), "mine");
  EXPECT_NE(TreeOf({.name_space = "a", .name = "b"}), TreeOf({.name = "b"}));
}

TEST(QuotaProfile, ResourcesOfNoNodeAndEveryNode) {
  const absl::StatusOr<ProfiledRoot> made =
      RootOf({.name = "p", .tree = "t", .group = "pool", .resources = {"gpu"}}, {});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->root.group.min, (NamedAmounts{{"gpu", 0}}));
  EXPECT_TRUE(made->root.total->empty());
  const std::vector<ProfiledNode> large(3, {.allocatable = Cpu(kForestMost)});
  EXPECT_EQ(*RootOf({.name = "p", .group = "pool"}, large)->root.total, Cpu(kForestMost));
}

TEST(QuotaProfile, RefusesWhatIsNoProfile) {
  const auto message = [](const QuotaProfile& profile, const std::vector<ProfiledNode>& nodes) {
    return std::string(RootOf(profile, nodes).status().message());
  };
  EXPECT_EQ(message({.name = "p"}, {}), "profile \"p\": the name of a root is required");
  for (const double ratio : {0.0, -1.0, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(RootOf({.name = "p", .group = "g", .ratio = ratio}, {}).ok()) << ratio;
  }
  EXPECT_EQ(message({.name = "p", .group = "g"}, {{.allocatable = Cpu(-1)}}),
            "profile \"p\": a node: cpu must not be below zero");
  EXPECT_EQ(message({.name = "p", .group = "g"}, {{.allocatable = {{"cpu", 1}, {"cpu", 1}}}}),
            "profile \"p\": a node: resource \"cpu\" is named twice");
}

// --- random forests against a twin of each tree, which is told what the tree should have

class RandomForest {
 public:
  explicit RandomForest(uint64_t seed) : rng_(seed), forest_({.tree = {.default_max = Wide()}}) {
    trees_[""];
  }

  void Run() {
    for (int step = 0; step < 40; ++step) {
      switch (rng_.Below(10)) {
        case 0:
        case 1:
          PutNode();
          break;
        case 2:
          PutRoot();
          break;
        case 3:
        case 4:
          AddGroup();
          break;
        case 5:
          Remove();
          break;
        case 6:
          MoveTask();
          break;
        default:
          AddTask();
      }
      Compare(step);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }

 private:
  struct Task {
    std::string group;
    QuotaTask task;
  };
  struct Tree {
    std::string root;
    int64_t total = 0;
    bool takes_from_default = true;
    bool had_any = false;
    std::vector<reference::QuotaWorld::Group> groups;
  };

  static NamedAmounts Wide() { return {{"cpu", kForestMost / 5}, {"gpu", kForestMost / 5}}; }
  static NamedAmounts Both(int64_t amount) { return {{"cpu", amount}, {"gpu", amount / 4}}; }
  static reference::QuotaAmounts Map(const NamedAmounts& amounts) {
    return {amounts.begin(), amounts.end()};
  }
  int64_t Some(uint64_t below) { return static_cast<int64_t>(rng_.Below(below)); }

  void PutNode() {
    const std::string name = absl::StrCat("n", rng_.Below(4));
    if (rng_.Chance(0.2)) {
      forest_.RemoveNode(name);
      nodes_.erase(name);
      return;
    }
    const int64_t amount = 100 + Some(400);
    ASSERT_TRUE(forest_.PutNode(name, Both(amount)).ok());
    nodes_[name] = amount;
  }

  void PutRoot() {
    const std::string id = absl::StrCat("t", rng_.Below(3));
    Tree& tree = trees_[id];
    const std::string name = absl::StrCat("root-", id);
    const int64_t total = Some(300);
    const bool takes = rng_.Chance(0.8);
    Put(id, {.name = name, .is_parent = true, .max = Both(400), .min = Both(Some(100))}, total,
        takes);
    tree.root = name;
    tree.total = total;
    tree.takes_from_default = takes;
  }

  void AddGroup() {
    const std::string id = rng_.Chance(0.3) ? "" : absl::StrCat("t", rng_.Below(3));
    const Tree& tree = trees_[id];
    QuotaGroup group{.name = absl::StrCat("g", next_++), .lends = rng_.Chance(0.7)};
    if (!tree.groups.empty() && rng_.Chance(0.6)) {
      group.parent = tree.groups[rng_.Below(tree.groups.size())].name;
    }
    group.is_parent = true;
    group.max = Both(20 + Some(200));
    group.min = Both(Some(20));
    Put(id, group, std::nullopt, true);
  }

  void Put(const std::string& id, const QuotaGroup& group, std::optional<int64_t> total,
           bool takes) {
    ForestGroup quota{.group = group, .tree = id, .takes_from_default = takes};
    if (total.has_value()) quota.total = Both(*total);
    ASSERT_TRUE(forest_.Put(quota).ok());
    // What a group that does not lend requests is told with its next request.
    const QuotaTask passing{.name = "passing", .request = Both(4)};
    ASSERT_TRUE(forest_.AddTask(group.name, passing).ok());
    ASSERT_TRUE(forest_.RemoveTask(group.name, passing).ok());
    const reference::QuotaWorld::Group known{group.name,     group.parent,   group.lends,
                                             Map(group.max), Map(group.min), Map(group.max)};
    for (auto& other : trees_[id].groups) {
      if (other.name == group.name) {
        other = known;
        return;
      }
    }
    trees_[id].groups.push_back(known);
    tree_of_[group.name] = id;
  }

  // A group without tasks and children, and with a root its tree.
  void Remove() {
    if (tree_of_.empty()) return;
    auto at = tree_of_.begin();
    std::advance(at, static_cast<ptrdiff_t>(rng_.Below(tree_of_.size())));
    const auto [name, id] = *at;
    Tree& tree = trees_[id];
    const bool is_root = name == tree.root;
    for (const auto& group : tree.groups) {
      const bool is_other = group.name != name;
      if ((is_other && (is_root || group.parent == name)) || (!is_other && !group.lends)) return;
    }
    for (const Task& task : tasks_) {
      if (task.group == name) return;
    }
    ASSERT_TRUE(forest_.Remove(name).ok());
    std::erase_if(tree.groups, [&, gone = name](const auto& group) { return group.name == gone; });
    if (is_root) trees_.erase(id);
    tree_of_.erase(at);
  }

  std::string SomeGroup() {
    if (tree_of_.empty() || rng_.Chance(0.1)) return "nobody's";
    auto at = tree_of_.begin();
    std::advance(at, static_cast<ptrdiff_t>(rng_.Below(tree_of_.size())));
    return at->first;
  }

  void AddTask() {
    Task task{SomeGroup(),
              {.name = absl::StrCat("task", next_++),
               .request = Both(Some(60)),
               .assigned = rng_.Chance(0.5)}};
    ASSERT_TRUE(forest_.AddTask(task.group, task.task).ok());
    tasks_.push_back(std::move(task));
  }

  void MoveTask() {
    if (tasks_.empty()) return;
    const size_t i = rng_.Below(tasks_.size());
    Task& task = tasks_[i];
    if (rng_.Chance(0.3)) {
      ASSERT_TRUE(forest_.RemoveTask(task.group, task.task).ok());
      tasks_.erase(tasks_.begin() + static_cast<ptrdiff_t>(i));
      return;
    }
    Task moved{SomeGroup(), task.task};
    // Within a group it is the same task; elsewhere it comes as what it is.
    moved.task.request = Both(Some(60));
    ASSERT_TRUE(forest_.UpdateTask(task.group, task.task, moved.group, moved.task).ok());
    task = std::move(moved);
  }

  // The twin of one tree: its total and tasks counted anew.
  reference::QuotaWorld WorldOf(const std::string& id, Tree& tree) const {
    reference::QuotaWorld world;
    world.groups = tree.groups;
    int64_t cpu = tree.total, gpu = tree.total / 4;
    if (id.empty()) {
      for (const auto& [name, amount] : nodes_) cpu += amount, gpu += amount / 4;
      for (const auto& [other, root] : trees_) {
        if (!other.empty() && root.takes_from_default) cpu -= root.total, gpu -= root.total / 4;
      }
    }
    for (const Task& task : tasks_) {
      const auto known = tree_of_.find(task.group);
      if (known != tree_of_.end() && known->second == id) {
        world.tasks.push_back({task.group, Map(task.task.request), task.task.assigned});
      } else if (known == tree_of_.end() && id.empty() && task.task.assigned) {
        cpu -= CpuOf(task.task.request);  // what tasks of no group use is not handed out
        gpu -= task.task.request[1].second;
      }
    }
    // Of what was never there at all a tree does not know that it has none of it: nothing shrinks
    // then.
    tree.had_any |= cpu != 0 || gpu != 0;
    if (tree.had_any) world.total = {{"cpu", cpu}, {"gpu", gpu}};
    return world;
  }

  void Compare(int step) {
    ASSERT_EQ(forest_.Trees().size(), trees_.size());
    for (auto& [id, tree] : trees_) {
      const reference::QuotaWorld world = WorldOf(id, tree);
      ElasticTree* ours = forest_.Find(id);
      ASSERT_NE(ours, nullptr) << id;
      const auto plain = [](const reference::QuotaAmounts& amounts) {
        std::map<std::string, int64_t> some;
        for (const auto& [name, amount] : amounts) {
          if (amount != 0) some[name] = amount;
        }
        return some;
      };
      const auto named = [&](const Sparse& amounts) { return plain(Map(ours->Named(amounts))); };
      ours->RefreshAll();
      ASSERT_EQ(plain(Map(ours->Refresh(kRootQuota))), plain(world.total))
          << id << " step " << step;
      // Of less than nothing the twin knows no shares.
      const bool is_sound = std::all_of(world.total.begin(), world.total.end(),
                                        [](const auto& part) { return part.second >= 0; });
      auto settled = reference::SettledQuota(world);
      for (const auto& group : world.groups) {
        const ElasticForest::Place place = forest_.PlaceOf(group.name);
        ASSERT_EQ(place.tree, ours) << group.name;
        const ElasticTree::Numbers numbers = *ours->Find(group.name);
        const reference::QuotaState& right = settled[group.name];
        ASSERT_EQ(named(numbers.request), plain(right.request)) << group.name << " step " << step;
        ASSERT_EQ(named(numbers.used), plain(right.used)) << group.name << " step " << step;
        if (is_sound) {
          ASSERT_EQ(named(numbers.runtime), plain(right.runtime)) << group.name << " step " << step;
        }
      }
    }
  }

  Rng rng_;
  ElasticForest forest_;
  std::map<std::string, Tree> trees_;
  std::map<std::string, std::string> tree_of_;
  std::map<std::string, int64_t> nodes_;
  std::vector<Task> tasks_;
  int next_ = 0;
};

TEST(ElasticForest, EachTreeSettlesWhereItsTwinDoes) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomForest(seed).Run();
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace muster
